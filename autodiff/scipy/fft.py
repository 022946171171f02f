"""Fourier, cosine and sine transforms for numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.fft import fftfreq, next_fast_len, prev_fast_len, rfftfreq

from dualnumbers.rules.complexes import conj
from dualnumbers.rules.of_scipy.special.cosines import TRANSPOSED
from dualnumbers.rules.of_scipy.special.cosines import dct as dct_row
from dualnumbers.rules.of_scipy.special.cosines import dst as dst_row
from dualnumbers.rules.signals.fourier import lengths_and_axes, swapped

from ._counterpart import Array, counterpart, counterpart_of_row, missing

__all__ = ["dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "idct",
           "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft",
           "irfft2", "irfftn", "next_fast_len", "prev_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn"]  # fmt: skip
__getattr__ = missing(__name__)


def _named(function: Callable[..., Any], name: str, text: str, always: bool = False) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``scipy.fft.{name}``: {text}."
    return counterpart(f"fft.{name}", always=always)(function)


def _one_axis(name: str) -> Callable[..., Any]:
    function = getattr(np.fft, name)

    def transform(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
                  workers: int | None = None, *, plan: Any = None) -> Any:  # fmt: skip
        return function(x, n, axis, norm)

    return _named(transform, name, "NumPy's transform of one axis")


def _several_axes(name: str, function: Callable[..., Any], default: Any = None) -> Callable[..., Any]:
    def transform(x: Array, s: Any = None, axes: Any = default, norm: str | None = None, overwrite_x: bool = False,
                  workers: int | None = None, *, plan: Any = None) -> Any:  # fmt: skip
        if axes is None and s is not None:
            axes = range(-len(np.atleast_1d(s)), 0)
        return function(x, s, axes, norm)

    return _named(transform, name, "NumPy's transform along several axes")


def _hfftn(x: Any, s: Any, axes: Any, norm: str | None) -> Any:
    return np.fft.irfftn(conj(x), s, axes, swapped(norm))


def _ihfftn(x: Any, s: Any, axes: Any, norm: str | None) -> Any:
    return conj(np.fft.rfftn(x, s, axes, swapped(norm)))


fft, ifft, rfft, irfft, hfft, ihfft = map(_one_axis, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = (
    _several_axes(name, getattr(np.fft, name)) for name in ("fftn", "ifftn", "rfftn", "irfftn")
)
fft2, ifft2, rfft2, irfft2 = (
    _several_axes(f"{name}2", getattr(np.fft, f"{name}n"), (-2, -1)) for name in ("fft", "ifft", "rfft", "irfft")
)
hfftn, ihfftn = _several_axes("hfftn", _hfftn), _several_axes("ihfftn", _ihfftn)
hfft2, ihfft2 = _several_axes("hfft2", _hfftn, (-2, -1)), _several_axes("ihfft2", _ihfftn, (-2, -1))


@counterpart("fft.fftshift")
def fftshift(x: Array, axes: Any = None) -> Any:
    """As ``scipy.fft.fftshift``."""
    return np.fft.fftshift(x, axes)


@counterpart("fft.ifftshift")
def ifftshift(x: Array, axes: Any = None) -> Any:
    """As ``scipy.fft.ifftshift``."""
    return np.fft.ifftshift(x, axes)


# ----------------------------------------------------------------------------------------- cosines and sines
# also of plain arrays: scipy.fft leaves orthogonalize= away where these are complex

dct, dst = counterpart_of_row("fft.dct", dct_row), counterpart_of_row("fft.dst", dst_row)


def _transposed(kind: int) -> int:
    if kind not in TRANSPOSED:
        raise ValueError(f"type={kind!r} of a cosine or sine transform is not one of {', '.join(map(str, TRANSPOSED))}")
    return TRANSPOSED[kind]


def _inverse(name: str, row: Callable[..., Any]) -> Callable[..., Any]:
    def transform(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
                  overwrite_x: bool = False, workers: int | None = None,
                  orthogonalize: bool | None = None) -> Any:  # fmt: skip
        return row(x, _transposed(type), n, axis, swapped(norm), orthogonalize)

    return _named(transform, name, "the transform of the transposed type with the scale of the other direction", True)


def _every_axis(name: str, row: Callable[..., Any], inverse: bool) -> Callable[..., Any]:
    def transform(x: Array, type: int = 2, s: Any = None, axes: Any = None, norm: str | None = None,
                  overwrite_x: bool = False, workers: int | None = None, *,
                  orthogonalize: bool | None = None) -> Any:  # fmt: skip
        kind, scale = (_transposed(type), swapped(norm)) if inverse else (type, norm)
        for length, axis in lengths_and_axes(x, s, axes):
            x = row(x, kind, length, axis, scale, orthogonalize)
        return x

    return _named(transform, name, "the transform along several axes, all by default", True)


idct, idst = _inverse("idct", dct_row), _inverse("idst", dst_row)
dctn, idctn = _every_axis("dctn", dct_row, False), _every_axis("idctn", dct_row, True)
dstn, idstn = _every_axis("dstn", dst_row, False), _every_axis("idstn", dst_row, True)
