"""The colours of a run in motion, on a light and on a dark page; the page and the GIF have them from here."""

from __future__ import annotations

from .svg import COLOURS

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
