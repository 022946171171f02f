"""A recorded program at other inputs: what the function returns there, without a call of it.

A recording follows one path through the function. Wherever the function, or a rule, decided by a value or made a
constant of one, the tape has a guard: the line that was read, and the user's line of code that read it. A run at other
inputs compares, so it gives what the function gives there, or says where that would have gone another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import dtype_of, shape, type_of
from dualnumbers.levels import has_nan, plain
from dualnumbers.messages.frames import Reader
from dualnumbers.numbers.typed import unwrapped
from dualnumbers.several import parts

from ..calls.places import arguments
from ..calls.structures import flatten, map_leaves
from ..calls.values import differentiable
from .answers import Answer
from .outline import is_same, outline
from .program import Line
from .recorder import Recorder
from .variable import Variable
from .wengert import Tape


class DivergedError(RuntimeError):
    """At these inputs the recorded function would have gone another way."""


class Recorded(NamedTuple):
    """What a recorded function takes and gives, and by which values it went its way."""

    inputs: tuple[Any, ...]
    """For each leaf of the arguments its shape, dtype and type."""
    outline: list[Any]
    """What the arguments are without their leaves: the function may have decided by it."""
    returned: Any
    """What it returned, with a `Line` in the place of each Variable of the tape."""
    guards: dict[int, Reader | None]
    """The lines whose plain values it read, each with the user's line of code that read it."""
    answers: dict[int, list[Answer]]
    """The lines of which a rule asked something to decide by, with the answers."""


def finish(tape: Recorder, args: Sequence[Any], out: Any) -> None:
    """Let a tape know what it needs to be run again; from now on it notes no more."""

    def line_of(leaf: Any) -> Any:
        return Line(leaf.line) if isinstance(leaf, Variable) and leaf.tape is tape else leaf

    returned = map_leaves(line_of, out)
    noted, tape.guards, tape.answers = (tape.guards or {}, tape.answers), None, {}
    tape.recorded = Recorded(tuple(map(_form, _leaves(args))), list(map(outline, args)), returned, *noted)
    tape.outputs = [int(leaf) for leaf in flatten(returned)[0] if type(leaf) is Line]


def run(tape: Tape, args: Sequence[Any]) -> Any:
    """Return what the recorded function returns at other arguments. Raise `DivergedError` where it went another way.

    Raises TypeError where an argument has another shape or type than when it was recorded, or another string or None.
    """
    recorded = tape.recorded
    if recorded is None:
        raise TypeError("only a tape of autodiff.record can be run at other inputs")
    args = arguments(None, args)
    inputs = _leaves(args)
    forms = tuple(map(_form, inputs))
    if forms != recorded.inputs:
        raise TypeError(f"the function was recorded with arguments {_named(recorded.inputs)}, not {_named(forms)}")
    if not is_same(list(map(outline, args)), recorded.outline):
        raise TypeError(
            "the function was recorded with arguments of another structure: other keys, classes, strings, "
            "or constants in them"
        )
    values = _values(tape, recorded, inputs)
    return map_leaves(lambda x: unwrapped(values[x] if type(x) is Line else x), recorded.returned)


def _values(tape: Tape, recorded: Recorded, inputs: Sequence[Any]) -> list[Any]:
    """Compute the values of all lines of a tape for other inputs."""
    guards, answers, values = recorded.guards, recorded.answers, list(tape.values)
    now = tape.at(values)
    for line, x in zip(tape.inputs, inputs, strict=True):
        if _order(x) != _order(values[line]):
            raise DivergedError(
                f"an array of shape {shape(x)} has its elements in another order in memory than when "
                "the function was recorded: give np.asarray(x, order=...)"
            )
        values[line] = x
    for line, row in enumerate(tape.rows):
        if row is not None:
            values[line] = now.evaluated(line)
            forms, known = map(forms_of, (values[line], tape.values[line]))
            if forms != known:
                raise DivergedError(
                    f"{row.shown} gives {_named(forms)} here, where the recorded function went on with {_named(known)}"
                )
        if line in guards and not same(values[line], tape.values[line]):
            raise DivergedError(f"the recorded function goes another way here: {guards[line] or row}")
        for noted in answers.get(line, ()):
            _check_answer(noted, values[line], row)
    return values


def _check_answer(noted: Answer, value: Any, row: Any) -> None:
    """Raise `DivergedError` where what was asked of a line's value has another answer now."""
    answer = noted.question(plain(value), *noted.static)
    if noted.question is has_nan and answer is not noted.answer:
        raise DivergedError(
            f"an adjoint {'is NaN there' if noted.answer else 'is NaN here'} and not "
            f"{'here' if noted.answer else 'where it was recorded'}: {row}"
        )
    if not all(map(same, parts(answer), parts(noted.answer))):
        raise DivergedError(f"the recorded function goes another way here: {noted.place or row}")


def _leaves(args: Sequence[Any]) -> list[Any]:
    return [differentiable(leaf, f"argument {k}") for k, x in enumerate(args) for leaf in flatten(x)[0]]


def _form(x: Any) -> tuple[Any, ...]:
    return shape(x), dtype_of(x), type_of(x)


def forms_of(z: Any) -> tuple[Any, ...]:
    """Return the shape, dtype and type of a value, of each result of several."""
    return tuple(map(_form, parts(z)))


def _order(x: Any) -> tuple[bool, bool] | None:
    """Return whether an array lies in C's order, and in Fortran's; None of what is no plain array."""
    x = plain(x)
    return (x.flags.c_contiguous, x.flags.f_contiguous) if type(x) is np.ndarray else None


def _named(forms: Sequence[Any]) -> str:
    return ", ".join(f"{kind.__name__} {dtype}{list(of)}" for of, dtype, kind in forms)


def same(x: Any, y: Any) -> bool:
    """Return whether two values, or the results of two, hold the same, NaN for NaN."""
    if type(x) is tuple or type(y) is tuple:
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    x, y = plain(x), plain(y)
    if np.shape(x) != np.shape(y):
        return False
    with np.errstate(all="ignore"):
        return bool(np.all((x == y) | ((x != x) & (y != y))))
