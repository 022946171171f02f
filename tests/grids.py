"""The problems that sparse derivatives are tested on: of grids, chains and arrows."""

import numpy as np


def brusselator(y, a=1.0, b=3.0):
    """The right-hand side of the 1-D Brusselator (Hairer & Wanner 1996, IV.10) for u and v, one after the other."""
    n = len(y) // 2
    u, v = y[:n], y[n:]
    spread = (n + 1) ** 2 / 50

    def second_difference(w, end):
        w = np.concatenate([[end], w, [end]])
        return w[2:] - 2 * w[1:-1] + w[:-2]

    return np.concatenate([a + u**2 * v - (b + 1) * u + spread * second_difference(u, a),
                           b * u - u**2 * v + spread * second_difference(v, b / a)])  # fmt: skip


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def arrowhead(x):
    return np.sum(x**4) + x[0] * np.sum(np.sin(x))


def surface(z):
    """The area of a surface over a square of grid cells."""
    n = round(np.sqrt(z.size))
    z = z.reshape(n, n)
    first, second = z[1:, 1:] - z[:-1, :-1], z[1:, :-1] - z[:-1, 1:]
    return np.sum(np.sqrt(1.0 + n * n / 2 * (first**2 + second**2)))


def bratu(u):
    """Δu + eᵘ on a square with u = 0 at its border, by five-point differences."""
    n = round(np.sqrt(u.size))
    w = np.pad(u.reshape(n, n), 1)
    laplacian = w[2:, 1:-1] + w[:-2, 1:-1] + w[1:-1, 2:] + w[1:-1, :-2] - 4 * w[1:-1, 1:-1]
    return (laplacian * (n + 1) ** 2 + np.exp(w[1:-1, 1:-1])).ravel()


def point(n):
    return np.random.default_rng(n).uniform(0.5, 1.5, n)
