"""The value inside a differentiation is the plain code's: its bits, its type, its failure, and NumPy's warnings.

For Python floats through every ufunc of NumPy's that has a row, and every function of `dmath`, at ordinary and awkward
points, and on through arithmetic; in both modes and all nestings of two. The plain run is the reference.
"""

import array
import collections
import inspect
import itertools
import math
import operator
import warnings

import numpy as np
import pytest
from table import same_bits

from autodiff import (
    Variable,
    derivative,
    forward,
    grad,
    gradient,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    record,
    reverse,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff.calls.structures import flatten
from dualnumbers import DualNumber, dmath
from dualnumbers.table import BY_NUMPY

UFUNCS = sorted((f for f in BY_NUMPY if isinstance(f, np.ufunc) and not f.signature), key=lambda f: f.__name__)
OF_MATH = [name for name in dmath.__all__ if callable(getattr(dmath, name)) and name not in ("fma", "fsum", "sumprod")]
POINTS = (0.7, 0.0, -0.5, 1e-300, 1000.0, math.inf, math.nan)
SECOND = (0.3, 0.0, -2.0, math.inf)

THEN = {
    "itself": lambda u: u,
    "1 / u": lambda u: 1 / u,
    "u ** 0.5": lambda u: u**0.5,
    "u ** u": lambda u: u**u,
    "u / 0.0": lambda u: u / 0.0,
    "u * u - u": lambda u: u * u - u,
}
"""What is done with a value in every nesting."""

ALSO = {
    "u + 1": lambda u: u + 1,
    "u ** 2": lambda u: u**2,
    "u ** 1000": lambda u: u**1000,
    "2 ** u": lambda u: 2**u,
    "u // 0": lambda u: u // 0,
    "u % 0": lambda u: u % 0,
    "divmod(u, 0.3)": lambda u: divmod(u, 0.3),
    "divmod(u, 0)": lambda u: divmod(u, 0),
    "-u": operator.neg,
    "abs(u)": abs,
    "round(u, 1)": lambda u: round(u, 1),
    "u < 1": lambda u: u < 1,
    "u == u": lambda u: u == u,
    "u * float32": lambda u: u * np.float32(0.1),
    "float64 / u": lambda u: np.float64(0.1) / u,
    "sin(u) * 2": lambda u: np.sin(u) * 2,
}
"""And what in either mode alone."""


def by_forward(f, *args):
    return jvp(f, args, [np.ones_like(x)[()] for x in args])[0]


def by_reverse(f, *args):
    value, pullback = vjp(f, *args)
    leaves, rebuild = flatten(value)
    pullback(rebuild(np.ones(np.shape(x))[()] for x in leaves))
    return value


MODES = {"forward": by_forward, "reverse": by_reverse}
NESTINGS = {
    f"{inner} in {outer}": lambda f, *args, inner=inner, outer=outer: MODES[outer](
        lambda *xs: MODES[inner](f, *xs), *args
    )
    for inner, outer in itertools.product(MODES, repeat=2)
}


def watched(mode, f, *args):
    """The plain values of what f computes in a mode, when that has been differentiated; its floats are handed back."""
    values = []

    def program(*xs):
        leaves = flatten(f(*xs))[0]
        values.append(list(map(value_of, leaves)))
        return [x for x in leaves if is_float(value_of(x))] or [0.0]

    handed_back = mode(program, *args)
    if floats := list(filter(is_float, values[-1])):
        assert all(map(same_bits, handed_back, floats)), (handed_back, floats)
    return values[-1]


def is_float(x):
    return isinstance(x, float) or getattr(getattr(x, "dtype", None), "kind", "") == "f"


def outcome(f, *args):
    """The leaves of what a call returns, or the type of what it raises; and the categories of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = f(*args)
        except (ArithmeticError, ValueError, TypeError) as error:
            found = type(error)
    return flatten(found)[0], {warning.category for warning in caught}


def is_same(found, expected):
    """Whether two outcomes are the same to the bit."""
    alike = len(found[0]) == len(expected[0]) and all(map(same_bits, found[0], expected[0]))
    return alike and found[1] == expected[1]


def composed(then, f):
    def program(*xs):
        u = f(*xs)
        return tuple(map(then, u)) if isinstance(u, tuple) else then(u)

    return program


def composed_with_all(those, f):
    def program(*xs):
        u = f(*xs)
        return [tuple(map(then, u)) if isinstance(u, tuple) else then(u) for then in those]

    return program


def assert_values(f, args, plain=None, turn=None):
    """On through arithmetic, the outcome of f is that of the plain run; of the nestings, in each or in one by turns.

    What neither raises nor warns is one program: its values are all there, and no warning.
    """
    expected = {name: outcome(composed(then, plain or f), *args) for name, then in (THEN | ALSO).items()}
    alone = [name for name, found in expected.items() if isinstance(found[0][0], type) or found[1]]
    groups = [[name] for name in alone]
    groups += [[name for name in those if name not in alone] for those in (THEN, ALSO)]
    for place, names in enumerate(filter(None, groups)):
        program = composed_with_all([(THEN | ALSO)[name] for name in names], f)
        together = [x for name in names for x in expected[name][0]], expected[names[0]][1]
        nestings = list(NESTINGS.items()) if names[0] in THEN else []
        if turn is not None:
            nestings = nestings[(turn + place) % len(NESTINGS) :][:1]
        for mode, value in (*MODES.items(), *nestings):
            found = outcome(watched, value, program, *args)
            assert is_same(found, together), (args, names, mode, found, together)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_python_floats_through_every_ufunc(ufunc):
    if ufunc.nin == 1:
        for x in POINTS:
            assert_values(ufunc, (x,))
        return
    for k, x in enumerate(POINTS):  # each of these with each nesting, by turns
        assert_values(ufunc, (x, 0.3), turn=k)
        for turn, y in enumerate(SECOND, k):
            assert_values(lambda x, y=y: ufunc(x, y), (x,), turn=turn)
            assert_values(lambda y, x=x: ufunc(x, y), (y,), turn=turn)


@pytest.mark.parametrize("name", OF_MATH)
def test_python_floats_through_dmath(name):
    """They stay Python floats, and fail as Python's do."""
    f, plain = getattr(dmath, name), getattr(math, name)
    count = len(inspect.signature(f).parameters) if not hasattr(f, "row") else f.row.arity
    for x in POINTS:
        if count == 1:
            assert_values(f, (x,), plain)
        elif not isinstance(outcome(plain, 0.7, 0.3)[0][0], type):
            for y in SECOND:
                assert_values(lambda x, y=y: f(x, y), (x,), lambda x, y=y: plain(x, y))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(x) ** np.sin(x),
        lambda x: np.where(abs(x) < 1e-9, 1.0, np.sin(x) / x),
        lambda x: 1 / np.sqrt(x),
        lambda x: np.exp(x) ** 1000,
        lambda x: (np.abs(x) > 0).astype(float) * x,
        lambda x: np.roll(x, 0).ravel(),
        lambda x: np.select([np.abs(x) > 0.1], [x], 3.0),
        lambda x: np.piecewise(np.exp(x), [np.exp(x) > 0.1], [lambda u: u * u, 3.0]),
        lambda x: np.exp(x).dtype == float,
        lambda x: np.exp(x).ndim * x,
        lambda x: np.exp(x).flat[0] / 0.0,
        lambda x: np.exp(x)[None] / x,
        lambda x: np.frexp(x),
        lambda x: np.modf(x)[0] / 0,
        lambda x: np.clip(x, 0.0, 1.0) / 0,
        lambda x: np.conj(x) / 0,
        lambda x: np.hypot(x, 0.0) / 0,
        lambda x: np.exp(x) * np.float32(0.1),
        lambda x: x * np.float32(0.1),
        lambda x: np.dot(np.float32(0.1), x),
        lambda x: dmath.sin(x) ** dmath.sin(x),
        lambda x: x / x,
        lambda x: x**0.5,
    ],
)
def test_programs(f):
    """Of Python floats."""
    for x in (0.0, -0.5, 0.7, 10.0):
        expected = outcome(f, x)
        for mode, value in (MODES | NESTINGS).items():
            found = outcome(watched, value, f, x)
            assert is_same(found, expected), (mode, x, found, expected)


