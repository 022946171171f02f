"""vmap: what a mapped function gives is what it gives of each member, of every row, with derivatives and nested."""

from dataclasses import dataclass

import numpy as np
import pytest
from array_samples import SAMPLES, directions, of_each
from numpy.testing import assert_allclose, assert_array_equal
from table import EPS

from autodiff import (
    Variable,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    record,
    register_structure,
    taylor,
    value_of,
    vjp,
    vmap,
)
from autodiff.operators.mapping import _Given
from dualnumbers.levels import is_number
from dualnumbers.table import TABLE

MEMBERS = 3


@pytest.fixture
def loops(monkeypatch):
    """A list that grows by one where a function is called for one member after the other."""
    found, real = [], _Given._one_by_one

    def noted(self, chosen):
        found.append(chosen)
        return real(self, chosen)

    monkeypatch.setattr(_Given, "_one_by_one", noted)
    return found


def members(arrays, seed=0):
    """Several points near those of a sample, where it does the same: each array times a factor of its own."""
    factors = 1.0 + 1e-3 * np.random.default_rng(seed).uniform(size=(len(arrays), MEMBERS))
    return [
        np.stack([x * factor if x.dtype.kind in "fc" else x for factor in of_array]).astype(x.dtype)
        for x, of_array in zip(arrays, factors, strict=True)
    ]


def assert_is_the_loop(f, arrays, condition, order=0):
    """Compare with a loop; where that raises, so does the mapped function."""
    with np.errstate(all="ignore"):
        try:
            expected = [f(*xs) for xs in zip(*arrays, strict=True)]
        except Exception as error:
            with pytest.raises(type(error)):
                vmap(f)(*arrays)
            return
        found = vmap(f)(*arrays)
    expected = np.stack(expected)
    size = np.max(np.abs(expected), initial=1e-300, where=np.isfinite(expected))
    assert found.dtype == expected.dtype
    assert_allclose(found, expected, rtol=0, atol=64 * 8**order * EPS * condition * size)


@of_each(SAMPLES)
def test_every_function_is_that_of_each_member(name, sample):
    assert_is_the_loop(sample.f, members(sample.arrays), sample.condition)


ROWS = {name: sample for name, sample in reversed(SAMPLES) if name in TABLE}
"""The first sample of each row."""


@of_each(ROWS.items())
def test_gradients_and_tangents_are_those_of_each_member(name, sample):
    z = np.asarray(sample.f(*sample.arrays))
    (w,) = directions([np.real(z)], seed=5)

    def f(*xs):
        return np.sum(np.sin(np.real(sample.f(*xs))) * w)

    along, arrays = directions(sample.arrays, seed=19), members(sample.arrays)
    places = tuple(range(len(arrays)))

    def gradients(*xs):
        return np.concatenate([np.ravel(g) for g in grad(f, places)(*xs)])

    assert_is_the_loop(gradients, arrays, sample.condition, 1)
    assert_is_the_loop(lambda *xs: jvp(gradients, xs, along)[1], arrays, sample.condition, 2)


def test_most_samples_run_once(loops):
    """Of every function with a sample, 8 in 10 are carried out for all members at a time."""
    firsts = dict(reversed(SAMPLES))
    for sample in firsts.values():
        with np.errstate(all="ignore"):
            vmap(sample.f)(*members(sample.arrays))
    assert len(loops) <= 0.2 * len(firsts)


# --------------------------------------------------------------------------------------------- derivatives and nesting

X = np.random.default_rng(0).normal(size=(5, 3))
W = np.random.default_rng(1).normal(size=(3, 3))
OPERATORS = {
    "grad": lambda f: grad(lambda x: np.sum(f(x))),
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": lambda f: hessian(lambda x: np.sum(f(x))),
    "hvp": lambda f: lambda x: hvp(lambda x: np.sum(f(x)))(x, np.arange(3.0)),
    "jvp": lambda f: lambda x: jvp(f, [x], [np.arange(3.0)])[1],
    "vjp": lambda f: lambda x: vjp(f, x)[1](np.arange(3.0))[0],
    "taylor": lambda f: lambda x: taylor(f, x, 3, direction=np.arange(3.0))[3],
}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_derivatives_inside_run_once(operator, loops):
    g = operator(lambda x: np.tanh(W @ x) * x[0])
    assert_allclose(vmap(g)(X), np.stack([g(x) for x in X]), atol=1e-13)
    assert not loops


