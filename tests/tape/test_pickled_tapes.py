"""Tapes, pull-backs and push-forwards are pickled: what is read again gives the same, in another process too."""

import copy
import inspect
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from samples import ENTRIES, samples

from autodiff import Variable, derivative, elementwise, grad, gradient, linearize, record, vjp
from autodiff.calls.structures import flatten, map_leaves
from autodiff.scipy import integrate
from autodiff.tape.wengert import Tape

BY_ROWS = {"scipy.optimize.nnls", "scipy.optimize.linprog"}
SOLVERS = {name for name in ENTRIES if name.startswith("scipy.optimize.")} - BY_ROWS
WITH_A_FUNCTION = {f"scipy.integrate.{name}" for name in ("quad", "solve_ivp", "odeint", "solve_bvp")} | SOLVERS
"""Recordings of these have a function of the user's among the parameters of a line."""


def ones(value):
    return map_leaves(lambda x: np.ones_like(x)[()], value)


def is_same(found, expected):
    pairs = zip(flatten(found)[0], flatten(expected)[0], strict=True)
    return all(type(x) is type(y) and np.allclose(x, y, 1e-12, 1e-12, equal_nan=True) for x, y in pairs)


def two_samples(name):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _, sample in zip(range(2), samples(name), strict=False):
            yield (*vjp(sample.f, *sample.arrays), sample)


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in WITH_A_FUNCTION])
def test_pull_backs_of_every_function(name):
    for value, pullback, _ in two_samples(name):
        with np.errstate(all="ignore"):
            again = pickle.loads(pickle.dumps(pullback))
            assert is_same(again(ones(value)), pullback(ones(value)))


READ = """
import pickle, sys, numpy as np
stored = pickle.load(open(sys.argv[1], "rb"))
assert "scipy" not in sys.modules
with np.errstate(all="ignore"):
    found = [pickle.loads(pullback)(cotangent) for pullback, cotangent in stored]
pickle.dump(found, open(sys.argv[1], "wb"))
"""


def test_pull_backs_in_another_process(tmp_path):
    """That process has read none of the rules that are read late, nor made a row that is made on demand."""
    stored, expected = [], []
    for name in ENTRIES:
        if name not in WITH_A_FUNCTION:
            for value, pullback, _ in two_samples(name):
                stored.append((pickle.dumps(pullback), ones(value)))
                with np.errstate(all="ignore"):
                    expected.append(pullback(ones(value)))
    path = tmp_path / "pullbacks.pickle"
    path.write_bytes(pickle.dumps(stored))
    subprocess.run([sys.executable, "-c", READ, str(path)], check=True)
    found = pickle.loads(path.read_bytes())
    assert len(found) == len(expected) > 500
    assert all(map(is_same, found, expected))


# ------------------------------------------------------------------------------------------------ linear maps


def spiral(x, by):
    return {"sine": np.sin(x) * by, "sum": np.sum(x) + by}


POINT = (np.array([1.0, 2.0]), 3.0)
MAPS = {
    "pull-back": (vjp(spiral, *POINT)[1], (ones(spiral(*POINT)),)),
    "push-forward": (linearize(spiral, *POINT)[1], (np.array([1.0, 0.0]), 2.0)),
}


@pytest.mark.parametrize("name", MAPS)
def test_a_linear_map_is_an_object(name):
    linear, given = MAPS[name]
    expected = linear(*given)
    assert is_same(pickle.loads(pickle.dumps(linear))(*given), expected)
    assert is_same(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(linear))))(*given), expected)
    assert copy.copy(linear) is copy.deepcopy(linear) is linear
    assert repr(linear) == repr(pickle.loads(pickle.dumps(linear))) == f"<{name} of spiral>"
    assert linear.__name__ == name.replace("-", "") + "_of_spiral"
    assert linear.__doc__.startswith(f"The {name} of a function at a point")


def test_signatures():
    assert list(inspect.signature(MAPS["pull-back"][0]).parameters) == ["cotangent"]
    assert str(next(iter(inspect.signature(MAPS["push-forward"][0]).parameters.values()))).startswith("*tangents")


def test_a_pull_back_of_a_lambda_is_pickled():
    """It is the recording that is pickled, not the function."""
    _, pullback = vjp(lambda x: x * x, 3.0)
    assert pickle.loads(pickle.dumps(pullback))(1.0) == (6.0,)


def test_a_pull_back_is_of_what_it_was_recorded_with():
    x, factor = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    _, pullback = vjp(lambda x: np.sum(factor * x * x), x)
    x[:], factor[:] = 0.0, 0.0
    assert pickle.loads(pickle.dumps(pullback))(1.0)[0].tolist() == [6.0, 16.0]


def test_a_large_array_that_changed_is_not_pickled():
    factor = np.ones(1_100_000)
    _, pullback = vjp(lambda x: np.sum(factor * x), 1.0)
    factor[0] = 2.0
    with pytest.raises(RuntimeError, match="changed"):
        pickle.dumps(pullback)


def test_a_pull_back_that_a_function_closes_over():
    """The ended Variables that it holds are none of the numbers that an integral depends on."""
    _, pullback = vjp(np.sin, 0.5)
    found = grad(lambda x: x * integrate.quad(lambda t: pullback(t)[0], 0.0, 1.0)[0])(1.0)
    np.testing.assert_allclose(found, np.cos(0.5) / 2, rtol=1e-12)


@elementwise(lambda x, z: 2.0 * x)
def square(x):
    return x * x


@pytest.mark.parametrize(("f", "message"), [
    (square, "a recording of square, which has a derivative of its own, cannot be pickled: pickle the function and"),
    (lambda x: integrate.quad(lambda t: x * t, 0.0, 1.0)[0], "a recording with a function among its parameters cannot"),
], ids=["a rule of the user's own", "an integral"])  # fmt: skip
def test_what_cannot_be_pickled(f, message):
    for what in (vjp(f, 2.0)[1], linearize(f, 2.0)[1], record(f, [2.0])[0]):
        with pytest.raises(TypeError, match=message):
            pickle.dumps(what)


@pytest.mark.parametrize("operator", [lambda f: derivative(f, 0, [2.0]), lambda f: gradient(f, [2.0])])
def test_a_pull_back_at_numbers_of_an_outer_differentiation(operator):
    def f(x):
        with pytest.raises(TypeError, match="inside a differentiation cannot be pickled"):
            pickle.dumps(vjp(lambda y: x * y, x)[1])
        return x

    operator(f)


# ------------------------------------------------------------------------------------------------ tapes


def test_a_tape_is_pickled():
    tape, _ = record(lambda x, y: {"sum": x.sum() + y, "chosen": np.where(x > 1.0, x, y)}, [np.array([0.5, 2.0]), 3.0])
    again = pickle.loads(pickle.dumps(tape))
    assert type(again) is Tape
    assert str(again) == str(tape)
    assert again.to_svg() == tape.to_svg()
    given = [np.array([0.25, 4.0]), -1.0]
    assert is_same(again.run(given), tape.run(given))
    with pytest.raises(TypeError, match="recorded with arguments"):
        again.run([1.0, 2.0])


def test_a_tape_of_variables_made_by_hand_is_pickled():
    x = Variable(np.array([1.0, 2.0]))
    y = np.sum(x * x)
    assert pickle.loads(pickle.dumps(y.tape)).values[-1] == 5.0
