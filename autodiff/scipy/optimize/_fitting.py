"""Least squares: of residuals, of a curve through data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from dualnumbers.forms import shape, size
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, broadcast_to, reshape

from ...calls.closures import checked
from ...forward import jacfwd, jvp
from ...implicit.solutions import start
from ...reverse import grad
from ._active import Constraint, Problem, minimum
from ._problem import Details, converted, further, is_plain, limits_of, reported, solver

Function = Callable[..., Any]

LOSSES: dict[str, Function] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
    "huber": lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0),
    "cauchy": lambda z: np.log1p(z),
    "arctan": lambda z: np.arctan(z),
}
"""SciPy's losses ρ(z) of squared residuals."""


def _vector(x: Any) -> Any:
    return reshape(array(joined(x)), -1, "C")


def _unit(jacobian: Any) -> float:
    """Return a power of 2 about as large as the root of a plain Jacobian.

    Of residuals beside it the squares have derivatives that are in range wherever those of the residuals are.
    """
    largest = float(np.max(np.abs(jacobian), initial=0.0))
    return 2.0 ** float(np.floor(np.log2(largest) / 2.0)) if 0.0 < largest < np.inf else 1.0


def _scales(rho: Function, r: Any) -> Any:
    """Return by what SciPy multiplies the rows of the Jacobian, so that JᵀJ is about the Hessian: √(ρ′ + 2 ρ″ r²)."""
    slope: Function = lambda z: jvp(rho, [z], [np.ones(shape(z))])[1]
    first, second = jvp(slope, [r * r], [np.ones(shape(r))])
    return np.sqrt(np.maximum(first + 2.0 * second * r * r, np.finfo(float).eps))


@solver("optimize.least_squares")
def least_squares(fun: Function, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: str = "trf",
                  ftol: Any = 1e-8, xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = 1.0, loss: Any = "linear",
                  f_scale: float = 1.0, diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None,
                  jac_sparsity: Any = None, max_nfev: Any = None, verbose: int = 0, args: Any = (), kwargs: Any = None,
                  **newer: Any) -> Any:  # fmt: skip
    """As ``scipy.optimize.least_squares``: SciPy's result.

    Its ``x``, ``fun``, ``cost``, ``grad`` and ``jac`` are differentiable in ``args``, ``kwargs``, ``bounds``, in
    ``f_scale`` and in the numbers that ``fun`` closes over, to every order: x is where the gradient of the cost is 0,
    with the second derivatives of ``fun``. Bounds that press are held, as those of `minimize`. Where ``jac`` is not
    given, SciPy gets the exact Jacobian.

    Raises RuntimeError with SciPy's message where the method does not converge, LinAlgError where the Hessian of the
    cost is singular.
    """
    args, named = further(args), dict(kwargs or {})
    rest = (method, ftol, xtol, gtol, x_scale, loss, f_scale, diff_step, tr_solver, tr_options, jac_sparsity, max_nfev,
            verbose)  # fmt: skip
    if is_plain(fun, x0, jac, bounds, args, named, f_scale):
        return scipy.optimize.least_squares(checked("least_squares", fun), x0, jac, bounds, *rest, args, named, **newer)
    x0 = np.atleast_1d(start("least_squares", x0))
    theta, at = converted(fun, jac, args, named, f_scale, limits_of(bounds))
    if not callable(loss) and loss not in LOSSES:
        raise ValueError(f"least_squares: loss is a function or one of {', '.join(LOSSES)}; got {loss!r}{user_line()}")
    rho: Function = (lambda z: loss(z)[0]) if callable(loss) else LOSSES[loss]

    def residuals(theta: Any) -> Function:
        fun, _, args, named, *_ = at(theta)
        return lambda x: _vector(fun(x, *args, **named))

    def cost(theta: Any) -> Function:
        r, scale = residuals(theta), at(theta)[4]
        return lambda x: 0.5 * scale**2 * total(rho((r(x) / scale) ** 2), -1, False)

    def problem(theta: Any) -> Problem:
        r, scale = residuals(theta), at(theta)[4] if loss != "linear" else unit
        return lambda x: 0.5 * total(rho((r(x) / scale) ** 2), -1, False), [Constraint(lambda x: x, *at(theta)[-1])]

    at_plain = read(theta)
    fun, jac, args, named, plain_scale, limits = at(at_plain)
    rest = (*rest[:6], plain_scale, *rest[7:])
    if jac == "2-point" and jac_sparsity is None:
        r, jac = residuals(at_plain), lambda x, *_, **__: jacfwd(r)(x)
    result = scipy.optimize.least_squares(checked("least_squares", fun), x0, jac, limits, *rest, args, named, **newer)
    unit = _unit(jacfwd(residuals(at_plain))(result.x))
    x = minimum("least_squares", theta, problem, result, x0)
    r, f = residuals(theta), cost(theta)
    jac = jacfwd(r)(x) if loss == "linear" else reshape(_scales(rho, r(x) / f_scale), (-1, 1), "C") * jacfwd(r)(x)
    return reported(result, x=x, fun=r(x), cost=f(x), grad=grad(f)(x), jac=jac)


