"""Partials by runs of a function with dual numbers: one run for all directions, as the members of one tangent, a batch.

It keeps no tape, unless the directions would fill the memory, or a tangent is NaN: then f is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from dualnumbers.levels import Level, has_nan
from dualnumbers.memory import unsigned_zeros
from dualnumbers.numbers.batch import BatchArray, of_units
from dualnumbers.numbers.dual import DualArray
from dualnumbers.numbers.weighted import DOUBLE
from dualnumbers.rules.linalg.undetermined import Unadapted

from .calls.call import Call
from .calls.directions import Columns, ComplexPartial, Directions, check_same, holomorphic, is_small
from .calls.running import run
from .calls.structures import flatten
from .seeding import certain, pushed_leaf, with_tangents

Run = tuple[range, Level, Callable[[], list[Any]], Callable[[], Any]]
"""The directions of a run, its level, what makes its arguments anew, and what gives what f returns."""


def partials(f: Callable[..., Any], args: list[Any], indices: Sequence[int], finish: Callable[[Any], Any],
             chunk_size: int | None = None, rule: ComplexPartial | None = None) -> tuple[Any, list[Any]]:  # fmt: skip
    """Return f's output, and the partials of it by each of the arguments at ``indices``, in the structures of both.

    f runs once, with the directions of all elements as one batch. Where these would fill the memory, it is recorded,
    and they are pushed through the recording chunk by chunk. Where a rule needs to know the direction, it runs once for
    each.
    """
    call, rule = Call(args, indices), rule or holomorphic
    try:
        if chunk_size is None and is_small(call.leaves):
            return _of_one_array(f, call, finish, rule)
        directions = Directions(call.leaves, chunk_size, one_run=True)
        if len(directions) <= directions.step:
            return _of_runs(f, call, directions, _runs(f, call, directions), finish, rule)
    except Unadapted as error:
        call = Call(args, indices)
        directions = Directions(call.leaves, 1)
        return _of_runs(f, call, directions, _runs(f, call, directions), finish, rule, error)
    from .recorded import by_columns

    return by_columns(f, args, indices, finish, rule, chunk_size)


def _of_one_array(
    f: Callable[..., Any], call: Call, finish: Callable[[Any], Any], rule: ComplexPartial
) -> tuple[Any, list[Any]]:
    """Find `partials` by one small array, at once where f gives an array.

    To take arguments and results of any structure and type apart takes as long as difference quotients of a function of
    some numbers do.
    """
    (x,), low, level = call.leaves, Level(), Level()
    seeded = partial(with_tangents, call, [of_units(x.size, x.shape, low)], level)
    out = run(f, seeded(), level)
    columns = _columns_of_array(out, x, low, level)
    if columns is None:
        directions = Directions(call.leaves)
        directions.level, every = low, range(x.size)
        return _of_runs(f, call, directions, [(every, level, seeded, lambda: out)], finish, rule)
    call.check()
    z = finish(out).primal
    return z.copy("K"), call.structured([unsigned_zeros(columns).reshape(z.shape + x.shape)])


def _columns_of_array(out: Any, x: Any, low: Level, level: Level) -> Any:
    """Return the tangents of an array along the elements of one, behind its own axes; None where one is no plain one.

    ``level`` is that of the dual numbers, and ``low`` that of the batch of directions.
    """
    if not isinstance(out, DualArray) or out.level is not level:
        return None
    z, t = out.primal, out.tangent
    if x.size > 1:
        t = t.data if type(t) is BatchArray and t.level is low else None
    if type(z) is not np.ndarray or type(t) is not np.ndarray or not z.dtype is t.dtype is DOUBLE or has_nan(t):
        return None
    return t.transpose(*range(1, t.ndim), 0) if x.size > 1 else t


def _runs(f: Callable[..., Any], call: Call, directions: Directions) -> Iterator[Run]:
    """Yield a run for each chunk of the directions, whose level lies below that of the dual numbers."""
    for chosen in directions.chunks():
        level = Level()
        seeded = partial(with_tangents, call, directions.seeds(chosen), level)
        yield chosen, level, seeded, partial(run, f, seeded(), level)


def _of_runs(f: Callable[..., Any], call: Call, directions: Directions, runs: Iterable[Run],
             finish: Callable[[Any], Any], rule: ComplexPartial,
             otherwise: Exception | None = None) -> tuple[Any, list[Any]]:  # fmt: skip
    """Find `partials` from runs of f, whose directions are a chunk each."""
    values: list[list[Any]] = []
    columns: list[Columns] = []
    for chosen, level, seeded, given in runs:
        outs, rebuild_out = flatten(finish(certain(f, seeded, level, given())))
        pushed = [pushed_leaf(leaf, level) for leaf in outs]
        columns = columns or [Columns(directions, value) for value, _ in pushed]
        for filled, (_, tangent) in zip(columns, pushed, strict=True):
            filled.fill(chosen, tangent)
        values.append([value for value, _ in pushed])
    call.check()
    check_same(values, otherwise)
    return rebuild_out(values[0]), call.jacobians([filled.partials(rule) for filled in columns], rebuild_out)
