"""Steps that are alike become alike instructions: those of the first are copied for the others, in other spaces.

A loop of Python's leaves the same step behind in each round; its rule is asked once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...program import new
from ..instructions.areas import Address, Area
from ..instructions.instruction import Instruction, Operand
from .steps import Here, Rule


class Known(NamedTuple):
    """What a step became."""

    operands: tuple[int, ...]
    """The numbers of its operands' spaces."""
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
        return _copied(block.copies[key], here, operands)
    first, start = len(block.spaces), len(block.instructions)
    result = rule(here, *operands)
    made, lines = block.spaces[first:], block.instructions[start:]
    has_places = any(isinstance(x, Address) and x.places for line in lines for x in (line.out, *line.operands))
    if result is not None and not has_places and not block.tables.keys() & made:
        spaces = tuple(x.space.number for x in operands if isinstance(x, Area))
        block.copies[key] = Known(spaces, first, tuple(space.array for space in made), tuple(lines), result)
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


def _copied(known: Known, here: Here, operands: list[Operand]) -> Operand:
    """Append the instructions of a step as those of another one, of these operands."""
    block, ahead = here.block, len(here.block.spaces) - known.first
    to = dict(zip(known.operands, [x.space.number for x in operands if isinstance(x, Area)], strict=True))
    for array in known.made:
        block.space_of(array)

    def number_of(space: int) -> int:
        return space + ahead if space >= known.first else to.get(space, space)

    def moved(x: Address | float) -> Address | float:
        return new(Address, (number_of(x.space), *x[1:])) if isinstance(x, Address) else x

    for form, taken, out, shape, of, fold, raises, ordered, _ in known.lines:
        line = form, tuple(map(moved, taken)), moved(out), shape, of, fold, raises, ordered, block.step
        block.instructions.append(new(Instruction, line))
    result = known.result
    return result._replace(space=block.spaces[number_of(result.space.number)]) if isinstance(result, Area) else result
