"""Elliptic integrals, Jacobi's functions, the arithmetic-geometric mean. Source: NIST DLMF §19.4, §19.18, §22.13."""

import math

from ...comparisons import less
from ...complexes import real
from ...domains import Domain
from ...elementwise.powers import sqrt, square
from ...from_scipy import elementwise_of_scipy
from ...where import where
from .carlson import below_one, carlson, legendre, squared_delta

parameter = Domain("m < 1", ((-5.0, 0.95),))
complement = Domain("p > 0", ((0.05, 5.0),))
amplitude = Domain("0 < m < 1", ((-5.0, 5.0), (0.05, 0.95)))


def positive(arity):
    """Return where Carlson's integrals are defined."""
    return Domain("x > 0", ((0.1, 5.0),) * arity)


# ------------------------------------------------------------------------------------------ Carlson's

elliprd = elementwise_of_scipy("elliprd", lambda x, y, w, z: -0.75 * carlson(0, 1.5, 0.5, 1.5)(x, y, w),
                               lambda x, y, w, z: -0.75 * carlson(0, 0.5, 1.5, 1.5)(x, y, w),
                               lambda x, y, w, z: -2.25 * carlson(0, 0.5, 0.5, 2.5)(x, y, w), domain=positive(3),
                               singular=True)  # fmt: skip
elliprf = elementwise_of_scipy("elliprf", lambda x, y, w, z: elliprd(y, w, x) / -6,
                               lambda x, y, w, z: elliprd(w, x, y) / -6,
                               lambda x, y, w, z: elliprd(x, y, w) / -6, domain=positive(3), singular=True)  # fmt: skip
elliprg = elementwise_of_scipy("elliprg", lambda x, y, w, z: 0.125 * carlson(1, 1.5, 0.5, 0.5)(x, y, w),
                               lambda x, y, w, z: 0.125 * carlson(1, 0.5, 1.5, 0.5)(x, y, w),
                               lambda x, y, w, z: 0.125 * carlson(1, 0.5, 0.5, 1.5)(x, y, w), domain=positive(3),
                               singular=True)  # fmt: skip


# a negative last variable means Cauchy's principal value, where no other variable comes near it
def _rc_by_x(x, y, z):
    return where(less(real(y), 0.0), (1.0 / sqrt(x) - z) / (2.0 * (x - y)), -0.25 * carlson(0, 1.5, 1.0)(x, y))


def _rc_by_y(x, y, z):
    principal = -0.5 / (y * sqrt(x)) - (1.0 / sqrt(x) - z) / (2.0 * (x - y))
    return where(less(real(y), 0.0), principal, -0.5 * carlson(0, 0.5, 2.0)(x, y))


def _rj_principal(x, y, w, p, z):
    """∂R_J/∂x where p < 0, by partial fractions."""
    return (z - elliprd(y, w, x)) / (2.0 * (p - x))


def _rj_by_x(x, y, w, p, z):
    return where(less(real(p), 0.0), _rj_principal(x, y, w, p, z), -0.75 * carlson(0, 1.5, 0.5, 0.5, 1.0)(x, y, w, p))


def _rj_by_p(x, y, w, p, z):
    """∂R_J/∂p; where p < 0, from the other slopes: the function is homogeneous of degree −3/2."""
    others = sum(xs[0] * _rj_principal(*xs, p, z) for xs in ((x, y, w), (y, w, x), (w, x, y)))
    return where(less(real(p), 0.0), (-1.5 * z - others) / p, -1.5 * carlson(0, 0.5, 0.5, 0.5, 2.0)(x, y, w, p))


elliprc = elementwise_of_scipy("elliprc", _rc_by_x, _rc_by_y, domain=positive(2), singular=True)
elliprj = elementwise_of_scipy("elliprj", _rj_by_x, lambda x, y, w, p, z: _rj_by_x(y, w, x, p, z),
                               lambda x, y, w, p, z: _rj_by_x(w, x, y, p, z), _rj_by_p, domain=positive(4),
                               singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------------ Legendre's

# (E − (1 − m) K) / (2 m (1 − m)) and (E − K) / (2 m) would be 0/0 at m = 0
ellipk = elementwise_of_scipy("ellipk", lambda m, z: elliprd(0.0, 1.0, 1.0 - m) / 6, domain=parameter, singular=True)
ellipkm1 = elementwise_of_scipy("ellipkm1", lambda p, z: elliprd(0.0, 1.0, p) / -6, domain=complement, singular=True)
ellipe = elementwise_of_scipy("ellipe", lambda m, z: elliprd(0.0, 1.0 - m, 1.0) / -6, domain=parameter, singular=True)


ellipkinc = elementwise_of_scipy("ellipkinc", lambda phi, m, z: 1.0 / sqrt(squared_delta(phi, m)),
                                 lambda phi, m, z: 0.5 * legendre(1, 1.5)(phi, m), domain=below_one,
                                 singular=True)  # fmt: skip
ellipeinc = elementwise_of_scipy("ellipeinc", lambda phi, m, z: sqrt(squared_delta(phi, m)),
                                 lambda phi, m, z: -0.5 * legendre(1, 0.5)(phi, m), domain=below_one,
                                 singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------------ Jacobi's functions


# z = (sn, cn, dn, φ)


def _amplitude_by_parameter(u, m, z):
    """∂φ/∂m where u = F(φ, m)."""
    return -0.5 * z[2] * legendre(1, 1.5)(z[3], m)


def _dn_by_parameter(u, m, z):
    return -(0.5 * square(z[0]) + m * z[0] * z[1] * _amplitude_by_parameter(u, m, z)) / z[2]


ellipj = elementwise_of_scipy(
    "ellipj", (lambda u, m, z: z[1] * z[2], lambda u, m, z: -z[0] * z[2], lambda u, m, z: -m * z[0] * z[1],
               lambda u, m, z: z[2]),
    (lambda u, m, z: z[1] * _amplitude_by_parameter(u, m, z), lambda u, m, z: -z[0] * _amplitude_by_parameter(u, m, z),
     _dn_by_parameter, _amplitude_by_parameter), domain=amplitude, singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------------ the mean, DLMF 19.8.5


def _by_first(a, b, z):
    return (2.0 / (3.0 * math.pi)) * square(z / a) * elliprd(0.0, square(b / a), 1.0)


agm = elementwise_of_scipy("agm", _by_first, lambda a, b, z: _by_first(b, a, z), domain=positive(2), singular=True)
