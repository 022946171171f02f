"""Values that no sweep reads are let go: gradients stay what they are to the bit, and the memory goes back."""

import functools
import gc
import tracemalloc
import warnings

import numpy as np
import pytest
from array_samples import each
from fuzz.compiled import weighted
from fuzz.generator import program
from fuzz.judge import judge
from samples import ENTRIES, samples
from table import ELEMENTWISE_FUNCTIONS, few_points, named

from autodiff import grad, gradient, hessian, jacfwd, record, smooth, value_and_grad, value_of
from autodiff.calls.structures import flatten
from autodiff.linearization import Recording
from autodiff.tape import keeping, recorder, sweep
from autodiff.tape.keeping import arguments_read, count_read, read_to_pull
from dualnumbers.levels import is_number
from dualnumbers.rules import from_scipy
from dualnumbers.table import TABLE, is_of_table

SAMPLES = [(name, samples(name)[0]) for name in ENTRIES if samples(name)]


@pytest.fixture
def of_every_size(monkeypatch):
    """Values of every size are let go, and every product goes into a temporary array, if it may."""
    for module, name in ((keeping, "LARGE"), (recorder, "LARGE"), (recorder, "MEDIUM"), (sweep, "SMALL")):
        monkeypatch.setattr(module, name, 0)


@pytest.fixture
def same_schur(monkeypatch):
    """Logarithms and powers of one matrix are computed once: LAPACK may round them by where an array lies."""
    found, of_scipy = {}, from_scipy.imported

    def imported(name, *package):
        function = of_scipy(name, *package)
        by_schur = name in ("linalg.fractional_matrix_power", "linalg.logm")
        return functools.partial(once, function) if by_schur else function

    def once(function, a, *exponent):
        key = function, a.tobytes(), a.shape, a.dtype, *exponent
        if key not in found:
            found[key] = function(a, *exponent)
        return found[key].copy()

    monkeypatch.setattr(from_scipy, "imported", imported)
    yield
    assert found


def outcome(f, arrays):
    """The value and gradients by all arrays, or the type of the error."""
    places = tuple(k for k, x in enumerate(arrays) if np.result_type(x).kind in "fc")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(x) for x in flatten(value_and_grad(f, places)(*arrays))[0]]
        except Exception as error:
            return type(error)


@pytest.mark.parametrize(**each(SAMPLES))
def test_gradients_of_samples_are_the_same_to_the_bit(name, sample, request):
    """Each is computed twice, the second time with values that are let go."""
    if "logm" in name or "fractional_matrix_power" in name:
        request.getfixturevalue("same_schur")
    f = weighted(lambda *xs: sample.f(*(x * 1.0 if is_number(type(x)) else x for x in xs)))
    kept = outcome(f, sample.arrays)
    request.getfixturevalue("of_every_size")
    if isinstance(kept, type):
        assert outcome(f, sample.arrays) is kept
    else:
        found = outcome(f, sample.arrays)
        assert [x.tobytes() for x in found] == [x.tobytes() for x in kept]


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_programs(first, of_every_size):
    for seed in range(first, first + 25):
        assert not judge(program(seed)).failures


# ------------------------------------------------------------------------------------------- which values are read


def test_a_sweep_reads_what_the_partials_are_written_in():
    of = {function.row.name: function.row for function in ELEMENTWISE_FUNCTIONS}
    assert read_to_pull(of["sin"], (True,)) == {0}
    assert read_to_pull(of["exp"], (True,)) == {-1}
    assert read_to_pull(of["add"], (True, True)) == set()
    assert read_to_pull(of["multiply"], (True, True)) == {0, 1}
    assert read_to_pull(of["divide"], (True, False)) == {1}


@pytest.mark.parametrize(**named([f for f in ELEMENTWISE_FUNCTIONS if is_of_table(f.row)]))
def test_what_a_partial_does_not_read_may_be_anything(function):
    """The partial is found again with an object in its place that can do nothing."""
    row = function.row
    places = (*range(row.arity), -1)
    at = few_points(row)[0]
    given = [*at, function(*at)]
    for partial in row.partials:
        read = arguments_read(partial, places, frozenset(places))
        if not isinstance(partial, float) and len(read) < len(places):
            expected = partial(*given)
            found = partial(*(x if place in read else object() for x, place in zip(given, places, strict=True)))
            assert np.array_equal(found, expected, equal_nan=True)


