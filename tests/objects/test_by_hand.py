"""Variables made by hand: leaves, what is computed from them, and the sweep back."""

import copy
import gc
import pickle
import sys
import threading
import tracemalloc

import numpy as np
import pytest
from samples import ENTRIES, samples
from table import ELEMENTWISE_FUNCTIONS, few_points, named, places

import autodiff
import dualnumbers.dmath as dmath
from autodiff import (
    Constant,
    Variable,
    array,
    derivative,
    grad,
    gradcheck,
    gradient,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    nn,
    no_grad,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff.objects import fast_paths
from autodiff.objects.leaf import Leaf
from autodiff.tape.sweep import adjoints
from dualnumbers import DualNumber
from dualnumbers.rules.linalg.products import affine


def test_the_first_example():
    x, w = Variable([1.0, 2.0]), Variable(3.0)
    y = np.sum(np.sin(w * x))
    assert y.backward() is None
    np.testing.assert_allclose(x.grad, 3 * np.cos([3.0, 6.0]), rtol=1e-15)
    assert w.grad == pytest.approx(np.cos(3.0) + 2 * np.cos(6.0), rel=1e-15)
    assert type(w.grad) is float
    assert x.grad.shape == (2,)


def test_jacobians_of_several_inputs():
    a, L = Variable.multi_variables(2.0, [1.0, 2.0, 3.0])
    out = a * L
    out.compute_gradients()
    np.testing.assert_array_equal(out.gradient[0], [[1.0], [2.0], [3.0]])
    np.testing.assert_array_equal(out.gradient[1], 2 * np.eye(3))
    (a * 3.0).compute_gradients()
    first, _ = Variable.multi_variables(2.0, [1.0, 2.0])
    out = first**2
    out.compute_gradients()  # it knows its siblings, on which it does not depend
    np.testing.assert_array_equal(out.gradient[1], np.zeros((1, 2)))
    alone = Variable([1.0, 4.0])
    out = np.sqrt(alone)
    out.compute_gradients()
    np.testing.assert_allclose(out.gradient, np.diag([0.5, 0.25]))
    alone.compute_gradients()
    np.testing.assert_array_equal(alone.gradient, np.eye(2))


def test_the_jacobians_come_in_the_order_of_the_inputs():
    a, b = Variable(2.0), Variable(5.0)
    out = b**2 + a**3
    out.compute_gradients()
    assert [J.item() for J in out.gradient] == [12.0, 10.0]


CALLS = [pytest.param(sample, id=f"{name}: {sample.text}") for name in ENTRIES if not name.startswith("scipy")
         for sample in samples(name)[:2] if sample.arrays]  # fmt: skip


def cotangent_of(value):
    """A number, or an array, of the value's shape and type."""
    return np.cos(np.arange(np.size(value))).reshape(np.shape(value)).astype(np.asarray(value).dtype)[()]


@pytest.mark.parametrize("sample", CALLS)
def test_every_function_as_the_functional_face_has_it(sample):
    """Leaves made one by one, and the pull-back of all of them: the same adjoints, to the last bit."""
    leaves = [Variable(x) for x in sample.arrays]
    out = sample.f(*leaves)
    if not isinstance(out, Variable):
        return  # it is locally constant
    value, pull = vjp(sample.f, *(leaf.data for leaf in leaves))
    np.testing.assert_array_equal(out.data, value)
    out.backward(cotangent_of(value))
    for leaf, adjoint in zip(leaves, pull(cotangent_of(value)), strict=True):
        np.testing.assert_array_equal(np.zeros(leaf.shape) if leaf.grad is None else leaf.grad, adjoint)


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
def test_every_elementwise_function(function):
    """The arguments that can be differentiated are leaves, the others are plain."""
    point = few_points(function.row)[0]
    leaves = {k: Variable(point[k]) for k in places(function.row)}
    function(*(leaves.get(k, x) for k, x in enumerate(point))).backward()
    for k, leaf in leaves.items():
        assert leaf.grad == pytest.approx(grad(function, k)(*point), rel=1e-15, abs=0.0)


def test_leaves_made_one_by_one_all_work():
    leaves = [Variable(float(k)) for k in range(10)]
    total = 0.0
    for k, leaf in enumerate(leaves):
        total = total + k * leaf**2
    total.backward()
    assert [leaf.grad for leaf in leaves] == [2.0 * k * k for k in range(10)]


@pytest.mark.parametrize("longer", [True, False])
def test_tapes_are_joined_whichever_is_longer(longer):
    """Expressions of their own leaves, joined in both orders; the handles of the absorbed one go on."""

    def first(p):
        return np.sin(p * p) * p * p + p**4 if longer else p * p

    def second(q):
        return np.exp(0.1 * q) * q

    def joined(u, v):
        s = u * v
        return v[1] * u + np.sum(s) + np.max(v)  # v and u are named by their old tapes

    p, q = Variable(2.0), Variable([1.0, 5.0])
    joined(first(p), second(q)).backward()
    expected = gradient(lambda p, q: joined(first(p), second(q)), [2.0, np.array([1.0, 5.0])])
    assert p.grad == pytest.approx(expected[0], rel=1e-14)
    np.testing.assert_allclose(q.grad, expected[1], rtol=1e-14)


def test_joined_tapes_keep_rows_of_many_operands_static_parameters_and_constants():
    def f(p, q):
        joined = np.concatenate([p, np.ones(2), q[:2]]) * np.arange(7.0)
        return np.sum(joined) + np.sum(np.stack([p, q], 1)[1:])

    def g(p, q):
        return np.sum(np.concatenate([q, p * 2.0])[1:4] ** 2.0) + f(p * 3.0, q) * f(p, q * np.arange(3.0))

    values = np.arange(1.0, 4.0), np.arange(3.0, 6.0)
    leaves = list(map(Variable, values))
    g(*leaves).backward()
    for leaf, expected in zip(leaves, gradient(g, values), strict=True):
        np.testing.assert_allclose(leaf.grad, expected, rtol=1e-13)


def test_gradients_add_up_until_they_are_forgotten():
    x = Variable(3.0)
    (x**2).backward()
    (x**3).backward()
    assert x.grad == 6.0 + 27.0
    x.zero_grad()
    assert x.grad is None
    y = x**2
    y.backward()
    z = y * x  # new work on the same tape
    x.zero_grad()
    z.backward()
    assert x.grad == 27.0


def test_the_arrays_of_gradients_are_the_users_own():
    x, y = Variable(np.ones(3)), Variable(np.ones(3))
    np.sum(x + y).backward()
    x.grad[0] = 7.0
    np.testing.assert_array_equal(y.grad, 1.0)
    cotangent = np.ones(3)
    x.zero_grad()
    (x * 1.0).backward(cotangent)
    cotangent[0] = 5.0
    np.testing.assert_array_equal(x.grad, 1.0)


def test_an_array_needs_a_cotangent():
    x = Variable([1.0, 2.0])
    with pytest.raises(ValueError, match=r"shape \(2,\) needs its cotangent of that shape, y\.backward\(gradient\)"):
        (x * x).backward()
    with pytest.raises(ValueError, match=r"shape \(3,\), its value has shape \(2,\)"):
        (x * x).backward(np.ones(3))
    (x * x).backward([1.0, 10.0])
    np.testing.assert_array_equal(x.grad, [2.0, 40.0])
    z = Variable(1.0 + 2.0j)
    with pytest.raises(ValueError, match="complex number needs its cotangent"):
        (z * z).backward()
    np.abs(z * z).backward()
    assert z.grad == pytest.approx(2 * (1 + 2j))  # |z|² in the real inner product


def test_what_a_leaf_holds():
    given = np.array([1.0, 2.0])
    x = Variable(given, name="x")
    given[0] = 9.0
    assert repr(x) == "Variable(array([1., 2.]), name='x')"
    assert (x.shape, x.dtype, x.name, x.grad) == ((2,), np.dtype(float), "x", None)
    assert type(Variable(3).data) is float
    assert Variable(np.float32(3)).dtype == np.float32
    assert Variable([[1, 2], [3, 4]]).shape == (2, 2)
    x.data = [3.0, 4.0]
    np.testing.assert_array_equal(x.data, [3.0, 4.0])
    x.data -= 1.0
    x.data[1] += 5.0
    np.testing.assert_array_equal(x.data, [2.0, 8.0])
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        x.data = np.ones(3)
    with pytest.raises(TypeError, match="not a real or complex number"):
        Variable("three")
    assert isinstance(x, Variable)


def test_writing_to_a_leaf_is_refused_and_to_a_result_is_not():
    x = Variable([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match=r"write to x\.data, .*or to a copy, x\.copy\(\)"):
        x[0] = 5.0
    with pytest.raises(TypeError, match=r"x\.copy\(\)"):
        x *= 2.0
    y = x.copy()
    y[0] = y[1] * 10.0
    part = y[1:]
    part *= 2.0
    np.sum(y * y).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 400.0 + 16.0, 24.0])  # of 100 x₁² + 4 x₁² + 4 x₂²


