"""How dual numbers are written: ``3 + 0.5ε``, those of several levels with the ε of each level numbered."""

from __future__ import annotations

from typing import Any

from ..levels import GROUND, level_of

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LATEX = str.maketrans({"ε": r"\,\varepsilon", **{"₀₁₂₃₄₅₆₇₈₉"[i]: f"_{i}" for i in range(10)}})


def text(x: Any, spec: str) -> str:
    """Write a dual number of scalars, each component by the specification."""
    depth = _depth(x)
    return _text(x, spec, depth) if depth > 1 else _sum(*(format(part, spec) for part in x.parts()))


def latex(x: Any) -> str:
    """Write a dual number of scalars as mathematics."""
    return "$" + text(x, "").translate(_LATEX) + "$"


def _depth(x: Any) -> int:
    return 1 + max(map(_depth, x.parts())) if level_of(x) is not GROUND else 0


def _text(x: Any, spec: str, depth: int) -> str:
    """Write a nested number with the ε of each level numbered, of which there are ``depth``."""
    if not hasattr(type(x), "tangent"):
        return format(x, spec)
    primal, tangent = (_text(part, spec, depth - 1) for part in x.parts())
    unit = f"ε{depth}".translate(_SUBSCRIPTS)
    if any(level_of(part) is not GROUND for part in x.parts()):
        return f"({primal}) + ({tangent}){unit}"
    return _sum(primal, tangent, unit)


def _sum(primal: str, tangent: str, unit: str = "ε") -> str:
    if tangent.endswith(("j", ")")):
        return f"{primal} + ({tangent.strip('()')}){unit}"
    sign, size = ("-", tangent[1:]) if tangent.startswith("-") else ("+", tangent.removeprefix("+"))
    return f"{primal} {sign} {size}{unit}"


def polynomial(coefficients: list[Any], spec: str) -> str:
    """Write a power series, each coefficient by the specification: ``3 + 0.5t - 2t²``; one that is a number in (…)."""
    text = _term(coefficients[0], spec)
    for k, coefficient in enumerate(coefficients[1:], 1):
        text = _sum(text, _term(coefficient, spec), "t" + (str(k).translate(_SUPERSCRIPTS) if k > 1 else ""))
    return text


def _term(coefficient: Any, spec: str) -> str:
    return f"({format(coefficient, spec)})" if level_of(coefficient) is not GROUND else format(coefficient, spec)
