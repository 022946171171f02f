"""Numbers beside a sparse matrix of SciPy's: ``A @ x``, ``x @ A``, ``A * x``, ``A + x``.

Of ``A @ x`` Python asks the matrix first. SciPy asks NumPy for an array of x, and gives way to x if it gets one of a
single object, as of anything that NumPy cannot take: so that is what a number gives then. Of ``x @ A`` the number is
asked first. Both come to `with_sparse`, and the operation is one of `dualnumbers.sparse.SparseArray`.
"""

from __future__ import annotations

import operator
from types import FrameType
from typing import Any

import numpy as np

from .. import upward
from ..foreign import is_sparse
from ..levels import is_number
from ..messages.errors import user_line

OPERATORS = {"matmul": operator.matmul, "multiply": operator.mul, "divide": operator.truediv, "add": operator.add,
             "subtract": operator.sub}  # fmt: skip
"""The name of a row → the operator."""

ASKING = {"__matmul__", "__rmatmul__", "__mul__", "__rmul__", "__truediv__", "dot"}
"""Methods of SciPy's matrices that give way."""


def in_operation(x: Any, frame: FrameType | None) -> bool:
    """Return whether an operator of a sparse matrix asks, in this frame, for an array of its other operand ``x``."""
    if frame is None or frame.f_locals.get("other") is not x:
        return False
    name = ""
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("scipy.sparse._"):
        name, frame = frame.f_code.co_name, frame.f_back
    return name in ASKING


def as_object(x: Any) -> Any:
    """Return an array of no axes, of one object."""
    held = np.empty((), object)
    held[()] = x
    return held


def with_sparse(row: Any, x: Any, y: Any) -> Any:
    """Return what an operator gives of two operands, one a number; NotImplemented where the other is not sparse."""
    sparse = y if is_number(type(x)) else x
    if not is_sparse(type(sparse)):
        return NotImplemented
    if isinstance(sparse, upward.SparseArray):
        return NotImplemented  # Python asks it
    if row.name not in OPERATORS:
        raise TypeError(
            f"a sparse matrix beside a number takes @, *, /, + and -: write A.toarray() in its place for "
            f"{row.shown}{user_line()}"
        )
    x, y = (upward.as_sparse_array(z) if z is sparse else z for z in (x, y))
    return OPERATORS[row.name](x, y)
