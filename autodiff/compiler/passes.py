"""What is done to a program before it is run: steps that give nothing new are left out. Each keeps the bits.

``PASSES`` are applied one after the other; each takes a `Program` and returns another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

from dualnumbers.forms import is_alike, shape

from ..tape.keeping import repeated
from .program import Program, Step, may_raise

Rule = Callable[[Program, Step], int | None]
"""What gives the same as a step, an operand of the new program; None where the step is needed."""


def rewritten(program: Program, rule: Rule) -> Program:
    """Return the program without the steps for which a rule finds an operand that gives the same."""
    made = program.emptied()
    now = list(range(len(program.inputs)))

    def operand(number: int) -> int:
        return number if number < 0 else now[number]

    for _, step in program.numbered():
        moved = step._replace(operands=tuple(map(operand, step.operands)))
        same = None if step.guards else rule(made, moved)
        if same is None:
            same = len(made.inputs) + len(made.steps)
            guards = tuple(guard._replace(operand=same) for guard in step.guards)
            made.steps.append(moved._replace(guards=guards))
        now.append(same)
    made.returned = list(map(operand, program.returned))
    return made


def fold(program: Program) -> Program:
    """Make a constant of every step of constants."""

    def rule(made: Program, step: Step) -> int | None:
        if any(operand >= 0 for operand in step.operands) or type(step.value) is tuple:
            return None
        made.constants.append(repeated(step.value))
        return ~(len(made.constants) - 1)

    return rewritten(program, rule)


SAME = {"multiply": (1.0, (0, 1)), "divide": (1.0, (1,)), "power": (1.0, (1,)), "subtract": (0.0, (1,))}
"""Row → the neutral number, and the places where it is: x · 1, x / 1, x¹, x − 0 are x to the bit, −0 and NaN too."""

SHAPES = ("astype", "broadcast_to", "reshape", "transpose", "real", "conj", "copy", "_numpy_scalar")
"""Rows that give the operand itself where it has the shape and type already, and is real."""


def simple(program: Program) -> Program:
    """Leave out what changes nothing: products with 1, a broadcast to the shape that is there, a fixed choice."""

    def rule(made: Program, step: Step) -> int | None:
        name, operands = step.row.name, step.operands
        if name in SAME and len(operands) == 2:
            neutral, places = SAME[name]
            for place in places:
                other = operands[1 - place]
                if operands[place] < 0 and is_alike(made.value(other), step.value):
                    number = made.value(operands[place])
                    if np.all(number == neutral) and not (neutral == 0.0 and np.any(np.signbit(number))):
                        return other
        if name == "where" and operands[0] < 0 and type(made.value(operands[0])) in (bool, np.bool_):
            chosen = operands[1 if made.value(operands[0]) else 2]
            return chosen if type(made.value(chosen)) is type(step.value) in (float, np.float64) else None
        if name in SHAPES and is_alike(made.value(operands[0]), step.value) and np.result_type(step.value).kind == "f":
            is_moved = name == "transpose" and len(shape(step.value)) > 1
            return None if is_moved else operands[0]
        return None

    return rewritten(program, rule)


def merge(program: Program) -> Program:
    """Compute equal steps once."""
    known: dict[Any, int] = {}
    names = [_name(x) for x in program.constants]

    def rule(made: Program, step: Step) -> int | None:
        operands = tuple(number if number >= 0 else names[~number] for number in step.operands)
        key = step.row, step.row.face_of(step.value), operands, tuple(map(_name, step.static))
        if key in known:
            return known[key]
        known[key] = len(made.inputs) + len(made.steps)
        return None

    return rewritten(program, rule)


def _name(x: Any) -> Any:
    """Return what is equal for values that are the same to the bit, and their types."""
    if type(x) in (float, complex, np.float64):
        return type(x), repr(x)
    if type(x) is np.ndarray and x.dtype.char != "O":
        return np.ndarray, x.shape, x.strides, x.dtype.str, x.tobytes() if x.nbytes <= 1 << 12 else id(x)
    if type(x) is slice:
        return slice, *map(_name, (x.start, x.stop, x.step))
    if type(x) in (tuple, list):
        return type(x), *map(_name, x)
    if type(x) in (int, bool, str, type(None), type(...)):
        return type(x), x
    return type(x), id(x)


def dead(program: Program) -> Program:
    """Leave out what neither a result nor a guard needs, nor may raise."""
    count = len(program.inputs)
    wanted = {number for number in program.returned if number >= 0}
    for number, step in reversed(list(program.numbered())):
        if step.guards or number in wanted or may_raise(step):
            wanted.add(number)
            wanted.update(operand for operand in step.operands if operand >= 0)
    now = {number: number for number in range(count)}
    made = program.emptied()
    for number, step in program.numbered():
        if number in wanted:
            now[number] = count + len(made.steps)
            guards = tuple(guard._replace(operand=now[number]) for guard in step.guards)
            operands = tuple(now.get(operand, operand) for operand in step.operands)
            made.steps.append(step._replace(operands=operands, guards=guards))
    made.returned = [now.get(number, number) for number in program.returned]
    return made


def share(program: Program) -> Program:
    """Keep equal constants once, and none that nothing needs: a round of a loop has its own copy of each."""
    made = program.emptied()
    made.constants = []
    alike = Counter(np.shape(x) for x in program.constants)
    known: dict[Any, int] = {}

    def kept(number: int) -> int:
        if number >= 0:
            return number
        x = program.constants[~number]
        key = _name(x)
        if type(x) is np.ndarray and key[-1] == id(x) and alike[x.shape] > 1 and x.dtype.char != "O":
            key = np.ndarray, x.shape, x.strides, x.dtype.str, blake2b(x.tobytes()).digest()
        if key not in known:
            made.constants.append(x)
            known[key] = ~(len(made.constants) - 1)
        return known[key]

    made.steps = [step._replace(operands=tuple(map(kept, step.operands))) for step in program.steps]
    made.returned = list(map(kept, program.returned))
    return made


PASSES = (fold, simple, merge, dead, share)
