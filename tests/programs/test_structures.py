"""Structures of arguments and results, of every kind, under every operator; arguments by their names.

Every value is held against a closed form of the two functions below, or against differences.
"""

import functools
import math
import pickle
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff.forward
import autodiff.reverse
from autodiff import (
    check_derivative,
    check_gradient,
    derivative,
    differentiate,
    grad,
    gradcheck,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    record,
    register_structure,
    stop_gradient,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff.calls import structures
from autodiff.calls.structures import flatten, map_leaves, paths_of_leaves
from autodiff.differences.quotients import difference_quotient
from autodiff.scipy.integrate import solve_ivp
from autodiff.tape.outline import outline

W, B = np.array([0.5, -1.5, 2.0]), 1.25
V, C = np.array([1.0, -2.0, 0.5]), 0.75
"""The point, and a direction."""


class Pair(NamedTuple):
    w: Any
    b: Any
    name: Any = "relu"
    none: Any = None


class Guarded(namedtuple("Guarded", "w b name none")):
    """A named tuple that converts what it is made of."""

    def __new__(cls, w, b, name="relu", none=None):
        return super().__new__(cls, np.array(w, float), float(b), name, none)


@dataclass
class Plain:
    w: Any
    b: Any
    name: str = "relu"
    none: None = None


@dataclass(frozen=True, slots=True)
class Frozen:
    w: Any
    b: Any
    name: str = "relu"
    none: None = None


@dataclass(kw_only=True)
class Strict:
    """It converts and checks what it is made of, as one that reads a file."""

    none: None = field(default=None, init=False)
    w: Any
    b: Any
    name: str = field(default="relu", init=False)

    def __post_init__(self):
        self.w, self.b = np.asarray(self.w, dtype=float), float(self.b)
        if self.w.ndim != 1:
            raise ValueError("w is a vector")


@dataclass
class Outer:
    inner: Plain
    rest: tuple[Any, ...] = ("relu", None)


class Registered:
    def __init__(self, b, w, name="relu"):
        self.contents, self.name, self.none = {"w": w, "b": b}, name, None


register_structure(
    Registered,
    lambda x: [x.contents["w"], x.contents["b"], x.none],
    lambda x, parts: type(x)(parts[1], parts[0], x.name),
)


class Beneath(Registered):
    """A subclass of a registered class."""


class Dict(OrderedDict):
    pass


def of_attributes(x):
    return x.w, x.b, x.name, x.none


KINDS = {
    "tuple": (lambda w, b: (w, (b, "relu"), None), lambda x: (x[0], *x[1], x[2])),
    "list": (lambda w, b: [w, b, "relu", None], tuple),
    "dict": (lambda w, b: {"name": "relu", "w": w, "b": b, "none": None},
             lambda x: (x["w"], x["b"], x["name"], x["none"])),
    "subclass of dict": (lambda w, b: Dict(w=w, b=b, name="relu", none=None), lambda x: tuple(x.values())),
    "named tuple": (Pair, tuple),
    "named tuple that converts": (lambda w, b: Guarded._make((w, b, "relu", None)), tuple),
    "dataclass": (Plain, of_attributes),
    "frozen dataclass": (Frozen, of_attributes),
    "dataclass that converts": (lambda w, b: put(Strict(w=W, b=B), w=w, b=b), of_attributes),
    "nested dataclass": (lambda w, b: Outer(Plain(w, b)), lambda x: (x.inner.w, x.inner.b, *x.rest)),
    "list of dataclasses": (lambda w, b: [Plain(w, "relu"), Frozen(None, b)],
                            lambda x: (x[0].w, x[1].b, x[0].b, x[1].w)),
    "registered": (lambda w, b: Registered(b, w), lambda x: (x.contents["w"], x.contents["b"], x.name, x.none)),
    "subclass of registered": (lambda w, b: Beneath(b, w),
                               lambda x: (x.contents["w"], x.contents["b"], x.name, x.none)),
}  # fmt: skip
"""How a structure is made of an array and a number, and how these, "relu" and None are read from it."""

EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def put(x, **parts):
    for name, part in parts.items():
        object.__setattr__(x, name, part)
    return x


def made(kind, w, b):
    return KINDS[kind][0](w, b)


def loss(tree, kind):
    """Σ b w³ + b²"""
    w, b, name, none = KINDS[kind][1](tree)
    assert name == "relu"
    assert none is None
    return b * np.sum(w**3) + b * b


def moved(tree, kind):
    """The structure of b w and Σ w²"""
    w, b, _, _ = KINDS[kind][1](tree)
    return made(kind, b * w, np.sum(w**2))


GRADIENT = (3 * B * W**2, np.sum(W**3) + 2 * B)
HESSIAN = ((np.diag(6 * B * W), 3 * W**2), (3 * W**2, 2.0))
JACOBIAN = ((B * np.eye(3), W), (2 * W, 0.0))


def times(matrix, v, c):
    return tuple(by_w @ v + by_b * c for by_w, by_b in matrix)


def transposed_times(matrix, v, c):
    return v @ matrix[0][0] + c * matrix[1][0], v @ matrix[0][1] + c * matrix[1][1]


def assert_parts(kind, found, expected):
    """That a result has the structure, with the expected values, and with "relu" and None where they were."""
    assert type(found) is type(made(kind, W, B))
    w, b, name, none = KINDS[kind][1](found)
    assert name == "relu"
    assert none is None
    for x, y in zip((w, b), expected, strict=True):
        assert np.shape(x) == np.shape(y)
        np.testing.assert_allclose(x, y, 1e-13)


def assert_blocks(kind, found, expected):
    """`assert_parts` for a structure of structures."""
    assert type(found) is type(made(kind, W, B))
    w, b, name, none = KINDS[kind][1](found)
    assert name == "relu"
    assert none is None
    assert_parts(kind, w, expected[0])
    assert_parts(kind, b, expected[1])


# ------------------------------------------------------------------------------------- every operator, every kind


@EVERY_KIND
def test_the_structure_itself(kind):
    tree = made(kind, W, B)
    leaves, rebuild = flatten(tree)
    assert len(leaves) == 2
    assert any(leaf is W for leaf in leaves)
    assert_parts(kind, rebuild(leaves), (W, B))
    assert repr(outline(tree)) == repr(outline(rebuild(range(len(leaves)))))
    assert_parts(kind, map_leaves(lambda x: 2 * x, tree), (2 * W, 2 * B))
    assert_parts(kind, tree, (W, B))  # it stays as it was
    with pytest.raises(StopIteration):
        rebuild([])


GRADIENTS = {
    "forward.gradient": lambda f, x: autodiff.forward.gradient(f, [x])[0],
    "reverse.gradient": lambda f, x: autodiff.reverse.gradient(f, [x])[0],
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f, (0,))(x)[1][0],
    "derivative": lambda f, x: derivative(f, 0, [x]),
    "differentiate": lambda f, x: differentiate(f)(x),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "jacrev": lambda f, x: jacrev(f)(x),
    "jacobian": lambda f, x: jacobian(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
}


@EVERY_KIND
@pytest.mark.parametrize("operator", GRADIENTS)
def test_the_gradient_has_the_structure_of_the_argument(kind, operator):
    assert_parts(kind, GRADIENTS[operator](lambda x: loss(x, kind), made(kind, W, B)), GRADIENT)


JACOBIANS = {
    "forward": jacfwd,
    "reverse": jacrev,
    "auto": jacobian,
    "recorded, pushed": lambda f: lambda x: jacobian(lambda y: (f(y), np.ones(9) * flatten(y)[0][0][0]))(x)[0],
}


@EVERY_KIND
@pytest.mark.parametrize("operator", JACOBIANS)
def test_the_jacobian_has_the_structures_of_both(kind, operator):
    found = JACOBIANS[operator](lambda x: (moved(x, kind), "relu"))(made(kind, W, B))
    assert found[1] == "relu"
    assert_blocks(kind, found[0], JACOBIAN)


@EVERY_KIND
def test_products_with_the_jacobian(kind):
    x, v = made(kind, W, B), made(kind, V, C)
    value, tangent = jvp(lambda x: moved(x, kind), [x], [v])
    assert_parts(kind, value, (B * W, np.sum(W**2)))
    assert_parts(kind, tangent, times(JACOBIAN, V, C))
    value, push = linearize(lambda x: moved(x, kind), x)
    assert_parts(kind, value, (B * W, np.sum(W**2)))
    assert_parts(kind, push(v), times(JACOBIAN, V, C))
    value, pull = vjp(lambda x: moved(x, kind), x)
    assert_parts(kind, value, (B * W, np.sum(W**2)))
    assert_parts(kind, pull(v)[0], transposed_times(JACOBIAN, V, C))


SECOND = {
    "hessian": hessian,
    "jacfwd of grad": lambda f: jacfwd(grad(f)),
    "jacrev of grad": lambda f: jacrev(grad(f)),
    "jacobian of jacfwd": lambda f: jacobian(jacfwd(f)),
    "jacfwd of jacfwd": lambda f: jacfwd(jacfwd(f)),
}


@EVERY_KIND
@pytest.mark.parametrize("operator", SECOND)
def test_second_derivatives(kind, operator):
    if kind.startswith("list") and operator != "hessian":
        pytest.skip("a list that a function returns is one array")
    assert_blocks(kind, SECOND[operator](lambda x: loss(x, kind))(made(kind, W, B)), HESSIAN)


@EVERY_KIND
def test_a_product_with_the_hessian(kind):
    found = hvp(lambda x: loss(x, kind))(made(kind, W, B), made(kind, V, C))
    assert_parts(kind, found, times(HESSIAN, V, C))


@EVERY_KIND
def test_the_gradient_of_a_gradient(kind):
    """Of |∂f/∂w|² + (∂f/∂b)²: twice the Hessian times the gradient."""

    def squared(x):
        w, b, _, _ = KINDS[kind][1](grad(lambda y: loss(y, kind))(x))
        return np.sum(w**2) + b**2

    assert_parts(kind, grad(squared)(made(kind, W, B)), [2 * x for x in times(HESSIAN, *GRADIENT)])


@EVERY_KIND
def test_the_checks(kind):
    x, right = made(kind, W, B), made(kind, *GRADIENT)
    wrong = made(kind, GRADIENT[0] * (1 + 1e-5), GRADIENT[1])

    def f(x):
        return loss(x, kind)

    assert gradcheck(f, [x], order=1)
    assert gradcheck(lambda x: (moved(x, kind), "relu"), [x], order=2)
    assert check_gradient(f, [x], [right])
    assert not check_gradient(f, [x], [wrong])
    assert check_derivative(f, 0, [x], right)
    assert not check_derivative(f, 0, [x], wrong)
    value, error = difference_quotient(f, 0, [x])
    for v, e, exact in zip(KINDS[kind][1](value)[:2], KINDS[kind][1](error)[:2], GRADIENT, strict=True):
        assert np.all(np.abs(v - exact) <= 4 * e + 1e-12)
        assert np.all(e < 1e-6)
    assert type(value) is type(error) is type(x)


@EVERY_KIND
def test_mixed_differences(kind):
    """By a structure and by a number, in both orders of the two."""
    x = made(kind, W, B)

    def f(t, x):
        return t**2 * loss(x, kind)

    for wrt in ((0, 1), (1, 0), ("t", "x")):
        assert check_derivative(f, wrt, [3.0, x], made(kind, *(6 * g for g in GRADIENT)))
    assert_parts(kind, derivative(f, ("t", "x"), [3.0, x]), [6 * g for g in GRADIENT])


@EVERY_KIND
def test_a_recording_runs_at_other_inputs(kind):
    tape, out = record(lambda x: moved(x, kind), [made(kind, W, B)])
    assert_parts(kind, tape.run([made(kind, V, C)]), (C * V, np.sum(V**2)))
    assert_parts(kind, value_of(out), (B * W, np.sum(W**2)))
    assert len(tape.names) == 2 == len(tape.inputs)


@EVERY_KIND
def test_constants(kind):
    x = made(kind, W, B)
    assert_parts(kind, value_of(x), (W, B))

    def f(x):
        return loss(x, kind) * loss(stop_gradient(x), kind)

    factor = loss(x, kind)
    assert_parts(kind, grad(f)(x), [factor * g for g in GRADIENT])
    assert grad(lambda t, y: t * loss(y, kind))(2.0, x) == factor
    assert derivative(lambda t, y: t * loss(y, kind), 0, [2.0, x]) == factor


@EVERY_KIND
def test_auxiliary_results(kind):
    def f(t):
        return t * t, made(kind, t * W, t)

    found, aux = grad(f, has_aux=True)(3.0)
    assert found == 6.0
    assert_parts(kind, aux, (3 * W, 3.0))


@EVERY_KIND
def test_a_derivative_that_is_not_finite_and_is_told_apart(kind):
    """0 · ∞ asks for a second run, of what the first run was given."""

    def f(x):
        w, b, _, _ = KINDS[kind][1](x)
        return np.sum(np.where(w > 0, np.sqrt(w), 0.0)) + b

    expected = (np.array([0.0, 0.25, 0.125]), 1.0)
    for operator in ("forward.gradient", "grad", "jacobian"):
        assert_parts(kind, GRADIENTS[operator](f, made(kind, np.array([0.0, 4.0, 16.0]), 2.0)), expected)


# ------------------------------------------------------------------------------------- what a structure is


def test_none_and_strings_come_back():
    x = {"w": W, "name": "relu", "bias": None, "more": ("a", [None], {})}
    found = grad(lambda p: np.sum(p["w"] ** 2))(x)
    assert found.pop("w").tolist() == (2 * W).tolist()
    assert found == {"name": "relu", "bias": None, "more": ("a", [None], {})}


def test_none_and_strings_in_outputs_are_no_elements():
    value, push = linearize(lambda x: (x * x, None, {"unit": "m"}), 3.0)
    assert value == (9.0, None, {"unit": "m"})
    assert push(1.0) == (6.0, None, {"unit": "m"})
    assert jvp(lambda x: (x * x, None, "m"), [3.0], [1.0]) == ((9.0, None, "m"), (6.0, None, "m"))
    value, pull = vjp(lambda x: (x * x, None, "m"), 3.0)
    assert value == (9.0, None, "m")
    assert pull((1.0, None, "m")) == pull((1.0, None, None)) == (6.0,)
    for operator in (jacfwd, jacrev, jacobian):
        assert operator(lambda x: (x * x, None, "m"))(3.0) == (6.0, None, "m")


@pytest.mark.parametrize("x", [None, "relu"])
def test_an_argument_that_is_none_or_a_string_is_no_number(x):
    def f(x, y):
        return 1.0 * y

    for operator in (grad, value_and_grad, jacfwd, jacrev, jacobian, hessian):
        for argnums in (0, "x", (1, 0)):
            with pytest.raises(TypeError, match="cannot differentiate with respect to argument 0"):
                operator(f, argnums)(x, 2.0)
        assert np.all(operator(lambda x, y: y * y, "y")(x, 2.0) == operator(lambda y: y * y)(2.0))
    for call in (lambda: derivative(f, "x", [x, 2.0]), lambda: autodiff.reverse.gradient(f, [x, 2.0]),
                 lambda: jvp(f, [x, 2.0], [x, 1.0]), lambda: vjp(f, x, 2.0), lambda: linearize(f, x, 2.0),
                 lambda: record(f, [x, 2.0]), lambda: difference_quotient(f, 0, [x, 2.0])):  # fmt: skip
        with pytest.raises(TypeError, match="cannot differentiate with respect to"):
            call()


@pytest.mark.parametrize("out", [None, "text", [1.0, None], [1.0, "text"], [{"a": 1.0}], [Plain(W, B)]])
def test_a_list_that_is_one_array_has_no_other_members(out):
    for operator in (grad, jacfwd, jacrev, jacobian, differentiate, hessian):
        with pytest.raises(TypeError, match=r"returned .*returns numbers or arrays"):
            operator(lambda x: out)(2.0)


def test_fields_that_are_not_set_and_attributes_that_are_no_fields():
    @dataclass
    class Partly:
        w: Any
        later: Any = field(init=False)

        def __post_init__(self):
            self.scale = 10.0

    x = Partly(2.0)
    found = grad(lambda p: p.scale * p.w**2)(x)
    assert found.w == 40.0
    assert found.scale == 10.0
    assert not hasattr(found, "later")
    x.later = 3.0
    found = grad(lambda p: p.later * p.w)(x)
    assert (found.w, found.later) == (3.0, 2.0)


def test_what_a_dataclass_computed_once_is_computed_anew():
    @dataclass
    class Cached:
        w: Any

        @functools.cached_property
        def length(self):
            return np.sqrt(np.sum(self.w**2))

    x = Cached(np.array([3.0, 4.0]))
    assert x.length == 5.0
    found = grad(lambda p: p.length)(x)
    assert np.allclose(found.w, [0.6, 0.8], 1e-15)
    assert "length" not in vars(found)
    assert x.length == 5.0


def test_a_defaultdict_keeps_its_factory_and_an_empty_structure_its_kind():
    assert grad(lambda p: p["w"] ** 2 + len(p["other"]))(defaultdict(list, w=3.0))["new"] == []

    @dataclass
    class Empty:
        pass

    found = grad(lambda p: p[0] ** 2)((3.0, Empty(), {}, ()))
    assert found == (6.0, Empty(), {}, ())


def test_the_names_of_leaves():
    x = {"a": [1.0, None, Plain(2.0, Pair(3.0, 4.0))], "b": Registered(5.0, 6.0)}
    assert paths_of_leaves(x, "x") == ["x['a'][0]", "x['a'][2].w", "x['a'][2].b[0]", "x['a'][2].b[1]", "x['b'][0]",
                                       "x['b'][1]"]  # fmt: skip
    assert len(flatten(x)[0]) == 6
    tape, _ = record(lambda p: p.w * p.b, [Plain(2.0, 3.0)])
    assert tape.names == ["p.w", "p.b"]


def test_a_differential_equation_with_a_dataclass_of_parameters():
    """y' = −k y, y(0) = 1: ∂y(1)/∂k = −exp(−k); the parameters are closed over, or given."""

    def closed_over(p):
        return solve_ivp(lambda t, y: -p.w * y, (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9).y[0, -1] * p.b

    def given(p):
        return solve_ivp(lambda t, y, p: -p.w * y, (0.0, 1.0), [1.0], args=(p,), rtol=1e-9, atol=1e-9).y[0, -1] * p.b

    for f in (closed_over, given):
        for found in (grad(f)(Plain(0.5, 2.0)), derivative(f, 0, [Plain(0.5, 2.0)])):
            assert math.isclose(found.w, -2 * math.exp(-0.5), rel_tol=1e-6)
            assert math.isclose(found.b, math.exp(-0.5), rel_tol=1e-6)


# ------------------------------------------------------------------------------------- tangents of structures

OTHERS = {
    "dataclass": (Plain(W, B), [Frozen(V, C), (V, C, "relu", None), Plain(V, C, "tanh"), Plain(V, None), Plain(None, C),
                                Plain((V, C), C), {"w": V, "b": C}]),
    "registered": (Registered(B, W), [Plain(V, C), [V, C], {"w": V, "b": C}, V]),
    "dict": ({"w": W, "name": "relu"}, [{"w": V}, {"w": V, "name": "tanh"}, {"w": V, "name": 1.0}, Plain(V, C),
                                        {"w": {"a": V}, "name": "relu"}]),
    "array": (W, [Plain(V, C), {"w": V}, Registered(C, V)]),
    "number": (B, [Plain(V, C), (C,), Registered(C, V)]),
}  # fmt: skip


@pytest.mark.parametrize(("x", "other"), [(x, other) for x, others in OTHERS.values() for other in others])
def test_a_tangent_of_another_structure(x, other):
    def same(p):
        return map_leaves(lambda leaf: 2.0 * leaf, p)

    for call in (lambda: jvp(same, [x], [other]), lambda: vjp(same, x)[1](other), lambda: linearize(same, x)[1](other),
                 lambda: hvp(lambda p: sum(np.sum(leaf**2) for leaf in flatten(p)[0]))(x, other)):  # fmt: skip
        with pytest.raises(
            (TypeError, ValueError), match=r"another structure than its value|cannot differentiate|array is None"
        ):
            call()


def test_the_error_says_what_is_needed():
    def doubled(p):
        return map_leaves(lambda leaf: 2.0 * leaf, p)

    for x, needed in ((Plain(W, B), r"a Plain with the fields \['w', 'b', 'name', 'none'\] is needed"),
                      (Registered(B, W), "a Registered of 3 parts is needed"),
                      (Pair(W, B), "a Pair of 4 is needed"), (W, r"an array of shape \(3,\) is needed"),
                      ({"w": W}, r"a dict with the keys \['w'\] is needed"), (B, "a number is needed")):  # fmt: skip
        with pytest.raises(ValueError, match=f"the tangent has another structure than its value: {needed}"):
            jvp(doubled, [x], [{"z": C}])
    with pytest.raises(ValueError, match="'relu' or None is needed"):
        jvp(doubled, [(B, "relu")], [(C, "tanh")])
    with pytest.raises(ValueError, match=": None is needed"):
        jvp(doubled, [(B, None)], [(C, "tanh")])


def test_a_suspect_of_another_structure():
    with pytest.raises(ValueError, match=r"suspect\.inner has not the structure .* a Plain with the fields"):
        check_derivative(lambda p: loss(p, "nested dataclass"), 0, [Outer(Plain(W, B))], Outer((W, B)))
    with pytest.raises(ValueError, match=r"suspect\[0\]\.w has shape \(2,\)"):
        check_gradient(lambda p: loss(p, "dataclass"), [Plain(W, B)], [Plain(W[:2], B)])


def test_a_recording_was_made_with_its_strings():
    def f(p):
        return np.tanh(p["w"]) if p["name"] == "tanh" else p["w"] * 2

    tape, _ = record(f, [{"w": W, "name": "tanh"}])
    assert tape.run([{"w": V, "name": "tanh"}]).tolist() == np.tanh(V).tolist()
    with pytest.raises(TypeError, match="recorded with arguments of another structure"):
        tape.run([{"w": V, "name": "relu"}])
    with pytest.raises(TypeError, match="recorded with arguments"):
        tape.run([{"w": None, "name": "tanh"}])


@pytest.mark.parametrize("leaf", [{1.0}, b"2", object(), True, lambda x: x], ids=lambda x: type(x).__name__)
def test_other_leaves_of_a_dataclass_are_no_numbers(leaf):
    for operator in (grad, jacfwd, jacrev):
        with pytest.raises(TypeError, match=r"cannot differentiate with respect to args\[0\]\.b, ") as caught:
            operator(lambda p: p.w)(Plain(2.0, leaf))
        assert "static" in caught.value.__notes__[0]


def test_static_fields_stay_as_they_are():
    @dataclass
    class Power:
        base: Any
        exponent: int = field(default=3, metadata={"static": True})
        act: Any = field(default=np.sin, metadata={"static": True})

    def f(p):
        return sum(p.act(p.base) for _ in range(p.exponent))

    for x in (0.5, np.array([0.5, 1.5])):
        found = jacobian(f)(Power(x))
        assert (found.exponent, found.act) == (3, np.sin)
        np.testing.assert_allclose(found.base, 3 * np.diag(np.cos(x)) if np.ndim(x) else 3 * np.cos(x), rtol=1e-15)
    assert paths_of_leaves(Power(1.0), "p") == ["p.base"]


# ------------------------------------------------------------------------------------- registration


def test_a_class_is_registered_once_more():
    class Twice:
        def __init__(self, a, b):
            self.a, self.b = a, b

    with pytest.raises(TypeError, match="cannot differentiate"):
        grad(lambda x: x.a * x.b)(Twice(2.0, 3.0))
    register_structure(Twice, lambda x: [x.a], lambda x, parts: Twice(*parts, x.b))
    found = grad(lambda x: x.a * x.b)(Twice(2.0, 3.0))
    assert (found.a, found.b) == (3.0, 3.0)
    register_structure(Twice, lambda x: (x.a, x.b), lambda x, parts: Twice(*parts))
    found = grad(lambda x: x.a * x.b)(Twice(2.0, 3.0))
    assert (found.a, found.b) == (3.0, 2.0)


def test_a_dataclass_and_a_subclass_of_dict_may_be_registered():
    @dataclass
    class Model:
        w: Any
        activation: Any

    with pytest.raises(TypeError, match="cannot differentiate"):
        grad(lambda m: m.activation(m.w))(Model(2.0, np.sin))
    register_structure(Model, lambda m: [m.w], lambda m, parts: Model(parts[0], m.activation))
    assert grad(lambda m: m.activation(m.w))(Model(2.0, np.sin)) == Model(math.cos(2.0), np.sin)

    class Half(dict):
        pass

    register_structure(Half, lambda x: [x["w"]], lambda x, parts: Half({**x, "w": parts[0]}))
    assert grad(lambda x: x["w"] ** 2)(Half(w=3.0, step=range(3))) == {"w": 6.0, "step": range(3)}


@pytest.mark.parametrize(
    "kind", [Plain(W, B), None, "Plain", dict, tuple, str, float, np.ndarray, np.float32, autodiff.Variable]
)
def test_what_cannot_be_registered(kind):
    with pytest.raises(TypeError, match=r"registered by its class|no class to register"):
        register_structure(kind, list, lambda x, parts: x)


def test_functions_are_registered():
    for functions in ((None, list), (list, "list")):
        with pytest.raises(TypeError, match="of Plain is a function; got"):
            register_structure(Plain, *functions)


# ------------------------------------------------------------------------------------- arguments by name


def product(x, w=2.0, *, scale=1.0, **others):
    """x² w³ scale · shift"""
    return x**2 * w**3 * scale * others.get("shift", 1.0)


BY_X, BY_W = 2 * 3.0 * 2.0**3, 3.0**2 * 3 * 2.0**2
"""The partials at x = 3, w = 2."""

FIRST = {
    "grad": grad,
    "value_and_grad": lambda f, argnums: lambda *args, **more: value_and_grad(f, argnums)(*args, **more)[1],
    "jacfwd": jacfwd,
    "jacrev": jacrev,
    "jacobian": jacobian,
}


@pytest.mark.parametrize("operator", FIRST)
@pytest.mark.parametrize(("argnums", "expected"), [
    ("x", BY_X), ("w", BY_W), (("x",), (BY_X,)), (("w", "x"), (BY_W, BY_X)), (("x", 1), (BY_X, BY_W)),
    ((1, "x"), (BY_W, BY_X)), (("w", -2), (BY_W, BY_X)), (-1, BY_W),
])  # fmt: skip
def test_arguments_by_name(operator, argnums, expected):
    assert FIRST[operator](product, argnums)(3.0, 2.0) == expected


@pytest.mark.parametrize("operator", FIRST)
def test_arguments_given_by_keyword(operator):
    by = FIRST[operator]
    assert by(product, "w")(3.0, w=2.0) == BY_W
    assert by(product, ("w", "x"))(x=3.0, w=2.0) == (BY_W, BY_X)
    assert by(product, ("w", 0))(3.0, w=2.0) == (BY_W, BY_X)
    assert by(product, ("scale", "x"))(3.0, 2.0, scale=5.0) == (72.0, 5 * BY_X)
    assert by(product, "shift")(3.0, 2.0, shift=7.0, scale=5.0) == 360.0
    assert by(product, 0)(3.0, scale=5.0, w=2.0) == 5 * BY_X
    found = by(lambda x, p: x * np.sum(p.w**2), "p")(3.0, p=Plain(W, None))
    np.testing.assert_allclose(found.w, 6 * W, 1e-15)


def test_second_derivatives_by_name():
    assert hessian(product, "x")(3.0, 2.0) == 16.0
    assert hessian(product, ("w", "x"))(3.0, w=2.0) == ((108.0, 72.0), (72.0, 16.0))
    assert hessian(product, ("w", "x"))(3.0, 2.0) == ((108.0, 72.0), (72.0, 16.0))
    assert hessian(lambda x, y: y * np.sqrt(x) * np.where(x > 1, x, 0.0), ("y", "x"))(0.0, y=2.0)[0][0] == 0.0
    assert derivative(product, ("x", "w"), [3.0, 2.0]) == 72.0
    assert derivative(product, ("x", 0), [3.0, 2.0]) == 16.0
    assert differentiate(product, ("x", "w"))(3.0, w=2.0) == 72.0
    assert differentiate(product, "w")(3.0, w=2.0) == differentiate(product, "w")(3.0, 2.0) == BY_W
    for outer in (grad, jacfwd, jacrev, jacobian, differentiate):
        for inner in (grad, jacfwd, jacrev, jacobian, differentiate):
            assert outer(inner(product, "w"), "x")(3.0, 2.0) == 72.0
            assert outer(inner(product, "w"), "x")(3.0, w=2.0) == 72.0
            assert outer(inner(product, "w"), "w")(3.0, w=2.0) == 108.0


def test_checks_by_name():
    assert check_derivative(product, "w", [3.0, 2.0], BY_W)
    assert check_derivative(product, ("x", "w"), [3.0, 2.0], 72.0)
    assert abs(difference_quotient(product, "w", [3.0, 2.0])[0] - BY_W) < 1e-8
    assert gradcheck(product, [3.0, 2.0], argnums="w")
    assert gradcheck(product, [3.0, 2.0], argnums=("w", "x"))


class Method:
    factor = 2.0

    def of(self, x, y):
        return self.factor * x * y**2

    __call__ = of


@functools.wraps(product)
def wrapped(*args, **keywords):
    return product(*args, **keywords)


@pytest.mark.parametrize(
    ("f", "argnums", "args", "expected"),
    [
        (functools.partial(product, 3.0), "w", (2.0,), BY_W),
        (functools.partial(product, scale=5.0), "w", (3.0, 2.0), 5 * BY_W),
        (Method().of, "y", (3.0, 2.0), 24.0),
        (Method(), "x", (3.0, 2.0), 8.0),
        (lambda x, /, y: x * y, "x", (3.0, 2.0), 2.0),
        (lambda x, *ys: x * ys[0], "x", (3.0, 2.0), 2.0),
    ],
)
def test_names_of_the_signature(f, argnums, args, expected):
    assert derivative(f, argnums, args) == pytest.approx(expected, rel=1e-15)
    for operator in (grad, jacfwd, jacrev, jacobian):
        assert operator(f, argnums)(*args) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("argnums", "args", "keywords", "error", "message"),
    [
        ("u", (3.0, 2.0), {}, ValueError, r"argnums='u' is no parameter of product, .* x, w, scale, \*\*others"),
        (("x", "u"), (3.0,), {}, ValueError, "argnums='u' is no parameter"),
        ("others", (3.0,), {}, ValueError, "argnums='others' is no parameter"),
        ("w", (3.0,), {}, TypeError, "argnums='w', but the function was not given w"),
        ("scale", (3.0, 2.0), {}, TypeError, "argnums='scale', but the function was not given scale"),
        (("x", 0), (3.0, 2.0), {}, ValueError, "names an argument twice"),
        (("w", "w"), (3.0,), {"w": 2.0}, ValueError, "names an argument twice"),
        (1, (3.0,), {"w": 2.0}, IndexError, "1 argument"),
    ],
)
def test_names_that_are_wrong(argnums, args, keywords, error, message):
    for operator in (grad, value_and_grad, jacfwd, jacrev, jacobian, hessian):
        with pytest.raises(error, match=message):
            operator(product, argnums)(*args, **keywords)


def test_wrong_names_at_a_point():
    for call in (
        lambda: derivative(product, "u", [3.0]),
        lambda: differentiate(product, "u")(3.0),
        lambda: difference_quotient(product, "u", [3.0]),
        lambda: check_derivative(product, "u", [3.0], 1.0),
    ):
        with pytest.raises(ValueError, match="wrt='u' is no parameter of product"):
            call()
    with pytest.raises(TypeError, match=r"wrt='x': .* does not tell the names of its parameters; give the index"):
        derivative(Untold(), "x", [3.0])


class Untold:
    """As many a builtin."""

    __signature__ = "x"

    def __call__(self, x):
        return x * x


@pytest.mark.parametrize("operator", [grad, value_and_grad, jacfwd, jacrev, jacobian, hessian, differentiate])
def test_what_names_an_argument_is_pickled(operator):
    function = operator(product, "w")
    assert pickle.loads(pickle.dumps(function))(3.0, w=2.0) == function(3.0, 2.0)


def test_what_is_made_of_structures_is_pickled():
    function = grad(dataclass_loss, argnums="p")
    found = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(function))(2.0, Frozen(W, B))))
    np.testing.assert_allclose(found.w, 2 * GRADIENT[0], 1e-15)


