"""The five kinds of dependence of a function on one of its arguments, and what each does to derivatives.

A row of the table has one kind for each operand. For ``z = f(…, x, …)``, a tangent ẋ and an adjoint z̄ (Griewank &
Walther, *Evaluating Derivatives*, 2008, §2 and §3):

=============== ================================================== ======================================
kind of x       push: the tangent of z                             pull: the adjoint of x
=============== ================================================== ======================================
`Elementwise`   ∂f/∂x · ẋ, element by element                      conj(∂f/∂x) · z̄
… of several    ∂fᵢ/∂x · ẋ for each result zᵢ                      Σ conj(∂fᵢ/∂x) · z̄ᵢ
`Linear`        f(…, ẋ, …), with all arguments of the kind at once the adjoint map of z̄
`Multilinear`   f(…, ẋ, …), the other arguments as they are        the adjoint map of z̄
`Smooth`        a written push-forward of ẋ                        written, or the transpose of the former
`Constant`      none                                               none
=============== ================================================== ======================================

Each is given the row that it is an argument of, `row.Row`, which says how to evaluate the function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from ..forms import dtype_of, is_unreal, zeros_like
from ..several import plus
from .partials import at_point, beside, evaluate_partial, in_precision, numpy_float, python_of
from .registry import TABLE

Active = Sequence[tuple[int, Any]]
"""The places of operands that have a tangent, each with that."""

Times = Any
"""The product of a partial and a tangent or an adjoint where a partial may be infinite; None is the plain one.

Of a function of several results it may be a tuple of such, one for each.
"""


class Kind:
    """How a function depends on one of its arguments."""

    __slots__ = ()
    passes: ClassVar[bool] = True
    """Whether a derivative passes."""
    name: ClassVar[str]

    @property
    def stated(self) -> Kind:
        """The kind that was written down: of a user's rule one behind this, of a row of the table this one."""
        return self

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        """Return what tangents of arguments of this kind, ``active``, add to that of ``z = row(*xs, *static)``."""
        raise NotImplementedError

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        """Return what the adjoint ``g`` of ``z = row(*xs, *static)`` adds to that of the argument at ``place``."""
        raise NotImplementedError


class Elementwise(Kind):
    """Element by element: ``partial(*xs, z)``, written in table functions and arithmetic, or a float."""

    __slots__ = ("partial",)
    name = "elementwise"

    def __init__(self, partial: Any) -> None:
        self.partial = partial

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        """Return Σ partialₖ · ẋₖ, in the output's precision."""
        if row.singular or isinstance(z, np.generic):
            with np.errstate(all="ignore"):
                return weighted(row.partials, z, beside(row, z, xs), active, times if row.singular else None)
        return weighted(row.partials, z, xs, active, None)

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        p = self.partial
        if not isinstance(p, float):
            w, at = at_point(z, xs) if type(z) is numpy_float else (z, beside(row, z, xs))
            p = evaluate_partial(p, *at, w)
        return (times or operator.mul)(p, g)


class ElementwiseOfSeveral(Elementwise):
    """Element by element with several results: ``partial`` has one for each, ``partial[i](*xs, z)``, ``z`` all of them.

    None stands for a result that is locally constant, such as a count.
    """

    __slots__ = ()

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        """Return Σ partialₖ · ẋₖ of each result, in its precision; None of one that is locally constant."""
        w, at = at_point(z, xs)
        softened, times = w is not z, times if row.singular else None
        results = zip(z, row.carried(z), *row.partials, strict=True)
        with np.errstate(all="ignore"):
            return tuple([in_precision(_sum(partials, w, at, active, times, softened), x) if carried else None
                          for x, carried, *partials in results])  # fmt: skip

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        w, at = at_point(z, xs)
        every = times if type(times) is tuple else (times or operator.mul,) * len(z)
        products = (
            product(p if isinstance(p, float) else evaluate_partial(p, *at, w), t)
            for p, t, product in zip(self.partial, g, every, strict=True)
            if p is not None and t is not None
        )
        return reduce(plus, products, None)


class _ByAdjoint(Kind):
    """An argument in which the function is linear: ``adjoint(g, *xs, *static)`` is its transpose.

    That of a function of any number of operands gets these in one, and the place: ``adjoint(g, place, xs, *static)``.
    """

    __slots__ = ("adjoint",)

    def __init__(self, adjoint: Callable[..., Any]) -> None:
        self.adjoint = adjoint

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        return self.adjoint(g, place, xs, *static) if row.any_number else self.adjoint(g, *xs, *static)


