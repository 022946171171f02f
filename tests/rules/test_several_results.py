"""Elementwise functions of several results: one evaluation, a partial for each result, the strong zero of each."""

from collections import Counter

import numpy as np
import pytest
import scipy.special as sp
from table import JACOBIANS

from autodiff import grad, gradcheck, jacfwd, jvp, record, vjp
from dualnumbers import DualNumber, dmath
from dualnumbers.rules import from_scipy

X = np.array([0.4, 1.3, 2.1])


@pytest.fixture
def counted(monkeypatch):
    """How often the functions of `scipy.special` are evaluated, by their names."""
    counts: Counter[str] = Counter()

    def imported(path, package="scipy"):
        counts[path.removeprefix("special.")] += 1
        return original(path, package)

    original = from_scipy.imported
    monkeypatch.setattr(from_scipy, "imported", imported)
    return counts


TWO = {
    "airy": lambda x: sp.airy(x)[0] + sp.airye(x)[2],
    "ellipj": lambda x: np.prod(np.stack(sp.ellipj(x, 0.3)), axis=0),
    "ellipj, by its parameter": lambda x: np.prod(np.stack(sp.ellipj(0.7, x / 3.0)), axis=0),
    "fresnel": lambda x: np.multiply(*sp.fresnel(x)),
    "it2j0y0": lambda x: np.multiply(*sp.it2j0y0(x)),
    "pbdv": lambda x: np.multiply(*sp.pbdv(0.5, x)),
    "kelvin": lambda x: np.real(sp.kelvin(x)[0] * sp.kelvin(x)[1]),
}


@pytest.mark.parametrize("name", ["airy", "ellipj", "fresnel", "sici", "shichi", "pbdv"])
def test_a_gradient_evaluates_the_function_once(counted, name):
    orders = {"ellipj": (X, 0.3), "pbdv": (0.5, X)}.get(name, (X,))
    place = next(k for k, x in enumerate(orders) if x is X)
    f = lambda x: sum(np.sum(z**2) for z in getattr(sp, name)(*orders[:place], x, *orders[place + 1 :]))
    for derivative in (grad(f), jacfwd(f)):
        counted.clear()
        derivative(X)
        assert counted[name] == 1


def test_a_second_derivative_evaluates_airy_once(counted):
    grad(lambda x: np.sum(grad(lambda x: np.sum(sp.airy(x)[0] * sp.airy(x)[3]))(x)))(X)
    assert counted["airy"] == 2  # as often as it is called


def test_a_determinant_is_factorised_once(monkeypatch):
    calls, slogdet = [], np.linalg.slogdet
    monkeypatch.setattr(np.linalg, "slogdet", lambda a: calls.append(a) or slogdet(a))
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    found = grad(lambda a: slogdet(a)[0] * slogdet(a)[1] ** 2)(a)
    assert len(calls) == 2
    np.testing.assert_allclose(found, 2 * np.log(5.5) * np.linalg.inv(a).T, rtol=1e-14)


@pytest.mark.parametrize("name", TWO)
def test_results_together_have_the_derivatives_of_all(name):
    assert gradcheck(TWO[name], [X])


@pytest.mark.parametrize("name", TWO)
def test_a_recorded_gradient_runs_elsewhere(name):
    f = lambda x: np.sum(TWO[name](x))
    tape, _ = record(grad(f), [X])
    np.testing.assert_allclose(tape.run([X + 0.2]), grad(f)(X + 0.2), rtol=1e-13)


@pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)
def test_a_slope_of_one_result_is_no_matter_to_another(mode):
    """Ci is infinite at 0, and its slope. Si is not, and where Ci is not chosen its zero is structural."""
    at = np.array([0.0, 1.0])
    f = lambda x: sp.sici(x)[0] + np.where(x > 0, sp.sici(x)[1], 0.0)
    g = lambda x: np.add(sp.sici(x)[0], np.where(x > 0, sp.sici(x)[1], 0.0))
    both = lambda x: (lambda si, ci: si + np.where(x > 0, ci, 0.0))(*sp.sici(x))
    for function in (f, g, both):
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(np.diag(mode(function)(at)), [1.0, np.sin(1.0) + np.cos(1.0)], rtol=1e-15)


@pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)
def test_a_locally_constant_result_is_a_constant(mode):
    np.testing.assert_array_equal(mode(lambda x: np.multiply(*np.modf(x)))(2.75), 2.0)
    np.testing.assert_array_equal(mode(lambda x: np.multiply(*np.frexp(x)))(6.0), 0.375)
    np.testing.assert_array_equal(mode(lambda x: np.multiply(*divmod(x, 0.5)))(1.25), 2.0)
    np.testing.assert_array_equal(mode(lambda x: np.multiply(*divmod(7.0, x)))(2.0), -9.0)
    assert jvp(lambda x: 0.0 * x + np.modf(x)[1], [2.75], [1.0]) == (2.0, 0.0)


def test_an_exponent_is_a_whole_number():
    mantissa, exponent = dmath.frexp(DualNumber(6.0, 1.0))
    assert (mantissa, exponent) == (DualNumber(0.75, 0.125), 3)
    assert grad(lambda x: x * sum(range(dmath.frexp(x)[1])))(6.0) == 3.0


@pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)
def test_results_are_stored_where_a_condition_holds(mode):
    def stored(x):
        rest, whole = np.ones(3, like=x) * x, np.zeros(3, like=x)
        given = np.modf(x, out=(rest, whole), where=x > 1.0)
        assert given[0] is rest
        assert given[1] is whole
        return rest * (1.0 + whole)

    np.testing.assert_array_equal(np.diag(mode(stored)(X)), [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="leaves the other elements undefined"):
        vjp(lambda x: np.modf(x, out=(np.zeros(3, like=x), None), where=x > 1.0), X)


@pytest.mark.parametrize("mode", [lambda f: grad(f)(X), lambda f: jvp(f, [X], [X])], ids=["reverse", "forward"])
def test_two_results_have_two_arrays(mode):
    """NumPy leaves in the one array whichever it writes last."""

    def f(x):
        both = np.zeros(3, like=x)
        np.modf(x, out=(both, both))
        return np.sum(both)

    with pytest.raises(TypeError, match="one array in out= for two results: give each its own"):
        mode(f)
