"""Strategies of hypothesis for property-based tests of derivatives: points where a function is smooth, and checks.

>>> import numpy as np
>>> from hypothesis import given
>>> from autodiff.check import strategies
>>> def mine(x, y):
...     return np.sum(np.abs(x) ** 1.5) / (1 + y * y)
>>> @given(strategies.checks(mine, strategies.arrays(3), strategies.numbers(-3, 3), order=3))
... def test_mine(check):
...     check()
>>> test_mine()

Each example is one derivative of one order, up to the given one, at one point, along one direction, by one nesting of
the two modes, held against a power series and against difference quotients. That takes some ten milliseconds for a
function of some ten steps, on numbers or arrays, so that hypothesis's deadline, 200 of them, can stay; one of hundreds
of steps may need ``settings(deadline=None)``. What fails is shrunk, to the lowest order and the plainest point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..calls.values import name_of
from .along import confirm_along
from .smoothness import distance_to_kinks

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Check", "arrays", "checks", "numbers", "points"]

TINY = 1e-6
"""Numbers next to 0, in parts of the range, are drawn as 0: of 1e-300 no difference quotient knows the slope."""

AWAY = 1e-3
"""How far from a kink, a tie, a jump or a pole the points are, at the least."""


def _hypothesis() -> Any:
    """Return hypothesis's strategies."""
    try:
        from hypothesis import strategies
    except ImportError:
        raise ImportError(f"these strategies draw by hypothesis: pip install hypothesis{user_line()}") from None
    return strategies


def numbers(low: float = -10.0, high: float = 10.0) -> SearchStrategy[float]:
    """Return a strategy of floats from ``low`` to ``high``, both finite; none is tiny but 0.

    Raises ImportError without hypothesis, ValueError where low is above high, or one of them is not finite.
    """
    st = _hypothesis()
    if not -np.inf < low <= high < np.inf:
        raise ValueError(
            f"numbers are drawn from a range low ≤ high of finite numbers; got {low} to {high}{user_line()}"
        )
    tiny = TINY * max(abs(low), abs(high))
    return st.floats(low, high).map(lambda x: 0.0 if abs(x) < tiny and low <= 0.0 <= high else x)  # type: ignore[no-any-return]


def arrays(shape: int | Sequence[int], low: float = -10.0, high: float = 10.0) -> SearchStrategy[Any]:
    """Return a strategy of arrays of a shape, an integer or several, of `numbers`.

    >>> from hypothesis import find
    >>> find(arrays((2, 3), -1.0, 1.0), lambda x: np.sum(x) > 0.5).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    st = _hypothesis()
    dims = (shape,) if isinstance(shape, int) else tuple(shape)
    count = int(np.prod(dims, dtype=int))
    elements = st.lists(numbers(low, high), min_size=count, max_size=count)
    return elements.map(lambda xs: np.reshape(np.array(xs, float), dims))  # type: ignore[no-any-return]


def points(
    f: Callable[..., Any], *arguments: SearchStrategy[Any], away: float = AWAY
) -> SearchStrategy[tuple[Any, ...]]:
    """Return a strategy of tuples of arguments, one of each strategy, at which ``f`` is smooth.

    f is defined and finite there, and each of its steps is at least ``away`` from a kink, a tie, a jump or a pole:
    ``abs`` from 0, ``x > y`` from equality, a maximum from a second one. The arguments are numbers and arrays of them;
    what else f needs is given by ``st.just``. Raises TypeError where f is no function.

    >>> from hypothesis import given
    >>> @given(points(lambda x: abs(x - 1.0), numbers(0.0, 2.0)))
    ... def test(args):
    ...     assert abs(args[0] - 1.0) >= 1e-3
    >>> test()
    """
    if not callable(f):
        raise no_function("points(f, numbers())", f)
    drawn = _hypothesis().tuples(*arguments)
    return drawn.filter(lambda args: distance_to_kinks(f, args) >= away)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Check:
    """One derivative to be checked: of ``f`` at ``args``, by the nesting ``modes``, along the direction of a ``seed``.

    Called, it raises `autodiff.check.GradcheckError` where the derivative is wrong.
    """

    f: Callable[..., Any]
    args: tuple[Any, ...]
    modes: tuple[str, ...]
    seed: int

    def __call__(self) -> None:
        confirm_along(self.f, self.args, self.modes, self.seed)

    def __repr__(self) -> str:
        nesting = " over ".join(self.modes)
        return f"{name_of(self.f)} at {self.args}, {nesting}, along direction {self.seed}"


def checks(
    f: Callable[..., Any], *arguments: SearchStrategy[Any], order: int = 2, away: float = AWAY
) -> SearchStrategy[Check]:
    """Return a strategy of `Check`, of the derivatives of ``f`` of the orders 1 to ``order``.

    The arguments are drawn by `points`. Directions and the weights of several outputs are random; complex ones count
    as their real and imaginary parts.

    Raises ImportError without hypothesis, ValueError for an order below 1.

    >>> from hypothesis import given
    >>> @given(checks(np.exp, numbers(-2.0, 2.0), order=6))
    ... def test(check):
    ...     check()
    >>> test()
    """
    if not callable(f):
        raise no_function("checks(f, numbers())", f)
    st = _hypothesis()
    if order < 1:
        raise ValueError(f"order is 1 or more; got {order!r}{user_line()}")
    modes = st.lists(st.sampled_from(("forward", "reverse")), min_size=1, max_size=order).map(tuple)
    return st.builds(Check, st.just(f), points(f, *arguments, away=away), modes, st.integers(0, 2**16))  # type: ignore[no-any-return]
