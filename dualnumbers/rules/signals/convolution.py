"""Convolutions: one row for a window of z = x ∗ y in any number of axes, whose adjoints are windows of convolutions.

zₖ = Σ xᵢ yₖ₋ᵢ, so x̄ᵢ = Σ z̄ₖ conj(yₖ₋ᵢ), the convolution of z̄ with the reversed y. A window of it is all that a mode
('full', 'same', 'valid') asks for, and no more is computed. A recursion (an all-pole filter) undoes a convolution.
"""

import numpy as np

from ...foreign import as_like, is_foreign, new_like, one_of, zero_padded
from ...forms import shape
from ...levels import is_lazy
from ...table import composition, linear, multilinear, smooth
from ...table.batching import by_axis, for_all
from ...table.kinds import Linear
from ..complexes import conj
from ..from_scipy import along_axis, scipy_function
from ..indexing import getitem
from ..linalg.products import tensordot
from ..shaping import array, in_order, reshape, transpose
from ..where import where


def flip(x, axes=None):
    """Return the array with the order along these axes, all by default, reversed."""
    rank = len(shape(x))
    axes = range(rank) if axes is None else [axis % rank for axis in axes]
    return getitem(x, tuple(slice(None, None, -1 if i in axes else None) for i in range(rank)))


def move_axis(x, axis, to):
    """Return the array with one axis moved to another place."""
    order = [i for i in range(len(shape(x))) if i != axis % len(shape(x))]
    order.insert(to % len(shape(x)), axis % len(shape(x)))
    return transpose(x, tuple(order))


