"""Straight-line code of a row on short series: the general way, gone once with symbols, as one Python function.

Of coefficients that are symbols the operation (operation.py) gives those of the result as formulas. They are written
down as Python's source, what is used more than once under a name, and compiled: so no series is made any more, and
nothing is decided. Of exp, a series of two coefficients and the order 2:

    def exp(x):
        a0, a1 = x.floats
        w = value(a0)
        try:
            z1 = a1 * w
            z2 = a1 * z1 / 2.0
            if -LARGEST <= w + z1 + z2 <= LARGEST:
                z = new(KIND)
                z.floats = w, z1, z2
                ...

Where a coefficient comes out infinite or NaN the rules decide, which tell the zeros apart. Of the arithmetic of
Python's floats alone nothing is checked: there they would decide nothing else.
"""

from __future__ import annotations

import math
import operator as op
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...levels import NOTING, Level
from ...table import TABLE
from ...table.partials import FAILURES
from ...table.row import Face, Row, is_of_table
from .operation import Make, Operation
from .series import Series
from .short import FORMS, Form
from .symbols import Symbol, Trace, UntraceableError, chosen

INFIX = {op.add: "+", op.sub: "-", op.mul: "*", op.truediv: "/", op.pow: "**", op.and_: "&", op.or_: "|"}
TO_NUMPY = TABLE["_numpy_scalar"].row
ARITHMETIC = frozenset((op.add, op.sub, op.mul, op.truediv, op.neg, op.pos))

Function = Callable[..., Any]


def written(face: Face, forms: Sequence[Any], by_rules: Function, make: Make, kind: type) -> Function | None:
    """Return the code of a row for operands of the given forms; of a constant that is its type.

    None where what the row does depends on the values or is long, and of a user's row, whose partials may be others at
    the next call. ``by_rules`` finds the result given the value; ``make`` makes numbers of series; the operands are of
    ``kind``.
    """
    if not is_of_table(face.row) or (int in forms and face.row.python.scalar not in INFIX):
        return None  # a function of a whole number may be another than that of the float
    order = min(form.order for form in forms if type(form) is Form)
    soft = face is not face.row.python or face.row is TO_NUMPY
    soft = soft or any(np.float64 in (form, getattr(form, "first", None)) for form in forms)
    try:
        found = _coefficients(face.row, forms, order, make)
        text = _Text(found)
    except (UntraceableError, *FAILURES):
        return None
    source = _source(forms, text, face.scalar, soft)
    names = text.functions | {
        "FAILURES": FAILURES,
        "FORM": FORMS[order, len(found), np.float64 if soft else float],
        "KIND": kind,
        "LARGEST": sys.float_info.max,
        "__name__": __name__,
        "by_rules": by_rules,
        "float64": np.float64,
        "inf": math.inf,
        "new": object.__new__,
        "value": face.evaluate if soft else face.scalar,
    }
    exec(compile(source, f"{__file__}: {face.row.name}", "exec"), names)
    code: Function = names["code"]
    return code


def _coefficients(row: Row, forms: Sequence[Any], order: int, make: Make) -> list[Any]:
    """Return the coefficients of the result, by the general way with symbols.

    The coefficients of the first operand are a0, a1, …, those of the second one b0, b1, …, and z0 is the value.
    """
    trace, operation = Trace(), Operation(Level(), order, make)
    xs: list[Any] = []
    for letter, form in zip("ab", forms, strict=False):
        if type(form) is Form:
            symbols = [trace.symbol(f"{letter}{k}") for k in range(min(form.count, order + 1))]
            xs.append(Series(symbols, None, order, operation))
        else:
            xs.append(trace.symbol(f"{letter}0"))
    NOTING.append(None)
    try:
        z = operation.applied(row, trace.symbol("z0"), xs, ())
        z.at(order)
        found = z.found
    finally:
        NOTING.pop()
        operation.end()
    while found[-1] is None:
        found.pop()
    return [0.0 if t is None else t for t in found]


