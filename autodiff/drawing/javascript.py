"""The rules of elementwise rows in JavaScript and as formulas, printed from the table for a page that computes itself.

A partial is recorded on arrays of one element, where no rule can decide by a value: what comes of it is a tree of
table functions, which holds at every point. A row whose value the page cannot compute (`values`), or whose partials
need such a one, is not printed; the page says so where it meets it. Without SciPy nor are the functions whose slopes
SciPy computes, such as gamma.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.rules.elementwise.powers import euclidean_length
from dualnumbers.table import TABLE, Row

from ..command_line.expressions import FUNCTIONS
from ..reverse import record
from ..symbols import formula as symbols
from ..symbols.notation import PLAIN
from ..symbols.rules import partial
from ..tape.listing import INFIX, PREFIX
from ..tape.program import line_of
from ..tape.wengert import Tape

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "less": "<", "less_equal": "<=",
         "greater": ">", "greater_equal": ">=", "equal": "===", "not_equal": "!==", "bitwise_and": "&&",
         "bitwise_or": "||"}  # fmt: skip
"""The rows that are operators in JavaScript, those of bits of conditions; beside them `negative` and `where` are."""

BESIDE_FUNCTIONS = ("add", "subtract", "multiply", "divide", "floor_divide", "mod", "power", "negative", "positive",
                    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "absolute", "log",
                    "hypot")  # fmt: skip
"""The rows of an expression that are not those of its functions: of operators, and behind functions of several."""

NAMES = "xyzuvw"

WHOLE = ("floor", "ceil", "trunc", "rint")
"""The rows whose values are whole numbers for numbers of Python's."""

TRUTHS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
          "logical_xor", "logical_not", "isfinite", "isinf", "isnan", "isposinf", "isneginf", "signbit",
          "bitwise_and", "bitwise_or")  # fmt: skip
"""The rows whose values are true or false."""


class Operand(NamedTuple):
    """A leaf of a formula: the operand at a place of the row; behind the operands stands its value."""

    place: int


class Applied(NamedTuple):
    """A table function of formulas, each of which is such a one, an `Operand` or a number."""

    name: str
    of: tuple[Any, ...]


Formula = Applied | Operand | float


@cache
def values() -> frozenset[str]:
    """Return the names of the functions that the page computes."""
    table = part("elementary.js").partition("const F = {")[2].partition("\n};")[0]
    listed = re.findall(r"(?:^  |, )(\w+): ", table, re.MULTILINE)
    return frozenset((*listed, *defined("special.js"), *SIGNS, "negative", "where"))


def defined(name: str) -> list[str]:
    """Return the names of the functions that a script adds to those of elementary.js."""
    return re.findall(r"^F\.(\w+) =", part(name), re.MULTILINE)


def part(name: str) -> str:
    """Read one of the files that pages are made of."""
    return files(__package__).joinpath("explorer", name).read_text(encoding="utf-8")


@cache
def formulas(row: Row) -> tuple[Formula, ...]:
    """Return the partials of an elementwise row as formulas; ValueError where the page cannot compute one."""
    if row.several or row.any_number or not (row.is_elementwise or row.is_constant) or row.name not in values():
        raise ValueError(f"{row.shown}: the page has no rule for it")
    return tuple(_formula(row, partial) for partial in row.partials)


def _formula(row: Row, partial: Any) -> Formula:
    if isinstance(partial, float):
        return partial
    point = row.domain.ranges if row.domain else ((0.3, 0.4),) * row.arity
    args = [np.array([0.25 * low + 0.75 * high]) for low, high in point]
    try:
        with np.errstate(all="ignore"):
            tape, out = record(partial, [*args, np.array([0.7])])
    except ImportError as error:  # psi, the slope of gamma, is SciPy's
        raise ValueError(f"{row.shown}: {error}") from error
    recorded = tape.recorded
    assert recorded is not None
    if not tape.outputs:
        return float(np.asarray(out).ravel()[0])
    formula = _of_line(tape, tape.outputs[0])
    missing = {name for name in _names(formula) if name not in values()}
    if missing or recorded.guards or recorded.answers:
        raise ValueError(f"{row.shown}: the page has no rule for {', '.join(sorted(missing))}")
    return formula


def _of_line(tape: Tape, line: int) -> Formula:
    row = tape.rows[line]
    if row is None:
        return Operand(tape.inputs.index(line))
    if line in tape.static:
        return Applied(f"{row.name} with parameters", ())
    return Applied(row.name, tuple(_of_operand(tape, k) for k in tape.operands(line)))


def _of_operand(tape: Tape, operand: int) -> Formula:
    line = line_of(operand)
    return _of_line(tape, line) if line is not None else float(np.asarray(tape.value(operand)).ravel()[0])


def _names(formula: Formula) -> Iterable[str]:
    if isinstance(formula, Applied):
        yield formula.name
        for x in formula.of:
            yield from _names(x)


def _places(formula: Formula) -> set[int]:
    if isinstance(formula, Operand):
        return {formula.place}
    return set().union(*map(_places, formula.of)) if isinstance(formula, Applied) else set()


# ---------------------------------------------------------------------------------------------- JavaScript


