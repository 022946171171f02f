"""Messages name the cause: what stands on the user's line, and what to write instead, in at most 160 characters."""

import ast
import cmath
import decimal
import fractions
import functools
import importlib
import json
import linecache
import logging
import math
import re
import statistics
import struct
import textwrap
from dataclasses import dataclass
from math import exp as exponential
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import autodiff
import dualnumbers
from autodiff import forward, grad, reverse, value_of

LONGEST = 160
X = np.array([0.5, 0.25])
RNG = np.random.default_rng(0)
MODES = pytest.mark.parametrize("mode", [forward, reverse], ids=["forward", "reverse"])


def message(mode, f, x=X):
    """What the error of a differentiation says, its own line taken off."""
    with pytest.raises(TypeError) as caught:
        mode.gradient(f, [x])
    text = str(caught.value)
    place = re.search(r" \(at (.*):(\d+)\)$", text)
    assert place, text
    text = text.removesuffix(place[0])
    assert len(text) <= LONGEST, (len(text), text)
    return text, place[1], int(place[2])


def stored(x):
    dy = np.zeros(2)
    dy[0] = x[1]
    return dy


def stored_in_rows(x):
    table = np.empty((3, 2), order="F")
    for k in range(3):
        table[k] = x * k
    return table


def stored_in_a_copy(x):
    other = RNG.normal(size=2)
    other[:1] += x[0]
    return other


def stored_in_two(x):
    a = np.zeros(2)
    a[0], a[1] = 1.0, x[0]
    return a


def stored_by_out(x):
    result = np.ones(2)
    np.multiply(x, 2.0, out=result)
    return result


def copied(x):
    target = np.zeros(2)
    np.copyto(target, x)
    return target


def masked(x):
    target = np.zeros(2)
    np.putmask(target, [True, False], x)
    return target


def added(x):
    total = np.zeros(2)
    total += x
    return total


def of_a_list(x):
    pieces = [x[0], 2.0]
    return np.array(pieces, dtype=float)


def nan_in_objects(x):
    pieces = np.array([x[0], 1.0])
    return np.sum(np.isnan(pieces)) * x[0]


LINES = {
    "math.cos(x[0])": (lambda x: math.cos(x[0]), "np.cos(x[0])"),
    "math.acos(x[0] / 2)": (lambda x: math.acos(x[0] / 2), "np.arccos(x[0] / 2)"),
    "math.atan2(x[0], x[1])": (lambda x: math.atan2(x[0], x[1]), "np.arctan2(x[0], x[1])"),
    "math.pow(x[0], 2)": (lambda x: math.pow(x[0], 2), "np.power(x[0], 2)"),
    "math.log(x[0], 10)": (lambda x: math.log(x[0], 10), "dualnumbers.dmath.log(x[0], 10)"),
    "math.gamma(x[0])": (lambda x: math.gamma(x[0]), "dualnumbers.dmath.gamma(x[0])"),
    "math.isnan(x[0])": (lambda x: x[0] if math.isnan(x[0]) else x[1], "np.isnan(x[0])"),
    "exponential(x[0])": (lambda x: exponential(x[0]), "np.exp(x[0])"),
    "float(x[0])": (lambda x: float(x[0]), "x[0]"),
    "np.float64(x[0])": (lambda x: np.float64(x[0]), "x[0]"),
    "int(x[0])": (lambda x: int(x[0]) * x[0], "int(autodiff.value_of(x[0]))"),
    "complex(x[0], x[1])": (lambda x: complex(x[0], x[1]), "x[0] + 1j * x[1]"),
    "'%.3f' % x[0]": (lambda x: "%.3f" % x[0], "'%.3f' % autodiff.value_of(x[0])"),  # noqa: UP031
    "'%f %f' % (x[0], x[1])": (lambda x: "%f %f" % (x[0], x[1]),  # noqa: UP031
                               "'%f %f' % autodiff.value_of((x[0], x[1]))"),
    "np.asarray(x)": (lambda x: np.sum(np.asarray(x)), "x"),
    "np.array(x * 2)": (lambda x: np.sum(np.array(x * 2)), "(x * 2).copy()"),
    "np.array([x, x])": (lambda x: np.sum(np.array([x, x])), "np.stack([x, x])"),
    "np.array([[x[0], 1.0]], dtype=float)": (lambda x: np.array([[x[0], 1.0]], dtype=float),
                                             "autodiff.array([[x[0], 1.0]])"),
    "np.array(pieces, dtype=float)": (of_a_list, "autodiff.array(pieces)"),
    "dy[0] = x[1]": (stored, "dy = np.zeros(2, like=x)"),
    "table[k] = x * k": (stored_in_rows, "table = np.empty((3, 2), order='F', like=x)"),
    "other[:1] += x[0]": (stored_in_a_copy, "other = np.array(other, like=x)"),
    "a[0], a[1] = (1.0, x[0])": (stored_in_two, "a = np.zeros(2, like=x)"),
    "np.multiply(x, 2.0, out=result)": (stored_by_out, "result = np.ones(2, like=x)"),
    "np.copyto(target, x)": (copied, "target = np.zeros(2, like=x)"),
    "np.putmask(target, [True, False], x)": (masked, "target = np.zeros(2, like=x)"),
    "total += x": (added, "total = total + x"),
    "RNG.normal(x)": (lambda x: np.sum(RNG.normal(x)), "x + RNG.normal(size=np.shape(x))"),
    "RNG.normal(x[0], x[1])": (lambda x: RNG.normal(x[0], x[1]),
                               "x[0] + x[1] * RNG.normal(size=np.shape(x[0] + x[1]))"),
    "RNG.normal(scale=x[1], size=3)": (lambda x: RNG.normal(scale=x[1], size=3), "x[1] * RNG.normal(size=3)"),
    "RNG.gamma(x[0])": (lambda x: RNG.gamma(x[0]), "RNG.gamma(autodiff.value_of(x[0]))"),
    "np.linalg.det(np.array([[x[0], 1], [1, 2]]))": (lambda x: np.linalg.det(np.array([[x[0], 1], [1, 2]])),
                                                     "np.linalg.det(autodiff.array([[x[0], 1], [1, 2]]))"),
    "np.fft.fft([x[0], 1.0])": (lambda x: np.fft.fft([x[0], 1.0]), "np.fft.fft(autodiff.array([x[0], 1.0]))"),
    "np.isnan(pieces)": (nan_in_objects, "np.isnan(autodiff.array(pieces))"),
    "statistics.stdev(x)": (lambda x: statistics.stdev(x), "np.std(x, ddof=1)"),
    "json.dumps({'a': x[0]})": (lambda x: json.dumps({"a": x[0]}), "json.dumps(autodiff.value_of({'a': x[0]}))"),
    "struct.pack('d', x[0])": (lambda x: struct.pack("d", x[0]), "struct.pack('d', autodiff.value_of(x[0]))"),
    "decimal.Decimal(x[0])": (lambda x: decimal.Decimal(x[0]), "decimal.Decimal(autodiff.value_of(x[0]))"),
    "fractions.Fraction(x[0])": (lambda x: fractions.Fraction(x[0]), "fractions.Fraction(autodiff.value_of(x[0]))"),
}  # fmt: skip
"""What stands on the line → the function with it, and what to write instead."""


