"""BLAS and LAPACK as machine code meets them: the addresses of SciPy's functions, and matrices as these take them."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module

LARGEST = (1 << 31) - 1
"""What BLAS counts by are integers of 32 bits."""

PREFIXES = {"f8": "d", "f4": "s"}
"""The kind of values → how the names of BLAS's functions for them begin."""

LOOPS = ((True, False, True), (False, True, True), (True, True, False))
"""The loops of a product: whether one steps through the first operand, the second, the product, which is so of rows, of
columns, of what is summed."""

BEGINNINGS = {
    "gemm": b"void (char *, char *, int *, int *, int *, ",
    "gemv": b"void (char *, int *, int *, ",
    "trsm": b"void (char *, char *, char *, char *, int *, int *, ",
    "gesv": b"void (int *, int *, ",
    "getrf": b"void (int *, int *, ",
    "potrf": b"void (char *, int *, ",
}
"""A function's name → how the signature begins that SciPy says it has."""

OF_LAPACK = ("gesv", "getrf", "potrf")


@cache
def address(name: str, kind: str) -> int:
    """Return the address of a function for values of a kind; 0 where SciPy has none such."""
    library = "lapack" if name in OF_LAPACK else "blas"
    try:
        found = import_module(f"scipy.linalg.cython_{library}").__pyx_capi__[PREFIXES[kind] + name]
    except (ImportError, AttributeError, KeyError):
        return 0
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature: bytes = name_of(found) or b""
    return int(pointer_of(found, signature) or 0) if signature.startswith(BEGINNINGS[name]) else 0


def is_there(kind: str) -> bool:
    """Return whether machine code can call all of them for matrices of a kind."""
    return kind in PREFIXES and all(address(name, kind) for name in BEGINNINGS)


def as_columns(shape: tuple[int, int], strides: tuple[int, int]) -> tuple[str, int] | None:
    """Return how BLAS, which has matrices by columns, is to be told of one: ``N`` or ``T``, and the leading dimension.

    None of elements that are not in rows or columns one after the other.
    """
    (rows, columns), (down, along) = shape, strides
    if (rows == 1 or down == 1) and (columns == 1 or along >= rows):
        return "N", along if columns > 1 else rows
    if (columns == 1 or along == 1) and (rows == 1 or down >= columns):
        return "T", down if rows > 1 else columns
    return None
