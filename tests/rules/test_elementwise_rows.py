"""Every elementwise row of the table: a new row is tested here without a test being written for it.

Points come from the row's domain; derivatives are held against difference quotients of the function itself, in floats
and in 50 digits, never against a second formula.
"""

import functools
import itertools
import math
import sys

import numpy as np
import pytest
from drawn import DEEP, drawn, drawn_from
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes
from mpmath import mp
from references import REFERENCES, WITHOUT, reference
from references_special import CONDITION
from table import (
    COSTLY,
    ELEMENTWISE_FUNCTIONS,
    EPS,
    EXAMPLES,
    FUNCTIONS,
    MODES,
    REFERENCE_NOISE,
    VALUES,
    anywhere,
    coordinates,
    difference,
    distance,
    exactly,
    few_points,
    is_costly,
    named,
    nestings,
    noise,
    numpy_function,
    orders_of,
    outcome,
    partial_difference,
    places,
    points,
    python_function,
    room,
    same_bits,
    settled,
    tuples,
    value_noise,
)

from autodiff import derivative, grad, gradient, jvp, vjp
from dualnumbers import DualNumber
from dualnumbers.table import TABLE, Refused

PYTHON_FACES = [f for f in FUNCTIONS if f.row.python.scalar and python_function(f.row)]
NUMPY_FACES = [f for f in FUNCTIONS if f.row.python.scalar and numpy_function(f.row)]

UNLESS_NOISE = "if SciPy has no more digits, say in NOISE of tests/references_special.py how many units it is off"


def on_arrays(function):
    """What acts on arrays: the row's NumPy face, or the only one that it has."""
    return numpy_function(function.row) or function


# --------------------------------------------------------------------------------------------- derivatives


WITH_DIGITS = [f for f in ELEMENTWISE_FUNCTIONS if value_noise(f.row) <= 1e5 or not reference(f.row)]
"""All but some of SciPy's that have fewer than 10 digits: their derivatives are compared in 50 digits only."""


OF_TERMS = {"kl_div"}
"""Functions whose value is a difference of terms as large as their arguments, and rounded as these are."""


@pytest.mark.parametrize(**named(WITH_DIGITS))
@drawn_from(points)
def test_partials_are_the_limits_of_difference_quotients(function, point):
    for k in places(function.row):
        slope, error = partial_difference(function, k, point, room(function.row, point), value_noise(function.row))
        error *= CONDITION.get(function.row.name, 1)
        if function.row.name in OF_TERMS:
            error += 4 * EPS * max(map(abs, point)) / (2e-4 * room(function.row, point))
        assert error <= 1e-4 * (1 + abs(slope)), (
            f"the difference at {point} is too coarse to test anything: give the row a domain=, from rules/domains.py, "
            "of where it is smooth and its values have all digits, with the distance to its kinks and poles"
        )
        for mode, partial in MODES.items():
            assert abs(partial(function, k)(*point) - slope) <= error, (mode, UNLESS_NOISE)


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
@drawn_from(points, one_in=10)
def test_second_partials_are_one_number_in_every_nesting(function, point):
    assert_second_partials(function, function, point, MODES, room(function.row, point), distance(function.row, point))


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
def test_second_partials_of_arrays_are_one_in_every_nesting(function):
    """At all points in one array, each compared by itself."""
    row, drawn_points = function.row, drawn(points, function.row)
    arrays = [np.array(xs) for xs in zip(*drawn_points, strict=True)]
    rooms, distances = (np.array([measure(row, point) for point in drawn_points]) for measure in (room, distance))
    with np.errstate(all="ignore"):
        assert_second_partials(function, on_arrays(function), arrays, MODES_OF_ARRAYS, rooms, distances)


MODES_OF_ARRAYS = {
    "forward": lambda f, k: (
        lambda *xs: jvp(lambda x: f(*xs[:k], x, *xs[k + 1 :]), [xs[k]], [np.ones(np.shape(xs[k]))])[1]
    ),
    "reverse": lambda f, k: (
        lambda *xs: vjp(lambda x: f(*xs[:k], x, *xs[k + 1 :]), xs[k])[1](np.ones(np.shape(xs[k])))[0]
    ),
}
"""The partials of a function that acts on arrays of one shape, element by element."""


