"""Partials by runs of a function with dual numbers: one run for all directions, as the members of one tangent, a batch.

It keeps no tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from dualnumbers.forms import shape, zeros_like
from dualnumbers.levels import Level, has_nan, is_number
from dualnumbers.numbers.batch import BatchArray, of_units
from dualnumbers.numbers.dual import DualArray, make
from dualnumbers.numbers.weighted import DOUBLE
from dualnumbers.rules.linalg.undetermined import Unadapted

from .calls.call import Call
from .calls.directions import Columns, ComplexPartial, Directions, check_same, is_small
from .calls.running import run
from .calls.structures import flatten, keeps_structure
from .calls.values import check_alive, output, output_leaf, own, zero

Run = tuple[range, Level, Callable[[], list[Any]], Any]
"""The directions of a run, its level, what makes its arguments anew, and what f returned."""


def joined(out: Any, f: Any) -> Any:
    """Join an output's lists to arrays; other structures stay."""
    if keeps_structure(out):
        leaves, rebuild = flatten(out)
        return rebuild(output_leaf(leaf, f) for leaf in leaves)
    return output(out, f)


def split(out: Any, level: Level, x: Any) -> tuple[Any, Any]:
    """Part an output into primal and tangent at a level; zero where it does not depend on what was seeded."""
    check_alive_below(out, level)
    if is_number(type(out)) and out.level is level:
        return own(out.primal), own(out.tangent)
    return own(out), zero(out, x)


def check_alive_below(out: Any, level: Level) -> None:
    """Apply `check_alive`, where the level that ends now is still good."""
    if is_number(type(out)) and out.level is level:
        for part in out.parts():
            check_alive(part)
    else:
        check_alive(out)


def partials(f: Callable[..., Any], args: list[Any], indices: Sequence[int], finish: Callable[[Any], Any],
              rule: ComplexPartial, chunk_size: int | None = None) -> tuple[Any, list[Any]]:  # fmt: skip
    """Return f's output, and the partials of it by each of the arguments at ``indices``, in the structures of both.

    f runs once, with the directions of all elements as one batch. Where these would fill the memory, it is recorded,
    and they are pushed through the recording chunk by chunk. Where a rule needs to know the direction, it runs once for
    each.
    """
    call = Call(args, indices)
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


def _of_one_array(f: Callable[..., Any], call: Call, finish: Callable[[Any], Any],
                           rule: ComplexPartial) -> tuple[Any, list[Any]]:  # fmt: skip
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
        return _of_runs(f, call, directions, [(every, level, seeded, out)], finish, rule)
    call.check()
    z = finish(out).primal
    return z.copy("K"), call.structured([columns.copy("C").reshape(z.shape + x.shape)])


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
        yield chosen, level, seeded, run(f, seeded(), level)


def _of_runs(f: Callable[..., Any], call: Call, directions: Directions, runs: Iterable[Run],
                      finish: Callable[[Any], Any], rule: ComplexPartial,
                      otherwise: Exception | None = None) -> tuple[Any, list[Any]]:  # fmt: skip
    """Find `partials` from runs of f, whose directions are a chunk each."""
    values: list[list[Any]] = []
    columns: list[Columns] = []
    for chosen, level, seeded, given in runs:
        outs, rebuild_out = flatten(finish(certain(f, seeded, level, given)))
        pushed = [_pushed(leaf, level) for leaf in outs]
        columns = columns or [Columns(directions, value) for value, _ in pushed]
        for filled, (_, tangent) in zip(columns, pushed, strict=True):
            filled.fill(chosen, tangent)
        values.append([value for value, _ in pushed])
    call.check()
    check_same(values, otherwise)
    return rebuild_out(values[0]), call.jacobians([filled.partials(rule) for filled in columns], rebuild_out)


def with_tangents(call: Call, tangents: Sequence[Any], level: Level) -> list[Any]:
    """Return the arguments as f gets them: an array is a number in every run, whichever directions are this one's."""
    numbers: list[Any] = []
    for x, tangent in zip(call.leaves, tangents, strict=True):
        if tangent is None and shape(x):
            tangent = zeros_like(x)
        numbers.append(x if tangent is None else make(x, tangent, level))
    return call.arguments_with(numbers)


def certain(f: Callable[..., Any], seeded: Callable[[], list[Any]], level: Level, out: Any) -> Any:
    """Return what f returned; where a tangent of it is NaN, with zeros against infinite slopes told apart.

    ``seeded`` makes its arguments anew, whatever f did to those that it got.
    """
    if not any(map(has_nan, _tangents_of(out, level))):
        return out
    from .second_look.certain import check_determined, pushed_again

    out = pushed_again(f, seeded(), level, out)
    check_determined(level, _tangents_of(out, level))
    return out


def _tangents_of(out: Any, level: Level) -> list[Any]:
    leaves = [out] if is_number(type(out)) else flatten(out)[0]
    return [x.tangent for x in leaves if is_number(type(x)) and x.level is level]


def _pushed(out: Any, level: Level) -> tuple[Any, Any]:
    """Return an output's primal and tangent at a level; None where it does not depend on what was seeded."""
    check_alive_below(out, level)
    if not (is_number(type(out)) and out.level is level):
        return own(out), None
    return own(out.primal), out.tangent
