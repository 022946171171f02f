"""Parts on the workers of a Dask cluster.

Whatever is sent is a task that holds it, not scattered data: what is lost with a worker the scheduler makes again.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from threading import Thread
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.structures import flatten
from .programs import Results
from .teams import PartError, Team, sent, shown
from .work import LEAVES, VERSIONS, Outcome, Source, Task, branch, chained, held, made, outcomes, read, together, work

LARGE = 1 << 20
"""From so many bytes of results on they are added on the workers."""

SHORT = 0.1
"""Parts of one worker that take no longer together, in seconds, are evaluated in one task: it costs a millisecond."""

LOST = ("cancelled", "lost")
"""What Dask says of data that was scattered and is gone; of a task that it makes again it says "lost" as well."""

PACKAGE = "autodiff"
"""What the scheduler and each worker import to read a task."""

POLL = 0.5
"""How often, in seconds, it is looked whether the cluster is still there."""

_complete: weakref.WeakSet[Any] = weakref.WeakSet()
"""The clients of clusters that were asked for the package."""


class Cluster(Team):
    """A client of ``dask.distributed``: the parts lie on its workers, which get a task for each, or for short ones."""

    ships = True

    def __init__(self, client: Any, timeout: float, *given: Any) -> None:
        super().__init__(*given)
        self.client, self.timeout = client, timeout
        self._sent: dict[str, Any] = {}
        self._seconds: dict[str, list[float]] = {}
        """By the token of a program, how long its latest evaluation took of each part."""
        self._places: list[tuple[str, int]] = []
        """The worker of each part then, and its number of threads."""
        self.check()
        if client not in _complete:
            self._check_installed()
            _complete.add(client)
        with _of_any_size():
            self.parts = [self._sent_part(k, part) for k, part in enumerate(self.parts)]

    def _sent_part(self, number: int, part: Any) -> Any:
        """Return a part as `_placed` does; PartError where it cannot be pickled."""
        try:
            return self._placed(part)
        except Exception as error:
            first: BaseException = error
            while first.__cause__ or first.__context__:  # Dask's own says what it is that was to be sent
                first = first.__cause__ or first.__context__ or first
            what = f"cannot travel to the workers, {type(first).__name__}: {first}"
            remedy = f"give a path, or a function that makes it there{user_line()}"
            raise PartError(number, self.names[number], f"{what}; {remedy}") from error

    def _placed(self, part: Any) -> Any:
        """Return a part as a future, or as what is read at every evaluation."""
        from dask.base import is_dask_collection
        from dask.delayed import delayed
        from distributed import Future

        if isinstance(part, Future):
            return part
        given = part.of if isinstance(part, Source) and part.loader is made else part
        if any(map(is_dask_collection, flatten(given)[0])):
            return self.client.compute(delayed(given))
        if isinstance(part, Source):
            return self.client.submit(read, replace(part, token=""), pure=False) if part.token else part
        if any(isinstance(x, Future) for x in flatten(part)[0]):
            return self.client.submit(together, part, pure=False)
        return self.client.submit(held, sent(part), pure=False)

    def check(self) -> None:
        """Raise ConnectionError where the client is closed."""
        if self.client.status in ("closed", "closing"):
            raise ConnectionError("the Dask client is closed, or its scheduler has ended: make another one, and the "
                                  f"sum anew with it{user_line()}")  # fmt: skip

    def _check_installed(self) -> None:
        """Raise ImportError where the scheduler or a worker lacks this package: it would not say so, but end."""
        questions: tuple[Callable[[], Any], ...] = (
            lambda: {"the scheduler": _imports(self.client.run_on_scheduler)},
            lambda: self.client.run(import_module, PACKAGE, on_error="return"),
        )
        for question in questions:
            for place, answer in (self._answer(question) or {}).items():
                if isinstance(answer, ImportError):
                    who = place if place == "the scheduler" else f"the worker {place}"
                    needed = f"the scheduler and each worker need {VERSIONS}"
                    raise ImportError(f"{who} cannot read tasks, {answer}: {needed}{user_line()}") from answer

    def results(self, task: Task, stacked: Sequence[int | None], shared: Any, own: list[list[Any]]) -> list[Results]:
        self.check()
        with _of_any_size():
            if task.token not in self._sent:
                self._sent[task.token] = self.client.submit(held, sent(task), pure=False)
        if sum(np.asarray(x).nbytes for x in shared) * len(self.parts) > LARGE:
            return self._added(task, stacked, shared, own)
        groups = self._groups(task)
        found, of_groups = self._submitted(task, shared, own, groups)
        failed = self._failing(found, of_groups, groups)
        if not failed:
            return self._taken(task, groups, chained(self.client.gather(found)))
        self._seconds.pop(task.token, None)
        if len(groups) == len(self.parts):
            raise self._killer(task, shared, own, failed, of_groups)
        return self.results(task, stacked, shared, own)  # a task for each part, so that the part is named

    def _submitted(self, task: Task, shared: Any, own: list[list[Any]], groups: list[list[int]]) -> tuple[Any, Any]:
        """Send the parts of each group as a task; return what is to be gathered, and the futures of the groups."""
        given = zip(*((sent([own[k] for k in group]), [self.parts[k] for k in group]) for group in groups), strict=True)
        same = [self._sent[task.token]] * len(groups), [sent(shared)] * len(groups)
        with _of_any_size():
            found = of_groups = self.client.map(outcomes, *same, *given, pure=False)
            while len(found) > LEAVES:
                blocks = [found[k : k + LEAVES] for k in range(0, len(found), LEAVES)]
                found = self.client.map(chained, blocks, pure=False)
        return found, of_groups

    def _killer(self, task: Task, shared: Any, own: list[list[Any]], suspects: dict[int, Any], of_groups: Any) -> Any:
        """Return the error of the part with which workers died, of those with which they seem to have.

        They are evaluated one after the other: the worker of one that ends its process dies with no other part.
        """
        number = min(suspects)
        error = self._failed(number, suspects[number])
        self.client.cancel(of_groups)
        self.client.retry([part for part in self.parts if getattr(part, "status", "") == "error"])  # they died with it
        for k in suspects:
            self._failing(*self._submitted(task, shared, own, [[k]]), [[k]])
        return error

    def _groups(self, task: Task) -> list[list[int]]:
        """Return the numbers of the parts of each task: of one worker, and as many as are evaluated in a short time.

        The parts of a worker are divided among its threads. A program that is new has a task for each part.
        """
        seconds = self._seconds.get(task.token)
        if seconds is None:
            return [[k] for k in range(len(self.parts))]
        of_places: dict[tuple[str, int], list[int]] = {}
        for k, place in enumerate(self._places):
            of_places.setdefault(place, []).append(k)
        groups: list[list[int]] = []
        for (_, threads), numbers in of_places.items():
            most, taken = -(-len(numbers) // threads), np.inf
            for k in numbers:
                if taken + seconds[k] > SHORT or len(groups[-1]) == most:
                    groups.append([])
                    taken = 0.0
                groups[-1].append(k)
                taken += seconds[k]
        return groups

    def _taken(self, task: Task, groups: list[list[int]], found: list[Outcome]) -> list[Results]:
        """Return the results of the parts in order; keep for the next evaluation how long they took, and where."""
        by_number = [x for _, x in sorted(zip(chained(groups), found, strict=True), key=lambda pair: pair[0])]
        for k, outcome in enumerate(by_number):
            if outcome.error is not None:
                raise PartError.of(k, self.names[k], outcome.error)
        self._places = [outcome.place for outcome in by_number]
        self._seconds[task.token] = [outcome.seconds for outcome in by_number]
        return [outcome.results for outcome in by_number]

    def _added(self, task: Task, stacked: Sequence[int | None], shared: Any, own: list[list[Any]]) -> list[Results]:
        """Return large results, which are added on the workers; θ goes to one of them, and from worker to worker."""
        client, several = self.client, len(self.parts)
        with _of_any_size():
            given = client.submit(held, sent(shared), pure=False)
            found = of_parts = client.map(
                work, [self._sent[task.token]] * several, [given] * several, own, self.parts, pure=False
            )
            while len(found) > 1:
                blocks = [found[k : k + LEAVES] for k in range(0, len(found), LEAVES)]
                found = [client.submit(branch, block, stacked, pure=False) for block in blocks]
        if failed := self._failing(found, of_parts, [[k] for k in range(several)]):
            raise self._killer(task, shared, own, failed, of_parts)
        return list(client.gather(found))

    def _failing(self, found: Sequence[Any], of_groups: Sequence[Any], groups: list[list[int]]) -> dict[int, Any]:
        """Wait; return the parts of failed tasks, none where all are well; PartError where it is known which it is.

        It is where a task has one part, unless that died with its worker: so did those that were waiting there.
        """
        self._wait(found, of_groups, groups)
        pairs = [pair for pair in zip(groups, of_groups, strict=True) if pair[1].status in ("error", "cancelled")]
        for group, future in pairs:
            if len(group) == 1 and not (_died(future) and len(pairs) > 1):
                raise self._failed(group[0], future)
        return {k: future for group, future in pairs for k in group}

    def _wait(self, futures: Sequence[Any], of_groups: Sequence[Any], groups: list[list[int]]) -> None:
        """Wait until futures have ended, or one died with its workers; ConnectionError where no cluster comes back."""
        from distributed import wait
        from distributed.client import FuturesCancelledError

        marks, marked, well = iter(shown(range(sum(map(len, groups))), self.progress)), 0, time.monotonic()
        while True:
            try:
                wait(futures, timeout=POLL)
                return
            except TimeoutError:
                now = time.monotonic()
            except FuturesCancelledError as error:
                if self.client.status == "running":
                    return  # a part was lost
                self.check()
                raise ConnectionError("the Dask client has lost its scheduler: make another one, and the sum anew with "
                                      f"it{user_line()}") from error  # fmt: skip
            if any(map(_died, of_groups)):
                return
            self.check()
            well = now if self._is_there() else well
            if now - well > self.timeout:
                raise self._no_cluster(of_groups, groups)
            done = sum(len(group) for future, group in zip(of_groups, groups, strict=True) if future.done())
            while self.progress and marked < done:
                marked = next(marks) + 1

    def _is_there(self) -> bool:
        """Return whether there are a scheduler, which is not waited for longer than the timeout, and a worker."""
        workers = self._answer(lambda: self.client.scheduler_info()["workers"])
        return self.client.status == "running" and bool(workers)

    def _answer(self, question: Callable[[], Any]) -> Any:
        """Return what a question to the cluster gives, None where there is no answer within the timeout."""
        answers: list[Any] = []

        def ask() -> None:
            with suppress(Exception):  # of a scheduler that is lost meanwhile
                answers.append(question())

        asking = Thread(target=ask, daemon=True)
        asking.start()
        asking.join(self.timeout)
        return answers[0] if answers else None

    def _no_cluster(self, of_groups: Sequence[Any], groups: list[list[int]]) -> ConnectionError:
        what = "has lost its scheduler"
        if self.client.status == "running":
            what, deaths = "has no workers", []
            with suppress(Exception):  # of a scheduler that is lost meanwhile
                deaths = self.client.run_on_scheduler(_deaths, [future.key for future in of_groups])
            if most := max(deaths, default=0):
                blamed = chained([group for group, count in zip(groups, deaths, strict=True) if count == most])
                what += f", and {most} died with part {' or '.join(self.names[k] for k in blamed)}"
        return ConnectionError(
            f"the Dask client {what}; timeout={self.timeout:g} says how many seconds that may last{user_line()}"
        )

    def _failed(self, number: int, future: Any) -> PartError:
        """Return the error of a part whose task did not end well, with the error of that as its cause."""
        if future.status == "error":
            return PartError.of(number, self.names[number], future.exception(timeout=self.timeout))
        lost = [k for k, part in enumerate(self.parts) if getattr(part, "status", "") in LOST]  # and all tasks with it
        number = (*lost, number)[0]
        return PartError(number, self.names[number], "was lost with the worker that it was scattered to: give it as a "
                         f"file, a function that makes it, or a delayed{user_line()}")  # fmt: skip


def _imports(run: Callable[..., Any]) -> ImportError | None:
    """Return why the package cannot be imported where ``run`` calls a function, None where it can be."""
    try:
        run(import_module, PACKAGE)
    except ImportError as error:
        return error
    return None


def _died(future: Any) -> bool:
    """Return whether a task failed because too many workers died with it."""
    from distributed import KilledWorker

    return future.status == "error" and isinstance(future.exception(), KilledWorker)


def _deaths(keys: Sequence[str], dask_scheduler: Any = None) -> list[int]:
    """Return, on the scheduler, with each task how many workers died."""
    return [dask_scheduler.tasks[key].suspicious if key in dask_scheduler.tasks else 0 for key in keys]


def _of_any_size() -> Any:
    """Return the context in which Dask does not warn that much is sent: it is data."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
