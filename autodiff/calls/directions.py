"""Partials column by column: the directions that a function is differentiated along, pushed forward as one batch.

A leaf of n elements has n directions, a complex one 2 n: along 1 and along i of each element.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array, as_like, holds_same, is_foreign, new_like
from dualnumbers.forms import dtype_of, is_unreal, shape, zeros_like
from dualnumbers.levels import Level, read
from dualnumbers.numbers.batch import BatchNumber, batch
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import broadcast_to, concatenate, copied, reshape, stack, transpose
from dualnumbers.table.partials import as_given

from .values import name_of, own, writable, zero

CHUNK = 1 << 24
"""How many elements a batch of values may have: 128 MiB."""

ComplexPartial = Callable[[Any, Any], Any]
"""The partial by a complex number, from the derivatives along 1 and along i."""


class Directions:
    """The directions of some leaves, one leaf after the other; ``len`` is how many there are.

    They go in chunks, as many at once as keep a batch within `CHUNK`: ``elements`` numbers for each direction, by
    default as many as the leaves have.
    """

    def __init__(self, leaves: list[Any], elements: int = 0) -> None:
        self.leaves = leaves
        self.sizes = [prod(shape(x)) for x in leaves]
        counts = [size * (1 + is_unreal(x)) for size, x in zip(self.sizes, leaves, strict=True)]
        self.starts: list[int] = list(accumulate(counts, initial=0))
        self.step = max(1, CHUNK // max(1, elements or sum(self.sizes)))

    def __len__(self) -> int:
        return self.starts[-1]

    def chunks(self) -> list[range]:
        """Return the directions chunk by chunk; of none, one empty chunk."""
        return [range(start, min(start + self.step, len(self))) for start in range(0, len(self), self.step)] or [
            range(0)
        ]

    def seeds(self, chosen: range, level: Level) -> list[Any]:
        """Return the tangent of each leaf along the chosen directions, a batch; None of a leaf without any."""
        return [self._seed(k, chosen, level) for k in range(len(self.leaves))]

    def _seed(self, k: int, chosen: range, level: Level) -> Any:
        x, size, start = self.leaves[k], self.sizes[k], self.starts[k]
        ours = np.arange(max(chosen.start, start), min(chosen.stop, self.starts[k + 1]))
        if not ours.size:
            return None if chosen else zeros_like(x)
        if len(chosen) == 1 and not shape(x) and ours[0] == start:
            return zeros_like(x) + 1
        tangent = np.zeros((len(chosen), size), dtype_of(x))
        turned, place = np.divmod(ours - start, size)
        tangent[ours - chosen.start, place] = np.where(turned, 1j, 1) if is_unreal(x) else 1
        tangent = as_like(tangent.reshape(len(chosen), *shape(x)), x)
        return batch(tangent, level) if len(chosen) > 1 else tangent[0]

    def partials(self, out: Any, tangents: list[Any], rule: ComplexPartial) -> list[Any]:
        """Return the partial of an output by each leaf, of shape ``out.shape + leaf.shape``.

        ``tangents`` are the output's along each chunk of the directions: None where it does not depend on the leaves.
        """
        if len(self) == len(self.leaves) == 1 and tangents[0] is not None and not shape(self.leaves[0]):
            return [as_given(tangents[0], self.leaves[0])]
        depends = len(self) and any(t is not None for t in tangents)
        along = self._joined(shape(out), tangents) if depends else None
        return [self._partial(k, out, along, rule) for k in range(len(self.leaves))]

    def _joined(self, of_shape: tuple[int, ...], tangents: list[Any]) -> Any:
        """Return the derivatives of an output along all directions, in front."""
        parts = []
        for t, chosen in zip(tangents, self.chunks(), strict=True):
            dims = (len(chosen), *of_shape)
            parts.append(t.data if isinstance(t, BatchNumber) else broadcast_to(0.0 if t is None else t, dims))
        return parts[0] if len(parts) == 1 else concatenate(*parts, 0)

    def by_output(self, outs: list[Any], tangents: list[list[Any]], rule: ComplexPartial) -> list[list[Any]]:
        """Return the `partials` of each output; ``tangents`` are those of the outputs for each chunk."""
        return [self.partials(out, [of_chunk[i] for of_chunk in tangents], rule) for i, out in enumerate(outs)]

    def _partial(self, k: int, out: Any, along: Any, rule: ComplexPartial) -> Any:
        x, size, start = self.leaves[k], self.sizes[k], self.starts[k]
        if along is None or not size:
            nothing = zero(out, x)
            return new_like(x, shape(out) + shape(x), np.result_type(nothing)) if shape(x) else as_given(nothing, x)
        ours = getitem(along, slice(start, start + size))
        if is_unreal(x):
            turned = getitem(along, slice(start + size, start + 2 * size))
            ours = stack(*(rule(getitem(ours, i), getitem(turned, i)) for i in range(size)), 0)
        if not shape(x):
            return as_given(writable(getitem(ours, 0)), x)
        columns = transpose(ours, (*range(1, len(shape(ours))), 0))
        return writable(reshape(copied(columns, "C"), shape(out) + shape(x), "C"))


def taken(tangent: Any) -> Any:
    """Return a tangent as the user gets it: `own`. A batch stays as it is: a copy is made with the columns."""
    return tangent if isinstance(tangent, BatchNumber) else own(tangent)


def same_bits(x: Any, y: Any) -> bool:
    """Return whether two arrays of one shape and type hold the same bits."""
    return holds_same(x, y) if is_foreign(type(x)) else bool(x.tobytes() == y.tobytes())


def _same_half(x: Any, y: Any) -> bool:
    """Return whether two values have half of their digits in common."""
    rounding = np.sqrt(np.finfo(np.result_type(x, np.float16)).eps)
    return np.allclose(x, y, 0.0, rounding * np.max(np.abs(y), initial=0.0), equal_nan=True)


def check_same(runs: list[list[Any]], f: Any, otherwise: Exception | None = None) -> None:
    """Raise RuntimeError where the values of several runs at one point are not the same.

    Where eigenvectors or the like were chosen anew in each run, half of the digits must be the same; then the error to
    raise is given, ``otherwise``.
    """
    if len(runs) == 1:
        return  # a recording that is run at other inputs would note a reading of the value
    values = [[as_array(read(x)) for x in run] for run in runs]
    same = _same_half if otherwise else same_bits
    if all(all(map(same, run, values[0])) for run in values[1:]):
        return
    raise otherwise or RuntimeError(
        f"{name_of(f)} gave two values at one point, as it does where it draws random numbers or writes to what it "
        "was given; so its derivatives by so many elements cannot be pushed forward: use reverse mode, or fix what "
        "is drawn"
    )
