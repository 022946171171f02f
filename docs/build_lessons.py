"""Write the table of lessons.md, from the notebooks and the lines below, and a thumbnail for each lesson.

``python docs/build_lessons.py``. A thumbnail is 120 × 80, of curves and dots that its lesson is about, in
colours for light and dark pages.
"""

from __future__ import annotations

import json
import math
import re
import runpy
from collections.abc import Callable, Iterable
from pathlib import Path

DOCS = Path(__file__).parent
NOTEBOOKS, PAGE, PICTURES = DOCS.parent / "notebooks", DOCS / "lessons.md", DOCS / "static" / "lessons"
LESSONS: list[str] = runpy.run_path(str(DOCS / "conf.py"))["LESSONS"]

BLUE, ORANGE, GREEN, RED, GREY = "#3b82c4", "#e8853a", "#3fa45b", "#d64550", "#8a94a0"

CONTENT = {
    "Hundred-Lines": (25, "Both modes, any order, from nothing: a file to copy, and what a library has besides."),
    "Dual-Math": (60, "From a square with a strip: numbers with ε² = 0, whose arithmetic knows the rules of calculus."),
    "Forward-AD": (50, "Why no step size is right; derivatives of programs; a line fitted to 500 points."),
    "Reverse-AD": (25, "The tape, the sweep by hand in ten lines, and why a gradient is cheap."),
    "Computational-Graphs": (15, "Programs and their gradients as pictures, and how to read them."),
    "Higher-Order": (25, "Derivatives of derivatives, Hessians, Newton's method, perturbation confusion."),
    "Taylor-Series": (15, "All derivatives in one run; how far a series can be trusted."),
    "Vector-Functions": (25, "Jacobians by columns and by rows; solvers that need only products."),
    "Jacobians-and-Sparsity": (15, "A thousand columns by seven tangents, where most elements are zero."),
    "Implicit-Functions": (15, "Derivatives of solutions of equations and of minima, however they were found."),
    "Uncertainties": (15, "What errors of measurement make of a result, and which one matters."),
    "Kinks-and-Ties": (25, "What a derivative is where there is none, and what can be chosen."),
    "Custom-Rules": (25, "Derivatives of your own, for what is not written in NumPy, and how wrong ones are found."),
    "Property-Based-Checks": (20, "Points drawn by a program find the derivative that is wrong."),
    "Optimisers": (25, "Descent, momentum, Adam and Newton on one surface."),
    "Neural-Network": (20, "From two moons by hand to handwritten digits."),
    "Differentiable-Simulation": (25, "A pendulum learns to swing up, through the derivative of a simulation."),
    "Machine-Code": (15, "A tape becomes a program, finds its loops again, and runs in microseconds."),
}
"""The minutes of each lesson without its exercises, and what is in it."""

# ------------------------------------------------------------------------------------------------------ what is drawn


def path(points: Iterable[tuple[float, float]], colour: str, width: float = 2.0, more: str = "") -> str:
    """A line through points of the unit square, whose y points up."""
    places = " ".join(f"{8 + 104 * x:.3g},{72 - 64 * y:.3g}" for x, y in points)
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}"{more}/>'


def curve(f: Callable[[float], float], colour: str, width: float = 2.0, more: str = "") -> str:
    """The graph of a function over the unit interval, as far as it is in the unit square."""
    points = [(k / 32, f(k / 32)) for k in range(33)]
    return path([(x, y) for x, y in points if -0.05 <= y <= 1.05], colour, width, more)


def dots(points: Iterable[tuple[float, float]], colour: str, radius: float = 3.0) -> str:
    """Discs in the unit square."""
    return "".join(
        f'<circle cx="{8 + 104 * x:.3g}" cy="{72 - 64 * y:.3g}" r="{radius:g}" fill="{colour}"/>' for x, y in points
    )


def text(x: float, y: float, letters: str, colour: str, size: int = 16) -> str:
    """Letters, in the middle of a place."""
    place = f'x="{8 + 104 * x:.3g}" y="{72 - 64 * y:.3g}" font-size="{size}"'
    return f'<text {place} fill="{colour}" text-anchor="middle" font-family="monospace">{letters}</text>'