def assert_second_partials(function, apply, point, modes, room, distance):
    """Every nesting of two modes against differences of the first derivative, and against one of them."""
    row, first = function.row, [modes["forward"](apply, k) for k in range(function.row.arity)]
    for wrt in itertools.combinations_with_replacement(places(row), 2):
        slope, error = partial_difference(first[wrt[0]], wrt[1], point, room, noise(row), each=True)
        error *= CONDITION.get(row.name, 1)
        found = {name: partial(*point) for name, partial in nestings(apply, wrt, modes)}
        lower = sum(abs(first[k](*point)) for k in wrt) / distance
        size = np.max(list(map(np.abs, found.values())), axis=0) + lower
        for name, second in found.items():
            assert np.all(abs(second - slope) <= error), (name, wrt, UNLESS_NOISE)
            assert np.all(abs(second - found["forward in forward"]) <= 16 * EPS * noise(row) * size), (name, wrt)


def sizes(f, point, wrt, active, digits=50):
    """What the rounding of a partial is measured by: the partial, lower ones, and what rounded arguments change."""
    lower = {orders_of(part, len(point)) for m in range(1, len(wrt)) for part in itertools.combinations(wrt, m)}
    for part in (orders_of(wrt, len(point)), *lower):
        yield abs(exactly(f, point, part, digits))
    rough = digits if len(wrt) == 1 else min(digits, 25)  # of one order more, which no partial is compared with
    for k in active:
        yield abs(point[k] * exactly(f, point, orders_of((*wrt, k), len(point)), rough))


def assert_within(errors, unit, sizes, least):
    """Each error is at most so many units of the sum of some sizes; of these no more are computed than it takes."""
    limit = least
    for size in sizes:
        limit += unit * size
        if all(error <= limit for error in errors.values()):
            return
    assert not errors, f"more than {mp.nstr(limit, 3)}"


WITH_REFERENCE = [function for function in ELEMENTWISE_FUNCTIONS if reference(function.row)]


def test_every_row_has_a_reference_or_says_why_not():
    missing = {f.row.name for f in ELEMENTWISE_FUNCTIONS} - {f.row.name for f in WITH_REFERENCE} - set(WITHOUT)
    assert not missing, "write them in mpmath in REFERENCES of tests/references.py, or in WITHOUT there why not"
    assert not set(REFERENCES) & set(WITHOUT)
    names = {f.row.name for f in (*FUNCTIONS, *TABLE.values())}
    assert set(REFERENCES) | set(WITHOUT) <= names, "no rows have these names"


def assert_agrees_with_50_digits(function, point, order):
    f, active, digits = reference(function.row), places(function.row), 25 if is_costly(function.row) else 50
    for wrt in itertools.combinations_with_replacement(active, order):
        exact = exactly(f, point, orders_of(wrt, len(point)), digits)
        errors = {(name, wrt): abs(partial(*point) - exact) for name, partial in nestings(function, wrt)}
        unit = 8 * EPS * noise(function.row) / distance(function.row, point) ** (order - 1)
        # all sizes may vanish, as atan2's in y at x = 0
        assert_within(errors, unit, sizes(f, point, wrt, active, digits), REFERENCE_NOISE * mp.mpf(10) ** (50 - digits))


@pytest.mark.parametrize(**named(WITH_REFERENCE))
@drawn_from(points)
def test_derivatives_are_exact_to_rounding(function, point):
    for order in (1, 2):
        assert_agrees_with_50_digits(function, point, order)


@pytest.mark.parametrize(**named([f for f in WITH_REFERENCE if not is_costly(f.row) or len(places(f.row)) == 1]))
@drawn_from(points, one_in=4)
def test_third_derivatives_are_exact_to_rounding(function, point):
    assert_agrees_with_50_digits(function, point, 3)


