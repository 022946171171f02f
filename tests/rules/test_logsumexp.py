"""``logsumexp`` where elements are infinite: SciPy's values, and one derivative in both modes; and its digits."""

import mpmath
import numpy as np
import pytest
import scipy.special

from autodiff import jacfwd, jacrev, value_and_grad
from autodiff.scipy.special import logsumexp
from dualnumbers.rules.statistics.logarithmic_sums import log_sum_exp

INF = np.inf
SLOPES = [([-INF, -INF], [0, 0]), ([INF, 1.0], [1, 0]), ([INF, INF], [0.5, 0.5]), ([INF, -INF], [1, 0]),
          ([1.0, -INF], [1, 0])]  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("a", "slopes"), SLOPES, ids=str)
def test_the_infinite_is_the_maximum(a, slopes, weighted):
    a, b = np.array([a, [2.0, 2.0]]), np.ones((2, 2)) if weighted else None
    f = lambda x: logsumexp(x, axis=1, b=b)
    np.testing.assert_allclose(f(a), scipy.special.logsumexp(a, axis=1, b=b), rtol=1e-15)
    for jacobian in (jacfwd, jacrev):
        found = jacobian(f)(a)
        np.testing.assert_allclose(found[0], [slopes, [0, 0]])
        np.testing.assert_allclose(found[1], [[0, 0], [0.5, 0.5]])
        for second in (jacfwd, jacrev):
            assert np.all(np.isfinite(second(jacobian(f))(a)))


@pytest.mark.parametrize("b", [[1.0, 2.0], [-1.0, -2.0], [1.0, -2.0]])
@pytest.mark.parametrize("a", [a for a, _ in SLOPES])
def test_values_and_signs_of_weights(a, b):
    with np.errstate(all="ignore"):
        for signed in (False, True):
            expected = scipy.special.logsumexp(np.array(a), b=np.array(b), return_sign=signed)
            np.testing.assert_equal(logsumexp(np.array(a), b=np.array(b), return_sign=signed), expected)


@pytest.mark.parametrize("shift", [0.0, -0.7, 3.0, 1e6, -1e12])
def test_digits_on_either_side_of_half_of_the_weight(shift):
    """Rows in which one element has more than half of the weight, beside rows in which none has; and all of them."""
    x = np.array([[0.0, -40.0, -41.0], [0.0, -1.0, -0.5], [0.0, 0.0, -30.0], [0.0, -0.7, -20.0]]) + shift
    for rows in (x, x[1:3]):
        found = value_and_grad(lambda x: np.sum(np.arange(1.0, 1.0 + len(x)) * logsumexp(x, axis=1)))(rows)[1]
        value = log_sum_exp(rows, 1, False)
        with mpmath.workdps(60):
            for k, row in enumerate(rows):
                terms = [mpmath.exp(mpmath.mpf(float(t))) for t in row]
                np.testing.assert_allclose(value[k], float(mpmath.log(sum(terms))), rtol=4e-16, atol=2e-16 * abs(shift))
                expected = [(k + 1) * float(t / sum(terms)) for t in terms]
                np.testing.assert_allclose(found[k], expected, rtol=1e-14, atol=0)  # eps |x - z|