def squares(places: Iterable[tuple[int, int]], count: int, colour: str) -> str:
    """Elements of a square matrix, row and column."""
    size = 64 / count
    return "".join(
        f'<rect x="{28 + j * size:.3g}" y="{8 + i * size:.3g}" width="{size - 1:.3g}" '
        f'height="{size - 1:.3g}" fill="{colour}"/>'
        for i, j in places
    )


def graph(nodes: list[tuple[float, float]], edges: list[tuple[int, int]], colour: str) -> str:
    """Dots and lines between them."""
    return "".join(path([nodes[a], nodes[b]], GREY, 1.5) for a, b in edges) + dots(nodes, colour, 5)


DASHED = ' stroke-dasharray="4 3"'
BELL = lambda x: math.exp(-18 * (x - 0.5) ** 2)
WAVE = lambda x: 0.5 + 0.4 * math.sin(7 * x)
BUMP = lambda x: 0.9 / (1 + 16 * (x - 0.5) ** 2)
TREE = [(0.1, 0.9), (0.1, 0.1), (0.4, 0.75), (0.4, 0.25), (0.7, 0.5), (0.95, 0.5)]
NET = [(0.1, 0.8), (0.1, 0.2), (0.5, 0.95), (0.5, 0.5), (0.5, 0.05), (0.9, 0.5)]

