"""The push-forward through a recorded tape: tangents of its lines from those of its inputs, the sweep forward."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.numbers.batch import BatchNumber, FloatBatch
from dualnumbers.numbers.weighted import applied, weighted
from dualnumbers.table.partials import evaluate_partial, numpy_float

from .wengert import Tape

LARGE = 1 << 18
"""From so many bytes on a tangent goes as soon as no further line reads it."""


def tangents(tape: Tape, seeds: dict[int, Any], lines: Sequence[int],
             wanted: Iterable[int] | None = None) -> dict[int, Any]:  # fmt: skip
    """Return the tangents of lines, in order, given those of input lines: a linear map at the point of the recording.

    A line that depends on no seed has none, and is not among them; where only some are ``wanted``, others may lack,
    too. The caller ignores what NumPy warns of.
    """
    tape.check_captured()
    found: dict[int, Any] = dict(seeds)
    rows, first, second = tape.rows, tape.first, tape.second
    done = _read_last(tape, lines, wanted) if wanted is not None and any(map(_is_large, seeds.values())) else {}
    for line in lines:
        row = rows[line]
        if row is None or row.is_constant:
            continue
        tangent = None
        if row.inline is not None:
            s, t = found.get(first[line]), found.get(second[line])
            if s is None and t is None:
                continue
            tangent = _of_elements(tape, line, row.inline, s, t)
        if tangent is None:
            tangent = _of_any(tape, line, found)
        if tangent is not None:
            found[line] = tangent
        for operand in done.get(line, ()):
            found.pop(operand, None)
    return found


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


def _of_any(tape: Tape, line: int, found: dict[int, Any]) -> Any:
    """Return the tangent of any line, None where it has none."""
    row, operands = tape.rows[line], tape.operands(line)
    assert row is not None
    active = [(k, found[operand]) for k, operand in enumerate(operands) if operand in found and row.passes(k)]
    if not active:
        return None
    z, xs, static = tape.values[line], list(map(tape.value, operands)), tape.static.get(line, ())
    tangent = applied(row, z, xs, active, static)
    return row.push(z, xs, active, static) if tangent is None else tangent


def _of_elements(tape: Tape, line: int, partials: Any, s: Any, t: Any) -> Any:
    """Return the tangent of a line that is elementwise in one or two operands, None where `_of_any` is to find it."""
    values, a, b = tape.values, tape.first[line], tape.second[line]
    z, x = values[line], values[a] if a >= 0 else tape.value(a)
    xs: tuple[Any, ...] = (x,) if partials[1] is None else (x, values[b] if b >= 0 else tape.value(b))
    kind = type(z)
    if kind is np.ndarray:
        return weighted(partials, z, xs, (s, t))
    if kind is numpy_float:
        z, xs = float(z), tuple([float(x) if type(x) is numpy_float else x for x in xs])
    elif kind is not float:
        return None
    return _of_floats(partials, z, xs, s, t)


def _of_floats(partials: Any, z: float, xs: tuple[Any, ...], s: Any, t: Any) -> Any:
    """Return the tangent of a float, None where `_of_any` is to find it."""
    if type(s) is BatchNumber or type(t) is BatchNumber:
        return weighted(partials, z, xs, (s, t))
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
