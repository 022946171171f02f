"""The short ways of nested scalars, and of those of np.float64, held against the table's general way."""

import cmath
import math
import operator
from collections.abc import Iterator
from contextlib import contextmanager

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from table import FUNCTIONS, few_points, is_costly, named, places

from autodiff import derivative
from dualnumbers import dmath
from dualnumbers.levels import Level, is_number
from dualnumbers.numbers import nested, pushforward
from dualnumbers.numbers.dual import make

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow}
LOW, HIGH = Level(), Level()
"""The levels of two differentiations, the second one inside the first."""

MODERATE = st.floats(0.25, 4.0) | st.floats(-4.0, -0.25)
SPECIAL = st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 1e308, 5e-324])
SCALARS = st.builds(float, MODERATE | SPECIAL) | st.builds(np.float64, MODERATE | SPECIAL)


@contextmanager
def by_the_table() -> Iterator[None]:
    """Let nothing be regular, so that every row goes the general way."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (nested, pushforward):
            patch.setattr(module, "regular", lambda x: None)
        yield


def number(a, b=1.0, c=0.7, d=-0.3):
    """(a + b ε₁) + (c + d ε₁) ε₂, a number of two levels."""
    return make(make(a, b, LOW), make(c, d, LOW), HIGH)


def parts(x):
    """The components of a number, from the value to the tangent of the tangent."""
    return [part for component in x.parts() for part in parts(component)] if is_number(type(x)) else [x]


def outcome(function, *arguments):
    """The components of what a function gives, or the type of what it raises."""
    try:
        with np.errstate(all="ignore"):
            return parts(function(*arguments))
    except (ArithmeticError, ValueError) as error:
        return type(error)


def is_close(found, expected, rounding=1e-13):
    """Whether two outcomes are the same, of one type each, up to rounding of the largest finite component."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    size = max([abs(x) for x in (*found, *expected) if cmath.isfinite(x)], default=0.0)
    return len(found) == len(expected) and all(
        type(x) is type(y) and (x == y or (x != x and y != y) or abs(x - y) <= rounding * size)
        for x, y in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("symbol", OPERATORS)
def test_an_operator_is_that_of_the_table(symbol):
    function = OPERATORS[symbol]

    @given(SCALARS, MODERATE, MODERATE, MODERATE, SCALARS, MODERATE, st.integers(-3, 4))
    def check(a, b, c, d, e, f, n):
        if symbol == "/":  # where the table overflows between, and the short way does not
            assume(abs(e) > 1e-100 or not e)
        x, y = number(a, b, c, d), number(e, f, d, c)
        for left, right in ((x, y), (x, e), (a, y), (x, n), (x, make(e, f, LOW)), (make(e, f, LOW), x),
                            (make(a, b, HIGH), make(e, f, HIGH))):  # fmt: skip
            found = outcome(function, left, right)
            with by_the_table():
                expected = outcome(function, left, right)
            assert is_close(found, expected), (left, right, found, expected)

    check()


@pytest.mark.parametrize(**named([f for f in FUNCTIONS if f.row.inline and not is_costly(f.row) and places(f.row)]))
@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_row_is_that_of_the_table(kind, function):
    for point in few_points(function.row):
        given = [number(kind(x)) if k in places(function.row) else x for k, x in enumerate(point)]
        found = outcome(function, *given)
        with by_the_table():
            expected = outcome(function, *given)
        assert is_close(found, expected, 1e-11), (point, found, expected)


PROGRAMS = {
    "dmath": (lambda x, m: m.exp(-x * x / 2.0) * m.sin(3.0 * x) / (1.0 + x * x) + m.sqrt(x), dmath, float),
    "numpy": (lambda x, m: m.exp(-x * x / 2.0) * m.sin(3.0 * x) / (1.0 + x * x) + m.sqrt(x), np, np.float64),
    "powers": (lambda x, m: x**3 / (2 - x) ** 2.5 + 1 / x**2 + 2**x + x**x, np, float),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_derivatives_of_higher_order_in_fifty_digits(name, order):
    f, functions, kind = PROGRAMS[name]
    found = derivative(lambda x: f(x, functions), (0,) * order, [kind(0.7)])
    assert type(found) is kind
    with mpmath.workdps(50):
        exact = mpmath.diff(lambda x: f(x, mpmath), mpmath.mpf("0.7"), order)
    assert abs(found - exact) <= 1e-13 * abs(exact)


def test_a_mixed_partial_of_three():
    found = derivative(lambda x, y: x**2 * y**3 / (x + y) + (x * y) ** 0.5, (0, 1, 1), [0.7, 1.3])
    with mpmath.workdps(50):
        x, y = mpmath.mpf("0.7"), mpmath.mpf("1.3")
        exact = mpmath.diff(lambda x, y: x**2 * y**3 / (x + y) + mpmath.sqrt(x * y), (x, y), (1, 2))
    assert abs(found - exact) <= 1e-13 * abs(exact)


def test_regular_numbers():
    x = number(2.0)
    assert nested.regular(x) is x
    found = nested.regular(number(np.float64(2.0)))
    assert list(map(type, parts(found))) == [float] * 4
    for other in (number(math.nan), number(2.0, math.inf), number(2.0, d=math.nan), number(-math.inf),
                  number(np.float32(2.0)), number(2.0 + 0j), np.ones(2), True):  # fmt: skip
        assert nested.regular(other) is None, other
