"""Who owns an array: results are the caller's own, views are tied to their base, a copy is a copy."""

import copy

import numpy as np
import pytest

import dualnumbers.dmath as dmath
from autodiff import (
    derivative,
    forward,
    grad,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    record,
    value_and_grad,
    vjp,
)
from autodiff.calls.captured import checksum, is_fixed, lent
from dualnumbers import DualNumber

X = np.array([0.5, 1.0, 2.0, 3.0])
JACOBIANS = pytest.mark.parametrize("jacobian", [jacfwd, jacrev])


def assigned(view):
    """A function that writes 5 through a view of its argument's double, and returns the double."""

    def f(x):
        y = x * 2.0
        view(y)[0] = 5.0
        return y

    return f


@JACOBIANS
@pytest.mark.parametrize(
    "view",
    [
        lambda y: y[:2],
        lambda y: y[::-1][::-1],
        lambda y: y.ravel(),
        lambda y: np.ravel(y),
        lambda y: y.reshape(4, 1)[:, 0],
        lambda y: np.reshape(y, (2, 2))[0],
        lambda y: np.reshape(y, (2, 2)).T[0],
        lambda y: np.transpose(np.reshape(y, (2, 2)))[0],
        lambda y: np.reshape(y, (2, 2)).mT[0],
        lambda y: np.expand_dims(y, 1)[:, 0],
        lambda y: np.matrix_transpose(np.reshape(y, (2, 2)))[0],
    ],
    ids=range(11),
)
def test_writing_through_a_view_writes_its_base(view, jacobian):
    plain = assigned(view)(X)
    assert plain[0] == 5.0
    value, _ = jvp(assigned(view), [X], [np.ones(4)])
    assert np.array_equal(value, plain)
    assert np.array_equal(jacobian(assigned(view))(X), 2.0 * np.diag([0.0, 1.0, 1.0, 1.0]))


INNER = {
    "jvp": lambda x: jvp(lambda q: np.sum(q) + 0.0 * x, [x], [x])[1],
    "jvp, value": lambda x: jvp(lambda q: np.broadcast_to(x[:1], x.shape), [x], [x])[0],
    "linearize": lambda x: linearize(lambda q: np.sum(q) * x, x)[1](x),
    "vjp": lambda x: vjp(lambda q: np.sum(q) * x, x)[1](x)[0],
    "grad": lambda x: grad(lambda q: np.sum(q) * np.sum(x))(x),
    "gradient": lambda x: gradient(lambda q: np.sum(-q) * np.sum(x), [x])[0],
    "forward.gradient": lambda x: forward.gradient(lambda q: np.sum(q**2 * x), [x])[0],
    "jacfwd": lambda x: jacfwd(lambda q: np.sum(q**2) * x)(x),
    "jacfwd by a number": lambda x: jacfwd(lambda q: q + 0.0 * x)(np.sum(x)),
    "jacrev": lambda x: jacrev(lambda q: np.sum(q) * x)(x),
    "jacobian": lambda x: jacobian(lambda q: np.sum(q**2) * x)(x),
    "derivative": lambda x: derivative(lambda q: np.sum(q**2) * x, 0, [x]),
    "hessian": lambda x: hessian(lambda q: np.sum(q**3 * x))(x),
    "hvp": lambda x: hvp(lambda q: np.sum(q**3) * np.sum(x))(x, x),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("name", INNER)
def test_results_within_another_differentiation_can_be_written_to(name, size):
    if not size and name == "jvp, value":
        return

    def f(x):
        z = INNER[name](x)
        z[...] *= 2.0
        return z

    x = np.linspace(0.5, 2.0, size)
    expected = 2.0 * INNER[name](x)
    assert np.array_equal(jvp(f, [x], [x])[0], expected)
    assert np.array_equal(vjp(f, x)[0], expected)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(x), 2.0 * mode(INNER[name])(x), rtol=1e-14)


@JACOBIANS
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda y: y.copy()])
def test_a_copy_is_not_tied(duplicate, jacobian):
    def f(x):
        y = x * 2.0
        z = duplicate(y)
        z[0] = 5.0
        return y

    assert np.array_equal(jacobian(f)(X), 2.0 * np.eye(4))


def test_results_are_the_callers_own():
    """They are writable and do not share memory with one another, the arguments or the (co)tangents."""
    t = np.ones(4)
    results = [
        grad(np.sum)(X),
        *gradient(lambda a, b: np.sum((a + b) ** 2), [X, X]),
        *vjp(lambda x: x + 0.0, X)[1](t),
        *jvp(lambda x: x, [X], [t]),
        linearize(lambda x: x + 0.0, X)[1](t),
    ]
    for k, result in enumerate(results):
        result *= 2.0
        assert not any(np.shares_memory(result, other) for other in [X, t, *results[:k], *results[k + 1 :]])