DRAWN = {
    "Hundred-Lines": "".join(path([(0.05, y), (0.05 + w, y)], c, 3) for y, w, c in (
        (0.95, 0.5, BLUE), (0.8, 0.8, GREY), (0.65, 0.65, GREY), (0.5, 0.4, BLUE), (0.35, 0.85, GREY),
        (0.2, 0.7, GREY), (0.05, 0.3, ORANGE))),
    "Dual-Math": text(0.5, 0.38, "ε² = 0", BLUE, 24),
    "Forward-AD": curve(WAVE, GREY) + path([(0.04, 0.676), (0.26, 1.02)], BLUE) + dots([(0.14, 0.832)], BLUE),
    "Reverse-AD": graph(TREE, [(0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)], BLUE)
    + path([(0.95, 0.3), (0.7, 0.3), (0.45, 0.05)], RED, 2, DASHED),
    "Computational-Graphs": graph(TREE, [(0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (0, 3)], GREEN),
    "Higher-Order": curve(lambda x: 4 * (x - 0.5) ** 2, GREY)
    + curve(lambda x: 0.1 + 5.2 * (x - 0.62) ** 2, ORANGE, 2, DASHED) + dots([(0.5, 0.0), (0.9, 0.64)], BLUE),
    "Taylor-Series": curve(BUMP, GREY, 3) + "".join(
        curve(lambda x, n=n: 0.9 * sum((-16 * (x - 0.5) ** 2) ** k for k in range(n)), c, 1.5)
        for n, c in ((2, BLUE), (4, ORANGE), (9, GREEN))),
    "Vector-Functions": squares([(i, 2) for i in range(5)], 5, BLUE)
    + squares([(3, j) for j in range(5) if j != 2], 5, ORANGE),
    "Jacobians-and-Sparsity": "".join(
        squares([(i, j) for i in range(9) for j in range(9) if abs(i - j) < 2 and j % 3 == k], 9, c)
        for k, c in enumerate((BLUE, ORANGE, GREEN))),
    "Implicit-Functions": "".join(
        path([(0.5 + r * math.cos(t / 8), 0.5 + 1.3 * r * math.sin(t / 8)) for t in range(52)], c, w)
        for r, c, w in ((0.36, BLUE, 2.5),)) + path([(0.6, 1.026), (0.93, 0.595)], RED, 1.5)
    + dots([(0.752, 0.828)], RED, 4),
    "Uncertainties": curve(lambda x: 0.85 * BELL(x), BLUE) + path([(0.31, 0.0), (0.31, 0.42)], GREY, 1.5, DASHED)
    + path([(0.69, 0.0), (0.69, 0.42)], GREY, 1.5, DASHED),
    "Kinks-and-Ties": path([(0.05, 0.85), (0.5, 0.1), (0.95, 0.85)], BLUE, 2.5) + dots([(0.5, 0.1)], RED, 4),
    "Custom-Rules": text(0.3, 0.4, "f", GREY, 26) + text(0.55, 0.4, "→", GREY, 20) + text(0.8, 0.4, "f′", BLUE, 26),
    "Property-Based-Checks": path([(0.0, 0.0), (1.0, 1.0)], RED, 1.5)
    + dots([(x % 1.0, y % 1.0) for k in range(40) if abs((x := k * 0.7549) % 1.0 - (y := k * 0.5698) % 1.0) > 0.12],
           BLUE, 2),
    "Optimisers": "".join(
        path([(0.62 + 0.3 * r * math.cos(t / 8), 0.45 + 0.38 * r * math.sin(t / 8)) for t in range(52)], GREY, 1)
        for r in (0.3, 0.65, 1.0))
    + path([(0.02, 0.95), (0.25, 0.75), (0.3, 0.5), (0.5, 0.55), (0.55, 0.4), (0.62, 0.45)], ORANGE)
    + dots([(0.62, 0.45)], RED),
    "Neural-Network": graph(NET, [(a, b) for a in (0, 1) for b in (2, 3, 4)] + [(b, 5) for b in (2, 3, 4)], ORANGE),
    "Differentiable-Simulation": path([(0.5, 0.35), (0.72, 0.92)], GREY, 2.5) + dots([(0.72, 0.92)], BLUE, 6)
    + dots([(0.5, 0.35)], GREY, 3)
    + path([(0.5 + 0.38 * math.sin(t / 8), 0.35 - 0.6 * math.cos(t / 8)) for t in range(17)], ORANGE, 1.5, DASHED),
    "Machine-Code": text(0.5, 0.66, "v3 = v1 * v2", GREY, 12) + text(0.5, 0.4, "↓", GREY, 14)
    + text(0.5, 0.08, "0110 1011", BLUE, 14),
}  # fmt: skip


def thumbnail(name: str) -> str:
    """The picture of a lesson, as SVG."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80" viewBox="0 0 120 80" role="img" '
        f'aria-label="{title(name)}">{DRAWN[name]}</svg>\n'
    )


# -------------------------------------------------------------------------------------------------------- the table


def cells(name: str) -> list[tuple[str, str]]:
    """The kind and the source of each cell of a lesson, without its solutions."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    found = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return found[: next((k for k, (_, source) in enumerate(found) if source.startswith("## Solutions")), len(found))]


def title(name: str) -> str:
    """The title of a lesson."""
    return cells(name)[0][1].partition("\n")[0].removeprefix("# ")


def needs(name: str) -> list[str]:
    """The lessons that a lesson says one needs, or that help, in its first sentences."""
    first = re.search(r"^\*(.*?)\*$", cells(name)[0][1], re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([\w-]+)\.ipynb\)", first[1] if first else "")
    return sorted(links, key=LESSONS.index)


def estimated(name: str) -> float:
    """How many minutes a lesson takes, at 100 words or 12 lines of code a minute."""
    words = sum(len(source.split()) for kind, source in cells(name) if kind == "markdown")
    lines = sum(len(source.splitlines()) for kind, source in cells(name) if kind == "code")
    return words / 100 + lines / 12


def row(name: str) -> str:
    """A line of the table."""
    after = ", ".join(f"[{LESSONS.index(other) + 1}](../notebooks/{other}.ipynb)" for other in needs(name)) or "–"
    picture = f"![]({PICTURES.relative_to(DOCS).as_posix()}/{name}.svg)"
    link = f"**[{title(name)}](../notebooks/{name}.ipynb)**"
    minutes, content = CONTENT[name]
    return f"| {LESSONS.index(name) + 1} | {picture} | {link}<br>{content} | {minutes} | {after} |"


def table() -> str:
    """The table of the page."""
    head = "| no. | picture | lesson | minutes | after |\n|--:|---|---|--:|---|"
    return "\n".join([head, *map(row, LESSONS)])


def page() -> str:
    """The page with the table as it should be."""
    old = PAGE.read_text(encoding="utf-8")
    return re.sub(r"(?m)(?:^\|.*\n)+", lambda _: table() + "\n", old, count=1)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for lesson in LESSONS:
        (PICTURES / f"{lesson}.svg").write_text(thumbnail(lesson), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