def javascript(names: Iterable[str], for_readers: bool = False) -> str:
    """Write the rules of rows, by their names, as a constant of JavaScript; also ``for_readers``, in symbols."""
    rules = [f"  {CHOICE if name == 'where' else _rule(TABLE[name].row, for_readers)},\n" for name in sorted(names)]
    return f"const RULES = {{\n{''.join(rules)}}};\n"


CHOICE = (
    "where: { arity: 3, value: (x, y, z) => x ? y : z, partials: [null, (x) => x ? 1 : 0, (x) => x ? 0 : 1], "
    'reads: [[], [0], [0]], choice: true, shown: "where", described: "linear" }'
)
"""The rule of `where`, which is linear in what it chooses between."""


def printable() -> list[str]:
    """Return the names of all rows that are printed."""
    return [name for name in sorted(values()) if name in TABLE and _can_be_printed(TABLE[name].row)]


def functions() -> str:
    """Write the names of the functions of expressions as a constant of JavaScript."""
    return f"const FUNCTIONS = {json.dumps(sorted(FUNCTIONS))};\n"


def in_expressions() -> list[str]:
    """Return the names of the rows that functions and operators of expressions are applied by."""
    lengths = [euclidean_length(dimension).row.name for dimension in (3, 4)]
    rows = {function.row.name for function in FUNCTIONS.values() if hasattr(function, "row")}
    return sorted(name for name in rows.union(BESIDE_FUNCTIONS, lengths) if _can_be_printed(TABLE[name].row))


def _can_be_printed(row: Row) -> bool:
    try:
        formulas(row)
    except (ValueError, TypeError):
        return False
    return True


def _rule(row: Row, with_symbols: bool) -> str:
    found, arity = formulas(row), row.arity
    places = list(map(Operand, range(arity)))
    fields = [f"arity: {arity}", f"value: {_function(arity, Applied(row.name, tuple(places)))}"]
    if row.is_constant:
        fields.append("constant: true")
    else:
        fields.append(f"partials: [{', '.join(_written(arity, p) for p in found)}]")
        fields.append(f"reads: {json.dumps([sorted(_places(p)) for p in found])}")
        fields += [f"symbols: {_json(texts(row))}"] if with_symbols else []
        fields += [f"powers: {_json(_powers(row))}"] if with_symbols and row.name in ("power", "pow") else []
    fields += [f"{name}: true" for name in ("singular", "selects") if getattr(row, name)]
    kind = "truth" if row.name in TRUTHS else "whole" if row.name in WHOLE else ""
    fields += [f"kind: {kind!r}"] if kind else []
    shown = INFIX.get(row.name) or PREFIX.get(row.name)
    fields.append(f"sign: {json.dumps(shown)}" if shown else f"shown: {json.dumps(row.shown)}")
    fields.append(f"described: {json.dumps(row.described())}")
    return f"{row.name}: {{ {', '.join(fields)} }}"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _written(arity: int, formula: Formula) -> str:
    """Write a partial: a number, or a function of the operands and the value."""
    return _number(formula) if isinstance(formula, float) else _function(arity + 1, formula)


def _function(arity: int, formula: Formula) -> str:
    return f"({', '.join(NAMES[:arity])}) => {_code(formula, outermost=True)}"


def _code(formula: Formula, outermost: bool = False) -> str:
    if isinstance(formula, Operand):
        return NAMES[formula.place]
    if not isinstance(formula, Applied):
        return _number(formula)
    xs = list(map(_code, formula.of))
    if formula.name in SIGNS:
        code = f"{xs[0]} {SIGNS[formula.name]} {xs[1]}"
    elif formula.name == "where":
        code = f"{xs[0]} ? {xs[1]} : {xs[2]}"
    elif formula.name == "negative":
        code = f"-{xs[0]}"
    else:
        return f"F.{formula.name}({', '.join(xs)})"
    return code if outermost else f"({code})"


def _number(x: float) -> str:
    return str(x) if math.isfinite(x) else "NaN" if math.isnan(x) else f"{'-' * (x < 0)}Infinity"


# ---------------------------------------------------------------------------------------------- for readers

EXPONENTS = (-3, -2, -1, -0.5, 0.5, 1.5, *range(2, 9))
"""Those of which the derivative of a power is printed for itself: 2·x."""


def texts(row: Row) -> list[str | None]:
    """Return the partials of a row in symbols, with ``__0__`` in the place of an operand; behind them is the value.

    None where one is a number or no formula.
    """
    return [_text(row, place, [_symbol(k) for k in range(row.arity)]) for place in range(row.arity)]


def _symbol(place: int) -> symbols.Formula:
    return symbols.symbol(f"__{place}__")


def _text(row: Row, place: int, operands: list[symbols.Formula]) -> str | None:
    try:
        (found, *_) = partial(row, place, operands, _symbol(row.arity))
    except (TypeError, ValueError, RecursionError):  # a rule that searches is no formula
        return None
    text = PLAIN.spell(found.formula)
    return text if has_letters(text) else None


def has_letters(text: str) -> bool:
    """Say whether a text is more than a number."""
    return any(map(str.isalpha, text)) or "__" in text


def _powers(row: Row) -> dict[str, str | None]:
    """Return the derivative by the base, by the text that the exponent has in JavaScript."""
    return {f"{n:g}": _text(row, 0, [_symbol(0), symbols.as_formula(n)]) for n in EXPONENTS}
