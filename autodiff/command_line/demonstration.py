"""The main job on the built-in example: a derivative three ways, then a line fitted to 500 points, with a picture."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .. import forward, reverse
from ..differences.quotients import difference_quotient

SLOPE, INTERCEPT, NOISE, POINTS = 2.5, -1.0, 0.5, 500
"""The line that the points scatter about, with the standard deviation of the scatter."""

STEPS, RATE = 1000, 0.2
"""Steps of the descent, and their size: the slower direction shrinks by 6 % a step, so 1000 reach the last digit."""

PICTURE = "regression.png"


class Fit(NamedTuple):
    """A fitted line, the loss before each step, and the seconds that a step took."""

    slope: float
    intercept: float
    losses: list[float]
    seconds: float


def demonstrate() -> None:
    """Print the main job's results and save its picture to the current folder.

    Raises OSError where the picture cannot be written.
    """
    print("1. The derivative of sin(x)**sin(x) at x = pi/4\n")
    print(three_ways())
    x, y = points()
    print(f"\n2. A straight line through {POINTS} points, by {STEPS} steps down the gradient of the loss\n")
    fit = fitted(x, y, STEPS)
    print(comparison(fit, x, y))
    if save_picture(fit, x, y):
        print(f"\nThe picture is {PICTURE}")
    else:
        print("\nNo picture: matplotlib is not installed; pip install 'dualautodiff[plot]' gets it")


def three_ways() -> str:
    """Tabulate the derivative of the first example by both modes and by a difference quotient."""

    def f(x: float) -> float:
        return np.sin(x) ** np.sin(x)  # type: ignore[no-any-return]

    point = [np.pi / 4]
    quotient, error = difference_quotient(f, 0, point)
    return (
        f"   forward mode         {forward.derivative(f, 0, point)!r}\n"
        f"   reverse mode         {reverse.gradient(f, point)[0]!r}\n"
        f"   difference quotient  {quotient:.12f}, error about {error:.1g}"
    )


def points() -> tuple[list[float], list[float]]:
    """Make the data: points scattered about a known line, the same in every run."""
    random = np.random.default_rng(2026)
    x = random.uniform(0.0, 2.0, POINTS)
    y = SLOPE * x + INTERCEPT + random.normal(0.0, NOISE, POINTS)
    return x.tolist(), y.tolist()


def fitted(x: list[float], y: list[float], steps: int) -> Fit:
    """Find the line of least mean squared distance in y, by that many steps of gradient descent from the line y = 0."""

    def loss(slope: float, intercept: float) -> float:
        total = 0.0
        for xi, yi in zip(x, y, strict=True):
            total += (slope * xi + intercept - yi) ** 2
        return total / len(x)

    slope, intercept, losses = 0.0, 0.0, []
    start = time.perf_counter()
    for _ in progress(steps):
        losses.append(loss(slope, intercept))
        by_slope, by_intercept = reverse.gradient(loss, [slope, intercept])
        slope, intercept = slope - RATE * by_slope, intercept - RATE * by_intercept
    return Fit(slope, intercept, losses, (time.perf_counter() - start) / steps)


def progress(steps: int) -> Iterable[int]:
    """Yield ``range(steps)`` with a progress bar on stderr, if that is a terminal: tqdm's, or a line each quarter."""
    if not sys.stderr.isatty():
        return range(steps)
    try:
        from tqdm import tqdm
    except ImportError:
        return _quarters(steps)
    bar: Iterable[int] = tqdm(range(steps), desc="   fitting", unit="step", leave=False)
    return bar


def _quarters(steps: int) -> Iterator[int]:
    for step in range(steps):
        if step and 4 * step // steps > 4 * (step - 1) // steps:
            print(f"   fitting: {100 * step // steps} %", file=sys.stderr)
        yield step


def comparison(fit: Fit, x: list[float], y: list[float]) -> str:
    """Tabulate the fitted line beside NumPy's closed solution and the line that the points scatter about."""
    slope, intercept = np.polyfit(x, y, 1)
    return (
        f"                        slope        intercept\n"
        f"   fitted              {fit.slope:12.9f}  {fit.intercept:12.9f}   {1000 * fit.seconds:.2f} ms a step\n"
        f"   numpy.polyfit       {slope:12.9f}  {intercept:12.9f}\n"
        f"   they scatter about  {SLOPE:12.9f}  {INTERCEPT:12.9f}   with noise of {NOISE}"
    )


def save_picture(fit: Fit, x: list[float], y: list[float]) -> bool:
    """Save points, fitted line and falling loss to `PICTURE`; return False where there is no matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10, 4.5), layout="constrained")  # without pyplot its canvas is Agg's: no display needed
    line, descent = figure.subplots(1, 2)
    ends = np.array([min(x), max(x)])
    line.plot(x, y, ".", color="0.6", markersize=4, label=f"{POINTS} points")
    line.plot(ends, fit.slope * ends + fit.intercept, color="tab:blue", linewidth=3, label="fitted line")
    line.plot(ends, SLOPE * ends + INTERCEPT, "--", color="tab:orange", label="line the points scatter about")
    line.set(title=f"y = {fit.slope:.4f} x {'−+'[fit.intercept >= 0]} {abs(fit.intercept):.4f}", xlabel="x", ylabel="y")
    line.legend()
    descent.semilogx(range(1, len(fit.losses) + 1), fit.losses, color="tab:blue")
    descent.axhline(NOISE**2, color="0.6", linestyle=":", label="variance of the noise")
    descent.set(title="Gradient descent", xlabel="step", ylabel="mean squared error")
    descent.legend()
    figure.savefig(PICTURE, dpi=120)
    return True
