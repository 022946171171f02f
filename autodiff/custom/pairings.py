"""Pairings, ⟨ḡ, ż⟩ = ⟨x̄, ẋ⟩: by them a push-forward and a pull-back are held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like, is_foreign
from dualnumbers.forms import dtype_of, shape, size, zeros_like
from dualnumbers.levels import is_number, read
from dualnumbers.numbers.batch import MembersNumber


def differ(
    g: Sequence[Any], pushed: Sequence[Any], tangents: Sequence[Any], pulled: Sequence[Any], small: float
) -> bool:
    """Return whether ⟨ḡ, ż⟩ and ⟨x̄, ẋ⟩ differ, beside their terms."""
    along = [np.real(np.conj(h) * z) for h, z in zip(g, pushed, strict=True) if z is not None]
    back = [np.real(np.conj(read(a)) * t) for a, t in zip(pulled, tangents, strict=True) if a is not None]
    terms = sum(np.sum(np.abs(x)) for x in (*along, *back))
    return bool(abs(sum(map(np.sum, along)) - sum(map(np.sum, back))) > small * terms)


def is_known(x: Any) -> bool:
    """Return whether the plain value under every level is there: one, and in NumPy's memory."""
    while is_number(type(x)):
        if isinstance(x, MembersNumber):
            return False
        x = x.primal
    return not is_foreign(type(x))


def direction_of(k: int, x: Any) -> Any:
    """Return a direction of the form of x, another one for each k; a zero where x has none."""
    return some_direction(k, x) if dtype_of(x).kind in "fc" else zeros_like(x)


def some_direction(k: int, x: Any) -> Any:
    """Return a direction of the shape and type of x, another one for each k."""
    kind = np.result_type(dtype_of(x), np.float16)
    angles = (1.0 + 0.1 * k + np.arange(size(x))).reshape(shape(x))
    return as_like((np.exp(1j * angles) if kind.kind == "c" else np.cos(angles)).astype(kind)[()], x)
