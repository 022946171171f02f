"""Lambert's W, the solution of w eʷ = z, and ω(x) = W(eˣ). Source: NIST DLMF §4.13."""

from ...elementary import BY_NUMPY, elementwise
from ..domains import positive_base
from ..exponential import exp, log
from ..from_scipy import elementwise_of_scipy, scipy_function
from ..powers import power

wrightomega = elementwise_of_scipy("wrightomega", lambda x, z: z / (1.0 + z))
lambertw = elementwise(None, scipy_function("special.lambertw"), lambda z, k, tol, w: exp(-w) / (1.0 + w), 0.0, 0.0,
                       name="lambertw", singular=True)  # fmt: skip
"""W of branch k. Its partial, w / (z (1 + w)), is written without the quotient 0/0 at z = 0."""
BY_NUMPY["_lambertw"] = lambertw  # the ufunc that scipy.special.lambertw calls
powm1 = elementwise_of_scipy("powm1", lambda x, y, z: y * power(x, y - 1.0), lambda x, y, z: power(x, y) * log(x),
                             domain=positive_base)  # fmt: skip
