"""``from autodiff import numpy``: all of NumPy, and what NumPy's protocols do not reach."""

import copy
import gc
import importlib
import pickle
import threading
import weakref

import numpy
import pytest

from autodiff import Variable, derivative, grad, gradient, hessian, jacfwd, jacrev, jvp, record, value_of, vjp
from autodiff import numpy as np
from autodiff.check import check_derivative
from autodiff.numpy.polynomial import Chebyshev, Polynomial, legendre, polynomial
from dualnumbers.levels import LIVING, RUNNING

POINT = numpy.array([1.5, 0.7, 0.3])


@pytest.fixture
def no_variables():
    """As if no Variable made by hand were alive, as some of other tests may be."""
    alive = set(LIVING)
    LIVING.clear()
    yield
    LIVING.update(alive)


# ------------------------------------------------------------------------------------------ what it has


@pytest.mark.parametrize("module", ["numpy", "numpy.linalg", "numpy.fft", "numpy.polynomial", "numpy.random"])
def test_every_public_name_is_there(module):
    theirs, ours = importlib.import_module(module), np
    for part in module.split(".")[1:]:
        ours = getattr(ours, part)
    assert {name for name in dir(theirs) if not name.startswith("_")} <= set(dir(ours))
    for name in dir(theirs):
        if not name.startswith("_"):
            assert getattr(ours, name) is not None or getattr(theirs, name) is None


OURS = ("ndenumerate", "vectorize")


def test_what_needs_no_other_is_numpys_own():
    for name in dir(numpy):
        value = getattr(numpy, name)
        if isinstance(value, (numpy.ufunc, numpy.dtype)) or (isinstance(value, type) and name not in OURS):
            assert getattr(np, name) is value, name


def test_submodules_are_imported_by_name():
    assert importlib.import_module("autodiff.numpy.polynomial.chebyshev").Chebyshev is Chebyshev
    assert importlib.import_module("autodiff.numpy.linalg") is np.linalg
    with pytest.raises(AttributeError, match=r"autodiff\.numpy.*no attribute 'nothing'"):
        _ = np.nothing


# ------------------------------------------------------------------------------------------ outside

OUTSIDE = {
    "zeros": lambda m: m.zeros(3),
    "ones": lambda m: m.ones((2, 2), dtype="f4"),
    "full": lambda m: m.full(3, 2),
    "array": lambda m: m.array([1, 2.5]),
    "asarray": lambda m: m.asarray([1, 2]),
    "ascontiguousarray": lambda m: m.ascontiguousarray(3.0),
    "arange": lambda m: m.arange(1, 2, 0.25),
    "r_": lambda m: m.r_[0:1:3j, 5, [1, 2]],
    "c_": lambda m: m.c_[[1.0, 2.0], [3.0, 4.0]],
    "mgrid": lambda m: m.mgrid[0:2, 0:3],
    "ogrid": lambda m: m.ogrid[0:1:3j, 0:3][0],
    "mean": lambda m: m.mean([1.0, 2.0]),
    "median": lambda m: m.median([1.0, 2.0, 4.0]),
    "vectorize": lambda m: m.vectorize(lambda x, y=2: x + y)([1, 2], y=0.5),
    "frompyfunc": lambda m: m.frompyfunc(lambda x: x + 1, 1, 1)(numpy.arange(3)),
    "fromiter": lambda m: m.fromiter(range(4), float, 3),
    "zeros_like": lambda m: m.zeros_like([1, 2]),
    "full_like": lambda m: m.full_like(numpy.ones(2), 3),
    "apply_along_axis": lambda m: m.apply_along_axis(sorted, 1, numpy.array([[2, 1], [4, 3]])),
    "norm": lambda m: m.linalg.norm([3.0, 4.0]),
    "polyval": lambda m: m.polynomial.Polynomial([1.0, 2.0])(numpy.arange(3.0)),
    "fft": lambda m: m.fft.fft([1.0, 2.0]),
}


@pytest.mark.usefixtures("no_variables")
@pytest.mark.parametrize("name", OUTSIDE)
def test_outside_values_and_types_are_numpys(name):
    ours, theirs = OUTSIDE[name](np), OUTSIDE[name](numpy)
    assert type(ours) is type(theirs)
    assert numpy.asarray(ours).dtype == numpy.asarray(theirs).dtype
    numpy.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("no_variables")
