"""Threads of Python: while machine code runs for long, others go on, in the same function as well."""

import threading
from time import perf_counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from autodiff import grad, jit

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
