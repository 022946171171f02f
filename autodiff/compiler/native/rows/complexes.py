"""Complex numbers in native code: each is two operands, of the real parts and of the imaginary ones.

What takes and moves elements, or adds them up, does the same to both. A product, a quotient or a modulus is made of
real instructions, as NumPy makes it: what is NaN or infinite there is so here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np

from ...program import Step
from ..instructions.areas import DTYPES, Area
from ..instructions.instruction import Block, Operand, Parts
from .along import ALONG
from .choosing import CHOOSING
from .rules import is_native
from .steps import ELSEWHERE, VIEWS, Here, Rule, elementwise
from .writing import WRITING

OfParts = Callable[..., Parts | Operand | None]
"""A rule whose operands are all given as `Parts`, real ones with 0.0 beside them."""

LARGEST, SHIFT = 709.0, 16.0
"""Where exp is near to infinity, and by how much its argument is less then: exp x cos y may be finite still."""


def is_complex(x: Any) -> bool:
    """Return whether a value is complex, of double precision, and not a number of Python's, whose functions raise."""
    return type(x) is np.complex128 or (
        type(x) is np.ndarray and x.dtype.char == "D" and x.dtype.isnative and x.size > 0
    )


def given(block: Block, number: int, value: np.ndarray) -> Parts:
    """Return the parts of a complex value that a block takes: its memory has them in turns."""
    shape = *value.shape, 2
    pairs = np.broadcast_to(0.0, shape)
    if number < 0:
        pairs = np.ascontiguousarray(value).view(DTYPES["f8"]).reshape(shape)
    found = of_pairs(block.give(number, pairs))
    del block.areas[number]  # which has values of one operand
    return found


def of_pairs(area: Area) -> Parts:
    """Return the parts of numbers that stand in turns along the last axis."""
    real, imag = (area.viewed(lambda a, k=k: a[..., k]) for k in (0, 1))
    assert real is not None
    assert imag is not None
    return Parts(real, imag)


def copied(block: Block, parts: Parts, shape: tuple[int, ...]) -> Area:
    """Copy both parts, in turns, to a space of their own."""
    whole = block.space((*shape, 2), DTYPES["f8"])
    for x, to in zip(parts, of_pairs(whole), strict=True):
        assert isinstance(to, Area)
        block.copy(x, to)
    return whole


class _Of:
    """Instructions for the elements of a step's value, each with a space of its own."""

    def __init__(self, here: Here) -> None:
        self.block, self.shape = here.block, here.shape

    def __call__(self, form: str, *operands: Operand) -> Area:
        return self.block.add(form, operands, self.block.space(self.shape, DTYPES["f8"]), "f8")

    def ask(self, form: str, *operands: Operand, of: str = "f8") -> Area:
        """Return truth values."""
        return self.block.add(form, operands, self.block.space(self.shape, DTYPES["b1"]), of)

    def both(self, x: Operand, y: Operand) -> Area:
        """Return whether both of two truth values hold."""
        return self.ask("logical_and", x, y, of="b1")

    def product(self, x: Parts, y: Parts) -> Parts:
        return Parts(
            self("subtract", self("multiply", x.real, y.real), self("multiply", x.imag, y.imag)),
            self("add", self("multiply", x.real, y.imag), self("multiply", x.imag, y.real)),
        )


def _on_each(rule: Rule) -> OfParts:
    """Return the rule that does the same to both parts; none of what goes into a real array, as NumPy warns of that."""

    def of_parts(here: Here, *operands: Parts) -> Parts | None:
        found = []
        if not is_complex(here.step.value):
            return None
        for k, part in enumerate((np.real, np.imag)):
            step = here.step._replace(value=part(here.step.value))
            one = rule(here._replace(step=step, values=list(map(part, here.values))), *(x[k] for x in operands))
            if one is None:
                return None
            found.append(one)
        return Parts(*found)

    return of_parts


def _multiply(here: Here, x: Parts, y: Parts) -> Parts:
    return _Of(here).product(x, y)


def _square(here: Here, x: Parts) -> Parts:
    return _Of(here).product(x, x)


def _power(here: Here, x: Parts, exponent: Parts) -> Parts | None:
    """Multiply by itself; other powers than the second and third are NumPy's."""
    of = _Of(here)
    if exponent.imag != 0.0 or exponent.real not in (2.0, 3.0):
        return None
    square = of.product(x, x)
    return square if exponent.real == 2.0 else of.product(x, square)


