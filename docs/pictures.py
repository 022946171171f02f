"""How a figure of Matplotlib becomes an SVG for light and dark pages."""

from __future__ import annotations

import io
from typing import Any

import matplotlib

DARK = "@media (prefers-color-scheme: dark){svg{filter: invert(0.92) hue-rotate(180deg)}}"
"""On a dark page light and dark are exchanged, and the hues stay: no picture stands there on a white ground."""


def svg(figure: Any) -> str:
    """Return a figure as SVG; the same text at every run, for one version of Matplotlib and one ``svg.hashsalt``."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": f"Matplotlib {matplotlib.__version__}"})
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return "\n".join(lines).replace("</style>", f"{DARK}</style>", 1) + "\n"
