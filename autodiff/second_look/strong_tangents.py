"""The push-forward with the zeros told apart: 0 · ∞ is 0 where the zero is structural, else NaN, as in the sweep.

√x has an infinite slope at 0. Along a direction that leaves x alone its tangent is 0 all the same, and the product
0 · ∞ in floating point is NaN. That zero is structural: it is there whatever the values are (structure.py).

>>> from autodiff import jvp
>>> value, tangent = jvp(lambda x: np.sqrt(x).sum(), [np.array([0.0, 4.0])], [np.array([0.0, 1.0])])
>>> float(tangent)
0.25

It costs much more than the plain push-forward, and is asked only where that gave NaN: NaN is absorbing and the
push-forward linear, so nothing is missed. A function in forward mode is recorded for it, which runs it once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array
from dualnumbers.forms import shape, zeros_like
from dualnumbers.levels import Level, has_nan, is_number, level_of, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchNumber, batch
from dualnumbers.numbers.dual import make
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import broadcast_to, stack
from dualnumbers.several import each, plus
from dualnumbers.table.partials import evaluate_partial, in_precision

from ..calls.directions import same_bits
from ..calls.running import run
from ..calls.structures import flatten
from ..calls.watching import watching
from ..tape.keeping import restore
from ..tape.recorder import Recorder
from ..tape.tangents import tangents
from ..tape.variable import Variable, variable
from ..tape.wengert import Tape
from .lengths import kinks, slope_of_length
from .patterns import Pattern, masked
from .products import NONE
from .structure import Structure, Terms
from .unbounded import Passage, told_apart

Found = dict[int, Any]


class StrongTangents:
    """The push-forward through one tape, with structural zeros told from those that happen to be."""

    def __init__(self, tape: Tape) -> None:
        self.tape, self.structure, self.at_kinks = tape, Structure(tape), kinks(tape)
        self.patterns: dict[int, Pattern] = {}
        self.terms: Terms = {}

    def tangents(self, seeds: Found, lines: Iterable[int]) -> Found:
        """Find `sweep.tangents` with zeros told apart, of a batch member by member: each has zeros of its own.

        A batch below the level of values, which may have such as components, goes as a whole: its zeros are not known.
        """
        lines = list(lines)
        leader = next((t for t in seeds.values() if isinstance(t, BatchNumber)), None)
        if leader is None or any(leader.level < level_of(x) for x in self.tape.values):
            return self._tangents(seeds, lines)
        level, runs = leader.level, []
        for place in range(shape(leader.data)[0]):
            member = {
                line: getitem(t.data, place) if is_number(type(t)) and t.level is level else t
                for line, t in seeds.items()
            }
            runs.append(self._tangents(member, lines))
        return {
            line: each(lambda *members: batch(stack(*members, 0), level), *(run[line] for run in runs))
            for line in runs[0]
        }

    def _tangents(self, seeds: Found, lines: list[int]) -> Found:
        self.patterns, self.terms = self.structure.of_tangents(seeds, lines)
        found = dict(seeds)
        for line in lines:
            row, total = self.tape.rows[line], None
            if row is None or row.is_constant:
                continue
            for place, operand in enumerate(self.tape.operands(line)):
                if operand in found and row.passes(place):
                    term = self.term(line, place, found[operand])
                    total = plus(total, term)
            if total is not None:
                found[line] = each(masked, each(in_precision, total, self.tape.values[line]), self.patterns[line])
        return found

    def term(self, line: int, place: int, t: Any) -> Any:
        """Return what a line makes of the tangent of the operand at a place."""
        reached, row, z = self.terms[line, place], self.tape.rows[line], self.tape.values[line]
        xs = [self.tape.value(operand) for operand in self.tape.operands(line)]
        assert row is not None
        if not row.is_elementwise or row.several:
            return self._sum(line, place, t)
        p = row.partials[place]
        p = p if isinstance(p, float) else evaluate_partial(p, *xs, z)
        if line in self.at_kinks:
            p = slope_of_length(p, self.at_kinks[line], xs[0])
        term = masked(p, reached) * masked(t, reached)
        return term if shape(term) == shape(z) else broadcast_to(term, shape(z))

    def _sum(self, line: int, place: int, t: Any) -> Any:
        """Return the term of a line that is not elementwise."""
        tape, row = self.tape, self.tape.rows[line]
        assert row is not None
        xs, static = list(map(tape.value, tape.operands(line))), tape.static.get(line, ())

        def push(t: Any, factors: Mapping[int, Any] = NONE) -> Any:
            given = [factors.get(k, x) for k, x in enumerate(xs)]
            return row.push(tape.values[line], given, [(place, t)], static)

        pushed = push(t)
        if pushed is None:
            return None
        whole = each(masked, pushed, self.terms[line, place])
        way = Passage(self.structure, line, place, push, self.structure.pushed)
        return told_apart(way, whole, t, self.patterns[tape.operands(line)[place]])


def strong_tangents(tape: Tape, seeds: Found, lines: Sequence[int], wanted: Sequence[int]) -> Found:
    """Find `tangents`; where one that is wanted is NaN, find them again with the zeros told apart."""
    watch = watching()
    with np.errstate(all="ignore"):
        found = tangents(tape, seeds, lines, None if watch else wanted)
        if any(has_nan(found.get(line)) for line in wanted):
            restore(tape)
            found = StrongTangents(tape).tangents(seeds, lines)
            check_determined(tape.level, map(found.get, wanted))
    if watch:
        watch.check_tangents(tape, found, wanted)
    return found


def check_determined(level: Level, tangents: Iterable[Any]) -> None:
    """Raise the error that a level notes as the reason of NaN, if tangents are NaN."""
    reason = level.undetermined
    if reason is not None and any(map(has_nan, tangents)):
        raise np.linalg.LinAlgError(f"{reason}{user_line()}")


# --------------------------------------------------------------------------------------------- a second run


def pushed_again(f: Callable[..., Any], args: Sequence[Any], level: Level, out: Any) -> Any:
    """Return the result ``out`` of ``f(*args)`` with the tangents of a recording of ``f``, zeros told apart.

    It is ``out`` itself where ``f`` cannot be recorded, or does not give the same values once more.
    """
    leaves, rebuild = flatten(list(args))
    outs, rebuild_out = flatten(out)
    tape = Recorder()
    seeded = [is_number(type(x)) and x.level is level for x in leaves]
    given = [
        variable(tape, x.primal) if dual else x.copy() if type(x) is np.ndarray else x
        for x, dual in zip(leaves, seeded, strict=True)
    ]
    try:
        with np.errstate(all="ignore"):  # what there is to warn of, the first run has warned of
            again, _ = flatten(run(f, rebuild(given), tape.level))
            # that of a view may be a new one
            lines = [y.line if isinstance(y, Variable) and y.tape is tape else None for y in again]
            tape.check_whole()
            seeds = [x.tangent for x, dual in zip(leaves, seeded, strict=True) if dual]
            found = StrongTangents(tape).tangents(dict(zip(tape.inputs, seeds, strict=True)), range(len(tape)))
    except Exception:  # what works on dual numbers alone stays as they gave it
        return out
    if len(again) != len(outs) or not all(map(_same, outs, again)):
        return out
    return rebuild_out(
        make(y.primal, found.get(line, zeros_like(y.primal)), level)
        if line is not None and is_number(type(x)) and x.level is level
        else x
        for x, y, line in zip(outs, again, lines, strict=True)
    )


def _same(x: Any, y: Any) -> bool:
    x, y = as_array(read(x)), as_array(read(y))
    return x.shape == y.shape and x.dtype == y.dtype and same_bits(x, y)
