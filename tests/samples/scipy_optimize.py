"""Solvers of ``scipy.optimize``: of equations that depend on the arrays."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

SOLVED = {"unreal": False, "exact": False, "condition": 1e5}
"""SciPy's own value is as accurate as its tolerance, and there are no complex parameters."""


@entry(*(f"scipy.optimize.{name}" for name in ("bisect", "brenth", "brentq", "ridder", "toms748")))
def _bracketed(path: str) -> Iterator[Sample]:
    name, tight = path.rpartition(".")[2], {"xtol": 1e-15}
    yield of_scipy("optimize", lambda s, a: getattr(s, name)(lambda x, a: x**3 + x - a, -1.0, 3.0, (a,), **tight),
                   (np.array(1.7),), "args", **SOLVED)  # fmt: skip
    f = lambda a: lambda x: np.cos(a[0] * x) - a[1] * x
    yield of_scipy("optimize", lambda s, a: getattr(s, name)(f(a), 0.0, 2.0, full_output=True, **tight)[0],
                   (np.array([0.8, 1.3]),), "closure, full_output", **SOLVED)  # fmt: skip


@entry("scipy.optimize.root_scalar", "scipy.optimize.newton")
def _of_one(path: str) -> Iterator[Sample]:
    f, a = lambda x, a: np.exp(x) - a, np.array(1.7)
    if path.endswith("newton"):
        yield of_scipy("optimize", lambda s, a: s.newton(f, 0.5, args=(a,)), (a,), "secant", **SOLVED)
        yield of_scipy("optimize", lambda s, a: s.newton(f, np.full(3, 0.5), lambda x, a: np.exp(x), (a,)),
                       (np.array([1.2, 1.7, 2.0]),), "array, fprime", **SOLVED)  # fmt: skip
        yield of_scipy(
            "optimize", lambda s, a: s.newton(f, 0.5, args=(a,), full_output=True)[0], (a,), "full_output", **SOLVED
        )
        return
    yield of_scipy("optimize", lambda s, a: s.root_scalar(f, a, bracket=(0.0, 2.0)).root, (a,), "bracket", **SOLVED)
    both = lambda x, a: (np.exp(x) - a, np.exp(x))
    yield of_scipy(
        "optimize", lambda s, a: s.root_scalar(both, a, x0=0.4, fprime=True).root, (a,), "fprime=True", **SOLVED
    )


def _circle(x: np.ndarray, a: np.ndarray) -> list:
    return [x[0] ** 2 + x[1] ** 2 - a[0], x[0] - a[1] * x[1]]


@entry("scipy.optimize.root", "scipy.optimize.fsolve")
def _of_several(path: str) -> Iterator[Sample]:
    a, x0 = np.array([2.0, 0.7]), [1.0, 1.0]
    if path.endswith("fsolve"):
        yield of_scipy("optimize", lambda s, a: s.fsolve(_circle, x0, (a,)), (a,), "args", **SOLVED)
        yield of_scipy(
            "optimize", lambda s, a: s.fsolve(_circle, x0, a, full_output=True)[0], (a,), "full_output", **SOLVED
        )
        return
    for method in ("hybr", "lm"):
        yield of_scipy("optimize", lambda s, a, method=method: s.root(lambda x: _circle(x, a), x0, method=method).x,
                       (a,), method, **SOLVED)  # fmt: skip
    jac = lambda x: np.array([[2.0 * x[0], 2.0 * x[1]], [1.0, -0.7]])
    yield of_scipy(
        "optimize", lambda s, a: s.root(lambda x: (_circle(x, a), jac(x)), x0, jac=True).x, (a,), "jac=True", **SOLVED
    )
    yield of_scipy("optimize", lambda s, a: s.root(lambda x: x + 0.1 * np.roll(x, 1) ** 2 - a, np.ones(3),
                   method="krylov", options={"fatol": 1e-10}).x, (values(3),), "krylov", **SOLVED)  # fmt: skip


