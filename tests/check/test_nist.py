"""Fits of real data with exact derivatives: the NIST reference problems of nonlinear regression.

SciPy searches, `autodiff` supplies all derivatives.  From both of NIST's starting points, one and
the same strategy must find all certified parameters and the residual sum of squares to 10 digits.
"""

import numpy as np
import pytest
from nist import MODELS, load

from autodiff import jacobian

optimize = pytest.importorskip("scipy.optimize")

DIGITS = 10
BELOW_ROUNDING = {"Lanczos1"}  # its residuals, about 1e-13, are the difference of numbers near 1


def digits(value, certified):
    """Correct digits, as NIST counts them (log relative error), at most the 11 which are certified."""
    relative_error = np.abs((value - certified) / certified)
    return -np.log10(np.maximum(relative_error, 1e-11))


def sum_of_squares(residual):
    """What the fit makes least."""
    return np.sum(residual**2)


def fit(problem, start):
    """Parameters of the least-squares fit, found from `start` in two steps.

    Levenberg-Marquardt with the exact Jacobian J of the residuals r goes to where the sum of squares
    stops falling.  The sum is flat at its minimum, so about half the digits of the parameters may
    still be open.  They come from J'r = 0, where half the gradient of the sum vanishes: one or two
    steps of Newton's method, whose matrix is the Jacobian of that gradient, itself made of a Jacobian.
    """
    residual_jacobian = jacobian(problem.residual)

    def half_gradient(b):
        return residual_jacobian(b).T @ problem.residual(b)

    half_hessian = jacobian(half_gradient)

    def newton_step(b):
        return b - np.linalg.solve(half_hessian(b), half_gradient(b))

    with np.errstate(over="ignore", invalid="ignore"):  # a trial step which overflows is rejected
        minimum = optimize.least_squares(
            problem.residual, start, jac=residual_jacobian, method="lm", x_scale="jac",
            ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=2000,
        )  # fmt: skip
    assert minimum.success, minimum.message
    return optimize.fixed_point(newton_step, minimum.x, method="iteration", xtol=1e-9, maxiter=10)


@pytest.mark.parametrize("name", MODELS)
def test_the_formula_has_the_certified_residuals(name):
    """Model and data are NIST's: no derivative is involved yet."""
    problem = load(name)
    total = sum_of_squares(problem.residual(problem.certified))
    if name in BELOW_ROUNDING:
        assert total < 1e-20  # all of it is the rounding of the parameters to 11 digits
    else:
        assert digits(total, problem.residual_sum_of_squares) >= DIGITS


@pytest.mark.parametrize("start", [0, 1], ids=["start1", "start2"])
@pytest.mark.parametrize("name", MODELS)
def test_the_fit_finds_the_certified_parameters(name, start):
    """Both starting points lead to the certified parameters and residual sum of squares."""
    problem = load(name)
    b = fit(problem, problem.starts[start])
    assert digits(b, problem.certified).min() >= DIGITS
    if name not in BELOW_ROUNDING:
        total = sum_of_squares(problem.residual(b))
        assert digits(total, problem.residual_sum_of_squares) >= DIGITS


@pytest.mark.parametrize("name", MODELS)
def test_the_jacobian_gives_the_certified_standard_deviations(name):
    """The parameters' covariance is s² (J'J)⁻¹, where J = QR is the exact Jacobian and s² the variance."""
    problem = load(name)
    observations, parameters = problem.y.size, problem.certified.size
    variance = problem.residual_sum_of_squares / (observations - parameters)
    r = np.linalg.qr(jacobian(problem.residual)(problem.certified), mode="r")
    deviations = np.sqrt(variance) * np.linalg.norm(np.linalg.inv(r), axis=1)
    assert digits(deviations, problem.deviations).min() >= DIGITS - 1  # for parameters of 11 digits
