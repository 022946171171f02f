"""Learning curves drawn: of one training, or of several as their median and quartiles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import described
from ..figures import new_figure
from .training import Curves

VALIDATION = "validation "


def plot_curves(curves: Curves | Sequence[Curves], title: str = "", labels: tuple[str, str] = ("train", "validation"),
                log: Collection[str] = (), figure: Any = None) -> Any:  # fmt: skip
    """Draw what `fit` returned, a panel for each measure; of several trainings the median and quartiles.

    Where they stopped at different epochs, each keeps its last value to the end. ``log`` names the measures drawn on a
    logarithmic scale. Returns the Matplotlib figure, for its ``savefig``: the given one, which may be a part of a
    larger, or a new one. Raises TypeError for what is no curves, ValueError where trainings measured different things.

    >>> len(plot_curves({"loss": [3.0, 2.0, 1.5], "accuracy": [0.5, 0.7, 0.9]}).axes)
    2
    """
    repeats = [curves] if isinstance(curves, dict) else list(curves) if isinstance(curves, Iterable) else [curves]
    if not all(isinstance(repeat, dict) for repeat in repeats):
        raise TypeError(
            f"plot_curves takes what nn.fit returned, or a list of that, not {described(curves)}{user_line()}"
        )
    if not repeats or any(repeat.keys() != repeats[0].keys() for repeat in repeats):
        raise ValueError(f"plot_curves takes the curves of trainings of the same measures, not {repeats}")
    measures = [name for name in repeats[0] if not name.startswith(VALIDATION)]
    figure = figure or new_figure((5.0 * len(measures), 3.5))
    figure.suptitle(title)
    for panel, name in zip(np.ravel(figure.subplots(1, len(measures))), measures, strict=True):
        for label, full in zip(labels, (name, VALIDATION + name), strict=True):
            if full in repeats[0]:
                _draw(panel, [repeat[full] for repeat in repeats], label)
        panel.set(xlabel="epoch", ylabel=name, yscale="log" if name in log else "linear")
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.grid(alpha=0.3)
        panel.legend()
    return figure


def _draw(panel: Any, repeats: list[list[float]], label: str) -> None:
    longest = max(map(len, repeats))
    values = [np.pad(curve, (0, longest - len(curve)), "edge") for curve in repeats]
    epochs = np.arange(1, longest + 1)
    lower, median, upper = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
    (line,) = panel.plot(epochs, median, label=label)
    if len(repeats) > 1:
        panel.fill_between(epochs, lower, upper, color=line.get_color(), alpha=0.25, linewidth=0)
