"""``import dualnumbers.dmath as math`` is a drop-in: every name, value and exception, and then the derivatives."""

import math
import sys

import mpmath
import numpy as np
import pytest
from drawn import at_each_of
from hypothesis import strategies as st

from autodiff import derivative, gradient
from dualnumbers import DualNumber, dmath
from dualnumbers.rules import from_scipy

CONSTANTS = {"e", "inf", "nan", "pi", "tau"}

SMOOTH = {
    "acos": (mpmath.acos, [-0.99, -0.3, 0.0, 0.7]),
    "acosh": (mpmath.acosh, [1.001, 1.5, 30.0]),
    "asin": (mpmath.asin, [-0.99, -0.3, 0.0, 0.7]),
    "asinh": (mpmath.asinh, [-1e3, -0.4, 0.0, 2.0]),
    "atan": (mpmath.atan, [-1e3, -0.4, 0.0, 2.0]),
    "atanh": (mpmath.atanh, [-0.99, -0.3, 0.0, 0.7]),
    "cbrt": (mpmath.cbrt, [1e-3, 1.7, 300.0]),
    "cos": (mpmath.cos, [-2.0, 0.0, 1.0, 100.0]),
    "cosh": (mpmath.cosh, [-2.0, 0.0, 1.0, 20.0]),
    "degrees": (mpmath.degrees, [-2.0, 0.0, 1.0]),
    "erf": (mpmath.erf, [-2.0, 0.0, 0.5, 5.0]),
    "erfc": (mpmath.erfc, [-2.0, 0.0, 0.5, 5.0]),
    "exp": (mpmath.exp, [-40.0, 0.0, 1.0, 40.0]),
    "exp2": (lambda x: mpmath.mpf(2) ** x, [-40.0, 0.0, 1.0, 40.0]),
    "expm1": (mpmath.expm1, [-40.0, -1e-9, 0.0, 1.0, 40.0]),
    "fabs": (abs, [-2.0, 3.0]),
    "gamma": (mpmath.gamma, [0.1, 1.0, 2.5, 20.0]),
    "lgamma": (mpmath.loggamma, [0.1, 1.0, 2.5, 20.0]),
    "log": (mpmath.log, [1e-3, 1.0, 300.0]),
    "log10": (mpmath.log10, [1e-3, 1.0, 300.0]),
    "log1p": (mpmath.log1p, [-0.9, -1e-9, 0.0, 300.0]),
    "log2": (lambda x: mpmath.log(x, 2), [1e-3, 1.0, 300.0]),
    "radians": (mpmath.radians, [-90.0, 0.0, 45.0]),
    "sin": (mpmath.sin, [-2.0, 0.0, 1.0, 100.0]),
    "sinh": (mpmath.sinh, [-2.0, 0.0, 1.0, 20.0]),
    "sqrt": (mpmath.sqrt, [1e-3, 1.7, 300.0]),
    "tan": (mpmath.tan, [-1.0, 0.0, 1.0, 1.5]),
    "tanh": (mpmath.tanh, [-20.0, -1.0, 0.0, 0.5, 20.0]),
}
"""Differentiable functions of one number: the reference in 50 digits, and where to compare."""

SMOOTH_IN_SEVERAL = {
    "atan2": (mpmath.atan2, [(1.0, 2.0), (-1.0, -2.0), (3.0, 0.0), (0.0, 2.0)]),
    "copysign": (lambda x, y: abs(x) * mpmath.sign(y), [(1.0, -2.0), (-1.5, -2.0), (-1.5, 2.0)]),
    "dist": (lambda p, q, r, s: mpmath.hypot(p - r, q - s), [(0.0, 0.0, 3.0, 4.0)]),
    "fma": (lambda x, y, z: x * y + z, [(2.0, 3.0, -4.0)]),
    "fmod": (lambda x, y: x - y * int(x / y), [(7.3, 2.0), (-7.3, 2.0), (7.3, -2.0)]),
    "fsum": (lambda *terms: sum(terms), [(1e16, 1.0, -1e16)]),
    "hypot": (lambda *xs: mpmath.sqrt(sum(x * x for x in xs)), [(3.0, 4.0), (2.0,), (1.0, -2.0, 2.0, 4.0)]),
    "log": (lambda x, base: mpmath.log(x) / mpmath.log(base), [(3.0, 2.0), (0.5, 10.0)]),
    "pow": (mpmath.power, [(2.0, 3.0), (0.5, -1.5), (3.0, 0.0)]),
    "prod": (lambda *factors: mpmath.fprod(factors), [(2.0, 3.0, 4.0), (2.0, 0.0, 4.0), (0.0, 0.0)]),
    "remainder": (lambda x, y: x - y * mpmath.nint(x / y), [(7.3, 2.0), (-7.3, 2.0), (6.9, 2.0)]),
    "sumprod": (lambda p, q, r, s: p * r + q * s, [(1.0, 2.0, 3.0, 4.0)]),
}
"""Differentiable functions of several numbers; ``dist`` and ``sumprod`` of two points (p, q) and (r, s)."""

