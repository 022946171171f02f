"""A run as data: the forward run of a tape, with tangents where they are wanted, and its reverse sweep, step by step.

All numbers are the tape's and the library's: recorded values, `row_tangent` and `tangents`, `pull` as the sweep applies
it. A page and a GIF show the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.elementary import ELEMENTWISE, LOCALLY_CONSTANT, Row
from dualnumbers.pushforward import evaluate_partial, has_derivative, row_tangent
from dualnumbers.rules.shaping import zeros_like

from ..sweep import fit, has_nan, product, pull, tangents
from ..tape import Tape

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
    """A line that is shown, or with ``folded`` those from ``first`` to ``last``, which are not."""

    first: int
    last: int
    folded: bool = False


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
    """The tangent or the adjoint 1 of a value; of an array, 1 for every element."""
    return zeros_like(x) + 1


def forward_steps(tape: Tape, parts: Sequence[Part], seed: int | None = None) -> list[Step]:
    """The forward run, a step for each part; with the tangents for the tangent 1 of line ``seed``."""
    steps = []
    with np.errstate(all="ignore"):
        found = {} if seed is None else tangents(tape, {seed: one(tape.values[seed])}, len(tape) - 1, keep=True)
        for part in parts:
            line, terms, changes = part.first, [], {}
            if seed is not None and not part.folded:
                terms = list(_pushed(tape, line, found))
                changes = {line: found.get(line, 0.0)}
            steps.append(Step(RUN, part, tuple(terms), changes))
    return steps


def _pushed(tape: Tape, line: int, found: dict[int, Any]) -> Iterator[Term]:
    """The terms of a line's tangent."""
    row, operands, static = tape.rows[line], tape.operands(line), tape.static.get(line, ())
    xs, z = [tape.value(k) for k in operands], tape.values[line]
    for place, operand in enumerate(operands):
        if row is not None and line in found and operand in found and has_derivative(row, place):
            given = found[operand]
            value = row_tangent(row, z, xs, [(place, given)], static)
            yield Term(operand, line, partial(row, place, xs, z), given, value)


def reverse_steps(tape: Tape, parts: Sequence[Part], output: int) -> list[Step]:
    """The reverse sweep, which begins with the adjoint 1 of the output line and 0 of all others, part by part.

    A part that passes no adjoint on has no step.
    """
    with np.errstate(all="ignore"):
        steps, found = _swept(tape, parts, output, strongly=False)
        if any(has_nan(found.get(line)) for line in tape.inputs):
            steps, found = _swept(tape, parts, output, strongly=True)
    return steps


def _swept(tape: Tape, parts: Sequence[Part], output: int, strongly: bool) -> tuple[list[Step], dict[int, Any]]:
    """The steps, and the adjoint of every line that was reached."""
    found = {output: one(tape.values[output])}
    visible = dict.fromkeys((part.first for part in parts if not part.folded), 0.0)
    seeded = next(part for part in parts if part.first <= output <= part.last)
    steps = [Step(SEED, seeded, changes=visible | (found if output in visible else {}))]
    for part in reversed(parts):
        terms: list[Term] = []
        changes: dict[int, Any] = {}
        for line in range(part.last, part.first - 1, -1):
            for term in _pulled(tape, line, found, strongly):
                before = found.get(term.operand)
                found[term.operand] = term.value if before is None else before + term.value
                if not part.folded:
                    terms.append(term if before is None else term._replace(total=found[term.operand]))
                changes |= {term.operand: found[term.operand]} if term.operand in visible else {}
        if terms or changes:
            steps.append(Step(SWEEP, part, tuple(terms), changes))
    return steps, found


def _pulled(tape: Tape, line: int, found: dict[int, Any], strongly: bool) -> Iterator[Term]:
    """What a line passes to its operands of the adjoint that it has."""
    row, given = tape.rows[line], found.get(line)
    if row is None or given is None or row.kind == LOCALLY_CONSTANT:
        return
    operands, static, z = tape.operands(line), tape.static.get(line, ()), tape.values[line]
    xs = [tape.value(k) for k in operands]
    for place, operand in enumerate(operands):
        passed = pull(row, place, given, z, xs, static, product(tape, strongly)) if operand >= 0 else None
        if passed is not None:
            yield Term(operand, line, partial(row, place, xs, z), given, fit(passed, xs[place]))


def partial(row: Row, place: int, xs: Sequence[Any], z: Any) -> Any:
    """The partial of an elementwise row by one operand, None of any other row."""
    if row.kind != ELEMENTWISE:
        return None
    found = row.partials[place]
    return found if isinstance(found, float) else evaluate_partial(found, *xs, z)
