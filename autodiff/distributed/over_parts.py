"""A program over all parts as a differentiable function: a row whose derivatives are programs over all parts again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, shape, zeros_like
from dualnumbers.levels import is_number
from dualnumbers.several import parts
from dualnumbers.table import Row
from dualnumbers.table.kinds import Active, Constant, Smooth, Times

from ..calls.directions import same_bits
from ..custom.rows import function_of_arrays
from .programs import Members, Program, Pulled, Pushed, Results, WithGradient
from .teams import Team

Known = dict[str, tuple[Sequence[Any], Results]]


class OverParts:
    """The results of a program over the parts of a team, by its operands; a tuple."""

    def __init__(self, team: Team, program: Program, compiled: bool) -> None:
        self.team, self.program, self.compiled = team, program, compiled

    def __call__(self, *operands: Any) -> Results:
        if not any(is_number(type(x)) for x in operands):
            return self.value(operands)
        kinds = tuple(_Operand(self, k) if passes(x) else Constant() for k, x in enumerate(operands))
        row = Row("over_parts", kinds, several=True, batched=self.members, joint=lambda g, z, *xs: self.pull(g, z, xs))
        return parts(function_of_arrays(row, self._value)(*operands))

    def value(self, operands: Sequence[Any]) -> Results:
        """Return the results at plain operands."""
        return self.team.evaluated(self.program, self.compiled, operands)

    def _value(self, *operands: Any) -> Any:
        found = self.recorded_value(operands)
        return found if len(found) > 1 else found[0]

    def recorded_value(self, operands: Sequence[Any]) -> Results:
        """Return the results at plain operands where a derivative will be asked for."""
        return self.value(operands)

    def other(self, kind: Any, *given: Any) -> OverParts:
        """Return a program that is derived from this one over the same parts."""
        return OverParts(self.team, self.program.derived(kind, *given), self.compiled)

    def members(self, apply: Any, operands: Sequence[Any], members: Sequence[bool]) -> Any:
        """Return the results of all members, as the row does a batch."""
        found = self.other(Members, tuple(members))(*operands)
        return found if len(found) > 1 else found[0]

    def push(self, tangents: dict[int, Any], z: Any, operands: Sequence[Any]) -> Any:
        """Return the tangent of the results, given those of operands by their places."""
        found = self.other(Pushed, tuple(tangents))(*operands, *tangents.values())
        return found if type(z) is tuple else found[0]

    def pull(self, g: Any, z: Any, operands: Sequence[Any]) -> list[Any]:
        """Return the adjoints of the operands, given those of the results; None of one without a derivative."""
        places = tuple(k for k, x in enumerate(operands) if passes(x))
        cotangents = [zeros_like(x) if h is None else h for h, x in zip(parts(g), parts(z), strict=True)]
        return _at(places, self.other(Pulled, places)(*operands, *cotangents), len(operands))


class LossOverParts(OverParts):
    """The loss of the parts, added up or stacked: its gradient comes with the value, in one pass over the parts."""

    def __init__(self, team: Team, program: Program, compiled: bool) -> None:
        super().__init__(team, program, compiled)
        self.latest: tuple[Sequence[Any], Results] | None = None
        """The point of the latest value, and the gradient there."""

    def recorded_value(self, operands: Sequence[Any]) -> Results:
        places = _places(operands)
        value, *gradient = self.other(WithGradient, places, True).value(operands)
        self.latest = [np.array(x) for x in operands], tuple(gradient)
        return (value,)

    def gradient(self, operands: Sequence[Any]) -> Results:
        """Return the gradient by the operands that have one; where it came with the value, no part is asked again."""
        return _Gradient(self, _places(operands))(*operands)

    def push(self, tangents: dict[int, Any], z: Any, operands: Sequence[Any]) -> Any:
        slopes = dict(zip(_places(operands), self.gradient(operands), strict=True))
        axis = self.program.stacked[0]
        terms = [_product(slopes[k], t, 0 if axis is None else 1) for k, t in tangents.items()]
        return sum(terms[1:], terms[0])

    def pull(self, g: Any, z: Any, operands: Sequence[Any]) -> list[Any]:
        stacked, slopes = self.program.stacked[0] is not None, self.gradient(operands)
        found = [np.tensordot(g, slope, 1) if stacked else g * slope for slope in slopes]
        return _at(_places(operands), found, len(operands))


class _Gradient(OverParts):
    """The gradient of the loss of the parts."""

    def __init__(self, loss: LossOverParts, places: tuple[int, ...]) -> None:
        super().__init__(loss.team, loss.program.derived(WithGradient, places, False), loss.compiled)
        self.loss = loss

    def value(self, operands: Sequence[Any]) -> Results:
        if self.loss.latest is not None:
            point, gradient = self.loss.latest
            if all(map(_is_same, map(np.asarray, operands), point)):
                return gradient
        return super().value(operands)


class _Operand(Smooth):
    """The kind of an operand, of which all are pushed together."""

    __slots__ = ("over",)

    def __init__(self, over: OverParts, place: int) -> None:
        self.over = over
        super().__init__(lambda t, z, *xs: over.push({place: t}, z, xs), lambda g, z, *xs: over.pull(g, z, xs)[place])

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        return row.argument(active[0][0]).over.push(dict(active), z, xs)


def passes(x: Any) -> bool:
    """Return whether a derivative may pass through a value: none does through whole numbers."""
    return dtype_of(x).kind in "fc"


def _places(operands: Sequence[Any]) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(operands) if passes(x))


def _at(places: Sequence[int], found: Sequence[Any], count: int) -> list[Any]:
    whole: list[Any] = [None] * count
    for place, x in zip(places, found, strict=True):
        whole[place] = x
    return whole


def _is_same(x: Any, y: Any) -> bool:
    return x.shape == y.shape and x.dtype == y.dtype and same_bits(x, y)


def _product(slope: Any, t: Any, first: int) -> Any:
    """Return the sum of the products of partials and a tangent, over the axes from ``first`` on."""
    product = np.real(np.conj(slope) * t)
    return np.sum(product, axis=tuple(range(first, len(shape(product)))))