class Linear(_ByAdjoint):
    """Linear in all arguments of this kind together: sum, reshape, concatenate, getitem."""

    __slots__ = ()
    name = "linear"

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        """Apply the function to all tangents, zeros for those that are none; other arguments keep their value.

        A complex array has a complex tangent here, for the function may write to it.
        """
        given = dict(active)
        tangents = [
            given[k] if k in given else zeros_like(x) if isinstance(row.argument(k), Linear) else x
            for k, x in enumerate(xs)
        ]
        for k, t in active:
            if is_unreal(xs[k]) and not is_unreal(t):
                tangents[k] = TABLE["astype"](t, dtype_of(xs[k]))
        return row.evaluate(*tangents, *static)


class Multilinear(_ByAdjoint):
    """Linear in this argument with the others fixed: matmul, einsum, outer."""

    __slots__ = ()
    name = "multilinear"

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        """Sum the function with one argument replaced by its tangent, over the arguments."""
        return reduce(row.add, (row.evaluate(*xs[:k], t, *xs[k + 1 :], *static) for k, t in active))


class Smooth(Kind):
    """Any other differentiable dependence: ``push(t, z, *xs, *static)`` is linear in the tangent ``t``.

    The pull-back is its transpose, or ``pull(g, z, *xs, *static)`` where a benchmark shows the gain. Where it may be 0
    but at few places, ``few(g, z, *xs, *static)`` of plain arrays returns these, an index, and what is there; or None.

    Where most of its work is done with the value already, ``with_pull(x, *static)`` of a plain array returns z and the
    pull-back as a function of a plain adjoint, or None in its place. It is called once, and may use its memory up.
    """

    __slots__ = ("by_pull", "by_push", "few", "with_pull")
    name = "smooth"

    def __init__(self, push: Any, pull: Callable[..., Any] | None = None,
                 few: Callable[..., tuple[Any, Any] | None] | None = None,
                 with_pull: Callable[..., tuple[Any, Callable[[Any], Any] | None]] | None = None) -> None:  # fmt: skip
        self.by_push, self.by_pull, self.few, self.with_pull = push, pull, few, with_pull

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        return reduce(row.add, (row.argument(k).by_push(t, z, *xs, *static) for k, t in active))

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        if self.by_pull is not None:
            return self.by_pull(g, z, *xs, *static)
        return _transpose(lambda t: self.by_push(t, z, *xs, *static), [xs[place]], g)[0]


class Constant(Kind):
    """The function is locally constant in the argument: a condition, a place, what is rounded."""

    __slots__ = ()
    name = "locally constant"
    passes = False

    def pull(
        self, row: Any, place: int, g: Any, z: Any, xs: Sequence[Any], static: tuple[Any, ...], times: Times
    ) -> Any:
        return None


def scaled(partial: float, t: Any) -> Any:
    """Return a constant partial times a tangent: no product for ±1."""
    return t if partial == 1.0 else -t if partial == -1.0 else partial * t


def weighted(partials: Sequence[Any], z: Any, xs: Sequence[Any], active: Active, times: Times) -> Any:
    """Return Σ partialₖ · ẋₖ, in the output's precision."""
    w, at = (z, xs) if type(z) is np.ndarray else at_point(z, xs)
    return in_precision(_sum(partials, w, at, active, times, w is not z), z)


def _sum(partials: Sequence[Any], w: Any, at: Sequence[Any], active: Active, times: Times, softened: bool) -> Any:
    """Return Σ partialₖ · ẋₖ of partials at a point, which may be ``softened`` to Python's numbers."""
    total = None
    for k, t in active:
        if softened and isinstance(t, np.generic):
            t = python_of(t)
        partial = partials[k]
        if type(partial) is float:
            term = scaled(partial, t)
        else:
            p = evaluate_partial(partial, *at, w)
            term = p * t if times is None else times(p, t)
        total = term if total is None else total + term
    return total


def _no_transpose(function: Callable[..., Any], xs: Sequence[Any], g: Any) -> Any:
    raise NotImplementedError("reverse mode is in the package autodiff")


_transpose: Callable[..., Any] = _no_transpose


def fill(transpose: Callable[..., Any]) -> None:
    """Take over ``transpose(linear, xs, g)``: the adjoints of ``xs`` by a function that is linear in their tangents.

    It records that function on a tape, and tapes stand above.
    """
    global _transpose
    _transpose = transpose