def _divide(here: Here, x: Parts, y: Parts) -> Parts:
    """Divide by the larger part of the divisor first (R. L. Smith, CACM 5, 1962), and by 0 part by part."""
    of = _Of(here)
    sizes = [of("absolute", part) for part in y]
    by_real = of.ask("greater_equal", *sizes)
    is_zero = of.both(*(of.ask("equal", size, 0.0) for size in sizes))
    large, small = (of("where", by_real, *parts) for parts in (y, y[::-1]))
    a, b = (of("where", by_real, *parts) for parts in (x, x[::-1]))
    ratio = of("divide", small, large)
    scale = of("divide", 1.0, of("add", large, of("multiply", small, ratio)))
    real = of("multiply", of("add", a, of("multiply", b, ratio)), scale)
    imag = of("multiply", of("subtract", b, of("multiply", a, ratio)), scale)
    imag = of("where", by_real, imag, of("negative", imag))
    return Parts(*(of("where", is_zero, of("divide", whole, sizes[0]), part)
                   for whole, part in zip(x, (real, imag), strict=True)))  # fmt: skip


def _reciprocal(here: Here, x: Parts) -> Parts:
    return _divide(here, Parts(1.0, 0.0), x)


def _conj(here: Here, x: Parts) -> Parts:
    return Parts(x.real, _Of(here)("negative", x.imag))


def _exp(here: Here, x: Parts) -> Parts:
    """Turn by the imaginary part: by 0 not at all, and by what is not finite neither 0 nor an infinite real part."""
    of = _Of(here)
    near = of.ask("greater", x.real, LARGEST)
    size = of("exp", of("where", near, of("subtract", x.real, SHIFT), x.real))
    factor = of("where", near, exp(SHIFT), 1.0)
    real, imag = (of("multiply", of("multiply", size, of(form, x.imag)), factor) for form in ("cos", "sin"))
    no_turn = of.ask("logical_not", of.ask("isfinite", x.imag), of="b1")
    ends = of.both(of.ask("isinf", x.real), no_turn)
    imag = of("where", of.both(ends, of.ask("less", x.real, 0.0)), size, imag)
    return Parts(of("where", ends, size, real), of("where", of.ask("equal", x.imag, 0.0), x.imag, imag))


def _strong(here: Here, p: Parts, t: Parts) -> Parts:
    """Multiply, but by an exact 0 what is not finite."""
    of = _Of(here)
    is_zero = of.both(*(of.ask("equal", part, 0.0) for part in t))
    finite = of.both(*(of.ask("isfinite", part) for part in p))
    masked = of.both(is_zero, of.ask("logical_not", finite, of="b1"))
    return Parts(*(of("where", masked, 0.0, part) for part in of.product(p, t)))


def _where(here: Here, condition: Parts, x: Parts, y: Parts) -> Parts | None:
    return _on_each(elementwise)(here, Parts(condition.real, condition.real), x, y)  # type: ignore[return-value]


def _joined(form: str, joining: str) -> OfParts:
    """Return the rule of a question that is asked of both parts."""

    def rule(here: Here, *operands: Parts) -> Operand:
        of = _Of(here)
        return of.ask(joining, *(of.ask(form, *parts) for parts in zip(*operands, strict=True)), of="b1")

    return rule


COMPLEX: dict[str, OfParts] = {
    **{name: _on_each(elementwise) for name in ("add", "subtract", "negative")},
    **{name: _on_each(rule) for name, rule in {**VIEWS, **WRITING, **CHOOSING}.items()},
    **{name: _on_each(ELSEWHERE[name]) for name in ("sum", "mean", "positive", "copy")},
    **{name: _on_each(ALONG[name]) for name in ("cumsum", "differences")},
    "_numpy_scalar": lambda here, x: x,
    "real": lambda here, x: x.real,
    "imag": lambda here, x: x.imag,
    "conj": _conj,
    "astype": lambda here, x: x if is_complex(here.step.value) else None,
    "multiply": _multiply,
    "square": _square,
    "power": _power,
    "divide": _divide,
    "reciprocal": _reciprocal,
    "exp": _exp,
    **dict.fromkeys(("absolute", "modulus"), lambda here, x: _Of(here)("hypot", x.real, x.imag)),
    "strong": _strong,
    "where": _where,
    "equal": _joined("equal", "logical_and"),
    "not_equal": _joined("not_equal", "logical_or"),
    "isnan": _joined("isnan", "logical_or"),
    "isfinite": _joined("isfinite", "logical_and"),
}
"""Rows of complex numbers → how they become instructions."""


def rule_of_parts(step: Step, is_alone: bool) -> OfParts | None:
    """Return the rule of a step of complex numbers; none in C, nor of functions of Python's that raise."""
    fits = (is_complex(step.value) or is_native(step.value)) and not is_alone
    may_raise = type(step.value) is float and step.row.name not in ("real", "imag")
    return COMPLEX.get(step.row.name) if fits and not may_raise else None
