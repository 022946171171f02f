"""Rows of several results: a tuple on a line of the tape, an item of it for each; in every mode, nested and by hand."""

import itertools
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from table import JACOBIANS, difference, nestings
from twins import is_twin

from autodiff import (
    Variable,
    animate,
    array,
    derivative,
    elementwise,
    grad,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linear,
    linearize,
    locally_constant,
    multilinear,
    record,
    register_structure,
    smooth,
    taylor,
    vjp,
)
from autodiff.calls.structures import flatten
from autodiff.tape.listing import listing
from dualnumbers import DualNumber
from dualnumbers.table.kinds import Smooth

A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.4], [0.1, 0.4, 1.8]])
TALL = np.array([[1.0, 0.3], [-0.4, 2.0], [0.7, 0.5]])


def of_eigenvectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w * v[0] ** 2) + np.sum(np.sin(w)) * v[1, 0] ** 2


def of_singular_vectors(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(u**2 * s) + np.sum(s**3 * vh[0] ** 2)


def of_factors(a):
    q, r = np.linalg.qr(a)
    return np.sum(np.exp(q) @ r)


def of_residuals(a):
    x, residuals, *_ = np.linalg.lstsq(a, np.array([1.0, -0.5, 2.0]))
    return np.sum(x**2) * residuals[0]


PROGRAMS = [(of_eigenvectors, A), (of_singular_vectors, TALL), (of_factors, TALL), (of_residuals, TALL)]
each_program = pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


@each_program
def test_second_derivatives_in_all_nestings(f, x):
    expected = hessian(f)(x)
    for name, second in nestings(f, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), expected, rtol=1e-9, atol=1e-10, err_msg=name)
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    slope, error = difference(lambda t: grad(f)(x + t * along), 1e-3, 1.0)
    assert np.all(np.abs(np.tensordot(expected, along, 2) - slope) <= error + 1e-11)
    np.testing.assert_allclose(hvp(f)(x, along), np.tensordot(expected, along, 2), atol=1e-10)


@each_program
def test_third_derivatives_in_all_nestings(f, x):
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    line = lambda t: f(x + t * along)
    found = [third(0.0) for _, third in nestings(line, (0, 0, 0), {"forward": jacfwd, "reverse": jacrev})]
    np.testing.assert_allclose(found, found[0], rtol=1e-8)


@each_program
def test_operators_that_push_and_sweep_a_tape(f, x):
    expected = grad(f)(x)
    along = np.ones_like(x)
    np.testing.assert_allclose(linearize(f, x)[1](along), np.sum(expected), rtol=1e-12)
    np.testing.assert_allclose(jacobian(f, mode="forward")(x), expected, atol=1e-12)
    np.testing.assert_allclose(f(DualNumber(x, along)).dual, np.sum(expected), rtol=1e-12)


@each_program
def test_variables_made_by_hand(f, x):
    leaf = Variable(x)
    y = f(leaf)
    y.backward()
    np.testing.assert_allclose(leaf.grad, grad(f)(x), rtol=1e-12)
    y.compute_gradients()
    np.testing.assert_allclose(y.gradient, leaf.grad.reshape(1, -1))


@each_program
def test_a_recorded_program_runs_and_is_the_same_elsewhere(f, x):
    for of in (f, grad(f)):
        tape, _ = record(of, [x])
        other = x * (1.0 + 1e-3 * np.cos(np.arange(x.size)).reshape(x.shape))
        np.testing.assert_allclose(tape.run([other]), of(other), rtol=1e-12)
        assert is_twin(tape, record(of, [other])[0])


@each_program
def test_single_precision(f, x):
    found = grad(f)(x.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, grad(f)(x), rtol=1e-3, atol=1e-4)


