"""Signal processing for numbers: convolutions, linear filters, analytic signals."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from dualnumbers.foreign import as_like, is_foreign
from dualnumbers.forms import asked, dtype_of, shape, type_of
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.shaping import concatenate, reshape, stack
from dualnumbers.rules.signals.convolution import (
    axis_map,
    causal,
    convolution,
    extended,
    flip,
    move_axis,
    recursion,
    windows,
)
from dualnumbers.rules.signals.fourier import resized

from ._counterpart import Array, counterpart, missing

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve", "filtfilt", "hilbert",
           "lfilter", "lfilter_zi", "oaconvolve", "savgol_filter", "sosfilt"]  # fmt: skip
__getattr__ = missing(__name__)

# ---------------------------------------------------------------------------------------------- convolutions


def _checked(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> None:
    m, n = shape(in1), shape(in2)
    if len(m) != len(n):
        raise ValueError(f"the operands of a convolution have as many axes; got shapes {m} and {n}")
    ordered = [all(i >= j for i, j in zip(*pair, strict=True)) for pair in ((m, n), (n, m))]
    if mode == "valid" and len(axes) == len(m) and not any(ordered):
        raise ValueError(f"for mode 'valid' one operand is at least as long in every axis; got shapes {m} and {n}")


def _convolved(in1: Any, in2: Any, mode: str, axes: tuple[int, ...], engine: str) -> Any:
    _checked(in1, in2, mode, axes)
    if not shape(in1):
        return in1 * in2
    if 0 in shape(in1) + shape(in2):
        return np.array([])
    others = [i for i in range(len(shape(in1))) if i not in axes]
    if mode == "same" and any(shape(in1)[i] < shape(in2)[i] for i in others):
        raise ValueError(
            f"mode 'same' would drop a part where in1, shape {shape(in1)}, is broadcast to in2, shape "
            f"{shape(in2)}; broadcast it before, or exchange the two in mode 'full'"
        )
    m, n = ([shape(x)[axis] for axis in axes] for x in (in1, in2))
    return convolution(in1, in2, windows(m, n, mode, True), axes, engine)


def _engine(in1: Any, in2: Any, mode: str, method: str) -> str:
    if method == "auto" and any(is_foreign(type_of(x)) for x in (in1, in2)):
        return "direct"
    if method == "auto" and shape(in1):
        return str(asked(scipy.signal.choose_conv_method, in1, in2, mode))
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f"method={method!r} is not one of 'auto', 'direct', 'fft'")
    return method


@counterpart("signal.convolve")
def convolve(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Any:
    """As ``scipy.signal.convolve``, linear in each operand."""
    return _convolved(in1, in2, mode, tuple(range(len(shape(in1)))), _engine(in1, in2, mode, method))


@counterpart("signal.correlate")
def correlate(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Any:
    """As ``scipy.signal.correlate``: the convolution with the reversed conjugate."""
    return convolve(in1, flip(conj(in2)), mode, method)


def _axes(x: Any, axes: Any) -> tuple[int, ...]:
    """Return the axes, all by default, as non-negative numbers in order."""
    rank = len(shape(x))
    return tuple(sorted(axis % rank for axis in (range(rank) if axes is None else np.ravel(axes).tolist())))


@counterpart("signal.fftconvolve")
def fftconvolve(in1: Array, in2: Array, mode: str = "full", axes: Any = None) -> Any:
    """As ``scipy.signal.fftconvolve``; along axes that are not named the operands broadcast."""
    return _convolved(in1, in2, mode, _axes(in1, axes), "fft")


@counterpart("signal.oaconvolve")
def oaconvolve(in1: Array, in2: Array, mode: str = "full", axes: Any = None) -> Any:
    """As ``scipy.signal.oaconvolve``."""
    return _convolved(in1, in2, mode, _axes(in1, axes), "oa")


_BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}


def _of_two_axes(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, centre: tuple[int, ...]) -> Any:
    """Return the convolution of two axes; ``centre`` is where the window of mode 'same' starts."""
    if len(shape(in1)) != 2 or len(shape(in2)) != 2:
        raise ValueError(f"convolve2d takes arrays of two axes; got shapes {shape(in1)} and {shape(in2)}")
    if boundary not in _BOUNDARIES:
        raise ValueError(f"boundary={boundary!r} is not one of 'fill', 'wrap', 'symm'")
    reach, window = shape(in2), windows(shape(in1), shape(in2), mode, True)
    if mode == "same":
        window = tuple(zip(centre, shape(in1), strict=True))
    if mode != "valid":
        for axis, (start, length) in enumerate(window):
            first, count = start - reach[axis] + 1, length + reach[axis] - 1
            in1 = extended(in1, axis, first, count, _BOUNDARIES[boundary], fillvalue)
    return _convolved(in1, in2, "valid", (0, 1), "direct")


@counterpart("signal.convolve2d")
def convolve2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """As ``scipy.signal.convolve2d``: what lies beyond ``in1`` is given by the boundary mode."""
    return _of_two_axes(in1, in2, mode, boundary, fillvalue, tuple((n - 1) // 2 for n in shape(in2)))


@counterpart("signal.correlate2d")
def correlate2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """As ``scipy.signal.correlate2d``, whose mode 'same' has its centre on the other side than the convolution's."""
    return _of_two_axes(in1, flip(conj(in2)), mode, boundary, fillvalue, tuple(n // 2 for n in shape(in2)))


# --------------------------------------------------------------------------------------------- linear filters


def _last(x: Any, axis: int) -> Any:
    return x if axis in (-1, len(shape(x)) - 1) else move_axis(x, axis, -1)


def _tail(b: Any, x: Any, order: int) -> Any:
    """Return what b ∗ x goes on with after the end of ``x``."""
    return causal(b, x, shape(x)[-1], order)


@counterpart("signal.lfilter")
def lfilter(b: Array, a: Array, x: Array, axis: int = -1, zi: Array = None) -> Any:
    """As ``scipy.signal.lfilter``: the y with a ∗ y = b ∗ x, a₀ times the state ``zi`` added at the beginning.

    Differentiable in all of them; with ``zi`` the pair of y and of the state at the end.
    """
    b, a = reshape(b, -1, "C"), reshape(a, -1, "C")
    order, x = max(shape(a)[0], shape(b)[0]) - 1, _last(x, axis)
    w = causal(b, x)
    if zi is None:
        return move_axis(recursion(w, a), -1, axis)
    state = _last(zi, axis) + np.zeros((*shape(x)[:-1], order), dtype_of(x))
    y = recursion(w + a[0] * resized(state, shape(x)[-1], -1), a)
    rest = (_tail(b, x, order) - _tail(a, y, order)) / a[0]
    if order > shape(x)[-1]:
        rest = rest + resized(state[..., shape(x)[-1] :], order, -1)
    return move_axis(y, -1, axis), move_axis(rest, -1, axis)


@counterpart("signal.lfilter_zi")
def lfilter_zi(b: Array, a: Array) -> Any:
    """As ``scipy.signal.lfilter_zi``: the state of a filter whose input has always been 1."""
    n = max(shape(a)[0], shape(b)[0])
    a, b = resized(a, n, 0) / a[0], resized(b, n, 0) / a[0]
    excess = b - a * (np.sum(b) / np.sum(a))  # the steady output is Σb / Σa; its partial sums fill the state
    return stack(*(-np.sum(excess[: k + 1]) for k in range(n - 1)), 0) if n > 1 else np.zeros(0)


@counterpart("signal.sosfilt")
def sosfilt(sos: Array, x: Array, axis: int = -1, zi: Array = None) -> Any:
    """As ``scipy.signal.sosfilt``: second-order sections, shape (n, 6), one after the other."""
    states = []
    for k in range(shape(sos)[0]):
        x = lfilter(sos[k, :3], sos[k, 3:], x, axis, None if zi is None else zi[k])
        if zi is not None:
            x, state = x
            states.append(state)
    return x if zi is None else (x, stack(*states, 0))


def _padded(x: Any, padtype: str | None, n: int) -> Any:
    """Return the last axis continued by ``n`` elements at both ends."""
    length = shape(x)[-1]
    if n >= length:
        raise ValueError(f"filtfilt: padlen={n} asks for more than the {length} elements of x")
    if padtype is None or not n:
        return x
    before, after = flip(x[..., 1 : n + 1], (-1,)), flip(x[..., length - n - 1 : length - 1], (-1,))
    if padtype == "odd":
        before, after = 2 * x[..., :1] - before, 2 * x[..., -1:] - after
    elif padtype == "constant":
        before, after = 0 * before + x[..., :1], 0 * after + x[..., -1:]
    elif padtype != "even":
        raise ValueError(f"filtfilt: padtype={padtype!r} is not one of 'odd', 'even', 'constant', None")
    return concatenate(before, x, after, -1)


@counterpart("signal.filtfilt")
def filtfilt(b: Array, a: Array, x: Array, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
             method: str = "pad", irlen: int | None = None) -> Any:  # fmt: skip
    """As ``scipy.signal.filtfilt`` with ``method="pad"``: a filter applied forward and backward.

    Raises TypeError for another ``method``.
    """
    if method != "pad":
        raise TypeError(f"filtfilt with method={method!r} has no derivative here; use method='pad'")
    b, a, x = reshape(b, -1, "C"), reshape(a, -1, "C"), _last(x, axis)
    n = (0 if padtype is None else 3 * max(shape(a)[0], shape(b)[0])) if padlen is None else padlen
    state, y = lfilter_zi(b, a), _padded(x, padtype, n)
    for _ in range(2):
        y, _rest = lfilter(b, a, y, -1, state * y[..., :1])
        y = flip(y, (-1,))
    kept = y if padtype is None or not n else y[..., n : shape(y)[-1] - n]
    return move_axis(kept, -1, axis)


# ------------------------------------------------------------------------- linear maps of one axis, as they are


@counterpart("signal.savgol_filter")
def savgol_filter(x: Array, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
                  mode: str = "interp", cval: float = 0.0) -> Any:  # fmt: skip
    """As ``scipy.signal.savgol_filter``, linear in ``x``; ``cval`` must be 0.

    Raises TypeError where it is not.
    """
    if cval != 0.0:
        raise TypeError(
            f"savgol_filter with cval={cval} has no derivative here; subtract cval from x before, or use another mode"
        )
    keywords = {"window_length": window_length, "polyorder": polyorder, "deriv": deriv, "delta": delta, "mode": mode}
    return axis_map(x, "signal.savgol_filter", axis, tuple(keywords.items()))


@counterpart("signal.detrend")
def detrend(data: Array, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Any:
    """As ``scipy.signal.detrend``: what is left when a line, or with ``type="constant"`` the mean, is subtracted."""
    return axis_map(data, "signal.detrend", axis, (("type", type), ("bp", bp)))


@counterpart("signal.hilbert")
def hilbert(x: Array, N: int | None = None, axis: int = -1) -> Any:
    """As ``scipy.signal.hilbert``: the analytic signal, whose spectrum has no negative frequencies."""
    n = shape(x)[axis] if N is None else N
    bins = np.arange(n)
    weights = np.where((bins > 0) & (2 * bins < n), 2.0, np.where((bins == 0) | (2 * bins == n), 1.0, 0.0))
    weights = as_like(weights.astype(asked(np.result_type, x, np.float32)), x)
    spectrum = np.fft.fft(x, n, axis) * weights.reshape((-1,) + (1,) * (len(shape(x)) - 1 - axis % len(shape(x))))
    return np.fft.ifft(spectrum, axis=axis)
