"""Levels: which differentiation a number belongs to; and what is a number.

Differentiations nest, and then their numbers meet in one operation. In x · d/dy (x + y) both x and y carry a tangent 1.
If the inner derivative took that of x for its own, it would be 2. So every number says by its level which
differentiation it belongs to, and levels have an order: one that began later is higher. Among the operands of an
operation the highest level leads, and all others are constants to it. The components of a number have lower levels
than the number. That is the whole treatment of nesting.

>>> from dualnumbers.numbers.dual import make
>>> outer, inner = Level(), Level()
>>> x, y = make(1.0, 1.0, outer), make(1.0, 1.0, inner)
>>> z = x + y
>>> z.level is inner, z.primal.level is outer, z.tangent
(True, True, 1.0)
>>> print(x * z.tangent)
1.0 + 1.0ε

Numbers can also be made by hand, ``DualNumber(x, 1.0)``, ``TaylorNumber([x, 1.0])`` and ``Variable(x)``, outside of
every differentiation or within one. Their level is above that of ``x``, for ``x`` is a component of them; and below
every later differentiation, for it may take them as constants. So a level is a record of four parts, which are compared
one after the other:

=============================== =============== ========= ====== =====
a number                        differentiation variables series duals
=============================== =============== ========= ====== =====
2.0                             0               0         0      0
DualNumber(2.0, 1.0)            0               0         0      1
DualNumber of such a number     0               0         0      2
TaylorNumber([2.0, 1.0])        0               0         1      0
DualNumber of such a number     0               0         1      1
Variable(2.0)                   0               1         0      0
Variable of DualNumber(2.0, 1)  0               1         0      1
x of the first differentiation  1               0         0      0
DualNumber(x, 1.0)              1               0         0      1
TaylorNumber([x, 1.0])          1               0         1      0
Variable(x)                     1               1         0      0
x of the second differentiation 2               0         0      0
=============================== =============== ========= ====== =====
"""

from __future__ import annotations

import itertools
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable
from math import isnan
from typing import Any, NamedTuple

import numpy as np

_MAKING = allocate_lock()

BITS = 20
"""The bits that each of the last three parts of a level has in its order: nobody nests as many by hand."""

_next_order = itertools.count(1 << 3 * BITS, 1 << 3 * BITS).__next__
"""Return the order of the differentiation that begins now: (1, 0, 0, 0), (2, 0, 0, 0), …"""


class Parts(NamedTuple):
    """The parts of a level, which are compared one after the other."""

    differentiation: int = 0
    """Which differentiation it is: 1, 2, … as they began; 0 outside of every one."""
    variables: int = 0
    """How many Variables made by hand there are one in another, each the value of the next."""
    series: int = 0
    """How many Taylor numbers made by hand there are one in another, each a coefficient of the next."""
    duals: int = 0
    """How many dual numbers made by hand there are one in another, each a component of the next."""


