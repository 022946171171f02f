"""gradcheck: right derivatives pass, planted wrong ones are caught and named, and a report can be read."""

import math
from dataclasses import FrozenInstanceError
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dualnumbers.dmath as dmath
from autodiff import gradcheck, stop_gradient, value_of
from autodiff.check.gradcheck import GradcheckError
from autodiff.tape.variable import Variable
from dualnumbers import DualNumber
from dualnumbers.table import BY_NUMPY, TABLE, elementwise, linear, smooth
from dualnumbers.table.kinds import Smooth

NAME = "_planted"


@pytest.fixture
def plant():
    """Makes a row of the table that is there for one test only."""

    def planted(word, *derivatives, **options):
        return word(*derivatives, name=NAME, **options)

    known = dict(BY_NUMPY)
    yield planted
    del TABLE[NAME]
    assert known == BY_NUMPY


def sine(plant, partial):
    """The sine, with a derivative of one's own."""
    return plant(elementwise, partial)(math.sin)


def comparisons(report, order, against=None):
    """Entries compared at an order, line by line."""
    return {c.mode: c.entries for c in report.comparisons if c.order == order and against in (None, c.against)}


# ------------------------------------------------------------------------------------------- right derivatives


def mlp(layers, x):
    for layer in layers:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return {"loss": (x**2).sum(), "output": (x, 2 * x[0])}


WEIGHTS = np.random.default_rng(0).normal(size=(3, 3))

RIGHT = {
    "powers": (lambda x, y: x**y / (x + y), [1.5, 2.0]),
    "dmath": (lambda x: dmath.sin(x) ** dmath.cos(x), [0.8]),
    "integers": (lambda x, y: np.hypot(x, y), [3, 4]),
    "array in": (lambda x: (x**2).sum() / x.prod(), [np.array([0.5, 2.0, -1.0])]),
    "array out": (lambda x: np.array([x, x * x, np.sin(x)]), [0.3]),
    "matrices": (np.linalg.inv, [WEIGHTS]),
    "solve": (np.linalg.solve, [WEIGHTS, np.arange(3.0)]),
    "structures": (mlp, [[{"w": WEIGHTS[:2], "b": np.zeros(2)}, {"w": WEIGHTS[:2, :2], "b": np.ones(2)}], np.ones(3)]),
    "loops": (lambda x, y: sum(x * y**k for k in range(4)), [0.5, 1.5]),
    "in place": (lambda x: _in_place(x), [np.array([1.0, 2.0])]),
    "holomorphic": (lambda z: np.exp(z) / z, [1 + 2j]),
    "not holomorphic": (lambda z: abs(z) ** 2 + z.conj(), [np.array([1 + 2j, 3 - 1j])]),
    "single": (lambda x: np.exp(x).sum(), [np.linspace(0, 2, 3, dtype=np.float32)]),
    "single complex": (lambda z: np.exp(z), [np.array([1 + 2j], np.complex64)]),
    "constant": (lambda x: 3.0, [1.0]),
    "ignoring": (lambda x, y: y, [1.0, np.ones(2)]),
    "branch": (lambda x: np.where(x > 0, np.sqrt(x), 0.0), [np.array([0.0, 2.0])]),
    "kink": (lambda x: np.maximum(x, 0.0), [np.array([0.0, 2.0, -1.0])]),
    "cancelling": (lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, [1e6]),
    "large": (lambda x: x * x, [1e12]),
    "small": (lambda x: 1 / x, [1e-12]),
    "complex beside the point": (lambda x, y: x**y, [0.1, 0.3]),
    "tiny": (lambda x, y: np.exp(-x * x) * np.sin(y), [2.0, 2.2e-313]),
    "cancelling parts": (lambda z: np.exp(z) * np.conj(z), [0j]),
    "fortran order": (lambda a: a @ a, [np.asfortranarray(WEIGHTS)]),
}


def _in_place(x):
    x[0] *= x[1]
    x += 1
    return x


