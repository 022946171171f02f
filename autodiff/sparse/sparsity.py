"""`Sparsity`: which elements of a Jacobian may be other than 0, and how it is found by few directions.

>>> import numpy as np
>>> from autodiff import jacobian, sparsity
>>> f = lambda x: x[1:] * x[:-1]
>>> found = sparsity(f, np.ones(1000))
>>> print(found)
999 × 1000, 1998 elements (0.2 %), by 2 tangents
>>> jacobian(f, sparse=found)(np.arange(1000.0)).toarray()[:2, :3]
array([[1., 0., 0.],
       [0., 2., 1.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from . import colouring

BACKWARD = 2
"""A sweep backward costs about as much as so many tangents."""

SMALL, MOST_SEEDS = 1 << 18, 16
"""The bytes of seeds, and the number of such, that are kept for the next evaluation."""

MODES = ("auto", "forward", "reverse")
"""How a Jacobian may be found."""


@dataclass(frozen=True, eq=False)
class Compression:
    """The elements of a sparse matrix as places in a dense one of fewer rows: one for each colour."""

    colours: Any
    """A colour for each column, or for each row where it is found by adjoints."""
    directions: int
    """How many colours there are."""
    places: Any
    """For each element of the CSR array its place in the matrix of the tangents or adjoints."""
    is_reverse: bool = False
    kept: dict[Any, Any] = field(default_factory=dict)
    """Seeds that were asked for before, of not more than `SMALL` bytes."""

    def seeds(self, start: int, stop: int, part: range, dtype: Any) -> Any:
        """Return the seeds of the columns or rows from ``start`` to ``stop``, of the colours in ``part``.

        Nobody writes to them.
        """
        name = start, stop, part, dtype
        if name in self.kept:
            return self.kept[name]
        seeds = (self.colours[start:stop] == np.arange(part.start, part.stop)[:, None]).astype(dtype)
        seeds.flags.writeable = False
        if seeds.nbytes <= SMALL and len(self.kept) < MOST_SEEDS:
            self.kept[name] = seeds
        return seeds


class Sparsity:
    """Which elements of a Jacobian or Hessian may be other than 0.

    ``pattern`` is a SciPy sparse array of shape ``(m, n)``: of all elements of the output by all of the differentiated
    arguments, each in the order C, one after the other. Elements that it holds count, also those that are 0. `sparsity`
    finds it; one that is known otherwise, as that of a grid, can be given; a matrix counts where it is not 0. ``dense``
    is what `sparsity` reports of rows that it took for dense. Raises ValueError where the pattern has no two axes.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from autodiff import jacobian
    >>> bands = Sparsity(scipy.sparse.diags_array([1.0, 1.0], offsets=[0, 1], shape=(3, 4)))
    >>> jacobian(lambda x: x[1:] * x[:-1], sparse=bands)(np.arange(4.0)).toarray()
    array([[1., 0., 0., 0.],
           [0., 2., 1., 0.],
           [0., 0., 3., 2.]])
    """

    def __init__(self, pattern: Any, dense: Sequence[str] = ()) -> None:
        from scipy.sparse import csr_array, issparse

        if not (issparse(pattern) or (isinstance(pattern, np.ndarray) and pattern.ndim == 2)) or pattern.ndim != 2:
            raise ValueError(
                "the pattern of a Jacobian is a sparse array of SciPy or a matrix of shape (m, n), not "
                f"{type(pattern).__name__}{user_line()}"
            )
        found = csr_array(pattern, copy=True)
        found.data = np.ones(len(found.data), bool)
        found.sum_duplicates()
        found.sort_indices()
        self.pattern = found
        """The pattern, a ``csr_array`` of truth values."""
        self.dense = tuple(dense)
        """What was taken for dense, since its rule could not be asked, a text for each: row, shapes of its operands and
        line of code, as "inv of (9, 9) at model.py:12: np.linalg.inv(A)".
        """

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of outputs and of inputs, ``(m, n)``."""
        return self.pattern.shape  # type: ignore[no-any-return]

    @property
    def colours(self) -> Any:
        """A colour for each column; for each row where ``mode`` is "reverse". Those of one colour share no place."""
        return self._cheaper.colours

    @property
    def mode(self) -> str:
        """How it is found by fewer directions: "forward", by tangents, or "reverse", by adjoints."""
        return "reverse" if self._cheaper.is_reverse else "forward"

    def compression(self, mode: str = "auto") -> Compression:
        """Return how a Jacobian is found in a mode, or by ``"auto"`` in the cheaper one; ValueError for another."""
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(map(repr, MODES))}; got {mode!r}{user_line()}")
        return self._cheaper if mode == "auto" else self._by_columns if mode == "forward" else self._by_rows

    @property
    def rows(self) -> Any:
        """The row of each element."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.pattern.indptr))

    @cached_property
    def _by_columns(self) -> Compression:
        colours = colouring.columns(self.pattern)
        return Compression(colours, _count(colours), colours[self.pattern.indices] * self.shape[0] + self.rows)

    @cached_property
    def _by_rows(self) -> Compression:
        colours = colouring.columns(self.pattern.T)
        places = colours[self.rows] * self.shape[1] + self.pattern.indices
        return Compression(colours, _count(colours), places, True)

    @cached_property
    def _cheaper(self) -> Compression:
        fewest = np.max(np.bincount(self.pattern.indices, minlength=1), initial=0)
        forward = self._by_columns
        worth = fewest * BACKWARD < forward.directions and self._by_rows.directions * BACKWARD < forward.directions
        return self._by_rows if worth else forward

    @cached_property
    def symmetrised(self) -> Sparsity:
        """The pattern and its transpose together, that of a Hessian; ValueError where it is not square."""
        if self.shape[0] != self.shape[1]:
            raise ValueError(
                f"a Hessian is square, and so is its pattern; this one has shape {self.shape}: give that "
                f"of the gradient, sparsity(grad(f), x){user_line()}"
            )
        return Sparsity(self.pattern + self.pattern.T, self.dense)

    @cached_property
    def by_star(self) -> Compression:
        """The compression of a symmetric matrix of this pattern: each element or its mirror image is alone."""
        n, rows, columns = self.shape[0], self.rows, self.pattern.indices
        colours = colouring.star(self.pattern)
        alone = colouring.direct(self.pattern, colours)
        keys = rows * n + columns
        mirrored = alone[np.searchsorted(keys, columns * n + rows)]
        own = alone & (~mirrored | (columns <= rows))  # both of a pair are read off at one place, and so are equal
        row, column = np.where(own, rows, columns), np.where(own, columns, rows)
        return Compression(colours, _count(colours), colours[column] * n + row)

    def __repr__(self) -> str:
        return f"<Sparsity: {self}>"

    def __str__(self) -> str:
        (m, n), compression = self.shape, self._cheaper
        share = np.format_float_positional(100 * self.pattern.nnz / max(m * n, 1), 2, fractional=False, trim="-")
        word = "adjoint" if compression.is_reverse else "tangent"
        text = (
            f"{m} × {n}, {self.pattern.nnz} elements ({share} %), by {compression.directions} "
            f"{word}{'s' if compression.directions != 1 else ''}"
        )
        return "\n".join([text, *(f"dense: {line}" for line in self.dense)])


def _count(colours: Any) -> int:
    return int(np.max(colours, initial=-1)) + 1
