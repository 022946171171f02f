"""Partials by columns and by rows: the directions that are pushed forward as a batch, or swept back as one.

A leaf of n elements has n directions, a complex one 2 n: along 1 and along i of each element. The tangents of an output
along the directions of the inputs are its columns; the adjoints of an input for those of the outputs are its rows. They
come chunk by chunk, and are written into the Jacobian as they come: so it takes its own memory and that of one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array, as_like, holds_same, is_foreign, new_like
from dualnumbers.forms import dtype_of, is_unreal, shape, size, type_of, zeros_like
from dualnumbers.levels import Level, level_of, read
from dualnumbers.memory import unsigned_zeros
from dualnumbers.messages.errors import user_line
from dualnumbers.number_types import number_type
from dualnumbers.numbers.batch import batch
from dualnumbers.numbers.weighted import DOUBLE
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import broadcast_to, concatenate, copied, reshape, stack, transpose
from dualnumbers.several import parts
from dualnumbers.table.partials import as_given

from .values import check_holomorphic, own, writable, zero

CHUNK = 5 << 14
"""How many elements a batch of values may have by default: 0.65 MB, which stays in a processor's own memory."""

ONE_RUN = 1 << 19
"""How many elements a batch may have that all values of a run are: several of them are there at a time."""

FEW = 64
"""How many elements an array has at most that is differentiated in a short way."""

ComplexPartial = Callable[[Any, Any], Any]
"""The partial by a complex number, from the derivatives along 1 and along i."""


def holomorphic(along_one: Any, along_i: Any) -> Any:
    """Return the derivative by a complex number; ValueError where the function is not holomorphic there."""
    check_holomorphic(along_i, along_one)
    return along_one