# ------------------------------------------------------------------------------------------------ what is handed back


def f_of_floats(x, y):
    return np.sin(x) * np.exp(y) + x / y


def test_derivatives_of_python_floats_are_python_floats():
    """Also as values inside another differentiation, where they fail as such."""
    for found in (derivative(f_of_floats, 0, [0.5, 2.0]), derivative(f_of_floats, (0, 1), [0.5, 2.0]),
                  grad(f_of_floats)(0.5, 2.0), value_and_grad(f_of_floats)(0.5, 2.0)[1], jacfwd(f_of_floats)(0.5, 2.0),
                  jacrev(f_of_floats)(0.5, 2.0), hessian(f_of_floats)(0.5, 2.0),
                  *gradient(f_of_floats, [0.5, 2.0]), *forward.gradient(f_of_floats, [0.5, 2.0]),
                  *vjp(f_of_floats, 0.5, 2.0)[1](np.float64(1.0))):  # fmt: skip
        assert type(found) is float
    for inner, outer in itertools.product((derivative_of_one, grad), repeat=2):
        slope = inner(lambda x: np.cos(x) - 1.0)
        assert type(outer(lambda x, slope=slope: slope(x) * slope(x))(0.3)) is float
        with pytest.raises(ZeroDivisionError):
            outer(lambda x, slope=slope: 1.0 / slope(x))(0.0)


