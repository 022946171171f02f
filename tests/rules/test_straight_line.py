"""The code of every row on short series: against Taylor series in 50 digits, and against the rules, bit by bit."""

import mpmath
import numpy as np
import pytest
from mpmath import mp
from references import reference
from table import EPS, FUNCTIONS, complex_of_reals, few_points, is_costly, named, noise, places

from autodiff import derivative, taylor
from autodiff.custom import elementwise
from dualnumbers import TaylorNumber, dmath
from dualnumbers.numbers.taylor import propagation
from dualnumbers.numbers.taylor.short import FORMS, SHORT
from dualnumbers.numbers.taylor.symbols import Symbol, Trace, UntraceableError
from dualnumbers.table import TABLE

ROWS = [
    f for f in FUNCTIONS
    if f.row.is_elementwise and places(f.row) and f.row.arity <= 2 and hasattr(f.row.python, "evaluate")
    and not complex_of_reals(f.row) and f.row.name != "_python_number"
]  # fmt: skip
"""The real functions of elements, of one operand and of two; a result of several has no face of its own."""

LONG = {"it2struve0", "riemann_zeta", "spence", "zeta", "zetac"}
"""The rows whose series are long computations even of the second order: no code is written of those."""


def codes_of(face):
    return face.lifts[TaylorNumber].codes


def series(row, point, order, kind=float):
    """Operands along a curve through a point; those that are not differentiated stay, and are floats or whole."""
    curves = [[0.7, -0.3, 0.2, 0.1] * 3, [-0.4, 0.5, 0.1, -0.2] * 3]
    return [
        TaylorNumber([kind(x), *curve[:order]], order) if k in places(row) else x
        for k, (x, curve) in enumerate(zip(point, curves, strict=False))
    ]


def exactly(function, xs, order):
    """The coefficients in 50 digits."""

    def at(x, t):
        """The operand, of which the coefficients are floats, at a time."""
        if type(x) is not TaylorNumber:
            return x
        return sum(mp.mpf(float(c)) * t**k for k, c in enumerate(x.coefficients))

    return mpmath.taylor(lambda t: function(*(at(x, t) for x in xs)), 0, order)


@pytest.mark.parametrize(**named([f for f in ROWS if reference(f.row) is not None]))
def test_the_code_of_each_row_has_the_digits_of_its_series(function):
    row, name = function.row, function.row.name
    for point in few_points(row)[: 1 if is_costly(row) else 3]:
        for order in (1, 2, 3, 4, 6, 8) if not is_costly(row) else (2,):
            xs = series(row, point, order)
            with mp.workdps(50):
                exact = exactly(reference(row), xs, order)
            found = row.python.evaluate(*xs).coefficients
            size = max(abs(c) for c in exact)
            for k, (c, e) in enumerate(zip(found, exact, strict=True)):
                assert abs(c - e) <= 1e-11 * noise(row) * max(abs(e), 1e-3 * size, EPS), (name, point, order, k)


@pytest.mark.parametrize(**named(ROWS))
def test_each_row_has_code_that_gives_what_the_rules_give(function):
    """To the last bit: it is what they do, written down; in Python's and in NumPy's numbers."""
    row = function.row
    for point in few_points(row)[:2]:
        for face in (row.python, row.numpy):
            codes = codes_of(face)
            for order, kind in ((1, float), (2, np.float64), (3, float), (SHORT, np.float64)):
                xs = series(row, point, order, kind)
                if any(type(x) is int for x in xs):
                    continue  # of a whole number a function may be another than of the float
                keys = tuple(x.form if type(x) is TaylorNumber else type(x) for x in xs)
                code = codes[keys if row.arity == 2 else keys[0]]
                if code is codes.general:
                    assert order == SHORT or row.name in LONG
                    continue
                value = face.evaluate(*(x.primal if type(x) is TaylorNumber else x for x in xs))
                found, expected = code(*xs).coefficients, codes.by_rules(value, *xs).coefficients
                assert list(map(type, found)) == list(map(type, expected))
                assert found == expected


def test_operands_of_every_length_and_constants_of_every_type():
    """All forms of products, quotients and powers, and of a function, to the order of the shorter one."""
    numbers = [
        TaylorNumber([kind(1.5), 0.5, -0.25, 2.0, 1.0, *[0.125] * 6][:count], order)
        for order in (1, 2, SHORT) for kind in (float, np.float64)
        for count in {1, 2, 3, order + 1} if count <= order + 1
    ]  # fmt: skip
    for x in numbers:
        for y in [*numbers, 3.0, 3, np.float64(3.0)]:
            for name in ("add", "subtract", "multiply", "divide", "power", "hypot"):
                for one, other in ((x, y), (y, x)):
                    for face in (TABLE[name].face, TABLE[name].row.numpy):
                        found = face.lifts[TaylorNumber](one, other)
                        values = [z.primal if type(z) is TaylorNumber else z for z in (one, other)]
                        expected = codes_of(face).by_rules(face.evaluate(*values), one, other)
                        assert type(found.primal) is type(expected.primal)
                        assert found.order == expected.order
                        assert found.coefficients == pytest.approx(expected.coefficients, rel=1e-14)


@pytest.mark.parametrize("name", ["sin", "sqrt", "multiply"])
def test_what_is_no_short_series_of_floats_goes_the_general_way(name):
    function = TABLE[name]
    for coefficients, order in (([1, 1], 2), ([1.0, 1j], 2), ([np.float32(1.0), np.float32(1.0)], 2), ([0.5, 1], 2),
                                ([0.5, 1.0], SHORT + 1), ([0.5], 0), ([np.ones(2), np.ones(2)], 2)):  # fmt: skip
        x = TaylorNumber(coefficients, order)
        assert x.form is None
        z = function(*[x] * function.row.arity)
        assert z.form is None or type(z.primal) in (float, np.float64)
    assert TaylorNumber([0.5, 1.0], 2).form is FORMS[2, 2, float]


