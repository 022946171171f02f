"""SciPy's solvers, whose solutions are differentiated by what the equation or the objective depends on."""

from __future__ import annotations

from .._counterpart import missing
from . import elementwise
from ._fitting import curve_fit, least_squares
from ._integers import milp
from ._linear_fits import isotonic_regression, lsq_linear, nnls
from ._minima import minimize, minimize_scalar
from ._programs import linprog
from ._roots import fixed_point, fsolve, root
from ._scalars import bisect, brenth, brentq, newton, ridder, root_scalar, toms748

__all__ = [
    "bisect",
    "brenth",
    "brentq",
    "curve_fit",
    "elementwise",
    "fixed_point",
    "fsolve",
    "isotonic_regression",
    "least_squares",
    "linprog",
    "lsq_linear",
    "milp",
    "minimize",
    "minimize_scalar",
    "newton",
    "nnls",
    "ridder",
    "root",
    "root_scalar",
    "toms748",
]
__getattr__ = missing(__name__)
