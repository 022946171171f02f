"""Write static/throw.svg, the picture of how-to/cookbook.md, by the functions of that page."""

from __future__ import annotations

import doctest
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pictures
from matplotlib.figure import Figure
from scipy.interpolate import CubicSpline

PAGE = Path(__file__).parent / "how-to" / "cookbook.md"
PICTURE = Path(__file__).parent / "static" / "throw.svg"


def names_of_the_page() -> dict[str, Any]:
    """What the examples of the page have defined at its end."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples("\n".join(blocks)):
            exec(compile(example.source, PAGE.name, "single"), names)
    return names


def ways(panel: Any, page: dict[str, Any]) -> None:
    """The flight without air and in it, with the errors of where it lands, and the three throws that were aimed."""
    start, C = page["start"], page["C"]
    speed, angle = start
    far, time, _ = page["landing"](start)
    t = np.linspace(0.0, time, 100)

    def way(start: Any) -> Any:
        found = page["flight"](start)
        return CubicSpline(found.t, found.y[:2], axis=1)(np.linspace(0.0, found.t[-1], 100))

    panel.plot(speed * np.cos(angle) * t, page["height"] + speed * np.sin(angle) * t - page["g"] / 2 * t**2,
               "--", color="0.45", label="without air")  # fmt: skip
    for target in 20.0, 24.0, 28.0:
        x, y = way((speed, page["aimed"](target)[0]))
        panel.plot(x, y, color="tab:blue", linewidth=1.0, label="aimed at 20, 24, 28 m" if target == 20.0 else None)
    x, y = way(start)
    panel.plot(x, y, color="black", label="in air")
    for at, slope in (far, page["J"][0]), (x[-1], page["slope"]):
        panel.errorbar(at, 0.0, xerr=np.sqrt(slope @ C @ slope), color="tab:red", capsize=4.0, zorder=3)
    panel.set(xlabel="distance [m]", ylabel="height [m]", xlim=(0.0, 44.0), ylim=(-0.8, 10.5))
    panel.legend(loc="upper left", frameon=False, fontsize=8.0)


def svg() -> str:
    """Return the picture as SVG."""
    page = names_of_the_page()
    with matplotlib.rc_context({"svg.hashsalt": "throw", "font.size": 9.0}):
        figure = Figure(figsize=(7.0, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[1.7, 1.0])
        ways(left, page)
        right.plot(page["h"] * np.arange(page["n"]), 1000 * page["gusts"], color="black")
        right.set(xlabel="time of the gust [s]", ylabel="drift it causes [mm per m/s]", ylim=(0.0, None))
        for panel in left, right:
            panel.grid(alpha=0.25)
        return pictures.svg(figure)


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
