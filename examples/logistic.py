"""Logistic regression, with the standard errors of its coefficients, from exact second derivatives.

    python examples/logistic.py             the strongest coefficients, the accuracy, a picture in logistic.png

The data, 569 tumours described by 30 measurements of cells, come with scikit-learn. Newton's method in a trust region
needs the gradient and products of the Hessian with vectors; the standard errors need the Hessian itself. All three are
of the loss below, as it is written.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy comes: threads do not pay on matrices so small
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import OptimizeResult, minimize
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from autodiff import grad, hessian, hvp

PENALTY = 1.0

# ---------------------------------------------------------------------------------------------------------------- data


def tumours(seed: int) -> tuple[Any, Any, Any, Any, list[str]]:
    """Measurements and classes, 1 benign, 0 malignant, of a training and a held-out part; the measurements' names.

    The measurements (n, 30) are standardised by the training part's mean and standard deviation.
    """
    data = load_breast_cancer()
    x, x_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.25, stratify=data.target, random_state=seed
    )
    mean, deviation = x.mean(0), x.std(0)
    return (x - mean) / deviation, y, (x_test - mean) / deviation, y_test, list(data.feature_names)


# --------------------------------------------------------------------------------------------------------- model, loss


def log_odds(w: Any, x: Any) -> Any:
    """The logarithm of the odds of class 1: w₀ + x · (w₁ … w₃₀)."""
    return w[0] + x @ w[1:]


def loss(w: Any, x: Any, y: Any) -> Any:
    """−log of the probability of the classes given the measurements, and a penalty of half the squared coefficients.

    A class of sign s has the probability 1 / (1 + exp(−s log odds)). The constant w₀ is not penalised.
    """
    signs = 2 * y - 1
    return np.sum(np.logaddexp(0.0, -signs * log_odds(w, x))) + 0.5 * PENALTY * np.sum(w[1:] ** 2)


# ------------------------------------------------------------------------------------------------------------ training


def fit(x: Any, y: Any) -> OptimizeResult:
    """The minimum of the loss, by Newton's method in a trust region."""

    def f(w: Any) -> Any:
        return loss(w, x, y)

    return minimize(f, np.zeros(1 + x.shape[1]), jac=grad(f), hessp=hvp(f), method="trust-ncg", options={"gtol": 1e-8})


def standard_errors(w: Any, x: Any, y: Any) -> Any:
    """Of the coefficients: roots of the diagonal of the inverse Hessian (with the penalty read as a normal prior)."""
    return np.sqrt(np.diag(np.linalg.inv(hessian(loss)(w, x, y))))


# ------------------------------------------------------------------------------------------------------ table, picture


def picture(names: list[str], w: Any, errors: Any) -> Figure:
    """Every coefficient, with twice its standard error to both sides, in the order of their size."""
    figure, order = Figure(figsize=(7, 7), layout="constrained"), np.argsort(w[1:])
    panel = figure.subplots()
    panel.errorbar(w[1:][order], np.arange(len(order)), xerr=2.0 * errors[1:][order], fmt="o", capsize=2)
    panel.axvline(0.0, color="black", linewidth=0.8)
    panel.set_yticks(np.arange(len(order)), [names[k] for k in order])
    panel.set(xlabel="log odds of benign, per standard deviation of the measurement")
    panel.grid(alpha=0.3)
    return figure


def main(arguments: list[str] | None = None) -> float:
    """The command; the accuracy on the part held out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the split")
    parser.add_argument("-o", "--output", default="logistic.png", help="where the picture goes")
    options = parser.parse_args(arguments)

    x, y, x_test, y_test, names = tumours(options.seed)
    found = fit(x, y)
    errors = standard_errors(found.x, x, y)
    print(
        f"{len(y)} tumours: loss {found.fun:.6f} after {found.nit} steps, {found.nhev} products with the Hessian; "
        f"largest element of the gradient {np.max(np.abs(found.jac)):.0e}\n"
    )
    print(f"{'the ten strongest':26}{'coefficient':>11}  standard error  ratio")
    for k in np.argsort(-np.abs(found.x[1:] / errors[1:]))[:10]:
        print(f"{names[k]:26}{found.x[1 + k]:11.4f}{errors[1 + k]:16.4f}{found.x[1 + k] / errors[1 + k]:7.2f}")
    accuracy = float(np.mean((log_odds(found.x, x_test) > 0.0) == y_test))
    print(f"\nheld out: {accuracy:.2%} of {len(y_test)} tumours")
    picture(names, found.x, errors).savefig(options.output)
    print(f"\nAll coefficients with twice their standard errors: {options.output}")
    return accuracy


if __name__ == "__main__":
    main()
