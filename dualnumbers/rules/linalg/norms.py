"""Norms and condition numbers. A norm has a kink at 0, where its derivative is 0, as the modulus has.

Sources: N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §6.1-6.2; G. A. Watson,
*Characterization of the subdifferential of some matrix norms*, 1992.
"""

import math

import numpy as np

from ...foreign import largest
from ...forms import asked, is_unreal, real_dtype_of, shape
from ...levels import decided, is_lazy, is_number
from ...messages.errors import user_line
from ...table import composition, smooth
from ...table.batching import by_axis
from ...table.kinds import Smooth
from ..comparisons import equal, not_equal
from ..complexes import conj, real
from ..indexing import getitem
from ..reductions import max, min, sum
from ..shaping import astype, ravel, reshape, transpose
from ..step_functions import sign
from ..strong import strong
from ..where import nowhere, where
from .factors import square
from .products import moved
from .singular_values import svdvals
from .systems import inv

_normalised = np.lib.array_utils.normalize_axis_tuple


def _axes(x, axis):
    """Return the reduced axes, all without ``axis``."""
    rank = len(shape(x))
    return tuple(range(rank)) if axis is None else _normalised(axis, rank)


def _kept(z, x, axis):
    """Return a norm with the reduced axes back, of length 1."""
    axes = _axes(x, axis)
    return reshape(z, tuple(1 if i in axes else n for i, n in enumerate(shape(x))), "C")


def _real_part(x):
    return real(x) if is_unreal(x) else x


# ------------------------------------------------------------------------------------------------- of the elements


EUCLIDEAN = (None, 2, "fro", "f")
"""The ``ord`` of the length."""


def _evaluate(x, ord, axis, keepdims):
    if is_lazy(type(x)) and x.ndim > 2 and axis is None and ord is None:  # for which Dask has none
        return np.sqrt(np.sum(np.abs(x) ** 2, keepdims=keepdims))
    return np.linalg.norm(x, ord, axis, keepdims)


def _evaluate_all(apply, xs, members, ord, axis, *keepdims):
    """Take the norms of every member: of one with more than two axes, only along an axis that is given."""
    if axis is None and len(shape(xs[0])) > 3:
        return None
    return by_axis(1)(apply, xs, members, ord, axis, *keepdims)


def _scaled(x, ord, axis):
    """x over its largest modulus, that modulus, and the norm of the quotient: no square leaves the range."""
    peak = largest(np.abs(x), 0.0, None if axis is None else _axes(x, axis), True)
    peak = np.where(peak == 0, 1, peak).astype(peak.dtype)
    with np.errstate(all="ignore"):
        return x / peak, peak, _evaluate(x / peak, ord, axis, True)


def _along(dx, direction, x, ord, axis):
    """Σ (|x| / ‖x‖)ᵖ⁻¹ Re(conj(x / |x|) dx), the tangent of the norm with the axes kept: no power overflows."""
    if ord in EUCLIDEAN:
        return sum(_real_part(conj(direction) * dx), _axes(x, axis), True)
    kink = _at_kinks(x, ord, _axes(x, axis))
    weights = where(kink, 0.0, abs(where(kink, 1.0, direction)) ** (ord - 1))
    return sum(_real_part(strong(weights * conj(sign(x)), dx)), _axes(x, axis), True)


def _at_kinks(x, ord, axes):
    """Return where the p-norm has kinks, of which the slope is 0: there the power of a modulus may be infinite.

    For p above 1 it is where all elements are 0, up to 1 at each that is, for negative p, whose norm is 0 then, at all
    beside one that is.
    """
    if ord < 0:
        return np.any(equal(x, 0), axis=axes, keepdims=True)
    return equal(x, 0) if ord < 1 else equal(sum(abs(x), axes, True), 0)


def _are_largest(x, axes):
    """Return which elements of a plain array are the largest along axes, and not 0."""
    size = np.abs(x)
    return (size == largest(size, 0.0, axes, True)) & (size > 0)


def _beside_largest(dx, x, axis):
    """ẋ less the multiple of x that leaves nothing at x's largest element.

    A direction does not change along x, and where one element is nearly all of it, 1 − u² of that element is lost.
    """
    axes = _axes(x, axis)
    highest = decided(_are_largest, x, axes)
    count = np.sum(highest, axis=axes, keepdims=True)
    shares = (highest / np.maximum(count, 1)).astype(real_dtype_of(x))
    multiple = sum(shares * _real_part(dx / where(highest, x, 1.0)), axes, True)
    return where(highest & (count == 1) & (not is_unreal(x)), 0.0, dx - multiple * x)


def _unit_push(dx, z, x, ord, axis):
    """(ẋ − u ‖x‖′ ẋ) / ‖x‖, of an x that is 0 constantly 0."""
    rest, size = _beside_largest(dx, x, axis), extent(x, ord, axis)
    zero = equal(size, 0)
    return where(zero, 0.0, rest - z * _along(rest, z, x, ord, axis)) / where(zero, 1.0, size)


