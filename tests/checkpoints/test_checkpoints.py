"""Programs that are run again in the sweep: derivatives as those of a whole tape, in bounded memory."""

import gc
import itertools
import math
import pickle
import subprocess
import sys
import tracemalloc
import weakref
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from table import JACOBIANS, nestings

from autodiff import (
    Variable,
    checkpoint,
    checkpointed_loop,
    derivative,
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
    record,
    taylor,
    value_and_grad,
    vjp,
)
from autodiff.checkpoints import spilling
from autodiff.checkpoints.schedule import binomial
from autodiff.scipy import optimize

X = np.array([1.0, 0.5, 2.0])
W = np.array([0.3, 0.5, 0.7])


def plain_loop(step, state, n, **options):
    for k in range(n):
        state = step(k, state)
    return state


# ------------------------------------------------------------------------------------------------ programs


@dataclass
class Weights:
    matrix: np.ndarray
    shift: float


def layer(p, x, *, power=2):
    y = np.tanh(p["w"].matrix @ x + p["w"].shift)
    return {"power": np.sum(y**power), "all": (y, 3, None, "name")}


def of_layers(wrap):
    """Structures in and out, keywords, plain data, one call in another."""
    call = wrap(layer)

    def f(x):
        p = {"w": Weights(np.outer(x, W), x[0])}
        first = call(p, W)
        second = wrap(lambda y: call(p, y, power=3))(first["all"][0] * x)
        return first["power"] * x[1] + second["power"] + np.sum(second["all"][0] * x)

    return f


def of_closures(wrap):
    """Numbers closed over, by a function in a function, a default and a bound method."""

    class Model:
        def __init__(self, rate):
            self.rate = rate

        def run(self, x):
            return np.exp(-self.rate * x)

    def f(x):
        inner = lambda y: np.sin(x * y)
        outer = wrap(lambda y, shift=x[0]: inner(y) + shift)
        return np.sum(outer(W) * wrap(Model(x[1]).run)(x))

    return f


def diffusion(loop):
    def f(x):
        def step(k, u):
            return u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) + 0.01 * x[1] * np.sin(u) * (k % 3)

        return np.sum(loop(step, x, 37) ** 2)

    return f


def pendulum(loop):
    """A state in a structure, of numbers, written to in place and growing on the way."""

    def f(x):
        def step(k, state):
            state["v"] -= 0.05 * x[2] * np.sin(state["q"])
            state["q"] = state["q"] + 0.05 * state["v"]
            state["path"][k % 2] = state["path"][k % 2] * 0.5 + state["q"] * state["count"]
            late = [*state["late"], state["q"]] if k in (10, 31) else state["late"]
            return state | {"late": late, "count": state["count"] + 1}

        path = np.zeros(2, like=x)
        state = {"q": x[0], "v": x[1], "path": path, "late": [], "count": 0, "name": "p", "none": None}
        end = loop(step, state, 40)
        return end["q"] * end["v"] + np.sum(end["path"]) * 1e-2 + end["late"][0] * end["late"][1]

    return f


PROGRAMS = {
    "layers": (of_layers, checkpoint, lambda f: f),
    "closures": (of_closures, checkpoint, lambda f: f),
    "diffusion": (diffusion, checkpointed_loop, plain_loop),
    "pendulum": (pendulum, checkpointed_loop, plain_loop),
}
CASES = {name: (program(ours), program(plainly)) for name, (program, ours, plainly) in PROGRAMS.items()}
each_program = pytest.mark.parametrize(("f", "plainly"), CASES.values(), ids=CASES)


@each_program
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_are_those_of_a_whole_tape_in_all_nestings(f, plainly, order):
    assert f(X) == plainly(X)
    expected = grad(plainly)(X) if order == 1 else hessian(plainly)(X)
    for name, partial in nestings(f, (0,) * order, JACOBIANS):
        np.testing.assert_allclose(partial(X), expected, rtol=1e-12, atol=1e-13, err_msg=name)


@each_program
def test_third_derivatives_in_all_nestings(f, plainly):
    line, plain_line = lambda t: f(X + t * W), lambda t: plainly(X + t * W)
    expected = derivative(plain_line, (0, 0, 0), [0.0])
    for name, partial in nestings(line, (0, 0, 0), {"forward": jacfwd, "reverse": jacrev}):
        assert partial(0.0) == pytest.approx(expected, rel=1e-11), name


@each_program
def test_by_differences(f, plainly):
    assert gradcheck(f, [X])


