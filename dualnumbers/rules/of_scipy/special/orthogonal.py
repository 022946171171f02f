"""Orthogonal polynomials, by their argument. Source: NIST DLMF §18.9(iii).

Each derivative is a polynomial of another family, of one degree less: so it is exact also at the ends ±1, where a
formula that divides by 1 − x² is not. The degree and the parameters are not differentiated.
"""

from functools import partial

from ....table import Refused
from ...comparisons import equal
from ...domains import Domain
from ...from_scipy import elementwise_of_scipy
from ...where import where

DEGREE = Refused("an orthogonal polynomial has no derivative by its degree here")
PARAMETER = Refused("an orthogonal polynomial has no derivative by its parameters here")
DEGREES, ENDS, BOX = (0, 8), (-1.0, 1.0), (0.5, 3.0)
inside = Domain("", (DEGREES, ENDS))
shifted = Domain("", (DEGREES, (0.0, 1.0)))
anywhere = Domain("", (DEGREES, (-3.0, 3.0)))
polynomial = partial(elementwise_of_scipy, singular=True)  # which overflows


def below(f, n, *arguments):
    """f of degree n − 1: 0 at n = 0, where SciPy's may be NaN."""
    constant = equal(n, 0)
    return where(constant, 0.0, f(where(constant, 0, n - 1), *arguments))


eval_legendre = polynomial("eval_legendre", DEGREE, lambda n, x, z: below(eval_gegenbauer, n, 1.5, x), domain=inside)
eval_sh_legendre = polynomial(
    "eval_sh_legendre", DEGREE, lambda n, x, z: 2.0 * below(eval_gegenbauer, n, 1.5, 2.0 * x - 1.0), domain=shifted
)
eval_chebyt = polynomial("eval_chebyt", DEGREE, lambda n, x, z: n * below(eval_chebyu, n, x), domain=inside)
eval_chebyu = polynomial("eval_chebyu", DEGREE, lambda n, x, z: 2.0 * below(eval_gegenbauer, n, 2.0, x), domain=inside)
eval_chebyc = polynomial("eval_chebyc", DEGREE, lambda n, x, z: n * below(eval_chebys, n, x), domain=inside)
eval_chebys = polynomial("eval_chebys", DEGREE, lambda n, x, z: below(eval_gegenbauer, n, 2.0, 0.5 * x), domain=inside)
eval_sh_chebyt = polynomial(
    "eval_sh_chebyt", DEGREE, lambda n, x, z: 2.0 * n * below(eval_sh_chebyu, n, x), domain=shifted
)
eval_sh_chebyu = polynomial(
    "eval_sh_chebyu", DEGREE, lambda n, x, z: 4.0 * below(eval_gegenbauer, n, 2.0, 2.0 * x - 1.0), domain=shifted
)
eval_hermite = polynomial("eval_hermite", DEGREE, lambda n, x, z: 2.0 * n * below(eval_hermite, n, x), domain=anywhere)
eval_hermitenorm = polynomial(
    "eval_hermitenorm", DEGREE, lambda n, x, z: n * below(eval_hermitenorm, n, x), domain=anywhere
)
eval_laguerre = polynomial(
    "eval_laguerre", DEGREE, lambda n, x, z: -below(eval_genlaguerre, n, 1.0, x), domain=anywhere
)
eval_genlaguerre = polynomial(
    "eval_genlaguerre", DEGREE, PARAMETER, lambda n, a, x, z: -below(eval_genlaguerre, n, a + 1.0, x),
    domain=Domain("", (DEGREES, BOX, (-3.0, 3.0))))  # fmt: skip
eval_gegenbauer = polynomial(
    "eval_gegenbauer", DEGREE, PARAMETER, lambda n, a, x, z: 2.0 * a * below(eval_gegenbauer, n, a + 1.0, x),
    domain=Domain("", (DEGREES, BOX, ENDS)))  # fmt: skip
eval_jacobi = polynomial(
    "eval_jacobi", DEGREE, PARAMETER, PARAMETER,
    lambda n, a, b, x, z: 0.5 * (n + a + b + 1.0) * below(eval_jacobi, n, a + 1.0, b + 1.0, x),
    domain=Domain("", (DEGREES, BOX, BOX, ENDS)))  # fmt: skip
eval_sh_jacobi = polynomial(
    "eval_sh_jacobi", DEGREE, PARAMETER, PARAMETER,
    lambda n, p, q, x, z: n * below(eval_sh_jacobi, n, p + 2.0, q + 1.0, x),
    domain=Domain("", (DEGREES, (2.0, 4.0), (0.5, 1.9), (0.0, 1.0))))  # fmt: skip
