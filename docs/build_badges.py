"""Write static/badges.svg: what README.md says at a glance, from pyproject.toml, without a service that draws it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "static" / "badges.svg"

ADVANCE, SIDE, HEIGHT = 6.6, 7.0, 20
"""The width of a character of 11 px, the space beside a text, the height of all, in px."""


def facts() -> list[tuple[str, str]]:
    """What the badges say: of what, and what."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    (numpy,) = (d.removeprefix("numpy>=") for d in project["dependencies"])
    return [("Python", f"{python[0]} – {python[-1]}"), ("NumPy", f"≥ {numpy}"), ("types", "mypy strict"),
            ("licence", project["license"])]  # fmt: skip


def svg() -> str:
    """The picture."""
    x, parts = 0.0, []
    for name, value in facts():
        left, right = (2 * SIDE + ADVANCE * len(text) for text in (name, value))
        parts.append(
            f'<rect x="{x:g}" width="{left + right:g}" height="{HEIGHT}" rx="4" fill="#0b5cad"/>'
            f'<path d="M{x + left:g} 0H{x + 4:g}a4 4 0 0 0 -4 4V{HEIGHT - 4}a4 4 0 0 0 4 4H{x + left:g}z" '
            'fill="#3d444d"/>'
            f'<text x="{x + left / 2:g}" y="14">{name}</text><text x="{x + left + right / 2:g}" y="14">{value}</text>'
        )
        x += left + right + 6
    said = ", ".join(" ".join(fact) for fact in facts())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x - 6:g}" height="{HEIGHT}" role="img" '
        f'aria-label="{said}">'
        f'<g fill="#ffffff" text-anchor="middle" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11">'
        f"{''.join(parts)}</g></svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
