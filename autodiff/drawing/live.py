"""A tape as data that a page can run again at other inputs: lines with their rules, or as the matrices that they are.

A line that is linear in its operands is a matrix, one that is multilinear in two of them such a one for each value of
the other: they are found by the row itself, of unit vectors. So the page has no rule that is not the table's, but those
of functions of groups of elements, such as the greatest along an axis, of which it gets the groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.table import Row
from dualnumbers.table.kinds import Linear, Multilinear

from ..tape.program import line_of
from ..tape.wengert import Tape
from .javascript import TRUTHS, formulas

MOST_LINES, MOST_WEIGHTS, MOST_TRIALS = 2000, 40_000, 5000
"""Lines of a tape, entries of its matrices, and unit vectors tried for one of them, up to which a page runs it."""


GROUPED = ("max", "min", "prod", "length", "sort")
"""The rows each of whose results depends on a group of elements, of which the page knows the function: engine.js."""


OUTWARD = {"min": -1.0}
"""Where an element is to be moved so that the result follows it, if that is not up."""


class NotLiveError(Exception):
    """Why a page stays at its point."""


def program(tape: Tape, output: int | None) -> dict[str, Any]:
    """Return the tape as data; NotLiveError where it has a line that no page can compute, which it names."""
    recorded = tape.recorded
    if recorded is None:
        raise NotLiveError("only a tape of autodiff.record can be run at other inputs")
    if recorded.answers:
        raise NotLiveError("a rule decided by a value")
    if len(tape) > MOST_LINES:
        raise NotLiveError(f"it has more than {MOST_LINES} lines")
    if output is None or shape(tape.values[output]):
        raise NotLiveError("its result is no number that depends on an input")
    lines = [_line(tape, k) for k in range(len(tape))]
    if sum(line.pop("weights", 0) for line in lines) > MOST_WEIGHTS:
        raise NotLiveError("its matrices are too large for a page")
    guards = [[line, data(tape.values[line])["data"], str(where or tape.rows[line])]
              for line, where in recorded.guards.items()]  # fmt: skip
    return {"lines": lines, "output": output, "guards": guards}


def data(value: Any) -> dict[str, Any]:
    """Return a value as data; NotLiveError where it is of another kind than real numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        raise NotLiveError("it computes with complex numbers, and a page with real ones only")
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise NotLiveError(f"it has values of type {array.dtype}")
    kind = {"b": "truth", "f": "float"}.get(array.dtype.kind, "whole")
    return {"shape": list(array.shape), "data": [_number(x) for x in array.ravel().tolist()], "kind": kind}


def _number(x: Any) -> Any:
    """Return a number as JSON has it; what it has not as text, which JavaScript reads as that number."""
    return int(x) if isinstance(x, bool) else x if np.isfinite(x) else "NaN" if x != x else f"{'-' * (x < 0)}Infinity"


def _line(tape: Tape, k: int) -> dict[str, Any]:
    row, value = tape.rows[k], tape.values[k]
    if row is None:
        place = {"input": tape.inputs.index(k)} if k in tape.inputs else {"constant": data(value)}
        return {"row": None, "operands": [], **place}
    operands = tape.operands(k)
    written = [_operand(tape, operand) for operand in operands]
    found: dict[str, Any] = {"row": row.name, "operands": written, "shown": row.shown or row.name,
                             "described": row.described()}  # fmt: skip
    if row.is_elementwise or row.is_constant:
        data(value)
        _check(row)
        return found | ({"whole": True} if isinstance(value, int) and row.name not in TRUTHS else {})
    if row.name == "where":
        return found
    if row.name in GROUPED and (row.name != "length" or tape.static[k][0] in (None, 2)):
        return found | _groups(tape, k)
    lines = [place for place, operand in enumerate(operands) if line_of(operand) is not None]
    kinds = {type(row.argument(place)) for place in lines}
    if row.several or not kinds <= {Linear, Multilinear} or len(kinds) != 1 or len(lines) > 2 > (kinds == {Linear}) + 1:
        raise NotLiveError(f"{row.shown or row.name} has no rule in a page")
    return found | _weights(tape, k, lines, kinds == {Multilinear} and len(lines) == 2)


