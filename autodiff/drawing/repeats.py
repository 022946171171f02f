"""Repeated parts of a long tape, as a loop leaves them, found in time that grows with the tape as n log n."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tape.wengert import Tape

MOST = 60
"""Lines up to which a tape is drawn whole; of what is longer, repeated parts are drawn at both their ends only."""

FEWEST = 4
"""Repetitions from which a part is folded."""

LONGEST_PART = 256
"""Lines of a repeated part up to which it is looked for by all the lines in it."""

WIDEST_ROUND = 12
"""How often the same functions may come within one round of a loop, as with as many variables that step alike."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Fold:
    """Lines that are not drawn: ``times`` repetitions of the lines before them; 0: they have nothing in common."""

    lines: Sequence[int]
    times: int


def folded(tape: Tape, lines: Sequence[int], fold: bool | None = None) -> list[int | Fold]:
    """Return the lines in order, with folds in place of repeated parts, and of the middle if that is still too long.

    Unless it is said by ``fold``, so is what has more than `MOST` lines.
    """
    if fold is not None and not isinstance(fold, bool):
        raise TypeError(f"fold is True, False, or None for what is long alone; got {fold!r}")
    if not (len(lines) > MOST if fold is None else fold and len(lines) > 2 * FEWEST):
        return list(lines)
    hidden = np.zeros(len(lines), np.intp)
    folds: dict[int, Fold] = {}
    rows, operands = _signatures(tape, lines)
    for start, stop, period in sorted(_runs(rows, operands), key=_saved, reverse=True):
        start, stop = _visible_part(hidden, start, stop)
        times = (stop - start) // period - 2
        if times < FEWEST - 2 or times * period < FEWEST:
            continue
        begin = start + period
        end = begin + times * period
        hidden[begin:end] = 1
        folds[begin] = Fold(lines[begin:end], times)
    items: list[int | Fold] = []
    position = 0
    while position < len(lines):
        item = folds.get(position, lines[position])
        items.append(item)
        position += len(item.lines) if isinstance(item, Fold) else 1
    return _without_middle(items, 3 * MOST if folds else MOST)  # the rounds at both ends of a fold may be long


def _without_middle(items: list[int | Fold], most: int) -> list[int | Fold]:
    if len(items) <= most:
        return items
    half = MOST // 2
    left_out = [line for item in items[half:-half] for line in (item.lines if isinstance(item, Fold) else (item,))]
    return [*items[:half], Fold(left_out, 0), *items[-half:]]


def _signatures(tape: Tape, lines: Sequence[int]) -> tuple[Array, Array]:
    """Number the function of each line, and the places of its first two operands; −1 for a constant."""
    numbers: dict[Any, int] = {}
    rows = np.empty(len(lines), np.int64)
    operands = np.full((2, len(lines)), -1, np.int64)
    places = np.full(len(tape), -1, np.int64)
    places[np.asarray(lines)] = np.arange(len(lines))
    for k, line in enumerate(lines):
        reads = tape.reads(line)
        row = tape.rows[line]
        kind = (id(row), tuple(place for place, _, _ in reads[:3]), len(reads))
        rows[k] = numbers.setdefault(kind, len(numbers))
        for which, (_, operand, _) in enumerate(reads[:2]):
            operands[which, k] = places[operand]
    return rows, operands


def _runs(rows: Array, operands: Array) -> list[tuple[int, int, int]]:
    """Return (start, stop, period) of every stretch of equal functions whose operands move evenly from part to part."""
    found = []
    for period in _periods(rows):
        one, two = rows[period:-period], rows[2 * period :]
        even = (rows[: -2 * period] == one) & (one == two)
        for places in operands:
            even &= places[: -2 * period] + places[2 * period :] == 2 * places[period:-period]
        ends = np.flatnonzero(np.diff(np.concatenate(([0], even.view(np.int8), [0]))))
        found += [
            (_start(rows, int(a), period), int(b) + 2 * period, period)
            for a, b in ends.reshape(-1, 2)
            if b - a >= (FEWEST - 3) * period
        ]
    return found


def _start(rows: Array, start: int, period: int) -> int:
    """Return where a run begins whose first part may read something else: of a loop what was there before it."""
    earliest = max(start - period, 0)
    other = np.flatnonzero(rows[earliest:start] != rows[earliest + period : start + period])
    return earliest + int(other[-1]) + 1 if len(other) else earliest


def _periods(rows: Array) -> list[int]:
    """Return distances at which functions come again, the commonest of those for parts of 1, 2, 4 … lines.

    Multiples of the shortest are among them: the functions may come again sooner than the operands do.
    """
    found: set[int] = set()
    length, names = 1, rows
    while length <= LONGEST_PART and len(names) > FEWEST:
        order = np.argsort(names, kind="stable")
        same = names[order[1:]] == names[order[:-1]]
        gaps, counts = np.unique(np.diff(order)[same], return_counts=True)
        found.update(gaps[np.argsort(-counts, kind="stable")[:4]].tolist())
        pairs = names[:-length] * (int(names.max()) + 1) + names[length:]
        names = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
        length *= 2
    found.update(k * p for p in sorted(found)[:4] for k in range(2, WIDEST_ROUND + 1))
    return sorted(p for p in found if (FEWEST - 1) * p < len(rows))


def _saved(run: tuple[int, int, int]) -> tuple[int, int]:
    start, stop, period = run
    return (stop - start) // period * period - 2 * period, -period


def _visible_part(hidden: Array, start: int, stop: int) -> tuple[int, int]:
    """Return the part of a run before the first line in it that is hidden already; nothing where that is its first."""
    covered = np.flatnonzero(hidden[start:stop])
    return (start, stop) if not len(covered) else (start, start + int(covered[0]))
