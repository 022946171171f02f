"""Losses that travel to other processes by their names, and what they are summed over."""

import os
import signal
import sys
import threading
import time
from typing import NamedTuple

import numpy as np

from autodiff import nn

RANDOM = np.random.default_rng(0)
PARTS = [(RANDOM.normal(size=(10 + k, 3)), np.sign(RANDOM.normal(size=10 + k))) for k in range(21)]
POINT, ALONG = RANDOM.normal(size=3), RANDOM.normal(size=3)


class Named(NamedTuple):
    """Data with a name."""

    data: np.ndarray
    name: str


def logistic(w, part):
    """Minus the log-likelihood of labels ±1."""
    x, y = part
    return np.sum(np.log1p(np.exp(-y * (x @ w))))


def slow(w, part):
    time.sleep(0.1)
    return logistic(w, part)


def by_hand(w):
    """The loss over all parts, its gradient and its Hessian, as a textbook has them."""
    x, y = map(np.concatenate, zip(*PARTS, strict=True))
    p = 1.0 / (1.0 + np.exp(y * (x @ w)))
    return np.sum(np.log1p(np.exp(-y * (x @ w)))), -x.T @ (y * p), (x.T * (p * (1.0 - p))) @ x


def scores(w, x):
    return x @ w


def squares(z, x):
    return np.sum(np.cos(z) ** 2)


def raising(w, part):
    if len(part[1]) == 15:
        raise KeyError("no column")
    return logistic(w, part)


def raising_above(w, part):
    if len(part[1]) == 17 and w[0] > 50.0:
        raise ValueError("above")
    return logistic(w, part)


class OddError(Exception):
    """One that cannot travel."""

    def __init__(self, first, second):
        super().__init__("odd")
        self.lock = threading.Lock()


def odd(w, part):
    raise OddError(1, 2)


def exiting(w, part):
    sys.exit(3)


def writing(w, part):
    """The loss, which keeps its data on a disk that is full."""
    with open("/dev/full", "wb", buffering=0) as file:  # noqa: PTH123 - recorded, so no object of its own
        file.write(part[0].tobytes())
    return logistic(w, part)


def deadly(w, part):
    if len(part[1]) == 15:
        os.kill(os.getpid(), signal.SIGKILL)
    return logistic(w, part)


def ending(w, part):
    """The loss, whose process ends at one part without a word."""
    if len(part[1]) == 15:
        os._exit(3)
    return logistic(w, part)


def part_of(w, k):
    """The squares of the k-th of 24 parts of many parameters."""
    return np.sum(w[k::24] ** 2)


def counted(w, part):
    """The loss, which notes in a file that it was run, and by whom."""
    path, data = part
    with open(path, "a", encoding="ascii") as file:  # noqa: PTH123 - recorded, so no object of its own
        file.write(f"{os.getpid()}\n")
    return np.sum(np.sin(data * w))


def trained(rate, seed, client=None):
    """The curves and the parameters of a small network."""
    x, y = map(np.concatenate, zip(*PARTS, strict=True))
    net = nn.Sequential(nn.Linear(3, 4, rng=seed), nn.Tanh(), nn.Linear(4, 2, rng=seed + 1))
    adam = nn.Adam(net.parameters(), lr=rate)
    curves = nn.fit(net, nn.cross_entropy, adam, x, (y > 0).astype(int), 2, batch_size=100, rng=seed, client=client)
    return curves, {path: values.tobytes() for path, values in net.state_dict().items()}
