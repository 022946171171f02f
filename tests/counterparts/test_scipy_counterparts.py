"""`autodiff.scipy` as a user meets it: in a fresh process, by keywords, copied and pickled."""

import contextlib
import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.special
import scipy.stats
from samples import samples

import autodiff.scipy.stats as stats
from autodiff import jacfwd, jacrev, jvp, vjp
from autodiff.scipy import fft, integrate, interpolate, linalg, ndimage, signal, special
from autodiff.scipy._counterpart import COUNTERPARTS

ROOT = Path(__file__).parents[2]


def test_a_fresh_process_has_every_method():
    program = "from autodiff.scipy import stats; from autodiff.scipy._counterpart import COUNTERPARTS as c; print(*c)"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name for name in COUNTERPARTS if name.startswith("scipy.stats.")} == set(found.stdout.split())
    for name in ("beta", "t", "f", "binom", "nbinom"):
        for which in ("cdf", "sf", "logcdf", "logsf", "ppf", "isf"):
            assert f"scipy.stats.{name}.{which}" in COUNTERPARTS


@pytest.mark.parametrize("call", [
    lambda s, p: s.norm.ppf(q=p, loc=1.0), lambda s, p: s.norm.pdf(x=p, scale=2.0), lambda s, p: s.norm(p).ppf(q=0.2),
    lambda s, p: s.poisson.pmf(k=2, mu=p), lambda s, p: s.poisson(p).cdf(x=2), lambda s, p: s.poisson(p).pmf(k=2),
    lambda s, p: s.binom.isf(q=0.3, n=5, p=p), lambda s, p: s.multivariate_normal([p]).pdf(x=[0.3]),
])  # fmt: skip
def test_arguments_by_scipys_names(call):
    np.testing.assert_allclose(jvp(lambda p: call(stats, p), [0.4], [1.0])[0], call(scipy.stats, 0.4), rtol=1e-14)
    np.testing.assert_allclose(call(stats, 0.4), call(scipy.stats, 0.4), rtol=1e-14)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_distributions_are_copied_and_pickled(again):
    for named in (stats.norm, stats.binom, stats.multivariate_normal):
        assert again(named) is named
    assert again(stats.norm(0.3, scale=2.0)).pdf(0.1) == stats.norm.pdf(0.1, 0.3, 2.0)
    assert again(stats.multivariate_normal(cov=2.0)).pdf(0.1) == stats.multivariate_normal.pdf(0.1, cov=2.0)


# ----------------------------------------------------------------------------------------------- lists


def nested(x, *index):
    """An array as nested lists of its elements, which may be numbers."""
    return [nested(x, *index, k) for k in range(x.shape[len(index)])] if len(index) < x.ndim else x[index]


def first_samples():
    """Of each counterpart one that is an array, and whose call does no arithmetic with the arrays itself."""
    for name in COUNTERPARTS:
        for sample in [s for s in samples(name) if s.peer and all(x.size for x in s.arrays)][:1]:
            with contextlib.suppress(TypeError, AttributeError):  # the latter by SciPy 1.14
                sample.peer(*map(np.ndarray.tolist, sample.arrays))
                yield pytest.param(sample.f, sample.arrays, id=name)


