"""The methods and keywords of NumPy's ufuncs, in both modes to second order, against plain NumPy and differences."""

import itertools
from functools import partial

import numpy as np
import pytest

from autodiff import forward, gradcheck, gradient, jacfwd, jacrev, jvp, vjp
from dualnumbers import DualNumber

X = np.array([[0.4, 1.3, 0.7], [2.1, 0.9, 1.6]])
Y = np.array([1.2, 0.5, 0.8])
MASK = np.array([[True, False, True], [False, False, True]])

ASSOCIATIVE = ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2", "hypot")
ORDERED = ("subtract", "divide", "power", "arctan2")

PRODUCTS = {
    "reduce": (ASSOCIATIVE, [(0, False), (-1, True), (None, False), ((0, 1), True)],
               lambda ufunc, axis, keepdims, x: ufunc.reduce(x, axis=axis, keepdims=keepdims)),
    "reduce in order": (("subtract", "divide"), [(1,), (0,)], lambda ufunc, axis, x: ufunc.reduce(x, axis)),
    "accumulate": (ASSOCIATIVE + ORDERED, [(0,), (1,)], lambda ufunc, axis, x: ufunc.accumulate(x, axis)),
    "reduceat": (("add", "multiply", "subtract", "maximum", "logaddexp"), [(0,), (-1,)],
                 lambda ufunc, axis, x: ufunc.reduceat(x, [0, 1, 0], axis)),
    "outer": (ASSOCIATIVE + ORDERED, [()], lambda ufunc, x: ufunc.outer(x, Y) + ufunc.outer(2.0, x)[..., None]),
}  # fmt: skip
CALLS = {
    f"{name}.{method}, {given}": partial(call, getattr(np, name), *given)
    for method, (names, arguments, call) in PRODUCTS.items()
    for name, given in itertools.product(names, arguments)
}
CALLS |= {
    "reduce, out": lambda x: np.add.reduce(x, axis=0, out=np.zeros_like(x[0])),
    "reduce, where, initial": lambda x: np.multiply.reduce(x, axis=0, where=MASK, initial=2.0),
    "reduce, dtype": lambda x: np.add.reduce(x, dtype=np.longdouble).astype(float),
    "reduce, initial": lambda x: np.maximum.reduce(x, axis=1, initial=1.5),
    "out": lambda x: np.multiply(x, Y, out=np.zeros_like(x)),
    "out, one of the operands": lambda x: out_and_again(x),
    "out, two results": lambda x: np.add(*np.modf(3.3 * x, out=(np.zeros_like(x), np.zeros_like(x)))),
    "out of plain operands": lambda x: np.add(Y, 1.0, out=np.zeros_like(x)) * x,
    "where": lambda x: np.multiply(x, Y, where=MASK, out=x * 1.0),
    "where, a pole": lambda x: np.divide(x, x - 0.7, where=X != 0.7, out=x * 1.0),
    "where, one axis": lambda x: np.exp(x, where=MASK[0], out=np.ones_like(x)),
    "dtype": lambda x: np.exp(x, dtype=np.longdouble).astype(float),
    "matmul, out": lambda x: np.matmul(x, x.T, out=np.zeros((2, 2), like=x)),
}


def out_and_again(x):
    y = x * 1.0
    np.multiply(y, y, out=y)
    np.add(y, y[::-1], out=y)
    return y


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    f = CALLS[name]
    np.testing.assert_allclose(jvp(f, [X], [X])[0], f(X), rtol=1e-15)
    np.testing.assert_allclose(vjp(f, X)[0], f(X), rtol=1e-15)
    np.testing.assert_allclose(jacrev(f)(X), jacfwd(f)(X), rtol=1e-13, atol=1e-14)
    assert gradcheck(lambda x: np.sum(f(x) ** 2), [X], order=2, raises=True)


def changed(change):
    def run(x):
        y = x * 1.0
        change(y)
        return y

    return run


