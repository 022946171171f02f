"""Dual numbers made by hand: Python's operators and protocols, and the written-out algebra held against the table."""

import copy
import math
import operator
import pickle
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from autodiff import derivative
from dualnumbers import DualNumber, dmath
from dualnumbers.levels import Level
from dualnumbers.numbers.batch import BatchArray, batch
from dualnumbers.numbers.dual import DualArray, make
from dualnumbers.table import TABLE
from dualnumbers.table.dispatch import lead


def parts(x):
    """The components of a number, those of nested numbers as nested pairs; a plain value as it is."""
    return (parts(x.real), parts(x.dual)) if isinstance(x, DualNumber) else x


X, Y = DualNumber(3.0, 1.0), DualNumber(2.0, 5.0)

# ------------------------------------------------------------------------------------------------ operators


def test_the_first_sum_of_the_paper():
    total = DualNumber(4, 7) + DualNumber(-1, 5)
    assert repr(total) == "DualNumber(3, 12)"
    assert parts(total) == (3, 12)


@pytest.mark.parametrize(
    ("expression", "real", "dual"),
    [
        ("x + y", 5, 6),
        ("x - y", 1, -4),
        ("x * y", 6, 3 * 5 + 2 * 1),
        ("x / y", 1.5, (1 * 2 - 3 * 5) / 4),
        ("x ** y", 9, 2 * 3 * 1 + 9 * math.log(3) * 5),
        ("x % y", 1, 1 - 1 * 5),
        ("10 + x", 13, 1),
        ("10 - x", 7, -1),
        ("10 * x", 30, 10),
        ("4 / x", 4 / 3, -4 / 9),
        ("2 ** x", 8, 8 * math.log(2)),
        ("7 % x", 1, -2),
        ("x + 10", 13, 1),
        ("x - 10", -7, 1),
        ("x * 10", 30, 10),
        ("x / 4", 0.75, 0.25),
        ("x ** 2", 9, 6),
        ("x ** 1", 3, 1),
        ("x ** 0", 1, 0),
        ("x ** -1", 1 / 3, -1 / 9),
        ("x ** 0.5", math.sqrt(3), 0.5 / math.sqrt(3)),
        ("pow(x, 3)", 27, 27),
        ("x % 2", 1, 1),
        ("-x", -3, -1),
        ("+x", 3, 1),
        ("abs(x)", 3, 1),
        ("abs(-x)", 3, 1),
        ("x + True", 4, 1),
        ("x * np.float64(10)", 30, 10),
        ("np.float64(10) * x", 30, 10),
        ("np.float64(10) - x", 7, -1),
        ("np.int64(2) ** x", 8, 8 * math.log(2)),
        ("sum([x, x, y])", 8, 7),
        ("math.prod([x, y])", 6, 17),
        ("max(x, y)", 3, 1),
        ("min(x, y, 4.0)", 2, 5),
    ],
)
def test_operators(expression, real, dual):
    z = eval(expression, {"x": X, "y": Y, "np": np, "math": math})
    assert parts(z) == (pytest.approx(real, rel=1e-15), pytest.approx(dual, rel=1e-15))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x // 2", 1.0),
        ("7 // x", 2.0),
        ("x // y", 1.0),
        ("round(x / 2)", 2),
        ("round(x / 7, 2)", 0.43),
        ("math.floor(x / 2)", 1),
        ("math.ceil(x / 2)", 2),
        ("math.trunc(-x / 2)", -1),
    ],
)
def test_locally_constant_operators_give_plain_numbers_of_the_type_that_python_gives(expression, value):
    z = eval(expression, {"x": X, "y": Y, "math": math})
    assert (type(z), z) == (type(value), value)


@pytest.mark.parametrize(
    ("pair", "quotient", "rest"),
    [
        (divmod(X, 2), 1.0, (1.0, 1.0)),
        (divmod(7, X), 2.0, (1.0, -2.0)),
        (divmod(X, Y), 1.0, (1.0, -4.0)),
    ],
)
def test_divmod(pair, quotient, rest):
    assert (pair[0], parts(pair[1])) == (quotient, rest)


def test_a_power_modulo_a_third_number_is_no_operation_of_dual_numbers():
    with pytest.raises(TypeError):
        pow(X, 2, 5)


@pytest.mark.parametrize("foreign", ["2", None, [1.0], {"a": 1}, object()], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.pow, operator.lt])
def test_foreign_operands_get_pythons_own_error(operation, foreign):
    error = "not supported between|unsupported operand|can't multiply|can only concatenate"
    for operands in ((X, foreign), (foreign, X)):
        with pytest.raises(TypeError, match=error):
            operation(*operands)