@pytest.mark.parametrize("prepare", [vjp, linearize])
def test_what_is_done_to_a_value_does_not_reach_the_tape(prepare):
    value, linear_map = prepare(np.exp, X)
    value *= 0.0
    found = linear_map(np.ones(4))
    assert np.array_equal(found[0] if isinstance(found, tuple) else found, np.exp(X))


@JACOBIANS
def test_a_number_does_not_fit_into_an_array_of_integers(jacobian):
    def f(x):
        y = np.zeros(4, int, like=x)
        y[0] = x[0]
        return y

    with pytest.raises(TypeError, match="dtype=float"):
        jacobian(f)(X)


LAYOUTS = {
    "C": lambda w: w,
    "F": lambda w: np.asfortranarray(w),
    "transposed": lambda w: w.T,
    "reversed": lambda w: w[::-1],
    "every second": lambda w: np.repeat(w, 2, axis=1)[:, ::2],
    "float32": lambda w: w.astype(np.float32),
    "complex": lambda w: w + 0j,
    "half": lambda w: w.astype(np.float16),
    "bool": lambda w: w > 0.0,
}
CHANGES = {
    "nothing": lambda w: None,
    "an element": lambda w: w.__setitem__((-1, -1), 3.0),
    "NaN": lambda w: w.__setitem__((2, 3), np.nan),
    "exchanged": lambda w: w.__setitem__(slice(None, 2), w[:2][::-1].copy()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("lay", LAYOUTS.values(), ids=LAYOUTS)
def test_a_captured_array_of_any_layout_is_used_as_it_is_at_the_time(lay, change):
    weights = lay(np.random.default_rng(0).normal(size=(70, 70)))
    before = weights.copy()

    def f(x):
        y = np.sum(weights * x) + np.sum(weights * x)
        change(weights)
        return np.real(y + np.sum(weights * x))

    found, kind = grad(f)(2.0), np.result_type(weights, np.float64)
    expected = np.real(2 * np.sum(before.astype(kind)) + np.sum(weights.astype(kind)))
    np.testing.assert_allclose(found, expected, rtol=1e-2 if weights.dtype == np.float16 else 1e-4)


def test_a_large_captured_array_may_not_change_between_two_uses():
    data = np.ones(1_100_000)

    def f(v):
        y = v * data
        data[0] = 2.0
        y = y * data
        data[0] = 1.0
        return np.sum(y)

    with pytest.raises(RuntimeError, match="was changed after it was used"):
        grad(f)(np.ones(1_100_000))


WRITES = {
    "an element": lambda w: w.__setitem__(70_000, w[70_000] + 1.0),
    "a sign": lambda w: w.__setitem__(70_000, -w[70_000]),
    "two signs": lambda w: w.__imul__(np.where(np.arange(w.size) // 2 == 35_000, -1, 1).astype(w.dtype)),
    "signs of a row": lambda w: w[5_000:5_100].__imul__(-1.0),
    "all signs": lambda w: w.__imul__(-1.0),
    "exchanged": lambda w: w.__setitem__(slice(0, 70_000, 1_000), w[:70_000:1_000][::-1].copy()),
    "exchanged, of other signs": lambda w: w.__setitem__(slice(0, 2), w[:2][::-1].copy()),
    "reversed": lambda w: w.__setitem__(slice(None), w[::-1].copy()),
    "scaled": lambda w: w.__imul__(2.0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_every_write_to_a_large_captured_array_is_noticed(kind, write):
    data = np.random.default_rng(0).normal(size=2_200_000).astype(kind)
    data[1] = -data[0]

    def f(x):
        y = x * data
        write(data)
        return np.sum(y)

    with pytest.raises(RuntimeError, match="was changed after it was used"):
        grad(f)(2.0)


@pytest.mark.parametrize("apart", [1, 2, 63, 1021, 1031, 2048, 4096, 8192, 1031 * 127, 1031 * 255, 1021 * 1031])
@pytest.mark.parametrize("pair", [(0.0, 1.0), (0.0, 2.0), (-0.0, 0.0), (1.5, -1.5), (np.inf, -np.inf)])
def test_a_checksum_sees_every_exchange(pair, apart):
    """Also of numbers that differ in their highest bits alone, wherever they stand."""
    for place in np.random.default_rng(apart).integers(0, 2_000_000 - apart, 8):
        x = np.zeros(2_200_000)
        x[[place, place + apart]] = pair
        before = checksum(x)
        x[[place, place + apart]] = pair[::-1]
        assert checksum(x) != before


@pytest.mark.parametrize("size", [0, 1, 1030, 1031, 2100, 130_937, 130_938, 530_001])
def test_a_checksum_sees_every_element_and_all_signs(size):
    for x in (np.ones(size), np.ones(size, np.float32), np.ones(2 * size, np.int8)):
        before = checksum(x)
        for place in {0, size // 2, size - 1} if size else ():
            x[place] = -x[place]
            assert checksum(x) != before
            x[place] = -x[place]
        assert checksum(x) == before
        assert not size or checksum(-x) != before


@pytest.mark.parametrize("columns", [1, 50, 1030, 1031, 1032, 2062])
def test_a_checksum_sees_rows_and_columns_that_change_places(columns):
    x = np.random.default_rng(columns).integers(0, 5, (300_000 // columns, columns)).astype(float)
    before = checksum(x)
    assert checksum(x[::-1]) != before
    assert checksum(np.roll(x, 1, 0)) != before
    assert columns == 1 or checksum(np.roll(x, 1, 1)) != before


@pytest.mark.parametrize("columns", [50, 1021, 1031, 2062])
def test_a_checksum_sees_signs_of_few_rows_and_columns_and_rows_of_ones_that_change_places(columns):
    """Where the array's own rows are those that are summed, neither their sums nor those of columns would change."""
    x = np.random.default_rng(columns).normal(size=(500, columns))
    before = checksum(x)
    x[:2, :2] *= -1.0
    assert checksum(x) != before
    chosen = np.eye(500, columns)
    before = checksum(chosen)
    chosen[[0, 1]] = chosen[[1, 0]]
    assert checksum(chosen) != before


@pytest.mark.parametrize("read", [float, int, np.asarray, lambda m: {m: 1.0}[m], lambda m: m.item()])
def test_a_mask_times_an_outer_variable_is_no_plain_value(read):
    """The inner derivative is zero there, the outer one is not."""
    with pytest.raises((TypeError, AttributeError)):
        derivative(lambda y: grad(lambda x: x * read((x > 0) * y))(np.float64(2.0)), 0, [3.0])


@pytest.mark.parametrize("f", [dmath.fmod, dmath.remainder, lambda x, y: x % y])
def test_the_slope_of_a_remainder_where_the_quotient_rounds(f):
    """1 / 0.1 rounds to 10, but 0.1 in binary goes into 1 nine times whole; `remainder` takes the nearest, ten."""
    whole = round((1.0 - f(1.0, 0.1)) / 0.1)
    assert derivative(f, 1, [1.0, 0.1]) == -whole


def test_components_of_a_dual_number_stay_whole():
    y = DualNumber(X * 1.0, np.ones(4))
    np.reshape(y, (2, 2))[0, 0] = 7.0
    assert (y.real[0], y.dual[0]) == (7.0, 0.0)


@pytest.mark.parametrize("size", [4, 1000, 200_000])
@pytest.mark.parametrize("differentiate", [lambda f, x: jvp(f, [x], [x]), lambda f, x: grad(f)(x)])
def test_writing_to_the_argument_by_another_name_is_an_error(differentiate, size):
    data = np.ones(size)

    def f(x):
        y = x * x
        data[0] = 5.0
        return np.sum(y * x)

    with pytest.raises(RuntimeError, match="by another name"):
        differentiate(f, data)


def fill(x):
    x.fill(5.0)


def reshape_in_place(x):
    x.shape = (2, 2)


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
@pytest.mark.parametrize(("which", "write"), [(0, reshape_in_place), *((k, fill) for k in range(4))])
def test_so_it_is_to_one_of_several(which, write):
    data = [np.ones(4), np.ones((2, 4), np.float32), np.ones((4, 2), order="F"), np.ones(200_000)]

    def f(*xs):
        total = sum(np.sum(x * x) for x in xs)
        write(data[which])
        return total

    with pytest.raises(RuntimeError, match="by another name"):
        grad(f, (0, 1, 2, 3))(*data)


@pytest.mark.parametrize("differentiate", [lambda f, x: jvp(f, [x], [np.ones(4)])[1], lambda f, x: np.sum(grad(f)(x))])
def test_writing_to_the_argument_leaves_the_callers_array_alone(differentiate):
    def f(x):
        x[0] = 0.0
        x *= x
        return np.sum(x)

    data = np.array([np.nan, 1.0, 2.0, 3.0])
    assert differentiate(f, data) == 12.0
    assert np.isnan(data[0])
    assert data[3] == 3.0


@pytest.mark.parametrize("sparse", [False, True])
def test_a_grid_of_a_plain_array_beside_a_number_is_a_copy(sparse):
    plain = np.array([1.0, 2.0, 3.0])

    def f(x):
        grid = np.meshgrid(plain, x, sparse=sparse)[0]
        grid[0, 0] = 5.0
        assert np.shares_memory(grid.ravel(), grid)
        return np.sum(grid) * np.sum(x)

    for value in (f(np.ones(2)), jvp(f, [np.ones(2)], [np.ones(2)])[0], vjp(f, np.ones(2))[0]):
        assert value == (20.0 if sparse else 32.0)
    assert plain.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("size", [2_000, 2_500_000])
def test_a_captured_array_that_nobody_can_write_to_is_neither_copied_nor_compared(size):
    data = np.arange(float(size))
    view = data[::2]
    view.flags.writeable = False
    tape, out = record(lambda x: np.sum(x * view), [2.0])
    assert tape.adjoints(out)[0] == view.sum()
    data[0] = 1.0  # the owner of its memory can
    if size == 2_000:
        assert tape.adjoints(out)[0] == view.sum() - 1.0
    else:
        with pytest.raises(RuntimeError, match="changed"):
            tape.adjoints(out)
    data.flags.writeable = False
    for fixed in (data, view, np.frombuffer(data.tobytes())):
        tape, out = record(lambda x, fixed=fixed: np.sum(x * fixed), [2.0])
        assert any(constant is fixed for constant in tape.constants)
        assert tape.adjoints(out)[0] == fixed.sum()


def test_a_captured_array_that_somebody_can_write_to_again():
    data = np.arange(2_000.0)
    data.flags.writeable = False
    tape, out = record(lambda x: np.sum(x * data), [2.0])
    data.flags.writeable = True
    data[:] = 0.0
    with pytest.raises(RuntimeError, match="changed"):
        tape.adjoints(out)


@pytest.mark.parametrize("data", [np.arange(12.0).reshape(3, 4).T[::-1], np.arange(6, dtype=">i4")[::2],
                                  np.zeros((0, 3), "complex64"), np.array(2.0), np.array([True, False])])  # fmt: skip
def test_a_lent_array_is_the_same_memory_read_only(data):
    view = lent(data)
    assert (view.dtype, view.shape, view.tobytes()) == (data.dtype, data.shape, data.tobytes())
    assert view.strides == data.strides or not data.size
    assert np.shares_memory(view, data) == bool(data.size)
    assert [is_fixed(x) for x in (data, view, view[...])] == [False, True, True]
    for taken in (view, view[...]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            taken.flags.writeable = True
    assert lent(view) is view


def test_a_lent_array_of_objects_is_itself_and_a_lent_one_outlives_its_owner():
    objects = np.array([None, 1])
    assert lent(objects) is objects
    view = lent(np.arange(1_000_000.0))
    assert view.sum() == 499_999_500_000.0


@pytest.mark.parametrize("place", [0, 1999, 4000])
@pytest.mark.parametrize("between", [True, False])
def test_a_row_of_a_large_captured_matrix_that_changes_is_seen(place, between):
    """Between two gradients, or within one, after a product: the second product is of what it holds then."""
    data, w = np.random.default_rng(2).normal(size=(4001, 100)), np.linspace(-1.0, 1.0, 100)

    def f(w):
        first = np.sum(np.tanh(data @ w))
        if not between:
            data[place, 50] += 1.0
        return first + np.sum(np.sin(data @ w))

    def slope(first, second):
        return first.T @ (1.0 - np.tanh(first @ w) ** 2) + second.T @ np.cos(second @ w)

    for _ in range(3):
        before = data.copy()
        value, found = value_and_grad(f)(w)
        assert value == np.sum(np.tanh(before @ w)) + np.sum(np.sin(data @ w))
        np.testing.assert_allclose(found, slope(before, data), rtol=1e-12)
        data[place, 3] -= 1.0


@pytest.mark.parametrize("row", [lambda rows: rows[:1], lambda rows: rows[::-1][:1], lambda rows: rows[0][None]])
def test_a_single_captured_row_is_compared_whole_whatever_its_stride(row):
    """Its stride is that of the array it comes from, negative or 0."""
    rows, w = np.random.default_rng(3).normal(size=(3, 300_000)), np.linspace(-1.0, 1.0, 300_000)
    x = row(rows)
    slope = grad(lambda w: np.sum(x @ w))
    for _ in range(3):
        np.testing.assert_array_equal(slope(w), x[0])
        rows[:, -1] += 1.0