@pytest.mark.parametrize("name", ["grad", "jacrev", "jacfwd", "hessian"])
def test_derivatives_outside(name, loops):
    def of_rows(f):
        return OPERATORS[name](lambda w: f(w))(W[0])

    def mapped(w):
        return np.sum(vmap(lambda x: np.sum(np.tanh(w * x)) * x)(X), 0)

    def looped(w):
        return sum(np.sum(np.tanh(w * x)) * x for x in X)

    assert_allclose(of_rows(mapped), of_rows(looped), atol=1e-12)
    assert not loops


def test_maps_nest(loops):
    found = vmap(vmap(lambda x, y: x * y, (None, 0)), (0, None))(np.arange(3.0), np.arange(4.0))
    assert_array_equal(found, np.outer(np.arange(3.0), np.arange(4.0)))
    triple = vmap(vmap(vmap(np.cumsum)))(X[None, :, None] + np.zeros((2, 5, 4, 3)))
    assert_allclose(triple[1, :, 2], np.cumsum(X, 1))
    pairs = vmap(lambda x: vmap(lambda y: grad(lambda z: np.sum(z * x * y))(y))(X))(X)
    assert_allclose(pairs, X[:, None] * X)
    assert not loops


# ------------------------------------------------------------------------------------------------- values that are read


def test_a_function_that_decides_by_values_is_called_for_each_member(loops):
    f = lambda x: x if x > 0 else -2.0 * x
    x = np.array([1.0, -1.0, 0.5])
    assert_array_equal(vmap(f)(x), [1.0, 2.0, 0.5])
    assert_array_equal(vmap(grad(f))(x), [1.0, -2.0, 1.0])
    assert_allclose(grad(lambda x: np.sum(vmap(f)(x) ** 2))(x), [2.0, 8.0 * -1.0, 1.0])
    assert len(loops) == 3


def test_what_all_members_answer_alike_is_no_reason_to_loop(loops):
    assert_array_equal(vmap(lambda x: x * 2.0 if x > 0 else 0.0)(np.array([1.0, 2.0])), [2.0, 4.0])
    assert not loops


def test_a_caught_error_is_no_answer(loops):
    def f(x):
        try:
            return x if float(x) > 0 else -x
        except TypeError:
            return 1e9 * x

    assert_array_equal(vmap(f)(np.array([-3.0, 2.0])), [3.0, 2.0])
    assert len(loops) == 1


@pytest.mark.parametrize("read", [float, int, round, str, repr, value_of, lambda x: np.zeros(4)[int(x)],
                                  lambda x: np.array([x]).astype(object)[0], lambda x: x.item(), np.asarray,
                                  lambda x: hash(x) % 7, lambda x: {x: 1.0}[x], lambda x: f"{x:.1f}"])  # fmt: skip
def test_whoever_reads_a_value_has_that_of_a_member(read):
    def f(x):
        got = read(x)
        return float(got) if isinstance(got, str) and not got.startswith("np.") else x if isinstance(got, str) else got

    x = np.array([1.0, 2.0, 3.0])
    assert_array_equal(np.asarray(vmap(f)(x), float), np.stack([np.asarray(f(one), float) for one in x]))


def test_elements_at_computed_places(loops):
    places = np.array([2, 0, 1, 1, 2])
    assert_array_equal(vmap(lambda x, k: x[k])(X, places), X[np.arange(5), places])
    assert_array_equal(vmap(lambda x: x[np.argsort(x)])(X), np.sort(X, 1))
    assert_array_equal(vmap(lambda x: x[np.argmax(x)])(X), np.max(X, 1))
    assert not loops
    assert_array_equal(vmap(lambda x: x[x > 0].sum())(X), np.where(X > 0, X, 0.0).sum(1))
    assert_array_equal(vmap(lambda x, k: x[k], (None, 0))(X[0], places), X[0][places])  # NumPy's array wants one place
    assert len(loops) == 2