class Directions:
    """The directions of some leaves, one leaf after the other; ``len`` is how many there are.

    They go in chunks of ``chunk_size``, by default as many at once as keep a batch of the largest value, of so many
    ``elements``, within `CHUNK`, in ``one_run`` within `ONE_RUN`. Raises TypeError or ValueError for a size that is
    none.

    Numbers of other types (`dualnumbers.number_types`), among the leaves or on the ``other_side`` of the function, are
    in no array: then the directions go one by one. Raises TypeError where there are arrays beside them.
    """

    def __init__(self, leaves: list[Any], chunk_size: int | None = None, elements: int = 0, one_run: bool = False,
                 other_side: Sequence[Any] = ()) -> None:  # fmt: skip
        self.leaves, self.level = leaves, Level()
        self.one_by_one = any(number_type(type_of(x)) is not None for x in (*leaves, *other_side))
        if self.one_by_one and any(map(shape, (*leaves, *other_side))):
            raise TypeError("arrays and numbers of another type, such as Fractions, are differentiated together: take "
                            f"the derivative by each alone{user_line()}")  # fmt: skip
        self.sizes = [prod(shape(x)) for x in leaves]
        counts = [size * (1 + is_unreal(x)) for size, x in zip(self.sizes, leaves, strict=True)]
        self.starts: list[int] = list(accumulate(counts, initial=0))
        chunk_size = 1 if self.one_by_one else checked(chunk_size)
        room = ONE_RUN if one_run else CHUNK
        self.step = chunk_size or max(1, room // max(1, elements, *self.sizes))

    def __len__(self) -> int:
        return self.starts[-1]

    def chunks(self) -> list[range]:
        """Return the directions chunk by chunk; of none, one empty chunk."""
        return [range(start, min(start + self.step, len(self))) for start in range(0, len(self), self.step)] or [
            range(0)
        ]

    def seeds(self, chosen: range) -> list[Any]:
        """Return the tangent of each leaf along the chosen directions, a batch; None of a leaf without any."""
        return [self._seed(k, chosen) for k in range(len(self.leaves))]

    def _seed(self, k: int, chosen: range) -> Any:
        x, size, start, ours = self.leaves[k], self.sizes[k], self.starts[k], self.overlap(k, chosen)
        if not ours:
            return None if chosen else zeros_like(x)
        if len(chosen) == 1 and not shape(x) and ours.start == start:
            return zeros_like(x) + 1
        tangent = np.zeros((len(chosen), size), dtype_of(x))
        row, place = ours.start - chosen.start, ours.start - start
        straight = min(len(ours), max(size - place, 0))
        tangent.reshape(-1)[row * size + place :: size + 1][:straight] = 1
        if straight < len(ours):  # of a complex leaf, along i
            turned = np.arange(straight, len(ours))
            tangent[row + turned, place + turned - size] = 1j
        tangent = as_like(tangent.reshape(len(chosen), *shape(x)), x)
        return batch(tangent, self.level) if len(chosen) > 1 else tangent[0]

    def along(self, chosen: range, t: Any, of_shape: tuple[int, ...]) -> Any:
        """Return what belongs to the chosen directions, which are in front, of a value that may be a batch of them."""
        return t.data if level_of(t) is self.level else broadcast_to(t, (len(chosen), *of_shape))

    def overlap(self, k: int, chosen: range) -> range:
        """Return those of the chosen directions that are of a leaf."""
        return range(max(chosen.start, self.starts[k]), min(chosen.stop, self.starts[k + 1]))


def is_small(leaves: Sequence[Any], few: int = FEW) -> bool:
    """Return whether the leaves are one array of some numbers of double precision, whose directions go in one run."""
    x = leaves[0] if len(leaves) == 1 else None
    return type(x) is np.ndarray and x.dtype is DOUBLE and 0 < x.size <= few and x.size**2 <= ONE_RUN


def go_at_once(leaves: Sequence[Any], elements: int) -> bool:
    """Return whether the leaves are small, and all directions one chunk beside a value of so many elements."""
    return is_small(leaves) and leaves[0].size * elements <= CHUNK


def checked(chunk_size: int | None, what: str = "directions") -> int | None:
    """Return a chunk size, None for the default; raise where it is no positive whole number."""
    if chunk_size is None:
        return None
    if isinstance(chunk_size, bool) or not isinstance(chunk_size, (int, np.integer)):
        raise TypeError(f"chunk_size is a number of {what}, 1 or more; got {chunk_size!r}{user_line()}")
    if chunk_size < 1:
        raise ValueError(f"chunk_size is a number of {what}, 1 or more; got {chunk_size}{user_line()}")
    return int(chunk_size)


class _Filled:
    """An array that is filled along one axis, part by part, and is 0 where nothing came.

    Numbers, and what is of another library, cannot be written into it: they are joined at the end.
    """

    def __init__(self, count: int, dims: tuple[int, ...], axis: int) -> None:
        self.count, self.dims, self.axis = count, dims, axis
        self.whole: Any = None
        self.pieces: list[tuple[range, Any]] = []

    def fill(self, places: range, piece: Any) -> None:
        """Write what belongs to some places, which are in front of it."""
        if type(piece) is not np.ndarray or self.pieces:
            self.pieces.append((places, piece))
            return
        if self.whole is None:
            if len(places) == self.count:
                self.whole = unsigned_zeros(piece.transpose(*range(1, piece.ndim), 0) if self.axis else piece)
                return
            self.whole = np.zeros((*self.dims, self.count) if self.axis else (self.count, *self.dims), piece.dtype)
        elif self.whole.dtype != piece.dtype:
            self.whole = self.whole.astype(np.result_type(self.whole, piece))
        whole = np.moveaxis(self.whole, -1, 0) if self.axis else self.whole
        unsigned_zeros(piece, whole[places.start : places.stop])

    def value(self) -> Any:
        """Return all of it; None where nothing came."""
        if not self.pieces:
            return self.whole
        like, end, joined = self.pieces[0][1], 0, []
        for places, piece in self._every():
            if places.start > end:
                joined.append(new_like(like, (places.start - end, *self.dims), dtype_of(like)))
            joined.append(piece)
            end = places.stop
        if end < self.count:
            joined.append(new_like(like, (self.count - end, *self.dims), dtype_of(like)))
        whole = (joined[0] if len(joined) == 1 else concatenate(*joined, 0)) + 0.0  # as `unsigned_zeros`
        if not self.axis:
            return whole
        return copied(transpose(whole, (*range(1, len(self.dims) + 1), 0)), "C")

    def _every(self) -> list[tuple[range, Any]]:
        """Return the pieces, with what was filled before the first number came."""
        if self.whole is None:
            return self.pieces
        before = range(self.pieces[0][0].start)
        first = np.moveaxis(self.whole, -1, 0) if self.axis else self.whole
        return [(before, first[: before.stop]), *self.pieces]


class Columns:
    """The partials of one output by all leaves of some directions."""

    def __init__(self, directions: Directions, out: Any) -> None:
        self.directions, self.out = directions, out
        self.found = [_Filled(end - start, shape(out), 1)
                      for start, end in zip(directions.starts, directions.starts[1:], strict=False)]  # fmt: skip
        self.of_numbers: dict[int, Any] = {}
        """The derivative by each leaf that is a number, where there are no columns."""

    def fill(self, chosen: range, tangent: Any) -> None:
        """Take the output's tangent along the chosen directions, None where it does not depend on the leaves."""
        if tangent is None or not chosen:
            return
        directions = self.directions
        alone = len(directions) == len(directions.leaves) == 1 and not shape(directions.leaves[0])
        if alone or directions.one_by_one:
            self.of_numbers[chosen.start] = unsigned_zeros(tangent) if type(tangent) is np.ndarray else own(tangent)
            return
        columns = directions.along(chosen, tangent, shape(self.out))
        for k, (filled, start) in enumerate(zip(self.found, directions.starts, strict=False)):
            ours = directions.overlap(k, chosen)
            if ours:
                part = slice(ours.start - chosen.start, ours.stop - chosen.start)
                piece = columns if len(ours) == len(chosen) else getitem(columns, part)
                filled.fill(range(ours.start - start, ours.stop - start), piece)

    def partials(self, rule: ComplexPartial) -> list[Any]:
        """Return the partial by each leaf, of shape ``out.shape + leaf.shape``."""
        return [as_given(self.of_numbers[k], x) if k in self.of_numbers else self._partial(x, filled.value(), rule)
                for k, (x, filled) in enumerate(zip(self.directions.leaves, self.found, strict=True))]  # fmt: skip

    def _partial(self, x: Any, columns: Any, rule: ComplexPartial) -> Any:
        count, dims = prod(shape(x)), shape(self.out)
        if columns is None or not count:
            nothing = zero(self.out, x)
            return new_like(x, dims + shape(x), np.result_type(nothing)) if shape(x) else as_given(nothing, x)
        if is_unreal(x):
            one, turned = (getitem(columns, (..., part)) for part in (slice(0, count), slice(count, None)))
            of_each = [rule(getitem(one, (..., i)), getitem(turned, (..., i))) for i in range(count)]
            columns = stack(*of_each, -1)
        if not shape(x):
            return as_given(writable(getitem(columns, (..., 0))), x)
        return writable(reshape(columns, dims + shape(x), "C"))


class Rows:
    """The partials of all outputs by one leaf: adjoints of it for the directions of the outputs."""

    def __init__(self, directions: Directions, x: Any) -> None:
        self.directions, self.x, self.found = directions, x, _Filled(len(directions), shape(x), 0)
        self.of_numbers: dict[int, Any] = {}

    def fill(self, chosen: range, adjoint: Any) -> None:
        """Take the leaf's adjoint for the chosen directions of the outputs, None where no path leads."""
        if adjoint is not None and self.directions.one_by_one:
            self.of_numbers[chosen.start] = own(adjoint)
        elif adjoint is not None and chosen:
            self.found.fill(chosen, self.directions.along(chosen, adjoint, shape(self.x)))

    def partials(self) -> list[Any]:
        """Return the partial of each output, of shape ``out.shape + leaf.shape``."""
        if self.directions.one_by_one:
            return [as_given(self.of_numbers.get(k, zeros_like(self.x)), self.x) for k in range(len(self.directions))]
        rows, starts = self.found.value(), self.directions.starts
        outs = zip(self.directions.leaves, starts, self.directions.sizes, strict=False)
        return [self._partial(out, rows, start, count, len(starts) == 2) for out, start, count in outs]

    def _partial(self, out: Any, rows: Any, start: int, count: int, alone: bool) -> Any:
        x, dims = self.x, shape(out) + shape(self.x)
        if rows is None:
            return new_like(x, dims, dtype_of(x)) if dims else zeros_like(x)
        ours = rows if alone and not is_unreal(out) else getitem(rows, slice(start, start + count))
        turned = getitem(rows, slice(start + count, start + 2 * count)) if is_unreal(out) else None
        found = reshape(_row(ours, turned, x), dims, "C")
        if not dims:
            return as_given(own(getitem(found, ())), x)
        return writable(found) if alone else own(found)


def _row(adjoint: Any, turned: Any, x: Any) -> Any:
    """Combine rows of the Jacobian from the adjoints of 1 and, of a complex output, of i: J̄ᵀ·1 and J̄ᵀ·i."""
    if not is_unreal(x):
        return adjoint if turned is None else adjoint + 1j * turned
    check_holomorphic(adjoint * 0 if turned is None else turned, adjoint)
    return conj(adjoint) + 0.0  # of −0 i, too


def seeds_by_line(inputs: Iterable[int], given: list[Any]) -> dict[int, Any]:
    """Return the tangents of the inputs by their lines, of those that have one."""
    return {line: t for line, t in zip(inputs, given, strict=True) if t is not None}


def largest(values: Iterable[Any]) -> int:
    """Return how many elements the largest of some values has, some of which may be of several results."""
    most = 1
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            most = max(most, value.size)
        elif kind is not float and kind is not np.float64:
            most = max(most, *(size(x) for x in parts(value)))
    return most


def total_size(leaves: list[Any]) -> int:
    """Return how many elements some values have together, some of which may be of several results."""
    return sum(size(x) for leaf in leaves for x in parts(leaf))


def same_bits(x: Any, y: Any) -> bool:
    """Return whether two arrays of one shape and type hold the same bits."""
    return holds_same(x, y) if is_foreign(type(x)) else bool(x.tobytes() == y.tobytes())


def same_half(x: Any, y: Any) -> bool:
    """Return whether two values have half of their digits in common."""
    rounding = np.sqrt(np.finfo(np.result_type(x, np.float16)).eps)
    return np.allclose(x, y, 0.0, rounding * np.max(np.abs(y), initial=0.0), equal_nan=True)


def check_same(runs: list[list[Any]], otherwise: Exception | None) -> None:
    """Raise an error where the values of several runs at one point have not half of their digits in common.

    Eigenvectors or the like may be chosen anew in each run.
    """
    if len(runs) == 1:
        return  # a recording that is run at other inputs would note a reading of the value
    values = [[as_array(read(x)) for x in run] for run in runs]
    if otherwise is not None and not all(all(map(same_half, run, values[0])) for run in values[1:]):
        raise otherwise
