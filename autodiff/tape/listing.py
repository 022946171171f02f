"""A tape as text: the Wengert list as a numbered table, which `print(tape)` shows.

Its own signs are ASCII; names and values stand as they print.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from dualnumbers.levels import plain
from dualnumbers.table import Row

from .program import line_of
from .wengert import Tape

T = TypeVar("T")

LONGEST = 40
"""Lines up to which a tape is shown whole; of a longer one the first and the last half of that many."""

MANY = 6
"""Operands up to which all are named."""

WIDEST = 60
"""Characters up to which an expression or a value is shown whole."""

INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "mod": "%", "power": "**",
         "matmul": "@", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
         "not_equal": "!=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}  # fmt: skip
PREFIX = {"negative": "-", "positive": "+", "invert": "~"}

USUAL = {"ord": None, "axis": None, "dtype": None, "keepdims": False}
"""The defaults of such parameters, of rows whose function does not say them."""


def listing(tape: Tape, adjoints: Sequence[Any] | None = None, names: Sequence[str] | None = None) -> str:
    """Write the tape as a table: line, variable, expression in the variables that it reads, value.

    ``adjoints`` adds a column with the adjoint of every line, as `Tape.adjoints` returns them; None there is a zero,
    since no path leads from the line to the output. ``names`` are those of the inputs; a tape from `autodiff.record`
    knows the parameters of the function. Every other variable is called ``v`` and the number of its line; names that
    are equal have theirs too. Of more than `LONGEST` lines the middle is left out.

    Raises ValueError where there are adjoints of another number of lines, or names of another number of inputs.

    >>> from autodiff import record
    >>> tape, out = record(lambda x, y: x * y + 1, [2.0, 3.0])
    >>> print(listing(tape))
    line  variable  expression  value
    ----  --------  ----------  -----
       0  x         input       2
       1  y         input       3
       2  v2        x * y       6
       3  v3        v2 + 1      7
    """
    count = len(tape)
    if adjoints is not None and len(adjoints) != count:
        raise ValueError(f"listing: {len(adjoints)} adjoints for the {count} lines of the tape: give one per line")
    inputs, variables = set(tape.inputs), variable_names(count, named_inputs(tape, names))
    half = LONGEST // 2 if count > LONGEST else count
    cells = [["line", "variable", "expression", "value"] + ["adjoint"] * (adjoints is not None)]
    for line in (*range(half), *range(max(half, count - half), count)):
        expression = "input" if line in inputs else expression_of(tape, line, variables)
        row = [str(line), variables[line], _cut(expression), value_text(tape, line)]
        if adjoints is not None:
            row.append("0" if adjoints[line] is None else brief(adjoints[line]))
        cells.append(row)
    text = _table(cells)
    if count > LONGEST:
        left_out = count - 2 * half
        text.insert(2 + half, f"... {left_out} line{'s' * (left_out > 1)} left out ...")
    return "\n".join(text)


def named_inputs(tape: Tape, names: Sequence[str] | None) -> dict[int, str]:
    """Return the names of input lines: those given, else those that the tape knows; [] gives none."""
    if names and len(names) != len(tape.inputs):
        raise ValueError(f"{len(names)} names for the {len(tape.inputs)} inputs of the tape: give one for each")
    given = zip(tape.inputs, tape.input_names() if names is None else names, strict=False)
    found = {line: " ".join((name or "").split()) for line, name in given}
    return distinct(tape, {line: name for line, name in found.items() if name})


def distinct(tape: Tape, names: Mapping[int, str]) -> dict[int, str]:
    """Return the names of input lines; where one stands for several Variables, the number of its first line follows."""
    firsts: dict[int, int] = {}
    leaves = zip(tape.inputs, getattr(tape, "leaves", ()), strict=False)
    first = {line: firsts.setdefault(id(leaf), line) for line, leaf in leaves}  # a leaf may be an input again
    names = dict(names)
    while True:
        bearers = Counter(name for name, _ in {(name, first.get(line, line)) for line, name in names.items()})
        if not bearers or max(bearers.values()) == 1:
            return names
        names = {line: f"{name}_{first.get(line, line)}" if bearers[name] > 1 else name for line, name in names.items()}


def variable_names(count: int, given: Mapping[int, str]) -> list[str]:
    """Name each line: as given, or by a letter that no given name uses with a number; and number it."""
    letters = itertools.chain("vwutsrqponm", ("v" * length for length in itertools.count(2)))
    letter = next(c for c in letters if not any(re.fullmatch(rf"{c}\d+", name) for name in given.values()))
    return [given.get(line, f"{letter}{line}") for line in range(count)]


def _table(cells: list[list[str]]) -> list[str]:
    """Write lines of text, cells in columns: numbers of lines to the right, all else to the left; a rule below."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = [[row[0].rjust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in cells]
    text = ["  ".join(row).rstrip() for row in rows]
    return [text[0], "  ".join("-" * width for width in widths), *text[1:]]


