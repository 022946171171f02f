"""The table of elementary functions as the paper prints it: what the rules make of formulas."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from formula import Formula, Undecided, as_formula, assumed, symbol

from dualnumbers.rules import families
from dualnumbers.several import parts
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


def printed(partial: Any, symbols: dict[str, Any], z: Any = None) -> str:
    """A partial's formula in the arguments and the output z; a constant partial is a number in the row."""
    if not callable(partial):
        return str(as_formula(partial))
    return ", quad ".join(_cases(partial, symbols | {"z": symbol("z") if z is None else z}, {}))


def _domain(text: str) -> str:
    """A domain's text in Typst's notation: words in quotes, letters apart, fractions on the line."""
    text = re.sub(r"[A-Za-z]{2,}([ -](an?|[A-Za-z]{2,})\b)*", lambda words: f'"{words[0]}"', text)
    return re.sub(r"(?<=[a-z])(?=π)", " ", text).replace("/", " slash ")


def _lines(row: Row) -> Iterator[dict[str, Any]]:
    """The lines of a row: its name, and the sources of its value, its partials and its domain.

    Of several results each that carries a derivative has a line: z₀ is the first.
    """
    signatures = [list(inspect.signature(p).parameters)[:-1] for p in row.partials if callable(p)]
    symbols = {name: symbol(name) for name in (*signatures, ["x", "y", "w"][: row.arity])[0]}
    value, domain = str(Formula.lift(row.python)(*symbols.values())), _domain(row.domain.text) if row.domain else ""
    if not row.several:
        partials = [printed(p, symbols) for p in row.partials]
        yield {"name": row.name, "value": value, "partials": partials, "domain": domain}
        return
    by_result = list(zip(*row.partials, strict=True))
    z = tuple(symbol(f"z_{which}") for which in range(len(by_result)))
    for which, carried in enumerate(by_result):
        if carried != (None,) * row.arity:
            partials = [printed(p, symbols, z) for p in carried]
            yield {"name": f"{row.name}[{which}]", "value": f"{value}_{which}", "partials": partials, "domain": domain}


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
        if {p.__module__ for by in row.partials for p in parts(by) if callable(p)} <= {module.__name__}:
            yield row


def table() -> list[dict[str, Any]]:
    """The families of elementary functions, one a rule file that has elementwise rows: title and lines."""
    modules = sorted(families(), key=lambda module: module.__name__.rpartition(".")[2])
    found = [{"title": _family(m), "lines": [line for row in _rows(m) for line in _lines(row)]} for m in modules]
    return [family for family in found if family["lines"]]
