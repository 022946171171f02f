"""Programs take the short ways that are there for them; that these agree with the general one is tested elsewhere."""

import numpy as np
import pytest
from scipy import special

from autodiff import grad, nn
from autodiff.calls import captured
from autodiff.scipy.special import logsumexp
from autodiff.tape import fast_paths, sweep
from dualnumbers.rules import short_axes
from dualnumbers.rules.elementwise import exponential
from dualnumbers.rules.statistics import logarithmic_sums

RNG = np.random.default_rng(0)
LARGE, SMALL, MATRIX = RNG.uniform(1.0, 2.0, 50_000), RNG.uniform(1.0, 2.0, 10), RNG.uniform(1.0, 2.0, (400, 300))
POINTS, CENTRES = RNG.normal(size=(3000, 1, 2)), RNG.normal(size=(1, 5, 2))
CLASSES = RNG.integers(0, 300, 400)


def loop(x):
    for _ in range(5):
        x = x * x - 0.5 / x
    return x


@pytest.fixture
def calls(monkeypatch):
    """Note what a function returns, from now on: a function of a module and its name, which returns the list."""

    def noted(module, name):
        found, function = [], getattr(module, name)

        def called(*arguments, **keywords):
            found.append(function(*arguments, **keywords))
            return found[-1]

        monkeypatch.setattr(module, name, called)
        return found

    return noted


TAKEN = {
    "a large elementwise line": (lambda x: np.sum(np.sin(x) / x), LARGE, sweep, "pull_elements"),
    "the extrema of many": (lambda x: np.sum(np.max(x, 1)), MATRIX, sweep, "add_few"),
    "a product of matrices": (lambda x: np.sum(x @ x.T), MATRIX, sweep, "add_factors"),
    "an element": (lambda x: x[1] * x[2], SMALL, sweep, "add_part"),
    "a sum of exponentials": (lambda x: np.sum(logsumexp(x, 1)), MATRIX, logarithmic_sums, "_pull_by_terms"),
    "the normal density": (lambda x: np.sum(special.erf(x)), LARGE, exponential, "_of_blocks"),
}

NOT_TAKEN = {
    "numbers have a sweep of their own": (loop, 1.5, sweep, "_sweep"),
    "operators append to the tape themselves": (
        lambda x: np.sum(1.0 / x - np.sin(2.0 * x) * SMALL + x**2 / 3.0), SMALL, fast_paths, "record_line"),
    "functions do": (lambda x: np.sum(np.exp(x) @ x.T) + np.mean(np.maximum(x, 0)), MATRIX, fast_paths, "record_line"),
    "exponentials are taken once": (
        lambda x: np.sum(logsumexp(x, 1)) + nn.cross_entropy(x, CLASSES), MATRIX, logarithmic_sums, "exp"),
    "a small argument is copied": (lambda x: np.sum(x * x), np.ones(1 << 19), captured, "checksum"),
}  # fmt: skip


@pytest.mark.parametrize(("f", "x", "module", "name"), TAKEN.values(), ids=TAKEN)
def test_a_short_way_is_taken(f, x, module, name, calls):
    found = calls(module, name)
    grad(f)(x)
    assert found


@pytest.mark.parametrize(("f", "x", "module", "name"), NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_a_long_way_is_not_taken(f, x, module, name, calls):
    found = calls(module, name)
    grad(f)(x)
    assert not found


def test_a_larger_argument_is_summed_at_both_ends(calls):
    sums = calls(captured, "checksum")
    grad(lambda x: np.sum(x * x))(np.ones((1 << 19) + 1))
    assert len(sums) == 2
    assert sums[0] == sums[1]


def test_a_captured_array_is_copied_once_for_all_gradients(calls):
    copies, slope = calls(captured, "_copied"), grad(lambda x: np.sum(MATRIX @ x))
    for _ in range(3):
        slope(np.ones(300))
    assert len(copies) == 3
    assert copies[0] is copies[1] is copies[2]


def test_arithmetic_along_short_axes_repeats_rows_and_sums_by_columns(calls):
    repeats, shorts = calls(short_axes, "_repeats"), calls(short_axes, "_is_short")
    grad(lambda c: np.sum(np.min(np.sum((POINTS - c) ** 2, 2), 1)))(CENTRES)
    assert any(repeats)
    assert any(shorts)
