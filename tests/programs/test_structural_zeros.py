"""Zeros against infinite slopes: 0 where a choice put the zero, NaN where it is the value of a factor, never a wrong 0.

Random compositions of singular functions at singular points are held to the limits of their slopes, which are
difference quotients with 600 digits beside the point.
"""

import functools
import random

import numpy as np
import pytest
from mpmath import mp, mpc
from table import EXAMPLES, JACOBIANS, MODES, nestings

from autodiff import derivative, grad, gradient, hessian, jacfwd, jacobian, jacrev, jvp, linearize
from autodiff import numpy as anp
from autodiff.second_look.unbounded import one_by_one

# ------------------------------------------------------------------------------------------- compositions and limits


class OutOfReachError(Exception):
    """What the reference does not follow: values that are complex, infinite, or exponents of exponents."""


def _real(function):
    def real(*xs):
        try:
            z = function(*xs)
        except (ZeroDivisionError, ValueError, OverflowError):
            raise OutOfReachError from None
        if isinstance(z, mpc) or not mp.isfinite(z) or abs(z) > mp.mpf(10) ** 5000:
            raise OutOfReachError
        return z

    return real


UNARY = {
    "sqrt": (np.sqrt, mp.sqrt),
    "cbrt": (np.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "log": (np.log, mp.log),
    "exp": (np.exp, mp.exp),
    "log1p": (np.log1p, lambda x: mp.log(1 + x)),
    "expm1": (np.expm1, lambda x: mp.exp(x) - 1),
    "square": (np.square, lambda x: x * x),
    "tanh": (np.tanh, mp.tanh),
    "arctan": (np.arctan, mp.atan),
    "abs": (np.abs, abs),
    "reciprocal": (np.reciprocal, lambda x: 1 / x),
    "cube": (lambda x: x**3, lambda x: x**3),
    "root": (lambda x: x**0.5, mp.sqrt),
    "power": (lambda x: x**1.5, lambda x: mp.sqrt(x) ** 3),
    "negative": (lambda x: -x, lambda x: -x),
    "twice": (lambda x: 2.0 * x, lambda x: 2 * x),
    "nothing": (lambda x: 0.0 * x, lambda x: 0 * x),
    "sine": (np.sin, mp.sin),
    "cosine": (np.cos, mp.cos),
}
BINARY = {
    "add": (lambda x, y: x + y,) * 2,
    "subtract": (lambda x, y: x - y,) * 2,
    "multiply": (lambda x, y: x * y,) * 2,
    "divide": (lambda x, y: x / y,) * 2,
    "hypot": (np.hypot, mp.hypot),
    "maximum": (np.maximum, lambda x, y: x if x > y else y),
}
CHOICES = ("where", "mask", "element")
POINTS = (0.0, 0.0, 0.0, 1.0, -1.0, 1000.0, -1000.0)


def composition(draw, depth):
    """A random expression, a tree of the names above; x and constants are its leaves."""
    if depth == 0:
        return draw.choice(("x", "x", "x", 1.0, 0.0))
    kind = draw.choice((UNARY, UNARY, UNARY, BINARY, BINARY, CHOICES))
    name = draw.choice(tuple(kind))
    return (name, *(composition(draw, depth - 1) for _ in range(1 if kind is UNARY or name == "mask" else 2)))


def plainly(tree, x):
    """The expression in NumPy, at a number of any kind."""
    if not isinstance(tree, tuple):
        return x if tree == "x" else tree
    name, *parts = tree
    parts = [plainly(part, x) for part in parts]
    if name == "where":
        return np.where(x > 0, *parts)
    if name == "mask":
        return (x > 0) * parts[0]
    if name == "element":
        return np.stack([part + 0.0 * x for part in parts])[1]
    return (UNARY | BINARY)[name][0](*parts)


def exactly(tree, x, at):
    """The expression in mpmath, the choices made as at the point ``at``."""
    if not isinstance(tree, tuple):
        return x if tree == "x" else mp.mpf(tree)
    name, *parts = tree
    if name in CHOICES:
        if name == "mask" and not at > 0:
            return mp.mpf(0)
        return exactly(parts[0 if name != "element" and at > 0 else -1], x, at)
    return _real((UNARY | BINARY)[name][1])(*(exactly(part, x, at) for part in parts))


@functools.cache
def limits(tree, at, order):
    """The limits of a derivative from the right and from the left, of those that exist; ±∞ where it grows."""
    found = []
    with mp.workdps(600):
        for side in (1, -1):
            try:
                near, nearer = (_beside(tree, at, side * mp.mpf(10) ** -k, order) for k in (60, 75))
            except OutOfReachError:
                continue
            grows = abs(nearer) > 10 * abs(near) and abs(nearer) > 1e3
            found.append(float(mp.sign(nearer)) * np.inf if grows else float(nearer))
    return found


def _beside(tree, at, offset, order):
    x, h = mp.mpf(at) + offset, offset * mp.mpf(10) ** -90
    values = [exactly(tree, x + k * h, at) for k in range(-1, 2)]
    return (values[2] - values[0]) / (2 * h) if order == 1 else (values[2] - 2 * values[1] + values[0]) / h**2


def is_wrong(found, tree, at, order):
    """Whether a derivative is none of those that there may be: a one-sided limit, at a kink one no larger than those.

    ∞ is one where a limit is, and NaN where a slope on the way is infinite.
    """
    sides, parts = limits(tree, at, order), list(chosen(tree, at))
    if not sides or not all(np.isfinite(value(part, at)) for part in parts):
        return False  # out of the reach of the reference, or of floats
    kink = any(is_kink(part, at) for part in parts)
    if np.isnan(found):
        return not kink and not any(is_singular(part, at, order) for part in parts)
    if any(found == side or abs(found - side) <= 1e-9 * abs(side) + TINY for side in sides):
        return False
    if np.isinf(found):
        return not kink or not any(np.any(np.isinf(limits(part, at, k))) for part in parts for k in (1, order))
    bound = max(map(abs, sides))
    return not kink or bool(np.isinf(bound)) or abs(found) > bound * (1 + 1e-9) + TINY


TINY = 1e-12


def chosen(tree, at):
    """An expression and all that it is made of, without leaves and what is not chosen at the point ``at``."""
    if not isinstance(tree, tuple):
        return
    yield tree
    name, *parts = tree
    if name in CHOICES:
        parts = parts[-1:] if name == "element" or not at > 0 else parts[:1]
    for part in parts if name != "mask" or at > 0 else ():
        yield from chosen(part, at)


def value(tree, at):
    """The value of an expression in NumPy; NaN where it fails."""
    with np.errstate(all="ignore"):
        try:
            return plainly(tree, np.float64(at))
        except ArithmeticError:
            return np.nan


def is_kink(tree, at):
    """Whether an expression has another slope on the left than on the right, or its function one of its kinks."""
    name, *parts = tree
    given = [float(value(part, at)) for part in parts]
    kinks = {"abs": not given[0], "hypot": not any(given), "maximum": len(set(given)) == 1}
    sides = limits(tree, at, 1)
    return kinks.get(name, False) or not np.allclose(sides, sides[:1] * len(sides), 1e-9, TINY)


def is_singular(tree, at, order):
    """Whether the function of an expression has an infinite slope there, or none."""
    name, part, *_ = tree
    if name not in UNARY:
        return name == "divide" and value(tree[2], at) == 0
    slopes = [limits((name, "x"), float(value(part, at)), k) for k in range(1, order + 1)]
    return any(len(sides) < 2 or not np.all(np.isfinite(sides)) for sides in slopes)


@pytest.mark.parametrize("found", [np.inf, -np.inf, np.nan, 99.0])
@pytest.mark.parametrize("order", [1, 2])
def test_what_is_wrong_is_found(found, order):
    for tree, at in ((("sine", "x"), 0.0), (("hypot", "x", 1.0), 0.0), (("cosine", ("square", "x")), 1.0),
                     (("where", ("sqrt", "x"), ("twice", "x")), 0.0)):  # fmt: skip
        assert is_wrong(found, tree, at, order)
    assert is_wrong(1e6, ("abs", "x"), 0.0, order)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_compositions_of_singular_functions(seed, order):
    draw = random.Random(100 * order + seed)
    for _ in range(2 * EXAMPLES // order):
        tree, at = composition(draw, draw.randint(1, 4)), draw.choice(POINTS)
        with np.errstate(all="ignore"):
            for name, partial in nestings(lambda x, tree=tree: plainly(tree, x), (0,) * order, MODES):
                try:
                    found = partial(at)
                except (TypeError, ArithmeticError):
                    continue  # Python's arithmetic fails, or turns complex
                assert not is_wrong(found, tree, at, order), (name, tree, at, found, limits(tree, at, order))


# ------------------------------------------------------------------------------------------- arrays

MASK = np.array([0.0, 1.0, 1.0])
PADDED = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
V = np.array([0.0, 4.0, 9.0])
STRUCTURAL = {
    "where": (lambda v: np.where(v > 0, np.sqrt(v), 0.0), [0.0, 0.25, 1 / 6]),
    "an element": (lambda v: np.sqrt(v)[1:], [0.0, 0.25, 1 / 6]),
    "a mask": (lambda v: (v > 0) * np.sqrt(v), [0.0, 0.25, 1 / 6]),
    "a mask of floats": (lambda v: (v > 0).astype(float) * np.log(v), [0.0, 0.25, 1 / 9]),
    "constant zeros": (lambda v: MASK * np.sqrt(v), [0.0, 0.25, 1 / 6]),
    "a product with constant zeros": (lambda v: PADDED.T @ np.sqrt(v[::-1]), [0.0, 0.5, 1 / 6]),
    "einsum with constant zeros": (lambda v: np.einsum("i,i->i", MASK, np.log(v)), [0.0, 0.25, 1 / 9]),
    "a larger one": (lambda v: np.maximum(np.sqrt(v), 1.0), [0.0, 0.25, 1 / 6]),
    "the largest": (lambda v: np.max(np.sqrt(v)), [0.0, 0.0, 1 / 6]),
    "sorted": (lambda v: np.sort(np.sqrt(v))[1:], [0.0, 0.25, 1 / 6]),
    "the median": (lambda v: np.median(np.sqrt(v)), [0.0, 0.25, 0.0]),
    "clipped": (lambda v: np.clip(np.sqrt(v), 1.0, 2.5), [0.0, 0.25, 0.0]),
    "taken": (lambda v: np.take(np.cbrt(v), [1, 1]), [0.0, 2 / 3 * 4 ** (-2 / 3), 0.0]),
    "overwritten": (lambda v: _written(np.sqrt(v)), [0.0, 0.25, 1 / 6]),
    "power 0": (lambda v: np.sqrt(v)[1:] + np.sum(np.sqrt(v) ** 0), [0.0, 0.25, 1 / 6]),
    "a matrix product beside": (lambda v: np.where(v > 0, np.sqrt(v), 0.0) @ np.eye(3), [0.0, 0.25, 1 / 6]),
    "softmax beside": (lambda v: np.where(v > 0, np.log(v), -1e30)[1:], [0.0, 0.25, 1 / 9]),
    "norms of rows": (lambda v: np.where(v > 0, np.linalg.norm(np.sqrt(v)[:, None], axis=1), 0.0), [0.0, 0.25, 1 / 6]),
    "a number times constant zeros": (lambda v: np.sqrt(v[1] * MASK), [0.0, 0.5, 0.0]),
    "a row times a column of constant zeros": (lambda v: np.sqrt(np.outer(v[1:], MASK)), [0.0, 0.5, 1 / 3]),
    "stored": (lambda v: _stored(np.sqrt(v[1:] * MASK[:2])), [0.0, 0.0, 1 / 6]),
    "a view that is returned": (lambda v: _rows(np.sqrt(np.outer(v[1:], MASK))), [0.0, 0.0, 1 / 3]),
    "above a Cholesky factor's diagonal": (
        lambda v: np.cbrt(np.linalg.cholesky(np.diag(v[1:]))[0]),
        [0.0, 4 ** (-5 / 6) / 6, 0.0],
    ),
    "whole parts": (lambda v: np.sqrt(np.floor(v / 8) * v), [0.0, 0.0, 1 / 6]),
    "whole multiples": (lambda v: np.sqrt(v // 8 * v), [0.0, 0.0, 1 / 6]),
    "rounded to a decimal": (lambda v: np.sqrt(np.round(v / 50, 1) * v), [0.0, 0.1**0.5 / 4, 0.2**0.5 / 6]),
    "an element of 0": (lambda v: np.stack([v[1] ** 0.5, v[0] ** 0.5])[0], [0.0, 0.25, 0.0]),
}


def _stored(x):
    """An array that takes numbers, and is what is returned."""
    y = anp.zeros(2)
    anp.add.at(y, [0, 1], x)
    return y


def _rows(x):
    """A view of what is written to once more."""
    last = list(x)[-1]
    x[0] = 7.0
    return last


def _written(x):
    x = x.copy()
    x[0] = 7.0
    return x


@pytest.mark.parametrize("mode", [*JACOBIANS.values(), jacobian], ids=[*JACOBIANS, "auto"])
@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural_zeros_of_arrays(name, mode):
    f, slopes = STRUCTURAL[name]
    with np.errstate(all="ignore"):
        found = mode(f, 0)(V) if mode is not jacobian else jacobian(f)(V)
        np.testing.assert_allclose(found.reshape(-1, 3).sum(0), slopes, rtol=1e-14)
        np.testing.assert_allclose(grad(lambda v: np.sum(f(v)))(V), slopes, rtol=1e-14)


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural_zeros_at_second_order(name):
    f, _ = STRUCTURAL[name]
    beside = np.array([1.0, 4.0, 9.0])
    with np.errstate(all="ignore"):
        smooth = [partial(beside) for _, partial in nestings(lambda v: np.sum(f(v)), (0, 0), JACOBIANS)]
        for (how, partial), there in zip(nestings(lambda v: np.sum(f(v)), (0, 0), JACOBIANS), smooth, strict=True):
            found = partial(V)
            np.testing.assert_allclose(found[1:, 1:], there[1:, 1:], rtol=1e-13, err_msg=how)
            np.testing.assert_array_equal([*found[0], *found[1:, 0]], 0.0, err_msg=how)
        np.testing.assert_array_equal(hessian(lambda v: np.sum(f(v)))(V)[0], 0.0)


def test_gaussian_kernels_of_pairwise_distances():
    """Their diagonal is at the kink of a length, whose square has no second derivative of its own there."""
    x = np.array([[0.0, 0.0], [1.0, 2.0], [0.5, -1.0]])
    expected = hessian(lambda x: np.sum(np.exp(-np.sum((x[:, None] - x) ** 2, -1))))(x)
    for distances in (
        lambda d: np.linalg.norm(d, axis=-1),
        lambda d: np.hypot(d[..., 0], d[..., 1]),
        lambda d: np.sqrt(np.sum(d**2, -1)),
    ):

        def kernels(x, distances=distances):
            return np.sum(np.exp(-(distances(x[:, None] - x) ** 2)))

        for how, second in nestings(kernels, (0, 0), JACOBIANS):
            np.testing.assert_allclose(second(x), expected, atol=1e-14, err_msg=how)


@pytest.mark.parametrize("second", MODES.values(), ids=MODES)
@pytest.mark.parametrize("first", MODES.values(), ids=MODES)
def test_a_zero_of_an_outer_number_is_no_constant(first, second):
    """x √w at w = 0: the slope by w is 0 for the constant x = 0, but its slope by x is ∞."""
    found = second(lambda x: first(lambda w: x * np.sqrt(w), 0)(0.0), 0)(0.0)
    assert np.isnan(found) or np.isinf(found)


def test_zeros_of_a_tangent():
    zero, t = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.25, 0.0])
    np.testing.assert_array_equal(jvp(np.sqrt, [V], [zero])[1], t)
    np.testing.assert_array_equal(linearize(np.sqrt, V)[1](zero), t)
    np.testing.assert_array_equal(jacfwd(np.sqrt)(V), np.diag([np.inf, 0.25, 1 / 6]))
    assert jvp(np.sqrt, [0.0], [0.0])[1] == 0.0


SUMS = {
    "matmul": lambda a, x: a @ x,
    "matmul from the left": lambda a, x: x @ a.T,
    "matmul of a column": lambda a, x: (a @ x[:, None])[:, 0],
    "dot": np.dot,
    "inner": np.inner,
    "tensordot": lambda a, x: np.tensordot(a, x, 1),
    "einsum": lambda a, x: np.einsum("ij,j->i", a, x),
    "vecdot": np.vecdot,
    "convolve": lambda a, x: np.stack([np.convolve(row[::-1], x, mode="valid")[0] for row in a]),
    "average": lambda a, x: np.average(np.stack([x] * 2), axis=1, weights=a / 4) * np.sum(a, axis=1),
}
"""A row of ``a`` times ``x`` each, by what is no elementwise function, for two rows of four."""


def _one_by_one(a, x):
    return [sum(a[i, j] * x[j] for j in range(len(x))) for i in range(len(a))]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", SUMS)
def test_infinite_terms_of_a_sum_stay_where_they_reach(name, seed):
    """A constant 0 leaves them out of a sum as it does where the sum is written element by element."""
    draw = np.random.default_rng(seed)
    x, a = draw.choice([0.0, 0.0, 1.0, 4.0], 4), np.abs(draw.choice([0.0, 0.0, 1.0, 2.0], (2, 4)))
    if name == "average":
        a[:, 3] += 1.0  # weights of some sum
    product = SUMS[name]
    for inside, outside in ((np.sqrt, np.sin), (np.square, np.sqrt), (np.positive, np.sqrt), (np.sqrt, np.square)):
        whole = lambda x, inside=inside, outside=outside: np.sum(outside(product(a, inside(x))))
        terms = lambda x, inside=inside, outside=outside: sum(map(outside, _one_by_one(a, list(map(inside, x)))))
        with np.errstate(all="ignore"):
            for mode in (grad, jacfwd, jacrev, gradient):
                of = (lambda f: mode(f, [x])) if mode is gradient else lambda f, mode=mode: mode(f)(x)  # noqa: B023
                np.testing.assert_allclose(of(whole), of(terms), rtol=1e-13, err_msg=mode.__name__)
            for along in (np.ones(4), np.array([1.0, 0.0, -2.0, 0.5])):
                expected = jvp(terms, [x], [along])[1]
                np.testing.assert_allclose(jvp(whole, [x], [along])[1], expected, rtol=1e-13)
                np.testing.assert_allclose(linearize(whole, x)[1](along), expected, rtol=1e-13)


def test_many_infinite_terms_take_no_longer_than_few():
    """They go together: what none of them reaches has its derivative all the same."""
    n, asked = 300, []
    x, a = np.r_[np.zeros(n), np.ones(n)], np.ones((2 * n, 2 * n))
    a[n:, :n] = 0.0

    def passed(given):
        asked.append(given)
        return a @ given

    with np.errstate(all="ignore"):
        t = 0.5 / np.sqrt(x)
        found = one_by_one(a @ t, t, passed, lambda pattern: (a != 0) @ pattern)
        np.testing.assert_array_equal(found, np.r_[np.full(n, np.inf), np.full(n, n / 2)])
        np.testing.assert_array_equal(jvp(lambda x: a[n:] @ np.sqrt(x), [x], [np.ones(2 * n)])[1], np.full(n, n / 2))
    assert len(asked) == 2


def test_a_function_that_cannot_be_run_twice_keeps_nan():
    calls = []

    def f(x):
        calls.append(x)
        return np.cbrt(x**3) if len(calls) == 1 else np.cos(x)

    assert np.isnan(derivative(f, 0, [0.0]))
    assert len(calls) == 2


# ------------------------------------------------------------------------------------------- lengths

X = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [1.0, 1.0]])


