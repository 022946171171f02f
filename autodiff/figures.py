"""Where the figures of Matplotlib come from, which is imported by the first of them."""

from __future__ import annotations

from typing import Any


def new_figure(size: tuple[float, float]) -> Any:
    """Make an empty figure of a size in inches; ImportError without Matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a plot needs Matplotlib: pip install 'dualautodiff[plot]'") from None

    class Shown(Figure):
        """A figure that a notebook shows, as those of pyplot, whatever is imported there."""

        def _repr_png_(self) -> bytes:
            from io import BytesIO

            file = BytesIO()
            self.savefig(file, format="png", dpi=100)
            return file.getvalue()

    return Shown(figsize=size, layout="constrained")
