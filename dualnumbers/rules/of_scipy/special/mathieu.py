"""Functions that SciPy gives with their derivative, which are differentiated on by their differential equation.

Parabolic cylinder functions w″ = (¼ x² + a) w, Mathieu functions w″ = −(a − 2q cos 2x) w, spheroidal wave functions
((1 − x²) w′)′ = −(λ − c² x² − m²/(1 − x²)) w. Source: NIST DLMF §12.2, §28.2, §30.2.
"""

from ....table import Refused
from ...constants import DEGREE
from ...domains import Domain
from ...elementwise.hyperbolic import cosh
from ...elementwise.trigonometric import cos
from ...from_scipy import elementwise_of_scipy

PARAMETER = Refused("the solution of a differential equation has no derivative by the equation's parameters here")


def _pair(ufunc, parameters, second, domain, unit=1.0):
    """Return the row of w and w′ of these parameters and of x, from w″ = ``second(*parameters, x, w, w′)``."""
    refused = [(PARAMETER, PARAMETER)] * parameters
    slopes = lambda *at: unit * at[-1][1], lambda *at: unit * second(*at[:-1], *at[-1])
    return elementwise_of_scipy(ufunc, *refused, slopes, domain=domain, singular=True)


# ------------------------------------------------------------------------------------------ parabolic cylinder

of_order = Domain("", ((-2.0, 3.0), (-3.0, 3.0)))
_pair("pbdv", 1, lambda v, x, w, slope: (0.25 * x * x - v - 0.5) * w, of_order)
_pair("pbvv", 1, lambda v, x, w, slope: (0.25 * x * x - v - 0.5) * w, of_order)
_pair("pbwa", 1, lambda a, x, w, slope: (a - 0.25 * x * x) * w, of_order)

# ------------------------------------------------------------------------------------------ Mathieu

of_index = Domain("m whole", ((1, 4), (0.0, 5.0)))
mathieu_a = elementwise_of_scipy("mathieu_a", PARAMETER, PARAMETER, domain=of_index)
mathieu_b = elementwise_of_scipy("mathieu_b", PARAMETER, PARAMETER, domain=of_index)


def _angular(value):
    return lambda m, q, x, w, slope: (2.0 * q * cos((2.0 * DEGREE) * x) - value(m, q)) * w


def _radial(value):
    return lambda m, q, x, w, slope: (value(m, q) - 2.0 * q * cosh(2.0 * x)) * w


# Mathieu's angles are in degrees, the derivatives by radians
_pair("mathieu_cem", 2, _angular(mathieu_a), Domain("m whole", (*of_index.ranges, (-180.0, 180.0))), DEGREE)
_pair("mathieu_sem", 2, _angular(mathieu_b), Domain("m whole", (*of_index.ranges, (-180.0, 180.0))), DEGREE)
for _kind in "12":
    _pair(f"mathieu_modcem{_kind}", 2, _radial(mathieu_a), Domain("m whole", ((1, 4), (0.5, 5.0), (0.1, 1.5))))
    _pair(f"mathieu_modsem{_kind}", 2, _radial(mathieu_b), Domain("m whole", ((1, 4), (0.5, 5.0), (0.1, 1.5))))
