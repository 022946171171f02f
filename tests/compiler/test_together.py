"""Threads of Python: while machine code runs for long, others go on, in the same function as well."""

import os
import threading
from time import perf_counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from autodiff import grad, jit, value_and_grad

pytest.importorskip("llvmlite")

X = np.random.default_rng(0).normal(size=300_000)


def loss(x):
    """A sum, whose gradient needs memory for what is in between."""
    y = np.exp(np.sin(x)) * np.tanh(x)
    return np.sum(y[1:] * y[:-1]) / np.sum(np.cos(y))


def test_others_go_on_while_machine_code_runs():
    """Another thread notes the time: within a call, where it could not if that kept Python's lock."""
    compiled, noted, stop = jit(grad(loss)), [], threading.Event()
    x = np.tile(X, 10)
    compiled(x)

    def note():
        while not stop.is_set():
            noted.append(perf_counter())

    thread = threading.Thread(target=note)
    thread.start()
    try:
        for _ in range(20):
            start = perf_counter()
            compiled(x)
            end = perf_counter()
            margin = 0.2 * (end - start)
            if any(start + margin < time < end - margin for time in noted):
                break
        else:
            pytest.fail("no other thread ran while machine code did")
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("f", [loss, grad(loss)], ids=["value", "gradient"])
def test_calls_of_one_function_at_a_time(f):
    """Each has memory of its own."""
    compiled, found = jit(f), dict[int, list]()
    expected = [compiled(X * (k + 1)) for k in range(4)]

    def call(k):
        found[k] = [compiled(X * (k + 1)) for _ in range(20)]

    threads = [threading.Thread(target=call, args=[k]) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, results in found.items():
        for result in results:
            assert_array_equal(result, expected[k])


def test_a_long_call_that_goes_another_way():
    """A guard that fails, and a function of Python's that raises, are told after the lock is taken again."""

    def f(x):
        y = np.sin(x) * np.exp(x)
        return y * 2.0 if np.sum(y * y) > 0.0 else y + 1.0

    compiled = jit(f)
    for x in (X, X * 0.0, X, X * np.nan, X):
        np.testing.assert_allclose(compiled(x), f(x), rtol=1e-13)


# --------------------------------------------------------------------------------------- loops shared among threads

M = np.random.default_rng(1).normal(size=(300, 700))

LARGE = {
    "sum": (lambda x: np.sum(np.exp(np.sin(x)) * np.tanh(x)), X),
    "neighbours": (lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 * np.exp(-x[1:])), X),
    "maximum": (lambda x: np.max(np.sin(x) * x) + np.min(np.cos(x)), X),
    "rows": (lambda m: np.sum(np.exp(-m * m) * np.sum(m, axis=0)) + np.sum(np.sin(m)), M),
    "columns": (lambda m: np.sum(np.tanh(np.sum(np.sin(m), axis=1)) * np.exp(m[:, 0])), M),
    "places": (lambda x: np.sum(np.exp(x[PLACES]) * np.sin(x)), X),
    "single": (lambda x: np.sum(np.exp(np.sin(x)) * x), X.astype(np.float32)),
    "question": (lambda x: np.sum(np.sin(x)) if np.any(np.cos(x) > 2.0) else np.sum(np.cos(x) * x), X),
}
PLACES = np.random.default_rng(2).integers(0, X.size, X.size)


def kernels(compiled):
    """The kernels of the machine code of a function's programs."""
    from autodiff.compiler.native.kernels.arranging import Arrangement

    blocks = (block for form in compiled._programs.forms.values() for path in form.paths
              for block in path.source.native.parts.blocks.values())  # fmt: skip
    return [
        kernel
        for block in blocks
        for kernel in Arrangement(block, list(block.results.values()), {}, may_share=True).kernels
    ]


@pytest.mark.parametrize("name", LARGE)
def test_any_number_of_threads_gives_the_same(name):
    f, x = LARGE[name]
    both = value_and_grad(f)
    found = []
    for threads in (1, 2, 5):
        compiled = jit(both, threads=threads)
        found += [compiled(x) for _ in range(3)]
    assert any(kernel.is_shared for kernel in kernels(compiled))
    for value, gradient in found:
        assert value == found[0][0]
        assert_array_equal(gradient, found[0][1])
    near = 1e-4 if x.dtype == np.float32 else 1e-11
    value, gradient = both(x)
    np.testing.assert_allclose(found[0][0], value, rtol=near)
    np.testing.assert_allclose(found[0][1], gradient, rtol=near, atol=near * np.max(np.abs(gradient)))


def test_calls_at_a_time_share_the_threads():
    """Who finds them busy runs its pieces alone."""
    compiled, found = jit(grad(loss), threads=3), dict[int, list]()
    expected = [compiled(X * (k + 1)) for k in range(3)]

    def call(k):
        found[k] = [compiled(X * (k + 1)) for _ in range(10)]

    threads = [threading.Thread(target=call, args=[k]) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, results in found.items():
        for result in results:
            assert_array_equal(result, expected[k])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes of this kind")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_process_has_no_threads_of_its_parent():
    compiled = jit(grad(loss), threads=2)
    expected = compiled(X)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(compiled(X), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_how_many_threads(count):
    with pytest.raises(ValueError, match="threads is a whole number of at least 1"):
        jit(loss, threads=count)
