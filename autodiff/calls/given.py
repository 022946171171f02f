"""What was given, as errors speak of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line


def described(x: Any) -> str:
    """Describe a value in an error: its type, and its text as far as it is short."""
    text = " ".join(repr(x).split())
    return f"{type(x).__name__} {text if len(text) < 60 else text[:57] + '...'}"


def no_function(call: str, given: Any) -> TypeError:
    """Return the error for what was given in place of a function; ``call`` is the right call, ``"grad(f)(x)"``."""
    name, _, _ = call.partition("(")
    return TypeError(f"{name} takes a function, as in {call}, not {described(given)}{user_line()}")


def truth(option: str, given: Any) -> bool:
    """Return an option that is True or False. Raise TypeError for anything else, such as an argument in its place."""
    if not isinstance(given, bool | np.bool_):
        raise TypeError(f"{option} is True or False, not {described(given)}{user_line()}")
    return bool(given)
