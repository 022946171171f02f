"""What directions and adjoints couple: vectors of equal eigenvalues, or those of eigenvalues at a kink.

A direction comes as its matrix t = Vᴴ dA V between the eigenvectors; ``near`` is the matrix of which eigenvalues are
equal to which. Elements of the size of rounding count as 0.
"""

import numpy as np

from ...foreign import as_like
from ...levels import is_number, plain_members, read


def is_repeated(near):
    """Return whether any eigenvalues are equal."""
    return bool(np.any(np.sum(near, -1) > 1))


def elements(t):
    """Return which elements of the matrix of a direction, Vᴴ dA V, are more than rounding."""
    size = np.max(np.abs(t), axis=(-2, -1), keepdims=True, initial=0.0)
    return np.abs(t) > 64 * t.shape[-1] * np.finfo(t.dtype).eps * size


def reaches(t, places):
    """Return whether the matrix of a direction has elements at these places."""
    if is_number(type(t)):
        return any(reaches(part, places) for part in t.parts())
    return bool(np.any(places & elements(t)))


def couples(t, near):
    """Return whether the matrix of a direction has elements between different vectors of repeated eigenvalues."""
    return reaches(t, near & ~as_like(np.eye(near.shape[-1], dtype=bool), near))


def values_of(g):
    """Return the plain values under every level, of a batch those of all members, along a first axis."""
    read(g)  # which a recording notes
    return plain_members(g)


def differ(g, near):
    """Return whether adjoints of equal eigenvalues differ beyond rounding, as of a function that is not symmetric."""
    size = np.max(np.abs(g), axis=-1, initial=0.0)[..., None, None]
    return bool(np.any(near & (np.abs(g[..., None, :] - g[..., :, None]) > np.sqrt(np.finfo(g.dtype).eps) * size)))


def not_even(g, kink):
    """Return which eigenvalues at the kink have an adjoint that is not 0 up to rounding, as of an even function."""
    size = np.max(np.abs(g), axis=-1, keepdims=True, initial=0.0)
    return kink & (np.abs(g) > np.sqrt(np.finfo(g.dtype).eps) * size)
