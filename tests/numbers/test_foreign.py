"""Arrays of another library, which NumPy's two protocols reach and ``np.asarray`` does not, go through the table."""

import functools
import warnings
from collections import defaultdict
from types import CellType, FunctionType

import foreign_array
import numpy as np
import pytest
from array_samples import SAMPLES, directions
from foreign_array import Foreign
from table import FUNCTIONS, few_points, numpy_function, places

from autodiff import Variable, derivative, grad, hessian, jacfwd, jacrev, jvp, record, value_and_grad, value_of, vjp
from autodiff.calls.structures import flatten
from autodiff.custom import decorators as custom
from autodiff.scipy._counterpart import COUNTERPARTS
from dualnumbers.foreign import is_foreign

OF_SCIPY = """
eliminated expm expm_frechet fractional_matrix_power fractional_matrix_power_frechet logm logm_frechet recursion signm
solve_banded solve_continuous_are solve_discrete_are solve_discrete_lyapunov solve_sylvester solve_toeplitz
solveh_banded spherical_in spherical_in_derivative spherical_jn spherical_jn_derivative spherical_kn
sparse_matmul spherical_kn_derivative spherical_yn spherical_yn_derivative spsolve sqrtm tridiagonal
scipy.integrate.cumulative_simpson scipy.integrate.cumulative_trapezoid scipy.integrate.odeint
scipy.integrate.solve_bvp
scipy.integrate.solve_ivp scipy.interpolate.CubicSpline scipy.interpolate.PPoly scipy.interpolate.interp1d
scipy.linalg.cho_solve_banded scipy.linalg.coshm scipy.linalg.cosm scipy.linalg.expm scipy.linalg.expm_frechet
scipy.linalg.fractional_matrix_power scipy.linalg.lu scipy.linalg.lu_factor scipy.linalg.qr scipy.linalg.sinhm
scipy.linalg.sinm scipy.linalg.solve_banded scipy.linalg.solve_continuous_are scipy.linalg.solve_continuous_lyapunov
scipy.linalg.solve_discrete_are scipy.linalg.solve_lyapunov scipy.linalg.solve_toeplitz scipy.linalg.solveh_banded
scipy.linalg.tanhm scipy.linalg.tanm scipy.signal.filtfilt scipy.signal.lfilter scipy.signal.sosfilt
scipy.sparse.coo_array scipy.sparse.coo_matrix scipy.sparse.csc_array scipy.sparse.csc_matrix scipy.sparse.csr_array
scipy.sparse.csr_matrix scipy.sparse.kron scipy.sparse.linalg.factorized scipy.sparse.linalg.splu
scipy.sparse.linalg.spsolve scipy.special.spherical_in scipy.special.spherical_jn
scipy.special.spherical_kn scipy.special.spherical_yn
"""
"""What SciPy computes in C, LAPACK or a loop of its own, for which it asks for plain arrays."""

DISTRIBUTIONS = ("bernoulli", "beta", "binom", "chi2", "f", "gamma", "geom", "invgamma", "nbinom", "poisson", "t")
QUANTILES = [f"scipy.stats.{name}.{which}" for name in DISTRIBUTIONS for which in ("ppf", "isf")]
"""SciPy's search for a quantile."""

SOLVERS = [name for name in COUNTERPARTS if name.startswith("scipy.optimize.")]
"""SciPy's search for a solution."""

LACKING = {
    **dict.fromkeys(OF_SCIPY.split(), "SciPy's code for plain arrays"),
    **dict.fromkeys(QUANTILES, "SciPy's code for plain arrays"),
    **dict.fromkeys(SOLVERS, "SciPy's search"),
    "remainder": "Python's function of one number",
}
"""The functions of which a sample raises, and why."""

OF_FLOATS = {"fsum": "Python's function of numbers, which gives one", "scipy.integrate.quad": "the integral is a float"}
"""The functions whose value at foreign arrays is a number of Python's, the right one."""


def _elementwise(function):
    """Return a function at few points, the arguments that have no derivative fixed; and the arrays of the others."""
    row, points = function.row, few_points(function.row)
    of_arrays = numpy_function(row) or function

    def called(*xs):
        given = iter(xs)
        return of_arrays(*(next(given) if k in places(row) else points[0][k] for k in range(row.arity)))

    return called, [np.array([float(point[k]) for point in points]) for k in places(row)]


