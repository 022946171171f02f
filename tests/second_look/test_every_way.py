"""A structural zero against an infinite slope is 0 by whatever way the derivative is found.

√x has the slope ∞ at 0. Along directions and cotangents with a 0 there it is 0, also where they are arguments of a
compiled function, or many at a time.
"""

import numpy as np
import pytest

from autodiff import hvp, jit, jvp, linearize, vjp, vmap

X = np.array([4.0, 0.0])
ALONG = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 2.0], [1.0, 0.0]])
"""Directions, among them what a program that was recorded along another one meets."""
PRODUCTS = {
    "jvp": lambda f: lambda t: jvp(f, [X], [t])[1],
    "linearize": lambda f: lambda t: linearize(f, X)[1](t),
    "vjp": lambda f: lambda t: vjp(f, X)[1](t)[0],
}


def one_by_one(product):
    return lambda ts: [product(t) for t in ts]


WAYS = {
    "eager": one_by_one,
    "vmap": vmap,
    "jit": lambda product: one_by_one(jit(product)),
    "jit exact": lambda product: one_by_one(jit(product, exact=True)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("product", PRODUCTS)
def test_zeros_of_a_direction(product, way):
    slopes = np.array([0.25, np.inf])
    expected = [np.where(t == 0, 0.0, slopes * np.where(t == 0, 1.0, t)) for t in ALONG]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(WAYS[way](PRODUCTS[product](np.sqrt))(ALONG), expected)
        np.testing.assert_array_equal(WAYS[way](PRODUCTS[product](jit(np.sqrt)))(ALONG), expected)


@pytest.mark.parametrize("way", WAYS)
def test_zeros_of_the_direction_of_a_second_derivative(way):
    bend = WAYS[way](lambda t: hvp(lambda x: np.sum(x**1.5))(X, t))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(
            bend(ALONG), [[0.375, 0.0], [0.0, np.inf], [0.0, 0.0], [0.375, np.inf], [0.375, 0.0]]
        )


def test_zeros_of_masks_that_are_mapped():
    masks, x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([4.0, 0.0])
    with np.errstate(all="ignore"):
        found = vmap(lambda mask: vjp(lambda x: np.sum(mask * np.sqrt(x)), x)[1](1.0)[0])(masks)
    np.testing.assert_array_equal(found, [[0.25, 0.0], [0.0, np.inf], [0.0, 0.0]])


def test_a_tangent_that_varies_itself_has_no_structural_zero():
    """d/dt of the slope along t, at t = 0, is the slope."""
    with np.errstate(all="ignore"):
        found = jvp(lambda t: jvp(np.sqrt, [X], [t])[1], [np.zeros(2)], [np.array([1.0, 1.0])])[1]
    np.testing.assert_array_equal(found, [0.25, np.inf])
