"""Functions with derivatives of the user's own: decorators and blocks, in both modes, by hand and nested."""

import functools
import gc
import inspect
import math
import re
import weakref
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from table import JACOBIANS, nestings

import autodiff
from autodiff import (
    Block,
    SimpleBlock,
    Variable,
    checkpoint,
    derivative,
    elementwise,
    grad,
    gradcheck,
    gradient,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linear,
    locally_constant,
    multilinear,
    record,
    smooth,
    vjp,
    vmap,
)
from dualnumbers import DualNumber
from dualnumbers.table import BY_NUMPY, TABLE
from dualnumbers.table.kinds import Elementwise, Linear, Smooth


class sin(SimpleBlock):  # noqa: N801
    def data_fn(self, x):
        return np.sin(x.data)

    def gradient_fn(self, x):
        return np.cos(x.data)


class Times(SimpleBlock):
    """x y times a parameter of the instance, its derivative under the other name."""

    def __init__(self, factor):
        self.factor = factor

    def data_fn(self, x, y):
        return self.factor * x.data * y.data

    def grad_fn(self, x, y):
        return self.factor * y.data, self.factor * x.data


class Product(Block):
    def data_fn(self, A, x):
        return A.data @ x.data

    def get_jacobians(self, A, x):
        rows, columns = A.data.shape
        return [np.reshape(np.eye(rows)[:, :, None] * x.data, (rows, rows * columns)), A.data]


class Length(Block):
    def data_fn(self, x):
        return np.sqrt(np.sum(x.data**2))

    def get_jacobians(self, x):
        return (x.data / np.sqrt(np.sum(x.data**2)))[None]


class Cube(Block):
    """Of numbers: the Jacobian is a number."""

    def data_fn(self, x):
        return x.data**3

    def get_jacobians(self, x):
        return [3 * x.data**2]


class Convolution(Block):
    """The example of docs/custom-rules.md."""

    def data_fn(self, x, w):
        return np.convolve(x.data, w.data, "valid")

    def get_jacobians(self, x, w):
        x, w = x.data, w.data
        p, n, m = len(x) - len(w) + 1, len(x), len(w)
        tap = m - 1 + np.arange(p)[:, None] - np.arange(n)
        by_x = np.where((tap >= 0) & (tap < m), w[np.clip(tap, 0, m - 1)], 0.0)
        by_w = x[np.arange(p)[:, None] + np.arange(m)[::-1]]
        return [by_x, by_w]


@elementwise(lambda x, y, z: y * z, lambda x, y, z: x * z)
def exp_of_product(x, y):
    return np.exp(x * y)


@multilinear(lambda g, x, w: np.convolve(g, w[::-1]), lambda g, x, w: np.convolve(x, g[::-1], "valid")[::-1])
def convolution(x, w):
    return np.convolve(x, w, "valid")


@linear(lambda g, x, step, back: np.append(np.zeros(step), g[::-1] if back else g))
def without_the_first(x, step=1, *, back=False):
    return x[step:][::-1] if back else x[step:]


@smooth(lambda t, z, A, b: -inverse_times(A, t @ z), lambda t, z, A, b: np.linalg.solve(A, t))
def inverse_times(A, b):
    return np.linalg.solve(A, b)


X, Y = np.array([0.3, 1.7, -0.4]), np.array([0.9, 0.2, 1.1])
A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.1, 0.6, 1.8]])
SIGNAL, KERNEL = np.array([0.5, -1.0, 2.0, 0.3, 0.8]), np.array([1.0, 0.4, -0.7])
CALLS = [
    ("a block of numbers", sin(), np.sin, (0.7,)),
    ("a block of arrays", sin(), np.sin, (X,)),
    ("a block of two numbers", Times(3.0), lambda x, y: 3.0 * x * y, (0.7, 1.2)),
    ("a block that broadcasts", Times(3.0), lambda x, y: 3.0 * x * y, (X[:2, None], Y)),
    ("a block of no elements", sin(), np.sin, (np.zeros((0, 2)),)),
    ("two Jacobians", Product(), lambda A, x: A @ x, (A, X)),
    ("one Jacobian", Length(), lambda x: np.sqrt(np.sum(x**2)), (X,)),
    ("a Jacobian of numbers", Cube(), lambda x: x**3, (0.7,)),
    ("the convolution as a block", Convolution(), lambda x, w: np.convolve(x, w, "valid"), (SIGNAL, KERNEL)),
    ("elementwise", exp_of_product, lambda x, y: np.exp(x * y), (X, Y)),
    ("elementwise, of numbers", exp_of_product, lambda x, y: np.exp(x * y), (0.3, 0.7)),
    ("elementwise, of mixed shapes", exp_of_product, lambda x, y: np.exp(x * y), (X[:2, None], Y)),
    ("multilinear", convolution, lambda x, w: np.convolve(x, w, "valid"), (SIGNAL, KERNEL)),
    ("linear", lambda x: without_the_first(x, back=True), lambda x: x[:0:-1], (X,)),
    ("linear with a parameter", lambda x: without_the_first(x * x, 2), lambda x: x[2:] ** 2, (X,)),
    ("smooth", inverse_times, np.linalg.solve, (A, X)),
]
each = pytest.mark.parametrize(("f", "table_function", "args"), [pytest.param(*c[1:], id=c[0]) for c in CALLS])


