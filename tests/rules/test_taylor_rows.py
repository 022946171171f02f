"""Every row of the table on power series: against nested dual numbers, and the elementary ones in 60 digits."""

import math

import mpmath
import numpy as np
import pytest
from array_samples import SAMPLES, directions, of_each
from mpmath import mp
from references import reference
from table import EPS, FUNCTIONS, ROWS, few_points, named, noise, places

from autodiff import jvp, taylor
from dualnumbers import TaylorNumber
from dualnumbers.numbers.taylor import operation
from dualnumbers.table import TABLE

ORDER = 3


def by_nesting(g, order):
    """The Taylor coefficients of t ↦ g(t) at 0, all by one call at dual numbers of dual numbers."""
    derivatives = lambda t: [g(t)]
    for _ in range(order):
        derivatives = and_next(derivatives)
    return [z / math.factorial(k) for k, z in enumerate(derivatives(0.0))]


def and_next(derivatives):
    """The derivatives of a function of a number from the zeroth on, and the next one."""

    def found(t):
        here, slopes = jvp(derivatives, [t], [1.0])
        return [*here, slopes[-1]]

    return found


def assert_same(found, expected, tolerance):
    scale = max(np.max(np.abs(x), initial=0.0) for x in expected)
    for k, (x, y) in enumerate(zip(found, expected, strict=True)):
        size = max(np.max(np.abs(y), initial=0.0), 1e-3 * scale, 64 * EPS / tolerance)
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * size, err_msg=f"coefficient {k}")


ELEMENTWISE = [f for f in FUNCTIONS if f.row.is_elementwise and places(f.row)]


def along_a_line(function, point):
    """An elementwise function along a line in all arguments that are differentiated, as one of a number."""
    speeds = [0.7 + 0.4 * k if k in places(function.row) else 0 for k in range(function.row.arity)]
    return lambda t: function(*(x + v * t if v else x for x, v in zip(point, speeds, strict=True)))


@pytest.mark.parametrize(**named(ELEMENTWISE))
def test_elementwise_rows_are_nested_dual_numbers(function):
    for point in few_points(function.row)[:2]:
        g = along_a_line(function, point)
        assert_same(taylor(g, 0.0, ORDER), by_nesting(g, ORDER), 1e-8 * noise(function.row))


@of_each([(name, sample) for name, sample in SAMPLES if sample.text != "[], 2"])
def test_rows_of_arrays_are_nested_dual_numbers(name, sample):
    """All but the histogram of no elements, which is of whole numbers."""
    pairs = list(zip(sample.arrays, directions(sample.arrays), strict=True))
    g = lambda t: sample.f(*(x + v * t for x, v in pairs))
    with np.errstate(all="ignore"):
        assert_same(taylor(g, 0.0, ORDER), by_nesting(g, ORDER), 1e-8 * sample.condition)


# --------------------------------------------------------------------------------------------- the algebra, written out


WRITTEN_OUT = {
    "product": lambda x, y: x * y, "product with a constant": lambda x, y: 3.0 * x - y * 2.0,
    "quotient": lambda x, y: x / y, "quotient by a constant": lambda x, y: x / 3.0,
    "quotient of a constant": lambda x, y: 2.0 / y, "square": lambda x, y: np.square(x - y),
    "power": lambda x, y: y**2.5, "whole power": lambda x, y: y**3, "negative power": lambda x, y: y**-2,
    "power at 0": lambda x, y: (y - 1.5) ** 3, "float_power": lambda x, y: np.float_power(y, 1.5),
}  # fmt: skip


OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power"}


def by_rules(face, *operands):
    """What the rules give for Taylor numbers of floats, whatever has been written out."""
    value = face.evaluate(*(x.primal if isinstance(x, TaylorNumber) else x for x in operands))
    return face.lifts[TaylorNumber].codes.by_rules(value, *operands)


def in_general(face, *operands):
    """What the general way gives for series that are not short."""
    return face.lifts[TaylorNumber].codes.general(*operands)


