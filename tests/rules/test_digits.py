"""Points where a formula that looks right loses its digits: partials against derivatives in 50 digits; and memory."""

import math
import tracemalloc

import numpy as np
import pytest
import scipy.special as sp
from mpmath import diff, mp, quad
from table import EPS, nestings

import autodiff.scipy.special as special
import autodiff.scipy.stats as stats
import dualnumbers.dmath as dmath
from autodiff import derivative, grad, jacfwd, jacrev, jvp
from autodiff.scipy import ndimage
from dualnumbers.rules.elementwise.gamma import polygamma_difference
from dualnumbers.rules.of_scipy.special.carlson import carlson
from dualnumbers.rules.of_scipy.special.hypergeometric import tricomi
from dualnumbers.rules.of_scipy.special.incomplete_gamma import gamma_density
from dualnumbers.table import TABLE

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


def _normal_quantile(p):
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def _pseudo_huber(d, r):
    return d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)


def _voigt(x, sigma, gamma):
    z = mp.mpc(x, gamma) / (sigma * mp.sqrt(2))
    return (mp.exp(-z * z) * mp.erfc(-1j * z)).real / (sigma * mp.sqrt(2 * mp.pi))


KELVIN = {"ber": lambda x: mp.ber(0, x), "bei": lambda x: mp.bei(0, x), "ker": lambda x: mp.ker(0, x),
          "kei": lambda x: mp.kei(0, x)}  # fmt: skip