def dataclass_loss(t, p):
    return t * loss(p, "frozen dataclass")


# ------------------------------------------------------------------------------------- what users do with classes


class AttrDict(dict):
    """Its items are its attributes."""

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.__dict__ = self


class Units(tuple):
    factor = 1.0


class Scaled(list):
    factor = 1.0


def test_attributes_that_are_items():
    for operator in (grad, jacfwd, jacrev, jacobian):
        found = operator(lambda p: p.w**2)(AttrDict(w=3.0))
        assert found == {"w": 6.0}
        assert found.w == 6.0


@pytest.mark.parametrize("kind", [Units, Scaled])
def test_attributes_of_a_subclass_of_a_container_stay(kind):
    x = kind([3.0])
    x.factor = 100.0
    assert grad(lambda p: p.factor * p[0] ** 2)(x)[0] == 600.0


def test_a_dataclass_that_is_a_dict_is_a_dataclass():
    @dataclass
    class Out(dict):
        w: float

    assert grad(lambda p: p.w**2)(Out(3.0)).w == 6.0


def test_a_tangent_of_another_named_tuple():
    one, other = namedtuple("one", "x y"), namedtuple("other", "y x")
    with pytest.raises(ValueError, match="another structure"):
        jvp(lambda p: p.x**2 * p.y, [one(2.0, 3.0)], [other(0.0, 1.0)])


