"""The code of a row for each form of its operands, looked up where the row is applied to short series.

It is written when it is first needed (straight_line.py). So importing takes no longer, and the second operation on
numbers of the same forms takes a twentieth of the first.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from typing import Any

from ...table.row import Face, Row
from .operation import Make
from .short import CONSTANTS

Function = Callable[..., Any]


class Codes(dict[Any, Function]):
    """The form of an operand → the code that applies a row; of two operands, a pair of forms or the type of a constant.

    It is the ``general`` way for what is no short series, of form None, and where no code can be written. By
    ``by_rules(z0, *operands)`` the code finds what it cannot decide, given the value.
    """

    def __init__(self, face: Face, general: Function, by_rules: Function, make: Make, kind: type) -> None:
        self.face, self.general, self.by_rules, self.make, self.kind = face, general, by_rules, make, kind

    def __missing__(self, key: Any) -> Function:
        forms, code = key if type(key) is tuple else (key,), None
        if None not in forms:
            from .straight_line import written

            code = written(self.face, forms, self.by_rules, self.make, self.kind)
        self[key] = code = code or self.general
        return code


def has_code(row: Row) -> bool:
    """Return whether short series may have code for a row: a function of elements, of one operand or two."""
    return row.is_elementwise and not row.several and row.arity <= 2


def is_of_values(face: Face) -> bool:
    """Return whether a row is a function of elements, of one operand or two, that is locally constant."""
    return face.row.is_constant and face.scalar is not None and face.row.arity in (1, 2) and not face.row.several


def of_values(face: Face, general: Function, kind: Any) -> Function:
    """Make the function of a locally constant row, which takes the values of short series of a kind."""
    evaluate = face.evaluate

    def extended(*operands: Any) -> Any:
        values = [x.floats[0] if type(x) is kind and x.form is not None else x for x in operands]
        return general(*operands) if all(map(op.is_, values, operands)) else evaluate(*values)

    return extended


def of_one(codes: Codes) -> Function:
    """Make the function of one operand, a number. It has the ``codes`` as such."""

    def extended(x: Any) -> Any:
        return codes[x.form](x)

    extended.codes = codes  # type: ignore[attr-defined]
    return extended


def of_two(codes: Codes) -> Function:
    """Make the function of two operands, of which one at least is a number. It has the ``codes`` as such."""
    general, kind = codes.general, codes.kind

    def extended(x: Any, y: Any) -> Any:
        one, other = type(x), type(y)
        if one is kind:
            if other is kind:
                if x.level is y.level:
                    return codes[x.form, y.form](x, y)
            elif other in CONSTANTS:
                return codes[x.form, other](x, y)
        elif one in CONSTANTS and other is kind:
            return codes[one, y.form](x, y)
        return general(x, y)

    extended.codes = codes  # type: ignore[attr-defined]
    return extended


def operators_of(codes: Codes, general: Function, reflected: Function) -> tuple[Function, Function]:
    """Make Python's operator and its reflected twin, of those that take operands of any type."""
    kind = codes.kind

    def operator(x: Any, y: Any) -> Any:
        other = type(y)
        if other is kind:
            if x.level is y.level:
                return codes[x.form, y.form](x, y)
        elif other is float or other in CONSTANTS:
            return codes[x.form, other](x, y)
        return general(x, y)

    def reflected_operator(x: Any, y: Any) -> Any:
        other = type(y)
        return codes[other, x.form](y, x) if other is float or other in CONSTANTS else reflected(x, y)

    return operator, reflected_operator