def test_a_foreign_class_may_take_over():
    class Unit:
        def __rmul__(self, amount):
            return amount, "metres"

    assert X * Unit() == (X, "metres")


def test_augmented_assignment_makes_a_new_scalar():
    x = before = DualNumber(3.0, 1.0)
    x *= 2
    x += 1
    assert parts(x) == (7.0, 2.0)
    assert parts(before) == (3.0, 1.0)


# ------------------------------------------------------------------------------------------------ comparisons


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (math.nan, 1.0), (0.0, -0.0)])
def test_comparisons_look_at_the_primal_only(compare, a, b):
    for x, y in product((a, DualNumber(a, 7.0)), (b, DualNumber(b, -3.0))):
        assert compare(x, y) is compare(a, b)


def test_numbers_that_differ_in_the_derivative_alone_are_equal():
    assert DualNumber(1.0, 2.0) == DualNumber(1.0, 3.0) == 1.0


@pytest.mark.parametrize(
    ("number", "truth"),
    [
        (DualNumber(0.0, 1.0), False),
        (DualNumber(-0.0, 1.0), False),
        (DualNumber(2, 0), True),
        (DualNumber(math.nan, 0.0), True),
        (DualNumber(DualNumber(0.0, 1.0), DualNumber(1.0, 0.0)), False),
    ],
)
def test_truth_is_the_primals(number, truth):
    assert bool(number) is truth


def test_an_array_has_no_single_truth():
    with pytest.raises(ValueError, match="ambiguous"):
        bool(DualNumber([1.0, 2.0], [0.0, 0.0]))


def test_hash_agrees_with_equality():
    assert hash(DualNumber(3, 1)) == hash(DualNumber(3.0, 2.0)) == hash(3.0)
    assert {3.0: "three"}[DualNumber(3.0, 1.0)] == "three"
    assert hash(DualNumber(DualNumber(3.0, 1.0), 1.0)) == hash(3.0)


# ------------------------------------------------------------------------------------------------ copies

NUMBERS = {
    "floats": DualNumber(3.0, 1.0),
    "ints": DualNumber(3, 12),
    "complex": DualNumber(1 + 2j, 3j),
    "numpy": DualNumber(np.float32(3), np.float32(1)),
    "arrays": DualNumber(np.array([3.0, 4.0]), np.array([1.0, 0.0])),
    "nested": DualNumber(DualNumber(3.0, 1.0), DualNumber(1.0, 0.0)),
}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "deepcopy", "pickle"]
)
def test_copies_keep_both_components_and_the_level(duplicate, number):
    twin = duplicate(number)
    assert type(twin) is type(number)
    assert repr(twin) == repr(number)
    assert repr(twin * number) == repr(number * number)  # numbers of two levels would nest


def test_a_deep_copy_shares_no_array():
    number = DualNumber(np.array([3.0, 4.0]), np.array([1.0, 0.0]))
    twin = copy.deepcopy(number)
    number[0] = 100.0
    assert twin.real.tolist() == [3.0, 4.0]
    assert twin.dual.tolist() == [1.0, 0.0]


# ------------------------------------------------------------------------------------------------ printing


@pytest.mark.parametrize(("number", "representation", "text"), [
    (DualNumber(3, 12), "DualNumber(3, 12)", "3 + 12ε"),
    (DualNumber(3, -12), "DualNumber(3, -12)", "3 - 12ε"),
    (DualNumber(0.5, 1e-20), "DualNumber(0.5, 1e-20)", "0.5 + 1e-20ε"),
    (DualNumber(2.0), "DualNumber(2.0, 0.0)", "2.0 + 0.0ε"),
    (DualNumber(1.0, -math.inf), "DualNumber(1.0, -inf)", "1.0 - infε"),
    (DualNumber(DualNumber(3, 1), DualNumber(1, 0)), "DualNumber(DualNumber(3, 1), DualNumber(1, 0))",
     "(3 + 1ε₁) + (1 + 0ε₁)ε₂"),
    (DualNumber(np.array([1, 2]), np.array([3, 4])), "DualNumber(array([1, 2]), array([3, 4]))", "[1 2] + [3 4]ε"),
])  # fmt: skip
def test_repr_and_str(number, representation, text):
    assert repr(number) == representation
    assert str(number) == text
    assert f"{number}" == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (".2f", "3.00 - 0.50ε"),
        ("+.1f", "+3.0 - 0.5ε"),
        (".1e", "3.0e+00 - 5.0e-01ε"),
        ("g", "3 - 0.5ε"),
    ],
)
def test_format_applies_to_both_components(spec, text):
    assert format(DualNumber(3.0, -0.5), spec) == text


