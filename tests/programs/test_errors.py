"""Bad input: a clear error that names the call and the remedy, and nothing lost afterwards."""

import array
import copy
import datetime
import decimal
import functools
import io
import json
import math
import pickle
import re
import statistics
import traceback
from itertools import product

import numpy as np
import pytest

import autodiff
from autodiff import (
    derivative,
    grad,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff import forward as forward_mode
from autodiff import reverse as reverse_mode
from dualnumbers import DualNumber

MODES = {"forward": forward_mode.gradient, "reverse": reverse_mode.gradient}
GRADIENTS = pytest.mark.parametrize("gradient_of", MODES.values(), ids=MODES)
JACOBIANS = pytest.mark.parametrize("jacobian_of", [jacfwd, jacrev, jacobian], ids=lambda f: f.__name__)


def area(x, y):
    return x * y


@pytest.fixture(autouse=True)
def nothing_is_lost():
    """After every error here both modes still differentiate rightly, nested too."""
    yield
    for outer, inner in product(MODES.values(), repeat=2):
        assert outer(lambda x, inner=inner: x * inner(lambda y: x * y, [2.0])[0], [3.0]) == [6.0]
        assert outer(lambda x: np.sum(x * x), [np.array([1.0, 2.0])])[0].tolist() == [2.0, 4.0]


# ------------------------------------------------------------------------------------------------ which argument


@pytest.mark.parametrize(
    ("wrt", "error", "message"),
    [
        (2, IndexError, r"2.* 2 argument"),
        (-3, IndexError, r"-3.* 2 argument"),
        ((0, 5), IndexError, r"5.* 2 argument"),
        ("u", ValueError, r"='u' is no parameter of area, whose parameters are x, y"),
        (1.0, TypeError, "index of an argument.* float 1.0"),
        (None, TypeError, "index of an argument.* None"),
        (True, TypeError, "index of an argument.* bool True"),
        ([0], TypeError, r"index of an argument.* list \[0\]"),
        ((), TypeError, "empty tuple"),
        ((0, "u"), ValueError, r"='u' is no parameter of area"),
    ],
)
def test_a_wrong_index_of_the_argument(wrt, error, message):
    with pytest.raises(error, match=message):
        derivative(area, wrt, [2.0, 3.0])
    if wrt != ():
        for operator in (grad, value_and_grad, jacfwd, jacrev, jacobian, hessian):
            with pytest.raises(error, match=message):
                operator(area, wrt)(2.0, 3.0)


def test_argnums_are_called_argnums():
    with pytest.raises(IndexError, match="argnums=2"):
        grad(area, argnums=2)(2.0, 3.0)


@pytest.mark.parametrize("operator", [grad, value_and_grad, jacfwd, jacrev, jacobian])
def test_a_differentiated_argument_given_by_name(operator):
    with pytest.raises((IndexError, TypeError), match=r"0 argument.*position|position.*0 argument"):
        operator(area)(x=2.0, y=3.0)


@pytest.mark.parametrize(
    "args",
    [2.0, "ab", None, {"x": 1.0}, {1.0, 2.0}, np.array(2.0), iter([1.0, 2.0])],
    ids=lambda args: type(args).__name__,
)
def test_arguments_are_a_list_of_arguments(args):
    for call in (lambda: derivative(area, 0, args), lambda: forward_mode.gradient(area, args),
                 lambda: reverse_mode.gradient(area, args), lambda: jvp(area, args, [1.0, 1.0])):  # fmt: skip
        with pytest.raises(TypeError, match=r"args is the list of all arguments of area, such as \[x\]"):
            call()


@pytest.mark.parametrize("args", [[], [1.0], [1.0, 2.0, 3.0]])
@GRADIENTS
def test_a_wrong_number_of_arguments(args, gradient_of):
    with pytest.raises(TypeError, match=r"area\(\) (missing|takes)"):
        gradient_of(area, args)


def test_no_argument_at_all():
    with pytest.raises(IndexError, match="0 argument"):
        derivative(area, 0, [])


@JACOBIANS
@pytest.mark.parametrize("x", ["2", None, True, {1.0}, b"2", datetime.timedelta(2), object(), range(3), np.array(["a"]),
                               np.array([True]), np.array([None]), np.datetime64("2020-01-01")],
                         ids=lambda x: type(x).__name__)  # fmt: skip
def test_what_is_no_number_cannot_be_differentiated(x, jacobian_of):
    with pytest.raises(TypeError, match="cannot differentiate with respect to argument 0"):
        jacobian_of(lambda x: 1.0)(x)
    if x is None or isinstance(x, str):
        assert jacobian_of(lambda x: 1.0)({"nested": [x]}) == {"nested": [x]}
        return
    with pytest.raises(TypeError, match=r"cannot differentiate with respect to args\[0\]\['nested'\]\[0\], "):
        jacobian_of(lambda x: 1.0)({"nested": [x]})


@JACOBIANS
@pytest.mark.parametrize("kind", [np.ma.MaskedArray, np.matrix])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_arrays_of_another_arithmetic_are_refused(kind, jacobian_of):
    """The product of two np.matrix is a matrix product, a sum of a masked array leaves elements out."""
    with pytest.raises(TypeError, match=f"cannot differentiate with respect to argument 0, {kind.__name__}"):
        jacobian_of(lambda x: np.sum(x * x))(np.eye(2).view(kind))


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
OTHER_ARITHMETIC = {
    "x * masked": lambda x: x * MASKED,
    "masked * x": lambda x: MASKED * x,
    "np.add": lambda x: np.add(MASKED, x),
    "np.dot": lambda x: np.dot(MASKED, x),
    "np.einsum": lambda x: np.einsum("i,i", MASKED, x),
    "np.where": lambda x: np.where(MASKED > 1, x, MASKED),
    "np.concatenate": lambda x: np.concatenate([MASKED, x]),
    "a masked element": lambda x: x * MASKED[1],
    "assigned": lambda x: (x * 1.0).__setitem__(slice(None), MASKED),
    "matrix @ x": lambda x: np.matrix(np.eye(2)) @ x,
    "np.matmul": lambda x: np.matmul(x, np.matrix(np.eye(2))),
}


@JACOBIANS
@pytest.mark.parametrize("name", OTHER_ARITHMETIC)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_constants_of_another_arithmetic_are_refused(name, jacobian_of):
    with pytest.raises(TypeError, match=r"np\.where|np\.asarray|value_of"):
        jacobian_of(OTHER_ARITHMETIC[name])(np.array([0.5, 2.0]))


# ------------------------------------------------------------------------------------------------ what f returns

NOT_NUMBERS = {
    "str": lambda x: "3.0",
    "None": lambda x: None,
    "set": lambda x: {x.real.__class__},
    "generator": lambda x: (x for _ in range(2)),
    "timedelta": lambda x: datetime.timedelta(2),
    "type": lambda x: float,
    "function": lambda x: lambda y: x * y,
    "array of str": lambda x: np.array(["a"]),
    "list with str": lambda x: [x, "a"],
    "list with None": lambda x: [x, None],
    "object array": lambda x: np.array([x, "a"], dtype=object),
    "ragged list": lambda x: [x, [x, x]],
    "ragged rows": lambda x: [[x, x], [x]],
}


@pytest.mark.parametrize("name", NOT_NUMBERS)
def test_a_function_returns_numbers(name):
    def f(x):
        return NOT_NUMBERS[name](x)

    message = "f returned a ragged list" if "ragged" in name else "f returned .*returns numbers or arrays"
    for call in (lambda: derivative(f, 0, [2.0]), lambda: forward_mode.gradient(f, [2.0]),
                 lambda: reverse_mode.gradient(f, [2.0]), lambda: grad(f)(2.0), lambda: value_and_grad(f)(2.0),
                 lambda: jacfwd(f)(2.0), lambda: jacrev(f)(2.0), lambda: jacobian(f)(2.0)):  # fmt: skip
        with pytest.raises(TypeError, match=message):
            call()


LEFT_ALONE = {"str", "None", "list with str", "list with None"}
"""What stays where it is inside a structure."""


@pytest.mark.parametrize("name", [name for name in NOT_NUMBERS if "ragged" not in name and name not in LEFT_ALONE])
def test_the_operators_that_keep_structures_name_the_leaf(name):
    def f(x):
        return {"a": x, "b": NOT_NUMBERS[name](x)}

    for call in (lambda: jvp(f, [2.0], [1.0]), lambda: vjp(f, 2.0), lambda: linearize(f, 2.0), lambda: jacrev(f)(2.0)):
        with pytest.raises(TypeError, match=r"f returned .*returns numbers or arrays"):
            call()


@GRADIENTS
@pytest.mark.parametrize(
    ("vector", "what"),
    [
        (lambda x: x * 2, r"an array of shape \(2,\)"),
        (lambda x: x[:1], r"an array of shape \(1,\)"),
        (lambda x: [x[0], x[1]], r"a list of shape \(2,\)"),
        (lambda x: (x[0],), r"a tuple of shape \(1,\)"),
        (lambda x: np.ones(3), r"an array of shape \(3,\)"),
        (lambda x: x[:, None], r"an array of shape \(2, 1\)"),
    ],
)
def test_a_gradient_is_of_one_number(vector, what, gradient_of):
    x = np.array([1.0, 2.0])
    with pytest.raises(TypeError, match=f"<lambda> returned {what}; .*use jacobian"):
        gradient_of(vector, [x])
    for operator in (grad, value_and_grad, hessian):
        with pytest.raises(TypeError, match="use jacobian"):
            operator(vector)(x)
    with pytest.raises(TypeError, match="use jacobian"):
        hvp(vector)(x, x)


def test_a_gradient_is_of_a_real_number():
    with pytest.raises(TypeError, match=r"f?<?lambda>? returned a complex number.*jacobian.*vjp"):
        grad(lambda x: x * 1j)(2.0)


def test_has_aux_needs_a_pair():
    for operator in (grad, value_and_grad):
        with pytest.raises(TypeError, match=r"has_aux.*\(value, auxiliary\)"):
            operator(lambda x: x * x, has_aux=True)(2.0)


ZEROS = [
    (lambda x: 3.0, 2.0, 0.0),
    (lambda x: np.float32(3), 2.0, 0.0),
    (lambda x: 3.0, 2, 0.0),
    (lambda x: 3.0, np.float32(2), np.float32(0)),
    (lambda x: 3.0, np.float64(2), np.float64(0)),
    (lambda x: 3.0, 2j, 0j),
    (lambda x: 3.0, np.ones((2, 3)), np.zeros((2, 3))),
    (lambda x: 3.0, np.ones(2, np.float32), np.zeros(2, np.float32)),
    (lambda x: np.array(3.0), np.ones(2), np.zeros(2)),
    (lambda x: autodiff.stop_gradient(x)[0], np.ones(2), np.zeros(2)),
    (lambda x: np.sum(np.floor(x)), np.ones(2), np.zeros(2)),
    (lambda x: np.sign(x), 2.5, 0.0),
]


@GRADIENTS
@pytest.mark.parametrize(("constant", "x", "zero"), ZEROS)
def test_a_constant_has_the_gradient_zero_of_the_right_shape_and_type(constant, x, zero, gradient_of):
    (found,) = gradient_of(constant, [x])
    assert (type(found), np.shape(found), getattr(found, "dtype", None)) == (
        type(zero),
        np.shape(zero),
        getattr(zero, "dtype", None),
    )
    assert np.all(found == 0)
    assert np.all(derivative(constant, 0, [x]) == 0)


@JACOBIANS
@pytest.mark.parametrize(
    ("constant", "shape"),
    [(lambda x: np.arange(3.0), (3, 2)), (lambda x: [1, 2.0], (2, 2)), (lambda x: np.ones((2, 1)), (2, 1, 2))],
)
def test_a_constant_array_has_the_jacobian_zero(constant, shape, jacobian_of):
    found = jacobian_of(constant)(np.ones(2))
    assert (found.shape, found.dtype) == (shape, np.float64)
    assert not found.any()


WHOLE = {
    "a truth value": (lambda x: x > 1, lambda x: True, lambda x: np.isfinite(x)),
    "an integer": (lambda x: 3, lambda x: 0 if x < 5 else x, lambda x: np.int64(3), lambda x: math.floor(x),
                   lambda x: np.argmax(x), lambda x: np.sum(x > 1)),
}  # fmt: skip
OPERATORS = {
    "derivative": lambda f: derivative(f, 0, [2.0]),
    "forward.gradient": lambda f: forward_mode.gradient(f, [2.0]),
    "gradient": lambda f: autodiff.gradient(f, [2.0]),
    "grad": lambda f: grad(f)(2.0),
    "value_and_grad": lambda f: autodiff.value_and_grad(f)(2.0),
    "jacfwd": lambda f: jacfwd(f)(2.0),
    "jacrev": lambda f: autodiff.jacrev(f)(2.0),
    "jacobian": lambda f: autodiff.jacobian(f)(2.0),
    "hessian": lambda f: autodiff.hessian(f)(2.0),
    "jvp": lambda f: autodiff.jvp(f, [2.0], [1.0]),
    "vjp": lambda f: autodiff.vjp(f, 2.0),
    "linearize": lambda f: autodiff.linearize(f, 2.0),
}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize(("what", "f"), [(what, f) for what, functions in WHOLE.items() for f in functions])
def test_whole_numbers_and_truth_values_are_refused(operator, what, f):
    with pytest.raises(TypeError, match=f"returned .*{what} has no derivative; for a constant return a float"):
        operator(f)


@JACOBIANS
def test_the_zero_of_a_single_precision_argument(jacobian_of):
    def constant(x):
        return np.ones(3, np.float32)

    assert jacobian_of(constant)(np.float32(1)).dtype == np.float32
    assert jacobian_of(constant)(np.ones(2)).dtype == jacobian_of(lambda x: np.float32(1) * x)(np.ones(2)).dtype


def test_an_argument_that_is_ignored():
    assert reverse_mode.gradient(lambda x, y: x * x, [3.0, np.ones(2)])[1].tolist() == [0.0, 0.0]
    assert forward_mode.gradient(lambda x, y: x * x, [3.0, np.ones(2)])[1].tolist() == [0.0, 0.0]
    assert hessian(lambda x: np.sum(x))(np.ones(2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert hvp(lambda x: np.sum(x))(np.ones(2), np.ones(2)).tolist() == [0.0, 0.0]
    assert jvp(lambda x: 3.0, [2.0], [1.0]) == (3.0, 0.0)
    assert vjp(lambda x: 3.0, 2.0)[1](1.0) == (0.0,)
    assert linearize(lambda x: 3.0, 2.0)[1](1.0) == 0.0
    assert grad(grad(lambda x: 3.0 * x))(2.0) == 0.0
    assert derivative(lambda x: derivative(lambda y: 3.0, 0, [x]), 0, [2.0]) == 0.0


# ------------------------------------------------------------------------------------------------ tangents, cotangents

SQUARES = np.array([1.0, 2.0])
WRONG_SHAPES = [np.ones(3), 1.0, np.ones(1), np.ones((1, 2)), np.ones((2, 1)), np.ones(0)]


@pytest.mark.parametrize("t", WRONG_SHAPES, ids=lambda t: str(np.shape(t)))
def test_a_tangent_has_the_shape_of_its_primal(t):
    message = r"tangent has shape \(.*\), its value has shape \(2,\): they must be equal"
    for call in (lambda: jvp(np.square, [SQUARES], [t]), lambda: linearize(np.square, SQUARES)[1](t),
                 lambda: hvp(lambda x: np.sum(x**3))(SQUARES, t), lambda: vjp(np.square, SQUARES)[1](t)):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call()


def test_a_number_wants_a_number():
    for call in (lambda: jvp(np.square, [2.0], [np.ones(1)]), lambda: vjp(np.square, 2.0)[1](np.ones(1))):
        with pytest.raises(ValueError, match=r"shape \(1,\), its value has shape \(\)"):
            call()


@pytest.mark.parametrize("tangents", [[], [1.0, 1.0]])
def test_there_are_as_many_tangents_as_primals(tangents):
    with pytest.raises(ValueError, match="tangent"):
        jvp(np.square, [2.0], tangents)
    with pytest.raises(ValueError, match="tangent"):
        linearize(np.square, 2.0)[1](*tangents)


@pytest.mark.parametrize("t", ["1", None, {1.0}])
def test_tangents_are_numbers(t):
    for call in (lambda: jvp(np.square, [2.0], [t]), lambda: vjp(np.square, 2.0)[1](t)):
        with pytest.raises(TypeError, match="tangent"):
            call()


def test_a_real_value_has_real_tangents():
    """The adjoint of an imaginary cotangent would be a silent zero."""
    for call in (
        lambda: jvp(np.square, [2.0], [1j]),
        lambda: vjp(np.square, 2.0)[1](1j),
        lambda: vjp(np.square, SQUARES)[1](1j * SQUARES),
        lambda: linearize(np.square, 2.0)[1](1j),
    ):
        with pytest.raises((TypeError, ValueError), match="complex"):
            call()


def test_complex_numbers_have_no_order():
    z, w, one = np.array([1 + 2j, 3.0]), np.array([2.0, 1j]), np.ones(2, complex)
    for f in (lambda z: np.maximum(z, w), lambda z: np.fmin(z, w), lambda z: np.clip(z, 0, 1)):
        with pytest.raises(TypeError, match=r"compare their abs or real parts, and take one by np\.where"):
            vjp(f, z)
    for f, expected in (
        (lambda z: np.where(abs(z) > abs(w), z, w), [1, 1]),
        (lambda z: np.where(z.real > w.real, z, w), [0, 1]),
    ):
        np.testing.assert_array_equal(vjp(f, z)[1](one)[0], expected)


def test_tangents_take_the_precision_of_their_primal():
    x = SQUARES.astype(np.float32)
    assert jvp(np.square, [x], [SQUARES])[1].dtype == np.float32
    assert vjp(np.square, x)[1](SQUARES)[0].dtype == np.float32


PAIR = {"a": 1.0, "b": (2.0, 3.0)}


@pytest.mark.parametrize("other", [{"a": 1.0}, {"a": 1.0, "c": (2.0, 3.0)}, {"a": 1.0, "b": 2.0}, [1.0, (2.0, 3.0)],
                                   {"a": 1.0, "b": (2.0,)}, (1.0, 2.0, 3.0), 1.0,
                                   {"a": (1.0, 2.0), "b": 3.0}], ids=str)  # fmt: skip
def test_tangents_have_the_structure_of_their_primals(other):
    def f(p):
        return {"a": p["a"] * p["b"][0], "b": (p["b"][1], p["a"])}

    for call in (lambda: jvp(f, [PAIR], [other]), lambda: vjp(f, PAIR)[1](other), lambda: linearize(f, PAIR)[1](other)):
        with pytest.raises((TypeError, ValueError), match=r"structure|leaves|tangent, tuple"):
            call()


def test_keys_not_their_order_say_which_tangent_is_whose():
    def f(p):
        return {"x": p["a"], "y": 10 * p["b"]}

    p = {"a": 1.0, "b": 2.0}
    assert jvp(f, [p], [{"b": 1.0, "a": 0.0}])[1] == {"x": 0.0, "y": 10.0}
    assert linearize(f, p)[1]({"b": 1.0, "a": 0.0}) == {"x": 0.0, "y": 10.0}
    assert vjp(f, p)[1]({"y": 1.0, "x": 0.0}) == ({"a": 0.0, "b": 10.0},)


def test_the_mode_of_a_jacobian():
    with pytest.raises(ValueError, match="'auto', 'forward', 'reverse'; got 'backward'"):
        jacobian(np.square, mode="backward")


# ------------------------------------------------------------------------------------------------ roads to plain values


def stored(array, place, value):
    array[place] = value
    return array


def added(array, value):
    array += value
    return array


SCALAR_ROADS = {
    "float": (lambda x: float(x) * x, r"float\(x\) would lose .*write x; .*value_of"),
    "int": (lambda x: int(x) * x, r"int\(x\) would lose .*write int\(autodiff.value_of\(x\)\)"),
    "complex": (lambda x: complex(x).real * x, r"complex\(x\) would lose .*write \(x \+ 0j\); "),
    "math.sin": (lambda x: math.sin(x), r"math.sin\(x\) would lose .*write np.sin\(x\); "),
    "math.fsum": (lambda x: math.fsum([x, x]), r"write dualnumbers.dmath.fsum\(\[x, x\]\)"),
    "np.float64": (lambda x: np.float64(x) * x, r"np.float64\(x\) would lose .*write x; "),
    "np.array of a dtype": (lambda x: np.sum(np.array([x, x], dtype=float)), r"write np.stack\(\[x, x\]\)"),
    "stored": (lambda x: np.sum(stored(np.zeros(2), 0, x)), "make what is given as array by np.zeros.*like=value"),
    "stored by a mask": (lambda x: np.sum(stored(np.zeros(2), np.array([True, False]), x)), "by np.zeros.*like=value"),
    "fill": (lambda x: np.zeros(2).fill(x), r"write np.zeros\(2, like=x\)"),
    "augmented": (lambda x: np.sum(added(np.zeros(2), x)), r"array \+= value would .*make what is given as array by"),
    "item": (lambda x: x.item() * x, r"x.item\(\) would .*write x; .*value_of"),
    "tolist": (lambda x: x.tolist() * x, r"x.tolist\(\) would .*write x; .*value_of"),
    "grad": (lambda x: x.grad, r"\.grad of a.*value_of"),
    "dual": (lambda x: x.dual, r"\.dual of a.*value_of"),
    "data": (lambda x: x.data, r"\.data of a.*value_of"),
    "numpy": (lambda x: x.numpy(), r"\.numpy of a.*value_of"),
    "detach": (lambda x: x.detach(), r"\.detach of a.*value_of"),
    "hash": (lambda x: hash(x), "no hash.*lru_cache.*value_of"),
    "dict": (lambda x: {2.0: 4.0}[x] * x, "no hash.*dict.*value_of"),
    "set": (lambda x: len({x}) * x, "no hash.*set.*value_of"),
    "lru_cache": (lambda x: cached_square(x), "no hash.*lru_cache.*value_of"),
    "pickle": (lambda x: pickle.loads(pickle.dumps(x)), "cannot be pickled.*value_of"),
    "json": (lambda x: json.loads(json.dumps(x)), r"write json.dumps\(autodiff.value_of\(x\)\)"),
    "Decimal": (lambda x: decimal.Decimal(x), r"write decimal.Decimal\(autodiff.value_of\(x\)\)"),
    "range": (lambda x: sum(x for _ in range(x)), "integer"),
    "index": (lambda x: [1.0, 2.0, 3.0][x] * x, "integer"),
}

ARRAY_ROADS = {
    "np.asarray": (lambda x: np.sum(np.asarray(x)), r"np.asarray\(x\) would lose .*write x; .*value_of"),
    "np.array": (lambda x: np.sum(np.array(x)), r"np.array\(x\) would lose .*write x\.copy\(\); .*value_of"),
    "np.array of a dtype": (lambda x: np.sum(np.array(x, dtype=float)), r"write x.copy\(\).*value_of"),
    "np.array of arrays": (lambda x: np.sum(np.array([x, x])), r"write np.stack\(\[x, x\]\)"),
    "float": (lambda x: float(x[:1]) * x[0], r"write x\[:1\].reshape\(\(\)\)"),
    "item": (lambda x: x.sum().item() * x[0], r"write x.sum\(\); .*value_of"),
    "tolist": (lambda x: x.tolist()[0] * x[0], r"write list\(x\); .*value_of"),
    "tobytes": (lambda x: x.tobytes(), r"\.tobytes of a.*value_of"),
    "stored": (lambda x: np.sum(stored(np.zeros(2), slice(None), x)), "by np.zeros.*like=value"),
    "an element stored": (lambda x: np.sum(stored(np.zeros(2), 0, x[0])), "by np.zeros.*like=value"),
    "augmented": (lambda x: np.sum(added(np.zeros(2), x)), r"array \+= value would .*make what is given as array by"),
    "out=": (lambda x: np.sum(np.sin(x, out=np.zeros(2))), r"write np.zeros\(2, like=x\)"),
    "out= of a sum": (lambda x: np.sum(x, axis=0, out=np.zeros(())), r"write np.zeros\(\(\), like=x\)"),
    "out= of a method": (lambda x: x.sum(out=np.zeros(())), r"write np.zeros\(\(\), like=x\)"),
    "where=": (lambda x: np.sum(np.sin(x, where=x > 0)), "np.sin with where=.*out=.*np.where"),
    "dtype= of a sum": (lambda x: np.sum(x, dtype=int), "sum with dtype=int64 would lose.*value_of"),
    "dtype=": (lambda x: np.sum(np.exp(x, dtype=int)), "np.exp with dtype=.*value_of"),
    "a ufunc's method": (lambda x: np.hypot.reduce(x, initial=1.0), "np.hypot.reduce with initial=.*value_of"),
    "an unknown function": (lambda x: np.busday_count(x, x), "np.busday_count has no derivative here.*value_of"),
    "an unknown ufunc": (lambda x: np.isnat(x), "np.isnat has no derivative here"),
    "copyto": (lambda x: np.copyto(np.zeros(2), x), r"write np.zeros\(2, like=x\)"),
    "put": (lambda x: np.put(np.zeros(2), [0], x[0]), r"write np.zeros\(2, like=x\)"),
    "memoryview": (lambda x: memoryview(x), r"write memoryview\(autodiff.value_of\(x\)\)"),
    "dict": (lambda x: {x: 1.0}, "no hash"),
    "index": (lambda x: np.sum(np.arange(5.0)[x]), "np.asarray of a|integer"),
    "random": (
        lambda x: np.sum(np.random.default_rng(0).normal(x)),
        r"write x \+ np.random.default_rng\(0\).normal\(size=",
    ),
    "vectorize": (lambda x: np.sum(np.vectorize(lambda t: t * t)(x)), "np.vectorize calls.*np.stack.*value_of"),
    "r_": (lambda x: np.sum(np.r_[x, x]), "np.r_ and np.c_ make.*np.concatenate.*value_of"),
    "c_": (lambda x: np.sum(np.c_[x, x]), "np.r_ and np.c_ make.*np.column_stack.*value_of"),
    "as_strided": (lambda x: np.lib.stride_tricks.as_strided(x, (2,), (8,))[0], "as_strided.*sliding_window_view"),
    "full_like": (lambda x: np.sum(np.full_like(np.ones(3), x[0])), r"np.full_like makes.*np.full\(.*like="),
    "ndenumerate": (lambda x: sum(v for _, v in np.ndenumerate(x)), "np.ndenumerate makes.*np.ndindex"),
    "a cast": (lambda x: np.sum(np.vstack([x, x], dtype=int)), "cast from float64 to int64.*same_kind"),
    "dlpack": (lambda x: np.from_dlpack(x), r"\.__dlpack__ of a.*value_of"),
    "fromiter": (lambda x: np.sum(np.fromiter(x, float)), r"write np.stack\(list\(x\)\)"),
    "asarray_chkfinite": (lambda x: np.asarray_chkfinite(x), "write x; .*value_of"),
    "ascontiguousarray": (lambda x: np.ascontiguousarray(x), "write x; .*value_of"),
    "array.array": (lambda x: array.array("d", x), r"write array.array\('d', autodiff.value_of\(x\)\)"),
    "json": (lambda x: json.dumps(x), r"write json.dumps\(autodiff.value_of\(x\)\)"),
    "save": (lambda x: np.save(io.BytesIO(), x), "np.save has no derivative.*value_of"),
    "statistics": (lambda x: statistics.stdev(x), r"write np.std\(x, ddof=1\)"),
    "nditer": (lambda x: sum(float(t) for t in np.nditer(x)), r"write \(x\[place\] for place in np.ndindex"),
}


@functools.lru_cache
def cached_square(x):
    return x * x


def refused(f, x, message, gradient_of):
    """The error of the call, whose message must name this file's line, unless it is Python's own."""
    with pytest.raises((TypeError, AttributeError), match=message) as caught:
        gradient_of(f, [x])
    text = str(caught.value)
    if "value_of" in text:
        frames = traceback.extract_tb((caught.value.__cause__ or caught.value).__traceback__)
        assert any(f"{__file__}:{frame.lineno})" in text for frame in frames if frame.filename == __file__), text
    return text


@GRADIENTS
@pytest.mark.parametrize("road", SCALAR_ROADS)
def test_a_number_does_not_become_a_plain_value(road, gradient_of):
    cached_square(2.0)
    f, message = SCALAR_ROADS[road]
    refused(f, 2.0, message, gradient_of)


@GRADIENTS
@pytest.mark.parametrize("road", ARRAY_ROADS)
def test_an_array_does_not_become_a_plain_array(road, gradient_of):
    f, message = ARRAY_ROADS[road]
    refused(f, np.array([0.5, 0.25]), message, gradient_of)


WRONG_CALLS = {
    "a mask of another size": (lambda x: np.putmask(x * 1.0, [True], x), r"np.putmask: mask and data.*\(1,\)"),
    "no values": (lambda x: np.place(x * 1.0, [True, False], []), "np.place: no values"),
    "a copy that is needed": (lambda x: np.reshape(np.stack([x, x]).T, 4, copy=False), "copy"),
}


@pytest.mark.parametrize("call", WRONG_CALLS)
@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_a_wrong_call_is_the_error_that_it_is_in_numpy(jacobian, call):
    f, message = WRONG_CALLS[call]
    with pytest.raises(ValueError, match=message):
        jacobian(f)(np.array([0.5, 0.25]))


@GRADIENTS
@pytest.mark.parametrize("road", ["float", "math.sin", "stored", "item", "hash", "dual"])
def test_nor_inside_a_nested_differentiation(road, gradient_of):
    f, message = SCALAR_ROADS[road]
    for inner in MODES.values():
        refused(lambda x, inner=inner: inner(f, [x])[0], 2.0, message, gradient_of)
        refused(lambda x, inner=inner: inner(lambda y: y * f(x), [1.0])[0], 2.0, message, gradient_of)


@GRADIENTS
def test_scipy_functions_are_named(gradient_of):
    linalg = pytest.importorskip("scipy.linalg")
    special = pytest.importorskip("scipy.special")
    integrate = pytest.importorskip("scipy.integrate")
    x = np.array([0.5, 0.25])
    refused(lambda x: np.sum(linalg.solve(np.eye(2), x)), x, "scipy.linalg.solve", gradient_of)
    refused(lambda x: np.sum(linalg.solve(np.outer(x, x), x)), x, "scipy.linalg.solve", gradient_of)
    refused(lambda x: np.sum(linalg.expm(np.outer(x, x))), x, "scipy.linalg.expm", gradient_of)
    refused(lambda x: np.sum(special.obl_cv(1, 2, x)), x, "obl_cv has no derivative here", gradient_of)
    refused(lambda x: integrate.quad(lambda t: t * x[0], 0.0, 1.0)[0], x, "scipy.integrate.quad", gradient_of)


@GRADIENTS
def test_scipy_functions_on_plain_values_are_no_concern_of_ours(gradient_of):
    linalg = pytest.importorskip("scipy.linalg")
    x = np.array([0.5, 0.25])
    found = gradient_of(lambda x: np.sum(x * linalg.solve(2 * np.eye(2), value_of(x))), [x])
    assert found[0].tolist() == [0.25, 0.125]


@GRADIENTS
def test_locally_constant_values_may_be_read_as_plain_ones(gradient_of):
    def f(x):
        order = np.argsort(x)
        mask = np.asarray(x > 0.3)
        plain = np.zeros(2)
        plain[x > 0.3] = 1.0
        plain[order[0]] += 2.0
        count = int(np.sum(mask)) + float(np.floor(x[0] * 4)) + len({bool(x[0] > 0)})
        return np.sum(x * plain) * count + np.arange(5.0)[np.argmax(x)]

    (found,) = gradient_of(f, [np.array([0.5, 0.25])])
    assert found.tolist() == [4.0, 8.0]


@GRADIENTS
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_of_traced_numbers_keep_the_derivative(duplicate, gradient_of):
    assert gradient_of(lambda x: duplicate(x) * x, [3.0]) == [6.0]
    assert gradient_of(lambda x: np.sum(duplicate({"x": [x]})["x"][0] ** 2), [SQUARES])[0].tolist() == [2.0, 4.0]


# ------------------------------------------------------------------------------------------------ outliving

KEEPERS = {
    "the number": (lambda x: x, 2.0),
    "a result": (lambda x: x * x + 1, 2.0),
    "an array": (lambda x: x * 2, SQUARES),
    "an element": (lambda x: x[0], SQUARES),
    "a view": (lambda x: x[::-1], SQUARES),
    "inside of a closure": (lambda x: lambda: x * x, 2.0),
    "inside of a number": (lambda x: DualNumber(x, 1.0), 2.0),
}
USES = {
    "returned": lambda kept, y: kept,
    "multiplied": lambda kept, y: kept * y,
    "from the left": lambda kept, y: y * kept,
    "as an exponent": lambda kept, y: y**kept,
    "through NumPy": lambda kept, y: np.exp(kept * y) + np.sum(kept),
    "in a list": lambda kept, y: [y, kept] if np.ndim(kept) == 0 else [y, kept[0]],
}


@pytest.mark.parametrize("second", MODES)
@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("keeper", KEEPERS)
def test_a_number_that_outlived_its_differentiation(keeper, use, first, second):
    stored_numbers = []
    keep, x = KEEPERS[keeper]

    def f(x):
        stored_numbers.append(keep(x))
        return np.sum(x)

    def g(y):
        kept = stored_numbers[0]() if callable(stored_numbers[0]) else stored_numbers[0]
        result = USES[use](kept, y)
        return result if isinstance(result, list) else np.sum(result)

    MODES[first](f, [x])
    with pytest.raises(RuntimeError, match=r"outlived its differentiation.*value_of"):
        {"forward": jacfwd, "reverse": jacrev}[second](g)(3.0)


@GRADIENTS
def test_a_number_that_outlived_as_an_argument(gradient_of):
    kept = []
    gradient_of(lambda x: kept.append(x) or x, [2.0])
    (x,) = kept
    for call in (lambda: gradient(lambda y: y * y, [x]), lambda: derivative(lambda y: y * y, 0, [x]),
                 lambda: jvp(lambda y: y * y, [x], [1.0]), lambda: jvp(lambda y: y * y, [1.0], [x]),
                 lambda: vjp(lambda y: y * y, x)):  # fmt: skip
        with pytest.raises(RuntimeError, match="outlived its differentiation"):
            call()


def test_the_value_of_what_outlived_is_plain():
    kept = []
    for gradient_of in MODES.values():
        gradient_of(lambda x: kept.append(x * x) or x, [2.0])
    assert [value_of(x) for x in kept] == [4.0, 4.0]
    assert grad(lambda y: y * value_of(kept[0]))(3.0) == 4.0


@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("outer", MODES)
def test_a_number_of_an_inner_differentiation_does_not_enter_an_array_of_an_outer_one(outer, inner):
    def f(x):
        y = np.zeros_like(x)

        def g(t):
            y[0] = t * x[0]
            return t

        MODES[inner](g, [2.0])
        return np.sum(y)

    with pytest.raises((TypeError, RuntimeError), match="outlive"):
        MODES[outer](f, [SQUARES])


# ------------------------------------------------------------------------------------------------ captured arrays


def by_a_ufunc(weights):
    np.negative(weights, out=weights)


def one_element(weights):
    weights[17] += 1e-9


@pytest.mark.parametrize("change", [np.ndarray.sort, by_a_ufunc, one_element], ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [100, 8192, 8193, 100_000, 1_100_000])
@GRADIENTS
def test_a_captured_array_changed_later_gives_the_right_answer_or_an_error(size, change, gradient_of):
    weights = np.arange(float(size), 0.0, -1.0)

    def f(x):
        y = np.sum(weights * x * np.arange(size))
        change(weights)
        return y

    expected = np.sum(weights * np.arange(size))
    found, message = None, ""
    try:
        (found,) = gradient_of(f, [3.0])
    except RuntimeError as error:
        message = str(error)
    if size <= 8192 or not message:  # a small array is copied
        assert found == pytest.approx(expected, rel=1e-13)
    else:
        assert re.search(rf"array of shape \({size},\).*changed after it was used.*copy\(\)", message)


@GRADIENTS
def test_a_captured_array_that_changes_between_its_uses(gradient_of):
    def f(x):
        weights, total = np.zeros(3), 0.0
        for k in range(3):
            weights[k] = k + 1.0
            total = total + np.sum(weights * x**k)
        return total

    (found,) = gradient_of(f, [2.0])
    assert found == 0.0 + (1 + 2) * 1 + (1 + 2 + 3) * 2 * 2.0


@GRADIENTS
def test_an_index_array_changed_later(gradient_of):
    def f(x):
        index = np.array([0, 0])
        y = np.sum(x[index])
        index[:] = 1
        return y

    assert gradient_of(f, [SQUARES])[0].tolist() == [2.0, 0.0]


@GRADIENTS
def test_the_callers_array_is_not_written(gradient_of):
    x = np.array([1.0, 2.0])
    gradient_of(lambda x: np.sum(added(x, 1.0) * x), [x])
    assert x.tolist() == [1.0, 2.0]


# ------------------------------------------------------------------------------------------------ NaN and infinity


@GRADIENTS
@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("function", [lambda x: x * x, lambda x: np.exp(x) / x, lambda x: np.tanh(x) + abs(x),
                                      lambda x: np.minimum(x, x * x), lambda x: np.floor(x) * x,
                                      lambda x: np.maximum(x, 1.0), lambda x: np.sum(np.stack([x, x]) ** 2),
                                      lambda x: np.hypot(x, 1.0), lambda x: np.arctan2(x, x)])  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_and_infinity_flow(function, x, gradient_of):
    (number,), (array,) = gradient_of(function, [x]), gradient_of(lambda x: np.sum(function(x)), [np.array([x])])
    np.testing.assert_array_equal(array, [number])
    assert math.isnan(number) or not math.isnan(x)


@GRADIENTS
def test_where_follows_its_branch_for_a_nan(gradient_of):
    assert gradient_of(lambda x: np.where(x > 0, x, -x), [math.nan]) == [-1.0]


@GRADIENTS
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_one_nan_leaves_the_other_elements_alone(gradient_of):
    (found,) = gradient_of(lambda x: np.sum(x**3), [np.array([1.0, math.nan, 2.0])])
    np.testing.assert_array_equal(found, [3.0, math.nan, 12.0])


@GRADIENTS
@pytest.mark.parametrize(
    "function",
    [np.sin, np.sqrt, np.log, lambda x: 1 / x, lambda x: x**-0.5, np.arcsin, np.hypot],
    ids=lambda f: f.__name__,
)
def test_derivatives_warn_of_nothing_that_the_function_does_not_warn_of(function, gradient_of):
    """At 0 some slopes are infinite; warnings are errors in these tests."""
    x = np.array([0.0, 1.0]) if function in (np.sin, np.sqrt, np.arcsin) else np.array([0.5, 1.0])
    if function is np.hypot:
        gradient_of(lambda x: np.sum(np.hypot(x, 0.0 * x)), [np.zeros(2)])
    else:
        gradient_of(lambda x: np.sum(function(x)), [x])


@GRADIENTS
@pytest.mark.parametrize(
    ("function", "x", "error"),
    [
        (lambda x: 1 / x, 0.0, ZeroDivisionError),
        (lambda x: x**-1, 0.0, ZeroDivisionError),
        (lambda x: x**400.0, 1e300, OverflowError),
        (lambda x: x % 0.0, 1.0, ZeroDivisionError),
        (lambda x: math.floor(x), math.nan, ValueError),
        (lambda x: [1.0][5] * x, 1.0, IndexError),
        (lambda x: x.nothing, 1.0, AttributeError),
        (lambda x: x[0], 1.0, TypeError),
        (lambda x: np.reshape(x, (7, 7)), np.ones(3), ValueError),
        (lambda x: x @ np.ones(4), np.ones(3), ValueError),
        (lambda x: np.linalg.solve(np.zeros((3, 3)), x), np.ones(3), np.linalg.LinAlgError),
        (lambda x: x + np.ones(4), np.ones(3), ValueError),
        (lambda x: x[5], np.ones(3), IndexError),
        (lambda x: np.sum(x, axis=3), np.ones(3), np.exceptions.AxisError),
        (lambda x: bool(x), np.ones(3), ValueError),
    ],
)
def test_a_programs_own_errors_are_those_of_the_plain_program(function, x, error, gradient_of):
    with pytest.raises(error) as plain:
        function(x)
    with pytest.raises(error) as traced:
        gradient_of(function, [x])
    if error is not AttributeError and "subscriptable" not in str(plain.value):
        assert str(traced.value) == str(plain.value)
