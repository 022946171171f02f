"""Recorded programs at other inputs: as the function is there, or an error that names the decision; never stale."""

import itertools
import pkgutil
import warnings
from collections import Counter
from importlib import import_module

import numpy as np
import pytest
from array_samples import of_each
from fuzz.generator import program
from fuzz.program import moved
from samples import ENTRIES, samples
from table import ELEMENTWISE_FUNCTIONS, few_points, named, places
from twins import is_twin

import autodiff.scipy
from autodiff import Variable, derivative, grad, hessian, jacfwd, jvp, record, stop_gradient, value_of, vjp
from autodiff.calls.structures import flatten
from autodiff.tape.replay import DivergedError
from dualnumbers import dmath

for _module in pkgutil.iter_modules(autodiff.scipy.__path__):
    import_module(f"autodiff.scipy.{_module.name}")

SAMPLES = [(name, sample) for name in ENTRIES for sample in samples(name)]


def gradient(f):
    """Its pull-back of ones."""

    def pulled(*xs):
        out, pull = vjp(f, *xs)
        return pull(np.ones(np.shape(out)) if np.shape(out) else 1.0)

    return pulled


def product_with_hessian(f):
    """The derivative of the gradient along ones."""
    return lambda *xs: jvp(gradient(f), xs, [np.ones(np.shape(x))[()] for x in xs])[1]


OF = {"value": lambda f: f, "gradient": gradient, "product with the Hessian": product_with_hessian}


def whole(f):
    """All three as one program."""
    return lambda *xs: (f(*xs), *jvp(gradient(f), xs, [np.ones(np.shape(x))[()] for x in xs]))


def outcome(call):
    """The leaves of what a call returns, or the type of its error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(value_of(leaf)) for leaf in flatten(call())[0]]
        except Exception as error:
            return type(error)


def is_same(found, expected):
    """Whether two outcomes are one, to rounding."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    return len(found) == len(expected) and all(
        x.shape == y.shape
        and x.dtype == y.dtype
        and np.allclose(x, y, 1e-9, 1e-9 * np.max(np.abs(y), initial=1.0, where=np.isfinite(y)), equal_nan=True)
        for x, y in zip(found, expected, strict=True)
    )


def points(arrays, seed=0):
    """Two other points: one beside it, and the same numbers in another order."""
    rng = np.random.default_rng(seed)
    yield [np.asarray(x * (1 + 1e-3 * rng.normal(size=x.shape))) if isinstance(x, np.ndarray) else x for x in arrays]
    yield [rng.permutation(x.ravel()).reshape(x.shape) if isinstance(x, np.ndarray) else x for x in arrays]