@MODES
@pytest.mark.parametrize("line", LINES)
def test_what_to_write_instead(line, mode):
    f, instead = LINES[line]
    text, file, _ = message(mode, f)
    kind = "DualNumber|Variable"
    assert re.match(
        rf"{re.escape(line)} would lose the derivative of a ({kind}): write {re.escape(instead)}(;|$)", text
    )
    assert file == __file__


@MODES
def test_the_line_is_that_of_the_code_at_fault(mode):
    assert message(mode, stored)[2] == stored.__code__.co_firstlineno + 2


@MODES
def test_long_code_is_shortened(mode):
    text, *_ = message(mode, lambda first: math.cos(first[0] * 1000.0 + first[1] * 1000.0 + first[0] * 500.0))
    assert text == (
        f"math.cos(…) would lose the derivative of a {KINDS[mode]}: write "
        "np.cos(first[0] * 1000.0 + first[1] * 1000.0 + first[0] * 500.0)"
    )
    text, *_ = message(mode, lambda x: math.cos(sum(x[0] * 1000.0 + x[1] * 1000.0 + x[0] * 500.0 + k * 1000.0 + k * x[1]
                                                    for k in range(3, 1003))))  # fmt: skip
    assert text == f"math.cos(…) would lose the derivative of a {KINDS[mode]}: write np.cos(…); {PLAIN}"


KINDS = {forward: "DualNumber", reverse: "Variable"}
PLAIN = "autodiff.value_of(x) is the plain value"


@MODES
def test_without_the_source_the_road_is_named(mode):
    space = {}
    exec("import math\ndef f(x):\n    return math.cos(x[0])", space)
    text, file, line = message(mode, space["f"])
    assert text.startswith(f"float of a {KINDS[mode]} would lose its derivative: call NumPy or dualnumbers.dmath; ")
    assert (file, line) == ("<string>", 3)


@MODES
def test_code_that_has_not_imported_numpy_is_given_dmath(mode, tmp_path):
    text, *_ = message(mode, written(tmp_path, "import math\ndef f(x):\n    return math.cos(x[0])")["f"])
    assert "write dualnumbers.dmath.cos(x[0])" in text


