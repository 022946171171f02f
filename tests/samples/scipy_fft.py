"""Transforms of ``scipy.fft``."""

import itertools
from collections.abc import Iterator

from .fourier import AXES, LENGTHS, NORMS
from .sample import Sample, entry, of_scipy, values


def _real(name: str) -> bool:
    """Whether a transform takes real arrays only."""
    return name.startswith(("rfft", "ihfft"))


@entry(*(f"scipy.fft.{name}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")))
def _one_axis(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for (shape, n, axis), norm in itertools.product(LENGTHS[1:5], NORMS[:1] + NORMS[2:]):
        yield of_scipy("fft", lambda s, x, n=n, axis=axis, norm=norm: getattr(s, short)(x, n, axis, norm),
                       (values(*shape),), f"{shape}, {n}, {axis}, {norm}", unreal=not _real(short))  # fmt: skip


@entry(*(f"scipy.fft.{name}{rank}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for rank in "n2"))
def _several_axes(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for (shape, s, axes), norm in itertools.product(AXES[:7], (None, "forward")):
        if axes is None and short.endswith("2"):
            continue
        yield of_scipy("fft", lambda f, x, s=s, axes=axes, norm=norm: getattr(f, short)(x, s, axes, norm),
                       (values(*shape),), f"{shape}, {s}, {axes}, {norm}", unreal=not _real(short))  # fmt: skip
    if short.endswith("n"):
        yield of_scipy(
            "fft", lambda f, x: getattr(f, short)(x, s=(3,)), (values(2, 4),), "s alone", unreal=not _real(short)
        )


@entry("scipy.fft.fftshift", "scipy.fft.ifftshift")
def _shifts(name: str) -> Iterator[Sample]:
    for axes in (None, 0, (1,)):
        yield of_scipy(
            "fft", lambda f, x, axes=axes: getattr(f, name.rpartition(".")[2])(x, axes), (values(2, 3),), f"{axes}"
        )


@entry("dct", "dst", "scipy.fft.idct", "scipy.fft.idst")
def _cosines(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    scales = [(None, None), ("ortho", None), ("forward", False), ("ortho", False), ("backward", True)]
    for kind, (norm, orthogonalize), (shape, n, axis) in itertools.product(
        (1, 2, 3, 4), scales, [((5,), 3, 0), ((2, 3), None, 1)]
    ):
        keywords = {"type": kind, "n": n, "axis": axis, "norm": norm, "orthogonalize": orthogonalize}
        yield of_scipy("fft", lambda f, x, keywords=keywords: getattr(f, short)(x, **keywords), (values(*shape),),
                       f"{shape}, {', '.join(map(str, keywords.values()))}", condition=4)  # fmt: skip


@entry("scipy.fft.dctn", "scipy.fft.idctn", "scipy.fft.dstn", "scipy.fft.idstn")
def _several_cosines(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for kind, norm, (shape, s, axes) in itertools.product((1, 2, 3, 4), (None, "ortho"), AXES[2:5]):
        yield of_scipy("fft", lambda f, x, kind=kind, norm=norm, s=s, axes=axes:
                       getattr(f, short)(x, kind, s, axes, norm), (values(*shape),),
                       f"{kind}, {norm}, {shape}, {s}, {axes}", condition=4)  # fmt: skip
