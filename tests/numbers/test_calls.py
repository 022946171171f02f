"""How NumPy's functions may be called, with lists beside numbers, with ``out`` in its place; what a failure says."""

import collections
import contextlib
import inspect
import numbers
import re
import statistics
from fractions import Fraction

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.sparse
import scipy.spatial.distance
import scipy.special
import scipy.stats
from array_samples import of_each
from samples import samples
from table import MODES

from autodiff import derivative, grad, hvp, jacfwd, jacrev, jvp
from autodiff.forward import differentiate
from dualnumbers.table import BY_NUMPY, COMPOSITIONS, TABLE

COMPUTED_WITH = {"sum_where", "prod_where", "max_where", "min_where", "unwrap", "root_mean_square", "np.select",
                 "add_at", "subtract_at"} | {
    f"np.{name}" for name in ("put_along_axis", "put", "place", "putmask", "copyto", "fill_diagonal")}  # fmt: skip
"""Whose samples calculate with their arrays before the call: a list is not to be added to a number."""


@of_each([(name, sample) for name in [*TABLE, *COMPOSITIONS] if name not in COMPUTED_WITH for sample in samples(name)
          if len(sample.arrays) > 1 and all(np.size(x) for x in sample.arrays)])  # fmt: skip
def test_an_array_may_be_a_list_beside_numbers(name, sample):
    for k in range(len(sample.arrays)):
        assert_may_be_a_list(sample, k)


def assert_may_be_a_list(sample, k):
    plain = np.asarray(sample.arrays[k]).tolist()
    others = [np.asarray(x) for i, x in enumerate(sample.arrays) if i != k]
    f = lambda *xs: sample.f(*xs[:k], plain, *xs[k:])
    try:
        expected = f(*others)
    except (TypeError, ValueError, AttributeError):
        return  # nor does NumPy take it
    found = jvp(f, others, [np.ones_like(x) for x in others])
    np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-14)
    moving = jvp(sample.f, sample.arrays, [np.ones_like(x) * (i != k) for i, x in enumerate(sample.arrays)])
    np.testing.assert_allclose(found[1], moving[1], rtol=1e-12, atol=1e-14)


def parameters(function):
    """The names of a function's parameters; none of a builtin that does not tell them, as before NumPy 2.4."""
    with contextlib.suppress(ValueError):
        return list(inspect.signature(function).parameters)
    return []


OUT = [
    function
    for function in BY_NUMPY
    if callable(function) and not isinstance(function, np.ufunc) and "out" in parameters(function)
]


@pytest.mark.parametrize("function", OUT, ids=lambda function: function.__name__)
def test_no_argument_is_taken_for_another_in_the_place_of_out(function):
    place = parameters(function).index("out")
    kinds = [p.kind for p in inspect.signature(BY_NUMPY[function]).parameters.values()]
    assert (
        sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
        <= place
    )


X = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 5.0]])
PLAIN = np.zeros(3)
BY_PLACE = {
    "std": lambda x, out: np.std(x, 0, None, out, 1),
    "x.std": lambda x, out: x.std(0, None, out, 1),
    "mean": lambda x, out: np.mean(x, 0, None, out, False),
    "max": lambda x, out: np.max(x, 0, out, False),
    "x.sum": lambda x, out: x.sum(0, None, out),
    "median": lambda x, out: np.median(x, 0, out, False, False),
    "quantile": lambda x, out: np.quantile(x, 0.3, 0, out, False, "linear", False),
    "take": lambda x, out: np.take(x[0], [0, 4, 2], 0, out, "wrap"),
    "dot": lambda x, out: np.dot(x[0], x.T @ x, out),
    "clip": lambda x, out: np.clip(x[0], 0, 2, out),
    "round": lambda x, out: np.round(x[0], 1, out),
    "cumsum": lambda x, out: np.cumsum(x[0], 0, None, out),
}