def test_the_tuple_is_a_line_and_each_result_an_item_of_it():
    tape, out = record(of_eigenvectors, [A])
    names = [row.name if row else None for row in tape.rows]
    line = names.index("eigh")
    assert names[line + 1 : line + 3] == ["item", "item"]
    assert type(tape.values[line]) is tuple
    assert names.count("eigh") == 1
    adjoints = tape.adjoints(out)
    for k in range(2):
        np.testing.assert_array_equal(adjoints[line][k], adjoints[line + 1 + k])
    text = listing(tape, adjoints)
    assert f"v{line}[0]" in text
    assert f"v{line}[1]" in text
    assert "], array(3, 3))" in text


def test_a_result_that_nothing_is_made_of_has_no_adjoint():
    tape, out = record(lambda a: np.sum(np.linalg.eigh(a)[1] ** 3), [A])
    line = next(k for k, row in enumerate(tape.rows) if row and row.name == "eigh")
    values, vectors = tape.adjoints(out)[line]
    assert values is None
    assert vectors.shape == (3, 3)
    assert "(0, [" in listing(tape, tape.adjoints(out))


@pytest.mark.parametrize("drawing", ["to_svg", "to_dot", "to_mermaid"])
def test_pictures(drawing):
    tape, _ = record(of_eigenvectors, [A])
    assert "eigh" in getattr(tape, drawing)()


def test_an_animation_tells_of_results(tmp_path):
    tape, _ = record(lambda x: of_eigenvectors(A + x), [0.5])
    animate(tape).to_html(tmp_path / "run.html")
    assert "push-forward of eigh" in (tmp_path / "run.html").read_text(encoding="utf-8")


def test_a_zero_of_one_result_against_an_infinite_slope_stays_a_zero():
    def f(a):
        w, v = np.linalg.eigh(a)
        return np.sum(np.where(w > 0, w, np.sqrt(w - w))) + v[0, 0] ** 2

    finite = lambda a: np.sum(np.linalg.eigh(a)[0]) + np.linalg.eigh(a)[1][0, 0] ** 2
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(A), mode(finite)(A), atol=1e-14)


def test_a_count_among_results_carries_no_derivative():
    for x in (TALL, Variable(TALL)):
        assert np.linalg.lstsq(x, np.ones(3))[2] == 2
    for mode in (jacfwd, jacrev):
        found = mode(lambda a: np.linalg.lstsq(a, np.ones(3))[2] * a)(TALL)
        np.testing.assert_array_equal(found, 2 * mode(lambda a: a)(TALL))


def test_complex_factors():
    a = A + 0.3j * np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 0.5], [2.0, -0.5, 0.0]])
    along = np.array([[0.2, 1 - 1j, 0.3j], [1 + 1j, -0.5, 2.0], [-0.3j, 2.0, 1.0]])

    def f(z):
        w, v = np.linalg.eigh(z)
        return np.sum(w**2 * np.abs(v[0]) ** 2)

    slope, error = difference(lambda t: f(a + t * along), 1e-3, 1.0)
    assert abs(jvp(f, [a], [along])[1] - slope) <= error + 1e-12
    assert abs(np.sum(np.conj(grad(f)(a)) * along).real - slope) <= error + 1e-12
    assert grad(lambda z: np.sum(np.linalg.eigh(z)[0]))(a).dtype == complex
    assert vjp(np.linalg.eigh, a)[0].eigenvalues.dtype == float


def test_eigenvalues_and_vectors_in_fifty_digits():
    """Of [[x, y], [y, 1]]: the first eigenvalue times the square of its vector's first component."""

    def exact(x, y):
        root = mpmath.sqrt((x - 1) ** 2 + 4 * y * y)
        w = (x + 1 - root) / 2
        return w * y * y / (y * y + (w - x) ** 2)

    def f(x, y):
        w, v = np.linalg.eigh(array([[x, y], [y, 1.0]]))
        return w[0] * v[0, 0] ** 2

    modes = {"forward": jacfwd, "reverse": jacrev}
    with mpmath.workdps(50):
        for places in itertools.chain(itertools.product((0, 1)), itertools.product((0, 1), repeat=2)):
            expected = float(mpmath.diff(exact, (2.0, 0.7), tuple(map(places.count, (0, 1)))))
            for name, partial in nestings(f, places, modes):
                assert abs(partial(2.0, 0.7) - expected) < 1e-13 * max(1.0, abs(expected)), name


