"""Elements that are chosen by arrays of places, read and added to: places that are known when code is made.

Which elements a row takes, it says itself: it is applied to an array of the places of all elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from ..instructions.areas import DTYPES, Area, Chosen
from ..instructions.instruction import Block, Operand
from .steps import Here, Rule


def chosen(block: Block, x: Area, choose: Callable[[np.ndarray], np.ndarray]) -> Chosen:
    """Return the elements that a function of arrays takes of an area, by strides along axes where that can be."""
    itemsize = x.picture.itemsize
    steps = (np.arange(n) * (s // itemsize) for n, s in zip(x.shape, x.picture.strides, strict=True))
    numbers = np.asarray(choose(reduce(lambda found, step: np.add.outer(found, step), steps, np.array(x.offset))))
    shape, strides = numbers.shape, [0] * numbers.ndim
    for axis, n in enumerate(shape):
        along = np.diff(numbers, axis=axis)
        if n > 1 and (along == along.flat[0]).all():
            strides[axis], numbers = int(along.flat[0]), numbers.take([0], axis)
    return Chosen(x.space, 0, tuple(strides), block.table(numbers.copy()), shape)


def _moved(here: Here, x: Operand, sources: np.ndarray) -> Operand | None:
    """Take elements by their numbers from 1 on, and 0 where there is none."""
    if isinstance(x, float):
        x = here.block.fill(x, here.block.space(np.shape(here.values[0]), DTYPES[here.kind]))
    is_there = sources > 0
    if is_there.all():
        found = chosen(here.block, x, lambda numbers: numbers.reshape(-1)[sources - 1])
        return here.block.add("same", (found,), here.new(), here.kind)
    out = here.block.fill(0.0, here.new())
    if is_there.any():
        found = chosen(here.block, x, lambda numbers: numbers.reshape(-1)[sources[is_there] - 1])
        here.block.put(found, chosen(here.block, out, lambda numbers: numbers[is_there]))
    return out


def _rearranged(here: Here, x: Operand) -> Operand | None:
    """Take what the row itself takes of an array of numbers."""
    numbers = np.arange(1, np.size(here.values[0]) + 1).reshape(np.shape(here.values[0]))
    return _moved(here, x, np.asarray(here.step.row.numpy.evaluate(numbers, *here.step.static)))


def _padded(here: Here, x: Operand) -> Operand | None:
    return None if here.step.static[1] == "empty" else _rearranged(here, x)


def _gathered(here: Here, x: Operand) -> Operand | None:
    return _moved(here, x, here.step.static[0])


def _added(here: Here, to: Operand, v: Operand, sources: np.ndarray) -> Operand | None:
    """Add values to the elements of what is copied first, by their numbers from 0 on; to none where that is below 0."""
    out, is_there = here.block.copy(to, here.new()), sources >= 0
    if is_there.any() and not isinstance(v, float):
        spread = v.viewed(lambda a: np.broadcast_to(a, sources.shape))
        assert spread is not None
        part = spread if is_there.all() else chosen(here.block, spread, lambda numbers: numbers[is_there])
        places = sources if is_there.all() else sources[is_there]
        here.block.put(part, chosen(here.block, out, lambda numbers: numbers.reshape(-1)[places]), "add")
    elif is_there.any():
        here.block.put(v, chosen(here.block, out, lambda numbers: numbers.reshape(-1)[sources[is_there]]), "add")
    return out


def _spread(here: Here, g: Operand) -> Operand | None:
    return _added(here, 0.0, g, here.step.static[0] - 1)


def _add_at(here: Here, x: Operand, v: Operand) -> Operand | None:
    places = np.asarray(here.step.static[0])
    if here.kind == "b1" or places.dtype.kind not in "iu":
        return None
    if here.step.row.name == "subtract_at":
        v = -v if isinstance(v, float) else here.block.add("negative", (v,), here.new(v.shape), here.kind)
    return _added(here, x, v, places % np.size(here.step.value))


REARRANGING = ("getitem", "take", "take_along_axis", "tile", "repeat", "delete", "resize", "compress", "extract",
               "diag", "diagflat", "diagonal")  # fmt: skip
"""Rows that take elements of one operand, and zeros."""

CHOOSING: dict[str, Rule] = {
    **dict.fromkeys(REARRANGING, _rearranged),
    "padded": _padded,
    "gathered": _gathered,
    "spread": _spread,
    "add_at": _add_at,
    "subtract_at": _add_at,
}
"""Rows that take elements at places, or add to them → how they become instructions."""