def test_mixed_partials_of_structures():
    assert derivative(lambda p: p[0] * p[1] ** 2, (0, 0), [(2.0, 3.0)]) == ((0.0, 6.0), (6.0, 4.0))
    found = derivative(lambda p: p["a"] * p["b"], (0, 0), [{"a": 2.0, "b": 3.0}])
    assert found == {"a": {"a": 0.0, "b": 1.0}, "b": {"a": 1.0, "b": 0.0}}


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int8])
def test_a_product_with_the_hessian_at_integers(kind):
    for x in (np.array(2, kind), kind(2), {"a": np.array(2, kind)}):
        found = hvp(lambda x: -0.1 * (x["a"] if isinstance(x, dict) else x) ** 3)(
            x, {"a": 1.0} if isinstance(x, dict) else 1.0
        )
        assert (found["a"] if isinstance(x, dict) else found) == pytest.approx(-1.2)


def test_names_of_a_function_that_gives_arguments_itself():
    def with_data(f):
        @functools.wraps(f)
        def called(*args):
            return f(10.0, *args)

        return called

    h = with_data(lambda data, x, y: data * x * y**2)
    for f, name in ((h, "x"), (wrapped, "w")):
        with pytest.raises(TypeError, match="does not tell the names"):
            grad(f, name)(2.0, 3.0)
    assert grad(h, 0)(2.0, 3.0) == 90.0
    assert grad(functools.partial(lambda a, b, c: 2.0 * a * b * c, c=0.5), "b")(3.0, 4.0) == 3.0


