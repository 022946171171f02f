"""Columns of pandas, Polars and xarray beside numbers, as arguments and in NumPy's functions; pictures of numbers."""

import re

import numpy as np
import pytest

import autodiff
from autodiff import Variable, forward, grad, hessian, jvp, reverse, value_and_grad, vjp

MODES = pytest.mark.parametrize("mode", [forward, reverse], ids=["forward", "reverse"])
P = np.array([2.0, 0.5])
XS, YS = [1.0, 2.0, 3.0], [2.0, 4.5, 6.0]


def pandas_column(name):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"x": XS, "y": YS}, index=list("cab"))[name]


def polars_column(name):
    return pytest.importorskip("polars").DataFrame({"x": XS, "y": YS})[name]


def xarray_column(name):
    return pytest.importorskip("xarray").DataArray({"x": XS, "y": YS}[name], dims="t", coords={"t": [3, 1, 2]})


COLUMNS = {"pandas": pandas_column, "polars": polars_column, "xarray": xarray_column}
EACH = pytest.mark.parametrize("package", COLUMNS)


def mul(s, p):
    s *= p
    return s


OPERATIONS = {
    "p[0] * s": (lambda s, p: p[0] * s, "p[0] * s.to_numpy()"),
    "s * p[0]": (lambda s, p: s * p[0], "s.to_numpy() * p[0]"),
    "s - p[0] * s": (lambda s, p: s - p[0] * s, "s.to_numpy() - p[0] * s.to_numpy()"),
    "s / p[:1]": (lambda s, p: s / p[:1], "s.to_numpy() / p[:1]"),
    "p[:1] ** s": (lambda s, p: p[:1] ** s, "p[:1] ** s.to_numpy()"),
    "s > p[0]": (lambda s, p: s > p[0], "s.to_numpy() > p[0]"),
    "p[0] <= s": (lambda s, p: p[0] <= s, "p[0] <= s.to_numpy()"),
    "s @ np.stack([p[0], p[0], p[0]])": (
        lambda s, p: s @ np.stack([p[0], p[0], p[0]]),
        "s.to_numpy() @ np.stack([p[0], p[0], p[0]])",
    ),
    "np.multiply(s, p[0])": (lambda s, p: np.multiply(s, p[0]), "np.multiply(s.to_numpy(), p[0])"),
    "np.hypot(p[0], s)": (lambda s, p: np.hypot(p[0], s), "np.hypot(p[0], s.to_numpy())"),
    "s *= p": (lambda s, p: mul(s, p[0]), "s = s.to_numpy() * p"),
}


@EACH
@MODES
@pytest.mark.parametrize("line", OPERATIONS)
def test_an_operation_by_labels_says_to_numpy(line, mode, package):
    """pandas aligns labels, leaves NaN out and divides by n - 1: an array in its place would be another program."""
    s = COLUMNS[package]("x")
    f, instead = OPERATIONS[line]
    try:
        found = mode.gradient(lambda p: p[1] * np.sum(f(s, p)), [P])
    except (TypeError, ValueError) as error:
        text = str(error)
    else:
        assert package == "xarray"  # its own arithmetic takes numbers
        np.testing.assert_array_equal(found, mode.gradient(lambda p: p[1] * np.sum(f(np.array(s), p)), [P]))
        return
    if package == "xarray" and "@" in line and "DataArrays" in text:
        return
    assert f"write {instead}" in text
    assert re.search(rf" \(at {re.escape(__file__)}:\d+\)$", text)
    assert len(text) <= 160 + len(f" (at {__file__}:999)")


COLUMNS_NAMED = ["x", "y"]
OF_TABLES = {
    "columns": (lambda t, p: t[["x", "y"]] @ p, "write t[['x', 'y']].to_numpy() @ p"),
    "columns by a name": (lambda t, p: t[COLUMNS_NAMED] @ p, "write t[COLUMNS_NAMED].to_numpy() @ p"),
    "a table": (lambda t, p: t * p[0], "write t.to_numpy() * p[0]"),
    "two columns": (lambda t, p: t["x"] * p[0] + t.y, "write t['x'].to_numpy() * p[0] + t.y.to_numpy()"),
    "an operand": (lambda t, p: (t.x * p[0]).sum(), "write (t.x.to_numpy() * p[0])"),
    "mul": (lambda t, p: t.x.mul(p[0]), "write t.x.to_numpy() * p[0]"),
    "dot": (lambda t, p: t.x.dot(p[0] * np.ones(3)), "write t.x.to_numpy() @ (p[0] * np.ones(3))"),
    "made there": (lambda t, p: p[0] * type(t.x)([1.0, 2.0]), "take .to_numpy() of the Series"),
    "another method": (lambda t, p: t.x.add(p[0], fill_value=0.0), "take .to_numpy() of the Series"),
    "of a method": (lambda t, p: p[0] * t.x.rolling(2).mean(), "take .to_numpy() of the Series"),
    "long": (
        lambda t, p: t.x.shift(1).fillna(0.0) * p[0] * t.y.rolling(2).mean().fillna(t.x.mean()) * t.x.shift(2),
        "take .to_numpy() of the Series",
    ),
}


