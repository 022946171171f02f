"""Real part, imaginary part and conjugate: linear over the reals, in the inner product Re Σ conj(a) b."""

import numpy as np

from ..elementary import linear
from ..levels import plain


def is_unreal(x):
    """Whether the plain value under a number is of a complex type."""
    if type(x) is np.ndarray:
        return x.dtype.kind == "c"
    value = plain(x)
    return isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "f") == "c"


def _one(val):
    return (val,)


real = linear(np.real, _one, lambda g, x: g, evaluate=lambda x: x.real,
              put=lambda x, v: v + 1j * imag(x) if is_unreal(x) else v)  # fmt: skip
imag = linear(np.imag, _one, lambda g, x: 1j * g, evaluate=lambda x: x.imag, put=lambda x, v: real(x) + 1j * v)
conj = linear(np.conjugate, _one, lambda g, x: conj(g), evaluate=lambda x: x.conjugate() if is_unreal(x) else x,
              name="conj")  # fmt: skip
