"""Dual numbers made by hand in NumPy's code: what `jvp` gives, whatever the function does with them."""

import operator

import numpy as np
import pytest
from array_samples import of_each
from samples import ENTRIES, samples

from autodiff import Variable, derivative, jvp, value_of
from autodiff.calls.structures import flatten
from dualnumbers import DualNumber

CALLS = [(name, sample) for name in ENTRIES for sample in samples(name)
         if sample.arrays and (name, sample.text) != ("real", "method")]  # fmt: skip
"""All but ``x.real``, which is a component."""


def direction(x):
    """A tangent of the shape and type of ``x``."""
    along = np.cos(np.arange(1.0, np.size(x) + 1.0)).reshape(np.shape(x))
    return (along * (1 - 0.5j) if np.iscomplexobj(x) else along).astype(np.asarray(x).dtype)[()]


def parts(out):
    """The primals and the tangents of what a function of dual numbers returned."""
    leaves = flatten(out)[0]
    duals = [z if isinstance(z, DualNumber) else DualNumber(z, np.zeros(np.shape(z))) for z in leaves]
    return [z.real for z in duals], [z.dual for z in duals]


@of_each(CALLS)
def test_every_function_of_arrays(name, sample):
    ways = list(map(direction, sample.arrays))
    found = parts(sample.f(*map(DualNumber, sample.arrays, ways)))
    expected = [flatten(tree)[0] for tree in jvp(sample.f, sample.arrays, ways)]
    for given, wanted in zip(found, expected, strict=True):
        for a, b in zip(given, wanted, strict=True):
            rounding = 64 * np.finfo(np.result_type(b, np.float16)).eps * np.max(np.abs(b), initial=0.0)
            np.testing.assert_allclose(a, b, rtol=0.0, atol=np.nan_to_num(rounding, posinf=0.0))


REAL = np.array([1.5, -0.5]), np.array([2.0, 3.0])
COMPLEX = np.array([1.5 + 2.0j, -0.5 + 1.0j]), np.array([2.0 - 1.0j, 3.0 + 0.5j])


@pytest.mark.parametrize(("real", "dual"), [REAL, COMPLEX, (1.5, 2.0), (1.5 + 2.0j, 2.0 - 1.0j)])
def test_real_is_the_component_and_the_functions_of_numpy_carry_the_derivative(real, dual):
    """``z.real`` and ``z.dual`` are the paper's; the others act on both components."""
    z = DualNumber(real, dual)
    np.testing.assert_array_equal(z.real, real)
    np.testing.assert_array_equal(z.dual, dual)
    for function in (np.real, np.imag, np.conj, lambda z: z.imag, lambda z: z.conj(), lambda z: np.real(z) * z):
        w = function(z)
        value, along = jvp(function, [real], [dual])
        np.testing.assert_array_equal(w.real, value)
        np.testing.assert_array_equal(w.dual, along)


def test_within_a_differentiation_real_is_numpys():
    assert DualNumber(3, 2).real == 3
    assert derivative(lambda x: x.real * x, 0, [3.0]) == 6.0
    assert derivative(lambda x: DualNumber(x, 2.0).real * x, 0, [3.0]) == 6.0  # the component x carries its own
    assert np.real(DualNumber(3.0, 2.0)).dual == 2.0


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_a_dual_number_of_a_variable_beside_a_variable_of_a_dual_number(op, flipped):
    """The Variable leads, whichever stands on the left."""
    of = (lambda v, d: op(v, d)) if flipped else (lambda v, d: op(d, v))
    v, d = Variable(DualNumber(3.0, 1.0)), DualNumber(Variable(2.0), 1.0)
    y = of(v, d)
    y.backward()
    assert value_of(y) == of(3.0, 2.0)
    assert value_of(v.grad) == pytest.approx(derivative(lambda v: of(v, 2.0), 0, [3.0]), rel=1e-15)