TAILS = [
    ("tanh", 1e-10), ("tanh", 20.0), ("tanh", -20.0), ("tanh", 300.0), ("tanh", 800.0),
    ("expm1", -40.0), ("expm1", 1e-20), ("log1p", -1 + 1e-15), ("log1p", 1e-20), ("log1p", 1e300),
    ("exp", -700.0), ("exp", 700.0), ("exp2", 1000.0), ("log", 1e-300), ("log", 1e300), ("log2", 1e-300),
    ("log10", 1e300), ("sqrt", 1e-300), ("sqrt", 1e300), ("cbrt", 1e-300), ("cbrt", -1e300),
    ("hypot", 1e200, 2e200), ("hypot", 1e-200, 2e-200), ("hypot", 1e200, 1.0), ("hypot", 3.0, 1e-200),
    ("hypot", 1.0, 1e6),
    ("asinh", 1e200), ("asinh", 1e-200), ("asinh", -1e10), ("sinh", -700.0), ("sinh", 1e-200),
    ("cosh", 700.0), ("cosh", 710.0), ("acosh", 1 + 1e-12), ("acosh", 1e200), ("atanh", 1 - 1e-12),
    ("asin", 1 - 1e-12), ("asin", -1 + 1e-15), ("acos", 1 - 1e-12),
    ("asin", 1e-30), ("acos", 1e-30), ("atanh", 1e-30), ("atan", 1e100), ("atan", 1e-200),
    ("atan2", 1e200, 1e200), ("atan2", 1e200, 1.0), ("atan2", 1.0, 1e-30), ("tan", 1.5707963),
    ("sin", 1e10), ("cos", 1e15),
    ("logaddexp", 1000.0, 1000.7), ("logaddexp", -1000.0, -1000.7), ("logaddexp", 1000.0, 300.0),
    ("logaddexp", 0.0, -40.0), ("logaddexp2", 1000.0, 1000.7), ("logaddexp2", 0.0, -60.0),
    ("power", 1e-100, 3.0), ("power", 1e100, 1.5), ("power", 1e-200, 0.5), ("power", 1 + 1e-15, 1e15),
    ("pow", 1e-100, 3.0), ("power", 2.0, -1000.0), ("power", 1.9, 0.0), ("pow", 1.9, 0.0),
    ("erf", 5.0), ("erf", 26.5), ("erfc", 26.5), ("erf", -26.5), ("erf", 1e-200), ("gamma", 170.0), ("gamma", 1e-10),
    ("lgamma", 1e-10), ("lgamma", 1e10), ("lgamma", 1e100),
    ("divide", 1e200, 1e200), ("divide", 1e-100, 1e-100), ("divide", 1.0, 1e100), ("divide", 1e200, 1e-50),
    ("reciprocal", 1e-100), ("reciprocal", 1e100), ("sinc", 1e-30), ("sinc", 1e-5), ("sinc", 0.5), ("sinc", -0.9),
]  # fmt: skip
"""Where formulas lose their digits, overflow on the way or underflow too early."""


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("tail", TAILS, ids=lambda tail: f"{tail[0]}({', '.join(map(str, tail[1:]))})")
def test_tails_keep_their_digits(tail, order):
    name, *point = tail
    function = TABLE[name]
    point = tuple(point)
    for wrt in itertools.combinations_with_replacement(places(function.row), order):
        exact = settled(reference(function.row), point, orders_of(wrt, len(point)))
        if abs(exact) > np.finfo(float).max:  # not a float, nor need what leads there be one
            continue
        for nesting, partial in nestings(function, wrt):
            error = abs(partial(*point) - exact)
            assert error <= 4 * order * EPS * abs(exact) + 8 * np.finfo(float).smallest_subnormal, (nesting, wrt)


# --------------------------------------------------------------------------------------------- arrays


def fixed_shapes(arity):
    fixed = {1: [((),), ((1,),), ((0,),), ((3,),)], 2: [((3, 1), (1, 3)), ((2, 1), (2, 3)), ((), (2,)), ((0,), (1,))]}
    return fixed.get(arity, [((3,),) * arity, ((2, 1), (3,), *[()] * (arity - 2))])


@functools.cache
def shapes(arity):
    """Shapes that broadcast to one: scalars, vectors, matrices, sides of length 1 and 0."""
    drawn = mutually_broadcastable_shapes(num_shapes=arity, max_dims=2, max_side=3, min_side=0)
    return st.sampled_from(fixed_shapes(arity)) | drawn.map(lambda found: found.input_shapes)