@each_program
def test_operators_and_variables_made_by_hand(f, plainly):
    expected = grad(plainly)(X)
    np.testing.assert_allclose(hessian(f)(X), hessian(plainly)(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(hvp(f)(X, W), hessian(plainly)(X) @ W, rtol=1e-12, atol=1e-13)
    assert linearize(f, X)[1](W) == pytest.approx(expected @ W, rel=1e-13)
    x = Variable(X)
    f(x).backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-13)


@each_program
def test_a_recording_runs_elsewhere(f, plainly):
    other = X * 1.1
    tape, _ = record(f, [X])
    assert tape.run([other]) == pytest.approx(plainly(other), rel=1e-14)
    tape, _ = record(grad(f), [X])
    np.testing.assert_allclose(tape.run([other]), grad(plainly)(other), rtol=1e-12)


@pytest.mark.parametrize("options", [{"snapshots": 1}, {"block": 1}, {"block": 500}, {"snapshots": 3, "block": 7}])
def test_any_number_of_snapshots_and_any_blocks(options):
    f = diffusion(lambda step, state, n: checkpointed_loop(step, state, n, **options))
    np.testing.assert_allclose(grad(f)(X), grad(diffusion(plain_loop))(X), rtol=1e-13)
    np.testing.assert_allclose(hvp(f)(X, W), hvp(diffusion(plain_loop))(X, W), rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_short_loops(n):
    for loop in (checkpointed_loop, plain_loop):
        assert gradient(lambda x, y: loop(lambda k, s: s * y, x, n), [2.0, 3.0]) == [3.0**n, 2.0 * n * 3.0 ** (n - 1)]  # noqa: B023
    np.testing.assert_array_equal(
        jacobian(lambda x: checkpointed_loop(lambda k, s: s * 2.0, x, n))(X), 2.0**n * np.eye(3)
    )
    assert checkpointed_loop(lambda k, s: s + k, 0, n) == n * (n - 1) // 2


def test_types_are_kept():
    narrow = X.astype(np.float32)
    power = lambda x: checkpointed_loop(lambda k, s: s * x, x, 9)
    assert grad(lambda x: np.sum(power(x)))(narrow).dtype == np.float32
    assert type(derivative(power, 0, [0.5])) is float
    z = 1.0 + 0.1j
    assert jacobian(power)(z) == pytest.approx(10 * z**9, rel=1e-14)
    value, pullback = vjp(checkpoint(lambda x: (x, {"y": x * 2.0})), X)
    assert value[1]["y"].tolist() == (2.0 * X).tolist()
    np.testing.assert_array_equal(pullback((np.ones(3), {"y": np.ones(3)}))[0], 3.0 * np.ones(3))


def test_a_nan_that_reaches_nothing_stays_out():
    """The slope of the square root is infinite at 0: what does not reach the result passes nothing."""

    def f(x):
        end = checkpointed_loop(
            lambda k, s: {"a": s["a"] * 1.01, "b": np.sqrt(s["b"])}, {"a": x[0], "b": x[1] * 0.0}, 60
        )
        return end["a"]

    np.testing.assert_allclose(grad(f)(X), [1.01**60, 0.0, 0.0], rtol=1e-14)


# ------------------------------------------------------------------------------------------------ what is refused


def drawing(rng, late=0):
    return lambda k, s: s * (1.0 if k < late else rng.normal())


def counting(count):
    return lambda k, s: s * (1.0 + 0.01 * next(count))


MODES = {
    "gradient": lambda f, x: grad(lambda x: np.sum(f(x)))(x),
    "push": lambda f, x: jvp(f, [x], [x]),
    "jacfwd": lambda f, x: jacfwd(f)(x),
}


@pytest.mark.parametrize("differentiated", MODES.values(), ids=MODES)
@pytest.mark.parametrize("late", [0, 55, 130])
def test_what_draws_random_numbers_is_refused(differentiated, late):
    step = drawing(np.random.default_rng(1), late)
    with pytest.raises(
        RuntimeError, match=r"gave other values when it was run again.*random numbers.*test_checkpoints"
    ):
        differentiated(lambda x: checkpointed_loop(step, x, 137), X)


@pytest.mark.parametrize("differentiated", MODES.values(), ids=MODES)
def test_what_counts_its_calls_is_refused(differentiated):
    with pytest.raises(RuntimeError, match="counts its calls"):
        differentiated(lambda x: checkpointed_loop(counting(itertools.count()), x, 10), X)
    step = counting(itertools.count())
    with pytest.raises(RuntimeError, match="counts its calls"):
        differentiated(checkpoint(lambda x: step(0, x)), X)


def test_data_that_changes_before_the_sweep_is_seen():
    data = np.ones(3)
    _, pullback = vjp(checkpoint(lambda x: x * data), X)
    assert pullback(np.ones(3))[0].tolist() == [1.0, 1.0, 1.0]
    data[:] = 2.0
    with pytest.raises(RuntimeError, match="gave other values"):
        pullback(np.ones(3))


def test_a_function_that_writes_to_its_argument_is_refused():
    def cleared(x):
        x[0] = 0.0
        return x

    for call in (checkpoint(cleared), grad(lambda x: np.sum(checkpoint(cleared)(x)))):
        with pytest.raises(ValueError, match=r"cleared writes to an array among its arguments.*x\.copy\(\)"):
            call(X.copy())


def test_a_loop_leaves_the_state_that_it_is_given():
    state = X.copy()

    def step(k, s):
        s *= 2.0
        return s

    assert checkpointed_loop(step, state, 3).tolist() == (8.0 * X).tolist()
    assert grad(lambda y: np.sum(checkpointed_loop(lambda k, s: step(k, s) * y, state, 3)))(1.0) == 24.0 * np.sum(X)
    assert state.tolist() == X.tolist()


def test_a_number_that_is_found_nowhere_is_refused():
    class Hidden:
        pass

    hidden = Hidden()

    def f(x):
        hidden.x = x
        return np.sum(checkpointed_loop(lambda k, s: s * hidden.x, x, 3))

    with pytest.raises(TypeError, match="none of its arguments: make that an argument too"):
        grad(f)(X)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n": 2.0}, TypeError, "n is a whole number, not 2.0"),
        ({"n": -1}, ValueError, "n is -1; it must be 0 or more"),
        ({"snapshots": 0}, ValueError, "snapshots is 0; it must be 1 or more"),
        ({"block": 0.5}, TypeError, "block is a whole number"),
    ],
)
def test_counts_that_are_none(options, error, words):
    with pytest.raises(error, match=f"{words}.*test_checkpoints"):
        checkpointed_loop(lambda k, s: s, X, **({"n": 3} | options))


