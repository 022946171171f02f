"""Products of arrays of which something is not finite: how far that reaches, and what comes of it.

In Aᵀ @ g, by which the adjoint of A @ w goes back to w, what is not finite may be an element of g, as the slope of √ at
0, or of A, as what is missing in a table. Where it meets a structural zero of the other factor, as of rows that a mask
leaves out, it has no share in the sum:

>>> from autodiff import grad
>>> a = np.array([[1.0, 2.0], [np.nan, 3.0]])
>>> grad(lambda w: np.sum(np.where([True, False], a @ w, 0.0) ** 2))(np.array([1.0, 1.0]))
array([ 6., 12.])

A product of arrays is a sum of products of elements, nothing else. So the same product, of masks, counts the terms that
have one factor in the one mask and one in the other. That tells where anything infinite reaches, and what is there: ∞
where there are terms ∞ and none −∞, NaN where there are both, or NaN, or ∞ times a 0 that is not structural. It takes
some ten products, for any number of elements that are not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal
from dualnumbers.levels import decided
from dualnumbers.rules.where import where
from dualnumbers.table import Row
from dualnumbers.table.kinds import Multilinear

from .patterns import Pattern, is_zero, varies_outside
from .structure import Structure

NONE: Mapping[int, Any] = {}

Product = Callable[..., Any]
"""``product(given, factors)``: what a line makes of a tangent or an adjoint, with others in place of some factors."""


def is_product(row: Row) -> bool:
    """Return whether a row is a sum of products of one element of each operand: matmul, einsum, convolution."""
    return row.kinds == (Multilinear,)


def factors_beside(structure: Structure, line: int, place: int) -> dict[int, Factor]:
    """Return the other factors of a line that is a product, by their places."""
    operands, row = structure.tape.operands(line), structure.tape.rows[line]
    assert row is not None
    return {
        k: Factor(structure.tape.value(operand), structure.support(operand))
        for k, operand in enumerate(operands)
        if k != place and row.passes(k)
    }


class Factor:
    """An array in a product, and masks of its elements: which may be other than 0, and which are not finite."""

    def __init__(self, x: Any, support: Pattern) -> None:
        self.x, self.support, self.far = x, support, decided(unbounded, x)

    @property
    def near(self) -> Any:
        """The finite elements, 0 for the others."""
        return where(self.far, 0.0, self.x)

    @property
    def has_signs(self) -> bool:
        """Whether its elements are real, and carry no derivative of their own."""
        return not is_unreal(self.x) and not varies_outside(self.x)

    def signs(self) -> dict[str, Pattern]:
        """Return masks: of elements above 0, below 0, 0 though they may be other, and NaN."""
        return {
            "+": decided(_is_positive, self.x),
            "-": decided(_is_negative, self.x),
            "0": self.support & decided(is_zero, self.x),
            "nan": decided(np.isnan, self.x),
        }


def of_product(
    whole: Any, given: Factor, others: Mapping[int, Factor], product: Product, singly: Callable[[], Any]
) -> Any:
    """Return a product with what is not finite told apart; ``whole`` is that product, and stays where it is not NaN.

    ``given`` is in the place of the missing one among ``others``, the factors by their places. ``singly()`` finds what
    is reached by elements that are not finite, where they have no signs.
    """
    if not np.any(given.far) and not any(np.any(y.far) for y in others.values()):
        return whole
    near = product(given.near, {k: y.near for k, y in others.items()})
    supports = {k: y.support for k, y in others.items()}
    reached = reduce(
        np.logical_or,
        [_meets(product, given.support, supports | {k: y.far}) for k, y in others.items()],
        _meets(product, given.far, supports),
    )
    if not np.any(reached):
        found = near
    elif len(others) == 1 and all(x.has_signs for x in (given, *others.values())):
        ((k, y),) = others.items()
        found = where(reached, _infinite(given, y, lambda x, y: _meets(product, x, {k: y})), near)
    else:
        found = where(reached, singly(), near)
    return where(decided(np.isnan, whole), found, whole)


def _infinite(x: Factor, y: Factor, meet: Callable[[Pattern, Pattern], Pattern]) -> Any:
    """Return the sum of the terms of a product of two that are not finite, by the masks of which some meet."""
    a, b = x.signs(), y.signs()

    def some(one: str, other: str) -> Pattern:
        return meet(a[one] & x.far, b[other]) | meet(a[one], b[other] & y.far)

    above, below = some("+", "+") | some("-", "-"), some("+", "-") | some("-", "+")
    lost = meet(a["nan"], y.support) | meet(x.support, b["nan"]) | meet(x.far, b["0"]) | meet(a["0"], y.far)
    return np.where(lost | (above & below), np.nan, np.where(above, np.inf, -np.inf))


def _meets(product: Product, given: Pattern, factors: Mapping[int, Pattern]) -> Pattern:
    """Return of which elements of a product some term has its factors in all of the masks."""
    if not np.any(given) or not all(map(np.any, factors.values())):
        return np.False_
    count = product(given.astype(float), {k: mask.astype(float) for k, mask in factors.items()})
    return np.greater(np.abs(count), 0.5)  # a convolution by Fourier transforms rounds


def unbounded(x: Any) -> Any:
    """Return which elements are not finite."""
    return np.logical_not(np.isfinite(x))


def _is_positive(x: Any) -> Any:
    return np.greater(x, 0)


def _is_negative(x: Any) -> Any:
    return np.less(x, 0)
