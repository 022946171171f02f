"""Points where a formula that looks right loses its digits: partials against derivatives in 50 digits; and memory."""

import math
import tracemalloc

import numpy as np
import pytest
import scipy.special as sp
from mpmath import diff, mp, quad
from table import nestings

import autodiff.scipy.stats as stats
from dualnumbers.rules.gamma_functions import polygamma_difference
from dualnumbers.rules.of_scipy.carlson import carlson
from dualnumbers.rules.of_scipy.hypergeometric import tricomi
from dualnumbers.rules.of_scipy.incomplete_gamma import gamma_density

UNIT = 2.0**-53


def slope(exact, *wrt):
    """The derivative of ``exact`` in these places, as a function of the point."""

    def at(*point):
        orders = tuple(wrt.count(k) for k in range(len(point)))
        steps = [max(abs(x), mp.mpf(10) ** -300) * mp.mpf(10) ** -25 for x in point]
        scaled = lambda *ts: exact(*(x + t * h for x, t, h in zip(point, ts, steps, strict=True)))
        found = diff(scaled, (0,) * len(point), orders, h=1) if len(point) > 1 else diff(scaled, 0, orders[0], h=1)
        return found / math.prod(h**k for h, k in zip(steps, orders, strict=True))

    return at


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def _of_erfinv(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2)


def _student(df, t):
    return mp.exp(-log_beta(df / 2, mp.mpf(0.5)) - (df + 1) / 2 * mp.log1p(t * t / df)) / mp.sqrt(df)


def _ratio(m, n, x):
    share = m * x / n
    return mp.exp(m / 2 * mp.log(share) - (m + n) / 2 * mp.log1p(share) - log_beta(mp.mpf(m) / 2, mp.mpf(n) / 2)) / x


def _scaled(v, x):
    return mp.exp(-x) * mp.besseli(v, x)


def _gamma_density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def _pseudo_huber(d, r):
    return d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)