@pytest.mark.parametrize(("f", "args"), RIGHT.values(), ids=RIGHT)
def test_right_derivatives_pass(f, args):
    report = gradcheck(f, args, raises=True)
    assert report
    assert report.findings == ()
    assert "passed" in str(report)
    assert repr(report) == str(report)  # what a notebook shows


def test_third_order():
    report = gradcheck(lambda x, y: np.sin(x * y) / y, [0.7, 1.3], order=3, raises=True)
    assert len(comparisons(report, 3)) == 8
    assert set(comparisons(report, 3).values()) == {8}
    assert "reverse over forward over reverse" in comparisons(report, 3)


def test_all_elements_in_all_nestings_are_compared():
    report = gradcheck(lambda x, y: x[:, None] * y, [np.ones(2), np.ones(3)])
    assert comparisons(report, 0) == {"forward": 6, "reverse": 6}
    assert comparisons(report, 1, "differences") == {"forward": 30, "reverse": 30}
    assert comparisons(report, 1, "forward") == {"reverse": 30}
    nestings = [f"{outer} over {inner}" for outer in ("forward", "reverse") for inner in ("forward", "reverse")]
    assert comparisons(report, 2, "differences") == dict.fromkeys(nestings, 150)
    assert set(comparisons(report, 2, "forward over forward")) == set(nestings[1:])
    assert not any(c.unresolved for c in report.comparisons)


def test_one_mode_alone():
    report = gradcheck(np.sin, [1.0], modes=("reverse",), order=1)
    assert comparisons(report, 1) == {"reverse": 1}


def test_arguments_that_are_no_numbers_reach_f():
    def f(x, kind, index, mask, table):
        assert kind == "sum"
        assert mask is True
        return x[index["at"]] * table["scale"] * table[None](2.0)

    report = gradcheck(f, [np.ones(3), "sum", {"at": slice(1)}, True, {"scale": 2, None: math.sqrt}], raises=True)
    assert comparisons(report, 1, "differences") == {"forward": 4, "reverse": 4}


def test_argnums_select():
    def f(x, n, y):
        return x[n] * y

    report = gradcheck(f, [np.ones(3), 1, 2.0], argnums=(0, 2), raises=True)
    assert comparisons(report, 1, "differences")["forward"] == 4
    assert comparisons(gradcheck(f, [np.ones(3), 1, 2.0], argnums=-1), 1, "differences")["forward"] == 1


def test_a_large_function_is_checked_along_directions(plant):
    weights = np.random.default_rng(1).normal(size=(40, 30))
    report = gradcheck(lambda w, x: np.tanh(w @ x), [weights, np.linspace(-1, 1, 30)], raises=True)
    assert comparisons(report, 2, "differences")["forward over forward"] == 64
    f = sine(plant, lambda x, z: dmath.cos(x) * (1 + 1e-5 * x))
    report = gradcheck(lambda x: f(weights @ x).sum(), [np.linspace(-1, 1, 30)], order=1)
    assert comparisons(report, 1, "differences")["forward"] == 30
    assert not report
    report = gradcheck(lambda x: f(weights @ x), [np.linspace(-1, 1, 30)])
    assert "∂f along random directions[0]/∂args along random directions[0]" in report.findings[0].element


def test_the_arguments_stay_as_they_are():
    x, y = np.array([1.0, 2.0]), {"b": np.ones(2)}
    gradcheck(lambda x, y: _in_place(x) * _in_place(y["b"]), [x, y])
    assert x.tolist() == [1.0, 2.0]
    assert y["b"].tolist() == [1.0, 1.0]


# ------------------------------------------------------------------------------------------- planted wrong rules


WRONG_PARTIALS = {
    "factor": lambda x, z: 1.01 * dmath.cos(x),
    "sixth digit": lambda x, z: (1 + 1e-6) * dmath.cos(x),
    "sign": lambda x, z: -dmath.cos(x),
    "zero": lambda x, z: 0.0 * x,
    "other function": lambda x, z: z,
    "offset": lambda x, z: dmath.cos(x) + 1e-5,
    "nan": lambda x, z: nan * x,
}


