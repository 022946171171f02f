"""Who evaluates the parts: this process, or an executor of ``concurrent.futures``; cluster.py has a cluster of Dask.

They schedule, ship and retry; here it is said what is to be done, in which order results are added, and of an error
which part it came from.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from hashlib import sha256
from inspect import getclosurevars
from pathlib import Path
from types import FunctionType
from typing import Any
from uuid import uuid4

import numpy as np

from dualnumbers.messages.errors import user_line

from .programs import Composed, Program, Results
from .work import VERSIONS, Sent, Source, Task, as_lists, forget, joined, known_file, load, made, this_process, work


class PartError(RuntimeError):
    """A part that failed: its ``number``, its ``name``, and as its cause the error."""

    def __init__(self, number: int, name: str, what: str) -> None:
        super().__init__(number, name, what)
        self.number, self.name, self.what = number, name, what

    def __str__(self) -> str:
        name = "" if self.name == str(self.number) else f" ({self.name})"
        return f"part {self.number}{name} {self.what}"

    @classmethod
    def of(cls, number: int, name: str, error: BaseException) -> PartError:
        """Return the error of a part that raised another."""
        line = "" if "(at " in str(error) else user_line()
        found = cls(number, name, f"raised {type(error).__name__}: {error}{line}")
        found.__cause__ = error
        return found


class Team:
    """This process, which evaluates parts one after the other."""

    ships = False
    """Whether programs travel as bytes."""

    def __init__(self, parts: Iterable[Any], names: Sequence[str], loader: Callable[[Any], Any] | None, keep: bool,
                 progress: bool) -> None:  # fmt: skip
        self.names, self.progress = names, progress
        own = uuid4().hex
        self.parts = [_source(x, loader, f"{own}-{k}" if keep else "") for k, x in enumerate(parts)]
        self._tasks: dict[Program, Task] = {}
        weakref.finalize(self, forget, own)

    def task(self, program: Program, compiled: bool) -> Task:
        """Return a program as it is sent, made once; TypeError where it cannot be pickled."""
        if program not in self._tasks:
            sent = pickled(program) if self.ships else program
            token = sha256(sent + bytes([compiled])).hexdigest() if isinstance(sent, bytes) else uuid4().hex
            self._tasks[program] = Task(token, sent, compiled, VERSIONS, this_process())
        return self._tasks[program]

    def evaluated(self, program: Program, compiled: bool, operands: Sequence[Any]) -> Results:
        """Return the results of a program over all parts."""
        task, stacked = self.task(program, compiled), program.stacked
        shared = tuple(x for x, axis in zip(operands, program.split, strict=True) if axis is None)
        split = [(x, axis) for x, axis in zip(operands, program.split, strict=True) if axis is not None]
        own = [[np.take(x, k, axis) for x, axis in split] for k in range(len(self.parts))]
        whole = joined([as_lists(found, stacked) for found in self.results(task, stacked, shared, own)])
        return tuple(x if axis is None else np.stack(x, axis) for x, axis in zip(whole, stacked, strict=True))

    def results(self, task: Task, stacked: Sequence[int | None], shared: Any, own: list[list[Any]]) -> list[Results]:
        """Return what came of the parts, or of blocks of them, in order; PartError where one failed."""
        found = []
        for k in shown(range(len(self.parts)), self.progress):
            try:
                found.append(work(task, shared, own[k], self.parts[k]))
            except Exception as error:
                raise PartError.of(k, self.names[k], error) from error
        return found


class Pool(Team):
    """An executor, which gets a task for each part."""

    def __init__(self, executor: Executor, *given: Any) -> None:
        super().__init__(*given)
        self.executor, self.ships = executor, not isinstance(executor, ThreadPoolExecutor)
        if self.ships:
            self.parts = [part if isinstance(part, Source) else sent(part) for part in self.parts]

    def results(self, task: Task, stacked: Sequence[int | None], shared: Any, own: list[list[Any]]) -> list[Results]:
        submit = self.executor.submit
        try:
            futures = [submit(work, task, shared, *pair) for pair in zip(own, self.parts, strict=True)]
        except RuntimeError as error:
            raise ConnectionError(
                f"the executor takes no parts, {error}: make another one, and the sum anew with it{user_line()}"
            ) from error
        found = []
        try:
            for k in shown(range(len(futures)), self.progress):
                try:
                    found.append(futures[k].result())
                except Exception as error:
                    raise PartError.of(k, self.names[k], error) from error
        finally:
            for future in futures:
                future.cancel()
        return found


def team_of(client: Any, timeout: float, *given: Any) -> Team:
    """Return those who evaluate parts for a client; TypeError where it is none."""
    if client is None:
        return Team(*given)
    if isinstance(client, Executor):
        return Pool(client, *given)
    if not hasattr(client, "scheduler_info") or not hasattr(client, "gather"):
        raise TypeError(
            "the client is None, a concurrent.futures.Executor or a dask.distributed.Client, not "
            f"{client!r}{user_line()}"
        )
    if client.asynchronous:
        raise TypeError(f"the Dask client is asynchronous: make one without asynchronous=True{user_line()}")
    from .cluster import Cluster

    return Cluster(client, timeout, *given)


def pickled(x: Any) -> bytes:
    """Return a program as bytes, by cloudpickle where that is there; TypeError where it cannot be."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return bytes(dumps(x))
    except Exception as error:
        held = [name for function in _functions(x) for name, value in _variables(function) if _fails(dumps, value)]
        by = f" by its variable{'s' * (len(held) > 1)} {' and '.join(held)}" if held else ""
        raise TypeError(
            f"the loss cannot travel to other processes{by}, {type(error).__name__}: {error}; let it get what "
            f"it needs from its part, or make it there{user_line()}"
        ) from error


def _functions(x: Any) -> Iterator[Any]:
    """Yield the functions written in Python that a program is of."""
    if isinstance(x, FunctionType):
        yield x
    elif isinstance(x, (Program, Composed)):
        for part in vars(x).values():
            yield from _functions(part)


def _variables(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the variables that a function closes over, or names."""
    found = getclosurevars(function)
    yield from {**found.globals, **found.nonlocals}.items()


def _fails(function: Callable[[Any], Any], x: Any) -> bool:
    try:
        function(x)
    except Exception:  # whatever an object raises that is to be pickled
        return True
    return False


def shown(places: Iterable[int], progress: bool) -> Iterable[int]:
    """Return places, with a progress bar where one is wanted and tqdm is there."""
    if not progress:
        return places
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return places
    return tqdm(places, unit="part", leave=False)  # type: ignore[no-any-return]


def _source(part: Any, loader: Callable[[Any], Any] | None, token: str) -> Any:
    """Return a part as it is sent: itself, or how it is read there."""
    if loader is not None:
        return Source(loader, part, token, this_process())
    if isinstance(part, (str, Path)):
        return Source(load, known_file(part), token, this_process())
    return Source(made, part, token, this_process()) if callable(part) else part


def sent(x: Any) -> Sent:
    """Return what goes from this process as it is."""
    return Sent(x, this_process())
