"""A call of a program as one line of a tape, which is run again where a derivative needs what it computed.

Its operands are the arrays among the leaves of its arguments, the numbers of a differentiation among these, and those
that the program closes over; its value has the leaves of what the program returns. The push-forward runs it on dual
numbers, the pull-back records it, sweeps that tape and drops it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array, is_foreign
from dualnumbers.forms import dtype_of, shape
from dualnumbers.levels import Level, is_number, level_of, plain
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.dual import make
from dualnumbers.rules.shaping import array
from dualnumbers.several import parts
from dualnumbers.table.dispatch import leading
from dualnumbers.table.kinds import Active, Constant, Smooth, Times
from dualnumbers.table.row import own_row

from ..calls.closures import numbers_in, replaced
from ..calls.directions import same_bits, same_half
from ..calls.running import rerunning
from ..calls.structures import flatten
from ..calls.values import filled, read_only
from ..custom.rows import function_of_arrays, value_of_function
from ..custom.trees import rebuilding
from ..forward import jvp
from ..linearization import Recording

Function = Callable[..., Any]


class Rerun:
    """A call of ``function`` with ``arguments``, a structure of any kind."""

    writes = False
    """Whether the program may write to its arguments, of which it makes copies."""

    def __init__(self, name: str, function: Function, arguments: Any) -> None:
        self.name = name
        leaves, self._build = [_as_number(x) for x in flatten(arguments)[0]], rebuilding(arguments)
        self.places = [k for k, x in enumerate(leaves) if _is_operand(x)]
        """Which of the leaves are operands; those after them are numbers closed over."""
        closed = {id(x): x for x in numbers_in(function)}
        there = {key: make(0.0, 0.0, Level()) for key in closed}  # the row of a tape is to hold no number on it
        self._function, self._stand_ins = replaced(function, there, {}) if closed else function, list(there.values())
        self._operands = [*(leaves[k] for k in self.places), *closed.values()]
        self._leaves = [None if _is_operand(x) else x for x in leaves]
        self._rebuild: Function = iter
        self.differentiated: list[int] = []
        """The places of the operands that a derivative passes from."""

    def result(self) -> Any:
        """Return what the program returns, with its derivative; it is called once."""
        operands, self._operands = self._operands, []
        if not any(is_number(type(x)) for x in operands):
            return self.called(*self.bound(operands))
        self.differentiated = [k for k, x in enumerate(operands) if is_number(type(x)) and passes(x)]
        kinds = tuple(_Operand(self, k) if k in self.differentiated else Constant() for k in range(len(operands)))
        row = own_row(self.name, kinds, several=True, joint=lambda g, z, *xs: self.pull(g, z, xs))
        z = function_of_arrays(row, self._value)(*operands)
        return self._rebuild(z) if type(z) is tuple else z

    def bound(self, operands: Sequence[Any]) -> tuple[Function, Any]:
        """Return the function and its arguments around operands; plain arrays among these cannot be written to.

        An array that was a number, or that the program ``writes`` to, is one as long as any operand is.
        """
        leaves, leader = self._leaves.copy(), leading(operands)
        for place, (k, x) in enumerate(zip(self.places, operands, strict=False)):  # those closed over come after
            lower = leader is not None and level_of(x) < leader.level and shape(x)
            lifted = lower and (place in self.differentiated or (self.writes and passes(x)))
            leaves[k] = leader.constant(x) if lifted else read_only(x)
        return self.around(operands[len(self.places) :]), self._build(leaves)

    def around(self, closed: Sequence[Any]) -> Function:
        """Return the function around other numbers that it closes over."""
        if not self._stand_ins:
            return self._function
        there = zip(self._stand_ins, closed, strict=True)
        function: Function = replaced(self._function, {id(stand_in): x for stand_in, x in there}, {})
        return function

    def called(self, function: Function, arguments: Any) -> Any:
        """Return what the program returns; this is the program."""
        raise NotImplementedError

    def first_called(self, function: Function, arguments: Any) -> Any:
        """Return what the program returns when it is run for its value."""
        return self.called(function, arguments)

    @rerunning()
    def _value(self, *operands: Any) -> Any:
        """Return the leaves of what the program returns, a tuple where that is a structure."""
        out = self.first_called(*self.bound(operands))
        leaves, _ = flatten(out)
        values = tuple(value_of_function(self.name, filled(leaf), operands) for leaf in leaves)
        if len(leaves) == 1 and leaves[0] is out:
            return values[0]
        if not leaves:
            raise TypeError(f"{self.name} returned {out!r}: let it return numbers or arrays{user_line()}")
        self._rebuild = rebuilding(out)
        return values

    # ----------------------------------------------------------------------------------------- derivatives

    @rerunning()
    def push(self, tangents: dict[int, Any], z: Any, operands: Sequence[Any]) -> Any:
        """Return the tangent of the value, given those of operands by their places."""
        values, moving = parts(z), list(map(passes, parts(z)))

        def program(*seeded: Any) -> tuple[Any, ...]:
            given = list(operands)
            for place, x in zip(tangents, seeded, strict=True):
                given[place] = x
            leaves = flatten(self.called(*self.bound(given)))[0]
            self.check_same(leaves, values)
            return tuple(leaf for leaf, moves in zip(leaves, moving, strict=True) if moves)

        pushed = iter(jvp(program, [operands[place] for place in tangents], list(tangents.values()))[1])
        found = tuple(next(pushed) if moves else None for moves in moving)
        return found if type(z) is tuple else found[0]

    @rerunning()
    def pull(self, g: Any, z: Any, operands: Sequence[Any]) -> list[Any]:
        """Return the adjoints of the operands, given that of the value; None of one without a derivative."""

        def program(*given: Any) -> list[Any]:
            leaves = flatten(self.called(*self.bound(given)))[0]
            self.check_same(leaves, parts(z))
            return leaves

        return pulled(program, operands, self.differentiated, parts(g))

    def check_same(self, leaves: Sequence[Any], values: Sequence[Any]) -> None:
        """Raise RuntimeError where the program gave others than its first ``values`` when it was run again.

        Half of the digits must be the same: NumPy itself may round otherwise beside numbers of a differentiation.
        """
        if not are_same(leaves, values, _same_half):
            raise self.changed()

    def changed(self) -> RuntimeError:
        """Return the error for a program that gave two values."""
        return RuntimeError(
            f"{self.name} gave other values when it was run again, as it does where it draws random numbers, counts "
            "its calls or writes to what it uses: let it be a function of its arguments alone, and give it what was "
            f"drawn{user_line()}"
        )


class _Operand(Smooth):
    """The kind of an operand of such a call, of which all are pushed together."""

    __slots__ = ("rerun",)

    def __init__(self, rerun: Rerun, place: int) -> None:
        self.rerun = rerun
        super().__init__(lambda t, z, *xs: rerun.push({place: t}, z, xs), lambda g, z, *xs: rerun.pull(g, z, xs)[place])

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        return row.argument(active[0][0]).rerun.push(dict(active), z, xs)


def pulled(program: Function, operands: Sequence[Any], places: Sequence[int], g: Iterable[Any]) -> list[Any]:
    """Record a program and return the adjoints of its operands at places, given those of the leaves that it returns.

    They are None of other operands; those of leaves may be.
    """
    recording = Recording(program, operands, places)
    found: list[Any] = [None] * len(operands)
    for place, adjoint in zip(places, recording.pull(recording.out, list(g)), strict=True):
        found[place] = adjoint
    return found


def _as_number(x: Any) -> Any:
    """Return a leaf as a number, where it is an array that holds some."""
    x = filled(x)
    return array(x) if isinstance(x, np.ndarray) and x.dtype == object else x


def _is_operand(x: Any) -> bool:
    return is_number(type(x)) or isinstance(x, np.ndarray) or is_foreign(type(x))


def passes(x: Any) -> bool:
    """Return whether a derivative may pass from a value: none does from integers and truth values."""
    return dtype_of(x).kind in "fc"


def are_same(leaves: Sequence[Any], others: Sequence[Any], same: Function) -> bool:
    """Return whether leaves have the plain values of others, by what compares two arrays of one shape and type."""
    if len(leaves) != len(others):
        return False
    for x, y in zip(leaves, others, strict=True):
        x, y = as_array(plain(filled(x))), as_array(plain(filled(y)))
        if x.shape != y.shape or x.dtype != y.dtype or not same(x, y):
            return False
    return True


def _same_half(x: Any, y: Any) -> bool:
    return same_bits(x, y) or same_half(x, y)
