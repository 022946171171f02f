"""Whole programs at arrays, for those of other libraries: name → function of all arrays, and by which of them."""

import numpy as np

RNG = np.random.default_rng(0)
X, Y, W = RNG.random((12, 3)) + 0.1, np.arange(12.0) % 2, np.array([0.3, -0.2, 0.5])

PROGRAMS = {
    "sum": (lambda x, y, w: np.sum(np.sin(x) * x), 0),
    "least squares": (lambda x, y, w: np.sum((x @ w - y) ** 2), 2),
    "logistic": (lambda x, y, w: np.sum(np.logaddexp(0.0, -(2 * y - 1) * (x @ w))) / 12, 2),
    "principal axis": (lambda x, y, w: np.sum((x - np.outer(x @ w, w)) ** 2), 2),
    "products": (lambda x, y, w: np.sum((x.T @ x) ** 2), 0),
    "slices": (lambda x, y, w: np.sum((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2), 0),
    "where": (lambda x, y, w: np.sum(np.where(x > 0.5, x * x, 0.0)), 0),
    "largest": (lambda x, y, w: np.max(x) + np.sum(np.max(x, axis=1)), 0),
    "moments": (lambda x, y, w: np.sum(np.var(x, axis=0)) + np.mean(x) ** 2, 0),
    "lengths": (lambda x, y, w: np.sum(np.sqrt(np.sum(x * x, axis=1))), 0),
    "norm": (lambda x, y, w: np.linalg.norm(x), 0),
    "cumulative": (lambda x, y, w: np.sum(np.cumsum(x, axis=0) ** 2), 0),
    "einsum": (lambda x, y, w: np.einsum("ij,j,i->", x, w, y + 1.0), 0),
    "shapes": (lambda x, y, w: np.sum(np.reshape(x, (4, 3, 3)) ** 2) + np.sum(np.ravel(x.T) ** 3), 0),
    "joined": (lambda x, y, w: np.sum(np.concatenate([x, 2 * x]) ** 3) + np.sum(np.stack([y, y])), 0),
    "any": (lambda x, y, w: np.sum(x * x * np.any(x > 0.5, axis=1, keepdims=True)), 0),
}


def of(f, place, arrays):
    """Return a function of one of the arrays."""
    return lambda v: f(*(v if k == place else x for k, x in enumerate(arrays)))
