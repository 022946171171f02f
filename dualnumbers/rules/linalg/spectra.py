"""Derivatives of eigenvalues of Hermitian matrices, also where they repeat: of functions that are symmetric in them.

A symmetric function of repeated eigenvalues is smooth, though they are not. Along one direction dA the eigenvalues are
smooth as well, if the eigenvectors of those that repeat are chosen so that Vᴴ dA V is diagonal among them (Rellich
1937; T. Kato, *Perturbation theory for linear operators*, 1995, §II.6; A. S. Lewis & H. S. Sendov, *Twice
differentiable spectral functions*, 2001). So a second derivative is right in a basis that is chosen for one of its two
directions, and a `Basis` holds which one that is. Where several directions ask for different ones at a time,
`Unadapted` is raised, and forward mode takes one direction after the other.

The derivatives of a single eigenvalue among equal ones do not exist, those of first order excepted along one direction.

`singular_values` are such eigenvalues, ±, of a matrix of twice the size, and have a kink where they are 0.
"""

from threading import local

import numpy as np

from ...foreign import same_values
from ...levels import decided, is_number, read
from ...table import smooth
from ...table.kinds import Linear, Smooth
from ..complexes import adjoint, real
from ..reductions import sum
from ..shaping import expand_dims, matrix_transpose
from ..where import where
from . import lapack
from .couplings import couples, differ, elements, is_repeated, not_even, reaches, values_of
from .factors import inverse_gaps, product, repeated, together, without_rounding
from .undetermined import Kinked, Unadapted, one_by_one


class _Choice(local):
    """The eigenvectors as the sweeps of one thread choose them, at first as the recording did."""

    def __init__(self, recorded):
        self.recorded, (self.state, self.vectors, self.moving) = recorded, recorded

    def __reduce__(self):
        return _Choice, (self.recorded,)


class Basis:
    """The eigenvalues and eigenvectors of one plain matrix, as all derivatives of one call take them.

    ``state`` is how those of repeated eigenvalues are chosen: by LAPACK, for the direction of a tangent, for one that a
    second derivative rests on, or for that of the adjoint which is being swept. Each thread sweeps with its own choice.

    Of singular values: how many ``rows`` their matrix has; whether the call is ``nested`` in two differentiations, and
    then of the eigenvalues ± those at the ``kink`` 0, and of these those that are ``odd``: the function has a slope by
    them.
    """

    __slots__ = ("choice", "kink", "known", "nested", "odd", "recorded", "rows")
    FREE, ADAPTED, FIXED, SWEPT = range(4)

    def __init__(self, nested=False, rows=None):
        self.known = None, None, None
        self.recorded = [Basis.FREE, None, None]
        self.choice = _Choice(self.recorded)
        self.nested, self.kink, self.odd, self.rows = nested, None, None, rows

    def __repr__(self):
        return "eigenvectors"

    state = property(lambda self: self.choice.state)

    def choose(self, state, vectors=None, moving=None):
        """Take these vectors, by default those taken before, for what ``state`` says; note the moving eigenvalues."""
        choice = self.choice
        choice.state, choice.moving = state, moving
        choice.vectors = choice.vectors if vectors is None else vectors
        if state == Basis.FIXED:
            self.recorded[:] = state, choice.vectors, moving

    def end_sweep(self):
        """Let the next sweep of this thread choose."""
        if self.state == Basis.SWEPT:
            self.choose(Basis.FREE)

    def of(self, a, triangle):
        """Return eigenvalues and eigenvectors of a plain matrix; of another one than the first they are made anew."""
        if self.known[0] is None:
            self.take(a, *lapack.eigh(a, triangle))
        if not self._is_of(a):
            return lapack.eigh(a, triangle)
        if self.choice.vectors is None:
            self.choice.vectors = self.recorded[1]
        return self.known[1], self.choice.vectors

    def take(self, a, w, v):
        """Take eigenvalues and eigenvectors of a plain matrix that are known."""
        v = self._paired(w, v)
        self.known, self.recorded[1] = (a, w, v), v

    def _paired(self, w, v):
        """Return the vectors with (u, −v) for −σ in the place opposite to that of σ, which has (u, v).

        The adjoint of σ is half that of either: so their vectors must be of the same u and v where values repeat, too.
        """
        if self.rows is None:
            return v
        below = np.where(np.arange(v.shape[-2]) < self.rows, 1, -1)[:, None]
        return np.where((without_rounding(w, w) < 0)[..., None, :], below * v[..., ::-1], v)

    def by_lapack(self, a, triangle):
        """Do as `of` does, whatever vectors are chosen."""
        self.of(a, triangle)
        return self.known[1:] if self._is_of(a) else lapack.eigh(a, triangle)

    def _is_of(self, a):
        return self.known[0] is a or same_values(self.known[0], a)

    def adapt(self, a, t, triangle, state):
        """Choose the vectors of repeated eigenvalues for the direction ``t``."""
        w, v = self.of(a, triangle)
        near = together(w)
        if not (self._is_of(a) and is_repeated(near)):
            if self.kink is not None:
                raise Unadapted()
            return
        v = v.copy()
        for place in np.ndindex(w.shape[:-1]):
            starts = [i for i in range(w.shape[-1]) if i == 0 or not near[(*place, i - 1, i)]]
            for start, stop in zip(starts, [*starts[1:], w.shape[-1]], strict=True):
                own = v[place][:, start:stop]
                block = own.conj().T @ t[place] @ own
                v[place][:, start:stop] = own @ np.linalg.eigh(block + block.conj().T)[1]
        v = self._paired(w, v)
        if self.kink is None:
            self.choose(state, v)
        else:
            moved = elements(v.conj().swapaxes(-1, -2) @ t @ v)
            self.choose(state, v, np.diagonal(moved, axis1=-2, axis2=-1))

    def still(self):
        """Return which eigenvalues at the kink do not move along the chosen direction, all where none is chosen."""
        return self.kink if self.kink is None or self.choice.moving is None else self.kink & ~self.choice.moving

    def moves(self, t, places):
        """Return whether a direction, as Vᴴ dA V, moves eigenvalues at the kink that are among ``places``."""
        return places is not None and reaches(t, places[..., :, None] & self.kink[..., None, :])

    def refused(self, error):
        """Return an error that ends the sweep."""
        self.end_sweep()
        return error


