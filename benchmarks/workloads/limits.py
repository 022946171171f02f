"""The limit of some workloads: C written by hand, compiled by the system's compiler, called through `ctypes`."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from timing import np

SOURCE = Path(__file__).with_name("limits.c")
OPTIONS = ("-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", "-fPIC", "-shared")


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled functions, with libmvec where it has them all; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "limits.so"
        for vectors in (["-DLIBMVEC", "-Wl,--no-as-needed", "-lmvec", "-Wl,-z,defs"], []):
            command = [compiler, *OPTIONS, str(SOURCE), "-o", str(target), *vectors, "-lm"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return ctypes.CDLL(str(target))
    return None


def in_c(name: str, *arguments: int | np.ndarray, result: int) -> Callable[[], np.ndarray] | None:
    """Return the call of a C function of integers and arrays that writes so many numbers; None without a compiler.

    The arrays are converted before the clock runs, and the result is written to one array again and again.
    """
    functions = library()
    if functions is None:
        return None
    function, out = getattr(functions, name), np.zeros(result)
    function.restype = None
    kept = [np.ascontiguousarray(x, dtype=float) for x in (*arguments, out) if isinstance(x, np.ndarray)]
    pointers = iter([ctypes.c_void_p(x.ctypes.data) for x in kept])
    given = [next(pointers) if isinstance(x, np.ndarray) else ctypes.c_long(x) for x in (*arguments, out)]

    def call() -> np.ndarray:
        function(*given)
        return kept[-1]

    return call
