"""Native forms in C: elementary functions are those of C's library, and what it lacks is written out."""

from __future__ import annotations

from ..native.elementary.code import Code, Value
from ..native.elementary.forms import FORMS, Form
from ..native.elementary.functions import ELEMENTARY
from .code import CCode

SAME = "exp exp2 expm1 tanh cosh sinh erf erfc sin cos tan atan asin acos cbrt hypot atan2 log log2 log10 log1p asinh \
acosh atanh"

LIBRARY = {
    **{name: name for name in SAME.split()},
    "power": "pow", "pow": "pow", "special_cbrt": "cbrt", "special_exp2": "exp2", "special_expm1": "expm1",
    "special_log1p": "log1p",
    "expit": "own_logistic",
}  # fmt: skip
"""The name of a row → the function that gives its value, of C's library where that has it."""

WRITTEN = {
    "gaussian": ("x", """
    const double square = x * x, lost = fma(x, x, -square), y = exp(-square);
    return square < 746.0 ? y - y * lost : y;"""),
    "gaussian_growth": ("x", """
    const double square = x * x, lost = fma(x, x, -square), y = exp(square);
    return y < INFINITY ? y + y * lost : y;"""),
    "normal_density": ("x", """
    const double square = x * x, lost = fma(x, x, -square), y = 0.39894228040143268 * exp(-0.5 * square);
    return square < 1490.0 ? y - 0.5 * y * lost : y;"""),
    "sech": ("x", """
    const double e = exp(-fabs(x));
    return 2.0 * e / (1.0 + e * e);"""),
    "sech2": ("x", """
    const double e = exp2(-fabs(x));
    return 2.0 * e / (1.0 + e * e);"""),
    "logistic": ("x", """
    const double e = exp(-fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);"""),
    "logistic2": ("x", """
    const double e = exp2(-fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);"""),
    "ndtr": ("x", """
    const double t = -0.70710678118654752 * x;
    const double lost = fma(-0.70710678118654752, x, -t) + 4.833646656726457e-17 * x;
    const double y = 0.5 * erfc(t);
    return fabs(x) < 40.0 ? y - 0.56418958354775629 * exp(-t * t) * lost : y;"""),
    "sin_pi": ("x", """
    const double r = x - 2.0 * rint(0.5 * x), size = fabs(r);
    const double nearest = size > 0.5 ? 1.0 - size : size;
    const double y = nearest > 0.25 ? cos(3.1415926535897932 * (0.5 - nearest)) : sin(3.1415926535897932 * nearest);
    return size == 0.0 ? 0.0 : size == 1.0 ? -0.0 : copysign(y, r);"""),
    "cos_pi": ("x", """
    const double size = fabs(x - 2.0 * rint(0.5 * x)), nearest = size > 0.5 ? 1.0 - size : size;
    const double y = nearest > 0.25 ? sin(3.1415926535897932 * (0.5 - nearest)) : cos(3.1415926535897932 * nearest);
    return size > 0.5 ? -y : y;"""),
    "cosine": ("x, y", """
    const double length = hypot(x, y);
    return length == 0.0 ? 0.0 : x / length;"""),
    "softplus": ("x", """
    return (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));"""),
    "log_expit": ("x", """
    return -((x < 0.0 ? -x : 0.0) + log1p(exp(-fabs(x))));"""),
    "logaddexp": ("x, y", """
    const double high = x > y ? x : y;
    return x == y ? x + 0.69314718055994531 : high + log1p(exp(-fabs(x - y)));"""),
    "logaddexp2": ("x, y", """
    const double high = x > y ? x : y;
    return x == y ? x + 1.0 : high + 1.4426950408889634 * log1p(exp2(-fabs(x - y)));"""),
    "xlogy": ("x, y", """
    return x == 0.0 && y == y ? 0.0 : x * log(y);"""),
    "xlog1py": ("x, y", """
    return x == 0.0 && y == y ? 0.0 : x * log1p(y);"""),
    "entr": ("x", """
    return x > 0.0 ? -x * log(x) : x < 0.0 ? -INFINITY : x == 0.0 ? 0.0 : x;"""),
}  # fmt: skip
"""The name of a row → the parameters and the body of a function in C."""


def _of_doubles(name: str) -> Form:
    """Return the form of a function of doubles, in which single precision is computed, too."""

    def form(c: Code, *operands: Value) -> Value:
        return c.convert(c.library(name, *(c.convert(x, "f8") for x in operands)), operands[0].kind)

    return form


C_FORMS: dict[str, Form] = {
    **FORMS,
    "negative": CCode.negative,
    "isnan": CCode.is_nan,
    "matmul": Code.multiply,
    **{name: _of_doubles(LIBRARY.get(name, f"own_{name}")) for name in ELEMENTARY},
}
"""A row's name → its form in C."""


def written(used: set[str]) -> list[str]:
    """Return the functions that code uses and C's library lacks."""
    found = []
    for name, (parameters, body) in WRITTEN.items():
        if f"own_{name}" in used:
            given = ", ".join(f"double {x}" for x in parameters.split(", "))
            found.append(f"static double own_{name}({given})\n{{{body}\n}}")
    return found
