"""Refusals that are not to be swallowed: the error that a number raised, where the code that caught it went on."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..levels import Level, is_number
from .frames import fault, running, stack

SHOWING = ("IPython", "logging", "matplotlib", "pprint", "reprlib", "tqdm", "traceback")
"""Packages that show numbers: nothing that is computed depends on what they are refused."""


class Refusal(NamedTuple):
    """The text of an error that was made for a number, and whether a warning is enough where the code caught it."""

    text: str
    warns: bool


def note(numbers: Any, text: str, warns: bool = False) -> None:
    """Note an error on every differentiation that a number belongs to, so that it is not swallowed."""
    levels = [level for level in _levels(numbers) if not level.ended and (level.refused is None or level.refused.warns)]
    if levels:
        modules = {module.partition(".")[0] for module in fault(running(stack())).between}
        for level in levels:
            level.refused = Refusal(text, warns or not modules.isdisjoint(SHOWING))


def _levels(x: Any) -> Iterable[Level]:
    """Return the levels of the differentiations that a number, or those in a list, belong to."""
    if isinstance(x, (list, tuple)):
        for part in x:
            yield from _levels(part)
    elif is_number(type(x)):
        if not x.level.by_hand:
            yield x.level
        yield from _levels(x.parts())


def check_refused(level: Level) -> None:
    """Raise what a number of this differentiation was refused, where the function caught it and returned.

    Without derivatives the function does not come there, so what it did then is another program's answer. A warning
    is enough where the refusal changes nothing that is computed: of what is only shown, and of a hash.
    """
    text, warns = level.refused
    if warns:
        place = re.search(r" \(at (.*):(\d+)\)$", text)
        name, line = (place[1], int(place[2])) if place else ("<unknown>", 1)
        warnings.warn_explicit(text, RuntimeWarning, name, line)
        return
    error = TypeError(text)
    error.add_note(
        "This was raised in the function that is differentiated, which caught it and went on: without "
        "derivatives it does not come there."
    )
    raise error
