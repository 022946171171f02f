"""Points where a formula that looks right loses its digits: partials against derivatives in 50 digits."""

import math

import numpy as np
import pytest
import scipy.special as sp
from mpmath import diff, mp
from table import nestings

import autodiff.scipy.stats as stats

UNIT = 2.0**-53


def slope(exact, *wrt):
    """The derivative of ``exact`` in these places, as a function of the point."""

    def at(*point):
        orders = tuple(wrt.count(k) for k in range(len(point)))
        steps = [max(abs(x), mp.mpf(10) ** -300) * mp.mpf(10) ** -25 for x in point]
        scaled = lambda *ts: exact(*(x + t * h for x, t, h in zip(point, ts, steps, strict=True)))
        found = diff(scaled, (0,) * len(point), orders, h=1) if len(point) > 1 else diff(scaled, 0, orders[0], h=1)
        return found / math.prod(h**k for h, k in zip(steps, orders, strict=True))

    return at


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


CASES = {
    **{f"erfinv at 1 - {k}u": (sp.erfinv, (0,), (1 - k * UNIT,), lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2))
       for k in (1, 3, 100)},
    "erfinv at -1 + u": (sp.erfinv, (0,), (UNIT - 1,), lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2)),
    "betaln of far numbers": (sp.betaln, (0,), (1e10, 1.0), slope(log_beta, 0)),
    "betaln near 0": (sp.betaln, (0,), (1.5, 1e-8), slope(log_beta, 0)),
    "betaln of alike": (sp.betaln, (1,), (3e8, 1e8), slope(log_beta, 1)),
    "beta near 0": (sp.beta, (0,), (1.5, 1e-8), slope(lambda a, b: mp.exp(log_beta(a, b)), 0)),
    "beta near 0, twice": (sp.beta, (0, 0), (1.5, 1e-8), slope(lambda a, b: mp.exp(log_beta(a, b)), 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize(("function", "wrt", "point", "exact"), CASES.values(), ids=CASES)
def test_partials_have_13_digits(function, wrt, point, exact):
    with mp.workdps(110):
        expected = exact(*map(mp.mpf, point))
    for name, partial in nestings(function, wrt):
        assert abs(partial(*point) - expected) <= 1e-13 * abs(expected), name
