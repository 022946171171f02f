"""What `libraries.py` found, as LIBRARIES.md keeps it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

KEPT = Path(__file__).parent / "LIBRARIES.md"
IN_BOTH = "Those that work at every sample in both modes"
"""What the list of them begins with."""


def listed(names: Iterable[str]) -> str:
    """Return the list of the functions that work."""
    text = f"{IN_BOTH}: {', '.join(f'`{name}`' for name in names)}."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def tried(library: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the functions that work at arrays of a library, and of those that do not, of all tried."""
    text = KEPT.read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {library} .*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    others, _, working = section.partition(f"\n{IN_BOTH}:")
    return frozenset(re.findall("`(.+?)`", working)), frozenset(re.findall(r"^\| `(.+?)` \|", others, re.MULTILINE))
