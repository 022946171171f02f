"""Steps that are alike become alike instructions: those of the first are copied for the others, in other spaces.

A loop of Python's leaves the same step behind in each round; its rule is asked once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...program import new
from ..instructions.areas import Address, Area
from ..instructions.instruction import Block, Instruction, Operand
from .steps import Here, Rule


class Known(NamedTuple):
    """What a step became."""

    operands: tuple[Operand, ...]
    first: int
    """The number of the first space that was made for it."""
    made: tuple[np.ndarray, ...]
    """The arrays of these spaces."""
    lines: tuple[Instruction, ...]
    result: Operand


def by_copy(rule: Rule, here: Here, operands: list[Operand]) -> Operand | None:
    """Apply a rule that asks a step for its forms, of values too, or copy what that gave of another step.

    It must not ask for the numbers in an array; what it makes tables of is not copied.
    """
    if not all(map(_is_fixed, here.step.static)):
        return rule(here, *operands)
    block, key = here.block, _key(here, operands)
    if key in block.copies:
        return again(block, block.copies[key], operands)
    first, start = len(block.spaces), len(block.instructions)
    result = rule(here, *operands)
    made, lines = block.spaces[first:], block.instructions[start:]
    has_places = any(isinstance(x, Address) and x.places for line in lines for x in (line.out, *line.operands))
    if result is not None and not has_places and not block.tables.keys() & made:
        pictures = tuple(space.array for space in made)
        block.copies[key] = block.became[block.step] = Known(tuple(operands), first, pictures, tuple(lines), result)
    return result


def _is_fixed(x: Any) -> bool:
    """Return whether a parameter is told from others by how it is written: it is no array, nor has one."""
    if type(x) is tuple:
        return all(map(_is_fixed, x))
    return x is None or isinstance(x, (int, float, str, type, np.dtype))


def _key(here: Here, operands: list[Operand]) -> tuple[object, ...]:
    """Return what is the same for steps that become the same instructions, but for the spaces."""
    row, _, static, value, _, _ = here.step
    spaces = [x.space for x in operands if isinstance(x, Area)]
    key: list[object] = [row, repr(static) if static else "", getattr(value, "dtype", float), here.shape]
    for x, of in zip(operands, here.values, strict=True):
        key += getattr(of, "dtype", type(of)), getattr(of, "shape", ())
        if isinstance(x, Area):
            key += x.picture.shape, x.picture.strides, x.offset, x.space.kind, spaces.index(x.space)
        else:
            key.append(repr(x))  # a zero has a sign
    return tuple(key)


def again(block: Block, known: Known, operands: list[Operand]) -> Operand | None:
    """Append the instructions of a step as those of another one, of these operands; None where they lie otherwise."""
    to = _moves(known.operands, operands)
    if to is None:
        return None
    ahead = len(block.spaces) - known.first
    for array in known.made:
        block.space_of(array)

    def moved(x: Address | float) -> Address | float:
        if x.__class__ is not Address:
            return x
        space, kind, offset, *rest = x
        space, further = to[space] if space in to else (space + ahead, 0)
        return new(Address, (space, kind, offset + further, *rest))

    for form, taken, out, shape, of, fold, raises, ordered, _ in known.lines:
        line = form, tuple(map(moved, taken)), moved(out), shape, of, fold, raises, ordered, block.step
        block.instructions.append(new(Instruction, line))
    block.became[block.step] = known
    result = known.result
    if not isinstance(result, Area):
        return result
    space, further = to.get(result.space.number, (result.space.number + ahead, 0))
    return Area(block.spaces[space], result.picture, result.offset + further)


def _moves(before: tuple[Operand, ...], now: list[Operand]) -> dict[int, tuple[int, int]] | None:
    """Return for each space of operands the one that it becomes, and by how much the offsets in it grow.

    None where operands lie in memory in another way than those before, or are other numbers.
    """
    found: dict[int, tuple[int, int]] = {}
    for x, y in zip(before, now, strict=True):
        if isinstance(x, float) or isinstance(y, float):
            if repr(x) != repr(y):  # a zero has a sign
                return None
            continue
        one, other = x.picture, y.picture
        if one is not other and (one.shape, one.strides, one.dtype) != (other.shape, other.strides, other.dtype):
            return None
        move = y.space.number, y.offset - x.offset
        if found.setdefault(x.space.number, move) != move:
            return None
    return found if len({space for space, _ in found.values()}) == len(found) else None