@pytest.mark.parametrize("size", [1, 1000, 1 << 18])
def test_a_value_changed_between_uses(size):
    """Each use has the value of its time, also within one expression."""
    x = Variable(np.full(size, 2.0))
    first = np.sum(x * x)
    x.data[...] = 5.0
    (first + np.sum(x * x)).backward()
    np.testing.assert_array_equal(x.grad, 4.0 + 10.0)


def test_a_value_changed_by_another_name():
    """A small array is copied at each use; of a large one the sweep finds that it was changed."""
    for size in (1, 1000):
        x = Variable(np.full(size, 2.0))
        other = x.data
        first = np.sum(x * x)
        other[...] = 5.0
        (first + np.sum(x * x)).backward()
        np.testing.assert_array_equal(x.grad, 4.0 + 10.0)
    x = Variable(np.full(1_100_000, 2.0))
    other = x.data
    first = np.sum(x * x)
    other[...] = 5.0
    with pytest.raises(RuntimeError, match="was changed after it was used"):
        (first + np.sum(x * x)).backward()


def test_what_no_grad_shows_of_a_leaf_is_another_name_of_it():
    x = Variable([1.0, 2.0])
    with no_grad():
        seen = x.reshape(2, 1)
    y = np.sum(x * x)
    seen[0] = 7.0
    (y + np.sum(x * x)).backward()
    np.testing.assert_array_equal(x.grad, [2.0 + 14.0, 8.0])