def test_another_thread_is_outside():
    kinds = []

    def f(x):
        thread = threading.Thread(target=lambda: kinds.append(type(np.zeros(2))))
        thread.start()
        thread.join()
        kinds.append(type(np.zeros(2)))
        return x

    derivative(f, 0, [1.0])
    assert kinds[0] is numpy.ndarray
    assert kinds[1] is not numpy.ndarray


@pytest.mark.usefixtures("no_variables")
def test_nothing_stays_after_an_error():
    def fails(x):
        raise KeyError

    for of in (lambda: derivative(fails, 0, [1.0]), lambda: jvp(fails, [1.0], [1.0]), lambda: grad(fails)(1.0)):
        with pytest.raises(KeyError):
            of()
    assert not RUNNING
    w = Variable(1.0)
    assert type(np.zeros(2)) is not numpy.ndarray
    del w
    assert type(np.zeros(2)) is numpy.ndarray


# ------------------------------------------------------------------------------------------ inside


def assigned(y, index, value):
    y[index] = value
    return y


def filled_by_views(x):
    y = np.zeros((2, 3))
    row, column, flat = y[1], y.T[0], np.ravel(y)
    row[:] = x
    column[0] = x[0] * x[1]
    flat[1:3] = x[:2] ** 2
    y *= x[2]
    row += 1.0
    return y @ x + row[0]


def filled_by_a_loop(x):
    y = np.empty(5)
    y[0] = x[0]
    for k in range(1, 5):
        y[k] = np.sin(y[k - 1]) * x[k % 3]
    y[1:] -= y[:-1]
    return y


def written_by_functions(x):
    y, z = np.empty(3), np.ones((3, 3))
    np.copyto(y, x)
    np.fill_diagonal(z, x * y)
    np.put(z, [1, 2], x[:2])
    np.multiply(z, y, out=z)
    np.add.at(y, [0, 0, 1], x)
    np.sum(z, axis=0, out=y, where=[True, False, True])
    return z + y


