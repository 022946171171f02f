"""Functions of NumPy that act element by element but are no ufuncs."""

import itertools
from collections.abc import Iterator

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, apart, entry, values

SHAPES = [(), (1,), (0,), (2, 3)]


@entry("np.clip")
def _clip(name: str) -> Iterator[Sample]:
    for shape in SHAPES:
        yield Sample(lambda x: np.clip(x, -0.5, 0.4), (apart(*shape),), f"{shape}", unreal=False)
    for low, high in itertools.product((None, -0.5, np.array([-0.6, 0.1, 0.3])), (None, 0.4, np.array([[0.3], [0.6]]))):
        yield Sample(
            lambda x, low=low, high=high: np.clip(x, low, high) * x, (apart(2, 3),), f"{low}, {high}", unreal=False
        )
        yield Sample(lambda x, low=low, high=high: np.clip(x, min=low, max=high) * x, (apart(2, 3),),
                     f"min={low}, max={high}", unreal=False)  # fmt: skip
    yield Sample(np.clip, (apart(2, 3), apart(3) - 0.35, apart(2, 1) + 0.85), "three arrays", unreal=False)
    yield Sample(lambda x, a: np.clip(0.2, a, 3.0) * x, (values(3), apart(3)), "of a constant", unreal=False)
    yield Sample(lambda x: x.clip(-0.5, max=0.4) * x.clip(0.1), (apart(2, 3),), "method", unreal=False)


@entry("nan_to_num")
def _nan_to_num(name: str) -> Iterator[Sample]:
    for shape in SHAPES:
        yield Sample(lambda x: np.nan_to_num(x) * x, (values(*shape),), f"{shape}")
    holes = np.array([np.nan, 0.0, np.inf, 0.0])
    yield Sample(lambda x: np.nan_to_num(x + holes, nan=3.0, posinf=2.0), (values(4),), "replaced", smooth=False)
    yield Sample(lambda x: np.nan_to_num(x - holes, neginf=-2.0), (values(4),), "−∞", smooth=False)


@entry("modulus", "modulus_of_python")
def _modulus(name: str) -> Iterator[Sample]:
    take = abs if name == "modulus_of_python" else np.abs
    for shape in SHAPES:
        yield Sample(lambda x, y: take(x + 1j * y), (values(*shape), values(*shape, seed=1)), f"{shape}")


@entry("direction")
def _direction(name: str) -> Iterator[Sample]:
    for shape in SHAPES:
        yield Sample(
            lambda x, y: np.sign(x + 1j * y), (values(*shape), values(*shape, seed=1)), f"{shape}", unreal=False
        )


@entry("angle_of_real")
def _angle_of_real(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.angle(x) * x, (values(2, 3),), unreal=False)


@entry("mantissa_scale")
def _mantissa_scale(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: TABLE["mantissa_scale"](x) * x, (values(2, 3),), unreal=False)


@entry("np.angle")
def _angle(name: str) -> Iterator[Sample]:
    for shape, deg in itertools.product(SHAPES, (False, True)):
        arrays = (values(*shape), values(*shape, seed=1))
        yield Sample(lambda x, y, deg=deg: np.angle(x + 1j * y, deg=deg), arrays, f"{shape}, deg={deg}", unreal=False,
                     condition=8)  # fmt: skip


@entry("np.real_if_close")
def _real_if_close(name: str) -> Iterator[Sample]:
    yield Sample(np.real_if_close, (values(2, 3),), "real")
    yield Sample(lambda x: np.real_if_close(x + 1e-16j), (values(3),), "close", unreal=False)
    yield Sample(lambda x: np.real_if_close(x * 1j), (values(3),), "not close")
    yield Sample(lambda x: np.real_if_close(x + 1e-3j, tol=0.5), (values(3),), "tolerance", unreal=False)


def _emath(name: str) -> Iterator[Sample]:
    emath = getattr(np.emath, name.rpartition(".")[2])
    function = lambda x: emath(x) * x
    for shape in SHAPES:
        yield Sample(function, (0.6 * np.cos(values(*shape)),), f"{shape}, real")
        yield Sample(function, (1.7 + apart(*shape) ** 2,), f"{shape}, above 1", condition=8)
        yield Sample(function, (-1.7 - apart(*shape) ** 2,), f"{shape}, below −1", condition=8, unreal=False)
    yield Sample(function, (np.array([-1.3, 0.4, 2.3]),), "mixed", condition=8, unreal=False)


for _name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"):
    entry(f"np.lib.scimath.{_name}")(_emath)


@entry("np.lib.scimath.logn")
def _logn(name: str) -> Iterator[Sample]:
    yield Sample(np.emath.logn, (1.5 + values(3) ** 2, np.array([-1.3, 0.4, 2.3])), unreal=False)


@entry("np.lib.scimath.power")
def _power(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.emath.power(x, 1.5), (np.array([-1.3, 0.4, 2.3]),), unreal=False)
    yield Sample(lambda x: np.emath.power(x, 2), (np.array([1.3, 0.4, 2.3]),), "real")
