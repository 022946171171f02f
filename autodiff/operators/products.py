"""Derivatives times vectors: products with Hessians, and with the Jacobian of a recorded function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import dtype_of, is_unreal, shape, type_of, zeros_like
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.number_types import number_type
from dualnumbers.rules.linalg.undetermined import Unadapted
from dualnumbers.table.partials import as_given

from ..calls.auxiliary import Main, beside
from ..calls.call import Call
from ..calls.given import no_function, truth
from ..calls.structures import flatten
from ..calls.values import name_of, own, real_output
from ..calls.watching import in_doubt
from ..derived import derived
from ..forward import jvp
from ..linearization import LinearMap, PullBack, Recording
from ..reverse import grad
from ..second_look.rounding import differ, size_of_terms
from ..second_look.strong_tangents import strong_tangents
from .hessians import pushed_gradient


@derived
def hvp(f: Callable[..., Any], has_aux: bool = False) -> Callable[..., Any]:
    """Return ``(x, v, *args, **keywords) -> H v``: a scalar ``f(x, *args, **keywords)``'s Hessian in ``x`` times ``v``.

    Forward over reverse: f is recorded once, ``v`` pushed through the tape, and a sweep over the lines with their
    tangents gives that of the gradient. ``v`` has the structure and shapes of ``x``; ValueError where it has not. It is
    SciPy's ``hessp``. With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(H v, auxiliary)``. Raises
    TypeError where f returns an array or a complex number.

    >>> hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """

    def product(x: Any, v: Any, *args: Any, **keywords: Any) -> Any:
        main, with_rest = beside(f, has_aux, name_of(f))
        recording = Recording(lambda y: main(y, *args, **keywords), [x], [0])
        seeds, out = recording.call.matched([v]), real_output(recording.out, f)
        try:
            found = [tangent for _, tangent in pushed_gradient(recording, out, seeds, False)]
        except Unadapted:
            found = [np.nan]
        if any(map(in_doubt, found)):  # zeros that meet infinite slopes are told apart where the gradient is recorded
            gradient = grad(lambda y: main(y, *args, **keywords))
            found = flatten(jvp(gradient, [x], [v])[1])[0]
        leaves = [
            own(as_given(zeros_like(x) if t is None else t, x)) for t, x in zip(found, recording.leaves, strict=True)
        ]
        return with_rest(recording.call.structured(leaves)[0])

    return product


@derived
def gnvp(f: Callable[..., Any], loss: Callable[..., Any] | None = None, has_aux: bool = False) -> Callable[..., Any]:
    """Return ``(x, v, *args, **keywords) -> Jᴴ H J v``, a Gauss-Newton product of ``loss(f(x, *args, **keywords))``.

    J is the Jacobian of f by ``x``, which has the structure and shapes of ``v``, and H the Hessian of ``loss`` at what
    f returns, an array or a number; by default half the sum of squares, of which H is 1. It is the Hessian-vector
    product without the curvature of f itself, and positive semidefinite where the loss is convex (N. N. Schraudolph,
    *Fast curvature matrix-vector products for second-order gradient descent*, 2002). Jᴴ, the transpose of a real J, is
    the adjoint: of complex x the conjugate transpose, for which the product is positive semidefinite as well, and of
    real x, where f is complex, the real part of that. f is recorded once. With ``has_aux``, f returns
    ``(value, auxiliary)`` and the result is ``(product, auxiliary)``. Raises ValueError where ``v`` is not built as
    ``x``, TypeError where the loss returns no real number.

    >>> gnvp(lambda x: x**2, lambda r: np.sum(r**2) / 2)(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([4., 0.])
    """
    curvature = None if loss is None else hvp(loss)

    def product(x: Any, v: Any, *args: Any, **keywords: Any) -> Any:
        main, with_rest = beside(f, has_aux, name_of(f))
        value, push = linearize(lambda y: main(y, *args, **keywords), x)
        pushed = push(v)
        bent = pushed if curvature is None else curvature(value, pushed)
        return with_rest(PullBack("f", push.recording)(bent)[0])

    return product


def linear_transpose(f: Callable[..., Any], *primals: Any) -> Callable[..., tuple[Any, ...]]:
    """Return the transpose of a linear function: from a cotangent of its value to one of each argument, a tuple.

    ``primals`` say of which shapes and types the arguments are; their values do not matter. It is the adjoint of the
    real inner product, which for a complex function is the conjugate transpose. Raises ValueError where f is not
    linear, as is tried at points drawn at random.

    >>> transpose = linear_transpose(np.cumsum, np.zeros(3))
    >>> transpose(np.array([1.0, 0.0, 10.0]))
    (array([11., 10., 10.]),)
    """
    if not callable(f):
        raise no_function("linear_transpose(f, x)", f)
    call = Call(primals, range(len(primals)))
    drawn = np.random.default_rng(0)
    one, other = ([_drawn(drawn, x) for x in call.leaves] for _ in range(2))
    _, push = linearize(f, *call.structured(one))
    for point in (one, [-2.0 * x for x in one], other):
        given = call.structured(point)
        if not _is_pushed(f(*given), push, given):
            raise ValueError(
                f"linear_transpose: {name_of(f)} is not linear: a value of it is not its derivative "
                f"along the point{user_line()}"
            )
    return PullBack(name_of(f), push.recording)


def _terms(push: PushForward, point: list[Any], k: int) -> Any:
    return size_of_terms(lambda point: push(*point), point)[k]


def _is_pushed(out: Any, push: PushForward, given: list[Any]) -> bool:
    """Return whether what a function returned at a point is its push-forward of the point."""
    for k, (x, y) in enumerate(zip(flatten(out)[0], flatten(push(*given))[0], strict=True)):
        terms = partial(_terms, push, given, k)
        if np.any(differ(read(x), read(y), np.abs(read(y)), terms)):
            return False
    return True


def _drawn(drawn: np.random.Generator, x: Any) -> Any:
    """Return an array like another, of numbers drawn at random."""
    if number_type(type_of(x)) is not None:
        raise TypeError(f"linear_transpose draws points of floats, not of {type_of(x).__name__}: use vjp{user_line()}")
    z = drawn.normal(size=shape(x)) + (1j * drawn.normal(size=shape(x)) if is_unreal(x) else 0.0)
    return as_given(as_like(np.asarray(z, dtype_of(x)), x) if shape(x) else z, x)


def linearize(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return ``(f(*primals), push)``: ``push(*tangents)`` is the output's tangent; f is recorded, not run again.

    The push-forward keeps what was recorded: it can be called again, and be pickled. With ``has_aux``, f returns
    ``(value, auxiliary)`` and the result is ``(value, push, auxiliary)``. Raises TypeError where f returns something
    else than numbers, and ``push`` ValueError where the tangents are not built as the primals.

    >>> value, push = linearize(lambda x, y: x * y, 2.0, 3.0)
    >>> value, push(1.0, 0.0), push(0.0, 1.0)
    (6.0, 3.0, 2.0)
    """
    if not callable(f):
        raise no_function("linearize(f, x)", f)
    main = Main(f) if truth("has_aux", has_aux) else f
    push = PushForward.of(main, primals)
    return (push.value, push, main.rest()) if isinstance(main, Main) else (push.value, push)


class PushForward(LinearMap):
    """The push-forward of a function at a point: from a tangent of each argument to that of its value."""

    __slots__ = ()
    word = "push-forward"

    def __call__(self, *tangents: Any) -> Any:
        recording, call = self.recording, self.recording.call
        if len(tangents) != len(call.args):
            raise ValueError(f"{len(tangents)} tangents for {len(call.args)} primals")
        seeds = dict(zip(recording.tape.inputs, call.matched(tangents), strict=True))
        values, rebuild = flatten(self.value)
        return rebuild([self._pushed(out, value, seeds) for out, value in zip(self.outs, values, strict=True)])

    def _pushed(self, out: Any, value: Any, seeds: dict[int, Any]) -> Any:
        """Return the tangent of one result."""
        tangent = None
        if self.recording.holds(out):
            found = strong_tangents(self.recording.tape, seeds, range(out.line + 1), [out.line])
            tangent = found.get(out.line)
        return zeros_like(value) if tangent is None else as_given(own(tangent), value)
