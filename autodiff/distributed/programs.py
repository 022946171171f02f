"""What is computed of one part: the loss, and its derivatives, as functions that travel.

A program takes a part and operands, which are numbers and arrays, and returns a tuple of such. Over the parts, an
operand is the same for all, or is ``split`` along an axis, a slice for each part; a result is added up, or ``stacked``
along an axis. The derivatives of a program are programs again: so there is every order. They are written with the
operators for functions of one process, and know nothing of where they run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import is_number

from ..calls.given import described
from ..calls.structures import flatten, map_leaves
from ..calls.values import name_of
from ..forward import jvp
from ..operators.products import gnvp
from ..reverse import grad, value_and_grad, vjp

Axes = tuple[int | None, ...]
Results = tuple[Any, ...]


class Program:
    """A function of a part and of operands; a subclass writes ``__call__``."""

    __name__ = "program"

    def __init__(self, split: Axes, stacked: Axes) -> None:
        self.split, self.stacked = split, stacked
        """For each operand the axis along which the parts have their slices, for each result that of the parts."""
        self._derived: dict[Any, Program] = {}

    def __call__(self, part: Any, *operands: Any) -> Results:
        raise NotImplementedError(f"{type(self).__name__}.__call__")

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_derived": {}}

    def derived(self, kind: Callable[..., Program], *given: Any) -> Program:
        """Return ``kind(self, *given)``, the same object at every call."""
        key = kind, given
        if key not in self._derived:
            self._derived[key] = kind(self, *given)
        return self._derived[key]


class Structured:
    """Leaves put together as an example is."""

    def __init__(self, example: Any) -> None:
        self.skeleton = map_leaves(lambda _: 0.0, example)
        self._rebuild = flatten(self.skeleton)[1]

    def __call__(self, leaves: Sequence[Any]) -> Any:
        return self._rebuild(leaves)

    def __reduce__(self) -> tuple[type[Self], tuple[Any]]:
        return type(self), (self.skeleton,)


class Loss(Program):
    """The loss of a part, by the leaves of θ; over the parts it is added up, or stacked."""

    def __init__(self, function: Any, build: Structured, count: int, axis: int | None) -> None:
        super().__init__((None,) * count, (axis,))
        self.function, self.build, self.__name__ = function, build, name_of(function)

    def __call__(self, part: Any, *leaves: Any) -> Results:
        z = self.function(self.build(leaves), part)
        if not (is_number(type(z)) or isinstance(z, (int, float, np.generic, np.ndarray))):
            raise TypeError(
                f"the loss of a part is one real number, and {name_of(self.function)} returned {described(z)}"
            )
        if shape(z) or is_unreal(z):
            what = f"an array of shape {shape(z)}: sum it" if shape(z) else "a complex number: take its abs"
            raise TypeError(f"the loss of a part is one real number, and {name_of(self.function)} returned {what}")
        return (z,)


class WithGradient(Program):
    """The value of a loss and its gradient by the leaves at ``places``; without ``value`` the gradient alone."""

    def __init__(self, loss: Program, places: tuple[int, ...], value: bool) -> None:
        super().__init__(loss.split, loss.stacked * (value + len(places)))
        self.loss, self.places, self.value = loss, places, value

    def __call__(self, part: Any, *leaves: Any) -> Results:
        def of_leaves(*leaves: Any) -> Any:
            return self.loss(part, *leaves)[0]

        of_leaves.__name__ = self.loss.__name__
        if self.value:
            value, gradient = value_and_grad(of_leaves, self.places)(*leaves)
            return value, *gradient
        return tuple(grad(of_leaves, self.places)(*leaves))


class Composed:
    """The loss of a part by what a model makes of it: ``loss(model(θ, part), part)``."""

    def __init__(self, loss: Callable[[Any, Any], Any], model: Callable[[Any, Any], Any]) -> None:
        self.loss, self.model, self.__name__ = loss, model, name_of(loss)

    def __call__(self, theta: Any, part: Any) -> Any:
        return self.loss(self.model(theta, part), part)


class GaussNewton(Program):
    """Jᵀ H J v of the loss of what a model returns, by the leaves of θ and then those of v."""

    def __init__(self, loss: Loss) -> None:
        count = len(loss.split)
        super().__init__((None,) * (2 * count), (None,) * count)
        self.composed, self.build = loss.function, loss.build

    def __call__(self, part: Any, *operands: Any) -> Results:
        count, model, loss = len(self.stacked), self.composed.model, self.composed.loss
        product = gnvp(lambda theta: model(theta, part), lambda out: loss(out, part))
        return tuple(flatten(product(self.build(operands[:count]), self.build(operands[count:])))[0])


# --------------------------------------------------------------------------------------------- of any program


class Pushed(Program):
    """The tangents of a program's results, by its operands and then the tangents of those at ``places``."""

    def __init__(self, program: Program, places: tuple[int, ...]) -> None:
        super().__init__((*program.split, *(program.split[k] for k in places)), program.stacked)
        self.program, self.places = program, places

    def __call__(self, part: Any, *operands: Any) -> Results:
        count = len(self.program.split)
        moved = _of_some(self.program, part, operands[:count], self.places)
        return tuple(jvp(moved, [operands[k] for k in self.places], list(operands[count:]))[1])


class Pulled(Program):
    """The adjoints of a program's operands at ``places``, by its operands and then the adjoints of its results."""

    def __init__(self, program: Program, places: tuple[int, ...]) -> None:
        super().__init__((*program.split, *program.stacked), tuple(program.split[k] for k in places))
        self.program, self.places = program, places

    def __call__(self, part: Any, *operands: Any) -> Results:
        count = len(self.program.split)
        moved = _of_some(self.program, part, operands[:count], self.places)
        _, pullback = vjp(moved, *(operands[k] for k in self.places))
        return tuple(pullback(operands[count:]))


class Members(Program):
    """A program for many operands at a time: those that are ``members`` have them along a first axis, and results."""

    def __init__(self, program: Program, members: tuple[bool, ...]) -> None:
        split = tuple(None if axis is None else axis + m for axis, m in zip(program.split, members, strict=True))
        super().__init__(split, tuple(None if axis is None else axis + 1 for axis in program.stacked))
        self.program, self.members = program, members

    def __call__(self, part: Any, *operands: Any) -> Results:
        count, found = shape(operands[self.members.index(True)])[0], []
        for place in range(count):
            member = (x[place] if of_members else x for x, of_members in zip(operands, self.members, strict=True))
            found.append(self.program(part, *member))
        return tuple(np.stack(results) for results in zip(*found, strict=True))


def _of_some(program: Program, part: Any, operands: Sequence[Any], places: Sequence[int]) -> Callable[..., Results]:
    """Return a program as a function of its operands at places alone."""

    def moved(*some: Any) -> Results:
        given = list(operands)
        for place, x in zip(places, some, strict=True):
            given[place] = x
        return program(part, *given)

    return moved