def test_writing(loops):
    given = X.copy()

    def f(x):
        view = x[1:]
        view *= 2.0
        x[0] += view[0]
        y = x.copy()
        y.T[2] = -1.0
        return x, y

    found = vmap(f)(given)
    assert_array_equal(given, X)
    expected = [f(x.copy()) for x in X]
    for one, other in zip(found, zip(*expected, strict=True), strict=True):
        assert_array_equal(one, np.stack(other))
    assert not loops


def writing(write):
    def f(x):
        y = x * 1.0
        write(y)
        return np.sum(y**2 * np.arange(1.0, y.size + 1.0).reshape(y.shape))

    return f


def _divided(y):
    for row in y.reshape(2, 2):
        row /= row[0]


WRITES = {
    "slice": lambda y: y[:1].__imul__(3.0), "sort": lambda y: y[:3].sort(), "fill": lambda y: y[1:].fill(2.0),
    "out": lambda y: np.exp(y[2:], out=y[:2]), "at": lambda y: np.add.at(y[1:], [0, 0], 1.0),
    "transpose": lambda y: y.reshape(2, 2).T[0].__imul__(2.0), "ravel": lambda y: y.ravel().__setitem__(0, y[1]),
    "split": lambda y: np.split(y, 2)[0].__iadd__(1.0), "swapaxes": lambda y: y[None].swapaxes(0, 1)[0].__imul__(5.0),
    "diagonal": lambda y: np.einsum("ii->i", y.reshape(2, 2)).__setitem__(..., y[1]), "rows": _divided,
    "order F": lambda y: y.reshape(2, 2, order="F")[1].__imul__(2.0),
    "squeeze": lambda y: np.squeeze(y[None])[1:].fill(y[0]),
}  # fmt: skip


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writing_through_views_in_what_is_within(write, loops):
    """The numbers of a derivative have mapped values; what they show and write is theirs."""
    f, x = writing(write), np.random.default_rng(3).normal(size=(3, 4)) + 2.0
    for g in (f, grad(f), jacfwd(f), hessian(f), lambda x: vjp(f, x)[0], lambda x: jvp(grad(f), [x], [x])[1]):
        assert_allclose(vmap(g)(x), np.stack([g(one) for one in x]), rtol=1e-12, atol=1e-12)
    assert_allclose(vmap(vmap(f))(np.stack([x, 2.0 * x])), [[f(one) for one in k * x] for k in (1.0, 2.0)], rtol=1e-12)


def test_into_an_array_of_numpy(loops):
    def f(x):
        y = np.zeros(3)
        y[0] = x[1]
        return y

    assert_array_equal(vmap(f)(X)[:, 0], X[:, 1])
    assert len(loops) == 1


def test_order_in_memory():
    a = np.random.default_rng(0).normal(size=(4, 2, 3))
    for order in "CFAK":
        f = lambda x, order=order: x.T.ravel(order=order)
        assert_array_equal(vmap(f)(a), np.stack([f(x) for x in a]))
        assert_array_equal(vmap(f, in_axes=2)(a), np.stack([f(np.ascontiguousarray(a[..., k])) for k in range(3)]))


# ------------------------------------------------------------------------------------------------ arguments and results


@dataclass
class Point:
    x: object
    y: object


class Box:
    def __init__(self, held):
        self.held = held


register_structure(Box, lambda box: [box.held], lambda _, parts: Box(*parts))


def test_structures():
    f = lambda point, box, *, scale: {"sum": point.x + point.y * scale, "box": Box(box.held[0]), "none": None, "s": "a"}
    point = Point(X, 2.0)
    found = vmap(f, in_axes=(Point(0, None), 0), out_axes={"sum": 1, "box": 0, "none": None, "s": None})(
        point, Box([np.arange(5)]), scale=np.arange(5.0)
    )
    assert_array_equal(found["sum"], (X + 2.0 * np.arange(5.0)[:, None]).T)
    assert_array_equal(found["box"].held, np.arange(5))
    assert found["none"] is None
    assert found["s"] == "a"


