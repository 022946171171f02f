"""Power series through rows that solve an equation, and through functions of a matrix.

By their push-forwards alone, which contain the row itself with another operand, each order would double the work.

The equation of a row such as `solve`, A z = b, is linear in z and in each operand. Its push-forward solves the equation
for what a change of A leaves over, −dA z. So the coefficients of z follow one after the other from one operator A₀:

    zₖ = the row with bₖ in the place of b + Σ push(Aⱼ, zₖ₋ⱼ), j = 1 … k

A function f of a matrix with a power series, such as expm, maps a block Toeplitz matrix, A₀ on its diagonal, A₁ beside
it …, to that of the coefficients of f(A) (R. Mathias, *A chain rule for matrix functions and applications*, 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...forms import zeros_like
from ...rules.indexing import getitem
from ...rules.shaping import concatenate
from ...table import Row
from ...table.kinds import Linear
from .series import Rule, Series


def by_equation(row: Row, xs: Sequence[Any], z: Series, static: tuple[Any, ...]) -> Rule:
    """Return the rule of the solution of an equation that is linear in it and in each operand."""
    primals = [x.found[0] if isinstance(x, Series) else x for x in xs]
    series = [(i, x) for i, x in enumerate(xs) if isinstance(x, Series)]
    right_sides = [(i, x) for i, x in series if isinstance(row.argument(i), Linear)]
    operators = [(x, row.argument(i).by_push) for i, x in series if not isinstance(row.argument(i), Linear)]

    def rule(k: int) -> Any:
        active = [(i, t) for i, x in right_sides if (t := x.at(k)) is not None]
        total = row.push(z.found[0], primals, active, static) if active else None
        for x, push in operators:
            for j in range(1, k + 1):
                t, of_lower = x.at(j), z.found[k - j]
                if t is not None and of_lower is not None:
                    term = push(t, of_lower, *primals, *static)
                    total = term if total is None else total + term
        return total

    return rule


def by_blocks(row: Row, x: Series, order: int, static: tuple[Any, ...]) -> Rule:
    """Return the rule of a function of a matrix, from the function of a block Toeplitz matrix of coefficients."""
    found: list[Any] = []

    def rule(k: int) -> Any:
        if k >= len(found):
            last = order if x.rule is None else k  # one that is not complete has no more than it was asked for
            x.at(last)
            whole = row.evaluate(_toeplitz(x, last), *static)
            n = whole.shape[-1] // (last + 1)
            found[:] = [getitem(whole, (..., slice(0, n), slice(j * n, (j + 1) * n))) for j in range(last + 1)]
        return found[k]

    return rule


def _toeplitz(x: Series, last: int) -> Any:
    """Return the upper block triangular matrix with the coefficients 0 to ``last`` beside its diagonal."""
    zero = zeros_like(x.found[0])
    blocks = [zero if (t := x.at(k)) is None else t for k in range(last + 1)]
    rows = [concatenate(*[zero] * k, *blocks[: last + 1 - k], -1) for k in range(last + 1)]
    return concatenate(*rows, -2)
