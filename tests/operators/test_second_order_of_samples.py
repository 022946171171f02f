"""Hessians and their products go forward through a recording: for every function they are what nested modes give."""

import numpy as np
import pytest
from array_samples import each
from samples import ENTRIES, samples

from autodiff import grad, hessian, hvp, jacfwd
from autodiff.calls.structures import flatten
from dualnumbers.levels import is_number

SAMPLES = [(name, samples(name)[0]) for name in ENTRIES if samples(name)]
SMALL = 12


def of_one(sample):
    """A number made of all that a function returns, by the first small real array; None where there is none."""
    xs = sample.arrays
    kinds = [np.result_type(x).char for x in xs]
    place = next((k for k, x in enumerate(xs) if kinds[k] == "d" and 0 < np.size(x) <= SMALL), None)
    if place is None or any(kind in "FDG" for kind in kinds):
        return None

    def total(x):
        found = sample.f(*xs[:place], 1.0 * x, *xs[place + 1 :])
        parts = [part for part in flatten(found)[0] if is_number(type(part))]
        weights = [np.cos(1.0 + np.arange(np.size(part))).reshape(np.shape(part)) for part in parts]
        real = [np.real(part) + np.imag(part) for part in parts]
        return sum(np.sum(w * np.sin(part)) for w, part in zip(weights, real, strict=True)) + 0.0

    return total, xs[place]


@pytest.mark.parametrize(**each(SAMPLES))
@pytest.mark.filterwarnings("ignore")
def test_hessians_are_those_of_nested_modes(name, sample):
    made = of_one(sample)
    if made is None:
        return
    f, x = made
    try:
        with np.errstate(all="ignore"):
            expected = jacfwd(grad(f), chunk_size=1)(x)
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:  # it has no second derivative, in either way
        with pytest.raises(type(error)):
            hessian(f)(x)
        return
    v = np.cos(np.arange(np.size(x))).reshape(np.shape(x)) if np.shape(x) else 1.0
    scale = max(1.0, np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)))
    np.testing.assert_allclose(hessian(f)(x), expected, rtol=1e-9, atol=1e-10 * scale)
    product = np.tensordot(expected, v, np.ndim(v))
    np.testing.assert_allclose(hvp(f)(x, v), product, rtol=1e-9, atol=1e-10 * scale)
