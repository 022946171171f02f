"""Every function that is not elementwise, on its sample calls: both modes against differences and each other."""

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Hashable
from contextlib import suppress
from inspect import Parameter, signature

import numpy as np
import pytest
from array_samples import NAMES, SAMPLES, directions, of_each
from samples import ENTRIES, samples
from samples.determinants import SINGULAR
from table import EPS, JACOBIANS, difference, nestings, same_bits

from autodiff import grad, gradient, jacfwd, jacrev, jit, jvp, record, vjp
from autodiff.scipy._counterpart import COUNTERPARTS
from autodiff.tape.accumulation import fit
from dualnumbers.table import BY_NUMPY, TABLE
from dualnumbers.table.kinds import Smooth


def moved(arrays, by, t):
    return [x + t * d for x, d in zip(arrays, by, strict=True)]


def inner(a, b):
    """Re Σ conj(a) b, the real inner product."""
    return np.sum(np.real(np.conj(a) * b))


def assert_close(found, expected, condition=1.0, context=""):
    """Equal to rounding, measured by the largest element."""
    size = max(np.max(np.abs(np.asarray(x)), initial=0.0) for x in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=64 * EPS * condition * size, err_msg=context)


def test_every_row_and_composition_has_samples():
    assert not [name for name in NAMES if not samples(name)], "write entries for them in tests/samples/"


def test_every_entry_is_of_something():
    assert set(ENTRIES) <= set(NAMES)


IN_NUMPY = {"np.": np, "np.linalg.": np.linalg, "np.fft.": np.fft, "np.lib.stride_tricks.": np.lib.stride_tricks}
REFUSED = {f"{name}: weights" for name in ("np.quantile", "np.nanquantile", "np.percentile", "np.nanpercentile")} | {
    "np.polyfit: full",
    "np.polyfit: cov",
}
"""Parameters that a function of numbers refuses."""
IDLE = {"device", "like", "order", "out", "subok"}
"""Those that say where a result goes, or how it lies in memory, of which test_parameters.py has tests."""


VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _signature(function, entry):
    """That of NumPy's; builtins do not tell theirs before NumPy 2.4."""
    try:
        return signature(function)
    except ValueError:
        return signature(entry)


def _noting(function, bound, given):
    def call(*arguments, **keywords):
        with suppress(TypeError):  # a builtin takes what the table does not
            given.update(bound.bind(*arguments, **keywords).arguments)
        return function(*arguments, **keywords)

    return call


def test_the_samples_give_every_parameter(monkeypatch):
    """Of a function of NumPy that is there by several names, the samples may call any."""
    expected, given = {}, defaultdict(set)
    for prefix, module in IN_NUMPY.items():
        for name, function in list(vars(module).items()):
            known = isinstance(function, Hashable) and not isinstance(function, (np.ufunc, str))
            entry = BY_NUMPY.get(function) if known else None
            if entry is not None and not (hasattr(entry, "row") and entry.row.is_elementwise):
                bound = _signature(function, entry)
                taken = [p.name for p in signature(entry).parameters.values() if p.kind not in VARIADIC]
                expected[prefix + name] = entry, (bound.parameters.keys() & set(taken)) - IDLE
                monkeypatch.setattr(module, name, _noting(function, bound, given[id(entry)]))
    for name in ENTRIES:
        for sample in samples(name):
            if not sample.peer:
                with np.errstate(all="ignore"):
                    sample.f(*sample.arrays)
    missing = {f"{name}: {parameter}" for name, (entry, names) in expected.items() if len(names) > 1
               for parameter in names - given[id(entry)]}  # fmt: skip
    assert missing == REFUSED, "write calls that give these in tests/samples/parameters.py"


@of_each([(name, sample) for name, sample in SAMPLES if name in TABLE])
def test_a_sample_exercises_its_row(name, sample):
    tape, _ = record(sample.f, sample.arrays)
    assert name in {line.name for line in tape.rows if line}


def differentiated(f, arrays):
    """The value in either mode."""
    return jvp(f, arrays, [np.ones_like(x) for x in arrays])[0], vjp(f, *arrays)[0]


@of_each([(name, sample) for name, sample in SAMPLES if not sample.peer])
def test_value_is_that_of_numpy(name, sample):
    for kind in (float, np.float32):
        arrays = [x.astype(kind) for x in sample.arrays]
        expected = sample.f(*arrays)
        for found in differentiated(sample.f, arrays):
            if sample.exact:
                assert same_bits(np.asarray(found), np.asarray(expected))
            np.testing.assert_allclose(found, expected, rtol=8 * np.finfo(kind).eps)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@of_each([(name, sample) for name, sample in SAMPLES if sample.peer])