def array_arguments(row):
    """Arrays of broadcastable shapes with elements from the row's domain: a list, or a strategy to search deep."""
    active = tuple(places(row))
    if is_costly(row):
        few = list(zip(*few_points(row), strict=True))
        return [as_arguments(map(np.resize, few, found), active) for found in fixed_shapes(row.arity)]
    if DEEP:
        return arrays_of(tuple(coordinates(row)), active)
    elements = [itertools.cycle(xs) for xs in zip(*drawn(anywhere, row), strict=True)]
    chosen = itertools.islice(itertools.cycle(drawn(lambda row: shapes(row.arity), row)), EXAMPLES // 2)
    return [as_arguments(map(filled, found, elements), active) for found in chosen]


def filled(shape, elements):
    """An array of the next so many of these."""
    return np.array(list(itertools.islice(elements, math.prod(shape)))).reshape(shape)


@functools.cache
@st.composite
def arrays_of(draw, elements_of, active):
    """Arrays whose elements have these strategies."""
    arrays = []
    for shape, elements in zip(draw(shapes(len(elements_of))), elements_of, strict=True):
        size = int(np.prod(shape))
        arrays.append(np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape))
    return as_arguments(arrays, active)


def as_arguments(arrays, active):
    return [x.astype(float if k in active else int) for k, x in enumerate(arrays)]


def directions(arrays):
    """Tangents without zeros, all different."""
    return [0.5 + np.cos(np.arange(x.size)).reshape(x.shape) ** 2 for x in arrays]


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
@drawn_from(array_arguments, one_in=2)
def test_on_arrays_it_is_the_map_of_itself_on_numbers(function, arrays):
    active, apply = places(function.row), on_arrays(function)

    def restricted(*xs):
        return apply(*(xs[active.index(k)] if k in active else x for k, x in enumerate(arrays)))

    with np.errstate(all="ignore"):
        value = outcome(restricted, *(arrays[k] for k in active))
        if not isinstance(value, (np.ndarray, np.generic)):  # a function of math alone raises outside its domain
            return
        cotangent, tangents = directions([value])[0], directions([arrays[k] for k in active])
        _, pushed = jvp(restricted, [arrays[k] for k in active], tangents)
        pulled = vjp(restricted, *(arrays[k] for k in active))[1](cotangent)
        partials = [np.empty(value.shape) for _ in active]
        for position in np.ndindex(value.shape):
            numbers = [np.broadcast_to(x, value.shape)[position].item() for x in arrays]
            for partial, k in zip(partials, active, strict=True):
                partial[position] = derivative(apply, k, numbers)
        terms = [np.broadcast_to(t, value.shape) * p for t, p in zip(tangents, partials, strict=True)]
        np.testing.assert_allclose(pushed, sum(terms), rtol=1e-13, atol=4 * EPS * largest(terms))
        for k, adjoint, partial in zip(active, pulled, partials, strict=True):
            expected = summed_to(arrays[k].shape, cotangent * partial)
            assert adjoint.shape == arrays[k].shape
            np.testing.assert_allclose(adjoint, expected, rtol=1e-13, atol=8 * EPS * largest(cotangent * partial))


def largest(x):
    """The largest finite absolute value in an array, 0 if there is none."""
    return np.abs(x, where=np.isfinite(x), out=np.zeros(np.shape(x))).max(initial=0.0)


def summed_to(shape, x):
    """An array summed over the axes along which ``shape`` was broadcast to it, element by element."""
    total = np.zeros(shape)
    for position in np.ndindex(x.shape):
        origin = tuple(i if n > 1 else 0 for i, n in zip(position[x.ndim - len(shape) :], shape, strict=True))
        total[origin] += x[position]
    return total


# --------------------------------------------------------------------------------------------- values and exceptions


@functools.cache
def any_numbers(row, whole=True):
    """Arguments from the domain or from anywhere, infinite, NaN, tiny, whole: a list of a few, or a strategy."""
    if is_costly(row):
        return list(some_numbers(row))
    if row.is_constant:
        return tuples(*[wild(whole)] * row.arity)
    return tuples(*(wild(whole, x) if k in places(row) else x for k, x in enumerate(coordinates(row))))