CALLS = defaultdict(list)
for _name, _sample in SAMPLES:
    CALLS[_name].append((_sample.f, _sample.arrays))
for _function in FUNCTIONS:
    if _function.row.is_elementwise and places(_function.row):
        CALLS[_function.row.name].append(_elementwise(_function))


def of_library(x, made):
    """Return a sample as a user of a library writes it: the arrays that it holds, too, are the library's."""
    if isinstance(x, np.ndarray):
        return made(x) if x.ndim and x.dtype != object else x
    if type(x) in (tuple, list):
        return type(x)(of_library(part, made) for part in x)
    if isinstance(x, dict):
        return {name: of_library(part, made) for name, part in x.items()}
    if isinstance(x, functools.partial):
        return functools.partial(of_library(x.func, made), *of_library(x.args, made), **of_library(x.keywords, made))
    if not isinstance(x, FunctionType) or not x.__module__.startswith("samples"):
        return x
    names = {name: of_library(x.__globals__[name], made) for name in x.__code__.co_names if name in x.__globals__}
    held = x.__closure__ and tuple(CellType(of_library(cell.cell_contents, made)) for cell in x.__closure__)
    found = FunctionType(x.__code__, {**x.__globals__, **names}, x.__name__, of_library(x.__defaults__, made), held)
    found.__kwdefaults__ = of_library(x.__kwdefaults__, made)
    return found


def foreign(x):
    return Foreign(np.array(x))


def host(x):
    return x.host if isinstance(x, Foreign) else np.asarray(x)


def forward(f, arrays, made, host=host):
    """Return the value and its tangent, at arrays that are made so."""
    return jvp(f, [made(x) for x in arrays], [made(t) for t in directions(arrays)])


def reverse(f, arrays, made, host=host):
    """Return the value and the adjoints; ``host`` makes NumPy's of arrays that are made so."""
    value, pullback = vjp(f, *map(made, arrays))
    leaves, rebuild = flatten(value)
    cotangents = directions([host(leaf) for leaf in leaves], 11)
    given = (
        made(g) if isinstance(leaf, np.ndarray) or is_foreign(type(leaf)) else g[()]
        for g, leaf in zip(cotangents, leaves, strict=True)
    )
    return value, pullback(rebuild(given))


MODES = {"forward": forward, "reverse": reverse}


@functools.cache
def expected(mode, name):
    """Return the leaves of each call of a function at plain arrays."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [flatten(MODES[mode](f, arrays, np.array))[0] for f, arrays in CALLS[name]]


def outcomes(mode, name):
    """Yield the leaves of each call at foreign arrays, each with that at plain ones; or what is raised instead."""
    for (f, arrays), leaves in zip(CALLS[name], expected(mode, name), strict=True):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sample in (f, of_library(f, foreign)):
                try:
                    found = flatten(MODES[mode](sample, arrays, foreign))[0]
                    break
                except (TypeError, AttributeError) as error:
                    found = error
        yield found if isinstance(found, Exception) else list(zip(found, leaves, strict=True))


def assert_same(found, expected):
    """Check shape, type and, to rounding, value."""
    assert np.shape(host(found)) == np.shape(expected)
    assert host(found).dtype == np.result_type(expected)
    size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    np.testing.assert_allclose(host(found), expected, 1e-9, 1e-9 * size)


def passes(mode, name):
    """Return whether all samples of a function work at foreign arrays; AssertionError where one gives another value."""
    whole, kinds = True, (Foreign, float) if name in OF_FLOATS else (Foreign,)
    for pairs in outcomes(mode, name):
        if isinstance(pairs, Exception):
            whole = False
            continue
        for found, expected in pairs:
            assert type(found) in kinds
            assert_same(found, expected)
    return whole


@pytest.mark.parametrize("name", CALLS)
def test_a_function_at_foreign_arrays(name):
    """What passes is not in the list of what does not, and the other way round."""
    for mode in MODES:
        assert passes(mode, name) == (name not in LACKING), mode


OF_ARRAYS = {name for name in CALLS if not name.startswith(("scipy.optimize.", "scipy.sparse."))}
"""All but SciPy's searches and its sparse matrices, which are arrays of its own."""


