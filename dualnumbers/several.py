"""A value of several results is a tuple; so are its tangent and its adjoint, with None for a result that has none.

What is done with one result is done with each. A row may apply to numbers in the same way: its value is then a tuple of
numbers, and a tape has the tuple on one line and an *item* of it, a line of its own, for each result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def each(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Return ``function(x, *others)``; of a tuple that of each result and of what is in its place, None for None."""
    if type(x) is not tuple:
        return function(x, *others)
    return tuple(None if parts[0] is None else function(*parts) for parts in zip(x, *others, strict=True))


def plus(x: Any, y: Any) -> Any:
    """Return the sum of two tangents or adjoints, each of which may be None, as may those of a result."""
    if x is None or y is None:
        return y if x is None else x
    return tuple(map(plus, x, y)) if type(x) is tuple else x + y


def parts(x: Any) -> tuple[Any, ...]:
    """Return the results of a value: itself, if it is one."""
    return x if type(x) is tuple else (x,)