def test_what_is_not_finite_is_found_by_the_rules():
    """Which tell a zero that was never moved from one that an infinite slope meets; the value raises what it raises."""
    for function in (dmath.sqrt, np.sqrt):
        assert function(TaylorNumber([0.0, 0.0, 0.0])).coefficients == (0.0, 0.0, 0.0)
        assert function(TaylorNumber([0.0, 1.0, 0.0])).coefficients[1] == np.inf
    for x in (0.0, np.float64(0.0)):
        assert (TaylorNumber([x, 1.0], 3) ** 2).coefficients == (0.0, 0.0, 1.0, 0.0)
    assert (TaylorNumber([-2.0, 1.0], 2) ** 3).coefficients == (-8.0, 12.0, -6.0)
    assert type((TaylorNumber([-2.0, 1.0], 1) ** 0.5).primal) is complex
    with pytest.raises(ValueError, match=r"math domain error|expected a"):
        dmath.log(TaylorNumber([-1.0, 1.0], 3))
    with pytest.raises(ZeroDivisionError):
        1.0 / TaylorNumber([0.0, 1.0], 3)
    with pytest.raises(OverflowError):
        dmath.exp(TaylorNumber([1e4, 1.0], 3))
    with pytest.warns(RuntimeWarning, match="divide by zero") as warnings:
        np.log(TaylorNumber([0.0, 1.0], 3))
    assert len(warnings) == 1


USERS = {
    "by x": (lambda x, z: dmath.cos(x), dmath.sin), "by z": (lambda x, z: z, dmath.exp),
    "by both": (lambda x, z: z / x * 3.0, lambda x: x**3), "of z": (lambda x, z: 1.0 + z * z, dmath.tan),
    "constant": (2.0, lambda x: 2.0 * x),
}  # fmt: skip


@pytest.mark.parametrize("name", USERS)
def test_a_rule_of_the_users_by_shorter_series(name, monkeypatch):
    """It is the function of the table, and no operation is set up."""
    partial, function = USERS[name]
    monkeypatch.setattr(propagation, "Operation", None)
    own = elementwise(partial)(function)
    for order in range(1, SHORT + 1):
        for x in (TaylorNumber([0.7, 0.5, -0.25][: order + 1], order), TaylorNumber([0.7], order)):
            found, expected = own(x).coefficients, function(x).coefficients
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)
            assert type(found[0]) is type(expected[0])


def test_a_rule_of_the_users_that_is_infinite():
    own = elementwise(lambda x, z: 0.5 / z)(dmath.sqrt)
    assert own(TaylorNumber([0.0], 2)).coefficients == (0.0, 0.0, 0.0)
    assert own(TaylorNumber([0.0, 1.0, 0.0])).coefficients[1] == np.inf


def test_a_rule_of_the_users_is_asked_at_each_call():
    """What its partial is may change; only those of the table are formulas for good."""
    factor = 2.0
    scaled = elementwise(lambda x, z: factor)(lambda x: factor * x)
    assert taylor(scaled, 1.0, 3) == [2.0, 2.0, 0.0, 0.0]
    factor = 3.0
    assert taylor(scaled, 1.0, 3) == [3.0, 3.0, 0.0, 0.0]


def test_a_symbol_has_no_value():
    trace = Trace()
    x = trace.symbol("x")
    for decide in (bool, float, round, lambda x: x > 0.0 or 1.0, TABLE["nan_to_num"]):
        with pytest.raises(UntraceableError):
            decide(x)
    assert type(x > 0.0) is Symbol
    assert dmath.sin(x) is dmath.sin(x)
    assert 0.0 - x is not -x
    assert 1.0 * x / 1.0 is x
    assert x + -dmath.sin(x) is x - dmath.sin(x)


@pytest.mark.parametrize("order", [2, 3, 4, SHORT + 1])
@pytest.mark.parametrize("n", [2, 3, 4, 2.5, 3.5, np.float64(3.0)])
@pytest.mark.parametrize("x", [1e-150, 1e-103, np.float64(1e-110), np.array([1e-110, 0.5]), np.float32(1e-14)])
def test_a_power_that_underflows_has_the_derivatives_that_do_not(x, n, order):
    """Of 1e-110³ the value is 0, the second derivative 6e-110, and the third one 6."""
    kind = np.result_type(x, float if np.ndim(x) == 0 and type(x) is float else x)
    found = taylor(lambda x: x**n, x, order, direction=np.ones_like(x))
    for k, coefficient in enumerate(found):
        with mp.workdps(50):
            exact = [
                mpmath.binomial(n, k) * mp.mpf(float(at)) ** (mp.mpf(float(n)) - k) if mpmath.binomial(n, k) else 0
                for at in np.ravel(x)
            ]
        for c, e in zip(np.ravel(coefficient), exact, strict=True):
            if abs(e) > np.finfo(kind).tiny and abs(e) < np.finfo(kind).max:
                assert abs(float(c) - e) <= 64 * np.finfo(kind).eps * abs(e), k


@pytest.mark.parametrize("x", [0.1, 0.3, 0.7, 1.1, 2.3, 1e-110])
def test_derivatives_of_small_powers_are_rounded_once(x):
    assert [derivative(lambda x: x**2, (0, 0), [x]), derivative(lambda x: x**3, (0, 0, 0), [x])] == [2.0, 6.0]
    assert derivative(lambda x: x**3, (0, 0), [x]) == 6.0 * x
