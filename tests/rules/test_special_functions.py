"""The second half of scipy.special: points where a formula might fail, complex arguments, refusals, several outputs."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special as sp
from mpmath import mp
from table import EPS, MODES, nestings

import autodiff.scipy.special as special
from autodiff import derivative, grad, jacfwd, jacrev, jvp, vjp
from dualnumbers.rules.from_scipy import rule_of

POINTS = [
    ("jv 1 at 0", lambda x: sp.jv(1, x), 0.0, (0.5, 0.0, -0.375)),
    ("jv 0 at 0", lambda x: sp.jv(0, x), 0.0, (0.0, -0.5, 0.0)),
    ("jv 2 at 0", lambda x: sp.jv(2, x), 0.0, (0.0, 0.25, 0.0)),
    ("j0 at 0", sp.j0, 0.0, (0.0, -0.5, 0.0)),
    ("j1 at 0", sp.j1, 0.0, (0.5, 0.0, -0.375)),
    ("i0 at 0", sp.i0, 0.0, (0.0, 0.5, 0.0)),
    ("i1 at 0", sp.i1, 0.0, (0.5, 0.0, 0.375)),
    ("iv 1 at 0", lambda x: sp.iv(1, x), 0.0, (0.5, 0.0, 0.375)),
    ("i0e at 0", sp.i0e, 0.0, (0.0,)),
    ("spherical j1 at 0", lambda x: special.spherical_jn(1, x), 0.0, (1 / 3, 0.0, -0.2)),
    ("spherical j0 at 0", lambda x: special.spherical_jn(0, x), 0.0, (0.0, -1 / 3, 0.0)),
    ("spherical i1 at 0", lambda x: special.spherical_in(1, x), 0.0, (1 / 3, 0.0, 0.2)),
    ("Si at 0", lambda x: sp.sici(x)[0], 0.0, (1.0, 0.0, -1 / 3)),
    ("Si at 1e-9", lambda x: sp.sici(x)[0], 1e-9, (1.0, -1e-9 / 3, -1 / 3)),
    ("Shi at 0", lambda x: sp.shichi(x)[0], 0.0, (1.0, 0.0, 1 / 3)),
    ("S at 0", lambda x: sp.fresnel(x)[0], 0.0, (0.0, 0.0, np.pi)),
    ("C at 0", lambda x: sp.fresnel(x)[1], 0.0, (1.0, 0.0, 0.0)),
    ("spence at 1", sp.spence, 1.0, (-1.0, 0.5, -2 / 3)),
    ("ellipk at 0", sp.ellipk, 0.0, (np.pi / 8, 9 * np.pi / 64, 75 * np.pi / 256)),
    ("ellipe at 0", sp.ellipe, 0.0, (-np.pi / 8, -3 * np.pi / 64, -15 * np.pi / 256)),
    ("ellipkm1 at 1e-20", sp.ellipkm1, 1e-20, (-5e19,)),
    ("ellipkinc at m = 0", lambda m: sp.ellipkinc(1.0, m), 0.0, ((1 - np.sin(1) * np.cos(1)) / 4,)),
    ("ellipkinc at 0", lambda x: sp.ellipkinc(x, 0.3), 0.0, (1.0, 0.0, 0.3)),
    ("sn at u = 0", lambda u: sp.ellipj(u, 0.3)[0], 0.0, (1.0, 0.0, -1.3)),
    ("sn at m = 0", lambda m: sp.ellipj(1.0, m)[0], 0.0, (-np.cos(1) * (1 - np.sin(1) * np.cos(1)) / 4,)),
    ("elliprf at 1, 1, 1", lambda x: sp.elliprf(x, 1.0, 1.0), 1.0, (-1 / 6, 3 / 20)),
    ("elliprc at 1, 1", lambda x: sp.elliprc(x, 1.0), 1.0, (-1 / 6, 3 / 20)),
    ("Ai at 0", lambda x: sp.airy(x)[0], 0.0, (-0.2588194037928068, 0.0, 0.3550280538878172)),
    ("ber at 0", sp.ber, 0.0, (0.0, 0.0, 0.0)),
    ("bei at 0", sp.bei, 0.0, (0.0, 0.5, 0.0)),
    ("struve 0 at 0", lambda x: sp.struve(0, x), 0.0, (2 / np.pi, 0.0)),
    ("P5 at 1", lambda x: sp.eval_legendre(5, x), 1.0, (15.0, 105.0, 420.0)),
    ("T4 at -1", lambda x: sp.eval_chebyt(4, x), -1.0, (-16.0, 80.0, -192.0)),
    ("T0", lambda x: sp.eval_chebyt(0, x), 0.3, (0.0, 0.0)),
    ("H3 at 0", lambda x: sp.eval_hermite(3, x), 0.0, (-12.0, 0.0, 48.0)),
    ("P(2, 2) at 1", lambda x: sp.lpmv(2, 2, x), 1.0, (-6.0, -6.0)),
    ("hyp2f1 at 0", lambda x: sp.hyp2f1(1.0, 2.0, 3.0, x), 0.0, (2 / 3, 1.0)),
    ("hyp1f1 at 0", lambda x: sp.hyp1f1(1.0, 2.0, x), 0.0, (0.5, 1 / 3)),
    ("D at 0", sp.dawsn, 0.0, (1.0, 0.0, -4.0)),
    ("zeta at 0", sp.zeta, 0.0, (-0.9189385332046727, -2.0063564559085848)),
    ("kolmogorov at 0", sp.kolmogorov, 0.0, (0.0, 0.0)),
    ("K1 in the tail", sp.k1e, 1e10, (-0.5 * np.sqrt(np.pi / 2) * 1e-15,)),
    ("I0 in the tail", sp.i0e, 1e10, (-0.5 / np.sqrt(2 * np.pi) * 1e-15,)),
]


@pytest.mark.parametrize(("f", "x", "slopes"), [row[1:] for row in POINTS], ids=[row[0] for row in POINTS])
def test_special_points(f, x, slopes):
    for order, slope in enumerate(slopes, 1):
        for name, partial in nestings(f, (0,) * order):
            np.testing.assert_allclose(partial(x), slope, rtol=1e-9 if x == 1e10 else 1e-14, atol=1e-15, err_msg=name)


Z = 1.3 + 0.7j
HOLOMORPHIC = {
    "jv": (lambda z: sp.jv(1.5, z), lambda z: mp.besselj(1.5, z)),
    "yv": (lambda z: sp.yv(1.5, z), lambda z: mp.bessely(1.5, z)),
    "iv": (lambda z: sp.iv(1.5, z), lambda z: mp.besseli(1.5, z)),
    "kv": (lambda z: sp.kv(1.5, z), lambda z: mp.besselk(1.5, z)),
    "kve": (lambda z: sp.kve(1.5, z), lambda z: mp.exp(z) * mp.besselk(1.5, z)),
    "kve, tail": (lambda z: sp.kve(1.5, 9 * z), lambda z: mp.exp(9 * z) * mp.besselk(1.5, 9 * z)),
    "hankel1": (lambda z: sp.hankel1(1.5, z), lambda z: mp.hankel1(1.5, z)),
    "hankel2": (lambda z: sp.hankel2(1.5, z), lambda z: mp.hankel2(1.5, z)),
    "hankel1e": (lambda z: sp.hankel1e(1.5, z), lambda z: mp.exp(-1j * z) * mp.hankel1(1.5, z)),
    "hankel2e": (lambda z: sp.hankel2e(1.5, z), lambda z: mp.exp(1j * z) * mp.hankel2(1.5, z)),
    "hankel1e, tail": (lambda z: sp.hankel1e(1.5, 9 * z), lambda z: mp.exp(-9j * z) * mp.hankel1(1.5, 9 * z)),
    "spherical_jn": (lambda z: special.spherical_jn(2, z), lambda z: mp.sqrt(mp.pi / 2 / z) * mp.besselj(2.5, z)),
    "Ai": (lambda z: sp.airy(z)[0], mp.airyai),
    "Bi": (lambda z: sp.airy(z)[2], mp.airybi),
    "Ai, scaled": (lambda z: sp.airye(z)[0], lambda z: mp.exp(2 * z * mp.sqrt(z) / 3) * mp.airyai(z)),
    "wofz": (sp.wofz, lambda z: mp.exp(-z * z) * mp.erfc(-1j * z)),
    "wofz, below": (lambda z: sp.wofz(z - 1j), lambda z: mp.exp(-((z - 1j) ** 2)) * mp.erfc(-1j * (z - 1j))),
    "dawsn": (sp.dawsn, lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z)),
    "gamma": (sp.gamma, mp.gamma),
    "gamma, left": (lambda z: sp.gamma(-z), lambda z: mp.gamma(-z)),
    "psi": (sp.psi, lambda z: mp.psi(0, z)),
    "zeta": (sp.zeta, mp.zeta),
    "zeta, left": (lambda z: sp.zeta(-z), lambda z: mp.zeta(-z)),
    "exp1": (sp.exp1, mp.e1),
    "expi": (sp.expi, mp.ei),
    "Si": (lambda z: sp.sici(z)[0], mp.si),
    "Ci": (lambda z: sp.sici(z)[1], mp.ci),
    "Shi": (lambda z: sp.shichi(z)[0], mp.shi),
    "Chi": (lambda z: sp.shichi(z)[1], mp.chi),
    "S": (lambda z: sp.fresnel(z)[0], mp.fresnels),
    "C": (lambda z: sp.fresnel(z)[1], mp.fresnelc),
    "spence": (sp.spence, lambda z: mp.polylog(2, 1 - z)),
    "hyp0f1": (lambda z: sp.hyp0f1(1.5, z), lambda z: mp.hyp0f1(1.5, z)),
    "hyp1f1": (lambda z: sp.hyp1f1(0.5, 1.5, z), lambda z: mp.hyp1f1(0.5, 1.5, z)),
    "hyp2f1": (lambda z: sp.hyp2f1(0.5, 1.5, 2.5, z / 3), lambda z: mp.hyp2f1(0.5, 1.5, 2.5, z / 3)),
    "elliprf": (lambda z: sp.elliprf(z, 1.0 + 0j, 2.0 + 0j), lambda z: mp.elliprf(z, 1, 2)),
    "elliprd": (lambda z: sp.elliprd(1.0 + 0j, 2.0 + 0j, z), lambda z: mp.elliprd(1, 2, z)),
    "elliprc": (lambda z: sp.elliprc(z, 2.0 + 0j), lambda z: mp.elliprc(z, 2)),
    "eval_legendre": (lambda z: sp.eval_legendre(3, z), lambda z: mp.legendre(3, z)),
    "eval_jacobi": (lambda z: sp.eval_jacobi(3, 0.5, 1.5, z), lambda z: mp.jacobi(3, 0.5, 1.5, z)),
}


@pytest.mark.parametrize(("f", "exact"), HOLOMORPHIC.values(), ids=HOLOMORPHIC)
def test_complex_arguments(f, exact):
    """The first and second derivatives of a holomorphic function, and the adjoint in the real inner product."""
    with mp.workdps(25):
        first, second = (complex(mp.diff(exact, Z, n)) for n in (1, 2))
    size = 1e4 * EPS * (abs(first) + abs(second) + abs(f(Z)))
    assert abs(jvp(f, [Z], [1.0 + 0j])[1] - first) <= size
    assert abs(vjp(f, Z)[1](1.0 + 0j)[0] - np.conj(first)) <= size
    assert abs(derivative(lambda z: derivative(f, 0, [z]), 0, [Z]) - second) <= size
    assert abs(vjp(lambda z: jvp(f, [z], [1.0 + 0j])[1], Z)[1](1.0 + 0j)[0] - np.conj(second)) <= size


@pytest.mark.parametrize("f", [
    lambda z: sp.jve(1.5, z), lambda z: sp.yve(1.5, z), lambda z: sp.ive(1.5, z), lambda z: sp.airye(z)[2],
], ids=["jve", "yve", "ive", "Bi, scaled"])  # fmt: skip
def test_complex_arguments_where_the_scale_is_not_holomorphic(f):
    assert abs(jvp(f, [Z], [1.0 + 0j])[0] - f(Z)) <= 1e-13 * abs(f(Z))
    for u in (1.0 + 0j, 1j):
        h = 1e-5
        slope = (f(Z + h * u) - f(Z - h * u)) / (2 * h)
        pushed = jvp(f, [Z], [u])[1]
        assert abs(pushed - slope) <= 1e-8
        for v in (1.0 + 0j, 1j):
            pulled = vjp(f, Z)[1](v)[0]
            assert abs(np.real(np.conj(v) * pushed) - np.real(np.conj(pulled) * u)) <= 1e-13


def test_hankel_functions_of_real_arguments():
    for f, sign in ((sp.hankel1, 1), (sp.hankel2, -1)):
        pushed = jvp(lambda x, f=f: f(1.5, x), [2.0], [1.0])[1]
        assert abs(pushed - (sp.jvp(1.5, 2.0) + sign * 1j * sp.yvp(1.5, 2.0))) <= 1e-14
        assert abs(grad(lambda x, f=f: np.imag(f(1.5, x)))(2.0) - sign * sp.yvp(1.5, 2.0)) <= 1e-14


REFUSED = [
    ("jv", lambda v: sp.jv(v, 1.0), "order"),
    ("kve", lambda v: sp.kve(v, 1.0), "order"),
    ("hankel1", lambda v: np.real(sp.hankel1(v, 1.0)), "order"),
    ("struve", lambda v: sp.struve(v, 1.0), "order"),
    ("spherical_jn", lambda v: special.spherical_jn(v, 1.0), "order"),
    ("expn", lambda n: sp.expn(n, 1.0), "order"),
    ("hyp1f1", lambda a: sp.hyp1f1(a, 2.0, 0.5), "parameters"),
    ("hyp2f1", lambda c: sp.hyp2f1(1.0, 2.0, c, 0.5), "parameters"),
    ("hyperu", lambda a: sp.hyperu(a, 2.0, 0.5), "parameters"),
    ("eval_legendre", lambda n: sp.eval_legendre(n, 0.5), "degree"),
    ("eval_jacobi", lambda a: sp.eval_jacobi(2.0, a, 0.5, 0.5), "parameters"),
    ("lpmv", lambda v: sp.lpmv(1.0, v, 0.5), "order and degree"),
    ("pbdv", lambda v: sp.pbdv(v, 0.5)[0], "parameters"),
    ("mathieu_a", lambda q: sp.mathieu_a(2, q), "parameters"),
]


@pytest.mark.parametrize(("f", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_derivatives_by_parameters_are_refused(f, reason):
    for mode in MODES.values():
        with pytest.raises(TypeError, match=rf"{reason}.*value_of"):
            mode(f, 0)(2.0)


SEVERAL = ["airy", "airye", "itairy", "sici", "shichi", "fresnel", "kelvin", "itj0y0", "iti0k0", "it2j0y0", "it2i0k0",
           "modfresnelp", "modfresnelm"]  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("x", [np.float64(1.2), np.float32(1.2), np.array([[0.5], [1.2]]), np.zeros(0)], ids=repr)
def test_functions_of_several_outputs_are_tuples(name, x):
    """The values are SciPy's; a shape and dtype are kept."""
    function = getattr(sp, name)
    values, (pushed, several) = (
        function(x),
        (jvp(lambda x, k=k: function(x)[k], [x], [np.ones_like(x)]) for k in (0, len(function(x)) - 1)),
    )
    for (value, tangent), expected in zip((pushed, several), (values[0], values[-1]), strict=True):
        np.testing.assert_array_equal(value, expected)
        assert np.asarray(tangent).dtype == np.asarray(expected).dtype
        assert np.shape(tangent) == np.shape(expected)
    assert len(derivative(lambda x: np.stack([np.real(z) for z in function(x)]), 0, [1.2])) == len(values)


