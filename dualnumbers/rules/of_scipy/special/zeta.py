"""The zeta functions of Hurwitz and Riemann. Source: NIST DLMF §25.4, §25.11."""

import math

from ...comparisons import greater, less
from ...complexes import real
from ...domains import Domain
from ...elementwise.exponential import exp, log
from ...elementwise.gamma import BERNOULLI, TERMS, gamma, polygamma
from ...elementwise.trigonometric import cos
from ...from_scipy import elementwise_of_scipy
from ...where import where


def _by_order(s, q):
    """∂ζ(s, q)/∂s = −Σ log(q + k) (q + k)⁻ˢ, by the Euler–Maclaurin formula (DLMF 25.11.5) and its derivative."""
    logs = [log(q + k) for k in range(TERMS)]
    b = q + TERMS
    far = greater(real(s), 30.0 * b)  # where the rest is 0, as ((q + 12)/q)⁻ˢ, though its factors are infinite
    t = where(far, 30.0, s)
    rest, slope = b / (t - 1.0) + 0.5, -b / (t - 1.0) ** 2
    rising, rate, order = t / b, 1.0 / b, 1  # (s)₁/b, (s)₃/b³, … and their derivatives
    for number in BERNOULLI:
        scale = number / math.factorial(order + 1)
        rest, slope = rest + scale * rising, slope + scale * rate
        for _ in range(2):
            rising, rate, order = rising * ((t + order) / b), rate * ((t + order) / b) + rising / b, order + 1
    remainder = where(far, 0.0, exp(-t * log(b)) * (slope - log(b) * rest))
    return remainder - sum(log_term * exp(-s * log_term) for log_term in logs)


def _slope(s):
    """ζ′(s): of Riemann's, far left by its reflection, ζ(s) = 2 (2π)ˢ⁻¹ sin(πs/2) Γ(1 − s) ζ(1 − s) (DLMF 25.4.1)."""
    left = less(real(s), -0.5)
    r = where(left, 1.0 - s, s)
    t = where(left, s, 0.0)
    direct = _by_order(r, 1.0)
    size = 2.0 * exp((t - 1.0) * math.log(2.0 * math.pi)) * gamma(1.0 - t)
    wave, turn = cos(0.5 * math.pi * (t - 1.0)), 0.5 * math.pi * cos(0.5 * math.pi * t)
    value = riemann_zeta(where(left, r, 2.0))
    rate = wave * (math.log(2.0 * math.pi) - polygamma(0)(1.0 - t)) + turn
    return where(left, size * (rate * value - wave * direct), direct)


off_one = Domain("s ≠ 1", ((-6.0, 20.0),), lambda s: abs(s - 1.0))

zeta = elementwise_of_scipy("zeta", lambda s, q, z: _by_order(s, q), lambda s, q, z: -s * zeta(s + 1.0, q),
                            calls="_zeta", domain=Domain("s > 1, q > 0", ((1.05, 20.0), (0.1, 10.0))))  # fmt: skip
riemann_zeta = elementwise_of_scipy(
    "zeta", lambda s, z: _slope(s), calls="_riemann_zeta", name="riemann_zeta", domain=off_one
)
zetac = elementwise_of_scipy("zetac", lambda s, z: _slope(s), domain=off_one)
