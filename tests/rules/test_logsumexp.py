"""``logsumexp`` where elements are infinite: SciPy's values, and one derivative in both modes; and its digits."""

import mpmath
import numpy as np
import pytest
import scipy.special

from autodiff import grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from autodiff.scipy.special import logsumexp
from dualnumbers.rules.statistics.logarithmic_sums import LARGE, cross_entropy, log_sum_exp, softmax

INF = np.inf
RANDOM = np.random.default_rng(5)
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


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("shift", [-0.7, 0.0, 3.0, 31.0, 33.0, -1e6])
def test_digits_of_large_arrays(shift, precision):
    """As those of the same rows alone, which are a small array: of each kind that there is, many, and all of them."""
    rows = np.array([[0.0, -40.0, -41.0], [0.0, -1.0, -0.5], [0.0, 0.0, -30.0], [0.0, -0.7, -20.0], [0.0, -800.0, 0.0]])
    rows = (rows + shift).astype(precision)
    f, scipys = lambda x: np.sum(np.cos(logsumexp(x, axis=1))), scipy.special.softmax
    eps = np.finfo(precision).eps
    for chosen in (rows, rows[1:3], rows[:1], rows[2::2]):
        large = np.tile(chosen, (LARGE // chosen.size + 1, 1))
        value, small = log_sum_exp(large, 1, False), log_sum_exp(chosen, 1, False)
        np.testing.assert_allclose(value[: len(chosen)], small, rtol=2 * eps, atol=eps * abs(shift))
        assert value.dtype == precision
        assert value.tobytes() == value[: len(chosen)].tobytes() * (len(value) // len(chosen))
        found = grad(f)(large)[: len(chosen)]
        np.testing.assert_allclose(found, grad(f)(chosen), rtol=100 * eps * (1.0 + abs(shift)), atol=1e-300)
        weights = softmax(large, 1)[: len(chosen)]
        np.testing.assert_allclose(weights, scipys(chosen, axis=1), rtol=100 * eps, atol=1e-300)


def test_no_difference_is_taken_where_exponentials_are_near_1():
    """To the bit; of larger elements it is, and where all are below 0, of which the exponentials may be too small."""
    x = RANDOM.uniform(-3.0, 3.0, (200, 300))
    plain = lambda x: np.log(np.add.reduce(np.exp(x), 1))
    highest = lambda x: np.maximum.reduce(x, 1, None, None, True)
    apart = lambda x: highest(x)[:, 0] + plain(x - highest(x))
    assert np.any(plain(x) != apart(x))
    np.testing.assert_array_equal(log_sum_exp(x, 1, False), plain(x))
    for far in (x + 40.0, x - 4.0):
        np.testing.assert_array_equal(log_sum_exp(far, 1, False), apart(far))


# ------------------------------------------------------------------------- the pull-back that comes with the value

OF_SUMS = log_sum_exp.row.arguments[0]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("axis", "keepdims"), [(0, False), (1, True), ((0, 2), False), (None, True), (None, False)])
def test_the_pull_back_that_comes_with_the_value_is_the_one_without(axis, keepdims, dtype):
    """Of sums in which no element has half of the weight, in which one has, two are equal, and some are −∞."""
    x = RANDOM.normal(size=(3, 4, 5)).astype(dtype)
    x[0, :, 0], x[1, 1, 1:] = 50.0, -INF
    z, pull = OF_SUMS.with_pull(x.copy(), axis, keepdims)
    np.testing.assert_array_equal(z, log_sum_exp(x, axis, keepdims))
    g = RANDOM.normal(size=np.shape(z)).astype(dtype)[()] if np.shape(z) else 1.5
    found, expected = pull(g), OF_SUMS.by_pull(g, z, x, axis, keepdims)
    assert found.dtype == expected.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=200 * np.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("infinite", [INF, np.nan])
def test_where_the_sum_is_not_finite_no_pull_back_comes_with_it(infinite):
    with np.errstate(invalid="ignore"):
        assert OF_SUMS.with_pull(np.array([1.0, infinite]), 0, False)[1] is None


def test_a_gradient_takes_the_exponentials_once(monkeypatch):
    """Of a large array and of a small one; what is asked for several pull-backs, or at numbers, takes them again."""

    def computed_again(*arguments):
        raise AssertionError

    monkeypatch.setattr(OF_SUMS, "by_pull", computed_again)
    for n in (3, 100_000):
        x = np.linspace(-1.0, 1.0, n)
        found = grad(lambda x: 2.0 * logsumexp(x * 1.0))(x)
        np.testing.assert_allclose(found, 2.0 * scipy.special.softmax(x), rtol=1e-13)
    pullback = vjp(logsumexp, np.ones(2))[1]
    with pytest.raises(AssertionError):
        pullback(1.0)
    with pytest.raises(AssertionError):
        jvp(grad(logsumexp), [np.ones(2)], [np.ones(2)])


def test_an_argument_stays_as_it_is_and_each_gradient_is_an_array_of_its_own():
    x = RANDOM.normal(size=(400, 400))
    before, both = x.copy(), value_and_grad(lambda x: np.sum(logsumexp(x, 1) + logsumexp(x, 1)))
    first, second = both(x)[1], both(x)[1]
    assert x.tobytes() == before.tobytes()
    assert not np.shares_memory(first, second)
    np.testing.assert_allclose(first, 2.0 * scipy.special.softmax(x, 1), rtol=1e-13)
    np.testing.assert_array_equal(first, second)


def test_a_second_sweep_has_pull_backs_again():
    """The square root of a sum whose logarithm is 0 has an infinite slope, times 0: every line is pulled twice."""
    x = np.array([[0.0, -INF], [1.0, 2.0]])
    found = grad(lambda x: np.sum(np.where([False, True], np.sqrt(log_sum_exp(x, 1, False)), 0.0)))(x)
    z = np.logaddexp(1.0, 2.0)
    expected = [[0.0, 0.0], np.exp(x[1] - z) / (2.0 * np.sqrt(z))]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_of_one_number():
    assert grad(logsumexp)(1.0) == grad(logsumexp)(np.array(1.0)) == 1.0


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.3, 5.0, 1.0], [1.0, 0.0, 3.0]),
        ([2.0, 2.0, 2.0], [0.0, 0.0, 1.0]),
        ([0.3, -np.inf, 1.0], [1.0, 2.0, 3.0]),
        ([1.0, 1.0, -np.inf], [2.0, -1.0, 0.0]),
        ([-700.0, 700.0, 699.0], [1.0, 1.0, -0.5]),
    ],
)
def test_derivatives_by_elements_and_weights_of_which_some_are_0(a, b, dtype):
    """By a they are p = b q, q = eᵃ / Σ b eᵃ, and diag p − p pᵀ; by b q and −q qᵀ; by both diag q − p qᵀ."""
    a, b = np.array(a, dtype), np.array(b, dtype)
    with mpmath.workdps(50):
        powers = [mpmath.exp(mpmath.mpf(float(x))) if x > -np.inf else mpmath.mpf(0) for x in a]
        total = mpmath.fsum(mpmath.mpf(float(w)) * power for w, power in zip(b, powers, strict=True))
        q = [power / total for power in powers]
        p = [mpmath.mpf(float(w)) * of for w, of in zip(b, q, strict=True)]
        same = np.eye(3, dtype=object)
        exact = [np.array(rows, object).astype(float) for rows in (
            p, np.diag(p) - np.outer(p, p), q, -np.outer(q, q), same * q - np.outer(p, q))]  # fmt: skip
    f, tolerance = lambda a, b: logsumexp(a, b=b), {"rtol": 200 * np.finfo(dtype).eps, "atol": 0.0}
    with np.errstate(all="ignore"):
        for first in (jacfwd, jacrev):
            np.testing.assert_allclose(first(f)(a, b), exact[0], **tolerance)
            np.testing.assert_allclose(first(f, 1)(a, b), exact[2], **tolerance)
            for second in (jacfwd, jacrev):
                scale = {**tolerance, "atol": 4 * np.finfo(dtype).eps * np.max(np.abs(exact[4]))}
                np.testing.assert_allclose(second(first(f, 0), 0)(a, b), exact[1], **scale)
                np.testing.assert_allclose(second(first(f, 1), 1)(a, b), exact[3], **tolerance)
                np.testing.assert_allclose(second(first(f, 0), 1)(a, b), exact[4], **scale)