def test_a_parameter_that_is_called_self():
    assert grad(lambda self: self**2, "self")(self=2.0) == 4.0


class Constants:
    def __init__(self, k, v):
        self.k, self.v = k, v


@pytest.mark.parametrize(("f", "recorded", "other"), [
    (lambda p: p["a"] ** 2 * p["b"], {"a": 2.0, "b": 3.0}, {"b": 3.0, "a": 2.0}),
    (lambda p: p["a"] ** 2, {"a": 2.0, "b": 3.0}, {"a": 2.0, "c": 3.0}),
    (lambda p: p[0] * p[1], (2.0, 3.0), [2.0, 3.0]),
    (lambda p: p.k * p.v**2, Constants(2, 3.0), Constants(5, 3.0)),
    (lambda p: p.factor * p[0], Units([3.0]), Scaled([3.0])),
], ids=["order", "keys", "class", "constant", "subclass"])  # fmt: skip
def test_a_recording_is_run_with_the_same_structure(monkeypatch, f, recorded, other):
    monkeypatch.setattr("autodiff.calls.structures.KINDS", dict(structures.KINDS))
    structures.kind_of_class.cache_clear()
    register_structure(Constants, lambda x: [x.v], lambda x, parts: Constants(x.k, *parts))
    tape, _ = record(f, [recorded])
    assert tape.run([recorded]) == f(recorded)
    with pytest.raises(TypeError, match="another structure"):
        tape.run([other])
    structures.kind_of_class.cache_clear()


def test_an_object_of_a_class_that_is_not_registered_is_told_what_to_do():
    class Model:
        def __init__(self, w):
            self.w = w

    for x in (Model(2.0), {"model": Model(2.0)}):
        with pytest.raises(TypeError, match=r"register its class by autodiff\.register_structure \(at "):
            grad(lambda p: 1.0)(x)
