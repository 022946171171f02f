"""A distribution of SciPy for numbers, from the functions of its standard form.

Location and scale, the support, logarithms and survival functions are derived here once. Everything is differentiable
in x, in q and in every parameter; outside the support the derivative is 0, where a parameter is not allowed it is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import scipy.stats

from dualnumbers.forms import is_unreal
from dualnumbers.levels import is_number, known, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.stopping import stopped
from dualnumbers.rules.strong import strong
from dualnumbers.rules.where import nowhere, where
from dualnumbers.table.blocks import in_blocks

from .._counterpart import counterpart, double

Function = Callable[..., Any]


def real_double(x: Any) -> Any:
    """Return an argument in float64, as SciPy has those of its distributions."""
    if is_unreal(x := double(x)):
        raise TypeError(f"a distribution takes real numbers{user_line()}")
    return x


def all_positive(*shapes: Any) -> Any:
    """Return where all of the shape parameters are positive."""
    return reduce(np.logical_and, (s > 0 for s in shapes), True)


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """What continuous and discrete distributions have in common.

    ``shapes`` names the shape parameters; ``allowed(*shapes)`` says of plain ones where the distribution exists.
    Functions that are None are derived from the others.
    """

    METHODS: ClassVar[tuple[str, ...]] = ()
    VARIABLE: ClassVar[str] = "x"
    LOCATED: ClassVar[tuple[str, ...]] = ()

    name: str
    shapes: tuple[str, ...] = ()
    cdf: Function
    sf: Function
    logcdf: Function | None = None
    logsf: Function | None = None
    allowed: Function = all_positive

    def parameters(self, call: str, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """Return shape parameters, location and scale in order, as float64."""
        names = (*self.shapes, *self.LOCATED)
        values = {"loc": 0.0, "scale": 1.0} | dict(zip(names, given, strict=False)) | named
        missing = [name for name in names if name not in values]
        excess = [name for name in named if name not in names or name in names[: len(given)]]
        if missing or excess or len(given) > len(names):
            raise TypeError(
                f"{self.name}.{call} takes the parameters {', '.join(names)}; "
                f"{'missing: ' + ', '.join(missing) if missing else 'too many were given'}"
            )
        return [real_double(values[name]) for name in names]

    def exists(self, shapes: list[Any], scale: Any = 1.0) -> Any:
        """Return 1 where the parameters are allowed, else NaN, of value and derivatives alike."""
        allowed = self.allowed(*map(known, shapes)) & (known(scale) > 0)
        return 1.0 if nowhere(np.logical_not(allowed)) else where(allowed, 1.0, np.nan)

    def probability(self, which: str, y: Any, shapes: list[Any]) -> Any:
        """Compute ``cdf``, ``sf``, ``logcdf`` or ``logsf`` of the standard form."""
        function = getattr(self, which)
        if function:
            return function(y, *shapes)
        near, far = (self.cdf, self.sf) if which == "logcdf" else (self.sf, self.cdf)
        p = near(y, *shapes)
        large = p > 0.5  # there the logarithm would have the rounding error of 1
        complement = np.log1p(-where(large, far(y, *shapes), 0.5))
        p = where(large, 0.5, p)
        size = where(p > 0, stopped(p), 1.0)  # a constant: of 1e-200 the square is 0, and its reciprocal ∞
        return where(large, complement, np.log(p / size) + np.log(size))


def _depth(x: Any) -> int:
    """Return how many differentiations a number belongs to, of a power series its order."""
    return getattr(x, "order", 1) + _depth(x.primal) if is_number(type(x)) else 0


FAR = {"cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-np.inf, 0.0), "logsf": (0.0, -np.inf)}
"""The values below and above the support."""
QUANTILES = ("ppf", "isf")


@dataclass(frozen=True, kw_only=True)
class Continuous(Distribution):
    """A distribution with the density exp(log_density(y, *shapes)) on ``support``, y = (x − loc)/scale.

    ``open``: the density has its value outside at the ends of the support, too.
    """

    METHODS: ClassVar[tuple[str, ...]] = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
    LOCATED: ClassVar[tuple[str, ...]] = ("loc", "scale")

    log_density: Function
    density: Function | None = None
    edge: Function | None = None
    """The density in powers, for the ends of the support, where the logarithm may be infinite."""
    ppf: Function | None = None
    isf: Function | None = None
    support: tuple[float, float] = (-np.inf, np.inf)
    open: bool = False
    of_scale: bool = False
    """Whether density, cdf and sf are functions of x − loc and, after the shapes, of the scale, in the place of y."""

    def call(self, which: str, x: Any, *given: Any, **named: Any) -> Any:
        """Call a method at ``x``."""
        *shapes, loc, scale = self.parameters(which, given, named)
        x = real_double(x)
        with np.errstate(all="ignore"):
            if which in QUANTILES:
                return self._quantile(which, x, shapes, loc, scale)
            exists = self.exists(shapes, scale)
            if self.of_scale:
                y, shapes, scale = x - loc, [*shapes, scale], 1.0
            else:
                y = (x - loc) / scale
            inside, below, above = self._inside(y)
            if which in FAR:
                z = self.probability(which, inside, shapes)
                z = where(above, FAR[which][1], where(below, FAR[which][0], z))
            elif which == "pdf":
                z = where(above | below, 0.0, self._density(inside, shapes)) / scale
            else:
                z = where(above | below, -np.inf, self.log_density(inside, *shapes)) - np.log(scale)
            return z * exists

    def _inside(self, y: Any) -> tuple[Any, Any, Any]:
        """Return y, moved into the support where it is outside; where it is below, and where above."""
        low, high = self.support
        value = known(y)
        below = (value < low) | (value == -np.inf) | (self.open & (value == low))
        above = (value > high) | (value == np.inf) | (self.open & (value == high))
        outside = below | above
        return (y if nowhere(outside) else where(outside, self._interior, y)), below, above

    @property
    def _interior(self) -> float:
        """A point inside the support."""
        low, high = self.support
        return 0.5 * (low + high) if np.isfinite(high) else low + 1.0 if np.isfinite(low) else 0.0

    def _density(self, y: Any, shapes: list[Any]) -> Any:
        if self.density:
            return self.density(y, *shapes)
        at = (y == self.support[0]) | (y == self.support[1])
        if not self.edge or nowhere(at):
            return np.exp(self.log_density(y, *shapes))
        inner = np.exp(self.log_density(where(at, self._interior, y), *shapes))
        return where(at, self.edge(where(at, y, self.support[0]), *shapes), inner)

    def _quantile(self, which: str, q: Any, shapes: list[Any], loc: Any, scale: Any) -> Any:
        possible = (known(q) >= 0) & (known(q) <= 1)
        exists = self.exists(shapes, scale)
        if not nowhere(np.logical_not(possible)):
            q, exists = where(possible, q, 0.5), exists * where(possible, 1.0, np.nan)
        function = getattr(self, which)
        z = function(q, *shapes) if function else self._inverse(which, q, shapes)
        return (z * scale + loc) * exists

    def _inverse(self, which: str, q: Any, shapes: list[Any]) -> Any:
        """Take SciPy's quantile, its derivatives by Newton's method for F(x, θ) = q; each step doubles their order.

        They are right to one order more than there are differentiations: a Hessian goes forward through a recording.
        """
        sign = -1.0 if which == "ppf" else 1.0
        x = quantiles(getattr(scipy.stats, self.name), which, *map(read, (q, *shapes)))
        depth = max(map(_depth, (q, *shapes)))
        for _ in range((depth + 1).bit_length() if depth else 0):
            lower = self.cdf(x, *shapes)
            residual = where(lower > 0.5, -self.sf(x, *shapes), lower) + sign * q  # the nearer tail is accurate
            x = x - strong(1.0 / np.exp(self.log_density(x, *shapes)), residual - stopped(residual))
        return x


def quantiles(distribution: Any, which: str, *operands: Any) -> Any:
    """Return SciPy's quantiles at plain numbers and arrays; of lazy ones block by block."""
    function = getattr(distribution, which)
    return in_blocks(f"scipy.stats.{distribution.name}.{which}", function, map(type, operands))(*operands)