def test_results_have_data_and_no_grad():
    x = Variable([1.0, 2.0])
    y = x * 2.0
    np.testing.assert_array_equal(y.data, [2.0, 4.0])
    with pytest.raises(ValueError, match="read-only"):
        y.data[0] = 3.0
    with pytest.raises(
        AttributeError, match=r"has a \.grad only if .* y\.retain_grad\(\); Variables made by hand have one"
    ):
        _ = y.grad
    with pytest.raises(TypeError, match=r"autodiff\.value_of"):
        float(np.sum(y))
    assert isinstance(y, Variable)
    assert bool(np.all(y > 1.0))
    assert type(y > 1.0) is np.ndarray  # what carries no derivative is plain


def test_constants():
    c, x = Constant([1.0, 2.0]), Variable(3.0)
    np.sum(c * x * Constant(2.0)).backward()
    assert (x.grad, c.grad) == (6.0, None)
    assert repr(Constant(2.0)) == "Constant(2.0)"
    assert type(Constant(2.0) * Constant(3.0)) is float
    assert isinstance(c, Variable)
    out = c * x
    out.compute_gradients()
    np.testing.assert_array_equal(out.gradient, [[1.0], [2.0]])


def test_nothing_is_recorded_within_no_grad():
    x = Variable([1.0, 2.0])
    y = x * x
    with no_grad():
        assert type(np.sum(x * y)) is np.float64
        assert type(np.exp(x)) is np.ndarray
        x.data = x - 0.1 * np.ones(2)
        with pytest.raises(ZeroDivisionError):
            Variable(1.0) / 0.0
    assert isinstance(x * x, Variable)
    np.testing.assert_array_equal(x.data, [0.9, 1.9])