INSIDE = {
    "array": lambda x: np.array([[x[0], 2.0], [x[1], x[2] * x[0]]]) @ np.array([1.0, 2.0]),
    "array of one": lambda x: np.array(x[0], ndmin=2),
    "asarray": lambda x: np.asarray(x) * np.asanyarray([x[0], 1, x[1]]),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x[0]) * np.asfortranarray(x) * np.require(x, float, "C"),
    "asarray_chkfinite": lambda x: np.asarray_chkfinite([x[0], x[1]]),
    "by views": filled_by_views,
    "by a loop": filled_by_a_loop,
    "by functions": written_by_functions,
    "augmented": lambda x: np.ones(3).__iadd__(x),
    "a copy": lambda x: assigned(np.array([1.0, 2.0, 3.0]), slice(1, None), x[:2]) * numpy.arange(3.0),
    "of a result": lambda x: assigned(np.ones(3) * 2.0 + np.eye(3)[0], 1, x[0]),
    "zeros_like": lambda x: assigned(np.zeros_like(x), 0, x[1]) + assigned(np.ones_like([1.0, 2.0, 3.0]), 1, x[0]),
    "full": lambda x: np.full(3, x[0]) * x + np.full((2, 3), [x[0], 1.0, x[2]]),
    "full_like": lambda x: np.full_like(numpy.ones(3), x[0]),
    "r_": lambda x: np.r_[x[0], x, 1:3, 0.5],
    "r_ by rows": lambda x: np.r_["0,2", x, x**2],
    "c_": lambda x: np.c_[x, x**2, [1.0, 2.0, 3.0]],
    "r_ of lists": lambda x: np.r_[np.c_[np.outer(x, x), x], [[1.0, x[0], 2.0, 3.0]], [np.r_[x, 1.0]]],
    "mgrid": lambda x: np.mgrid[0 : x[0] : 4j, x[1] : 1 : 3j],
    "mgrid of one": lambda x: np.mgrid[x[2] : x[0] : 4j],
    "ogrid": lambda x: np.ogrid[0 : x[0] : 4j, 0 : x[2] : 2j][1],
    "arange": lambda x: np.arange(0, x[0], 0.4) * np.arange(x[0], x[0] + 3.5 * x[2], x[2]),
    "mean": lambda x: np.mean([x[0], x[1] ** 2, 3.0]),
    "std": lambda x: np.std([x[0], x[1] ** 2, 3.0]),
    "var": lambda x: np.var([[x[0], x[1] ** 2], [3.0, x[2]]], axis=0, ddof=1),
    "median": lambda x: np.median([x[0], x[1] ** 2, 3.0]),
    "norm": lambda x: np.linalg.norm([x[0], x[1]]),
    "solve": lambda x: np.linalg.solve([[x[0], 1.0], [2.0, x[1]]], [x[2], 1.0]),
    "det": lambda x: np.linalg.det([[x[0], 1.0], [2.0, x[1]]]),
    "concatenate": lambda x: np.concatenate([[x[0]], [1.0, x[1]], x]),
    "block": lambda x: np.block([[x[0], x[1]], [1.0, x[2]]]),
    "einsum": lambda x: np.einsum("i,i->", [x[0], x[1]], [x[1], 2.0]),
    "where": lambda x: np.where([True, False], [x[0], x[1]], [1.0, 2.0]),
    "interp": lambda x: np.interp(0.5, [0.0, 1.0], [x[0], x[1]]),
    "quantile": lambda x: np.quantile([x[0], x[1], x[2]], 0.4),
    "fft": lambda x: np.real(np.fft.fft([x[0], x[1], 2.0])),
    "vectorize": lambda x: np.vectorize(lambda a, b: a * b if a > 1 else a**2)(x, [[2.0], [3.0]]),
    "vectorize, excluded": lambda x: np.vectorize(lambda a, p: p[0] * a + p[1], excluded=["p"])(POINT, p=x),
    "vectorize, two results": lambda x: np.vectorize(lambda a: (a, a * a))(x)[1],
    "vectorize, a closure": lambda x: np.vectorize(lambda a: a * x[0])([1.0, 2.0]),
    "vectorize, elements": lambda x: np.vectorize(lambda a, b: a * b * np.isfinite(b))(x, 2.0),
    "of arrays that were made": lambda x: (
        np.c_[np.kron([1.0, 2.0], [1.0, 2.0, 3.0])[:3], x] * np.array(np.ones(3), ndmin=2).T
    ),
    "array, copied if needed": lambda x: (
        np.array(x, copy=np._CopyMode.IF_NEEDED) * np.array(x, copy=np._CopyMode.ALWAYS)
    ),
    "frompyfunc": lambda x: np.frompyfunc(lambda a, b: a * b + 1, 2, 1)(x, x[::-1]) * 1.0,
    "fromiter": lambda x: np.fromiter((v * v for v in x), float, 2),
    "apply_along_axis": lambda x: np.apply_along_axis(lambda row: row[:2] * x[0], 1, numpy.ones((2, 3))),
    "Polynomial": lambda x: Polynomial([1.0, 2.0, 3.0])(x),
    "Polynomial of numbers": lambda x: np.stack([(Polynomial(x) ** 2)(x[0]), Polynomial(x).deriv().integ(1)(0.3)]),
    "Polynomial.fit": lambda x: Polynomial.fit(numpy.arange(4.0), [x[0], x[1], x[2], 1.0], 2)(0.7),
    "Polynomial, roots": lambda x: Polynomial([-x[1], x[0], 1.0]).roots(),
    "Chebyshev": lambda x: Chebyshev(x, domain=[x[2] - 1.0, x[0]])(0.1),
    "legval": lambda x: legendre.legval(x, [1.0, x[0], 3.0]),
    "polymul": lambda x: polynomial.polymul(x, [1.0, x[0]]),
}


@pytest.mark.parametrize("name", INSIDE)
def test_inside_forward_reverse_and_differences_agree(name):
    f = INSIDE[name]
    numpy.testing.assert_allclose(value_of(jvp(f, [POINT], [POINT])[0]), _plain(f(POINT)), rtol=1e-15, atol=1e-15)
    forward, reverse = jacfwd(f)(POINT), jacrev(f)(POINT)
    assert numpy.any(forward)
    numpy.testing.assert_allclose(forward, reverse, rtol=1e-11, atol=1e-12)
    assert check_derivative(lambda x: _plain(f(x)), 0, [POINT], forward)


