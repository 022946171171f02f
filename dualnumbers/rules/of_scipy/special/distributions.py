"""Distribution functions of ``scipy.special``, by the incomplete gamma and beta functions that they are.

Counts, which the function rounds down, are locally constant. Source: NIST DLMF §8.17(vi), §8.23, §26.
"""

import math

import numpy as np

from ....foreign import as_array
from ....table import elementwise, family
from ...comparisons import less
from ...domains import Domain, positive
from ...elementwise.exponential import exp, expm1, log1p
from ...elementwise.gamma import polygamma
from ...elementwise.hyperbolic import tanh
from ...elementwise.normal import ROOT_2PI
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...gauss_legendre import gauss, in_blocks
from ...step_functions import floor, sign
from ...where import where
from .incomplete_beta import in_parameters
from .incomplete_gamma import gamma_density, in_parameter, parameter_and_argument

# ------------------------------------------------------------------------------------- logarithms of densities
#
# Rows, and two distribution functions: in any sum of functions the slope cancels near the mode, where it is 0.


def _log_sech(x):
    size = np.abs(x)
    near = -0.5 * np.log1p(np.square(np.sinh(np.minimum(size, 1.0))))  # where the sum of the other form cancels
    return np.where(size < 1.0, near, math.log(2.0) - size - np.log1p(np.exp(-2.0 * size)))[()]


log_sech = elementwise(lambda x, z: -tanh(x))(None, _log_sech)
log_gumbel = elementwise(lambda x, z: expm1(-x), name="log_gumbel")(None, lambda x: -x - np.exp(-x))
gumbel = elementwise(lambda x, z: exp(log_gumbel(x)), name="gumbel")(None, lambda x: np.exp(-np.exp(-x)))
gumbel_complement = elementwise(lambda x, z: -exp(log_gumbel(x)), name="gumbel_complement")(
    None, lambda x: -np.expm1(-np.exp(-x))
)

# ------------------------------------------------------------------------------------- chi-square, gamma, Poisson


def chi_square(v, x):
    """Return the density: ½ that of gamma at the halves."""
    return 0.5 * gamma_density(0.5 * v, 0.5 * x)


def by_freedom(v, x):
    """Return the slope of chdtr in the degrees of freedom."""
    return 0.5 * in_parameter(1)(0.5 * v, 0.5 * x)


chdtr = elementwise_of_scipy("chdtr", lambda v, x, z: by_freedom(v, x), lambda v, x, z: chi_square(v, x),
                             domain=parameter_and_argument, singular=True)  # fmt: skip
chdtrc = elementwise_of_scipy("chdtrc", lambda v, x, z: -by_freedom(v, x), lambda v, x, z: -chi_square(v, x),
                              domain=parameter_and_argument, singular=True)  # fmt: skip
_rate = Domain("a > 0, b > 0, x > 0", ((0.2, 3.0), (0.2, 8.0), (0.1, 5.0)))
gdtr = elementwise_of_scipy("gdtr", lambda a, b, x, z: x * gamma_density(b, a * x),
                            lambda a, b, x, z: in_parameter(1)(b, a * x),
                            lambda a, b, x, z: a * gamma_density(b, a * x), domain=_rate, singular=True)  # fmt: skip
gdtrc = elementwise_of_scipy("gdtrc", lambda a, b, x, z: -x * gamma_density(b, a * x),
                             lambda a, b, x, z: -in_parameter(1)(b, a * x),
                             lambda a, b, x, z: -a * gamma_density(b, a * x), domain=_rate, singular=True)  # fmt: skip
_count = Domain("m > 0", ((0, 6), (0.1, 10.0)))
pdtr = elementwise_of_scipy("pdtr", 0.0, lambda k, m, z: -gamma_density(floor(k) + 1.0, m), domain=_count)
pdtrc = elementwise_of_scipy("pdtrc", 0.0, lambda k, m, z: gamma_density(floor(k) + 1.0, m), domain=_count)

# ------------------------------------------------------------------------------------- Student's t


def _integral(n, h):
    """∫ (−t)ⁿ⁻¹ e⁻ʰᵗ tanh(t/4) dt / 2 over t > 0: of one sign, unlike ψ(h + ½) − ψ(h) − 1/2h, which it is at n = 1."""
    nodes, weights = gauss(h)
    t = 48.0 / h * nodes
    return 24.0 / h * np.sum(weights * (-t) ** (n - 1) * np.exp(-h * t) * np.tanh(0.25 * t), axis=-1, keepdims=True)


def _difference(n, h):
    """Return the same by gamma and digamma functions, for small h."""
    if not n:
        return scipy_function("special.gammaln")(h + 0.5) - scipy_function("special.gammaln")(h) - 0.5 * np.log(h)
    psi = polygamma(n - 1)
    return psi(h + 0.5) - psi(h) - 0.5 * (-1.0) ** (n - 1) * math.factorial(n - 1) * h**-n


@family
def half_step(n):
    """The row of the n-th derivative of log Γ(h + ½) − log Γ(h) − ½ log h; DLMF 5.9.16."""

    def derivative(h):
        flat = np.ravel(as_array(h, float))
        with np.errstate(all="ignore"):
            found = np.where(flat < 0.5, _difference(n, flat), in_blocks(lambda h: _integral(n, h), flat))
        return found.reshape(np.shape(h))[()]

    return elementwise(lambda h, z: half_step(n + 1)(h), name=f"half_step_{n}", domain=positive)(None, derivative)


def student_density(df, t):
    """(1 + t²/ν)^(−(ν + 1)/2) / (√ν B(ν/2, 1/2))."""
    return exp(half_step(0)(0.5 * df) - 0.5 * (df + 1.0) * log1p(t * t / df)) / ROOT_2PI


def student_by_freedom(df, t):
    """By ½ I(ν/2, ½, ν / (ν + t²)) or its complement, whichever share is exact."""
    near = less(t * t, df)
    inner = in_parameters(0, 1)(0.5, 0.5 * df, where(near, t * t / (df + t * t), 0.5))
    outer = -in_parameters(1, 0)(0.5 * df, 0.5, where(near, 0.5, df / (df + t * t)))
    return 0.25 * sign(t) * where(near, inner, outer) - 0.5 * t / df * student_density(df, t)


stdtr = elementwise_of_scipy(
    "stdtr", lambda df, t, z: student_by_freedom(df, t), lambda df, t, z: student_density(df, t), singular=True,
    domain=Domain("ν > 0, t ≠ 0", ((0.5, 10.0), (-5.0, 5.0)), lambda df, t: abs(t)))  # fmt: skip
