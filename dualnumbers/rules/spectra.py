"""Derivatives of eigenvalues of Hermitian matrices, also where they repeat: of functions that are symmetric in them.

A symmetric function of repeated eigenvalues is smooth, though they are not. Along one direction dA the eigenvalues are
smooth as well, if the eigenvectors of those that repeat are chosen so that Vᴴ dA V is diagonal among them (Rellich
1937; T. Kato, *Perturbation theory for linear operators*, 1995, §II.6; A. S. Lewis & H. S. Sendov, *Twice
differentiable spectral functions*, 2001). So a second derivative is right in a basis that is chosen for one of its two
directions, and a `Basis` holds which one that is. Where several directions ask for different ones at a time,
`Unadapted` is raised, and forward mode takes one direction after the other.

The derivatives of a single eigenvalue among equal ones do not exist, those of first order excepted along one direction.
"""

from threading import local

import numpy as np

from ..elementary import smooth
from ..errors import user_line
from ..levels import is_number, plain
from .complexes import real
from .factors import adjoint, product, repeated, together
from .indexing import getitem
from .reductions import sum
from .shaping import concatenate, expand_dims, matrix_transpose, shape


class Unadapted(np.linalg.LinAlgError):
    """Repeated eigenvalues, and no basis that is right for all the directions that are differentiated along."""

    def __init__(self, order="The second derivative"):
        super().__init__(
            f"{order} of eigenvalues or singular values of which some are equal up to rounding reaches into their "
            "vectors, which are not determined. It is to be had of functions that are symmetric in them, by hessian or "
            "hvp; a function of the matrix that is smooth there has all of its own: inv, det, pinv, expm, "
            f"…{user_line()}"
        )


class _Choice(local):
    """The eigenvectors as the sweeps of one thread choose them, at first as the recording did."""

    def __init__(self, recorded):
        self.state, self.vectors = recorded


class Basis:
    """The eigenvalues and eigenvectors of one plain matrix, as all derivatives of one call take them.

    ``state`` is how those of repeated eigenvalues are chosen: by LAPACK, for the direction of a tangent, for one that a
    second derivative rests on, or for that of the adjoint which is being swept. Each thread sweeps with its own choice.
    """

    __slots__ = ("choice", "known", "recorded")
    FREE, ADAPTED, FIXED, SWEPT = range(4)

    def __init__(self):
        self.known = None, None
        self.recorded = [Basis.FREE, None]
        self.choice = _Choice(self.recorded)

    def __repr__(self):
        return "eigenvectors"

    state = property(lambda self: self.choice.state)

    def choose(self, state, vectors=None):
        """Take these vectors, by default those taken before, for what ``state`` says."""
        choice = self.choice
        choice.state, choice.vectors = state, choice.vectors if vectors is None else vectors
        if state == Basis.FIXED:
            self.recorded[:] = state, choice.vectors

    def end_sweep(self):
        """Let the next sweep of this thread choose."""
        if self.state == Basis.SWEPT:
            self.choose(Basis.FREE)

    def of(self, a, triangle):
        """Eigenvalues and eigenvectors of a plain matrix; of another one than the first they are made anew."""
        if self.known[0] is None:
            values, self.recorded[1] = np.linalg.eigh(a, triangle)
            self.known = a, values
        if not self._is_of(a):
            return np.linalg.eigh(a, triangle)
        if self.choice.vectors is None:
            self.choice.vectors = self.recorded[1]
        return self.known[1], self.choice.vectors

    def _is_of(self, a):
        return self.known[0] is a or np.array_equal(self.known[0], a)

    def adapt(self, a, t, triangle, state):
        """Choose the vectors of repeated eigenvalues for the direction ``t``."""
        w, v = self.of(a, triangle)
        near = together(w)
        if not (self._is_of(a) and _repeat(near)):
            return
        v = v.copy()
        for place in np.ndindex(w.shape[:-1]):
            starts = [i for i in range(w.shape[-1]) if i == 0 or not near[(*place, i - 1, i)]]
            for start, stop in zip(starts, [*starts[1:], w.shape[-1]], strict=True):
                own = v[place][:, start:stop]
                block = own.conj().T @ t[place] @ own
                v[place][:, start:stop] = own @ np.linalg.eigh(block + block.conj().T)[1]
        self.choose(state, v)