def test_leaves_within_differentiations():
    """What is found has their derivatives; test_composition.py has the table."""
    w, A = Variable(3.0), Variable(np.array([[2.0, 1.0], [1.0, 4.0]]))
    slope = grad(lambda x: w * x * x)(2.0)
    assert (slope.data, type(slope.data)) == (12.0, float)
    assert derivative(lambda x: dmath.sin(w * x), 0, [2.0]).data == pytest.approx(3 * np.cos(6.0))
    value, g = value_and_grad(lambda x: x @ A @ x)(np.ones(2))
    assert (value.data, type(g.data)) == (8.0, np.ndarray)
    for derivative_of in (jacfwd, jacrev):
        np.testing.assert_array_equal(derivative_of(lambda x: A @ x)(np.ones(2)).data, A.data)
    np.testing.assert_array_equal(hessian(lambda x: x @ A @ x)(np.ones(2)).data, 2 * A.data)
    assert grad(lambda x: w * w)(2.0) == 0.0
    (out, along), (_, pull) = jvp(lambda x: w * x, [2.0], [1.0]), vjp(lambda x: w * x, 2.0)
    assert (out.data, along.data, pull(1.0)[0].data) == (6.0, 3.0, 3.0)
    assert linearize(lambda x: w * x, 2.0)[1](1.0).data == 3.0
    assert gradcheck(lambda x: np.sum(np.tanh(A @ x)), [np.ones(2)], raises=True)
    assert w.grad is None


def test_leaves_of_numbers_are_differentiated_through():
    """By hand within a differentiation: a derivative of a derivative."""

    def slope(x):
        v = Variable(x)
        np.sum(v**3).backward()
        return v.grad

    assert derivative(slope, 0, [2.0]) == 12.0
    assert grad(slope)(2.0) == 12.0
    np.testing.assert_allclose(vjp(slope, np.array([1.0, 2.0]))[1](np.ones(2))[0], [6.0, 12.0])
    x = Variable(2.0)
    Variable(x)  # a leaf whose value is another leaf
    v = Variable(x * x)
    (v**2).backward()
    v.grad.backward()
    assert x.grad == 8.0  # d/dx 2 x²


def test_dual_numbers_made_by_hand_are_values_to_a_leaf():
    x = Variable(3.0)
    (x * x * DualNumber(2.0, 1.0)).backward()
    assert (x.grad.real, x.grad.dual) == (12.0, 6.0)


def test_a_list_of_results_is_joined():
    x = Variable([1.0, 2.0, 3.0])
    J = array([[x[0], x[1] * x[2]], [2.0, x[0]]])
    np.linalg.det(J).backward()
    np.testing.assert_allclose(x.grad, [2.0, -6.0, -4.0])


def test_copies():
    x = Variable([1.0, 2.0], name="x")
    np.sum(x * x).backward()
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(other) is type(x)
        assert other.name == "x"
        np.testing.assert_array_equal(other.data, x.data)
        other.data[0] = 50.0
    np.testing.assert_array_equal(x.data, [1.0, 2.0])
    np.testing.assert_array_equal(copy.deepcopy(x).grad, x.grad)
    y = x * 2.0
    z = copy.copy(y)
    z[0] = 0.0
    np.testing.assert_array_equal(y.data, [2.0, 4.0])
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(y)


def test_threads_do_not_see_each_other():
    w, failures = Variable(np.ones(4)), []
    gates = threading.Barrier(8)

    def work(k):
        own = Variable(float(k))
        gates.wait()
        for _ in range(200):
            own.zero_grad()
            y = np.sum(w * own * own)
            y.backward()
            if own.grad != 8.0 * k:
                failures.append(own.grad)
        with no_grad():
            gates.wait()
            if isinstance(w * 2.0, Variable):
                failures.append("recorded")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_many_steps_hold_memory_flat():
    w = Variable(1.0)

    def steps(count):
        for _ in range(count):
            w.zero_grad()
            loss = (w * 2.0 - 3.0) ** 2
            loss.backward()
            w.data -= 0.01 * w.grad

    steps(1000)
    gc.collect()
    tracemalloc.start()
    steps(1000)
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    objects = len(gc.get_objects())
    gc.disable()
    try:
        steps(98_000)  # not even the collector of cycles is needed
        assert len(gc.get_objects()) < objects + 100
    finally:
        gc.enable()
    tracemalloc.start()
    steps(1000)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after < before + 10_000
    assert w.data == pytest.approx(1.5)