def written(folder, code):
    """The names of a module in a file of that folder."""
    path = folder / "module.py"
    path.write_text(textwrap.dedent(code))
    space = {"__name__": "package.module"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space


@MODES
def test_a_package_that_is_differentiated_is_named_beside_the_users_line(mode, tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    library = written(folder, "import math\ndef f(x):\n    return math.cos(x[0])")
    text, file, _ = message(mode, lambda x: 2 * library["f"](x))
    adopted = f"would lose the derivative of a {KINDS[mode]}: call it within autodiff.adopt(package.module)"
    assert text == f"math.cos(x[0]) in package.module.f {adopted}"
    assert file == __file__
    assert message(mode, library["f"])[:2] == (text, __file__)


# ------------------------------------------------------------------------------------------------ SciPy


def ball(t, y, g):
    dy = np.zeros(2)
    dy[0] = y[1]
    dy[1] = -g
    return dy


def oscillator(t, y, k):
    dy = np.zeros_like(y)
    dy[0], dy[1] = y[1], -k * math.sin(y[0])
    return dy


@MODES
def test_a_right_hand_side_is_told_what_to_write_in_it(mode):
    integrate = pytest.importorskip("autodiff.scipy.integrate")
    for fun, instead in ((ball, "dy = np.zeros(2, like=y)"), (oscillator, "np.sin(y[0])")):
        for call in (
            lambda x, fun=fun: integrate.solve_ivp(fun, (0, 1), [0.1, 0.2], args=(x[0],)).y[0, -1],
            lambda x, fun=fun: integrate.odeint(fun, x, [0.0, 1.0], (1.0,), tfirst=True)[-1, 0],
        ):
            text, _, line = message(mode, call)
            assert f"write {instead}" in text
            assert line == fun.__code__.co_firstlineno + 2


def of_scipy():
    import scipy.linalg
    import scipy.sparse.linalg

    sp, so, sl = scipy.special, scipy.optimize, scipy.sparse.linalg
    eye = scipy.sparse.csc_array(np.eye(2))
    factors = sl.splu(eye)
    solve = sl.factorized(eye)
    several = lambda f: f"scipy.special.{getattr(f, '__name__', 'MultiUFunc')} reads plain"  # no name before SciPy 1.17
    splu = "the factors of a sparse matrix take plain numbers; write autodiff.scipy.sparse.linalg.splu(A).solve(b)"
    solver = "write autodiff.scipy.optimize.{}"
    return {
        "expm": (lambda x: scipy.linalg.expm(np.outer(x, x)), "write autodiff.scipy.linalg.expm(np.outer(x, x))"),
        "pdf": (lambda x: scipy.stats.norm.pdf(x[0]), "write autodiff.scipy.stats.norm.pdf(x[0])"),
        "sph_harm_y": (lambda x: sp.sph_harm_y(1, 1, x[0], x[1]), several(sp.sph_harm_y)),
        "legendre_p": (lambda x: sp.legendre_p(2, x[0]), several(sp.legendre_p)),
        "spherical_jn": (lambda x: sp.spherical_jn(1, x[0]), "write autodiff.scipy.special.spherical_jn(1, x[0])"),
        "splu": (lambda x: sl.splu(eye).solve(x), splu),
        "factors": (lambda x: factors.solve(x), splu),
        "factorized": (lambda x: solve(x), splu),
        "cg": (lambda x: sl.cg(eye, x)[0], "write autodiff.implicit.linear_solve(lambda v: A @ v, b, method='cg')"),
        "gmres": (lambda x: sl.lgmres(eye, x)[0], "linear_solve(lambda v: A @ v, b, method='gmres')"),
        "sparse *": (lambda x: eye * x[0], "write x * scipy.sparse.csr_array(A)"),
        "brentq": (lambda x: so.brentq(lambda u: u - x[0], -9, 9), solver.format("brentq(lambda u: u - x[0], -9, 9)")),
        "bisect": (lambda x: so.bisect(lambda u: u - x[0], -9, 9), solver.format("bisect(")),
        "root_scalar": (lambda x: so.root_scalar(lambda u: u - x[0], bracket=(-9, 9)), solver.format("root_scalar(")),
        "root": (lambda x: so.root(lambda u: u - x, [1.0, 1.0]).x, solver.format("root(")),
        "fsolve": (lambda x: so.fsolve(lambda u: u - x, [1.0, 1.0]), solver.format("fsolve(")),
        "newton": (lambda x: so.newton(lambda u: u * u - x[0], 1.0), solver.format("newton(lambda u: u * u - x[0]")),
        "newton at a root": (lambda x: so.newton(lambda u: u - x[0], X[0]), solver.format("newton(lambda u: u - x[0]")),
        "fixed_point": (lambda x: so.fixed_point(lambda u: np.exp(-u * x[0]), 0.5), solver.format("fixed_point(")),
        "golden": (lambda x: so.golden(lambda u: (u - x[0]) ** 2), solver.format("minimize_scalar(f).x")),
        "minimize_scalar": (lambda x: so.minimize_scalar(lambda u: (u - x[0]) ** 2), solver.format("minimize_scalar(")),
        "Powell": (
            lambda x: so.minimize(lambda u: np.sum((u - x[0]) ** 2), 0.0, method="Powell"),
            solver.format("minimize("),
        ),
        "fmin": (lambda x: so.fmin(lambda u: (u[0] - x[0]) ** 2, [1.0], disp=0), solver.format("minimize(f, x0)")),
        "brute": (lambda x: so.brute(lambda u: (u[0] - x[0]) ** 2, [(0, 1)]), "write autodiff.implicit.argmin(f, x0, "),
        "minimize": (lambda x: so.minimize(lambda u: np.sum((u - x) ** 2), [1.0, 1.0]).x, solver.format("minimize(")),
    }


SCIPY = ("expm", "pdf", "sph_harm_y", "legendre_p", "spherical_jn", "splu", "factors", "factorized", "cg",
         "gmres", "sparse *", "brentq", "bisect", "root_scalar", "root", "fsolve", "minimize", "newton",
         "newton at a root", "fixed_point", "golden", "minimize_scalar", "Powell", "fmin", "brute")  # fmt: skip


@MODES
@pytest.mark.parametrize("name", SCIPY)
def test_scipy_functions_name_their_counterpart_or_the_remedy(name, mode):
    pytest.importorskip("scipy.stats")
    pytest.importorskip("scipy.optimize")
    f, expected = of_scipy()[name]
    text, file, _ = message(mode, lambda x: np.sum(f(x)))
    assert expected in text
    assert file == __file__


@MODES
def test_a_solver_around_a_differentiation_is_not_at_fault(mode):
    """SciPy's function stands above the line at fault, and called nothing that the number came to."""
    optimize = pytest.importorskip("scipy.optimize")

    def f(x):
        return math.cos(x[0])

    with pytest.raises(TypeError, match=r"math.cos\(x\[0\]\) would .*write np.cos\(x\[0\]\)"):
        optimize.minimize(f, X, jac=lambda x: mode.gradient(f, [x])[0])


# ------------------------------------------------------------------------------------------------ swallowed


def limited(x):
    try:
        return math.exp(x)
    except Exception:
        return 0.0


def as_float(x):
    try:
        return float(x)
    except TypeError:
        return x


def as_array(x):
    try:
        return np.asarray(x)
    except (TypeError, ValueError):
        return np.zeros(2)


def of_no_rule(x):
    try:
        return np.busday_count(x, x)
    except TypeError:
        return x


def renamed(x):
    try:
        return np.cos(float(x))
    except TypeError as error:
        raise ValueError("not a number") from error


SWALLOWED = {
    "math.exp(x) would": lambda x: limited(x[0]) + x[1],
    "float(x) would": lambda x: as_float(x[0]) * 2,
    "np.asarray(x) would": lambda x: np.sum(as_array(x)),
    "np.busday_count has no derivative": lambda x: np.sum(of_no_rule(x)),
    "float(x) would lose": lambda x: renamed(x[0]),
    "in a nested one, float(x)": lambda x: grad(lambda y: y * as_float(x[0]))(1.0),
    "an inner one's, float(x)": lambda x: x[0] * grad(lambda y: as_float(y) * x[0])(1.0),
}


@MODES
@pytest.mark.parametrize("name", SWALLOWED)
def test_a_refusal_that_the_code_caught_is_raised(name, mode):
    """Without derivatives the code does not come to the handler: what it gives is the answer of another program."""
    f = SWALLOWED[name]
    text, file, _ = message(mode, f)
    assert name.rpartition(", ")[2] in text
    assert file == __file__
    mode.gradient(lambda x: np.sum(x * x), [X])  # nothing is left behind


DOORS = {
    "jvp": lambda f: forward.jvp(f, [0.5], [1.0]),
    "derivative": lambda f: forward.derivative(f, 0, [0.5]),
    "jacfwd": lambda f: forward.jacfwd(f)(0.5),
    "jacrev": lambda f: reverse.jacrev(f)(0.5),
    "vjp": lambda f: reverse.vjp(f, 0.5),
    "value_and_grad": lambda f: reverse.value_and_grad(f)(0.5),
    "record": lambda f: reverse.record(f, [0.5]),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_differentiation_raises_it(door):
    with pytest.raises(TypeError, match=r"math.exp\(x\) would lose .*write np.exp\(x\)"):
        DOORS[door](limited)


@MODES
def test_probing_for_an_attribute_is_no_refusal(mode):
    def f(x):
        found = [hasattr(x, name) for name in ("item", "tolist", "numpy", "detach", "__dlpack__", "__array__")]
        return np.sum(x * x) if len(found) == 6 and np.isscalar(x[0]) else 0.0

    assert mode.gradient(f, [X])[0].tolist() == [1.0, 0.5]


@MODES
def test_the_plain_value_may_be_asked_for_where_a_handler_is_wanted(mode):
    def f(x):
        return x[0] * (1.0 if as_float(value_of(x[0])) > 0 else 2.0)

    assert mode.gradient(f, [X])[0].tolist() == [1.0, 0.0]


def remembering(function):
    answers = {}

    def called(x):
        try:
            return answers[x]
        except TypeError:
            return function(x)

    return called


@MODES
def test_a_hash_that_was_refused_and_caught_is_warned_of(mode):
    """A memory that computes anew gives the right answer; one that has a default for it would not."""
    square = remembering(lambda x: x * x)
    with pytest.warns(RuntimeWarning, match="has no hash") as caught:
        assert mode.gradient(lambda x: square(x[0]), [X])[0].tolist() == [1.0, 0.0]
    assert {warning.filename for warning in caught} == {__file__}
    assert mode.gradient(lambda x: remembering(np.sum)(x * x), [X])[0].tolist() == [1.0, 0.5]  # arrays have none at all


@MODES
def test_what_is_only_shown_is_warned_of(mode, capsys):
    """The log's own handler catches the error; nothing that is computed depends on it."""
    logger = logging.Logger("shown")
    logger.addHandler(logging.StreamHandler())

    def f(x):
        logger.warning("%f", x[0])
        return np.sum(x * x)

    with pytest.warns(RuntimeWarning, match=r"write logger.warning\('%f', autodiff.value_of\(x\[0\]\)\)"):
        assert mode.gradient(f, [X])[0].tolist() == [1.0, 0.5]
    capsys.readouterr()


# ------------------------------------------------------------------------------------------------ advice, followed


ADVISED = """
complex(x, y) | complex(x + y) | complex(x, y + 1) | complex(real=x, imag=y) | complex(x, imag=y) | np.complex128(x)
float(x + y) | np.float64(x - y) | float(v.sum() + 1) | np.float64(v.sum(keepdims=True) + 1) | float(x if x > 0 else y)
math.cos(x + y) | math.log(x + y, 3) | cmath.exp(x * 1j) | cmath.phase(x + y * 1j) | math.hypot(x, y, 2.0)
np.asarray(v + 1) | np.array(v + 1) | np.array([[x, 2.0], [1.0, y]], float) | int(x) * x | math.isclose(x, y) * x
R(3).normal(x, y) | R(3).normal(x, v) | R(3).normal(x + 1, y + 1) | R(3).normal(0.0, y) | R(3).normal(x, 1.0, 3)
R(3).exponential(x + y) | R(3).uniform(-x) | R(3).uniform(x, x + 2) | R(3).uniform(high=x) | R(3).rayleigh(x, 4)
statistics.mean([x, 2.0, 5.0]) | statistics.stdev(v) | statistics.variance([x, 2.0, 5.0]) | np.cumsum([x, 2.0])
np.bincount([0, 1], weights=[x, 2.0]) | np.bincount([0, 1], [x, 2.0]) | np.average([x, 2.0], weights=[y, 1.0])
np.exp([x, 2.0]) | np.sqrt(np.array([x, 2.0])) | np.fft.fft([x, 2.0]) | np.linalg.norm([x, 2.0])
np.percentile([x, 2.0], 30) | np.quantile(np.array([x, y]), 0.3) | np.std([x, 2.0])
sum(map(math.sin, v)) | sum(map(float, v)) | max(map(math.sin, v)) | list(map(float, v))[0] | sum(map(math.exp, [x, y]))
functools.reduce(math.hypot, v) | math.fsum(map(math.sin, v)) | np.fromiter(map(math.sin, v), float)
x.item() | (x + y).item() | v.sum().item() | v.item(1) | v.tolist()[1] | (v + 1).tolist()[0]
np.linalg.det([[x, 2.0], [1.0, y]]) | np.arange(0.0, x, 0.5) | np.arange(x, 3.0)
"""
CONTEXTS = ("{}", "2 * {}", "{} ** 2", "-{}", "{}.real", "abs({})", "np.cos({})", "1 / (1.5 + {})", "{} + x * {}")
MODULES = (autodiff, cmath, dualnumbers, functools, math, statistics)
SPACE = {module.__name__: module for module in MODULES} | {
    "np": np,
    "R": np.random.default_rng,
    "SimpleNamespace": SimpleNamespace,
}


def of_code(code):
    """The function ``f`` of some code, whose lines an error can read."""
    name = f"<{abs(hash(code))}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    space = dict(SPACE)
    exec(compile(code, name, "exec"), space)
    return space["f"]


def as_told(mode, code, x):
    """The code after all that the errors said was done, and its gradient."""
    code = ast.unparse(ast.parse(code))
    for _ in range(5):
        try:
            return code, mode.gradient(of_code(code), [x])[0]
        except (TypeError, AttributeError) as error:
            text = str(error)
        told = re.match(r"(.*) (?:would lose .*|needs an array of numbers): write (.*?)(; .*)? \(at ", text)
        assert told, (code, text)
        old, new, lines = told[1], told[2], code.splitlines()
        name, _, made = new.partition(" = ")
        maker = re.sub(r", (dtype=float, )?like=\w+", "", made)
        if made.startswith(f"np.array({name},"):  # a line before
            line = next(line for line in lines if old in line)
            code = code.replace(line, f"{line.replace(old, new)}\n{line}")
        elif made.startswith(f"{name} + "):
            code = code.replace(old, new)
        elif made and maker in code and old not in maker:
            code = code.replace(maker, made, 1)
        elif made and any(line.strip().startswith(f"{name} = ") for line in lines):
            code = code.replace(next(line.strip() for line in lines if line.strip().startswith(f"{name} = ")), new)
        else:
            assert old in code
            code = code.replace(old, new)
    raise AssertionError(code)


def by_differences(f, x, h=1e-6):
    return [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))]


@MODES
@pytest.mark.parametrize("call", [call.strip() for line in ADVISED.strip().splitlines() for call in line.split("|")])
def test_what_is_told_gives_the_plain_value_and_its_derivative(call, mode):
    """In whatever expression the call stands."""
    x, followed = np.array([1.3, 0.7]), 0
    for context in CONTEXTS:
        code = (
            "def f(v):\n    x, y = v[0], v[1]\n"
            f"    return np.sum(np.abs(np.stack([{context.format(call, call)}]) - 0.25))"
        )
        try:
            expected = of_code(code)(x)
        except (AttributeError, TypeError):  # no plain code
            continue
        told, found = as_told(mode, code, x)
        np.testing.assert_allclose(of_code(told)(x), expected, rtol=1e-13)
        np.testing.assert_allclose(found, by_differences(of_code(code), x), rtol=1e-6, atol=1e-8, err_msg=told)
        followed += 1
    assert followed


STORES = {
    "a view": "a = np.zeros(3); b = a[1:]; b[0] = x[0]",
    "a view of a view": "a = np.zeros((2, 3)); c = a[1:]; b = c.T; b[:2, 0] = x",
    "a slice": "a = np.zeros(3); a[1:][0] = x[0]",
    "rows": "a = np.zeros((2, 2))\n    for r in a: r[0] = x[1]",
    "rows added": "a = np.zeros((2, 2))\n    for r in a: r += x",
    "another name": "a = np.zeros(2); b = a; b[:] = x",
    "a view added": "a = np.zeros(3); b = a[1:]; b += x",
    "another name added": "a = np.zeros(2); b = a; b += x",
    "its own name added": "a = np.zeros(2); a += x",
    "out= a view": "a = np.zeros(3); b = a[1:]; np.multiply(x, 2, out=b)",
    "out= a slice": "a = np.zeros(3); np.multiply(x, 2, out=a[1:])",
    "copyto": "a = np.zeros((2, 2)); b = a.T[0]; np.copyto(b, x)",
    "put": "a = np.zeros((2, 2)); np.put(a, [0, 3], x)",
    "by its name": "a = np.zeros(3); b = a[1:]; b.__setitem__(0, x[1])",
    "another's attribute": "holder = SimpleNamespace(a=0); holder.a = np.zeros(2); holder.a[:] = x; a = holder.a",
    "fill": "a = np.zeros(3); b = a[1:]; b.fill(x[0])",
    "flat": "a = np.zeros((2, 2)); a.flat[1:3] = x",
    "a diagonal": "a = np.zeros((2, 2)); d = np.einsum('ii->i', a); d[:] = x",
    "reshaped": "a = np.arange(6.0).reshape(2, 3); b = a[0]; b[:2] = x",
    "whole numbers": "a = np.zeros(3, dtype=int) * 1.0; a[1:] = x",
    "of whole numbers": "a = np.zeros(3, int); a[0] = x[0]",
    "of whole numbers, named": "a = np.zeros(3, dtype=np.int64); a[0] = x[0]",
    "a list of whole numbers": "a = np.array([1, 2, 3]); a[1] = x[0]",
    "a copy of whole numbers": "a = np.sort([3, 2, 1]); a[1] = x[0]",
    "a copy": "a = np.sort([3.0, 2.0, 1.0]); a[1] = x[0]",
    "two at once": "a, c = np.zeros(2), np.ones(2); a[0] = x[0]; c[:] = x; a = a + c",
    "what is made later": "a = np.zeros(2); y = x[0] * 2; a[0] = y",
    "a loop": "a = np.zeros(2)\n    for k, t in enumerate(x): a[k] = t * t",
    "annotated": "a: np.ndarray = np.zeros(2); a[:] = x",
}
"""What stores into an array ``a``, which shows it in the end."""


@MODES
@pytest.mark.parametrize("name", STORES)
def test_a_store_as_told_is_seen_by_all_that_shows_the_array(name, mode):
    x = np.array([1.3, 0.7])
    code = f"def f(x):\n    {STORES[name]}\n    return np.sum(a * a)"
    told, found = as_told(mode, code, x)
    plainly = of_code(code.replace("int)", "float)").replace("np.int64)", "float)").replace("2, 1]", "2, 1.0]")
                      .replace("2, 3]", "2, 3.0]"))  # fmt: skip
    np.testing.assert_allclose(found, by_differences(plainly, x), rtol=1e-6, atol=1e-8, err_msg=told)
    assert np.any(found != 0)


class Holder:
    def __init__(self):
        self.buffer = np.zeros(2)


def given(b, x):
    b[:] = x


def given_and_added(b, x):
    b += x


def in_a_list(x):
    rows = [np.ones(2) * 2.0, np.ones(2)]
    rows[0][1:] = x[0]


def of_an_attribute(x):
    holder = Holder()
    b = holder.buffer
    b[:] = x


def of_a_view_kept(x):
    holder, whole = Holder(), np.zeros(3)
    holder.buffer = whole[1:]
    holder.buffer += x


def of_a_view_kept_elsewhere(x):
    holder = Holder()
    holder.buffer = np.zeros((2, 2))[0]
    holder.buffer += x


def of_its_own_attribute(x):
    holder = Holder()
    holder.buffer += x


OF_OTHERS = {
    "an attribute that is a view": (of_a_view_kept, "write whole = np.zeros(3, like=x)"),
    "one of an array without a name": (of_a_view_kept_elsewhere, "write holder.buffer = np.zeros((2, 2), like=x)[0]"),
    "an attribute alone": (of_its_own_attribute, "write holder.buffer = holder.buffer + x"),
    "an argument": (lambda x: given(np.zeros(2), x), "make what is given as b by np.zeros(..., like=x)"),
    "an argument added to": (lambda x: given_and_added(np.zeros(2), x), "make what is given as b by np.zeros(..., "),
    "a member of a list": (in_a_list, "make rows[0] by np.zeros(..., like=x)"),
    "an attribute": (of_an_attribute, "make b by np.zeros(..., like=x)"),
}


@MODES
@pytest.mark.parametrize("name", OF_OTHERS)
def test_an_array_that_others_show_is_made_and_not_copied(name, mode):
    f, instead = OF_OTHERS[name]
    assert instead in message(mode, f)[0]


# ------------------------------------------------------------------------------------------------ others' words


def refused_by_others():
    from scipy.interpolate import interp1d
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import factorized
    from scipy.special import factorial, logsumexp

    return {
        "factorial": (
            lambda x: factorial(x[0]),
            "factorial reads plain numbers: write scipy.special.gamma(x + 1)",
        ),
        "factorized": (lambda x: factorized(csc_array(np.eye(2)))(x), "splu(A).solve(b)"),
        "interp1d": (lambda x: interp1d([0.0, 1.0], [0.0, 1.0])(x[0]), "write autodiff.scipy.interpolate.interp1d("),
        "logsumexp": (lambda x: logsumexp([x[0], 1.0]), "write autodiff.scipy.special.logsumexp([x[0], 1.0])"),
        "sparse": (lambda x: csc_array(np.eye(2)).multiply(x), "write x * scipy.sparse.csr_array(A)"),
    }


@MODES
@pytest.mark.parametrize("name", ["factorial", "factorized", "interp1d", "logsumexp", "sparse"])
def test_scipys_words_about_objects_become_ours(name, mode):
    pytest.importorskip("scipy.interpolate")
    f, expected = refused_by_others()[name]
    text, file, _ = message(mode, f)
    assert expected in text
    assert file == __file__


@MODES
def test_scipys_words_that_show_a_number_become_ours(mode):
    stats = pytest.importorskip("scipy.stats")
    text, file, _ = message(mode, lambda x: stats.pearsonr(x, np.array([3.0, 1.0, 2.0]))[0], np.array([1.0, 2.0, 4.0]))
    assert text == "scipy.stats.pearsonr reads plain numbers: write np.corrcoef(x, y)[0, 1]"
    assert file == __file__


def test_an_error_of_the_users_own_that_shows_a_number_stays():
    def f(x):
        raise ValueError(f"not at {x[0]}")

    with pytest.raises(ValueError, match=r"not at Variable\("):
        grad(f)(X)


@pytest.mark.parametrize("operator", [autodiff.grad, autodiff.jacfwd, autodiff.jacrev, autodiff.hessian])
@pytest.mark.parametrize("argnums", [(0, 0), (1, -1)])
def test_an_argument_named_twice(operator, argnums):
    with pytest.raises(ValueError, match="names an argument twice"):
        operator(lambda x, y: x * y, argnums)(1.0, 2.0)


def literal(node):
    """The number of characters that the text of an error surely has."""
    if isinstance(node, ast.Constant):
        return len(node.value) if isinstance(node.value, str) else 0
    parts = {ast.JoinedStr: "values", ast.BinOp: ("left", "right")}.get(type(node), ())
    return sum(map(literal, node.values if parts == "values" else [getattr(node, name) for name in parts]))


def test_every_message_is_short():
    roots = [Path(package.__file__).parent for package in (autodiff, dualnumbers)]
    raised = [(path, node) for root in roots for path in root.rglob("*.py")
              for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
              if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args]  # fmt: skip
    long = [f"{path.name}:{node.lineno}" for path, node in raised if literal(node.exc.args[0]) > LONGEST]
    assert not long
    assert len(raised) > 100


@MODES
def test_the_error_of_what_is_not_linear_is_short(mode):
    doubled = autodiff.linear(lambda g, x: 3.0 * g)(lambda x: 2.0 * x)
    with pytest.raises(ValueError, match="is not linear in argument 0") as caught:
        autodiff.jvp(doubled, [X], [X])
    assert len(str(caught.value).partition(" (at ")[0]) <= LONGEST


# ------------------------------------------------------------------------------------------------ floats' attributes


PUBLIC = sorted({name for kind in (float, int, complex, np.float64) for name in dir(kind) if not name.startswith("_")})
NOT_SCALAR = ("data", "item", "tolist")
"""Refused as if absent: who probes for them has other code."""


def outcome(x, name):
    """What an attribute is, or what it gives when it is called without arguments."""
    found = getattr(x, name)
    return found() if callable(found) else found


@MODES
@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("x", [1.5, 2.0, np.float64(1.5)], ids=["1.5", "2.0", "float64"])
def test_what_a_float_has_a_number_has_or_refuses_for_good(name, x, mode):
    if not hasattr(x, name) or name in NOT_SCALAR:
        return
    seen = []

    def f(t):
        assert hasattr(t, name)
        try:
            seen.append(outcome(t, name))
        except Exception as error:
            seen.append(type(error))
        return t * t

    try:
        (slope,) = mode.gradient(f, [x])
    except TypeError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert slope == 2.0 * x
    if refusal:
        assert re.search(rf"\.{name}\b.* would lose|np.{name} so called", refusal)
        return
    try:
        expected = outcome(x, name)
    except Exception as error:
        expected = type(error)
    if isinstance(expected, type):
        assert issubclass(expected, TypeError) or seen[0] is expected
        return
    if name != "flat":  # has no equality
        np.testing.assert_array_equal(value_of(seen[0]), expected)
        assert type(value_of(seen[0])) is type(expected)


# ------------------------------------------------------------------------------------------- arguments and structures


@dataclass
class Chain:
    slope: float
    links: int


COUNTS = {
    "range": (lambda d: sum(d["x"] for _ in range(d["n"])), {"x": 2.0, "n": 3}),
    "a field": (lambda c: sum(c.slope for _ in range(c.links)), Chain(2.0, 3)),
    "a shape": (lambda d: d["x"] * np.zeros(d["n"])[0], {"x": 2.0, "n": 3}),
    "a slice": (lambda d: d["x"] * np.sum(np.ones(5)[: d["n"]]), {"x": 2.0, "n": 3}),
    "an index": (lambda d: d["x"] * [1.0, 2.0][d["n"]], {"x": 2.0, "n": 1}),
    "an index of an array": (lambda d: d["x"] * np.ones(5)[d["n"]], {"x": 2.0, "n": 1}),
}


@MODES
@pytest.mark.parametrize(("f", "x"), COUNTS.values(), ids=COUNTS)
def test_a_count_that_became_a_float_has_a_hint(mode, f, x):
    with pytest.raises((TypeError, IndexError)) as caught:
        (grad(f) if mode is reverse else autodiff.jacfwd(f))(x)
    (note,) = caught.value.__notes__
    assert 'field(metadata={"static": True})' in note
    assert len(note) <= LONGEST


@pytest.mark.parametrize(
    "place", [lambda x: x, lambda x: {"a": [x]}, lambda x: (1.0, x)], ids=["alone", "deep", "tuple"]
)
def test_a_field_that_is_no_number_may_be_static(place):
    with pytest.raises(TypeError, match="cannot differentiate") as caught:
        grad(lambda x: 1.0)(place(Chain(1.0, {1, 2})))
    assert any('field(metadata={"static": True})' in note for note in caught.value.__notes__)


def test_what_is_no_field_is_not_said_to_be_one():
    with pytest.raises(TypeError, match=r"args\[0\]\['a'\]") as caught:
        grad(lambda x: 1.0)({"a": {1, 2}, "b": Chain(1.0, 2)})
    assert not hasattr(caught.value, "__notes__")


def scaled(x, *, s=1.0):
    return x * s


def test_a_parameter_given_by_keyword_alone_is_made_an_argument():
    with pytest.raises(
        TypeError, match=r"s is given by keyword alone; make it an argument: lambda s: scaled\(…, s=s\)"
    ):
        autodiff.derivative(scaled, "s", [2.0])
    assert autodiff.derivative(lambda s: scaled(2.0, s=s), 0, [3.0]) == 2.0
    assert grad(scaled, "s")(2.0, s=3.0) == 2.0


@pytest.mark.parametrize(
    "operator", [grad, autodiff.value_and_grad, autodiff.jacfwd, autodiff.jacrev, autodiff.hessian]
)
def test_an_argument_given_by_keyword_is_named(operator):
    with pytest.raises(
        IndexError, match=r"0 argument\(s\) by position; what is given by keyword is named, argnums='x'"
    ):
        operator(lambda x: x * x)(x=3.0)
    assert grad(lambda x: x * x, argnums="x")(x=3.0) == 6.0


@pytest.mark.parametrize("x", [np.ones(3), np.array([0, 1]), np.array(0.5), 1.5, True])
def test_the_argument_in_the_place_of_its_index(x):
    arrays = "; the arguments come in a second call, as in grad(f)(x)" if isinstance(x, np.ndarray) else ""
    for operator in (grad, autodiff.jacobian, autodiff.value_and_grad):
        with pytest.raises(TypeError, match=rf"argnums is the index of an argument .*{re.escape(arrays)} \(at "):
            operator(lambda v: np.sum(v * v), x)(x)
    with pytest.raises(TypeError, match="wrt is the index of an argument"):
        forward.derivative(lambda v: v * v, x, [2.0])


@pytest.mark.parametrize("flag", [True, np.True_, np.ones(2, bool)])
def test_a_flag_among_the_parameters(flag):
    with pytest.raises(TypeError, match="a flag is no number: give it as an argument of its own, or as a string"):
        grad(lambda p: p["x"] * 2.0)({"x": 2.0, "flag": flag})
    assert grad(lambda p, flag: p["x"] * (2.0 if flag is True else 1.0))({"x": 2.0}, True) == {"x": 2.0}


@pytest.mark.parametrize(("xs", "tangents"), [([1.0, 2.0], [1.0, None]), ([{"a": X}], [{"a": None}])])
def test_a_tangent_is_not_none(xs, tangents):
    with pytest.raises(
        TypeError, match=r"tangent of a number or an array is None: .* give 0\.0 or np\.zeros_like\(x\)"
    ):
        autodiff.jvp(lambda *xs: 1.0, xs, tangents)


def _in_itself(kind):
    x = [1.0] if kind is list else {"x": 1.0}
    x.append([x]) if kind is list else x.update(own=(x,))
    return x


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize(
    "call", [lambda x: grad(lambda x: 1.0)(x), lambda x: grad(lambda y: (x, y)[1])(1.0) and value_of(x),
             lambda x: autodiff.jvp(lambda x: 1.0, [x], [x])], ids=["grad", "value_of", "jvp"])  # fmt: skip
def test_a_structure_that_holds_itself_is_refused(kind, call):
    with pytest.raises(ValueError, match="that holds itself, or is nested"):
        call(_in_itself(kind))


@pytest.mark.parametrize("kind", [bool, int, np.float64, np.ndarray, dict, str, object])
def test_what_is_no_structure_is_not_registered(kind):
    with pytest.raises(TypeError, match="is no class to register") as caught:
        autodiff.register_structure(kind, lambda x: [], lambda x, parts: x)
    assert len(str(caught.value)) <= LONGEST


ABSENT = {
    "special.gamma": "scipy.special.gamma is differentiated as it is: import it from scipy.special",
    "special.smirnov": "scipy.special.smirnov cannot be differentiated here; autodiff.scipy.special has comb, diric",
    "linalg.expmm": "scipy.linalg has no expmm; autodiff.scipy.linalg has expm",
    "stats.normal": "scipy.stats has no normal; autodiff.scipy.stats has norm",
    "stats.pearsonr": "cannot be differentiated here: write np.corrcoef",
    "sparse.linalg.cg": "write autodiff.implicit.linear_solve(lambda v: A @ v, b, method='cg')",
    "sparse.linalg.eigsh": "cannot be differentiated here; autodiff.scipy.sparse.linalg has factorized, splu",
}


@pytest.mark.parametrize(("name", "said"), ABSENT.items())
def test_a_module_of_counterparts_says_what_there_is(name, said):
    module, _, function = f"autodiff.scipy.{name}".rpartition(".")
    with pytest.raises(AttributeError) as caught:
        getattr(importlib.import_module(module), function)
    assert said in str(caught.value)
    assert len(str(caught.value)) <= LONGEST
