"""Matrix and tensor products. Each is linear in every operand; an adjoint is a product with the others conjugated."""

import math

import numpy as np

from ...foreign import is_foreign, is_sparse, one_of
from ...forms import shape
from ...memory import written_out
from ...messages.errors import user_line
from ...table import composition, multilinear, smooth
from ...table.batching import aligned, first_unit, flat, with_ones
from ...table.kinds import Smooth
from ..complexes import adjoint, conj
from ..elementwise.arithmetic import as_numpy
from ..indexing import getitem
from ..shaping import array, arrays, expand_dims, in_order, is_nested, matrix_transpose, reshape, stack, transpose

_normalised = np.lib.array_utils.normalize_axis_tuple


def _rank(x):
    return x.ndim if type(x) is np.ndarray else len(shape(x))


def _matmul_left(g, x, y):
    """x̄ = z̄ yᴴ of z = x y, also where a vector is a row x or a column y."""
    if type(g) is np.ndarray and type(y) is np.ndarray and g.ndim > 1 and y.ndim == 2 and y.dtype.kind == "f":
        return g @ y.T  # most products
    if _rank(y) == 1:
        return (expand_dims(g, -1) if _rank(x) > 1 else g) * conj(y)
    if _rank(x) == 1:
        return matvec(conj(y), g)
    return matmul(g, adjoint(y))


def _matmul_right(g, x, y):
    """ȳ = xᴴ z̄ of z = x y."""
    if type(g) is np.ndarray and type(x) is np.ndarray and g.ndim == x.ndim == 2 and x.dtype.kind == "f":
        return x.T @ g
    if _rank(x) > 1:
        return matmul(adjoint(x), g) if _rank(y) > 1 else matvec(adjoint(x), g)
    if _rank(y) > 1:
        return expand_dims(conj(x), -1) * expand_dims(g, -2)
    return conj(x) * g


def _ranks(xs, members):
    return tuple(_rank(x) - of_members for x, of_members in zip(xs, members, strict=True))


def _matmul_of_all(apply, xs, members):
    """Multiply by one product of matrices where only one operand is of members, else by a stack of products."""
    x, y = xs
    if members == (False, True) and type(x) is np.ndarray is type(y) and y.ndim == 2 and 1 <= x.ndim <= 2:
        first = first_unit(x, y)
        return np.matmul(y, x.T) if first is None else x.T[first : first + len(y)].copy()
    ranks = _ranks(xs, members)
    if members == (True, False) and ranks[1] <= 2 and ranks[0]:
        rows = reshape(x, (math.prod(shape(x)[:-1]), shape(x)[-1]), "C") if ranks[0] > 1 else x
        return reshape(apply(rows, y), shape(x)[:-1] + shape(y)[1:], "C")
    if members == (False, True) and ranks[0] <= 2 and ranks[1] == 1:
        return apply(y, transpose(x, None))
    as_row, as_column = (rank == 1 for rank in ranks)
    both = aligned((expand_dims(x, -2) if as_row else x, expand_dims(y, -1) if as_column else y), members, (2, 2))
    if both is None:
        return None
    return getitem(apply(*both), (..., *([0] if as_row else [slice(None)]), *([0] if as_column else [slice(None)])))


matmul = multilinear(_matmul_left, _matmul_right, of=np.matmul, batched=_matmul_of_all)(np.matmul)


def _affine_of_all(apply, xs, members):
    """Multiply all members as `matmul` does, and add."""
    x, w, b = xs
    z = _matmul_of_all(matmul, (x, w), members[:2]) if any(members[:2]) else matmul(x, w)
    if z is None:
        return None
    rank = _rank(z) - any(members[:2])
    if members[2]:
        return z + with_ones(b, rank - _rank(b) + 1) if rank >= _rank(b) - 1 else None
    return z + b if rank >= _rank(b) else None


# x w + b as one row: one array less to hold at every layer of a network, a tenth of the time of a step
@smooth(
    Smooth(lambda t, z, x, w, b: matmul(t, w), lambda g, z, x, w, b: _matmul_left(g, x, w)),
    Smooth(lambda t, z, x, w, b: matmul(x, t), lambda g, z, x, w, b: _matmul_right(g, x, w)),
    Smooth(lambda t, z, x, w, b: t, lambda g, z, x, w, b: g),
    batched=_affine_of_all,
)
def affine(x, w, b):
    z = np.matmul(x, w)
    fits = type(b) is np.ndarray and b.dtype is z.dtype and b.shape == z.shape[z.ndim - b.ndim :]  # as nearly always
    if not fits and (
        not z.ndim or np.broadcast_shapes(z.shape, np.shape(b)) != z.shape or np.result_type(z, b) != z.dtype
    ):
        return z + b
    z += b
    return z


# ------------------------------------------------------------------------------- products of the last axes or others


