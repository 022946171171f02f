"""Long tapes, threads, exceptions, memory: what a differentiation leaves behind is nothing."""

import contextlib
import gc
import os
import platform
import subprocess
import sys
import threading
import tracemalloc
import weakref
from pathlib import Path

import numpy as np
import pytest

from autodiff import (
    Variable,
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
    record,
    value_and_grad,
    vjp,
)
from autodiff import forward as forward_mode
from autodiff import reverse as reverse_mode
from dualnumbers import DualNumber, dmath

MODES = {"forward": forward_mode.gradient, "reverse": reverse_mode.gradient}
ROOT = Path(__file__).parents[2]
GRADIENTS = pytest.mark.parametrize("gradient_of", MODES.values(), ids=MODES)

# ------------------------------------------------------------------------------------------------ long programs


def chain(x, length):
    """x · cᴺ by alternating operations that keep the value in range."""
    for _ in range(length // 2):
        x = x * 1.0000001
        x = x + 0.0
    return x


@GRADIENTS
def test_a_chain_of_a_million_operations(gradient_of):
    (slope,) = gradient_of(lambda x: chain(x, 1_000_000), [2.0])
    assert slope == pytest.approx(1.0000001**500_000, rel=1e-9)


def test_a_long_chain_needs_no_deep_stack():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        assert gradient(lambda x: chain(x, 20_000), [2.0]) == [pytest.approx(1.0000001**10_000)]
        assert hvp(lambda x: chain(x, 2_000) ** 2)(2.0, 1.0) == pytest.approx(2 * 1.0000001**2_000)
    finally:
        sys.setrecursionlimit(limit)


def test_a_chain_of_views_needs_no_deep_stack():
    def f(x):
        y = x * 1.0
        for _ in range(1_000):
            y = y[::-1]
        y[0] = 5.0
        return np.sum(y * y)

    x = np.array([1.0, 2.0, 3.0])
    assert gradient(f, [x])[0].tolist() == forward_mode.gradient(f, [x])[0].tolist() == [0.0, 4.0, 6.0]


def test_reading_elements_in_a_loop_takes_linear_time():
    """Work counted in lines and elements, not seconds: each element is read once, the adjoint is one array."""
    x = np.ones(20_000)
    tape, _ = record(lambda x: sum(x[k] for k in range(len(x))), [x])
    assert len(tape) < 2 * len(x) + 10
    np.testing.assert_array_equal(gradient(lambda x: sum(x[k] * k for k in range(len(x))), [x])[0], np.arange(20_000.0))


# ------------------------------------------------------------------------------------------------ threads


@pytest.mark.usefixtures("often")
def test_eight_threads_at_once():
    """Each differentiates its own nested program; one shared counter of levels would mix them up."""
    start = threading.Barrier(8)
    found: dict[int, list[object]] = {}

    def work(k):
        a = float(k + 1)
        start.wait()
        results = []
        for _ in range(60):
            results.append(
                (
                    derivative(lambda x: x * derivative(lambda y: x * y * a, 0, [1.0]), 0, [2.0]),
                    gradient(lambda x: x * gradient(lambda y: x * y * a, [1.0])[0], [2.0])[0],
                    grad(lambda x: derivative(lambda y: dmath.exp(a * y) * x, 0, [0.0]))(3.0),
                    hessian(lambda x: np.sum(a * x**3))(np.array([1.0, 2.0])).tolist(),
                    jacfwd(jacrev(lambda x: a * x**2))(1.5),
                    (DualNumber(a, 1.0) ** 2).dual,
                )
            )
        found[k] = results

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        a = k + 1.0
        expected = (4 * a, 4 * a, a, [[6 * a, 0.0], [0.0, 12 * a]], 2 * a, 2 * a)
        assert found[k] == [expected] * 60


# ------------------------------------------------------------------------------------------------ interruptions


@GRADIENTS
def test_generators_are_programs_too(gradient_of):
    def terms(x):
        term = 1.0
        while True:
            yield term
            term = term * x

    def f(x):
        return sum(term for term, _ in zip(terms(x), range(5), strict=False))

    assert gradient_of(f, [2.0]) == [1 + 2 * 2 + 3 * 4 + 4 * 8]


@pytest.mark.parametrize("second", MODES)
@pytest.mark.parametrize("first", MODES)
def test_a_generator_that_runs_on_after_its_differentiation(first, second):
    running = []

    def f(x):
        def powers():
            y = x
            while True:
                yield y
                y = y * x

        running.append(powers())
        return next(running[0])

    assert MODES[first](f, [3.0]) == [1.0]
    with pytest.raises(RuntimeError, match="outlived"):
        MODES[second](lambda y: y * next(running[0]), [2.0])


@GRADIENTS
def test_interleaved_differentiations(gradient_of):
    """Two differentiations that take turns: no stack of levels is popped in the wrong order."""

    def steps(a):
        def f(x):
            y = x * a
            found.append(y)
            return y * x

        found = []
        yield
        slope = gradient_of(f, [2.0])[0]
        yield
        yield slope

    one, other = steps(1.0), steps(10.0)
    for _ in range(2):
        next(one)
        next(other)
    assert (next(one), next(other)) == (4.0, 40.0)


class StopError(Exception):
    """What a user's program raises."""


@GRADIENTS
@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration])
def test_an_exception_passes_through_and_leaves_nothing_behind(error, gradient_of):
    def f(x):
        y = np.exp(x) * x
        gradient_of(lambda z: z * y, [1.0])
        raise error("now")

    for _ in range(3):
        with pytest.raises(error, match="now"):
            gradient_of(f, [2.0])
        with pytest.raises(error, match="now"):
            gradient_of(lambda x: gradient_of(f, [x])[0], [2.0])
        assert gradient_of(lambda x: x * gradient_of(lambda y: x + y, [1.0])[0], [1.0]) == [1.0]


