"""Variance, standard deviation, weighted average, covariance and correlation.

Where all data are equal the standard deviation is 0 and has a kink; its slope there is 0, that of a length.
"""

import math

import numpy as np

from ...foreign import as_array, by_default, is_foreign
from ...forms import asked, dtype_of, is_unreal, shape, type_of
from ...levels import decided, holds_somewhere, is_lazy, read
from ...messages.errors import user_line
from ...table import composition, entry_of, smooth
from ...table.batching import by_axis
from ...table.kinds import Smooth
from ..complexes import conj, imag, real
from ..elementwise.clipping import clip
from ..elementwise.powers import sqrt
from ..indexing import getitem
from ..linalg.products import matmul
from ..reductions import axes_of, kept, max, mean, min, real_type, sum
from ..shaping import array, astype, broadcast_to, concatenate, expand_dims, reshape, transpose
from ..strong import strong
from ..where import where as select
from .reductions_where import chosen, count_chosen, inexact, mask, max_where, min_where, sum_where


def share_of_each(x, axis, keepdims, where, ddof=0):
    """1 / (n − ddof) of n chosen elements; NaN where no degree of freedom is left."""
    free = np.subtract(count_chosen(x, axis, keepdims, where), ddof)
    return np.where(free > 0, 1.0 / np.where(free > 0, free, 1), math.nan).astype(real_type(x))[()]


def _centred(x, axis, where):
    """Return the deviations from the mean; twice, since of data near 1e8 the rounded mean would cost 8 digits."""
    part = np.maximum(count_chosen(x, axis, True, where), 1).astype(real_type(x))
    for _ in range(2):
        x = chosen(x - sum(chosen(x, where), axis, True) / part, where)
    return x


def _is_constant(v, axis, where):
    """Return where all chosen elements of a plain array are equal."""
    of_real, of_imaginary = (
        max_where(part, axis, keepdims=True, initial=-math.inf, where=where)
        <= min_where(part, axis, keepdims=True, initial=math.inf, where=where)
        for part in (v.real, v.imag)
    )
    return of_real & of_imaginary


def _inner(d, dx):
    """Re conj(d) dx; d is NaN where no degree of freedom is left, and nothing moves where dx is 0."""
    return real(strong(conj(d), dx)) if is_unreal(d) or is_unreal(dx) else strong(d, dx)


# -------------------------------------------------------------------------------- variance, standard deviation


def variance_push(dx, z, x, axis, dtype, ddof, keepdims, where):
    """2 Σ (x − x̄) ẋ / (n − ddof)."""
    part = 2.0 * share_of_each(x, axis, True, where, ddof) * _centred(x, axis, where)
    return astype(sum(_inner(part, dx), axis, keepdims), dtype_of(z))


def variance_pull(g, z, x, axis, dtype, ddof, keepdims, where):
    """2 z̄ (x − x̄) / (n − ddof)."""
    return strong(2.0 * share_of_each(x, axis, True, where, ddof), kept(g, x, axis)) * _centred(x, axis, where)


def _unit(z, d, at_zero, axis, where):
    """d / z of the chosen elements, 0 where z is."""
    return chosen(select(at_zero, 0.0, d / select(at_zero, 1.0, kept(z, d, axis))), where)


def _length_push(dd, z, d, at_zero, axis, ddof, keepdims, where):
    """Σ (d / z) ḋ / (n − ddof), of z = √(Σ |d|² / (n − ddof)); 0 where that is 0."""
    part = share_of_each(d, axis, True, where, ddof) * _unit(z, d, at_zero, axis, where)
    return astype(sum(_inner(part, dd), axis, keepdims), dtype_of(z))


def deviation_push(dx, z, x, axis, dtype, ddof, keepdims, where):
    """Σ (x − x̄) ẋ / (z (n − ddof)); 0 where all data are equal."""
    return _length_push(
        dx, z, _centred(x, axis, where), decided(_is_constant, x, axis, where), axis, ddof, keepdims, where
    )