@dataclass(frozen=True, kw_only=True)
class Discrete(Distribution):
    """A distribution with the mass exp(log_mass(k, *shapes)) at the whole numbers from ``support(*shapes)``.

    ``whole`` names the shape parameters that are whole numbers: there is no derivative in them, nor in k of the mass;
    cumulative functions and quantiles are locally constant in k, loc and q.
    """

    METHODS: ClassVar[tuple[str, ...]] = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
    VARIABLE: ClassVar[str] = "k"
    LOCATED: ClassVar[tuple[str, ...]] = ("loc",)

    log_mass: Function
    quantile: Any
    """SciPy's distribution, for its ``ppf`` and ``isf``."""
    support: Function = lambda *shapes: (0.0, np.inf)
    whole: tuple[str, ...] = ()

    def call(self, which: str, x: Any, *given: Any, **named: Any) -> Any:
        """Call a method at ``x``, k or q."""
        *shapes, loc = self.parameters(which, given, named)
        x = real_double(x)
        if which in QUANTILES:
            return quantiles(self.quantile, which, *map(read, (x, *shapes, loc)))
        for name, value in zip(self.shapes, shapes, strict=True):
            if name in self.whole:
                self._refuse(which, name, value)
        with np.errstate(all="ignore"):
            low, high = self.support(*map(known, shapes))
            if which in FAR:
                k = np.floor(known(x) - known(loc))
                below, above = k < low, k >= high
            else:
                self._refuse(which, "k", x)
                self._refuse(which, "loc", loc)
                k = x - loc
                below = (k < low) | (k != np.floor(k)) | np.isinf(k)
                above = k > high
            k = np.where(np.isnan(k) | below | above, low, k)[()]
            exists = self.exists(shapes) * np.where(np.isnan(x), np.nan, 1.0)[()]
            if which in FAR:
                z = self.probability(which, k, shapes)
                z = where(above, FAR[which][1], where(below, FAR[which][0], z))
            else:
                z = self.log_mass(k, *shapes)
                z = where(above | below, *((0.0, np.exp(z)) if which == "pmf" else (-np.inf, z)))
            return z * exists

    def _refuse(self, which: str, name: str, value: Any) -> None:
        if is_number(type(value)):
            raise TypeError(
                f"{self.name}.{which} has no derivative in {name}, a whole number; give it as "
                f"autodiff.value_of({name}){user_line()}"
            )


