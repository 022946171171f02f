"""Plots by Matplotlib: how wrong difference quotients are, and the way of an optimiser on a surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..calls.given import no_function
from ..calls.values import value_of
from ..figures import new_figure
from ..forward import derivative

POINTS, AROUND = 61, 0.25
"""Points of a surface in each direction; how much of a path's extent is drawn around it."""


def plot_difference_error(
    f: Callable[[float], Any], x: float, steps: Sequence[float] | None = None, figure: Any = None
) -> Any:
    """Draw the errors of forward and central difference quotients of a real ``f`` at x against their step h.

    Both fall with h as the expansion of f says, like h and like h², until the rounding of f, divided by h, takes over:
    a V on logarithmic scales. What they are compared with is `derivative`, whose last digit is drawn beside them.
    Steps without an error, or with one that is not finite, leave a gap.

    Returns the Matplotlib figure, for its ``savefig``: the given one, which may be a part of a larger, or a new one.
    Raises ImportError without Matplotlib, which the extra ``plot`` has.
    """
    if not callable(f):
        raise no_function("plot_difference_error(f, x)", f)
    x = float(x)
    exact = float(derivative(f, 0, [x])) + 0.0  # never a -0
    h = np.logspace(-16, 0, 97) if steps is None else np.asarray(steps, float)
    panel = (figure or new_figure((6.5, 4.5))).add_subplot()
    for name, back, colour in (("forward", 0.0, "tab:blue"), ("central", 1.0, "tab:orange")):
        errors = _errors(f, x, h, back, exact)
        best = f", least {np.nanmin(errors):.0e}" if np.any(np.isfinite(errors)) else ""
        panel.loglog(h, errors, ".-", color=colour, label=f"{name} difference{best}")
    if exact:  # 0 has no last digit; the least of all numbers would flatten the curves
        panel.axhline(np.spacing(abs(exact)), color="tab:green", label="last digit of the exact derivative")
    panel.set(xlabel="step h", ylabel="error", title=f"Derivative {exact:.6g} at x = {x:g}")
    panel.grid(alpha=0.3)
    panel.legend()
    return panel.get_figure()


def _errors(f: Callable[[float], Any], x: float, h: Any, back: float, exact: float) -> Any:
    """Find the error of (f(x + h) − f(x − back h)) / (h + back h) for each h; NaN where it is 0 or f is not real."""

    def value(at: float) -> float:
        try:
            found = value_of(f(at))
        except (ArithmeticError, ValueError):
            return np.nan
        return float(found) if np.isrealobj(found) else np.nan

    with np.errstate(all="ignore"):
        quotients = [(value(x + step) - value(x - back * step)) / (step + back * step) for step in h.tolist()]
        errors = np.abs(np.array(quotients) - exact)
    return np.where((errors > 0.0) & np.isfinite(errors), errors, np.nan)


def plot_surface_path(
    f: Callable[[Any], Any], path: Any, bounds: Any = None, title: str = "", figure: Any = None
) -> Any:
    """Draw the surface z = f([x, y]) with the way of an optimiser over it, in space and from above.

    ``path`` holds the points, shape (n, 2), such as ``minimize(f, start, method=nn.adam, jac=True,
    options={"return_all": True}).allvecs``. ``bounds`` are those of x and of y, ((x0, x1), (y0, y1)); without them
    those of the path with a quarter of it around.

    Returns the figure and raises ImportError as `plot_difference_error`; ValueError for a path of another shape.
    """
    if not callable(f):
        raise no_function("plot_surface_path(f, path)", f)
    points = np.asarray(path, float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"plot_surface_path takes points of the plane, shape (n, 2), not {points.shape}")

    def height(x: float, y: float) -> float:
        return float(value_of(f(np.array([x, y]))))

    (x0, x1), (y0, y1) = _around(points) if bounds is None else bounds
    xs, ys = np.linspace(x0, x1, POINTS), np.linspace(y0, y1, POINTS)
    heights = np.array([[height(x, y) for x in xs] for y in ys])
    passed = np.array([height(x, y) for x, y in points])
    figure = figure or new_figure((10.0, 4.5))
    figure.suptitle(title)
    space = figure.add_subplot(1, 2, 1, projection="3d", computed_zorder=False)
    space.plot_surface(*np.meshgrid(xs, ys), heights, cmap="viridis", alpha=0.8, rcount=POINTS, ccount=POINTS)
    space.set(xlabel="x", ylabel="y", zlabel="f")
    above = figure.add_subplot(1, 2, 2)
    filled = above.contourf(xs, ys, heights, 20, cmap="viridis", alpha=0.8)
    figure.colorbar(filled, ax=above, label="f")
    above.set(xlabel="x", ylabel="y", aspect="equal")
    for panel, way in ((space, (*points.T, passed)), (above, points.T)):
        panel.plot(*way, ".-", color="black", linewidth=1.0, markersize=3, label=f"{len(points) - 1} steps", zorder=5)
        panel.plot(*(axis[:1] for axis in way), "o", color="white", markeredgecolor="black", label="start", zorder=6)
        panel.plot(*(axis[-1:] for axis in way), "*", color="tab:red", markersize=12, label="end", zorder=6)
    above.legend()
    return figure


def _around(points: Any) -> list[tuple[float, float]]:
    """Find ends of x and of y around points, of one length, so that nothing is drawn without extent."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = (0.5 + AROUND) * (np.max(high - low) or 2.0)
    return [(middle - half, middle + half) for middle in (low + high) / 2]