@pytest.mark.parametrize(("name", "x"), [("eig", A), ("qr", TALL)])
def test_one_evaluation_for_all_results(name, x, monkeypatch):
    calls, original = [], getattr(np.linalg, name)
    monkeypatch.setattr(np.linalg, name, lambda *xs: calls.append(xs) or original(*xs))
    vjp(lambda a: sum(np.sum(np.real(part)) for part in original(a)), x)[1](1.0)
    assert len(calls) == 1


# --------------------------------------------------------------------------------------------- rules of the user's


@smooth(lambda t, z, x: (t * z[1], -t * z[0]))
def sine_and_cosine(x):
    return np.sin(x), np.cos(x)


@elementwise(lambda x, y, z: (y, 1 / y), lambda x, y, z: (x, -x / y**2))
def product_and_quotient(x, y):
    return x * y, x / y


@linear(lambda g, x: g["sum"] + g["parts"][0] * np.array([1.0, 0.0, -1.0]))
def sums(x):
    return {"sum": np.sum(x), "parts": [x[0] - x[2]]}


@multilinear(lambda g, x, y: g[0] * y + np.sum(g[1]) * y, lambda g, x, y: g[0] * x + np.sum(g[1]) * x)
def products(x, y):
    return x * y, np.dot(x, y)


@smooth(
    lambda t, z, p, x: {
        "out": np.cos(p["w"] @ x + p["b"]) * (t["w"] @ x + t["b"]),
        "size": 2 * np.sum(p["w"] * t["w"]),
    },
    lambda t, z, p, x: {"out": np.cos(p["w"] @ x + p["b"]) * (p["w"] @ t), "size": 0.0 * np.sum(t)},
)
def layer(p, x):
    return {"out": np.sin(p["w"] @ x + p["b"]), "size": np.sum(p["w"] ** 2)}


def plain_layer(p, x):
    return {"out": np.sin(p["w"] @ x + p["b"]), "size": np.sum(p["w"] ** 2)}


def layer_pulled(g, z, p, x):
    """Both adjoints from the slope at the sum."""
    slope = g["out"] * np.cos(p["w"] @ x + p["b"])
    return {"w": np.outer(slope, x) + 2 * g["size"] * p["w"], "b": slope}, p["w"].T @ slope


@dataclass
class Weights:
    w: Any
    b: Any
    name: str = "first"
    power: int = field(default=2, metadata={"static": True})


class Outcome(NamedTuple):
    out: Any
    size: Any
    missing: None = None


class Pair:
    """A class that is registered; it is not made of what it holds."""

    def __init__(self, one, other):
        self.held, self.made = [one, other], float(np.sum(one))

    @classmethod
    def of(cls, like, parts):
        pair = cls.__new__(cls)
        pair.held, pair.made = parts, like.made
        return pair


register_structure(Pair, lambda pair: pair.held, Pair.of)


def plain_layer_of_class(p, x):
    assert (type(p), p.name, p.power) == (Weights, "second", 3)
    return Outcome(np.sin(p.w @ x + p.b), np.sum(p.w**2))


@smooth(
    lambda t, z, p, x: Outcome(np.cos(p.w @ x + p.b) * (t.w @ x + t.b), 2 * np.sum(p.w * t.w)),
    Smooth(
        lambda t, z, p, x: (np.cos(p.w @ x + p.b) * (p.w @ t), None, None),
        lambda g, z, p, x: p.w.T @ (g.out * np.cos(p.w @ x + p.b)),
    ),
)
def layer_of_class(p, x):
    return plain_layer_of_class(p, x)


def layer_of_class_pulled(g, z, p, x):
    slope = g.out * np.cos(p.w @ x + p.b)
    return Weights(np.outer(slope, x) + 2 * g.size * p.w, slope, "second", power=3), p.w.T @ slope


