"""Derivatives of every order over the whole range of floats, against the rows' functions in as many digits as it takes.

What is well conditioned, as the reference at the next float tells, has nearly all of its digits. Points are
fixed: powers of ten of both signs, beside whole numbers, and from the row's domain.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from mpmath import mp
from references import reference
from table import (
    ELEMENTWISE_FUNCTIONS,
    few_points,
    is_costly,
    named,
    nestings,
    numpy_function,
    orders_of,
    places,
    ranges,
)

EXPONENTS = (-200, -60, -16, -12, -8, -4, -1, 0, 1, 4, 8, 12, 60)
OSCILLATING = {"sin", "cos", "tan", "sin_pi", "cos_pi", "sinc", "sinc_1", "sindg", "cosdg", "tandg", "cotdg", "cosm1"}
BESIDE = (1 - 1e-12, 1 + 1e-9, 2 - 1e-14, 2 + 1e-10, 3 - 1e-7, 0.5 + 1e-11)
LOSS = {1: 1e-11, 2: 1e-9, 3: 1e-8}
WEIGHTS = {0: {0: 1.0}, 1: {-1: -0.5, 1: 0.5}, 2: {-1: 1.0, 0: -2.0, 1: 1.0}, 3: {-2: -0.5, -1: 1.0, 1: -1.0, 2: 0.5}}

BY_HAND = {"beta", "gamma_density", "log_less_digamma", "poch", "binom", "gumbel", "gumbel_complement",
           "kolmogorov", "polygamma_difference_0", "polygamma_difference_1"}  # fmt: skip
"""Rows in mpmath's gamma functions and exponentials of exponentials, which take long in so many digits: of these
tests/rules/test_digits.py has points."""

CANCELS = {"mills_1", "mills_2", "mills_3"}
"""Rows whose partials are a difference of nearly equal numbers far to the left, where what is written in them is 0."""


@functools.lru_cache(maxsize=10_000)
def value(f, point, places, step, digits):
    """f so many steps beside a point, each step a power of ten of the argument; derivatives of all orders share it."""
    with mp.workdps(digits):
        chosen = zip(places, map(mp.mpf, point), strict=True)
        return f(*(x + k * ((abs(x) or mp.one) * mp.mpf(10) ** -step) if k else x for k, x in chosen))


def settled(f, point, orders):
    """The partial by differences, over ever less and in ever more digits until two agree; None if they do not."""
    last = None
    for digits, step in ((120, 16), (180, 24), (420, 24), (800, 90), (1600, 92)):
        with mp.workdps(digits):
            steps = [(abs(x) or mp.one) * mp.mpf(10) ** -step for x in map(mp.mpf, point)]
            total = mp.zero
            for chosen in itertools.product(*(WEIGHTS[n].items() for n in orders)):
                z = value(f, point, tuple(k for k, _ in chosen), step, digits)
                if isinstance(z, mp.mpc) or not mp.isfinite(z):
                    return None
                total += z * math.prod(weight for _, weight in chosen)
            found = total / mp.fprod(h**n for h, n in zip(steps, orders, strict=True))
        if last and abs(found - last) <= 1e-17 * abs(found):
            return found
        last = found
    return None


def swept(row):
    """Points over the range of floats."""
    if row.arity == 1:
        exponents = [e for e in EXPONENTS if e <= 12 or row.name not in OSCILLATING]  # differences need their waves
        far = [s * 1.7 * 10.0**e for s, e in itertools.product((1, -1), exponents)]
        return [(x,) for x in (*far, *(s * x for s, x in itertools.product((1, -1), BESIDE)))]
    inner = few_points(row)
    far = itertools.product((-150, -14, -7, 7, 11, 60), (1, -1), zip(itertools.cycle(range(row.arity)), inner))
    return [*inner, *((*p[:k], s * 10.0**e, *p[k + 1 :]) for e, s, (k, p) in far)]


def is_right(function, f, point):
    """Whether the function is defined at the point, and its own value, often SciPy's, has its digits."""
    with np.errstate(all="ignore"):
        try:
            value = function(*point)
            if not np.isreal(value) or not 1e-280 < abs(value) < 1e290:
                return False
            exact = f(*map(mp.mpf, point))
        except (ArithmeticError, ValueError, TypeError):
            return False
    return not isinstance(exact, mp.mpc) and abs(exact - value) <= 1e-13 * abs(exact)


def assert_digits(function, f, point, wrt):
    orders = orders_of(wrt, len(point))
    exact = settled(f, point, orders)
    if exact is None or not 1e-280 < abs(exact) < 1e290:
        return
    with np.errstate(all="ignore"):
        found = {
            name: partial(*point) for name, partial in nestings(function, wrt) if len(set(name.split(" in "))) == 1
        }
    tolerance = mp.mpf(LOSS[len(wrt)])
    if all(abs(x - exact) <= tolerance * abs(exact) for x in found.values()):
        return
    for k, x in enumerate(point):
        beside = settled(f, (*point[:k], math.nextafter(x, math.inf), *point[k + 1 :]), orders)
        tolerance += mp.inf if beside is None else 64 * abs(beside - exact) / abs(exact)
    for name, x in found.items():
        assert abs(x - exact) <= tolerance * abs(exact), (name, wrt, point, x, exact)


SWEPT = [f for f in ELEMENTWISE_FUNCTIONS
         if reference(f.row) and not is_costly(f.row) and f.row.arity < 3 and f.row.name not in BY_HAND
         and not (f.row.domain and f.row.domain.distance and f.row.arity == 2)
         and len(places(f.row)) == len(ranges(f.row))
         and f.row.name not in CANCELS | {"fraction", "mantissa"}]  # fmt: skip
"""The rows without steps whose references are fast."""


@pytest.mark.parametrize(**named(SWEPT))
def test_well_conditioned_derivatives_keep_their_digits(function):
    f, ufunc = reference(function.row), numpy_function(function.row) or function
    for point in swept(function.row):
        if is_right(ufunc, f, point):
            for order in (1, 2, 3):
                for wrt in itertools.combinations_with_replacement(places(function.row), order):
                    assert_digits(ufunc, f, point, wrt)