@functools.cache
def wild(whole, *or_else):
    """Numbers from anywhere, or of other strategies."""
    found = st.floats() | st.floats(-3, 3) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0])
    return st.one_of(found | st.integers(-3, 3) if whole else found, *or_else)


def any_floats(row):
    """The same without whole numbers where floats may be."""
    return any_numbers(row, whole=False)


def lists_of_points(row):
    """Eight of these at a time; of a costly row those that have the whole numbers of one of its points."""
    if not is_costly(row):
        found = drawn(any_floats, row)
        return [found[start : start + 8] for start in range(0, len(found), 8)]
    whole = [[x if isinstance(x, int) else None for x in point] for point in few_points(row)]
    return [
        [point for point in some_numbers(row) if all(y in (x, None) for x, y in zip(point, those, strict=True))]
        for those in whole
    ]


def some_numbers(row):
    """A point of the domain with each coordinate replaced by what may lie outside of it."""
    yield from few_points(row)
    for k, point in itertools.product(places(row), few_points(row)[:2]):
        for x in (0.0, -0.0, 1.0, -1.0, 1e-300, 1e3, np.nan, *(() if row.name == "hyp1f1" else (np.inf, -np.inf))):
            yield (*point[:k], x, *point[k + 1 :])  # hyp1f1(-1.1, 1.1, inf) does not return


def activities(row, point):
    """Every choice of the float arguments that carry a derivative, at least one; none in which it is refused."""
    refused = [isinstance(partial, Refused) for partial in row.partials] or [False] * row.arity
    floats = [k for k, x in enumerate(point) if isinstance(x, (float, np.floating, np.ndarray)) and not refused[k]]
    return [chosen for n in range(1, len(floats) + 1) for chosen in itertools.combinations(floats, n)]


def assert_same_outcome(expected, row, function, point, turn=None):
    """In both modes, whichever arguments are differentiated: the value has the same bits, or the same is raised.

    Where tests take turns, that is all of the arguments and one of the other choices, another one at each turn.
    """
    choices = activities(row, point)
    if turn is not None and len(choices) > 2:
        choices = [choices[-1], choices[turn % (len(choices) - 1)]]
    for chosen in choices:

        def restricted(*xs, chosen=chosen):
            return function(*(xs[chosen.index(k)] if k in chosen else x for k, x in enumerate(point)))

        for mode, value in VALUES.items():
            found = outcome(value, restricted, *(point[k] for k in chosen))
            assert same_bits(found, expected), (mode, chosen, found, expected)


@pytest.mark.parametrize(**named(PYTHON_FACES))
@drawn_from(any_numbers, turns=True)
def test_values_and_exceptions_are_those_of_python(function, point, turn):
    expected = outcome(python_function(function.row), *point)
    assert same_bits(outcome(function, *point), expected)
    assert_same_outcome(expected, function.row, function, point, turn)


