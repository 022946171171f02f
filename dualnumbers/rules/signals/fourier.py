"""Discrete Fourier transforms: four rows of one axis, the others made of them as NumPy makes them.

The adjoint of a transform is a transform: F is symmetric, so Fᴴ is the inverse transform with the scale of the other
direction (``norm="backward"`` for ``"forward"``), of the length of the output.
Source: Briggs & Henson, *The DFT*, 1995, §2.5, §4.1.
"""

import numpy as np

from ...foreign import as_like, whole_along
from ...forms import shape
from ...table import composition, linear
from ...table.batching import by_axis
from ..complexes import conj
from ..indexing import getitem, scatter

_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def swapped(norm):
    """Return the scale of the transform in the other direction."""
    if norm not in _SWAPPED:
        raise ValueError(f"norm={norm!r} is not one of 'backward', 'ortho', 'forward'")
    return _SWAPPED[norm]


def resized(x, length, axis):
    """Crop an axis of the array, or pad it with zeros, at its end; crop and padding are each other's adjoints."""
    lengths = list(shape(x))
    axis %= len(lengths)
    index = (slice(None),) * axis + (slice(0, min(length, lengths[axis])),)
    if length <= lengths[axis]:
        return x if length == lengths[axis] else getitem(x, index)
    lengths[axis] = length
    return scatter(x, tuple(lengths), index)


def along(weights, rank, axis):
    """Return a vector as an array of ``rank`` axes that broadcasts along all but one."""
    return weights.reshape((-1,) + (1,) * (rank - 1 - axis % rank))


def _multiplicity(g, length, axis):
    """Return how many bins of the whole spectrum one of the half spectrum stands for: itself and its mirror image."""
    bins = np.arange(length // 2 + 1)
    return as_like(along(1.0 + ((bins > 0) & (2 * bins < length)), len(shape(g)), axis), g)


def _rfft_adjoint(g, x, n, axis, norm):
    length = shape(x)[axis] if n is None else n
    return resized(irfft(g / _multiplicity(g, length, axis), length, axis, swapped(norm)), shape(x)[axis], axis)


def _irfft_adjoint(g, x, n, axis, norm):
    """The imaginary part of the first and of the middle bin gets 0: there the spectrum of a real signal is real."""
    spectrum = rfft(g, None, axis, swapped(norm)) * _multiplicity(g, shape(g)[axis], axis)
    return resized(spectrum, shape(x)[axis], axis)


@linear(
    lambda g, x, n, axis, norm: resized(ifft(g, None, axis, swapped(norm)), shape(x)[axis], axis),
    of=np.fft.fft,
    batched=by_axis(1),
)
def fft(a, n=None, axis=-1, norm=None):
    return np.fft.fft(whole_along(a, axis), n, axis, norm)


@linear(
    lambda g, x, n, axis, norm: resized(fft(g, None, axis, swapped(norm)), shape(x)[axis], axis),
    of=np.fft.ifft,
    batched=by_axis(1),
)
def ifft(a, n=None, axis=-1, norm=None):
    return np.fft.ifft(whole_along(a, axis), n, axis, norm)


@linear(_rfft_adjoint, of=np.fft.rfft, batched=by_axis(1))
def rfft(a, n=None, axis=-1, norm=None):
    return np.fft.rfft(whole_along(a, axis), n, axis, norm)


@linear(_irfft_adjoint, of=np.fft.irfft, batched=by_axis(1))
def irfft(a, n=None, axis=-1, norm=None):
    return np.fft.irfft(whole_along(a, axis), n, axis, norm)


@linear(lambda g, x, axes: ifftshift(g, axes), of=np.fft.fftshift, batched=by_axis(0))
def fftshift(x, axes=None):
    return np.fft.fftshift(x, axes)


@linear(lambda g, x, axes: fftshift(g, axes), of=np.fft.ifftshift, batched=by_axis(0))
def ifftshift(x, axes=None):
    return np.fft.ifftshift(x, axes)


# --------------------------------------------------------------------------------------- made of the four


@composition(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    """The real spectrum of a signal with Hermitian symmetry, of which ``a`` is one half."""
    return irfft(conj(a), n, axis, swapped(norm))


@composition(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of `hfft`."""
    return conj(rfft(a, n, axis, swapped(norm)))


def lengths_and_axes(a, s, axes, to_real=False):
    """Return the axes to transform with the length of each, as ``[(length, axis), …]``; −1 keeps a length."""
    if axes is None:
        axes = range(-len(shape(a) if s is None else s), 0)
    axes = [axes] if isinstance(axes, int) else list(axes)
    given = [-1] * len(axes) if s is None else [s] if isinstance(s, int) else list(s)
    if len(given) != len(axes):
        raise ValueError(f"s={s} and axes={axes} have different lengths")
    lengths = [shape(a)[axis] if length == -1 else length for length, axis in zip(given, axes, strict=True)]
    if to_real and s is None:
        lengths[-1] = 2 * (shape(a)[axes[-1]] - 1)
    return list(zip(lengths, axes, strict=True))


def _every_axis(transform, a, s, axes, norm):
    for length, axis in reversed(lengths_and_axes(a, s, axes)):
        a = transform(a, length, axis, norm)
    return a


@composition(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None):
    """The transform along several axes, all by default."""
    return _every_axis(fft, a, s, axes, norm)


@composition(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None):
    """The inverse of `fftn`."""
    return _every_axis(ifft, a, s, axes, norm)


@composition(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    """The transform of real ``a``: half the spectrum along the last of the axes."""
    *others, (length, axis) = lengths_and_axes(a, s, axes)
    a = rfft(a, length, axis, norm)
    for length, axis in reversed(others):
        a = fft(a, length, axis, norm)
    return a


@composition(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    """The inverse of `rfftn`; without ``s`` the last length is even."""
    *others, (length, axis) = lengths_and_axes(a, s, axes, to_real=True)
    for length_, axis_ in others:
        a = ifft(a, length_, axis_, norm)
    return irfft(a, length, axis, norm)


def _of_two_axes(numpy_function, function):
    @composition(numpy_function)
    def transform(a, s=None, axes=(-2, -1), norm=None):
        return function(a, s, axes, norm)


for _name in ("fft", "ifft", "rfft", "irfft"):
    _of_two_axes(getattr(np.fft, f"{_name}2"), globals()[f"{_name}n"])
