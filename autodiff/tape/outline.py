"""The outline of a structure: what it is without its leaves.

A recorded function may have decided by it, by the keys of a dict say, or by a string among the arguments. So it runs
again at arguments of an equal outline only.

>>> outline({"w": 2.0, "kind": "linear"}) == outline({"w": 3.0, "kind": "linear"})
True
>>> outline({"w": 2.0, "kind": "linear"}) == outline({"w": 2.0, "kind": "cubic"})
False
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls.structures import LEFT_ALONE, kind_of


class _Place(int):
    """What stands for a part of a structure in its `outline`."""


def outline(tree: Any) -> Any:
    """Return what a structure is without its leaves: its class, its places, None and strings, what is no part of it."""
    kind = kind_of(tree)
    if kind is None or kind is LEFT_ALONE:
        return None if kind is None else tree
    parts = kind.parts(tree)
    try:
        emptied = kind.built(tree, [_Place(k) for k in range(len(parts))])
    except Exception:  # a class whose parts must be numbers: it is known by its class and places
        emptied = None
    slots = [name for base in type(tree).__mro__ for name in getattr(base, "__slots__", ()) if hasattr(emptied, name)]
    own = {**getattr(emptied, "__dict__", {}), **{name: getattr(emptied, name) for name in slots}}
    return type(tree), kind.paths(tree), own, list(map(outline, parts))


def is_same(x: Any, y: Any) -> bool:
    """Return whether two outlines are equal; what cannot be compared is the same only where it is one object."""
    if x is y:
        return True
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return type(x) is type(y) and np.array_equal(x, y)
    if isinstance(x, (list, tuple)) and type(x) is type(y) and len(x) == len(y):
        return all(map(is_same, x, y))
    if isinstance(x, dict) and type(x) is type(y) and x.keys() == y.keys():
        return all(is_same(x[key], y[key]) for key in x)
    try:
        return type(x) is type(y) and bool(x == y)
    except Exception:  # whatever the user's class makes of it
        return False


def outline_key(tree: Any) -> Any:
    """Return an outline to be looked up by."""
    if type(tree) in (list, tuple):
        return type(tree), *map(outline_key, tree)
    if type(tree) is dict:
        return dict, *((name, outline_key(part)) for name, part in tree.items())
    return None if kind_of(tree) is None else _looked_up(outline(tree))


def _looked_up(x: Any) -> Any:
    """Return the parts of an outline as what can be a key: of what cannot, its identity."""
    if isinstance(x, (list, tuple)):
        return type(x), *map(_looked_up, x)
    if isinstance(x, dict):
        return dict, *((name, _looked_up(part)) for name, part in x.items())
    try:
        hash(x)
    except TypeError:
        return type(x), id(x)
    return type(x), x