@pytest.mark.parametrize("operator", [jvp, vjp, linearize])
def test_an_exception_in_the_other_operators(operator):
    def f(x):
        raise StopError

    arguments = ([2.0], [1.0]) if operator is jvp else (2.0,)
    with pytest.raises(StopError):
        operator(f, *arguments)
    assert grad(lambda x: x * x)(3.0) == 6.0


@GRADIENTS
def test_an_exception_caught_inside_is_control_flow(gradient_of):
    def f(x):
        try:
            gradient_of(lambda y: [][y > 0], [x])
        except IndexError:
            return x * x
        return x

    assert gradient_of(f, [3.0]) == [6.0]


@GRADIENTS
def test_error_handling_of_numpy_is_left_as_it_was(gradient_of):
    def f(x):
        raise StopError

    with np.errstate(divide="raise", over="ignore"):
        before = np.geterr()
        gradient_of(lambda x: np.sqrt(x) / x, [4.0])
        with pytest.raises(StopError):
            gradient_of(f, [1.0])
        assert np.geterr() == before
        with pytest.raises(FloatingPointError):
            gradient_of(lambda x: np.sum(1.0 / x), [np.zeros(2)])


# ------------------------------------------------------------------------------------------------ memory

SQUARES = np.arange(1.0, 4.0)


def program(x):
    y = np.zeros_like(x)
    y[0] = np.sum(x * x)
    y[1:] = np.sin(x[1:]) * x[0]
    return np.sum(y * np.stack([x[2], x[1], x[0]])) + dmath.exp(x[0])


def aux(x):
    return np.sum(x * x), {"seen": x}


def failing(f):
    with contextlib.suppress(TypeError, ValueError):
        grad(f)(SQUARES)


DIFFERENTIATIONS = {
    "derivative": lambda: derivative(dmath.sin, 0, [0.5]),
    "forward gradient": lambda: forward_mode.gradient(program, [SQUARES]),
    "reverse gradient": lambda: reverse_mode.gradient(program, [SQUARES]),
    "value_and_grad": lambda: value_and_grad(aux, has_aux=True)(SQUARES),
    "jvp": lambda: jvp(program, [SQUARES], [SQUARES]),
    "vjp": lambda: vjp(program, SQUARES)[1](1.0),
    "linearize": lambda: linearize(program, SQUARES)[1](SQUARES),
    "jacobian": lambda: jacobian(lambda x: x * np.sum(x))(SQUARES),
    "hvp": lambda: hvp(program)(SQUARES, SQUARES),
    "reverse over reverse": lambda: grad(lambda x: np.sum(grad(program)(x)))(SQUARES),
    "solve": lambda: grad(lambda x: np.sum(np.linalg.solve(np.outer(x, x) + np.eye(3), x)))(SQUARES),
    "an error": lambda: failing(lambda x: float(x[0]) * x[1]),
    "an exception": lambda: failing(lambda x: np.reshape(x, (7, 7))),
}


