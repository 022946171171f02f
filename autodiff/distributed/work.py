"""What a worker does: read a part, evaluate a program on it, add up what came of several parts.

Tasks travel with a program as bytes, and a token of them: a process unpickles a program once, and compiles it once
where the loss was given as ``jit(loss)``.
"""

from __future__ import annotations

import operator
import os
import pickle
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any
from uuid import uuid4

import numpy as np

from dualnumbers.levels import is_number
from dualnumbers.messages.errors import user_line

from .. import __version__
from ..calls.captured import lent
from ..calls.structures import flatten
from .programs import Program, Results

VERSIONS = f"dualautodiff {__version__} on Python {sys.version_info.major}.{sys.version_info.minor}"

PROGRAMS = 64
"""How many programs a process keeps; those that were not used for longest are dropped."""

LEAVES = 16
"""Of so many tasks the results are put together in one more, where there are more tasks."""


ENDINGS = (".npy", ".npz", ".parquet", ".pq", ".zarr")
"""What the names of files end with that `load` reads."""

_BORN = uuid4().hex


def this_process() -> str:
    """Return what tells this process from all others: its number alone may be that of one on another machine."""
    return f"{_BORN}-{os.getpid()}"


@dataclass(frozen=True)
class Task:
    """A program on its way."""

    token: str
    program: Any
    """A `Program`, or the bytes of one."""
    compiled: bool
    versions: str
    home: str
    """The process that it comes from."""


@dataclass(frozen=True)
class Source:
    """A part that is read where it is needed: ``loader(of)``; with a token it is kept in the process then."""

    loader: Callable[[Any], Any]
    of: Any
    token: str
    home: str


_known: OrderedDict[str, Any] = OrderedDict()
_read: dict[str, Any] = {}
_lock = RLock()


@dataclass(frozen=True)
class Sent:
    """What is sent as it is, whatever a scheduler would make of its type."""

    x: Any
    home: str
    """The process that it comes from."""


def held(sent: Sent) -> Any:
    """Return what was sent, which then is on a worker."""
    return fixed(sent.x, sent.home)


def fixed(part: Any, home: str) -> Any:
    """Return a part of another process, whose arrays are nobody's, read-only: so a tape keeps no copies of them."""
    if this_process() != home:
        for x in flatten(part)[0]:
            while type(x) is np.ndarray:
                x.flags.writeable = False
                x = x.base
    return part


def borrowed(part: Any) -> Any:
    """Return a part that others have on this worker with its arrays read-only: so a tape keeps no copies of them.

    They stay as they are for other tasks, which may write to them, though in no evaluation: Dask forbids a task to
    change what it is given.
    """
    leaves, rebuild = flatten(part)
    kept = [lent(x) if type(x) is np.ndarray else x for x in leaves]
    return part if all(map(operator.is_, kept, leaves)) else rebuild(kept)


def together(part: Any) -> Any:
    """Return a part, of which a scheduler has put together what lies on workers."""
    return part


def read(source: Source) -> Any:
    """Return a part; it is read once in a process if it is to be kept."""
    if not source.token:
        return fixed(source.loader(source.of), source.home)
    with _lock:
        if source.token not in _read:
            _read[source.token] = fixed(source.loader(source.of), source.home)
        return _read[source.token]


def forget(prefix: str) -> None:
    """Drop the parts that were kept in this process under tokens that begin so."""
    for token in [token for token in _read if token.startswith(prefix)]:
        _read.pop(token, None)


def made(part: Any) -> Any:
    """Return the part that a function of no arguments makes, or a delayed of Dask."""
    return part.compute() if hasattr(part, "__dask_graph__") else part()


def load(path: Any) -> Any:
    """Read a part from a file by its ending: ``.npy``, ``.npz``, ``.parquet``, ``.zarr``.

    A ``.npz`` and a Parquet file are a dict of arrays by their names, a Zarr group likewise, the others an array.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/part.npy", [1.0, 2.0])
    ...     load(folder + "/part.npy")
    array([1., 2.])
    """
    path = known_file(path)
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return dict(arrays)
    if path.suffix in (".parquet", ".pq"):
        from pyarrow import parquet

        table = parquet.read_table(path)
        return {name: table[name].to_numpy() for name in table.column_names}
    import zarr

    found = zarr.open(path, mode="r")
    return {name: x[...] for name, x in found.arrays()} if hasattr(found, "arrays") else found[...]


def known_file(path: Any) -> Path:
    """Return the path of a file that `load` reads; ValueError for another, which is raised before it is sent."""
    found = Path(path)
    if found.suffix not in ENDINGS:
        raise ValueError(
            f"{path} is no .npy, .npz, .parquet or .zarr: give loader=, a function from a path to a part{user_line()}"
        )
    return found


