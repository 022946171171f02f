"""An array of another library as CuPy's is: its elements are out of NumPy's reach, its operations go by two protocols.

What would bring elements to the host unasked raises TypeError. Plain arrays beside it are taken over, as Dask does.
"""

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

WRITERS = {np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask}
"""NumPy's functions that write to their first argument."""

BESIDE = {"host": True}
"""Whether plain arrays may stand beside foreign ones, and become such, as with Dask; with CuPy they may not."""

KNOWN = (np.ndarray, np.generic, int, float, complex, bool, type(None))


class Foreign(NDArrayOperatorsMixin):
    """An array of NumPy's that only the two protocols of NEP 13 and NEP 18 and its own methods reach."""

    __slots__ = ("host",)
    __hash__ = None

    def __init__(self, host: Any) -> None:
        self.host = np.asarray(host)

    # ------------------------------------------------------------------------------------------ what is refused

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def _converted(self, kind: Any) -> Any:
        """Return the one element as a number of Python's."""
        if self.ndim:
            raise TypeError(f"only an array of no axes converts to {kind.__name__}")
        return kind(self.host[()])

    def __float__(self) -> float:
        return self._converted(float)

    def __int__(self) -> int:
        return self._converted(int)

    def __complex__(self) -> complex:
        return self._converted(complex)

    def __bool__(self) -> bool:
        return self._converted(bool)

    def __index__(self) -> int:
        if self.ndim:
            raise TypeError("only an array of no axes is an index")
        return self.host[()].__index__()

    # ------------------------------------------------------------------------------------------ protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        written = inputs[:1] if method == "at" else keywords.get("out", ())
        operands = (inputs[0], *inputs[2:]) if method == "at" else inputs
        if not all(isinstance(x, (Foreign, list, *KNOWN)) for x in (*operands, *written, keywords.get("where"))):
            return NotImplemented
        _refuse_host(written)
        _refuse_beside(operands)
        return wrapped(getattr(ufunc, method)(*opened(inputs), **opened(keywords)))

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        if not all(issubclass(kind, (Foreign, np.ndarray)) for kind in types):
            return NotImplemented
        out = keywords.get("out")
        _refuse_host([*(out if isinstance(out, tuple) else (out,)), *(arguments[:1] if function in WRITERS else ())])
        if function not in (np.asarray, np.array):
            _refuse_beside(arguments)
        return wrapped(function(*opened(arguments), **opened(keywords)))

    # ------------------------------------------------------------------------------------------ an array

    shape = property(lambda self: self.host.shape)
    dtype = property(lambda self: self.host.dtype)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    strides = property(lambda self: self.host.strides)
    T = property(lambda self: Foreign(self.host.T))
    real = property(lambda self: Foreign(self.host.real))
    imag = property(lambda self: Foreign(self.host.imag))

    def __len__(self) -> int:
        return len(self.host)

    def __iter__(self) -> Any:
        return map(Foreign, self.host)

    def __getitem__(self, index: Any) -> Any:
        return Foreign(self.host[opened(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, (Foreign, *KNOWN)):
            raise TypeError(f"an element of type {type(value).__name__}")
        self.host[opened(index)] = opened(value)

    def __repr__(self) -> str:
        return f"Foreign({self.host!r})"


def _method(name: str) -> Any:
    return lambda self, *xs, **keywords: wrapped(getattr(self.host, name)(*opened(xs), **opened(keywords)))


METHODS = ("all", "any", "astype", "conj", "conjugate", "copy", "cumsum", "dot", "fill", "max", "mean", "min", "prod",
           "ravel", "reshape", "sum", "swapaxes", "take", "transpose")  # fmt: skip
for _name in METHODS:
    setattr(Foreign, _name, _method(_name))


def _refuse_host(written: Any) -> None:
    if any(type(x) is np.ndarray for x in written):
        raise TypeError("implicit conversion to a NumPy array, which is to be written")


def _refuse_beside(operands: Any) -> None:
    if BESIDE["host"]:
        return
    for x in operands:
        if isinstance(x, (tuple, list)):
            _refuse_beside(x)
        elif type(x) is np.ndarray:
            raise TypeError("a NumPy array beside one of another library")


def opened(x: Any) -> Any:
    """Return what foreign arrays hold, in a structure of them."""
    if isinstance(x, Foreign):
        return x.host
    if isinstance(x, dict):
        return {name: opened(part) for name, part in x.items()}
    return type(x)(map(opened, x)) if type(x) in (tuple, list) else x


def wrapped(x: Any) -> Any:
    """Return foreign arrays of what NumPy gave, in its structure."""
    if isinstance(x, (np.ndarray, np.generic)):
        return Foreign(x)
    if isinstance(x, (tuple, list)):
        parts = list(map(wrapped, x))
        return x._make(parts) if hasattr(x, "_make") else type(x)(parts)
    return x