@pytest.mark.parametrize("partial", WRONG_PARTIALS.values(), ids=WRONG_PARTIALS)
@pytest.mark.parametrize("args", [[1.1], [np.array([0.4, 1.1])]], ids=["number", "array"])
def test_a_wrong_partial_is_caught_at_first_order(plant, partial, args):
    report = gradcheck(sine(plant, partial), args, order=1)
    assert not report
    assert {f.mode for f in report.findings if f.against == "differences"} == {"forward", "reverse"}
    assert all(f.order == 1 for f in report.findings)


WRONG_SECOND = {
    "stopped": lambda x, z: stop_gradient(dmath.cos(x)),
    "stopped output": lambda x, z: stop_gradient(1 - z * z) ** 0.5,
    "half stopped": lambda x, z: (dmath.cos(x) + stop_gradient(dmath.cos(x))) / 2,
}


@pytest.mark.parametrize("partial", WRONG_SECOND.values(), ids=WRONG_SECOND)
@pytest.mark.parametrize("args", [[1.1], [np.array([0.4, 1.1])]], ids=["number", "array"])
def test_a_wrong_second_derivative_is_caught(plant, partial, args):
    f = sine(plant, partial)
    assert gradcheck(f, args, order=1)
    report = gradcheck(f, args)
    assert {f.order for f in report.findings} == {2}
    assert len({f.mode for f in report.findings if f.against == "differences"}) == 4


def test_a_wrong_third_derivative_is_caught(plant):
    f = sine(plant, lambda x, z: dmath.cos(stop_gradient(x)) - z * (x - stop_gradient(x)))
    assert gradcheck(f, [1.1], order=1)
    assert not gradcheck(f, [1.1], order=3)


def test_one_wrong_partial_of_two_is_named(plant):
    f = plant(elementwise, lambda y, x, z: x / (x * x + y * y), lambda y, x, z: y / (x * x + y * y))(math.atan2)
    report = gradcheck(f, [1.0, 2.0], order=1)
    assert {finding.element for finding in report.findings} == {"∂f/∂args[1]"}


def test_a_wrong_pull_back_beside_a_right_push_forward(plant):
    def push(da, z, a):
        return -(z @ da @ z)

    def wrong(g, z, a):
        return -(z.T @ g @ z)

    inverse = plant(smooth, Smooth(push, wrong))(np.linalg.inv)
    report = gradcheck(inverse, [WEIGHTS], order=1)
    assert {f.mode for f in report.findings} == {"reverse"}
    assert {f.against for f in report.findings} == {"differences", "forward"}


def test_a_wrong_adjoint_of_a_linear_row(plant):
    double = plant(linear, lambda g, x: 2.5 * g)(lambda x: 2 * x)
    report = gradcheck(lambda x: double(x) ** 2, [np.array([1.0, 2.0])], order=1)
    assert {(f.mode, f.element) for f in report.findings} == {
        ("reverse", "∂f[0]/∂args[0][0]"),
        ("reverse", "∂f[1]/∂args[0][1]"),
    }


def test_one_wrong_element_among_many_is_caught(plant):
    """A random projection would see 1 part in 36 of a 1 % error; the full Jacobian names the element."""
    mask = np.ones((6, 6))
    mask[4, 1] = 1.01
    f = plant(elementwise, lambda x, z: mask * dmath.cos(x))(math.sin)
    report = gradcheck(lambda x: (f(x) * WEIGHTS[0, 0]).sum(), [np.linspace(0.1, 1, 36).reshape(6, 6)], order=1)
    assert {finding.element for finding in report.findings} == {"∂f/∂args[0][4, 1]"}


