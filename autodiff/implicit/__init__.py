"""Solutions of equations as functions of what stands in these: linear systems, roots, fixed points, minima.

What is solved is a Python function; what it depends on is its further arguments, ``args``, and the numbers that it
closes over. Any solver may find the solution: its steps are not differentiated, the solution is, by the implicit
function theorem, in both modes and to every order. SciPy's solvers by their own names, with results of their kind, are
in `autodiff.scipy.optimize`.

>>> import numpy as np
>>> from autodiff import derivative
>>> from autodiff.implicit import root
>>> derivative(lambda a: root(lambda x: x**3 - a, 1.0), 0, [8.0])
0.08333333333333333
"""

from .solutions import argmin, fixed_point, root
from .systems import linear_solve

__all__ = ["argmin", "fixed_point", "linear_solve", "root"]