def test_how_many_functions_pass():
    """At least 310, and nine of ten: `test_a_function_at_foreign_arrays` holds each of them against the list."""
    passing = len(OF_ARRAYS - LACKING.keys() - OF_FLOATS.keys())
    assert passing >= 310
    assert passing >= 0.9 * len(OF_ARRAYS)


def test_a_library_that_refuses_plain_arrays_beside_its_own(monkeypatch):
    """CuPy's way: rules bring none, and of the samples a few do, in lists; no number is another one."""
    monkeypatch.setitem(foreign_array.BESIDE, "host", False)
    for mode in MODES:
        assert sum(passes(mode, name) for name in OF_ARRAYS - LACKING.keys()) >= 0.92 * len(OF_ARRAYS - LACKING.keys())


def test_of_elements_assigned_twice_the_last_wins(monkeypatch):
    """Also where the library writes them in another order, as a GPU may."""
    plainly = Foreign.__setitem__

    def backwards(self, index, value):
        if isinstance(index, Foreign) and index.dtype.kind == "i" and isinstance(value, Foreign):
            index, value = index[::-1], value[::-1]
        plainly(self, index, value)

    def f(x, i):
        y = np.zeros_like(x)
        y[i] = x * x
        return np.sum(y * np.arange(1.0, 4.0, like=x))

    monkeypatch.setattr(Foreign, "__setitem__", backwards)
    np.testing.assert_allclose(grad(f)(foreign(X), foreign(I)).host, grad(f)(X, I))
    assert float(value_of(f(foreign(X), foreign(I)))) != f(X, I)  # the library itself
    assert float(value_and_grad(f)(foreign(X), foreign(I))[0]) == f(X, I)


# --------------------------------------------------------------------------------------------- indices

X, I, W = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([1.0, 10.0, 100.0])


def filled(make):
    def f(x, i, w):
        z = np.zeros_like(x)
        make(z, i, x)
        return np.sum(z * w)

    return f


INDEXED = {
    "x[i]": lambda x, i, w: np.sum(x[i] * w),
    "x[i, 0]": lambda x, i, w: np.sum(np.reshape(x, (3, 1))[i, 0] * w),
    "of a view": lambda x, i, w: np.sum(np.stack([x, 2 * x]).T[i].T * w),
    "twice": lambda x, i, w: np.sum(x[i][i] * w) + np.sum(x[i] * x),
    "take": lambda x, i, w: np.sum(np.take(x, i) * w),
    "take_along_axis": lambda x, i, w: np.sum(np.take_along_axis(x, i, 0) * w),
    "a mask": lambda x, i, w: np.sum((x * w)[x > 1.5] ** 2),
    "assigned": filled(lambda z, i, x: z.__setitem__(i, x)),
    "added": filled(lambda z, i, x: np.add.at(z, i, x)),
    "multiplied": filled(lambda z, i, x: (z.__setitem__(..., x), np.multiply.at(z, i, x))),
    "put": filled(lambda z, i, x: np.put(z, i, x)),
    "of stretches": lambda x, i, w: np.sum(np.add.reduceat(x, i) * w),
    "counted": lambda x, i, w: np.sum(np.bincount(i, x * w) ** 2),
    "argsort": lambda x, i, w: np.sum(x[np.argsort(-x)] * w),
}


@pytest.mark.parametrize("name", INDEXED)
def test_no_adjoint_is_lost_where_an_element_is_chosen_twice(name):
    f = INDEXED[name]
    for order in (f, lambda x, i, w: np.sum(grad(f)(x * x, i, w) ** 2)):
        expected = grad(order)(X, I, W)
        found = grad(order)(*map(foreign, (X, I, W)))
        assert type(found) is Foreign
        np.testing.assert_allclose(found.host, expected)
        along = jvp(lambda x, order=order: order(x, foreign(I), foreign(W)), [foreign(X)], [foreign(W)])[1]
        np.testing.assert_allclose(along.host, np.sum(expected * W))


def test_an_index_that_changes_later_is_as_it_was():
    def f(x, i):
        y = x[i]
        i[0] = 2
        return np.sum(y * x)

    np.testing.assert_allclose(grad(f)(foreign(X), foreign(I)).host, grad(f)(X, I.copy()))


