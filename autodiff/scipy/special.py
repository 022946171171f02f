"""Functions of ``scipy.special`` that are no ufuncs, for numbers; the ufuncs are differentiated as they are."""

from __future__ import annotations

from ._spherical import spherical_in, spherical_jn, spherical_kn, spherical_yn
from .counterpart import missing

__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]

__getattr__ = missing(__name__)
