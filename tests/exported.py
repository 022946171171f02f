"""Functions exported to C, compiled by the system's compiler, and called by ctypes."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from autodiff import export_c
from autodiff.calls.structures import flatten

COMPILER = shutil.which("cc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-shared", "-fPIC"]

needs_cc = pytest.mark.skipif(COMPILER is None, reason="no C compiler is installed")

NUMBERS = {"d": ctypes.c_double, "f": ctypes.c_float}


def compiled(folder, functions):
    """The library of functions, given as names with what `export_c` takes; and the texts of their files."""
    texts = {}
    for name, (f, args) in functions.items():
        texts[name] = export_c(f, args, folder / f"{name}.c")[0]
    sources = [folder / f"{name}.c" for name in functions]
    made = subprocess.run(
        [COMPILER, *FLAGS, *sources, "-o", folder / "functions.so", "-lm"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[:5000]
    return ctypes.CDLL(str(folder / "functions.so")), texts


def is_taken(x):
    """Whether an argument is one of the function in C."""
    return isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def called(function, args, like):
    """The code that a function in C returns at arguments, and its results, in the form of others."""
    kept, given = [], []
    for x in filter(is_taken, flatten(list(args))[0]):
        if np.ndim(x):
            kept.append(np.ascontiguousarray(x))
            given.append(ctypes.c_void_p(kept[-1].ctypes.data))
        else:
            given.append(NUMBERS[np.result_type(x).char](float(x)))
    before = [x.copy() for x in kept]
    results = []
    for x in flatten(like)[0]:
        kind = np.result_type(x) if np.result_type(x).kind in "fb" else np.dtype(float)
        results.append(np.full(np.size(x) + 2, 77, kind))
    code = function(*given, *(ctypes.c_void_p(x.ctypes.data + x.itemsize) for x in results))
    for x, y in zip(kept, before, strict=True):
        np.testing.assert_array_equal(x, y)
    assert all(x[0] == x[-1] == np.full(1, 77).astype(x.dtype)[0] for x in results)
    return code, [x[1:-1].reshape(np.shape(y)) for x, y in zip(results, flatten(like)[0], strict=True)]