def expression_of(tape: Tape, line: int, variables: list[str]) -> str:
    """Write what a line computes, in the notation of Python."""
    row = tape.rows[line]
    if row is None:
        return "constant"  # an array to be filled joins a tape as a line without operands
    operands = tape.operands(line)
    static = tape.static.get(line, ())
    if 0 <= row.arity < len(operands):  # of a locally constant function the parameters were recorded as operands
        static = (*(tape.value(k) for k in operands[row.arity :]), *static)
        operands = operands[: row.arity]
    operands = [k for k in operands if line_of(k) is not None or getattr(tape.value(k), "shown", True)]
    infix = row.name in INFIX or row.name in PREFIX
    parts = [_operand(tape, k, variables, infix) for k in operands]
    if row.name in INFIX:
        return f"{parts[0]} {INFIX[row.name]} {parts[1]}"
    if row.name in PREFIX:
        return PREFIX[row.name] + parts[0]
    if row.name in ("getitem", "item"):
        return f"{parts[0]}[{index_text(static[0])}]"
    if row.name == "setitem":
        return f"{parts[0]} with [{index_text(static[0])}] = {parts[1]}"
    parts = ends(parts, "...")
    return f"{row.shown}({', '.join(parts + _parameters(row, static))})"


def ends(items: Sequence[T], gap: T) -> list[T]:
    """Return the items if they are few, else the first three and the last, with ``gap`` in place of the others."""
    return list(items) if len(items) <= MANY else [*items[:3], gap, items[-1]]


def _operand(tape: Tape, number: int, variables: list[str], infix: bool) -> str:
    """Write the variable that an operand names, or a constant's value, in parentheses where it would be misread."""
    line = line_of(number)
    if line is not None:
        return variables[line]
    text = _inline(tape.constants[~number])
    return f"({text})" if infix and (text.startswith("-") or text.endswith("j")) else text


def _parameters(row: Row, static: tuple[Any, ...]) -> list[str]:
    """Write the static parameters of a call: by name where they may be left out, and if not the default."""
    offered: dict[str, inspect.Parameter] = dict(inspect.signature(row.call).parameters) if row.call else {}
    texts = []
    for name, value in itertools.zip_longest(row.parameters, static):
        if not getattr(value, "shown", True):
            continue
        default = offered[name].default if name in offered else inspect.Parameter.empty
        if default is inspect.Parameter.empty:
            default = USUAL.get(name, inspect.Parameter.empty)
        if default is inspect.Parameter.empty:
            texts.append(index_text(value) if name == "index" else _inline(value))
        elif type(value) is not type(default) or value != default:
            texts.append(f"{name}={_inline(value)}")
    return texts


# ---------------------------------------------------------------------------------------------- values


def brief(value: Any) -> str:
    """Write a value in one short text: a number to 10 digits, a small array whole, else its ends and the shape.

    No number is cut: elements are left out. Of a number of another differentiation its plain value.
    """
    value = plain(value)
    if type(value) is tuple:
        return _of_results(value)
    if not isinstance(value, np.ndarray) or not value.ndim:
        return _inline(value)
    whole = _nested(value.tolist()) if value.size <= 6 else ""
    if (whole and len(whole) <= WIDEST) or not value.size:
        return whole
    first, second, last = (brief(value.flat[k]) for k in (0, min(1, value.size - 1), -1))
    inside = (f"{first}, {second}, ..., {last}", f"{first}, ..., {last}", f"{first}, ...")
    texts = [f"[{text}] {value.shape}" for text in inside]
    return next((text for text in texts if len(text) <= WIDEST), texts[-1])


def _of_results(values: tuple[Any, ...]) -> str:
    """Write several values, or adjoints, each whole if that is short, else their number."""
    for text in (brief, _inline):
        found = _inside([("0" if value is None else text(value)) for value in values])
        if len(found) <= WIDEST:
            return found
    return f"{len(values)} results"


def _inside(texts: list[str]) -> str:
    """Write the texts of the parts of a tuple as that of the tuple."""
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def value_text(tape: Tape, line: int, text: Callable[[Any], str] = brief) -> str:
    """Write the value of a line as a short text; none is kept of an array that was written to in place."""
    return "not kept" if line in tape.unkept else text(tape.values[line])


def _inline(value: Any) -> str:
    """Write a value inside an expression: an array of more than three elements by its shape alone."""
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value.item()
    if isinstance(value, np.ndarray) and value.size <= 3:
        return _nested(value.tolist())
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, complex, np.inexact)):
        return format(value, ".10g")
    if isinstance(value, np.integer):
        return str(value)
    if isinstance(value, tuple):
        return _inside(list(map(_inline, value)))
    if isinstance(value, type):
        return value.__name__
    if getattr(value, "shape", ()):
        return f"array{tuple(value.shape)}"
    return _cut(ascii(value))


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if isinstance(value, list) else _inline(value)


def index_text(index: Any) -> str:
    """Write what stands between the brackets: slices with colons, an ellipsis as dots."""
    if isinstance(index, tuple) and index:
        return ", ".join(map(index_text, index)) + "," * (len(index) == 1)
    if index is Ellipsis:
        return "..."
    if not isinstance(index, slice):
        return _inline(index)
    ends = ["" if end is None else _inline(end) for end in (index.start, index.stop, index.step)]
    return ":".join(ends if ends[2] else ends[:2])


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