def total(f):
    """A number of all elements, each with a weight of its own."""
    return lambda *args: np.sum(np.cos(np.arange(np.size(f(*map(autodiff.value_of, args))))) * np.ravel(f(*args)))


@each
def test_first_derivatives_as_the_table_has_them(f, table_function, args):
    """The value too; both modes, and by hand."""
    np.testing.assert_allclose(f(*args), table_function(*args), rtol=1e-14)
    assert type(f(*args)) is type(table_function(*args)) or isinstance(args[0], float)
    for k in range(len(args)):
        expected = jacobian(table_function, k)(*args)
        for mode in (jacfwd, jacrev):
            np.testing.assert_allclose(mode(f, k)(*args), expected, rtol=1e-13, atol=1e-14)
    leaves = list(map(Variable, args))
    total(f)(*leaves).backward()
    for leaf, expected in zip(leaves, gradient(total(table_function), args), strict=True):
        np.testing.assert_allclose(leaf.grad, expected, rtol=1e-13, atol=1e-14)


@each
def test_second_derivatives_in_all_nestings(f, table_function, args):
    for wrt in {(0, 0), (0, len(args) - 1), (len(args) - 1, len(args) - 1)}:
        expected = jacfwd(jacrev(table_function, wrt[0]), wrt[1])(*args)
        for name, partial in nestings(f, wrt, JACOBIANS):
            np.testing.assert_allclose(partial(*args), expected, rtol=1e-12, atol=1e-13, err_msg=name)


@each
def test_by_differences(f, table_function, args):
    if all(np.size(x) for x in args):
        assert gradcheck(total(f), args, order=2)


@each
def test_single_precision(f, table_function, args):
    if not isinstance(args[0], float):
        args = tuple(x.astype(np.float32) for x in args)
        assert f(*args).dtype == np.float32
        assert all(jacobian(f, k)(*args).dtype == np.float32 for k in range(len(args)))