def moved(x, axes, to_end=True):
    """Return the axes moved to the end, in that order; or from there to these places."""
    rank = _rank(x)
    axes = _normalised(axes, rank)
    order = (*(i for i in range(rank) if i not in axes), *axes)
    if order == tuple(range(rank)):
        return x
    return transpose(x, order if to_end else tuple(np.argsort(order).tolist()))


def _along(function, summed):
    """Make a generalized ufunc of two operands: ``function`` of their last axes, with the keywords that choose others.

    ``summed``: nothing but the axes it works on is left out, so that ``axis`` and ``keepdims`` have a meaning.
    """

    def product(x1, x2, /, axes=None, axis=None, keepdims=False):
        if axes is None and axis is None and not keepdims:
            nested = is_nested(type(x1)) or is_nested(type(x2))
            return function(*arrays((x1, x2))) if nested else function(x1, x2)
        if (axis is not None or keepdims) and not summed:
            raise TypeError(f"np.{function.__name__} has no axis= and no keepdims=; axes= chooses the axes")
        if axes is None:
            axes = [axis, axis, axis] if axis is not None else [-1, -1, -1] if keepdims else None
        x1, x2 = arrays((x1, x2))
        *of, onto = [(i,) if isinstance(i, (int, np.integer)) else tuple(i) for i in (*axes, ())[:3]]
        z = function(moved(x1, of[0]), moved(x2, of[1]))
        if keepdims:
            z = expand_dims(z, -1)
        return moved(z, onto, to_end=False) if onto and (keepdims or not summed) else z

    return product


for _function in (np.matmul, np.linalg.matmul):
    composition(_function)(_along(matmul, summed=False))


def vecdot(x1, x2):
    """Σ conj(x) y along the last axis."""
    if _rank(x1) == _rank(x2) == 1:
        return matmul(conj(x1), x2)
    return getitem(matmul(conj(expand_dims(x1, -2)), expand_dims(x2, -1)), (..., 0, 0))


def matvec(x1, x2):
    """Matrix times vector."""
    if _rank(x2) == 1:
        return matmul(x1, written_out(x2))
    return getitem(matmul(x1, expand_dims(x2, -1)), (..., 0))


def vecmat(x1, x2):
    """Conjugated vector times matrix."""
    return getitem(matmul(conj(expand_dims(x1, -2)), x2), (..., 0, slice(None)))


composition(np.vecdot, np.linalg.vecdot)(_along(vecdot, summed=True))
if hasattr(np, "matvec"):  # from NumPy 2.2 on
    composition(np.matvec)(_along(matvec, summed=False))
    composition(np.vecmat)(_along(vecmat, summed=False))


# ------------------------------------------------------------------------------------------- of vectors and tensors


# a row, not a product of vectors, for its value to the last bit: NumPy does not copy what it can look at in one axis
def _vdot_of_all(apply, xs, members):
    a, b = (flat(x) if of_members else reshape(x, -1, "C") for x, of_members in zip(xs, members, strict=True))
    return vecdot(a, b)


_vdot = multilinear(
    lambda g, a, b: conj(g) * reshape(b, shape(a), "C"),
    lambda g, a, b: g * reshape(a, shape(b), "C"),
    batched=_vdot_of_all,
)(np.vdot)


@composition(np.vdot)
def vdot(a, b, /):
    """Σ conj(a) b over all elements."""
    return _vdot(*arrays((a, b)))


def _against(g, x, first, axes):
    """z̄ times x conjugated, summed over the axes of z̄ from ``first`` on and those of x that they are."""
    return tensordot(g, conj(x), (range(first, first + len(axes)), axes))


def _inner_of_all(apply, xs, members):
    """Multiply as `matmul` does, by the transpose of a matrix."""
    a, b = xs
    rank = _rank(b) - members[1]
    if max(_ranks(xs, members)) > 2:
        return None
    return _matmul_of_all(matmul, (a, matrix_transpose(b) if rank == 2 else b), members)


# a row, not a tensordot, for its value to the last bit
_inner = multilinear(
    lambda g, a, b: _against(g, b, _rank(a) - 1, range(_rank(b) - 1)),
    lambda g, a, b: _against(g, a, 0, range(_rank(a) - 1)),
    batched=_inner_of_all, name="inner",
)(lambda a, b: np.tensordot(a, b, (-1, -1)) if is_foreign(type(one_of((a, b)))) else np.inner(a, b))  # fmt: skip


@composition(np.inner)
def inner(a, b, /):
    """Sum of products over the last axis of both; a product with a number."""
    a, b = arrays((a, b))
    return _inner(a, b) if _rank(a) and _rank(b) else as_numpy(a) * as_numpy(b)