class Level:
    """The differentiation that a number belongs to, and how many numbers made by hand are around those of it.

    ``Level()`` is that of a new differentiation, above every earlier one.
    """

    order: int
    """Its `parts` in one integer. Operations compare levels by it, in half the time that four integers take."""
    by_hand = False
    """Whether its numbers were made by hand, within a differentiation or outside."""
    ended = False
    """Whether the differentiation is over."""
    filled = False
    """Whether one of its numbers was stored into an array that held none."""
    refused: Any = None
    """The first `messages.refusals.Refusal` that was made for one of its numbers."""
    looked_at = False
    """Whether somebody wanted one value of one of its numbers that has many, of `numbers.mapped`."""
    quiet = False
    """Whether NumPy's warnings are off wherever its numbers are computed with."""
    within: Any = None
    """Of an inner differentiation: the level and the tangent of the dual number that it is at (`numbers.folded`)."""
    undetermined: str | None = None
    """Why a tangent may be NaN: the text of the error to raise then."""
    _above: Level | None = None
    _of_series: Level | None = None
    _of_leaves: Level | None = None

    def __init__(self) -> None:
        self.order = _next_order()

    @classmethod
    def of(cls, parts: Parts) -> Level:
        """Make a level of given parts."""
        level = cls.__new__(cls)
        level.order = 0
        for part in parts:
            level.order = level.order << BITS | part
        level.by_hand = any(parts[1:])
        return level

    @property
    def parts(self) -> Parts:
        """What it is made of: its `order`, taken apart."""
        low = (1 << BITS) - 1
        return Parts(self.order >> 3 * BITS, *(self.order >> n * BITS & low for n in (2, 1, 0)))

    @property
    def above(self) -> Level:
        """The level of dual numbers made by hand whose highest component has this level."""
        if self._above is None:
            with _MAKING:  # one for all threads
                self._above = self._above or Level.of(self.parts._replace(duals=self.parts.duals + 1))
        return self._above

    @property
    def of_series(self) -> Level:
        """The level of Taylor numbers made by hand whose highest coefficient has this level."""
        if self._of_series is None:
            with _MAKING:
                parts = self.parts._replace(series=self.parts.series + 1, duals=0)
                self._of_series = self._of_series or Level.of(parts)
        return self._of_series

    @property
    def of_leaves(self) -> Level:
        """The level of Variables made by hand whose values have this level."""
        if self._of_leaves is None:
            with _MAKING:
                self._of_leaves = self._of_leaves or Level.of(self.parts._replace(variables=self.parts.variables + 1))
        return self._of_leaves

    @property
    def is_of_leaves(self) -> bool:
        """True for Variables made by hand, and for dual numbers that were made of those."""
        return self.by_hand and self.parts.variables > 0

    def takes_in(self, other: Level) -> bool:
        """Return whether Variables of the level ``other`` are recorded on a tape of this level as leaves of their own.

        Of ``v * w`` in a function that is differentiated, both operands are leaves if ``v = Variable(x)`` was made of
        its argument and ``w = Variable(3.0)`` outside; then ``w`` is taken in. So is a Variable of a plain value beside
        one of a dual number made by hand. A Variable that the values were made of is not: it is a constant to them.
        """
        (own, variables, *_), (differentiation, others, *_) = self.parts, other.parts
        return others > 0 and (differentiation < own or (differentiation == own and others == variables))

    def __lt__(self, other: Level) -> bool:
        return self.order < other.order

    def __repr__(self) -> str:
        named = [f"{name}={part}" for name, part in self.parts._asdict().items()]
        return f"Level({', '.join(named)}{', ended' if self.ended else ''})"


GROUND = Level.of(Parts())
"""The level of plain values, below all others."""

HELD = Level.of(Parts(differentiation=1 << 64))
"""The level of a holder, an array of `autodiff.numpy` into which numbers of any level may be stored.

It is above all others: so a holder leads in every operation, and passes the operation on to what it holds by then.
"""

RUNNING: deque[None] = deque()
"""One member for each differentiation that runs, in whatever thread."""

NOTING: deque[None] = deque()
"""One member for each recording that runs and is to be run at other inputs, in whatever thread."""

LIVING: set[int] = set()
"""The serial numbers of the leaves made by hand, Variables and Constants, that are alive."""


def level_of(value: Any) -> Level:
    """Return the level of a value: its own for a kind of number, `GROUND` for a plain value."""
    return value.level if is_number(type(value)) else GROUND