AT = {
    "add": lambda y: np.add.at(y, [0, 1, 1], y[0]),
    "add, a number": lambda y: np.add.at(y, ([0, 0], [1, 1]), y[1, 2]),
    "subtract": lambda y: np.subtract.at(y, (slice(None), [0, 0, 2]), Y),
    "multiply": lambda y: np.multiply.at(y, ([0, 1, 0, 0], [1, 2, 1, 0]), Y[0] * y[0, 0]),
    "divide": lambda y: np.divide.at(y, [0, 0, 1], Y),
    "maximum": lambda y: np.maximum.at(y, ([0, 0], [0, 0]), np.array([0.1, 0.6])),
    "negative": lambda y: np.negative.at(y, ([0, 1, 1, 1], [0, 1, 1, 1])),
    "exp": lambda y: np.exp.at(y, MASK),
    "no place": lambda y: np.add.at(y, np.zeros(0, int), 1.0),
}


@pytest.mark.parametrize("name", AT)
def test_at_works_in_turn(name):
    f = changed(AT[name])
    np.testing.assert_allclose(jvp(f, [X], [X])[0], f(X), rtol=1e-15)
    np.testing.assert_allclose(vjp(f, X)[0], f(X), rtol=1e-15)
    assert gradcheck(lambda x: np.sum(f(x) ** 2), [X], order=2, raises=True)


@pytest.mark.filterwarnings("ignore:Numpy has detected:DeprecationWarning")  # v may be written, and is y
@pytest.mark.parametrize("way", [gradient, forward.gradient])
def test_add_at_into_a_view_of_an_array_without_axes(way):
    def f(y, z):
        v = np.broadcast_arrays(y, np.ones(1))[0]
        np.add.at(v, [0, 0], z * y)
        return np.sum(y)

    np.testing.assert_allclose(way(f, [np.array(-0.6), 0.8]), [1 + 2 * 0.8, 2 * -0.6])


def test_add_at_of_a_variable_into_zeros():
    def f(x):
        total = np.zeros(3, like=x)
        np.add.at(total, [2, 0, 2], x)
        return total

    assert np.array_equal(jacrev(f)(Y), [[0, 1, 0], [0, 0, 0], [1, 0, 1]])