def test_a_loop_is_recorded_on_one_tape():
    """Each step begins with leaves, and goes on where the sum of the steps before is."""
    a, b, total = Variable(0.5), Variable(0.25), 0.0
    for x in range(500):
        e = a * float(x) + b - 1.0
        total = total + e * e
    assert len(total.tape) == 2 + 5 * 500
    total.backward()
    xs = np.arange(500.0)
    assert a.grad == pytest.approx(np.sum(2 * xs * (0.5 * xs - 0.75)))
    assert b.grad == pytest.approx(np.sum(2 * (0.5 * xs - 0.75)))


def test_after_a_sweep_leaves_begin_another_tape():
    w, history = Variable(1.0), []
    for _ in range(5):
        history.append((w - 3.0) ** 2)
        history[-1].backward()
        assert len(history[-1].tape) == 3
        with no_grad():
            w.data = w.data - 0.25 * w.grad
        w.zero_grad()
    assert [value_of(loss) for loss in history] == [4.0, 1.0, 0.25, 0.0625, 0.015625]


def test_of_many_results_beside_each_other_each_sweep_has_its_own_lines():
    w = Variable(2.0)
    losses = [(w * float(k) - 1.0) ** 2 for k in range(2000)]
    place = losses[700].place
    assert len(place[0]) > 5000
    tape, line = place[0].alone(place[1])
    assert (len(tape), line) == (4, 3)
    assert tape.leaves[0] is w
    for k in (0, 700, 1999):
        losses[k].backward()
        assert w.grad == 2.0 * k * (2.0 * k - 1.0)
        w.zero_grad()
    sum(losses[::100]).backward()
    assert w.grad == sum(2.0 * k * (2.0 * k - 1.0) for k in range(0, 2000, 100))