class _Kinds(dict[type, bool]):
    """A table: type → True if it is a kind of number, one that has a ``lift``, a ``level`` and a ``primal``."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = answer = all(hasattr(kind, name) for name in ("lift", "level", "primal"))
        return answer


is_number = _Kinds().__getitem__
"""Return whether a type is a kind of number, one that says how a row extends to it."""


def plain(value: Any) -> Any:
    """Return the plain value under every level, to be shown or copied; what depends on it is to `read` it instead."""
    while is_number(type(value)):
        value = value.primal
    return value


def plain_members(value: Any) -> Any:
    """Return the plain value under every level; of what has many members the values of all, along first axes."""
    while is_number(type(value)):
        value = value.parts()[0]
    return value


def read(value: Any) -> Any:
    """Return the plain value under every level, for a decision or a constant that depends on it.

    A recording that is to be run at other inputs notes who read what, and names that line of code if the value is
    another one there.
    """
    while is_number(type(value)):
        value = value.reading()
    return value


def decided(question: Callable[..., Any], value: Any, *static: Any, usual: Any = None) -> Any:
    """Return ``question(plain value, *static)``: a truth, mask or place that a rule decides by, and not by the value.

    A recording that is to be run at other inputs notes the answer, and asks again there: it goes on where the answer is
    the same. The question is a function of a module, which a pickled recording can name. Of a lazy array, which it
    would compute, the answer is the ``usual`` one, if that is given: the rule goes the way of almost all values.

    >>> decided(np.any, np.array([False, True]))
    np.True_
    """
    numbers = []
    while is_number(type(value)):
        if value.asked is not None:
            answer = value.asked(question, static)
            break
        numbers.append(value)
        value = value.primal
    else:
        answer = usual if usual is not None and is_lazy(type(value)) else question(value, *static)
    for number in numbers:
        number.note_answer(question, static, answer)
    return answer


def is_noted(x: Any) -> bool:
    """Return whether a recording notes who reads a value, so that it is better an operand than a constant."""
    return bool(NOTING) and is_number(type(x)) and bool(x.is_noted())


def known(x: Any) -> Any:
    """Return a value as it is, where a recording notes who reads it, elsewhere the plain one under it."""
    return x if is_noted(x) else plain(x)


def is_lazy(kind: type) -> bool:
    """Return whether a type is one of arrays that are graphs of what is to be computed, as Dask's are."""
    return hasattr(kind, "__dask_graph__")


def holds_somewhere(mask: Any) -> bool:
    """Return whether a mask holds for any element: what a check of values finds. A lazy one is not asked, as above."""
    return not is_lazy(type(plain(mask))) and bool(np.any(mask))


def has_nan(x: Any) -> bool:
    """Return whether any part of a number or array is NaN; a lazy array, which it would compute, is not asked."""
    if type(x) is np.ndarray and x.dtype.char in "fd":
        return isnan(np.vdot(x, x))  # a third of the time of a sum of few elements
    if x is None or isinstance(x, float):  # np.float64 is one
        return bool(x != x)
    if is_number(type(x)):
        has: bool = x.has_nan()
        return has
    if type(x) is tuple:
        return any(map(has_nan, x))
    if type(x) is not np.ndarray and is_lazy(type(x)):
        return False
    foreign = type(x) is not np.ndarray and hasattr(x, "__array_function__")  # which may lack methods of ufuncs
    summed = np.sum(x) if foreign else np.add.reduce(x, axis=None)  # ∞ − ∞ is NaN too: that costs a second sweep
    return bool(summed != summed)


JOINED = 1 << 14
"""Arrays of up to so many bytes are joined before they are looked through."""


def any_has_nan(xs: Iterable[Any]) -> bool:
    """Return whether any part of any of these is NaN; small arrays are joined and looked through at once."""
    small: list[Any] = []
    dtype = None
    for x in xs:
        is_small = type(x) is np.ndarray and 0 < x.nbytes <= JOINED and x.flags.c_contiguous
        if is_small and (x.dtype is dtype or (dtype is None and x.dtype.char in "fd")):
            small.append(x)
            dtype = x.dtype
        elif has_nan(x):
            return True
    return has_nan(small[0] if len(small) == 1 else np.frombuffer(b"".join(small), dtype)) if small else False
