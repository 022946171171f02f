"""A loop of many steps whose derivative keeps few of the states on the way."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import ceil, isqrt, sqrt
from pathlib import Path
from typing import Any

from dualnumbers.messages.errors import user_line
from dualnumbers.several import parts, plus

from ..calls.directions import same_bits
from ..calls.files import path_of
from ..calls.given import no_function
from ..calls.running import rerunning
from ..calls.structures import flatten, map_leaves
from ..calls.values import name_of, own
from .rerun import Function, Rerun, are_same, passes, pulled
from .schedule import binomial
from .spilling import Kept

BLOCK = 50
"""So many steps are recorded together at most: more take memory, fewer are run more often."""


def checkpointed_loop(step: Callable[[int, Any], Any], state: Any, n: int, *, snapshots: int | None = None,
                      block: int | None = None, spill: Any = None) -> Any:  # fmt: skip
    """Return the state after ``for k in range(n): state = step(k, state)``; its derivative keeps few states.

    ``state`` is a number, an array or a structure of them; ``step`` may write to it, and what was given stays as it is.
    Derivatives pass by the state and by numbers that ``step`` closes over, in both modes and at every order. Forward
    mode runs the loop on dual numbers. The sweep of a tape, on which the loop is one line, reverses it in parts:
    ``block`` steps are recorded, swept and dropped, from the last to the first; the states at which they begin are
    computed again from those that are kept, ``snapshots`` at most besides the first (Griewank 1992; Griewank & Walther
    2000): more of them take memory, fewer take more runs of ``step``. The default is blocks of 50 steps, of √n where
    that is less, and as many snapshots as the root of the number of blocks.
    With ``spill``, a folder, the arrays of kept states are files there, which are gone after the sweep, and there is
    a snapshot for each block: memory has one block and the state that it begins with.

    ``step`` must be a function of k, the state and what it closes over alone: differentiated, the first block
    is run twice, and RuntimeError raised where the two differ. Raises TypeError where ``step`` is no function,
    TypeError or ValueError where ``n`` is not a whole number from 0 up, or ``snapshots`` or ``block`` none from 1 up,
    OSError where the folder takes no file.

    >>> from autodiff import checkpointed_loop, grad
    >>> def decayed(rate):
    ...     return checkpointed_loop(lambda k, y: y - 0.001 * rate * y, 1.0, 1000)
    >>> print(f"{grad(decayed)(2.0):.6f}")
    -0.135335
    """
    if not callable(step):
        raise no_function("checkpointed_loop(lambda k, state: …, state, n)", step)
    n = _whole("n", n, 0)
    block = max(min(BLOCK, isqrt(n)), 1) if block is None else _whole("block", block, 1)
    blocks = -(-n // block)
    few = max(blocks, 1) if spill is not None else ceil(sqrt(blocks))
    snapshots = few if snapshots is None else _whole("snapshots", snapshots, 1)
    folder = None if spill is None else path_of(spill, "checkpointed_loop: spill is a folder")
    return _Loop(step, state, n, block, snapshots, folder).result()


def _whole(name: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError as error:
        raise TypeError(f"{name} is a whole number, not {value!r}{user_line()}") from error
    if number < least:
        raise ValueError(f"{name} is {number}; it must be {least} or more{user_line()}")
    return number


class _Loop(Rerun):
    """A call of `checkpointed_loop`; the arguments of the program are the state."""

    writes = True

    def __init__(self, step: Function, state: Any, n: int, block: int, snapshots: int, folder: Path | None) -> None:
        super().__init__(name_of(step), step, state)
        self.n, self.block, self.snapshots, self.folder = n, block, snapshots, folder

    def called(self, function: Function, arguments: Any) -> Any:
        return self._run(function, 0, arguments, self.n)

    def first_called(self, function: Function, arguments: Any) -> Any:
        end = min(self.block, self.n)
        state = self._run(function, 0, arguments, end)
        if not are_same(flatten(self._run(function, 0, arguments, end))[0], flatten(state)[0], same_bits):
            raise self.changed()
        return self._run(function, end, state, self.n)

    def _run(self, step: Function, start: int, state: Any, stop: int) -> Any:
        """Return the state before step ``stop``, given that before step ``start``, which stays as it is."""
        state = map_leaves(own, state)
        for k in range(start, stop):
            state = step(k, state)
        return state

    @rerunning()
    def pull(self, g: Any, z: Any, operands: Sequence[Any]) -> list[Any]:
        step, first = self.bound(operands)
        closed = operands[len(self.places) :]
        adjoints, by_closed = list(parts(g)), [None] * len(closed)
        end: Sequence[Any] = parts(z)
        with Kept(first, self.folder) as kept:
            for start, stop, last in binomial(-(-self.n // self.block), self.snapshots):
                state = self._run(step, start * self.block, kept.before(start), stop * self.block)
                if not last:
                    kept.keep(stop, state)
                    continue
                leaves, build = flatten(state)
                given = [*leaves, *closed]
                moving = [k for k, x in enumerate(given) if passes(x)]
                found = pulled(self._block(stop, build, len(leaves), end), given, moving, adjoints)
                adjoints, by_closed = found[: len(leaves)], list(map(plus, by_closed, found[len(leaves) :]))
                end = leaves
        return [*(adjoints[k] for k in self.places), *by_closed]

    def _block(self, k: int, build: Function, count: int, end: Sequence[Any]) -> Function:
        """Return block ``k`` as a function of ``count`` leaves of the state and of what is closed over.

        It returns the leaves of the next state, which are ``end``.
        """
        start, stop = k * self.block, min((k + 1) * self.block, self.n)

        def program(*given: Any) -> list[Any]:
            leaves = flatten(self._run(self.around(given[count:]), start, build(given[:count]), stop))[0]
            self.check_same(leaves, end)
            return leaves

        return program
