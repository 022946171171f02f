"""Distributions of ``scipy.stats``: x or q, then the shape parameters, location and scale."""

from collections.abc import Iterable, Iterator

import numpy as np

import autodiff.scipy.stats  # noqa: F401  registers them
from autodiff.scipy._counterpart import COUNTERPARTS

from .sample import Sample, entry, of_scipy

CONTINUOUS = {"norm": (), "halfnorm": (), "expon": (), "uniform": (), "laplace": (), "logistic": (), "cauchy": (),
              "gumbel_r": (), "lognorm": (0.7,), "weibull_min": (1.7,), "pareto": (2.3,), "gamma": (1.7,),
              "chi2": (3.4,), "invgamma": (2.2,), "beta": (1.4, 2.6), "t": (3.7,), "f": (3.2, 5.1)}  # fmt: skip
"""The shape parameters to call each with."""

DISCRETE = {"bernoulli": (0.3,), "poisson": (2.7,), "nbinom": (2.6, 0.45), "geom": (0.3,), "binom": (0.3,)}


def _names(distributions: Iterable[str]) -> list[str]:
    return [name for name in COUNTERPARTS if name.split(".")[1:2] == ["stats"] and name.split(".")[2] in distributions]


@entry(*_names(CONTINUOUS))
def _continuous(path: str) -> Iterator[Sample]:
    *_, name, which = path.split(".")
    shapes = tuple(np.array([s]) for s in CONTINUOUS[name])
    loc, scale = np.array(0.2), np.array(1.6)
    x = {"uniform": [0.5, 1.1], "beta": [0.5, 1.1], "pareto": [2.3, 5.0]}.get(name, [0.9, 2.6])
    x = np.array([0.2, 0.7] if which in ("ppf", "isf") else x)
    yield of_scipy("stats", lambda s, *arrays: getattr(getattr(s, name), which)(*arrays), (x, *shapes, loc, scale),
                   "all parameters", unreal=False, condition=8)  # fmt: skip
    if name == "norm":
        yield of_scipy(
            "stats", lambda s, scale: getattr(s.norm(0.5, scale=scale), which)(0.3), (scale,), "frozen", unreal=False
        )


@entry(*_names(DISCRETE))
def _discrete(path: str) -> Iterator[Sample]:
    *_, name, which = path.split(".")
    arrays = tuple(np.array([s]) for s in DISCRETE[name])
    fixed = (7,) if name == "binom" else ()
    k = np.array([0.25, 0.8] if which in ("ppf", "isf") else [-2, 1, 2, 2.5] if name == "bernoulli" else [1, 3, 4, 6.5])
    if which.startswith("log"):  # of −∞ there are no differences
        k = np.array([1.0] if name == "bernoulli" else [2.0, 4.0])
    yield of_scipy("stats", lambda s, *p: getattr(getattr(s, name), which)(k, *fixed, *p, loc=1), arrays, "parameters",
                   unreal=False, condition=8)  # fmt: skip


@entry("scipy.stats.dirichlet.pdf", "scipy.stats.dirichlet.logpdf")
def _dirichlet(path: str) -> Iterator[Sample]:
    alpha = np.array([1.3, 0.6, 2.2])
    for x in (np.array([0.2, 0.5]), np.array([[0.2, 0.1], [0.5, 0.3]])):
        yield of_scipy("stats", lambda s, x, a: getattr(s.dirichlet, path.rpartition(".")[2])(x, a), (x, alpha),
                       f"{x.shape}", unreal=False, condition=8)  # fmt: skip


@entry("scipy.stats.multivariate_normal.pdf", "scipy.stats.multivariate_normal.logpdf")
def _normal(path: str) -> Iterator[Sample]:
    which, mean = path.rpartition(".")[2], np.array([0.3, -0.2])
    cov = np.array([[1.2, 0.4], [0.4, 0.9]])
    for x in (np.array([0.5, 0.1]), np.array([[0.5, 0.1], [1.0, -1.0], [0.2, 0.6]])):
        yield of_scipy("stats", lambda s, x, m, c: getattr(s.multivariate_normal, which)(x, m, c), (x, mean, cov),
                       f"{x.shape}", unreal=False, condition=8)  # fmt: skip
    yield of_scipy("stats", lambda s, v: getattr(s.multivariate_normal(cov=v), which)(0.7), (np.array(1.7),), "number",
                   unreal=False)  # fmt: skip