@pytest.mark.parametrize("f", BY_PLACE.values(), ids=BY_PLACE)
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_out_in_its_place(f, mode):
    def written(x):
        out = np.zeros(3, like=x)
        assert f(x, out) is out
        return out

    np.testing.assert_array_equal(mode(written)(X), mode(lambda x: f(x, None))(X))
    np.testing.assert_array_equal(jvp(written, [X], [X])[0], f(X, None))
    if f is not BY_PLACE["x.sum"]:
        with pytest.raises(TypeError, match=r"would lose .*derivative.*what is given as out by np.zeros\(..., like="):
            mode(lambda x, out=PLAIN: f(x, out))(X)


OF_SEVERAL = getattr(scipy.special.sph_harm_y, "__name__", "MultiUFunc")  # before SciPy 1.17 it does not tell its name
UNREADABLE = [
    (lambda a: scipy.stats.norm.pdf(a), r"(call|write) autodiff\.scipy\.stats\.norm\.pdf"),
    (lambda a: scipy.stats.beta.cdf(0.3, a, 2.0), r"(call|write) autodiff\.scipy\.stats\.beta\.cdf"),
    (lambda a: scipy.special.polygamma(1, a), r"(call|write) autodiff\.scipy\.special\.polygamma"),
    (lambda a: scipy.linalg.det([[a, 1.0], [2.0, a]]), r"(call|write) autodiff\.scipy\.linalg\.det"),
    (lambda a: scipy.spatial.distance.cdist([[a, 1.0]], [[1.0, 2.0]]), r"autodiff\.scipy\.spatial\.distance\.cdist"),
    (lambda a: scipy.fft.fft(np.stack([a, a])), r"(call|write) autodiff\.scipy\.fft\.fft"),
    (lambda a: scipy.integrate.solve_ivp(lambda t, y: -a * y, (0, 1), [1.0]).y,
     r"(call|write) autodiff\.scipy\.integrate\.solve_ivp"),
    (lambda a: scipy.integrate.quad(lambda t: a * t, 0, 1)[0], r"(call|write) autodiff\.scipy\.integrate\.quad"),
    (lambda a: scipy.stats.norm(a, 1.0).logpdf(0.3), r"(call|write) autodiff\.scipy\.stats\.norm\.logpdf"),
    (lambda a: scipy.stats.multivariate_normal(np.zeros(2), a * np.eye(2)).logpdf(np.zeros(2)),
     r"(call|write) autodiff\.scipy\.stats\.multivariate_normal"),
    (lambda a: scipy.stats.skew(a * np.arange(4.0)), r"scipy\.stats\.skew reads plain numbers"),
    (lambda a: scipy.sparse.csr_array(np.eye(2)).multiply(a * np.ones(2)), r"write x \* scipy\.sparse\.csr_array\(A\)"),
    (lambda a: scipy.special.sph_harm_y(2, 1, a, 0.3), rf"scipy\.special\.{OF_SEVERAL} reads plain numbers"),
    (lambda a: statistics.mean(a * np.ones(2)), r"write np\.mean"),
    (lambda a: sum(t for t in np.nditer(a * np.ones(2))), r"np\.ndindex"),
    (lambda a: np.ma.array(a * np.ones(2), mask=[True, False]).sum(), r"np\.where, or give where="),
    (lambda a: np.frompyfunc(lambda t: t * t, 1, 1)(a), r"np\.frompyfunc of <lambda> has no derivative"),
    (lambda a: setattr(a * np.ones(4), "shape", (2, 2)), r"write x = x\.reshape\(\(2, 2\)\)"),
    (lambda a: np.cov([a, a * a]), r"autodiff\.array"),
    (lambda a: np.fft.fft([a, 1.0]), r"autodiff\.array\("),
    (lambda a: np.linalg.solve([[a, 1.0], [1.0, a]], [1.0, 2.0]), r"autodiff\.array\("),
    (lambda a: np.sin([a, 1.0]), r"autodiff\.array\("),
]  # fmt: skip


@pytest.mark.parametrize(("f", "remedy"), UNREADABLE)
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_what_numpy_and_scipy_raise_is_explained(f, remedy, mode):
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        mode(f)(2.0)
    assert len(getattr(raised.value, "__notes__", ())) <= 1
    assert re.search(remedy, "\n".join([str(raised.value), *getattr(raised.value, "__notes__", ())]))