def test_writing_through_a_view_writes_the_array():
    def f(x):
        y = np.stack([x, 2 * x])
        y.T[0] = x[1] * x[1:]
        y[1:].real[0, 1] = x[0]
        return np.sum(y**3)

    np.testing.assert_allclose(grad(f)(foreign(X)).host, grad(f)(X))
    np.testing.assert_allclose(jvp(f, [foreign(X)], [foreign(W)])[1].host, jvp(f, [X], [W])[1])


def test_elements_go_in_the_order_of_memory():
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    for order in "CFKA":
        f = lambda x, order=order: np.ravel(x, order) * np.arange(6.0)
        value, tangent = jvp(f, [Foreign(x)], [Foreign(x)])
        np.testing.assert_array_equal(value.host, f(x))
        np.testing.assert_array_equal(tangent.host, f(x))


# --------------------------------------------------------------------------------------------- zeros, NaN


ZEROS = {
    "chosen": lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0)),
    "a mask": lambda x: np.sum(np.sqrt(np.abs(x)) * (x > 0)),
    "norm": lambda x: np.sqrt(np.sum((x - x) ** 2)),
    "not a number": lambda x: np.sum(np.sqrt(x - x) * x),
    "nan": lambda x: np.sum(np.log(x * np.nan)),
    "power": lambda x: np.sum(x**1.5 * (x - x) ** 0.5),
}


PARTS = {
    "elements": lambda x, a: np.sum(np.sqrt(x * x[::-1])[1:]),
    "the largest": lambda x, a: np.max(np.cbrt(x)),
    "a product": lambda x, a: np.sum(np.sqrt(a @ (x * x[2]))),
    "an infinite slope in a product": lambda x, a: np.sum((a @ np.cbrt(x))[1:]),
    "einsum": lambda x, a: np.sum(np.einsum("ij,j->i", a, np.cbrt(x))[1:]),
    "missing rows": lambda x, a: np.sum(np.where(a[:, 0] > 0, (a / (a[:, :1] > 0)) @ x, 0.0)),
}


@pytest.mark.parametrize("beside", [True, False], ids=["beside plain arrays", "alone"])
@pytest.mark.parametrize("name", [*ZEROS, *PARTS])
@pytest.mark.filterwarnings("ignore")
def test_zeros_are_told_apart_as_at_plain_arrays(name, beside, monkeypatch):
    """Also where no plain array may stand beside those of the library, as with CuPy."""
    monkeypatch.setitem(foreign_array.BESIDE, "host", beside)
    x, a = np.array([0.0, -1.0, 4.0]), np.array([[3.0, 3.0, 2.0], [0.0, 1.0, 2.0]])
    f = ZEROS[name] if name in ZEROS else lambda x: PARTS[name](x, foreign(a) if is_foreign(type(value_of(x))) else a)
    np.testing.assert_allclose(grad(f)(foreign(x)).host, grad(f)(x), rtol=1e-14)
    np.testing.assert_allclose(jvp(f, [foreign(x)], [foreign(W)])[1].host, jvp(f, [x], [W])[1], rtol=1e-14)


# --------------------------------------------------------------------------------------------- second derivatives


SECOND = {
    "sin": lambda x: np.sum(np.sin(x) * x**3),
    "product": lambda x: np.prod(x) * x[0],
    "sort": lambda x: np.sum(np.sort(-x) ** 2 * x),
    "outer": lambda x: np.linalg.det(np.outer(x, x) + np.diag(x)),
    "matmul": lambda x: x @ np.cos(np.outer(x, x)) @ x,
    "concatenate": lambda x: np.sum(np.cumsum(np.concatenate([x, x[1:] * x[0]])) ** 2),
    "max": lambda x: np.max(x) * np.mean(x**2),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name):
    f = SECOND[name]
    ways = {
        "reverse over reverse": lambda x, v: grad(lambda x: np.sum(grad(f)(x) * v))(x),
        "forward over reverse": lambda x, v: jvp(grad(f), [x], [v])[1],
        "reverse over forward": lambda x, v: grad(lambda x: jvp(f, [x], [v])[1])(x),
        "forward over forward": lambda x, v: jacfwd(lambda x: jvp(f, [x], [v])[1])(x),
        "hessian": lambda x, v: hessian(f)(x),
        "mixed partial": lambda x, v: derivative(f, (0, 0), [x]),
        "rows": lambda x, v: jacrev(grad(f))(x),
    }
    for way, second in ways.items():
        found = second(foreign(X), foreign(W))
        assert type(found) is Foreign, way
        np.testing.assert_allclose(found.host, second(X, W), 1e-12, 1e-9, err_msg=way)