def _each(product, d):
    """The product of each vector with itself."""
    return np.stack([np.stack([product(v, v) for v in row]) for row in d])


DISTANCES = {
    "squares": lambda d: np.sqrt(np.sum(d**2, -1)),
    "np.square": lambda d: np.sum(np.square(d), -1) ** 0.5,
    "products": lambda d: np.sqrt(d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]),
    "einsum": lambda d: np.sqrt(np.einsum("ijk,ijk->ij", d, d)),
    "rows by columns": lambda d: np.sqrt((d[..., None, :] @ d[..., None])[..., 0, 0]),
    "of other shapes": lambda d: np.sqrt(np.sum(((d[None] * 0.5) * (d * 0.5).reshape(1, *d.shape))[0] * 4.0, -1)),
    "vecdot": lambda d: np.sqrt(np.vecdot(d, d)),
    "dot": lambda d: np.sqrt(_each(np.dot, d)),
    "inner": lambda d: np.sqrt(_each(np.inner, d)),
    "tensordot": lambda d: np.sqrt(_each(lambda v, w: np.tensordot(v, w, 1), d)),
    "a copy": lambda d: np.sqrt(np.copy(np.sum(np.copy(d) ** 2, -1))),
    "mean": lambda d: np.sqrt(2.0 * np.mean(d**2, axis=-1)),
    "a recomputed difference": lambda d: np.sqrt(np.sum((d + 0.0) * (d + 0.0), -1)),
    "product with ones": lambda d: np.sqrt(d**2 @ np.ones(2)),
}