def derivative_of_one(f):
    return lambda x: derivative(f, 0, [x])


def test_values_have_the_type_of_the_plain_run_and_tangents_that_of_the_value():
    for x, y in ((0.5, 2.0), (np.float64(0.5), 2.0), (np.float32(0.5), np.float32(2.0)), (0.5, np.float32(2.0))):
        for f in (f_of_floats, lambda x, y: x * y, lambda x, y: dmath.sin(x) + 0 * y):
            kind = type(f(x, y))
            value, tangent = jvp(f, [x, y], [type(x)(1), type(y)(1)])
            assert type(value) is type(tangent) is kind
            value, push = linearize(f, x, y)
            assert type(value) is type(push(type(x)(1), type(y)(1))) is kind
            value, pullback = vjp(f, x, y)
            assert type(value) is type(value_and_grad(f)(x, y)[0]) is kind
            assert [*map(type, pullback(value))] == [type(x), type(y)]


def test_both_components_made_by_hand_have_one_type():
    z = np.sin(DualNumber(0.5, 1.0))
    assert type(z.real) is type(z.dual) is np.float64
    assert repr(z) == f"DualNumber({np.sin(0.5)!r}, {np.cos(0.5)!r})"
    assert type(dmath.sin(DualNumber(0.5, 1.0)).dual) is float


KINDS = {"float": 0.5, "float64": np.float64(0.5), "float32": np.float32(0.5), "array of no axes": np.array(0.5),
         "array": np.array([0.5, 0.25]), "float32 array": np.array([0.5, 0.25], np.float32)}  # fmt: skip
