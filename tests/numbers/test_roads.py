"""Roads on which a derivative could be lost without a word: each keeps it, or is an error.

The commonest ones, with the line that the error names, are in test_errors.py.
"""

import array
import cmath
import copy
import ctypes
import decimal
import fractions
import io
import json
import math
import operator
import pickle
import random
import statistics
import struct

import numpy as np
import pytest

from autodiff import jacfwd, jacrev

JACOBIANS = pytest.mark.parametrize("jacobian_of", [jacfwd, jacrev])
X = np.array([0.5, 0.25, 1.5])


def written(target, *steps):
    for step in steps:
        step(target)
    return target


def assign(index, value):
    return lambda target: operator.setitem(target, index, value)


REFUSED = {
    "np.array": (lambda x: np.array(x), r"write x\.copy\(\)"),
    "np.array, a dtype": (lambda x: np.array([x[0], x[1]], dtype=float), r"write np.stack\(\[x\[0\], x\[1\]\]\)"),
    "np.array, a copy": (lambda x: np.array(x, copy=True), r"write x\.copy\(\)"),
    "np.asanyarray": (lambda x: np.asanyarray(x), r"write x; .*value_of"),
    "np.ascontiguousarray": (lambda x: np.ascontiguousarray(x), r"write x; .*value_of"),
    "np.array of rows": (lambda x: np.array([x, x]), r"write np.stack\(\[x, x\]\)"),
    "np.float64": (lambda x: np.float64(x[0]), r"write x\[0\]; .*value_of"),
    "np.float32": (lambda x: np.float32(x[0]), r"write x\[0\]; .*value_of"),
    "np.complex128": (lambda x: np.complex128(x[0]), r"write x\[0\] \+ 0j; .*value_of"),
    "np.int64": (lambda x: np.int64(x[0]), r"write int\(autodiff.value_of\(x\[0\]\)\)"),
    "np.fromiter": (lambda x: np.fromiter(x, float), r"write np.stack\(list\(x\)\)"),
    "np.fromiter of parts": (lambda x: np.fromiter((t * t for t in x), float, 3),
     r"write np.stack\(list\(\(t \* t for t in x\)\)\)"),
    "np.fromfunction": (lambda x: np.zeros(3) + np.fromfunction(lambda i: np.array(x), (3,)), r"write x\.copy\(\)"),
    "np.vectorize of a dtype": (lambda x: np.vectorize(math.sin, otypes=[float])(x),
     r"write np.stack\(\[f\(t\) for t in x\]\); .*value_of"),
    "np.vectorize": (lambda x: np.vectorize(lambda t: t * t)(x),
     r"write np.stack\(\[f\(t\) for t in x\]\); .*value_of"),
    "np.frompyfunc": (lambda x: np.frompyfunc(lambda t: t * t, 1, 1)(x), "has no derivative here"),
    "np.nditer": (lambda x: [float(t) for t in np.nditer(x)], r"x\[place\] for place in np.ndindex"),
    "np.broadcast": (lambda x: np.broadcast(x, x), r"write np.broadcast\(autodiff.value_of\(x\)"),
    "np.frombuffer": (lambda x: np.frombuffer(x), r"write np.frombuffer\(autodiff.value_of\(x\)\)"),
    "np.from_dlpack": (lambda x: np.from_dlpack(x), "__dlpack.*value_of"),
    "memoryview": (lambda x: memoryview(x), r"write memoryview\(autodiff.value_of\(x\)\)"),
    "bytes": (lambda x: bytes(x), "an integer"),
    "bytearray": (lambda x: bytearray(x), "an integer"),
    "array.array": (lambda x: array.array("d", x), r"write array.array\('d', autodiff.value_of\(x\)\)"),
    "array.array of integers": (lambda x: array.array("i", x), "an integer"),
    "struct.pack": (lambda x: struct.pack("d", x[0]), r"write struct.pack\('d', autodiff.value_of\(x\[0\]\)\)"),
    "struct.pack of integers": (lambda x: struct.pack("i", x[0]), "an integer"),
    "ctypes": (lambda x: ctypes.c_double(x[0]), r"write ctypes.c_double\(autodiff.value_of\(x\[0\]\)\)"),
    "operator.index": (lambda x: operator.index(x[0]), "an integer|must be integers|non-int"),
    "a list's index": (lambda x: [1.0, 2.0][x[0]], "an integer|must be integers|non-int"),
    "a list repeated": (lambda x: [1.0] * x[0], "an integer|must be integers|non-int"),
    "a slice": (lambda x: [1.0, 2.0][: x[0]], "integers"),
    "an array's index": (lambda x: np.arange(3.0)[x[0]], "only integers"),
    "range": (lambda x: range(x[0]), "an integer|must be integers|non-int"),
    "np.zeros": (lambda x: np.zeros(x[0]), r"write np.zeros\(autodiff.value_of\(x\[0\]\)\)|integer"),
    "math.sin": (lambda x: math.sin(x[0]), r"write np.sin\(x\[0\]\)"),
    "math.hypot": (lambda x: math.hypot(*x), r"write dualnumbers.dmath.hypot\(\*x\)"),
    "math.prod of an array": (lambda x: math.dist(x, [0.0, 0.0, 0.0]), r"write dualnumbers.dmath.dist\(x, "),
    "math.isclose": (lambda x: math.isclose(x[0], 0.5), r"write dualnumbers.dmath.isclose\(x\[0\], 0.5\)"),
    "cmath.exp": (lambda x: cmath.exp(x[0]), r"write np.exp\(x\[0\]\)"),
    "statistics.fmean": (lambda x: statistics.fmean(x), r"write np.mean\(x\)"),
    "Decimal": (lambda x: decimal.Decimal(x[0]), "Decimal"),
    "Fraction": (lambda x: fractions.Fraction(x[0]), "Rational|Fraction|ratio"),
    "random.gauss": (lambda x: np.array([random.Random(0).gauss(x[0], 1.0)], dtype=float),
     r"write np.stack\(\[random.Random\(0\).gauss\(x\[0\], 1.0\)\]\)"),
    "Generator.normal": (lambda x: np.random.default_rng(0).normal(loc=x[0]), r"write x\[0\] \+ .*normal\(size="),
    "Generator.normal of an array": (lambda x: np.random.default_rng(0).normal(loc=x),
     r"write x \+ .*normal\(size=np.shape\(x\)\)"),
    "Generator.exponential": (lambda x: np.random.default_rng(0).exponential(x, 3),
     r"write x \* np.random.default_rng\(0\).exponential\(size=3\)"),
    "RandomState.normal": (lambda x: np.random.RandomState(0).normal(x),
     r"write x \+ np.random.RandomState\(0\).normal\(size=np.shape\(x\)\)"),
    "Generator.choice": (lambda x: np.random.default_rng(0).choice(3, p=x / x.sum()),
     r"choice\(3, p=autodiff.value_of\("),
    "np.save": (lambda x: np.save(io.BytesIO(), x), "np.asarray of a|np.save has no derivative here"),
    "np.savez": (lambda x: np.savez(io.BytesIO(), x), "np.asarray of a|np.savez has no derivative here"),
    "np.savetxt": (lambda x: np.savetxt(io.StringIO(), x), "np.asarray of a|np.savetxt has no derivative here"),
    "tofile": (lambda x: x.tofile(io.BytesIO()), r"\.tofile of a.*value_of"),
    "pickle": (lambda x: pickle.dumps(x), "cannot be pickled.*value_of"),
    "pickle of a list": (lambda x: pickle.dumps([x[0]]), "cannot be pickled.*value_of"),
    "json": (lambda x: json.dumps(list(x)), r"write json.dumps\(autodiff.value_of\(list\(x\)\)\)"),
    "text and back": (lambda x: float(f"{x[0]}"), "could not convert"),
    "text and back by str": (lambda x: float(str(x[0])), "could not convert"),
    "text and back by repr": (lambda x: float(repr(x[0])), "could not convert"),
    "np.array2string and back": (lambda x: np.array(np.array2string(x), float), "array2string|np.asarray|could not"),
    "astype(object)": (lambda x: x.astype(object), r"\.astype\(object\) of a.*dtype=object\) keeps it"),
    "astype(str)": (lambda x: x.astype(str), r"\.astype\(<U0\) of a.*value_of"),
    "item": (lambda x: x[0].item(), r"write x\[0\]; .*value_of"),
    "tolist": (lambda x: x.tolist(), r"write list\(x\); .*value_of"),
    "into a plain array": (lambda x: written(np.zeros(3), assign(0, x[0])),
     r"would lose the derivative.*autodiff.value_of\(value\)"),
    "into a plain matrix": (lambda x: written(np.zeros((2, 3)), assign(1, x)),
     r"would lose the derivative.*autodiff.value_of\(value\)"),
    "into flat": (lambda x: written(np.zeros(3), lambda z: z.flat.__setitem__(0, x[0])),
     r"would lose the derivative|Error setting"),
    "into a masked array": (lambda x: written(np.ma.zeros(3), assign(0, x[0])), "like=x|value_of"),
    "put into a plain array": (lambda x: written(np.zeros(3), lambda z: z.put([0], x[0])),
     r"make what is given as z by np.zeros\(..., like=x\)"),
    "filled": (lambda x: written(np.zeros(3), lambda z: z.fill(x[0])),
     r"make what is given as z by np.zeros\(..., like=x\)"),
    "+= of a plain array": (lambda x: operator.iadd(np.zeros(3), x), r"write np.zeros\(3, like=x\)"),
    "out= of a reduction": (lambda x: np.sum(x, out=np.zeros(())), r"write np.zeros\(\(\), like=x\)"),
    "out= of matmul": (lambda x: np.matmul(x, x, out=np.zeros(())), r"write np.zeros\(\(\), like=x\)"),
    "np.add.at": (lambda x: np.add.at(np.zeros(3), [0, 0, 1], x), r"write np.zeros\(3, like=x\)"),
    "np.copyto": (lambda x: np.copyto(np.zeros(3), x), "np.copyto"),
    "np.copyto into objects": (lambda x: np.copyto(np.array([x[0], 1.0]), x[1]), "would lose the derivative"),
    "np.put into objects": (lambda x: np.put(np.array([x[0], 1.0]), [0], x[1:]), "would lose the derivative"),
    "np.place into objects": (lambda x: np.place(np.array([x[0], 1.0]), [1, 0], x[1:]), "would lose the derivative"),
    "np.putmask into objects": (lambda x: np.putmask(np.array([x[0], 1.0]), [1, 0], x), "would lose the derivative"),
    "np.put_along_axis into objects": (
        lambda x: np.put_along_axis(np.array([x[0], 1.0]), np.array([0]), x[1:2], 0),
        "would lose the derivative",
    ),
    "a masked array": (lambda x: np.ma.masked_array(x, mask=[0, 0, 1]), r"masked arrays have .*np.where.*value_of"),
    "a record": (lambda x: np.array([(x[0], 1)], dtype="f8,i4"), r"write autodiff.array\(\[\(x\[0\], 1\)\]\)"),
    "np.rec": (lambda x: np.rec.fromarrays([x, x]), r"write np.rec.fromarrays\(autodiff.array"),
    "hash": (lambda x: {x[0]: 1.0}, "no hash.*value_of"),
    "Counter": (lambda x: dict.fromkeys(x), "no hash.*value_of"),
}  # fmt: skip

