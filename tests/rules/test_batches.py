"""What is done to a batch is what is done to each of its members: every row, both modes, to order 3."""

import pkgutil
from importlib import import_module

import numpy as np
from array_samples import SAMPLES, directions, of_each
from table import EPS

from autodiff import grad, jvp, vjp
from autodiff.linearization import Recording
from autodiff.tape.sweep import adjoints
from dualnumbers import rules
from dualnumbers.levels import Level, level_of
from dualnumbers.numbers.batch import batch
from dualnumbers.numbers.dual import make
from dualnumbers.rules.linalg.undetermined import Unadapted
from dualnumbers.table import TABLE

MEMBERS = 3


def members_of(x, level):
    """The members of a batch, in front; or what is the same for all of them."""
    return x.data if level_of(x) is level else np.broadcast_to(x, (MEMBERS, *np.shape(x)))


def pushed_together(f, arrays, tangents):
    """The tangents of f's output, by one run."""
    low, level = Level(), Level()
    numbers = [
        make(x, batch(np.stack(t), low), level) for x, t in zip(arrays, zip(*tangents, strict=True), strict=True)
    ]
    with np.errstate(all="ignore"):
        out = f(*numbers)
    level.ended = True
    return members_of(out.tangent, low) if level_of(out) is level else np.zeros((MEMBERS, *np.shape(out)))


def pulled_together(f, arrays, cotangents):
    """The adjoints of the arrays, by one sweep."""
    recording, level = Recording(f, arrays, range(len(arrays))), Level()
    if not recording.holds(recording.out):
        return [np.zeros((MEMBERS, *x.shape)) for x in arrays]
    found = adjoints(recording.tape, {recording.out.line: batch(np.stack(cotangents), level)})
    return [
        np.zeros((MEMBERS, *x.shape)) if g is None else members_of(g, level) for g, x in zip(found, arrays, strict=True)
    ]


def assert_same(found, expected, condition, order):
    size = np.max(np.abs(expected), initial=1e-300)
    np.testing.assert_allclose(found, expected, rtol=0, atol=64 * 8 ** (order - 1) * EPS * condition * size)


def check(f, arrays, condition, order):
    """Compare batches with loops, of a function of arrays."""
    tangents = [directions(arrays, seed=seed) for seed in range(MEMBERS)]
    pushes = [jvp(f, arrays, list(t)) for t in tangents]
    try:
        together = pushed_together(f, arrays, tangents)
    except Unadapted:  # forward mode takes one direction after the other
        pass
    else:
        assert_same(together, np.stack([tangent for _, tangent in pushes]), condition, order)
    value = np.asarray(pushes[0][0])
    cotangents = [directions([value], seed=7 + seed)[0] for seed in range(MEMBERS)]
    pull = vjp(f, *arrays)[1]
    one_by_one = zip(*map(pull, cotangents), strict=True)
    for found, expected in zip(pulled_together(f, arrays, cotangents), one_by_one, strict=True):
        assert_same(found, np.stack(expected), condition, order)


ONE_BY_ONE = (
    "add_at add_reduceat allclose argpartition array_equal array_equiv bincount digitize eig eigenvalue_rates eigh "
    "eigvals eigvalsh eliminated expm expm_frechet fractional_matrix_power fractional_matrix_power_frechet "
    "from_eigenvalues fsum geomspace histogram histogramdd interp isin item least_squares lexsort line_at linspace "
    "logm logm_frechet lstsq math_isclose matrix_rank max_where min_where nanmax_where nanmin_where places "
    "places_along prod_where quantile_parts quotient roots searchsorted signm solve_circulant solve_continuous_are "
    "solve_discrete_are solve_discrete_lyapunov solve_sylvester sqrtm subtract_at sum_where svd svdvals unwrap"
)
"""The rows that say nothing of batches, and are applied to one member after the other."""


def _is_of_dualnumbers(row):
    """Modules of autodiff add rows to the table, when they are imported."""
    evaluate = row.python.plain or row.python.scalar
    return not getattr(evaluate, "__module__", "").startswith("autodiff")


def test_which_rows_go_member_by_member():
    """Every other row takes all members at once; a new row says how, or stands here."""
    for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        import_module(module.name)
    rows = {function.row for function in TABLE.values() if _is_of_dualnumbers(function.row)}
    at_once = {row for row in rows if row.batched or row.is_elementwise or (row.is_constant and row.python.scalar)}
    assert sorted(row.name for row in rows - at_once) == ONE_BY_ONE.split()


@of_each(SAMPLES)
def test_a_batch_is_its_members(name, sample):
    check(sample.f, list(sample.arrays), sample.condition, 1)


@of_each([(name, sample) for name, sample in SAMPLES if sample.unreal])
def test_a_batch_of_complex_numbers_is_its_members(name, sample):
    arrays = list(sample.arrays)
    arrays = [x + 0.5j * d for x, d in zip(arrays, directions(arrays, seed=3), strict=True)]
    check(sample.f, arrays, sample.condition, 1)


def scalar(sample):
    """A function of one number that is not linear in what the sample gives."""
    z = np.asarray(sample.f(*sample.arrays))
    (w,) = directions([np.real(z)], seed=5)
    return lambda *xs: np.sum(np.sin(np.real(sample.f(*xs))) * w)


ROWS = {name: sample for name, sample in reversed(SAMPLES) if name in TABLE}
"""The first sample of each row."""


@of_each(ROWS.items())
def test_a_batch_is_its_members_to_order_3(name, sample):
    """Through the gradient, and through the derivative of that along a direction."""
    f, places = scalar(sample), tuple(range(len(sample.arrays)))
    along = directions(sample.arrays, seed=19)

    def gradient(*xs):
        return np.concatenate([np.ravel(g) for g in grad(f, places)(*xs)])

    def second(*xs):
        return jvp(gradient, xs, along)[1]

    arrays = list(sample.arrays)
    check(gradient, arrays, sample.condition, 2)
    check(second, arrays, sample.condition, 3)
