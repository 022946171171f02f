"""What each line of the user's code costs: the time of its operations in the run and in the sweep, and the memory.

A recording with ``sources=True`` is evaluated again, line by line, and swept, each operation by itself with a clock. So
the times are those of the operations alone, without what it costs to call and record them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import zeros_like
from dualnumbers.several import parts

from .keeping import restore
from .sweep import adjoints
from .wengert import Tape

REPEATS = 3
"""Each operation is timed so often, and the least time counts."""

UNKNOWN = "(no line of code)"


class Cost(NamedTuple):
    """What one line of code costs."""

    where: str
    """Its file and number, "file:line"."""
    text: str
    operations: int
    run: float
    """Seconds that its operations take."""
    sweep: float
    """Seconds that they take in the sweep back."""
    bytes: int
    """The memory of the values that they keep on the tape."""


class Profile(list[Cost]):
    """The costs of lines of code, those that take most time first. ``str`` of it is a table with the sums."""

    def __str__(self) -> str:
        head = ("operations", "run [ms]", "sweep [ms]", "kept [kB]", "line of code")
        rows = [_cells(cost, f"{cost.text}  ({cost.where})" if cost.where else cost.text) for cost in self]
        rows += [_cells(self.total(), "sum")]
        widths = [max(map(len, column)) for column in list(zip(head, *rows, strict=True))[:-1]]
        rule = ["-" * width for width in (*widths, len(head[-1]))]
        lines = [
            [*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]
            for row in (head, rule, *rows)
        ]
        return "\n".join("  ".join(line) for line in lines)

    def total(self) -> Cost:
        """Return the sums over all lines of code."""
        counts = [sum(column) for column in zip((0, 0.0, 0.0, 0), *(cost[2:] for cost in self), strict=True)]
        return Cost("", "sum", *counts)


def _cells(cost: Cost, text: str) -> tuple[str, ...]:
    return (str(cost.operations), f"{cost.run * 1e3:.3f}", f"{cost.sweep * 1e3:.3f}", f"{cost.bytes / 1e3:.1f}", text)


def profile(tape: Tape) -> Profile:
    """Do what `Tape.profile` says."""
    if tape.sources is None:
        raise ValueError("the tape does not know the lines of code: record it with record(f, args, sources=True)")
    restore(tape)
    seeds = {line: _one(tape.values[line]) for line in tape.outputs}
    found = adjoints(tape, seeds, keep=True) if seeds else [None] * len(tape)
    costs: dict[tuple[str, str], Cost] = {}
    for line, row in enumerate(tape.rows):
        if row is None:
            continue
        source = tape.sources[line]
        key = (source.where, source.text) if source else ("", UNKNOWN)
        known = costs.get(key, Cost(*key, 0, 0.0, 0.0, 0))
        run = _least(tape.evaluated, line)
        sweep = 0.0 if found[line] is None else _least(_pull, tape, line, found[line])
        costs[key] = known._replace(operations=known.operations + 1, run=known.run + run, sweep=known.sweep + sweep,
                                    bytes=known.bytes + _bytes(tape, line))  # fmt: skip
    return Profile(sorted(costs.values(), key=lambda cost: cost.run + cost.sweep, reverse=True))


def _one(value: Any) -> Any:
    return zeros_like(value) + 1


def _pull(tape: Tape, line: int, g: Any) -> None:
    """Pull the adjoint of a line back to its operands."""
    row, operands = tape.rows[line], tape.operands(line)
    assert row is not None
    xs, z, static = list(map(tape.value, operands)), tape.values[line], tape.static.get(line, ())
    active = [k for k, operand in enumerate(operands) if operand >= 0]
    with np.errstate(all="ignore"):
        if row.joint is not None and len(active) > 1:
            row.joint(g, z, *xs, *static)
            return
        for k in active:
            row.pull(k, g, z, xs, static)


def _least(function: Callable[..., Any], *arguments: Any) -> float:
    """Return the least of several times that a call takes, in seconds."""

    def times() -> Iterator[float]:
        for _ in range(REPEATS):
            start = perf_counter()
            function(*arguments)
            yield perf_counter() - start

    return min(times())


def _bytes(tape: Tape, line: int) -> int:
    """Return the memory of a line's value: none of what shares that of an operand, as a view, nor of one let go."""
    if line in tape.unkept:
        return 0
    given = [x for k in tape.operands(line) for x in parts(tape.value(k)) if isinstance(x, np.ndarray)]
    new = [
        x
        for x in parts(tape.values[line])
        if not (isinstance(x, np.ndarray) and any(np.may_share_memory(x, y) for y in given))
    ]
    return sum(int(x.nbytes) if isinstance(x, (np.ndarray, np.generic)) else 8 for x in new)