@pytest.mark.parametrize(**named(NUMPY_FACES))
@drawn_from(any_floats, one_in=2, turns=True)
def test_values_are_those_of_numpy(function, point, turn):
    """Of Python's floats, and of NumPy's, which take turns; of arrays at these points and as many others, see below."""
    ufunc = numpy_function(function.row)
    kinds = (np.float64, np.float32) if turn is None else ((np.float64, np.float32)[turn % 2],)
    for kind in (float, *kinds):
        with np.errstate(all="ignore"):
            arguments = [kind(x) if isinstance(x, float) else x for x in point]
        expected = outcome(ufunc, *arguments)
        assert_same_outcome(expected, function.row, ufunc, arguments, turn if turn is None else turn // 2)


@pytest.mark.parametrize(**named(NUMPY_FACES))
def test_values_of_arrays_are_those_of_numpy(function):
    """At many points in one array, whole numbers alone being one for all of them."""
    ufunc, row = numpy_function(function.row), function.row
    for turn, (listed, dtype) in enumerate(itertools.product(lists_of_points(row), (np.float64, np.float32))):
        with np.errstate(all="ignore"):
            arguments = [np.array(xs, dtype) if isinstance(xs[0], float) else xs[0] for xs in zip(*listed, strict=True)]
        assert_same_outcome(outcome(ufunc, *arguments), row, ufunc, arguments, turn)


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
@drawn_from(any_floats)
def test_a_derivative_warns_of_nothing_that_the_value_does_not(function, point):
    apply = on_arrays(function)
    point = [np.float64(x) if isinstance(x, float) else x for x in point]
    with np.errstate(all="raise", under="ignore"):
        try:
            apply(*point)
        except (ArithmeticError, ValueError):
            return
        for k in places(function.row):
            derivative(apply, k, point)
            grad(apply, k)(*point)


@pytest.mark.parametrize(**named([f for f in NUMPY_FACES if f in ELEMENTWISE_FUNCTIONS]))
@pytest.mark.filterwarnings("ignore:non-integer arg n is deprecated")  # SciPy's own, of bdtr's count beside a float32
@drawn_from(points, one_in=4)
def test_a_derivative_has_the_precision_of_the_value_or_the_argument(function, point):
    """What is pushed forward has the dtype of NumPy's value, what is pulled back that of the argument."""
    ufunc, active = numpy_function(function.row), places(function.row)
    for kind in (np.float32, lambda x: np.array([x, x], np.float32)):
        numbers = [kind(x) if k in active else x for k, x in enumerate(point)]
        xs = [numbers[k] for k in active]
        ones = [np.ones_like(x)[()] for x in xs]

        def restricted(*xs, numbers=numbers):
            return ufunc(*(xs[active.index(k)] if k in active else x for k, x in enumerate(numbers)))

        value, pushed = jvp(restricted, xs, ones)
        second = jvp(lambda *ys, ones=ones, f=restricted: jvp(f, ys, ones)[1], xs, ones)[1]
        assert value.dtype == pushed.dtype == second.dtype == ufunc(*numbers).dtype
        assert {x.dtype for x in vjp(restricted, *xs)[1](np.ones_like(value)[()])} == {np.dtype(np.float32)}


# --------------------------------------------------------------------------------------------- complex arguments


def takes_complex(function):
    """Whether a row is NumPy's function and that takes complex numbers."""
    ufunc, row = on_arrays(function), function.row
    return ufunc is getattr(np, ufunc.__name__, None) and any(
        t.startswith("D" * row.arity + "->") for t in getattr(ufunc, "types", ["D->D"])
    )


def has_complex_derivative(function):
    """Whether a row that takes complex numbers is holomorphic, or written over real and imaginary parts."""
    try:
        on_arrays(function)(*[DualNumber(1.0 + 2.0j, 1.0)] * function.row.arity)
    except TypeError:
        return False
    return True


COMPLEX = [f for f in ELEMENTWISE_FUNCTIONS if takes_complex(f) and has_complex_derivative(f)]


PARTS = st.floats(0.3, 1.5)
"""Of a complex argument: the first quadrant, away from every branch cut."""


def complex_point(row):
    return st.tuples(*[st.builds(complex, PARTS, PARTS)] * row.arity)


U = [0.6 - 0.8j, 0.3 + 1.1j]


@pytest.mark.parametrize(**named(COMPLEX))
@drawn_from(complex_point)
def test_at_complex_points_it_is_the_adjoint_in_the_real_inner_product(function, point):
    """Re Σ conj(v) · J u = Re Σ conj(Jᵀ v) · u, and J u is a difference along u."""
    ufunc, u = numpy_function(function.row), U[: len(point)]
    value, pushed = jvp(ufunc, point, u)
    slope, error = difference(lambda t: ufunc(*moved(point, u, t)), 1e-3, max(map(abs, point)))
    assert abs(pushed - slope) <= error
    v = 0.7 + (0.4j if np.iscomplexobj(value) else 0.0)
    pulled = vjp(ufunc, *point)[1](v)
    terms = [np.real(np.conj(p) * d) for p, d in zip(pulled, u, strict=True)]
    size = abs(v * pushed) + sum(abs(p * d) for p, d in zip(pulled, u, strict=True))
    assert abs(np.real(np.conj(v) * pushed) - sum(terms)) <= 64 * EPS * size


@pytest.mark.parametrize(**named(COMPLEX))
@drawn_from(complex_point, one_in=4)
def test_at_complex_points_the_second_derivative_is_one_in_every_nesting(function, point):
    """H u of the real function φ = Re c f, in both modes of both orders, beside a difference of φ's gradient."""
    ufunc, u = numpy_function(function.row), U[: len(point)]

    def phi(*xs):
        return np.real((0.7 - 0.4j) * ufunc(*xs))

    def along(*xs):
        return jvp(phi, xs, u)[1]

    found = {
        "forward over reverse": jvp(lambda *xs: gradient(phi, xs), point, u)[1],
        "reverse over forward": gradient(along, point),
        "reverse over reverse": gradient(lambda *xs: inner(gradient(phi, xs), u), point),
        "forward over forward": [
            complex(*(jvp(along, point, unit(point, k, e))[1] for e in (1, 1j))) for k in range(len(point))
        ],
    }
    for k in range(len(point)):
        slope, error = difference(lambda t, k=k: gradient(phi, moved(point, u, t))[k], 1e-3, max(map(abs, point)))
        for name, product in found.items():
            assert abs(product[k] - slope) <= error + 64 * EPS * (1 + abs(slope)), name


def moved(point, by, t):
    return [x + t * d for x, d in zip(point, by, strict=True)]


def unit(point, place, direction):
    return [direction if k == place else 0.0 for k in range(len(point))]


def inner(a, b):
    """Re Σ conj(a) b."""
    return sum(np.real(np.conj(x) * y) for x, y in zip(a, b, strict=True))


# --------------------------------------------------------------------------------------------- extended precision


def takes_extended(function):
    """Whether a row is a ufunc of NumPy that computes in extended precision."""
    ufunc = numpy_function(function.row)
    return any(t.startswith("g") for t in getattr(ufunc, "types", ()))


def distance_in_50_digits(x, exact):
    """|x − exact| of a longdouble, which is the sum of two floats."""
    high = float(x)
    with mp.workdps(50):
        return abs(mp.mpf(high) + mp.mpf(float(x - high)) - exact)


@pytest.mark.skipif(np.finfo(np.longdouble).eps == EPS, reason="longdouble is double here")
@pytest.mark.parametrize(**named([f for f in WITH_REFERENCE if takes_extended(f)]))
@drawn_from(points, one_in=4)
def test_a_longdouble_keeps_its_digits(function, point):
    active = places(function.row)
    ufunc, f, eps = numpy_function(function.row), reference(function.row), float(np.finfo(np.longdouble).eps)
    for order in (1, 2):
        for wrt in itertools.combinations_with_replacement(active, order):
            exact = exactly(f, point, orders_of(wrt, len(point)))
            errors = {}
            for name, partial in nestings(ufunc, wrt):
                found = partial(*(np.longdouble(x) if k in active else x for k, x in enumerate(point)))
                assert found.dtype == np.longdouble
                errors[name, wrt] = distance_in_50_digits(found, exact)
            unit = 16 * eps / distance(function.row, point) ** (order - 1)
            assert_within(errors, unit, sizes(f, point, wrt, active), REFERENCE_NOISE)


def test_the_families_of_few_points_are_there():
    assert {module.rpartition(".")[2] for module in sys.modules if module.startswith("dualnumbers.rules.")} >= COSTLY


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_ties_and_nan_stand_beside_ordered_elements(dtype):
    """One array of all cases, and the ordered part of it alone, which goes a shorter way."""
    x, slopes = np.array([2.0, -1.0, 0.5, np.inf, np.nan], dtype), [1.0, 0.0, 0.5, 1.0, np.nan]
    y = np.array([1.0, 3.0, 0.5, 0.0, 0.0], dtype)
    for part in (slice(None), slice(2)):
        for f, expected in ((np.maximum, np.array(slopes)), (np.minimum, 1.0 - np.array(slopes))):
            found = grad(lambda x, part=part, f=f: np.sum(f(x, y[part])))(x[part])
            np.testing.assert_array_equal(found, expected[part])
            assert found.dtype == dtype