CAUCHY = {
    "pdf": lambda x, s: s / (mp.pi * (s * s + x * x)),
    "cdf": lambda x, s: mp.atan2(s, -x) / mp.pi,
    "logpdf": lambda x, s: mp.log(s / (mp.pi * (s * s + x * x))),
}
CASES = {
    **{f"erfinv at 1 - {k}u": (sp.erfinv, (0,), (1 - k * UNIT,), _of_erfinv) for k in (1, 3, 100)},
    "erfinv at -1 + u": (sp.erfinv, (0,), (UNIT - 1,), _of_erfinv),
    "nrdtrimn at u": (sp.nrdtrimn, (0,), (UNIT, 1.2, 0.4), slope(lambda p, s, x: x - s * _normal_quantile(p), 0)),
    "nrdtrisd at u": (sp.nrdtrisd, (1,), (0.4, UNIT, 1.2), slope(lambda m, p, x: (x - m) / _normal_quantile(p), 1)),
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
    **{f"pseudo_huber, {wrt}, at {d:g}, {r:g}": (sp.pseudo_huber, wrt, (d, r), slope(_pseudo_huber, *wrt))
       for d, r in ((1.0, 1e7), (1.0, 3e12), (2.0, 1e-9)) for wrt in ((1, 1), (0, 1), (0, 0))},
    **{f"rgamma beside {round(x)}, order {n}": (sp.rgamma, (0,) * n, (x,), lambda x, n=n: diff(mp.rgamma, x, n))
       for x in (-1.0 + 1e-13, -3.0 - 1e-9, 0.0, -2.0) for n in (1, 2, 3)},
    **{f"spence at {x:g}, order {n}": (sp.spence, (0,) * n, (x,),
                                       slope(lambda x: mp.polylog(2, 1 - x), *(0,) * n)) for x in (7e-10, 1e-30)
       for n in (1, 2, 3)},
    "expit beside 0": (sp.expit, (0, 0), (-3e-13,), lambda x: -mp.tanh(x / 2) * mp.sech(x / 2) ** 2 / 4),
    "softplus beside 0": (sp.softplus, (0, 0, 0), (1e-12,), lambda x: -mp.tanh(x / 2) * mp.sech(x / 2) ** 2 / 4),
    "ellipkm1, twice": (sp.ellipkm1, (0, 0), (3e-139,), slope(lambda p: mp.ellipk(1 - p), 0, 0)),
    "erfinv beside 0": (sp.erfinv, (0, 0), (1e-11,), slope(mp.erfinv, 0, 0)),
    "ndtri beside 1/2": (sp.ndtri, (0, 0), (0.5 + 2.0**-40,), slope(lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), 0, 0)),
    "ellipkinc beside 0": (sp.ellipkinc, (0, 0), (0.7, 1e-9),
                           lambda phi, m: m * mp.sin(phi) * mp.cos(phi) * (1 - m * mp.sin(phi) ** 2) ** -1.5),
    **{f"log_ndtr at -800, order {n}": (sp.log_ndtr, (0,) * n, (-800.0,),
                                        slope(lambda x: mp.log(mp.erfc(-x / mp.sqrt(2))), *(0,) * n), 10)
       for n in (2, 3)},
    "wrightomega far out": (sp.wrightomega, (0, 0), (1e9,), lambda x: (lambda w: w / (1 + w) ** 3)(
        mp.findroot(lambda w: w + mp.log(w) - x, x))),
    "kl_div of a small number": (sp.kl_div, (1, 1), (1e-20, 3.0), lambda x, y: x / y**2),
    "inv_boxcox of a small power": (sp.inv_boxcox, (0, 1), (-8e-13, 0.15),
                                    slope(lambda y, p: mp.exp(mp.log(1 + p * y) / p), 0, 1)),
    "boxcox1p beside 0": (sp.boxcox1p, (0, 1), (1e-14, 0.4), lambda x, p: mp.log(1 + x) * (1 + x) ** (p - 1)),
    "gamma density of a small parameter": (gamma_density, (0, 0), (1e-9, 6.6), slope(_gamma_density, 0, 0)),
    **{f"{name} beside 0, order {n}": (getattr(sp, name), (0,) * n, (0.003,), slope(exact, *(0,) * n), 10)
       for name, exact in KELVIN.items() for n in (1, 2, 3)},
    **{f"cauchy.{which}, {wrt}, at {x:g}": (lambda x, s, which=which: getattr(stats.cauchy, which)(x, 0.0, s), wrt,
                                            (x, 1.5), slope(exact, *wrt))
       for which, exact in CAUCHY.items() for x in (2e7, -4e8) for wrt in ((1, 1), (0, 1), (0, 0), (1, 1, 1))},
    "weibull_min.logcdf by c": (lambda c: stats.weibull_min.logcdf(0.016, c), (0, 0), (9.2,),
                                slope(lambda c: mp.log(-mp.expm1(-(mp.mpf(0.016) ** c))), 0, 0)),
    "gumbel_r.logsf far out": (stats.gumbel_r.logsf, (0, 0), (40.0,),
                               slope(lambda x: mp.log(-mp.expm1(-mp.exp(-x))), 0, 0)),
    "gumbel_r.pdf at its mode": (stats.gumbel_r.pdf, (0,), (1e-12,), slope(lambda x: mp.exp(-x - mp.exp(-x)), 0)),
    "logistic.pdf at its mode": (stats.logistic.pdf, (0,), (1e-12,), slope(lambda x: mp.sech(x / 2) ** 2 / 4, 0)),
    "f.sf of a small number": (lambda x: stats.f.sf(x, 3.0, 11.0), (0,), (2e-15,), lambda x: -_ratio(3, 11, x)),
    "laplace.logcdf far out": (stats.laplace.logcdf, (0,), (-800.0,), lambda x: mp.one),
    "gamma.logcdf far down": (lambda x: stats.gamma.logcdf(x, 20.0), (0, 0), (1e-11,),
                              slope(lambda x: mp.log(mp.gammainc(20, 0, x, regularized=True)), 0, 0), 20),
    **{f"binom.logsf of {k} at {p}, {wrt}": (
           lambda p, k=k: stats.binom.logsf(k, 10, p), wrt, (p,),
           slope(lambda p, k=k: mp.log(mp.betainc(k + 1, 10 - k, 0, p, regularized=True)), *wrt))
       for k in (0, 2, 9) for p in (6e-13, 1e-6, 0.3) for wrt in ((0,), (0, 0))},
    **{f"hypot of three, {wrt}": (lambda *xs: dmath.hypot(*xs), wrt, (1e9, 1.0, 2.0),
                                  slope(lambda x, y, z: mp.sqrt(x * x + y * y + z * z), *wrt))
       for wrt in ((0, 0), (0, 1), (1, 1))},
    **{f"voigt_profile at {point}, {wrt}": (sp.voigt_profile, wrt, point, slope(_voigt, *wrt), 10)
       for point in ((10.0, 1.0, 1e-6), (20.0, 1.0, 1e-9), (1e6, 1.0, 0.5)) for wrt in ((0,), (1,), (0, 1), (1, 1))},
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
    (carlson(0, 1.5, 0.5, 0.5), (1.0, 2.0)),
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


