"""How moments, norms, cumulative sums, differences and the like become instructions: a few of them along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..instructions.areas import DTYPES, Area
from ..instructions.instruction import IDENTITIES, Operand
from .products import in_memory, viewed
from .steps import Here, Rule

Axes = tuple[int, ...]


def _axes(axis: Any, rank: int) -> Axes | None:
    """Return the axes that a parameter names; None where it is no whole number or tuple of them."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(int(k) % rank for k in axes) if rank and all(isinstance(k, (int, np.integer)) for k in axes) else None


class _Along:
    """An operand of the value's kind, and what is made of it along axes."""

    def __init__(self, here: Here, x: Operand, axes: Axes) -> None:
        self.here, self.axes, self.shape = here, axes, np.shape(here.values[0])
        self.x = in_memory(here, x, 0)
        if self.x.kind != here.kind:
            self.x = here.block.copy(self.x, here.new(self.shape))
        self.kept = tuple(1 if k in axes else n for k, n in enumerate(self.shape))
        self.count = float(np.prod([self.shape[k] for k in axes]))

    def each(self, form: str, *operands: Operand, kind: str = "") -> Area:
        """Apply a form to elements; what was joined stands for all that it is of."""
        taken = [self.spread(x) if isinstance(x, Area) and x.shape != self.shape else x for x in operands]
        out = self.here.block.space(self.shape, DTYPES[kind or self.here.kind])
        return self.here.block.add(form, tuple(taken), out, self.here.kind)

    def spread(self, x: Area) -> Area:
        return viewed(x, lambda a: np.broadcast_to(a, self.shape))

    def joined(self, fold: str, x: Area) -> Area:
        """Join elements along the axes, which stay with length 1."""
        total = self.here.block.fill(IDENTITIES[fold], self.here.new(self.kept))
        self.here.block.add("same", (x,), self.spread(total), self.here.kind, fold=fold)
        return total

    def few(self, form: str, *operands: Operand, kind: str = "") -> Area:
        """Apply a form to what was joined."""
        out = self.here.block.space(self.kept, DTYPES[kind or self.here.kind])
        return self.here.block.add(form, operands, out, self.here.kind)

    def result(self, x: Area) -> Area:
        """Return what was joined in the value's shape."""
        return viewed(x, lambda a: a.reshape(self.here.shape))


def _is_real(here: Here) -> bool:
    return here.kind in ("f8", "f4") and np.result_type(here.values[0]).char in "df"


def _moment(is_root: bool) -> Rule:
    """Return the rule of a variance, or of a standard deviation."""

    def rule(here: Here, x: Operand) -> Operand | None:
        axis, dtype, ddof, _, where = here.step.static
        axes = _axes(axis, np.ndim(here.values[0]))
        if axes is None or dtype is not None or where is not True or not _is_real(here):
            return None
        of = _Along(here, x, axes)
        centred = of.each("subtract", of.x, of.few("divide", of.joined("add", of.x), of.count))
        found = of.few("divide", of.joined("add", of.each("square", centred)), max(of.count - ddof, 0.0))
        return of.result(of.few("sqrt", found) if is_root else found)

    return rule


def _is_euclidean(ord: Any, axes: Axes) -> bool:
    return ord is None or (len(axes) == 1 and ord == 2) or (len(axes) == 2 and ord in ("fro", "f"))


def _norm(here: Here, x: Operand) -> Operand | None:
    ord, axis, *_ = here.step.static
    axes = _axes(axis, np.ndim(here.values[0]))
    if axes is None or not _is_real(here) or not _is_euclidean(ord, axes):
        return None
    of = _Along(here, x, axes)
    return of.result(of.few("sqrt", of.joined("add", of.each("square", of.x))))


def _scaled(is_unit: bool) -> Rule:
    """Return the rule of x over its length, or of its length, with no square that leaves the range."""

    def rule(here: Here, x: Operand) -> Operand | None:
        ord, axis = here.step.static
        axes = _axes(axis, np.ndim(here.values[0]))
        if axes is None or not axes or not _is_real(here) or not _is_euclidean(ord, axes):
            return None
        of = _Along(here, x, axes)
        peak = of.joined("maximum", of.each("absolute", of.x))
        peak = of.few("where", of.few("equal", peak, 0.0, kind="b1"), 1.0, peak)
        scaled = of.each("divide", of.x, peak)
        size = of.few("sqrt", of.joined("add", of.each("square", scaled)))
        if not is_unit:
            return of.result(of.few("multiply", peak, size))
        return of.each("divide", scaled, of.few("where", of.few("equal", size, 0.0, kind="b1"), 1.0, size))

    return rule