def _plain(value):
    """What NumPy gives as objects, as numbers."""
    return value.astype(float) if getattr(value, "dtype", numpy.dtype(float)).char == "O" else value


@pytest.mark.parametrize("name", INSIDE)
def test_inside_of_second_order_and_by_hand(name):
    f = INSIDE[name]

    def total(x):
        return np.sum(np.asarray(f(x)) ** 2)

    second = hessian(total)(POINT)
    numpy.testing.assert_allclose(second, jacfwd(grad(total))(POINT), rtol=1e-9, atol=1e-9)
    assert check_derivative(grad(total), 0, [POINT], second)
    x = Variable(POINT)
    total(x).backward()
    numpy.testing.assert_allclose(x.grad, grad(total)(POINT), rtol=1e-11, atol=1e-12)


def test_a_broadcast_array_is_plain_and_warns_of_nothing():
    def f(x):
        for given in ((0.1, numpy.ones(1)), (np.zeros(1), numpy.ones((2, 1))), (numpy.zeros(0), 1.0)):
            shown = np.broadcast_arrays(*given)
            assert [z.shape for z in shown] == [z.shape for z in numpy.broadcast_arrays(*map(numpy.asarray, given))]
        return x

    assert jvp(f, [1.0], [1.0])[1] == 1.0


def test_elements_are_taken_and_lie_in_the_order_of_memory():
    x, y = numpy.arange(1.0, 7.0).reshape(3, 2).T, numpy.arange(2.0, 8.0).reshape(2, 3)
    for map_elements in (np.vectorize, lambda f: np.frompyfunc(f, 2, 1)):
        for given in ((x, x), (x, 1.5), (x, x[:, :1]), (y, y), (y, y[0]), (x, y)):
            orders, layouts = [], []

            def f(*arguments):
                seen = []
                z = map_elements(lambda a, b: seen.append(value_of(a)) or a * b)(*arguments)  # noqa: B023
                orders.append(seen[-x.size :])  # noqa: B023
                layouts.append([numpy.argsort(value_of(z).strides).tolist(), value_of(z).flags.c_contiguous])  # noqa: B023
                return z

            f(*given)
            jvp(f, given, given)
            vjp(f, *given)
            assert orders[0] == orders[1] == orders[2]
            assert layouts[0] == layouts[1] == layouts[2]


def test_an_array_of_an_outer_function_takes_numbers_of_an_inner_one():
    """2 x (x y)² at y = x² by y, and that by x."""

    def outer(x):
        y = np.zeros(2)

        def inner(t):
            y[0], y[1] = t * x, x
            return np.sum(y**2)

        return derivative(inner, 0, [x**2])

    assert derivative(outer, 0, [2.0]) == pytest.approx(64.0)
    assert grad(outer)(2.0) == pytest.approx(64.0)


def filled_by_an_inner_one(x):
    y = np.zeros(2)
    part = y[:1]

    def inner(t):
        part[0], y[1] = t * x, x
        return np.sum(y**2)

    return derivative(inner, 0, [x]) + derivative(inner, 0, [2 * x]) + np.sum(part * y)


def read_after_an_inner_one(x):
    y = np.zeros(2)

    def inner(t):
        y[0] = t * x
        return y[0] ** 2

    z = gradient(inner, [x])[0] + y[0]
    y[1] = x * z
    return y


INNER = {
    "filled twice": (filled_by_an_inner_one, lambda x: 6 * x**3 + (2 * x**2) ** 2 + 2 * x**3),
    "read after": (read_after_an_inner_one, lambda x: np.stack([x**2, 2 * x**4 + x**3])),
    "filled by Jacobians": (
        lambda x: assigned(np.ones(2), 0, jacfwd(lambda t: np.sum(assigned(np.zeros(2), 1, t * t * x)))(x)),
        lambda x: np.stack([2 * x**2, 1.0 + 0 * x]),
    ),
}


@pytest.mark.parametrize("name", INNER)
def test_an_array_that_an_inner_differentiation_filled_goes_on(name):
    f, formula = INNER[name]
    numpy.testing.assert_allclose(jvp(f, [1.5], [1.0])[0], formula(1.5), rtol=1e-15)
    for derivative_of in (jacfwd, jacrev, lambda g: jacfwd(jacrev(g)), lambda g: jacrev(jacfwd(g))):
        numpy.testing.assert_allclose(derivative_of(f)(1.5), derivative_of(formula)(1.5), rtol=1e-13)


