"""The colours of what is drawn, still and in motion, on a light and on a dark page; every writer has them from here."""

from __future__ import annotations

COLOURS = {
    "ground": ("#ffffff", "#16191d"),
    "ink": ("#1b1f24", "#e6e9ec"),
    "grey": ("#626a73", "#9aa4ae"),
    "line": ("#8a939d", "#76818c"),
    "box": ("#f3f5f7", "#22272d"),
    "input": ("#e3eefb", "#1c3350"),
    "output": ("#e4f3e6", "#1d3b26"),
    "adjoint": ("#b3261e", "#ff9d93"),
    "partial": ("#7a4a00", "#e8b45c"),
}
"""What is drawn in a colour → that on a light and that on a dark page."""

MOVING = {
    "paper": COLOURS["ground"],
    "ink": COLOURS["ink"],
    "soft": COLOURS["grey"],
    "panel": ("#f5f6f8", "#1d2229"),
    "rule": ("#d0d7de", "#3a434d"),
    "mark": ("#fff1a8", "#5c4f00"),
    "run": ("#0b5cad", "#7ab8ff"),
    "run-wash": ("#dcebfa", "#17324f"),
    "sweep": COLOURS["adjoint"],
    "sweep-wash": ("#fbe4e2", "#4d2421"),
}
"""What a colour is for → that on a light and that on a dark page: of what is at work in the forward run and in the
reverse sweep, the line and the ground."""
