"""The push-forward through a recorded tape: tangents of its lines from those of its inputs, the sweep forward.

Of many directions at a time the tangents are batches. On the way those of plain arrays are the arrays of their members:
to make a batch of each, and to take it apart at the next line, would take as long as the products of small ones do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.levels import Level
from dualnumbers.numbers.batch import BatchArray, BatchNumber, FloatBatch, batch
from dualnumbers.numbers.weighted import MULTILINEAR, applied, moved, summed
from dualnumbers.table.partials import evaluate_partial, numpy_float

from .wengert import Tape

ndarray = np.ndarray

LARGE = 1 << 18
"""From so many bytes on a tangent goes as soon as no further line reads it."""


def tangents(
    tape: Tape, seeds: dict[int, Any], lines: Sequence[int], wanted: Sequence[int] | None = None
) -> dict[int, Any]:
    """Return the tangents of lines, in order, given those of input lines: a linear map at the point of the recording.

    A line that depends on no seed has none, and is not among them; where only some are ``wanted``, others may lack,
    too. The caller ignores what NumPy warns of.
    """
    tape.check_captured()
    done = _read_last(tape, lines, wanted) if wanted is not None and any(map(_is_large, seeds.values())) else {}
    members = _Members(seeds.values())
    found = {line: members.of(t) for line, t in seeds.items()} if members.lead else dict(seeds)
    rows, first, second, values, lead = tape.rows, tape.first, tape.second, tape.values, members.lead
    for line in lines:
        row = rows[line]
        if row is None or row.is_constant:
            continue
        tangent = None
        if row.inline is not None:
            a, b = first[line], second[line]
            s, t = found.get(a), found.get(b)
            if s is None and t is None:
                continue
            x, z = values[a] if a >= 0 else tape.value(a), values[line]
            if type(z) is ndarray:
                xs = (x,) if row.inline[1] is None else (x, values[b] if b >= 0 else tape.value(b))
                tangent = summed(row.inline, z, xs, (s, t), lead)
            else:
                xs = (x,) if row.inline[1] is None else (x, tape.value(b))
                tangent = _of_number(row.inline, z, xs, s, t, lead)
        elif (row.is_linear and row.arity == 1) or (row.kinds == MULTILINEAR and row.arity == 2):
            a, b = first[line], second[line]
            s, t = found.get(a), found.get(b)
            if s is None and t is None:
                continue
            alone = s if t is None else t
            if type(alone) is ndarray and (s is None or t is None):
                xs = (values[a],) if row.arity == 1 else (tape.value(a), tape.value(b))
                tangent = moved(row, values[line], xs, int(s is None), alone, tape.static.get(line, ()), lead)
        if tangent is None:
            tangent = _of_any(tape, line, found, members)
        if tangent is not None:
            found[line] = tangent
        for operand in done.get(line, ()):
            found.pop(operand, None)
    if not lead:
        return found
    given = found if wanted is None else [line for line in wanted if line in found]
    return {line: members.together(found[line]) for line in given}


class _Members:
    """The members of the batches of one level: as plain arrays, along a first axis, or together as numbers.

    Where the seeds are no batches of plain arrays, tangents are what they are.
    """

    def __init__(self, seeds: Iterable[Any]) -> None:
        batches = [t for t in seeds if type(t) is BatchArray and type(t.data) is ndarray]
        self.level: Level | None = batches[0].level if batches else None
        self.count = len(batches[0].data) if batches else 0
        self.lead = int(bool(batches))

    def of(self, t: Any) -> Any:
        """Return a tangent as the array of its members, where it is a batch of plain arrays of the level, or has none.

        A few floats stay what they are.
        """
        kind = type(t)
        if self.level is None or kind is FloatBatch:
            return t
        if isinstance(t, BatchNumber):
            return t.data if t.level is self.level and type(t.data) is ndarray else t
        return np.broadcast_to(t, (self.count, *t.shape)) if kind is ndarray else t

    def together(self, t: Any) -> Any:
        """Return a tangent as a number."""
        return batch(t, self.level) if type(t) is ndarray and self.level is not None else t


def _is_large(tangent: Any) -> bool:
    return isinstance(tangent, BatchNumber) and getattr(tangent.data, "nbytes", 0) >= LARGE


def _read_last(tape: Tape, lines: Sequence[int], wanted: Iterable[int]) -> dict[int, list[int]]:
    """Return for each line the lines that it is the last one to read, of those that are not wanted."""
    last = {operand: line for line in lines for operand in tape.operands(line)}
    kept, done = set(wanted), dict[int, list[int]]()
    for operand, line in last.items():
        if operand not in kept:
            done.setdefault(line, []).append(operand)
    return done


def _of_any(tape: Tape, line: int, found: dict[int, Any], members: _Members) -> Any:
    """Return the tangent of any line, None where it has none."""
    row, operands = tape.rows[line], tape.operands(line)
    assert row is not None
    active = [
        (k, members.together(found[operand]))
        for k, operand in enumerate(operands)
        if operand in found and row.passes(k)
    ]
    if not active:
        return None
    z, xs, static = tape.values[line], list(map(tape.value, operands)), tape.static.get(line, ())
    tangent = applied(row, z, xs, active, static)
    return members.of(row.push(z, xs, active, static) if tangent is None else tangent)


def _of_number(partials: Any, z: Any, xs: tuple[Any, ...], s: Any, t: Any, lead: int) -> Any:
    """Return the tangent of a line that is elementwise and no array, None where `_of_any` is to find it."""
    if type(z) is numpy_float:
        z, xs = float(z), tuple([float(x) if type(x) is numpy_float else x for x in xs])
    elif type(z) is not float:
        return None
    if lead and (type(s) is ndarray or type(t) is ndarray):
        return summed(partials, z, xs, (s, t), lead)
    total = None
    for p, tangent in ((partials[0], s), (partials[1], t)):
        if tangent is None:
            continue
        if type(tangent) is not float and type(tangent) is not FloatBatch:
            return None
        if type(p) is not float:
            p = evaluate_partial(p, *xs, z)
            if type(p) is int:
                p = float(p)
            elif type(p) is not float:
                return None
        term = tangent if p == 1.0 else p * tangent
        total = term if total is None else total + term
    return total
