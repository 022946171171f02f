"""Variables made by hand: their nestings, lifetimes, aliases and threads."""

import gc
import threading
import tracemalloc

import numpy as np
import pytest

from autodiff import (
    Block,
    Constant,
    SimpleBlock,
    Variable,
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
    multilinear,
    no_grad,
    smooth,
    value_and_grad,
    vjp,
)

# ------------------------------------------------------------------------------------------------- nestings


def test_values_keep_the_derivative_of_an_outer_differentiation():
    def without_recording(t):
        v = Variable(t)
        y = v * v
        with no_grad():
            return y * 1.0

    def by_data(t):
        v = Variable(t)
        return (v * v).data * 1.0

    for f in (without_recording, by_data):
        assert derivative(f, 0, [3.0]) == gradient(f, [3.0])[0] == 6.0
        assert jacobian(f)(np.array([3.0, 4.0])).tolist() == [[6.0, 0.0], [0.0, 8.0]]
        assert jacfwd(f)(np.array([3.0, 4.0])).tolist() == [[6.0, 0.0], [0.0, 8.0]]


def test_the_data_of_a_result_cannot_be_written_to():
    x = Variable([1.0, 2.0])
    y = x * x
    with pytest.raises(ValueError, match="read-only"):
        y.data[0] = 5.0
    np.sum(y).backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_constant_arrays_within_a_differentiation():
    c = Constant([1.0, 2.0])
    assert grad(lambda x: np.sum(c * x))(np.ones(2)).tolist() == [1.0, 2.0]
    assert jacrev(lambda x: np.concatenate([c, x]))(np.ones(1)).tolist() == [[0.0], [0.0], [1.0]]
    assert vjp(lambda x: c * x, np.ones(2))[1](np.ones(2))[0].tolist() == [1.0, 2.0]
    assert derivative(lambda x: np.sum(c * x), 0, [2.0]) == 3.0


def test_leaves_of_leaves_beside_differentiations():
    u = Variable(Variable(2.0) * 1.0)
    assert derivative(lambda x: x * u, 0, [5.0]) == 2.0
    assert gradient(lambda x: x * u, [5.0]) == [2.0]
    for outer in (lambda f: derivative(f, 0, [3.0]), lambda f: gradient(f, [3.0])[0]):
        for inner in (lambda f, x: derivative(f, 0, [x]), lambda f, x: grad(f)(x)):
            assert outer(lambda t, inner=inner: inner(lambda x: x * x * u * t, t)) == 24.0  # of 2 t u t


def test_linearize_of_rows_with_fixed_operands():
    @smooth(lambda t, z, x, n: 2.0 * x * t * n, None)
    def by_push(x, n):
        return x * x * n

    @linear(lambda g, x, n: 3.0 * g, None)
    def by_adjoint(x, n):
        return 3.0 * x

    @multilinear(lambda g, x, n: g * n, None)
    def by_adjoints(x, n):
        return x * n

    for f, slope in ((by_push, 18.0), (by_adjoint, 3.0), (by_adjoints, 3.0)):
        twice = lambda x, f=f: f(x, x)
        assert linearize(twice, 3.0)[1](1.0) == jvp(twice, [3.0], [1.0])[1] == vjp(twice, 3.0)[1](1.0)[0] == slope


# ------------------------------------------------------------------------------------------------- Jacobians


def test_jacobians_of_complex_numbers_are_refused():
    for y in (Variable(1.0 + 2.0j) * 2.0, Variable(2.0) * 1.0j):
        with pytest.raises(TypeError, match=r"autodiff\.jacobian"):
            y.compute_gradients()


def test_jacobians_are_by_what_was_read():
    a, b = Variable(2.0), Variable(5.0)
    h = a * 1.0
    kept = h * b
    y = h * 3.0
    y.compute_gradients()
    assert y.gradient.tolist() == [[3.0]]
    kept.compute_gradients()
    assert [J.tolist() for J in kept.gradient] == [[[5.0]], [[2.0]]]
    empty = Variable(np.zeros((0, 2))) * 2.0
    empty.compute_gradients()
    assert empty.gradient.shape == (0, 0)


def test_leaves_made_together_are_freed():
    gc.disable()
    try:
        tracemalloc.start()
        for _ in range(20):
            Variable.multi_variables(np.zeros(100_000), 1.0)
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


# ------------------------------------------------------------------------------------------------- writing


def test_a_leaf_takes_no_result_for_its_value():
    w = Variable(2.0)
    (w * w).backward()
    with pytest.raises(TypeError, match=r"within no_grad\(\)"):
        w.data = w - 0.1 * w.grad
    with no_grad():
        w.data = w - 0.1 * w.grad
    assert (w.data, grad(lambda x: w * x)(2.0)) == (1.6, 1.6)