@pytest.mark.parametrize(("z", "branch"), [(0.5, 0), (0.0, 0), (-0.3, 0), (-0.3, -1), (-0.1, -1), (40.0, 0)])
def test_lambert_is_that_of_mpmath(z, branch):
    """SciPy's plain call, whose result is complex."""
    f = lambda x: np.real(sp.lambertw(x, branch))
    for order in (1, 2):
        expected = float(mp.diff(lambda x: mp.lambertw(x, branch).real, z, order))
        for derivative_of in (jacfwd, jacrev):
            found = derivative_of(f)(z) if order == 1 else derivative_of(derivative_of(f))(z)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_another_librarys_ufunc_is_not_taken_for_scipys():
    """One of the same name."""

    def gamma(x):
        return x

    assert rule_of(sp.gamma)
    assert rule_of(gamma) is None


def test_eight_threads_may_be_the_first_to_call_scipy():
    """Its rules are read at the first call: all threads wait until they are whole."""
    program = """
import threading
import numpy as np, scipy.special as sp
from autodiff import jacfwd, jacrev
found, together = [], threading.Barrier(8)
def work(mode):
    together.wait()
    found.append(mode(lambda x: sp.jv(1.0, x) * sp.betainc(x, 2.0, 0.3))(np.array([0.5, 1.0, 2.0])))
threads = [threading.Thread(target=work, args=(mode,)) for mode in (jacfwd, jacrev) * 4]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and all(np.allclose(z, found[0]) for z in found)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("function", [sp.boxcox, sp.boxcox1p])
@pytest.mark.parametrize("order", [1, 2])
def test_where_a_transformation_of_a_negative_number_is_nan_so_are_its_derivatives(function, order):
    for name, partial in nestings(lambda x: function(x, 0.3), (0,) * order, MODES):
        found = partial(-2.5)
        assert type(found) is float, name
        assert np.isnan(found), name
