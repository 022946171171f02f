"""Functions of integers and truth values: each is multiplied by its argument, so that there is a derivative."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, apart, entry, values


@entry("bitwise_and", "bitwise_or", "bitwise_xor")
def _masks(name: str) -> Iterator[Sample]:
    combine = getattr(np, name)
    yield Sample(lambda x: combine(x > 0, x < 1) * x, (values(2, 3),), unreal=False)


@entry("invert")
def _invert(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: ~(x > 0) * x, (values(2, 3),), unreal=False)


@entry("left_shift", "right_shift", "gcd", "lcm")
def _whole(name: str) -> Iterator[Sample]:
    combine = getattr(np, name)
    yield Sample(lambda x: combine(np.argsort(x), 2) * x, (apart(3),), unreal=False)
    yield Sample(lambda x: combine(2, np.argmax(x, axis=0)) * x, (apart(3),), unreal=False)


@entry("bitwise_count")
def _bits(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.bitwise_count(np.argsort(x)) * x, (apart(3),), unreal=False)
