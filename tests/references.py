"""What each elementwise row is in mpmath, whose derivatives in 50 digits its partials are held against."""

from collections.abc import Callable
from typing import Any

import references_bessel
import references_special
from mpmath import mp

import dualnumbers.rules.of_scipy  # noqa: F401  # which are read when the first of them is called
from dualnumbers.rules import families
from dualnumbers.rules.elementwise.bessel_i import bessel_i
from dualnumbers.rules.elementwise.gamma import polygamma, polygamma_difference
from dualnumbers.rules.elementwise.normal import mills
from dualnumbers.rules.elementwise.sinc import sinc_derivative
from dualnumbers.rules.of_scipy.special.boxcox import exponential_mean
from dualnumbers.rules.of_scipy.special.distributions import half_step
from dualnumbers.table import Row

families()
for _order in range(3):  # made at first use; from here on they are rows like any other
    mills(_order + 1), exponential_mean(_order + 1), half_step(_order)
for _order in range(2):
    polygamma(_order), polygamma_difference(_order), bessel_i(_order + 1), sinc_derivative(_order + 1)


def _power(x: Any, y: Any) -> Any:
    return mp.power(x, y)


def _sinc_2(t: Any) -> Any:
    """The second derivative of ₀F₁(; 3/2; −t), t = (πx/2)², by x, over π²."""
    return 4 * t * mp.hyp0f1(3.5, -t) / 15 - mp.hyp0f1(2.5, -t) / 3


REFERENCES: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "negative": lambda x: -x,
    "positive": lambda x: x,
    **dict.fromkeys(("_numpy_scalar", "_python_number"), lambda x: x),
    "cosine": lambda x, y: x / mp.hypot(x, y),
    "logistic": lambda x: 1 / (1 + mp.exp(-x)),
    "logistic2": lambda x: 1 / (1 + mp.mpf(2) ** -x),
    "sech2": lambda x: 2 / (mp.mpf(2) ** x + mp.mpf(2) ** -x),
    "sin_pi": mp.sinpi,
    "cos_pi": mp.cospi,
    "gaussian": lambda x: mp.exp(-x * x),
    "gaussian_growth": lambda x: mp.exp(x * x),
    "one_minus_square": lambda x: 1 - x * x,
    "mod": lambda x, y: x - y * mp.floor(x / y),
    "fmod": lambda x, y: x - y * int(x / y),
    "rest": lambda x, y: x - y * mp.floor(x / y),
    "remainder": lambda x, y: x - y * mp.nint(x / y),
    "ldexp": lambda x, i: x * mp.mpf(2) ** i,
    "nextafter": lambda x, y: x,
    "fraction": lambda x: x - int(x),
    "degrees": lambda x: x * 180 / mp.pi,
    "radians": lambda x: x * mp.pi / 180,
    "exp2": lambda x: mp.power(2, x),
    "log2": lambda x: mp.log(x) / mp.log(2),
    "logaddexp": lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
    "logaddexp2": lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y)) / mp.log(2),
    "power": _power,
    "pow": _power,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "absolute": abs,
    "fabs": abs,
    "copysign": lambda x, y: abs(x) if y > 0 else -abs(x),
    "maximum": max,
    "minimum": min,
    "fmax": max,
    "fmin": min,
    "clip": lambda x, a, b: min(max(x, a), b),
    "heaviside": lambda x, y: 0 if x < 0 else 1 if x > 0 else y,
    "sinc": lambda x: mp.sincpi(x),
    "sinc_1": lambda x: -(mp.pi**2) * x / 3 * mp.hyp0f1(2.5, -((mp.pi * x / 2) ** 2)),
    "np_i0": lambda x: mp.besseli(0, x),
    "bessel_i_1": lambda x: mp.besseli(1, x),
    "lgamma": mp.loggamma,
    "polygamma_0": lambda x: mp.psi(0, x),
    "polygamma_1": lambda x: mp.psi(1, x),
    "fma": lambda x, y, z: x * y + z,
    "mantissa": lambda x: mp.frexp(x)[0],
    "bessel_i_2": lambda x: mp.besseli(2, x),
    "sinc_2": lambda x: mp.pi**2 * _sinc_2((mp.pi * x / 2) ** 2),
    **references_special.REFERENCES,
}
REFERENCES |= references_bessel.REFERENCES
"""The rows that mpmath has under another name or not at all, written in its arithmetic.

A new row of NumPy's or Python's gets its line here; one of SciPy's in `references_special` or `references_bessel`.
"""


def _none(why: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, why)


WITHOUT = {
    **_none(
        "mpmath takes seconds for a derivative: tests/rules/test_incomplete.py and test_digits.py have few points",
        *("gammainc", "gammaincc", "betainc", "betaincc", "beta_density", "chdtr", "chdtrc", "gdtr", "gdtrc", "pdtr"),
        *("pdtrc", "stdtr", "fdtr", "fdtrc", "bdtr", "bdtrc", "nbdtr", "nbdtrc"),
    ),
    **_none(
        "the inverse of a function that has partials of its own, of which its are quotients",
        *("gammaincinv", "gammainccinv", "betaincinv", "chdtri", "pdtri", "gdtria", "gdtrib", "gdtrix", "btdtria"),
        *("btdtrib", "stdtrit", "fdtri", "bdtri", "nbdtri", "kolmogi", "ndtri_exp"),
    ),
    **_none(
        "a quadrature in mpmath; its partials are elementary, or rows that have references",
        *("owens_t", "it2y0", "it2k0", "besselpoly", "itstruve0", "itmodstruve0", "it2struve0", "ellipj_ph"),
        *("lowering_1", "raising_1", "carlson_1_1.5_0.5_0.5", "legendre_1_1.5"),
    ),
    **_none(
        "the slope of a row that has a reference",
        *(f"spherical_{kind}n_derivative" for kind in "jyik"),
        *("pbdv_slope", "pbvv_slope", "pbwa_slope"),
    ),
    **_none(
        "mpmath has no Mathieu functions; its partials are the equation's: tests/rules/test_special_functions.py",
        *(
            f"mathieu_{kind}_{part}"
            for kind in ("cem", "sem", "modcem1", "modsem1", "modcem2", "modsem2")
            for part in ("value", "slope")
        ),
    ),
}
"""The rows without a reference → why; they are held against difference quotients alone."""


def reference(row: Row) -> Callable[..., Any] | None:
    """A row's function in mpmath, for arguments of any precision; None where there is none."""
    return None if row.name in WITHOUT else REFERENCES.get(row.name) or getattr(mp, row.name, None)