def test_value_is_that_of_scipy(name, sample):
    """Of numbers to rounding, in single precision where SciPy's is; of plain arrays alone SciPy's is called."""
    for kind in (float, np.float32):
        arrays = [x.astype(kind) for x in sample.arrays]
        expected = sample.peer(*arrays)
        for found in differentiated(sample.f, arrays):
            assert np.shape(found) == np.shape(expected)
            if kind is float or not np.can_cast(np.result_type(found), np.result_type(expected)):
                assert np.result_type(found) == np.result_type(expected)
            size = np.max(np.abs(expected), initial=np.finfo(kind).eps)
            np.testing.assert_allclose(found, expected, 0, 64 * np.finfo(kind).eps * sample.condition * size)
        if getattr(COUNTERPARTS.get(name), "of_plain", None):
            assert same_bits(np.asarray(sample.f(*arrays)), np.asarray(expected))


@of_each(SAMPLES)
def test_derivatives_have_the_shapes_and_types_of_their_spaces(name, sample):
    for kind in (float, np.float32):
        arrays = [x.astype(kind) for x in sample.arrays]
        value, tangent = jvp(sample.f, arrays, directions(arrays))
        _, pullback = vjp(sample.f, *arrays)
        assert np.shape(tangent) == np.shape(value)
        assert np.result_type(tangent) == np.result_type(value)
        for x, adjoint in zip(arrays, pullback(np.ones_like(value)), strict=True):
            assert adjoint.shape == x.shape
            assert adjoint.dtype == x.dtype


@of_each([(name, sample) for name, sample in SAMPLES if sample.smooth])
def test_jacobian_is_that_of_differences(name, sample):
    """Forward mode, column by column."""
    for k, x in enumerate(sample.arrays):
        found = jacfwd(sample.f, k)(*sample.arrays)
        assert found.shape == np.shape(sample.f(*sample.arrays)) + x.shape
        for position in np.ndindex(x.shape):
            along = [np.zeros_like(y) for y in sample.arrays]
            along[k][position] = 1.0
            displaced = lambda t, along=along: sample.f(*moved(sample.arrays, along, t))
            slope, error = difference(displaced, sample.step, x[position])
            column = found[(..., *position)]
            assert np.all(np.abs(column - slope) <= error + 64 * EPS * sample.condition), position


@of_each(SAMPLES)
def test_reverse_is_forward(name, sample):
    for k in range(len(sample.arrays)):
        forward, reverse = (mode(sample.f, k)(*sample.arrays) for mode in JACOBIANS.values())
        assert_close(reverse, forward, sample.condition)


@of_each(SAMPLES)
def test_pull_back_is_the_transpose_of_push_forward(name, sample):
    """⟨v, J u⟩ = ⟨Jᵀ v, u⟩ in the real inner product; and J u is a difference along u."""
    assert_transposed(sample, list(sample.arrays))


@of_each([(name, sample) for name, sample in SAMPLES if sample.unreal])
def test_pull_back_is_the_transpose_of_push_forward_at_complex_arrays(name, sample):
    arrays = list(sample.arrays)
    assert_transposed(sample, [x + 0.5j * d for x, d in zip(arrays, directions(arrays, seed=3), strict=True)])


def assert_transposed(sample, arrays):
    u = directions(arrays)
    value, pushed = jvp(sample.f, arrays, u)
    (v,) = directions([np.asarray(value)], seed=11)
    pulled = vjp(sample.f, *arrays)[1](v)
    size = np.sum(np.abs(v * pushed)) + sum(np.sum(np.abs(p * d)) for p, d in zip(pulled, u, strict=True))
    transposed = sum(inner(p, d) for p, d in zip(pulled, u, strict=True))
    assert abs(inner(v, pushed) - transposed) <= 64 * EPS * sample.condition * size
    if sample.smooth:
        slope, error = difference(lambda t: sample.f(*moved(arrays, u, t)), 1e-3, 2.0)
        assert np.all(np.abs(pushed - slope) <= error + 64 * EPS * sample.condition * size)


def second_order(f, arrays, w):
    """The Hessian of f times w by the four nestings."""
    along = lambda *xs: jvp(f, xs, w)[1]
    places = tuple(range(len(arrays)))
    yield "forward over reverse", jvp(lambda *xs: gradient(f, xs), arrays, w)[1]
    yield "reverse over forward", gradient(along, arrays)
    yield (
        "reverse over reverse",
        gradient(lambda *xs: sum(np.sum(g * d) for g, d in zip(gradient(f, xs), w, strict=True)), arrays),
    )
    yield "forward over forward", list(jacfwd(along, places)(*arrays))