CENTRES = [1, 1.0, np.float64(1.0), np.float32(1.0), np.array(1.0), np.ones(2), np.array([1, 1])]


@pytest.mark.parametrize("c", CENTRES, ids=repr)
def test_a_constant_in_a_length_is_of_any_type(c):
    of_product = lambda x: np.sum((x - c) * (x - c)) ** 0.5 + np.sum(x)
    mixed = lambda x: np.sum((x - c) * (x - 1.0 * c)) ** 0.5 + np.sum(x)
    for f in (of_product, mixed):
        for mode in (jacfwd, jacrev):
            assert mode(f)(np.ones(2)).tolist() == [1.0, 1.0]
    if np.ndim(c) == 0:
        of_numbers = lambda x, y: ((x - c) * (x - c) + 3 * y**2) ** 0.5 + x
        assert derivative(of_numbers, 0, [1.0, 0.0]) == 1.0
        assert gradient(of_numbers, [1.0, 0.0]) == [1.0, 0.0]


def test_other_constants_are_of_no_length():
    for one, other in ((1, 2), (1.0, 1), (np.ones(2), np.arange(2.0)), (np.float32(1.0), 1.0)):
        product = lambda x, one=one, other=other: np.sum((x - one) * (x + other - 2 * other)) ** 0.5
        with np.errstate(all="ignore"):
            found = jacrev(product)(np.ones(2))
        assert not np.any(found == 0.0)


