"""Calls that go straight to machine code: what is called is what the function gives, for whatever arguments."""

import gc
import inspect
import threading
import weakref
from types import BuiltinFunctionType, FunctionType

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autodiff import grad, jit

pytest.importorskip("llvmlite")

X = np.array([0.25, -0.5, 0.75])


def test_numbers_and_arrays_are_taken_by_the_builtin_function():
    compiled = jit(lambda x: np.sin(x) * 2.0)
    assert compiled(0.5) == np.sin(0.5) * 2.0
    assert type(compiled.__call__) is BuiltinFunctionType
    for x in (X, 0.25, X[:2], X.astype("f"), X[::-1], np.float64(0.3), 2, X.tolist() and X, np.ones((2, 2)).T, 0.5):
        found, expected = compiled(x), np.sin(x) * 2.0
        assert_allclose(found, expected, rtol=1e-6 if getattr(x, "dtype", None) == "f" else 1e-15)
        assert type(found) is type(expected)
    assert_allclose(compiled(x=X), np.sin(X) * 2.0, rtol=1e-15)


@pytest.mark.parametrize("wrong", [(), (0.5, 0.5)])
def test_wrong_calls_are_the_functions(wrong):
    compiled = jit(lambda x: x * 2.0)
    compiled(0.5)
    with pytest.raises(TypeError, match="argument"):
        compiled(*wrong)
    with pytest.raises(TypeError, match="y"):
        compiled(0.5, y=1.0)
    assert compiled(0.5) == 1.0


def structured(p, x, scale=2, kind="tanh", *, shift=0.0):
    y = np.tanh(p["w"] @ x + p["b"][0]) if kind == "tanh" else p["w"] @ x
    return {"value": np.sum(y) * scale + shift, "parts": (y, [p["b"][1] * y[0]]), "none": None, "one": 1.0}


def alike(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            alike(one, other)
    elif expected is not None:
        assert_allclose(found, expected, rtol=1e-14)


CALLS = [
    lambda p, x: ((p, x), {}),
    lambda p, x: ((p, x, 2), {}),
    lambda p, x: ((p, x, 3), {}),
    lambda p, x: ((p, x, True), {}),
    lambda p, x: ((p, x, 2.5), {}),
    lambda p, x: ((p, x), {"kind": "none"}),
    lambda p, x: ((p, x), {"kind": "tanh", "scale": 3}),
    lambda p, x: ((p, x), {"scale": 3, "kind": "tanh"}),
    lambda p, x: ((p, x), {"shift": 0.5}),
    lambda p, x: (({"b": p["b"], "w": p["w"]}, x), {}),
    lambda p, x: (({**p, "b": tuple(p["b"])}, x), {}),
    lambda p, x: (({**p, "more": 1.0}, x), {}),
    lambda p, x: (({**p, "b": [*p["b"], 1.0]}, x), {}),
    lambda p, x: (({**p, "b": [np.ones(2), 2.0]}, x), {}),
]


def test_structures_are_taken_apart_for_the_builtin_function():
    """In turns, so that each call comes after one of another structure; results are the caller's own."""
    compiled = jit(structured)
    p, x = {"w": np.arange(6.0).reshape(2, 3) / 10, "b": [0.5, 1.5]}, X
    compiled(p, x)
    assert type(compiled.__call__) is FunctionType
    for call in (*CALLS, *reversed(CALLS)):
        args, keywords = call(p, x)
        for times in (1.0, 3.0):
            args = (args[0], args[1] * times, *args[2:])
            alike(compiled(*args, **keywords), structured(*args, **keywords))
    found = compiled(p, x)
    found["parts"][1].append(1.0)
    alike(compiled(p, x), structured(p, x))
    gradient = jit(grad(lambda p, x: structured(p, x)["value"]))
    alike(gradient(p, x), grad(lambda p, x: structured(p, x)["value"])(p, x))
    alike(gradient(p, x * 2), grad(lambda p, x: structured(p, x)["value"])(p, x * 2))


def test_errors_of_the_function_come_through():
    compiled = jit(lambda x: 1.0 / x)
    assert compiled(2.0) == 0.5
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            compiled(0.0)
    assert compiled(4.0) == 0.25


def test_what_is_called_outlives_the_compiled_function():
    call = jit(lambda x: x * 2.0).__call__
    assert [call(0.5), call(X).tolist(), call(0.25)] == [1.0, (X * 2.0).tolist(), 0.5]
    compiled = jit(lambda x: np.exp(x))
    compiled(X)
    call = compiled.__call__
    del compiled
    assert_allclose(call(X), np.exp(X), rtol=1e-15)
    assert_allclose(call(X[:2]), np.exp(X[:2]), rtol=1e-15)


def test_a_compiled_function_is_in_no_cycle():
    compiled = jit(lambda x: x * 2.0)
    compiled(X)
    kept = weakref.ref(compiled)
    gc.disable()
    try:
        del compiled
        assert kept() is None
    finally:
        gc.enable()


def test_its_signature_is_the_functions():
    compiled = jit(structured)
    assert callable(compiled)
    assert inspect.signature(compiled) == inspect.signature(structured)


def test_threads_with_more_forms_than_are_kept():
    """Machine code that one thread runs is dropped by another one."""
    compiled, errors = jit(lambda x: np.exp(x) * x[0]), []

    def work(seed):
        try:
            for k in range(60):
                x = np.linspace(0.1, 1.0, 2 + (k * seed) % 11)
                assert_allclose(compiled(x), np.exp(x) * x[0], rtol=1e-14)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=[seed]) for seed in (1, 3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
