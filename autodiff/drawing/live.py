"""A tape as data that a page can run again at other inputs: lines with their rules, or as the matrices that they are.

A line that is linear in its operands is a matrix, one that is multilinear in two of them such a one for each value of
the other: they are found by the row itself, of unit vectors. So the page has no rule that is not the table's, but those
of functions of groups of elements, such as the greatest along an axis, of which it gets the groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import plain
from dualnumbers.table import Row
from dualnumbers.table.kinds import Linear, Multilinear

from ..tape.program import line_of
from ..tape.wengert import Tape
from .javascript import TRUTHS, formulas

MOST_LINES, MOST_WEIGHTS, MOST_TRIALS = 2000, 40_000, 5000
"""Lines of a tape, entries of its matrices, and unit vectors tried for one of them, up to which a page runs it."""


GROUPED = ("max", "min", "prod", "cumprod", "length", "p_norm", "sort", "median", "quantile", "var", "std",
           "root_mean_square", "softmax", "softmax2", "log_softmax", "log_sum_exp", "logaddexp_reduce",
           "logaddexp2_reduce", "cross_entropy")  # fmt: skip
OF_MATRICES = ("det", "inv", "slogdet")
WHOLE = ("solve", "affine")
TRUE_OF = {"all": True, "any": False}
SINGLE = {"modf": 1, "frexp": 1}
"""The rows each of whose results depends on a group of elements, of which the page knows the function (groups.js): of
those that follow each other, of a matrix, of all operands, of conditions that are so as long as none is otherwise, of
one element. The last ones have a result without a derivative, at that place; so has slogdet, its first."""

DDOF = {"var": 2, "std": 2, "root_mean_square": 1}
"""Rows → the place among their parameters of that which is taken from the number of elements."""


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
    guards = [
        [line, data(tape.values[line])["data"], str(where or tape.rows[line])]
        for line, where in recorded.guards.items()
    ]
    return {"lines": lines, "output": output, "guards": guards}


def data(value: Any) -> dict[str, Any]:
    """Return a value as data; NotLiveError where it is of another kind than real numbers."""
    value = plain(value)
    if type(value) is tuple:
        found = list(map(data, value))
        kinds = [{"shape": part["shape"], "kind": part["kind"]} for part in found]
        numbers = [x for part in found for x in part["data"]]
        return {"shape": [len(numbers)], "data": numbers, "kind": "float", "parts": kinds}
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
    found: dict[str, Any] = {"row": row.name, "operands": written, "shown": row.shown,
                             "described": row.described()}  # fmt: skip
    if row.name == "item":
        return found | _item(tape, k)
    if row.name in (*GROUPED, *OF_MATRICES, *WHOLE, *TRUE_OF, *SINGLE) and not _is_of_another_kind(tape, k):
        return found | _groups(tape, k)
    if row.is_elementwise or row.is_constant:
        if row.name in TRUTHS and data(value)["kind"] != "truth":  # & and | of bits
            raise NotLiveError(f"{row.shown} of whole numbers has no rule in a page")
        data(value)
        _check(row)
        return found | ({"whole": True} if isinstance(value, int) and row.name not in TRUTHS else {})
    if row.name == "where":
        return found
    lines = [place for place, operand in enumerate(operands) if line_of(operand) is not None]
    kinds = {type(row.argument(place)) for place in lines}
    if row.several or not kinds <= {Linear, Multilinear} or len(kinds) != 1 or len(lines) > 2 > (kinds == {Linear}) + 1:
        raise NotLiveError(f"{row.shown} has no rule in a page")
    return found | _weights(tape, k, lines, kinds == {Multilinear} and len(lines) == 2)


def _check(row: Row) -> None:
    try:
        formulas(row)
    except (ValueError, TypeError):
        raise NotLiveError(f"{row.shown} has no rule in a page") from None


def _value(tape: Tape, operand: int) -> Any:
    """Return the value of an operand; of a number of another differentiation, such as a parameter, its plain one."""
    return plain(tape.value(operand))


def _operand(tape: Tape, operand: int) -> Any:
    line = line_of(operand)
    if line is None:
        return {"constant": data(_value(tape, operand))}
    return operand if operand >= 0 else {"line": line}


def _weights(tape: Tape, k: int, lines: Sequence[int], bilinear: bool) -> dict[str, Any]:
    """Find the matrices of a line by its row, applied to unit vectors in the places of its operands that are lines."""
    row, static = tape.rows[k], tape.static.get(k, ())
    assert row is not None
    xs = [_value(tape, operand) for operand in tape.operands(k)]
    sizes = [np.size(x) for x in xs]
    if (np.prod([sizes[place] for place in lines]) if bilinear else sum(sizes[place] for place in lines)) > MOST_TRIALS:
        raise NotLiveError(f"{row.shown} is of more numbers than a page runs")
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


def _is_of_another_kind(tape: Tape, k: int) -> bool:
    """Say whether a line is of a row of groups, but the function is not that of the page: another norm, other axes."""
    row, xs = tape.rows[k], [np.shape(_value(tape, operand)) for operand in tape.operands(k)]
    assert row is not None
    if row.name == "length":
        return tape.static[k][0] not in (None, 2)
    if row.name in ("median", "quantile") and tape.static[k][0].startswith("nan"):
        raise NotLiveError(f"{tape.static[k][0]} has no rule in a page")
    if row.name in WHOLE:
        return len(xs[0]) != 2 or (row.name == "affine" and list(map(len, xs)) != [2, 2, 1])
    return False


def _groups(tape: Tape, k: int) -> dict[str, Any]:
    """Find the groups of elements, each with the places of the results that depend on it; and what else is fixed."""
    row, static, value = tape.rows[k], tape.static.get(k, ()), plain(tape.values[k])
    assert row is not None
    xs = [np.asarray(_value(tape, operand)) for operand in tape.operands(k)]
    shown = [data(x) for x in (*xs, value)][-1]
    size, results = sum(x.size for x in xs), len(shown["data"])
    if size**2 > MOST_TRIALS * 20:
        raise NotLiveError(f"{row.shown} is of more numbers than a page runs")
    constant = SINGLE.get(row.name, 0) if type(value) is tuple else -1
    parts = [part | {"constant": place == constant} for place, part in enumerate(shown.get("parts", []))]
    found: dict[str, Any] = {"shape": shown["shape"]} | ({"parts": parts} if parts else {})
    if row.name in SINGLE:
        groups = [[[i], [i, size + i]] for i in range(size)]
    elif row.name in WHOLE:
        groups = [[list(range(size)), list(range(results))]]
        dims = np.shape(xs[0])
        found["parameter"] = dims[0] if row.name == "solve" else [*dims, np.shape(xs[1])[1]]
    elif row.name in OF_MATRICES:
        count = prod(np.shape(xs[0])[:-2])
        to = np.moveaxis(np.arange(results).reshape(len(parts) or 1, count, -1), 1, 0)  # of each part in turn
        of = np.arange(size).reshape(count, -1)
        groups = [[part.tolist(), at.tolist()] for part, at in zip(of, to.reshape(count, -1), strict=True)]
    elif row.name in TRUE_OF:
        groups = _decided(row, static, np.shape(xs[0]))
        found |= {"kind": "truth", "maps": [None]}
    else:
        groups = _followed(row, static, xs[0], results)
        if row.name in DDOF:
            found["parameter"] = static[DDOF[row.name]]
        elif row.name == "p_norm":
            found["parameter"] = static[0]
        elif row.name == "cross_entropy":
            found["parameter"] = static[0].tolist()
        elif row.name in ("median", "quantile"):
            found["parameter"] = _ranks(row, static, len(groups[0][0]))
    return found | {"groups": groups}


def _decided(row: Row, static: Sequence[Any], dims: tuple[int, ...]) -> list[Any]:
    """Return the groups of conditions, by which result is another one if one of them is."""
    usual = TRUE_OF[row.name]
    groups: dict[int, list[int]] = {}
    same = row.evaluate(np.full(dims, usual), *static)
    for i in range(prod(dims)):
        other = np.full(dims, usual)
        other.flat[i] = not usual
        for to in np.flatnonzero(row.evaluate(other, *static) != same).tolist():
            groups.setdefault(to, []).append(i)
    return [[of, [to]] for to, of in groups.items()]


def _followed(row: Row, static: Sequence[Any], x: Any, results: int) -> list[Any]:
    """Return the groups, by where a NaN in the place of an element comes out: at the last result of its group at least.

    Raises NotLiveError where some result follows no element.
    """

    def reached(where: Any) -> list[int]:
        with np.errstate(all="ignore"):
            return np.flatnonzero(np.isnan(row.evaluate(np.where(where, np.nan, x), *static))).tolist()

    members: dict[int, list[int]] = {}
    for i in range(x.size):
        if to := reached(np.arange(x.size).reshape(x.shape) == i):
            members.setdefault(to[-1], []).append(i)
    groups = [[of, reached(np.isin(np.arange(x.size), of).reshape(x.shape))] for of in members.values()]
    if sorted(to for _, all_of in groups for to in all_of) != list(range(results)):
        raise NotLiveError(f"{row.shown} has no rule in a page at these values")
    return groups


def _ranks(row: Row, static: Sequence[Any], count: int) -> list[list[float]]:
    """Return the weights of the sorted elements in each of the quantiles: how it grows from 0 … 0 1 to 0 … 0 1 1."""
    function, q, _, _, method = static
    steps = np.tri(count)[:, ::-1]
    sums = np.array([np.ravel(row.evaluate(step, function, q, None, False, method)) for step in steps])
    weights: list[list[float]] = np.diff(sums, axis=0, prepend=0.0)[::-1].T.tolist()
    return weights


def _item(tape: Tape, k: int) -> dict[str, Any]:
    """Return the matrix that takes one of several results out of all."""
    place, value = tape.static[k][0], tape.values[k]
    before = sum(np.size(part) for part in _value(tape, tape.operands(k)[0])[:place])
    size = np.size(value)
    maps = [number for i in range(size) for number in (before + i, i, 1.0)]
    return {"shape": data(value)["shape"], "maps": [maps], "offset": [0.0] * size, "weights": len(maps)}


def _unit(x: Any, place: int) -> Any:
    unit = np.zeros(np.shape(x))
    unit.flat[place] = 1.0
    return unit if unit.ndim else float(unit)


def _entries(column: Any) -> Iterator[tuple[int, float]]:
    for to, weight in enumerate(column.ravel().tolist()):
        if weight:
            yield to, weight
