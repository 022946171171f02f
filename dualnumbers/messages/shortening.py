"""What an error quotes of the code, shortened: a message has at most 160 characters. Runs on the error path alone."""

from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 160
"""Characters of a message, without the file and the line."""

LABELLED = ("pandas", "polars", "xarray")
"""Packages whose arrays and tables have labels, and an arithmetic by them."""

FACTORS = "scipy.sparse.linalg.SuperLU"
"""What splu and factorized give."""

METHODS = (".item", ".tolist")
"""Methods that give plain numbers, and for which there is other code."""


class Written(NamedTuple):
    """What stands on a line, and what to write instead, empty where nothing is known; the SciPy function called.

    ``how`` says what to do in words, where no code can be told.
    """

    old: str
    new: str = ""
    scipy: str = ""
    how: str = ""


def short(code: str, most: int = 60) -> str:
    """Shorten code to at most so many characters: what stands in its brackets is left out, from the last ones on."""
    found = list(_brackets(code))
    for first, last in reversed(found):
        if len(code) > most:
            code = f"{code[: first + 1]}…{code[last:]}"
    if len(code) <= most:
        return code
    at = max((place for place, c in enumerate(code[:most]) if c == " " and not _depth(code[:place])), default=0)
    return f"{code[:at]} …" if at else "…"


def _depth(code: str) -> int:
    return sum((c in "([{") - (c in ")]}") for c in code)


def _brackets(code: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the outermost brackets in some code, and of what closes them."""
    first = depth = 0
    for place, c in enumerate(code):
        first = place if c in "([{" and not depth else first
        depth += (c in "([{") - (c in ")]}")
        if c in ")]}" and not depth:
            yield first, place


def fitting(*sentences: str) -> str:
    """Return the first of the sentences that is short enough."""
    return next((sentence for sentence in sentences if len(sentence) <= LONGEST), sentences[-1][:LONGEST])