def test_a_weight_of_0_whose_term_would_overflow():
    a, b = np.array([1000.0, 1.0]), np.array([0.0, 1.0])
    assert logsumexp(a, b=b) == 1.0
    for mode in (jacfwd, jacrev):
        np.testing.assert_array_equal(mode(lambda a: logsumexp(a, b=b))(a), [0.0, 1.0])
        np.testing.assert_array_equal(mode(lambda b: logsumexp(a, b=b))(b), [np.inf, 1.0])


@pytest.mark.parametrize("reduce", [np.logaddexp.reduce, np.logaddexp2.reduce])
def test_a_reduction_by_logaddexp_is_the_maximum_at_infinity(reduce):
    x = np.array([[np.inf, 0.0, 1.0], [np.inf, np.inf, -np.inf], [0.0, -np.inf, -np.inf]])
    for mode in (jacfwd, jacrev):
        found = mode(lambda x: reduce(x, axis=1))(x)
        np.testing.assert_array_equal(found[[0, 1, 2], [0, 1, 2]], [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
        for second in (jacfwd, jacrev):
            np.testing.assert_array_equal(second(mode(lambda x: reduce(x, axis=1)))(x), 0.0)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_a_point_that_is_not_finite_leaves_the_slopes_of_others(missing, mode):
    """Of its own it has none in a loss; of log Σ exp an infinite element takes all from the finite ones."""
    x, classes = np.array([[0.5, 1.0, -0.5], [0.1, 0.2, missing], [2.0, 0.0, 1.0]]), np.array([0, 1, 2])
    with np.errstate(all="ignore"):
        slopes = mode(lambda x: cross_entropy(x, classes))(x)
        of_sums = mode(lambda x: log_sum_exp(x, -1, False))(x)
    rest = [0, 2]
    np.testing.assert_allclose(slopes[rest], (softmax(x[rest], -1) - np.eye(3)[rest]) / 3, rtol=1e-14)
    assert np.all(np.isnan(slopes[1]))
    own = np.full(3, np.nan) if np.isnan(missing) else np.array([0.0, 0.0, np.nan])
    np.testing.assert_array_equal(of_sums[1, 1], own)
    assert not np.any(of_sums[~np.eye(3, dtype=bool)])