def test_of_a_partial_that_is_no_plain_function_everything_is_read():
    places = (0, -1)
    every = frozenset(places)
    assert arguments_read(np.cos, places, every) == every
    assert arguments_read(lambda *xs: xs[0], places, every) == every
    assert arguments_read(lambda x: x, places, every) == every
    assert arguments_read(lambda x, z: (lambda: x)(), places, every) == {0}
    assert arguments_read(2.0, places, every) == set()


@pytest.mark.parametrize(
    ("f", "unread"),
    [
        (lambda x: np.sum(np.log(x * x)), 2),
        (lambda x: np.mean(np.exp(x)), 1),
        (lambda x: np.sum(x), 1),
        (lambda x: np.sum(np.sin(x) * np.where(x > 2.0, x, 1.0)), 2),
        (lambda x: np.sum(x[:2] * np.sqrt(x[1:])) ** 2, 0),
    ],
)
def test_of_a_sum_of_logarithms_a_sweep_reads_neither_the_sum_nor_the_logarithms(f, unread):
    tape, out = record(f, [np.array([1.0, 2.0, 3.0])])
    assert out.line + 1 - count_read(tape, out.line) == unread
    np.testing.assert_allclose(hessian(f)(np.array([1.0, 2.0, 3.0])), jacfwd(grad(f))(np.array([1.0, 2.0, 3.0])))


def test_a_sweep_reads_the_factors_of_a_product_and_not_the_product():
    assert read_to_pull(TABLE["matmul"].row, (True, True)) == {0, 1}
    assert read_to_pull(TABLE["affine"].row, (True, True, True)) == {0, 1}


# ------------------------------------------------------------------------------------------- what is let go

N = 1 << 16


def chain(x):
    for _ in range(7):
        x = np.sin(x) * 1.0001 + 0.1
    return np.sum(x)


def peak(f, *xs):
    """The most memory that a gradient takes, in arrays of its argument's size."""
    f(*xs)
    tracemalloc.start()
    try:
        gradient(f, xs)
        return tracemalloc.get_traced_memory()[1] / xs[0].nbytes
    finally:
        tracemalloc.stop()


def test_a_chain_keeps_what_its_slopes_read():
    """The seven arguments of sin, of 21 values; a copy of the argument, and a few that the sweep works in."""
    assert peak(chain, np.linspace(0.0, 1.0, N)) < 12


def test_a_sum_of_linear_functions_keeps_nothing():
    def f(x):
        for shift in range(20):
            x = np.roll(x, shift) - 0.5 * x
        return np.sum(x)

    assert peak(f, np.linspace(0.0, 1.0, N)) < 8


def test_a_long_loop_keeps_less_than_its_first_lines():
    """Of 400 values, 32 KiB each; those of the first lines may stay."""

    def f(x):
        for _ in range(100):
            x = x + 0.1 * (np.roll(x, 1) - x)
        return np.sum(x * x)

    assert peak(f, np.linspace(0.0, 1.0, 1 << 12)) < 1.5 * keeping.LONG


def reaction(u):
    for _ in range(5):
        u = u + 1e-3 * (u * (1.0 - u) + np.roll(u, 1) + np.roll(u, -1) - 2.0 * u)
    return np.sum(u**2)


IMAGES = np.random.default_rng(0).normal(size=(512, 784))


def network(weights, biases):
    x = IMAGES
    for w, b in zip(weights[:-1], biases, strict=True):
        x = np.tanh(x @ w + b)
    return np.sum((x @ weights[-1]) ** 2)


def layers():
    rng = np.random.default_rng(1)
    return [[rng.normal(size=shape) for shape in ((784, 256), (256, 128), (128, 10))], [np.zeros(256), np.zeros(128)]]


