"""Distributions at the ends of their support, outside it and where the parameters are not allowed."""

import numpy as np
import pytest
from mpmath import mp

import autodiff.scipy.stats as stats
from autodiff import jacfwd, jacrev

MODES = pytest.mark.parametrize("mode", [jacfwd, jacrev])


@MODES
@pytest.mark.parametrize(
    ("density", "slopes"),
    [
        (lambda x: stats.gamma.pdf(x, 2.0), [0.0, 1.0, 0.0]),
        (lambda x: stats.beta.pdf(x, 2.0, 2.0), [0.0, 6.0, -6.0]),
        (lambda x: stats.weibull_min.pdf(x, 2.0), [0.0, 2.0, -2.0 * np.exp(-1.0)]),
        (lambda x: stats.expon.pdf(x), [0.0, -1.0, -np.exp(-1.0)]),
    ],
)
def test_slopes_before_at_and_after_the_beginning_of_the_support(mode, density, slopes):
    found = mode(density)(np.array([-1.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, np.diag(slopes), rtol=1e-14, atol=1e-15)


@MODES
def test_parameters_that_are_not_allowed_give_nan_alike(mode):
    f = lambda p: stats.norm.logpdf(np.array([0.3, 0.4]), np.array([0.0, 0.0]), p)
    scale = np.array([-1.0, 2.0])
    assert np.isnan(f(scale)[0])
    found = mode(f)(scale)
    assert np.isnan(found[0, 0])
    assert np.isfinite(found[1, 1])


@MODES
def test_far_tails_do_not_cancel(mode):
    x = np.array([-40.0, 40.0])
    with mp.workdps(50):
        hazard = float(mp.npdf(40) / mp.erfc(40 / mp.sqrt(2)) * 2)
    np.testing.assert_allclose(np.diag(mode(stats.norm.logcdf)(x))[0], hazard, rtol=1e-14)
    np.testing.assert_allclose(np.diag(mode(stats.norm.logsf)(x))[1], -hazard, rtol=1e-14)


@MODES
def test_a_quantile_has_the_third_derivative_of_the_inverse(mode):
    """Of the exponential distribution as a gamma distribution: −log(1 − q)."""
    third = mode(mode(mode(lambda q: stats.gamma.ppf(q, 1.0))))
    np.testing.assert_allclose(third(np.array(0.3)), 2.0 / 0.7**3, rtol=1e-12)


@MODES
def test_whole_numbers_have_no_derivative(mode):
    with pytest.raises(TypeError, match=r"poisson\.pmf has no derivative in k, a whole number"):
        mode(lambda k: stats.poisson.pmf(k, 2.0))(np.array(2.0))
    assert mode(lambda k: stats.poisson.cdf(k, 2.0))(np.array(2.5)) == 0.0


@MODES
def test_the_density_of_f_where_its_support_begins(mode):
    for x in (0.0, 1e-12, 1e-3):
        assert stats.f.pdf(x, 2.0, 5.0) == pytest.approx((1 + 0.4 * x) ** -3.5, rel=1e-14)
        assert mode(lambda x: stats.f.logpdf(x, 2.0, 5.0))(x) == pytest.approx(-1.4 / (1 + 0.4 * x), rel=1e-13)