BESIDE = KINDS | {"int": 3, "int64": np.int64(3), "bool": True, "longdouble": np.longdouble(0.5)}
ONE = [f for f in UFUNCS if f.nin == 1 and f.nout == 1 and f not in (np.invert, np.bitwise_count)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", [operator.add, operator.mul, operator.truediv, operator.pow], ids=lambda f: f.__name__)
def test_types_are_those_of_the_plain_run(op, kind):
    """Of every ufunc of every kind of number beside every other, and of their derivatives."""
    x = KINDS[kind]
    for f, (name, y) in itertools.product([lambda x: x, *ONE], BESIDE.items()):
        for program in (lambda x, f=f, y=y: op(f(x), y), lambda x, f=f, y=y: op(y, f(x))):
            with np.errstate(all="ignore"):
                expected = program(x)
                if not is_float(expected):
                    continue
                value, tangent = jvp(program, [x], [x])
                again, pullback = vjp(program, x)
            for found in (value, again):
                assert type(found) is type(expected), (f, name)
                assert np.result_type(found) == np.result_type(expected), (f, name)
            (adjoint,) = pullback(value)
            assert type(adjoint) is type(x) or np.ndim(x) == 0 == np.ndim(adjoint), (f, name)
            assert np.result_type(adjoint) == np.result_type(x), (f, name)
            assert np.result_type(tangent) == np.result_type(value), (f, name)


SINGLE = np.array([0.25, 0.75], np.float32)
BESIDE_SINGLE = {
    "where": lambda x: np.where([True, False], x, SINGLE),
    "where of one": lambda x: np.where(True, x, np.float32(1)),
    "clip": lambda x: np.clip(SINGLE, -abs(x), abs(x)),
    "clip of one": lambda x: np.clip(abs(x), np.float32(-1), np.float32(1)),
    "select": lambda x: np.select([[True, False]], [x], np.float32(1)),
    "choose": lambda x: np.choose([0, 1], [x, np.float32(1)]),
    "linspace": lambda x: np.linspace(x * np.float32(0.5), x, 3),
    "linspace to a number": lambda x: np.linspace(np.float32(0.5), x + 1, 3),
    "logspace": lambda x: np.logspace(x * np.float32(0.5), x, 3),
    "append": lambda x: np.append(SINGLE, x),
    "multiply.outer": lambda x: np.multiply.outer(SINGLE, x),
    "where beside a list": lambda x: np.where([True, False], x, [1.0, 2.0]),
    "outer": lambda x: np.outer(x, SINGLE),
    "inner": lambda x: np.inner(x, SINGLE),
    "stack": lambda x: np.stack([x, np.float32(1)]),
    "diff": lambda x: np.diff(SINGLE, prepend=x),
    "least squares": lambda x: np.linalg.lstsq(SINGLE[:, None] * [[1, 2, 3]], SINGLE * x)[0],
    "squeeze": np.squeeze,
    "moveaxis": lambda x: np.moveaxis(x, (), ()),
    "ravel": np.ravel,
    "transpose": np.transpose,
}


@pytest.mark.parametrize("x", [0.5, 0.5 - 0.25j, np.float32(0.5), np.complex64(0.5j), np.float64(0.5)], ids=repr)
@pytest.mark.parametrize("name", BESIDE_SINGLE)
def test_functions_beside_single_precision(name, x):
    """A Python number is the weaker one where NumPy takes it for such, and there only."""
    f = BESIDE_SINGLE[name]
    expected = f(x)
    for found in (jvp(f, [x], [x])[0], vjp(f, x)[0]):
        assert type(found) is type(expected)
        assert np.result_type(found) == np.result_type(expected)
        np.testing.assert_array_equal(found, expected)


BACK = np.array([-0.957, 0.923, 0.3])[::-1]
PRODUCTS = {
    "dot": lambda x: np.dot(x.take([0, 0, 1]), x),
    "dot of a matrix": lambda x: np.dot(np.outer(x, BACK).T, x),
    "tensordot": lambda x: np.tensordot(x, x, 1),
    "multi_dot": lambda x: np.linalg.multi_dot([x, np.outer(x, BACK), x]),
    "matmul": lambda x: x.take([0, 0, 1]) @ x,
    "vdot": lambda x: np.vdot(x.take([0, 0, 1]), x),
    "vdot of the sorted": lambda x: np.vdot(np.sort(x), x),
    "vdot of a reversed column": lambda x: np.vdot(x[::-1, None], np.tile(x, 2)[::2, None]),
    "vdot of matrices": lambda x: np.vdot(np.outer(x, BACK).T, np.outer(x, x)),
    "inner": lambda x: np.inner(x.take([0, 0, 1]), x),
    "vecdot": lambda x: np.vecdot(x.take([0, 0, 1]), x),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_reversed_vectors_have_numpys_last_bit(name):
    f = PRODUCTS[name]
    assert same_bits(jvp(f, [BACK], [BACK])[0], f(BACK))
    assert same_bits(vjp(f, BACK)[0], f(BACK))


@pytest.mark.parametrize("f", [np.linalg.norm, np.imag, np.array, np.sum, np.vdot], ids=lambda f: f.__name__)
def test_a_list_of_complex_numbers_is_not_taken_for_real(f):
    """NumPy makes it an array of objects, whose imaginary part it gives as 0 and whose norm without conjugation."""
    of_list = lambda z: np.sum(np.abs(f([z, 1.0], [z, 1.0]) if f is np.vdot else f([z, 1.0])))
    for differentiate in (lambda: grad(of_list)(1 + 2j), lambda: jvp(of_list, [1 + 2j], [1.0])):
        with pytest.raises(TypeError, match=r"np.stack|autodiff.array"):
            differentiate()


@pytest.mark.parametrize("part", [np.real, np.imag, np.abs], ids=lambda f: f.__name__)
def test_the_derivative_by_a_complex_number_is_complex(part):
    found = [
        grad(part)(3 + 4j),
        vjp(part, 3 + 4j)[1](1.0)[0],
        gradient(part, [3 + 4j])[0],
        forward.gradient(part, [3 + 4j])[0],
    ]
    assert [type(x) for x in found] == [complex] * 4
    np.testing.assert_allclose(found, found[0], rtol=1e-15)


def test_longdouble_on_the_way_leaves_no_trace():
    f = lambda x: np.sum(np.exp(x).astype(np.longdouble).astype(float))
    for x in (0.5, np.float64(0.5), np.array([0.5, 2.0])):
        for found in (grad(f)(x), jacfwd(f)(x), grad(lambda x: np.sum(grad(f)(x)))(x)):
            assert type(found) is type(x)
            assert np.result_type(found) == np.float64


def test_fsum_is_python_s():
    x = np.array([0.1, 0.2, 0.3], np.float32)
    for value in MODES.values():
        assert same_bits(value(lambda x: dmath.fsum(list(x)), x), math.fsum(x))
        assert same_bits(value(lambda x: dmath.fsum([x, 0.5]), 0.25), 0.75)
    assert grad(lambda x: dmath.fsum(list(x)))(x).dtype == np.float32


# ------------------------------------------------------------------------------------------------ elements, sequences

X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x)[None] * x,
        lambda x: x[0][...] * 2 + 0,
        lambda x: x[0][()] ** 2,
        lambda x: x[0][np.array(True)] ** 2,
        lambda x: x[0][True] ** 2,
        lambda x: x[0][False],
        lambda x: x[0][None, None] ** 2,
        lambda x: x[0] - [1.0, 2.0],
        lambda x: [1.0, 2.0] ** x[0],
        lambda x: (1.0, 2.0) - x[0],
        lambda x: x * range(3),
        lambda x: range(3) * x,
        lambda x: x[1] ** range(3),
        lambda x: np.multiply(x, range(3)),
        lambda x: np.multiply(x[0], range(3)),
        lambda x: np.dot(x, memoryview(X)),
        lambda x: x * memoryview(X),
        lambda x: x - array.array("d", X),
        lambda x: x - collections.deque([1.0, 2.0, 3.0]),
        lambda x: collections.UserList([1.0, 2.0, 3.0]) ** x,
        lambda x: np.add(x, collections.deque([x[0], 2.0, x[2]])),
        lambda x: np.add(range(3), x[0]),
        lambda x: np.inner(x, range(3)),
        lambda x: x[0] * round(np.vecdot(x, x), 1),
        lambda x: np.where(x[0] > 0, x[0], 1.0).ravel(),
        lambda x: np.array([x[0], x[1]]) * x[2],
    ],
)
def test_elements_and_sequences(f):
    """What a sum or an element takes in plain code, np.float64 there, and what stands beside arrays."""
    plain = np.asarray(f(X), float)
    for second in (X, X + 1.0):
        expected = np.stack([(f(X + h) - f(X - h)) / 2e-6 for h in np.eye(3) * 1e-6], -1).astype(float)
        for jacobian in (jacfwd(f), jacrev(f)):
            np.testing.assert_allclose(jacobian(X), expected, atol=1e-8)
        total = lambda x: np.sum(np.asarray(plain) * f(x)) + 0 * np.sum(x)
        np.testing.assert_allclose(jacfwd(grad(total))(second), jacrev(jacfwd(total))(second), atol=1e-12)
    for value in MODES.values():
        assert same_bits(np.asarray(value(f, X), float), plain)


