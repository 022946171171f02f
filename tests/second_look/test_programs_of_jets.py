"""Random programs in NumPy at special points: derivatives are those of the same program run on `jets.Jet`.

Where a number comes out there, each mode and each nesting has it; where ∞ or NaN does, none has a number.
"""

import itertools
from unittest import mock

import jets
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jets import Jet
from table import JACOBIANS, repeatable

from autodiff import checkpoint, grad, hessian, hvp, jacobian, jit, jvp, linearize, taylor, vjp, vmap

POINTS = (0.0, 0.0, 1.0, 4.0)
CONSTANTS = (0.0, 0.0, 1.0, 2.0)
"""None below 0: of √x − √x the slope is 0 or NaN, as terms are added before ∞ is met or after."""
WEIGHTS = np.array([1.0, 0.7, 1.3, 0.4, 1.9, 0.6, 1.1, 0.3, 1.7, 0.9, 0.2, 1.5])

ELEMENTWISE = [np.sqrt, np.sqrt, np.cbrt, np.sin, np.exp, np.arcsin, np.abs, lambda x: x * x,
               lambda x: 0.0 * x, lambda x: x - 1.0, lambda x: np.where(x > 0, np.sqrt(x), x),
               lambda x: np.where(x > 0, x * np.log(x), 0.0)]  # fmt: skip
OF_TWO = [np.add, np.multiply, lambda x, y: x / (y + 1.0), lambda x, y: np.where(y > 0, x, y)]
WITH_CONSTANTS = [
    lambda x, c: c[: x.size] * x,
    lambda x, c: np.where(c[: x.size] > 0, x, 0.0),
    lambda x, c: c[: 2 * x.size].reshape(2, -1) @ x,
    lambda x, c: x @ c[: 2 * x.size].reshape(-1, 2),
    lambda x, c: np.einsum("ij,j->i", c[: 2 * x.size].reshape(2, -1), x),
    lambda x, c: np.convolve(x, c[:2]),
    lambda x, c: np.tensordot(c[: 2 * x.size].reshape(2, -1), x, 1),
]
MOVING = [lambda x, k: np.roll(x, k), lambda x, k: x[::-1], lambda x, k: np.cumsum(x),
          lambda x, k: np.take(x, [0, k % x.size, -1]), lambda x, k: x[k % x.size :],
          lambda x, k: np.sum(x, keepdims=True)]  # fmt: skip
JOINING = [
    lambda x, y: np.concatenate((x, y)),
    lambda x, y: np.outer(x, y).reshape(-1),
    np.convolve,
    lambda x, y: (x.reshape(-1, 1) @ y.reshape(1, -1))[0],
    lambda x, y: np.einsum("i,j->j", x, y),
    lambda x, y: (x[None, : y.size] @ y[: x.size, None])[0],
]

OF_JETS = np.frompyfunc(Jet.of, 1, 1)
"""An array in which a choice left constants."""

steps = st.tuples(
    st.integers(0, 4),
    st.integers(0, 12),
    st.integers(0, 6),
    st.integers(0, 6),
    st.lists(st.sampled_from(CONSTANTS), min_size=24, max_size=24).map(np.array),
)


def program(lines):
    """A function of an array: each line makes a new one of some before."""

    def f(x):
        made = [x]
        for kind, which, i, j, c in lines:
            x, y = made[-1 - i % len(made)], made[-1 - j % len(made)]
            n = min(x.size, y.size)
            z = [
                lambda: ELEMENTWISE[which % len(ELEMENTWISE)](x),  # noqa: B023
                lambda: OF_TWO[which % len(OF_TWO)](x[:n], y[:n]),  # noqa: B023
                lambda: WITH_CONSTANTS[which % len(WITH_CONSTANTS)](x, c),  # noqa: B023
                lambda: MOVING[which % len(MOVING)](x, j),  # noqa: B023
                lambda: JOINING[which % len(JOINING)](x, y),  # noqa: B023
            ][kind]()
            made.append(OF_JETS(z[:12]) if z.dtype == object else z[:12])
        return made[-1]

    return f


def of_jets(f, x, lengths):
    """The value, the Jacobian of f, and gradient and Hessian of a weighed sum of its results, element by element."""
    with mock.patch.dict(jets.LENGTHS, known=lengths):
        out = [Jet.of(y) for y in f(np.array([Jet(v, {k: 1.0}) for k, v in enumerate(x)], object))]
        total = sum((w * y for w, y in zip(WEIGHTS.tolist(), out, strict=False)), Jet(0.0))
    places = range(len(x))
    return (
        np.array([y.value for y in out]),
        np.array([[y.slopes.get(k, 0.0) for k in places] for y in out]),
        np.array([total.slopes.get(k, 0.0) for k in places]),
        np.array([[total.bends.get((i, k), 0.0) for k in places] for i in places]),
    )


