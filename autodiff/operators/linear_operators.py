"""Jacobians and Hessians as linear operators of SciPy's, for its solvers: they multiply, and are never there as arrays.

The function is recorded once; a product is a pass over the recording. Several vectors, the columns of a matrix, go as
one batch. Arguments and values may be structures: a vector has the elements of all their leaves, one after the other.

>>> import numpy as np
>>> from scipy.sparse.linalg import cg
>>> from autodiff import hessian_operator
>>> def energy(x):
...     return np.sum(np.cosh(x)) + 0.5 * np.sum(x) ** 2
>>> H = hessian_operator(energy, np.zeros(3))
>>> H.shape
(3, 3)
>>> step, info = cg(H, np.array([1.0, 2.0, 3.0]), rtol=1e-12)
>>> info, step.round(6).tolist()
(0, [-0.5, 0.5, 1.5])
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from dualnumbers.forms import is_unreal
from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..calls.structures import flatten
from ..calls.values import name_of
from ..linearization import PullBack
from ..reverse import grad, vjp
from .products import linearize

if TYPE_CHECKING:
    from .derivative_operator import DerivativeOperator


def jacobian_operator(f: Callable[..., Any], x: Any, *args: Any, **keywords: Any) -> DerivativeOperator:
    """Return the Jacobian of ``f(x, *args)`` by x as an operator: ``J @ v`` pushes forward, ``J.T @ w`` pulls back.

    f is recorded once, at ``x``. The adjoint of a complex Jacobian, ``J.H``, is its conjugate transpose. Raises what
    `linearize` does.

    >>> import numpy as np
    >>> J = jacobian_operator(lambda x: x**2, np.array([1.0, 2.0]))
    >>> J.shape, J @ np.ones(2)
    ((2, 2), array([2., 4.]))
    """
    if not callable(f):
        raise no_function("jacobian_operator(f, x)", f)
    value, push = linearize(_of_first(f, args, keywords), x)
    pull = PullBack(name_of(f), push.recording)
    return _operator("jacobian_operator", value, value, x, push, lambda g: pull(g)[0])


def hessian_operator(f: Callable[..., Any], x: Any, *args: Any, **keywords: Any) -> DerivativeOperator:
    """Return the Hessian of a scalar ``f(x, *args)`` by x as an operator, symmetric; its ``value`` is the gradient.

    The gradient is recorded once, at ``x``; a product is a sweep of that. Raises TypeError where f returns no number,
    or where x is complex.

    >>> import numpy as np
    >>> H = hessian_operator(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    >>> H @ np.ones(2)
    array([ 6., 12.])
    """
    if not callable(f):
        raise no_function("hessian_operator(f, x)", f)
    if any(map(is_unreal, flatten(x)[0])):
        raise TypeError(f"hessian_operator is by real numbers; x is complex{user_line()}")
    gradient, pull = vjp(grad(_of_first(f, args, keywords)), x)
    product = lambda v: pull(v)[0]
    return _operator("hessian_operator", gradient, x, x, product, product)


def gauss_newton_operator(
    f: Callable[..., Any], x: Any, *args: Any, loss: Callable[..., Any] | None = None, **keywords: Any
) -> DerivativeOperator:
    """Return Jᵀ H J as an operator, J the Jacobian of ``f(x, *args)`` by x and H the Hessian of ``loss`` at its value.

    The loss is half the sum of squares by default, of which H is 1: it is `gnvp`'s product, with f recorded once.
    Raises TypeError where x is complex, or the loss returns no real number.

    >>> import numpy as np
    >>> G = gauss_newton_operator(lambda x: x**2, np.array([1.0, 2.0]))
    >>> G @ np.ones(2)
    array([ 4., 16.])
    """
    if not callable(f):
        raise no_function("gauss_newton_operator(f, x)", f)
    if any(map(is_unreal, flatten(x)[0])):
        raise TypeError(f"gauss_newton_operator is by real numbers; x is complex{user_line()}")
    value, push = linearize(_of_first(f, args, keywords), x)
    pull = PullBack(name_of(f), push.recording)
    bend = (lambda t: t) if loss is None else vjp(grad(loss), value)[1]

    def product(v: Any) -> Any:
        bent = bend(push(v))
        return pull(bent if loss is None else bent[0])[0]

    return _operator("gauss_newton_operator", value, x, x, product, product)


def _operator(call: str, *parts: Any) -> DerivativeOperator:
    """Return the operator of these parts; ImportError without SciPy."""
    try:
        from .derivative_operator import DerivativeOperator
    except ImportError as error:
        raise ImportError(f"{call} needs SciPy: pip install 'dualautodiff[scipy]'") from error
    return DerivativeOperator(*parts)


def _of_first(f: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of the first argument, with the others as given."""
    function = partial(_call, f, args, keywords)
    function.__name__ = name_of(f)  # type: ignore[attr-defined]
    return function


def _call(f: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any], x: Any) -> Any:
    return f(x, *args, **keywords)