def turned(pair):
    one, other = pair.held
    return Pair.of(pair, [one * np.sum(other), one - other])


@smooth(
    lambda t, z, pair: Pair.of(
        pair, [t.held[0] * np.sum(pair.held[1]) + pair.held[0] * np.sum(t.held[1]), t.held[0] - t.held[1]]
    )
)
def turned_pair(pair):
    return turned(pair)


@linear(lambda g, p: {"w": g["sum"] * np.ones(3), "how": "sum", "none": None})
def of_what_is_named(p):
    assert (p["how"], p["none"]) == ("sum", None)
    return {"sum": np.sum(p["w"]), "how": p["how"]}


X, Y = np.array([0.3, 1.7, -0.4]), np.array([0.9, 0.2, 1.1])
W, B = np.array([[0.5, -0.2, 0.7], [0.1, 0.9, -0.6]]), np.array([0.2, -0.3])
RULES = {
    "a tuple": (sine_and_cosine, lambda x: (np.sin(x), np.cos(x)), (X,)),
    "a tuple, of a number": (sine_and_cosine, lambda x: (np.sin(x), np.cos(x)), (0.7,)),
    "elementwise": (product_and_quotient, lambda x, y: (x * y, x / y), (X, Y)),
    "elementwise, of numbers": (product_and_quotient, lambda x, y: (x * y, x / y), (0.7, 1.1)),
    "linear": (sums, lambda x: {"sum": np.sum(x), "parts": [x[0] - x[2]]}, (X,)),
    "multilinear": (products, lambda x, y: (x * y, np.dot(x, y)), (X, Y)),
    "a dict for a dict": (layer, plain_layer, ({"w": W, "b": B}, X)),
    "a named tuple for a dataclass": (layer_of_class, plain_layer_of_class, (Weights(W, B, "second", power=3), X)),
    "a registered class": (turned_pair, turned, (Pair(X, Y),)),
    "strings and None": (
        of_what_is_named,
        lambda p: {"sum": np.sum(p["w"]), "how": "sum"},
        ({"w": X, "how": "sum", "none": None},),
    ),
}
each_rule = pytest.mark.parametrize(("f", "expected", "args"), RULES.values(), ids=RULES)


def weighed(f):
    """A number of all leaves of what a function returns."""
    return lambda *xs: sum(np.sum(np.sin((k + 1.0) * leaf)) for k, leaf in enumerate(flatten(f(*xs))[0]))