def _repeat(near):
    return bool(np.any(np.sum(near, -1) > 1))


def _couples(t, near):
    """Whether the matrix of a direction, Vᴴ dA V, has elements between different vectors of repeated eigenvalues."""
    if is_number(type(t)):
        return any(_couples(part, near) for part in t.parts())
    size = np.max(np.abs(t), axis=(-2, -1), keepdims=True, initial=0.0)
    between = near & ~np.eye(near.shape[-1], dtype=bool)
    return bool(np.any(between & (np.abs(t) > 64 * near.shape[-1] * np.finfo(t.dtype).eps * size)))


def _known(a, order, triangle, basis):
    """The eigenvalues and vectors of ``a``, which is plain; of a number where they do not repeat."""
    from .decompositions import eigh

    w, v = basis.of(plain(a), triangle)
    if not is_number(type(a)):
        return w, v
    if repeated(w):
        raise Unadapted(order)
    return eigh(a, triangle)


def _inverse_gaps(w, near):
    """1 / (λᵢ − λⱼ), 0 where they are equal."""
    d = expand_dims(w, -1) - expand_dims(w, -2)
    return ~near / (d + near)


# --------------------------------------------------------------------------------------- the two maps


def _rates(a, t, triangle, basis):
    v = basis.of(a, triangle)[1]
    return np.sum(v.conj() * (t @ v), -2).real


def _rates_push(da, z, a, t, triangle, basis):
    """2 Re Σⱼ (Vᴴ t V)ᵢⱼ (Vᴴ dA V)ⱼᵢ / (λᵢ − λⱼ) over those j whose eigenvalue is another."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near = together(plain(w))
    first, second = (product(adjoint(v), x, v) for x in (t, da))
    if _repeat(near) and _couples(first, near) and _couples(second, near):
        raise Unadapted()
    return sum(real(first * matrix_transpose(second)) * (2.0 * _inverse_gaps(w, near)), -1, False)


def _is_asked(da):
    """Whether a direction is none yet, as where a pull-back is derived: zeros whose tape is swept."""
    return is_number(type(da)) and not np.any(plain(da))


def _rates_pull(g, z, a, t, triangle, basis):
    """The adjoint of `_rates_push`, of a function that is symmetric in equal eigenvalues."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near, first = together(plain(w)), product(adjoint(v), t, v)
    if _repeat(near) and (_couples(first, near) or _differ(plain(g), near)):
        raise Unadapted()
    return product(v, adjoint(first) * (expand_dims(g, -2) * (-2.0 * _inverse_gaps(w, near))), adjoint(v))


rates = smooth(None, None, _rates_push, None, evaluate=_rates, name="eigenvalue_rates", statics=2,
               pulls=(_rates_pull, None),
               adjoints=(None, lambda g, a, t, triangle, basis: assembled(a, g, triangle, basis)))  # fmt: skip
"""diag Re Vᴴ t V: the tangents of the eigenvalues of ``a`` along ``t``. Its adjoint in ``t`` is `assembled`."""


def _assembled(a, g, triangle, basis):
    v = basis.of(a, triangle)[1]
    return (v * g[..., None, :]) @ np.swapaxes(v.conj(), -1, -2)


def _assembled_push(da, z, a, g, triangle, basis):
    """V (Vᴴ dA V ∘ (gᵢ − gⱼ) / (λᵢ − λⱼ)) Vᴴ; of equal eigenvalues the g must be equal."""
    w, v = _known(a, "The third derivative", triangle, basis)
    near, t = together(plain(w)), product(adjoint(v), da, v)
    if _repeat(near) and (_differ(plain(g), near) or _couples(t, near)):
        raise Unadapted()
    gaps = expand_dims(g, -1) - expand_dims(g, -2)
    return product(v, t * (gaps * _inverse_gaps(w, near)), adjoint(v))


