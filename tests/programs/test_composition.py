"""Variables made by hand and differentiations compose, in both orders, as two differentiations do.

A differentiation of a function that reads a Variable gives a number of the Variable's tape; a Variable made within a
differentiation carries its derivative through `backward`.
"""

import itertools

import mpmath
import numpy as np
import pytest
from noted import noted

from autodiff import (
    Constant,
    Variable,
    check_derivative,
    derivative,
    differentiate,
    forward,
    grad,
    gradcheck,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    nn,
    no_grad,
    stop_gradient,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff.differences.quotients import difference_quotient
from dualnumbers import DualNumber

Q, W = 0.7, 1.3
POINTS = {"number": (Q, W), "array": (np.array([0.7, -0.4]), np.array([1.3, 0.6]))}


def f(q, w):
    """What is differentiated by q and reads w."""
    return np.sin(q * w) + q**3 * w**2


def exact(q, w, by_q, by_w):
    """∂f/∂q…∂w… by 50 digits, of each element."""
    with mpmath.workdps(50):
        return np.vectorize(
            lambda q, w: float(mpmath.diff(lambda q, w: mpmath.sin(q * w) + q**3 * w**2, (q, w), (by_q, by_w)))
        )(q, w)


def ones(x):
    return np.ones(np.shape(x))[()]


def total(h):
    return lambda *xs: np.sum(h(*xs))


def diagonal(matrix):
    return np.diagonal(matrix) if np.ndim(value_of(matrix)) == 2 else matrix


def doubly(matrix):
    return matrix if np.ndim(value_of(matrix)) == 0 else matrix.sum(1)


INNER = {
    "grad": (1, lambda h, q, *w: grad(total(h))(q, *w)),
    "grad twice": (2, lambda h, q, *w: grad(total(grad(total(h))))(q, *w)),
    "value_and_grad": (1, lambda h, q, *w: value_and_grad(total(h))(q, *w)[1]),
    "value of value_and_grad": (0, lambda h, q, *w: value_and_grad(h)(q, *w)[0] if np.ndim(q) == 0 else h(q, *w)),
    "jvp": (1, lambda h, q, *w: jvp(lambda q: h(q, *w), [q], [ones(q)])[1]),
    "value of jvp": (0, lambda h, q, *w: jvp(lambda q: h(q, *w), [q], [ones(q)])[0]),
    "jvp twice": (2, lambda h, q, *w: jvp(lambda q: jvp(lambda q: h(q, *w), [q], [ones(q)])[1], [q], [ones(q)])[1]),
    "vjp": (1, lambda h, q, *w: vjp(lambda q: h(q, *w), q)[1](ones(q))[0]),
    "value of vjp": (0, lambda h, q, *w: vjp(lambda q: h(q, *w), q)[0]),
    "gradient": (1, lambda h, q, *w: gradient(total(lambda q: h(q, *w)), [q])[0]),
    "forward.gradient": (1, lambda h, q, *w: forward.gradient(total(lambda q: h(q, *w)), [q])[0]),
    "derivative": (1, lambda h, q, *w: diagonal(derivative(h, 0, [q, *w]))),
    "derivative twice": (2, lambda h, q, *w: derivative(total(h), (0, 0), [q, *w]).sum(-1) if np.ndim(q) else
                         derivative(h, (0, 0), [q, *w])),
    "differentiate": (1, lambda h, q, *w: diagonal(differentiate(h)(q, *w))),
    "jacobian": (1, lambda h, q, *w: diagonal(jacobian(h)(q, *w))),
    "jacfwd": (1, lambda h, q, *w: diagonal(jacfwd(h)(q, *w))),
    "jacrev": (1, lambda h, q, *w: diagonal(jacrev(h)(q, *w))),
    "hessian": (2, lambda h, q, *w: diagonal(hessian(total(h))(q, *w))),
    "hvp": (2, lambda h, q, *w: hvp(total(h))(q, ones(q), *w)),
    "linearize": (1, lambda h, q, *w: linearize(lambda q: h(q, *w), q)[1](ones(q))),
    "value of linearize": (0, lambda h, q, *w: linearize(lambda q: h(q, *w), q)[0]),
}  # fmt: skip


class Network(nn.Module):
    def __init__(self, w):
        self.layer = {"w": w}

    def forward(self, q):
        return f(q, self.layer["w"])


CAPTURES = {
    "closure": lambda inner, q, w: inner(lambda q: f(q, w), q),
    "argument": lambda inner, q, w: inner(f, q, w),
    "network": lambda inner, q, w: inner(Network(w), q),
}


def by_hand(h, w):
    """d h/dw, by a Variable."""
    w = Variable(w)
    np.sum(w**2 + h(w)).backward()
    return w.grad - 2 * w.data


def through_a_leaf_of_a_result(h, w):
    """By a Variable whose value is computed from another one."""
    outer = Variable(w)
    inner = Variable(outer * 1.0)
    np.sum(h(inner)).backward()
    assert isinstance(inner.grad, Variable)  # with its derivative by the outer one
    return inner.grad.data


OUTER = {
    "by hand": (1, by_hand),
    "leaf of a result": (1, through_a_leaf_of_a_result),
    "grad": (1, lambda h, w: grad(total(h))(w)),
    "jvp": (1, lambda h, w: jvp(h, [w], [ones(w)])[1]),
    "hessian": (2, lambda h, w: diagonal(hessian(total(h))(w))),
    "hand in grad": (2, lambda h, w: grad(total(lambda w: by_hand(h, w)))(w)),
    "hand in jvp": (2, lambda h, w: jvp(lambda w: by_hand(h, w), [w], [ones(w)])[1]),
}


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("outer", OUTER)
def test_outer_by_inner(outer, inner):
    (by_w, differentiated), (by_q, inner_derivative) = OUTER[outer], INNER[inner]
    for capture, (point, (q, w)) in itertools.product(CAPTURES, POINTS.items()):
        with noted(f"{capture}, {point}"):
            found = differentiated(lambda w, capture=capture, q=q: CAPTURES[capture](inner_derivative, q, w), w)
            assert not isinstance(found, Variable)
            np.testing.assert_allclose(found, exact(q, w, by_q, by_w), rtol=1e-12)


@pytest.mark.parametrize("inner", INNER)
def test_nothing_is_recorded_within_no_grad(inner):
    for q, w in POINTS.values():
        leaf = Variable(w)
        with no_grad():
            plain = CAPTURES["closure"](INNER[inner][1], q, leaf)
        assert not isinstance(plain, Variable)
        np.testing.assert_allclose(plain, exact(q, w, INNER[inner][0], 0), rtol=1e-12)


def test_the_result_is_a_number_of_the_tape():
    w, r = Variable(2.0), Variable(3.0)
    y = w + grad(lambda q: q * w**2)(1.0)
    y.backward()
    assert w.grad == 5.0
    w.zero_grad()
    (grad(lambda q, v: q * v**2)(1.0, w) * grad(lambda q: q * r)(1.0)).backward()
    assert (w.grad, r.grad) == (12.0, 4.0)
    value, slope = value_and_grad(lambda q: q * w)(5.0)
    assert (repr(slope), slope.data, value.data) == ("Variable(2.0)", 2.0, 10.0)
    assert grad(lambda q: q * Constant(2.0))(1.0) == 2.0
    assert type(grad(lambda q: q * value_of(w) + stop_gradient(w))(1.0)) is float
    assert type(grad(lambda q: q**2 + w)(1.0)) is float  # it does not depend on w
    plain = grad(lambda q: (w > 1.0) * q)(1.0)
    assert (plain, isinstance(plain, Variable)) == (1.0, False)


def test_what_is_returned_is_not_the_variable_itself():
    w = Variable([1.0, 2.0])
    for out in (jvp(lambda q: w, [1.0], [1.0])[0], vjp(lambda q: w, 1.0)[0], linearize(lambda q: w, 1.0)[0],
                jvp(lambda x: x, [w], [np.ones(2)])[0], vjp(lambda x: x, w)[0]):  # fmt: skip
        out[0] = 7.0
        np.sum(out).backward()
    np.testing.assert_array_equal(w.data, [1.0, 2.0])
    np.testing.assert_array_equal(w.grad, [0.0, 5.0])
    first, second = gradient(lambda a, b: np.sum((a + b) * w), [np.ones(2), np.ones(2)])
    first[0] = 7.0
    np.testing.assert_array_equal(second.data, [1.0, 2.0])


def test_what_a_program_does_with_the_result():
    """One that differentiates by x a function of a network, whose parameters it does not think of."""
    w, x = Variable([1.0, 2.0]), np.array([0.5, 1.0])
    slope = grad(lambda x: np.sum((w * x) ** 2))(x)
    np.testing.assert_array_equal(np.sign(slope), [1.0, 1.0])
    assert type(np.sign(slope)) is np.ndarray
    assert (bool(np.all(slope > 0.0)), np.allclose(slope, [1.0, 8.0]), f"{slope[0]:.2f}") == (True, True, "1.00")
    np.testing.assert_allclose((x - 0.1 * slope).data, [0.4, 0.2])
    np.testing.assert_allclose(x - 0.1 * slope.data, [0.4, 0.2])
    for refused in (lambda: float(slope[0]), lambda: np.asarray(slope), lambda: x.__isub__(slope)):
        with pytest.raises(TypeError, match=r"value_of\(.*, or within no_grad\(\)"):
            refused()
    with pytest.raises(ValueError, match="setting an array element") as caught:  # NumPy's, for what can be indexed
        x[0] = slope[0]
    assert "or within no_grad()" in str(caught.value.__cause__)
    with no_grad():
        x -= 0.1 * grad(lambda x: np.sum((w * x) ** 2))(x)
    np.testing.assert_allclose(x, [0.4, 0.2])


def test_the_checks_take_variables_for_constants():
    w = Variable(W)
    assert gradcheck(lambda q: f(q, w), [Q], raises=True)
    assert check_derivative(lambda q: f(q, w), 0, [Q], derivative(lambda q: f(q, w), 0, [Q]).data)


# ------------------------------------------------------------------------------------------------ the other way


def gradient_by_hand(loss):
    """∂loss(t, w)/∂w at w = t, by a Variable that holds the number t."""

    def g(t):
        w = Variable(t)
        np.sum(loss(t, w)).backward()
        return w.grad

    return g


# what is swept back, and its derivative by w at w = t
LOSSES = {
    "w**3 + (w > 0) * w**2": (lambda t, w: w**3 + (w > 0) * w**2, lambda t: 3 * t**2 + 2 * t),
    "w**2 * (w > 0)": (lambda t, w: w**2 * (w > 0), lambda t: 2 * t),
    "(t > 0) * w**2": (lambda t, w: (t > 0) * w**2, lambda t: 2 * t),
    "(t > 0) & (w > 0) * w**2": (lambda t, w: ((t > 0) & (w > 0)) * w**2, lambda t: 2 * t),
    "floor(w) * w**2": (lambda t, w: np.floor(w) * w**2, lambda t: 2 * np.floor(t) * t),
    "w**2 * floor(t)": (lambda t, w: w**2 * np.floor(t), lambda t: 2 * np.floor(t) * t),
    "sign(t) * w**3 + sign(w) * t * w": (lambda t, w: np.sign(t) * w**3 + np.sign(w) * t * w, lambda t: 3 * t**2 + t),
    "t * w**2": (lambda t, w: t * w**2, lambda t: 2 * t**2),
    "w**2 * t": (lambda t, w: w**2 * t, lambda t: 2 * t**2),
    "multiply(t, w**2)": (lambda t, w: np.multiply(t, w**2), lambda t: 2 * t**2),
    "t - w**2 / t": (lambda t, w: t - w**2 / t, lambda t: -2.0 + 0.0 * t),
    "t / w": (lambda t, w: t / w, lambda t: -1 / t),
    "t**w": (lambda t, w: t**w, lambda t: t**t * np.log(t)),
    "w**t": (lambda t, w: w**t, lambda t: t**t),
    "maximum(t, w**2)": (lambda t, w: np.maximum(t, w**2), lambda t: 2 * t),
    "where(t > 1, t * w**2, w)": (lambda t, w: np.where(t > 1, t * w**2, w), lambda t: 2 * t**2),
    "where(w > 1, w**2, t)": (lambda t, w: np.where(w > 1, w**2, t), lambda t: 2 * t),
    "prod(stack([t, w**2]))": (lambda t, w: np.prod(np.stack([t, w**2]), axis=0), lambda t: 2 * t**2),
    "hypot(t, w)": (lambda t, w: np.hypot(t, w), lambda t: np.sqrt(0.5) + 0.0 * t),
    "t + dmath.exp(w) * t": (lambda t, w: t + np.exp(w) * t, lambda t: t * np.exp(t)),
}

MODES = {
    "grad": lambda g, t: grad(total(g))(t),
    "jvp": lambda g, t: jvp(g, [t], [ones(t)])[1],
    "vjp": lambda g, t: vjp(total(g), t)[1](1.0)[0],
    "derivative": lambda g, t: diagonal(derivative(g, 0, [t])),
    "jacobian": lambda g, t: diagonal(jacobian(g)(t)),
    "jacrev": lambda g, t: diagonal(jacrev(g)(t)),
    "linearize": lambda g, t: linearize(g, t)[1](ones(t)),
}


@pytest.mark.parametrize("t", [1.5, np.array([1.5, 2.25])], ids=["number", "array"])
@pytest.mark.parametrize("text", LOSSES)
def test_a_variable_within_a_differentiation(text, t):
    loss, slope = LOSSES[text]
    g = gradient_by_hand(loss)
    first, error = difference_quotient(total(slope), 0, [t])
    second = grad(total(grad(total(slope))))(t)
    for value in (g(t), vjp(g, t)[0], jvp(g, [t], [ones(t)])[0]):
        np.testing.assert_allclose(value, slope(t), rtol=1e-14)
    for mode in MODES.values():
        np.testing.assert_allclose(mode(g, t), first, rtol=1e-9, atol=np.max(error))
    for outer, inner in itertools.product(MODES.values(), repeat=2):
        np.testing.assert_allclose(outer(lambda t, inner=inner: inner(g, t), t), second, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_a_variable_of_another_shape_within_a_differentiation(mode):
    def array_of_a_number(t):
        w = Variable(np.stack([t, 2 * t]))
        (t * np.sum((w > 0) * w**2)).backward()
        return np.sum(w.grad)

    def number_of_an_array(t):
        w = Variable(np.sum(t))
        np.sum((t > 0) * t * w**2).backward()
        return w.grad

    assert MODES[mode](array_of_a_number, 1.5) == pytest.approx(12 * 1.5, rel=1e-14)  # of 6 t²
    if mode not in ("jvp", "linearize"):  # of 2 (Σ t)²
        np.testing.assert_allclose(MODES[mode](number_of_an_array, np.array([1.0, 2.0])), [12.0, 12.0], rtol=1e-14)


def test_leaves_beside_one_another():
    """Those made outside, or of plain values, are leaves beside those within, or of dual numbers."""
    outside, dual = Variable(3.0), Variable(DualNumber(2.0, 1.0))

    def g(t):
        w = Variable(t)
        (outside * w**2).backward()
        return w.grad

    for differentiated in (lambda: derivative(g, 0, [2.0]), lambda: grad(g)(2.0)):
        outside.zero_grad()
        assert (differentiated(), outside.grad) == (6.0, 4.0)
    outside.zero_grad()
    (outside * dual).backward()
    assert (outside.grad.real, outside.grad.dual, dual.grad) == (2.0, 1.0, 3.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_leaf_is_plain_when_the_differentiation_has_ended(mode):
    """What it holds of a differentiation: its value remains, with the derivatives of the outer ones that still run."""
    leaf = Variable(3.0)

    def g(t):
        leaf.zero_grad()
        leaf.data = t * 3.0
        (leaf**2 * t).backward()
        return leaf.grad

    assert MODES[mode](g, 2.0) == pytest.approx(24.0, rel=1e-15)  # of 6 t²
    assert (leaf.grad, leaf.data, repr(leaf)) == (24.0, 6.0, "Variable(6.0)")
    assert (type(leaf.grad), type(leaf.data), type((leaf * 2.0).data)) == (float, float, float)
    assert leaf.level is Variable(1.0).level

    def outer(s):
        MODES[mode](lambda t: g(t * s), 2.0)
        return leaf.grad + leaf.data

    assert MODES[mode](outer, 1.0) == pytest.approx(2 * 24.0 + 6.0, rel=1e-15)  # of 6 t² s² + 3 t s
    assert (leaf.grad, leaf.data) == (24.0, 6.0)


def test_a_result_that_is_kept_past_the_differentiation():
    kept = []

    def g(t):
        w = Variable(t)
        kept[:] = [w * t]
        return t

    grad(g)(2.0)
    assert kept[0].data == 4.0
    with pytest.raises(RuntimeError, match="outlived its differentiation"):
        grad(lambda q: q * kept[0])(1.0)


# ------------------------------------------------------------------------------------------------ networks


def network():
    rng = np.random.default_rng(7)
    return nn.Sequential(nn.Linear(1, 4, rng=rng), nn.Tanh(), nn.Linear(4, 1, rng=rng))


def explicit(parameters, x):
    (a, b), (c, d) = parameters
    return np.tanh(x @ a + b) @ c + d


POINTS_OF_X = np.linspace(0.0, 1.0, 5)[:, None]

SECOND = {
    "jvp of jvp": lambda u, x: jvp(lambda x: jvp(u, [x], [ones(x)])[1], [x], [ones(x)])[1],
    "grad of grad": lambda u, x: grad(total(grad(total(u))))(x),
    "jvp of grad": lambda u, x: jvp(grad(total(u)), [x], [ones(x)])[1],
    "grad of jvp": lambda u, x: grad(total(lambda x: jvp(u, [x], [ones(x)])[1]))(x),
    "hvp": lambda u, x: hvp(total(u))(x, ones(x)),
    "vjp": lambda u, x: vjp(lambda x: vjp(u, x)[1](ones(x))[0], x)[1](ones(x))[0],
    "linearize": lambda u, x: linearize(lambda x: linearize(u, x)[1](ones(x)), x)[1](ones(x)),
    "hessian": lambda u, x: np.stack([hessian(lambda s: u(np.stack([[s]]))[0, 0])(s) for s in x[:, 0]])[:, None],
}


def of_poisson(u, x, second):
    """The mean square of u″ + π² sin πx, and the ends."""
    return np.mean((second(u, x) + np.pi**2 * np.sin(np.pi * x)) ** 2) + np.sum(u(x[[0, -1]]) ** 2)


@pytest.mark.parametrize("second", SECOND)
def test_a_loss_of_derivatives_of_a_network(second):
    """A physics-informed loss: by backward, by grad of explicit parameters, and by differences."""
    net = network()
    parameters = net.parameters()
    values = [[p.data.copy() for p in parameters[:2]], [p.data.copy() for p in parameters[2:]]]
    of_poisson(net, POINTS_OF_X, SECOND[second]).backward()
    loss = lambda values: of_poisson(lambda x: explicit(values, x), POINTS_OF_X, SECOND[second])
    expected = [slope for layer in grad(loss)(values) for slope in layer]
    for parameter, slope in zip(parameters, expected, strict=True):
        np.testing.assert_allclose(parameter.grad, slope, rtol=1e-10, atol=1e-12)
    found = [[p.grad for p in parameters[:2]], [p.grad for p in parameters[2:]]]
    assert check_derivative(loss, 0, [values], found)


def test_a_network_that_learns_an_equation():
    """u″ = −π² sin πx, u(0) = u(1) = 0: u = sin πx."""
    rng = np.random.default_rng(0)
    net = nn.Sequential(nn.Linear(1, 8, rng=rng), nn.Tanh(), nn.Linear(8, 1, rng=rng))
    adam, x = nn.Adam(net.parameters(), lr=0.03), np.linspace(0.0, 1.0, 9)[:, None]
    for _ in range(250):
        net.zero_grad()
        (of_poisson(net, x, SECOND["jvp of jvp"]) + 9 * np.sum(net(x[[0, -1]]) ** 2)).backward()
        adam.step()
    np.testing.assert_allclose(net(x).data, np.sin(np.pi * x), atol=0.05)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_numbers_of_lower_precision_beside_doubles_cost_no_digits(kind):
    """An adjoint of double precision is not rounded to theirs; each is a double exactly."""
    c, x = kind(0.1), np.array([0.3, 0.7])
    of_one = lambda x, c: np.cos(1.0) * (np.sum(x * x) * c * np.sum(x)) * kind(0.7) / c
    of_two = lambda x, c: np.cos(1.0) * (np.sum(x * x) * float(c) * np.sum(x)) * float(kind(0.7)) / float(c)
    for operator in (grad, hessian, lambda f: jacrev(grad(f)), lambda f: jacfwd(grad(f)), jacfwd):
        found, expected = (operator(lambda x, f=f: f(x, c))(x) for f in (of_one, of_two))
        np.testing.assert_allclose(found, expected, rtol=1e-14)
