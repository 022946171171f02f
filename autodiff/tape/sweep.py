"""The sweeps of a tape: backward with adjoints (reverse mode), forward with tangents (a linear map at the point).

The adjoint of the output is 1; from there back, each line adds its own times a partial to that of every operand. Both
sweeps are written in table functions and arithmetic, so on values that are numbers themselves they differentiate, and
on Variables of another tape they are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import is_alike, is_unreal, shape, zeros_like
from dualnumbers.levels import any_has_nan, has_nan
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.typed import unwrapped
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.reductions import PLAIN
from dualnumbers.several import parts, plus
from dualnumbers.table import kinds
from dualnumbers.table.kinds import Smooth, Times
from dualnumbers.table.partials import FAILURES, as_numpy_float, evaluate_partial, numpy_float

from ..calls.values import matching
from ..calls.watching import watching
from .accumulation import (
    add,
    add_around,
    add_factors,
    add_part,
    add_result,
    as_partials_take,
    fit,
    is_numpys,
    scaled,
)
from .few import add_few, few_of, passed_on
from .float_sweep import of_floats
from .keeping import restore
from .multiplication import SMALL, accumulated, product, product_of_square, summed_product, twice
from .pieces import Few, Pieces
from .program import FAR, INERT, UNARY
from .recorder import Recorder
from .variable import GETITEM, ITEM, MULTIPLY, SETITEM, Variable, variable
from .wengert import Tape


def adjoints(tape: Tape, seeds: dict[int, Any], keep: bool = False) -> list[Any]:
    """Return the adjoints of the tape's inputs, given those of output lines; None where no path leads.

    With ``keep``, return the adjoint of every line.
    """
    found, _ = swept(tape, seeds, keep)
    of_inputs = list(map(found.__getitem__, tape.inputs))
    if watch := watching():
        watch.check_adjoints(tape, seeds, of_inputs)
    return found if keep else of_inputs


def every_adjoint(tape: Tape, out: Any, cotangent: Any = None) -> list[Any]:
    """Do what `Tape.adjoints` says."""
    if not isinstance(out, Variable) or out.tape is not tape:
        raise ValueError(f"the output is {out!r}, which is no Variable of this tape{user_line()}")
    value = out.primal
    if cotangent is None and (shape(value) or is_unreal(value)):
        raise ValueError(
            f"the output has shape {shape(value)}: give its cotangent of that shape, "
            f"tape.adjoints(out, cotangent){user_line()}"
        )
    seed = zeros_like(value) + 1 if cotangent is None else matching(cotangent, value, "the cotangent")[0]
    return list(map(unwrapped, adjoints(tape, {out.line: seed}, keep=True)))


def swept(tape: Tape, seeds: dict[int, Any], keep: bool) -> tuple[list[Any], Callable[[int], Times | None]]:
    """Return the adjoints of all lines, or without ``keep`` of the inputs; and which `Times` each line was pulled with.

    Where an adjoint is NaN the sweep runs once more with the zeros told apart, as `second_look.strong_adjoints` does
    it. NaN is absorbing and the sweep is linear, so nothing is missed, and the common case pays nothing.
    """
    if tape.captured is not None:
        tape.check_captured()
    if not tape.mixed and not keep and set(map(type, seeds.values())) == {float}:
        of_numbers = of_floats(tape, seeds, _pull)
        if of_numbers is not None:
            return of_numbers, lambda line: None
    times = _conjugated if tape.complex else None
    return _swept(tape, seeds, keep, times)


@np.errstate(all="ignore")  # it takes less time as a decorator than as a statement
def _swept(
    tape: Tape, seeds: dict[int, Any], keep: bool, times: Times | None
) -> tuple[list[Any], Callable[[int], Times | None]]:
    """Do what `swept` says, for tapes of values of any type."""
    error: Any = None
    try:
        found = _sweep(tape, seeds, times, keep)
    except np.linalg.LinAlgError as failed:
        if not hasattr(failed, "basis"):  # it is none of `rules.linalg.undetermined`
            raise
        error = failed
    else:
        wanted = found if keep else list(map(found.__getitem__, tape.inputs))
        if not (has_nan(wanted[0]) if len(wanted) == 1 else any_has_nan(wanted)):
            return found, lambda line: times
    from .members import are_batches, one_after_the_other

    restore(tape)
    if are_batches(seeds):
        return one_after_the_other(swept, tape, seeds, keep), lambda line: times
    if error is not None:
        from ..second_look.within import settled

        return settled(tape, seeds, error, swept), lambda line: times
    from ..second_look.strong_adjoints import strong_adjoints

    return strong_adjoints(tape, seeds, keep)


def _conjugated(p: Any, g: Any) -> Any:
    return conj(p) * g


def _sweep(tape: Tape, seeds: dict[int, Any], times: Times | None, keep: bool) -> list[Any]:
    values, constants, static, far = tape.values, tape.constants, tape.static, FAR
    if tape.mixed:
        values, constants = as_partials_take(tape)
    found: list[Any] = [None] * len(values)
    owned: set[int] = set()
    for line, seed in seeds.items():
        found[line] = float(seed) if type(seed) is numpy_float else seed
    count = max(seeds) + 1  # no adjoint comes from behind the outputs
    columns: Any = tape.rows, tape.first, tape.second, values
    if count < len(values):
        columns = [column[:count] for column in columns]
    lines = zip(range(count - 1, -1, -1), *map(reversed, columns), strict=True)
    p: Any
    q: Any
    for line, row, a, b, z in lines:
        g = found[line]
        if g is None or row is None:
            continue
        if type(g) is not float:
            if type(g) is Pieces or type(g) is Few:
                if type(g) is Few and times is None and passed_on(found, owned, tape, line, g):
                    found[line] = g if keep else None
                    continue
                found[line] = g = fit(g.joined(), z)
            if not keep:
                found[line] = None  # an array may go as soon as it is used
            plain = times is None and (type(g) is not np.ndarray or g.nbytes <= SMALL)
        else:
            plain = times is None
        partials = row.inline
        if partials is None:
            if row.adjoints is not None:
                add_factors(found, owned, tape, line, g)
            elif row is GETITEM and a >= 0 and type(g) in PLAIN and type(values[a]) is np.ndarray:
                add_part(found, owned, a, g, z, values[a], static[line])
            elif row is ITEM and a >= 0:
                add_result(found, a, static[line][0], g, values[a])
            elif b != UNARY or a < 0 or row is GETITEM or line in tape.more:
                _pull(tape, line, g, found, owned, times)
            else:
                x, z = tape.values[a], tape.values[line]
                if type(g) is not np.ndarray:
                    g = numpy_float(g) if type(g) is float and type(z) is numpy_float else as_numpy_float(g, z)
                kind = row.arguments[0]
                if times is None and type(kind) is Smooth and kind.few is not None:
                    few = few_of(kind, g, z, x, static.get(line, ()))
                    if few is not None:
                        add_few(found, owned, a, few)
                        continue
                pull = tape.pulls.pop(line, None) if tape.pulls and type(g) in PLAIN else None
                c = kind.pull(row, 0, g, z, [x], static.get(line, ()), times) if pull is None else pull(g)
                if c is not None:
                    add(found, owned, a, c, x)
            continue
        p, q = partials
        if a >= 0:
            if type(p) is float:
                c = g if p == 1.0 else scaled(p, g, values[a]) if type(g) is not float else p * g
            else:
                x = values[a]
                try:
                    if q is None:
                        p = p(x, z)
                    else:
                        y = values[b] if b >= 0 else constants[~b] if b > far else values[b - INERT]
                        p = p(x, y, z)
                except FAILURES:
                    p = evaluate_partial(p, x, z) if q is None else evaluate_partial(p, x, y, z)
                if b == a and row is MULTIPLY:
                    b, c = UNARY, twice(p * g) if plain else product_of_square(x, g, times)
                elif type(x) is float and type(g) is np.ndarray:
                    c = summed_product(p, g, times)
                elif plain:
                    c = p * g
                else:
                    c = None  # it may still be that adjoint, which is written to where nothing else refers to it
                    if times is not None or not accumulated(found[a], p, g, a in owned):
                        c = product(p, g, x, times, b < 0)
            if type(c) is float:
                t = found[a]
                found[a] = c if t is None else t + c
            elif c is not None:
                add(found, owned, a, c, values[a])
        if b >= 0:
            if type(q) is float:
                c = g if q == 1.0 else scaled(q, g, values[b]) if type(g) is not float else q * g
            else:
                x, y = values[a] if a >= 0 else constants[~a] if a > far else values[a - INERT], values[b]
                try:
                    q = q(x, y, z)
                except FAILURES:
                    q = evaluate_partial(q, x, y, z)
                if type(y) is float and type(g) is np.ndarray:
                    c = summed_product(q, g, times)
                elif plain:
                    c = q * g
                else:
                    c = None  # so here
                    if times is None and accumulated(found[b], q, g, b in owned):
                        continue
                    c = product(q, g, y, times, True)
            if type(c) is float:
                t = found[b]
                found[b] = c if t is None else t + c
            else:
                add(found, owned, b, c, values[b])
    for line in range(count) if keep else tape.inputs:
        if type(found[line]) is Pieces or type(found[line]) is Few:
            found[line] = fit(found[line].joined(), values[line])
    return found


def _pull(tape: Tape, line: int, g: Any, found: list[Any], owned: set[int], times: Times | None) -> None:
    """Pull back through any line."""
    row = tape.rows[line]
    assert row is not None
    if row.is_constant:
        return
    operands, static, z = tape.operands(line), tape.static.get(line, ()), tape.values[line]
    xs, g = list(map(tape.value, operands)), as_numpy_float(g, z)
    if row is SETITEM and is_alike(g, xs[0]) and type(g) is np.ndarray:
        if operands[1] >= 0:
            add(found, owned, operands[1], np.array(row.pull(1, g, z, xs, static)), xs[1])
        if operands[0] >= 0:
            add_around(found, owned, line, operands[0], g, xs[0], *static)
        return
    together = row.joint(g, z, *xs, *static) if row.joint and sum(k >= 0 for k in operands) > 1 else None
    places = enumerate(operands)
    for k, operand in reversed(list(places)) if row is SETITEM else places:  # then g is read before it is written over
        if operand < 0:
            continue
        if row is GETITEM and is_numpys(g) and type(xs[k]) is np.ndarray:
            add_part(found, owned, operand, g, z, xs[k], static)
        elif row is GETITEM:
            if type(found[operand]) is not Pieces:
                found[operand] = Pieces(shape(xs[k]), found[operand])
            found[operand].add(g, *static)
        else:
            c = row.pull(k, g, z, xs, static, times) if together is None else together[k]
            if c is not None:
                add(found, owned, operand, c, xs[k])


def transpose(linear: Callable[..., Any], xs: Sequence[Any], g: Any) -> list[Any]:
    """Return the adjoints of ``xs`` for ``g`` by a function linear in tangents of ``xs``: record it and sweep that."""
    little = Recorder()
    seeds: dict[int, Any] = {}
    pushed_all = linear(*(variable(little, zeros_like(x)) for x in xs))
    for pushed, adjoint in zip(parts(pushed_all), parts(g), strict=True):
        if adjoint is not None and isinstance(pushed, Variable) and pushed.tape is little:
            seeds[pushed.line] = plus(seeds.get(pushed.line), fit(adjoint, pushed.primal))
    found = _sweep(little, seeds, _conjugated if little.complex else None, True) if seeds else [None] * len(little)
    return [found[line] for line in little.inputs]


kinds.fill(transpose)
