"""Large arrays are gone through slice by slice where nothing needs another slice: less memory, the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("llvmlite")

from autodiff import grad, jit
from autodiff.compiler.native.savings import slicing

K, N, D = 20, 1000, 16
RNG = np.random.default_rng(0)
POINTS, MEANS, FACTORS = RNG.normal(size=(N, D)), RNG.normal(size=(K, D)), RNG.normal(size=(K, D, D))
ARRAY = K * N * D * 8
"""The bytes of an array of all points for all components."""


def mixture(means, factors):
    """A mixture's likelihood, through the logarithm of a sum of exponentials over the components."""
    white = np.matmul(POINTS[None] - means[:, None], factors)
    terms = -0.5 * np.sum(white * white, 2)
    highest = np.max(terms, 0)
    return np.sum(np.log(np.sum(np.exp(terms - highest), 0)) + highest)


def compiled(f, *arguments):
    """What a compiled function gives at second call, and the memory for what is in between."""
    call = jit(f)
    call(*arguments)
    found = call(*arguments)
    ((path,),) = [signature["paths"] for signature in call.stats()]
    return found, path["bytes"]


def assert_all_near(found, expected):
    for x, y in zip(found, expected, strict=True):
        assert_allclose(x, y, rtol=1e-10, atol=1e-10 * np.max(np.abs(y)))


def test_a_mixture_keeps_one_array_from_its_run_to_its_sweep():
    slopes = grad(mixture, (0, 1))
    found, size = compiled(slopes, MEANS, FACTORS)
    assert_all_near(found, slopes(MEANS, FACTORS))
    assert ARRAY < size < 2 * ARRAY


def test_without_slices_it_keeps_several(monkeypatch):
    monkeypatch.setattr(slicing, "CACHED", 1 << 40)
    slopes = grad(mixture, (0, 1))
    found, size = compiled(slopes, MEANS, FACTORS)
    assert_all_near(found, slopes(MEANS, FACTORS))
    assert size > 3 * ARRAY


def of_neighbours(means, factors):
    """Products with differences of neighbouring slices, which are another round's."""
    white = np.matmul(POINTS[None] - means[:, None], factors)
    apart = white[1:] - white[:-1]
    return np.sum(np.sum(apart * apart, 2) ** 2)


def backward(means, factors):
    """Sums along the first axis, of slices in the other order."""
    white = np.matmul(POINTS[None] - means[:, None], factors)
    total = np.cumsum(white[::-1], 0)
    return np.sum(np.sum(total * white, 2) ** 2)


def written(means, factors):
    """Slices that are written one by one, one of them twice."""
    white = np.matmul(POINTS[None] - means[:, None], factors)
    white[2] = white[1] * np.sum(white[3], 1)[:, None]
    white[4] += np.sum(white, 0)
    return np.sum(np.sum(white * white, 2) ** 2)


def of_halves(means, factors):
    """A product of slices with those of the other half."""
    white = np.matmul(POINTS[None] - means[:, None], factors)
    both = np.sum(white[: K // 2] * white[K // 2 :], 2)
    return np.sum(np.sin(both)[:, :, None] * white[: K // 2])


@pytest.mark.parametrize("f", [of_neighbours, backward, written, of_halves])
def test_what_other_slices_give_is_there(f):
    slopes = grad(f, (0, 1))
    found, _ = compiled(slopes, MEANS, FACTORS)
    assert_all_near(found, slopes(MEANS, FACTORS))


def test_two_threads_give_the_same():
    one, two = (jit(grad(mixture, (0, 1)), threads=n)(MEANS, FACTORS) for n in (1, 2))
    for x, y in zip(one, two, strict=True):
        assert np.array_equal(x, y)


def test_a_sum_of_all_slices_has_its_digits():
    """It is joined by parts, not slice by slice, by which 20,000 roundings add up."""

    def f(x):
        y = np.exp(x)
        apart = y - np.mean(y, 1, keepdims=True)
        return np.sum(apart * apart)

    x = np.random.default_rng(1).random((20_000, 512)).astype(np.float32)
    total, _ = compiled(f, x)
    assert total == pytest.approx(f(x.astype(float)), rel=1e-7)
