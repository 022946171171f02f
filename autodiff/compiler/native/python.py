"""CPython and NumPy as machine code meets them: where an object keeps what, the functions, and new builtin functions.

The places are probed when they are first needed, on objects whose contents are known.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from .engine import Machine

C_ORDER = 0x0001 | 0x0100
"""NumPy's flags of an array whose elements are in order, and where the processor expects them."""

FASTCALL = 0x0080


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("text", ctypes.c_char_p))  # fmt: skip


@cache
def of_numpy(place: int) -> int:
    """Return the address of a function of NumPy's table for C."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    take = ctypes.pythonapi.PyCapsule_GetPointer
    take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = take(_multiarray_umath._ARRAY_API, None)
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place] or 0)


@cache
def of_python(name: str) -> int:
    """Return the address of a function of CPython."""
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


NEW_ARRAY, NEW_SCALAR = 93, 60
"""The places of `PyArray_New` and `PyArray_Scalar` in NumPy's table."""


@cache
def is_as_expected() -> bool:
    """Return whether floats and arrays are laid out as this module expects."""
    x, a = 1.25, np.array([[2.5, 3.5]])
    y = np.float64(2.75)
    if any(ctypes.c_double.from_address(id(z) + 16).value != z for z in (x, y)):
        return False
    if any(ctypes.c_void_p.from_address(id(z) + 8).value != id(type(z)) for z in (x, y, a)):
        return False
    fields = [ctypes.c_void_p.from_address(id(a) + place).value for place in (16, 32, 56)]
    rank, flags = (ctypes.c_int.from_address(id(a) + place).value for place in (24, 64))
    return (fields[0] == a.ctypes.data and fields[2] == id(a.dtype) and rank == 2 and flags & C_ORDER == C_ORDER
            and ctypes.c_int64.from_address(fields[1] or 0).value == 1)  # fmt: skip


class Entry:
    """What keeps a block's machine code, and its memory, as long as its function lives."""

    def __init__(self, text: str, level: int, memory: np.ndarray, kept: list[Any]) -> None:
        self._machine, self._memory, self._kept = Machine(text, level), memory, kept
        self._method = _Method(b"block", self._machine.address("entry"), FASTCALL, b"A compiled block.")

    def function(self) -> Any:
        """Return a new builtin function, which keeps this object."""
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        return make(ctypes.addressof(self._method), self, None)


def at_address(address: int) -> str:
    """Return LLVM's text for a pointer to an address."""
    return f"inttoptr (i64 {address} to ptr)"