def _softmax(here: Here, x: Operand) -> Operand | None:
    axes = _axes(here.step.static[0] if here.step.static else None, np.ndim(here.values[0]))
    if axes is None or not axes or not _is_real(here):
        return None
    of = _Along(here, x, axes)
    largest = of.joined("maximum", of.x)
    largest = of.few("where", of.few("isfinite", largest, kind="b1"), largest, 0.0)
    weights = of.each("exp", of.each("subtract", of.x, largest))
    return of.each("divide", weights, of.joined("add", weights))


def _log_sum_exp(here: Here, x: Operand) -> Operand | None:
    """Add up exponentials, the largest elements apart."""
    axes = _axes(here.step.static[0], np.ndim(here.values[0]))
    if axes is None or not axes or not _is_real(here):
        return None
    of = _Along(here, x, axes)
    peak = of.joined("maximum", of.x)
    peak = of.few("where", of.few("isfinite", peak, kind="b1"), peak, 0.0)
    largest = of.each("equal", of.x, peak, kind="b1")
    terms = of.each("exp", of.each("subtract", of.x, peak))
    count, rest = of.joined("add", largest), of.joined("add", of.each("where", largest, 0.0, terms))
    above, some = of.few("maximum", count, 1.0), of.few("greater", count, 0.0, kind="b1")
    usual = of.few("add", of.few("log", above), of.few("log1p", of.few("divide", rest, above)))
    none = of.few("log", of.few("where", some, 1.0, rest))
    return of.result(of.few("add", peak, of.few("where", some, usual, none)))


def _product(here: Here, x: Operand) -> Operand | None:
    axes = _axes(here.step.static[0], np.ndim(here.values[0]))
    if axes is None or not _is_real(here):
        return None
    of = _Along(here, x, axes)
    return of.result(of.joined("multiply", of.x))


def _cumulative(form: str) -> Rule:
    """Return the rule of sums or products of all elements up to each, one after the other."""

    def rule(here: Here, x: Operand) -> Operand | None:
        axis, dtype = here.step.static
        if dtype is not None or not _is_real(here):
            return None
        x = in_memory(here, x, 0)
        if axis is None or not x.shape:
            x, axis = here.block.copy(x, here.new(x.shape)), 0
            x = viewed(x, lambda a: a.reshape(-1))
        out, before = here.new(x.shape), (slice(None),) * (axis % len(x.shape))

        def part(of: Area, start: int | None, stop: int | None) -> Area:
            return viewed(of, lambda a: a[(*before, slice(start, stop))])

        here.block.copy(part(x, None, 1), part(out, None, 1))
        here.block.add(form, (part(out, None, -1), part(x, 1, None)), part(out, 1, None), here.kind, ordered=True)
        return out

    return rule


def _differences(here: Here, x: Operand) -> Operand | None:
    n, axis = here.step.static
    if not _is_real(here):
        return None
    found = in_memory(here, x, 0)
    before = (slice(None),) * (axis % len(found.shape))
    for _ in range(n):
        late, early = (viewed(found, _taken((*before, part))) for part in (slice(1, None), slice(None, -1)))
        found = here.block.add("subtract", (late, early), here.new(late.shape), here.kind)
    return found


def _taken(index: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda a: a[index]


def _hermitian(here: Here, a: Operand) -> Operand | None:
    """Mirror one triangle."""
    if isinstance(a, float) or not _is_real(here):
        return None
    given = np.tri(here.shape[-1], dtype=bool)
    inside = here.block.table(given if here.step.static[0] == "L" else given.T.copy())
    return here.block.add("where", (inside, a, viewed(a, lambda a: a.swapaxes(-1, -2))), here.new(), here.kind)


def _round(here: Here, x: Operand) -> Operand | None:
    whole = not here.step.static or here.step.static[0] == 0
    return here.block.add("rint", (x,), here.new(), here.kind) if whole and _is_real(here) else None


ALONG: dict[str, Rule] = {
    "var": _moment(False),
    "std": _moment(True),
    "prod": _product,
    "length": _norm,
    "unit": _scaled(True),
    "extent": _scaled(False),
    "softmax": _softmax,
    "log_sum_exp": _log_sum_exp,
    "cumsum": _cumulative("add"),
    "cumprod": _cumulative("multiply"),
    "differences": _differences,
    "hermitian": _hermitian,
    "round": _round,
}
"""Rows along axes → how they become instructions."""