@composition(np.kron)
def kron(a, b):
    """Every element of ``a`` times the whole of ``b``, as blocks."""
    rank = max(_rank(a), _rank(b))
    shapes = [(1,) * (rank - _rank(x)) + shape(x) for x in (a, b)]
    a, b = (reshape(x, of, "C") for x, of in zip((a, b), shapes, strict=True))
    blocks = expand_dims(a, (*range(1, 2 * rank, 2),)) * expand_dims(b, (*range(0, 2 * rank, 2),))
    return reshape(blocks, tuple(m * n for m, n in zip(*shapes, strict=True)), "C")


@composition(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of 3 components; of 2, the third is 0, and of two such only the third remains."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = moved(array(a), axisa), moved(array(b), axisb)
    lengths = shape(a)[-1], shape(b)[-1]
    if not {2, 3}.issuperset(lengths):
        raise ValueError(f"incompatible dimensions for cross product: {lengths}, where each must be 2 or 3")
    a, b = ([getitem(x, (..., i)) for i in range(n)] + [0.0] * (3 - n) for x, n in zip((a, b), lengths, strict=True))
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return parts[2] if lengths == (2, 2) else moved(stack(*parts, -1), axisc, to_end=False)


@composition(np.linalg.cross)
def cross_of_three(x1, x2, /, *, axis=-1):
    """The cross product of vectors of 3 components."""
    if shape(x1)[axis] != 3 or shape(x2)[axis] != 3:
        raise ValueError(f"np.linalg.cross takes vectors of 3 components, not of {shape(x1)[axis]}, {shape(x2)[axis]}")
    return cross(x1, x2, axis=axis)


@composition(np.linalg.outer)
def outer_of_vectors(x1, x2, /):
    """All products of an element of one vector with one of the other."""
    if _rank(x1) != 1 or _rank(x2) != 1:
        raise ValueError(f"np.linalg.outer takes vectors, not arrays of shapes {shape(x1)}, {shape(x2)}; use np.outer")
    return outer(x1, x2)


@composition(np.linalg.tensordot)
def tensordot_of_linalg(x1, x2, /, *, axes=2):
    """Sum of products over paired axes."""
    return tensordot(x1, x2, axes)


def _dot_left(g, a, b):
    if _rank(a) <= 2 and _rank(b) <= 2:
        return _matmul_left(g, a, b)
    kept = [i for i in range(_rank(b)) if i != max(_rank(b) - 2, 0)]
    return _against(g, b, _rank(a) - 1, kept)


def _dot_right(g, a, b):
    if _rank(a) <= 2 and _rank(b) <= 2:
        return _matmul_right(g, a, b)
    adjoint = _against(g, a, 0, range(_rank(a) - 1))
    return matrix_transpose(adjoint) if _rank(b) > 1 else adjoint


def _dot_of_all(apply, xs, members):
    """Multiply as `matmul` does, where the two are the same."""
    return _matmul_of_all(matmul, xs, members) if max(_ranks(xs, members)) <= 2 else None


# not matmul, for its value to the last bit
_dot = multilinear(_dot_left, _dot_right, batched=_dot_of_all)(np.dot)


@composition(np.dot)
def dot(a, b):
    """Matrix product of at most two axes each; a product with a number; else the last axis against the last but one."""
    a, b = arrays((a, b))
    if is_sparse(type(a)) or is_sparse(type(b)):
        raise TypeError(f"NumPy takes a sparse matrix for a single object: write A @ x or x @ A{user_line()}")
    if not _rank(a) or not _rank(b):
        return in_order(as_numpy(a) * as_numpy(b), "C")
    return _dot(a, b)


@composition(np.outer)
def outer(a, b):
    """All products of an element of ``a`` with one of ``b``, shape ``(a.size, b.size)``."""
    return reshape(a, (-1, 1), "C") * reshape(b, (1, -1), "C")


@composition(np.tensordot)
def tensordot(a, b, axes=2):
    """Sum of products over paired axes; the other axes of ``a``, then those of ``b``, remain."""
    if np.ndim(axes) == 0:
        axes = (range(_rank(a) - axes, _rank(a)), range(axes))
    axes_a, axes_b = (_normalised(of, _rank(x)) for of, x in zip(axes, (a, b), strict=True))
    if [shape(a)[i] for i in axes_a] != [shape(b)[i] for i in axes_b]:
        raise ValueError(f"tensordot: axes {axes_a} of shape {shape(a)} do not match axes {axes_b} of {shape(b)}")
    kept_a = [i for i in range(_rank(a)) if i not in axes_a]
    kept_b = [i for i in range(_rank(b)) if i not in axes_b]
    count = int(np.prod([shape(a)[i] for i in axes_a]))
    shape_a, shape_b = tuple(shape(a)[i] for i in kept_a), tuple(shape(b)[i] for i in kept_b)
    left = reshape(transpose(a, (*kept_a, *axes_a)), (int(np.prod(shape_a)), count), "C")
    right = reshape(transpose(b, (*axes_b, *kept_b)), (count, int(np.prod(shape_b))), "C")
    return reshape(dot(left, right), (*shape_a, *shape_b), "C")
