"""What ``check=True`` asks of a program: that it is recorded again as the same, and gives what its function gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.directions import same_half
from ..calls.structures import flatten
from ..tape.replay import same
from .program import Program


def check_same(one: Program, other: Program, name: str) -> None:
    """Raise RuntimeError where two recordings of one call differ."""
    alike = len(one.steps) == len(other.steps) and len(one.constants) == len(other.constants) and all(
        a.row is b.row and a.operands == b.operands for a, b in zip(one.steps, other.steps, strict=True)
    ) and all(map(same, one.constants, other.constants))  # fmt: skip
    if not alike:
        raise RuntimeError(f"jit of {name}: two calls at the same arguments did different things; give it what it "
                           f"draws or counts as arguments{user_line()}")  # fmt: skip


def check_value(
    program: Callable[..., Any], f: Callable[..., Any], args: Any, keywords: Any, kinds: Any, name: str
) -> None:
    """Raise RuntimeError where the program does not give what the function gives, to half of the digits.

    Where it does not run again, by rounding it went another way, or an operation raises, its next call finds that out.
    """
    inputs = [x for x, kind in zip(flatten([list(args), keywords])[0], kinds, strict=True) if kind[0]]
    with np.errstate(all="ignore"):
        try:
            found = program(*inputs)
        except Exception:
            return
        expected = flatten(f(*args, **keywords))[0]
    if len(found) != len(expected) or not all(map(_is_near, found, expected)):
        raise RuntimeError(f"jit of {name}: its program gives something else than it gives itself; does it look at the "
                           f"types of its arguments, or outside of them?{user_line()}")  # fmt: skip


def _is_near(x: Any, y: Any) -> bool:
    if x is None or isinstance(x, str):
        return bool(x == y)
    return np.shape(x) == np.shape(y) and same_half(x, y)