class _Text:
    """The formulas of coefficients as statements of Python: what is used more than once is assigned to a variable."""

    def __init__(self, found: Sequence[Any]) -> None:
        self.functions: dict[str, Any] = {}
        """The name that a function is called by → the function."""
        self.uses: dict[int, int] = {}
        self.variables: dict[int, str] = {}
        """The id of a symbol → the variable that holds it."""
        self.statements: list[str] = []
        for x in found[1:]:
            self._count(x)
        self.results = list(map(self._result, found[1:]))

    def _count(self, x: Any) -> None:
        """Count how often a symbol is used, and those that it is made of."""
        if type(x) is Symbol:
            key = id(x)
            self.uses[key] = self.uses.get(key, 0) + 1
            if self.uses[key] == 1:
                for operand in x.operands:
                    self._count(operand)

    def _result(self, x: Any) -> str:
        """Return what a coefficient is called; a formula is assigned to a variable."""
        if type(x) is not Symbol or not x.operands or id(x) in self.variables:
            return self._term(x)
        return self._assigned("z", x)

    def _assigned(self, letter: str, x: Symbol) -> str:
        """Assign a symbol to a variable of its own, and return that."""
        formula = self._formula(x)
        self.variables[id(x)] = name = f"{letter}{len(self.variables) + 1}"
        self.statements.append(f"{name} = {formula}")
        return name

    def _term(self, x: Any) -> str:
        """Return a symbol or a constant as it stands in a formula."""
        if type(x) is not Symbol:
            if x != x:
                raise UntraceableError("a plain value")
            return repr(x) if x >= 0.0 and repr(x) != "-0.0" else f"({x!r})"
        if not x.operands:
            return str(x.function)
        if id(x) in self.variables:
            return self.variables[id(x)]
        if self.uses[id(x)] > 1:
            return self._assigned("t", x)
        return f"({self._formula(x)})"

    def _formula(self, x: Symbol) -> str:
        """Return the function of a symbol, written down."""
        terms = [self._term(operand) for operand in x.operands]
        if x.function in INFIX:
            return f" {INFIX[x.function]} ".join(terms)
        if x.function is op.neg:
            return f"-{terms[0]}"
        if x.function is chosen:
            return f"{terms[1]} if {terms[0]} else {terms[2]}"
        name = f"f{len(self.functions)}"
        name = next((known for known, function in self.functions.items() if function is x.function), name)
        self.functions[name] = x.function
        return f"{name}({', '.join(terms)})"


def _source(forms: Sequence[Any], text: _Text, scalar: Any, soft: bool) -> str:
    """Return the source of a function of operands of some forms; ``scalar`` is Python's function of the row.

    ``soft`` says that the value is NumPy's: beside it the formulas have Python's float of that, and of each operand.
    """
    parameters, opened, softened, given = [], [], ["z0 = float(w)"] if soft else [], []
    for name, letter, form in zip("xy", "ab", forms, strict=False):
        is_soft = form is not float and getattr(form, "first", None) is not float
        first = f"w{letter}" if is_soft else f"{letter}0"
        parameters.append(name if type(form) is Form else first)
        given.append(first)
        if type(form) is Form:
            others = "".join(f" {letter}{k}," for k in range(1, form.count))
            opened.append(f"{first},{others} = {name}.floats")
        if is_soft:
            softened.append(f"{letter}0 = float({first})")
    value = f"value({', '.join(given)})"
    if scalar in ARITHMETIC:
        value = f" {INFIX[scalar]} ".join(given) if scalar in INFIX else f"{'-' if scalar is op.neg else '+'}{given[0]}"
    rules = f"return by_rules({', '.join(['w' if soft else 'z0', *parameters])})"
    leader = "x" if type(forms[0]) is Form else "y"
    made = ["z = new(KIND)", f"z.floats = {', '.join(['w' if soft else 'z0', *text.results])},",
            f"z.form, z.level = FORM, {leader}.level", "return z"]  # fmt: skip
    body = [*opened, f"{'w' if soft else 'z0'} = {value}"]
    if scalar in ARITHMETIC and not soft:
        body += [*softened, *text.statements, *made]
    else:
        total = " + ".join(["z0", *text.results])
        checked = [
            *softened,
            *text.statements,
            f"if -LARGEST <= {total} <= LARGEST:",
            *(f"    {line}" for line in made),
        ]
        if soft:
            body.append(f"if type(w) is not float64: {rules}")
        body += ["try:", *(f"    {line}" for line in checked), "except FAILURES:", "    pass", rules]
    return "\n    ".join([f"def code({', '.join(parameters)}):", *body]) + "\n"
