"""Jacobians of a function that was recorded: by rows, which are swept back, or by columns, which are pushed forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.levels import Level
from dualnumbers.memory import unsigned_zeros
from dualnumbers.numbers.batch import BatchArray, of_units
from dualnumbers.numbers.weighted import DOUBLE

from .calls.directions import Columns, ComplexPartial, Directions, Rows, holomorphic, largest, seeds_by_line
from .calls.structures import flatten, keeps_structure
from .calls.values import output, output_leaf
from .linearization import Recording
from .second_look.strong_tangents import strong_tangents
from .tape.sweep import adjoints
from .tape.variable import ArrayVariable

FEW = 1 << 14
"""How many elements a batch of the largest value has at most that `of_one_array` takes."""


def of_one_array(recording: Recording) -> tuple[Any, list[Any]] | None:
    """Return what `rows` or `columns` do, whichever are fewer, of one small array by one; None where it is another.

    To take arguments and results of any structure and type apart, and to fill a Jacobian chunk by chunk, takes as long
    as difference quotients of a function of some numbers do.
    """
    tape, out = recording.tape, recording.out
    if type(out) is not ArrayVariable or out.tape is not tape or len(recording.leaves) != 1:
        return None
    x, z = recording.leaves[0], tape.values[out.line]
    if type(x) is not np.ndarray or type(z) is not np.ndarray or not x.dtype == z.dtype == DOUBLE:
        return None
    by_columns = z.size >= max(x.size, 2)
    count, dims = (x.size, x.shape) if by_columns else (z.size, z.shape)
    if not count or count * largest(tape.values) > FEW:
        return None
    seed = of_units(count, dims, Level())
    if by_columns:
        found = strong_tangents(tape, {tape.inputs[0]: seed}, range(out.line + 1), [out.line]).get(out.line)
    else:
        (found,) = adjoints(tape, {out.line: seed})
    if count > 1:
        found = found.data if type(found) is BatchArray else None
    if type(found) is not np.ndarray or found.dtype != DOUBLE:
        return None
    if by_columns and count > 1:
        found = found.transpose(*range(1, found.ndim), 0)
    return z.copy("K"), recording.call.structured([unsigned_zeros(found).reshape(z.shape + x.shape)])


def rows(recording: Recording, f: Any, chunk_size: int | None = None) -> tuple[Any, list[Any]]:
    """Return the value of a recording, and its Jacobian by each of the differentiated arguments."""
    out, tape = recording.out, recording.tape
    leaves, rebuild = flatten(out if keeps_structure(out) else output(out, f))
    outs = [output_leaf(leaf, f) for leaf in leaves]
    values = list(map(recording.value, outs))
    directions = Directions(values, chunk_size, largest(tape.values), other_side=recording.leaves)
    of_leaves = [Rows(directions, x) for x in recording.leaves]
    for chosen in directions.chunks():
        _sweep(recording, outs, directions.seeds(chosen), chosen, of_leaves)
    by_leaf = [filled.partials() for filled in of_leaves]
    by_output = [[found[i] for found in by_leaf] for i in range(len(outs))]
    return rebuild(values), recording.call.jacobians(by_output, rebuild)


def _sweep(recording: Recording, outs: list[Any], given: list[Any], chosen: range, of_leaves: list[Rows]) -> None:
    """Sweep one chunk back. What it takes is gone before the next one begins."""
    seeds = recording.seeds(outs, given)
    if seeds:
        for filled, adjoint in zip(of_leaves, adjoints(recording.tape, seeds), strict=True):
            filled.fill(chosen, adjoint)


def columns(
    recording: Recording, f: Any, out: Any, chunk_size: int | None = None, rule: ComplexPartial = holomorphic
) -> tuple[Any, list[Any]]:
    """Push a recording forward: return the value of its output and the Jacobian by each differentiated argument."""
    tape, (outs, rebuild) = recording.tape, flatten(out)
    outs = [output_leaf(leaf, f) for leaf in outs]
    lines = [leaf.line if recording.holds(leaf) else -1 for leaf in outs]
    directions = Directions(recording.leaves, chunk_size, largest(tape.values))
    values = list(map(recording.value, outs))
    found = [Columns(directions, value) for value in values]
    for chosen in directions.chunks():
        _push(recording, lines, directions.seeds(chosen), chosen, found)
    return rebuild(values), recording.call.jacobians([filled.partials(rule) for filled in found], rebuild)


def _push(recording: Recording, lines: list[int], given: list[Any], chosen: range, found: list[Columns]) -> None:
    """Push one chunk forward, as `_sweep` sweeps one."""
    tape = recording.tape
    pushed = strong_tangents(tape, seeds_by_line(tape.inputs, given), range(max(lines, default=-1) + 1), lines)
    for filled, line in zip(found, lines, strict=True):
        filled.fill(chosen, pushed.get(line))


def by_columns(f: Callable[..., Any], args: list[Any], indices: Sequence[int], finish: Callable[[Any], Any],
               rule: ComplexPartial, chunk_size: int | None) -> tuple[Any, list[Any]]:  # fmt: skip
    """Record a function, and return the value and the partials of what ``finish`` makes of its output."""
    recording = Recording(f, args, indices)
    return columns(recording, f, finish(recording.out), chunk_size, rule)
