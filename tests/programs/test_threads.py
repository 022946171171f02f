"""Threads: those that differentiate, each for itself, and those within a function that is differentiated."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dualnumbers.dmath as dmath
from autodiff import Variable, derivative, grad, gradient, hessian, jacfwd, jacrev, jvp, linearize, record, vjp
from autodiff.linearization import Recording
from autodiff.tape.recorder import Recorder

THREADS = 4
AT_THE_SAME_TIME = "two threads computed with numbers of one differentiation at the same time: differentiate inside"


pytestmark = pytest.mark.usefixtures("often")


def scalar_program(x):
    for k in range(30):
        x = 0.9 * x + dmath.sin(x) * 0.1 - x / (k + 3.0)
    return x * x


def array_program(x):
    v = np.stack([x, 2.0 * x, x * x])
    for k in range(10):
        v = np.tanh(v @ np.eye(3)) + 0.1 * v[::-1] - v[k % 3]
    return np.sum(v * np.arange(3.0))


def writing_program(x):
    v = np.zeros(8, like=x)
    for k in range(8):
        v[k] = x * k + v[k - 1]
    return np.sum(v)


PROGRAMS = {"numbers": scalar_program, "arrays": array_program, "writing": writing_program}


def in_threads(g):
    def f(xs):
        with ThreadPoolExecutor(THREADS) as pool:
            return sum(pool.map(g, list(xs)))

    return f


def in_a_row(g):
    return lambda xs: sum(map(g, list(xs)))


def writing_one_array(g):
    def f(xs):
        found = np.zeros(len(xs), like=xs[0])

        def put(k):
            found[k] = g(xs[k])
            found[k] *= 1.0

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(put, range(len(xs))))
        return np.sum(found)

    return f


FORWARD = {
    "jvp": lambda f, xs: np.array([jvp(f, [xs], [row])[1] for row in np.eye(len(xs))]),
    "derivative": lambda f, xs: derivative(f, 0, [xs]),
    "jacfwd": lambda f, xs: jacfwd(f)(xs),
}

REVERSE = {
    "grad": lambda f, xs: grad(f)(xs),
    "gradient": lambda f, xs: gradient(f, [xs])[0],
    "vjp": lambda f, xs: vjp(f, xs)[1](1.0)[0],
    "jacrev": lambda f, xs: jacrev(f)(xs),
    "linearize": lambda f, xs: np.array([linearize(f, xs)[1](row) for row in np.eye(len(xs))]),
    "hessian": lambda f, xs: hessian(f)(xs),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", FORWARD)
def test_forward_mode_is_right(mode, program, seed):
    g, xs = PROGRAMS[program], np.random.default_rng(seed).uniform(0.1, 0.9, 6)
    expected = FORWARD[mode](in_a_row(g), xs)
    for f in (in_threads(g), writing_one_array(g)):
        np.testing.assert_allclose(FORWARD[mode](f, xs), expected, rtol=1e-14)


def unless_refused(differentiated, f, xs):
    """The derivative, or None where two threads were found to compute at the same time."""
    try:
        return differentiated(f, xs)
    except RuntimeError as error:
        if not str(error).startswith(AT_THE_SAME_TIME):
            raise
        return None


@pytest.mark.parametrize("shared", [in_threads, writing_one_array])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", REVERSE)
def test_reverse_mode_is_right_or_refuses(mode, program, shared):
    """Never a wrong number: the lines of two threads that came at the same time are found."""
    g = PROGRAMS[program]
    for seed in range(4):
        xs = np.random.default_rng(seed).uniform(0.1, 0.9, 8)
        found = unless_refused(REVERSE[mode], shared(g), xs)
        if found is not None:
            np.testing.assert_allclose(found, REVERSE[mode](in_a_row(g), xs), rtol=1e-12, atol=1e-14)


class Interrupted(list):
    """The values of a tape; before one is added, another thread computes."""

    def __init__(self):
        super().__init__()
        self.meanwhile = None

    def append(self, value):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(meanwhile).result()
        super().append(value)


OPERATIONS = {
    "number": lambda x, y: x + y,
    "number and constant": lambda x, y: x * 2.0,
    "constant and number": lambda x, y: 2.0 - x,
    "function": lambda x, y: dmath.sin(x),
    "NumPy's function": lambda x, y: np.exp(x),
    "array": lambda x, y: x * np.ones(3),
    "constant array": lambda x, y: np.ones(3) / x,
    "three operands": lambda x, y: np.where(x > 0.0, x, y),
    "stack": lambda x, y: np.stack([x, y]),
    "mask": lambda x, y: np.greater(x, y),
    "element": lambda x, y: np.stack([x, y])[0],
    "sum": lambda x, y: np.sum(np.stack([x, y])),
    "writing": lambda x, y: np.zeros(2, like=x).__setitem__(0, y) or x,
}


@pytest.mark.parametrize("swallows", [False, True])
@pytest.mark.parametrize("second", OPERATIONS)
@pytest.mark.parametrize("first", OPERATIONS)
def test_two_at_the_same_time_are_found(first, second, swallows):
    """Also where the function catches the error, or fails of what came of it."""
    tape = Recorder()
    tape.values = Interrupted()

    def f(x, y):
        tape.values.meanwhile = lambda: OPERATIONS[second](x, y)
        try:
            return OPERATIONS[first](x, y)
        except RuntimeError:
            if swallows:
                return x
            raise KeyError("another") from None

    with pytest.raises(RuntimeError, match=AT_THE_SAME_TIME):
        Recording(f, [0.5, 0.25], [0, 1], tape=tape)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", REVERSE)
def test_one_after_the_other_is_right(mode, program):
    """Another thread may compute, as long as it is one at a time."""

    def f(xs):
        with ThreadPoolExecutor(THREADS) as pool:
            return sum(pool.submit(PROGRAMS[program], x).result() for x in list(xs))

    xs = np.linspace(0.2, 0.8, 4)
    np.testing.assert_allclose(REVERSE[mode](f, xs), REVERSE[mode](in_a_row(PROGRAMS[program]), xs), rtol=1e-14)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", REVERSE)
def test_differentiating_inside_each_thread_is_right(mode, program):
    xs = np.linspace(0.2, 0.8, 12).reshape(6, 2)
    f = in_a_row(PROGRAMS[program])
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda x: REVERSE[mode](f, x), xs))
    np.testing.assert_allclose(found, [REVERSE[mode](f, x) for x in xs], rtol=1e-14)


REPEATED = {
    "pull-back of a gradient": lambda: vjp(grad(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3)), np.eye(5))[1],
    "pull-back of a gradient, singular values": lambda: vjp(
        grad(lambda a: np.sum(np.linalg.svdvals(a) ** 3)), np.eye(5)
    )[1],
    "tangents": lambda: linearize(np.linalg.eigvalsh, np.eye(5))[1],
    "pull-back of a tangent": lambda: vjp(
        lambda a: np.sum(jvp(lambda a: np.linalg.eigvalsh(a) ** 3, [a], [DIRECTION])[1]), np.eye(5)
    )[1],
}
DIRECTION = np.diag(np.arange(5.0))


@pytest.mark.parametrize("name", REPEATED)
def test_a_linear_map_at_repeated_eigenvalues_in_many_threads(name):
    """What a sweep chooses, the vectors of equal eigenvalues, is its own."""
    swept = REPEATED[name]()
    directions = [a + a.T for a in np.random.default_rng(0).normal(size=(200, 5, 5))]
    if name == "pull-back of a tangent":
        directions = np.linspace(0.5, 2.0, 200)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(swept, directions))
    for result, direction in zip(found, directions, strict=True):
        np.testing.assert_allclose(result, swept(direction), rtol=1e-12, atol=1e-12)


def test_variables_made_by_hand_within_threads_of_a_function():
    """Each has its own tape in each thread; the gradients of leaves that threads share add up."""
    w = Variable(0.5)

    def f(x):
        v = Variable(x)
        (w * scalar_program(v)).backward()
        return v.grad

    xs = list(np.linspace(0.2, 0.8, 16))
    expected = [f(x) for x in xs]
    total = w.grad
    w.zero_grad()
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(f, xs)) == expected
    assert w.grad == pytest.approx(total, rel=1e-14)


def test_a_thread_that_is_not_waited_for():
    """What it adds later belongs to nobody: the tape that is swept has none of it, or is refused."""
    gate, threads = threading.Event(), []

    def f(x):
        def late():
            gate.wait()
            scalar_program(x)

        threads.append(threading.Thread(target=late))
        threads[-1].start()
        return scalar_program(x)

    value, pull = vjp(f, 0.5)
    gate.set()
    threads[0].join()
    assert pull(1.0) == (grad(scalar_program)(0.5),)
    assert value == scalar_program(0.5)


def test_a_tape_that_is_shown_is_whole_or_refused():
    xs = list(np.linspace(0.1, 0.9, 8))
    for _ in range(10):
        found = unless_refused(lambda f, xs: record(f, [xs]), in_threads(scalar_program), xs)
        if found is not None:
            assert found[1].primal == pytest.approx(in_a_row(scalar_program)(xs), rel=1e-14)