def test_axes():
    a = np.random.default_rng(0).normal(size=(2, 3, 4))
    for axis in (0, 1, 2, -1, -2):
        found = vmap(lambda x: x * 2.0, in_axes=axis, out_axes=axis)(a)
        assert_array_equal(found, 2.0 * a)
    assert vmap(lambda x, y: x, (0, None), 1)(a, 1.0).shape == (3, 2, 4)
    assert vmap(lambda x: 3.0)(a).tolist() == [3.0, 3.0]
    assert vmap(lambda x: 3.0, out_axes=None)(a) == 3.0


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, complex, int, bool, np.int8])
def test_types_are_those_of_the_members(kind):
    x = np.array([[0, 1, 2], [1, 1, 0]]).astype(kind)
    for f in (
        lambda x: x,
        lambda x: x[0],
        lambda x: x * 2,
        lambda x: np.sum(x),
        lambda x: np.exp(x[1]),
        lambda x: ~x == 3,
    ):
        try:
            expected = np.stack([f(row) for row in x])
        except TypeError:
            continue
        found = vmap(f)(x)
        assert found.dtype == expected.dtype
        assert_array_equal(found, expected)


def test_the_result_is_no_array_of_the_callers():
    x = np.arange(3.0)
    found = vmap(lambda x: x)(x)
    found[0] = 7.0
    both = vmap(lambda x: np.ones(2))(x)
    both[0, 0] = 5.0
    assert x[0] == 0.0
    assert both[1, 0] == 1.0


@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("chunk_size", [None, 1, 3])
def test_chunks(count, chunk_size):
    x = np.arange(3.0 * count).reshape(count, 3)
    found = vmap(lambda x: (np.sum(x), x), chunk_size=chunk_size)(x)
    assert_array_equal(found[0], np.sum(x, 1))
    assert_array_equal(found[1], x)


def test_f_is_called_once():
    calls = []
    f = lambda x: calls.append(1) or np.sum(x)
    vmap(f)(X)
    assert len(calls) == 1


def test_within_a_recording_and_variables_made_by_hand():
    tape, _ = record(lambda x: np.sum(vmap(lambda row: np.sum(row) ** 2)(x)), [X])
    assert_allclose(tape.run([2.0 * X]), np.sum(np.sum(2.0 * X, 1) ** 2))
    v = Variable(X.copy())
    out = np.sum(vmap(lambda row: np.sum(row) ** 2)(v))
    out.backward()
    assert_allclose(v.grad, np.broadcast_to(2.0 * np.sum(X, 1)[:, None], X.shape))


def test_a_number_does_not_outlive_its_map():
    kept = []
    vmap(lambda x: kept.append(x) or x)(X)
    assert is_number(type(kept[0]))
    assert kept[0].level.ended


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: vmap(np.sum)(1.0), ValueError, r"args\[0\] has shape \(\) and no axis 0: where all members"),
    (lambda: vmap(np.add)(X, X[:2]), ValueError, r"different lengths: args\[0\] 5, args\[1\] 2"),
    (lambda: vmap(np.sum, in_axes=None)(X), ValueError, "no argument of sum is mapped"),
    (lambda: vmap(np.sum, in_axes=(0, 0))(X), ValueError, "in_axes has 2 entries for the 1 positional"),
    (lambda: vmap(np.sum, in_axes=2)(X), ValueError, "no axis 2"),
    (lambda: vmap(np.sum, in_axes="0")(X), TypeError, "in_axes has axes, whole numbers"),
    (lambda: vmap(np.sum, in_axes=({"a": 0},))(X), ValueError, "built as what it is for"),
    (lambda: vmap(lambda x: x, out_axes=None)(X), ValueError, "out_axes is None for a result of <lambda>"),
    (lambda: vmap(lambda x: x, out_axes=(0, 0))(X), ValueError, "built as"),
    (lambda: vmap(lambda x: object())(X), TypeError, "returned .*object.*: a mapped function returns"),
    (lambda: vmap(np.sum)(object()), TypeError, r"args\[0\] is .*object.*, which has no members"),
    (lambda: vmap(np.sum, chunk_size=0)(X), ValueError, "chunk_size is a number of members"),
    (lambda: vmap(lambda x: np.ones(1 + int(x[0] > 0)))(X), ValueError, "different shapes"),
    (lambda: vmap(lambda x: (1,) * (1 + int(x[0] > 0)))(X), ValueError, "another structure"),
    (lambda: vmap(lambda x: 1 / 0)(X), ZeroDivisionError, "division by zero"),
    (lambda: vmap(lambda x, y: x)(X), TypeError, "positional argument"),
    (lambda: vmap(lambda a, b: a * b)(X, b=2.0), ValueError, "in_axes, which is of arguments by position"),
    (lambda: vmap(lambda x: x, out_axes=3)(X), ValueError, r"out_axes is 3 for a result of <lambda> that has shape"),
    (lambda: vmap(lambda x: x if x > 0 else -x)(np.zeros(0)), ValueError, "mapped over no members"),
])  # fmt: skip
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()


