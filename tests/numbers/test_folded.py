"""Second derivatives by folded numbers: they are those of nested dual numbers, whatever else the function does."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from table import FUNCTIONS, few_points, named, noise, places

from autodiff import derivative, differentiate, grad, jvp
from dualnumbers import DualNumber, TaylorNumber, dmath
from dualnumbers.numbers import folded
from dualnumbers.numbers.folded import FoldedNumber

ROOT = Path(__file__).resolve().parents[2]


def by_nesting(f, x):
    """The second derivative by nested dual numbers that are never folded."""
    return jvp(lambda x: jvp(f, [x], [1.0])[1], [x], [1.0])[1]


def twice(f, x):
    return derivative(f, (0, 0), [x])


ELEMENTWISE = [f for f in FUNCTIONS if f.row.is_elementwise and places(f.row)]


@pytest.mark.parametrize(**named(ELEMENTWISE))
def test_every_function_of_elements(function):
    row = function.row
    for point in few_points(row)[:2]:
        speeds = [0.7 + 0.4 * k if k in places(row) else 0 for k in range(row.arity)]
        g = lambda t, point=point, speeds=speeds: function(
            *(x + v * t + v * t * t if v else x for x, v in zip(point, speeds, strict=True))
        )
        expected = by_nesting(g, 0.0)
        assert twice(g, 0.0) == pytest.approx(expected, rel=1e-9 * noise(row), abs=1e-9)


A = np.array([0.5, -1.0, 2.0])

PROGRAMS = {
    "arrays": lambda x: np.sum(np.sin(x * A) * x) / np.linalg.norm(A + x),
    "an array of numbers": lambda x: np.stack([x, x * x, np.exp(x)]) @ A * x,
    "an array that is filled": lambda x: np.sum(np.array([x, x**2, 1.0]) ** 2),
    "branches": lambda x: x * x if x > 0.3 and bool(x) and not x <= 0.0 else dmath.exp(x),
    "steps": lambda x: np.floor(3.0 * x) * x**2 + abs(x) * x + np.sign(x) * x**3,
    "whole numbers": lambda x: 3 * x**4 - x // 2 + x % 2 + 2**x,
    "numbers of NumPy's": lambda x: np.float64(2.0) * x * x + np.sin(x) * A[2],
    "two results": lambda x: divmod(x, 0.25)[1] ** 2,
    "where": lambda x: np.where(x > 0.0, np.sqrt(x), 0.0) * x,
    "a constant": lambda x: x * 0.0 + 3.0,
    "the argument": lambda x: x,
    "a square": lambda x: x * x,
    "lost and found": lambda x: dmath.sin(x) - dmath.sin(x) + x - x,
    "a derivative within": lambda x: derivative(lambda y: dmath.exp(x * y) * y, 0, [x]),
    "a gradient within": lambda x: grad(lambda v: np.sum(v**3 * x))(np.ones(2))[0] * x,
    "made by hand": lambda x: (DualNumber(x, 1.0) ** 3).dual * TaylorNumber([x, 1.0], 2).coefficients[0],
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_programs(name, x):
    f = PROGRAMS[name]
    with np.errstate(all="ignore"):
        expected, found = by_nesting(f, x), twice(f, x)
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("f", [
    np.sqrt, dmath.sqrt, lambda x: np.sqrt(x * x), lambda x: np.sqrt(x) * x, lambda x: x**1.5, lambda x: np.cbrt(x),
    lambda x: np.where(x > 0, np.sqrt(x), 0.0), lambda x: x**0, lambda x: np.hypot(x, 0.0), lambda x: x**x,
])  # fmt: skip
def test_singular_points(f):
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(twice(f, 0.0), by_nesting(f, 0.0))


def test_no_perturbation_is_confused_with_another():
    assert derivative(lambda x: derivative(lambda y: x * y * y, 0, [x]) * x, 0, [3.0]) == 6.0 * 3.0**2
    assert derivative(lambda x: x * derivative(lambda y: x + y, 0, [x]), 0, [1.0]) == 1.0
    assert derivative(lambda x: derivative(lambda y: y**3, 0, [2.0 * x]), 0, [1.0]) == 24.0
    assert derivative(lambda x: derivative(lambda y: x**2 * y**2, 0, [x * x]), 0, [2.0]) == 2.0 * 4.0 * 8.0
    third = differentiate(differentiate(differentiate(lambda x: dmath.sin(x) * x)))
    assert third(0.5) == pytest.approx(derivative(lambda x: dmath.sin(x) * x, 0, [0.5], order=3), rel=1e-13)


def test_what_the_user_sees():
    """A dual number, as from two nested differentiations; it refuses what that refuses."""
    seen = []
    assert twice(lambda x: seen.append(x) or x * x, 0.5) == 2.0
    (x,) = seen
    assert type(x) is FoldedNumber
    assert isinstance(x, DualNumber)
    assert str(x) == "(0.5 + 1.0ε₁) + (1.0)ε₂"
    with pytest.raises(TypeError, match="float of a DualNumber would lose its derivative"):
        twice(float, 0.5)
    with pytest.raises(RuntimeError, match="outlived its differentiation"):
        twice(lambda y: y * x, 0.5)
    with pytest.raises(ZeroDivisionError):
        twice(lambda x: 1.0 / (x - 0.5), 0.5)
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -: 'DualNumber' and 'str'"):
        twice(lambda x: x - "a", 0.5)
    with pytest.raises(AttributeError, match="'DualNumber' object has no attribute 'coefficients'"):
        twice(lambda x: x.coefficients, 0.5)
    with pytest.raises(TypeError, match="object of type 'DualNumber' has no len"):
        twice(len, 0.5)


@pytest.mark.parametrize("of", [
    differentiate, grad, lambda f: differentiate(differentiate(f)), lambda f: lambda x: derivative(f, 0, [x], order=3),
])  # fmt: skip
def test_a_power_modulo_says_what_to_do(of):
    with pytest.raises(TypeError, match=r"lose the derivative of a \w+: write pow\(autodiff.value_of\(x\), 2, 3\)"):
        of(lambda x: pow(x, 2, 3))(0.5)


@pytest.mark.parametrize("order", ["0, [0.5], order=3", "(0, 0), [0.5]"])
def test_it_says_so_as_the_first_power_of_a_process(order, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"from autodiff import derivative\nderivative(lambda x: pow(x, 2, 3), {order})\n", encoding="utf-8"
    )
    found = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert "write pow(autodiff.value_of(x), 2, 3)" in found.stderr


def test_it_is_unfolded_once_and_only_where_it_must_be(monkeypatch):
    made, unfolded = [], folded.unfolded

    def noted(x):
        made.append(x)
        return unfolded(x)

    monkeypatch.setattr(folded, "unfolded", noted)
    assert twice(lambda x: np.exp(-x * x) * dmath.sin(3.0 * x) / (1.0 + x**2) if x < 1.0 else x, 0.5) < 0.0
    assert not made
    twice(lambda x: np.sum(x * A) + x, 0.5)
    assert made