def work(task: Task, shared: Sequence[Any], own: Sequence[Any], part: Any) -> Results:
    """Evaluate a program on a part: ``shared`` are the operands of all parts, ``own`` the slices of this one."""
    try:
        if task.versions != VERSIONS:
            raise RuntimeError(f"the worker has {VERSIONS}, the client {task.versions}: install the same on both")
        program = program_of(task)
        common, sliced = iter(shared), iter(own)
        operands = [next(common if axis is None else sliced) for axis in program.split]
        evaluate = _known[task.token] if task.compiled else program
        given = read(part) if isinstance(part, Source) else held(part) if isinstance(part, Sent) else part
        given = given if this_process() == task.home else borrowed(given)
        found = tuple(evaluate(given, *operands))
        if any(is_number(type(x)) for x in found):
            raise TypeError(
                "the loss uses a number that is being differentiated and is none of its arguments: make "
                "that a part of θ, a tuple or a dict"
            )
        return found
    except BaseException as error:  # sys.exit would end the worker
        there = _portable(_explained(error)) if isinstance(task.program, bytes) else error
        if there is error:
            raise
        raise there from error


@dataclass(frozen=True)
class Outcome:
    """What came of a part: its results or its error, in how many seconds, and on which worker of how many threads."""

    results: Results
    error: Exception | None
    seconds: float
    place: tuple[str, int]


def outcomes(task: Task, shared: Sent, own: Sent, parts: Sequence[Any]) -> list[Outcome]:
    """Evaluate a program on some parts in a worker of Dask; ``own`` are the slices of each."""
    from distributed import get_worker

    worker, common, found = get_worker(), held(shared), []
    for part, sliced in zip(parts, held(own), strict=True):
        start, results, raised = time.perf_counter(), (), None
        try:
            results = work(task, common, sliced, part)
        except Exception as error:
            raised = error.with_traceback(None)
            raised.__cause__ = raised.__context__ = None  # which may be what cannot travel
        place = worker.address, worker.state.nthreads
        found.append(Outcome(results, raised, time.perf_counter() - start, place))
    return found


def chained(lists: Sequence[list[Any]]) -> list[Any]:
    """Return lists as one."""
    return [x for some in lists for x in some]


def program_of(task: Task) -> Program:
    """Return the program of a task, as this process has it since the first of its tasks."""
    if isinstance(task.program, Program) and not task.compiled:
        return task.program
    with _lock:
        found: Any = _known.get(task.token)
        if found is None:
            found = task.program if isinstance(task.program, Program) else _unpickled(task.program)
            found = _known[task.token] = _compiled(found) if task.compiled else found
            while len(_known) > PROGRAMS:
                _known.popitem(last=False)
        _known.move_to_end(task.token)
    return found.f if task.compiled else found  # type: ignore[no-any-return]


def _unpickled(program: bytes) -> Any:
    """Return a program; ImportError that says what to do where the loss is of a module that this process lacks."""
    try:
        return pickle.loads(program)
    except ImportError as error:
        raise ImportError(f"{error}: the loss needs that on every worker; install it there, or put it on their "
                          "PYTHONPATH, or send a file by client.upload_file") from error  # fmt: skip


def _compiled(program: Program) -> Any:
    from ..compiler import jit  # here: LLVM is 40 MB

    return jit(program)


def _explained(error: BaseException) -> BaseException:
    """Return an error of a loss that wrote to its part as one that says what to do, any other as it is."""
    if type(error) is ValueError and "read-only" in str(error):
        return ValueError(f"{error}: the arrays of a part are read-only on a worker, so let the loss write to a copy")
    return error


def _portable(error: BaseException) -> Exception:
    """Return an error as it can travel, itself if that can; one that breaks on the way would break the whole pool."""
    with suppress(Exception):  # whatever an error raises that cannot be pickled
        if isinstance(error, Exception) and type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    return RuntimeError(f"{type(error).__name__}: {error}".removesuffix(": "))


# --------------------------------------------------------------------------------------------- results


def joined(results: Sequence[Results]) -> Results:
    """Return results of parts in order as one: added in a binary tree by their places; lists are put together.

    The tree depends on the number of parts alone; that of an aligned block of 2ᵏ parts is a branch of it.
    """
    level = list(results)
    while len(level) > 1:
        pairs, odd = zip(level[::2], level[1::2], strict=False), level[-1:] if len(level) % 2 else []
        level = [tuple(x + y for x, y in zip(*pair, strict=True)) for pair in pairs] + odd
    return level[0]


def branch(results: Sequence[Results], stacked: Sequence[int | None]) -> Results:
    """Return what came of a block of parts as one."""
    return joined([as_lists(found, stacked) for found in results])


def as_lists(found: Results, stacked: Sequence[int | None]) -> Results:
    """Return results with those that are to be stacked as lists, of one where they come from one part."""
    return tuple(x if axis is None or isinstance(x, list) else [x] for x, axis in zip(found, stacked, strict=True))
