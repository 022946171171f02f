"""The fixed parameters of a row's application, safe from what their owner does to them later."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence, MutableSet
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from ..foreign import copy_of, is_foreign
from ..levels import is_number

UNCHANGING = {int, float, complex, bool, str, slice, EllipsisType, NoneType, type}
"""The types of parameters that nobody changes; those of nearly every line."""


def as_now(static: tuple[Any, ...]) -> tuple[Any, ...]:
    """Keep parameters as they are now: arrays, lists and the like in them are copied.

    An object of another kind, such as a function, is itself.
    """
    for x in static:
        if type(x) in UNCHANGING:
            continue
        if type(x) is tuple:
            for part in x:
                if type(part) not in UNCHANGING:
                    break
            else:
                continue
        return tuple([_copied(x) for x in static])
    return static


def _copied(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.copy("K")
    kind = type(x)
    if kind in UNCHANGING:
        return x
    if is_number(kind):
        return x.snapshot()
    if is_foreign(kind):
        return copy_of(x)
    if isinstance(x, (tuple, list)):
        return kind(*map(_copied, x)) if hasattr(kind, "_fields") else kind(map(_copied, x))
    if isinstance(x, dict):
        return {name: _copied(value) for name, value in x.items()}
    if isinstance(x, memoryview):
        return np.array(x)
    if not _is_mutable(kind):
        return x
    from copy import deepcopy

    return deepcopy(x)


class _Mutable(dict[type, bool]):
    """A table: type → whether its objects are lists and the like, which may change."""

    def __missing__(self, kind: type) -> bool:
        collection = issubclass(kind, (MutableSequence, MutableSet, MutableMapping))
        self[kind] = answer = collection or hasattr(kind, "__array__")
        return answer


_is_mutable = _Mutable().__getitem__
