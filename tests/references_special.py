"""The functions of ``scipy.special`` in mpmath: gamma and error functions, distributions, logistic functions."""

import functools
from collections.abc import Callable
from typing import Any

import scipy.special
from mpmath import mp
from samples.sample import scipy_is


def _phi(x: Any) -> Any:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def _upper(x: Any) -> Any:
    return mp.erfc(x / mp.sqrt(2)) / 2


def _mills(n: int) -> Callable[[Any], Any]:
    """Kₙ by the recurrence from the hazard, in digits enough for what it loses."""

    def k(t: Any) -> Any:
        with mp.workdps(mp.dps + 20):
            found = _phi(t) / _upper(t) - t
            for m in range(1, n):
                found = m / found - t
            return found

    return k


def _erfinv(x: Any) -> Any:
    return _root_of_erf(mp.mpf(x), mp.prec)


@functools.cache
def _root_of_erf(x: Any, bits: int) -> Any:
    """By Halley's steps from SciPy's value, each in three times the digits; mpmath's are a dozen in all of them."""
    y = mp.mpf(scipy.special.erfinv(float(x)))
    if not y or not mp.isfinite(y):
        return mp.erfinv(x)
    right, lost = 40, 20 + int(1.5 * y * y)  # erf(y) comes as near to 1 as exp(−y²) to 0
    while right < bits:
        with mp.workprec(min(bits, 3 * right) + lost):
            excess = (mp.erf(y) - x) * mp.exp(y * y) * mp.sqrt(mp.pi) / 2
            step = excess / (1 + y * excess)
            y -= step
            near = -mp.mag(step / y) if step else mp.prec
            right = min(3 * near, mp.prec - lost)
    return +y


def _boxcox(x: Any, power: Any) -> Any:
    return mp.log(x) * mp.hyp1f1(1, 2, power * mp.log(x))


def _inverse(y: Any, power: Any) -> Any:
    return mp.exp(mp.log(1 + power * y) / power) if power else mp.exp(y)


def _voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    z = mp.mpc(x, gamma) / (sigma * mp.sqrt(2))
    return (mp.exp(-z * z) * mp.erfc(-1j * z)).real / (sigma * mp.sqrt(2 * mp.pi))


def _kolmogorov(x: Any) -> Any:
    """By the series in 1/x² alone, which converges for every x."""
    terms = (mp.exp(-(((2 * k - 1) * mp.pi / x) ** 2) / 8) for k in range(1, int(8 * x) + 30))
    return 1 - mp.sqrt(2 * mp.pi) / x * mp.fsum(terms)