def deviation_pull(g, z, x, axis, dtype, ddof, keepdims, where):
    """z̄ (x − x̄) / (z (n − ddof)); 0 where all data are equal."""
    unit = _unit(z, _centred(x, axis, where), decided(_is_constant, x, axis, where), axis, where)
    return strong(share_of_each(x, axis, True, where, ddof) * unit, kept(g, x, axis))


def _is_zero(z):
    return np.equal(z, 0)


def _root_push(dd, z, d, axis, ddof, keepdims, where):
    return _length_push(dd, z, d, decided(_is_zero, kept(z, d, axis)), axis, ddof, keepdims, where)


def moment_row(numpy_function, push, pull):
    """Make the row of a variance or standard deviation, with its keywords."""
    nan = numpy_function in (np.nanvar, np.nanstd)

    def moment(x, axis, dtype, ddof, keepdims, where):
        if is_foreign(type(x)) and where is not True:  # neither Dask's nor CuPy's choose
            where = where & ~np.isnan(x) if nan else where
            z = _mean_square(_centred(x, axis, where), axis, ddof, keepdims, where)
            return np.sqrt(z) if numpy_function in (np.std, np.nanstd) else z
        given = by_default(type(x), dtype=dtype, keepdims=keepdims, where=where)
        return numpy_function(x, axis=axis, ddof=ddof, **given)

    options = {"of": numpy_function, "name": numpy_function.__name__, "call": moment_signature}
    return smooth(Smooth(push, pull), batched=by_axis(0), **options)(moment)


def moment_signature(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, correction=None):
    """Return what a user gives to a variance or standard deviation."""
    if correction is not None and ddof:
        raise ValueError("var, std: ddof and correction are two names of one parameter; give one of them")
    inexact(dtype, "var")
    a = a if dtype is None else astype(a, np.promote_types(dtype_of(a), dtype))
    return a, axis, dtype, ddof if correction is None else correction, keepdims, mask(where)


var = moment_row(np.var, variance_push, variance_pull)
std = moment_row(np.std, deviation_push, deviation_pull)


@smooth(_root_push, batched=by_axis(0))
def _root_mean_square(d, axis, ddof, keepdims, where):
    return np.sqrt(_mean_square(d, axis, ddof, keepdims, where))


def _mean_square(d, axis, ddof, keepdims, where):
    """Σ |d|² / (n − ddof)."""
    free = np.maximum(np.subtract(count_chosen(d, axis, keepdims, where), ddof), 0)
    squares = real(d) * real(d) + imag(d) * imag(d) if is_unreal(d) else d * d
    return sum_where(squares, axis, keepdims=keepdims, where=where) / free.astype(real_type(d))[()]


def _about(row, numpy_function, of_deviations):
    """np.var or np.std; ``mean`` may carry a derivative."""

    @entry_of(row, numpy_function)
    def about(a, axis=None, dtype=None, *, mean=None, **keywords):
        a, axis, dtype, *static = moment_signature(a, axis, dtype, **keywords)
        if mean is None:
            return row(a, axis, dtype, *static)
        return of_deviations(a - mean, axis, *static)

    return about


_about(var, np.var, _mean_square)
_about(std, np.std, _root_mean_square)


# -------------------------------------------------------------------------------- range, average