def test_an_error_of_the_users_own_is_left_alone():
    with pytest.raises(KeyError) as raised:
        derivative(lambda x: {}[3] * x, 0, [2.0])
    assert not hasattr(raised.value, "__notes__")


def test_what_a_refused_partial_raises_has_no_other_error_in_front():
    with pytest.raises(TypeError, match="order") as raised:
        derivative(lambda v: scipy.special.jv(v, 1.0), 0, [1.0])
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_scalar_of_a_differentiation_is_a_scalar(mode):
    assert mode(lambda x: x * 2.0 if np.isscalar(x) and isinstance(x, numbers.Number) else x * 0.0, 0)(2.0) == 2.0
    for index in (slice(0, 1), ...):
        assert not jacfwd(lambda x, index=index: x * float(np.isscalar(x[index])))(np.ones(2)).any()


def test_arguments_in_dicts_of_any_kind():
    for kind in (dict, collections.OrderedDict, collections.Counter, lambda **ab: collections.defaultdict(list, **ab)):
        given = kind(a=2.0, b=3.0)
        found = grad(lambda d: d["a"] * d["b"] ** 2)(given)
        assert type(found) is type(given)
        assert found == {"a": 9.0, "b": 12.0}


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_fractions_are_taken_as_a_float_takes_them(mode):
    third = Fraction(1, 3)
    f = lambda v: v * third + third * v - third / v + v**third + Fraction(2) ** v + (v - third) * (third - v)
    assert mode(f)(2.0) == pytest.approx(mode(lambda v: f(v * 1.0))(2.0))
    g = lambda v: v / 3 + v / 3 - 1 / (3 * v) + v ** (1 / 3) + 2.0**v - (v - 1 / 3) ** 2
    assert mode(f)(2.0) == pytest.approx(mode(g)(2.0), rel=1e-14)
    np.testing.assert_allclose(mode(lambda v: v * third)(np.ones(2)), np.eye(2) / 3)


AXES = {
    "sum": lambda v: v.sum(axis=-1),
    "max": lambda v: np.max(v, axis=-1),
    "prod": lambda v: np.prod(v, axis=0, keepdims=True),
    "logaddexp.reduce": lambda v: np.logaddexp.reduce(v, axis=-1),
    "median": lambda v: np.median(v.reshape(1), axis=0),
    "nansum": lambda v: np.nansum(v, axis=0),
}


@pytest.mark.parametrize("f", AXES.values(), ids=AXES)
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_a_number_without_axes_may_be_reduced_along_one(f, mode):
    assert np.ravel(mode(f)(np.array(2.0))) == [1.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_no_elements(mode):
    x = np.arange(4.0)
    np.testing.assert_array_equal(mode(lambda v: np.sum(v) * 0.0 + np.median(v[4:]))(x), np.zeros(4))
    np.testing.assert_array_equal(mode(lambda v: np.sum(v) * 0.0 + np.nanmedian(v[4:]))(x), np.zeros(4))
    assert mode(lambda v: np.quantile(v, [0.3, 0.5], axis=-1))(np.zeros((0, 3))).shape == (2, 0, 0, 3)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_the_logarithm_of_a_determinant_of_zero(mode):
    assert np.isnan(mode(lambda v: np.linalg.slogdet(v)[1])(np.ones((2, 2)))).all()
    assert jvp(lambda v: np.linalg.slogdet(v)[1], [np.ones((2, 2))], [np.eye(2)])[0] == -np.inf


def test_keywords_reach_the_function():
    assert hvp(lambda x, c=1.0: c * x**3)(2.0, 1.0, c=2.0) == 24.0
    assert differentiate(lambda x, c=1.0: c * x)(3.0, c=5.0) == 5.0


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_augmented_assignment_of_what_is_no_number(mode):
    def f(x):
        x = x.copy()
        x += None
        return x

    with pytest.raises(TypeError, match="unsupported operand"):
        mode(f)(np.ones(2))
