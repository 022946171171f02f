"""A sparse Jacobian of a recording: what many columns or rows have together goes through its tape at once."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from itertools import accumulate
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, is_unreal, shape, size
from dualnumbers.levels import Level, has_nan, is_noted, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchNumber, batch
from dualnumbers.rules.linalg.undetermined import Unadapted

from ..calls.directions import ONE_RUN, largest
from ..calls.given import described
from ..calls.structures import flatten
from ..calls.values import output_leaf
from ..linearization import Recording
from ..second_look.rounding import differ, size_of_terms
from ..second_look.strong_tangents import strong_tangents
from ..seeding import joined
from .pattern import pattern_of
from .sparsity import Compression, Sparsity

RANDOM = np.random.default_rng(1974)
"""Where the directions are drawn along which a given pattern is checked."""


class Recorded:
    """A recording with its outputs taken apart: each a line of the tape, or a constant."""

    def __init__(self, recording: Recording, f: Callable[..., Any]) -> None:
        """Take the outputs apart; TypeError where one is no number or array, or an argument is none of real ones."""
        self.recording, self.tape = recording, recording.tape
        outs, self.rebuild = flatten(joined(recording.out, f))
        self.outs = [output_leaf(leaf, f) for leaf in outs]
        self.lines = [leaf.line if recording.holds(leaf) else None for leaf in self.outs]
        self.values = [recording.value(leaf) for leaf in self.outs]
        self.heights, self.widths = list(map(size, self.values)), list(map(size, recording.leaves))
        for x in (*recording.leaves, *self.values):
            if is_number(type(x)) and (is_number(type(x.primal)) or not is_noted(x)):
                raise TypeError(
                    "a sparse array of SciPy holds plain numbers, and inside another differentiation a "
                    f"derivative is none: leave sparse= out there{user_line()}"
                )
        for x in recording.leaves:
            if is_unreal(x):
                raise TypeError(
                    "a sparse derivative is one by real numbers; the argument is "
                    f"{described(x)}: give its real and imaginary parts{user_line()}"
                )

    def matrix(
        self, sparsity: Sparsity, compression: Compression, is_checked: bool = False, chunk_size: int | None = None
    ) -> Any:
        """Return the derivative as a CSR array of the outputs by the inputs, one after the other.

        With ``is_checked`` its product with a random vector is compared with one that was pushed, or pulled, through
        the tape; ValueError where they differ: then the pattern is another one.
        """
        pattern, count = sparsity.pattern, compression.directions
        width = pattern.shape[0 if compression.is_reverse else 1]
        along = RANDOM.uniform(0.5, 1.5, (1, width)) if is_checked else np.zeros((0, width))
        found = self._found(compression, along, chunk_size)
        matrix = copy(pattern)  # SciPy's constructor looks at every index, a tenth of the time of all
        data = np.take(found[:count], compression.places) + 0.0  # as `unsigned_zeros`
        matrix.data = data.astype(np.float32) if data.dtype == np.float16 else data  # SciPy has none of float16
        matrix.indices, matrix.indptr = pattern.indices.copy(), pattern.indptr.copy()
        if is_checked:
            terms = lambda: self._size_of_terms(along[0], compression.is_reverse)
            _check(matrix.T if compression.is_reverse else matrix, along[0], found[count], terms)
            self._check_infinite(pattern, ~np.isfinite(found[count]), compression.is_reverse)
        return matrix

    def _size_of_terms(self, along: Any, is_reverse: bool) -> Any:
        """Return the size of the terms of each element of the product with a vector."""
        of = self.values if is_reverse else self.recording.leaves
        ends = np.cumsum([0, *map(size, of)])
        seeds = [
            along[start:end].reshape(shape(x)).astype(dtype_of(x))
            for x, start, end in zip(of, ends, ends[1:], strict=False)
        ]
        return np.concatenate([np.broadcast_to(np.ravel(terms), count) for terms, count in zip(
            size_of_terms(self._pulled if is_reverse else self._pushed, seeds),
            self.widths if is_reverse else self.heights, strict=True)])  # fmt: skip

    def _check_infinite(self, pattern: Any, infinite: Any, is_reverse: bool) -> None:
        """Raise ValueError where rows, or columns, whose derivative is not finite may have elements outside a pattern.

        A product does not tell there: it is ∞ or NaN for any elements.
        """
        if not np.any(infinite):
            return
        rows, columns = pattern_of(self.tape, self.lines, self.heights).pattern.nonzero()
        concerned = infinite[columns if is_reverse else rows]
        if not np.all(pattern.astype(bool)[rows[concerned], columns[concerned]]):
            raise ValueError(
                "where a derivative is infinite or NaN a given pattern must have all elements that f may "
                f"have, and it lacks some: write sparse=True, which finds them{user_line()}"
            )

    def cut(self, matrix: Any) -> list[Any]:
        """Return the derivatives by each argument, in the structures of outputs and arguments."""
        if len(self.heights) == len(self.widths) == 1:
            return self.recording.call.jacobians([[matrix]], self.rebuild)
        rows, columns = (np.cumsum([0, *sizes]) for sizes in (self.heights, self.widths))
        blocks = [
            [matrix[rows[i] : rows[i + 1], columns[k] : columns[k + 1]] for k in range(len(self.widths))]
            for i in range(len(self.heights))
        ]
        return self.recording.call.jacobians(blocks, self.rebuild)

    # ---------------------------------------------------------------------------------- pushed and pulled

    def _found(self, compression: Compression, more: Any, chunk_size: int | None) -> Any:
        """Return one row for each colour and for each vector in ``more``: a tangent of all outputs, or an adjoint.

        They go in one batch, as far as memory allows, or ``chunk_size`` at a time; one by one where a rule needs to
        know the direction, or in a sweep the zeros of each are to be told apart.
        """
        total = compression.directions + len(more)
        step = chunk_size or max(1, ONE_RUN // max(1, largest(self.tape.values)))
        try:
            found = self._by_chunks(compression, more, total, step)
        except Unadapted:
            return self._by_chunks(compression, more, total, 1)
        return self._by_chunks(compression, more, total, 1) if compression.is_reverse and has_nan(found) else found

    def _by_chunks(self, compression: Compression, more: Any, total: int, step: int) -> Any:
        is_reverse = compression.is_reverse
        of, sizes = (self.values, self.heights) if is_reverse else (self.recording.leaves, self.widths)
        onto = self.widths if is_reverse else self.heights
        ends, chunks = [0, *accumulate(sizes)], []
        for start in range(0, total, step):
            part, level, seeds = range(start, min(start + step, total)), Level(), []
            for x, first, last in zip(of, ends, ends[1:], strict=False):
                seed = compression.seeds(first, last, part, dtype_of(x))
                if len(more):
                    behind, seed = max(compression.directions - start, 0), seed.copy()
                    seed[behind:] = more[max(start - compression.directions, 0) :, first:last][: len(part) - behind]
                seed = seed.reshape(len(part), *shape(x))
                seeds.append(batch(seed, level) if len(part) > 1 else seed[0])
            pushed = self._pulled(seeds) if is_reverse else self._pushed(seeds)
            chunks.append(_joined([_members(x, len(part), level) for x in pushed], 1))
        return _joined(chunks, 0) if chunks else np.zeros((0, sum(onto)))

    def _pushed(self, seeds: list[Any]) -> list[Any]:
        """Return the tangents of the outputs."""
        wanted = [line for line in self.lines if line is not None]
        found = strong_tangents(
            self.tape, dict(zip(self.tape.inputs, seeds, strict=True)), range(max(wanted, default=-1) + 1), wanted
        )
        return [
            np.zeros(shape(x)) if line is None else found.get(line, np.zeros(shape(x)))
            for line, x in zip(self.lines, self.values, strict=True)
        ]

    def _pulled(self, seeds: list[Any]) -> list[Any]:
        """Return the rows' products with the seeds: adjoints, of complex outputs J̄ᵀ·1 + i J̄ᵀ·i."""
        rows = self.recording.pull(self.outs, seeds)
        if not any(map(is_unreal, self.values)):
            return rows
        turned = [seed * 1j if is_unreal(x) else None for seed, x in zip(seeds, self.values, strict=True)]
        return [x + 1j * y for x, y in zip(rows, self.recording.pull(self.outs, turned), strict=True)]


def _members(x: Any, count: int, level: Level) -> Any:
    """Return a batch as a matrix, one row for each of its members; of a value that is none, as often as is asked."""
    if isinstance(x, BatchNumber) and x.level is level:
        return x.data.reshape(count, -1)
    return np.broadcast_to(np.ravel(x), (count, np.size(x)))


def _joined(pieces: list[Any], axis: int) -> Any:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis)


def _check(matrix: Any, along: Any, found: Any, terms: Callable[[], Any]) -> None:
    """Raise ValueError where a product of a matrix is not the one that was found without its pattern."""
    with np.errstate(all="ignore"):
        product, scale = matrix @ along, abs(matrix) @ np.abs(along)
    wrong = differ(product, found, scale, terms) & np.isfinite(found)
    if np.any(wrong):
        raise ValueError(
            f"the derivative has elements outside its given pattern, in row {np.argmax(wrong)} of it or "
            "of its transpose: write sparse=True, which finds it where f is another program"
            f"{user_line()}"
        )