@of_each(SAMPLES)
def test_second_derivatives_are_one_in_every_nesting(name, sample):
    """Of Σ v · f(x)², so that linear rows, too, have a second derivative."""
    arrays = list(sample.arrays)
    (v,) = directions([np.asarray(np.real(sample.f(*arrays)))], seed=11)

    def weighed(*xs):
        z = sample.f(*xs)
        return np.sum(v * np.real(z * z))

    w = directions(arrays, seed=5)
    found = dict(second_order(weighed, arrays, w))
    gradient_at = functools.cache(lambda t: gradient(weighed, moved(arrays, w, t)))
    for k in range(len(arrays)):
        slope, error = difference(lambda t, k=k: gradient_at(t)[k], 1e-3, 2.0)
        for name, product in found.items():
            assert_close(product[k], found["forward over reverse"][k], 8 * sample.condition, name)
            if sample.smooth:
                bound = error + 64 * EPS * sample.condition * np.max(np.abs(slope), initial=1.0)
                assert np.all(np.abs(product[k] - slope) <= bound), name


# --------------------------------------------------------------------------------------------- explicit pull-backs


def calls(name, sample):
    """The lines of a sample's tape that apply a row: its value, operands, static parameters."""
    tape, _ = record(sample.f, sample.arrays)
    for line, applied in enumerate(tape.rows):
        if applied is not None and applied.name == name:
            yield tape.values[line], [tape.value(k) for k in tape.operands(line)], tape.static.get(line, ())


def cotangent(z):
    """Random numbers for the elements of a value, or of every result; None for counts, which have no derivative."""
    if not isinstance(z, tuple):
        return directions([np.asarray(z)])[0]
    return tuple(cotangent(part) if np.result_type(part).kind in "fc" else None for part in z)


@of_each([(name, s) for name, s in SAMPLES if name in TABLE and Smooth in TABLE[name].row.kinds])
def test_an_explicit_pull_back_is_the_derived_one(name, sample):
    row = TABLE[name].row
    for z, xs, static in calls(name, sample):
        g = cotangent(z)
        for k, kind in enumerate(row.arguments):
            if isinstance(kind, Smooth):
                found = fit(row.pull(k, g, z, xs, static), xs[k])
                derived = Smooth(kind.by_push).pull(row, k, g, z, xs, static, None)
                assert_close(found, fit(derived, xs[k]), 8 * sample.condition)


@of_each([(name, s) for name, s in SAMPLES if name in TABLE and TABLE[name].row.joint])
def test_a_joint_pull_back_is_that_of_each_operand(name, sample):
    row = TABLE[name].row
    for z, xs, static in calls(name, sample):
        g = cotangent(z)
        together = row.joint(g, z, *xs, *static)
        assert len(together) == len(xs)
        for k, found in enumerate(together):
            assert (found is None) == (not row.passes(k))
            if row.passes(k):
                assert_close(fit(found, xs[k]), fit(row.pull(k, g, z, xs, static), xs[k]), 8 * sample.condition)


# --------------------------------------------------------------------------------------------- singular points


def unit_difference(f, x, positions):
    """The mixed partial of a function that is linear in every element, by differences of step 1: exact anywhere."""
    if not positions:
        return f(x)
    shifted = x.copy()
    shifted[positions[0]] += 1.0
    return unit_difference(f, shifted, positions[1:]) - unit_difference(f, x, positions[1:])


def multilinear_tensor(f, x, order):
    """All partials of an order of such a function; twice in one element, it is 0."""
    tensor = np.zeros(x.shape * order)
    for positions in itertools.permutations(np.ndindex(x.shape), order):
        tensor[tuple(itertools.chain(*positions))] = unit_difference(f, x, list(positions))
    return tensor


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("x", [[2.0, 3.0, 5.0, 7.0], [2.0, 0.0, 5.0, 7.0], [0.0, 3.0, 0.0, 7.0], [0.0, 0.0, 0.0, 2.0]])
def test_product_with_zeros(x, order):
    expected = multilinear_tensor(np.prod, np.array(x), order)
    for name, partial in nestings(np.prod, (0,) * order, JACOBIANS):
        np.testing.assert_array_equal(partial(np.array(x)), expected, err_msg=name)


@pytest.mark.parametrize("x", [[1e-160, 1e-160, 3.0], [1e200, 0.5, 1e200], [1e-300, 1e-5, 1e155, 1e155]])
@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_a_product_that_leaves_the_range_of_floats_has_the_partials_that_do_not(x, jacobian):
    """The quotient z / xᵢ has no digits there."""
    x = np.array(x)
    expected = [math.prod(np.delete(x, k).tolist()) for k in range(len(x))]
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(jacobian(np.prod)(x), expected, rtol=1e-15)


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_a_cumulative_product_below_the_normal_range_has_all_digits(jacobian):
    found = jacobian(np.cumprod)(np.array([1e-160, 1e-160, 3.0]))[2]
    np.testing.assert_allclose(found, [3e-160, 3e-160, 1e-160 * 1e-160], rtol=1e-15)


