"""Gaussian elimination without exchange of rows, A = L U; who exchanges rows does so before, which is locally constant.

Source: S. F. Walter & L. Lehmann, *Algorithmic differentiation of linear algebra functions*, 2010, §3.
"""

import numpy as np

from ....foreign import as_like
from ....forms import dtype_of, shape
from ....table import smooth
from ...linalg.products import matmul
from ...linalg.systems import solve
from ...shaping import matrix_transpose
from .matrix_equations import band, solve_triangular, triangle


def _push(da, z, a):
    """With M = L⁻¹ dA U⁻¹: dL = L · (M below the diagonal), dU = (M on and above it) · U."""
    upper = triangle(z, False, False)
    half = solve_triangular(z, da, 0, True, True)
    m = matrix_transpose(solve(matrix_transpose(upper), matrix_transpose(half)))
    lower = triangle(z, True, True) + as_like(np.eye(shape(z)[-1], dtype=dtype_of(z)), z)
    return matmul(lower, band(m, None, -1)) + matmul(band(m, 0, None), upper)


@smooth(_push, core="(i,i)->(i,i)")
def eliminated(a):
    """L below the diagonal, whose own is of ones, and U, in one square matrix."""
    z = np.array(a)
    for k in range(z.shape[-1] - 1):
        z[..., k + 1 :, k] /= z[..., k, k, None]
        z[..., k + 1 :, k + 1 :] -= z[..., k + 1 :, k, None] * z[..., k, None, k + 1 :]
    return z