@pytest.mark.parametrize("returned", [None, "x", object(), {}])
def test_a_function_that_returns_no_numbers(returned):
    with pytest.raises(TypeError, match=r"returned .*let it return"):
        grad(lambda x: np.sum(checkpoint(lambda y: returned)(x)))(X)


# ------------------------------------------------------------------------------------------------ memory and work


def test_memory_stays_while_the_steps_grow():
    def peak(n):
        f = lambda p: np.sum(checkpointed_loop(lambda k, u: u + 1e-3 * p * np.sin(u), np.ones(1000), n))
        gc.collect()
        tracemalloc.start()
        grad(f)(np.linspace(0.5, 1.0, 1000))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    short, long = peak(200), peak(3200)
    assert long < 4e6  # a tape keeps 3200 steps of some 32 kB
    assert long < 4 * short


def test_states_that_lie_on_the_disk(tmp_path):
    def peak(n, runs=None, **options):
        def f(u):
            def step(k, state):
                if runs is not None:
                    runs.append(k)
                return state[0] + 1e-3 * u[0] * np.sin(state[0]), state[1] + 1

            last, turns = checkpointed_loop(step, (u, 0), n, block=1, **options)
            return np.sum(last) * turns

        gc.collect()
        tracemalloc.start()
        slope = grad(f)(np.linspace(0.5, 1.0, 20_000))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found, slope

    runs = []
    (short, _), (long, slope) = peak(10, spill=tmp_path), peak(100, runs, spill=str(tmp_path))
    assert long < 1.2 * short
    assert long < 0.5 * peak(100, snapshots=100)[0]
    assert len(runs) <= 1 + 3 * 100  # the first block twice; for the value, to the next state, and recorded
    np.testing.assert_array_equal(slope, peak(100)[1])
    assert not list(tmp_path.iterdir())


def test_higher_orders_with_states_on_the_disk(tmp_path):
    loop = lambda x, **options: np.sum(checkpointed_loop(lambda k, y: np.sin(y) * x, x, 12, block=2, **options))
    spilled = lambda x: loop(x, spill=tmp_path)
    for order in (grad, hessian, lambda f: jacrev(grad(f)), lambda f: lambda x: hvp(f)(x, W)):
        np.testing.assert_allclose(order(spilled)(X), order(loop)(X), rtol=1e-13)


