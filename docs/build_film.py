"""Write static/sweep.gif and static/sweep-dark.gif, the film of README.md: a run of sin(x*y) + x/y and its sweep."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autodiff import animate

STATIC = Path(__file__).parent / "static"

FILMS = {"sweep.gif": False, "sweep-dark.gif": True}
"""Name → whether it is for a dark page."""


def build(folder: Path) -> None:
    """Write both films."""
    run = animate(lambda x, y: np.sin(x * y) + x / y, [1.0, 2.0], title="sin(x*y) + x/y")
    for name, dark in FILMS.items():
        run.to_gif(folder / name, dark=dark)


if __name__ == "__main__":
    build(STATIC)
