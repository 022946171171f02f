"""How assignments, scattering and joining become instructions: copies to parts of a new space, or of the old one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..instructions.areas import Area, Chosen, with_rest
from ..instructions.instruction import Operand
from .choosing import chosen
from .steps import Here, Rule, is_basic

Box = tuple[slice, ...]


def box_of(shape: tuple[int, ...], index: Any) -> Box | None:
    """Return the part of a shape that an index of integers and slices by steps of 1 takes; None of another index."""
    if type(index) is int and len(shape) == 1:
        return (slice(index % shape[0], index % shape[0] + 1),)
    parts = list(index) if isinstance(index, tuple) else [index]
    if not is_basic(index) or any(part is None for part in parts):
        return None
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        parts[at : at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    parts += [slice(None)] * (len(shape) - len(parts))
    found = []
    for part, n in zip(parts, shape, strict=True):
        start, stop, step = part.indices(n) if isinstance(part, slice) else (part % n, part % n + 1, 1)
        if step != 1 or stop <= start:
            return None
        found.append(slice(start, stop))
    return tuple(found)


def outside(shape: tuple[int, ...], box: Box) -> Iterator[Box]:
    """Yield boxes that together are all of a shape but for one box."""
    whole = [slice(0, n) for n in shape]
    for axis, (part, n) in enumerate(zip(box, shape, strict=True)):
        for start, stop in ((0, part.start), (part.stop, n)):
            if stop > start:
                yield (*box[:axis], slice(start, stop), *whole[axis + 1 :])


def _copy_outside(here: Here, x: Operand, out: Area, index: Any) -> None:
    """Copy all elements that an assignment to an index would not write over; all where that is not known."""
    box = box_of(out.shape, index) if out.shape else None
    for part in [()] if box is None else outside(out.shape, box):
        to = out.viewed(lambda a, part=part: a[(*part, Ellipsis)])
        source = x if isinstance(x, float) else x.viewed(lambda a, part=part: a[(*part, Ellipsis)])
        assert to is not None
        assert source is not None
        here.block.copy(source, to)


def _setitem(here: Here, x: Operand, v: Operand) -> Operand | None:
    index = here.step.static[0]
    if not is_basic(index) and (not here.shape or _has_twice(here.shape, index)):
        return None
    out = _written_over(here, x)
    if out is None:
        out = here.new()
        _copy_outside(here, x, out, index)
    part = _part(here, out, index)
    if part is None:
        return None
    v = _squeezed(v, part)
    if isinstance(part, Area):
        here.block.copy(v, part)
    else:
        here.block.put(v, part)
    return out


def _written_over(here: Here, x: Operand) -> Area | None:
    """Return the memory of the first operand, where that is all of a space which nothing else needs; else None."""
    whole = isinstance(x, Area) and x.picture is x.space.array and x.kind == here.kind and bool(here.shape)
    return x if whole and here.dies and isinstance(x, Area) else None


def _has_twice(shape: tuple[int, ...], index: Any) -> bool:
    """Return whether an index names an element twice: which one is written last, is NumPy's."""
    places = np.arange(math.prod(shape)).reshape(shape)[index]
    return bool(np.unique(places).size < places.size)


def _part(here: Here, out: Area, index: Any) -> Area | Chosen | None:
    """Return what an index chooses of an area, to be written; None of nothing."""
    if type(index) is int and len(out.shape) == 1:
        return out.at(index)
    if not np.empty(out.shape)[with_rest(index) if is_basic(index) else index].size:
        return None
    if is_basic(index):
        return out.at(index)
    return chosen(here.block, out, lambda numbers: numbers[index])


def _squeezed(v: Operand, part: Area | Chosen) -> Operand:
    """Return a value to be assigned without the axes of length 1 in front that its place does not have."""
    if isinstance(v, float) or len(v.shape) <= len(part.shape):
        return v
    found = v.viewed(lambda a: a.reshape(a.shape[a.ndim - len(part.shape) :]))
    assert found is not None
    return found


