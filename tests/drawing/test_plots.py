"""The plots by what they hold: curves, their slopes and least errors, points of a path; and by their pixels."""

import io
import math
import sys

import numpy as np
import pytest

import dualnumbers.dmath as dmath
from autodiff import nn, value_and_grad
from autodiff.drawing import plot_difference_error, plot_surface_path

pytest.importorskip("matplotlib")


def bowl(p):
    return -np.exp(-0.1 * np.sum(p**2)) * np.cos(0.5 * (p[0] + p[1]))


def pixels(figure):
    """What a figure looks like, as an array of colours."""
    image, file = pytest.importorskip("matplotlib.image"), io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    return np.rint(255 * image.imread(file)[..., :3]).astype(int)


def slope(h, errors, low, high):
    """The slope of a curve on logarithmic scales between two steps."""
    chosen = (h > low) & (h < high) & np.isfinite(errors)
    return np.polyfit(np.log(h[chosen]), np.log(errors[chosen]), 1)[0]


def test_errors_fall_by_order_and_rise_by_rounding():
    figure = plot_difference_error(lambda x: dmath.sin(x) ** dmath.sin(x), math.pi / 4)
    (panel,) = figure.axes
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
    forward, central, last_digit = panel.get_lines()
    for line, order, turn in ((forward, 1.0, 1e-7), (central, 2.0, 1e-4)):
        h, errors = line.get_data()
        assert slope(h, errors, turn, 1e-2) == pytest.approx(order, abs=0.1)
        assert slope(h, errors, 1e-15, 1e-10) == pytest.approx(-1.0, abs=0.25)
    assert 1e-10 < np.nanmin(forward.get_ydata()) < 1e-7
    assert 1e-13 < np.nanmin(central.get_ydata()) < 1e-9
    assert last_digit.get_ydata()[0] == np.spacing(0.3616192241)
    assert panel.get_title() == "Derivative 0.361619 at x = 0.785398"
    assert 0.8 < np.mean((pixels(figure) == 255).all(axis=2)) < 0.99


def test_where_there_is_no_error_there_is_a_gap():
    """Differences of x² with steps that are powers of 2 are exact; of a root beyond its domain they are none."""
    steps = [0.5, 0.25, 0.125]
    central = plot_difference_error(lambda x: x * x, 1.0, steps).axes[0].get_lines()[1]
    assert np.isnan(central.get_ydata()).all()
    root = plot_difference_error(dmath.sqrt, 0.2, steps).axes[0].get_lines()[1]
    np.testing.assert_array_equal(np.isnan(root.get_ydata()), [True, True, False])


def test_a_derivative_that_is_0_has_no_last_digit():
    figure = plot_difference_error(dmath.cos, 0.0)
    (panel,) = figure.axes
    names = [line.get_label().partition(",")[0] for line in panel.get_lines()]
    assert names == ["forward difference", "central difference"]
    assert panel.get_title() == "Derivative 0 at x = 0"
    forward = panel.get_lines()[0].get_ydata()
    low, high = panel.get_ylim()
    assert np.log(np.nanmax(forward) / np.nanmin(forward)) > 0.7 * np.log(high / low)


def test_the_path_lies_on_the_surface():
    optimize = pytest.importorskip("scipy.optimize")
    found = optimize.minimize(value_and_grad(bowl), np.array([-3.0, 2.5]), method=nn.adam, jac=True,
                              options={"return_all": True, "maxiter": 100, "lr": 0.1})  # fmt: skip
    figure = plot_surface_path(bowl, found.allvecs, title="Adam")
    space, above, _ = figure.axes
    way, start, end = space.get_lines()
    assert len(way.get_data_3d()[0]) == len(found.allvecs)
    for k in (0, 10, -1):
        x, y, z = (axis[k] for axis in way.get_data_3d())
        np.testing.assert_array_equal([x, y, z], [*found.allvecs[k], bowl(found.allvecs[k])])
    assert [axis[0] for axis in start.get_data_3d()[:2]] == [-3.0, 2.5]
    np.testing.assert_array_equal([axis[0] for axis in end.get_data_3d()[:2]], found.allvecs[-1])
    np.testing.assert_array_equal(above.get_lines()[0].get_xydata(), found.allvecs)
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["100 steps", "start", "end"]
    assert figure.get_suptitle() == "Adam"
    (low, high), points = above.get_xlim(), np.array(found.allvecs)
    assert low < points[:, 0].min() < points[:, 0].max() < high
    assert len(np.unique(pixels(figure).reshape(-1, 3), axis=0)) > 500


def test_bounds_and_a_path_of_one_point():
    figure = plot_surface_path(bowl, [[1.0, 1.0]], bounds=((-4.0, 4.0), (-2.0, 2.0)))
    assert (figure.axes[1].get_xlim(), figure.axes[1].get_ylim()) == ((-4.0, 4.0), (-2.0, 2.0))
    alone = plot_surface_path(bowl, [[1.0, 1.0]])
    assert np.ptp(alone.axes[1].get_xlim()) > 1.0


def test_a_part_of_a_larger_figure():
    figures = pytest.importorskip("matplotlib.figure")
    whole = figures.Figure()
    left, right = whole.subfigures(1, 2)
    assert plot_difference_error(dmath.sin, 1.0, figure=left) is left
    assert plot_surface_path(bowl, [[1.0, 1.0]], figure=right) is right
    assert len(whole.axes) == 4


@pytest.mark.parametrize("path", [[], [1.0, 2.0], [[1.0, 2.0, 3.0]]])
def test_paths_are_of_the_plane(path):
    with pytest.raises(ValueError, match=r"points of the plane, shape \(n, 2\), not "):
        plot_surface_path(bowl, path)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"dualautodiff\[plot\]"):
        plot_difference_error(dmath.sin, 1.0)
    with pytest.raises(ImportError, match=r"dualautodiff\[plot\]"):
        plot_surface_path(bowl, [[1.0, 1.0]])