FAR = {
    "softmax": (lambda x: special.softmax(x)[0], lambda *xs: mp.exp(xs[0]) / sum(map(mp.exp, xs))),
    "logsumexp": (special.logsumexp, lambda *xs: mp.log(sum(map(mp.exp, xs)))),
    "logsumexp, weighted": (
        lambda x: special.logsumexp(x, b=np.array([2.0, 1.0, 3.0])),
        lambda x, y, z: mp.log(2 * mp.exp(x) + mp.exp(y) + 3 * mp.exp(z)),
    ),
    "logaddexp.reduce": (np.logaddexp.reduce, lambda *xs: mp.log(sum(map(mp.exp, xs)))),
    "log_softmax": (lambda x: special.log_softmax(x)[0], lambda *xs: xs[0] - mp.log(sum(map(mp.exp, xs)))),
}
LENGTHS = {
    "norm": (np.linalg.norm, lambda *xs: mp.sqrt(sum(x * x for x in xs))),
    "norm of order 3": (lambda x: np.linalg.norm(x, 3), lambda *xs: mp.cbrt(sum(abs(x) ** 3 for x in xs))),
}
REDUCTIONS = {
    **{f"{name} at {x}": (*case, x) for name, case in FAR.items()
       for x in ([40.0, 0.5, 1.0], [-100.0, 200.0, 0.5], [1.0, 300.0, 5.0])},
    **{f"{name} at {x}": (*case, x) for name, case in LENGTHS.items()
       for x in ([1.0, 1e-8, 2e-6], [1e10, 1.0, 2.0], [1e-170, 2e-170, 3e-165], [1e200, 3e199, 2e180])},
}  # fmt: skip


@pytest.mark.parametrize(("function", "exact", "x"), REDUCTIONS.values(), ids=REDUCTIONS)
def test_reductions_keep_their_digits_where_one_element_is_nearly_all(function, exact, x):
    for modes in ((jacfwd, jacfwd), (jacrev, jacfwd), (jacfwd, jacrev), (jacrev, jacrev)):
        with np.errstate(all="ignore"):  # of NumPy's own norm
            first, second = modes[0](function)(np.array(x)), modes[1](modes[0](function))(np.array(x))
        for i, j in np.ndindex(3, 3):
            with mp.workdps(150):
                by_i, by_both = (slope(exact, *wrt)(*map(mp.mpf, x)) for wrt in ((i,), (i, j)))
            assert abs(first[i] - by_i) <= 1e-13 * abs(by_i), modes
            if 1e-290 < abs(by_both) < 1e290:
                assert abs(second[i, j] - by_both) <= 1e-12 * abs(by_both), modes


