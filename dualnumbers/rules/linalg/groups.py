"""Eigenvectors of Hermitian matrices of which eigenvalues are equal: of a group of them only the space is determined.

A function that depends on no basis of these spaces, such as a projector on one or Σ g(λᵢ) vᵢ vᵢᴴ, is smooth. Its
adjoint within a group is what (Vᴴ V̄)ᵢⱼ / (λⱼ − λᵢ), a 0 / 0, tends to, and does not follow from V̄: that may be the same
of functions of which g′ is not. A sweep that comes here finds it by `autodiff.second_look.within`, which has the whole
function.

Forward mode knows nothing of it. There the tangents of such vectors are NaN, but for directions that keep them; a
derivative that is NaN raises what the levels of its numbers note.
"""

import numpy as np

from ...foreign import as_like
from ...forms import dtype_of, shape
from ...levels import is_number, read
from ...table import TABLE, smooth
from ...table.kinds import Smooth
from ..complexes import adjoint
from ..shaping import expand_dims
from ..where import where
from . import spectra
from .diagonals import matrix_diagonal
from .factors import inverse_gaps, product, without_rounding
from .products import matmul
from .undetermined import Undetermined

FIRST = (
    "vectors of eigenvalues or singular values that are equal up to rounding are not determined: "
    "use eigvalsh, svdvals, expm, or in reverse mode a projector on all"
)
SECOND = "second derivatives of vectors of equal eigenvalues: write hessian or hvp of what depends on no basis of them"
"""What is wrong with a derivative that reaches into such vectors."""


def same(w):
    """Return which plain ascending eigenvalues belong to one group, of neighbours equal up to rounding."""
    steps = without_rounding(w[..., 1:] - w[..., :-1], w) != 0
    group = np.concatenate([np.zeros((*w.shape[:-1], 1), int), np.cumsum(steps, -1)], -1)
    return group[..., None, :] == group[..., :, None]


def _known(a, triangle, basis):
    """Return the mask of the groups and the reciprocal gaps."""
    w = basis.of(read(a), triangle)[0]
    near = same(w)
    return near, inverse_gaps(w, near)


def _push(da, z, a, triangle, basis):
    """V (T / gaps), T = Vᴴ dA V; within groups NaN, where the vectors turn at a rate that is not known or jump."""
    if is_number(type(a)):
        return matmul(z, da) * np.nan
    near, inverse = _known(a, triangle, basis)
    t = product(adjoint(z), da, z)
    others, own = t * inverse, as_like(np.eye(near.shape[-1], dtype=bool), near)
    second = abs(matmul(t, others))  # it turns them as fast as the diagonal of T parts their eigenvalues
    size = _largest(abs(t))
    coupled = np.any(where(own, 0.0, abs(t)) > size, axis=-1)
    parted = abs(expand_dims(matrix_diagonal(t), -1) - expand_dims(matrix_diagonal(t), -2)) > size
    turned = (abs(t) > size) | (second > _largest(matmul(abs(t), abs(others)))) | ~parted
    both = expand_dims(coupled, -1) & expand_dims(coupled, -2) & near & ~own
    return matmul(z, others + where(both & turned, np.nan, 0.0))


def _largest(x):
    """Return what is rounding of the elements of a matrix, from the largest of these."""
    unit = 64 * shape(x)[-1] * np.finfo(dtype_of(x)).eps
    return unit * np.max(x, axis=(-2, -1), keepdims=True)


def _pull(g, z, a, triangle, basis):
    """Raise `Undetermined`: it is not known here what the function is."""
    raise Undetermined(basis, SECOND if is_number(type(a)) else FIRST)


def skew(v, g):
    """(Vᴴ V̄ − V̄ᴴ V) / 2."""
    m = matmul(adjoint(v), g)
    return 0.5 * (m - adjoint(m))


@smooth(Smooth(_push, _pull), name="_eigenvectors", shown="eigenvectors")
def vectors(a, triangle, basis):
    return np.array(basis.by_lapack(a, triangle)[1])


del TABLE["_eigenvectors"]  # the loops have no points where eigenvalues repeat; tests/rules/test_groups.py has


def eigh(a, triangle, basis):
    """Eigenvalues and vectors of a Hermitian matrix that is a number, and of which eigenvalues repeat."""
    w = basis.by_lapack(read(a), triangle)[0]
    own = spectra.eigvalsh(a, triangle, basis)
    x = a
    while is_number(type(x)):
        x.level.undetermined = FIRST
        x = x.primal
    return w + (own - read(own)), vectors(a, triangle, basis)
