"""A run as data: the forward run of a tape, with tangents where they are wanted, and its reverse sweep, step by step.

All numbers are the tape's and the library's: recorded values, `Row.push` and `tangents`, `Row.pull` as the sweep
applies it. A page and a GIF show the same steps.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import dtype_of, zeros_like
from dualnumbers.levels import has_nan
from dualnumbers.several import each, plus
from dualnumbers.table.kinds import Times
from dualnumbers.table.partials import evaluate_partial

from ..second_look.strong_tangents import StrongTangents
from ..tape.accumulation import fit
from ..tape.sweep import swept
from ..tape.tangents import tangents
from ..tape.wengert import Tape

RUN, SEED, SWEEP = "run", "seed", "sweep"
"""The phases: a line is computed, the output gets the adjoint 1, a line passes its adjoint to its operands."""


class Term(NamedTuple):
    """A term of the chain rule, along the edge from ``operand`` to ``line``.

    ``partial`` is ∂line/∂operand, None where the rule is no product element by element; ``given`` the tangent of the
    operand, or the adjoint of the line, and ``value`` what the rule makes of it. ``total`` is the sum so far, in the
    sweep where there was something before.
    """

    operand: int
    line: int
    partial: Any
    given: Any
    value: Any
    total: Any = None


class Part(NamedTuple):
    """A line that is shown, or with ``folded`` some that are not."""

    lines: Sequence[int]
    folded: bool = False

    @property
    def first(self) -> int:
        """The line that stands for the part in the drawing."""
        return self.lines[0]


@dataclass(frozen=True)
class Step:
    """What happens to a part of the tape.

    ``changes`` holds the tangents or adjoints that are new after it, of lines that are shown: in the sweep the sum of
    the terms so far.
    """

    phase: str
    part: Part
    terms: tuple[Term, ...] = ()
    changes: dict[int, Any] = field(default_factory=dict)


def one(x: Any) -> Any:
    """Return the tangent or the adjoint 1 of a value; of an array, 1 for every element."""
    return zeros_like(x) + 1


def forward_steps(tape: Tape, parts: Sequence[Part], seed: int | None = None) -> list[Step]:
    """Return the forward run, a step for each part; with the tangents for the tangent 1 of line ``seed``."""
    steps = []
    with np.errstate(all="ignore"):
        lines = chain.from_iterable(part.lines for part in parts)
        found, term = ({}, None) if seed is None else _tangents(tape, {seed: one(tape.values[seed])}, list(lines))
        for part in parts:
            line, terms, changes = part.first, [], {}
            if seed is not None and not part.folded:
                terms = list(_pushed(tape, line, found, term))
                changes = {line: found.get(line, 0.0)}
            steps.append(Step(RUN, part, tuple(terms), changes))
    return steps


def _tangents(tape: Tape, seeds: dict[int, Any], lines: list[int]) -> tuple[dict[int, Any], Any]:
    """Find the tangents of lines, and the function that gives a term of one, where they are not the plain ones."""
    with np.errstate(all="ignore"):
        found = tangents(tape, seeds, lines)
    if not any(map(has_nan, found.values())):
        return found, None
    certain = StrongTangents(tape)
    return certain.tangents(seeds, lines), certain.term


def _pushed(tape: Tape, line: int, found: dict[int, Any], term: Any) -> Iterator[Term]:
    """Yield the terms of a line's tangent."""
    row, operands, static = tape.rows[line], tape.operands(line), tape.static.get(line, ())
    xs, z = [tape.value(k) for k in operands], tape.values[line]
    for place, operand in enumerate(operands):
        if row is not None and line in found and operand in found and row.passes(place):
            given = found[operand]
            value = term(line, place, given) if term else row.push(z, xs, [(place, given)], static)
            yield Term(operand, line, partial(tape, line, place), given, value)


def reverse_steps(tape: Tape, parts: Sequence[Part], output: int) -> list[Step]:
    """Return the reverse sweep, part by part; it begins with the adjoint 1 of the output line and 0 of the others.

    The adjoint that a line passes on is the sweep's. A part that passes none on to a line that is shown has no step,
    unless it is shown itself.
    """
    found = {output: one(tape.values[output])}
    adjoints, times_at = swept(tape, found, keep=True)
    shown = {part.first for part in parts if not part.folded}
    wanted = shown.union(*map(tape.operands, shown))
    seeded = next(part for part in parts if output in part.lines)
    steps = [Step(SEED, seeded, changes=dict.fromkeys(shown, 0.0) | (found if output in shown else {}))]
    for part in reversed(parts):
        terms: list[Term] = []
        changes: dict[int, Any] = {}
        for line in reversed(part.lines):
            for term in _pulled(tape, line, adjoints[line], times_at(line), wanted):
                before = found.get(term.operand)
                total = found[term.operand] = plus(before, term.value)
                if not part.folded:
                    terms.append(term if before is None else term._replace(total=total))
                changes |= {term.operand: total} if term.operand in shown else {}
        if terms or changes:
            steps.append(Step(SWEEP, part, tuple(terms), changes))
    return steps


def _pulled(tape: Tape, line: int, given: Any, times: Times | None, wanted: Container[int]) -> Iterator[Term]:
    """Yield what a line passes to those operands that are wanted, of the adjoint given."""
    row = tape.rows[line]
    if row is None or given is None or row.is_constant:
        return
    operands, static, z = tape.operands(line), tape.static.get(line, ()), tape.values[line]
    xs = [tape.value(k) for k in operands]
    for place, operand in enumerate(operands):
        if operand >= 0 and operand in wanted:
            with np.errstate(all="ignore"):
                passed = row.pull(place, given, z, xs, static, times)
            if passed is not None:
                yield Term(operand, line, partial(tape, line, place), given, each(fit, passed, xs[place]))


def partial(tape: Tape, line: int, place: int) -> Any:
    """Return the partial of an elementwise line by one operand; None of any other, and where the rule refuses it."""
    row = tape.rows[line]
    if row is None or not row.is_elementwise:
        return None
    found = row.partials[place]
    if isinstance(found, float):
        return found
    try:
        with np.errstate(all="ignore"):
            found = evaluate_partial(found, *map(tape.value, tape.operands(line)), tape.values[line])
        return found * 1 if dtype_of(found).kind == "b" else found  # the partial of a product with a mask
    except Exception:  # whatever a rule raises, there is a drawing
        return None