@pytest.mark.parametrize("name", WRITTEN_OUT)
@pytest.mark.parametrize("order", [1, 2, 3, 7, 11])
@pytest.mark.parametrize("kind", [float, np.float64, lambda x: np.array([x, x + 0.25]), complex])
def test_what_is_written_out_is_what_the_table_gives(name, order, kind, monkeypatch):
    """As code, of lists of floats, of series, and by the partials alone."""
    x = TaylorNumber(list(map(kind, (0.5, -1.0, 2.0, 0.25)[: order + 1])), order)
    y = TaylorNumber(list(map(kind, (1.5, 2.0, 0.5)[: order + 1])), order)
    found = [WRITTEN_OUT[name](x, y)]
    for way in (in_general, by_rules):
        for operator, row in OPERATORS.items():
            for prefix, turn in (("", 1), ("r", -1)):
                method = lambda *xs, way=way, face=TABLE[row].face, turn=turn: way(face, *xs[::turn])
                monkeypatch.setattr(TaylorNumber, f"__{prefix}{operator}__", method)
        found.append(WRITTEN_OUT[name](x, y))
    for constant in ("PRODUCT", "QUOTIENT", "SQUARE"):
        monkeypatch.setattr(operation, constant, None)
    monkeypatch.setattr(operation, "POWERS", ())
    expected = WRITTEN_OUT[name](x, y)
    for written in found:
        for c, e in zip(written.coefficients, expected.coefficients, strict=True):
            np.testing.assert_allclose(c, e, rtol=1e-13, atol=1e-13)


UNARY = [f for f in ELEMENTWISE if f.row.arity == 1 and f in ROWS and f.row.name != "_python_number"]


@pytest.mark.parametrize(**named(UNARY))
def test_short_series_are_what_the_rules_give(function):
    """Of floats and of NumPy's, by Python's function and by NumPy's; the value is of the same type."""
    row = function.row
    for (point,) in few_points(row)[:2]:
        for face in (row.python, row.numpy):
            for order, kind in ((1, float), (2, np.float64), (3, float), (4, np.float64)):
                x = TaylorNumber([kind(point), 0.7, -0.3][: order + 1], order)
                found = face.evaluate(x).coefficients
                expected = by_rules(face, x).coefficients
                assert list(map(type, found)) == list(map(type, expected))
                assert_same(found, expected, 1e-12 * noise(row))


# --------------------------------------------------------------------------------------------- 60 digits


AT = {"exp": 0.3, "expm1": 0.3, "exp2": 0.3, "log": 1.3, "log1p": 0.3, "log2": 1.3, "log10": 1.3, "sqrt": 1.3,
      "cbrt": 1.3, "sin": 0.7, "cos": 0.7, "tan": 0.7, "asin": 0.3, "acos": 0.3, "atan": 0.4, "sinh": 0.7, "cosh": 0.7,
      "tanh": 0.7, "asinh": 0.4, "acosh": 1.8, "atanh": 0.3, "reciprocal": 1.3, "square": 1.3, "erf": 0.7, "erfc": 0.7,
      "gamma": 2.3, "lgamma": 2.3, "sinc": 0.4}  # fmt: skip


def assert_digits(found, exact, tolerance):
    """Relative to each coefficient, or to its share of a series whose coefficients shrink at one rate."""
    rate = max((abs(c) ** (mp.one / k) for k, c in enumerate(exact) if k and c), default=mp.one)
    size = max(abs(c) / rate**k for k, c in enumerate(exact))
    for k, (x, y) in enumerate(zip(found, exact, strict=True)):
        assert abs(x - y) <= tolerance * max(abs(y), EPS * size * rate**k), (k, x, y)


@pytest.mark.parametrize("name", AT)
def test_twenty_coefficients_of_elementary_functions(name):
    exact = []
    with mp.workdps(60):
        exact = mpmath.taylor(reference(TABLE[name].row), mp.mpf(AT[name]), 20)
    assert_digits(taylor(TABLE[name], AT[name], 20), exact, 1e-12)