# --------------------------------------------------------------------------------------------- constants, mixtures


def test_captured_arrays_are_constants_as_they_were():
    c = foreign(W)
    value, pullback = vjp(lambda x: x * c, foreign(X))
    c[0] = 7.0
    np.testing.assert_array_equal(value.host, X * W)
    np.testing.assert_array_equal(pullback(foreign(X))[0].host, X * W)

    def changing(x):
        c, y = foreign(W), x
        for factor in (2.0, 3.0):
            y = y * c
            c[...] = c * factor
        return np.sum(y)

    np.testing.assert_array_equal(grad(changing)(foreign(X)).host, 2.0 * W**2)


def test_results_and_arguments_are_nobody_elses():
    x = foreign(X)
    value, pullback = vjp(lambda x: x, x)
    x[0] = 7.0
    np.testing.assert_array_equal(value.host, X)
    g = foreign(W)
    (adjoint,) = pullback(g)
    adjoint[0] = 7.0
    np.testing.assert_array_equal(g.host, W)

    def shown(x):
        value_of(x)[0] = 7.0
        return np.sum(x**2)

    np.testing.assert_array_equal(grad(shown)(foreign(X)).host, 2.0 * X)


def test_an_argument_written_by_another_name_is_an_error():
    x = foreign(X)

    def f(y):
        x[0] = 7.0
        return np.sum(y**2)

    with pytest.raises(RuntimeError, match="by another name"):
        grad(f)(x)


def test_mixtures_are_what_the_protocols_make_of_them():
    f = lambda x, y: np.sum(x * np.sin(y))
    for x, y in ((foreign(X), W), (X, foreign(W)), (2.0, foreign(W)), (foreign(X), 2.0)):
        expected = grad(f, (0, 1))(*(host(v) if isinstance(v, Foreign) else v for v in (x, y)))
        for found, there, given in zip(grad(f, (0, 1))(x, y), expected, (x, y), strict=True):
            assert isinstance(found, Foreign) or not isinstance(given, Foreign)
            np.testing.assert_allclose(host(found), there)
        assert type(jvp(f, (x, y), (x, y))[0]) is Foreign


def test_a_plain_cotangent_is_taken_over():
    for g in (W, W.tolist()):
        found = vjp(lambda x: np.stack([x, x])[0], foreign(X))[1](g)[0]
        assert type(found) is Foreign
        np.testing.assert_array_equal(found.host, W)
    assert type(jvp(np.sin, [foreign(X)], [W])[1]) is Foreign


def test_precision_and_structure():
    single = Foreign(X.astype(np.float32))
    assert grad(lambda x: np.sum(np.sin(x) * x))(single).dtype == np.float32
    value, partials = value_and_grad(lambda p: np.sum(p["a"] * p["b"][0]))({"a": foreign(X), "b": [foreign(W)]})
    assert float(value) == X @ W
    np.testing.assert_array_equal(partials["b"][0].host, X)
    z = np.array([1.0 + 2.0j, 3.0])
    f = lambda z: np.sum(np.abs(z) ** 2)
    np.testing.assert_allclose(grad(f)(foreign(z)).host, grad(f)(z))


@pytest.mark.parametrize("dtype", [np.float32, float, complex, int])
@pytest.mark.parametrize("x", [[1.0, 2.0], 3.0, []], ids=["a vector", "no axes", "empty"])
def test_derivatives_have_shape_and_precision_of_those_at_plain_arrays(x, dtype):
    f = lambda x: np.sum(np.abs(np.sin(x) * x))
    x = np.array(x, dtype)
    for way in (grad(f), jacfwd(np.sin), jacrev(np.sin), lambda x: jvp(f, [x], [x])[1], lambda x: vjp(np.sin, x)[0]):
        found = way(foreign(x))
        assert type(found) is Foreign
        assert_same(found, way(x))