def test_a_wrong_format_is_pythons_error():
    with pytest.raises(ValueError, match="format"):
        format(X, "q")


def test_a_notebook_shows_the_number_as_mathematics():
    assert DualNumber(3, 12)._repr_latex_() == r"$3 + 12\,\varepsilon$"


# ------------------------------------------------------------------------------------------------ construction


def test_components():
    assert parts(DualNumber(3.0)) == (3.0, 0.0)
    assert parts(DualNumber(real=3.0, dual=2.0)) == (3.0, 2.0)


def test_lists_become_arrays_and_a_number_spreads_over_them():
    number = DualNumber([1.0, 2.0], 1.0)
    assert number.real.tolist() == [1.0, 2.0]
    assert number.dual.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("component", ["3", object(), {1.0}, [None]], ids=lambda value: type(value).__name__)
def test_components_are_numbers(component):
    for components in ((component, 1.0), (1.0, component)):
        with pytest.raises(TypeError, match="numbers or arrays as components"):
            DualNumber(*components)


def test_components_have_one_shape():
    with pytest.raises(ValueError, match=r"shape \(3,\).*shape \(2,\)"):
        DualNumber([1.0, 2.0], [1.0, 2.0, 3.0])


def test_components_cannot_be_replaced():
    for name in ("real", "dual"):
        with pytest.raises(AttributeError):
            setattr(DualNumber(1.0, 2.0), name, 3.0)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.longdouble, complex, np.complex64])
@pytest.mark.parametrize(
    "function", [lambda x: x * x, lambda x: 2 * x + 1, lambda x: x / 2, lambda x: x**2, np.sin, np.exp]
)
def test_both_components_have_the_type_of_the_value(kind, function):
    z, value = function(DualNumber(kind(3), kind(1))), function(kind(3))
    assert (type(z.real), type(z.dual)) == (type(value), type(value))


def test_a_scalar_has_neither_length_nor_elements():
    for use in (len, iter, list, lambda x: x[0]):
        with pytest.raises(TypeError):
            use(X)


# ------------------------------------------------------------------------------------------------ arrays


def test_numpy_functions_act_element_by_element():
    x = np.array([0.5, 1.0, 2.0])
    z = np.sin(DualNumber(x, np.ones(3))) * x
    np.testing.assert_array_equal(z.real, np.sin(x) * x)
    np.testing.assert_allclose(z.dual, np.cos(x) * x, rtol=1e-15)


def test_arrays_meet_numbers_and_plain_arrays_from_both_sides():
    number, plain = DualNumber(3.0, 1.0), np.array([1.0, 2.0])
    for z in (number * plain, plain * number):
        assert (z.real.tolist(), z.dual.tolist()) == ([3.0, 6.0], [1.0, 2.0])
    array = DualNumber(plain, np.array([10.0, 20.0]))
    for z in (number * array, array * number):
        assert (z.real.tolist(), z.dual.tolist()) == ([3.0, 6.0], [31.0, 62.0])


def test_an_array_has_length_elements_and_numpys_methods():
    array = DualNumber(np.arange(6.0).reshape(2, 3), np.ones((2, 3)))
    assert (len(array), array.shape, array.ndim, array.size, array.dtype) == (2, (2, 3), 2, 6, np.float64)
    assert parts(array[1, 2]) == (5.0, 1.0)
    assert [row.real.tolist() for row in array] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert parts(array.sum()) == (15.0, 6.0)
    assert array.T.shape == (3, 2)
    assert array.mean(axis=0).dual.tolist() == [1.0, 1.0, 1.0]


def test_comparing_arrays_gives_plain_masks():
    mask = DualNumber(np.array([1.0, 3.0]), np.ones(2)) > 2
    assert type(mask) is np.ndarray
    assert mask.tolist() == [False, True]


# ------------------------------------------------------------------------------------------------ nesting by hand


def seed(x, order):
    """x + ε₁ + ε₂ + …, whose functions hold all derivatives up to the order."""
    return DualNumber(seed(x, order - 1), seed_of_one(order - 1)) if order else x


def seed_of_one(order):
    return DualNumber(seed_of_one(order - 1), 0.0) if order else 1.0