@pytest.mark.parametrize("use", [lambda x: x[None], iter, list, len, lambda x: x - [1.0], lambda x: range(3) + x])
@pytest.mark.parametrize("differentiate", [forward.gradient, reverse.gradient])
def test_a_python_float_has_no_elements(use, differentiate):
    with pytest.raises(TypeError):
        use(0.5)
    with pytest.raises(TypeError):
        differentiate(lambda x: np.sum(use(x)), [0.5])


@pytest.mark.parametrize("use", [iter, list, len, tuple, np.nditer])
@pytest.mark.parametrize("differentiate", [forward.gradient, reverse.gradient])
def test_an_element_is_not_iterated(use, differentiate):
    with pytest.raises(TypeError):
        differentiate(lambda x: np.sum(use(x[0])), [X])


def test_an_object_array_holds_the_numbers():
    for value in MODES.values():
        assert value(lambda x: float(np.array([x[0], x[1]]).shape == (2,)) * x[0], X) == 1.0
        assert value(lambda x: float(np.array([[x[0], 1.0], [x[1], 2.0]]).shape == (2, 2)) * x[0], X) == 1.0


@pytest.mark.parametrize("op", [operator.add, operator.sub])
def test_a_double_beside_a_single_number_keeps_its_derivative_in_double(op):
    x = np.float32(0.883)
    f = lambda x: op(np.float64(1 / 3) * x, x)
    assert type(f(x)) is np.float64
    for found in (jvp(f, [x], [np.float32(1.0)])[1], derivative(f, 0, [np.float64(x)])):
        assert found == op(1 / 3, 1.0)


