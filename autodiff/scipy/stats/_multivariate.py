"""Distributions of vectors for numbers: their densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as special
import scipy.stats

from dualnumbers.foreign import as_like
from dualnumbers.forms import shape, size, type_of
from dualnumbers.levels import holds_somewhere, is_lazy, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, concatenate, expand_dims, matrix_transpose, reshape

from ...calls.closures import holds_numbers
from .._counterpart import counterpart, double
from ._distribution import Frozen, by_name


class Densities:
    """A distribution by its log density ``(x, *parameters)``; called with the parameters, it freezes them."""

    def __init__(self, name: str, log_density: Callable[..., Any]) -> None:
        def density(x: Any, *given: Any, **named: Any) -> Any:
            return np.exp(log_density(x, *given, **named))

        self._name, self.__doc__ = name, f"As ``scipy.stats.{name}``: pdf, logpdf."
        self.logpdf: Callable[..., Any] = counterpart(f"stats.{name}.logpdf", always=True)(log_density)
        self.pdf: Callable[..., Any] = counterpart(f"stats.{name}.pdf", always=True)(density)

    def __call__(self, *given: Any, **named: Any) -> Frozen:
        """Return the distribution with these parameters."""
        return Frozen(self, given, named)

    def __getattr__(self, which: str) -> Any:
        if which.startswith("_"):
            raise AttributeError(which)
        raise AttributeError(
            f"{which} of a distribution of vectors cannot be differentiated here; there are pdf, logpdf"
        )

    def __reduce__(self) -> Any:
        return by_name, (self._name,)


def _normal(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    """−½ (dᵀ C⁻¹ d + log det 2πC), d = x − mean, with the symmetric part of the covariance."""
    if allow_singular and not holds_numbers(x, mean, cov):
        return scipy.stats.multivariate_normal.logpdf(x, mean, cov, True)
    if allow_singular:
        raise TypeError(f"multivariate_normal with allow_singular=True has no derivative here{user_line()}")
    x, cov = double(x), double(cov)
    n = max(shape(cov)[-1] if shape(cov) else 1, 1 if mean is None else size(mean))
    if len(shape(cov)) < 2:
        cov = as_like(np.eye(n), x if type(cov) is float else cov) * (reshape(cov, -1, "C") if shape(cov) else cov)
    if shape(cov) != (n, n):
        raise ValueError(f"the covariance is a matrix of shape {(n, n)}; got shape {shape(cov)}")
    cov = 0.5 * (cov + matrix_transpose(cov))
    if not is_lazy(type_of(cov)) and np.any(np.linalg.eigvalsh(read(cov)) <= 0):
        raise np.linalg.LinAlgError("the covariance of multivariate_normal must be positive definite")
    if len(shape(x)) < 2 and n == 1:
        x = expand_dims(x, -1)
    d = x if mean is None else x - double(mean)
    if shape(d)[-1:] != (n,):
        raise ValueError(f"the last axis of x has a length of {n}; got shape {shape(x)}")
    solved = np.linalg.solve(cov, expand_dims(d, -1))[..., 0]
    return -0.5 * (total(d * solved, -1, False) + np.linalg.slogdet(cov)[1] + n * math.log(2.0 * math.pi))


multivariate_normal = Densities("multivariate_normal", _normal)


def _dirichlet(x: Any, alpha: Any) -> Any:
    """Σ (αᵢ − 1) log xᵢ − Σ log Γ(αᵢ) + log Γ(Σ αᵢ) along the first axis; the last xᵢ may be left out."""
    x, alpha = array(x), array(alpha)
    n = shape(alpha)[0]
    if holds_somewhere(alpha <= 0) or shape(x)[0] not in (n, n - 1):
        raise ValueError(f"dirichlet takes positive alpha, shape (n,), and x of n or n − 1 rows; got shape {shape(x)}")
    if shape(x)[0] == n - 1:
        x = concatenate(x, expand_dims(1.0 - total(x, 0, False), 0), 0)
    values = read(x)
    if holds_somewhere(values < 0) or holds_somewhere(np.abs(np.sum(values, 0) - 1.0) > 1e-9):
        raise ValueError("dirichlet takes x that are not negative and have the sum 1 along the first axis")
    weights = reshape(alpha - 1.0, (n,) + (1,) * (len(shape(x)) - 1), "C")
    scale = total(special.gammaln(alpha), -1, False) - special.gammaln(total(alpha, -1, False))
    return total(special.xlogy(weights, x), 0, False) - scale


dirichlet = Densities("dirichlet", _dirichlet)
