"""Functions of NumPy arrays as another library takes them: flat, of a number of arrays, with a flat pull-back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of

from ..calls.structures import flatten
from ..forward import jvp
from ..reverse import vjp

Arrays = tuple[Any, ...]


class Flat:
    """A function of arrays that returns a tuple of arrays; its derivatives, which leave integers out, are such, too."""

    def __init__(self, function: Callable[..., Sequence[Any]], name: str) -> None:
        self.function, self.name = function, name

    def __call__(self, *xs: Any) -> Arrays:
        """Return the results at plain arrays."""
        return tuple(map(np.asarray, self.function(*xs)))

    def moving(self, xs: Sequence[Any]) -> list[int]:
        """Return the places of the arrays that carry a derivative."""
        return [k for k, x in enumerate(xs) if x.dtype.kind in "fc"]

    def _by(self, places: Sequence[int], xs: Sequence[Any]) -> Callable[..., Any]:
        """Return the results that carry a derivative as a function of the arrays at some places."""

        def of_moving(*given: Any) -> Arrays:
            values = dict(zip(places, given, strict=True))
            outs = self.function(*(values.get(k, x) for k, x in enumerate(xs)))
            return tuple(out for out in outs if dtype_of(out).kind in "fc")

        return of_moving

    def pulled(self, count: int) -> Flat:
        """Return ``(*cotangents, *xs)`` → the adjoints of the arrays that move; ``count`` cotangents."""

        def function(*given: Any) -> Sequence[Any]:
            cotangents, xs = given[:count], given[count:]
            places = self.moving(xs)
            return list(vjp(self._by(places, xs), *(xs[k] for k in places))[1](tuple(cotangents)))

        return Flat(function, f"the pull-back of {self.name}")

    def pushed(self, count: int) -> Flat:
        """Return ``(*tangents, *xs)`` → the tangents of the results that move; ``count`` tangents, of what moves."""

        def function(*given: Any) -> Sequence[Any]:
            tangents, xs = given[:count], given[count:]
            places = self.moving(xs)
            return list(jvp(self._by(places, xs), [xs[k] for k in places], list(tangents))[1])

        return Flat(function, f"the push-forward of {self.name}")


class Taken:
    """A call of a function with structures, as one of a `Flat`: its leaves, and what puts the results together."""

    def __init__(
        self, function: Callable[..., Any], name: str, arguments: Sequence[Any], is_array: Callable[[Any], bool]
    ) -> None:
        leaves, rebuild = flatten(list(arguments))
        places = [k for k, x in enumerate(leaves) if is_array(x)]
        self.arrays = [leaves[k] for k in places]
        self.rebuild: Callable[[Sequence[Any]], Any]

        def flat(*xs: Any) -> Sequence[Any]:
            values = dict(zip(places, xs, strict=True))
            outs, self.rebuild = flatten(function(*rebuild(values.get(k, x) for k, x in enumerate(leaves))))
            return outs

        self.flat = Flat(flat, name)
