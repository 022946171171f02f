"""Item assignment: programs of writes and reads, drawn at random, mean to both modes what they mean to NumPy."""

import copy
import itertools
import operator
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table import JACOBIANS, nestings, rarely, repeatable

from autodiff import Variable, forward, grad, gradcheck, hessian, jacfwd, jacrev, jit, jvp, record, value_of, vjp

N = 4
X = np.array([0.5, -1.0, 2.0, 3.0])

INDICES = st.sampled_from([0, -1, slice(0, 2), slice(None, None, -2), slice(1, 1), ..., np.array([0, 2]),
                           np.array([True, False, False, True])])  # fmt: skip


def assign_number(names, k, index):
    names[k][index] = 1.5


def assign_element(names, k, index):
    names[k][index] = names[0][1] * names[-1][2]


def assign_own(names, k, index):
    names[k][index] = names[k][index] * names[k][index] + 0.3


def add(names, k, index):
    names[k][index] += names[-1][0] * 0.7


def add_elements(names, k, index):
    names[k][index] += names[-1][index] * 0.7


def multiply_all(names, k, index):
    names[k] *= 0.9


def copied(names, k, index):
    names.append(copy.copy(names[k]))


def shown(names, k, index):
    names.append(names[k][::-1])


def computed(names, k, index):
    names.append(names[k] * names[0] + 0.1)


def looked_at(names, k, index):
    names.append(names[k] * np.max(np.abs(value_of(names[k]))) ** 0)


def mask_of(index):
    mask = np.zeros(N, bool)
    mask[index] = True
    return mask


def put_along_axis(names, k, index):
    np.put_along_axis(names[k], np.array([2, 0, 2]), names[0][:3] * names[-1][1], 0)


def put(names, k, index):
    np.put(names[k], np.flatnonzero(mask_of(index)), names[-1][1:3] * 0.9)


def fill_diagonal(names, k, index):
    np.fill_diagonal(names[k].reshape(2, 2), names[-1][:2] * names[0][3])


def place(names, k, index):
    np.place(names[k], mask_of(index), names[-1][::2] * 0.8)


def putmask(names, k, index):
    np.putmask(names[k], mask_of(index), names[-1][:3] * names[0][2])


def written_through_a_view(names, k, index):
    np.putmask(names[k][1:], [True, False, True], names[-1][-1] * 0.5)


STEPS = [assign_number, assign_element, assign_own, add, add_elements, multiply_all, copied, shown, computed, looked_at,
         put_along_axis, put, fill_diagonal, place, putmask, written_through_a_view]  # fmt: skip


def program(steps):
    def run(x):
        names = [x * 1.0, np.zeros(N, like=x) + x[0]]
        for step, k, index in steps:
            step(names, k % len(names), index)
        return np.concatenate([name * name for name in names])

    return run


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5), INDICES), min_size=1, max_size=9))
@repeatable
def test_programs_of_assignments_are_those_of_numpy(steps):
    run = program(steps)
    expected = run(X)
    assert np.array_equal(jvp(run, [X], [np.ones(N)])[0], expected)
    assert np.array_equal(vjp(run, X)[0], expected)
    assert np.array_equal(record(run, [X])[1].primal, expected)
    forward, reverse = jacfwd(run)(X), jacrev(run)(X)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-12 * np.max(np.abs(forward)))


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5), INDICES), min_size=4, max_size=5))
@rarely
def test_second_derivatives_of_programs_of_assignments(steps):
    run = program(steps)
    assert gradcheck(lambda x: np.sum(run(x)), [X], order=2, raises=True)


def filled(x):
    y = np.zeros(len(x), like=x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] * x[i]
    return np.sum(y)


def trajectory(x):
    states = np.zeros((len(x), 3), like=x)
    states[0] = x[:3]
    for i in range(1, len(x)):
        before = states[i - 1]
        states[i] = 0.9 * before + 0.1 * np.sin(before)
    return np.sum(states)