OF_POINTS = {
    "dist": lambda function: lambda p, q, r, s: function([p, q], (r, s)),
    "sumprod": lambda function: lambda p, q, r, s: function([p, q], (r, s)),
    "fsum": lambda function: lambda *terms: function(terms),
    "prod": lambda function: lambda *factors: function(factors),
}
"""How to call the functions that take sequences."""

IN_PARTS = {"frexp", "ldexp", "modf", "nextafter"}
LOCALLY_CONSTANT = {"ceil", "floor", "trunc", "ulp"}
PREDICATES = {"isclose", "isfinite", "isinf", "isnan"}
OF_INTEGERS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm"}
CLASSIFIED = {*CONSTANTS, *SMOOTH, *SMOOTH_IN_SEVERAL, *IN_PARTS, *LOCALLY_CONSTANT, *PREDICATES, *OF_INTEGERS}


def test_every_name_of_math_is_here():
    public = {name for name in dir(math) if not name.startswith("_")}
    assert {name for name in public if not hasattr(dmath, name)} == set()
    assert public <= CLASSIFIED, "a new name of math: say here what it is"


# ------------------------------------------------------------------------------------------------ a drop-in

PLAIN = (
    st.sampled_from([0, 1, -1, 2, 3, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -3.0, math.pi, math.inf, -math.inf, math.nan,
                     1e308, -1e308, 5e-324, 10**400, True])
    | st.integers(-20, 20)
    | st.floats()
)  # fmt: skip
ONE, TWO, LISTS = st.tuples(PLAIN), st.tuples(PLAIN, PLAIN), st.lists(PLAIN, max_size=4)
OF_LIST, COUNTS = st.tuples(LISTS), st.tuples(st.integers(-2, 20), st.integers(-2, 20))
PAIR = st.integers(0, 3).flatmap(lambda n: st.tuples(*[st.lists(PLAIN, min_size=n, max_size=n)] * 2))
CALLS = {
    **dict.fromkeys((*SMOOTH, *LOCALLY_CONSTANT, *PREDICATES, "modf", "frexp"), ONE),
    **dict.fromkeys(("atan2", "copysign", "fmod", "isclose", "nextafter", "pow", "remainder"), TWO),
    **dict.fromkeys(("factorial", "isqrt"), st.tuples(st.integers(0, 20))),
    **dict.fromkeys(("comb", "perm", "gcd", "lcm"), COUNTS),
    **dict.fromkeys(("dist", "sumprod"), PAIR),
    **dict.fromkeys(("fsum", "prod"), OF_LIST),
    "fma": st.tuples(PLAIN, PLAIN, PLAIN),
    "hypot": LISTS.map(tuple),
    "ldexp": st.tuples(PLAIN, st.integers(-1100, 1100)),
    "log": ONE | TWO,
}


def outcome(function, arguments):
    """The type and digits of the result, or the exception: its type, and its words where ``math`` chose them."""
    try:
        return repr(function(*arguments))
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error), str(error) if "math" in str(error) else ""


@pytest.mark.parametrize("name", sorted(name for name in CALLS if hasattr(math, name)))
def test_plain_numbers_get_the_values_and_exceptions_of_math(name):
    def check(arguments):
        assert outcome(getattr(dmath, name), arguments) == outcome(getattr(math, name), arguments), arguments

    at_each_of(CALLS[name], check)


def dual(x):
    """A float as a dual number, in lists and tuples too."""
    return DualNumber(x, 1.0) if type(x) is float else type(x)(map(dual, x)) if isinstance(x, (list, tuple)) else x


