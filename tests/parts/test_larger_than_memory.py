"""Data of four times a worker's memory limit: value and gradient are right, and the worker stays under its limit.

The data are two blocks in turn, made where they are needed, so that the answers are known from the two.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from autodiff import value_and_grad
from autodiff.distributed import summed

dask = pytest.importorskip("dask", reason="Dask is not installed: the extra dask")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra dask")
da = pytest.importorskip("dask.array")
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a worker's memory so"),
]

LIMIT = 300_000_000
ROWS, COLUMNS = 20_000, 50
TURNS = 4 * LIMIT // (16 * ROWS * COLUMNS) + 1
"""So many pairs of blocks are more than four times the limit."""

BASE = np.cos(np.arange(ROWS * COLUMNS) * 0.37).reshape(ROWS, COLUMNS)
W = np.linspace(-0.02, 0.03, COLUMNS)


def block(k):
    """One of the two blocks."""
    return BASE + k % 2


def labels(k):
    return np.sign(BASE[:, k % 2] + 0.01)


def chunked(make, *shape):
    """An array of Dask of all blocks, each of which is made anew."""
    made = (dask.delayed(make, pure=False)(k) for k in range(2 * TURNS))
    return da.concatenate([da.from_delayed(x, shape, float) for x in made])


def least_squares(w, x, y):
    return np.sum((x @ w - y) ** 2)


def logistic(w, x, y):
    return np.sum(np.logaddexp(0.0, -y * (x @ w)))


def principal(w, x, y):
    return np.sum((x - np.outer(x @ w, w)) ** 2)


def by_hand(name, w, x, y):
    """Value and gradient on one block, as a textbook has them."""
    z = x @ w
    if name == "least squares":
        return np.sum((z - y) ** 2), 2 * x.T @ (z - y)
    if name == "logistic":
        return np.sum(np.log1p(np.exp(-y * z))), -x.T @ (y / (1 + np.exp(y * z)))
    rest = x - np.outer(z, w)
    return np.sum(rest**2), -2 * (x.T @ (rest @ w) + rest.T @ z)


LOSSES = {"least squares": least_squares, "logistic": logistic, "principal axis": principal}


@pytest.fixture(scope="module")
def client():
    quiet = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(memory_limit=LIMIT, **quiet) as cluster, distributed.Client(cluster) as client:
        yield client


def computed(client, *graphs):
    """What graphs give, in bounded time: a worker that is too full pauses."""
    futures = client.compute(graphs)
    distributed.wait(futures, timeout=900)
    return client.gather(futures)


def peak():
    """The worker's number and its largest memory; what `resource` tells counts the process that it was forked from."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return os.getpid(), 1024 * int(status["VmHWM"].split()[0])


@pytest.fixture
def within(client):
    """Holds that the worker did not exceed its limit, and is the one that it was."""
    ((before, _),) = client.run(peak).values()
    yield
    ((after, most),) = client.run(peak).values()
    assert after == before
    assert most < LIMIT


@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_rows(client, within, name):
    x, y = chunked(block, ROWS, COLUMNS), chunked(labels, ROWS)
    assert x.nbytes > 4 * LIMIT
    found = computed(client, *value_and_grad(lambda w: LOSSES[name](w, x, y))(W))
    pairs = [by_hand(name, W, block(k), labels(k)) for k in range(2)]
    for z, expected in zip(found, zip(*pairs, strict=True), strict=True):
        np.testing.assert_allclose(z, TURNS * sum(expected), 1e-9, 1e-7)


def test_parts_that_are_not_kept(client, within):
    parts = [lambda k=k: (block(k), labels(k)) for k in range(2 * TURNS)]
    total = summed(lambda w, part: logistic(w, *part), parts, client, keep=False)
    value, slope = value_and_grad(total)(W)
    values, slopes = zip(*(by_hand("logistic", W, block(k), labels(k)) for k in range(2)), strict=True)
    np.testing.assert_allclose(value, TURNS * sum(values), 1e-9)
    np.testing.assert_allclose(slope, TURNS * sum(slopes), 1e-9, 1e-7)


def convolved(w, x):
    """A convolution by slices, which are shifted against each other."""
    valid = len(x) - len(w) + 1
    return sum(weight * x[k : k + valid] for k, weight in enumerate(w))


def test_a_convolution_by_slices(client, within):
    """Of a signal in blocks: each part has a block and the margin that the kernel needs of the next one."""
    kernel, count = np.array([0.5, -0.2, 0.3]), 4 * LIMIT // BASE.nbytes + 1
    signal = lambda k: block(k).ravel()
    parts = [lambda k=k: np.concatenate([signal(k), signal(k + 1)[:2]]) for k in range(count)]
    total = summed(lambda w, x: np.sum(np.tanh(convolved(w, x))), parts, client, keep=False)
    value, slope = value_and_grad(total)(kernel)
    expected = []
    for turn in range(2):
        x = np.concatenate([signal(turn), signal(turn + 1)[:2]])
        z = np.correlate(x, kernel)
        expected.append((np.sum(np.tanh(z)), np.correlate(x, 1.0 / np.cosh(z) ** 2)))
    times = -(-count // 2), count // 2
    np.testing.assert_allclose(value, sum(n * z for n, (z, _) in zip(times, expected, strict=True)), 1e-9)
    np.testing.assert_allclose(slope, sum(n * z for n, (_, z) in zip(times, expected, strict=True)), 1e-9)