def check(found, expected, how):
    """Each number is one of the two that may be, and is there where there is one."""
    found, (one, other) = np.asarray(found), expected
    numbers = np.isfinite(found)
    close = [numbers & np.isfinite(x) & (np.abs(found - x) <= 1e-9 * (1 + np.abs(x))) for x in (one, other)]
    lost = ~numbers & ~(np.isfinite(one) & np.isfinite(other))
    assert np.all(close[0] | close[1] | lost), (how, found.tolist(), one.tolist(), other.tolist())


points = st.lists(st.sampled_from(POINTS), min_size=2, max_size=4).map(np.array)


def compared(lines, x):
    """The program, and what it is element by element with lengths and without; None where its value is no number."""
    f = program(lines)
    with np.errstate(all="ignore"):
        value = f(x)
        if not np.all(np.abs(value) < 1e6):
            return None
        found = [of_jets(f, x, lengths) for lengths in (True, False)]
    np.testing.assert_allclose(found[0][0], value, rtol=1e-12, atol=1e-12)
    return (f, *zip(*found, strict=True))


@repeatable
@given(st.lists(steps, min_size=1, max_size=6), points)
def test_first_derivatives(lines, x):
    if (of_program := compared(lines, x)) is None:
        return
    f, _, slopes, gradient, _ = of_program
    units, w = np.eye(len(x)), WEIGHTS[: len(slopes[0])]
    weighed = lambda x: np.sum(w * f(x))
    with np.errstate(all="ignore"):
        for mode in ("auto", "forward", "reverse"):
            check(jacobian(f, mode=mode)(x), slopes, mode)
        columns = lambda push: np.stack([push(unit) for unit in units], -1)
        check(columns(lambda t: jvp(f, [x], [t])[1]), slopes, "jvp")
        check(columns(lambda t: jvp(checkpoint(f), [x], [t])[1]), slopes, "checkpoint, forward")
        check(vmap(linearize(f, x)[1])(units).T, slopes, "linearize, mapped")
        check(vjp(f, x)[1](w)[0], gradient, "vjp")
        check(grad(lambda x: np.sum(w * checkpoint(f)(x)))(x), gradient, "checkpoint")
        check(vmap(grad(weighed))(np.stack([x + 1.5, x]))[1], gradient, "vmap")
        for unit, slope in zip(units, zip(*(s.T for s in slopes), strict=True), strict=True):
            found = taylor(f, x, 1, direction=unit)[1]
            # along a line, what the other elements are is constant: so numbers may be there where there are none else
            lost = [np.where(np.isfinite(found), found, s) if not np.all(np.isfinite(s)) else s for s in slope]
            check(found, lost, "taylor")


@repeatable
@given(st.lists(steps, min_size=1, max_size=5), points)
def test_second_derivatives(lines, x):
    if (of_program := compared(lines, x)) is None:
        return
    f, *_, bends = of_program
    weighed = lambda x: np.sum(WEIGHTS[: len(f(x))] * f(x))
    with np.errstate(all="ignore"):
        check(hessian(weighed)(x), bends, "hessian")
        check(np.stack([hvp(weighed)(x, unit) for unit in np.eye(len(x))]), bends, "hvp")
        for first, second in itertools.product(JACOBIANS, repeat=2):
            check(JACOBIANS[second](JACOBIANS[first](weighed))(x), bends, f"{second} of {first}")


@pytest.mark.parametrize("first", [False, True], ids=["smooth before", "special before"])
@repeatable
@given(st.lists(steps, min_size=1, max_size=4), points)
def test_compiled_gradients(first, lines, x):
    """A path on which 0 meets ∞ is found after one on which it does not, and the other way round."""
    if (of_program := compared(lines, x)) is None:
        return
    f, *_, gradient, _ = of_program
    compiled = jit(grad(lambda x: np.sum(WEIGHTS[: len(f(x))] * f(x))), exact=True)
    with np.errstate(all="ignore"):
        for at in (x, x + 0.5, x) if first else (x + 0.5, x):
            found = compiled(at)
        check(found, gradient, "compiled")