@pytest.mark.parametrize(("f", "xs", "share"), [
    (reaction, [np.linspace(0.0, 1.0, N)], 1 / 3),
    (chain, [np.linspace(0.0, 1.0, N)], 1 / 3),
    (network, layers(), 0.68),  # the slope of tanh reads the operand, for its digits; the next product reads the value
])  # fmt: skip
def test_the_share_of_the_values_that_is_kept(f, xs, share):
    tape = Recording(f, xs, range(len(xs))).tape
    made = [x.nbytes for x, row in zip(tape.values, tape.rows, strict=True) if row and type(x) is np.ndarray]
    assert sum(made) - sum(tape.values[line].nbytes for line in tape.let_go) < share * sum(made)


def test_what_still_has_a_handle_is_kept():
    kept = []

    def f(x):
        y = x + 1.0
        kept.append(y)
        return np.sum(y * 2.0)

    gradient(f, [np.ones(N)])
    assert np.array_equal(value_of(kept[0]), np.full(N, 2.0))


def _added_in_place(x):
    y = x + 1.0
    y += x
    y *= 2.0
    return np.sum(y * y)


def _viewed(x):
    y = (x + 1.0).reshape(2, -1)
    rows = y[0], y[1]
    del y
    return np.sum(rows[0] * rows[1])


def _written(x):
    y = np.zeros_like(x)
    y[: N // 2] = x[N // 2 :] * 2.0
    y[N // 2 :] = y[: N // 2] + 1.0
    return np.sum(y * x)


def _masked(x):
    y = x + 1.0
    above = y > 1.500015
    above[0] = True
    del y
    return np.sum(above * x)


@pytest.mark.parametrize("f", [_added_in_place, _viewed, _written, _masked])
def test_numbers_that_take_over_a_line_keep_its_value(f, of_every_size):
    x = np.linspace(0.1, 2.1, N)
    (found,) = gradient(f, [x])
    d = np.cos(np.arange(N))
    assert np.vdot(found, d) == pytest.approx((f(x + 1e-6 * d) - f(x - 1e-6 * d)) / 2e-6, rel=1e-5)


def test_values_that_were_let_go_are_computed_again_where_a_derivative_is_nan():
    """The row of zeros has a norm with a kink, its square a slope 0: what tells them apart needs every value."""

    def f(x):
        y = x * 2.0 + 1.0
        z = np.where(y > 1.0, np.sqrt(y - 1.0), 0.0)
        return np.sum(z + 1.0)

    x = np.linspace(0.0, 1.0, N)
    expected = np.zeros(N)
    expected[1:] = 1 / np.sqrt(2 * x[1:])
    assert np.allclose(gradient(f, [x])[0], expected, 1e-12, 0.0)


class Node:
    """Something that only the garbage collector frees."""


def test_nothing_is_let_go_while_a_second_look_needs_it():
    """The handle is in a cycle, and goes whenever the garbage collector runs."""

    def f(x):
        node = Node()
        node.itself, node.squares = node, np.sum(x**2, axis=1)
        return np.sum(np.sqrt(node.squares))

    x = np.ones((N // 2, 2))
    x[0] = 0.0
    thresholds = gc.get_threshold()
    try:
        for often in (10, 50, 100):
            gc.set_threshold(often)
            assert not np.any(np.isnan(gradient(f, [x])[0]))
    finally:
        gc.set_threshold(*thresholds)


def test_eigenvectors_of_equal_values_are_looked_at_with_every_value(of_every_size):
    def f(a):
        w, v = np.linalg.eigh(a + 0.0)
        return np.trace((v * np.exp(w)) @ v.T)

    assert np.allclose(gradient(f, [np.eye(3)])[0], np.e * np.eye(3), 1e-12)


def test_a_rule_of_ones_own_reads_what_it_likes(of_every_size):
    @smooth(lambda t, z, x: t * np.cos(x))
    def sine(x):
        return np.sin(x)

    x = np.linspace(0.0, 1.0, 5)
    assert np.allclose(gradient(lambda x: np.sum(sine(x + 1.0)), [x])[0], np.cos(x + 1.0))
