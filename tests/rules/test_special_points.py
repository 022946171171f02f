"""Kinks, ties, poles, steps, infinities: both modes at every order keep to the one table, which the documents print."""

from pathlib import Path

import numpy as np
import pytest
from special_points import POINTS, Point
from table import JACOBIANS, MODES, VALUES, nestings

import dualnumbers.dmath as dmath
from autodiff.scipy.interpolate import interp1d

DOCS = Path(__file__).parents[2] / "docs"


def function(point: Point):
    return eval(f"lambda x: {point.expression}", {"np": np, "dmath": dmath, "inf": np.inf})


def argument(point: Point):
    return np.array(point.x) if isinstance(point.x, list) else point.x


def described(point: Point) -> str:
    return f"{point.expression} at {point.x}"


RAISING = [point for point in POINTS if isinstance(point.value, type)]
SMOOTH = [point for point in POINTS if not isinstance(point.value, type)]


@pytest.mark.parametrize("point", SMOOTH, ids=described)
def test_value(point):
    f, x = function(point), argument(point)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f(x), point.value, rtol=1e-15)
        for value in VALUES.values():
            np.testing.assert_array_equal(value(f, x), f(x))


@pytest.mark.parametrize("point", RAISING, ids=described)
def test_exception(point):
    f, x = function(point), argument(point)
    for call in (f, *(mode(f, 0) for mode in MODES.values())):
        with pytest.raises(point.value):
            call(x)


@pytest.mark.parametrize("point", SMOOTH, ids=described)
def test_derivatives(point):
    """Of every order in the table, by every nesting of the modes."""
    f, x = function(point), argument(point)
    for order in range(1, len(point.slopes) + 1):
        for name, partial in nestings(f, (0,) * order, JACOBIANS if isinstance(x, np.ndarray) else MODES):
            with np.errstate(all="ignore"):
                found = partial(x)
            np.testing.assert_allclose(found, point.slopes[order - 1], rtol=1e-15, err_msg=f"order {order}, {name}")


@pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)
def test_interpolation_at_nan_has_no_slope(mode):
    line = interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 3.0])
    np.testing.assert_array_equal(np.diag(mode(line, 0)(np.array([0.5, np.nan]))), [1.0, np.nan])


def test_the_page_is_current(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from build_policy import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "out of date: python docs/build_policy.py"