@solver("optimize.curve_fit")
def curve_fit(f: Function, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
              check_finite: Any = None, bounds: Any = (-np.inf, np.inf), method: Any = None, jac: Any = None, *,
              full_output: bool = False, nan_policy: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """As ``scipy.optimize.curve_fit``: the parameters and their covariance, both differentiable.

    They are so in the data ``xdata``, ``ydata`` and ``sigma``, in ``bounds``, and in the numbers that ``f`` closes
    over; ``p0`` is a constant. The covariance is SciPy's, (JᵀJ)⁻¹ with the scaled Jacobian J of f by the parameters,
    times the variance of the residuals unless ``absolute_sigma``. With ``full_output``, of the third result only the
    residuals ``fvec`` and the number ``nfev`` of calls are there.

    Raises RuntimeError where SciPy finds no fit, LinAlgError where the Hessian of the sum of squares is singular,
    TypeError for ``nan_policy="omit"`` of data with derivatives.
    """
    if is_plain(f, xdata, ydata, p0, sigma, bounds, jac):
        kwargs |= {"full_output": full_output, "nan_policy": nan_policy}
        return scipy.optimize.curve_fit(checked("curve_fit", f), xdata, ydata, p0, sigma, absolute_sigma, check_finite,
                                        bounds, method, jac, **kwargs)  # fmt: skip
    if nan_policy == "omit":
        raise TypeError(f"curve_fit with nan_policy='omit' has no derivative here; leave NaN out before{user_line()}")
    sigma = None if sigma is None else array(joined(sigma))
    if sigma is not None and size(sigma) == 1:  # SciPy's own fails with the Jacobian that it gets
        sigma = broadcast_to(reshape(sigma, (), "C"), (size(_vector(ydata)),))
    xdata = array(joined(xdata)) if isinstance(xdata, (list, tuple)) else xdata
    theta, at = converted(f, xdata, _vector(ydata), sigma, limits_of(bounds), jac)

    def residuals(theta: Any) -> Function:
        f, xdata, ydata, sigma, _, _ = at(theta)
        return lambda p: _scaled(_vector(f(xdata, *p)) - ydata, sigma)

    def problem(theta: Any) -> Problem:
        r = residuals(theta)
        return lambda p: 0.5 * total((r(p) / unit) ** 2, -1, False), [Constraint(lambda p: p, *at(theta)[4])]

    plain_f, plain_x, plain_y, plain_sigma, limits, jac = at(read(theta))
    if jac is None:
        jac = lambda x, *p: jacfwd(lambda p: _vector(plain_f(x, *p)))(np.array(p))
    p0 = None if p0 is None else np.atleast_1d(start("curve_fit", p0))
    found, _, details, message, status = scipy.optimize.curve_fit(
        checked("curve_fit", plain_f), plain_x, plain_y, p0, plain_sigma, absolute_sigma, check_finite, limits, method,
        jac, full_output=True, nan_policy=nan_policy, **kwargs)  # fmt: skip
    result = scipy.optimize.OptimizeResult(x=found, success=True)
    unit = _unit(jacfwd(residuals(read(theta)))(found))
    p = minimum("curve_fit", theta, problem, result, np.clip(1.0, *limits) * np.ones(len(found)) if p0 is None else p0)
    r = residuals(theta)
    covariance = _covariance(jacfwd(r)(p), r(p), absolute_sigma)
    details = Details(nfev=details["nfev"], fvec=r(p))
    return (p, covariance, details, message, status) if full_output else (p, covariance)


def _scaled(r: Any, sigma: Any) -> Any:
    """Return residuals beside their deviations, or multiplied by the inverse of the Cholesky factor of a covariance."""
    if sigma is None:
        return r
    return r / reshape(sigma, -1, "C") if len(shape(sigma)) < 2 else np.linalg.solve(np.linalg.cholesky(sigma), r)


def _covariance(jacobian: Any, r: Any, absolute: bool) -> Any:
    """Return (JᵀJ)⁻¹, by the factor R of J, times the variance of the residuals unless ``absolute``."""
    m, n = shape(jacobian)
    if m <= n and not absolute:
        return np.full((n, n), np.inf)
    inverse = np.linalg.inv(np.linalg.qr(jacobian, "r"))
    covariance = matmul(inverse, inverse.T)
    return covariance if absolute else covariance * (total(r * r, -1, False) / (m - n))
