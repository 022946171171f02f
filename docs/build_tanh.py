"""Write static/tanh.svg, the picture of the tutorial: tanh and its first six derivatives."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pictures
from matplotlib.figure import Figure

from autodiff import elementwise_grad as slopes

PICTURE = Path(__file__).parent / "static" / "tanh.svg"


def heights(grid: np.ndarray) -> list[np.ndarray]:
    """tanh and its derivatives at the points of a grid."""
    curves = [np.tanh]
    for _ in range(6):
        curves.append(slopes(curves[-1]))
    return [curve(grid) for curve in curves]


def svg() -> str:
    """Return the picture as SVG."""
    with matplotlib.rc_context({"svg.hashsalt": "tanh", "font.size": 9.0}):
        figure = Figure(figsize=(7.0, 3.2), layout="constrained")
        panel = figure.subplots()
        grid = np.linspace(-7.0, 7.0, 281)
        for order, (height, colour) in enumerate(
            zip(heights(grid), matplotlib.colormaps["viridis"].colors[::36], strict=False)
        ):
            label = "tanh" if order == 0 else f"order {order}"
            panel.plot(grid, height / np.abs(height).max(), color=colour, linewidth=1.4, label=label)
        panel.set(xlabel="x", ylabel="over its largest value", xlim=(-7.0, 7.0))
        panel.legend(loc="upper left", frameon=False, fontsize=8.0)
        panel.grid(alpha=0.25)
        return pictures.svg(figure)


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
