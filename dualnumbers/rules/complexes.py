"""Real part, imaginary part, conjugate: linear over the reals, in the inner product Re Σ conj(a) b; and the angle."""

import numpy as np

from ..foreign import is_foreign
from ..forms import is_array, is_unreal, shape
from ..levels import read
from ..table import BY_NUMPY, composition, entry_of, linear, locally_constant
from ..table.batching import by_elements
from .comparisons import equal, not_equal
from .constants import degrees_per_radian
from .elementwise.arithmetic import as_numpy
from .indexing import element, setitem
from .shaping import copied, matrix_transpose


def _one(val):
    """Return the operands of a call: NumPy names the one that there is ``val``."""
    return (val,)


@linear(
    lambda g, x: g,
    of=np.real,
    call=_one,
    batched=by_elements,
    put=lambda x, v: setitem(x, v + 1j * imag(x) if is_unreal(x) else v, ...),
)
def real(x):
    return x.real


@linear(
    lambda g, x: 1j * g, of=np.imag, call=_one, batched=by_elements, put=lambda x, v: setitem(x, real(x) + 1j * v, ...)
)
def imag(x):
    return x.imag


@linear(lambda g, x: conj(g), call=_one, batched=by_elements)
def conj(x):
    if not is_unreal(x):
        return x
    return np.conjugate(x) if is_foreign(type(x)) else x.conjugate()  # Dask's have no such method


def adjoint(x):
    """Return the conjugate transpose of every matrix of a stack."""
    x = conj(x) if is_unreal(x) else x
    return x.mT if type(x) is np.ndarray else matrix_transpose(x)


@entry_of(conj, np.conjugate)
def conjugate(x):
    """The conjugate, as NumPy gives it."""
    x = as_numpy(x)
    return element(conj(x) if is_unreal(x) else +x)


@composition(np.isreal)
def isreal(x):
    """Return where the imaginary part is 0."""
    return equal(imag(x), 0)


@composition(np.iscomplex)
def iscomplex(x):
    """Return where the imaginary part is not 0."""
    return not_equal(imag(x), 0) if is_unreal(x) else np.zeros(shape(x), bool)[()]


_angle_of_real = locally_constant(name="angle_of_real")(None, lambda x: np.arctan2(0.0, x))


@composition(np.angle)
def angle(z, deg=False):
    """The angle from the positive real axis, in (−π, π], in radians or degrees; of a real number 0 or π."""
    theta = BY_NUMPY[np.arctan2](imag(z), real(z)) if is_unreal(z) else _angle_of_real(z)
    return theta * degrees_per_radian(theta) if deg else theta


@composition(np.real_if_close, by_values=True)
def real_if_close(a, tol=100):
    """The real part, if every imaginary part is below ``tol`` units of rounding, or below ``tol`` itself up to 1."""
    if is_unreal(a) and not np.iscomplexobj(np.real_if_close(read(a), tol)):
        a = real(a)
    return a if is_array(a) else copied(a, "C")