VALUE_BY = {
    "forward": lambda f, x: jvp(f, [x], [x])[0],
    "reverse": lambda f, x: vjp(f, x)[0],
    "recorded": lambda f, x: value_of(record(f, [x])[1]),
    "by hand": lambda f, x: value_of(f(Variable(x))),
}


@pytest.mark.parametrize("mode", VALUE_BY)
@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.float32(1.5)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(
    "index",
    [lambda x: x > 0.5, lambda x: (x < 0.5, slice(1, None)), lambda x: np.isnan(x)],
    ids=["mask", "mask and slice", "mask of a ufunc"],
)
def test_a_comparison_of_a_scalar_is_a_mask_of_a_plain_array(index, x, mode):
    def f(x):
        y = np.arange(6.0).reshape(2, 3)
        y[index(x)] = -1.0
        return y * x

    np.testing.assert_array_equal(VALUE_BY[mode](f, x), f(x))


@pytest.mark.parametrize("mode", VALUE_BY)
def test_a_comparison_of_a_float_is_an_index_of_a_list(mode):
    assert VALUE_BY[mode](lambda x: [x, 2 * x][x > 0.5] + {True: x, False: 0.0}[x > 0.5], 1.5) == 4.5


def test_a_real_tangent_of_a_complex_value_has_its_precision():
    def f(x):
        return 1j * np.array([1.0, 2.0]) + x

    x = np.float32(1.25)
    assert jvp(f, [x], [x])[1].dtype == np.float64


@pytest.mark.parametrize("mode", VALUE_BY)
def test_an_empty_mask_chooses_nothing_of_a_plain_array(mode):
    table = np.ones((2, 2))
    f = lambda x: table[np.abs(x) < 0.1] + 0 * np.sum(x)
    assert VALUE_BY[mode](f, np.zeros((0, 2))).shape == f(np.zeros((0, 2))).shape == (0,)


def test_a_sum_of_single_and_double_precision_has_a_tangent_in_double():
    x, one = np.float32(0.5), np.float64(1.0)
    for f in (lambda x, y: x * 1j + y, lambda x, y: y - x * 1j, lambda x, y: x + y):
        value, tangent = jvp(f, [x, one], [x, one])
        assert np.result_type(np.asarray(tangent)) == np.result_type(np.asarray(value))


@pytest.mark.parametrize("shape", [(0, 2), (3, 2)])
def test_a_condition_of_another_shape_is_refused_as_by_numpy(shape):
    def f(x):
        return np.piecewise(x.T, [x > 0.0], [lambda q: q * 2.0, 0.0])

    x = np.ones(shape)
    for call in (lambda: f(x), lambda: jvp(f, [x], [x]), lambda: vjp(f, x)):
        with pytest.raises(IndexError, match="boolean index did not match"):
            call()