@MODES
@pytest.mark.parametrize("name", OF_TABLES)
def test_what_is_written_for_a_table_runs_or_is_no_code(name, mode):
    table = pytest.importorskip("pandas").DataFrame({"x": XS, "y": YS})
    f, instead = OF_TABLES[name]
    with pytest.raises(TypeError) as caught:
        mode.gradient(lambda p: np.sum(f(table, p)), [P])
    text = str(caught.value).partition(" (at ")[0]
    assert instead in text
    assert len(text) <= 160
    assert all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]"))
    if instead.startswith("write"):
        found = mode.gradient(
            lambda p: np.sum(eval(instead.removeprefix("write "), globals(), {"t": table, "p": p})), [P]
        )
        step = 1e-6 * np.eye(2)
        expected = [np.sum(np.asarray(f(table, P + h)) - np.asarray(f(table, P - h))) / 2e-6 for h in step]
        np.testing.assert_allclose(found[0], expected, rtol=1e-6, atol=1e-8)


def test_a_column_that_is_made_of_numbers_is_not_said_to_be_an_array():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(
        TypeError, match=r"pandas.Series\(p\) would lose .*write pandas.Series\(autodiff.value_of\(p\)\)"
    ):
        grad(lambda p: pandas.Series(p).sum())(P)


def test_an_expression_of_polars_is_given_no_code_that_is_none():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="would lose") as caught:
        grad(lambda p: polars.DataFrame({"x": XS}).select(polars.col("x") * p[0])["x"].sum())(P)
    assert "to_numpy" not in str(caught.value)


FUNCTIONS = {
    "np.concatenate": lambda s, p: np.concatenate([s, p]),
    "np.stack": lambda s, p: np.stack([s, p[0] * np.ones(3)]) ** 2,
    "np.dot": lambda s, p: np.dot(s, p[0] * np.ones(3)),
    "np.interp": lambda s, p: np.interp(p, np.asarray(s), s),
    "np.where": lambda s, p: np.where(s > 1.5, p[0], 0.0),
    "np.outer": lambda s, p: np.outer(p, s),
    "np.convolve": lambda s, p: np.convolve(p, s),
    "np.polyval": lambda s, p: np.polyval(s, p),
    "a mask": lambda s, p: (p[0] * np.ones(3))[np.asarray(s > 1.5)],
    "stored": lambda s, p: stored(np.zeros(3, like=p), s) * p[0],
    "autodiff.array": lambda s, p: autodiff.array([s, [p[0], 1.0, p[1]]]),
}


def stored(y, s):
    y[:] = s
    return y


@EACH
@MODES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_make_a_plain_array_take_the_elements(name, mode, package):
    s, f = COLUMNS[package]("x"), FUNCTIONS[name]
    found = mode.gradient(lambda p: np.sum(f(s, p)), [P])
    np.testing.assert_array_equal(found, mode.gradient(lambda p: np.sum(f(np.array(XS), p)), [P]))


@EACH
@MODES
def test_the_gradient_by_a_column_has_its_labels(mode, package):
    s, f = COLUMNS[package]("y"), lambda x: np.sum(x**3) + x[0] * x[2]
    (expected,) = mode.gradient(f, [np.array(YS)])
    (found,) = mode.gradient(f, [s])
    nested = mode.gradient(lambda tree: f(tree["a"][0]), [{"a": (s, 1.0)}])[0]["a"][0]
    for g in (found, nested):
        assert type(g) is type(s)
        np.testing.assert_array_equal(np.asarray(g), expected)
        if package == "pandas":
            assert g.index.equals(s.index)
            assert g.name == "y"
        if package == "xarray":
            assert g.coords.equals(s.coords)


@EACH
def test_other_operators_take_a_column_as_an_array(package):
    s, f = COLUMNS[package]("y"), lambda x: np.sum(x**3)
    y = np.array(YS)
    assert type(grad(f)(s)) is type(value_and_grad(f)(s)[1]) is type(vjp(f, s)[1](1.0)[0]) is type(s)
    np.testing.assert_array_equal(hessian(f)(s), hessian(f)(y))
    assert jvp(f, [s], [s]) == jvp(f, [y], [y])
    assert np.array_equal(s, YS)  # as it was


def test_a_column_of_whole_numbers_and_one_with_gaps():
    pandas = pytest.importorskip("pandas")
    assert grad(lambda x: np.sum(x * x))(pandas.Series([1, 2])).tolist() == [2.0, 4.0]
    found = grad(lambda x: np.sum(x * x))(pandas.Series([1.0, None], dtype="Float64"))
    np.testing.assert_array_equal(np.asarray(found, float), [2.0, np.nan])


@MODES
def test_a_table_is_differentiated_by_its_columns(mode):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"x": XS, "y": YS})
    with pytest.raises(TypeError, match=r"argument 0, DataFrame.*give a dict of its columns, \{c: x\[c\] for c in x\}"):
        mode.gradient(lambda t: np.sum(t["x"]), [table])
    (found,) = mode.gradient(lambda t: np.sum(t["x"] * t["y"]), [{c: table[c] for c in table}])
    assert found["x"].tolist() == YS
    assert type(found["y"]) is pandas.Series


@MODES
def test_a_picture_of_numbers_is_told_so_on_the_users_line(mode):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes, v = pyplot.figure().add_subplot(), Variable(P)
    with pytest.raises(TypeError, match=r"axes\.plot\(x\).* write axes\.plot\(autodiff\.value_of\(x\)\).*tables"):
        mode.gradient(lambda x: np.sum(axes.plot(x)), [P])
    with pytest.raises(TypeError, match=r"write pyplot\.plot\(autodiff\.value_of\(v\)\).* \(at .*test_tables"):
        pyplot.plot(v)
    pyplot.close("all")
