"""How steps become instructions: for each row that has a native form, what it adds to a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import shape

from ...program import Step, may_raise
from ..elementary.forms import FORMS, OF_TRUTHS
from ..instructions.areas import DTYPES, KINDS, Area
from ..instructions.instruction import IDENTITIES, Block, Operand

OF_NUMBERS: dict[type, str] = {float: "f8", np.float64: "f8", np.float32: "f4", bool: "b1", np.bool_: "b1"}
"""The types of single numbers that native code takes and gives, and their kinds."""


def kind_of(x: Any) -> str:
    """Return the kind of a value's elements; an empty text where it is none of native code."""
    if type(x) is np.ndarray:
        return KINDS.get(x.dtype.char, "")
    return OF_NUMBERS.get(type(x)) or KINDS.get(np.result_type(x).char, "")


class Here(NamedTuple):
    """The step that is to become instructions of a block."""

    block: Block
    step: Step
    values: list[Any]
    """What the operands were when it was recorded."""
    dies: bool
    """Whether it may be written over the first operand: nothing reads that later, nor Python at all."""

    @property
    def shape(self) -> tuple[int, ...]:
        return shape(self.step.value)

    @property
    def kind(self) -> str:
        """The kind of the value."""
        return kind_of(self.step.value)

    def new(self, shape: tuple[int, ...] | None = None) -> Area:
        """Return a new space for the value."""
        return self.block.space(self.shape if shape is None else shape, DTYPES[self.kind])


Rule = Callable[..., Operand | None]
"""``rule(here, *operands)`` adds instructions to the block, and returns where the value is; None where it cannot."""


# ------------------------------------------------------------------------------------------------------- elementwise


def elementwise(here: Here, *operands: Operand) -> Operand | None:
    """Apply a form to elements."""
    form, of = here.step.row.name, here.kind
    if form == "power":
        form, operands = _power(here, operands)
    elif of == "b1":
        form = OF_TRUTHS.get(form, form)
        of = of if form in OF_TRUTHS.values() else KINDS.get(np.result_type(*here.values).char, "")
    if form not in FORMS or here.step.static or of not in ("f8", "f4", *["b1"] * (form in OF_TRUTHS.values())):
        return None
    raises = may_raise(here.step.row, here.step.value)
    return here.block.add(form, operands, here.new(), of, raises=raises)


def _power(here: Here, operands: tuple[Operand, ...]) -> tuple[str, tuple[Operand, ...]]:
    """Return the form of a power, by its exponent, and what that takes; of one number ½ NumPy takes the root."""
    exponent = operands[1]
    if exponent == 0.5:
        is_root = type(here.step.value) is not float and not np.ndim(here.values[1])
        return "sqrt" if is_root else "power_half", operands[:1]
    if isinstance(exponent, float) and f"power_{exponent:g}" in FORMS:
        return f"power_{exponent:g}", operands[:1]
    return "power", operands


def _converted(here: Here, x: Operand) -> Operand | None:
    """Convert to the value's kind."""
    if isinstance(x, float):
        return x
    return x if x.kind == here.kind else here.block.copy(x, here.new())


def _itself(here: Here, x: Operand, *others: Operand) -> Operand | None:
    return _converted(here, x)


# ------------------------------------------------------------------------------------------------------------- views


def is_basic(index: Any) -> bool:
    """Return whether an index is of integers, slices, None and an ellipsis."""
    if type(index) is int:
        return True
    parts = index if isinstance(index, tuple) else (index,)
    kinds = (int, np.integer, slice, type(None), type(Ellipsis))
    return all(isinstance(part, kinds) and not isinstance(part, bool) for part in parts)


def _getitem(here: Here, x: Operand) -> Operand | None:
    return x if isinstance(x, float) else x.at(here.step.static[0])


def by_value(here: Here, x: Operand) -> Operand | None:
    """Copy an element that a basic index takes: what it is of will be written over."""
    found = _getitem(here, x)
    return here.block.copy(found, here.new()) if isinstance(found, Area) else found


def _view(of: Callable[..., Any]) -> Rule:
    def rule(here: Here, x: Operand) -> Operand | None:
        return x if isinstance(x, float) else x.viewed(lambda a: of(a, *here.step.static))

    return rule


def _reshape(here: Here, x: Operand) -> Operand | None:
    if isinstance(x, float):
        return x
    if here.step.static[1] != "C":
        return None
    found = x.viewed(lambda a: a.reshape(here.shape))
    if found is not None:
        return found
    whole = here.block.copy(x, here.new(x.shape))
    return whole.viewed(lambda a: a.reshape(here.shape))


VIEWS: dict[str, Rule] = {
    "getitem": _getitem,
    "reshape": _reshape,
    "transpose": _view(lambda a, axes=None: a.transpose(axes)),
    "broadcast_to": _view(np.broadcast_to),
}
"""Rows whose value is a view of the operand, but of elements that arrays choose."""


def is_view(step: Step) -> bool:
    """Return whether the value of a step is a view of its operand."""
    return step.row.name in VIEWS and (step.row.name != "getitem" or is_basic(step.static[0]))


# -------------------------------------------------------------------------------------------------------- reductions


def _along(here: Here) -> tuple[int, ...] | None:
    """Return the axes of a reduction; None where they are not as usual."""
    axis, rank = here.step.static[0], np.ndim(here.values[0])
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(k % rank for k in axes if rank) if all(isinstance(k, int) for k in axes) else None


def _folded(fold: str, form: str = "same", of: str = "", scale: bool = False) -> Rule:
    """Return the rule of a reduction."""

    def rule(here: Here, x: Operand) -> Operand | None:
        axes, shape = _along(here), np.shape(here.values[0])
        if axes is None or (here.kind == "b1") != (of == "b1") or not kind_of(here.values[0]):
            return None
        kept = tuple(1 if k in axes else n for k, n in enumerate(shape))
        total = here.new()
        spread = total.viewed(lambda a: np.broadcast_to(a.reshape(kept), shape))
        assert spread is not None
        here.block.fill(IDENTITIES[fold], total)
        here.block.add(form, (x,), spread, of or here.kind, fold=fold)
        if not scale:
            return total
        count = float(np.prod([shape[k] for k in axes]))
        return here.block.add("divide", (total, count), here.new(), here.kind)

    return rule


ELSEWHERE: dict[str, Rule] = {
    "_numpy_scalar": _itself,
    "_python_number": _itself,
    "positive": _itself,
    "real": _itself,
    "conj": _itself,
    "copy": _itself,
    "astype": _itself,
    "sum": _folded("add"),
    "mean": _folded("add", scale=True),
    "max": _folded("maximum"),
    "min": _folded("minimum"),
    "any": _folded("or", of="b1"),
    "all": _folded("and", of="b1"),
}
"""Rows that are neither elementwise nor write → how they become instructions."""

SHARING = frozenset(("imag", *(name for name, rule in ELSEWHERE.items() if rule is _itself)))
"""Rows, beside those of views, whose value may be where the operand is."""


def may_share(step: Step) -> bool:
    """Return whether the value of a step may be where its operand is."""
    return is_view(step) or step.row.name in SHARING
