"""Names in C: of the parameters of a function, after those of Python, where these are not C's own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const constexpr
const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float for
friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual
void volatile wchar_t while xor xor_eq main errno assert signal raise ptrdiff_t size_t int64_t malloc free INFINITY
NAN NULL EOF fpclassify isfinite isinf isnan isnormal signbit failed round part linux unix stdin stdout stderr end
memory regular finite eliminate back solve"""
"""Words of C and C++, and of what is written here."""

MATHEMATICS = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn gamma
significand drem"""
"""Functions of C's mathematics, each of which has names for other types, too."""

RESERVED = frozenset((*WORDS.split(), *(f"{name}{of}" for name in MATHEMATICS.split() for of in ("", "f", "l"))))
"""What no parameter may be called."""

OWN = re.compile(r"(v|m|i|c|table|sum|total|kernel)\d+|own_\w+|\w+_f[48]")
"""The names of what is in between, and of functions that are written out."""


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each leaf, after how Python would reach it; no two the same."""
    found: list[str] = []
    for path in paths:
        name = re.sub(r"\W+", "_", path.replace("'", ""), flags=re.ASCII).strip("_") or "x"
        name = f"x_{name}" if name[0].isdigit() else name
        while name in RESERVED or name in found or OWN.fullmatch(name):
            name += "_"
        found.append(name)
    return found


def parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Return what a function calls its arguments by place; ``x0`` and so on where it does not say."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[k] if k < len(named) else f"x{k}" for k in range(count)]