@pytest.mark.parametrize("leaf", [np.ones(100_000), 1.5])
def test_passes_without_a_sweep_keep_one_pass(leaf):
    """The result of the last pass is there when the next one begins."""
    w, data = Variable(leaf), np.ones(100_000)
    tracemalloc.start()
    try:
        for _ in range(40):
            loss = np.sum(np.sin(w * data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(loss.tape) < 10
    assert peak < 10 * data.nbytes


@pytest.mark.parametrize("order", [1, 2])
def test_a_value_that_changes_on_the_way_is_another_input(order):
    """Also where the leaf goes on with a tape that has its old value."""
    x = Variable(2.0)
    kept = x * x
    x.data = 5.0
    z = kept + x * x if order == 1 else x * x + kept
    z.backward()
    assert value_of(z) == 29.0
    assert x.grad == 14.0


def test_a_leaf_of_another_value_type_goes_the_general_way():
    x, y = Variable(2.0), Variable(np.float64(3.0))
    z = x * y
    for _ in range(3):
        z = z * y + x * 2 - 1 / y
    z.backward()
    f = lambda x, y: (lambda z: [z := z * y + x * 2 - 1 / y for _ in range(3)][-1])(x * y)
    assert (x.grad, y.grad) == pytest.approx(tuple(gradient(f, [2.0, 3.0])))


def test_a_result_frees_its_tape():
    x = Variable(np.ones(100_000))
    y = np.sum(np.exp(x) * x)
    tape = y.tape
    assert sys.getrefcount(tape) <= 4
    assert tape.leaves[0] is x
    assert x.tape is None


def test_forward_mode_keeps_no_graph():
    """The loop of 12,345 operations of a former lesson: its peak memory is that of a loop of ten."""

    def peak(count):
        def f(x):
            for _ in range(count):
                x = x * 0.9999
            return x

        tracemalloc.start()
        slope = derivative(f, 0, [1.5])
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert slope == pytest.approx(0.9999**count)
        return memory

    peak(10)
    assert peak(12_345) < peak(10) + 2_000


def test_a_leaf_as_a_key_and_compared():
    x, y = Variable(2.0), Variable(2.0)
    assert {x: "x", y: "y"}[x] == "x"  # two leaves are two keys, even of equal values
    assert len({x, y, x * y, Constant(2.0)}) == 4
    assert (x == y, x != y, x < 3.0, x <= y, x > y, x >= 3.0) == (True, False, True, True, False, False)
    np.testing.assert_array_equal(Variable([1.0, 5.0]) > x, [False, True])
    assert (x * y if x > 0 else -x) == 4.0


def test_loops_as_long_as_you_like():
    """No recursion: 20,000 operations, where the ancestor's limit was 2,000."""
    x = Variable(0.5)
    y = x
    for _ in range(20_000):
        y = y * 0.9999
    y.backward()
    assert x.grad == pytest.approx(0.9999**20_000)
    assert isinstance(x, Leaf)


def test_a_constant_has_no_derivative():
    for ask in (Constant(2.0).backward, Constant([1.0, 2.0]).compute_gradients):
        with pytest.raises(TypeError, match="a Constant was computed from no Variable"):
            ask()
    assert type(Constant(2.0) * 3.0) is float


def test_the_sign_of_a_complex_variable_has_a_derivative():
    """Of a real one it is a step, of a complex one a direction."""

    def f(z):
        return np.sum(np.real(np.sign(z) * z * (1.0 - 2.0j)))

    z = np.array([0.3 + 0.4j, -1.0 + 0.5j])
    by_hand = Variable(z)
    f(by_hand).backward()
    np.testing.assert_allclose(by_hand.grad, grad(f)(z), rtol=1e-15)
    with no_grad():
        np.testing.assert_array_equal(np.sign(by_hand), np.sign(z))


# ----------------------------------------------------------------------------------------- adjoints of what is between


def test_a_result_keeps_its_adjoint_if_told_to():
    x, w = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, -1.0]))
    y = x * w
    z = np.sin(y)
    for result in (y, z, y):
        result.retain_grad()
    loss = np.sum(z * z)
    assert y.grad is z.grad is None
    loss.backward()
    np.testing.assert_allclose(z.grad, 2.0 * np.sin([3.0, -2.0]))
    np.testing.assert_allclose(y.grad, np.sin([6.0, -4.0]), rtol=1e-14)
    np.testing.assert_allclose(x.grad, y.grad * w.data)
    before = y.grad.copy()
    loss.backward()  # adds, as to a leaf
    np.testing.assert_allclose(y.grad, 2.0 * before)
    y.grad = None
    loss.backward()
    np.testing.assert_allclose(y.grad, before)
    z.grad[0] = 7.0  # an array of its own
    np.testing.assert_allclose(y.grad, before)


def test_a_leaf_may_be_told_to_keep_what_it_keeps():
    for x in (Variable(2.0), Variable(np.array(2.0))):
        x.retain_grad()
        (x * x).backward()
        assert x.grad == 4.0


def test_adjoints_are_kept_of_what_a_result_comes_from_only():
    x = Variable(2.0)
    kept = [x * k for k in range(1, 5)]
    for y in kept:
        y.retain_grad()
    other = Variable(5.0) * 3.0
    other.retain_grad()
    (kept[1] * kept[3] + other).backward()
    assert [y.grad for y in (*kept, other)] == [None, 8.0, None, 4.0, 1.0]


def test_adjoints_are_kept_as_tapes_are_joined_and_written_anew():
    x, y = Variable(1.5), Variable(0.5)
    early, late = x * x, y * y
    early.retain_grad()
    late.retain_grad()
    total = early * late  # joins two tapes
    for _ in range(2000):
        total = total * 1.0 + 0.0 * (x + y)  # more than half of this is needed by none
        _ = [x * k for k in range(3)]
    total.backward()
    assert (early.grad, late.grad) == (0.25, 2.25)


def test_adjoints_of_an_array_that_is_written_to():
    x = Variable(np.ones(3))
    y = x * 2.0
    first = y * 1.0
    first.retain_grad()
    first[0] = 5.0 * x[1]
    np.sum(first * np.arange(3.0) + y).backward()
    np.testing.assert_array_equal(first.grad, np.arange(3.0))
    np.testing.assert_array_equal(x.grad, [2.0, 4.0, 6.0])