def weighed(x, length):
    """A sum of the distances of points from one another."""
    return np.sum(np.arange(16.0).reshape(4, 4) * length(x[:, None] - x[None]))


@functools.cache
def of_weighed_norms():
    """Its gradient and Hessian, where the distances are norms."""
    f = lambda x: weighed(x, lambda d: np.linalg.norm(d, axis=-1))
    return grad(f)(X), hessian(f)(X)


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_of_which_some_are_zero(name):
    """As the norm has it: slope 0 at the kink, and the others right."""

    f = lambda x: weighed(x, DISTANCES[name])
    by_norm, twice_by_norm = of_weighed_norms()
    for how, partial in nestings(f, (0,), JACOBIANS):
        np.testing.assert_allclose(partial(X), by_norm, rtol=1e-13, atol=1e-13, err_msg=how)
    for how, partial in nestings(f, (0, 0), JACOBIANS):
        np.testing.assert_allclose(partial(X), twice_by_norm, rtol=1e-11, atol=1e-11, err_msg=how)


COLUMNS = {
    "diag": lambda x: np.sqrt(np.diag(x.T @ x)),
    "diagonal": lambda x: np.sqrt(np.diagonal(np.dot(x.T, x))),
    "inner": lambda x: np.sqrt(np.diag(np.inner(x.T, x.T))),
    "swapped": lambda x: np.sqrt(np.diag(np.swapaxes(x, 0, 1) @ x)),
    "scaled": lambda x: np.sqrt(np.diag(4.0 * (x.T @ x) / 2) / 2.0),
    "trace": lambda x: np.stack([np.sqrt(np.trace(x[:, k : k + 1] @ x[:, k : k + 1].T)) for k in range(3)]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_diagonals_of_products_with_the_transpose(name):
    """They have the lengths of columns, as deviations from a covariance: of one that is 0 the slope is 0."""
    x = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, -1.0], [0.5, 0.0, 0.0]])
    weighed = lambda length: lambda x: np.sum(np.array([1.0, 2.0, -3.0]) * length(x))
    by_norm, found = weighed(lambda x: np.linalg.norm(x, axis=0)), weighed(COLUMNS[name])
    for order in (1, 2):
        expected = grad(by_norm)(x) if order == 1 else hessian(by_norm)(x)
        for how, partial in nestings(found, (0,) * order, JACOBIANS):
            np.testing.assert_allclose(partial(x), expected, rtol=1e-13, atol=1e-13, err_msg=how)