VIEWS = {
    "diag": lambda y: np.diag(y),
    "einsum": lambda y: np.einsum("ii->i", y),
    "slice": lambda y: y.T[1:],
    "ascontiguousarray": lambda y: np.ascontiguousarray(y),
    "array": lambda y: np.array(y, copy=None, ndmin=3),
    "real_if_close": lambda y: np.real_if_close(y),
    "view": lambda y: y.view()[1],
    "split": lambda y: np.split(y, 2)[1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_an_array_of_outer_numbers_show_inner_ones(name):
    """Σ q² by t, at t = x, of which only y₁₁ = t x depends on t: 2 x³."""

    def f(x):
        y = np.zeros((2, 2))
        y[0, 0] = x
        q = VIEWS[name](y)

        def inner(t):
            y[1, 1] = t * x
            return np.sum(q * q)

        return derivative(inner, 0, [x])

    assert jvp(f, [1.5], [1.0]) == (6.75, 13.5)
    assert grad(f)(1.5) == 13.5
    assert hessian(f)(1.5) == 18.0


def test_the_value_of_such_an_array_is_its_value_now():
    def f(x):
        y = np.zeros(2)
        before = value_of(y)
        y[0] = x
        return y[0] + before[0]

    assert jvp(f, [2.0], [1.0]) == (2.0, 1.0)


TARGETS = {
    "sum": lambda m, o: m.sum(m.ones((3, 3)), axis=0, out=o),
    "mean": lambda m, o: m.mean(m.ones((3, 3)), axis=0, out=o),
    "std": lambda m, o: m.std(m.eye(3), axis=0, out=o),
    "cumsum": lambda m, o: m.cumsum(m.ones(3), out=o),
    "cumsum by place": lambda m, o: m.cumsum(m.ones(3), 0, None, o),
    "dot": lambda m, o: m.dot(m.eye(3), m.ones(3), out=o),
    "dot by place": lambda m, o: m.dot(m.eye(3), m.ones(3), o),
    "matmul": lambda m, o: m.matmul(m.eye(3), m.ones(3), out=o),
    "einsum": lambda m, o: m.einsum("ij->i", m.ones((3, 3)), out=o),
    "take": lambda m, o: m.take(m.ones(3), [0, 1, 2], out=o),
    "concatenate": lambda m, o: m.concatenate([m.ones(1), m.ones(2)], out=o),
    "stack": lambda m, o: m.stack([1.0, 2.0, 3.0], out=o),
    "clip": lambda m, o: m.clip(m.ones(3), 0, 0.5, out=o),
    "round": lambda m, o: m.round(m.ones(3) * 1.25, 1, out=o),
    "median": lambda m, o: m.median(m.eye(3), axis=0, out=o),
    "quantile": lambda m, o: m.quantile(m.eye(3), 0.9, axis=0, out=o),
    "max": lambda m, o: m.max(m.eye(3), axis=0, out=o),
    "prod": lambda m, o: m.prod(m.ones((3, 3)), axis=0, out=o),
    "choose": lambda m, o: m.choose([0, 0, 0], [m.ones(3)], out=o),
    "compress": lambda m, o: m.compress([True] * 3, m.ones(3), out=o),
    "nanmean": lambda m, o: m.nanmean(m.ones((3, 3)), axis=0, out=o),
    "trace": lambda m, o: m.trace(m.ones((2, 2, 3)), out=o),
    "ptp": lambda m, o: m.ptp(m.eye(3), axis=0, out=o),
    "ufunc": lambda m, o: m.add(m.ones(3), 1.0, o),
    "copyto": lambda m, o: m.copyto(o, m.ones(3)),
    "put": lambda m, o: m.put(o, [0, 2], m.ones(2)),
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("module", [numpy, np])
def test_what_holds_no_number_is_computed_into_any_array(name, module):
    def f(x):
        target, filled = module.zeros(3), np.zeros(3)
        result = TARGETS[name](np, target)
        assert result is target or result is None
        filled[0] = x
        TARGETS[name](np, filled)
        return np.sum(target) * x + np.sum(filled)

    plain = numpy.zeros(3)
    TARGETS[name](numpy, plain)
    total = numpy.sum(plain)
    for mode in (lambda: jvp(f, [2.0], [1.0]), lambda: (f(2.0), grad(f)(2.0))):
        assert mode() == (3 * total, total)


ORDERS = {
    "array": lambda x: np.array(x, order="F"),
    "array of rows": lambda x: np.array([[x[0, 0], 1.0], [2.0, x[1, 0]]], order="F"),
    "array, kept": lambda x: np.array(x.T),
    "array in C": lambda x: np.array(x.T, order="C"),
    "array, either": lambda x: np.array(x.T, order="A"),
    "array without a copy": lambda x: np.array(x, copy=None, order="F"),
    "asarray": lambda x: np.asarray(x, order="F"),
    "asarray by place": lambda x: np.asarray(x, None, "F"),
    "asanyarray": lambda x: np.asanyarray(a=[x[0], x[1]], order="F"),
    "asarray_chkfinite": lambda x: np.asarray_chkfinite(x, float, "F"),
    "asfortranarray": lambda x: np.asfortranarray(x.tolist() if type(x) is numpy.ndarray else list(x)),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x.T),
    "require": lambda x: np.require(x, None, "F"),
    "require C": lambda x: np.require(x.T, None, ["C", "O"]),
    "copy": lambda x: np.copy(x, order="F"),
    "copy of lists": lambda x: np.copy([[x[0, 0], 1.0], [2.0, x[1, 0]]], order="F"),
    "full": lambda x: np.full((2, 2), [x[0, 0], 1.0], order="F"),
    "full_like": lambda x: np.full_like(numpy.ones((2, 2)), x[0, 0], order="F") * [[1.0, 2.0], [3.0, 4.0]],
    "filled": lambda x: assigned(np.zeros((2, 2), order="F"), (0, 1), x[0, 0]),
}


@pytest.mark.parametrize("name", ORDERS)
def test_arrays_lie_in_memory_as_asked_for(name):
    point = numpy.array([[0.5, 1.5], [2.5, 3.5]])

    def f(x):
        y = ORDERS[name](x)
        return np.concatenate([y.ravel("K"), [y.flags.c_contiguous, y.flags.f_contiguous]])

    for found in (jvp(f, [point], [point])[0], f(Variable(point)).data):
        numpy.testing.assert_array_equal(found, f(point))


@pytest.mark.parametrize("x", [1.5, numpy.float64(1.5), numpy.float32(1.5)])
def test_of_a_number_they_make_an_array_of_no_axes(x):
    for function in (np.array, np.asarray, np.asanyarray, np.copy, np.require, np.asfortranarray, np.asarray_chkfinite):
        for found in (jvp(function, [x], [x]), (vjp(function, x)[0],), (value_of(function(Variable(x))),)):
            assert [(type(z), z.dtype, z.shape) for z in found] == [(numpy.ndarray, function(x).dtype, ())] * len(found)


def test_no_argument_is_taken_and_ignored():
    def calls(x):
        for call in (
            lambda: np.array([x], copy=False),
            lambda: np.asarray([x], copy=False),
            lambda: np.array([x], nothing=1),
            lambda: np.asarray([x], device="gpu"),
            lambda: np.require([x], None, ["C", "F"]),
            lambda: np.asarray_chkfinite([x, numpy.inf]),
        ):
            with pytest.raises((TypeError, ValueError)):
                call()
        return x

    assert calls(1.0) == 1.0
    assert jvp(calls, [1.0], [1.0]) == (1.0, 1.0)


def test_fromiter_takes_as_many_as_it_is_to():
    def f(x):
        given = iter([1.0, x, x * x, 4.0, 5.0])
        first = np.fromiter(given, float, 2)
        return np.concatenate([first, [next(given)], np.fromiter(given, float, count=2)])

    numpy.testing.assert_array_equal(jvp(f, [3.0], [1.0]), [f(3.0), [0.0, 1.0, 6.0, 0.0, 0.0]])
    for short in (lambda x: np.fromiter([x], float, 3), lambda x: x * np.fromiter([1.0], float, 3)[0]):
        for mode in (lambda f: f(1.0), lambda f: jvp(f, [1.0], [1.0])):
            with pytest.raises(ValueError, match="iterator too short"):
                mode(short)


RANGES = {
    "of one": lambda x: np.arange(x),
    "of two": lambda x: np.arange(x, x + 2),
    "of three": lambda x: np.arange(x, 3.0 * x, x / 10),
    "of its end": lambda x: np.arange(0, x, 0.3),
    "of its step": lambda x: np.arange(-1.7, 4, x / 7),
    "in single precision": lambda x: np.arange(x, 9, 0.1, dtype="f4"),
    "downwards": lambda x: np.arange(step=-0.1, start=x, stop=-x),
    "of none": lambda x: np.arange(x, 0, 0.5),
    "r_": lambda x: np.r_[x:9:0.3],
    "r_ by count": lambda x: np.r_[x:9:7j],
    "mgrid": lambda x: np.mgrid[x:9:0.3],
    "mgrid of two": lambda x: np.mgrid[x:9:0.3, 0:x:0.7],
    "mgrid by count": lambda x: np.mgrid[x:9:7j],
    "ogrid": lambda x: np.ogrid[x:9:0.3, 0:1:0.1][0],
    "linspace": lambda x: np.linspace(x, 5, 7),
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges_are_numpys_to_the_last_bit(name):
    f = RANGES[name]
    for x in (1.1, 2.7, 1 / 3, 0.1):
        found = [jvp(f, [x], [1.0])[0], value_of(f(Variable(x)))]
        for value in found:
            numpy.testing.assert_array_equal(value, f(x))
            assert value.dtype == f(x).dtype


def test_vectorize_gives_all_results_the_type_of_the_first():
    x = numpy.array([-1.0, 2.5])
    for first in (0, True, numpy.int8(0)):
        f = np.vectorize(lambda t, first=first: first if t < 0 else t)
        for mode in (lambda f: jvp(f, [x], [x]), lambda f: vjp(f, x)):
            with pytest.raises(TypeError, match=r"otypes=\[float\]\) \(at .*test_namespace"):
                mode(f)
    for first in (0.0, numpy.float32(0.0)):
        f = np.vectorize(lambda t, first=first: first if t < 0 else t)
        assert jvp(f, [x], [x])[0].dtype == f(x).dtype
    plain = np.vectorize(lambda t: 0 if t < 0 else 2.5)
    numpy.testing.assert_array_equal(jvp(lambda x: plain(value_of(x)) * x, [x], [x])[0], plain(x) * x)
    assert jvp(lambda x: np.vectorize(lambda t: 2 * t)(x), [2.0], [1.0]) == (4.0, 2.0)


def test_a_ufunc_of_a_python_function_does_not_outlive_its_call():
    factors = []

    def call(x):
        factor = numpy.full(2, 3.0)
        factors.append(weakref.ref(factor))
        return np.sum(np.frompyfunc(lambda t: t * x * factor[0], 1, 1)(np.ones(2) * x))

    for _ in range(3):
        assert jvp(call, [2.0], [1.0]) == (24.0, 24.0)
        assert grad(call)(2.0) == 24.0
    gc.collect()
    assert not any(factor() is not None for factor in factors)
    assert jvp(lambda x: np.frompyfunc(lambda t: (0, t), 1, 2)(x)[1], [2.0], [1.0]) == (2.0, 1.0)
    assert type(np.frompyfunc(lambda t: t, 1, 1)(2.5)) is float


def test_ndenumerate_of_arrays_that_get_numbers_meanwhile():
    def f(x):
        y = np.ones((2, 2))
        for place, value in np.ndenumerate(y):
            y[place] = y[0, 0] * x + value
        return np.stack([value * (1 + sum(place)) for place, value in np.ndenumerate(y)])

    numpy.testing.assert_array_equal(jvp(f, [2.0], [1.0]), [f(2.0), [1.0, 2 * 5.0, 2 * 5.0, 3 * 5.0]])


def test_where_no_number_comes_it_is_as_numpys():
    """Conversions, buffers, files, C code: all that asks for a plain array."""

    def f(x):
        y = np.linspace(0.0, 1.0, 6).reshape(2, 3)
        plain = numpy.linspace(0.0, 1.0, 6).reshape(2, 3)
        assert isinstance(y, numpy.ndarray)
        assert type(numpy.asarray(y)) is numpy.ndarray
        assert y.tolist() == plain.tolist()
        assert float(y[0, 1]) == plain[0, 1]
        assert y[1:, 0].item() == plain[1, 0]
        assert repr(y) == repr(plain)
        assert f"{y[0]}" == f"{plain[0]}"
        assert y.tobytes() == plain.tobytes()
        assert y.flags.c_contiguous
        assert y.strides == plain.strides
        for other in (copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y)), y.copy(), +y, y[:, ::-1][:, ::-1]):
            assert other.shape == (2, 3)
            numpy.testing.assert_array_equal(other, plain)
        for function in (numpy.linalg.svd, numpy.cumsum, numpy.histogram, numpy.unique, numpy.array2string):
            ours, theirs = function(y), function(plain)
            for a, b in zip(ours, theirs, strict=True) if isinstance(theirs, tuple) else [(ours, theirs)]:
                numpy.testing.assert_array_equal(a, b)
        y[0] = [3.0, 1.0, 2.0]
        y[0].sort()
        y.T[0] += 1
        numpy.add(y, 1.0, out=y, where=y > 2)
        numpy.testing.assert_array_equal(y[0], [2.0, 2.0, 4.0])
        return x

    for mode in (lambda f: derivative(f, 0, [1.0]), lambda f: gradient(f, [1.0])):
        mode(f)


def test_what_holds_a_number_is_not_made_plain():
    def f(x, convert):
        y = np.zeros(2)
        y[0] = x
        return convert(y)

    for convert in (numpy.asarray, lambda y: y.tolist(), lambda y: y[:1].item(), lambda y: y.tobytes()):
        for mode in (lambda g: derivative(g, 0, [1.0]), lambda g: gradient(g, [1.0])):
            with pytest.raises((TypeError, AttributeError), match=r"lose (its|the) derivative"):
                mode(lambda x, convert=convert: f(x, convert))


def test_what_comes_out_is_plain():
    def f(x):
        y = np.zeros(2)
        y[1] = x
        return y

    def kept(x):
        return np.zeros(2) + 0.0

    assert type(jvp(f, [2.0], [1.0])[0]) is numpy.ndarray
    assert type(jvp(kept, [2.0], [1.0])[0]) is numpy.ndarray
    tape, out = record(f, [2.0])
    assert tape.outputs == [out.line]
    assert type(value_of(out)) is numpy.ndarray
    numpy.testing.assert_array_equal(jacrev(kept)(2.0), [0.0, 0.0])
    numpy.testing.assert_array_equal(grad(lambda x: (np.sum(f(x)), kept(x)), has_aux=True)(2.0)[1], [0.0, 0.0])


# ------------------------------------------------------------------------------------------ plain NumPy

LISTS = {
    "mean": numpy.mean,
    "std": lambda v: numpy.std(v, ddof=1),
    "var": numpy.var,
    "median": numpy.median,
    "nanmean": numpy.nanmean,
    "nanstd": numpy.nanstd,
    "of an axis": lambda v: numpy.mean(v, axis=0),
    "method": lambda v: numpy.array(v).std(),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("kind", [list, numpy.array])
def test_statistics_of_lists_and_of_arrays_of_objects(name, kind):
    def f(x):
        return LISTS[name](kind([x[0], x[1] ** 2, 3.0, x[2]]))

    forward = jacfwd(f)(POINT)
    numpy.testing.assert_allclose(forward, jacrev(f)(POINT), rtol=1e-13)
    assert check_derivative(f, 0, [POINT], forward)


def test_isin():
    def f(x):
        return numpy.sum(numpy.where(numpy.isin(x, [0.7, 2.0]), x**2, x))

    numpy.testing.assert_array_equal(grad(f)(POINT), [1.0, 1.4, 1.0])
    numpy.testing.assert_array_equal(jacfwd(f)(POINT), [1.0, 1.4, 1.0])


@pytest.mark.parametrize("shape", [(0,), (0, 2)])
def test_vectorize_of_no_elements(shape):
    x = numpy.zeros(shape)
    for differentiate in (lambda f: jvp(f, [x], [x]), lambda f: vjp(f, x)):
        with pytest.raises(ValueError, match="size 0"):
            differentiate(lambda x: np.vectorize(lambda q: q * q)(x))
        assert differentiate(lambda x: np.vectorize(lambda q: q * q, otypes=[float])(x) + x)[0].shape == shape