def _at(variable: str, function: Function) -> Function:
    """Return a function of x, k or q, which may be given by that name."""
    return {
        "x": lambda x, *given, **named: function(x, *given, **named),
        "k": lambda k, *given, **named: function(k, *given, **named),
        "q": lambda q, *given, **named: function(q, *given, **named),
    }[variable]


class Frozen:
    """A distribution whose parameters are given once: ``norm(loc, scale).pdf(x)``."""

    def __init__(self, distribution: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._distribution, self._given, self._named = distribution, given, named

    def __getattr__(self, which: str) -> Any:
        if which.startswith("_"):  # while it is copied, it has no attributes yet
            raise AttributeError(which)
        method = getattr(self._distribution, which)
        variable = "q" if which in QUANTILES else "k" if which in ("pmf", "logpmf") else "x"
        return _at(variable, lambda x: method(x, *self._given, **self._named))


class Named:
    """A distribution as ``scipy.stats`` has it, with its methods; called with parameters, it freezes them."""

    def __init__(self, distribution: Continuous | Discrete) -> None:
        self._distribution = distribution
        self.__doc__ = f"As ``scipy.stats.{distribution.name}``: {', '.join(distribution.METHODS)}."
        for which in distribution.METHODS:
            method = _at("q" if which in QUANTILES else distribution.VARIABLE, partial(distribution.call, which))
            method.__name__, method.__doc__ = which, distribution.call.__doc__
            setattr(self, which, counterpart(f"stats.{distribution.name}.{which}")(method))

    def __call__(self, *given: Any, **named: Any) -> Frozen:
        """Return the distribution with these parameters."""
        self._distribution.parameters("frozen", given, named)  # raises what is wrong with them
        return Frozen(self, given, named)

    def __getattr__(self, which: str) -> Any:
        if which.startswith("_"):
            raise AttributeError(which)
        name, there = self._distribution.name, ", ".join(self._distribution.METHODS)
        raise AttributeError(f"scipy.stats.{name}.{which} cannot be differentiated here; there are {there}")

    def __reduce__(self) -> Any:
        """Name the distribution: there is one of each name; copied and pickled it is the same."""
        return by_name, (self._distribution.name,)


def by_name(name: str) -> Any:
    """Return the distribution of that name."""
    return getattr(import_module(__package__), name)
