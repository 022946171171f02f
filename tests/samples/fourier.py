"""Discrete Fourier transforms."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values

NORMS = (None, "backward", "ortho", "forward")
LENGTHS = [((4,), None, -1), ((5,), None, 0), ((5,), 8, -1), ((5,), 3, -1), ((4,), 6, 0), ((6,), 4, -1), ((3,), 1, 0),
           ((2, 3), None, -1), ((2, 3), 3, 0), ((3, 2, 2), 4, 1), ((2, 1), 2, -1), ((0, 3), 2, 1)]  # fmt: skip


@entry("fft", "ifft", "rfft", "irfft", "np.fft.hfft", "np.fft.ihfft")
def _one_axis(name: str) -> Iterator[Sample]:
    short = name.removeprefix("np.fft.")
    function, unreal = getattr(np.fft, short), short not in ("rfft", "ihfft")
    cases = [(*case, None) for case in LENGTHS]
    cases += [((m,), n, -1, norm) for m, n, norm in itertools.product((4, 5), (4, 5), NORMS[1:])]
    for shape, n, axis, norm in cases:
        if n is None and short in ("irfft", "hfft") and shape[axis] == 1:
            continue
        yield Sample(lambda x, n=n, axis=axis, norm=norm: function(x, n=n, axis=axis, norm=norm), (values(*shape),),
                     f"{shape}, n={n}, axis={axis}, norm={norm}", unreal=unreal)  # fmt: skip
    yield Sample(lambda x: function(x.T), (values(4, 2),), "a transposed array", unreal=unreal)


@entry("fftshift", "ifftshift")
def _shifts(name: str) -> Iterator[Sample]:
    function = getattr(np.fft, name)
    for shape, axes in [((4,), None), ((5,), 0), ((2, 3), None), ((2, 3), 1), ((3, 3), (0, -1)), ((0,), None)]:
        yield Sample(lambda x, axes=axes: function(x, axes=axes), (values(*shape),), f"{shape}, {axes}")


AXES = [((2, 3), None, None), ((3, 4), None, (0,)), ((3, 4), None, (1, 0)), ((2, 3, 2), None, (0, 2)),
        ((2, 3), (3, 2), (0, 1)), ((4, 3), (2, 5), (-1, 0)), ((2, 3), (-1, 4), (0, 1)), ((3, 3), None, (0, 0)),
        ((3, 2), (4, 2), (0, 0))]  # fmt: skip


@entry(*(f"np.fft.{kind}{rank}" for kind in ("fft", "ifft", "rfft", "irfft") for rank in "n2"))
def _several_axes(name: str) -> Iterator[Sample]:
    short = name.removeprefix("np.fft.")
    function, unreal = getattr(np.fft, short), not short.startswith("rfft")
    for shape, s, axes in AXES:
        keywords = {} if axes is None else {"axes": axes}
        yield Sample(lambda x, s=s, keywords=keywords: function(x, s=s, **keywords), (values(*shape),),
                     f"{shape}, s={s}, {keywords}", unreal=unreal)  # fmt: skip
    for norm in NORMS[1:]:
        yield Sample(lambda x, norm=norm: function(x, s=(4, 3), axes=(0, 1), norm=norm), (values(3, 4),),
                     f"norm={norm}", unreal=unreal)  # fmt: skip