def _scatter(here: Here, *parts: Operand) -> Operand | None:
    """Add parts to zeros, each at its place."""
    to, indices = here.step.static
    indices = indices if here.step.row.name == "scatter_all" else (indices,)
    if tuple(to) != here.shape or here.kind == "b1":
        return None
    before = _written_over(here, parts[0]) if indices[0] is Ellipsis and writes_few(here) else None
    out = here.new() if before is None else before
    places = [_part(here, out, index) for index in indices]
    if not all(places):
        return None
    if before is not None:
        _add_to(here, parts[1:], places[1:])
        return out
    boxes = [box_of(out.shape, index) if out.shape else None for index in indices]
    sizes = [0 if box is None else math.prod([part.stop - part.start for part in box]) for box in boxes]
    first = int(np.argmax(sizes))
    box = boxes[first] if sizes[first] else None
    for part in [()] if box is None else outside(out.shape, box):
        to = out.viewed(lambda a, part=part: a[(*part, Ellipsis)])
        assert to is not None
        here.block.fill(0.0, to)
    order = sorted(range(len(parts)), key=lambda k: k != first)
    if box is not None and isinstance(place := places[first], Area):
        here.block.copy(parts[first], place)
        order = order[1:]
    _add_to(here, [parts[k] for k in order], [places[k] for k in order])
    return out


def _add_to(here: Here, parts: Sequence[Operand], places: Sequence[Area | Chosen | None]) -> None:
    """Add parts to what is at their places."""
    for x, place in zip(parts, places, strict=True):
        if isinstance(place, Chosen):
            here.block.put(x, place, "add")
        elif place is not None:
            here.block.add("add", (place, x), place, here.kind)


def _concatenate(here: Here, *parts: Operand) -> Operand | None:
    axis, out, start = here.step.static[0], here.new(), 0
    if axis is None:
        return None
    for x, value in zip(parts, here.values, strict=True):
        count = np.shape(value)[axis]
        chosen = (slice(None),) * (axis % len(here.shape)) + (slice(start, start + count),)
        place = out.viewed(lambda a, chosen=chosen: a[chosen])
        assert place is not None
        if count:
            here.block.copy(x, place)
        start += count
    return out


def _stack(here: Here, *parts: Operand) -> Operand | None:
    axis, out = here.step.static[0], here.new()
    for k, x in enumerate(parts):
        chosen = (slice(None),) * (axis % len(here.shape)) + (k, Ellipsis)
        place = out.viewed(lambda a, chosen=chosen: a[chosen])
        assert place is not None
        here.block.copy(x, place)
    return out


def _triangle(of: Callable[..., Any]) -> Rule:
    def rule(here: Here, x: Operand) -> Operand | None:
        if np.shape(here.values[0]) != here.shape:
            return None
        inside = here.block.table(of(np.ones(here.shape[-2:], bool), *here.step.static))
        return here.block.add("where", (inside, x, 0.0), here.new(), here.kind)

    return rule


def _roll(here: Here, x: Operand) -> Operand | None:
    """Copy the two parts of a rolled array."""
    shift, axis = here.step.static
    if isinstance(shift, tuple | list) and len(shift) == 1:
        (shift,) = shift
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    axis = 0 if axis is None and len(here.shape) == 1 else axis
    if isinstance(x, float) or not isinstance(shift, int) or not isinstance(axis, int):
        return x if isinstance(x, float) else None
    before, n, out = (slice(None),) * (axis % len(here.shape)), here.shape[axis], here.new()
    shift %= n
    for to, source in ((slice(shift, n), slice(0, n - shift)), (slice(0, shift), slice(n - shift, n))):
        if to.stop > to.start:
            part = out.viewed(lambda a, to=to: a[(*before, to)])
            of = x.viewed(lambda a, source=source: a[(*before, source)])
            assert part is not None
            assert of is not None
            here.block.copy(of, part)
    return out


WRITING: dict[str, Rule] = {
    "setitem": _setitem,
    "scatter": _scatter,
    "scatter_all": _scatter,
    "roll": _roll,
    "triu": _triangle(np.triu),
    "tril": _triangle(np.tril),
    "concatenate": _concatenate,
    "stack": _stack,
}
"""Rows that write → how they become instructions."""

OVERWRITING = ("setitem", "scatter_all")
"""Those of them that may write over their first operand, where nothing else needs it."""

FEW = 16
"""How many times as many elements as are written are left, where these are few: to copy the others would take long."""


def writes_few(here: Here) -> bool:
    """Return whether a row that writes over its first operand would leave nearly all elements as they are."""
    whole, sizes = np.size(here.values[0]), [np.size(x) for x in here.values[1:]]
    if here.step.row.name == "setitem":
        index = here.step.static[0]
        sizes = [np.broadcast_to(0.0, here.shape)[index].size] if is_basic(index) else [whole]
    return FEW * sum(sizes) <= whole
