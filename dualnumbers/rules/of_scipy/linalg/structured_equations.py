"""Linear equations whose matrix is stored by its diagonals: banded, Toeplitz, circulant. Right sides are matrices."""

import numpy as np

from ....forms import shape, zeros_like
from ....table import smooth
from ....table.batching import by_columns
from ....table.kinds import Linear
from ...complexes import conj, real
from ...from_scipy import scipy_function
from ...indexing import getitem, scatter
from ...linalg.products import matmul
from ...shaping import concatenate, expand_dims

# ---------------------------------------------------------------------------------------------------------- banded


def places(below, above, n):
    """Row and column in band storage, ab[above + i − j, j] = A[i, j], and i, of every element of a banded matrix."""
    row, column = np.indices((below + above + 1, n)).reshape(2, -1)
    i = row + column - above
    inside = (i >= 0) & (i < n)
    return row[inside], column[inside], i[inside]


def _banded_product(ab, x, below, above):
    """A X."""
    row, column, i = places(below, above, shape(ab)[-1])
    products = expand_dims(getitem(ab, (..., row, column)), -1) * getitem(x, (..., column, slice(None)))
    return scatter(products, (*shape(products)[:-2], *shape(x)[-2:]), (..., i, slice(None)))


def banded_adjoint(ab, below, above):
    """Aᴴ, with ``above`` diagonals below the main one."""
    row, column, i = places(below, above, shape(ab)[-1])
    return scatter(conj(getitem(ab, (..., row, column))), shape(ab), (..., below + column - i, i))


@smooth(
    lambda dab, z, ab, b, below, above: -solve_banded(ab, _banded_product(dab, z, below, above), below, above),
    Linear(lambda g, ab, b, below, above: solve_banded(banded_adjoint(ab, below, above), g, above, below)),
    solves=True,
    batched=by_columns,
    core="(d,i),(i,j)->(i,j)",
)
def solve_banded(ab, b, below, above):
    return scipy_function("linalg.solve_banded")((below, above), ab, b, check_finite=False)


def _both_sides(ab, lower):
    """Return a Hermitian matrix stored by one side of its diagonals, with both: the diagonal counts as real."""
    above, n = shape(ab)[-2] - 1, shape(ab)[-1]
    row, column, i = places(above, 0, n) if lower else places(0, above, n)
    given, off = getitem(ab, (..., row, column)), i != column
    full = (*shape(ab)[:-2], 2 * above + 1, n)
    main = scatter(real(getitem(ab, (..., 0 if lower else above, slice(None)))), full, (..., above, slice(None)))
    given, i, j = getitem(given, (..., off)), i[off], column[off]
    return main + scatter(given, full, (..., above + i - j, j)) + scatter(conj(given), full, (..., above + j - i, i))


def _hermitian_push(dab, z, ab, b, lower):
    above = shape(ab)[-2] - 1
    return -solveh_banded(ab, _banded_product(_both_sides(dab, lower), z, above, above), lower)


@smooth(_hermitian_push, Linear(lambda g, ab, b, lower: solveh_banded(ab, g, lower)), solves=True, batched=by_columns,
        core="(d,i),(i,j)->(i,j)")  # fmt: skip
def solveh_banded(ab, b, lower):
    return scipy_function("linalg.solveh_banded")(ab, b, lower=lower, check_finite=False)


# ------------------------------------------------------------------------------------------- Toeplitz and circulant


def toeplitz(c, r):
    """Return the matrix T[i, j] = c[i − j] on and below the diagonal, r[j − i] above it; r[0] is not read."""
    rows, columns = shape(c)[-1], shape(r)[-1]
    values = concatenate(getitem(r, (..., slice(None, 0, -1))), c, -1)
    return getitem(values, (..., columns - 1 + np.subtract.outer(np.arange(rows), np.arange(columns))))


def circulant(c):
    """Return the matrix C[i, j] = c[i − j], indices modulo n."""
    n = shape(c)[-1]
    return getitem(c, (..., np.subtract.outer(np.arange(n), np.arange(n)) % n))


def _toeplitz_push(dc, dr, z, c, r):
    return -solve_toeplitz(c, r, matmul(toeplitz(dc, dr), z))


def _toeplitz_adjoint(g, c, r, b):
    """The first column of Tᴴ is the conjugate of T's first row, whose first element is c[0]."""
    head = getitem(c, (..., slice(0, 1)))
    return solve_toeplitz(conj(concatenate(head, getitem(r, (..., slice(1, None))), -1)), conj(c), g)


@smooth(
    lambda dc, z, c, r, b: _toeplitz_push(dc, zeros_like(r), z, c, r),
    lambda dr, z, c, r, b: _toeplitz_push(zeros_like(c), dr, z, c, r),
    Linear(_toeplitz_adjoint),
    solves=True,
    batched=by_columns,
    core="(i),(i),(i,j)->(i,j)",
)
def solve_toeplitz(c, r, b):
    return scipy_function("linalg.solve_toeplitz")((c, r), b, check_finite=False)


def _circulant_push(dc, z, c, b):
    return -solve_circulant(c, getitem(matmul(circulant(dc), expand_dims(z, -1)), (..., 0)))


def _circulant_adjoint(g, c, b):
    n = shape(c)[-1]
    return solve_circulant(conj(getitem(c, (..., -np.arange(n) % n))), g)


@smooth(_circulant_push, Linear(_circulant_adjoint), solves=True, core="(i),(i)->(i)")
def solve_circulant(c, b):
    """Right sides are vectors along the last axis."""
    return scipy_function("linalg.solve_circulant")(c, b, baxis=-1, outaxis=-1)
