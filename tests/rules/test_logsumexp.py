"""``logsumexp`` where elements are infinite: SciPy's values, and one derivative in both modes."""

import numpy as np
import pytest
import scipy.special

from autodiff import jacfwd, jacrev
from autodiff.scipy.special import logsumexp

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
