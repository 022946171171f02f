"""Levels of differentiation, and what is a number: which operand of an operation leads.

Differentiations nest, and then their numbers meet in one operation. In x · d/dy (x + y) both x and y carry a tangent 1.
If the inner derivative took that of x for its own, it would be 2. So every differentiation takes a fresh level, higher
than all before it. Among the operands of an operation the highest level leads, and all others are constants to it. The
components of a number have lower levels than the number. That is the whole treatment of nesting.

>>> from dualnumbers.numbers.dual import make
>>> outer, inner = Level(), Level()
>>> x, y = make(1.0, 1.0, outer), make(1.0, 1.0, inner)
>>> z = x + y
>>> z.level is inner, z.primal.level is outer, z.tangent
(True, True, 1.0)
>>> print(x * z.tangent)
1.0 + 1.0ε

A level is an integer; it has room above it for what is made by hand, outside of every differentiation or within one:

==================== ==========================================================================================
0                    plain values: `GROUND`
1, 2, …              dual numbers made by hand of plain values, then of such numbers, … (`Level.above`)
2³¹, 2³¹ + 1, …      Variables made by hand of plain values, of dual numbers of level 1, … (`Level.of_leaves`)
2³², 2³² + 1, …      the first differentiation, and what is made by hand of its numbers, in the same order
2 · 2³², …           the second differentiation: it began later, so it is the inner one if both run
2²⁵⁶                 arrays that are to get numbers of any level: `HELD`
==================== ==========================================================================================
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

_MAKING = threading.Lock()


class Level:
    """The differentiation that a number belongs to: the higher number leads, all lower ones are constants to it.

    ``Level()`` stands above every earlier one. ``above`` is the level of a number made by hand whose highest
    component has this level; the wide stride keeps it below every later differentiation. ``ended`` says that the
    differentiation is over. ``refused`` is the first `messages.refusals.Refusal` that was made for one of its numbers.
    ``filled`` says that one of its numbers was stored into an array that held none. ``undetermined``, where it is set,
    says why a tangent may be NaN: it is the text of the error to raise then.
    """

    __slots__ = ("_above", "_of_leaves", "ended", "filled", "number", "refused", "undetermined")
    _above: Level
    _of_leaves: Level
    refused: Any
    undetermined: str
    STRIDE, DEPTH = 1 << 32, 1 << 16
    _numbers = itertools.count(0, STRIDE)

    def __init__(self, _next: Callable[[], int] = _numbers.__next__) -> None:
        self.number = _next()
        self.ended = self.filled = False
        self.refused = None

    @property
    def by_hand(self) -> bool:
        """True for numbers made by hand, outside of every differentiation."""
        return self.number % Level.STRIDE != 0

    @property
    def above(self) -> Level:
        try:
            return self._above
        except AttributeError:
            return self._made("_above", 1)

    @property
    def of_leaves(self) -> Level:
        """The level of Variables made by hand whose values have this level; it is above dual numbers made by hand."""
        try:
            return self._of_leaves
        except AttributeError:
            return self._made("_of_leaves", Level.DEPTH if self.is_of_leaves else Level.STRIDE // 2)

    def _made(self, name: str, step: int) -> Level:
        """Return the level a step higher, made once, whatever threads ask for it."""
        with _MAKING:
            if not hasattr(self, name):
                setattr(self, name, Level((self.number + step).__int__))
        level: Level = getattr(self, name)
        return level

    @property
    def is_of_leaves(self) -> bool:
        """True for the level of Variables made by hand."""
        return self.number % Level.STRIDE >= Level.STRIDE // 2

    def takes_in(self, other: Level) -> bool:
        """Return whether Variables of the level ``other`` are recorded on a tape of this level as leaves of their own.

        Of ``v * w`` in a function that is differentiated, both operands are leaves if ``v = Variable(x)`` was made of
        its argument and ``w = Variable(3.0)`` outside; then ``w`` is taken in. So is a Variable of a plain value beside
        one of a dual number made by hand. A Variable that the values were made of is not: it is a constant to them.
        """
        outside = other.number // Level.STRIDE < self.number // Level.STRIDE
        return other.is_of_leaves and (outside or other.number // Level.DEPTH == self.number // Level.DEPTH)

    def __repr__(self) -> str:
        return f"Level({self.number}{', ended' if self.ended else ''})"


GROUND = Level()
"""The level of plain values."""


HELD = Level((1 << 256).__int__)
"""The level of an array that is to get numbers of any level: it leads in every operation, to hand it on."""

RUNNING: deque[None] = deque()
"""One member for each differentiation that runs, in whatever thread."""

NOTING: deque[None] = deque()
"""One member for each recording that runs and is to be run at other inputs, in whatever thread."""

LIVING: set[int] = set()
"""The numbers of the leaves made by hand that are alive: of Variables, of Constants as well."""


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


def read(value: Any) -> Any:
    """Return the plain value under every level, for a decision or a constant that depends on it.

    A recording that is to be run at other inputs notes who read what, and names that line of code if the value is
    another one there.
    """
    while is_number(type(value)):
        value = value.reading()
    return value


def is_noted(x: Any) -> bool:
    """Return whether a recording notes who reads a value, so that it is better an operand than a constant."""
    return bool(NOTING) and is_number(type(x)) and bool(x.is_noted())


def known(x: Any) -> Any:
    """Return a value as it is, where a recording notes who reads it, elsewhere the plain one under it."""
    return x if is_noted(x) else plain(x)


def has_nan(x: Any) -> bool:
    """Return whether any part of a number or array is NaN."""
    if x is None or isinstance(x, float):  # np.float64 is one
        return bool(x != x)
    if is_number(type(x)):
        has: bool = x.has_nan()
        return has
    if type(x) is tuple:
        return any(map(has_nan, x))
    foreign = type(x) is not np.ndarray and hasattr(x, "__array_function__")  # Dask has no methods of ufuncs
    summed = np.sum(x) if foreign else np.add.reduce(x, axis=None)  # ∞ − ∞ is NaN too: that costs a second sweep
    return bool(summed != summed)


class _Labelled(dict[type, bool]):
    """A table: type → True if it has data with labels, and an arithmetic by these: a column of pandas, Polars, xarray.

    Such types speak NEP 13 but not NEP 18: their axes are not NumPy's.
    """

    def __missing__(self, kind: type) -> bool:
        data = not is_number(kind) and not issubclass(kind, (np.ndarray, np.generic))
        array, ufuncs, functions = (getattr(kind, f"__array{name}__", None) for name in ("", "_ufunc", "_function"))
        self[kind] = answer = data and array is not None and ufuncs is not None and functions is None
        return answer


is_labelled = _Labelled().__getitem__
"""Return whether a type is one of data with labels; a function that gives a plain array takes the elements of such."""


class _Operands(dict[type, bool]):
    """A table: type → True if it may stand beside a number in an operation, as plain numbers and what speaks NEP 13.

    It raises TypeError for masked arrays and np.matrix: in their arithmetic sums leave elements out, or products are
    others.
    """

    def __missing__(self, kind: type) -> bool:
        masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", np.matrix)  # NumPy loads it late
        if issubclass(kind, (masked, np.matrix)):
            raise TypeError(
                f"{kind.__name__} has an arithmetic of its own, in which derivatives would be wrong: give "
                "np.asarray(x), or x.filled(...) and np.where for a masked array"
            )
        if getattr(kind, "level", None) is HELD:
            self[kind] = False
            return False
        numeric = issubclass(kind, (int, float, complex, np.generic, np.ndarray))
        speaks = getattr(kind, "__array_ufunc__", None) is not None and not is_labelled(kind)
        self[kind] = answer = numeric or speaks
        return answer


is_operand = _Operands().__getitem__
"""Return whether values of a type may be combined with a number; an operator gives ``NotImplemented`` for the others.

A holder (`HELD`), which stands for another array, may not: the slow way, `number.as_operand`, knows what it holds."""
