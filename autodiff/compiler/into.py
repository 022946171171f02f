"""Results that are written into arrays of the caller's, ``out=``: for large ones no new memory is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from itertools import combinations
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.structures import kind_of
from .native.blocks import is_in_order

Pair = tuple[Any, Any]
"""An array that is to be written to, or None; and the result that goes there, or another one of its form."""


def takes_out(f: Callable[..., Any]) -> bool:
    """Return whether a function has a parameter ``out`` of its own."""
    try:
        return isinstance(f, np.ufunc) or "out" in signature(f).parameters
    except (TypeError, ValueError):
        return False


def places(out: Any, like: Any, name: str) -> list[Pair]:
    """Return the leaves of ``out`` beside those of results; TypeError or ValueError where one does not fit."""
    pairs = list(_pairs(out, like, name, "out"))
    for (one, _), (other, _) in combinations(pairs, 2):
        if one is not None and other is not None and np.may_share_memory(one, other):
            raise ValueError(
                f"jit of {name}: two arrays in out share memory: give each result one of its own{user_line()}"
            )
    return pairs


def _pairs(out: Any, like: Any, name: str, where: str) -> Iterator[Pair]:
    kind = kind_of(like)
    if out is not None and kind is not None:
        parts = kind.matched(out, like)
        if parts is None:
            raise TypeError(
                f"jit of {name}: the result is {kind.needed(like)}, and {where} a {type(out).__name__}: "
                f"give one of that structure{user_line()}"
            )
        for own, part, path in zip(parts, kind.parts(like), kind.paths(like), strict=True):
            yield from _pairs(own, part, name, f"{where}{path}")
        return
    if out is not None:
        _check(out, like, name, where)
    yield out, like


def _check(out: Any, like: Any, name: str, where: str) -> None:
    """Raise what tells why a result cannot be written to an array."""
    if not isinstance(out, np.ndarray) or not isinstance(like, (np.ndarray, np.number, np.bool_, float, complex, int)):
        raise TypeError(
            f"jit of {name}: {where} is a {type(out).__name__} for a {type(like).__name__}: give an array, "
            f"or None for a new result{user_line()}"
        )
    form = np.shape(like), np.asarray(like).dtype
    if (out.shape, out.dtype) != form:
        raise ValueError(
            f"jit of {name}: {where} has shape {out.shape} and dtype {out.dtype}: the result needs "
            f"{form[0]} and {form[1]}{user_line()}"
        )
    if not out.flags.writeable:
        raise ValueError(f"jit of {name}: {where} is read-only: give an array that may be written to{user_line()}")


def written(out: Any, found: Any, name: str) -> Any:
    """Write results to where they belong, and return them from there."""
    if out is None:
        return found
    pairs = places(out, found, name)
    for place, result in pairs:
        if place is not None:
            np.copyto(place, result)
    rest = iter(pairs)

    def put(part: Any) -> Any:
        kind = kind_of(part)
        if kind is not None:
            return kind.built(part, list(map(put, kind.parts(part))))
        place, result = next(rest)
        return result if place is None else place

    return put(found)


def straight(pairs: Sequence[Pair], inputs: Sequence[Any]) -> list[np.ndarray] | None:
    """Return the arrays to which machine code can write at once; None where it cannot."""
    found: list[np.ndarray] = []
    for place, result in pairs:
        if isinstance(result, np.ndarray):
            if place is None or not is_in_order(place) or any(np.may_share_memory(place, x) for x in inputs):
                return None
            found.append(place)
        elif place is not None:
            return None
    return found