def test_a_dual_array_made_by_hand_is_written_in_place():
    z = DualNumber(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    np.multiply.at(z, [0, 0], 3.0)
    assert np.array_equal(z.real, [9.0, 2.0])
    assert np.array_equal(z.dual, [9.0, 0.0])


REFUSED = {
    "at of a plain array": (
        lambda x: np.add.at(np.zeros(3), [0], x[0, 0]),
        r"np\.add\.at\(.*write np\.zeros\(3, like=x\)",
    ),
    "out of a plain array": (
        lambda x: np.add(x, x, out=np.zeros((2, 3))),
        r"out=.*write np\.zeros\(\(2, 3\), like=x\)",
    ),
    "where alone": (lambda x: np.exp(x, where=MASK), r"np\.exp with where=.*out=.*np\.where"),
    "where into a plain array": (
        lambda x: np.exp(x, where=MASK, out=np.zeros((2, 3))),
        r"write np\.zeros\(\(2, 3\), like=x\)",
    ),
    "an integer type": (lambda x: np.exp(x, dtype=int), r"np\.exp with dtype=int64.*value_of"),
    "casting": (lambda x: np.exp(x, casting="unsafe"), r"np\.exp with casting=.*value_of"),
    "reduce of matmul": (
        lambda x: np.matmul.reduce(x),
        r"np\.matmul\.reduce.*value_of|not defined on ufunc with signature",
    ),
    "reduce of one argument": (lambda x: np.exp.reduce(x), r"np\.exp\.reduce.*value_of|reduce only supported"),
    "where of a fold": (lambda x: np.hypot.reduce(x, where=MASK), r"np\.hypot\.reduce with where=.*value_of"),
    "initial of a fold": (lambda x: np.logaddexp.reduce(x, initial=0.0), r"np\.logaddexp\.reduce with initial="),
    "two axes of a quotient": (lambda x: np.divide.reduce(x, axis=None), r"np\.divide\.reduce takes one axis"),
    "no elements": (lambda x: np.subtract.reduce(x[:0], axis=0), r"no elements"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_is_refused(name):
    f, message = REFUSED[name]
    for derivative_of in (jacfwd, jacrev):
        with pytest.raises((TypeError, ValueError, RuntimeError), match=message):
            derivative_of(f)(X)


def test_a_logarithmic_sum_with_nothing_in_it():
    """−∞ beside finite terms has the weight 0; alone, too, not NaN."""
    f = lambda x: np.logaddexp.reduce(x)
    assert np.array_equal(gradient(f, [np.array([-np.inf, 0.0, -np.inf])])[0], [0.0, 1.0, 0.0])
    assert np.array_equal(gradient(f, [np.array([-np.inf, -np.inf])])[0], [0.0, 0.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x, v: np.add.at(x, ([0, 0, 2, 0], [1, 1, 0, 1]), v),
        lambda x, v: np.subtract.at(x, ([0, 0, 2, 0], [1, 1, 0, 1]), v),
        lambda x, v: np.add.at(x, [1, 1, 0, 1], v[:, None]),
    ],
)
def test_at_adds_one_after_the_other(f):
    """The value has NumPy's bits, which depend on the order."""

    def added(x, v):
        y = x + 0.0 * np.sum(v)
        f(y, v)
        return y

    x, v = np.random.default_rng(5).normal(size=(3, 4)), np.array([1e16, -1.4175, 0.3, -1e16])
    for by in (jvp(added, [x, v], [x, v])[0], vjp(added, x, v)[0]):
        np.testing.assert_array_equal(by, added(x, v))
    for k in (0, 1):
        np.testing.assert_allclose(jacfwd(added, k)(x, v), jacrev(added, k)(x, v))
    np.testing.assert_allclose(jvp(added, [x, v], [x, v])[1], added(x, v), rtol=1e-14)


def test_sums_between_indices_have_the_bits_of_numpy():
    x = np.random.default_rng(5).normal(size=(40, 7))
    for f in (
        lambda x: np.add.reduceat(x, [0, 30, 2, 5]),
        lambda x: np.add.reduceat(x, [3, 0], axis=1, dtype=np.float32),
    ):
        for by in (jvp(f, [x], [x])[0], vjp(f, x)[0]):
            np.testing.assert_array_equal(by, f(x))
        np.testing.assert_array_equal(jacfwd(f)(x), jacrev(f)(x))
        np.testing.assert_allclose(jvp(f, [x], [x])[1], f(x), rtol=1e-6)


@pytest.mark.parametrize("f", [
    lambda x, y: np.sum(x, axis=0, out=y), lambda x, y: np.mean(x, 0, out=y), lambda x, y: np.cumsum(x, out=y),
    lambda x, y: np.take(x, [0], out=y), lambda x, y: np.max(x, out=y), lambda x, y: np.stack([x[0], x[0]], out=y),
])  # fmt: skip
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_out_of_another_shape_is_refused(mode, f):
    x = np.random.default_rng(5).normal(size=(2, 3))
    with pytest.raises(ValueError, match=r"out|shape|dim"):
        f(x, np.zeros((4, 2, 3)))
    with pytest.raises(ValueError, match=r"out= has shape \(4, 2, 3\), the result has"):
        mode(lambda x: f(x, np.zeros((4, 2, 3), like=x)))(x)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize(("of", "to"), [((1,), ()), ((1, 2), (2,)), ((2,), (3,)), ((2,), (1,))])
def test_a_ufunc_broadcasts_to_out_and_never_the_other_way(mode, of, to):
    x = np.ones(of)
    with pytest.raises(ValueError, match=r"output|broadcast"):
        np.multiply(x, x, out=np.zeros(to))
    with pytest.raises(ValueError, match="out= has shape"):
        mode(lambda x: np.multiply(x, x, out=np.zeros(to, like=x)))(x)
    out = mode(lambda x: np.multiply(x, x, out=np.zeros((3, *of), like=x)))(x)
    assert out.shape == (3, *of, *of)
