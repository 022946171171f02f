"""How linear systems, inverses and Cholesky factors become instructions: calls of LAPACK in place of what is copied."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..instructions.areas import DTYPES, KINDS, Area
from ..instructions.instruction import Operand
from ..machine import blas
from .products import viewed
from .steps import Here, Rule

LARGEST = 1 << 12
"""Up to how many rows a matrix has of which a system is solved."""


def _by_columns(here: Here, x: Operand, shape: tuple[int, ...]) -> Area:
    """Copy matrices to a new space, in which columns come one after the other."""
    space = here.block.space((*shape[:-2], shape[-1], shape[-2]), DTYPES[here.kind])
    return here.block.copy(x, viewed(space, lambda a: a.swapaxes(-1, -2)))


def _solved(here: Here, form: str, a: Operand, b: Operand, of: tuple[int, ...]) -> Area | None:
    """Solve for right sides, matrices of a shape."""
    of_a = np.shape(here.values[0])
    if len(of_a) != len(of) or of_a[:-2] != of[:-2] or of_a[-1] > LARGEST or not here.block.takes_systems(here.kind):
        return None
    if form == "solve" or isinstance(a, float) or a.kind != here.kind or not _is_taken(a):
        a = _by_columns(here, a, of_a)
    x = _by_columns(here, b, of)
    shape = (*of[:-1], *of[-2:])
    left = viewed(a, lambda a: np.broadcast_to(a[..., None], shape))
    right = viewed(x, lambda a: np.broadcast_to(a[..., None, :, :], shape))
    here.block.add(form, (left, right), right, here.kind, raises=True)
    return x


def _is_taken(a: Area) -> bool:
    """Return whether BLAS takes a matrix as it is."""
    down, along = (s // a.picture.itemsize for s in a.picture.strides[-2:])
    return blas.as_columns((a.shape[-2], a.shape[-1]), (down, along)) is not None


def _solve(here: Here, a: Operand, b: Operand) -> Operand | None:
    return _solve_by(here, "solve", a, b)


def _solve_by(here: Here, form: str, a: Operand, b: Operand) -> Operand | None:
    """Solve for one vector, or for the columns of matrices."""
    of = np.shape(here.values[1])
    if len(of) > 1:
        return _solved(here, form, a, b, of)
    b = b if isinstance(b, float) else viewed(b, lambda a: a[:, None])
    found = _solved(here, form, a, b, (*of, 1))
    return None if found is None else viewed(found, lambda a: a[:, 0])


def _solve_triangular(here: Here, a: Operand, b: Operand) -> Operand | None:
    trans, lower, unit = here.step.static
    if unit or isinstance(a, float) or len(a.shape) > 2:
        return None
    turned = viewed(a, lambda a: a.T) if trans else a
    return _solve_by(here, "solve_lower" if bool(lower) != bool(trans) else "solve_upper", turned, b)


def _inverse(form: str) -> Rule:
    def rule(here: Here, a: Operand) -> Operand | None:
        unit = np.broadcast_to(np.eye(here.shape[-1]), here.shape)
        return _solved(here, form, a, here.block.table(np.ascontiguousarray(unit)), here.shape)

    return rule


def _cholesky(here: Here, a: Operand) -> Operand | None:
    """Factor, and leave the other triangle 0."""
    if isinstance(a, float) or here.shape[-1] > LARGEST or not here.block.takes_systems(here.kind):
        return None
    (upper,) = here.step.static
    turned = viewed(a, lambda a: a.swapaxes(-1, -2)) if upper else a
    found = _by_columns(here, turned, here.shape)
    here.block.add("cholesky", (found,), found, here.kind, raises=True)
    inside = here.block.table(np.tri(here.shape[-1], dtype=bool))
    factor = here.block.add("where", (inside, found, 0.0), here.new(), here.kind)
    return viewed(factor, lambda a: a.swapaxes(-1, -2)) if upper else factor


def _diagonal(here: Here, a: Operand) -> Area | None:
    """Return the diagonal of a triangle that has the same determinant."""
    of, block = np.shape(here.values[0]), here.block
    kind = KINDS.get(np.result_type(here.values[0]).char, "")
    if len(of) != 2 or of[-1] > LARGEST or not block.takes_systems(kind):
        return None
    space = block.space(of, DTYPES[kind])
    triangle = block.copy(a, viewed(space, lambda a: a.T))
    block.add("eliminated", (triangle,), triangle, kind, raises=True)
    return viewed(triangle, np.diagonal)


def _determinant(here: Here, a: Operand) -> Area | None:
    """Multiply the elements of that diagonal."""
    diagonal = _diagonal(here, a)
    if diagonal is None:
        return None
    total = here.block.fill(1.0, here.block.space((), DTYPES[here.kind]))
    along = viewed(total, lambda a: np.broadcast_to(a, diagonal.shape))
    here.block.add("same", (diagonal,), along, here.kind, fold="multiply")
    return total


def _adjugate(here: Here, a: Operand) -> Operand | None:
    """Return det(A) A⁻¹."""
    determinant = _determinant(here, a)
    inverse = None if determinant is None else _inverse("solve")(here, a)
    if determinant is None or inverse is None:
        return None
    return here.block.add("multiply", (determinant, inverse), here.new(), here.kind)


def _logarithm_of_determinant(here: Here, a: Operand) -> tuple[Operand, Operand] | None:
    """Return the sign of a determinant, and the logarithm of its size."""
    diagonal, block = _diagonal(here, a), here.block
    if diagonal is None:
        return None
    of, kind = diagonal.shape, diagonal.kind
    logarithm, below = (block.fill(0.0, block.space((), DTYPES[kind])) for _ in range(2))
    sizes = block.add("absolute", (diagonal,), block.space(of, DTYPES[kind]), kind)
    logarithms = block.add("log", (sizes,), block.space(of, DTYPES[kind]), kind)
    block.add("same", (logarithms,), viewed(logarithm, lambda a: np.broadcast_to(a, of)), kind, fold="add")
    are_below = block.add("less", (diagonal, 0.0), block.space(of, DTYPES["b1"]), kind)
    block.add("same", (are_below,), viewed(below, lambda a: np.broadcast_to(a, of)), kind, fold="add")
    odd = block.add("fmod", (below, 2.0), block.space((), DTYPES[kind]), kind)
    doubled = block.add("multiply", (odd, 2.0), block.space((), DTYPES[kind]), kind)
    return block.add("subtract", (1.0, doubled), block.space((), DTYPES[kind]), kind), logarithm


SOLVING: dict[str, Rule] = {
    "solve": _solve,
    "solve_triangular": _solve_triangular,
    "inv": _inverse("solve"),
    "inverse_or_nan": _inverse("solve"),
    "inverse_of_upper": _inverse("solve_upper"),
    "cholesky": _cholesky,
    "det": _determinant,
    "adjugate": _adjugate,
}
"""Systems and factors → how they become instructions."""

SEVERAL: dict[str, Callable[..., tuple[Operand, ...] | None]] = {"slogdet": _logarithm_of_determinant}
"""Rows of several results → how they become instructions, and where the results are."""
