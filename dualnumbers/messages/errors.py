"""The errors of numbers, for those who raise them; what they say is in `sentences`, which is read at the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..late import LateModule

if TYPE_CHECKING:
    from ..levels import Level
    from . import sentences
else:
    sentences = LateModule(globals(), "sentences", f"{__package__}.sentences")


def user_line() -> str:
    """Return `` (at file:line)`` of the innermost line that the user wrote; empty where the stack is full."""
    try:
        return sentences.user_line()
    except RecursionError:
        return ""


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError, remedy: str = "") -> Exception:
    """Return the error for a number that is to become a plain value and would lose its derivative."""
    return sentences.no_plain_value(call, number, error, remedy)


def has_labels(number: Any, table: Any) -> TypeError:
    """Return the error for an operation of a number with a column or table that goes by its labels."""
    return sentences.has_labels(number, table)


def no_rule(function: Any, variant: str = "", *numbers: Any) -> TypeError:
    """Return the error for a NumPy or SciPy function that is not in the table, called for these numbers."""
    return sentences.no_rule(function, variant, *numbers)


def no_hash(number: Any) -> TypeError:
    """Return the error for a number of a differentiation that is used as a key."""
    return sentences.no_hash(number)


def unpicklable(number: Any) -> TypeError:
    """Return the error for pickling a number that belongs to a running differentiation."""
    return sentences.unpicklable(number)


def raise_if_unbound(function: Any, entry: Any, arguments: Any, keywords: dict[str, Any]) -> None:
    """Raise where a NumPy function was called in a way that the table has no derivative for."""
    sentences.raise_if_unbound(function, entry, arguments, keywords)


def explain(error: Exception, level: Level) -> None:
    """Raise a clear error instead of one that numbers caused in others' code; where they may have, add a note to it.

    ``error`` came out of the function that is differentiated.
    """
    sentences.explain(error, level)
