"""Static arguments: those that NumPy converts, and those that their owner changes after the call."""

import copy
import operator
from array import array
from collections import UserList, deque, namedtuple

import numpy as np
import pytest

import autodiff.scipy.integrate
import autodiff.scipy.ndimage
import autodiff.scipy.signal
from autodiff import Variable, grad, gradcheck, jacfwd, jacrev, linearize, vjp
from autodiff.custom import decorators as custom

X = np.array([0.5, -1.0, 2.0, 3.0])


class Series:
    """Like a column of pandas: it converts itself."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)

    def __len__(self):
        return len(self.values)


class Place:
    def __init__(self, place):
        self.place = place

    def __index__(self):
        return self.place


PLACES = [0, 2, 2, -1, 0]
KINDS = {
    "list": list,
    "tuple": tuple,
    "np.array": np.array,
    "array.array": lambda places: array("l", places),
    "memoryview": lambda places: memoryview(np.array(places)),
    "deque": deque,
    "UserList": UserList,
    "an object with __array__": Series,
    "objects with __index__": lambda places: [Place(place) for place in places],
    "of numbers that are differentiated": None,
}


def _given(kind, x):
    if KINDS[kind] is None:
        return np.argmax(x) * np.argsort(np.zeros_like(x))[:1] + np.array(PLACES) % 4 * (x[0] < 9)
    return KINDS[kind](PLACES)


def _set(x, at):
    y = x * 1.0
    y[at] = x[[0, 1, 1, 2, 3]] * 2.0
    return y


def _written(write):
    def f(x, at):
        y = x * 1.0
        write(y, at, np.append(x, 1.0) ** 2)
        return y

    return f


INDEXED = {
    "x[i]": lambda x, at: x[at],
    "x[i, :]": lambda x, at: (x[:, None] * x)[at, 1:],
    "x[:, i]": lambda x, at: (x[:, None] * x)[:, at],
    "x[i, j]": lambda x, at: (x[:, None] * x)[at, at],
    "x[i] = v": _set,
    "x[i] += v": _written(lambda y, at, v: y.__setitem__(at, y[at] + v)),
    "np.take": lambda x, at: np.take(x, at),
    "x.take": lambda x, at: x.take(at),
    "np.put": _written(np.put),
    "x.put": _written(lambda y, at, v: y.put(at, v)),
    "np.add.at": _written(np.add.at),
    "np.multiply.at": _written(np.multiply.at),
    "np.take_along_axis": lambda x, at: np.take_along_axis(x, np.asarray(at), 0),
    "np.delete": lambda x, at: np.delete(x, at),
    "np.insert": lambda x, at: np.insert(x, at, x[2]),
    "np.repeat": lambda x, at: np.repeat(np.append(x, x[0]), np.abs(np.asarray(at))),
    "np.choose": lambda x, at: np.choose(np.abs(np.asarray(at)), [x[:1], 2 * x[1:2], x[2:3] ** 2]),
    "x.flat[i]": lambda x, at: x.flat[at],
}


@pytest.mark.parametrize("call", INDEXED)
@pytest.mark.parametrize("kind", KINDS)
def test_an_index_is_what_numpy_converts_it_to(call, kind):
    """Repeated places count as often as they are named."""
    f = INDEXED[call]
    try:
        expected = f(X, _given(kind, X))
    except Exception:
        for mode in (jacfwd, jacrev):
            with pytest.raises((TypeError, IndexError, ValueError)):
                mode(lambda x: f(x, _given(kind, x)))(X)
        return
    value, _ = vjp(lambda x: f(x, _given(kind, x)), X)
    assert np.array_equal(value, expected)
    places = np.array(PLACES) if KINDS[kind] else np.asarray(_given(kind, X))
    wanted = jacrev(lambda x: f(x, places))(X)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(lambda x: f(x, _given(kind, x)))(X), wanted, rtol=1e-14)
    assert gradcheck(lambda x: np.sum(f(x, _given(kind, x)) ** 2), [X], order=2, raises=True)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_an_object_with_index_is_one_place(mode):
    assert np.array_equal(mode(lambda x: x[Place(2)])(X), np.eye(4)[2])
    assert np.array_equal(mode(lambda x: x[Place(1) : Place(3)])(X), np.eye(4)[1:3])


class Tensor(Series):
    """Like an array of another library: an index only if it holds a single whole number."""

    def __index__(self):
        return operator.index(self.values)


Row = namedtuple("Row", "first second third")
M = np.arange(1.0, 10.0).reshape(3, 3)
IN_TUPLES = [
    (slice(None), (0, 0)), ((0, 0), (1, 1)), (0, (1, 1)), (..., (0, 0)), (None, (0, 0)), ((0, 0),), ((0, 0, 1),),
    (((0, 0), (1, 1)), slice(None)), ((0, 0, 1), slice(None)), ([0, 0], (1, 1)), ([(0, 0), (1, 1)],), ((0, -3),),
    (((((0,),),),),), (None, ..., (0, 0), (1, -2)), (Row(0, 0, 1),), Row(0, (0, 0), None), ((np.int8(0), np.int64(0)),),
    ((np.array([0, 0]), [1, 1]),), ((True, False, True),), ((True, False, True), (0, 0)),
    (slice(None), (True, False, True)), (True, (0, 0)), (np.True_, (0, 0)), ((),), ((), ()), np.array(1),
    (np.array(0), (0, 0)), (np.array(0), np.array(1)), (Place(1), (0, 0)), (Series([0, 0]),), (Series(1), (0, 0)),
    Tensor([0, 0]), Tensor(1), (Tensor([0, 0]),), (Tensor(1), (0, 0)), (range(2), (0, 0)), (deque([0, 0]),),
    (array("i", [0, 0]),), (memoryview(array("i", [0, 0])),), (bytearray(2),), np.ix_((0, 0), (1, 2)),
    np.ix_((0, 0), (True, False, True)),
]  # fmt: skip


def _stored(store):
    def f(x, at, given):
        y = x * 2.0
        store(y, at, x[0, 1] * given)
        return y

    return f


USES = {
    "x[i]": lambda x, at, given: x[at] * given,
    "x[i] = v": _stored(lambda y, at, v: y.__setitem__(at, v)),
    "x[i] *= v": _stored(lambda y, at, v: y.__setitem__(at, y[at] * v)),
    "np.add.at": _stored(np.add.at),
    "np.multiply.at": _stored(np.multiply.at),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("at", IN_TUPLES)
def test_a_tuple_inside_an_index_is_a_sequence_of_places(at, use):
    """A place that is named twice counts twice: the places are those of the plain run, by its differences."""
    given = np.cos(np.arange(M[at].size)).reshape(M[at].shape)
    f = USES[use]
    weights = np.sin(1.0 + np.arange(f(M, at, given).size)).reshape(f(M, at, given).shape)

    def total(x):
        return np.sum(f(x, at, given) * weights)

    def differences(step):
        return np.array([total(M + e) - total(M - e) for e in step * np.eye(9).reshape(9, 3, 3)]) / (2 * step)

    wanted = (4.0 * differences(0.5) - differences(1.0)).reshape(3, 3) / 3.0  # exact up to the fourth degree
    w = Variable(M)
    total(w).backward()
    for found in (jacfwd(total)(M), jacrev(total)(M), w.grad):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("at", [((slice(1), 0),), ((None, 0),), ((0, (1, 2)),), ((0.0, 1.0),), (("a",),), ((0, 5),),
                                ((Place(0), Place(0)),), (Tensor([0.5]),)])  # fmt: skip
def test_what_is_no_index_of_numpy_is_none(at, mode):
    with pytest.raises((IndexError, ValueError)) as plain:
        M[at]
    with pytest.raises(plain.type):
        mode(lambda x: x[at])(M)


# ------------------------------------------------------------------------------------------- changed after the call


@custom.linear(lambda g, x, weights: g * np.asarray(weights["of x"][0]))
def weighted(x, weights):
    return x * np.asarray(weights["of x"][0])


def _multiplied_where(x, chosen):
    y = np.zeros_like(x)
    np.multiply(x, x, where=np.asarray(chosen, bool), out=y)
    return y


CHANGED = {
    "np.pad": (lambda x, p: np.pad(x, p), [[2, 1]]),
    "np.pad, mode": (lambda x, p: np.pad(x, p, "mean", stat_length=p), [[2, 1]]),
    "np.pad, odd": (lambda x, p: np.pad(x, p, "reflect", reflect_type="odd"), [[2, 1]]),
    "np.pad, constants": (lambda x, p: np.pad(x, 2, constant_values=p), [[2.0, 1.0]]),
    "np.multiply, where": (_multiplied_where, [True, False, True, True]),
    "np.sum, where": (lambda x, p: np.sum(x * x, where=p), [True, False, True, True]),
    "np.mean, where": (lambda x, p: np.mean(x * x, where=p), [True, False, True, True]),
    "np.max, where": (lambda x, p: np.max(x * x, where=p, initial=0.0), [True, False, True, True]),
    "np.where": (lambda x, p: np.where(p, x, x * x), [True, False, True, True]),
    "np.histogram, range": (lambda x, p: np.histogram(x, 3, range=p, weights=x)[0], [-2.0, 4.0]),
    "np.histogram, bins": (lambda x, p: np.histogram(x, p, weights=x)[0], [-2.0, 0.0, 1.0, 4.0]),
    "np.histogramdd": (lambda x, p: np.histogramdd(x[:, None], [p], weights=x)[0], [-2.0, 0.0, 1.0, 4.0]),
    "np.bincount": (lambda x, p: np.bincount(p, x), [0, 2, 2, 1]),
    "np.digitize": (lambda x, p: x * np.digitize(x, p), [-2.0, 0.0, 1.0, 4.0]),
    "np.repeat": (lambda x, p: np.repeat(x, p), [2, 0, 1, 3]),
    "np.tile": (lambda x, p: np.tile(x, p), [2, 1]),
    "np.roll": (lambda x, p: np.roll(x[:, None] * x, p, (0, 1)), [2, 1]),
    "np.resize": (lambda x, p: np.resize(x, p), [2, 3]),
    "np.reshape": (lambda x, p: np.reshape(x, p), [2, 2]),
    "x.reshape": (lambda x, p: x.reshape(p), [2, 2]),
    "np.transpose": (lambda x, p: np.transpose(x[:, None] * x[:3], p), [1, 0]),
    "np.broadcast_to": (lambda x, p: np.broadcast_to(x, p), [2, 4]),
    "np.take": (lambda x, p: np.take(x, p), [2, 0, 0]),
    "np.take_along_axis": (lambda x, p: np.take_along_axis(x, np.asarray(p), 0), [2, 0, 0]),
    "np.compress": (lambda x, p: np.compress(p, x), [True, False, True, True]),
    "np.extract": (lambda x, p: np.extract(p, x), [True, False, True, True]),
    "np.delete": (lambda x, p: np.delete(x, p), [0, 2]),
    "np.insert": (lambda x, p: np.insert(x, p, x[0]), [0, 2]),
    "np.choose": (lambda x, p: np.choose(p, [x, x * x]), [0, 1, 1, 0]),
    "np.split": (lambda x, p: np.split(x, p)[1], [1, 3]),
    "np.einsum": (lambda x, p: np.einsum("i,i,i->i", x, x, x, optimize=p), ["einsum_path", (0, 1), (0, 1)]),
    "np.einsum, axes": (lambda x, p: np.einsum(x, p, x, [1], p), [0]),
    "np.tensordot": (lambda x, p: np.tensordot(x[:, None] * x, x[:, None] * x[:2], p), [[1], [0]]),
    "np.quantile": (lambda x, p: np.quantile(x, p), [0.2, 0.5]),
    "np.interp": (lambda x, p: np.interp(x, p, x[:3]), [-2.0, 0.0, 4.0]),
    "np.gradient": (lambda x, p: np.gradient(x * x, p), [0.0, 1.0, 3.0, 7.0]),
    "np.unwrap": (lambda x, p: np.unwrap(x, period=p[0]), [1.0]),
    "np.average": (lambda x, p: np.average(x * x, weights=p), [1.0, 2.0, 1.0, 5.0]),
    "np.cov": (lambda x, p: np.cov(x, fweights=p), [1, 2, 1, 5]),
    "np.put_along_axis": (_written(lambda y, p, v: np.put_along_axis(y, np.asarray(p), v[:2], 0)), [2, 0]),
    "np.putmask": (_written(lambda y, p, v: np.putmask(y, p, v)), [True, False, True, True]),
    "np.add.at": (_written(lambda y, p, v: np.add.at(y, p, v[:3])), [2, 0, 0]),
    "np.multiply.at": (_written(lambda y, p, v: np.multiply.at(y, p, v[:3])), [2, 0, 0]),
    "np.add.reduceat": (lambda x, p: np.add.reduceat(x, p), [0, 2]),
    "x[p]": (lambda x, p: x[p], [2, 0, 0]),
    "x[p, 1:]": (lambda x, p: (x[:, None] * x)[p, 1:], [2, 0, 0]),
    "x[p] = v": (_written(lambda y, p, v: y.__setitem__(p, v[:3])), [2, 0, 1]),
    "x[mask]": (lambda x, p: x[p], [True, False, True, True]),
    "x.flat": (_written(lambda y, p, v: y.flat.__setitem__(p, v[:3])), [2, 0, 1]),
    "a view, then written": (_written(lambda y, p, v: y.reshape(p).__setitem__(0, v[:2])), [2, 2]),
    "np.linalg.norm": (lambda x, p: np.linalg.norm(x[:, None] * x, axis=tuple(p)), [0, 1]),
    "np.fft.fftshift": (lambda x, p: np.fft.fftshift(x[:, None] * x, p), [0, 1]),
    "signal.detrend": (lambda x, p: autodiff.scipy.signal.detrend(x, bp=p), [0, 2]),
    "ndimage.convolve": (lambda x, p: autodiff.scipy.ndimage.convolve(x, p), [1.0, 3.0, 2.0]),
    "ndimage.gaussian_filter": (lambda x, p: autodiff.scipy.ndimage.gaussian_filter(x[:, None] * x, p), [1.0, 0.5]),
    "integrate.solve_ivp": (
        lambda x, p: autodiff.scipy.integrate.solve_ivp(lambda t, y: -0.1 * y * y, (0.0, 1.0), x, t_eval=p).y,
        [0.5, 1.0],
    ),
    "a rule of one's own": (lambda x, p: weighted(x, {"of x": [p]}), [1.0, 2.0, 1.0, 5.0]),
}


def changed(p):
    """What somebody makes of a parameter that is no longer needed."""
    if isinstance(p, np.ndarray):
        p[...] = p[::-1].copy() if p.ndim == 1 and p[0] != p[-1] else 0
    else:
        p.clear()


@pytest.mark.parametrize("call", CHANGED)
@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
def test_a_parameter_that_is_changed_after_the_call_is_what_it_was(call, kind):
    function, given = CHANGED[call]
    make = copy.copy if kind is list or isinstance(given[0], str) else np.array

    def square(p, after):
        def f(x):
            y = function(x, p) ** 2
            after(p)
            return y

        return f

    def pulled(after):
        value, pull = vjp(square(make(given), after), X)
        return pull(np.cos(np.arange(np.size(value))).reshape(np.shape(value)))[0]

    def by_hand(after):
        w, p = Variable(X), make(given)
        y = np.sum(function(w, p) ** 2)
        after(p)
        y.backward()
        return w.grad

    def pushed(after):
        return linearize(square(make(given), after), X)[1](np.sin(X))

    def twice(after):
        return jacfwd(jacrev(lambda x: np.sum(square(make(given), after)(x))))(X)

    for found in (pulled, by_hand, pushed, twice):
        assert np.array_equal(found(changed), found(lambda p: None)), found


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint64, np.intp])
@pytest.mark.parametrize("chosen", [lambda x, i: x[i], lambda x, i: np.take(x, i, axis=0), lambda x, i: x[i, i % 5]])
def test_indices_of_few_bytes_reach_every_place(chosen, dtype):
    """The places of a large array have no room in the type of the indices."""
    i, x = np.array([60, 2, 60, 119], dtype), np.ones((120, 5))
    expected = grad(lambda x: np.sum(chosen(x, i.astype(int)) ** 2))(x)
    assert expected.sum() == 2.0 * np.size(chosen(x, i))
    assert np.array_equal(grad(lambda x: np.sum(chosen(x, i) ** 2))(x), expected)
    w = Variable(x)
    np.sum(chosen(w, i) ** 2).backward()
    assert np.array_equal(w.grad, expected)


@pytest.mark.parametrize("indices", [np.array([True, True, False]), [True, True, False], np.bool_(True)])
def test_true_is_the_place_1_for_take(indices):
    x = np.arange(3.0)
    expected = jacfwd(lambda x: np.take(x, indices))(x)
    assert np.array_equal(jacrev(lambda x: np.take(x, indices))(x), expected)
    assert np.sum(expected) == np.size(indices)
