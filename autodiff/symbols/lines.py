"""The rule of each line of a tape in symbols: its partials where it is elementwise, else what its pull-back computes.

>>> from autodiff import record
>>> import numpy as np
>>> tape, out = record(lambda x, y: np.sin(x * y) + x / y, [1.0, 2.0])
>>> rule(tape, 3, 0, ["x", "y", "v2", "v3", "v4", "v5"])
'∂v3/∂v2 = cos(v2)'
>>> tape, out = record(lambda X, w: np.sum(X @ w), [np.ones((3, 2)), np.ones(2)])
>>> rule(tape, 2, 1, ["X", "w", "v2", "v3"])
'w̄ += Xᵀ @ v̄2'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import is_number
from dualnumbers.several import parts
from dualnumbers.table import TABLE, Refused

from ..reverse import record
from ..tape.listing import INFIX, PREFIX, expression_of, index_text, named_inputs, variable_names
from ..tape.program import line_of
from ..tape.variable import Variable
from ..tape.wengert import Tape
from .formula import Formula, as_formula, symbol
from .notation import PLAIN
from .rules import partial

LONGEST = 70
"""Characters up to which a rule is written."""

LARGEST = 10_000
"""The size of arrays up to which a pull-back is carried out to see what it computes."""


def rule(tape: Tape, line: int, place: int, variables: Sequence[str]) -> str | None:
    """Return what the derivative of a line by the operand at a place is, in the names of the variables of the tape.

    None of a constant operand, where no derivative passes, and where it is longer than `LONGEST` or no formula.
    """
    row, operand = tape.rows[line], line_of(tape.operands(line)[place])
    if row is None or operand is None or row.is_constant or not row.passes(place):
        return None
    if row.is_elementwise and not row.several:
        text = _partial(tape, line, place, variables)
        said = f"∂{variables[line]}/∂{variables[operand]} = {text}"
    else:
        text, into = _pull_back(tape, line, place, variables)
        said = f"{adjoint(variables[operand])}{into} += {text}"
    return None if text is None or len(text) > LONGEST else said


def rules(tape: Tape, names: Sequence[str] | None = None) -> str:
    """Return a tape as a list with the rules of its lines, those that are formulas; see `Tape.rules`."""
    variables = variable_names(len(tape), named_inputs(tape, names))
    lines = []
    for line, row in enumerate(tape.rows):
        if row is not None:
            lines.append(f"{variables[line]} = {expression_of(tape, line, variables)}")
            found = (rule(tape, line, place, variables) for place in range(len(tape.operands(line))))
            lines += [f"    {text}" for text in found if text is not None]
    return "\n".join(lines)


def adjoint(variable: str) -> str:
    """Return the name of an adjoint: a bar on a letter, in words on a word."""
    return (
        re.sub(r"^([^\W\d])(\d*)$", "\\1\u0304\\2", variable)
        if len(variable.rstrip("0123456789")) == 1
        else (f"adjoint of {variable}")
    )


def _partial(tape: Tape, line: int, place: int, variables: Sequence[str]) -> str | None:
    row = tape.rows[line]
    assert row is not None
    if isinstance(parts(row.partials[place])[0], Refused):
        return None
    try:
        found = partial(
            row, place, [_operand(tape, k, variables) for k in tape.operands(line)], symbol(variables[line])
        )
    except (TypeError, ValueError, RecursionError):  # a rule that searches is no formula
        return None
    return PLAIN.spell(found[0].formula)


def _operand(tape: Tape, operand: int, variables: Sequence[str]) -> Formula:
    line, value = line_of(operand), tape.value(operand)
    if line is not None:
        return symbol(variables[line])
    if is_number(type(value)) or shape(value):
        return symbol(f"array{shape(value)}" if shape(value) else "…")
    return as_formula(value)


def _pull_back(tape: Tape, line: int, place: int, variables: Sequence[str]) -> tuple[str | None, str]:
    """Record the pull-back of a line, write what it computes as one expression, and the index that it is added at."""
    row, operands = tape.rows[line], tape.operands(line)
    assert row is not None
    z, xs, static = tape.values[line], [tape.value(k) for k in operands], tape.static.get(line, ())
    if any(type(x) is tuple or is_number(type(x)) or np.size(x) > LARGEST for x in (z, *xs)):
        return None, ""
    shown = [k for k, x in enumerate(xs) if line_of(operands[k]) is not None and np.asarray(x).dtype.kind in "fc"]

    def pulled(g: Any, z: Any, *given: Any) -> Any:
        at = [given[shown.index(k)] if k in shown else x for k, x in enumerate(xs)]
        return row.argument(place).pull(row, place, g, z, at, static, TABLE["multiply"])

    try:
        seen, out = record(pulled, [np.ones_like(z), z, *(xs[k] for k in shown)])
    except (IndexError, TypeError, ValueError):  # it asks for plain values
        return None, ""
    if not isinstance(out, Variable):
        return None, ""
    names = [variables[at] for k in shown if (at := line_of(operands[k])) is not None]
    texts = [adjoint(variables[line]), variables[line], *names]
    for k in range(len(texts), out.line + 1):
        texts.append(_written(seen, k, texts, k < out.line))
    last = seen.rows[out.line]
    if last is not None and last.name == "scatter":
        return texts[line_of(seen.operands(out.line)[0]) or 0], f"[{index_text(seen.static[out.line][1])}]"
    return texts[out.line], ""


def _written(tape: Tape, line: int, texts: list[str], inside: bool) -> str:
    """Write a line of a recorded pull-back, in brackets where it is a sum or a product inside another expression."""
    row, (operand, *_) = tape.rows[line], [line_of(k) for k in tape.operands(line)]
    value = tape.values[line]
    if operand is not None and row is not None:
        if row.name == "conj" and not is_unreal(value):
            return texts[operand]
        if row.name == "transpose" and np.ndim(value) == 2 and np.shape(value) == np.shape(tape.values[operand])[::-1]:
            return f"{texts[operand]}ᵀ"
    text = expression_of(tape, line, texts)
    return f"({text})" if inside and row is not None and (row.name in INFIX or row.name in PREFIX) else text
