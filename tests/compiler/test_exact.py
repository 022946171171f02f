"""``exact=True``: what is left to NumPy and Python has the bits that the function itself gives."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from autodiff import grad, jit

X = np.random.default_rng(1).normal(size=50)


def written_over(x):
    """An operand that nothing reads any more is not where NumPy's cos writes, which has another loop for that."""
    return np.cos(np.sin(x) * 0.9) * np.tanh(x * 1.5) + np.cos(np.cos(np.cos(x)))


def complex_numbers(x):
    """Python's operators and NumPy's functions round products and powers of complex numbers differently."""
    z = x + 1j * x[::-1]
    return z**2 * z, [z[k] * z[k + 1] * z[k + 2] for k in range(20)], [(z[k] + 0.5) ** 2 for k in range(9)]


@grad
def by_pieces(x):
    """The adjoints of elements and of whole arrays are added up in the order in which they come."""
    y = np.sin(x)
    return np.sum(y * y) + y[0] * y[1] + np.sum(y[2:] * y[:-2]) + np.exp(y[0]) * y[2] + np.sum(y * x)


@pytest.mark.parametrize("f", [written_over, complex_numbers, by_pieces], ids=lambda f: getattr(f, "__name__", ""))
def test_bits(f):
    compiled = jit(f, exact=True)
    for k in range(1, 9):
        found, expected = compiled(X / k), f(X / k)
        for one, other in zip(found, expected, strict=True):
            assert_array_equal(one, other)


def test_integers_chosen_in_an_array_of_numbers_are_floats():
    """An array that is made of numbers holds them as objects, and one of them may be an integer."""

    def f(x):
        return np.fmax(np.array([[x[0], 1.0], [0.0, x[1]]]), [2])

    for exact in (False, True):
        found = jit(f, exact=exact)(X[:2])
        assert_array_equal(found, f(X[:2]))
        assert found.dtype == f(X[:2]).dtype