def test_other_diagonals_have_no_such_kink():
    x = np.array([[1.0, 0.0], [2.0, 0.0]])
    for root in (lambda x: np.sqrt(np.diag(x.T @ x, 1)), lambda x: np.sqrt(np.diag(x @ x)[1:]),
                 lambda x: np.sqrt(np.diag(np.inner(x, x.T))[1:]), lambda x: np.sqrt(np.diag(x.T @ x[::-1])[1:]),
                 lambda x: np.sqrt(np.diag(np.transpose(x, (0, 1)) @ x)[1:])):  # fmt: skip
        with np.errstate(all="ignore"):
            for mode in (jacfwd, jacrev):
                assert not np.all(np.isfinite(mode(lambda x, root=root: np.sum(root(x)))(x)))


ROOTS = {
    "of a square of a root": lambda x: np.sqrt(np.sqrt(x) ** 2),
    "of a square of a cube root": lambda x: np.sqrt(np.cbrt(x) ** 2),
    "of a modulus": lambda x: np.sqrt(np.abs(x)),
    "of a difference of squares": lambda x: np.sqrt((x + 1.0) ** 2 - 1.0),
    "of a square and more": lambda x: np.sqrt(x**2 + x),
    "of a product": lambda x: np.sqrt(x * np.sin(x)),
}


