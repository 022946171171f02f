"""Write policy.md: the table of special points that the tests hold both modes to. Run it after editing that table."""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).parent / "policy.md"
sys.path.append(str(ROOT / "tests"))

from special_points import NOTES, POINTS, Point  # noqa: E402

HEAD = """# What happens at kinks, ties, poles and steps

Where a function has no derivative, or more than one candidate, this is what you get, in forward and in reverse mode, at
every order listed. The table is the one that the tests run (`tests/special_points.py`); this page is printed from it.
"""
COLUMNS = "| expression | x | value | derivatives: first, second, … |\n|---|---|---|---|\n"


def _text(x: Any) -> str:
    """A value as a reader writes it: fractions short, infinity as a sign, an exception by its name."""
    if isinstance(x, type):
        return f"`{x.__name__}`"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(_text, x)) + "]"
    return f"{x:.6g}".replace("inf", "∞").replace("-", "−")


def _line(point: Point) -> str:
    slopes = ", ".join(map(_text, point.slopes))
    return f"| `{point.expression}` | {_text(point.x)} | {_text(point.value)} | {slopes} |\n"


def _sections() -> Iterator[str]:
    reasons = list(dict.fromkeys(point.reason for point in POINTS))
    ordered = sorted(POINTS, key=lambda point: reasons.index(point.reason))
    for reason, points in groupby(ordered, key=lambda point: point.reason):
        yield f"\n## {reason[0].upper()}{reason[1:]}\n{NOTES.get(reason, '')}\n{COLUMNS}{''.join(map(_line, points))}"


def page() -> str:
    """The page's text."""
    return HEAD + "".join(_sections())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