@pytest.mark.parametrize(("f", "arrays"), list(first_samples()))
def test_lists_may_stand_for_arrays(f, arrays):
    """Of plain numbers, and of numbers that carry derivatives, beside plain ones."""
    np.testing.assert_allclose(f(*map(np.ndarray.tolist, arrays)), f(*arrays), rtol=1e-13, atol=1e-13)
    value, whole = vjp(f, *arrays)
    for k, x in enumerate(arrays):

        def of_one(x, k=k):
            return f(*(nested(x) if i == k else y.tolist() for i, y in enumerate(arrays)))

        tangents = [np.ones_like(y) if i == k else np.zeros_like(y) for i, y in enumerate(arrays)]
        pushed, expected = jvp(of_one, [x], [np.ones_like(x)])[1], jvp(f, arrays, tangents)[1]
        np.testing.assert_allclose(pushed, expected, rtol=1e-9, atol=1e-9)
        pulled, expected = vjp(of_one, x)[1](np.ones_like(value))[0], whole(np.ones_like(value))[k]
        np.testing.assert_allclose(pulled, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize(
    ("f", "by_hand"),
    [
        (lambda b: linalg.cho_solve(([[2.0, 0.0], [0.0, b]], True), [1.0, 1.0])[1], lambda b: -2.0 / b**3),
        (lambda b: linalg.lu_solve(([[2.0, 0.0], [0.0, b]], [0, 1]), [1.0, 1.0])[1], lambda b: -1.0 / b**2),
        (lambda b: linalg.solve_toeplitz(([b, 0.0], [b, 0.0]), [1.0, 1.0])[1], lambda b: -1.0 / b**2),
        (lambda b: linalg.block_diag([b, 1.0], [[2.0], [b]])[0, 0], lambda b: 1.0),
        (lambda b: signal.lfilter([b, 1.0], 1.0, [1.0, 2.0])[1], lambda b: 2.0),
        (lambda b: ndimage.gaussian_filter([[b, 1.0], [2.0, 3.0]], [0.0, 0.0])[0, 0], lambda b: 1.0),
        (lambda b: fft.fftn([[b, 1.0]], s=[1, 2], axes=[0, 1])[0, 0].real, lambda b: 1.0),
    ],
)
def test_lists_beside_what_is_no_array(mode, f, by_hand):
    np.testing.assert_allclose(mode(f)(1.5), by_hand(1.5), rtol=1e-12)


# ----------------------------------------------------------------------------------- plain arrays, refusals


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize(("beyond", "order"), [("constant", 0), ("constant", 1), ("nearest", 1)])
def test_a_place_that_is_nan_is_in_no_image(mode, beyond, order):
    """It is outside, as SciPy has it, or NaN; other places are as they are."""
    x, places = np.arange(12.0).reshape(3, 4) ** 1.5, np.array([[0.5, np.nan], [1.1, 2.3]])
    f = lambda places: ndimage.map_coordinates(x, places, order=order, mode=beyond)
    expected = scipy.ndimage.map_coordinates(x, places, order=order, mode=beyond)
    np.testing.assert_allclose(jvp(f, [places], [places])[0], expected, rtol=1e-14)
    slopes = mode(f)(places)
    np.testing.assert_array_equal(slopes[0][:, :1], mode(f)(places[:, :1])[0])
    assert not np.any(slopes[[0, 1], :, [1, 0]])


def test_plain_arrays_are_scipys_where_numbers_are_refused():
    x = np.arange(12.0).reshape(3, 4) ** 1.5
    np.testing.assert_array_equal(ndimage.shift(x, 0.4), scipy.ndimage.shift(x, 0.4))
    places = np.array([[0.5, 1.2], [1.1, 2.3]])
    np.testing.assert_array_equal(ndimage.map_coordinates(x, places), scipy.ndimage.map_coordinates(x, places))
    for ours, theirs in zip(linalg.lu(x[:2, :3]), scipy.linalg.lu(x[:2, :3]), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    both = (
        s.CubicSpline([0.0, 1.0, 2.0, 3.0], [1.0, -1.0, 2.0, 0.5]).roots() for s in (interpolate, scipy.interpolate)
    )
    np.testing.assert_allclose(*both, rtol=1e-14)
    both = (s.interp1d([0.0, 1.0, 2.0], [1.0, -1.0, 2.0], "quadratic")([0.3]) for s in (interpolate, scipy.interpolate))
    np.testing.assert_array_equal(*both)
    with pytest.raises(TypeError, match="interp1d with kind='quadratic'"):
        jacfwd(interpolate.interp1d([0.0, 1.0, 2.0], [1.0, -1.0, 2.0], "quadratic"))(0.3)
    both = (s.multivariate_normal.pdf([1.0, 1.0], None, np.ones((2, 2)), True) for s in (stats, scipy.stats))
    np.testing.assert_allclose(*both)
    with np.errstate(invalid="ignore"):
        assert np.isnan(special.polygamma(1.5, 2.0))


@pytest.mark.parametrize("n", [1.5, -1, [1, 0.5]])
def test_polygamma_of_orders_that_are_not_whole_is_refused(n):
    with pytest.raises(ValueError, match="whole numbers that are not negative"):
        jacfwd(lambda x: special.polygamma(n, x))(2.0)


def test_a_type_of_transform_that_there_is_not():
    with pytest.raises(ValueError, match="type=5 of a cosine or sine transform"):
        jacfwd(lambda x: fft.idct(x, 5))(np.ones(3))


def test_widths_of_a_gaussian_are_taken_in_scipys_order():
    x = np.arange(12.0).reshape(3, 4) ** 1.5
    for axes in [(1, 0), (0, 1), None]:
        found = jvp(lambda x, axes=axes: ndimage.gaussian_laplace(x, [1.0, 0.5], axes=axes), [x], [x])[0]
        np.testing.assert_allclose(found, scipy.ndimage.gaussian_laplace(x, [1.0, 0.5], axes=axes), rtol=1e-13)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_some_eigenvalues_of_a_stack(mode):
    a = np.random.default_rng(3).normal(size=(3, 4, 4))
    some = lambda a: linalg.eigvalsh(a, subset_by_index=[0, 1])
    assert mode(some)(a).shape == (3, 2, *a.shape)
    np.testing.assert_allclose(mode(some)(a), mode(lambda a: linalg.eigh(a)[0][:, :2])(a), atol=1e-12)


# ----------------------------------------------------------------------------------- what a function closes over

COUNTER = 0


def counted(t, y, rate):
    global COUNTER
    COUNTER += 1
    return -rate * y


def test_a_global_variable_that_a_right_hand_side_counts_in():
    before = COUNTER
    jacfwd(lambda rate: integrate.solve_ivp(counted, (0.0, 1.0), [1.0], args=(rate,)).y[0, -1])(0.5)
    assert before + 10 < COUNTER


class Model:
    def __init__(self, rate):
        self.rate = rate

    def slope(self, t, y):
        return -self.rate * y

    def __call__(self, t):
        return self.rate * np.exp(-t)


def by_keyword(rate):
    def slope(t, y, *, rate=rate):
        return -rate * y

    return slope


HOLDERS = {
    "bound method": lambda rate: Model(rate).slope,
    "list in a closure": lambda rate: (lambda held: lambda t, y: -held[0] * y)([rate]),
    "dict in a closure": lambda rate: (lambda held: lambda t, y: -held["rate"][0] * y)({"rate": (rate,)}),
    "object in a closure": lambda rate: (lambda model: lambda t, y: model(t) / model(t) * -model.rate * y)(Model(rate)),
    "keyword default": by_keyword,
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_numbers_that_a_function_holds(mode, holder):
    end = lambda rate: integrate.solve_ivp(holder(rate), (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9).y[0, -1]
    np.testing.assert_allclose(mode(end)(0.5), -np.exp(-0.5), rtol=1e-6)
    last = lambda rate: integrate.odeint(holder(rate), [1.0], [0.0, 1.0], tfirst=True, rtol=1e-9, atol=1e-9)[-1, 0]
    np.testing.assert_allclose(mode(last)(0.5), -np.exp(-0.5), rtol=1e-6)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_an_integrand_that_is_an_object(mode):
    np.testing.assert_allclose(mode(lambda rate: integrate.quad(Model(rate), 0.0, 1.0)[0])(0.5), 1.0 - np.exp(-1.0))