def test_a_product_does_not_depend_twice_on_a_factor():
    x = np.random.default_rng(0).normal(size=7)
    for name, second in nestings(np.prod, (0, 0), JACOBIANS):
        assert np.all(np.diag(second(x)) == 0.0), name


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("matrix", SINGULAR.values(), ids=SINGULAR)
def test_determinant_of_a_singular_matrix(matrix, order):
    x = np.array(matrix)
    expected = multilinear_tensor(np.linalg.det, x, order)
    for name, partial in nestings(np.linalg.det, (0,) * order, JACOBIANS):
        tolerance = 1e-12 * max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(partial(x), expected, rtol=0, atol=tolerance, err_msg=name)


def test_third_derivative_of_the_determinant_of_a_singular_matrix():
    x = np.array(SINGULAR["rank 2 of 3"])
    found = jacfwd(jacrev(jacfwd(np.linalg.det)))(x)
    np.testing.assert_allclose(found, multilinear_tensor(np.linalg.det, x, 3), rtol=0, atol=1e-12)


@np.errstate(invalid="ignore")
def test_determinants_of_a_stack_with_matrices_that_are_not_finite():
    """NaN by their own elements alone; of the others, singular or not, the cofactors."""
    stack = np.array([[[1.0, np.nan], [2.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [2.0, 4.0]]])
    cofactors = stack[:, ::-1, ::-1] * [[1.0, -1.0], [-1.0, 1.0]]
    for jacobian in (jacfwd, jacrev):
        slopes = jacobian(np.linalg.det)(stack)
        own = np.eye(3, dtype=bool)
        assert not np.any(slopes[~own])
        assert np.all(np.isnan(slopes[0, 0]))
        np.testing.assert_allclose(slopes[own][1:], cofactors[1:], rtol=1e-14)
    found = grad(lambda a: np.sum(np.linalg.det(a)[1:]))(stack)
    np.testing.assert_allclose(found, np.concatenate([np.zeros((1, 2, 2)), cofactors[1:]]), rtol=1e-14, atol=1e-15)
    assert grad(np.linalg.det)(np.array([[np.nan]])) == 1.0


@pytest.mark.parametrize("gap", [1e-4, 1e-8])
def test_inverse_of_an_almost_singular_matrix(gap):
    """Of [[1, 1], [1, 1 + g]]: in closed form by the powers of 1/g."""
    x = np.array([[1.0, 1.0], [1.0, 1.0 + gap]])
    inverse = np.array([[1.0 + gap, -1.0], [-1.0, 1.0]]) / (x[1, 1] - 1.0)
    expected = -np.einsum("ij,kl->iljk", inverse, inverse)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(np.linalg.inv)(x), expected, rtol=1e-14 / gap)


@pytest.mark.parametrize("function", [np.linalg.inv, lambda a: np.linalg.solve(a, np.ones(2))], ids=["inv", "solve"])
def test_a_singular_matrix_has_no_inverse_in_any_mode(function):
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    for call in (function, jacfwd(function), jacrev(function)):
        with pytest.raises(np.linalg.LinAlgError):
            call(x)


@pytest.mark.parametrize("function", [np.max, np.min])
def test_ties_share_equally_at_every_order(function):
    x = np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 2.0]])
    expected = (x == function(x)) / 3.0
    for mode in (jacfwd, jacrev):
        np.testing.assert_array_equal(mode(function)(x), expected)
    for name, second in nestings(function, (0, 0), JACOBIANS):
        np.testing.assert_array_equal(second(x), np.zeros((2, 3, 2, 3)), err_msg=name)


@pytest.mark.parametrize("indices", [[0, -1, 0], 0, []], ids=str)
@pytest.mark.parametrize(("axis", "mode"), [(-1, "raise"), (1, "clip"), (0, "clip")])
def test_elements_taken_of_none(axis, mode, indices):
    """NumPy asks no index where it takes nothing; its own error comes out of the call."""
    x, y = np.zeros((0, 0)), np.zeros((0, 2))
    take = lambda x: np.take(x, np.array(indices, int), axis, mode=mode)
    value, back = vjp(take, x)
    assert value.shape == take(x).shape
    assert back(value)[0].shape == x.shape
    for jacobian in (jacfwd, jacrev):
        assert jacobian(take)(x).shape == (*value.shape, 0, 0)
        assert jit(jacobian(take))(x).shape == (*value.shape, 0, 0)
    with pytest.raises(IndexError, match="cannot do a non-empty take from an empty axes"):
        vjp(lambda x: np.take(x, [0], axis=0), y)


def test_the_last_of_repeated_assignments_wins():
    def assigned(v):
        z = np.zeros(3, like=v)
        z[np.array([0, 2, 0])] = v
        return z

    expected = [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    for mode in (jacfwd, jacrev):
        np.testing.assert_array_equal(mode(assigned)(np.array([1.0, 2.0, 3.0])), expected)
