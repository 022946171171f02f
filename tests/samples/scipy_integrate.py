"""Integrals of ``scipy.integrate``."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, scipy_is, values


def _places(*shape: int) -> np.ndarray:
    """Increasing along the last axis."""
    return np.cumsum(0.5 + np.abs(values(*shape, seed=3)), -1)


@entry(*(f"scipy.integrate.{name}" for name in ("trapezoid", "simpson", "cumulative_trapezoid", "cumulative_simpson")))
def _rules(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    unreal = name != "cumulative_simpson" or scipy_is(1, 17)  # older ones drop the imaginary part
    for n in (2, 3, 4, 5):
        yield of_scipy("integrate", lambda s, y, x: getattr(s, name)(y, x=x), (values(n), _places(n)), f"{n}, x",
                       condition=4, unreal=unreal)  # fmt: skip
    for axis, more in itertools.product((0, 1), ({}, {"initial": 0}) if "cumulative" in name else ({},)):
        keywords = {"axis": axis, **more}
        yield of_scipy("integrate", lambda s, y, dx, keywords=keywords: getattr(s, name)(y, dx=dx, **keywords),
                       (values(4, 3), np.array(0.3)), f"dx, {keywords}", unreal=unreal)  # fmt: skip
    yield of_scipy("integrate", lambda s, y, x: getattr(s, name)(y, x=x), (values(2, 4), _places(2, 4)),
                   "x of y's shape", condition=4, unreal=unreal)  # fmt: skip
    yield of_scipy("integrate", lambda s, y: getattr(s, name)(y, axis=0), (values(5, 0),), "empty")


@entry("scipy.integrate.romb")
def _romberg(name: str) -> Iterator[Sample]:
    for n, axis in itertools.product((2, 3, 5), (0, -1)):
        shape = (n, 2) if axis == 0 else (2, n)
        yield of_scipy("integrate", lambda s, y, dx, axis=axis: s.romb(y, dx, axis), (values(*shape), np.array(0.4)),
                       f"{shape}, {axis}", unreal=False)  # fmt: skip


@entry("scipy.integrate.quad")
def _quadrature(name: str) -> Iterator[Sample]:
    ends = np.array(0.2), np.array(1.7)
    yield of_scipy("integrate", lambda s, a, b, k: s.quad(lambda t, k: np.exp(-k * t), a, b, (k,))[0],
                   (*ends, np.array(1.3)), "args", unreal=False, exact=False, condition=8)  # fmt: skip
    yield of_scipy("integrate", lambda s, k: s.quad(lambda t: np.exp(-t * t * k[0]) * k[1], 0.0, np.inf)[0],
                   (np.array([1.3, 0.4]),), "infinite limit", unreal=False, exact=False, condition=1e4)  # fmt: skip


def _nilpotent(t: float, y: np.ndarray, a: float) -> list:
    """Its solutions are polynomials, which the methods of high order solve to rounding."""
    return [a * y[1], 2.0 * t]


def _falling(s, y0: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The apex and the landing of a ball: their times, and the state at the second."""
    ground, apex = lambda t, y: y[0], lambda t, y: y[1]
    ground.terminal = True
    found = s.solve_ivp(lambda t, y: [y[1], -g], (0.0, 9.0), y0, "DOP853", events=[ground, apex])
    return np.concatenate([found.t_events[1], found.t[-1:], found.y_events[0][0, 1:]])


@entry("scipy.integrate.solve_ivp", "scipy.integrate.odeint")
def _problems(path: str) -> Iterator[Sample]:
    y0, a = np.array([1.0, 0.4]), np.array(0.6)
    more = {"unreal": False, "exact": False}
    if path.endswith("ivp"):
        yield of_scipy("integrate", lambda s, y0, a: s.solve_ivp(lambda t, y: _nilpotent(t, y, a), (0.0, 1.0), y0,
                       "DOP853").y[:, -1], (y0, a), "closure", condition=16, **more)  # fmt: skip
        square = lambda t, y: [0.6 * t * t]
        yield of_scipy("integrate", lambda s, t: s.solve_ivp(square, (0.0, 1.0), [0.3], "DOP853", t_eval=t).y,
                       (np.array([0.3, 0.8]),), "times", condition=16, **more)  # fmt: skip
        yield of_scipy("integrate", lambda s, t0, t1: s.solve_ivp(square, (t0, t1), [0.3], "DOP853").y[:, -1],
                       (np.array(0.1), np.array(0.9)), "limits", condition=16, **more)  # fmt: skip
        line, dense = lambda t, y: [0.6 * y[1], 2.0 * t], {"method": "DOP853", "dense_output": True}
        yield of_scipy("integrate", lambda s, y0, t: s.solve_ivp(line, (0.0, 1.0), y0, **dense).sol(t),
                       (y0, np.array([0.7, 0.2])), "dense_output", condition=16, **more)  # fmt: skip
        yield of_scipy("integrate", _falling, (y0, a), "events", condition=64, **more)
        return
    tight = {"rtol": 1e-12, "atol": 1e-12}
    yield of_scipy("integrate", lambda s, y0, a: s.odeint(lambda y, t: -a * y, y0, [0.0, 0.5, 1.0], **tight), (y0, a),
                   "closure", condition=1e6, **more)  # fmt: skip
    yield of_scipy("integrate", lambda s, y0, a: s.odeint(_nilpotent, y0, [0.0, 0.5], args=(a,), tfirst=True, **tight),
                   (y0, a), "args, tfirst", condition=1e6, **more)  # fmt: skip


@entry("scipy.integrate.solve_bvp")
def _boundary(name: str) -> Iterator[Sample]:
    """Cubic polynomials, which collocation gives to rounding."""

    def found(s, k: np.ndarray, ends: np.ndarray) -> np.ndarray:
        slope = lambda x, y: np.stack([y[1], k * x])
        conditions = lambda a, b: np.stack([a[0] - ends[0], b[0] - ends[1]])
        return s.solve_bvp(slope, conditions, np.linspace(0.0, 1.0, 4), np.zeros((2, 4))).y

    yield of_scipy(
        "integrate", found, (np.array(0.7), np.array([0.3, 0.8])), "closure", unreal=False, exact=False, condition=64
    )
