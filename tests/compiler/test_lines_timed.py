"""``profile=True``: the time of each line of the user's code, in machine code and in what is left to Python."""

import numpy as np
import pytest

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten

X = np.random.default_rng(0).normal(size=50_000)


def loss(x):
    y = np.tanh(np.exp(np.sin(x))) * np.log1p(x * x)
    z = np.sort(x)
    return np.sum(y) + z[0]


def of(compiled):
    """The seconds by the text of the line."""
    (path,) = compiled.stats()[0]["paths"]
    return {name.split(": ")[-1]: seconds for name, seconds in path["lines of code"].items()}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("f", [loss, grad(loss), value_and_grad(loss)], ids=["value", "gradient", "both"])
def test_seconds_by_line(f, exact):
    """They grow from call to call; each line that computes has some; the results are what they are without."""
    compiled = jit(f, exact=exact, profile=True)
    first, expected = compiled(X), jit(f, exact=exact)(X)
    before = of(compiled)
    for _ in range(3):
        found = compiled(X)
    after = of(compiled)
    for result in (first, found):
        for one, other in zip(flatten(result)[0], flatten(expected)[0], strict=True):
            np.testing.assert_array_equal(one, other)
    texts = ["y = np.tanh(np.exp(np.sin(x))) * np.log1p(x * x)", "z = np.sort(x)"]
    assert texts[0] in after
    assert all(after[text] > before[text] for text in texts if text in before)
    assert list(after.values()) == sorted(after.values(), reverse=True)
    if f is loss:
        assert set(texts) <= set(after)


def test_a_sweep_is_for_the_lines_that_it_goes_back_over():
    pytest.importorskip("llvmlite")
    compiled = jit(grad(loss), profile=True)
    for _ in range(3):
        compiled(X)
    found = of(compiled)
    assert found.pop("(no line of code)", 0.0) < 0.1 * sum(found.values())
    assert set(found) == {"y = np.tanh(np.exp(np.sin(x))) * np.log1p(x * x)", "z = np.sort(x)"}


def test_without_it_nothing_is_timed():
    compiled = jit(loss)
    compiled(X)
    assert "lines of code" not in compiled.stats()[0]["paths"][0]
    assert "perf_counter" not in compiled.program(X)
