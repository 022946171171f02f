"""What may stand beside a number in an operation, and whose data have labels: by type, each type asked once."""

from __future__ import annotations

import sys

import numpy as np

from .levels import HELD, is_number


class _Labelled(dict[type, bool]):
    """A table: type → True if its data have labels, and an arithmetic by these: a column of pandas, Polars, xarray."""

    def __missing__(self, kind: type) -> bool:
        # NEP 13, not NEP 18: their axes are not NumPy's
        data = not is_number(kind) and not issubclass(kind, (np.ndarray, np.generic))
        array, ufuncs, functions = (getattr(kind, f"__array{name}__", None) for name in ("", "_ufunc", "_function"))
        self[kind] = answer = data and array is not None and ufuncs is not None and functions is None
        return answer


is_labelled = _Labelled().__getitem__
"""Return whether a type is one of data with labels; a function that gives a plain array takes the elements of such."""


class _Operands(dict[type, bool]):
    """A table: type → True if it may stand beside a number in an operation, as plain numbers and what speaks NEP 13.

    It raises TypeError for masked arrays and np.matrix: in their arithmetic sums leave elements out, or products are
    others.
    """

    def __missing__(self, kind: type) -> bool:
        masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", np.matrix)  # NumPy loads it late
        if issubclass(kind, (masked, np.matrix)):
            raise TypeError(
                f"{kind.__name__} has an arithmetic of its own, in which derivatives would be wrong: give "
                "np.asarray(x), or x.filled(...) and np.where for a masked array"
            )
        if getattr(kind, "level", None) is HELD:
            self[kind] = False
            return False
        numeric = issubclass(kind, (int, float, complex, np.generic, np.ndarray))
        speaks = getattr(kind, "__array_ufunc__", None) is not None and not is_labelled(kind)
        self[kind] = answer = numeric or speaks
        return answer


is_operand = _Operands().__getitem__
"""Return whether values of a type may be combined with a number; an operator gives ``NotImplemented`` for the others.

A holder (`HELD`), which stands for another array, may not: the slow way, `number.as_operand`, knows what it holds."""
