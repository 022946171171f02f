"""The table of elementary functions as the paper prints it: what the rules make of formulas."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from formula import Formula, Undecided, as_formula, assumed, symbol

from dualnumbers.rules import families
from dualnumbers.table import BY_NUMPY, Row


def _cases(partial: Callable[..., Any], arguments: dict[str, Any], assumptions: dict[str, bool]) -> Iterator[str]:
    """The formulas of a partial: what holds in general, then each special case with its condition."""
    assumed.clear()
    assumed.update({"1": True, "0": False} | assumptions)
    try:
        yield str(as_formula(partial(*arguments.values())))
    except Undecided as undecided:
        condition = str(undecided)
        yield from _cases(partial, arguments, assumptions | {condition: False})
        equations = [part.partition(" = ") for part in condition.split(", ")]
        known = {name: float(value) for name, _, value in equations if name in arguments and value.isdecimal()}
        for special in _cases(partial, arguments | known, assumptions | {condition: True}):
            yield f'{special} "if" {condition}'


def printed(partial: Any, symbols: dict[str, Any]) -> str:
    """A partial's formula in the arguments and the output z; a constant partial is a number in the row."""
    if not callable(partial):
        return str(as_formula(partial))
    return ", quad ".join(_cases(partial, symbols | {"z": symbol("z")}, {}))


def _domain(text: str) -> str:
    """A domain's text in Typst's notation: words in quotes, letters apart, fractions on the line."""
    text = re.sub(r"[A-Za-z]{2,}([ -](an?|[A-Za-z]{2,})\b)*", lambda words: f'"{words[0]}"', text)
    return re.sub(r"(?<=[a-z])(?=π)", " ", text).replace("/", " slash ")


def _line(row: Row) -> dict[str, Any]:
    """A row of the table: its name, and the sources of its value, its partials and its domain."""
    signatures = [list(inspect.signature(p).parameters)[:-1] for p in row.partials if callable(p)]
    symbols = {name: symbol(name) for name in (*signatures, ["x", "y", "w"][: row.arity])[0]}
    return {
        "name": row.name,
        "value": str(Formula.lift(row.python)(*symbols.values())),
        "partials": [printed(p, symbols) for p in row.partials],
        "domain": _domain(row.domain.text) if row.domain else "",
    }


def _family(module: Any) -> str:
    """The first sentence of a rule file's docstring, without its stop."""
    return re.split(r"[.;:]", module.__doc__)[0]


def _rows(module: Any) -> Iterator[Row]:
    """The elementwise rows that a rule file writes, not those that it imports, nor those that only SciPy has."""
    for function in vars(module).values():
        row = getattr(function, "row", None)
        if row is None or not row.is_elementwise or row.name.startswith("_"):
            continue
        if row.name in BY_NUMPY and not hasattr(math, row.name):
            continue
        if {p.__module__ for p in row.partials if callable(p)} <= {module.__name__}:
            yield row


def table() -> list[dict[str, Any]]:
    """The families of elementary functions, one a rule file that has elementwise rows: title and lines."""
    modules = sorted(families(), key=lambda module: module.__name__.rpartition(".")[2])
    found = [{"title": _family(m), "lines": [_line(row) for row in _rows(m)]} for m in modules]
    return [family for family in found if family["lines"]]