@composition(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    """The maximum less the minimum."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def _alongside(weights, a, axis):
    """Weights in the axes of ``a`` that they belong to."""
    if shape(weights) == shape(a):
        return weights
    if axis is None:
        raise TypeError(f"average: the weights have shape {shape(weights)}, the array has {shape(a)}; give axis=, the "
                        f"axis of the weights{user_line()}")  # fmt: skip
    axes = axes_of(len(shape(a)), axis)
    if shape(weights) != tuple(shape(a)[i] for i in axes):
        raise ValueError(f"average: the weights have shape {shape(weights)}; along axis={axis} the array has "
                         f"{tuple(shape(a)[i] for i in axes)}{user_line()}")  # fmt: skip
    weights = transpose(weights, tuple(np.argsort(axes).tolist()))
    return reshape(weights, tuple(n if i in axes else 1 for i, n in enumerate(shape(a))), "C")


@composition(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The weighted mean along axes, and the sum of the weights if ``returned``."""
    a = array(a)
    if weights is None:
        result = mean(a, axis, keepdims)
        total = asked(np.full_like, result, count_chosen(a, axis, keepdims, True))[()]
    else:
        weights = _alongside(array(weights), a, axis)
        together = asked(np.result_type, a, weights)
        weights = weights if dtype_of(weights) == together else astype(weights, together)
        total = sum(weights, axis, keepdims)
        if holds_somewhere(total == 0):
            raise ZeroDivisionError(f"average: the weights sum to 0{user_line()}")
        result = sum(a * weights, axis, keepdims) / total
    if not returned:
        return result
    return result, total if shape(total) == shape(result) else broadcast_to(total, shape(result))


# -------------------------------------------------------------------------------- covariance, correlation


def _variables(m, rowvar, dtype):
    """Return the variables as rows."""
    m = array(m)
    if len(shape(m)) > 2:
        raise ValueError(f"cov: the data are a vector or a matrix; got shape {shape(m)}")
    m = astype(m, dtype) if dtype_of(m) != dtype else m
    if len(shape(m)) < 2:
        return reshape(m, (1, -1), "C")
    return m if rowvar else transpose(m, None)


def _weights(w, name, count):
    """Return the weights of observations; None where there are none."""
    if w is None:
        return None
    w = array(w)
    if shape(w) != (count,):
        raise RuntimeError(f"cov: {name} has shape {shape(w)}, the observations need ({count},){user_line()}")
    if holds_somewhere(w < 0):
        raise ValueError(f"cov: {name} holds a negative weight{user_line()}")
    return w


@composition(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables in rows; ``aweights`` may carry a derivative, ``fweights`` are counts."""
    given = [dtype_of(array(v)) for v in (m, y) if v is not None]
    dtype = np.result_type(*given, np.float64) if dtype is None else inexact(dtype, "cov")
    x = _variables(m, rowvar, dtype)
    if y is not None:
        x = concatenate(x, _variables(y, rowvar, dtype), 0)
    count = shape(x)[1]
    fweights = None if fweights is None else _weights(as_array(read(fweights), float), "fweights", count)
    if fweights is not None and holds_somewhere(fweights != np.round(fweights)):
        raise TypeError(f"cov: fweights are whole numbers, how often each observation occurs{user_line()}")
    aweights = _weights(aweights, "aweights", count)
    w = aweights if fweights is None else fweights if aweights is None else fweights * aweights
    ddof = int(not bias) if ddof is None else ddof
    centre, total = average(x, 1, w, True)
    total = getitem(total, 0) if w is not None else count
    free = total - (ddof if aweights is None or not ddof else ddof * sum(w * aweights, None, False) / total)
    x = x - expand_dims(centre, 1)
    c = matmul(x, conj(transpose(x if w is None else x * w, None))) * _one_over(free)
    return reshape(c, (), "C") if shape(c) == (1, 1) else c


def _one_over(free):
    """1 / ``free``; infinite, with NumPy's warning, where no degree of freedom is left."""
    if is_lazy(type_of(free)):
        return select(free > 0, 1.0 / free, np.inf)
    return 1.0 / free if free > 0 else np.true_divide(1, 0.0)


@composition(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The matrix of Pearson's correlation coefficients."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not shape(c):
        return c / c
    diagonal = np.arange(shape(c)[0])
    scale = sqrt(real(getitem(c, (diagonal, diagonal))))
    c = c / expand_dims(scale, 1) / scale
    return clip(real(c), -1, 1) + 1j * clip(imag(c), -1, 1) if is_unreal(c) else clip(c, -1, 1)