def primal(x):
    """The plain values of a result."""
    return x.real if isinstance(x, DualNumber) else tuple(map(primal, x)) if isinstance(x, tuple) else x


@pytest.mark.parametrize("name", sorted(name for name in CALLS if hasattr(math, name) and name not in OF_INTEGERS))
def test_the_primal_of_a_dual_number_is_maths_bit_for_bit(name):
    def check(arguments):
        result = outcome(lambda *xs: primal(getattr(dmath, name)(*map(dual, xs))), arguments)
        assert result == outcome(getattr(math, name), arguments), arguments

    at_each_of(CALLS[name], check)


@pytest.mark.parametrize("name", sorted(name for name in CLASSIFIED - CONSTANTS if hasattr(math, name)))
@pytest.mark.parametrize("arguments", [(), ("2",), (None, None), (1.0, 2.0, 3.0, 4.0, 5.0)], ids=repr)
def test_wrong_arguments_are_refused_as_math_refuses_them(name, arguments):
    if name == "hypot":
        arguments = tuple(x for x in arguments if not isinstance(x, float))  # it takes any number of numbers
    refused = outcome(getattr(math, name), arguments)
    assert outcome(getattr(dmath, name), arguments)[0] == refused[0]


def test_constants_are_maths():
    for name in CONSTANTS - {"nan"}:
        assert getattr(dmath, name) == getattr(math, name)
    assert math.isnan(dmath.nan)


# ------------------------------------------------------------------------------------------------ derivatives


def reverse_derivative(function, place, arguments):
    return gradient(function, arguments)[place]


MODES = pytest.mark.parametrize("differentiate", [derivative, reverse_derivative], ids=["forward", "reverse"])


def exact(reference, arguments, orders):
    """The partial derivative of an mpmath function, correctly rounded."""
    with mpmath.workdps(50):
        return float(mpmath.diff(reference, tuple(map(mpmath.mpf, arguments)), orders))


@MODES
@pytest.mark.parametrize("name", SMOOTH)
def test_first_and_second_derivatives(name, differentiate):
    reference, points = SMOOTH[name]
    function = getattr(dmath, name)
    for x in points:
        first = differentiate(function, 0, [x])
        second = differentiate(lambda y: differentiate(function, 0, [y]), 0, [x])
        assert type(first) is type(second) is float
        assert first == pytest.approx(exact(reference, [x], [1]), rel=1e-14, abs=1e-300)
        assert second == pytest.approx(exact(reference, [x], [2]), rel=2e-13, abs=1e-25)


@MODES
@pytest.mark.parametrize("name", SMOOTH_IN_SEVERAL)
def test_partial_derivatives(name, differentiate):
    reference, points = SMOOTH_IN_SEVERAL[name]
    function = OF_POINTS.get(name, lambda f: f)(getattr(dmath, name))
    for point in points:
        for place in range(len(point)):
            orders = [int(k == place) for k in range(len(point))]
            expected = exact(reference, point, orders)
            assert differentiate(function, place, list(point)) == pytest.approx(expected, rel=1e-14, abs=1e-15)


@MODES
def test_functions_that_take_numbers_apart(differentiate):
    assert differentiate(lambda x: dmath.modf(x)[0], 0, [2.75]) == 1.0
    assert differentiate(lambda x: dmath.modf(x)[1], 0, [2.75]) == 0.0
    assert differentiate(lambda x: dmath.frexp(x)[0], 0, [6.0]) == 0.125
    assert differentiate(lambda x: dmath.ldexp(x, 3), 0, [6.0]) == 8.0
    assert differentiate(lambda x: dmath.nextafter(x, 10.0), 0, [6.0]) == 1.0
    assert differentiate(lambda x: dmath.nextafter(6.0, x), 0, [10.0]) == 0.0


def test_the_parts_of_a_number_are_maths():
    x = DualNumber(-2.75, 1.0)
    fraction, whole = dmath.modf(x)
    assert (fraction.real, fraction.dual, whole) == (-0.75, 1.0, -2.0)
    mantissa, exponent = dmath.frexp(x)
    assert (mantissa.real, mantissa.dual, exponent) == (*math.frexp(-2.75)[:1], 0.25, 2)


