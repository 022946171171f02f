"""A derivative as LaTeX: the formulas of the lines that are recorded at a point."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line

from ..calls.given import described, no_function
from ..calls.places import Which, arguments
from ..calls.values import name_of
from ..forward import derivative
from ..reverse import record
from ..tape.program import line_of
from ..tape.variable import Variable
from ..tape.wengert import Tape
from .formula import Formula, as_formula, symbol
from .notation import latex_of
from .terms import size

LARGEST = 1000
"""The most factors of a formula, with those inside others."""

CHOOSING: dict[str, Callable[[Any], int]] = {"where": lambda condition: 1 if condition else 2, "astype": lambda x: 0}
"""Rows whose result is one of their operands → which one, by the value of the first."""


class Latex(str):
    """Text in LaTeX, without dollar signs; a notebook shows it typeset."""

    __slots__ = ()

    def _repr_latex_(self) -> str:
        return f"${self}$"


def latex(f: Callable[..., Any], wrt: Which | None, args: Sequence[Any], order: int | None = None) -> Latex:
    """Return the derivative ∂f/∂args[wrt] as LaTeX, in the names of f's parameters; with ``wrt=None`` f itself.

    ``wrt`` and ``order`` are those of `autodiff.derivative`. f is a function of real numbers; it is recorded at
    ``args``, so of branches and of ``np.where`` the formula is that of the side that is taken there. It is simplified a
    little: equal factors over and under a bar are cancelled, powers of one base and equal terms put together, and sums
    are multiplied out where that is shorter.

    Raises TypeError for arguments and results that are not real numbers and for operations on arrays, ValueError for a
    formula that is too long to be read, and what `autodiff.derivative` raises.

    >>> import numpy as np
    >>> print(latex(lambda x, y: np.sin(x * y) + x / y, 0, [1.0, 2.0]))
    y \\cos\\left(x y\\right) + \\frac{1}{y}
    >>> print(latex(lambda x: 1 / (1 + np.exp(-x)), None, [0.0]))
    \\frac{1}{1 + \\mathrm{e}^{-x}}
    """
    if not callable(f):
        raise no_function("latex(f, 0, [x])", f)
    try:
        formula = formula_of(f, wrt, args, order)
        notation = latex_of(_names(f, len(args)))
        return Latex(min(map(notation.spell, (formula, formula.expanded())), key=len))
    except RecursionError:
        raise ValueError(f"latex: the formula is nested too deeply, too long to be read{user_line()}") from None


def formula_of(f: Callable[..., Any], wrt: Which | None, args: Sequence[Any], order: int | None = None) -> Formula:
    """Return the formula that `latex` spells, as it was recorded."""
    args = [_as_float(x, f) for x in arguments(f, args)]
    if wrt is None and order is not None:
        raise ValueError(
            f"latex: order={order!r} says how often f is differentiated, and wrt by which argument{user_line()}"
        )

    def wanted(*xs: Any) -> Any:
        return f(*xs) if wrt is None else derivative(f, wrt, xs, order=order)

    tape, out = record(wanted, args)
    if not isinstance(out, Variable):
        if not isinstance(out, (int, float, np.number)):
            raise TypeError(
                f"latex takes a function that returns a number; {name_of(f)} returned {described(out)}{user_line()}"
            )
        return as_formula(out)
    return _formulas(tape, out.line, _names(f, len(args)))[out.line]


def _as_float(x: Any, f: Any) -> float:
    if isinstance(x, np.ndarray) and not x.ndim:
        x = x[()]
    if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise TypeError(f"latex: {name_of(f)} is to be a function of real numbers, got {described(x)}{user_line()}")
    return float(x)


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the positional parameters; x₀, x₁ … where they have none of their own."""
    try:
        found = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ][:count]
    except (TypeError, ValueError):
        found = []
    return [*found, *(f"x_{k}" for k in range(count - len(found)))]


def _formulas(tape: Tape, out: int, names: Sequence[str]) -> dict[int, Formula]:
    """Return the formulas of the lines that lead to an output."""
    found = {line: symbol(name) for line, name in zip(tape.inputs, names, strict=True)}
    for line in sorted(set(tape.ancestors(out)) - found.keys()):
        row = tape.rows[line]
        if row is None:
            found[line] = as_formula(tape.values[line])
        elif shape(tape.values[line]) or not _has_formula(tape, line):
            raise TypeError(f"latex: {row.shown} has no formula of single numbers here{user_line()}")
        else:
            found[line] = _formula(tape, line, found)
        if size(found[line].terms) > LARGEST:
            raise ValueError(f"latex: a formula of more than {LARGEST} factors is too long to be read{user_line()}")
    return found


def _has_formula(tape: Tape, line: int) -> bool:
    row = tape.rows[line]
    assert row is not None
    return row.name in CHOOSING or ((row.is_elementwise or row.is_constant) and not tape.static.get(line))


def _formula(tape: Tape, line: int, found: dict[int, Formula]) -> Formula:
    """Return the formula of a line, given those of what it reads."""
    row, operands = tape.rows[line], tape.operands(line)
    assert row is not None
    if row.name in CHOOSING:
        return _operand(tape, operands[CHOOSING[row.name](tape.value(operands[0]))], found)
    return Formula.lift(row.python)(*(_operand(tape, k, found) for k in operands))


def _operand(tape: Tape, operand: int, found: dict[int, Formula]) -> Formula:
    line = line_of(operand)
    return as_formula(tape.value(operand)) if line is None else found[line]
