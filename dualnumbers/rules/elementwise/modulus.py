"""The modulus and the direction of a complex number, which are not holomorphic. At 0 both have slope 0."""

import numpy as np

from ...table import smooth
from ...table.batching import by_elements
from ..comparisons import equal
from ..complexes import conj, imag, real
from ..where import where
from .powers import cosine


def _modulus_push(dx, z, x):
    """Re(conj(x / |x|) ẋ), by the cosines of the angle, which keep their digits at every order."""
    return real(dx) * cosine(real(x), imag(x)) + imag(dx) * cosine(imag(x), real(x))


def _direction_push(dx, z, x):
    """i z Im(conj(z) ẋ) / |x|, z = x / |x|."""
    length = modulus(x)
    return 1j * z * (imag(conj(z) * dx) / where(equal(length, 0), 1.0, length))


@smooth(_modulus_push, shown="abs", batched=by_elements)
def modulus(x):
    """NumPy's modulus of a Python number is not Python's to the last bit."""
    return np.absolute(x)


@smooth(_modulus_push, shown="abs", batched=by_elements)
def modulus_of_python(x):
    return abs(x)


direction = smooth(_direction_push, name="direction", batched=by_elements)(np.sign)
