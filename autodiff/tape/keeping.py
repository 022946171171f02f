"""Which values a tape keeps: of large arrays, those that a sweep reads, and no others.

A sweep multiplies by partials, and reads what they are written in: that of ``sin(x)`` reads the operand, that of
``exp(x)`` the value itself, those of ``x + y`` nothing, those of ``x * y`` each the other operand. So of

    v1 = sin(v0)        its partial reads v0
    v2 = v1 * 1.5       reads 1.5
    v3 = v2 + 0.5       reads nothing
    v4 = sin(v3)        reads v3

no sweep asks for the values of v1 and v2. Whether a later line will is known when the last handle on them is gone, as
it is of intermediate results at the end of an expression: so each handle on a large array holds a `Lease`.

Where a value was let go, an array without memory stands for it, of the same shape and type and NaN all over. Who needs
them all, where a derivative is NaN, has them computed anew, by the same rows of the same operands.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.table import Row, is_of_table
from dualnumbers.table.kinds import Constant, Elementwise, Linear, Multilinear, Smooth
from dualnumbers.table.partials import arguments_read

from .program import UNARY, Program, line_of

if TYPE_CHECKING:
    from .recorder import Recorder
    from .wengert import Tape

LARGE = 1 << 18
"""From so many bytes on an array is let go; to find out whether a smaller one may be costs more than it takes."""

MEDIUM, LONG = 1 << 14, 64
"""From so many bytes on it is let go on a tape of more lines than these: not all values of a loop stay in the cache."""

REACH = 1000
"""A value is kept if more lines than these came after it: all of them would be looked at."""


class Lease:
    """What the handle on a large array holds: when the handle is gone, the tape lets the value go, if it may."""

    __slots__ = ("line", "tape", "value")
    tape: Recorder
    line: int
    value: Any

    def __del__(self) -> None:
        tape, line = self.tape, self.line
        if not tape.is_lean:
            return
        try:  # two threads append to the tape at the same time: it will say so
            if tape.values[line] is self.value and line not in tape.pinned and not _is_read(tape, line):
                tape.values[line] = stand_in(self.value)
                tape.let_go.add(line)
        except (LookupError, RuntimeError):
            pass


def restore(tape: Tape) -> None:
    """Compute the values that were let go anew, and let none go any more, as the garbage collector would."""
    tape.is_lean = False
    lines, tape.let_go = sorted(tape.let_go), set()
    for line in lines:
        tape.values[line] = tape.evaluated(line)


def stand_in(array: Any) -> Any:
    """Return an array of the same shape and type without memory of its own: NaN all over, 0 of integers."""
    return _nothing(array.shape, array.dtype)


@lru_cache
def _nothing(dims: tuple[int, ...], dtype: Any) -> Any:
    one = np.array(np.nan if dtype.kind in "fc" else 0, dtype)
    found = np.ndarray(dims, dtype, one, 0, (0,) * len(dims))
    found.flags.writeable = False
    return found


def repeated(x: Any) -> Any:
    """Return a large array whose elements are all the same number as one that repeats it; any other value as it is."""
    if type(x) is not np.ndarray or x.nbytes < LARGE or x.dtype.kind not in "fiub":
        return x
    first = np.array(x[(0,) * x.ndim])
    same = not any(x.strides) or ((x == first).all() and (first or not np.signbit(x.astype(float, copy=False)).any()))
    return np.broadcast_to(first, x.shape) if same else x


def _is_read(tape: Tape, line: int) -> bool:
    """Return whether a sweep reads the value of a line: to pull back through itself, or through what was made of it.

    It says so, too, of what cannot be computed anew, since an operand was overwritten.
    """
    rows, first, second, more = tape.rows, tape.first, tape.second, tape.more
    last = len(rows)
    if last - line > REACH or (tape.unkept and not tape.unkept.isdisjoint(map(line_of, tape.operands(line)))):
        return True
    for reader in range(line, last):
        a, b = first[reader], second[reader]
        if reader in more:
            if (reader == line or line in more[reader]) and _reads(tape, reader, line):
                return True
        elif reader == line or a == line or b == line:
            of_first, of_second, own = _read[rows[reader], a >= 0, b >= 0, b == UNARY]
            if (own and reader == line) or (of_first and a == line) or (of_second and b == line):
                return True
    return False


class _Read(dict[tuple[Row | None, bool, bool, bool], tuple[bool, bool, bool]]):
    """A table: a row of one operand or two → whether a sweep reads the value of the first, of the second, and its own.

    The key has the row, whether a derivative passes from the first and from the second, and whether there is no second.
    """

    def __missing__(self, key: tuple[Row | None, bool, bool, bool]) -> tuple[bool, bool, bool]:
        row, first, second, is_unary = key
        if row is None or not is_of_table(row):
            return True, True, True
        active = (first,) if is_unary else (first, second)
        read = read_to_pull(row, tuple([passes and row.passes(k) for k, passes in enumerate(active)]))
        self[key] = found = (0 in read, 1 in read, -1 in read)
        return found


_read = _Read()


def _reads(tape: Program, reader: int, line: int) -> bool:
    """Return whether to pull back through a line reads the value of another, or its own."""
    row, operands = tape.rows[reader], tape.operands(reader)
    if row is None or not is_of_table(row):
        return True
    read = read_to_pull(row, tuple([operand >= 0 and row.passes(k) for k, operand in enumerate(operands)]))
    return (-1 in read) if reader == line else any(k in read for k, operand in enumerate(operands) if operand == line)


def count_read(tape: Program, last: int) -> int:
    """Return up to which line a sweep that begins at line ``last`` reads values, as the number of lines.

    Of a sum of logarithms it reads neither the sum nor the logarithms.
    """
    read: set[int] = set()
    for line in range(last, -1, -1):
        row = tape.rows[line]
        if row is None or line in read or not is_of_table(row):
            return line + 1
        few = row.arity in (1, 2)
        operands = (tape.first[line], tape.second[line])[: row.arity] if few else tape.operands(line)
        passing = tuple([k >= 0 for k in operands])
        if row.inline is None:
            passing = tuple([passes and row.passes(k) for k, passes in enumerate(passing)])
        here = read_to_pull(row, passing)
        if -1 in here:
            return line + 1
        for k in here:
            read.add(operands[k])
    return 0


@cache
def read_to_pull(row: Row, active: tuple[bool, ...]) -> frozenset[int]:
    """Return the places of the operands whose values the pull-backs to active ones read; −1 stands for the result.

    >>> from dualnumbers.rules.elementwise import arithmetic, exponential
    >>> sorted(read_to_pull(arithmetic.multiply.row, (True, False))), sorted(read_to_pull(exponential.exp.row, (True,)))
    ([1], [-1])
    """
    operands = tuple(range(len(active)))
    every = frozenset((-1, *operands))
    if row.any_number or row.several:
        return every
    read: set[int] = set()
    if row.joint is not None and sum(active) > 1:
        read |= arguments_read(row.joint, (None, -1, *operands), every)
    for place, passes in enumerate(active):
        kind = row.argument(place)
        if not passes:
            continue
        if isinstance(kind, Elementwise):
            read |= arguments_read(kind.partial, (*operands, -1), every)
        elif isinstance(kind, Linear) and row.is_linear:
            read |= {k for k in operands if isinstance(row.argument(k), Constant)}
        elif isinstance(kind, (Linear, Multilinear)):
            read |= arguments_read(kind.adjoint, (None, *operands), every)
        elif isinstance(kind, Smooth):
            read |= arguments_read(kind.by_pull or kind.by_push, (None, -1, *operands), every)
        else:
            return every
    return frozenset(read)