@pytest.mark.parametrize("name", ROOTS)
def test_other_roots_have_no_such_kink(name):
    for order in (1, 2):
        for _, partial in nestings(ROOTS[name], (0,) * order, MODES):
            with np.errstate(all="ignore"):
                assert not np.isfinite(partial(0.0))


OF_ELEMENTS = {
    "np.outer": (lambda x: np.sqrt(np.outer(x, x)), lambda x: [(a * b) ** 0.5 for a in x for b in x]),
    "axes": (lambda x: np.sqrt((x[:, None] * x[None, :])[0, 1]), lambda x: [(x[0] * x[1]) ** 0.5]),
    "axes, both signs": (lambda x: np.sqrt(np.sum((x[:, None] - x) * (x - x[:, None]) * (x - 1.0))),
                         lambda x: [(2.0 * (x[0] - x[1]) ** 2 - (x[0] + x[1]) * (x[0] - x[1]) ** 2) ** 0.5]),
    "a form": (lambda x: np.sqrt(np.sum(x[:, None] * x[None, :] * SWAPPED)), lambda x: [(2.0 * x[0] * x[1]) ** 0.5]),
    "shapes": (lambda x: np.sqrt(x.reshape(2, 1) * x.reshape(1, 2))[0, 1], lambda x: [(x[0] * x[1]) ** 0.5]),
    "copies": (lambda x: np.sqrt(x[:, None].copy() * x)[0, 1], lambda x: [(x[0] * x[1]) ** 0.5]),
    "functions": (lambda x: np.sqrt(np.sin(x[:, None]) * np.sin(x))[0, 1],
                  lambda x: [(np.sin(x[0]) * np.sin(x[1])) ** 0.5]),
    "broadcast": (lambda x: np.sqrt(np.broadcast_to(x, (2, 2)) * np.broadcast_to(x[:, None], (2, 2)))[0, 1],
                  lambda x: [(x[0] * x[1]) ** 0.5]),
    "columns by rows": (lambda x: np.sqrt(x[:, None] @ x[None])[0, 1], lambda x: [(x[0] * x[1]) ** 0.5]),
    "a stack of products": (lambda x: np.sqrt(x.reshape(2, 1, 1) @ x.reshape(1, 2, 1, 1))[0, 1, 0, 0],
                            lambda x: [x[1]]),
    "stacks crossed": (lambda x: np.sqrt(x.reshape(2, 1, 1, 1) @ x.reshape(1, 2, 1, 1))[0, 1, 0, 0],
                       lambda x: [(x[0] * x[1]) ** 0.5]),
    "np.dot of stacks": (lambda x: np.sqrt(np.dot(x.reshape(2, 1, 1), x.reshape(2, 1, 1)))[0, 0, 1, 0],
                         lambda x: [(x[0] * x[1]) ** 0.5]),
    "np.inner": (lambda x: np.sqrt(np.inner(x[:, None], x[:, None]))[0, 1], lambda x: [(x[0] * x[1]) ** 0.5]),
    "einsum": (lambda x: np.sqrt(np.einsum("ij,ij->ij", x[:, None], x[None]))[0, 1],
               lambda x: [(x[0] * x[1]) ** 0.5]),
    "order F": (lambda x: np.sqrt(np.sum(x.reshape(2, 2).ravel() * x.reshape(2, 2).ravel("F"))),
                lambda x: [(x[0] * x[0] + 2.0 * x[1] * x[2] + x[3] * x[3]) ** 0.5]),
    "transposed": (lambda x: np.sqrt(np.sum(x.reshape(2, 2) * x.reshape(2, 2).T)),
                   lambda x: [(x[0] * x[0] + 2.0 * x[1] * x[2] + x[3] * x[3]) ** 0.5]),
}  # fmt: skip
SWAPPED = np.array([[0.0, 1.0], [1.0, 0.0]])
AT = {"axes, both signs": [1.0, 1.0], "order F": [1.0, 1.0, -1.0, 1.0], "transposed": [1.0, 1.0, -1.0, 1.0]}


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_products_of_other_elements_are_no_squares(name):
    """Where the same function written element by element has a slope that is ∞ or NaN there is no number."""
    f, by_elements = OF_ELEMENTS[name]
    x = np.array(AT.get(name, [0.0, 1.0]))
    with np.errstate(all="ignore"):
        expected = jacfwd(lambda x: sum(by_elements(x)))(x)
        for how, partial in nestings(lambda x: np.sum(f(x)), (0,), JACOBIANS):
            found = partial(x)
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected), err_msg=how)
            np.testing.assert_allclose(found[np.isfinite(found)], expected[np.isfinite(found)], err_msg=how)


@pytest.mark.parametrize("which", range(5))
def test_a_zero_against_an_infinite_slope_is_found_in_any_of_several_gradients(which):
    shapes = [np.ones(4), np.ones((2, 3), np.float32), np.ones((3, 2), order="F"), np.ones(()), np.ones(5000)]
    shapes[which].flat[-1] = 0.0

    def f(*xs):
        return sum(np.sum(np.where(x > 0.0, np.sqrt(x), 0.0)) for x in xs)

    for x, found in zip(shapes, grad(f, tuple(range(5)))(*shapes), strict=True):
        np.testing.assert_array_equal(found, 0.5 * x)