def test_views_without_recording():
    x = Variable([1.0, 2.0])
    y = x * 1.0
    part = y[1:]
    y[1] = 7.0
    with no_grad():
        assert (part * 2.0).tolist() == [14.0]
    np.sum(part).backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_a_view_of_a_leaf_shows_what_it_was():
    w = Variable([1.0, 2.0, 3.0])
    head, whole = w[:2], w * 1.0
    w.data = np.zeros(3)
    assert head.data.tolist() == [1.0, 2.0]
    assert whole.data.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match=r"write to x\.data"):
        head[0] = 5.0


def test_writing_without_recording_says_what_to_do():
    w, y, scalar = Variable([1.0, 2.0]), Variable([1.0, 2.0]) * 2.0, Variable(1.0)
    with no_grad():
        with pytest.raises(TypeError, match=r"x\.data -= step"):
            w -= 0.1
        with pytest.raises(TypeError, match=r"x\.data -= step"):
            scalar -= 0.1
        with pytest.raises(TypeError, match=r"x\.data"):
            y[0] = 3.0
    with pytest.raises(TypeError, match=r"x\.data"):
        Constant([1.0, 2.0])[0] = 1.0
    w.data -= 0.5
    assert w.data.tolist() == [0.5, 1.5]
    scalar += 1.0
    assert isinstance(scalar, Variable)


def test_filling_an_array_takes_linear_memory():
    def peak(n):
        x = Variable(np.ones(n))
        tracemalloc.start()
        y = x * 0.0
        for k in range(n):
            y[k] = x[k] * 2.0
        np.sum(y).backward()
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            np.testing.assert_array_equal(x.grad, np.full(n, 2.0))

    assert peak(4_000) < 6 * peak(1_000)


def test_a_result_written_to_from_another_tape():
    x, w = Variable([1.0, 2.0, 3.0]), Variable(4.0)
    y = x * 1.0
    before = y * 1.0
    y[0] = w * 2.0
    y[1] = y[0] * x[2]
    y[1] = y[1] * 1.0
    np.sum(y).backward()
    assert (x.grad.tolist(), w.grad) == ([0.0, 0.0, 9.0], 8.0)
    assert before.data.tolist() == [1.0, 2.0, 3.0]


def test_what_a_row_returns_is_no_view_of_its_argument():
    @linear(lambda g, x: g)
    def same(x):
        return x

    def f(x):
        y = same(x)
        y[0] = 0.0
        return np.sum(x) + np.sum(y)

    x = np.array([1.0, 2.0])
    assert f(x) == value_and_grad(f)(x)[0] == 5.0
    assert x.tolist() == [1.0, 2.0]


def test_a_block_is_differentiated_as_it_was():
    class Times(SimpleBlock):
        def __init__(self):
            self.factor, self.factors = 2.0, np.array([1.0, 3.0])

        def data_fn(self, x):
            return self.factor * self.factors * x.data

        def gradient_fn(self, x):
            return self.factor * self.factors

    class Matrix(Block):
        def __init__(self):
            self.A = np.array([[1.0, 2.0]])

        def data_fn(self, x):
            return self.A @ x.data

        def get_jacobians(self, x):
            return self.A

    times, matrix = Times(), Matrix()
    x, v = Variable([1.0, 1.0]), Variable([1.0, 1.0])
    y, z = times(x), matrix(v)
    times.factor = 100.0
    times.factors *= 10.0
    matrix.A *= 10.0
    np.sum(y).backward()
    np.sum(z).backward()
    assert (x.grad.tolist(), v.grad.tolist()) == ([2.0, 6.0], [1.0, 2.0])


def test_a_block_leaves_nothing_for_its_derivative():
    """It would be a plain value in a second derivative, which would be 0 without a word."""

    class Exp(SimpleBlock):
        def data_fn(self, x):
            self.value = np.exp(x.data)
            return self.value

        def gradient_fn(self, x):
            return self.value

    block = Exp()
    assert block(0.0) == 1.0
    with pytest.raises(AttributeError, match="value"):
        derivative(block, 0, [0.0])


# ------------------------------------------------------------------------------------------------- time and threads


def test_a_sweep_does_not_read_what_came_later():
    x = Variable(2.0)
    y = x * x
    later = y
    for _ in range(50_000):
        later = later * 1.0
    seen = []

    @smooth(lambda t, z, u: seen.append(1) or t)
    def watched(u):
        return u * 1.0

    watched(later).data  # noqa: B018
    y.backward()
    assert (x.grad, seen) == (4.0, [])


def run(target, count=4):
    errors = []

    def guarded(k):
        try:
            target(k)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.usefixtures("often")