TYPED = {
    "elementwise": (elementwise(1.0)(np.round), np.round),
    "elementwise with a parameter": (lambda x: elementwise(1.0)(np.round)(x, 1), lambda x: np.round(x, 1)),
    "elementwise of Python's": (elementwise(lambda x, z: 2.0 * x)(lambda x: x * x), lambda x: x * x),
    "linear": (linear(lambda g, x: np.float64(2.0) * g)(lambda x: np.float64(2.0) * x), lambda x: np.float64(2.0) * x),
    "smooth": (smooth(lambda t, z, x: t * np.cos(x))(lambda x: np.sin(x)), np.sin),
    "locally constant": (locally_constant(lambda x: np.floor(x)), np.floor),
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("x", [2.44, 0.0, np.float64(2.44), np.float32(2.44)], ids=lambda x: f"{type(x).__name__} {x}")
def test_a_value_is_that_of_the_function_type_included(name, x):
    f, plainly = TYPED[name]
    seen = []

    def kept(t):
        seen.append(f(t))
        return seen[0]

    assert type(f(x)) is type(plainly(x))
    jvp(kept, [x], [x])
    assert type(autodiff.value_of(seen[0])) is type(plainly(x))


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_value_of_numpys_divides_by_zero_as_numpy_does():
    f = elementwise(lambda x, z: np.cos(x))(np.sin)
    assert 1 / f(0.0) == np.inf
    for g in (f, np.sin):
        assert derivative(lambda x, g=g: 1 / g(x), 0, [0.0]) == grad(lambda x, g=g: 1 / g(x))(0.0) == -np.inf


def test_derivatives_have_the_type_of_the_argument():
    for f in (sin(), Cube(), lambda x: exp_of_product(x, 2.0)):
        assert type(derivative(f, 0, [0.5])) is float
        assert type(grad(f)(0.5)) is float
        assert type(derivative(f, 0, [np.float64(0.5)])) is np.float64
    assert sin()(DualNumber(1.0, 2.0)).dual == 2.0 * np.cos(1.0)
    assert sin()(1) == np.sin(1.0)
    np.testing.assert_array_equal(sin()([1.0, 2.0]), np.sin([1.0, 2.0]))


def test_complex_arguments():
    z = np.array([1.0 + 2.0j, 0.5 - 1.0j])
    np.testing.assert_allclose(jacobian(sin())(z), np.diag(np.cos(z)), rtol=1e-14)


def test_a_locally_constant_function():
    @locally_constant
    def to_tenths(x, digits=1):
        return np.round(x, digits)

    assert grad(lambda x: x * to_tenths(x))(0.26) == 0.3
    assert derivative(lambda x: x * to_tenths(x, digits=0), 0, [1.26]) == 1.0
    x = Variable([0.26, 0.14])
    np.sum(x * to_tenths(x)).backward()
    np.testing.assert_array_equal(x.grad, [0.3, 0.1])


def test_a_partial_that_is_infinite_where_the_derivative_is_finite():
    @elementwise(lambda x, z: 0.5 / z, singular=True)
    def root(x):
        return np.sqrt(x)

    assert jacfwd(lambda x: root(x * 0.0))(1.0) == 0.0
    assert jacrev(lambda x: root(x) * 0.0)(0.0) == 0.0
    assert jacfwd(root)(0.0) == jacrev(root)(0.0) == np.inf


def test_a_partial_fails_as_division_by_zero_does():
    class Root(SimpleBlock):
        def data_fn(self, x):
            return np.sqrt(x.data)

        def gradient_fn(self, x):
            return 0.5 / x.data**0.5

    assert derivative(Root(), 0, [0.0]) == grad(Root())(0.0) == np.inf


def test_a_number_that_is_reshaped_has_a_number_as_its_gradient():
    assert type(grad(lambda x: np.sum(np.reshape(x, (1,)) * 2.0))(1.0)) is float


def test_a_decorated_function_is_called_as_before():
    assert exp_of_product(y=2.0, x=0.0) == 1.0
    assert exp_of_product.__name__ == "exp_of_product"
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        exp_of_product(1.0)
    assert grad(lambda x: exp_of_product(y=x, x=2.0))(0.0) == 2.0


def scaled(factor, x):
    return factor * x


def test_partial_functions_and_ufuncs():
    """What has no name of its own, or whose parameters are not its operands."""
    twice = elementwise(2.0)(functools.partial(scaled, 2.0))
    assert (twice(1.5), grad(twice)(1.5)) == (3.0, 2.0)
    with pytest.raises(ValueError, match="partial 0 of scaled has shape"):
        grad(elementwise(lambda x, z: np.ones(2))(functools.partial(scaled, 2.0)))(1.0)
    tenfold = linear(lambda g, x, factor: 10.0 * g)(functools.partial(lambda x, factor: factor * x, factor=10.0))
    assert (tenfold(1.5), grad(tenfold)(1.5)) == (15.0, 10.0)
    by_scipy = elementwise(lambda x, z: z * (1 - z))(scipy.special.expit)
    assert (by_scipy(0.0), grad(by_scipy)(0.0)) == (0.5, 0.25)
    assert gradcheck(lambda x: np.sum(by_scipy(x) ** 2), [np.array([0.5, -1.0])])
    thirds = elementwise(lambda x, z: 1 / 3)(functools.partial(np.multiply, 1 / 3))
    assert grad(thirds)(2.0) == 1 / 3
    assert grad(lambda x: x * locally_constant(np.floor)(x))(2.5) == 2.0
    with pytest.raises(TypeError, match=r"wrap it, def f\(x\): return hypot\(x\)"):
        elementwise(lambda x, y, z: x / z, lambda x, y, z: y / z)(math.hypot)
    with pytest.raises(TypeError, match=r"wrap it, def f\(x\): return print\(x\)"):
        smooth(lambda t, z, x: t)(print)


def test_parameters_by_keyword_only():
    @linear(lambda g, x, step: g * step)
    def times(x, *, step=2.0):
        return x * step

    @elementwise(lambda x, y, z: y, lambda x, y, z: x)
    def product(x, *, y):
        return x * y

    assert (times(3.0), times(3.0, step=5.0), grad(times)(3.0, step=5.0)) == (6.0, 15.0, 5.0)
    assert gradient(lambda x, y: product(x, y=y), [2.0, 3.0]) == [3.0, 2.0]
    for call in (lambda: times(3.0, 5.0), lambda: product(3.0, 5.0)):
        with pytest.raises(TypeError, match="too many positional arguments"):
            call()


@pytest.mark.parametrize("factor", [2, 2.0, np.float32(2), np.int8(2), 1j, np.complex64(1j)])
def test_partials_that_are_numbers(factor):
    f = elementwise(factor)(lambda x: complex(factor) * x if np.iscomplexobj(factor) else float(factor) * x)
    x, t = np.array([1.0 + 0.5j, 2.0]), np.array([0.5, 1j])
    np.testing.assert_array_equal(autodiff.jvp(f, [x], [t])[1], factor * t)
    np.testing.assert_array_equal(autodiff.vjp(f, x)[1](t)[0], np.conj(factor) * t)
    with pytest.raises(TypeError, match=r"partial 0 of <lambda> is 'x': let it be a function"):
        elementwise("x")(lambda x: x)


def test_a_push_forward_that_calls_its_own_function():
    @smooth(lambda t, z, x: twice(t))
    def twice(x):
        return 2.0 * x

    np.testing.assert_array_equal(autodiff.jvp(twice, [np.ones(2)], [np.ones(2)])[1], [2.0, 2.0])
    with pytest.raises(RuntimeError, match=r"push-forward 0 of twice calls twice itself.*write out"):
        grad(lambda x: np.sum(twice(x)))(np.ones(2))


def test_rows_of_the_users_stay_out_of_the_table():
    """Also one of the name of a function that is there; two classes of one name do not meet."""
    before = TABLE["sin"], BY_NUMPY[np.sin]
    other = type("sin", (SimpleBlock,), {"data_fn": lambda self, x: x.data, "gradient_fn": lambda self, x: 7.0})
    assert (grad(other())(0.0), grad(sin())(0.0), grad(np.sin)(0.0)) == (7.0, 1.0, 1.0)
    assert (TABLE["sin"], BY_NUMPY[np.sin]) == before
    assert TABLE.keys().isdisjoint({"Times", "Convolution", "exp_of_product", "inverse_times"})
    assert {exp_of_product, convolution, inverse_times}.isdisjoint(BY_NUMPY.values())


def test_a_block_is_freed_with_its_last_use():
    block = Times(2.0)
    assert grad(block)(1.0, 3.0) == 6.0
    alive = weakref.ref(block)
    gc.disable()
    try:
        del block
        assert alive() is None
    finally:
        gc.enable()


def test_derivatives_of_blocks_are_called_once_for_each_argument():
    calls = []

    class Counted(SimpleBlock):
        def data_fn(self, x, y):
            return x.data * y.data

        def gradient_fn(self, x, y):
            calls.append(None)
            return y.data, x.data

    assert gradient(Counted(), [2.0, 3.0]) == [3.0, 2.0]
    assert len(calls) == 2
    grad(lambda x: Counted()(x, 3.0))(2.0)
    assert len(calls) == 3


NOT_LINEAR = {
    "another adjoint": (linear(lambda g, x: 3.0 * g), lambda x: 2.0 * x),
    "a constant term": (linear(lambda g, x: 2.0 * g), lambda x: 2.0 * x + 1.0),
    "a square": (linear(lambda g, x: 2.0 * x * g), lambda x: x * x),
    "a square of each": (multilinear(lambda g, x, y: 2.0 * x * y * g, lambda g, x, y: x**2 * g), lambda x, y: x**2 * y),
    "float32": (linear(lambda g, x: 2.0 * g), lambda x: 2.0 * x + np.float32(0.01)),
    "complex": (linear(lambda g, x: 1j * g), lambda x: 1j * x),
}


@pytest.mark.parametrize(("decorator", "f"), NOT_LINEAR.values(), ids=NOT_LINEAR)
@pytest.mark.parametrize("shape", [(), (3,)])
def test_what_is_not_linear_says_so_at_its_first_tangent(decorator, f, shape):
    """The forward mode is the function, the reverse mode the user's map: of two answers none is to be believed."""
    f = decorator(f)
    xs = [np.full(shape, x)[()] for x in (0.75, 1.25)][: len(inspect.signature(f).parameters)]
    vjp(f, *xs)[1](vjp(f, *xs)[0])
    for differentiated in (jvp, gradcheck):
        with pytest.raises(ValueError, match=r"is not linear in argument 0, or adjoint map 0 is .*smooth"):
            differentiated(f, xs, *[xs] * (differentiated is jvp))
    with pytest.raises(ValueError, match="not linear in argument 0"):
        jacfwd(f)(*xs)


NOT_LINEAR_ALONE = {
    "a square": (smooth(lambda t, z, x: t**2), smooth(pull=lambda g, z, x: g**2)),
    "a constant term": (smooth(lambda t, z, x: t + 1.0), smooth(pull=lambda g, z, x: g + 1.0)),
    "a bounded one": (smooth(lambda t, z, x: np.tanh(t)), smooth(pull=lambda g, z, x: np.tanh(g))),
}


@pytest.mark.parametrize(("pushed", "pulled"), NOT_LINEAR_ALONE.values(), ids=NOT_LINEAR_ALONE)
@pytest.mark.parametrize("x", [0.75, np.array([0.5, 2.0]), np.array([0.5 + 1j])])
def test_a_derivative_that_is_not_linear_has_no_transpose(pushed, pulled, x):
    f, g = pushed(np.sin), pulled(np.sin)
    jvp(f, [x], [x])  # as it is given
    vjp(g, x)[1](x)
    for _ in range(2):
        for derived in (lambda: vjp(f, x)[1](x), lambda: jacrev(f)(x)):
            with pytest.raises(ValueError, match="the push-forward of sin is not linear in the tangent of argument 0"):
                derived()
        for derived in (lambda: jvp(g, [x], [x]), lambda: jacfwd(g)(x)):
            with pytest.raises(ValueError, match="the pull-back of sin is not linear in the cotangent of argument 0"):
                derived()


def test_a_derivative_that_is_not_quite_linear_is_as_good_as_it_is():
    """What a solver leaves is no mistake, and a NaN at one point tells nothing of others."""
    rough = smooth(pull=lambda g, z, x: g * np.cos(x) * (1.0 + 1e-5 * np.tanh(g)))(np.sin)
    np.testing.assert_allclose(jacfwd(rough)(0.3), np.cos(0.3))
    square = smooth(pull=lambda g, z, x: g**2 / x)(np.log)
    with np.errstate(all="ignore"):
        assert np.isnan(jvp(square, [np.nan], [1.0])[1])
    with pytest.raises(ValueError, match="not linear in the cotangent"):
        jvp(square, [2.0], [1.0])


def test_a_rule_derived_from_one_side_within_vmap_is_not_asked_at_no_point():
    """What vmap runs it with shows the shape of a member, and holds no value: a zero matrix has no inverse."""
    solved = smooth(lambda t, z, a: -np.linalg.solve(a, t) @ z)(np.linalg.inv)
    a = np.stack([np.eye(2) * k + 0.1 for k in (1.0, 2.0, 3.0)])
    np.testing.assert_allclose(vmap(jacrev(solved))(a), np.stack([jacfwd(np.linalg.inv)(m) for m in a]))


def test_a_complex_derivative_of_a_real_value_says_so():
    x = np.array([0.5, 2.0])
    for f in (elementwise(lambda x, z: 1j * x)(np.sin), smooth(lambda t, z, x: 1j * t)(np.sin)):
        for derived in (jacfwd(f), jacrev(f)):
            with pytest.raises(TypeError, match="0 of sin is complex, the value is real: let it give real numbers"):
                derived(x)


def test_tangents_and_adjoints_of_a_scalar_of_numpy_are_such():
    """A rule may ask of them what it asks of the value, which is one."""
    twice = linear(lambda g, x: 2.0 * g.reshape(()).sum())(lambda x: 2.0 * x.reshape(()).sum())
    for x in (np.float64(0.75), 0.75):
        for f in (lambda x: twice(np.exp(x)), lambda x: twice(np.exp(x)) ** 2):
            assert derivative(f, 0, [x]) == grad(f)(x) == pytest.approx(derivative(lambda x, f=f: f(x), 0, [x]))
    assert grad(lambda x: twice(np.sum(x)))(np.ones(2)).tolist() == [2.0, 2.0]


def test_linear_functions_are_held_against_their_adjoints_once():
    calls = []

    @linear(lambda g, x, y: (calls.append("x"), 2.0 * g)[1], None)
    def times(x, y):
        return 2.0 * x

    for _ in range(3):
        assert jvp(times, [1.0, 2.0], [1.0, 1.0])[1] == 2.0
        assert jacfwd(times)(np.ones(3), 2.0).tolist() == (2 * np.eye(3)).tolist()
        assert derivative(times, (0, 0), [1.0, 2.0]) == 0.0
    assert calls == ["x"]
    turned = linear(lambda g, x: -1j * g)(lambda x: 1j * x)
    assert gradcheck(turned, [np.array([1.0 + 2.0j, 3.0])])


def test_rounding_passed_straight_through():
    rounded = elementwise(1.0)(np.round)
    x = np.array([0.26, 1.74])
    assert rounded(x).tolist() == [0.0, 2.0]
    assert rounded(x, decimals=1).tolist() == [0.3, 1.7]
    np.testing.assert_allclose(grad(lambda x: np.sum(rounded(x, 1) ** 2))(x), [0.6, 3.4], rtol=1e-15)
    np.testing.assert_allclose(jacfwd(lambda x: rounded(x) * x)(x), np.diag([0.26, 3.74]), rtol=1e-15)
    assert derivative(lambda x: rounded(x) ** 2, (0, 0), [2.6]) == 2.0
    with pytest.raises(TypeError, match=r"f has 2 arguments \(x, y\), and 1 derivatives were given"):
        elementwise(1.0)(lambda_named_f())


def test_the_parameters_of_a_block_may_change():
    block = Times(2.0)
    assert grad(block)(1.0, 3.0) == 6.0
    block.factor = 5.0
    assert grad(block)(1.0, 3.0) == 15.0


def test_wrong_numbers_of_derivatives():
    with pytest.raises(TypeError, match=r"f has 2 arguments \(x, y\), and 1 derivatives were given: give elementwise"):
        elementwise(lambda x, z: z)(lambda_named_f())
    with pytest.raises(TypeError, match=r"give smooth one for each argument that can be differentiated"):
        smooth(None, None, None)(lambda_named_f())
    with pytest.raises(TypeError, match=r"takes \*args or \*\*keywords: linear needs a function that names"):
        linear(None)(lambda *xs: xs[0])

    class Short(SimpleBlock):
        def data_fn(self, x, y):
            return x.data + y.data

        def gradient_fn(self, x, y):
            return 1.0

    with pytest.raises(ValueError, match=r"Short\.gradient_fn must return a tuple of 2 partial derivatives"):
        grad(Short())(1.0, 2.0)
    Product.get_jacobians, kept = lambda self, A, x: [np.eye(3)], Product.get_jacobians
    try:
        with pytest.raises(ValueError, match=r"Product\.get_jacobians must return a list of 2 Jacobians"):
            jacobian(Product())(A, X)
    finally:
        Product.get_jacobians = kept


def lambda_named_f():
    def f(x, y):
        return x * y

    return f


def test_missing_methods():
    class Empty(SimpleBlock):
        pass

    class Bare(Block):
        pass

    class Value(SimpleBlock):
        def data_fn(self, x):
            return x.data

    class Values(Block):
        def data_fn(self, x):
            return x.data

    for block, missing in ((Empty(), "data_fn"), (Bare(), "data_fn"), (Value(), "gradient_fn"),
                           (Values(), "get_jacobians")):  # fmt: skip
        with pytest.raises(NotImplementedError, match=rf"{type(block).__name__} needs a method {missing}\(self, x"):
            grad(block)(1.0)
    assert Value()(1.0) == 1.0  # without a derivative there is none to be had


def test_wrong_shapes():
    @elementwise(lambda x, z: z)
    def summed(x):
        return np.sum(x)

    with pytest.raises(
        ValueError,
        match=r"summed returned shape \(\) for arguments of shape \(3,\): element by element"
        r" it would be \(3,\)",
    ):
        summed(X)
    for decorator in (
        elementwise(lambda x, z: np.ones(2)),
        linear(lambda g, x: np.ones(2)),
        smooth(lambda t, z, x: np.ones(2)),
    ):
        f = decorator(lambda x: x * 1.0)
        with pytest.raises(ValueError, match=r"0 of <lambda> has shape \(2,\); it must have \(3,\)"):
            grad(total(f))(X)

    class Wrong(Length):
        def get_jacobians(self, x):
            return x.data

    with pytest.raises(
        ValueError,
        match=r"returned an array of shape \(3,\) for argument 0: the Jacobian of 1 elements"
        r" by 3 has shape \(1, 3\)",
    ):
        grad(Wrong())(X)


def test_what_is_no_value_is_refused():
    forgotten = elementwise(1.0)(lambda x: None)
    with pytest.raises(TypeError, match="returned None: let it return a number or an array"):
        grad(forgotten)(1.0)
    slope = elementwise(lambda x, z: None)(lambda x: x + 0.0)
    with pytest.raises(TypeError, match="is None: let it be a number or an array"):
        grad(slope)(1.0)

    hidden = Hidden()

    def f(w):
        hidden.w = w
        return elementwise(lambda x, z: hidden.w)(lambda x: hidden.w * x)(2.0)

    with pytest.raises(TypeError, match="none of its arguments: make that an argument too"):
        grad(f)(3.0)  # it would lose the derivative by w


class Hidden:
    """Where a number is not looked for: an object that is no function."""


def test_a_block_within_programs():
    f = lambda x: np.sum(sin()(x) * Convolution()(np.concatenate([x, x]), KERNEL[:2])[1:4])
    g = lambda x: np.sum(np.sin(x) * np.convolve(np.concatenate([x, x]), KERNEL[:2], "valid")[1:4])
    np.testing.assert_allclose(grad(f)(X), grad(g)(X), rtol=1e-13)
    np.testing.assert_allclose(hessian(f)(X), hessian(g)(X), rtol=1e-12, atol=1e-14)


def test_the_examples_of_the_guide():
    """Each block of code of docs/custom-rules.md runs, one after the other; its comments tell the values."""
    text = (Path(__file__).parents[2] / "docs" / "custom-rules.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) >= 4
    for example in examples:
        exec(example, names)
        for line in example.splitlines():
            call, arrow, shown = line.partition("  # → ")
            if arrow:
                np.testing.assert_allclose(eval(call, names), eval(shown), rtol=1e-5)


def test_a_fixed_parameter_that_carries_a_derivative_is_named():
    @elementwise(lambda x, z: np.cos(x))
    def wave(x, phase=0.0):
        return np.sin(x) + phase

    @linear(lambda g, x, weights: g * weights)
    def weighted(x, weights):
        return x * weights

    x = np.ones(2)
    for f in (lambda x: np.sum(wave(x, x[0])), lambda x: np.sum(wave(x, phase=x))):
        for mode in (autodiff.jacfwd, autodiff.jacrev):
            with pytest.raises(TypeError, match="phase of wave carries a derivative, and none by it was given: give"):
                mode(f)(x)
    with pytest.raises(TypeError, match=r"weights of weighted carries .*autodiff.value_of\(weights\)"):
        grad(lambda x: np.sum(weighted(x, [x[0], 1.0])))(x)
    assert grad(lambda x: np.sum(weighted(x, x > 0)))(x).tolist() == [1.0, 1.0]  # a mask carries none
    assert grad(lambda x: np.sum(wave(x, autodiff.value_of(x))))(x).tolist() == np.cos(x).tolist()


def _pushed(t, z, a, b):
    return -np.linalg.solve(a, t @ z)


def _pulled(g, z, a, b):
    return -np.outer(np.linalg.solve(a.T, g), z)


def test_each_argument_may_have_a_derivative_of_its_own_kind():
    plain = smooth(Smooth(_pushed, _pulled), Linear(lambda g, a, b: np.linalg.solve(a.T, g)))(
        lambda a, b: np.linalg.solve(a, b)
    )
    a, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([1.0, -2.0])
    assert gradcheck(plain, [a, b])
    for f in (lambda a: np.sum(plain(a, b) ** 2), lambda a: np.sum(plain(a, a[0]) * b)):
        rows = [gradient_by_differences(lambda a, f=f, i=i: grad(f)(a)[i], a) for i in np.ndindex(2, 2)]
        for second in (jacfwd(grad(f)), jacrev(grad(f)), jacrev(jacfwd(f)), hessian(f)):
            np.testing.assert_allclose(second(a).reshape(4, 2, 2), rows, atol=1e-6)


def gradient_by_differences(f, x, h=1e-5):
    steps = h * np.eye(x.size).reshape(-1, *x.shape)
    return np.array([(f(x + s) - f(x - s)) / (2 * h) for s in steps]).reshape(x.shape)


def test_a_pull_back_is_called_and_checked():
    calls = []

    @smooth(Smooth(lambda t, z, x: 2.0 * t, lambda g, z, x: (calls.append(1), 2.0 * g)[1]))
    def twice(x):
        return 2.0 * x

    assert grad(lambda x: np.sum(twice(x)))(np.ones(3)).tolist() == [2.0] * 3
    assert calls == [1]
    wrong = smooth(Smooth(lambda t, z, x: 2.0 * t, lambda g, z, x: g[:1]))(lambda x: 2.0 * x)
    with pytest.raises(ValueError, match=r"pull-back 0 of <lambda> has shape \(1,\); it must have \(3,\)"):
        grad(lambda x: np.sum(wrong(x)))(np.ones(3))


def test_what_is_not_linear_beside_another_kind_says_so():
    f = smooth(lambda t, z, x, y: t * y * y, Linear(lambda g, x, y: 2.0 * x * y * g))(lambda x, y: x * y * y)
    with pytest.raises(ValueError, match="not linear in argument 1"):
        jvp(f, [2.0, 3.0], [0.0, 1.0])


NO_FUNCTIONS = {
    "a number": 3.0,
    "a string": "x",
    "a class": Linear,
    "a kind of nothing": Smooth(None),
    "an adjoint of nothing": Linear(None),
    "a pull-back that is none": Smooth(np.copy, 0),
    "a partial": Elementwise(1.0),
}


@pytest.mark.parametrize("derivative", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
@pytest.mark.parametrize("kind", [linear, multilinear, smooth])
def test_a_derivative_that_is_no_function_is_refused_at_once(kind, derivative):
    with pytest.raises(TypeError, match=r"derivative 1 of <lambda> is .*: let it be a function of \("):
        kind(None, derivative)(lambda x, y: 2.0 * y)


@pytest.mark.parametrize("pull", [3, "x", Linear])
def test_a_joint_pull_back_that_is_no_function_is_refused_at_once(pull):
    with pytest.raises(TypeError, match=r"the pull-back of <lambda> is .*: let it be a function of \(cotangent,"):
        smooth(lambda t, z, x: t, pull=pull)(lambda x: x)


def test_a_pull_back_to_one_argument_may_give_the_adjoint_itself():
    for pull in (lambda g, z, a: g * np.cos(a), lambda g, z, a: (g * np.cos(a),)):
        f, x = smooth(pull=pull)(lambda a: np.sin(a)), np.array([0.5, 2.0])
        np.testing.assert_allclose(jacrev(f)(x), np.diag(np.cos(x)))
        np.testing.assert_allclose(jacfwd(f)(x), np.diag(np.cos(x)))


def _named(function, name):
    function.__name__ = name
    return function


@pytest.mark.parametrize("name", ["divide", "multiply", "power", "subtract", "where", "maximum", "of_mine"])
@pytest.mark.parametrize("other", [0.0, 1.0])
def test_a_function_of_two_with_a_name_of_the_table_is_itself(name, other):
    """The compiler knows that x / 1 is x; this is another function."""
    f = elementwise(lambda a, b, z: 1.0 / (2.0 + b * b), lambda a, b, z: -2.0 * a * b / (2.0 + b * b) ** 2)(
        _named(lambda a, b: a / (2.0 + b * b), name)
    )
    x = np.array([1.0, 2.0])
    for exact in (False, True):
        assert np.allclose(jit(lambda x: f(x, other), exact=exact)(x), x / (2.0 + other), rtol=1e-15)
        assert np.allclose(jit(grad(lambda x: np.sum(f(x, other))), exact=exact)(x), 1.0 / (2.0 + other), rtol=1e-15)
    assert f"{name}(x, {other:g})" in str(record(lambda x: f(x, other), [x])[0])


@pytest.mark.parametrize("name", ["reshape", "transpose", "copy", "real", "conj", "astype", "getitem", "of_mine"])
def test_a_linear_function_with_a_name_of_the_table_is_itself(name):
    f = linear(lambda g, x: 3.0 * g[::-1])(_named(lambda x: 3.0 * x[::-1], name))
    x, v = np.array([1.0, 2.0, 4.0]), np.array([1.0, 10.0, 100.0])
    for exact in (False, True):
        assert jit(lambda x: f(x) * 1.0, exact=exact)(x).tolist() == [12.0, 6.0, 3.0]
        assert jit(grad(lambda x: f(x) @ v), exact=exact)(x).tolist() == [300.0, 30.0, 3.0]


@pytest.mark.parametrize("name", ["square", "absolute", "of_mine"])
def test_a_length_is_one_of_squares_and_not_of_what_is_called_so(name):
    """The root of a sum of squares has a derivative by policy where all are 0; of other terms that is not known."""
    f = elementwise(lambda x, z: (x > 0) * 1.0)(_named(lambda x: np.maximum(x, 0.0), name))
    with np.errstate(all="ignore"):
        assert np.isnan(grad(lambda x: np.sqrt(np.sum(f(x))))(np.zeros(2))).all()


def test_a_checkpoint_of_a_function_with_a_name_of_the_table():
    f = checkpoint(_named(lambda x: 3.0 * x[::-1], "reshape"))
    assert jit(grad(lambda x: f(x) @ np.arange(3.0)))(np.ones(3)).tolist() == [6.0, 3.0, 0.0]
