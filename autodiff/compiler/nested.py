"""A compiled function called with numbers of a differentiation: one line of it, whose derivatives are compiled, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dualnumbers.several import parts

from ..calls.structures import flatten
from ..checkpoints.rerun import Rerun, passes, pulled
from ..forward import jvp

Function = Callable[..., Any]


class Derivatives:
    """The compiled push-forwards and pull-backs of a function, one for each choice of leaves among its arguments."""

    def __init__(self, f: Function, compiled: Callable[[Function], Function]) -> None:
        self.f, self._compiled = f, compiled
        self._known: dict[Any, Function] = {}

    def pull(self, places: tuple[int, ...]) -> Function:
        """Return the function of arguments, keywords and adjoints of the results that gives those of leaves."""
        return self._found((places, None), lambda: self._pull(places))

    def push(self, places: tuple[int, ...], moving: tuple[bool, ...]) -> Function:
        """Return the function of arguments, keywords and tangents of leaves that gives those of results with any."""
        return self._found((places, moving), lambda: self._push(places, moving))

    def _found(self, key: Any, make: Callable[[], Function]) -> Function:
        if key not in self._known:
            self._known[key] = self._compiled(make())
        return self._known[key]

    def _of_leaves(self, args: Any, keywords: Any, places: tuple[int, ...]) -> tuple[Function, list[Any]]:
        """Return f as a function of some leaves of its arguments, that gives the leaves of its result; and these."""
        leaves, rebuild = flatten((args, keywords))

        def program(*given: Any) -> list[Any]:
            own = dict(zip(places, given, strict=True))
            args, keywords = rebuild([own.get(k, x) for k, x in enumerate(leaves)])
            return flatten(self.f(*args, **keywords))[0]

        return program, [leaves[k] for k in places]

    def _pull(self, places: tuple[int, ...]) -> Function:
        def adjoints(args: Any, keywords: Any, g: Any) -> list[Any]:
            program, operands = self._of_leaves(args, keywords, places)
            return pulled(program, operands, range(len(operands)), g)

        return adjoints

    def _push(self, places: tuple[int, ...], moving: tuple[bool, ...]) -> Function:
        def tangents(args: Any, keywords: Any, given: Any) -> tuple[Any, ...]:
            program, operands = self._of_leaves(args, keywords, places)
            moved = lambda *xs: tuple(z for z, moves in zip(program(*xs), moving, strict=True) if moves)
            found: tuple[Any, ...] = jvp(moved, operands, given)[1]
            return found

        return tangents


class _Call(Rerun):
    """A call with numbers; its value is that of the compiled function."""

    def __init__(self, name: str, compiled: Function, derivatives: Derivatives, arguments: Any) -> None:
        super().__init__(name, derivatives.f, arguments)
        self.compiled, self.derivatives = compiled, derivatives

    @property
    def closes_over_numbers(self) -> bool:
        """Whether the function has numbers of a differentiation besides its arguments."""
        return bool(self._stand_ins)

    def called(self, function: Function, arguments: Any) -> Any:
        args, keywords = arguments
        return self.compiled(*args, **keywords)

    def push(self, tangents: dict[int, Any], z: Any, operands: Sequence[Any]) -> Any:
        args, keywords = self.bound(operands)[1]
        moving = tuple(map(passes, parts(z)))
        push = self.derivatives.push(tuple(self.places[k] for k in tangents), moving)
        pushed = iter(push(args, keywords, list(tangents.values())))
        found = tuple(next(pushed) if moves else None for moves in moving)
        return found if type(z) is tuple else found[0]

    def pull(self, g: Any, z: Any, operands: Sequence[Any]) -> list[Any]:
        args, keywords = self.bound(operands)[1]
        pull = self.derivatives.pull(tuple(self.places[k] for k in self.differentiated))
        found: list[Any] = [None] * len(operands)
        for k, adjoint in zip(self.differentiated, pull(args, keywords, list(parts(g))), strict=True):
            found[k] = adjoint
        return found


def call_of_numbers(name: str, compiled: Function, derivatives: Derivatives, args: Any, keywords: Any) -> Any:
    """Return what a compiled function gives of numbers of a differentiation, as one line of it.

    Where the function closes over such numbers itself, it is called as it stands.
    """
    call = _Call(name, compiled, derivatives, (args, keywords))
    return derivatives.f(*args, **keywords) if call.closes_over_numbers else call.result()