def test_threads_go_on_with_one_result():
    w = Variable(3.0)
    shared = [w * 1.0, Variable([2.0]) * 1.0]
    found = [[] for _ in range(4)]

    def work(k):
        own = Variable(float(k + 1))
        for _ in range(200):
            y = shared[0]
            for _ in range(5):
                y = y * own + shared[1][0]
            y.compute_gradients()
            found[k].append([J.item() for J in y.gradient])

    run(work)
    for k in range(4):
        c = k + 1.0
        powers = [c**n for n in range(5)]
        by_own = 15.0 * c**4 + 2.0 * sum(n * c ** (n - 1) for n in range(1, 5))
        assert found[k] == [pytest.approx([c**5, sum(powers), by_own])] * 200


@pytest.mark.usefixtures("often")
def test_threads_add_to_the_gradient_of_one_leaf():
    w = Variable(2.0)

    def work(k):
        for _ in range(500):
            (w * w).backward()

    run(work)
    assert w.grad == 4 * 500 * 4.0


def test_tapes_of_changed_arrays_are_not_joined():
    big = np.ones(1_100_000)
    x, y = Variable(np.ones(1_100_000)), Variable(np.ones(1_100_000))
    first = np.sum(x * big)
    big[0] = 5.0
    second = np.sum(y * big)
    with pytest.raises(RuntimeError, match="was changed after it was used"):
        first + second
    second.backward()
    assert y.grad[0] == 5.0


def test_tapes_of_complex_numbers_are_joined():
    x, z = Variable(2.0), Variable(1.0 + 2.0j)
    y = x * 3.0
    longer = ((y * 1.0) * 1.0) * 1.0
    (longer * np.real(z * z * 1.0j)).backward()
    assert x.grad == pytest.approx(3.0 * -4.0)
    assert z.grad == pytest.approx(np.conj(6.0 * 2.0j * (1.0 + 2.0j)))


def test_what_a_differentiation_keeps_of_a_leaf():
    """A number is captured by its value, as an array is."""
    for w, new in ((Variable(2.0), 100.0), (Variable([2.0, 3.0]), np.array([100.0, 100.0]))):
        value, slope = w.data, 3.0 * w.data
        pull = vjp(lambda x, w=w: np.sum(x * w * x), 3.0)[1]
        w.data = new
        assert pull(1.0) == (np.sum(2.0 * slope),)

        def f(x, w=w, value=value):
            w.data = value
            y = np.sum(x * w)
            w.data = value * 0.0 + 100.0
            return y

        assert grad(f)(3.0) == np.sum(value)
    w = Variable(2.0)
    assert hessian(lambda x: (x * w) * (x * stepped(w)))(3.0) == 8.0


def stepped(w):
    """The value of a leaf, which moves on."""
    value = w.data
    w.data = 100.0
    return value


def test_a_gradient_at_a_leaf_goes_on():
    """A gradient penalty: the functional gradient at Variables made by hand is made of them."""
    w = Variable([1.0, 2.0])
    F = lambda w: np.sum(np.sin(w) * w)
    (F(w) + 0.5 * np.sum(grad(F)(w) ** 2)).backward()
    whole = lambda w: F(w) + 0.5 * np.sum(grad(F)(w) ** 2)
    np.testing.assert_allclose(w.grad, grad(whole)(w.data), rtol=1e-14)
    first, second = np.cos(w.data) * w.data + np.sin(w.data), 2.0 * np.cos(w.data) - w.data * np.sin(w.data)
    np.testing.assert_allclose(w.grad, first + first * second, rtol=1e-14)
    unit = np.array([1.0, 0.0])
    for f in (lambda w: jvp(F, [w], [unit])[1], lambda w: linearize(F, w)[1](unit), lambda w: jacfwd(F)(w)[0],
              lambda w: gradient(F, [w])[0][0], lambda w: hvp(F)(w, w)[0]):  # fmt: skip
        w.zero_grad()
        f(w).backward()
        np.testing.assert_allclose(w.grad, grad(f)(w.data), rtol=1e-14)


def test_leaves_made_within_a_differentiation_are_leaves_together():
    def trained(x):
        a, b = Variable(x), Variable(3.0)
        c = b * 1.0
        for _ in range(3):
            for leaf in (a, b):
                leaf.zero_grad()
            (a**2 * b * c).backward()
            a.data, b.data = a.data - 0.01 * a.grad, b.data - 0.01 * b.grad
            c = b * 1.0
        return a.data * b.data

    h = 1e-6
    slope = (trained(2.0 + h) - trained(2.0 - h)) / (2 * h)
    value, found = value_and_grad(trained)(2.0)
    assert value == trained(2.0)
    assert found == pytest.approx(slope, rel=1e-8)
    assert derivative(trained, 0, [2.0]) == pytest.approx(found, rel=1e-13)


