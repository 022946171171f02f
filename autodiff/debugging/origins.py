"""Where the NaN or infinity on a line of a tape comes from, in its value, its adjoint or its tangent.

Each walk goes from a result that is not finite to what made it so, and ends at the line where it is not finite although
what it is made of is. An operand that is not finite is no cause if the result does not change with it, as a branch of
`np.where` that was not chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import plain
from dualnumbers.numbers.batch import BatchNumber

from ..tape.listing import brief, expression_of, variable_names
from ..tape.wengert import Tape
from .finite import at_fault, faults, is_faulty, mended


def of_value(tape: Tape, line: int) -> str:
    """Say where the NaN or infinity in the value of a line arose."""
    while causes := [read for place, read, _ in tape.reads(line) if _makes_faulty(tape, line, place)]:
        line = min(causes)
    bad, place = at_fault(tape.values[line])
    if line in tape.inputs:
        return f"{_code(tape, line)} is {bad}{_element(place)}"
    return f"{_code(tape, line)} gives {bad}{_element(place)}: {_row(tape, line, place)}{_where(tape, line)}"


def _makes_faulty(tape: Tape, line: int, place: int) -> bool:
    """Return whether a line has more elements that are not finite because the operand at a place has such."""
    row, xs = tape.rows[line], [plain(tape.value(operand)) for operand in tape.operands(line)]
    if row is None or not is_faulty(xs[place]):
        return False
    z, xs[place] = tape.values[line], mended(xs[place])
    with np.errstate(all="ignore"):
        other = row.face_of(plain(z)).evaluate(*xs, *tape.static.get(line, ()))
    return bool(np.sum(faults(other)) < np.sum(faults(z)))


def of_adjoint(tape: Tape, found: Sequence[Any], line: int) -> str:
    """Say where the NaN or infinity in the adjoint of a line arose; ``found`` are those of all lines."""
    readers: dict[int, list[tuple[int, int]]] = {}
    for reader in range(len(tape)):
        for place, read, passes in tape.reads(reader):
            if passes and found[reader] is not None:
                readers.setdefault(read, []).append((reader, place))
    while True:
        passed = [
            (reader, place, _passed(tape, reader, place, found[reader])) for reader, place in readers.get(line, ())
        ]
        passed = [(reader, place, c) for reader, place, c in passed if is_faulty(c)]
        first = next((x for x in passed if not is_faulty(found[x[0]])), None)
        if first is not None:
            return _of_pull(tape, *first, found, line)
        if not passed:
            bad, at = at_fault(found[line])
            return (
                f"the sum of adjoints that reach {_code(tape, line)}, or the cotangent given, is "
                f"{bad}{_element(at)}{_where(tape, line)}"
            )
        line = max(reader for reader, _, _ in passed)


def _passed(tape: Tape, reader: int, place: int, g: Any) -> Any:
    """Return what a line passes to the operand at a place."""
    row, xs = tape.rows[reader], [tape.value(operand) for operand in tape.operands(reader)]
    assert row is not None
    with np.errstate(all="ignore"):
        return row.pull(place, g, tape.values[reader], xs, tape.static.get(reader, ()))


def _of_pull(tape: Tape, reader: int, operand: int, passed: Any, found: Sequence[Any], line: int) -> str:
    alike = shape(passed) == shape(found[line])
    bad, place = at_fault(found[line] if alike else passed)
    by = f" by operand {operand}" if len(tape.operands(reader)) > 1 else ""
    return (
        f"the sweep back through {_code(tape, reader)} gives {bad}{_element(place)}: the derivative{by} of "
        f"{_row(tape, reader, place)}, times the adjoint {_element_of(found[reader], place)}"
        f"{_where(tape, reader)}"
    )


def of_tangent(tape: Tape, found: dict[int, Any], line: int) -> str:
    """Say where the NaN or infinity in the tangent of a line arose; ``found`` are those of the lines that have one."""
    while causes := [
        read
        for place, read, passes in tape.reads(line)
        if passes and is_faulty(found.get(read)) and is_faulty(_pushed(tape, line, place, found[read]))
    ]:
        line = min(causes)
    bad, place = at_fault(found[line])
    if line in tape.inputs:
        return f"the tangent of {_code(tape, line)} is {bad}{_element(place)}"
    along = ", ".join(
        _element_of(found[read], place) for _, read, passes in tape.reads(line) if passes and read in found
    )
    return (
        f"the tangent of {_code(tape, line)} is {bad}{_element(place)}: the derivative of "
        f"{_row(tape, line, place)}, along the tangent {along}{_where(tape, line)}"
    )


def _pushed(tape: Tape, line: int, place: int, t: Any) -> Any:
    """Return what a line makes of the tangent of the operand at a place."""
    row, xs = tape.rows[line], [tape.value(operand) for operand in tape.operands(line)]
    assert row is not None
    with np.errstate(all="ignore"):
        return row.push(tape.values[line], xs, [(place, t)], tape.static.get(line, ()))


# ---------------------------------------------------------------------------------------------- in words


def _code(tape: Tape, line: int) -> str:
    """Return the user's code that a line comes from, or where that is not known what the line computes."""
    source = tape.sources[line] if tape.sources else None
    if line in tape.inputs:
        return f"input {tape.inputs.index(line)} of the function"
    if source is None:
        return f"`{expression_of(tape, line, variable_names(len(tape), {}))}`"
    return f"`{source.text[source.start : source.end]}`"


def _where(tape: Tape, line: int) -> str:
    source = tape.sources[line] if tape.sources else None
    return f" (line {line} of the tape)" if source is None else f" ({source.where})"


def _row(tape: Tape, line: int, place: tuple[int, ...]) -> str:
    """Write what a line computes of which values: those of an element where it goes element by element."""
    row = tape.rows[line]
    assert row is not None
    values = [plain(tape.value(operand)) for operand in tape.operands(line)]
    shown = [x for x in values if getattr(x, "shown", True)]
    return f"{row.shown} of {', '.join(_element_of(x, place if row.is_elementwise else ()) for x in shown)}"


def _element(place: tuple[int, ...]) -> str:
    return f" at element {list(place)}" if place else ""


def _element_of(x: Any, place: tuple[int, ...]) -> str:
    """Write the element of a value that goes with one of a result, or the value in short; of a batch every member's."""
    if type(x) is tuple or x is None:
        return brief(x)
    if isinstance(x, BatchNumber):
        return brief(np.stack([_part(member, place) for member in plain(x.data)]))
    return brief(_part(plain(x), place))


def _part(value: Any, place: tuple[int, ...]) -> Any:
    own = shape(value)
    if place and 0 < len(own) <= len(place):
        ends = place[len(place) - len(own) :]
        if all(k < n or n == 1 for k, n in zip(ends, own, strict=True)):
            return value[tuple(0 if n == 1 else k for k, n in zip(ends, own, strict=True))]
    return value