@pytest.mark.parametrize("name", DIFFERENTIATIONS)
def test_nothing_waits_for_the_cycle_collector(name):
    differentiate = DIFFERENTIATIONS[name]
    differentiate()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for _ in range(3):
            differentiate()
        gc.collect()
        ours = [x for x in gc.garbage if type(x).__module__.startswith(("autodiff", "dualnumbers"))]
        assert ours == []
        if not name.startswith("an "):  # an exception may hold its frames in a cycle
            assert gc.garbage == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@GRADIENTS
def test_values_are_freed_with_the_call(gradient_of):
    alive = []

    def f(x):
        y = x * 2
        alive.append(weakref.ref(y.primal if hasattr(y, "primal") else y))
        return np.sum(y * y)

    gc.collect()
    gc.disable()
    try:
        gradient_of(f, [SQUARES])
        assert [reference() for reference in alive] == [None] * len(alive)
    finally:
        gc.enable()


def test_a_tape_is_freed_with_its_last_handle():
    gc.collect()
    gc.disable()
    try:
        tape, out = record(program, [SQUARES])
        values = [weakref.ref(value) for value in tape.values if isinstance(value, np.ndarray)]
        assert isinstance(out, Variable)
        assert values
        del tape
        assert all(reference() is not None for reference in values)
        del out
        assert all(reference() is None for reference in values)
    finally:
        gc.enable()


def test_a_pullback_frees_its_tape():
    gc.collect()
    gc.disable()
    try:
        alive = []
        value, pullback = vjp(lambda x: alive.append(weakref.ref((y := x * 2).primal)) or np.sum(y * y), SQUARES)
        assert alive[0]() is not None
        pullback(1.0)
        pullback(1.0)
        del pullback
        assert alive[0]() is None
        assert value == 56.0
    finally:
        gc.enable()


def growth(repeat, count):
    """Bytes in use after ``repeat(count)`` beyond those after a thousand repetitions.

    The collector runs before each reading for the interpreter's own lists of free tuples, which it empties.
    """
    repeat(100)
    tracemalloc.start()
    try:
        repeat(1_000)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        repeat(count)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@GRADIENTS
def test_memory_is_flat_over_ten_thousand_gradients(gradient_of):
    def f(x, y):
        return dmath.sin(x) * y + x**y

    def many(count):
        for _ in range(count):
            gradient_of(f, [0.5, 2.0])

    assert growth(many, 1_000) < 10_000  # lists of free blocks, of some 6 KB, stay
    before = sys.getallocatedblocks()
    many(10_000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 100  # none per gradient


def test_memory_is_flat_over_new_functions_and_nestings():
    """Nothing is kept per function, per level or per shape."""

    def many(count):
        for k in range(count):
            x = np.ones(k % 50 + 1)
            grad(lambda x, k=k: np.sum(np.exp(x) * k))(x)
            derivative(lambda x: derivative(lambda y: x * y**2, 0, [x]), 0, [2.0])
            derivative(lambda x: (x * DualNumber(x, 1.0)).dual * DualNumber(2.0, 1.0), 0, [2.0])

    assert growth(many, 1_000) < 5_000


def faults_of_a_gradient(size, **settings):
    """Count the pages that the third gradient of arrays touches anew, in a process of its own."""
    program = f"""
import numpy as np, resource
from autodiff import grad
x = np.ones({size})
slope = grad(lambda x: np.sum(sum(np.sin(x * k) for k in range(8))))
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    before = faults(); slope(x)
print(faults() - before)
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(found.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="how glibc gives memory back")
def test_arrays_get_the_memory_of_freed_ones():
    """24 arrays of 512 pages, or of 2,048, none of them new; but where the environment says to give memory back."""
    assert faults_of_a_gradient(1 << 18) < 500
    assert faults_of_a_gradient(1 << 20) < 500
    for settings in ({"MALLOC_TRIM_THRESHOLD_": "65536"}, {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=65536"}):
        assert faults_of_a_gradient(1 << 18, **settings) > 500


def test_forward_mode_keeps_no_tape():
    """Its memory does not grow with the length of the program."""

    def peak(length):
        tracemalloc.start()
        try:
            forward_mode.gradient(lambda x: chain(x, length), [2.0])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    assert min(peak(100_000) for _ in range(3)) < peak(100) + 10_000  # other threads of the test run allocate, too


def test_a_chain_takes_bounded_memory_per_line():
    tracemalloc.start()
    try:
        gradient(lambda x: chain(x, 100_000), [2.0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 150 * 100_000  # bytes: 150 MB for 1,000,000 lines