def test_an_error_against_rounding_is_caught_between_modes(plant):
    """Reverse mode is wrong by 1e-9, which differences forgive and forward mode does not."""
    double = plant(linear, lambda g, x: 2 * (1 + 1e-9) * g)(lambda x: 2 * x)
    report = gradcheck(lambda x: double(x), [np.array([1.0])], order=1)
    assert {(f.mode, f.against) for f in report.findings} == {("reverse", "forward")}


def test_a_value_that_depends_on_the_mode_is_reported():
    def value(x):
        return x + 1e-13 if isinstance(x, DualNumber) else x

    def precision(x):
        return np.float32(1) if isinstance(x, Variable) else np.float64(1)

    (finding,) = gradcheck(value, [1.0], order=1).findings
    assert (finding.order, finding.mode, finding.against, finding.element) == (0, "forward", "f itself", "f")
    assert finding.found - finding.expected == pytest.approx(1e-13, rel=0.01)
    assert [(x.order, x.mode) for x in gradcheck(precision, [1.0], order=1).findings] == [(0, "reverse")]
    assert gradcheck(lambda x: x * (1 + 1e-15) if isinstance(x, DualNumber) else x, [1.0], order=1)


def test_what_cannot_be_checked_has_not_passed():
    with np.errstate(all="ignore"):
        report = gradcheck(lambda x: np.log(x), [np.array([0.0, 1.0])], order=1)
    assert {f.element for f in report.findings} == {"∂f[0]/∂args[0][0]", "∂f[0]/∂args[0][1]"}


# ------------------------------------------------------------------------------------------- the report


def test_a_finding_names_everything(plant):
    f = sine(plant, lambda x, z: 2 * dmath.cos(x))

    def loss(p):
        return {"a": 1.0, "b": (p["w"][0, 0], p["k"] * f(p["w"][1, 0]))}

    report = gradcheck(loss, [{"w": np.array([[0.5], [0.25]]), "k": 3.0}], order=1)
    finding = next(f for f in report.findings if f.mode == "reverse")
    assert finding.order == 1
    assert finding.against == "differences"
    assert finding.element == "∂f['b'][1]/∂args[0]['w'][1, 0]"
    assert finding.found == pytest.approx(6 * math.cos(0.25))
    assert finding.expected == pytest.approx(3 * math.cos(0.25))
    assert finding.allowed < 1e-5
    assert 0 < finding.step < 1
    for text in ("order 1", "reverse", finding.element, repr(finding.found), "differences", "step"):
        assert text in str(finding)
    assert str(finding) in str(report)


def test_second_order_elements_are_named_in_order(plant):
    f = plant(elementwise, lambda x, y, z: x / z, lambda x, y, z: stop_gradient(y / z))(math.hypot)
    report = gradcheck(lambda x, y: f(x[1], y), [np.array([1.0, 2.0]), 3.0])
    elements = {finding.element for finding in report.findings if finding.against == "differences"}
    assert elements == {"∂²f/∂args[1]∂args[0][1]", "∂²f/∂args[1]∂args[1]"}


def test_complex_parts_are_named():
    def f(z):
        return z * 1j if isinstance(z, (DualNumber, Variable)) else z * 1.5j

    report = gradcheck(f, [2 - 1j], order=1)
    assert {x.element for x in report.findings if x.order == 1} == {"∂f.real/∂args[0].imag", "∂f.imag/∂args[0].real"}


def test_raises_with_the_report(plant):
    f = sine(plant, lambda x, z: 1.01 * dmath.cos(x))
    with pytest.raises(AssertionError, match=r"order 1, forward: ∂f/∂args\[0\] is .*; differences: .*step") as caught:
        gradcheck(f, [1.0], raises=True)
    assert isinstance(caught.value, GradcheckError)
    assert not caught.value.report
    assert str(caught.value) == str(caught.value.report)


