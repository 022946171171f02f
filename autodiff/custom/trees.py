"""What a user's rule is called with, and returns: trees, taken apart into the leaves that its row is of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, shape, zeros_like
from dualnumbers.messages.errors import user_line
from dualnumbers.table.dispatch import joined
from dualnumbers.table.parameters import UNCHANGING

from ..calls.structures import LEFT_ALONE, flatten, kind_of, map_leaves
from ..calls.values import read_only
from .rows import Function, fitting


class Assembly:
    """How the arguments of one call, and what it returned, are put together of leaves: a fixed parameter of the row."""

    __slots__ = ("rebuild", "rebuilds")
    rebuild: Function
    shown = False
    """Not in the listing of a tape."""

    def __init__(self) -> None:
        self.rebuilds: list[Function] | None = None
        """A function for each argument; None where every argument is a leaf."""

    def is_alike(self, other: Assembly) -> bool:
        """Return whether it puts leaves together as another does; only what needs no putting together is known to."""
        return self.rebuilds is None is other.rebuilds and not (hasattr(self, "rebuild") or hasattr(other, "rebuild"))

    def argument(self, k: int, leaves: Iterable[Any]) -> Any:
        """Return an argument, or what has its leaves; arrays cannot be written to."""
        if self.rebuilds is None:
            return read_only(*leaves)
        return self.rebuilds[k](map(read_only, leaves))

    def result(self, z: Any) -> Any:
        """Return a value, or what has its leaves, as the function returned it; arrays cannot be written to."""
        return self.rebuild(map(read_only, z)) if type(z) is tuple else read_only(z)


UNCHANGING.add(Assembly)

_NESTS = kind_of(()), kind_of([])


def as_argument(x: Any) -> Any:
    """Return an argument: lists and tuples of numbers and arrays of one shape are an array, others stay structures."""
    if x.dtype.char != "O" if isinstance(x, np.ndarray) else kind_of(x) is None or not _is_nest(x):
        return x
    try:
        return joined(x)
    except ValueError:  # a list of arrays of different shapes
        return x


def _is_nest(x: Any) -> bool:
    """Return whether a value is a list or tuple of leaves, or of such: no names are in it, no None and no string."""
    kind = kind_of(x)
    nested = kind is not None and kind in _NESTS and not hasattr(x, "_fields")
    return nested and all(kind_of(part) is None or _is_nest(part) for part in x)


def rebuilding(tree: Any) -> Function:
    """Return what puts other leaves in their places, and holds none of these."""
    return flatten(map_leaves(lambda _: 0.0, tree))[1]


def leaves_as(what: str, tree: Any, like: Any, inside: bool = False) -> list[Any]:
    """Return the leaves of a derivative in the order of those of ``like``; ``inside`` a structure None is a zero.

    Raises ValueError where it has another structure.
    """
    kind = kind_of(like)
    if kind is None or (kind is LEFT_ALONE and not inside):
        return [zeros_like(like) if inside and tree is None else tree]
    matched = kind.matched(tree, like)
    if matched is None:
        raise ValueError(f"{what} must be {kind.needed(like)}{user_line()}")
    pairs = zip(matched, kind.parts(like), strict=True)
    return [leaf for pair in pairs for leaf in leaves_as(what, *pair, inside=True)]


def fitted(what: str, derivatives: Iterable[Any], values: Sequence[Any]) -> list[Any]:
    """Return derivatives in the shapes and precisions of values; None for a count, which has none."""
    return [
        fitting(what, d, shape(x), x) if type(x) is float or dtype_of(x).kind in "fc" else None
        for d, x in zip(derivatives, values, strict=True)
    ]
