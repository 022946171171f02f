"""Systems of linear equations and factors of matrices in C: plain loops over rows and columns, with their strides.

Each gives 1 where the matrix may be singular, or what was found is not finite: then another way is gone in Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..native.instructions.areas import DTYPES, Address
from ..native.instructions.instruction import FACTORS
from .code import literal

COMMON = """static unsigned char regular(ptrdiff_t n, const double *a, ptrdiff_t step, double least)
{
    double low = INFINITY, high = 0.0;
    for (ptrdiff_t k = 0; k < n; ++k) {
        const double size = fabs(a[k * step]);
        low = size < low ? size : low;
        high = size > high ? size : high;
    }
    return low > least * high;
}

static unsigned char finite(ptrdiff_t n, ptrdiff_t m, const double *x, ptrdiff_t down, ptrdiff_t along)
{
    unsigned char found = 1;
    for (ptrdiff_t i = 0; i < n; ++i)
        for (ptrdiff_t j = 0; j < m; ++j)
            found &= fabs(x[i * down + j * along]) < INFINITY;
    return found;
}"""

ELIMINATE = """static int eliminate(ptrdiff_t n, double *a, ptrdiff_t r, ptrdiff_t c,
                     ptrdiff_t m, double *b, ptrdiff_t s, ptrdiff_t d)
{
    int odd = 0;
    for (ptrdiff_t k = 0; k < n; ++k) {
        ptrdiff_t pivot = k;
        for (ptrdiff_t i = k + 1; i < n; ++i)
            if (fabs(a[i * r + k * c]) > fabs(a[pivot * r + k * c]))
                pivot = i;
        if (pivot != k) {
            odd = !odd;
            for (ptrdiff_t j = 0; j < n; ++j) {
                const double t = a[k * r + j * c];
                a[k * r + j * c] = a[pivot * r + j * c];
                a[pivot * r + j * c] = t;
            }
            for (ptrdiff_t j = 0; j < m; ++j) {
                const double t = b[k * s + j * d];
                b[k * s + j * d] = b[pivot * s + j * d];
                b[pivot * s + j * d] = t;
            }
        }
        for (ptrdiff_t i = k + 1; i < n; ++i) {
            const double t = a[i * r + k * c] / a[k * r + k * c];
            for (ptrdiff_t j = k + 1; j < n; ++j)
                a[i * r + j * c] -= t * a[k * r + j * c];
            for (ptrdiff_t j = 0; j < m; ++j)
                b[i * s + j * d] -= t * b[k * s + j * d];
        }
    }
    return odd;
}"""

UPPER = """static void back(ptrdiff_t n, ptrdiff_t m, const double *a, ptrdiff_t r, ptrdiff_t c,
                 double *b, ptrdiff_t s, ptrdiff_t d)
{
    for (ptrdiff_t i = n - 1; i >= 0; --i)
        for (ptrdiff_t j = 0; j < m; ++j) {
            double t = b[i * s + j * d];
            for (ptrdiff_t k = i + 1; k < n; ++k)
                t -= a[i * r + k * c] * b[k * s + j * d];
            b[i * s + j * d] = t / a[i * r + i * c];
        }
}"""

ENDS = {
    "solve": """static unsigned char solve(ptrdiff_t n, ptrdiff_t m, double *a, ptrdiff_t r, ptrdiff_t c,
                           double *b, ptrdiff_t s, ptrdiff_t d)
{
    eliminate(n, a, r, c, m, b, s, d);
    back(n, m, a, r, c, b, s, d);
    return !(regular(n, a, r + c, @LEAST) & finite(n, m, b, s, d));
}""",
    "solve_upper": """static unsigned char solve_upper(ptrdiff_t n, ptrdiff_t m, const double *a, ptrdiff_t r,
                                 ptrdiff_t c, double *b, ptrdiff_t s, ptrdiff_t d)
{
    back(n, m, a, r, c, b, s, d);
    return !(regular(n, a, r + c, 0.0) & finite(n, m, b, s, d));
}""",
    "solve_lower": """static unsigned char solve_lower(ptrdiff_t n, ptrdiff_t m, const double *a, ptrdiff_t r,
                                 ptrdiff_t c, double *b, ptrdiff_t s, ptrdiff_t d)
{
    back(n, m, a + (n - 1) * (r + c), -r, -c, b + (n - 1) * s, -s, d);
    return !(regular(n, a, r + c, 0.0) & finite(n, m, b, s, d));
}""",
    "cholesky": """static unsigned char cholesky(ptrdiff_t n, double *a, ptrdiff_t r, ptrdiff_t c)
{
    for (ptrdiff_t k = 0; k < n; ++k) {
        for (ptrdiff_t i = k; i < n; ++i) {
            double t = a[i * r + k * c];
            for (ptrdiff_t j = 0; j < k; ++j)
                t -= a[i * r + j * c] * a[k * r + j * c];
            a[i * r + k * c] = t;
        }
        if (!(a[k * r + k * c] > 0.0))
            return 1;
        const double root = sqrt(a[k * r + k * c]);
        for (ptrdiff_t i = k; i < n; ++i)
            a[i * r + k * c] /= root;
    }
    return !(regular(n, a, r + c, @LEAST) & finite(n, n, a, r, c));
}""",
    "eliminated": """static unsigned char eliminated(ptrdiff_t n, double *a, ptrdiff_t r, ptrdiff_t c)
{
    const int odd = eliminate(n, a, r, c, 0, a, r, c);
    const unsigned char right = regular(n, a, r + c, @LEAST) & finite(n, n, a, r, c);
    a[0] = odd ? -a[0] : a[0];
    return !right;
}""",
}
"""A form of matrices → its function, of numbers of rows and columns, and of pointers with their strides."""

NEEDED = {"solve": (COMMON, ELIMINATE, UPPER), "solve_upper": (COMMON, UPPER), "solve_lower": (COMMON, UPPER),
          "cholesky": (COMMON,), "eliminated": (COMMON, ELIMINATE)}  # fmt: skip


def call_of(
    form: str, kind: str, shape: tuple[int, ...], strided: Sequence[Address], starts: list[str]
) -> tuple[str, str]:
    """Return the name of a form's function, and its call for matrices along the last loops of a shape."""
    name = f"{form}_{kind}"
    rank = len(shape)
    if form in FACTORS:
        given = [str(shape[-1]), *_matrix(strided[0], starts[0], (rank - 2, rank - 1))]
    else:
        given = [str(shape[-2]), str(shape[-1]), *_matrix(strided[0], starts[0], (rank - 3, rank - 2)),
                 *_matrix(strided[-1], starts[-1], (rank - 2, rank - 1))]  # fmt: skip
    return name, f"{name}({', '.join(given)})"


def _matrix(x: Address, start: str, loops: tuple[int, int]) -> list[str]:
    return [start, *(str(x.strides[k]) for k in loops)]


def systems(used: set[str]) -> list[str]:
    """Return the functions that code uses, and those that they need."""
    found: list[str] = []
    for kind in ("f8", "f4"):
        forms = [form for form in ENDS if f"{form}_{kind}" in used]
        parts = dict.fromkeys(part for form in forms for part in NEEDED[form])
        found += [_of_kind(text, kind) for text in [*parts, *(ENDS[form] for form in forms)]]
    return found


NAMES = ("regular", "finite", "eliminate", "back", *ENDS)


def _of_kind(text: str, kind: str) -> str:
    """Return a function of doubles for numbers of a kind."""
    eps = float(np.finfo(DTYPES[kind]).eps) * 100.0
    least = literal(eps**0.5 if "cholesky(" in text else eps, kind)
    for name in NAMES:
        text = text.replace(f"{name}(", f"{name}_{kind}(")
    if kind == "f4":
        text = text.replace("double", "float").replace("fabs(", "fabsf(").replace("sqrt(", "sqrtf(")
        text = text.replace("0.0", "0.0f")
    return text.replace("@LEAST", least)
