"""A function of plain values alone, whose declared derivative is a difference quotient."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal, shape
from dualnumbers.messages.errors import user_line
from dualnumbers.table.kinds import Smooth
from dualnumbers.table.partials import FAILURES

from ..calls.given import described, no_function
from ..calls.structures import is_structure
from ..differences import difference_quotient
from .arrays import Rule
from .decorators import decorated
from .rows import Function


def black_box(function: Function | None = None, *, rtol: float = 1e-6) -> Any:
    """Give a function that takes plain values alone difference quotients for its derivative, in both modes.

    It is for what has no other: a binary, a table, a measurement. Its arguments up to the first that has a default are
    real numbers and arrays, the others fixed parameters; it returns a number or an array. A Jacobian is taken by the
    extrapolated quotients of ``autodiff.differences`` (Ridders 1982), some tens of calls of the function for each
    element of the arguments, however many directions are asked for. A second derivative is a mixed difference, and
    takes the square of that. The derivative at the latest point is kept as long as the function gives the same values
    there and at a point beside: one that gives others, since it reads what has changed, is differenced anew. While it
    is differenced it must not change, nor draw random numbers.

    Raises ValueError where the estimated error of a derivative is more than ``rtol`` times the largest elements of the
    derivative and of the values together: at a kink, at a jump, where the function is noisy. TypeError where an
    argument is complex or a structure.

    >>> import math
    >>> from autodiff import black_box, grad
    >>> @black_box
    ... def simulated(p, t=2.0):
    ...     return math.exp(-float(p[0]) * t) * float(p[1])
    >>> print(grad(lambda p: simulated(p) ** 2)(np.array([0.5, 3.0])).round(8))
    [-4.8720702  0.8120117]
    """
    if not 0.0 < rtol < 1.0:
        raise ValueError(f"rtol is {rtol}: let it be between 0 and 1{user_line()}")
    if function is None:
        return lambda function: black_box(function, rtol=rtol)
    if not callable(function):
        raise no_function("black_box(f)", function)

    def make(name: str, function: Function, count: int, fixed: tuple[str, ...]) -> Function:
        return _Box(name, _copied(function), count, fixed, rtol).rule

    return decorated(function, Smooth, None, make)


def _copied(function: Function) -> Function:
    """Return the function that gives copies of arrays: a wrapper of compiled code may fill one buffer at every call."""

    def copied(*arguments: Any) -> Any:
        z = function(*arguments)
        return z.copy() if isinstance(z, np.ndarray) else z

    return copied


BESIDE = 2.0**-10
"""So far beside a point, of its size, a function is asked whether it has changed."""


class _Box:
    """The partial by certain arguments, one after the other, of a function that takes plain values alone.

    It is a rule, and so are its own partials; by no argument it is the function itself.
    """

    __slots__ = ("_count", "_fixed", "_function", "_latest", "_name", "_partials", "_rtol", "_wrt", "rule")

    def __init__(
        self, name: str, function: Function, count: int, fixed: tuple[str, ...], rtol: float, wrt: tuple[int, ...] = ()
    ) -> None:
        self._name, self._function, self._count, self._fixed = name, function, count, fixed
        self._rtol, self._wrt = rtol, wrt
        self._partials: dict[int, _Box] = {}
        self._latest: tuple[Any, Sequence[Any], tuple[Any, Any], Any] = None, (), (None, None), None
        """The latest point, the fixed parameters, the values there and beside, and the partial."""
        shown = f"the derivative of {name} by {', '.join(map(str, wrt))}" if wrt else name
        value = (lambda *xs: self._quotient(xs)) if wrt else (lambda *xs: self._value(xs))
        self.rule = Rule(shown, value, [self._kind(k) for k in range(count)], fixed)

    def _kind(self, k: int) -> Smooth:
        def push(t: Any, z: Any, *arguments: Any) -> Any:
            return np.tensordot(self._partial(k, arguments), t, len(shape(t)))

        def pull(g: Any, z: Any, *arguments: Any) -> Any:
            return np.tensordot(g, np.conj(self._partial(k, arguments)), len(shape(z)))

        return Smooth(push, pull)

    def _partial(self, k: int, arguments: Sequence[Any]) -> Any:
        """Return the partial by argument ``k``, of shape value shape + argument shape."""
        if k not in self._partials:
            self._partials[k] = _Box(self._name, self._function, self._count, self._fixed, self._rtol, (*self._wrt, k))
        return self._partials[k].rule(arguments[: self._count], arguments[self._count :])

    def _value(self, arguments: Sequence[Any]) -> Any:
        """Return what the function returns; TypeError where an argument is no real number or array."""
        for k, x in enumerate(arguments[: self._count]):
            if is_structure(x) or is_unreal(x):
                raise TypeError(
                    f"argument {k} of {self._name} is {described(x)}: a black box takes real numbers and "
                    f"arrays; give the parts of a structure one by one{user_line()}"
                )
        return self._function(*arguments)

    def _quotient(self, arguments: Sequence[Any]) -> Any:
        """Return the partial at plain arguments by differences; that at the latest ones is kept.

        It is so while the function has the same values there and beside; else what it closes over has changed.
        """
        operands, fixed = [np.array(x) for x in arguments[: self._count]], arguments[self._count :]
        point = [(x.shape, x.tobytes()) for x in operands]
        before, parameters, (value, beside), partial = self._latest
        now, moved = np.array(self._function(*arguments)), self._beside(operands, fixed)
        if before == point and all(map(operator.is_, parameters, fixed)) and _same(now, value) and _same(moved, beside):
            return partial
        partial, error = map(np.asarray, difference_quotient(self._function, self._wrt, arguments))
        around = np.where(np.isfinite(moved), moved, 0.0)
        largest = sum(np.max(np.abs(x), initial=0.0) for x in (partial, now, around))
        worst = np.max(error, initial=0.0)
        if not worst <= self._rtol * largest:
            raise ValueError(
                f"{self.rule.name} has an estimated error of {worst:.1e} beside {largest:.1e}, more than "
                f"rtol={self._rtol:g}: a kink, a jump or noise; give black_box a larger rtol if that is good enough"
                f"{user_line()}"
            )
        self._latest = point, fixed, (now, moved), partial[()]
        return partial[()]

    def _beside(self, operands: Sequence[Any], fixed: Sequence[Any]) -> Any:
        """Return the value at a point beside, in a direction drawn at random; NaN where the function fails there.

        A change of the derivative alone shows there: as of a (x − 1) at 1, which is 0 for every a.
        """
        drawn = np.random.default_rng(0)
        moved = [x + BESIDE * drawn.uniform(0.5, 1.0, x.shape) * np.maximum(np.abs(x), 1.0) for x in operands]
        try:
            return np.array(self._function(*(x[()] for x in moved), *fixed))
        except FAILURES:
            return np.array(np.nan)


def _same(x: Any, y: Any) -> bool:
    return np.array_equal(x, y, equal_nan=True)
