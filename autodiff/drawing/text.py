"""Short texts for a drawing, and how wide they are."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from dualnumbers.levels import plain

ADVANCE = 0.602
"""Width of a character of a monospaced font, in ems: DejaVu Sans Mono, Menlo; others are narrower."""

WIDEST = 44
"""Characters up to which a text is drawn whole."""

FEW, NARROW = 6, 22
"""Elements and characters up to which an array is."""


def concise(value: Any) -> str:
    """Write a value in at most some 40 characters: numbers to 5 digits, of an array the ends and the shape."""
    value = plain(value)
    if type(value) is tuple:
        return cut(f"({', '.join('0' if part is None else concise(part) for part in value)})")
    if isinstance(value, np.ndarray) and value.ndim:
        whole = _nested(value.tolist()) if value.size <= FEW else ""
        if not value.size:
            return f"[] {value.shape}"
        if value.size == 1 or 0 < len(whole) <= NARROW:
            return cut(whole)
        return f"[{_number(value.flat[0])} … {_number(value.flat[-1])}] {value.shape}"
    return _number(value)


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if isinstance(value, list) else _number(value)


def _number(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.item()
    if isinstance(value, (float, complex, np.inexact)):
        return format(value + 0.0, ".5g")  # never a -0
    return cut(str(value))


def cut(text: str) -> str:
    """Cut a text to one line of at most `WIDEST` characters."""
    text = " ".join(text.split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def clean(text: str) -> str:
    """Put a mark for what no file of ours may hold: controls, lone surrogates and what is no character."""
    return "".join("\ufffd" if c < " " or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff" else c for c in text)


def width(text: str, size: float) -> float:
    """Return the width of a text in a monospaced font of a size, in its unit: at least that of the fonts in use."""
    return ADVANCE * size * sum(map(_cells, text))


def _cells(character: str) -> float:
    """Return how many characters of the font another one takes, which may come from another font."""
    if unicodedata.combining(character):
        return 0.0
    if character <= "\u04ff" or character in "…×∂":
        return 1.0
    return 2.2 if unicodedata.east_asian_width(character) in "WF" else 1.7