def recorded(f, args):
    """The tape of a function at arguments."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return record(f, args)[0]


def ran(tape, f, xs):
    """Whether a recorded program runs at other arguments; raises where it gives anything else than ``f``."""
    found = outcome(lambda: tape.run(xs))
    if found is DivergedError:
        return False
    if not is_same(found, outcome(lambda: f(*xs))):  # numbers need not do as NumPy with knots that are in no order
        assert is_same(found, outcome(lambda: vjp(f, *xs)[0]))
    return not isinstance(found, type)


# ------------------------------------------------------------------------------------------- the table


@of_each(SAMPLES)
def test_a_recorded_sample_is_never_stale(name, sample):
    """It is the same program when it is recorded beside its point, or does not run there: nothing is kept unnoted.

    That is so of the value, the gradient and the product with the Hessian in one; where these do not run, of each.
    """
    others = not_run(whole(sample.f), sample.arrays, list(points(sample.arrays)))
    for of in ("value", "gradient") if others else ():
        not_run(OF[of](sample.f), sample.arrays, others)


def not_run(f, arrays, others):
    """Those of other arguments at which a recorded program does not run; one that runs beside its point is as there."""
    tape = recorded(f, arrays)
    found = [(other, ran(tape, f, other)) for other in others]
    beside, runs = found[0]
    assert not runs or is_twin(tape, recorded(f, beside))
    return [other for other, runs in found if not runs]


@pytest.mark.parametrize(**named(ELEMENTWISE_FUNCTIONS))
def test_a_recorded_elementwise_function_is_never_stale(function):
    for of, (at, other) in itertools.product(OF.values(), itertools.permutations(few_points(function.row), 2)):
        fixed = set(range(len(at))) - set(places(function.row))
        f = of(lambda *xs, at=at, fixed=fixed: function(*(at[k] if k in fixed else x for k, x in enumerate(xs))))
        ran(recorded(f, tuple(map(float, at))), f, tuple(map(float, other)))


@pytest.mark.parametrize("of", OF)
def test_most_samples_run_at_points_beside_theirs(of):
    found = Counter(ran(recorded(OF[of](s.f), s.arrays), OF[of](s.f), next(points(s.arrays))) for _, s in SAMPLES[::10])
    assert found[True] > {"value": 4, "gradient": 2, "product with the Hessian": 1.5}[of] * found[False]


# ------------------------------------------------------------------------------------------- programs


@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in range(0, 200, 20)], ids=lambda seeds: str(seeds.start))
def test_recorded_random_programs_are_never_stale(seeds):
    for drawn in map(program, seeds):
        if not drawn.error:
            check_program(drawn)


def check_program(drawn):
    """Record a program and run it beside its arguments, and far from them."""
    function, count = drawn.function(), len(drawn.differentiated)
    f = lambda *xs: function(*xs, *drawn.fresh()[count:])
    try:
        tape = recorded(f, drawn.fresh(drawn.differentiated))
    except (TypeError, ValueError, IndexError):
        return  # what is refused has tests of its own
    for step in (1e-3, 0.7):
        found = outcome(lambda step=step: tape.run([moved(x, step) for x in drawn.fresh(drawn.differentiated)]))
        expected = outcome(lambda step=step: f(*(moved(x, step) for x in drawn.fresh(drawn.differentiated))))
        assert found is DivergedError or is_same(found, expected), drawn.source()


READING = {
    "value_of": lambda x: value_of(x)[0] * x,
    "stop_gradient": lambda x: stop_gradient(x) * x,
    "int": lambda x: int(np.argmax(x)) * x,
    "float": lambda x: float(np.floor(x)[0]) * x,
    "an index of a list": lambda x: [x, 2 * x, 3 * x][np.argmax(x)],
    "a key": lambda x: {0: x, 1: 2 * x, 2: 3 * x}[np.argmax(x)],
    "item": lambda x: np.argsort(x)[0].item() * x,
    "tolist": lambda x: np.argsort(x).tolist()[0] * x,
    "np.asarray": lambda x: np.asarray(np.sign(x)) * x,
    "a mask of a plain array": lambda x: np.arange(3.0)[x > 0].sum() * x,
    "round": lambda x: round(x[0]) * x,
    "frexp": lambda x: dmath.frexp(x[0])[1] * x,
    "modf": lambda x: dmath.modf(x[0])[1] * x,
    "isclose": lambda x: x if dmath.isclose(x[0], x[1], abs_tol=0.2) else 2 * x,
    "in": lambda x: x if 0.25 in x else 2 * x,
    "allclose": lambda x: x if np.allclose(x, 0.25, atol=0.3) else 2 * x,
    "nonzero": lambda x: x[np.nonzero(x > 0)],
    "isin": lambda x: np.isin(x, [0.25]) * x,
    "digitize": lambda x: np.digitize(x, [0.0, 0.5]) * x,
    "unique": lambda x: np.unique(np.round(x)) * x[0],
    "where=": lambda x: np.sum(x, where=x > 0),
    "a range": lambda x: x * sum(range(int(np.argmax(x)) + 2)),
}


@pytest.mark.parametrize("of", OF)
@pytest.mark.parametrize("name", READING)
def test_whoever_reads_a_value_is_noted(name, of):
    x = np.array([0.25, -0.5, 0.75])
    others = [x * 1.01, x[::-1].copy(), x + 0.5, x - 2.0, x * 7]
    tape = recorded(OF[of](READING[name]), (x,))
    for other in others:
        ran(tape, OF[of](READING[name]), (other,))


LINALG = np.linalg
DECIDING = {
    "svd": lambda a: LINALG.svd(a)[0],
    "svd, the values": lambda a: LINALG.svd(a)[1],
    "svdvals": LINALG.svdvals,
    "eigh": lambda a: LINALG.eigh(a + a.T)[1],
    "eigvalsh": lambda a: LINALG.eigvalsh(a + a.T),
    "eig": lambda a: abs(LINALG.eig(a)[0]),
    "eigvals": lambda a: abs(LINALG.eigvals(a)),
    "qr": lambda a: LINALG.qr(a)[0],
    "norm": LINALG.norm,
    "norm, 2": lambda a: LINALG.norm(a, 2),
    "cond": LINALG.cond,
    "std": np.std,
    "det": LINALG.det,
    "lstsq": lambda a: LINALG.lstsq(a, np.ones(4))[0],
    "pinv": LINALG.pinv,
}
OF_DECIDING = OF | {"tangent": lambda f: lambda a: jvp(f, [a], [np.ones_like(a)])[1]}


@pytest.mark.parametrize("of", OF_DECIDING)
@pytest.mark.parametrize("name", DECIDING)
def test_what_decides_by_an_answer_runs_where_that_is_the_same(name, of):
    a = np.random.default_rng(0).normal(size=(4, 4))
    f = OF_DECIDING[of](DECIDING[name])
    assert ran(recorded(f, (a,)), f, (1.01 * a,))


@pytest.mark.parametrize("name", ["svd", "eigh"])
def test_an_answer_that_is_another_one_is_named(name):
    tape = recorded(DECIDING[name], (np.random.default_rng(0).normal(size=(4, 4)),))
    with pytest.raises(DivergedError, match=r"goes another way here: .*LINALG"):
        tape.run([np.eye(4)])


def newton(x):
    """A square root, by as many steps as it takes."""
    y, before = x, 0.0 * x
    while abs(y - before) > 1e-12:
        y, before = 0.5 * (y + x / y), y
    return y


def test_a_loop_runs_where_it_takes_as_many_steps():
    tape, _ = record(newton, [2.0])
    assert tape.run([2.1]) == newton(2.1)
    with pytest.raises(DivergedError, match=r"while abs\(y - before\) > 1e-12"):
        tape.run([200.0])


def test_a_branch_is_named():
    def f(x):
        return x * x if x[0] > 0 else -x

    tape, _ = record(f, [np.array([1.0, 2.0])])
    np.testing.assert_array_equal(tape.run([np.array([3.0, -2.0])]), [9.0, 4.0])
    with pytest.raises(DivergedError, match=r"x \* x if x\[0\] > 0"):
        tape.run([np.array([-1.0, 2.0])])


def test_choices_and_sorting_are_no_decisions():
    def f(x):
        return np.where(x > 0, x, -2 * x) @ np.sort(x)

    x = np.array([1.0, -2.0, 3.0])
    tape, _ = record(grad(f), [x])
    np.testing.assert_allclose(tape.run([-x]), grad(f)(-x))
    assert all("any" in tape.rows[line].name for line in tape.recorded.guards)


def test_a_gradient_that_is_not_a_number_takes_another_way():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0) * x)

    x = np.array([1.0, 2.0])
    tape, _ = record(grad(f), [x])
    np.testing.assert_allclose(tape.run([2 * x]), grad(f)(2 * x))
    with pytest.raises(DivergedError), np.errstate(all="ignore"):
        tape.run([np.array([0.0, 1.0])])


@pytest.mark.parametrize(
    "args",
    [([1.0],), ([np.zeros(3)],), ([np.zeros(2, np.float32)],), ([np.zeros(2)] * 2,)],
    ids=["float", "shape", "precision", "count"],
)
def test_arguments_of_another_form_are_refused(args):
    tape, _ = record(np.sum, [np.zeros(2)])
    with pytest.raises(TypeError, match="recorded with arguments ndarray"):
        tape.run(*args)


def test_structures_come_back():
    tape, _ = record(lambda p: {"sum": p["a"] + p["b"][0], "rest": (p["b"], 1.0)}, [{"a": 1.0, "b": [2.0, 3.0]}])
    assert tape.run([{"a": 5.0, "b": [7.0, 8.0]}]) == {"sum": 12.0, "rest": ([7.0, 8.0], 1.0)}


def test_a_tape_of_another_kind_cannot_be_run():
    with pytest.raises(TypeError, match=r"autodiff\.record"):
        Variable(2.0).exp().tape.run([1.0])


def test_a_hessian_runs():
    def f(x):
        return np.sum(x**3) * x[0]

    x = np.array([1.0, 2.0])
    tape, _ = record(hessian(f), [x])
    np.testing.assert_allclose(tape.run([x + 1]), hessian(f)(x + 1))


@pytest.mark.parametrize("operator", [jacfwd, lambda f: lambda x: derivative(f, 0, [x])], ids=["jacfwd", "derivative"])
def test_forward_mode_runs(operator):
    f = operator(lambda x: np.sum(x**3) * x[0])
    tape, _ = record(f, [np.array([1.0, 2.0])])
    np.testing.assert_allclose(tape.run([np.array([3.0, 5.0])]), f(np.array([3.0, 5.0])))


def test_reading_a_finished_tape_is_no_decision_of_the_function():
    tape, out = record(lambda x: np.sqrt(x) * x, [np.array([4.0, 9.0])])
    if np.all(value_of(out) > 0) and out[0] > 0 and float(value_of(out[1])) > 0:
        np.testing.assert_array_equal(tape.run([np.array([0.0, 1.0])]), [0.0, 1.0])


def test_arguments_of_a_run_are_a_list():
    tape, _ = record(lambda x: 2.0 * x, [np.array([4.0, 9.0])])
    for wrong in (3.0, None, "x"):
        with pytest.raises(TypeError, match=r"list of all arguments of the function, such as \[x\]"):
            tape.run(wrong)
    with pytest.raises(TypeError, match="was recorded with arguments"):
        tape.run(np.array([4.0, 9.0]))
    np.testing.assert_array_equal(tape.run((np.array([1.0, 2.0]),)), [2.0, 4.0])


RUNNING = {
    "stop_gradient": lambda x: stop_gradient(x) * x + stop_gradient({"of": x[0] * x})["of"],
    "isclose": lambda x: np.where(np.isclose(x, 0.25, atol=0.3), x, 2 * x),
    "isin": lambda x: np.where(np.isin(np.round(x), [0.0]), x, 2 * x),
    "digitize": lambda x: np.digitize(x, [0.0, 0.5]) * x,
    "searchsorted": lambda x: np.searchsorted(np.sort(x), x) * x,
    "frexp": lambda x: np.ldexp(*np.frexp(x)) * x,
    "divmod": lambda x: np.multiply(*np.divmod(x, 0.4)),
    "partition": lambda x: np.partition(x, 1)[:2],
    "softmax": lambda x: autodiff.scipy.special.softmax(3.0 * x),
    "log_softmax": lambda x: autodiff.scipy.special.log_softmax(x),
    "a power of 0": lambda x: np.linalg.matrix_power(np.outer(x, x), 0) * x,
    "matrix_rank": lambda x: np.linalg.matrix_rank(np.outer(x, x)) * x,
    "pinv": lambda x: np.linalg.pinv(np.outer(x, x) + np.eye(3)),
    "scipy.linalg": lambda x: autodiff.scipy.linalg.solve(np.outer(x, x) + np.eye(3), x),
    "scipy.linalg.pinv": lambda x: autodiff.scipy.linalg.pinv(np.outer(x, x) + np.eye(3)),
    "scipy.stats": lambda x: autodiff.scipy.stats.gamma.logpdf(np.abs(x), 2.0 + x[0] ** 2),
    "a cumulative distribution": lambda x: autodiff.scipy.stats.expon.cdf(x),
    "scipy.signal": lambda x: autodiff.scipy.signal.convolve(x, x),
    "scipy.interpolate": lambda x: autodiff.scipy.interpolate.PchipInterpolator(np.arange(3.0), x)(x**2),
    "scipy.spatial": lambda x: autodiff.scipy.spatial.distance.pdist(np.outer(x, x)),
}
"""What is computed anew, whichever way it falls out."""


@pytest.mark.parametrize("of", ["value", "gradient"])
@pytest.mark.parametrize("name", RUNNING)
def test_what_is_locally_constant_is_computed_anew(name, of):
    x = np.array([0.25, -0.5, 0.75])
    tape = recorded(OF[of](RUNNING[name]), (x,))
    for other in (x * 1.01, x[::-1].copy(), x * [1.0, -1.0, 1.0], x * 1.3):
        assert ran(tape, OF[of](RUNNING[name]), (other,))


def test_an_array_in_another_order_of_memory_is_another_way():
    """What ``order="K"`` gives, and which reshaped arrays are views, depends on it."""
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    f = lambda x: np.ravel(x, order="K") * 2.0
    tape = record(f, [x])[0]
    assert np.array_equal(tape.run([np.asfortranarray(x + 1.0)]), f(x + 1.0))
    with pytest.raises(DivergedError, match="in another order in memory"):
        tape.run([np.ascontiguousarray(x)])


def test_a_row_at_a_recorded_place_is_a_view():
    """NumPy gives a view of x at one place along its first axis: to write it writes x."""

    def f(x):
        x = x * 1.0
        row = x[np.argsort(x[:, 0])[0]]
        row *= 2.0
        return np.sum(x * np.arange(6.0).reshape(3, 2))

    x = np.array([[3.0, 1.0], [2.0, 2.0], [5.0, 1.0]])
    tape, out = record(f, [x])
    assert value_of(out) == f(x) == tape.run([x]) == 46.0
    assert tape.run([x + 0.5]) == f(x + 0.5)
    with pytest.raises(DivergedError):
        tape.run([x[[1, 0, 2]]])