@smooth(_unit_push, batched=_evaluate_all)
def unit(x, ord, axis):
    scaled, _, size = _scaled(x, ord, axis)
    return scaled / np.where(size == 0, 1, size).astype(size.dtype)


@smooth(
    lambda dx, z, x, ord, axis: _along(dx, unit(x, ord, axis), x, ord, axis),
    shown="norm",
    batched=_evaluate_all,
)
def extent(x, ord, axis):
    _, peak, size = _scaled(x, ord, axis)
    return peak * size


def _push(dx, z, x, ord, axis, keepdims):
    found = _along(dx, unit(x, ord, axis), x, ord, axis)
    return found if keepdims else reshape(found, shape(z), "C")


def _length_pull(g, z, x, ord, axis, keepdims):
    """x̄ = ‖x‖̄ x / ‖x‖."""
    return _kept(g, x, axis) * unit(x, ord, axis)


length = smooth(Smooth(_push, _length_pull), name="length", shown="norm", batched=_evaluate_all)(_evaluate)
p_norm = smooth(_push, name="p_norm", shown="norm", batched=_evaluate_all)(_evaluate)


def _largest(x, axis, keepdims):
    """Return the largest of moduli; of none 0, as NumPy has it."""
    return max(x, axis, keepdims) if shape(x)[axis] else sum(x, axis, keepdims)


def _of_vectors(x, ord, axis, keepdims):
    if ord in (math.inf, -math.inf):
        return (_largest if ord > 0 else min)(abs(x), axis, keepdims)
    if ord == 0:
        return sum(astype(not_equal(x, 0), real_dtype_of(x)), axis, keepdims)
    return sum(abs(x), axis, keepdims) if ord == 1 else p_norm(x, ord, axis, keepdims)


# ------------------------------------------------------------------------------------------------- of matrices


def _of_matrices(x, ord, axes, keepdims):
    if ord in ("nuc", 2, -2):
        s = svdvals(moved(x, axes))
        z = {"nuc": sum, 2: _largest, -2: min}[ord](s, -1, False)
    elif ord in (1, -1, math.inf, -math.inf):
        summed, largest = axes if abs(ord) == 1 else axes[::-1]
        extremum = _largest if ord > 0 else min
        z = extremum(sum(abs(x), summed, False), largest - (largest > summed), False)
    else:
        raise ValueError(f"Invalid norm order for matrices: {ord!r}")
    return _kept(z, x, axes) if keepdims else z


@composition(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of vectors along one axis, of matrices along two, of all elements without ``ord`` and ``axis``."""
    if is_number(type(ord)):
        raise TypeError(f"np.linalg.norm has no derivative by ord; write np.sum(np.abs(x)**p)**(1/p){user_line()}")
    axes = _axes(x, axis)
    of_elements = {1: (None, 2), 2: (None, "fro", "f")}.get(len(axes), (None,) if axis is None else ())
    if ord in of_elements:
        return length(x, ord, axis, keepdims)
    if len(axes) == 1 and not isinstance(ord, str):
        return _of_vectors(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _of_matrices(x, ord, axes, keepdims)
    raise ValueError(f"np.linalg.norm with ord={ord!r} is of one axis or of two, not of the axes {axes}")


@composition(np.linalg.matrix_norm)
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of every matrix of a stack."""
    return norm(x, ord, (-2, -1), keepdims)


@composition(np.linalg.vector_norm)
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """A norm of vectors along any axes, all by default, which are taken as one."""
    if axis is None:
        z = norm(ravel(x), ord, 0)
    elif isinstance(axis, tuple):
        axes = _axes(x, axis)
        others = tuple(i for i in range(len(shape(x))) if i not in axes)
        count = math.prod(shape(x)[i] for i in axes)
        z = norm(reshape(transpose(x, axes + others), (count, *(shape(x)[i] for i in others)), "C"), ord, 0)
    else:
        z = norm(x, ord, axis)
    return _kept(z, x, axis) if keepdims else z


# ------------------------------------------------------------------------------------------------- condition numbers


@composition(np.linalg.cond)
def cond(x, p=None):
    """‖A‖ ‖A⁻¹‖; in the spectral norm, the default, the ratio of the extreme singular values; inf of singular ones."""
    if not np.prod(shape(x)[-2:]):
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    with np.errstate(all="ignore"):
        if p in (None, 2, -2):
            s = svdvals(x)
            largest, smallest = getitem(s, (..., 0)), getitem(s, (..., -1))
            z = smallest / largest if p == -2 else largest / smallest
        else:
            square(x)
            exact = asked(np.result_type, x, np.float64)
            z = norm(x, p, (-2, -1)) * norm(inv(astype(x, exact)), p, (-2, -1))
    z = astype(z, real_dtype_of(x))
    undefined = np.isnan(z) & ~np.any(np.isnan(x), axis=(-2, -1))
    return z if nowhere(undefined) else where(undefined, math.inf, z)
