"""What of ``numpy.polynomial`` works with numbers, and what its refusals advise."""

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.chebyshev import chebval
from numpy.polynomial.polynomial import polyval

from autodiff import jacfwd, jacrev

X, C = np.array([0.3, -0.7]), np.array([1.0, 2.0, 3.0])
MODES = pytest.mark.parametrize("mode", [jacfwd, jacrev])


@MODES
@pytest.mark.parametrize(
    "evaluated",
    [
        lambda x: polyval(x, Polynomial(C).convert().coef),
        lambda x: np.poly1d(C[::-1])(x),
        lambda x: np.stack([Polynomial(C)(x[0]), Polynomial(C)(x[1])]),
    ],
)
def test_a_polynomial_at_numbers(mode, evaluated):
    np.testing.assert_allclose(mode(evaluated)(X), np.diag(2.0 + 6.0 * X), rtol=1e-15)
    np.testing.assert_allclose(mode(mode(evaluated))(X)[[0, 1], [0, 1], [0, 1]], [6.0, 6.0], rtol=1e-15)


@MODES
def test_coefficients_in_a_list(mode):
    np.testing.assert_allclose(mode(lambda c: Polynomial(list(c))(0.5))(C), [1.0, 0.5, 0.25], rtol=1e-15)
    np.testing.assert_allclose(mode(lambda c: chebval(0.5, list(c)))(C), [1.0, 0.5, -0.5], rtol=1e-15)


@MODES
@pytest.mark.parametrize("f", [
    lambda x: Polynomial(C)(x), lambda x: Chebyshev(C)(x), lambda c: Polynomial(c)(0.5), lambda c: polyval(0.5, c),
])  # fmt: skip
def test_what_numpy_would_convert_is_refused_with_the_remedy(mode, f):
    with pytest.raises(TypeError, match=r"list\(c\).*polyval\(x, p\.convert\(\)\.coef\)"):
        mode(f)(X)