KEPT = {
    "np.array of numbers": lambda x: np.array([x[0] * x[1], np.sin(x[1])]),
    "np.array of rows of numbers": lambda x: np.array([[x[0], x[1]], [x[1] * x[2], x[2]]]),
    "np.stack": lambda x: np.stack([x[0], x[1] * x[2]]),
    "a list": lambda x: [x[0] ** 2, x[1]],
    "an array of objects": lambda x: np.array(list(x), dtype=object) ** 2,
    "filled by numbers": lambda x: written(np.zeros(2, like=x), assign(0, x[0] * x[1])),
    "filled objects": lambda x: written(np.zeros(2, dtype=object), assign(0, x[0] * x[1]), assign(1, x[2])),
    "np.frompyfunc of objects": lambda x: np.frompyfunc(lambda t: t * t, 1, 1)(np.array(list(x))),
    "copy": lambda x: copy.deepcopy([copy.copy(x), x * x])[1],
    "math.prod": lambda x: math.prod(x),
    "math.sumprod": lambda x: sum(map(operator.mul, x, x)),
    "sum": lambda x: sum(x * x),
    "max": lambda x: max(x) * x,
    "sorted": lambda x: sorted(x * x),
    "reversed": lambda x: list(reversed(list(x))),
    "zip": lambda x: [a * b for a, b in zip(x, x[::-1], strict=True)],
    "pow": lambda x: pow(x, 3),
    "statistics.mean of floats": lambda x: sum(x) / len(x),
    "random.choice": lambda x: random.Random(0).choice(list(x)) * x,
    "uniform": lambda x: random.Random(0).uniform(x[0], x[1]),
}