@pytest.mark.parametrize("snapshots", [None, 3])
def test_all_states_on_the_disk_are_in_one_file(tmp_path, monkeypatch, snapshots):
    files, opened = [], spilling.TemporaryFile
    monkeypatch.setattr(spilling, "TemporaryFile", lambda **options: files.append(opened(**options)) or files[-1])

    def last(x, **options):
        step = lambda k, s: {"y": np.sin(s["y"]) * x, "sum": s["sum"] + s["y"]}
        return np.sum(checkpointed_loop(step, {"y": x, "sum": x}, 60, block=2, snapshots=snapshots, **options)["sum"])

    found = grad(lambda x: last(x, spill=tmp_path))(X)
    np.testing.assert_array_equal(found, grad(last)(X))
    assert len(files) == 1
    assert files[0].closed


def test_a_folder_that_takes_no_state(tmp_path):
    f = lambda x: checkpointed_loop(lambda k, y: np.sin(y), x, 10, spill=tmp_path / "none")[0]
    with pytest.raises(OSError, match="takes no state of checkpointed_loop, No such file"):
        grad(f)(X)
    with pytest.raises(TypeError, match=r"spill is a folder, a str or pathlib\.Path, not 3"):
        checkpointed_loop(lambda k, y: y, X, 10, spill=3)