# ---------------------------------------------------------------------------------------- chunks that differ


@pytest.mark.parametrize("chunk_size", [None, 1, 2, 3, 10])
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x if x > 0 else 0.0, [1.0, 2.0, 0.0, 0.0]),
        (lambda x: 3.0 if x > 0 else 4.0, [3.0, 3.0, 4.0, 4.0]),
        (lambda x: x if x > 0 else 5.0, [1.0, 2.0, 5.0, 5.0]),
        (lambda x: x if x > 0 else -x, [1.0, 2.0, 1.0, 2.0]),
        (lambda x: 3.0, [3.0] * 4),
    ],
)
def test_a_chunk_may_be_constant_or_decide_by_values(f, expected, chunk_size):
    for points in ([1.0, 2.0, -1.0, -2.0], [-1.0, -2.0, 1.0, 2.0]):
        found = vmap(f, chunk_size=chunk_size)(np.array(points))
        np.testing.assert_array_equal(found, [float(f(x)) for x in points])
    assert expected == [float(f(x)) for x in (1.0, 2.0, -1.0, -2.0)]


@pytest.mark.parametrize("chunk_size", [None, 1])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: {"lo": x, "hi": -x} if x > 0 else {"hi": -x, "lo": x},
        lambda x: {"a": x} if x > 0 else {"b": x},
        lambda x: (x, 2 * x) if x > 0 else {"hi": x, "lo": -x},
        lambda x: (x, x) if x > 0 else x,
        lambda x: "positive" if x > 0 else "negative",
        lambda x: None if x > 0 else x,
    ],
)
def test_members_of_other_structures_are_told(f, chunk_size):
    with pytest.raises(ValueError, match="for another"):
        vmap(f, chunk_size=chunk_size)(np.array([1.0, -2.0]))


def test_a_shared_result_is_shared_by_all_chunks():
    f = lambda x: 3.0 if x > 0 else 4.0
    assert vmap(lambda x: (x, 7.0), out_axes=(0, None), chunk_size=1)(np.ones(3))[1] == 7.0
    with pytest.raises(ValueError, match="out_axes is None"):
        vmap(f, out_axes=None, chunk_size=1)(np.array([1.0, -1.0]))


def _added(x):
    y = x * 1.0
    z = y[0, 0, ...]
    z += y[1, 1]
    return np.sum(y**3)


def _squared(x):
    y = x * 1.0
    z = y[0, 0, ...]
    y[0, 0] *= y[0, 0]
    return np.sum(y**2) + 0.0 * y[0, 0] + z


@pytest.mark.parametrize("function", [_added, _squared])
@pytest.mark.parametrize("of", [lambda f: f, grad, lambda f: lambda x: jvp(f, [x], [np.ones((2, 2))])[1], hessian])
def test_a_view_of_one_element_of_each_member_is_written_and_shows_what_is_written(function, of):
    points = np.random.default_rng(5).normal(size=(3, 2, 2))
    each = np.stack([of(function)(x) for x in points])
    np.testing.assert_allclose(vmap(of(function))(points), each, rtol=1e-12)
