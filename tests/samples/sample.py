"""What a sample call is, and arrays to call functions with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from pkgutil import resolve_name
from typing import Any

import numpy as np
import scipy


@dataclass(frozen=True)
class Sample:
    """A function of arrays that calls a row or composition, and the arrays.

    ``smooth``: differences tell its derivative there (not at a tie). ``unreal``: it takes complex arrays too.
    ``condition``: by how much it magnifies rounding. ``exact``: its value is NumPy's to the last bit. ``peer``: the
    same call of SciPy's own function, where ``f`` calls a counterpart. ``step``: that of differences, longer where
    the rounding of values hides more than that of the derivative.
    """

    f: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]
    text: str = ""
    smooth: bool = True
    unreal: bool = True
    condition: float = 1.0
    exact: bool = True
    peer: Callable[..., Any] | None = None
    step: float = 1e-3


def of_scipy(module: str, call: Callable[..., Any], arrays: tuple[np.ndarray, ...], text: str, **more: Any) -> Sample:
    """A sample of ``autodiff.scipy.<module>``: ``call(module, *arrays)`` works with SciPy's module as well."""
    ours, theirs = import_module(f"autodiff.scipy.{module}"), import_module(f"scipy.{module}")
    return Sample(partial(call, ours), arrays, text, peer=partial(call, theirs), **more)


def scipy_is(*version: int) -> bool:
    """Whether SciPy is of this version or a later one: older ones lack some calls, and have faults."""
    return tuple(map(int, scipy.__version__.split(".")[:2])) >= version


def exists(name: str) -> bool:
    """Whether this version of NumPy has the function: ``np.matvec`` came with 2.2."""
    try:
        return callable(resolve_name(name.replace("np.", "numpy.", 1)))
    except AttributeError:
        return False


ENTRIES: dict[str, Callable[[str], Iterator[Sample]]] = {}


def entry(*names: str) -> Callable[[Any], Any]:
    """Decorator: a generator of samples of these rows or compositions, given the name; several of one name add up."""

    def register(generator: Callable[[str], Iterator[Sample]]) -> Any:
        for name in names:
            if not name.startswith("np.") or exists(name):
                ENTRIES[name] = _after(ENTRIES[name], generator) if name in ENTRIES else generator
        return generator

    return register


def _after(
    first: Callable[[str], Iterator[Sample]], second: Callable[[str], Iterator[Sample]]
) -> Callable[[str], Iterator[Sample]]:
    return lambda name: chain(first(name), second(name))


def samples(name: str) -> list[Sample]:
    """The samples of a row or composition."""
    return list(ENTRIES[name](name)) if name in ENTRIES else []


def values(*shape: int, seed: int = 0) -> np.ndarray:
    """An array of numbers of both signs, always the same ones."""
    return np.asarray(np.random.default_rng([seed, *shape]).normal(size=shape))


def apart(*shape: int) -> np.ndarray:
    """An array of numbers that differ from one another by far more than the step of a difference."""
    size = int(np.prod(shape))
    return np.random.default_rng(size).permutation(size).reshape(shape) * 0.37 - 1.03


def matrices(*shape: int, seed: int = 0) -> np.ndarray:
    """Well-conditioned matrices."""
    return values(*shape, seed=seed) + 3.0 * np.eye(shape[-1])
