"""Spherical Bessel functions, which are no ufuncs in SciPy: part of `autodiff.scipy.special`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dualnumbers.rules.of_scipy.special import bessel

from .._counterpart import Array, counterpart


def _spherical(name: str) -> Callable[..., Any]:
    function, slope = getattr(bessel, name)

    def called(n: Array, z: Array, derivative: bool = False) -> Any:
        return (slope if derivative else function)(n, z)

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"As ``scipy.special.{name}``: of order n at z, or its derivative there."
    return counterpart(f"special.{name}")(called)


spherical_jn, spherical_yn, spherical_in, spherical_kn = map(
    _spherical, ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
)