@entry("scipy.optimize.fixed_point")
def _fixed_points(path: str) -> Iterator[Sample]:
    yield of_scipy("optimize", lambda s, a: s.fixed_point(lambda x, a: np.cos(a * x), [0.7, 0.7], (a,)),
                   (np.array([0.8, 1.1]),), "args", **SOLVED)  # fmt: skip
    g = lambda a: lambda x: np.exp(-a * x)
    yield of_scipy("optimize", lambda s, a: s.fixed_point(g(a), 0.5, xtol=1e-13, method="iteration"),
                   (np.array(0.8),), "closure, iteration", **SOLVED)  # fmt: skip


@entry("scipy.optimize.minimize")
def _minima(path: str) -> Iterator[Sample]:
    a = np.array([0.8, 1.3])
    f = lambda x, a: (x[0] - a[0]) ** 2 + (x[1] + a[1] * x[0]) ** 2 + 0.5 * (x[1] - 1.0) ** 2
    jac = lambda x, a: np.stack(
        [2.0 * (x[0] - a[0]) + 2.0 * a[1] * (x[1] + a[1] * x[0]), 2.0 * (x[1] + a[1] * x[0]) + x[1] - 1.0]
    )
    tight = {"jac": jac, "tol": 1e-12}
    yield of_scipy("optimize", lambda s, a: s.minimize(f, [0.0, 0.0], a, **tight).x, (a,), "args", **SOLVED)
    yield of_scipy("optimize", lambda s, a: s.minimize(f, [0.0, 0.0], a, **tight).fun, (a,), "fun", **SOLVED)
    limits = lambda b: {"bounds": [(None, b), (None, None)]} | tight
    yield of_scipy("optimize", lambda s, a, b: s.minimize(f, [0.0, 0.0], (a,), **limits(b)).x, (a, np.array(0.1)),
                   "bounds", **SOLVED)  # fmt: skip
    held = lambda b: {"constraints": {"type": "eq", "fun": lambda x: x[0] + x[1] - b}} | tight
    yield of_scipy("optimize", lambda s, a, b: s.minimize(f, [0.0, 0.0], (a,), **held(b)).x, (a, np.array(0.1)),
                   "constraints", **SOLVED)  # fmt: skip


@entry("scipy.optimize.minimize_scalar")
def _least(path: str) -> Iterator[Sample]:
    f = lambda x, a: np.exp(x) - a * x
    yield of_scipy("optimize", lambda s, a: s.minimize_scalar(f, args=(a,)).fun, (np.array(1.3),), "fun", **SOLVED)


FITTED = SOLVED | {"condition": 1e7}
"""SciPy stops where the sum of squares changes by rounding, and that is of second order: x is off by the root of it."""


