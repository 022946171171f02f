"""Python's operators of numbers: each is a row of the table, lifted; and what may stand on their other side."""

from __future__ import annotations

import operator as op
import sys
from collections.abc import Callable
from contextlib import suppress
from numbers import Rational
from typing import Any

import numpy as np

from ..foreign import is_sparse
from ..forms import is_array, type_of
from ..levels import is_number, plain
from ..messages.errors import has_labels, no_plain_value
from ..number_types import number_type, wrapped
from ..operands import is_labelled, is_operand
from ..rules import ENTRIES, shaping
from ..table import TABLE, Row
from ..table.row import Face

BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
          "mod": "mod", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
          "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift"}  # fmt: skip
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
               "ne": "not_equal"}  # fmt: skip
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert", "floor": "floor", "ceil": "ceil",
         "trunc": "trunc"}  # fmt: skip
OPERATORS = BINARY | {"divmod": "divmod"} | COMPARISONS | UNARY
"""The operators of Python's, each with its row."""

OPERATING: list[Any] = []
"""The kinds of number that have operators."""

AWAITED = {*OPERATORS}
"""The operators that nobody used yet: no kind has them, and `Number` has what makes them (`at_first_use`)."""

SEARCHES = frozenset(f"scipy.optimize.{name}" for name in ("_linesearch", "_minpack_py", "_optimize", "_zeros_py"))
"""Modules of SciPy with searches in Python: where one ends is decided by comparisons, which lose derivatives."""

OF_ELEMENTS = "scipy._lib._elementwise_iterative_method"
"""The module of SciPy from which searches of each element's own function go out."""


def in_search(frame: Any) -> bool:
    """Return whether such a search asks, in this frame, for the array of what the function gave."""
    return frame.f_back is not None and frame.f_back.f_globals.get("__name__") == OF_ELEMENTS


def at_first_use(number: Any, name: str) -> None:
    """Let the first use of an operator read the family of its row and give it to all kinds; `Number` has it till then.

    There are as many operators of as many kinds as to make them all takes longer than anything else here.
    """
    method, reflected = f"__{name}__", f"__r{name}__"

    def make() -> None:
        ENTRIES[getattr(np, OPERATORS[name])]
        face = TABLE[OPERATORS[name]].face
        AWAITED.discard(name)
        for kind in OPERATING:
            kind.operate(name, face)
        for made in (method, reflected):
            with suppress(AttributeError):  # another thread was first
                delattr(number, made)

    def apply(x: Any) -> Any:
        make()
        return getattr(type(x), method)(x)

    applied: Callable[[Any, Any], Any] = divmod if name == "divmod" else getattr(op, method, divmod)

    def operate(x: Any, y: Any) -> Any:
        if name in COMPARISONS and sys._getframe(1).f_globals.get("__name__") in SEARCHES:
            raise no_plain_value("comparison", x)
        make()
        return applied(x, y)

    def operate_reflected(x: Any, y: Any) -> Any:
        make()
        return applied(y, x)

    setattr(number, method, apply if name in UNARY else operate)
    if name not in UNARY and name not in COMPARISONS:
        setattr(number, reflected, operate_reflected)


def lifted_operators(face: Face, kind: type) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the operator of a row and its reflected twin, lifted; they give ``NotImplemented`` for no operand."""
    lifted, row = face.lifts[kind], face.row
    own = kind if is_operand(kind) else None

    def operator(x: Any, y: Any) -> Any:
        if type(y) is own:
            return lifted(x, y)
        other = as_operand(x, y, row)
        return beside(row, x, y) if other is NotImplemented else lifted(x, other)

    def reflected(x: Any, y: Any) -> Any:
        other = as_operand(x, y, row)
        return beside(row, y, x) if other is NotImplemented else lifted(other, x)

    return operator, reflected


def lifted_comparison(face: Face, kind: type) -> Callable[..., Any]:
    """Return the operator of a comparison, lifted. Raises TypeError in a search of SciPy's, which has a counterpart."""
    lifted, row = face.lifts[kind], face.row

    def comparison(x: Any, y: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__") in SEARCHES:
            raise no_plain_value("comparison", x)
        y = as_operand(x, y, row)
        return y if y is NotImplemented else lifted(x, y)

    return comparison


def as_operand(x: Any, y: Any, row: Row | None = None) -> Any:
    """Return what may stand beside the number ``x`` in an operation, lists and object arrays joined; or NotImplemented.

    It is NotImplemented for a list times a number, too, which is Python's repetition.
    """
    kind = type(y)
    if kind is np.ndarray:
        return shaping.array(y) if y.dtype.char == "O" else y
    if is_operand(kind):
        return y
    if is_number(kind):
        return as_operand(x, y.primal, row)  # what a holder holds
    if number_type(kind) is not None and number_type(type_of(x)) is not None:
        return wrapped(y)
    if issubclass(kind, Rational):
        return float(y)  # as a float takes a Fraction
    if shaping.is_nested(kind) and (is_array(x) or isinstance(plain(x), np.generic)):
        repeated = isinstance(y, (list, tuple)) and row is not None and row.name == "multiply" and not x.ndim
        return NotImplemented if repeated and isinstance(plain(x), np.generic) else shaping.array(y)
    return by_labels(x, y)


def by_labels(x: Any, y: Any) -> Any:
    """Return NotImplemented for a foreign operand, as of xarray, whose arithmetic takes numbers as they are.

    Raises TypeError for a column of pandas or Polars. Theirs goes by labels, leaves NaN out, and ``std`` divides by
    n − 1: an array in its place would be another program.
    """
    if is_labelled(type(y)) and not hasattr(type(y), "dims"):
        raise has_labels(x, y)
    return NotImplemented


def beside(row: Row, x: Any, y: Any) -> Any:
    """Return what an operator gives of a number and what is no operand: of a sparse matrix; else NotImplemented."""
    if not is_sparse(type(x)) and not is_sparse(type(y)):
        return NotImplemented
    from .beside_sparse import with_sparse

    return with_sparse(row, x, y)
