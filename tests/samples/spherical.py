"""Spherical Bessel functions of ``scipy.special``."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

ORDERS = [(2, (3,)), (np.array([[0], [1]]), (2,)), (0, ()), (1, (0,)), (np.arange(3), (2, 1))]


@entry(*(f"scipy.special.spherical_{kind}n" for kind in "jyik"))
def _spherical(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for (n, shape), slope in itertools.product(ORDERS, (False, True)):
        yield of_scipy("special", lambda s, z, n=n, slope=slope: getattr(s, short)(n, z, slope),
                       (np.asarray(1.5 + abs(values(*shape))),), f"{n}, {shape}, {slope}", condition=4)  # fmt: skip
    yield of_scipy("special", lambda s, z: getattr(s, short)(n=1, z=z, derivative=True), (np.array([-2.0, 0.7]),),
                   "by name, negative", unreal=False)  # fmt: skip