def test_a_disk_that_is_full():
    """The error is an OSError that says so, and comes at once."""
    program = """
import resource, signal, tempfile
import numpy as np
from autodiff import checkpointed_loop, grad
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with tempfile.TemporaryDirectory() as folder:
    last = lambda x: np.sum(checkpointed_loop(lambda k, y: np.sin(y), x, 10, block=1, spill=folder))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))
    try:
        grad(last)(np.ones(100))
    except OSError as error:
        print(error)
    print(grad(last)(np.ones(10)).shape)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                           cwd=Path(__file__).parents[2])  # fmt: skip
    assert "takes no state of checkpointed_loop, File too large" in found.stdout
    assert found.stdout.endswith("(10,)\n")


def test_one_call_at_a_time_is_in_memory():
    def peak(wrap):
        block = wrap(lambda x: plain_loop(lambda k, y: np.sin(y) * x, x, 30))
        gc.collect()
        tracemalloc.start()
        grad(lambda x: np.sum(plain_loop(lambda k, y: block(y), x, 20)))(np.linspace(0.5, 1.0, 2000))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(checkpoint) < 0.15 * peak(lambda f: f)


def test_how_often_a_function_runs():
    calls = []

    def counted(x):
        calls.append(None)
        return x * 2.0

    assert grad(checkpoint(counted))(1.0) == 2.0
    assert len(calls) == 2  # for the value, and in the sweep
    calls.clear()
    value_and_grad(lambda x: checkpointed_loop(lambda k, y: counted(y), x, 1000, block=10))(1e-200)
    assert (
        len(calls) <= 1010 + 4 * 1000
    )  # the first block twice; 100 blocks and 10 snapshots: three runs and one recorded


@cache
def fewest(count, snapshots):
    """The least number of runs of blocks, from the recursion that defines it."""
    if count == 1:
        return 0
    if snapshots == 0:
        return count * (count - 1) // 2
    return min(j + fewest(count - j, snapshots - 1) + fewest(j, snapshots) for j in range(1, count))


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 16, 33, 60])
def test_the_schedule_is_the_best_there_is(count, snapshots):
    kept, reversed_, runs = [0], [], 0
    for start, stop, last in binomial(count, snapshots):
        kept = [k for k in kept if k <= start]
        assert start == kept[-1]
        runs += stop - start
        if last:
            reversed_.append(stop)
        else:
            kept.append(stop)
            assert len(kept) <= snapshots + 1
    assert reversed_ == list(range(count))[::-1]
    assert runs == fewest(count, snapshots)
    times = next(r for r in itertools.count() if math.comb(snapshots + 1 + r, r) >= count)
    assert runs == times * count - math.comb(snapshots + 1 + times, times - 1) if times else runs == 0


def test_nothing_is_left_behind():
    """A call holds no number of the tape that it is on: that would be freed by the garbage collector alone."""

    def step(k, s):
        return s * 2.0

    gc.collect()
    gc.disable()
    try:
        tape, _ = record(lambda x: np.sum(checkpoint(lambda y: y * x)(x) + checkpointed_loop(step, x, 9)), [X])
        alive = weakref.ref(tape.level)
        del tape, _
        assert alive() is None
    finally:
        gc.enable()


def doubled(x):
    return 2.0 * x


def test_a_checkpointed_function_pickles():
    again = pickle.loads(pickle.dumps(checkpoint(doubled)))
    assert again.__name__ == "doubled"
    assert grad(again)(3.0) == 2.0


@pytest.mark.parametrize("blocks", [{}, {"block": 1, "snapshots": 1}])
def test_a_loop_whose_step_writes_to_a_state_without_derivative(blocks):
    def f(w):
        def step(k, state):
            state["u"] *= w
            state["count"] += 1
            return state

        return np.sum(checkpointed_loop(step, {"u": np.ones(2), "count": np.zeros(1, int)}, 3, **blocks)["u"])

    w = np.array([2.0, 3.0])
    np.testing.assert_allclose(grad(f)(w), 3.0 * w**2)
    np.testing.assert_allclose(jvp(f, [w], [np.ones(2)])[1], np.sum(3.0 * w**2))
    for nested in (hessian(f), jacfwd(jacfwd(f)), jacrev(jacrev(f)), jacrev(jacfwd(f))):
        np.testing.assert_allclose(nested(w), np.diag(6.0 * w))
    np.testing.assert_allclose(taylor(f, 2.0, 3), [16.0, 24.0, 12.0, 2.0])


T, COARSE = np.linspace(0.0, 1.0, 8), {"xatol": 1e-3, "xrtol": 1e-3, "fatol": 1e-3}
SOLVERS = {
    "minimize": lambda p: optimize.minimize(lambda x: np.sum((x - p) ** 2 + x**4), [0.3, 0.2], method="Powell").x,
    "minimize_scalar": lambda p: optimize.minimize_scalar(lambda x: np.sum((x - p) ** 4), (0.0, 1.0), tol=1e-3).x,
    "curve_fit": lambda p: optimize.curve_fit(lambda t, a, b: a * np.exp(b * t), T, p[0] + p[1] * T**2)[1],
    "least_squares": lambda p: optimize.least_squares(lambda x: np.exp(x * T) - p[0] - p[1] * T, [0.1], ftol=1e-3).x,
    "lsq_linear": lambda p: optimize.lsq_linear(np.eye(2), p, (0.0, 1.0), tol=1e-3).x,
    "root": lambda p: optimize.root(lambda x: x**3 + x - p, [1.0, 1.0], tol=1e-2).x,
    "fsolve": lambda p: optimize.fsolve(lambda x: x**3 + x - p, [1.0, 1.0], xtol=1e-2),
    "fixed_point": lambda p: optimize.fixed_point(lambda x: p[1] * np.cos(p[0] * x), 0.5, xtol=1e-2),
    "root_scalar": lambda p: optimize.root_scalar(lambda x: x**3 - p[0], bracket=(0, 3), xtol=1e-2).root,
    "brentq": lambda p: optimize.brentq(lambda x: x**3 - p[0], 0.0, 3.0, xtol=1e-2),
    "newton": lambda p: optimize.newton(lambda x: x**3 - p, [1.0, 0.9], tol=1e-2),
    "find_root": lambda p: (
        optimize.elementwise.find_root(lambda x, p: x**3 - p, ([0.0] * 2, [2.0] * 2), args=(p,), tolerances=COARSE).x
    ),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solution_is_as_exact_in_the_first_run_as_in_the_next(name):
    f, p = SOLVERS[name], np.array([1.2, 0.7])
    once, value = checkpoint(f), np.asarray(f(p))
    np.testing.assert_array_equal(once(p), value)  # SciPy's own, where nothing is differentiated

    def steps(p):
        return checkpointed_loop(lambda k, s: s + k * f(p), np.zeros(value.shape), 3, block=1)

    for jac in (jacfwd, jacrev):
        expected = jac(f)(p)
        np.testing.assert_allclose(jac(once)(p), expected, rtol=1e-9)
        np.testing.assert_allclose(jac(lambda p: checkpoint(lambda p: once(p) + 1.0)(p))(p), expected, rtol=1e-9)
        np.testing.assert_allclose(jac(steps)(p), 3.0 * expected, rtol=1e-9)
    np.testing.assert_allclose(jacfwd(jacrev(once))(p), jacfwd(jacrev(f))(p), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("power", [2, 4])  # with one, Newton's method does not converge: x is SciPy's there
def test_a_solution_without_derivatives_in_a_program_that_is_run_again(power):
    found = lambda: optimize.minimize(lambda x: (x[0] - 1.0) ** power, [0.3])
    slope = grad(checkpoint(lambda u: u * found().x[0] + u * found().hess_inv[0, 0]))(2.0)
    np.testing.assert_allclose(slope, found().x[0] + found().hess_inv[0, 0], rtol=1e-6)
