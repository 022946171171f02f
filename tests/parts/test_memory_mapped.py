"""Arrays in files that are mapped to memory: a gradient takes them chunk by chunk, in the memory of one."""

import tracemalloc

import numpy as np
import pytest

from autodiff import grad, hvp, value_and_grad
from autodiff.distributed import summed

ROWS, COLUMNS, CHUNK = 100_000, 20, 5_000
W = np.linspace(-0.1, 0.2, COLUMNS)


def loss(w, part):
    x, y = part
    return np.sum(np.log1p(np.exp(-y * (x @ w))))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The array in a file, which cannot be written to, and labels."""
    path = tmp_path_factory.mktemp("mapped") / "x.npy"
    np.save(path, np.random.default_rng(0).normal(size=(ROWS, COLUMNS)))
    x = np.load(path, mmap_mode="r")
    return x, np.sign(x[:, 0] + 0.1)


def total(x, y):
    return summed(loss, [(x[k : k + CHUNK], y[k : k + CHUNK]) for k in range(0, ROWS, CHUNK)])


@pytest.mark.parametrize("derivative", ["gradient", "product"])
def test_a_derivative_needs_the_memory_of_a_chunk(data, derivative):
    f = total(*data)
    call = {"gradient": lambda: value_and_grad(f)(W)[1], "product": lambda: hvp(f)(W, np.cos(W))}[derivative]
    call()
    tracemalloc.start()
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * data[0].nbytes * CHUNK / ROWS


def test_it_is_the_derivative_at_the_whole_array(data):
    whole = np.array(data[0]), data[1]
    np.testing.assert_allclose(grad(total(*data))(W), grad(lambda w: loss(w, whole))(W), 1e-10)
    np.testing.assert_allclose(hvp(total(*data))(W, W), hvp(lambda w: loss(w, whole))(W, W), 1e-10)