@JACOBIANS
@pytest.mark.parametrize("road", REFUSED)
def test_a_road_that_loses_the_derivative_is_refused(road, jacobian_of):
    f, message = REFUSED[road]
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError, struct.error), match=message):
        jacobian_of(f)(X)


@JACOBIANS
@pytest.mark.parametrize("outer", [jacfwd, jacrev])
@pytest.mark.parametrize("road", ["np.array", "into a plain array", "+= of a plain array", "math.sin", "item",
                                  "np.add.at", "Generator.normal of an array", "range", "np.from_dlpack"])  # fmt: skip
def test_nor_of_an_outer_differentiation(road, outer, jacobian_of):
    """By a value of an inner one, or beside it."""
    f, message = REFUSED[road]
    with pytest.raises((TypeError, ValueError, AttributeError), match=message):
        outer(jacobian_of(f))(X)
    with pytest.raises((TypeError, ValueError, AttributeError), match=message):
        outer(lambda x: jacobian_of(lambda y: f(x) * y)(X))(X)


@JACOBIANS
@pytest.mark.parametrize("road", KEPT)
def test_a_road_that_keeps_the_derivative(road, jacobian_of):
    f, h = KEPT[road], 2.0**-20
    steps = h * np.eye(3)
    columns = [(np.array(f(X + step), float) - np.array(f(X - step), float)) / (2 * h) for step in steps]
    expected = np.stack(columns, -1)
    found = np.array(jacobian_of(f)(X), float)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@JACOBIANS
def test_pandas(jacobian_of):
    pandas = pytest.importorskip("pandas")
    for make in (pandas.Series, pandas.DataFrame, lambda x: pandas.Series(list(x), dtype=float)):
        with pytest.raises((TypeError, ValueError), match=r"value_of|autodiff\.array"):
            jacobian_of(lambda x, make=make: make(x).sum())(X)