def test_a_result_that_is_gone_keeps_nothing():
    x = Variable(2.0)
    y = x * x
    y.retain_grad()
    z = y * 3.0
    del y
    gc.collect()
    z.backward()
    assert x.grad == 12.0


def test_the_adjoint_of_a_complex_number_that_got_a_real_part_first():
    def slope(z):
        def f(z):
            v = np.broadcast_arrays(z, z)[0]
            u = v[...]
            return np.real(u * (1 + 2j)) + np.real(v.real * u)

        return np.real(autodiff.forward.gradient(f, [z])[0] * (2 - 1j))

    z = Variable(0.9 + 1.1j)
    slope(z).backward()
    assert z.grad == grad(slope)(0.9 + 1.1j) == 4.0


# ---------------------------------------------------------------------------------------- the fast path of arrays


def _trained(x, classes):
    """Return a loss of two layers, and its leaves."""
    rng = np.random.default_rng(0)
    leaves = [Variable(rng.normal(size=size)) for size in ((3, 4), (4,), (4, 3), (3,))]
    first, first_bias, second, second_bias = leaves
    hidden = np.maximum(affine(x, first, first_bias), 0.0)
    return nn.cross_entropy(affine(np.tanh(hidden) * hidden, second, second_bias) - 0.5 * x, classes), leaves


def test_arrays_are_recorded_fast_as_they_are_in_general(monkeypatch):
    """The same lines, and after one sweep and a second one the same gradients to the bit."""
    x, classes = np.random.default_rng(1).normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])

    def found():
        loss, leaves = _trained(x, classes)
        loss.backward()
        once = [leaf.grad.copy() for leaf in leaves]
        loss.backward()
        return str(loss.tape), [g.tobytes() for g in once], [leaf.grad.tobytes() for leaf in leaves]

    fast = found()
    monkeypatch.setattr(fast_paths, "_simple", lambda operands: None)
    assert fast == found()


def test_what_the_fast_path_took_is_as_it_was():
    """The data, the classes and the values of leaves are written to before the sweep."""
    x, classes = np.random.default_rng(1).normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])
    loss, leaves = _trained(x, classes)
    loss.backward()
    expected = [leaf.grad for leaf in leaves]
    loss, leaves = _trained(x, classes)
    for leaf in leaves:
        leaf.data[...] = 7.0
    x[...], classes[...] = np.nan, 1
    loss.backward()
    for leaf, slope in zip(leaves, expected, strict=True):
        assert leaf.grad.tobytes() == slope.tobytes()


def test_the_fast_path_leaves_what_is_not_simple_to_the_general_one():
    w = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = w * w
    with no_grad():
        assert type(y * w) is np.ndarray
    with pytest.raises(TypeError, match="no order"):
        np.maximum(y, np.array([1j, 2.0]))
    with pytest.raises(TypeError, match="no order"):
        np.maximum(y * 1j, 0.0)
    z = np.sum(y * np.array([1, 2]) + y @ [[1.0], [2.0]] + y * Constant(np.ones(2)))
    z.backward()
    assert w.grad.tolist() == [[8.0, 28.0], [24.0, 56.0]]
    other = Variable(np.ones(2))
    (np.sum(y @ other) + np.sum((other * 2.0) * y)).backward()
    assert other.grad.tolist() == [30.0, 60.0]
    outer = grad(lambda t: np.sum(value_of(y) * t))(2.0)
    assert outer == 30.0
    slope = derivative(_slope, 0, [3.0])
    assert slope == 12.0


def _slope(t):
    """Return d/dx Σ x² t² at x = (1, 1) by leaves within a differentiation, the half of it."""
    x = Variable(np.ones(2) * t)
    np.sum(x * x).backward()
    return np.sum(x.grad) * t / 2.0


def test_a_tape_with_pull_backs_that_came_with_values_is_pickled():
    loss, leaves = _trained(np.ones((5, 3)), np.array([0, 2, 1, 1, 0]))
    tape = pickle.loads(pickle.dumps(loss.tape))
    loss.backward()
    found = adjoints(tape, {loss.line: 1.0})
    for slope, leaf in zip(found, leaves, strict=True):
        np.testing.assert_allclose(slope, leaf.grad, rtol=1e-14)
