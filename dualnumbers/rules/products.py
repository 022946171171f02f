"""Matrix and tensor products. Each is linear in every operand; an adjoint is a product with the others conjugated."""

import string

import numpy as np

from ..elementary import composition, multilinear
from .complexes import conj
from .indexing import getitem
from .shaping import expand_dims, matrix_transpose, ravel, reshape, shape, transpose

_normalised = np.lib.array_utils.normalize_axis_tuple


def _rank(x):
    return len(shape(x))


def _matrices(g, x, y):
    """z̄, x, y of z = x @ y as (stacks of) matrices: vectors become one row, one column."""
    if _rank(x) == 1:
        g = expand_dims(g, -1 if _rank(y) == 1 else -2)
        x = expand_dims(x, 0)
    if _rank(y) == 1:
        g = expand_dims(g, -1)
        y = expand_dims(y, -1)
    return g, x, y


def _matmul_left(g, x, y):
    row = _rank(x) == 1
    g, _, y = _matrices(g, x, y)
    adjoint = matmul(g, matrix_transpose(conj(y)))
    return getitem(adjoint, (..., 0, slice(None))) if row else adjoint


def _matmul_right(g, x, y):
    column = _rank(y) == 1
    g, x, _ = _matrices(g, x, y)
    adjoint = matmul(matrix_transpose(conj(x)), g)
    return getitem(adjoint, (..., 0)) if column else adjoint


matmul = multilinear(np.matmul, lambda x1, x2: (x1, x2), _matmul_left, _matmul_right)


@composition(np.dot)
def dot(a, b):
    """Matrix product of at most two axes each; a product with a number; else the last axis against the last but one."""
    if not _rank(a) or not _rank(b):
        return a * b
    if _rank(a) <= 2 and _rank(b) <= 2:
        return matmul(a, b)
    return tensordot(a, b, (-1, max(_rank(b) - 2, 0)))


@composition(np.outer)
def outer(a, b):
    """All products of an element of ``a`` with one of ``b``, shape ``(a.size, b.size)``."""
    return expand_dims(ravel(a), 1) * expand_dims(ravel(b), 0)


@composition(np.tensordot)
def tensordot(a, b, axes=2):
    """Sum of products over paired axes; the other axes of ``a``, then those of ``b``, remain."""
    if np.ndim(axes) == 0:
        axes = (range(_rank(a) - axes, _rank(a)), range(axes))
    axes_a, axes_b = axes
    axes_a, axes_b = _normalised(axes_a, _rank(a)), _normalised(axes_b, _rank(b))
    if [shape(a)[i] for i in axes_a] != [shape(b)[i] for i in axes_b]:
        raise ValueError(f"tensordot: axes {axes_a} of shape {shape(a)} do not match axes {axes_b} of {shape(b)}")
    kept_a = [i for i in range(_rank(a)) if i not in axes_a]
    kept_b = [i for i in range(_rank(b)) if i not in axes_b]
    count = int(np.prod([shape(a)[i] for i in axes_a]))
    shape_a, shape_b = tuple(shape(a)[i] for i in kept_a), tuple(shape(b)[i] for i in kept_b)
    left = reshape(transpose(a, (*kept_a, *axes_a)), (int(np.prod(shape_a)), count), "C")
    right = reshape(transpose(b, (*axes_b, *kept_b)), (count, int(np.prod(shape_b))), "C")
    return reshape(matmul(left, right), (*shape_a, *shape_b), "C")


# ---------------------------------------------------------------------------------------------- einsum


def _explicit(subscripts, ranks):
    """Einstein subscripts with the ellipsis spelt out and the output given: a list of inputs, an output."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} names {len(terms)} operands, {len(ranks)} were given")
    free = [c for c in string.ascii_letters if c not in subscripts]
    widths = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    dots = "".join(free[: max(widths)])
    terms = [t.replace("...", dots[len(dots) - w :]) if "..." in t else t for t, w in zip(terms, widths, strict=True)]
    if arrow:
        return terms, output.replace("...", dots)
    labels = "".join(t for t in inputs.replace("...", "").replace(",", ""))
    return terms, dots + "".join(sorted(c for c in set(labels) if labels.count(c) == 1))


def _einsum_signature(subscripts, *operands, optimize=False):
    if not isinstance(subscripts, str):
        raise TypeError("einsum of traced arrays takes its subscripts as a string, such as 'ij,jk->ik'")
    terms, output = _explicit(subscripts, [len(shape(x)) for x in operands])
    return *operands, f"{','.join(terms)}->{output}", optimize


def _einsum_adjoint(g, place, *arguments):
    """z̄ times the other operands, summed to this operand's labels.

    A label that only this operand has was summed: its adjoint is equal along it. A label that the operand has twice
    (a diagonal) gets the identity matrix between its two places.
    """
    *operands, subscripts, optimize = arguments
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    free = (c for c in string.ascii_letters if c not in subscripts)
    factors = [(output, g)] + [(t, conj(x)) for i, (t, x) in enumerate(zip(terms, operands, strict=True)) if i != place]
    known = set("".join(term for term, _ in factors))
    target = ""
    for label, length in zip(terms[place], shape(operands[place]), strict=True):
        if label in target:
            twin = next(free)
            factors.append((label + twin, np.eye(length)))
            label = twin
        elif label not in known:
            factors.append((label, np.ones(length)))
        target += label
    return einsum(*(x for _, x in factors), f"{','.join(t for t, _ in factors)}->{target}", optimize)


def _einsum(*arguments):
    *operands, subscripts, optimize = arguments
    return np.einsum(subscripts, *operands, optimize=optimize)


einsum = multilinear(np.einsum, _einsum_signature, _einsum_adjoint, arity=-1, statics=2, evaluate=_einsum)