@pytest.mark.parametrize("name", sorted(LOCALLY_CONSTANT))
def test_locally_constant_functions_give_the_plain_value(name):
    for x in (-2.5, 2.5, 3.0):
        value = getattr(dmath, name)(DualNumber(x, 1.0))
        assert (type(value), value) == (type(getattr(math, name)(x)), getattr(math, name)(x))
        for differentiate in (derivative, reverse_derivative):
            assert differentiate(lambda x: 1.0 * getattr(dmath, name)(x), 0, [x]) == 0.0


def test_integers_of_traced_numbers_index_and_count():
    table = [10.0, 20.0, 30.0]
    for differentiate in (derivative, reverse_derivative):
        total = differentiate(lambda x: x * table[dmath.floor(x)] + sum([x] * dmath.ceil(x)), 0, [1.5])
        assert total == 22.0


@pytest.mark.parametrize("name", sorted(PREDICATES - {"isclose"}))
def test_predicates_are_plain_truths(name):
    for x in (1.0, math.inf, math.nan):
        assert getattr(dmath, name)(DualNumber(x, 1.0)) is getattr(math, name)(x)


def test_isclose_compares_primals():
    assert dmath.isclose(DualNumber(1.0, 5.0), 1.0 + 1e-12)
    assert not dmath.isclose(DualNumber(1.0, 5.0), DualNumber(1.1, 5.0))
    assert dmath.isclose(DualNumber(1.0, 5.0), 1.1, rel_tol=0.2)


@pytest.mark.parametrize("coordinates", [(0.0, 0.0), (0.0, 0.0, 0.0), (0.0,)])
@MODES
def test_at_the_origin_the_length_has_slope_zero(coordinates, differentiate):
    for place in range(len(coordinates)):
        assert differentiate(dmath.hypot, place, list(coordinates)) == 0.0


@pytest.mark.parametrize(
    ("name", "x"),
    [("hypot", 1e200), ("hypot", 1e-200), ("acosh", 1e300), ("asinh", 1e300), ("log1p", 1e300), ("atan", 1e300)],
)
def test_derivatives_do_not_overflow_where_they_are_finite(name, x):
    reference = {**SMOOTH, **SMOOTH_IN_SEVERAL}[name][0]
    arguments = [x, 2 * x] if name == "hypot" else [x]
    with mpmath.workdps(700):
        point = tuple(map(mpmath.mpf, arguments))
        expected = float(mpmath.diff(reference, point, [1, 0][: len(point)], h=x * 1e-9))
    assert derivative(getattr(dmath, name), 0, arguments) == pytest.approx(expected, rel=1e-8, abs=0.0)


def test_fsum_loses_nothing_in_either_component():
    terms = [DualNumber(1e16, 1e16), DualNumber(1.0, 1.0), DualNumber(-1e16, -1e16)]
    total = dmath.fsum(terms)
    assert (total.real, total.dual) == (1.0, 1.0)


def test_pow_is_maths_pow_and_fails_as_it():
    assert dmath.pow(DualNumber(2, 1), 3).real == 8.0
    for x in (-2.0, DualNumber(-2.0, 1.0)):
        with pytest.raises(ValueError, match="math domain error"):
            dmath.pow(x, 0.5)


# ------------------------------------------------------------------------------------------------ beyond numbers


@pytest.mark.parametrize("name", sorted({*SMOOTH}))
def test_arrays_are_taken_element_by_element(name):
    points = np.array(SMOOTH[name][1])
    function = getattr(dmath, name)
    z = function(DualNumber(points, np.ones_like(points)))
    scalars = [function(DualNumber(float(x), 1.0)) for x in points]
    np.testing.assert_allclose(z.real, [w.real for w in scalars], rtol=1e-14)
    np.testing.assert_allclose(z.dual, [w.dual for w in scalars], rtol=1e-14)


@pytest.mark.parametrize("name", ["gamma", "lgamma"])
def test_a_derivative_that_needs_scipy_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    from_scipy.imported.cache_clear()
    assert getattr(dmath, name)(2.5) == getattr(math, name)(2.5)
    with pytest.raises(ImportError, match=r"pip install 'dualautodiff\[scipy\]'"):
        derivative(getattr(dmath, name), 0, [2.5])