def last_part(x):
    """The coefficient of ε₁ε₂…"""
    return last_part(x.dual) if isinstance(x, DualNumber) else x


@pytest.mark.parametrize(
    ("function", "derivatives"),
    [
        (lambda x: x**3, [8.0, 12.0, 12.0, 6.0, 0.0]),
        (lambda x: 1 / x, [1 / 2, -1 / 4, 2 / 8, -6 / 16, 24 / 32]),
        (dmath.exp, [math.exp(2.0)] * 5),
        (dmath.sin, [math.sin(2.0), math.cos(2.0), -math.sin(2.0), -math.cos(2.0), math.sin(2.0)]),
        (lambda x: x**x / x**x * x, [2.0, 1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_nested_numbers_hold_higher_derivatives(function, derivatives):
    for order, expected in enumerate(derivatives):
        assert last_part(function(seed(2.0, order))) == pytest.approx(expected, rel=1e-14, abs=1e-13)


def test_components_of_a_nested_number_are_numbers_themselves():
    x = DualNumber(DualNumber(2.0, 1.0), DualNumber(1.0, 0.0))
    assert parts(x**3) == ((8.0, 12.0), (12.0, 12.0))
    assert parts((x**3).dual) == (12.0, 12.0)


def test_two_epsilons_do_not_mix():
    x, y = DualNumber(2.0, 1.0), DualNumber(DualNumber(3.0, 0.0), 1.0)
    for z in (x * y, y * x):
        assert parts(z) == ((6.0, 3.0), (2.0, 1.0))


def test_a_number_made_by_hand_is_a_constant_to_a_later_differentiation():
    assert parts(derivative(lambda t: t * t * X, 0, [5.0])) == (30.0, 10.0)


# ------------------------------------------------------------------------------------------------ algebra and table

OPERATORS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
             "power": operator.pow}  # fmt: skip
TABLES = {name: partial(lead, TABLE[name].face) for name in OPERATORS}

EXTREME = st.sampled_from([5e-324, -1e-310, 2.3e-308, 1e308, -1.7e308])
MODERATE = st.floats(0.25, 4.0) | st.floats(-4.0, -0.25) | st.floats(1e-60, 1e60) | st.floats(-1e60, -1e-60)
SPECIAL = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, math.inf, -math.inf, math.nan])
FLOATS = MODERATE | SPECIAL | EXTREME
INTEGERS = st.integers(-5, 5)
ROUNDINGS = 8 * 2.0**-53
"""Between the two forms of a quotient's tangent, (ȧ - q ḃ) / b written out and ȧ / b - (q / b) ḃ in the table."""


def outcome(function, *arguments):
    """The components of a result, or the type of the exception in its place."""
    try:
        return parts(function(*arguments))
    except (ArithmeticError, ValueError) as error:
        return type(error)


def same(a, b, tolerance=0.0):
    """Equal bit for bit and of one type, every NaN being one; or within an absolute tolerance."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(same(p, q, tolerance) for p, q in zip(a, b, strict=True))
    if type(a) is not type(b) or isinstance(a, type):
        return a is b
    return a == b or (a != a and b != b) or abs(a - b) <= tolerance


def pairs(a, b, c, d):
    """Two dual numbers; one and a plain number; a plain number and one."""
    return (DualNumber(a, b), DualNumber(c, d)), (DualNumber(a, b), c), (a, DualNumber(c, d))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "power"])
def test_the_operators_are_the_tables_bit_for_bit(name):
    @given(FLOATS, FLOATS, FLOATS | INTEGERS, FLOATS)
    def check(a, b, c, d):
        for x, y in pairs(a, b, c, d):
            assert same(outcome(OPERATORS[name], x, y), outcome(TABLES[name], x, y)), (x, y)

    check()


def terms_of_quotient(x, y):
    """|ȧ / b| + |(a / b) ḃ / b|, the finite ones of the terms that the tangent of a quotient is added up from."""
    (a, b), (c, d) = (parts(number) if isinstance(number, DualNumber) else (number, 0.0) for number in (x, y))
    return sum(filter(math.isfinite, (abs(b / c), abs(a / c * d / c)))) if c else 0.0


@example(1.0, 0.0, math.nan, 1.0)
@given(MODERATE | SPECIAL, MODERATE | SPECIAL, MODERATE | SPECIAL | INTEGERS, MODERATE | SPECIAL)
def test_quotients_are_the_tables_to_rounding(a, b, c, d):
    for x, y in pairs(a, b, c, d):
        written, table = outcome(operator.truediv, x, y), outcome(TABLES["divide"], x, y)
        assert same(written, table, ROUNDINGS * terms_of_quotient(x, y)), (x, y)


@given(*[MODERATE | EXTREME] * 4)
def test_quotients_of_very_small_and_large_numbers_are_those_of_exact_arithmetic(a, b, c, d):
    quotient = Fraction(a) / Fraction(c)
    first, second = Fraction(b) / Fraction(c), quotient * Fraction(d) / Fraction(c)
    assume(max(abs(quotient), abs(Fraction(b)) + abs(quotient * Fraction(d)), abs(first) + abs(second)) < 1e308)
    underflow = Fraction(5e-324) * (1 + abs(1 / Fraction(c)) + abs(Fraction(d) / Fraction(c)))
    error = abs(Fraction((DualNumber(a, b) / DualNumber(c, d)).dual) - (first - second))
    assert error <= Fraction(ROUNDINGS) * (abs(first) + abs(second)) + underflow


@pytest.mark.parametrize("name", OPERATORS)
def test_the_operators_are_the_tables_on_integers(name):
    for a, c in product(range(-2, 3), repeat=2):
        for x, y in pairs(a, 3, c, -2):
            written, table = outcome(OPERATORS[name], x, y), outcome(TABLES[name], x, y)
            assert same(written, table, 1e-15), (x, y)
            assert not isinstance(written, tuple) or {type(part) for part in written} <= {int, float, complex}, (x, y)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_operators_are_the_tables_on_nested_numbers(name):
    @given(st.lists(st.floats(0.25, 4.0), min_size=8, max_size=8), st.permutations([0, 1, 2, 3]))
    def check(values, zeroed):
        a, b, c, d, e, f, g, h = values
        b, d = b * (zeroed[0] > 0), d * (zeroed[1] > 0)
        nested = DualNumber(DualNumber(a, b), DualNumber(c, d))
        others = [DualNumber(DualNumber(e, f), DualNumber(g, h)), DualNumber(e, f), e, 3, -2.0]
        for x, y in [(nested, other) for other in others] + [(other, nested) for other in others]:
            assert same(outcome(OPERATORS[name], x, y), outcome(TABLES[name], x, y), 1e-11), (x, y)

    check()


# ------------------------------------------------------------------------------------------ arrays of dual numbers


def arrays_of_duals():
    """Pairs of operands: dual arrays with plain tangents, with batches of them, beside arrays and numbers."""
    rng = np.random.default_rng(5)
    for shape in ((3,), (2, 2), (1,)):
        low, level, other = Level(), Level(), Level()
        a, b = (rng.normal(size=shape) for _ in range(2))
        plain = [make(x, rng.normal(size=shape), level) for x in (a, b)]
        batches = [make(x, batch(rng.normal(size=(4, *shape)), low), level) for x in (a, b)]
        of_another = make(b, batch(rng.normal(size=(4, *shape)), other), level)
        single = make(b.astype(np.float32), rng.normal(size=shape).astype(np.float32), level)
        short = make(b[..., :1].copy(), batch(rng.normal(size=(4, *shape))[..., :1].copy(), low), level)
        for x, y in (plain, batches):
            for z in (x, y, b, np.inf * b, 2.0, -3, np.float64(0.5), b.astype(np.float32), single, short, of_another):
                yield x, z
                yield z, x


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
def test_the_operators_of_arrays_are_the_tables_bit_for_bit(name, quiet):
    for x, y in arrays_of_duals():
        for z in (x, y):
            if isinstance(z, DualNumber):
                z.level.quiet = quiet
        with np.errstate(all="ignore"):
            found, wanted = OPERATORS[name](x, y), TABLES[name](x, y)
        assert type(found) is type(wanted) is DualArray
        assert found.level is wanted.level
        for part, of_table in ((found.primal, wanted.primal), (found.tangent, wanted.tangent)):
            if isinstance(of_table, BatchArray):
                assert part.level is of_table.level
                part, of_table = part.data, of_table.data
            if type(of_table) is np.ndarray:
                assert part.dtype == of_table.dtype
                assert part.tobytes() == of_table.tobytes()
            else:
                assert type(part) is type(of_table)


def test_tangents_of_batches_warn_of_nothing():
    low, level = Level(), Level()
    x, y = (make(np.ones(2), batch(np.full((2, 2), 1e200), low), level) for _ in range(2))
    with np.errstate(all="raise"):
        for name in ("add", "subtract", "multiply", "divide"):
            OPERATORS[name](x * 1e100, y * 1e150)
