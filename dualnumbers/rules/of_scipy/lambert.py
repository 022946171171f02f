"""Lambert's W, the solution of w eʷ = z, and ω(x) = W(eˣ). Source: NIST DLMF §4.13."""

from ..domains import Domain, positive_base
from ..exponential import exp, log
from ..from_scipy import elementwise_of_scipy
from ..powers import power

wrightomega = elementwise_of_scipy("wrightomega", lambda x, z: z / (1.0 + z))
lambertw = elementwise_of_scipy("lambertw", lambda z, k, tol, w: exp(-w) / (1.0 + w), 0.0, 0.0, calls="_lambertw",
                                domain=Domain("k an integer", ((-5.0, 5.0), (-2, 2), (1e-9, 1e-7))),
                                singular=True)  # fmt: skip
"""W of branch k. Its partial, w / (z (1 + w)), is written without the quotient 0/0 at z = 0."""
powm1 = elementwise_of_scipy("powm1", lambda x, y, z: y * power(x, y - 1.0), lambda x, y, z: power(x, y) * log(x),
                             domain=positive_base)  # fmt: skip