@entry("scipy.optimize.least_squares", "scipy.optimize.curve_fit")
def _fits(path: str) -> Iterator[Sample]:
    t = np.linspace(0.0, 2.0, 6)
    model, y = lambda t, a, b: a * np.exp(-b * t), 2.0 * np.exp(-0.7 * t) + 0.004 * np.cos(5.0 * t)
    jac = lambda t, a, b: np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], 1)
    p0, tight = [1.0, 1.0], {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
    if path.endswith("curve_fit"):
        for name, k, how in (("parameters", 0, FITTED), ("covariance", 1, SOLVED)):
            yield of_scipy(
                "optimize", lambda s, y, k=k: s.curve_fit(model, t, y, p0, jac=jac, **tight)[k], (y,), name, **how
            )
        yield of_scipy("optimize", lambda s, y, w: s.curve_fit(model, t, y, p0, w, True, jac=jac, **tight)[0],
                       (y, 0.1 + 0.05 * t), "sigma", **FITTED)  # fmt: skip
        return
    for k, how in (("x", FITTED), ("cost", SOLVED)):
        yield of_scipy("optimize", lambda s, y, k=k: s.least_squares(lambda p: model(t, *p) - y, p0,
                       lambda p: jac(t, *p), **tight)[k], (y,), k, **how)  # fmt: skip


@entry("scipy.optimize.nnls")
def _positive(path: str) -> Iterator[Sample]:
    arrays = values(5, 3), values(5)
    for k, name in enumerate(("x", "norm")):
        yield of_scipy("optimize", lambda s, A, b, k=k: s.nnls(A, b)[k], arrays, name, **SOLVED)


@entry("scipy.optimize.lsq_linear")
def _bounded(path: str) -> Iterator[Sample]:
    arrays = values(6, 3), values(6)
    low, high = np.array([-1.0, -0.1, -0.5]), np.array([0.2, 2.0, 0.05])
    for name in ("x", "cost", "fun"):
        yield of_scipy("optimize", lambda s, A, b, low, high, name=name: s.lsq_linear(A, b, (low, high), "bvls")[name],
                       (*arrays, low, high), name, **SOLVED)  # fmt: skip
    yield of_scipy("optimize", lambda s, A, b: s.lsq_linear(A, b).x, arrays, "free", **SOLVED)


@entry("scipy.optimize.isotonic_regression")
def _in_order(path: str) -> Iterator[Sample]:
    arrays = np.array([1.0, 3.0, 2.0, 2.6, 5.0, 4.0, 6.0]), np.array([1.0, 0.5, 2.0, 1.2, 0.7, 1.1, 1.0])
    for name in ("x", "weights"):
        yield of_scipy(
            "optimize", lambda s, y, w, name=name: s.isotonic_regression(y, weights=w)[name], arrays, name, **SOLVED
        )
    yield of_scipy(
        "optimize", lambda s, y: s.isotonic_regression(-y, increasing=False).x, arrays[:1], "decreasing", **SOLVED
    )


@entry("scipy.optimize.linprog")
def _programs(path: str) -> Iterator[Sample]:
    arrays = np.array([-1.0, 4.0]), np.array([[-3.0, 1.0], [1.0, 2.0]]), np.array([6.0, 4.0]), np.array(-3.0)
    call = lambda s, c, A, b, low: s.linprog(c, A, b, bounds=[(None, None), (low, None)])
    for name in ("x", "fun", "slack"):
        yield of_scipy("optimize", lambda s, *xs, name=name: call(s, *xs)[name], arrays, name, **SOLVED)
    yield of_scipy("optimize", lambda s, *xs: call(s, *xs).ineqlin.marginals, arrays, "marginals", **SOLVED)


@entry("scipy.optimize.milp")
def _with_whole_numbers(path: str) -> Iterator[Sample]:
    arrays = np.array([-1.0, -2.0, -0.5]), np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.3]]), np.array([4.5, 1.2])
    call = lambda s, c, A, b: s.milp(c, integrality=[1, 1, 0], bounds=(0.0, 3.0), constraints=[(A, -np.inf, b)])
    for name in ("x", "fun"):
        yield of_scipy("optimize", lambda s, *xs, name=name: call(s, *xs)[name], arrays, name, **SOLVED)
    equal = lambda s, b, low: s.milp([1.0, 2.0], bounds=([low, 0.0], 9.0), constraints=([[1.0, 1.0]], b, b))
    yield of_scipy("optimize", lambda s, *xs: equal(s, *xs).fun, (np.array(3.0), np.array(0.5)), "equation", **SOLVED)
    yield of_scipy("optimize", lambda s, c: s.milp(c, integrality=1, bounds=(0.0, 3.0)).fun, (np.array([-1.0, 2.0]),),
                   "whole numbers alone", **SOLVED)  # fmt: skip


@entry("scipy.optimize.elementwise.find_root")
def _of_each(path: str) -> Iterator[Sample]:
    f, a = lambda x, a: np.exp(x) - a, np.array([1.2, 1.7, 2.0])
    at, tight = "optimize.elementwise", {"tolerances": {"xrtol": 1e-15}}
    yield of_scipy(at, lambda s, a: s.find_root(f, (0.0, 2.0), args=(a,), **tight).x, (a,), "args", **SOLVED)
    yield of_scipy(
        at, lambda s, a: s.find_root(lambda x: f(x, a), (0.0, 2.0), **tight).x, (np.array(1.7),), "closure", **SOLVED
    )


@entry("scipy.optimize.elementwise.find_minimum")
def _least_of_each(path: str) -> Iterator[Sample]:
    f, a = lambda x, a: (x - a) ** 4 + x * x, np.array([1.2, 1.7, 2.0])
    call = lambda s, a: s.find_minimum(f, (-5.0, 0.1, 5.0), args=(a,), tolerances={"xrtol": 1e-9})
    yield of_scipy("optimize.elementwise", lambda s, a: call(s, a).f_x, (a,), "f_x", **SOLVED)
