"""Which rows have a native form in double precision: as straight code, or as a function of the C library.

Straight code is within 2.5 units in the last place of the truth, most of it within 1.5, over the whole range, subnormal
results included; special points and signs of zeros are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable

from . import circular, error_functions, exponentials, logarithms, powers
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
        error_functions: "erf erfc ndtr",
        circular: "sin cos tan sin_pi cos_pi atan asin acos",
        powers: "power cbrt hypot cosine atan2",
        logarithms: "log log2 log10 log1p asinh acosh atanh softplus log_expit logaddexp logaddexp2 xlogy xlog1py entr",
    }.items()
    for name in names.split()
}
"""The name of a row → what writes it: a function of the code and the operands."""

ELEMENTARY |= {
    name: ELEMENTARY[other]
    for name, other in {
        "pow": "power",
        "expit": "logistic",
        "special_cbrt": "cbrt",
        "special_exp2": "exp2",
        "special_expm1": "expm1",
        "special_log1p": "log1p",
    }.items()
}

LIBRARY = {"fmod": "fmod"}
"""The name of a row → a function of the C library that gives the row's value, to the last bit."""