def test_a_report_is_frozen_and_readable():
    report = gradcheck(lambda x: x**2, [3.0])
    with pytest.raises(FrozenInstanceError):
        report.findings = ()
    lines = str(report).splitlines()
    assert lines[0] == "gradcheck: passed"
    assert lines[2].split() == ["order", "mode", "against", "entries", "worst/allowed", "unresolved"]
    assert len(lines) == 3 + len(report.comparisons)
    assert len({len(line) for line in lines[3:]}) == 1


def test_many_findings_are_cut_short(plant):
    f = sine(plant, lambda x, z: 1.01 * dmath.cos(x))
    report = gradcheck(f, [np.linspace(0.1, 1, 15)], order=1)
    assert len(report.findings) == 30
    assert "and 10 more" in str(report)


def test_a_kink_counts_as_unresolved():
    report = gradcheck(abs, [0.0], order=1)
    assert report
    assert [c.unresolved for c in report.comparisons if c.against == "differences"] == [1, 1]


# ------------------------------------------------------------------------------------------- hypothesis, bad input


@settings(max_examples=30)
@given(st.floats(-3, 3), st.floats(-3, 3))
def test_a_property_of_ones_own_function(x, y):
    gradcheck(lambda x, y: np.exp(-x * x) * np.sin(y) / (1 + y * y), [x, y], raises=True)


def test_a_property_that_fails_is_shrunk(plant):
    f = sine(plant, lambda x, z: dmath.cos(x) * (1 if value_of(x) < 2 else 1.1))

    @settings(database=None)
    @given(st.integers(0, 3))
    def test_mine(x):
        gradcheck(f, [x], order=1, raises=True)

    with pytest.raises(GradcheckError) as caught:
        test_mine()
    assert "test_mine(\n    x=2," in "\n".join(caught.value.__notes__)


def test_bad_input():
    with pytest.raises(ValueError, match="'forward', 'reverse'"):
        gradcheck(np.sin, [1.0], modes=("sideways",))
    with pytest.raises(ValueError, match="'forward', 'reverse'"):
        gradcheck(np.sin, [1.0], modes="forward")
    with pytest.raises(ValueError, match="'forward', 'reverse'"):
        gradcheck(np.sin, [1.0], modes=())
    with pytest.raises(ValueError, match="order"):
        gradcheck(np.sin, [1.0], order=0)
    with pytest.raises(ValueError, match="no argument is a number"):
        gradcheck(len, ["text"])
    with pytest.raises(TypeError, match="list of all arguments"):
        gradcheck(np.sin, 1.0)
    with pytest.raises(IndexError):
        gradcheck(np.sin, [1.0], argnums=1)
    with pytest.raises(TypeError, match="returned"):
        gradcheck(lambda x: "text", [1.0])
    with pytest.raises(TypeError, match="plain values"):
        gradcheck(np.sin, [DualNumber(1.0, 1.0)])
    with pytest.raises(ZeroDivisionError):
        gradcheck(lambda x: 1 / x, [0.0])


CANCELLED = {
    "sin² + cos²": (lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, 0.7),
    "cosh² - sinh²": (lambda x: np.cosh(x) ** 2 - np.sinh(x) ** 2, 1.1),
    "log exp": (lambda x: np.log(np.exp(x)) - x, 0.3),
    "a cube expanded": (lambda x: (x + 0.1) ** 3 - x**3 - 0.3 * x**2 - 0.03 * x, 0.9),
    "arctan": (lambda x: np.arctan(x) + np.arctan(1 / x), 0.77),
    "a length": (lambda v: np.sum((v / np.linalg.norm(v)) ** 2), np.array([1.0, 2.0, 3.0])),
    "softmax": (lambda v: np.sum(np.exp(v) / np.sum(np.exp(v))), np.array([0.1, 0.2, 0.3])),
}


@pytest.mark.parametrize("name", CANCELLED)
def test_what_cancels_to_rounding_is_no_finding(name):
    """The derivatives are 0 but for eps of the terms: -1.9e-16 in one mode, 4e-17 in the other."""
    f, x = CANCELLED[name]
    gradcheck(f, [x], order=3, raises=True)
