"""NIST's reference problems of nonlinear regression (StRD): the formulas, and a reader of the data.

Each file in ``data/nist`` gives the observations, two starting points, and the least-squares
parameters certified to 11 digits.  Source: https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data" / "nist"

# Right-hand sides as in the headers of the data files: first the predictors, then the parameters.
FORMULAS = {
    "Chwirut1": lambda x, b1, b2, b3: np.exp(-b1 * x) / (b2 + b3 * x),
    "DanWood": lambda x, b1, b2: b1 * x**b2,
    "ENSO": lambda x, b1, b2, b3, b4, b5, b6, b7, b8, b9: (
        b1
        + b2 * np.cos(2 * np.pi * x / 12)
        + b3 * np.sin(2 * np.pi * x / 12)
        + b5 * np.cos(2 * np.pi * x / b4)
        + b6 * np.sin(2 * np.pi * x / b4)
        + b8 * np.cos(2 * np.pi * x / b7)
        + b9 * np.sin(2 * np.pi * x / b7)
    ),
    "Gauss1": lambda x, b1, b2, b3, b4, b5, b6, b7, b8: (
        b1 * np.exp(-b2 * x) + b3 * np.exp(-((x - b4) ** 2) / b5**2) + b6 * np.exp(-((x - b7) ** 2) / b8**2)
    ),
    "Hahn1": lambda x, b1, b2, b3, b4, b5, b6, b7: (
        (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)
    ),
    "Kirby2": lambda x, b1, b2, b3, b4, b5: (b1 + b2 * x + b3 * x**2) / (1 + b4 * x + b5 * x**2),
    "Lanczos1": lambda x, b1, b2, b3, b4, b5, b6: b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x),
    "Lanczos3": lambda x, b1, b2, b3, b4, b5, b6: b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x),
    "MGH09": lambda x, b1, b2, b3, b4: b1 * (x**2 + x * b2) / (x**2 + x * b3 + b4),
    "MGH17": lambda x, b1, b2, b3, b4, b5: b1 + b2 * np.exp(-x * b4) + b3 * np.exp(-x * b5),
    "Misra1a": lambda x, b1, b2: b1 * (1 - np.exp(-b2 * x)),
    "Misra1b": lambda x, b1, b2: b1 * (1 - (1 + b2 * x / 2) ** (-2)),
    "Nelson": lambda x1, x2, b1, b2, b3: b1 - b2 * x1 * np.exp(-b3 * x2),  # of log[y]
    "Rat42": lambda x, b1, b2, b3: b1 / (1 + np.exp(b2 - b3 * x)),
    "Roszman1": lambda x, b1, b2, b3, b4: b1 - b2 * x - np.arctan(b3 / (x - b4)) / np.pi,
    "Thurber": lambda x, b1, b2, b3, b4, b5, b6, b7: (
        (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)
    ),
}


def _of_vectors(formula: Callable) -> Callable:
    """The formula as ``model(b, x)``: `b` holds the parameters, `x` one row per predictor."""
    return lambda b, x: formula(*x, *b)


MODELS = {name: _of_vectors(formula) for name, formula in FORMULAS.items()}


@dataclass(frozen=True, eq=False)
class Problem:
    """A model, its observations, and what NIST certifies about the least-squares fit."""

    name: str
    model: Callable
    x: np.ndarray  # one row per predictor, one column per observation
    y: np.ndarray  # the response the model is fitted to (Nelson: log[y])
    starts: np.ndarray  # two rows: the far and the near starting point
    certified: np.ndarray  # the parameters
    deviations: np.ndarray  # standard deviations of the parameters
    residual_sum_of_squares: float

    def residual(self, b):
        """Model minus observation, for the parameter vector `b`."""
        return self.model(b, self.x) - self.y


def load(name: str) -> Problem:
    """The problem in ``data/nist/<name>.dat``."""
    text = (DATA / f"{name}.dat").read_text()

    def lines(section):
        """The lines which the header lists for `section`, as in ``Data (lines 61 to 188)``."""
        first, last = re.search(rf"{section}\s+\(lines\s+(\d+)\s+to\s+(\d+)\)", text).groups()
        return text.splitlines()[int(first) - 1 : int(last)]

    parameters = np.array([line.split("=")[1].split() for line in lines("Starting Values")], float)
    start1, start2, certified, deviations = parameters.T
    y, *x = np.array([line.split() for line in lines("Data")], float).T
    if "log[y] =" in text:
        y = np.log(y)
    return Problem(
        name=name,
        model=MODELS[name],
        x=np.array(x),
        y=y,
        starts=np.array([start1, start2]),
        certified=certified,
        deviations=deviations,
        residual_sum_of_squares=float(re.search(r"Residual Sum of Squares:\s+(\S+)", text)[1]),
    )