MIRRORED = np.outer([1.0, 2.0, 2.0, 1.0], [1.0, 3.0, 3.0, 1.0])
FINITE = {
    "rgamma at its zeros": (sp.rgamma, (-3.0,), -6.0),
    "binom at k = -2": (lambda k: sp.binom(5.0, k), (-2.0,), -1 / 42),
    "poch(a, 0) at 0": (lambda a: sp.poch(a, 0.0), (0.0,), 0.0),
    "poch(a, 3) at -2": (lambda a: sp.poch(a, 3.0), (-2.0,), 2.0),
    "pseudo_huber at δ = 0": (lambda d: sp.pseudo_huber(d, 2.0), (0.0,), 2.0),
    "zeta of a large number": (sp.zeta, (1e20,), 0.0),
    "zeta in float32": (sp.zeta, (np.float32(100.0),), 0.0),
    "frexp of 0": (lambda x: np.frexp(x * 0.0)[0], (1.0,), 0.0),
}


@pytest.mark.parametrize(("function", "point", "expected"), FINITE.values(), ids=FINITE)
def test_there_is_a_number(function, point, expected):
    for mode in (lambda f: lambda x: derivative(f, 0, [x]), grad):
        np.testing.assert_allclose(mode(function)(*point), expected, rtol=1e-13, atol=1e-25)


def test_a_length_of_derivatives_that_are_zero_has_slope_zero():
    for mode in (jacfwd, jacrev):
        assert np.all(np.isfinite(mode(lambda x: ndimage.gaussian_gradient_magnitude(x, 1.0, mode="mirror"))(MIRRORED)))


THROUGH_ZERO = {
    "digamma": (sp.digamma, 1e-300),
    "binom": (lambda x: sp.binom(x, 2.5), -1.0),
    "betaln": (lambda x: sp.betaln(x, 2.0), 0.0),
    **{f"eval_cheby{kind}": (lambda x, kind=kind: getattr(sp, f"eval_cheby{kind}")(5, x), 1e200) for kind in "tucs"},
    "mod": (lambda y: np.mod(0.75, y), 5e-324),
    "fmod": (lambda y: np.fmod(0.75, y), 5e-324),
    "divmod": (lambda y: np.divmod(0.75, y)[1], 5e-324),
}


@pytest.mark.parametrize(("function", "x"), THROUGH_ZERO.values(), ids=THROUGH_ZERO)
def test_a_tangent_that_is_exactly_zero_stays_zero(function, x):
    push = lambda f: lambda y: jvp(f, [y], [0.0])[1]
    with np.errstate(all="ignore"):
        assert push(function)(x) == 0.0
        assert push(push(function))(x) == 0.0
        assert push(push(push(function)))(x) == 0.0


GAUSSIANS = {"gaussian": -1.0, "gaussian_growth": 1.0, "normal_density": -0.5}


@pytest.mark.parametrize("name", GAUSSIANS)
@pytest.mark.parametrize("precision", ["f", "d"])
def test_gaussians_of_large_arrays_are_those_of_small_ones_to_the_bit(name, precision):
    special = [0.0, -0.0, 1e-200, 1e-30, 1.0 / 32.0, 26.6, 38.5, 160.0, 1e30, np.inf, -np.inf, np.nan]
    x = np.concatenate([special, np.random.default_rng(0).normal(size=9000) * 6.0]).astype(precision)
    evaluate = TABLE[name].row.numpy.evaluate
    with np.errstate(all="ignore"):
        apart = np.concatenate([evaluate(part) for part in np.array_split(x, 90)])
        np.testing.assert_array_equal(evaluate(x).view(f"u{x.itemsize}"), apart.view(f"u{x.itemsize}"))


@pytest.mark.parametrize("name", GAUSSIANS)
def test_gaussians_have_all_digits_over_their_range(name):
    """Two units in the last place: the exponential's own, and one."""
    points = np.concatenate([np.linspace(0.0, 26.0, 1500), np.geomspace(1e-9, 26.0, 500)])
    found = TABLE[name].row.numpy.evaluate(points)
    with mp.workdps(40):
        for x, z in zip(points.tolist(), found.tolist(), strict=True):
            exact = mp.exp(GAUSSIANS[name] * mp.mpf(x) ** 2) / (mp.sqrt(2 * mp.pi) if name == "normal_density" else 1)
            assert abs(z - exact) <= 2.0 * EPS * exact, x