def test_a_constant_has_no_derivative_of_what_it_was_made_of():
    v = Variable(2.0)
    (Constant(v) * v).backward()
    assert v.grad == 2.0
    assert grad(lambda x: Constant(x) * x)(3.0) == derivative(lambda x: Constant(x) * x, 0, [3.0]) == 3.0


def test_fixed_parameters_are_kept_as_they_were():
    @linear(lambda g, x, k: g * k)
    def scaled(x, k):
        return x * k

    @smooth(lambda t, z, x, k: t * k)
    def also(x, k):
        return x * k

    for function in (scaled, also):
        c, v = np.array([1.0, 2.0]), Variable([1.0, 1.0])
        y = np.sum(function(v, c))
        c[...] = 0.0
        y.backward()
        assert v.grad.tolist() == [1.0, 2.0]


def test_rules_cannot_write_to_what_they_are_given():
    @elementwise(lambda x, z: 2.0 * x)
    def square(x):
        x *= x
        return x

    class Square(SimpleBlock):
        def data_fn(self, x):
            value = x.data
            value *= value
            return value

        def gradient_fn(self, x):
            return 2.0 * x.data

    for f in (square, Square()):
        v = Variable([1.0, 3.0])
        with pytest.raises(ValueError, match="read-only"):
            f(v)
        assert v.data.tolist() == [1.0, 3.0]

    def doubled(g, x):
        g *= 2.0
        return g

    v, c = Variable([1.0, 3.0]), np.ones(2)
    with pytest.raises(ValueError, match="read-only"):
        linear(doubled)(lambda x: 2.0 * x)(v).backward(c)
    assert c.tolist() == [1.0, 1.0]


def test_a_result_that_a_loop_uses_does_not_hold_its_steps():
    w = Variable(np.ones(1000))
    kept, x = w * 2.0, Variable(np.ones(1000))
    sizes = []
    for step in range(2_000):
        loss = np.sum((kept * x) ** 2)
        if step % 100 == 0:
            x.zero_grad()
            w.zero_grad()
            loss.backward()
            np.testing.assert_array_equal(x.grad, 8.0 * x.data)
            np.testing.assert_array_equal(w.grad, 8.0 * x.data**2)
            sizes.append(len(kept.tape))
        x.data *= 0.999
    assert max(sizes) < 1000
    tracemalloc.start()
    first = None
    for _ in range(3_000):
        loss = np.sum(np.sin(w) * x)
        first = first or loss
        ratio = loss / first
    assert tracemalloc.get_traced_memory()[0] < 20_000_000
    tracemalloc.stop()
    ratio.backward()
    assert len(first.tape) < 1000


def test_a_tape_written_anew_keeps_what_is_needed():
    """Rows of many operands, static parameters, constants, views, items written, handles of all kinds."""
    x, y = Variable(np.arange(1.0, 5.0)), Variable(np.array([2.0, 3.0, 4.0, 5.0]))

    def program(x, y):
        a = np.concatenate([x, y, x])
        view = a[2:6]
        view[1] = 7.0 * x[0]
        b = np.clip(a * 0.3, 0.5, 2.0) + np.reshape(np.sum(np.reshape(a, (3, 4)), axis=0, keepdims=True), (4,))[1]
        c = np.stack([b[0], y[1], b[3]])
        return a, view, b, c

    parts = program(x, y)
    tape = parts[0].tape
    for _ in range(1_000):
        parts[0] * 1.0
    assert parts[0].tape is not tape
    parts[0][3] = parts[2][1] * parts[3][2]
    np.sum(parts[0] * parts[2] + np.sum(parts[1]) * np.sum(parts[3])).backward()

    def whole(x, y):
        a, view, b, c = program(x, y)
        a[3] = b[1] * c[2]
        return np.sum(a * b + np.sum(view) * np.sum(c))

    expected = gradient(whole, [x.data, y.data])
    np.testing.assert_allclose(x.grad, expected[0], rtol=1e-14)
    np.testing.assert_allclose(y.grad, expected[1], rtol=1e-14)


def test_a_constant_is_read_as_a_plain_value():
    assert (float(Constant(2.5)), int(Constant(2.5)), complex(Constant(2.5))) == (2.5, 2, 2.5 + 0.0j)
    assert np.asarray(Constant([1.0, 2.0])).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match=r"would lose the derivative of a Variable: write Variable"):
        np.asarray(Variable([1.0]))
    with pytest.raises(AttributeError, match=r"backward\(\) leaves the derivative in x\.grad"):
        (Variable([1.0]) * 2.0).detach()