def windows(m, n, mode, centred_on_first):
    """Return start and length, in the full convolution of lengths ``m`` and ``n``, of what a mode asks for, by axes.

    'same' is as long as the first, as SciPy has it, or as the longer, as NumPy.
    """
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode={mode!r} is not one of 'full', 'same', 'valid'")
    if mode == "full":
        return tuple((0, i + j - 1) for i, j in zip(m, n, strict=True))
    if mode == "valid":
        return tuple((min(i, j) - 1, abs(i - j) + 1) for i, j in zip(m, n, strict=True))
    if centred_on_first:
        return tuple(((j - 1) // 2, i) for i, j in zip(m, n, strict=True))
    return tuple(((min(i, j) - 1) // 2, max(i, j)) for i, j in zip(m, n, strict=True))


def _cut(x, window, axes):
    """Return the elements from start on, as many as the length, along each axis; zeros outside the array."""
    index, widths = [slice(None)] * x.ndim, [(0, 0)] * x.ndim
    for (start, length), axis in zip(window, axes, strict=True):
        first, last = max(start, 0), min(start + length, x.shape[axis])
        before = min(max(-start, 0), length)
        index[axis] = slice(first, max(first, last))
        widths[axis] = (before, length - before - max(last - first, 0))
    return zero_padded(x[tuple(index)], widths)


_ENGINES = {
    "numpy": lambda x, y, mode, axes: np.convolve(x, y, mode),
    "direct": lambda x, y, mode, axes: scipy_function("signal.convolve")(x, y, mode, "direct"),
    "fft": lambda x, y, mode, axes: scipy_function("signal.fftconvolve")(x, y, mode, axes),
    "oa": lambda x, y, mode, axes: scipy_function("signal.oaconvolve")(x, y, mode, axes),
}
"""How a convolution is computed: the function of arrays, mode and axes."""


def _zeros(x, y, window, axes):
    """Return an empty window, or one of an empty sum."""
    lengths = [max(pair) for pair in zip(np.shape(x), np.shape(y), strict=True)]
    for (_, length), axis in zip(window, axes, strict=True):
        lengths[axis] = length
    return new_like(one_of((x, y)), lengths, np.result_type(x, y))


def _by_windows(x, y, window, axes):
    """Convolve foreign arrays, whose elements SciPy's C code cannot read, or for which their library has nothing."""
    lengths = [np.shape(y)[axis] for axis in axes]
    met = [(start - j + 1, length + j - 1) for (start, length), j in zip(window, lengths, strict=True)]
    parts = np.lib.stride_tricks.sliding_window_view(_cut(x, met, axes), lengths, axes)
    last = tuple(range(-len(axes), 0))
    weights = np.expand_dims(np.moveaxis(np.flip(y, axes), axes, last), axes)
    return np.sum(as_like(parts, y) * as_like(weights, x), last)


def _transposed(g, x, other, window, axes, engine):
    """Return the adjoint of the operand ``x``, the other one being ``other``."""
    back = tuple(
        (shape(other)[axis] - 1 - start, shape(x)[axis]) for (start, _), axis in zip(window, axes, strict=True)
    )
    return convolution(g, conj(flip(other, axes)), back, axes, engine)


def _convolution_of_all(apply, xs, members, window, axes, engine):
    """Convolve along the axes behind that of the members, where the engine knows axes."""
    if engine not in ("fft", "oa"):
        return None
    rank = len(shape(xs[0])) - members[0]
    return apply(*for_all(xs, members), window, tuple(axis % rank + 1 for axis in axes), engine)


@multilinear(
    lambda g, x, y, *static: _transposed(g, x, y, *static),
    lambda g, x, y, *static: _transposed(g, y, x, *static),
    shown="convolve",
    batched=_convolution_of_all,
)
def convolution(x, y, window, axes, engine):
    """Convolve along ``axes`` and keep the window, pairs of start and length; along other axes broadcast.

    SciPy does it by the mode that asks for the window; else by 'valid' of the shorter array and what it meets of the
    other.
    """
    compute = _ENGINES[engine]
    m, n = ([np.shape(v)[axis] for axis in axes] for v in (x, y))
    if 0 in (*m, *n, *(length for _, length in window)):
        return _zeros(x, y, window, axes)
    kind = type(one_of((x, y)))
    if is_lazy(kind) or (engine != "numpy" and is_foreign(kind)):
        return _by_windows(x, y, window, axes)
    for mode in ("full", "same", "valid"):
        ordered = mode != "valid" or all(i >= j for i, j in zip(m, n, strict=True))
        if ordered and window == windows(m, n, mode, engine != "numpy"):
            return compute(x, y, mode, axes)
    if np.prod(n) > np.prod(m):
        x, y, n = y, x, m
    met = [(start - j + 1, length + j - 1) for (start, length), j in zip(window, n, strict=True)]
    return compute(_cut(x, met, axes), y, "valid", axes)


def _convolved(a, v, mode):
    for x in (a, v):
        if len(shape(x)) != 1 or not shape(x)[0]:
            raise ValueError(f"convolve and correlate take vectors of at least one element; got shape {shape(x)}")
    return convolution(a, v, windows(shape(a), shape(v), mode, False), (0,), "numpy")


@composition(np.convolve)
def convolve(a, v, mode="full"):
    """The convolution of two vectors; a number is one of length 1."""
    a, v = (x if shape(x) else reshape(x, -1, "C") for x in (array(a), array(v)))
    return _convolved(a, v, mode)


@composition(np.correlate)
def correlate(a, v, mode="valid"):
    """Σ aₙ₊ₖ conj(vₙ) for every k: the convolution with the reversed conjugate."""
    a, v = array(a), array(v)
    if shape(a) < shape(v):  # 'same' centres differently here: NumPy exchanges the two and reverses the result
        return in_order(flip(_convolved(conj(v), flip(a), mode)), "C")
    return _convolved(a, flip(conj(v)), mode)


# ---------------------------------------------------------------------------------------- beyond the boundary

_SOURCES = {
    "nearest": lambda i, n: np.clip(i, 0, n - 1),
    "wrap": lambda i, n: i % n,
    "reflect": lambda i, n: np.minimum(i % (2 * n), 2 * n - 1 - i % (2 * n)),
    "mirror": lambda i, n: (n - 1) - np.abs((n - 1) - i % max(2 * n - 2, 1)),
    "constant": lambda i, n: np.clip(i, 0, n - 1),
}
"""Which element of an axis of length n stands at the place i, outside too, by the boundary mode."""


def extended(x, axis, start, length, boundary="reflect", outside=0.0):
    """Take the elements from ``start`` on along an axis, which goes on beyond the array's ends by the boundary mode."""
    if boundary not in _SOURCES:
        raise ValueError(f"boundary mode {boundary!r} is not one of {', '.join(map(repr, _SOURCES))}")
    n, rank = shape(x)[axis], len(shape(x))
    places = np.arange(start, start + length)
    inner = getitem(x, (slice(None),) * (axis % rank) + (_SOURCES[boundary](places, n),))
    if boundary != "constant":
        return inner
    within = ((places >= 0) & (places < n)).reshape((-1,) + (1,) * (rank - 1 - axis % rank))
    return where(as_like(within, inner), inner, outside)


# ------------------------------------------------------------------------------------------------- recursion


def _recursion_push(da, y, w, a):
    """From a ∗ y = w: a ∗ dy = −da ∗ y."""
    return -recursion(causal(da, y), a)


def _recursion_of_all(apply, xs, members):
    return apply(*xs) if members == (True, False) else None


@smooth(Linear(lambda g, w, a: flip(recursion(flip(g, (-1,)), conj(a)), (-1,))), _recursion_push,
        solves=True, batched=_recursion_of_all, core="(i),(j)->(i)")  # fmt: skip
def recursion(w, a):
    """Find the y along the last axis of ``w`` that begins at rest and has a ∗ y = w, for a vector ``a``.

    SciPy's filter does it; it wants an axis of at least one element.
    """
    return scipy_function("signal.lfilter")(np.ones(1, a.dtype), a, w) if w.size else np.array(w)


def causal(b, x, start=0, length=None):
    """Return the elements of b ∗ x along the last axis of ``x`` from ``start`` on, by default as many as ``x`` has."""
    lengths = shape(x)
    b = reshape(b, (1,) * (len(lengths) - 1) + (-1,), "C")
    window = (*((0, n) for n in lengths[:-1]), (start, lengths[-1] if length is None else length))
    return convolution(x, b, window, tuple(range(len(lengths))), "direct")


def _axis_map_adjoint(g, x, path, axis, keywords):
    """Multiply by the matrix of the map: what it makes of the unit vectors."""
    matrix = scipy_function(path)(np.eye(shape(x)[axis]), axis=0, **dict(keywords))
    return move_axis(tensordot(as_like(matrix, g), g, (0, axis)), 0, axis)


@linear(_axis_map_adjoint, batched=by_axis(1))
def axis_map(x, path, axis, keywords):
    """``axis_map(x, path, axis, keywords)``: a function of SciPy that is a real linear map of one axis."""
    function = scipy_function(path)
    return along_axis(lambda x, axis: function(x, axis=axis, **dict(keywords)), x, axis)
