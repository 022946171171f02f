"""Comparisons, logic, predicates: each is multiplied by its argument, so that there is a derivative."""

from collections.abc import Iterator

import numpy as np

from dualnumbers import dmath
from dualnumbers.table import TABLE

from .sample import Sample, apart, entry, values
from .step_functions import stepwise

entry("isfinite", "isinf", "isnan", "isposinf", "isneginf", "less", "less_equal", "greater", "greater_equal", "equal",
      "not_equal", "logical_and", "logical_or", "logical_xor", "logical_not")(stepwise)  # fmt: skip


@entry("share")
def _shares(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: TABLE[name](x, y) * x, (apart(2, 1), apart(3) + 0.05), unreal=False)


@entry("np.isreal", "np.iscomplex")
def _imaginary(name: str) -> Iterator[Sample]:
    function = np.isreal if name == "np.isreal" else np.iscomplex
    yield Sample(lambda x: function(x) + x, (values(2, 3),))
    yield Sample(lambda x: function(x * np.array([1.0, 1j])) + x, (values(2),), "complex", unreal=False)


@entry("isclose", "allclose", "array_equal", "array_equiv", "math_isclose")
def _alike(name: str) -> Iterator[Sample]:
    if name == "math_isclose":
        close = lambda x: dmath.isclose(x[0], x[1], abs_tol=0.5) * x
        yield Sample(close, (apart(3),), "of numbers", unreal=False)
        return
    function = getattr(np, name)
    yield Sample(lambda x, y: np.multiply(function(x, y), x), (apart(4), apart(4) + 0.05), "two operands", unreal=False)
    yield Sample(lambda x: function(x, [1.0, 2.0, 3.0]) * x, (apart(3),), "a list", unreal=False)
    if name in ("isclose", "allclose"):
        yield Sample(lambda x: function(x, 0.25, rtol=0.0, atol=0.5) * x, (apart(3),), "tolerances", unreal=False)
