"""Which rows have a native form in double precision: as straight code, or as a function of the C library.

Straight code is within 2.5 units in the last place of the truth, most of it within 1.5, over the whole range, subnormal
results included; special points and signs of zeros are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable

from . import circular, exponentials, logarithms
from .code import Code, Value


def of_floats(function: Callable[..., Value]) -> Callable[..., Value]:
    """Return a function of doubles for single floats as well, which it computes in double precision."""

    def write(c: Code, *operands: Value) -> Value:
        return c.convert(function(c, *(c.convert(x, "f8") for x in operands)), operands[0].kind)

    return write


ELEMENTARY: dict[str, Callable[..., Value]] = {
    name: of_floats(getattr(module, name))
    for module, names in {
        exponentials: "exp exp2 expm1 gaussian gaussian_growth normal_density "
        "sech sech2 tanh cosh sinh logistic logistic2",
        circular: "sin cos tan sin_pi cos_pi atan asin acos",
        logarithms: "log log2 log10 log1p asinh acosh atanh softplus log_expit logaddexp logaddexp2",
    }.items()
    for name in names.split()
}
"""The name of a row → what writes it: a function of the code and the operands."""

ELEMENTARY["expit"] = ELEMENTARY["logistic"]