CASES = {
    **{f"erfinv at 1 - {k}u": (sp.erfinv, (0,), (1 - k * UNIT,), _of_erfinv) for k in (1, 3, 100)},
    "erfinv at -1 + u": (sp.erfinv, (0,), (UNIT - 1,), _of_erfinv),
    "betaln of far numbers": (sp.betaln, (0,), (1e10, 1.0), slope(log_beta, 0)),
    "betaln near 0": (sp.betaln, (0,), (1.5, 1e-8), slope(log_beta, 0)),
    "betaln of alike": (sp.betaln, (1,), (3e8, 1e8), slope(log_beta, 1)),
    "beta near 0": (sp.beta, (0,), (1.5, 1e-8), slope(lambda a, b: mp.exp(log_beta(a, b)), 0)),
    "beta near 0, twice": (sp.beta, (0, 0), (1.5, 1e-8), slope(lambda a, b: mp.exp(log_beta(a, b)), 0, 0)),
    **{f"stdtr at {df:g}, {t}": (sp.stdtr, (0,), (df, t),
                                 lambda df, t: quad(lambda s: slope(_student, 0)(df, s), [0, t]), loss)
       for df, t, loss in ((1e3, 0.5, 1e2), (1e3, 2.0, 1e2), (1e5, 0.5, 1e4))},
    "fdtr at 1e5": (sp.fdtr, (1,), (10.0, 1e5, 1.1), lambda m, n, x: quad(lambda s: slope(_ratio, 1)(m, n, s), [0, x]),
                    1e3),
    "t.logpdf at 1e5": (lambda df: stats.t.logpdf(1.3, df), (0,), (1e5,),
                        slope(lambda df: mp.log(_student(df, mp.mpf(1.3))), 0), 1e4),
    "f.logpdf at 1e5": (lambda df: stats.f.logpdf(1.3, df, 7.0), (0,), (1e5,),
                        slope(lambda df: mp.log(_ratio(df, 7, mp.mpf(1.3))), 0), 1e4),
    "f.logpdf at 1e5, below": (lambda df: stats.f.logpdf(1.3, 7.0, df), (0,), (1e5,),
                               slope(lambda df: mp.log(_ratio(7, df, mp.mpf(1.3))), 0), 1e4),
    **{f"tricomi at {a}, {b}, {x}": (lambda x, a=a, b=b: tricomi(a, b, x), (), (x,),
                                     lambda x, a=a, b=b: mp.hyperu(a, b, x))
       for a, b, x in ((1e-5, 1.5, 2.0), (1e-3, 2.5, 0.01), (0.4, -0.5, 1e-8), (0.9, 5.0, 40.0))},
    **{f"ive at {v:g}, {x:g}": (lambda x, v=v: sp.ive(v, x), (0,), (x,), slope(lambda x, v=v: _scaled(v, x), 0))
       for v, x in ((0.0, 1e8), (1.0, 30.0), (20.0, 1e8), (21.0, 1e6), (50.0, 1000.0), (50.0, 1e8), (100.0, 1e6))},
    "gamma density at its peak": (gamma_density, (0,), (1e8, 1e8), slope(_gamma_density, 0)),
    "gammainc, mixed": (sp.gammainc, (0, 1), (1e6, 1e6 + 300.0), slope(_gamma_density, 0)),
    "norm.pdf": (stats.norm.pdf, (0,), (30.0,), lambda x: -x * mp.npdf(x)),
    "norm.pdf, its value": (stats.norm.pdf, (), (30.0,), mp.npdf),
    "halfnorm.pdf, its value": (stats.halfnorm.pdf, (), (30.0,), lambda x: 2 * mp.npdf(x)),
    "kl_div of near numbers": (sp.kl_div, (0,), (1.0, 1.0 + 2.0**-30), lambda x, y: mp.log(x / y)),
    "kl_div of double": (sp.kl_div, (0,), (2e10, 1e10), lambda x, y: mp.log(x / y)),
    "rel_entr of far numbers": (sp.rel_entr, (0,), (1e200, 1e-200), lambda x, y: 1 + mp.log(x / y)),
    **{f"spence, order {n}": (sp.spence, (0,) * n, (x,), lambda x, n=n: diff(lambda x: mp.log(x) / (1 - x), x, n - 1))
       for n in (1, 2, 3) for x in (0.2001,)},
    "lambertw far to the left": (lambda z: np.real(sp.lambertw(z, -1)), (0,), (-1e-300,),
                                 lambda z: (lambda w: w / z / (1 + w))(mp.lambertw(z, -1).real), 0.1),
    "lambertw near 0, twice": (lambda z: np.real(sp.lambertw(z)), (0, 0), (1e-300,), lambda z: mp.mpf(-2)),
    "powm1 at 0, in the exponent": (sp.powm1, (1,), (0.0, 2.0), lambda x, y: mp.mpf(0)),
    "powm1 at 0, in the base": (sp.powm1, (0,), (0.0, 0.0), lambda x, y: mp.mpf(0)),
    "pseudo_huber far out": (sp.pseudo_huber, (0,), (1.0, 1e200), slope(_pseudo_huber, 0)),
    "boxcox at 0": (sp.boxcox, (1,), (0.0, 2.0), lambda x, power: power**-2),
    "boxcox at 0, twice": (sp.boxcox, (1, 1), (0.0, 2.0), lambda x, power: -2 * power**-3),
    "boxcox1p at -1": (sp.boxcox1p, (1,), (-1.0, 0.5), lambda x, power: power**-2),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_partials_have_13_digits(case):
    """Less the factor by which the slope is smaller than the terms that it is the difference of, where one is given."""
    function, wrt, point, exact, *loss = case
    with mp.workdps(110):
        expected = exact(*map(mp.mpf, point))
    for name, partial in nestings(function, wrt):
        assert abs(partial(*point) - expected) <= 1e-13 * math.prod(loss) * abs(expected), name


@pytest.mark.parametrize(("function", "arguments"), [
    (tricomi, (1e-5, 1.5)),
    (carlson((1.5, 0.5, 0.5)), (1.0, 2.0)),
    (polygamma_difference(0), (1.0,)),
], ids=["tricomi", "carlson", "polygamma_difference"])  # fmt: skip
def test_an_integral_at_many_points_is_taken_in_bounded_memory(function, arguments):
    x = np.linspace(0.1, 5.0, 10_000)
    tracemalloc.start()
    try:
        function(*arguments, x)
        assert tracemalloc.get_traced_memory()[1] <= 32e6
    finally:
        tracemalloc.stop()
