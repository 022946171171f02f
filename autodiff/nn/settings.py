"""The settings of layers, optimisers and trainings are checked when they are given; an error says what is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import described
from ..calls.values import value_of

MEASURES = "{'accuracy': nn.accuracy}"
"""What measures look like, for errors."""


def is_whole(n: Any, least: int) -> bool:
    """Return whether a setting is a whole number from ``least`` up."""
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool) and bool(n >= least)


def check_whole(what: str, n: Any, least: int = 1) -> None:
    """Raise ValueError for what is no whole number from ``least`` up."""
    if not is_whole(n, least):
        raise _refused(what, f"a whole number of at least {least}", n)


def check_share(what: str, share: Any) -> None:
    """Raise ValueError for what is no number of at least 0 and below 1."""
    if not _is_true(lambda: 0.0 <= share < 1.0):
        raise _refused(what, "a number of at least 0 and below 1", share)


def check_not_negative(what: str, x: Any) -> None:
    """Raise ValueError for what is no number of at least 0."""
    if not _is_true(lambda: x >= 0.0):
        raise _refused(what, "a number of at least 0", x)


def check_positive(what: str, x: Any) -> None:
    """Raise ValueError for what is no positive number."""
    if not _is_true(lambda: x > 0.0):
        raise _refused(what, "a positive number", x)


def check_inexact(what: str, dtype: Any) -> None:
    """Raise ValueError for what is no type of floating-point numbers."""
    if not _is_true(lambda: np.dtype(dtype).kind in "fc"):
        raise _refused(what, "a type of floating-point numbers, such as np.float32", dtype)


def check_functions(what: str, functions: Any) -> None:
    """Raise TypeError for what is no dict of functions."""
    wanted = f"{what} is a dict of functions, as {MEASURES}"
    if not isinstance(functions, Mapping):
        raise TypeError(f"{wanted}, not {described(functions)}{user_line()}")
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{wanted}: {name!r} is a function, not {described(function)}{user_line()}")


def number_of(measure: str, x: Any) -> float:
    """Return what a measure gave as a number; TypeError where it is none."""
    try:
        if isinstance(x, str):
            raise TypeError("a number was wanted")
        return float(value_of(x))
    except (TypeError, ValueError) as error:
        raise TypeError(f"the measure {measure!r} gives a number, not {described(value_of(x))}{user_line()}") from error


def _is_true(condition: Callable[[], Any]) -> bool:
    """Return whether a condition holds; of what cannot be compared it does not."""
    try:
        return bool(condition())
    except (TypeError, ValueError):
        return False


def _refused(what: str, wanted: str, given: Any) -> ValueError:
    return ValueError(f"{what} is {wanted}, not {described(given)}{user_line()}")