COMPOSED = {
    "exp(sin x)": (lambda x: np.exp(np.sin(x)), lambda x: mp.exp(mp.sin(x)), 0.7),
    "1 / (1 + x²)": (lambda x: 1.0 / (1.0 + x * x), lambda x: 1 / (1 + x * x), 0.5),
    "xˣ": (lambda x: x**x, lambda x: x**x, 1.5),
    "x^2.5": (lambda x: x**2.5, lambda x: x ** mp.mpf(2.5), 1.5),
    "hypot(x, 1 + x)": (lambda x: np.hypot(x, 1.0 + x), lambda x: mp.sqrt(x * x + (1 + x) ** 2), 0.5),
    "atan2(x, 1 + x²)": (lambda x: np.arctan2(x, 1.0 + x * x), lambda x: mp.atan(x / (1 + x * x)), 0.5),
    "logaddexp(x, 2x)": (lambda x: np.logaddexp(x, 2.0 * x), lambda x: mp.log(mp.exp(x) + mp.exp(2 * x)), 0.5),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_twenty_coefficients_of_composed_functions(name):
    f, exactly, x = COMPOSED[name]
    with mp.workdps(60):
        exact = mpmath.taylor(exactly, mp.mpf(x), 20)
    assert_digits(taylor(f, x, 20), exact, 1e-12)


# --------------------------------------------------------------------------------------------- high orders of matrices


HIGH = 24
"""An order at which work that doubles with each would take hours."""


def pencil(*shape, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 4.0 * np.eye(shape[-1]), rng.normal(size=shape)


def test_a_linear_system_to_a_high_order():
    (a, e), (b, c) = pencil(3, 3), pencil(3, 3, seed=2)
    x = taylor(lambda t: np.linalg.solve(a + t * e, b + t * c), 0.0, HIGH)
    for k in range(HIGH + 1):
        right = b if k == 0 else c if k == 1 else 0.0
        np.testing.assert_allclose(a @ x[k] + (e @ x[k - 1] if k else 0.0), right, atol=1e-12)


def test_sylvesters_equation_to_a_high_order():
    linalg = pytest.importorskip("autodiff.scipy").linalg
    (a, e), (q, _) = pencil(3, 3), pencil(3, 3, seed=2)
    x = taylor(lambda t: linalg.solve_sylvester(a + t * e, a, q), 0.0, HIGH)
    for k in range(HIGH + 1):
        left = a @ x[k] + x[k] @ a + (e @ x[k - 1] if k else 0.0)
        np.testing.assert_allclose(left, q if k == 0 else 0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["expm", "sqrtm", "logm", "signm"])
def test_functions_of_a_matrix_to_a_high_order(name):
    """Of a matrix A + t B that is diagonal in a fixed basis, they are the functions of numbers."""
    linalg = pytest.importorskip("autodiff.scipy").linalg
    of_number = {"expm": np.exp, "sqrtm": np.sqrt, "logm": np.log, "signm": np.sign}[name]
    basis, values, speeds = pencil(3, 3)[0], np.array([1.0, 2.0, 3.5]), np.array([0.3, -0.2, 0.5])
    diagonal = lambda d: basis @ np.diag(d) @ np.linalg.inv(basis)
    found = taylor(lambda t: getattr(linalg, name)(diagonal(values) + t * diagonal(speeds)), 0.0, 8)
    exact = taylor(of_number, values, 8, direction=speeds)
    for x, y in zip(found, exact, strict=True):
        np.testing.assert_allclose(x, diagonal(y), atol=1e-11)


def test_the_eigenvalues_of_a_symmetric_matrix_to_a_high_order():
    a, e = (x + x.T for x in pencil(3, 3))
    e = 0.3 * e
    values = taylor(lambda t: np.linalg.eigvalsh(a + t * e), 0.0, 10)
    traces = taylor(lambda t: np.trace((a + t * e) @ (a + t * e) @ (a + t * e)), 0.0, 10)
    cubes = taylor(lambda t: np.sum(np.linalg.eigvalsh(a + t * e) ** 3), 0.0, 10)
    np.testing.assert_allclose(np.sum(values, axis=1)[:3], [np.trace(a), np.trace(e), 0.0], atol=1e-11)
    np.testing.assert_allclose(cubes, traces, atol=1e-9)