def _known(a, order, triangle, basis):
    """Return the eigenvalues and vectors of ``a``, which is plain; of a number where they do not repeat."""
    from .decompositions import eigh

    if is_number(type(a)) and decided(has_repeated, a, triangle, basis):
        raise Unadapted(order)
    return eigh(a, triangle) if is_number(type(a)) else basis.of(a, triangle)


def has_repeated(a, triangle, basis):
    """Return whether eigenvalues of a plain matrix are equal."""
    return repeated(basis.of(a, triangle)[0])


# --------------------------------------------------------------------------------------- the two maps


def _rates_push(da, z, a, t, triangle, basis):
    """2 Re Σⱼ (Vᴴ t V)ᵢⱼ (Vᴴ dA V)ⱼᵢ / (λᵢ − λⱼ) over those j whose eigenvalue is another."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near = decided(together, w)
    first, second = (product(adjoint(v), x, v) for x in (t, da))
    if is_repeated(near) and couples(first, near) and couples(second, near):
        raise Unadapted()
    found = sum(real(first * matrix_transpose(second)) * (-2.0 * inverse_gaps(w, near)), -1, False)
    if basis.moves(first, basis.kink) or basis.moves(second, basis.kink):
        return where(basis.kink, np.nan, found)  # forward mode does not see whether the function is even
    return found


def _is_asked(da):
    """Return whether a direction is none yet, as where a pull-back is derived: zeros whose tape is swept."""
    return is_number(type(da)) and not decided(np.any, da)


def _rates_pull(g, z, a, t, triangle, basis):
    """Return the adjoint of `_rates_push`, of a function that is symmetric in equal eigenvalues."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near, first = decided(together, w), product(adjoint(v), t, v)
    if basis.kink is not None and np.any(not_even(values_of(g), basis.kink)):
        raise Kinked()
    if is_repeated(near) and (couples(first, near) or differ(values_of(g), near)):
        raise Unadapted()
    return product(v, adjoint(first) * (expand_dims(g, -2) * (2.0 * inverse_gaps(w, near))), adjoint(v))