def test_variables_made_by_hand():
    def step(make):
        x, gradients = make(X), []
        v = Variable(x)
        x[0] = 9.0  # the Variable has a copy
        for _ in range(2):
            y = np.sum(v[make(I)] * v**2)
            v.data -= 0.5 * make(W)  # y is of before
            v.zero_grad()
            y.backward()
            gradients.append(v.grad)
        y.compute_gradients()
        return *gradients, y.gradient

    for found, expected in zip(step(foreign), step(np.array), strict=True):
        assert type(found) is Foreign
        assert_same(found, expected)


RULES = {
    "elementwise": custom.elementwise(lambda x, z: 2 * x),
    "linear": custom.linear(lambda g, x: g),
    "smooth": custom.smooth(lambda dx, z, x: 2 * x * dx),
}


@pytest.mark.parametrize("kind", RULES)
def test_rules_of_ones_own(kind):
    given = RULES[kind](lambda x: x if kind == "linear" else x * x)
    f = lambda x: np.sum(given(x) * x)
    for found, expected in (
        (grad(f)(foreign(X)), grad(f)(X)),
        (jvp(f, [foreign(X)], [foreign(W)])[1], jvp(f, [X], [W])[1]),
    ):
        assert type(found) is Foreign
        assert_same(found, expected)


def test_rules_of_ones_own_of_structures():
    push = custom.smooth(lambda t, z, p: {"square": 2 * t["w"] * p["w"], "same": t["w"]})
    function = lambda p: {"square": p["w"] ** 2, "same": p["w"] * 1.0}
    linear = custom.linear(lambda g, p: {"w": 3.0 * g["square"] + g["same"]})
    for rule in (push(function), linear(lambda p: {"square": 3.0 * p["w"], "same": p["w"] * 1.0})):
        f = lambda x, rule=rule: (lambda z: np.sum(z["square"] * z["same"] * x))(rule({"w": x}))
        for found, expected in (
            (grad(f)(foreign(X)), grad(f)(X)),
            (jvp(f, [foreign(X)], [foreign(W)])[1], jvp(f, [X], [W])[1]),
        ):
            assert type(found) is Foreign
            assert_same(found, expected)


@pytest.mark.parametrize("name", ["sin", "product", "matmul", "concatenate", "max"])
def test_a_library_without_methods_of_ufuncs_and_views(name, monkeypatch):
    """Dask's way: what is asked of a library is its functions."""
    by_ufunc = Foreign.__array_ufunc__
    monkeypatch.delattr(Foreign, "strides")
    monkeypatch.setattr(
        Foreign,
        "__array_ufunc__",
        lambda self, ufunc, method, *inputs, **keywords: (
            by_ufunc(self, ufunc, method, *inputs, **keywords) if method == "__call__" else NotImplemented
        ),
    )
    f = SECOND[name]
    assert_same(grad(f)(foreign(X)), grad(f)(X))
    assert_same(hessian(f)(foreign(X)), hessian(f)(X))


def test_arrays_are_made_like_numbers():
    def f(x):
        z = np.zeros(3, like=x)
        z[0], z[1:] = x[1], x[:2] ** 2
        return np.sum(z * np.array([x[0], 2.0, x[2] * x[1]], like=x) * np.full(3, x[0], like=x))

    np.testing.assert_allclose(grad(f)(foreign(X)).host, grad(f)(X))
    np.testing.assert_allclose(jacfwd(f)(foreign(X)).host, jacfwd(f)(X))


def test_a_recording_runs_at_other_arrays():
    f = lambda x: np.sum(x[np.argsort(x)] * np.sort(x))
    tape, _ = record(grad(f), [foreign(X)])
    np.testing.assert_allclose(tape.run([foreign(W[::-1])]).host, grad(f)(W[::-1]))


@pytest.mark.parametrize("mode", [grad, lambda f: lambda x: jvp(f, [x], [x])])
def test_what_would_convert_raises(mode):
    with pytest.raises(TypeError, match="NumPy array"):
        mode(lambda x: np.sum(np.zeros(3).__iadd__(value_of(x)) * x))(foreign(X))
    with pytest.raises(TypeError, match=r"np\.asarray"):
        mode(lambda x: np.sum(np.asarray(x)))(foreign(X))