REFERENCES: dict[str, Callable[..., Any]] = {
    "wrightomega": lambda x: mp.lambertw(mp.exp(x)).real,
    "powm1": lambda x, y: mp.powm1(x, y),
    "normal_density": _phi,
    "hazard": lambda t: _phi(t) / _upper(t),
    **{f"mills_{n}": _mills(n) for n in (1, 2, 3)},
    "ndtr": lambda x: _upper(-x),
    "log_ndtr": lambda x: mp.log(_upper(-x)),
    "erfinv": _erfinv,
    "ndtri": lambda x: mp.sqrt(2) * _erfinv(2 * x - 1),
    "nrdtrimn": lambda p, s, x: x - s * mp.sqrt(2) * _erfinv(2 * p - 1),
    "nrdtrisd": lambda m, p, x: (x - m) / (mp.sqrt(2) * _erfinv(2 * p - 1)),
    "erfcinv": lambda x: _erfinv(1 - x),
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "dawsn": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    "voigt_profile": _voigt,
    "kolmogorov": _kolmogorov,
    "zeta": mp.zeta,
    "riemann_zeta": mp.zeta,
    "zetac": lambda s: mp.zeta(s) - 1,
    "loggamma": mp.loggamma,
    "psi": lambda x: mp.psi(0, x),
    "beta": mp.beta,
    "betaln": lambda a, b: mp.log(mp.beta(a, b)),
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "log_expit": lambda x: -mp.log(1 + mp.exp(-x)),
    "logit": lambda x: mp.log(x / (1 - x)),
    "softplus": lambda x: mp.log(1 + mp.exp(x)),
    "xlogy": lambda x, y: x * mp.log(y),
    "xlog1py": lambda x, y: x * mp.log(1 + y),
    "entr": lambda x: -x * mp.log(x),
    "log_sech": lambda x: mp.log(mp.sech(x)),
    "log_gumbel": lambda x: -x - mp.exp(-x),
    "gumbel": lambda x: mp.exp(-mp.exp(-x)),
    "gumbel_complement": lambda x: -mp.expm1(-mp.exp(-x)),
    "half_step_0": lambda h: mp.loggamma(h + 0.5) - mp.loggamma(h) - mp.log(h) / 2,
    "half_step_1": lambda h: mp.psi(0, h + 0.5) - mp.psi(0, h) - 0.5 / h,
    "half_step_2": lambda h: mp.psi(1, h + 0.5) - mp.psi(1, h) + 0.5 / h**2,
    "log_ratio": lambda x, y: mp.log(x / y),
    "log_less_digamma": lambda a, x: mp.log(x) - mp.psi(0, a),
    "rel_entr": lambda x, y: x * mp.log(x / y),
    "kl_div": lambda x, y: x * mp.log(x / y) - x + y,
    "gamma_density": lambda a, x: x ** (a - 1) * mp.exp(-x) / mp.gamma(a),
    "huber": lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2),
    "pseudo_huber": lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1),
    "pseudo_huber_by_r": lambda d, r: d * r / mp.hypot(d, r),
    "pseudo_huber_by_d": lambda d, r: (mp.hypot(d, r) - d) ** 2 / mp.hypot(d, r),
    "pseudo_huber_by_d_twice": lambda d, r: -((1 - d / mp.hypot(d, r)) ** 2) * (2 + d / mp.hypot(d, r)),
    "shortfall": lambda x, y: 1 - x / y,
    "exprel": lambda x: mp.hyp1f1(1, 2, x),
    **{f"exponential_mean_{n}": lambda x, n=n: mp.hyp1f1(n + 1, n + 2, x) / (n + 1) for n in (1, 2, 3)},
    "boxcox": _boxcox,
    "boxcox1p": lambda x, power: _boxcox(1 + x, power),
    "inv_boxcox": _inverse,
    "log_inverse": lambda y, power: mp.log(_inverse(y, power)),
    "inv_boxcox1p": lambda y, power: _inverse(y, power) - 1,
    "special_log1p": lambda x: mp.log(1 + x),
    "special_expm1": mp.expm1,
    "special_exp2": lambda x: mp.mpf(2) ** x,
    "special_cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "exp10": lambda x: mp.mpf(10) ** x,
    "cosm1": lambda x: mp.cos(x) - 1,
    "sindg": lambda x: mp.sin(x * mp.pi / 180),
    "cosdg": lambda x: mp.cos(x * mp.pi / 180),
    "tandg": lambda x: mp.tan(x * mp.pi / 180),
    "cotdg": lambda x: mp.cot(x * mp.pi / 180),
    "binom": mp.binomial,
    "poch": lambda a, m: mp.gamma(a + m) / mp.gamma(a),
    "polygamma_difference_0": lambda x, h: mp.psi(0, x + h) - mp.psi(0, x),
    "polygamma_difference_1": lambda x, h: mp.psi(1, x + h) - mp.psi(1, x),
    "radian": lambda d, m, s: (d + m / 60 + s / 3600) * mp.pi / 180,
}

CONDITION = (
    dict.fromkeys(("beta", "betaln", "beta_density"), 4)
    | dict.fromkeys(("betainc", "betaincc", "fdtr", "fdtrc", "stdtr", "kl_div", "rel_entr"), 16)
    | dict.fromkeys(("voigt_profile", "owens_t"), 16)
    | dict.fromkeys(("gammainc", "gammaincc", "gdtr", "gdtrc", "chdtr", "chdtrc", "pdtr", "pdtrc"), 16)
    | dict.fromkeys(("gammaincinv", "gammainccinv", "betaincinv"), 128)
)
"""By how much rounding is magnified in a difference of the values: SciPy's log B is a difference of larger numbers, and
so is log t less its mean; its quantiles come from a search that ends some last places off."""

NOISE = {
    "fdtr": 4.0,
    "fdtrc": 4.0,
    "beta": 4.0,
    **dict.fromkeys(("binom", "poch"), 2.0),
    "voigt_profile": 64.0,
    **{f"mills_{n}": 512.0 for n in (1, 2, 3)},
    "riemann_zeta": 32.0,
    "zetac": 32.0,
    **dict.fromkeys(("chdtri", "fdtri", "stdtrit", "btdtrib"), 12.0),
    "btdtria": 12.0 if scipy_is(1, 17) else 1e5,
}
"""By how much the partials are worse than rounding: SciPy's quantiles by up to 12 units, as found with mpmath, and
one by more in older versions.

The share and the weight in those of F have opposite signs; so have the sum and the integral of ζ left of 1, and the
parts of a mixed derivative of B; the quadrature in those of binom and poch is a unit off; z in w(z) is rounded; the
slope of Mills's means, z (z − Kₙ₊₁), cancels: of the third derivatives 12 digits are left.
"""

VALUE_NOISE = dict.fromkeys(("binom", "cotdg", "poch"), 20.0) | ({} if scipy_is(1, 17) else {"btdtria": 1e5})
"""By how much SciPy's values of these are worse than rounding, as found with mpmath; their derivatives are not."""
