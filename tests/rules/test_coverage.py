"""What users differentiate: 614 expressions of NumPy and SciPy from plain imports, both modes, to second order.

`tests/data/coverage.json` has them by group and name. x is a vector, X a matrix, T of three axes, A a well-conditioned
square matrix; the first of these that an expression has is differentiated, the other names are constants. SciPy's
functions that convert to plain arrays are called where `autodiff.scipy` has them.
"""

import importlib
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from autodiff import gradcheck, jacfwd, jacrev
from autodiff.check.gradcheck import RELATIVE

LIST = json.loads((Path(__file__).parents[1] / "data" / "coverage.json").read_text(encoding="utf-8"))
CALLS = {(group, name): text for group, calls in LIST.items() for name, text in calls.items()}

R = np.random.default_rng(1)
VARIABLES = {
    "x": R.uniform(0.15, 0.85, 6),
    "X": R.uniform(0.1, 0.9, (3, 4)),
    "T": R.uniform(0.1, 0.9, (2, 3, 4)),
    "A": R.normal(size=(4, 4)) + 4 * np.eye(4),
}
CONSTANTS = {
    "v": R.uniform(0.1, 0.9, 6),
    "W": R.uniform(0.1, 0.9, (3, 4)),
    "B": R.normal(size=(4, 4)) + 4 * np.eye(4),
    "C4": R.normal(size=(4, 4)),
    "I4": np.eye(4),
    "K4": R.uniform(0.2, 1.0, 4),
    "K02": np.array([0, 2]),
    "K13": np.array([1, 3]),
    "K012": np.array([0, 1, 2]),
    "K024": np.array([0, 2, 4]),
    "K011222": np.array([0, 1, 1, 2, 2, 2]),
    "KB3": np.array([True, False, True]),
    "KB2": np.array([0.4, 0.6]),
    "g6": np.arange(6.0),
    "g5": np.arange(5.0),
    "h5": R.normal(size=5),
}


class OfScipy:
    """A module of SciPy, with the functions of `autodiff.scipy` in the place of its own where there are any."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, function):
        try:
            return getattr(importlib.import_module(f"autodiff.scipy.{self.name}"), function)
        except (AttributeError, ImportError):
            return getattr(importlib.import_module(f"scipy.{self.name}"), function)


MODULES = {"sp": "special", "sl": "linalg", "ss": "signal", "si": "integrate", "st": "stats", "spi": "interpolate",
           "nd": "ndimage", "sf": "fft", "sd": "spatial.distance"}  # fmt: skip
NAMES = {"np": np} | {short: OfScipy(name) for short, name in MODULES.items()}

REFUSED = {
    ("ufunc-methods", "add:where"): "out=.*like=x",
    ("shape", "array:copy"): r"x\.copy\(\)",
    ("shape", "asarray"): "would lose .*derivative",
    ("shape", "full_like"): r"np\.full_like.*np\.full\(shape, value, like=value\)",
    ("shape", "r_"): r"np\.r_ and np\.c_.*np\.concatenate or np\.column_stack",
    ("shape", "c_"): r"np\.r_ and np\.c_.*np\.concatenate or np\.column_stack",
    ("shape", "vectorize"): r"np\.vectorize.*write np\.stack",
    ("indexing", "setitem:var-into-const"): "like=x",
    ("indexing", "at-set(jax style)"): r"x\[i\] = v",
    ("indexing", "np.copyto"): "copyto.*like=x",
    ("signal-poly-misc", "polynomial.Polynomial-call"): r"np\.polynomial\.polynomial\.polyval",
    ("ndarray-method", ".item"): r"\.item of a.*x\[0\]",
    ("ndarray-method", ".tolist"): r"\.tolist of a.*list\(x\)",
    ("ndarray-method", "float()"): "would lose .*derivative",
    ("ndarray-method", "math.sin(scalar)"): "would lose .*derivative",
    ("scipy.linalg", "schur"): r"schur.*(logm|expm|eigh|eig)",
    ("scipy.linalg", "hessenberg"): r"hessenberg",
}
"""Group and name of what is refused → what the message says."""

STEPS = {
    *(("ufunc-unary", name) for name in ("angle", "sign", "floor", "ceil", "rint", "trunc", "fix")),
    ("ufunc-binary", "heaviside"),
    ("ufunc-binary", "floor_divide"),
    ("ndarray-method", ".fill"),
}
"""Group and name of what is constant between steps, or overwritten: the derivative is zero."""

TOLERANCE = {("scipy-other", "scipy.integrate.odeint"): 1e-5}
"""Where the value itself is known to a solver's tolerance only."""


def function(text):
    """An expression as a function of its variable, and where to differentiate it."""
    name = next(name for name in VARIABLES if re.search(rf"(?<![\w.'\"]){name}(?![\w'\"(])", text))
    code = compile(text, text, "eval")
    return lambda z: eval(code, NAMES | CONSTANTS | VARIABLES | {name: z}), VARIABLES[name]


def test_the_list_is_whole():
    assert len(CALLS) == 614
    assert set(REFUSED) | STEPS <= set(CALLS)
    assert len(CALLS) - len(REFUSED) >= 585


@pytest.mark.parametrize("call", [call for call in CALLS if call not in REFUSED], ids=":".join)
def test_both_modes_to_second_order(call):
    f, x = function(CALLS[call])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gradcheck(f, [x], raises=True, rtol=TOLERANCE.get(call, RELATIVE))
        moves = np.any(jacfwd(f)(x))
    assert moves == (call not in STEPS)


@pytest.mark.parametrize("call", REFUSED, ids=":".join)
def test_what_is_refused_says_what_to_do(call):
    f, x = function(CALLS[call])
    for mode in (jacfwd, jacrev):
        with pytest.raises((TypeError, AttributeError), match=REFUSED[call]):
            mode(f)(x)
