"""The table of elementary functions as the paper prints it: what the rules make of formulas."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from typing import Any

from autodiff.symbols.formula import Formula, symbol
from autodiff.symbols.notation import TYPST
from autodiff.symbols.rules import cases, in_words, value
from dualnumbers.rules import families
from dualnumbers.several import parts
from dualnumbers.table import BY_NUMPY, Row


def printed(rule: Any, operands: list[Formula], z: Any = None) -> str:
    """A partial's formula in the arguments and the output z; a constant partial is a number in the row."""
    return ", quad ".join(in_words(cases(rule, operands, symbol("z") if z is None else z), TYPST, '"if"'))


def _domain(text: str) -> str:
    """A domain's text in Typst's notation: words in quotes, letters apart, fractions on the line."""
    text = re.sub(r"[A-Za-z]{2,}([ -](an?|[A-Za-z]{2,})\b)*", lambda words: f'"{words[0]}"', text)
    return re.sub(r"(?<=[a-z])(?=π)", " ", text).replace("/", " slash ")


def _lines(row: Row) -> Iterator[dict[str, Any]]:
    """The lines of a row: its name, and the sources of its value, its partials and its domain.

    Of several results each that carries a derivative has a line: z₀ is the first.
    """
    signatures = [list(inspect.signature(p).parameters)[:-1] for p in row.partials if callable(p)]
    operands = [symbol(name) for name in (*signatures, ["x", "y", "w"][: row.arity])[0]]
    result, domain = TYPST.spell(value(row, operands)), _domain(row.domain.text) if row.domain else ""
    if not row.several:
        partials = [printed(p, operands) for p in row.partials]
        yield {"name": row.name, "value": result, "partials": partials, "domain": domain}
        return
    by_result = list(zip(*row.partials, strict=True))
    z = tuple(symbol(f"z_{which}") for which in range(len(by_result)))
    for which, carried in enumerate(by_result):
        if carried != (None,) * row.arity:
            partials = [printed(p, operands, z) for p in carried]
            yield {"name": f"{row.name}[{which}]", "value": f"{result}_{which}", "partials": partials, "domain": domain}


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
