"""Systems of linear equations with three diagonals. Source: Giles, *Collected matrix derivative results*, §2.3."""

import numpy as np

from ....forms import shape, zeros_like
from ....table import smooth
from ....table.batching import by_columns
from ....table.kinds import Linear
from ...complexes import conj
from ...from_scipy import scipy_function
from ...indexing import getitem
from ...shaping import concatenate, reshape, stack


def _diagonals(bands, rank):
    """Return the upper, middle and lower diagonal, each to be multiplied by arrays of this rank."""
    upper, middle, lower = (getitem(bands, k) for k in range(3))
    upper, lower = getitem(upper, slice(1, None)), getitem(lower, slice(None, -1))
    return (reshape(d, (-1,) + (1,) * (rank - 1), "C") for d in (upper, middle, lower))


def _times(bands, z):
    """Return the product of the matrix and z, shape ``(n, …)``."""
    upper, middle, lower = _diagonals(bands, len(shape(z)))
    zero = zeros_like(getitem(z, slice(0, 1)))
    return (middle * z + concatenate(upper * getitem(z, slice(1, None)), zero, 0)
            + concatenate(zero, lower * getitem(z, slice(None, -1)), 0))  # fmt: skip


def _transposed(bands):
    upper, middle, lower = (getitem(bands, k) for k in range(3))
    zero = zeros_like(getitem(bands, (0, slice(0, 1))))
    return stack(concatenate(zero, getitem(lower, slice(None, -1)), 0), middle,
                 concatenate(getitem(upper, slice(1, None)), zero, 0), 0)  # fmt: skip


@smooth(
    lambda da, z, bands, b: -tridiagonal(bands, _times(da, z)),
    Linear(lambda g, bands, b: tridiagonal(_transposed(conj(bands)), g)),
    solves=True,
    batched=by_columns,
    core=lambda bands, b: "(d,i),({0})->({0})".format(",".join("ijlmnopq"[: b.ndim])),
)
def tridiagonal(bands, b):
    """``tridiagonal(bands, b)``: the z, shape ``(n, …)`` as ``b``, with A z = b, the diagonals of A as SciPy has them:
    ``bands[0, 1:]`` above, ``bands[1]``, ``bands[2, :-1]`` below.
    """
    flat = b.reshape(b.shape[0], -1)
    z = scipy_function("linalg.solve_banded")((1, 1), bands, flat) if flat.size else flat
    return z.astype(np.result_type(bands, b)).reshape(b.shape)