def _check(row: Row) -> None:
    try:
        formulas(row)
    except (ValueError, TypeError):
        raise NotLiveError(f"{row.shown or row.name} has no rule in a page") from None


def _operand(tape: Tape, operand: int) -> Any:
    line = line_of(operand)
    if line is None:
        return {"constant": data(tape.value(operand))}
    return operand if operand >= 0 else {"line": line}


def _weights(tape: Tape, k: int, lines: Sequence[int], bilinear: bool) -> dict[str, Any]:
    """Find the matrices of a line by its row, applied to unit vectors in the places of its operands that are lines."""
    row, static = tape.rows[k], tape.static.get(k, ())
    assert row is not None
    xs = [tape.value(operand) for operand in tape.operands(k)]
    sizes = [np.size(x) for x in xs]
    if (np.prod([sizes[place] for place in lines]) if bilinear else sum(sizes[place] for place in lines)) > MOST_TRIALS:
        raise NotLiveError(f"{row.shown or row.name} is of more numbers than a page runs")
    zeros = [np.zeros(np.shape(x)) if place in lines else x for place, x in enumerate(xs)]

    def at(units: dict[int, int]) -> Any:
        given = list(zeros)
        for place, unit in units.items():
            given[place] = _unit(xs[place], unit)
        return np.asarray(row.evaluate(*given, *static), float)

    dims = {"shape": list(np.shape(tape.values[k]))}
    if bilinear:
        pairs = [number for i in range(sizes[0]) for j in range(sizes[1])
                 for to, weight in _entries(at({0: i, 1: j})) for number in (i, j, to, weight)]  # fmt: skip
        return dims | {"pairs": pairs, "weights": len(pairs)}
    offset = at({})
    if type(row.argument(lines[0])) is Multilinear:
        offset = np.zeros(offset.shape)
    maps = [[number for i in range(sizes[place]) for to, weight in _entries(at({place: i}) - offset)
             for number in (i, to, weight)] if place in lines else None for place in range(len(xs))]  # fmt: skip
    return dims | {"maps": maps, "offset": offset.ravel().tolist(), "weights": sum(len(m or ()) for m in maps)}


def _groups(tape: Tape, k: int) -> dict[str, Any]:
    """Find the groups of elements, each with the places of the results that depend on it."""
    row, static, x = tape.rows[k], tape.static.get(k, ()), np.asarray(tape.value(tape.operands(k)[0]))
    assert row is not None
    data(x)
    if x.size**2 > MOST_TRIALS * 20:
        raise NotLiveError(f"{row.shown or row.name} is of more numbers than a page runs")
    dims = {"shape": list(np.shape(tape.values[k]))}
    if row.name == "sort":
        along = np.moveaxis(np.arange(x.size).reshape(x.shape), static[0], -1).reshape(-1, x.shape[static[0]])
        return dims | {"groups": [[of, of] for of in along.tolist()]}
    groups: dict[int, list[int]] = {}
    same = row.evaluate(np.ones(x.shape), *static)
    for i in range(x.size):  # whose group is what follows it
        (to,) = np.flatnonzero(row.evaluate(1.0 + OUTWARD.get(row.name, 1.0) * _unit(x, i), *static) - same).tolist()
        groups.setdefault(to, []).append(i)
    return dims | {"groups": [[of, [to]] for to, of in groups.items()]}


def _unit(x: Any, place: int) -> Any:
    unit = np.zeros(np.shape(x))
    unit.flat[place] = 1.0
    return unit if unit.ndim else float(unit)


def _entries(column: Any) -> Iterator[tuple[int, float]]:
    for to, weight in enumerate(column.ravel().tolist()):
        if weight:
            yield to, weight