def _differ(g, near):
    """Whether adjoints of equal eigenvalues are not equal up to rounding: those of a function that is not symmetric."""
    size = np.max(np.abs(g), axis=-1, initial=0.0)[..., None, None]
    return bool(np.any(near & (np.abs(g[..., None, :] - g[..., :, None]) > np.sqrt(np.finfo(g.dtype).eps) * size)))


def _pulled_rates(b, a, g, triangle, basis):
    """The adjoint of `assembled` in ``g``: a second derivative, in the basis for the direction ``b`` of this sweep."""
    b = 0.5 * (b + adjoint(b))
    direction, matrix = plain(b), plain(a)
    w, v = basis.of(matrix, triangle)
    near = together(w)
    if _repeat(near):
        t = product(adjoint(v), direction, v)
        if _couples(t, near):
            if basis.state not in (Basis.FREE, Basis.ADAPTED) or np.any(np.isnan(t)):
                basis.end_sweep()
                raise Unadapted()
            basis.adapt(matrix, direction, triangle, Basis.SWEPT)
        elif basis.state != Basis.FIXED and np.any(direction):
            basis.choose(Basis.SWEPT)
    return rates(a, b, triangle, basis)


assembled = smooth(None, None, _assembled_push, None, evaluate=_assembled, name="from_eigenvalues", statics=2,
                   adjoints=(None, _pulled_rates))  # fmt: skip
"""V diag(g) Vᴴ, the adjoint of `rates` in its direction."""

# --------------------------------------------------------------------------------------- eigenvalues


def push(da, z, a, triangle, basis):
    """The tangents of the eigenvalues of ``a`` along ``da``."""
    direction, matrix = plain(da), plain(a)
    unknown = bool(np.any(np.isnan(direction)))  # many directions at a time: a batch shows no values
    if not is_number(type(a)):
        if unknown or _is_asked(da):
            if unknown and basis.state < Basis.FIXED:
                basis.choose(Basis.FIXED)
        elif not is_number(type(da)) and basis.state != Basis.FIXED:
            basis.adapt(matrix, direction, triangle, Basis.ADAPTED)
    elif basis.state == Basis.FREE and repeated(basis.of(matrix, triangle)[0]):
        if unknown:
            raise Unadapted()
        basis.adapt(matrix, direction, triangle, Basis.FIXED)
    return rates(a, da, triangle, basis)


def pull(g, z, a, triangle, basis):
    """The adjoint of `push`; here ends what a sweep of a second derivative does with the eigenvalues."""
    found = assembled(a, g, triangle, basis)
    basis.end_sweep()
    return found


eigvalsh = smooth(None, None, push, pulls=(pull,), name="eigvalsh", statics=2,
                  evaluate=lambda a, triangle, basis: np.linalg.eigvalsh(a, triangle))  # fmt: skip

# --------------------------------------------------------------------------------------- singular values


def _doubled(a):
    """The Hermitian matrix of the blocks 0, A and Aᴴ, 0, whose eigenvalues are the singular values, ± each (Jordan)."""
    *stack, m, n = shape(a)
    zeros = [np.zeros((*stack, k, k), plain(a).dtype) for k in (m, n)]
    return concatenate(concatenate(zeros[0], a, -1), concatenate(adjoint(a), zeros[1], -1), -2)


def push_of_doubled(da, z, a, basis):
    """The tangents of the singular values ``z``, which may repeat."""
    count = shape(z)[-1]
    return getitem(push(_doubled(da), z, _doubled(a), "L", basis), (..., slice(-1, -count - 1, -1)))


def pull_of_doubled(g, z, a, basis):
    """The adjoint of `push_of_doubled`."""
    *stack, m, n = shape(a)
    others = np.zeros((*stack, m + n - shape(z)[-1]), plain(g).dtype)
    whole = concatenate(others, getitem(g, (..., slice(None, None, -1))), -1)
    return 2.0 * getitem(pull(whole, z, _doubled(a), "L", basis), (..., slice(0, m), slice(m, None)))