@pytest.mark.parametrize("f", [filled, trajectory])
@pytest.mark.parametrize("derivative_of", [lambda f, x: vjp(f, x)[1](1.0), lambda f, x: jvp(f, [x], [x])])
def test_filling_an_array_takes_linear_memory(f, derivative_of):
    peaks = []
    for n in (200, 1600):
        x = np.linspace(0.1, 1.0, n)
        derivative_of(f, x)
        tracemalloc.start()
        derivative_of(f, x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 16 * peaks[0]


def diffused(x):
    u = x.copy()
    for _ in range(10):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def test_an_augmented_assignment_writes_once():
    """``u[i] += v`` reads the view, adds, writes; Python's store of the view into its own place changes nothing."""
    tape, _ = record(diffused, [X])
    assert [row and row.name for row in tape.rows].count("setitem") == 10
    assert gradcheck(diffused, [X], raises=True)


@pytest.mark.parametrize("f", [filled, trajectory, diffused])
def test_the_sweep_of_a_loop_of_assignments_copies_the_adjoint_at_most_once(f, monkeypatch):
    copies = []
    monkeypatch.setattr("autodiff.tape.accumulation.detached", lambda g: copies.append(g) or g.copy())
    pull = vjp(f, np.linspace(0.1, 1.0, 50))[1]
    pull(1.0)
    assert len(copies) <= 1


@pytest.mark.parametrize("mode", [jacfwd, jacrev, lambda f: lambda x: jacobian_by_hand(f, x)])
def test_views_taken_before_an_augmented_assignment_show_it(mode):
    def f(x):
        y = x * 1.0
        before, part = y[::-1], y[1:3]
        y[1:3] *= 2.0
        part += y[:2]
        before[0] = part[0] * before[1]
        return np.concatenate([y, before, part])

    slopes, exact = mode(f)(X), []
    for i, step in enumerate(np.eye(N)):  # no element but the written one has another degree than 1
        exact.append((f(X + step) - f(X - step)) / 2)
        assert np.array_equal(exact[i], jvp(f, [X], [step])[1])
    np.testing.assert_array_equal(slopes, np.array(exact).T)


def jacobian_by_hand(f, x):
    rows = []
    for i in range(len(f(x))):
        v = Variable(x)
        f(v)[i].backward()
        rows.append(v.grad)
    return np.array(rows)


def test_a_view_may_not_be_stored_into_what_is_read_only():
    def f(x):
        y = np.broadcast_to(x, (2, N))
        y[:1] = y[:1]

    for mode in (jacfwd, jacrev):
        with pytest.raises(ValueError, match="read-only"):
            mode(f)(X)


def test_a_recorded_tape_shows_every_value():
    tape, _ = record(filled, [X])
    assert not any(np.any(np.isnan(value)) for value in tape.values)


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_a_value_that_was_looked_at_stays_what_it_was(jacobian):
    def f(x):
        y = x * 1.0
        y[0] = 2.0
        seen = value_of(y)
        y[1] = 7.0
        return y * seen

    assert np.array_equal(jacobian(f)(X), np.diag([0.0, 0.0, X[2], X[3]]))
    assert jvp(f, [X], [X])[0][1] == -7.0


METHODS_IN_PLACE = {
    "sort": lambda y: y.sort(),
    "sort, axis": lambda y: y.sort(0),
    "partition": lambda y: y.partition(2, 1),
    "fill": lambda y: y.fill(y[0, 0]),
    "put": lambda y: y.put([1, 2], y[1, :2]),
    "itemset by a view": lambda y: np.flip(y)[0].fill(2.0),
    "a view of a view": lambda y: np.rot90(y.T)[1].sort(),
}


@pytest.mark.parametrize("name", METHODS_IN_PLACE)
def test_methods_write_in_place(name):
    def run(x):
        y = np.cos(x)
        first = y[0]  # a view: it sees what is written
        METHODS_IN_PLACE[name](y)
        return y * np.sum(first)

    x = np.random.default_rng(3).normal(size=(3, 3))
    assert np.array_equal(record(run, [x])[1], run(x))
    assert gradcheck(lambda x: np.sum(run(x) ** 2), [x], order=2, raises=True)


def test_an_array_of_numbers_is_not_resized_in_place():
    with pytest.raises(AttributeError, match=r"np\.resize"):
        jacfwd(lambda x: x.resize((2, 2)))(np.ones(4))


def test_a_number_is_the_cotangent_of_an_array_of_no_axes():
    def halved(y):
        y /= 0.5
        return y

    assert vjp(halved, np.array(0.3))[1](0.7) == (1.4,)


# ------------------------------------------------------------------------------------------------- failures


def under(write, **errors):
    """A write under which NumPy raises for errors of floating point, when it has written."""

    def strictly(y):
        with np.errstate(**errors):
            write(y)

    return strictly


def through(view, write):
    return lambda y: write(view(y))


def assigning(index, value):
    """``y[index] = value``; a function of ``y`` is called."""
    return lambda y: y.__setitem__(index, value(y) if callable(value) else value)


TINY = np.array([2.0, 1e-323, 3.0, 1.0])
FAILING = {
    "other shape": assigning(slice(2), np.ones(3)),
    "numbers of another shape": assigning(slice(2), lambda y: y * 2.0),
    "other shape, chosen": assigning([0, 1], np.ones(5)),
    "no such element": assigning([0, 99], 5.0),
    "mask of another shape": assigning(np.array([True, False]), 1.0),
    "no number": assigning(0, "a"),
    "a generator": assigning(..., lambda y: (v for v in (1.0, 2.0))),
    "complex": assigning(0, 1j),
    "a list that ends badly": assigning(slice(2), [7.0, "a"]),
    "a list of numbers of which one is complex": assigning(slice(1, 3), [7.0, 1j]),
    "a list, chosen": assigning([0, 1], [7.0, "a"]),
    "objects": assigning(slice(2), np.array([7.0, {}], object)),
    "a view": through(lambda y: y[1:][::-1], assigning(slice(2), [7.0, None, 2.0])),
    "a list into a view": through(lambda y: y[1:][::-1], assigning(slice(2), [7.0, "a"])),
    "rows": through(lambda y: y.reshape(2, 2), assigning(0, [7.0, {}])),
    "read-only": through(lambda y: np.broadcast_to(y, (2, 4)), assigning(..., 0.0)),
    "two at once": lambda y: (assigning(0, 3.0)(y), assigning(99, 4.0)(y)),
    "+=": lambda y: y.__iadd__(np.ones(5)),
    "+= of a view": lambda y: y.reshape(4, 1).__iadd__(np.ones((4, 2))),
    "*=, underflow": under(lambda y: y.__imul__(TINY), under="raise"),
    "*= of a view, underflow": under(lambda y: y[:2].__imul__(TINY[:2]), under="raise"),
    "element *=, underflow": under(lambda y: assigning(slice(3), y[:3] * 2.0 * TINY[:3])(y), under="raise"),
    "out=": lambda y: np.add(y, np.ones(5), out=y),
    "out=, underflow": under(lambda y: np.multiply(y, TINY, out=y), under="raise"),
    "out=, where=, underflow": under(lambda y: np.multiply(y, TINY, out=y, where=np.arange(4) < 2), under="raise"),
    "ufunc.outer, underflow": under(lambda y: np.multiply.outer(TINY[:1], y * TINY, out=y[None]), under="raise"),
    "np.cumsum": lambda y: np.cumsum(y, axis=3, out=y),
    "np.add.at": lambda y: np.add.at(y, [0, 1, 7], 2.0),
    "np.add.at, other shape": lambda y: np.add.at(y, [0, 1], np.ones(3)),
    "np.multiply.at, underflow": under(lambda y: np.multiply.at(y, [0, 1, 0, 3], TINY), under="raise"),
    "np.put": lambda y: np.put(y, [0, 99, 1], [5.0, 6.0]),
    "put": lambda y: y.put([0, 1, -9], [5.0, y[3], 7.0]),
    "np.put into a view": lambda y: np.put(y[::-1], [0, 99], [5.0, 6.0]),
    "flat": lambda y: y.flat.__setitem__([1, 99], [5.0, 6.0]),
    "flat of a view": lambda y: y[::-1].flat.__setitem__([0, 99], y[1:3]),
    "np.put_along_axis": lambda y: np.put_along_axis(y, np.array([0, 99]), 7.0, 0),
    "np.place": lambda y: np.place(y, [True, True, False, False], []),
    "np.copyto": lambda y: np.copyto(y, np.ones(5)),
    "np.copyto, complex": lambda y: np.copyto(y, y * 1j),
    "np.copyto, complex number": lambda y: np.copyto(y, 1j),
    "np.fill_diagonal": lambda y: np.fill_diagonal(y, 1.0),
    "fill": lambda y: y.fill(np.ones(2)),
    "sort": lambda y: y.sort(axis=4),
    "partition": lambda y: y.partition(9),
    "np.partition": lambda y: assigning(..., np.partition(y, 9))(y),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_a_failure_leaves_is_what_numpy_leaves(name):
    """Value and derivative, where the failure is caught; all these are linear: differences are right."""

    def f(x):
        y = x * np.array([1.0, 1.7, 4.0, 8.0])
        with pytest.raises(Exception) as raised:  # noqa: PT011
            FAILING[name](y)
        errors.append(raised.type)
        return y

    errors = []
    expected, slopes = f(X), np.stack([f(X + e) - f(X - e) for e in np.eye(4) / 4], -1) * 2.0
    assert np.array_equal(jvp(f, [X], [np.ones(N)])[0], expected)
    assert np.array_equal(vjp(f, X)[0], expected)
    assert np.array_equal(value_of(f(Variable(X))), expected)
    for _, partial in nestings(f, (0,), JACOBIANS):
        np.testing.assert_allclose(partial(X), slopes, rtol=1e-14, atol=1e-300)
    for _, partial in nestings(lambda x: np.sum(f(x) ** 2), (0, 0), JACOBIANS):
        np.testing.assert_allclose(partial(X), 2.0 * slopes.T @ slopes, rtol=1e-14, atol=1e-300)
    assert all(issubclass(errors[0], error) for error in errors)


@pytest.mark.parametrize("name", ["cast", "an error of warnings"])
def test_a_cast_that_fails_has_been_written(name):
    def f(x):
        y, large = x.astype(np.float32), x * np.array([1.0, 1.0, 1e300, 1.0])
        strict = np.errstate(over="raise") if name == "cast" else warnings.catch_warnings(action="error")
        with strict, pytest.raises((FloatingPointError, RuntimeWarning)):
            y[:] = large
        return y

    assert np.array_equal(jvp(f, [X], [np.ones(N)])[0], f(X))
    for mode in (jacfwd, jacrev):
        assert np.array_equal(mode(lambda x: f(x)[:2])(X), np.eye(2, 4))


def test_the_imaginary_part_is_left_out_of_a_number_as_well():
    def f(x):
        y = x * 1.0
        y[0] = y[0] * (2.0 + 1j)
        return y

    for tangent in (lambda: jvp(f, [X], [np.ones(N)])[1], lambda: jacfwd(f)(X).sum(1), lambda: jacrev(f)(X).sum(1)):
        with pytest.warns(np.exceptions.ComplexWarning):
            assert np.array_equal(tangent(), [2.0, 1.0, 1.0, 1.0])


@pytest.mark.filterwarnings("error")
def test_a_complex_array_without_axes_that_is_written_nowhere_warns_of_nothing():
    """As NumPy, which warns of a complex number there: what the tangents of such an array are."""

    def f(x):
        y = np.real(x)
        y[y > 1.5] = x
        return y

    x = np.array(0.25 - 0.5j)
    assert jvp(f, [x], [x])[1] == 0.25
    assert jvp(lambda x: forward.gradient(f, [x])[0], [x], [x])[1] == 0.0


# ------------------------------------------------------------------------------------------------- complex arrays


def _augmented(x):
    z = x + 1j
    z *= 1j
    return z


def _added_to(x):
    z = x + 1j
    z += 1j * x
    return z * z


def _stored_into(x):
    z = x + 1j
    z[0] = z[1] * 1j
    return z


def _parts_written(x):
    z = x * x + 0j
    z.imag = x
    z.real[1:] *= 2.0
    z.T.flat[:2] = z[2:] * (1 + 2j)
    return z * z


def _filled_in(x):
    z = np.zeros(N, complex, like=x)
    z[:2] = x[:2]
    z[2:] = 1j * x[2:] ** 2
    np.add.at(z, [0, 0, 3], 1j * x[1])
    np.multiply(z, 1j, out=z)
    return np.insert(z, 1, 1j * x[0] ** 2)


def _inserted(x):
    return np.insert(x + 0j, [1, 2], 1j * x[:2] * x[2:]) ** 2


@pytest.mark.parametrize("f", [_augmented, _added_to, _stored_into, _parts_written, _filled_in, _inserted])
@pytest.mark.parametrize("part", [np.real, np.imag])
def test_complex_arrays_are_written_in_place(f, part):
    assert np.array_equal(jvp(f, [X], [X])[0], f(X))
    np.testing.assert_allclose(jacfwd(lambda x: part(f(x)))(X), jacrev(lambda x: part(f(x)))(X), rtol=1e-14)
    assert gradcheck(lambda x: np.sum(part(f(x)) ** 2), [X], order=2, raises=True)
    assert hessian(lambda x: np.sum(part(f(x))))(X).shape == (N, N)


# ------------------------------------------------------------------------------------------------- locally constant


def _signs_mended(x):
    s = np.sign(x)
    s[s == -1] = 1.0
    return s * x


def _number_stored(x):
    s = np.sign(x)
    s[0] = x[0] * x[1]
    s[1] = 4.0
    return s * x


def _written_through_views(x):
    s = np.sign(x)
    v = s[1:]
    before = v * x[1:]
    v[0] = x[0] * x[0]
    s[2] = x[1]
    s[::-1][:1] *= x[2]
    return np.append(s * x + v[0], before * v)


def _filled_in_turn(x):
    s = np.floor(x + 0.25)
    for i in range(N):
        s[i] += x[i] * x[i - 1]
    return s


def _order_mended(x):
    order = np.argsort(x)
    last = order[::-1]
    order[0], last[0] = 2, 1
    return x[order] * x[last] * float(order[0]) + np.sum(order)


def _masks_mended(x):
    mask = x > 0
    other = mask.copy()
    mask[0] = False
    same = mask
    same |= x > 2.5
    other.T[2:] = True
    return np.where(mask, x, x * x) * np.sum(x[other]) + mask[0]


CONSTANT = [_signs_mended, _number_stored, _written_through_views, _filled_in_turn, _order_mended, _masks_mended]


@pytest.mark.parametrize("f", CONSTANT)
def test_an_array_that_carries_no_derivative_is_written_to(f):
    """It carries one as soon as a number is stored into it."""
    assert np.array_equal(vjp(f, X)[0], f(X))
    assert np.array_equal(value_of(f(Variable(X))) if f in CONSTANT[4:] else f(X), f(X))
    found = jacrev(f)(X)
    for i, step in enumerate(1e-6 * np.eye(N)):
        np.testing.assert_allclose(found[:, i], (f(X + step) - f(X - step)) / 2e-6, rtol=1e-7, atol=1e-7)
    again = jacrev(lambda x: grad(lambda x: np.sum(f(x) ** 2))(x))(X)
    np.testing.assert_allclose(again, jacfwd(grad(lambda x: np.sum(f(x) ** 2)))(X), rtol=1e-12)
    if f not in CONSTANT[1:4]:
        np.testing.assert_allclose(jacfwd(f)(X), found, rtol=1e-14)


def test_a_view_that_came_to_carry_a_derivative_is_no_plain_value():
    def f(x):
        s = np.sign(x)
        v = s[1:]
        np.asarray(v)
        s[1] = x[0]
        return np.asarray(v) * x[1:]

    with pytest.raises(TypeError, match=r"np\.asarray"):
        grad(lambda x: np.sum(f(x)))(X)


# ------------------------------------------------------------------------------------------------- overlaps

SEEN = {
    "w": lambda w: w,
    "w[1:]": lambda w: w[1:],
    "w[::-1]": lambda w: w[::-1],
    "w.T": lambda w: w.T,
    "w[..., ::2]": lambda w: w[..., ::2],
    "w.ravel()": lambda w: w.ravel(),
    "w.T[::-1]": lambda w: w.T[::-1],
}
MOVES = {
    "t.flat = s": lambda t, s: setattr(t, "flat", s),
    "t.flat[1:5] = s": lambda t, s: t.flat.__setitem__(slice(1, 5), s),
    "t.flat[[0, 2, 1]] = s": lambda t, s: t.flat.__setitem__([0, 2, 1], s),
    "t[...] = s": lambda t, s: t.__setitem__(..., s),
    "t += s": lambda t, s: t.__iadd__(s),
    "np.add(t, s, out=t)": lambda t, s: np.add(t, s, out=t),
    "t[[0, -1]] = s[[-1, 0]]": lambda t, s: t.__setitem__([0, -1], s[[-1, 0]]),
    "t[whole mask] = s": lambda t, s: t.__setitem__(t > 0.0, s[::-1]),
    "t[whole mask] = s, in a row": lambda t, s: t.__setitem__(t > 0.0, s.ravel()[::-1]),
    "t[mask] = s[mask]": lambda t, s: t.__setitem__(t > 3.5, s[t > 3.5]),
    "np.copyto": np.copyto,
    "np.copyto, where": lambda t, s: np.copyto(t, s, where=t > 3.5),
    "np.place": lambda t, s: np.place(t, t > 3.5, s),
    "np.put": lambda t, s: np.put(t, [3, 1, 2, 0], s),
    "np.putmask": lambda t, s: np.putmask(t, s > 3.5, s),
    "np.put_along_axis": lambda t, s: np.put_along_axis(t, np.zeros((1,) * t.ndim, int), s, 0),
    "np.fill_diagonal": np.fill_diagonal,
    "np.fill_diagonal, nothing": lambda t, s: np.fill_diagonal(t, s[:0]),
    "np.add.at": lambda t, s: np.add.at(t, [0, 0], s[:2]),
    "np.multiply.at": lambda t, s: np.multiply.at(t, [0, 1, 0], s[:1]),
    "t[:] = t[::-1]": lambda t, s: t.__setitem__(slice(None), t[::-1]),
    "t[1:] = t[:-1]": lambda t, s: t.__setitem__(slice(1, None), t[:-1]),
    "np.broadcast_arrays": lambda t, s: np.broadcast_arrays(t, np.ones((2, *t.shape)))[0].__setitem__([0, 0, 1], s * 2),
    "np.broadcast_arrays, +=": lambda t, s: np.broadcast_arrays(t, np.ones((2, *t.shape)))[0][[0, 0]].__iadd__(s),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_a_source_that_overlaps_its_target_is_read_as_numpy_reads_it(move):
    parts = {"w.real": lambda w: w.real, "w.imag[::-1]": lambda w: w.imag[::-1], "w.real.T": lambda w: w.real.T}
    for x in (np.arange(1.0, 13.0).reshape(3, 4), np.arange(1.0, 10.0).reshape(3, 3), np.arange(1.0, 7.0),
              np.arange(1.0, 7.0) + 1j * np.arange(4.0, -2.0, -1.0)):  # fmt: skip
        seen = SEEN | parts if np.iscomplexobj(x) else SEEN
        for target, source in itertools.product(seen.values() if "broadcast" not in move else SEEN.values(), repeat=2):

            def f(x, target=target, source=source):
                w = x.copy()
                MOVES[move](target(w), source(w))
                return w

            try:
                expected = f(x)
            except (ValueError, IndexError, TypeError):
                for call in (lambda f=f, x=x: jvp(f, [x], [x]), lambda f=f, x=x: vjp(f, x)):
                    with pytest.raises((ValueError, IndexError, TypeError)):
                        call()
                continue
            value, tangent = jvp(f, [x], [x])
            other, pull = vjp(f, x)
            assert np.array_equal(value, expected)
            assert np.array_equal(other, expected)
            shifted = f(x + 1e-6 * x) - f(x - 1e-6 * x)
            np.testing.assert_allclose(tangent, shifted / 2e-6, rtol=1e-6)
            u = np.cos(np.arange(x.size)).reshape(x.shape)
            back, along = np.real(np.sum(np.conj(pull(u)[0]) * x)), np.real(np.sum(u * tangent))
            np.testing.assert_allclose(back, along, rtol=1e-12)


# ------------------------------------------------------------------------------------------------- casts

TOO_MUCH = {
    "np.add, out": lambda x, out: np.add(x, 1j, out=out),
    "np.add, out and where": lambda x, out: np.add(x, 1j, out=out, where=x > 1.0),
    "np.matmul": lambda x, out: np.matmul(np.eye(3) * 1j, x, out=out),
    "np.concatenate": lambda x, out: np.concatenate([x * 1j], out=out),
    "np.einsum": lambda x, out: np.einsum("i->i", x * 1j, out=out),
    "np.dot": lambda x, out: np.dot(np.eye(3) * 1j, x, out=out),
    "np.place": lambda x, out: np.place(out, x > 1.0, x * 1j),
    "np.putmask": lambda x, out: np.putmask(out, x > 1.0, x * 1j),
    "+=": lambda x, out: out.__iadd__(x * 1j),
}


@pytest.mark.parametrize("write", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_numpy_does_not_cast_into_an_array_is_refused(write):
    def f(x):
        write(x, np.zeros(3, like=x))

    x = np.arange(3.0)
    for call in (lambda: write(x, np.zeros(3)), lambda: jvp(f, [x], [x]), lambda: vjp(f, x)):
        with pytest.raises((TypeError, ValueError), match=r"(?i)cast|datatype|cannot write"):
            call()


@pytest.mark.parametrize("write", [np.place, np.putmask])
def test_a_scalar_of_double_precision_is_written_into_single_precision(write):
    def f(x):
        y = x.astype(np.float32)
        write(y, y > 1.0, np.sum(x))
        write(y, y < 1.0, [x[0]])
        return y

    x = np.arange(3.0)
    for value, tangent in (jvp(f, [x], [np.ones(3)]), (vjp(f, x)[0], np.array([1.0, 1.0, 3.0]))):
        assert value.tolist() == f(x).tolist()
        assert tangent.tolist() == [1.0, 1.0, 3.0]


def test_what_may_be_cast_to_a_result_is():
    def f(x):
        out = np.zeros(3, np.float32, like=x)
        np.add(x, 1.0, out=out)
        return np.concatenate([out, out], out=np.zeros(6, np.float32, like=x), casting="unsafe")

    value, tangent = jvp(f, [np.arange(3.0)], [np.ones(3)])
    assert value.dtype == tangent.dtype == np.float32
    assert tangent.tolist() == [1.0] * 6


def test_nothing_may_be_written_into_a_plain_array():
    def f(x):
        return np.add(x[:0], x[0], out=np.zeros(0)), np.multiply(x[:0], x[0], out=np.zeros(0), where=x[:0] > 0.0)

    for parts in (jvp(f, [np.ones(2)], [np.ones(2)])[0], vjp(f, np.ones(2))[0]):
        assert [part.shape for part in parts] == [(0,), (0,)]


# ------------------------------------------------------------------------------------------------- arrays of no axes


def _augmented_by_two_names(x):
    y = x.copy()
    y += 1.0
    z = y
    z *= 2.0
    return y * z


def _chosen_and_written(x):
    y = np.where(x > 0, x, 0.0)
    y.ravel()[0] = x * x
    y[...] += 1.0
    return y


def _number_again(x):
    y = x.copy() + 1.0
    z = y
    z *= 2.0
    return y * z


def _copied(x):
    y = np.copy(x * 2.0)
    z = y.reshape(1, 1)
    z[0] = y * x
    y.fill(3.0 * y[()])
    return z.squeeze()


@pytest.mark.parametrize("f", [_augmented_by_two_names, _chosen_and_written, _number_again, _copied])
def test_an_array_of_no_axes_is_an_array(f):
    x = np.array(1.5)
    for value in (jvp(f, [x], [x])[0], vjp(f, x)[0]):
        assert type(value) is type(f(x))
        assert value == f(x)
    assert gradcheck(f, [x], order=2, raises=True)


@pytest.mark.parametrize("n", [1, 3, 40])
@pytest.mark.parametrize("index", [..., (), (..., None)], ids=str)
def test_second_derivatives_of_a_view_of_one_element_that_is_written(index, n):
    def f(x):
        y = x[0, ...]
        np.place(y, y > 0, y * y)
        y[index] *= y
        return np.sum(x**3)

    x = np.linspace(2.0, 3.0, n)
    expected = np.diag(6.0 * x)
    expected[0, 0] = 12 * 11 * 2.0**10  # of x¹²
    for name, partial in nestings(f, (0, 0), JACOBIANS):
        np.testing.assert_allclose(partial(x), expected, rtol=1e-14, err_msg=name)
    np.testing.assert_allclose(hessian(f)(x), expected, rtol=1e-14)


INTO_NUMBERS = {
    "copyto": lambda x: np.copyto(x, 2.0),
    "place": lambda x: np.place(x, True, [2.0]),
    "put": lambda x: np.put(x, 0, 2.0),
    "putmask": lambda x: np.putmask(x, True, [2.0]),
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev, lambda f: jit(jacrev(f))])
@pytest.mark.parametrize("name", INTO_NUMBERS)
def test_a_number_is_not_written_into(name, mode):
    with pytest.raises(TypeError, match=rf"np.{name} writes into an array, and this is a number: .*np.where.*at .*"):
        mode(INTO_NUMBERS[name])(1.5)


REFUSED_IN_PLACE = {
    "more axes": lambda y, x: y.__iadd__(x[None]),
    "a column": lambda y, x: y.__imul__(x[:, None]),
    "a row into a number": lambda y, x: y[:1].__isub__(x),
}


@pytest.mark.parametrize("write", REFUSED_IN_PLACE.values(), ids=REFUSED_IN_PLACE)
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_augmented_assignment_does_not_broadcast_the_array(mode, write):
    x = np.array([0.5, -1.0])
    with pytest.raises(ValueError, match="broadcast"):
        write(x.copy(), x)
    with pytest.raises(ValueError, match=r"cannot write shape .* into an array of shape"):
        mode(lambda x: write(x.copy(), x))(x)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_copying_where_a_mask_holds_leaves_out_leading_axes_of_one(mode):
    def f(x, source):
        y = x * 1.0
        np.copyto(y, source(x), where=np.array([True, False, True]))
        return y

    x = np.array([0.5, -1.0, 2.0])
    for source in (lambda x: x[None] ** 2, lambda x: x[None, None, :1] * 3, lambda x: x[1], lambda x: x[::-1]):
        np.testing.assert_array_equal(vjp(lambda x, s=source: f(x, s), x)[0], f(x, source))
        along = mode(lambda x, s=source: f(x, s))(x) @ x
        step = 1e-6 * x
        np.testing.assert_allclose(along, (f(x + step, source) - f(x - step, source)) / 2e-6, rtol=1e-8)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_putting_into_an_array_of_no_axes(mode):
    def f(x):
        y = np.where(x > 9.0, x, -x)
        np.put(y, [0, -1], [x, 2 * x])
        return y

    assert f(0.75) == 1.5
    assert mode(f)(0.75) == 2.0


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_copying_a_matrix_into_an_array_of_no_axes_where_a_mask_holds(mode):
    def f(x):
        y = np.where(x > 9.0, x, 0.5)
        np.copyto(y, (x * x).reshape(1, 1), where=y < 1.0)
        return y

    assert jvp(f, [np.array(3.0)], [np.array(1.0)]) == (9.0, 6.0)
    assert mode(f)(np.array(3.0)) == 6.0


WRITE = {
    "add.at": lambda y: np.add.at(y, [0, 0], y[0] + 0.5),
    "multiply.at": lambda y: np.multiply.at(y, [1, 0], y[0] + 0.5),
    "subtract.at of a part": lambda y: np.subtract.at(y[1:], [0], y[0] + 0.5),
    "negative.at": lambda y: np.negative.at(y, [0, 1]),
    "+=": lambda y: operator.iadd(y, 1.0),
    "*=": lambda y: operator.imul(y, y),
    "*= of a part": lambda y: operator.imul(y[1:], 2.0),
    "out=": lambda y: np.add(y, 1.0, out=y),
    "sort": lambda y: y.sort(),
    "put": lambda y: np.put(y, [1], 3.0),
    "fill": lambda y: y.fill(2.0),
    "flat": lambda y: operator.setitem(y.flat, 1, y.flat[0] * 7),
    "copyto": lambda y: np.copyto(y, y * 3),
    "place": lambda y: np.place(y, y < 0, [5.0]),
    "putmask": lambda y: np.putmask(y, y < 0, [5.0]),
}


@pytest.mark.filterwarnings("ignore:Numpy has detected:DeprecationWarning")
@pytest.mark.parametrize("x", [-1.25, np.float64(-1.25), np.array(-1.25), np.array([[-1.25], [2.0]])], ids=repr)
@pytest.mark.parametrize("name", WRITE)
def test_an_array_that_repeats_elements_is_written_to_as_numpy_does(name, x):
    """Those of np.broadcast_arrays: an element that is written is written wherever it is repeated."""

    def f(x):
        y = np.broadcast_arrays(x * 1.0, np.ones((2, 3)) if np.ndim(x) else np.ones(3))[0]
        WRITE[name](y)
        return y * 1.0

    expected = f(x)
    value, tangent = jvp(f, [x], [x * 0 + 1.0])
    again, pull = vjp(f, x)
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_array_equal(again, expected)
    step = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(tangent, step, rtol=1e-8)
    np.testing.assert_allclose(np.sum(pull(np.ones_like(expected))), np.sum(step), rtol=1e-8)


def with_a_written_mask(x):
    """Use a mask, write to it, with an element that is computed as well, and use it again."""
    mask = (x > 0.0).copy()
    mask[0] = False
    before = np.sum(np.where(mask, x * x, x))
    mask[1] = x[1] > 5.0
    mask[2] = True
    filled = np.zeros_like(x)
    filled[0], filled[1:] = x[0], mask[1:]
    return before + np.sum(np.where(mask, x**3, 0.0)) + np.sum(filled * x)


def test_a_mask_that_is_written_after_it_was_used():
    x, other = np.array([1.0, 2.0, -3.0]), np.array([1.5, 6.0, -2.5])
    assert grad(with_a_written_mask)(x).tolist() == [3.0, 4.0, 29.0]
    assert [jvp(with_a_written_mask, [x], [unit])[1] for unit in np.eye(3)] == [3.0, 4.0, 29.0]
    assert record(with_a_written_mask, [x])[0].run([other]) == with_a_written_mask(other)


def with_views_of_most(x):
    """Write to an array of which views are there that show most of it, and read them again."""
    u = x * 1.0
    u[0] = x[1] ** 2
    inner, later = u[1:-1], u[2:]
    first = np.sum(inner * np.sin(later))
    u[3] = 5.0 * x[2]
    second = np.sum(inner**2 * x[:-2])
    inner[2:5] *= x[0]
    u[1:] += 0.5 * u[:-1]
    again = u[1:-1]
    again[1] = x[4]
    return first + second + np.sum(inner * again) + np.sum(later**3) + u[2] * u[3]


def test_an_array_that_large_views_show_is_written():
    x = np.linspace(-1.0, 1.5, 12)
    value, pull = vjp(with_views_of_most, x)
    assert value == with_views_of_most(x)
    np.testing.assert_allclose(pull(1.0)[0], jacfwd(with_views_of_most)(x), rtol=1e-13)
    np.testing.assert_allclose(pull(1.0)[0], grad(with_views_of_most)(x), rtol=1e-13)
    assert gradcheck(with_views_of_most, [x])