@each_rule
def test_rules_of_several_results(f, expected, args):
    for found, value in zip(*(flatten(g(*args))[0] for g in (f, expected)), strict=True):
        np.testing.assert_array_equal(found, value)
    along = flatten(args)[1]([np.ones(np.shape(x))[()] * (k + 1.0) for k, x in enumerate(flatten(args)[0])])
    for call in (lambda g: gradient(weighed(g), list(args)), lambda g: jvp(g, args, along)[1],
                 lambda g: vjp(g, *args)[1](g(*args)), lambda g: linearize(g, *args)[1](*along)):  # fmt: skip
        for found, wanted in zip(*(flatten(call(g))[0] for g in (f, expected)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


@each_rule
def test_second_derivatives_of_rules(f, expected, args):
    leaves, rebuild = flatten(args)
    of_leaves = lambda g: lambda *xs: weighed(g)(*rebuild(xs))
    for places in itertools.product(range(len(leaves)), repeat=2):
        wanted = next(nestings(of_leaves(expected), places, JACOBIANS))[1](*leaves)
        for name, second in nestings(of_leaves(f), places, JACOBIANS):
            np.testing.assert_allclose(second(*leaves), wanted, atol=1e-11, err_msg=name)


@each_rule
def test_rules_by_hand_and_on_tapes(f, expected, args):
    leaves, rebuild = flatten(args)
    by_hand = [Variable(x) for x in leaves]
    weighed(f)(*rebuild(by_hand)).backward()
    wanted = gradient(lambda *xs: weighed(expected)(*rebuild(xs)), leaves)
    for variable, adjoint in zip(by_hand, wanted, strict=True):
        np.testing.assert_allclose(variable.grad, adjoint, rtol=1e-12, atol=1e-14)
    for of in (weighed(f), lambda *xs: gradient(weighed(f), list(xs))):
        tape, _ = record(of, list(args))
        other = rebuild([x * 1.01 for x in leaves])
        for found, value in zip(*(flatten(call)[0] for call in (tape.run(list(other)), of(*other))), strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-12)
        assert str(tape)


def test_a_rule_of_results_is_one_line():
    tape, _ = record(lambda x: sum(sine_and_cosine(x)), [0.7])
    assert [row and row.name for row in tape.rows[:4]] == [None, "sine_and_cosine", "item", "item"]
    assert "sine_and_cosine(x)" in str(tape)


def test_a_joint_pull_back_is_called_once():
    calls = []
    joint = smooth(*(lambda t, z, p, x: 1 / 0,) * 2, pull=lambda *xs: (calls.append(1), layer_pulled(*xs))[1])(
        plain_layer
    )
    p = {"w": W, "b": B}
    f = lambda p, x: (lambda z: np.sum(z["out"] ** 2) + z["size"])(joint(p, x))
    found, wanted = (
        gradient(lambda p, x, g=g: np.sum(g(p, x)["out"] ** 2) + g(p, x)["size"], [p, X]) for g in (joint, plain_layer)
    )
    for x, y in zip(flatten(found)[0], flatten(wanted)[0], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
    calls.clear()
    gradient(f, [p, X])
    assert len(calls) == 1
    wrong = smooth(None, None, pull=lambda g, z, x, y: g)(lambda x, y: x * y)
    assert gradient(wrong, [2.0, 3.0]) == [0.0, 0.0]
    wrong = smooth(lambda t, z, x, y: t * y, lambda t, z, x, y: t * x, pull=lambda g, z, x, y: g)(lambda x, y: x * y)
    with pytest.raises(ValueError, match="must give 2 adjoints, one for each argument"):
        gradient(wrong, [2.0, 3.0])


def test_a_joint_pull_back_gives_dataclasses():
    joint = smooth(*(lambda t, z, p, x: 1 / 0,) * 2, pull=layer_of_class_pulled)(plain_layer_of_class)
    p = Weights(W, B, "second", power=3)
    found, wanted = (
        gradient(lambda p, x, g=g: (lambda z: np.sum(z.out**2) + z.size)(g(p, x)), [p, X])
        for g in (joint, plain_layer_of_class)
    )
    assert type(found[0]) is Weights
    for x, y in zip(flatten(found)[0], flatten(wanted)[0], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)


def test_what_differs_from_call_to_call_is_that_of_the_call():
    """One rule for structures of as many leaves: names, keys and what is static are each call's own."""
    scaled = smooth(lambda t, z, p: 2 * t.w * p.power)(lambda p: 2 * p.w * p.power)
    assert [gradient(lambda w, n=n: scaled(Weights(w, None, power=n)), [1.5]) for n in (2, 3)] == [[4.0], [6.0]]
    first = smooth(lambda t, z, p: next(iter(t.values())))(lambda p: next(iter(p.values())))
    assert gradient(lambda p: first(p), [{"a": 1.0, "b": 2.0}]) == [{"a": 1.0, "b": 0.0}]
    assert gradient(lambda p: first(p), [{"c": 1.0, "d": 2.0}]) == [{"c": 1.0, "d": 0.0}]
    name, both = [], smooth(lambda t, z, p: (name.append(p["name"]), t["x"])[1])(lambda p: 1.0 * p["x"])
    for text in ("one", "other"):
        assert gradient(lambda x, text=text: both({"x": x, "name": text}), [1.0]) == [1.0]
        assert set(name) == {text}
        name.clear()


def test_a_joint_pull_back_of_an_implicit_function():
    """A tree of parameters, a solution by Newton's steps, and the implicit function theorem, second order as well."""

    def solved(p):
        y = 0.5 * np.ones(2)
        for _ in range(30):
            y = y - (p["a"] * y + y**3 - p["b"]) / (p["a"] + 3 * y**2)
        return y

    implicit = smooth(lambda t, y, p: (t["b"] - t["a"] * y) / (p["a"] + 3 * y**2))(solved)
    a, b = np.array([1.0, 2.0]), np.array([0.7, -0.4])
    f = lambda g: lambda a, b: np.sum(g({"a": a, "b": b}) ** 2)
    for places in itertools.product((0, 1), repeat=2):
        wanted = jacfwd(jacfwd(f(solved), places[0]), places[1])(a, b)
        for name, second in nestings(f(implicit), places, JACOBIANS):
            np.testing.assert_allclose(second(a, b), wanted, atol=1e-12, err_msg=name)


# --------------------------------------------------------------------------------------------- values closed over


def closing(word):
    """A function of two numbers, of which the rule closes over the second, and functions that depend on it."""

    def f(x, w):
        scaled = np.exp(w) * w
        if word == "elementwise":
            return elementwise(lambda x, z: scaled * np.cos(x))(lambda x: scaled * np.sin(x))(x)
        if word == "linear":
            return linear(lambda g, x: scaled * g)(lambda x: scaled * x)(x * x)
        if word == "multilinear":
            return multilinear(lambda g, x, y: g * y * scaled, lambda g, x, y: g * x * scaled)(
                lambda x, y: x * y * scaled
            )(x, x)
        if word == "a tuple":
            one, other = smooth(lambda t, z, x: (t * scaled, t * w))(lambda x: (x * scaled, x * w))(x)
            return one * other
        if word == "smooth":
            return smooth(lambda t, z, x: t * w)(lambda x: x * w)(x)
        outer = smooth(lambda t, z, y: 2 * t * y * w)(lambda y: y * y * w)
        return smooth(lambda t, z, x: 2 * t * x * w)(lambda x: outer(x))(x)

    return f


PLAIN = {
    "elementwise": lambda x, w: np.exp(w) * w * np.sin(x),
    "linear": lambda x, w: np.exp(w) * w * x * x,
    "multilinear": lambda x, w: np.exp(w) * w * x * x,
    "a tuple": lambda x, w: x * x * np.exp(w) * w * w,
    "smooth": lambda x, w: x * w,
    "a rule in a rule": lambda x, w: x * x * w,
}


@pytest.mark.parametrize("word", PLAIN)
def test_values_closed_over_carry_their_derivative(word):
    f, expected, args = closing(word), PLAIN[word], (0.7, 1.3)
    for order in (1, 2):
        for places in itertools.product((0, 1), repeat=order):
            wanted = next(nestings(expected, places, JACOBIANS))[1](*args)
            for name, partial in nestings(f, places, JACOBIANS):
                np.testing.assert_allclose(partial(*args), wanted, rtol=1e-12, err_msg=f"{name} {places}")
    x, w = map(Variable, args)
    f(x, w).backward()
    np.testing.assert_allclose([x.grad, w.grad], gradient(expected, args), rtol=1e-12)
    tape, _ = record(lambda *xs: gradient(f, xs), args)
    np.testing.assert_allclose(tape.run([0.9, 0.4]), gradient(expected, [0.9, 0.4]), rtol=1e-12)


def test_arrays_closed_over_and_numbers_that_change_later():
    def f(w):
        rules = []
        for k in range(3):
            by = w * (k + 1.0)
            rules.append(smooth(lambda t, z, x: by @ t)(lambda x: by @ x))  # noqa: B023  it closes over the name
        return sum(np.sum(rule(X)) for rule in rules)

    matrix = np.array([[0.5, -0.2, 0.7], [0.1, 0.9, -0.6]])
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(matrix), 9.0 * np.outer(np.ones(2), X), rtol=1e-12)


T = None
"""A global variable that a test sets."""


def test_an_attribute_is_no_global_variable_of_its_name(monkeypatch):
    monkeypatch.setitem(globals(), "T", Variable(2.0))
    transposed = linear(lambda g, x: g.T)(lambda x: x.T)
    assert type(transposed(np.ones((2, 3)))) is np.ndarray
    times = linear(lambda g, x: g * T)(lambda x: x * T)
    (times(3.0) * 5.0).backward()
    assert T.grad == 15.0


def test_a_locally_constant_function_is_so_in_what_it_closes_over():
    def f(x, w):
        whole, rest = locally_constant(lambda x: (np.floor(x * w), np.sign(x)))(x)
        return whole * x + rest * w

    for mode in (jacfwd, jacrev):
        assert [float(mode(f, k)(1.7, 2.2)) for k in (0, 1)] == [3.0, 1.0]


def test_what_cannot_be_differentiated_is_refused():
    def f(w):
        return smooth(lambda t, z, x: t)(lambda x: x + float(w))(1.0)

    for mode in (jacfwd, jacrev):
        with pytest.raises(TypeError):
            mode(f)(2.0)


def test_structures_that_do_not_fit_are_refused():
    wrong = smooth(lambda t, z, x: (t,))(lambda x: (x, 2 * x))
    with pytest.raises(ValueError, match="push-forward 0 of <lambda> must be a tuple of 2"):
        jvp(wrong, [1.0], [1.0])
    wrong = smooth(Smooth(lambda t, z, p: t["a"], lambda g, z, p: {"b": g}))(lambda p: p["a"])
    with pytest.raises(ValueError, match=r"pull-back 0 of <lambda> must be a dict with the keys \['a'\]"):
        gradient(lambda p: wrong(p), [{"a": 1.0}])
    wrong = linear(lambda g, x: 3.0 * g[0])(lambda x: (x, 2 * x))
    with pytest.raises(ValueError, match="not linear in argument 0"):
        jvp(wrong, [1.0], [1.0])
    for forgotten in (smooth(lambda t, z, x: None), smooth(Smooth(lambda t, z, x: t, lambda g, z, x: None))):
        with pytest.raises(TypeError, match="0 of <lambda> is None: let it be a number or an array"):
            gradient(forgotten(lambda x: x * 1.0), [1.0])
    with pytest.raises(ValueError, match="push-forward 0 of <lambda> must be a tuple of 2"):
        jvp(smooth(lambda t, z, x: None)(lambda x: (x, x)), [1.0], [1.0])
    partly = smooth(lambda t, z, x: (t, None))(lambda x: (x * 1.0, np.floor(x)))
    assert jvp(partly, [1.5], [2.0])[1] == (2.0, 0.0)
    with pytest.raises(TypeError, match=r"returned .*: let it return numbers or arrays"):
        smooth(lambda t, z, x: ())(lambda x: ())(1.0)


# ------------------------------------------------------------------------------------------------ by a pull-back alone


def solved_for_matrix(g, z, a, b):
    return -np.outer(np.linalg.solve(a.T, g), z)


def solved_for_vector(g, z, a, b):
    return np.linalg.solve(a.T, g)


def tree_pulled(g, z, p):
    inner = g["sine"] * np.cos(p["w"] @ p["x"])
    return ({"w": np.outer(inner, p["x"]), "x": p["w"].T @ inner + 2.0 * g["rest"][0] * p["x"]},)


def tree(p):
    return {"sine": np.sin(p["w"] @ p["x"]), "rest": (np.sum(p["x"] ** 2), 3)}


SQUARE, VECTOR = np.array([[2.0, 0.3], [0.1, 1.5]]), np.array([1.0, -2.0])


def solved(rule):
    f = rule(lambda a, b: np.linalg.solve(a, b))
    return lambda x: np.sum(f(x @ x, x[0]) ** 2)


def of_tree(rule):
    f = rule(lambda p: tree(p))

    def product(x):
        found = f({"w": np.outer(x, x), "x": x})
        return np.sum(found["sine"]) * found["rest"][0]

    return product


RULES_BY_PULL = {
    "each its own": (solved, smooth(Smooth(None, solved_for_matrix), Smooth(None, solved_for_vector)), SQUARE),
    "beside a push": (
        solved,
        smooth(Smooth(None, solved_for_matrix), lambda t, z, a, b: np.linalg.solve(a, t)),
        SQUARE,
    ),
    "together": (solved, smooth(pull=lambda *xs: (solved_for_matrix(*xs), solved_for_vector(*xs))), SQUARE),
    "structures": (of_tree, smooth(pull=tree_pulled), VECTOR),
}
BY_PULL = {name: (program(rule), program(lambda f: f), x) for name, (program, rule, x) in RULES_BY_PULL.items()}
each_by_pull = pytest.mark.parametrize(("f", "plainly", "x"), BY_PULL.values(), ids=BY_PULL)


@each_by_pull
@pytest.mark.parametrize("order", [1, 2])
def test_a_pull_back_alone_is_a_rule_for_both_modes(f, plainly, x, order):
    expected = grad(plainly)(x) if order == 1 else hessian(plainly)(x)
    for name, partial in nestings(f, (0,) * order, JACOBIANS):
        np.testing.assert_allclose(partial(x), expected, rtol=1e-11, atol=1e-11, err_msg=name)


@each_by_pull
def test_what_a_pull_back_alone_gives_beside_differences_and_by_taylor(f, plainly, x):
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    slope, error = difference(lambda t: f(x + t * along), 1e-3, 1.0)
    assert abs(jvp(f, [x], [along])[1] - slope) <= error + 1e-10
    np.testing.assert_allclose(
        taylor(lambda t: f(x + t * along), 0.0, 3), taylor(lambda t: plainly(x + t * along), 0.0, 3), rtol=1e-11
    )


def test_a_pull_back_alone_with_parameters_counts_complex_and_closed_over_numbers():
    @smooth(pull=lambda g, z, x, n, factor: (factor * n * x ** (n - 1) * g, None))
    def power(x, n, factor=1.0):
        return factor * x**n

    assert derivative(power, 0, [2.0, 3]) == grad(power)(2.0, 3) == 12.0
    assert derivative(lambda x: power(x, 3, factor=2.0), (0, 0), [2.0]) == 24.0
    assert type(derivative(power, 0, [2.0, 3])) is float

    sine = smooth(pull=lambda g, z, x: (g * np.conj(np.cos(x)),))(lambda x: np.sin(x))
    z = np.array([1.0 + 2.0j, 0.5])
    np.testing.assert_allclose(jacfwd(sine)(z), np.diag(np.cos(z)), rtol=1e-14)

    def of(c):
        return smooth(pull=lambda g, z, x: (g * c * np.cos(x),))(lambda x: c * np.sin(x))(c)

    for first in (lambda c: derivative(of, 0, [c]), grad(of)):
        assert first(0.5) == pytest.approx(np.sin(0.5) + 0.5 * np.cos(0.5), rel=1e-15)
        assert derivative(first, 0, [0.5]) == pytest.approx(2 * np.cos(0.5) - 0.5 * np.sin(0.5), rel=1e-15)


def test_a_pull_back_alone_that_has_the_wrong_number_of_adjoints_says_so():
    f = smooth(pull=lambda g, z, x, y: (g,))(lambda x, y: x + y)
    for differentiated in (grad(f), jacfwd(f)):
        with pytest.raises(ValueError, match="the pull-back of <lambda> must give 2 adjoints"):
            differentiated(2.0, 3.0)
    with pytest.raises(TypeError, match=r"<lambda> has 1 arguments \(x\), and 0 derivatives were given"):
        smooth(pull=lambda g, z: ())(lambda x=1.0: x)