@smooth(
    Smooth(_rates_push, _rates_pull),
    Linear(lambda g, a, t, triangle, basis: assembled(a, g, triangle, basis)),
    name="eigenvalue_rates",
    needs=np.linalg.eigvalsh,
)
def rates(a, t, triangle, basis):
    """diag Re Vᴴ t V: the tangents of the eigenvalues of ``a`` along ``t``. Its adjoint in ``t`` is `assembled`."""
    v = basis.of(a, triangle)[1]
    return np.sum(v.conj() * (t @ v), -2).real


def _assembled_push(da, z, a, g, triangle, basis):
    if decided(has_repeated, a, triangle, basis):
        w, v = basis.of(read(a), triangle)
        if couples(product(adjoint(v), da, v), together(w)):
            raise Unadapted()
    return _assembled_pull(da, z, a, g, triangle, basis)


def _assembled_pull(b, z, a, g, triangle, basis):
    """V (Vᴴ B V ∘ (gᵢ − gⱼ) / (λᵢ − λⱼ)) Vᴴ, which is its own adjoint; of equal eigenvalues the g must be equal."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near, t = decided(together, w), product(adjoint(v), b, v)
    if basis.moves(t, basis.odd):
        raise basis.refused(Kinked())
    if is_repeated(near) and differ(values_of(g), near):
        raise basis.refused(Unadapted())
    gaps = expand_dims(g, -2) - expand_dims(g, -1)
    return product(v, t * (gaps * inverse_gaps(w, near)), adjoint(v))


def _pulled_rates(b, a, g, triangle, basis):
    """Pull `assembled` back in ``g``: a second derivative, in the basis for the direction ``b`` of this sweep."""
    b = 0.5 * (b + adjoint(b))
    if decided(has_repeated, a, triangle, basis):
        direction, matrix = read(b), read(a)
        w, v = basis.of(matrix, triangle)
        near = together(w)
        if is_number(type(b)) and _has_nan(direction):
            raise basis.refused(one_by_one(basis))
        t = product(adjoint(v), direction, v)
        if basis.moves(t, basis.odd):
            raise basis.refused(Kinked())
        chosen = basis.state not in (Basis.FREE, Basis.ADAPTED)
        if couples(t, near) or basis.moves(t, basis.still() if chosen else basis.kink):
            if chosen or np.any(np.isnan(t)):
                raise basis.refused(Unadapted())
            basis.adapt(matrix, direction, triangle, Basis.SWEPT)
        elif not chosen and np.any(direction):
            basis.choose(Basis.SWEPT)
    return rates(a, b, triangle, basis)


@smooth(
    Smooth(_assembled_push, _assembled_pull),
    Linear(_pulled_rates),
    name="from_eigenvalues",
    needs=np.linalg.eigvalsh,
)
def assembled(a, g, triangle, basis):
    """V diag(g) Vᴴ, the adjoint of `rates` in its direction."""
    v = basis.of(a, triangle)[1]
    return (v * g[..., None, :]) @ np.swapaxes(v.conj(), -1, -2)


# --------------------------------------------------------------------------------------- eigenvalues


def _has_nan(x):
    return bool(np.any(np.isnan(x)))


def push(da, z, a, triangle, basis):
    """Return the tangents of the eigenvalues of ``a`` along ``da``."""
    unknown = decided(_has_nan, da)  # many directions at a time: a batch shows no values
    if unknown and basis.kink is not None:
        raise Unadapted()
    if not is_number(type(a)):
        if unknown or _is_asked(da):
            if unknown and basis.state < Basis.FIXED:
                basis.choose(Basis.FIXED)
        elif not is_number(type(da)) and basis.state != Basis.FIXED:
            basis.adapt(a, da, triangle, Basis.ADAPTED)
    elif basis.state == Basis.FREE and decided(has_repeated, a, triangle, basis):
        if unknown:
            raise Unadapted()
        basis.adapt(read(a), read(da), triangle, Basis.FIXED)
    return rates(a, da, triangle, basis)


def pull(g, z, a, triangle, basis):
    """Return the adjoint of `push`; here ends what a sweep of a second derivative does with the eigenvalues."""
    found = assembled(a, g, triangle, basis)
    basis.end_sweep()
    return found


@smooth(Smooth(push, pull), needs=np.linalg.eigvalsh)
def eigvalsh(a, triangle, basis):
    return np.linalg.eigvalsh(a, triangle)
