"""What is done to a program before it is run: steps that give nothing new are left out. Each keeps the bits.

``PASSES`` are applied one after the other; each takes a `Program` and returns another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from hashlib import blake2b
from math import copysign
from typing import Any

import numpy as np

from dualnumbers.forms import is_alike, shape

from ..tape.keeping import repeated
from .program import Program, Step, may_raise
from .rounds import evenly


def replaced(program: Program, others: Sequence[int]) -> Program:
    """Return the program with other operands in the place of steps: one for each, its own number where it stays."""
    made, count = program.emptied(), len(program.inputs)
    now = made.places(range(count + len(others)))
    place, steps = count, made.steps
    for (number, step), other in zip(program.numbered(), others, strict=True):
        if other != number:
            now[number] = now[other]
        else:
            now[number] = place
            steps.append(step.moved(tuple([now[x] for x in step.operands]), place))
            place += 1
    made.returned = [now[x] for x in program.returned]
    return made


def fold(program: Program) -> Program:
    """Make a constant of every step of constants."""
    folded, count = program.emptied(), len(program.inputs)
    now = program.places(range(count + len(program.steps)))
    for number, step in program.numbered():
        for x in step.operands:
            if now[x] >= 0:
                break
        else:
            if not step.guards and type(step.value) is not tuple:
                folded.constants.append(repeated(step.value))
                now[number] = -len(folded.constants)
    if len(folded.constants) == len(program.constants):
        return program
    folded.steps, folded.returned = program.steps, program.returned
    return replaced(folded, now[count : count + len(program.steps)])


SAME = {"multiply": (1.0, (0, 1)), "divide": (1.0, (1,)), "power": (1.0, (1,)), "subtract": (0.0, (1,))}
"""Row → the neutral number, and the places where it is: x · 1, x / 1, x¹, x − 0 are x to the bit, −0 and NaN too."""

SHAPES = ("astype", "broadcast_to", "reshape", "transpose", "real", "conj", "copy", "_numpy_scalar")
"""Rows that give the operand itself where it has the shape and type already, and is real."""


LEAVING = frozenset((*SAME, *SHAPES, "where"))
"""The rows that may change nothing."""


def simple(program: Program) -> Program:
    """Leave out what changes nothing: products with 1, a broadcast to the shape that is there, a fixed choice."""
    found = [
        number if step.row.name not in LEAVING or step.guards else _itself(program, number, step)
        for number, step in program.numbered()
    ]
    if not any(x != k and step.row.name not in SHAPES for (k, step), x in zip(program.numbered(), found, strict=True)):
        return replaced(program, found)  # no value decides, so rounds are alike

    def others(kept: Collection[int]) -> list[int]:
        return [k if k in kept else x for k, x in enumerate(found, len(program.inputs))]

    return replaced(program, evenly(program, others))


def _itself(program: Program, number: int, step: Step) -> int:
    """Return the operand that a step gives as it is, or the step's number."""
    name, operands = step.row.name, step.operands
    if name in SAME and len(operands) == 2:
        neutral, places = SAME[name]
        for place in places:
            other = operands[1 - place]
            is_neutral = operands[place] < 0 and _is_all(program.value(operands[place]), neutral)
            if is_neutral and is_alike(program.value(other), step.value):
                return other
    if name == "where" and operands[0] < 0 and type(program.value(operands[0])) in (bool, np.bool_):
        chosen = operands[1 if program.value(operands[0]) else 2]
        return chosen if type(program.value(chosen)) is type(step.value) in (float, np.float64) else number
    if name in SHAPES and is_alike(program.value(operands[0]), step.value) and np.result_type(step.value).kind == "f":
        is_moved = name == "transpose" and len(shape(step.value)) > 1
        return number if is_moved else operands[0]
    return number


def _is_all(x: Any, number: float) -> bool:
    """Return whether all elements of a constant are a number, which is 1, or 0 without a sign."""
    if type(x) is float:
        return x == number and (number != 0.0 or copysign(1.0, x) > 0.0)
    return bool(np.all(x == number) and not (number == 0.0 and np.any(np.signbit(x))))


def merge(program: Program) -> Program:
    """Compute equal steps once."""
    known: dict[Any, int] = {}
    names = [known.setdefault(_name(x), ~k) for k, x in enumerate(program.constants)]
    kinds = [
        known.setdefault((row, row.face_of(value) if type(value) is tuple else type(value), *map(_name, static)), k)
        for k, (row, _, static, value, _, _) in program.numbered()
    ]

    def firsts(kept: Collection[int]) -> list[int]:
        """Return the first of the steps that are equal to each; itself for those that are kept."""
        count, known = len(program.inputs), dict[Any, int]()
        now = [*range(count + len(kinds)), *reversed(names)]
        for (number, step), kind in zip(program.numbered(), kinds, strict=True):
            if step.guards:
                continue
            key = kind, *[now[x] for x in step.operands]
            if number in kept:
                known[key] = number
            else:
                now[number] = known.setdefault(key, number)
        return now[count : count + len(kinds)]

    return replaced(program, evenly(program, firsts))


def _name(x: Any) -> Any:
    """Return what is equal for values that are the same to the bit, and their types."""
    if type(x) is float and x and x == x:  # no zero, which has a sign, nor NaN
        return float, x
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
    made, count = program.emptied(), len(program.inputs)
    now = program.places(range(count + len(program.steps)))
    wanted = [False] * len(now)
    for number in program.returned:
        wanted[number] = True
    for number, step in reversed(list(program.numbered())):
        if wanted[number] or step.guards or may_raise(step):
            wanted[number] = True
            for x in step.operands:
                wanted[x] = True
    place, steps = count, made.steps
    for number, step in program.numbered():
        if wanted[number]:
            now[number] = place
            steps.append(step.moved(tuple([now[x] for x in step.operands]), place))
            place += 1
    made.returned = [now[number] for number in program.returned]
    return made


def share(program: Program) -> Program:
    """Keep equal constants once, and none that nothing needs: a round of a loop has its own copy of each."""
    made = program.emptied()
    made.constants = []
    alike = Counter(x.shape for x in program.constants if type(x) is np.ndarray)
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

    for number, step in program.numbered():
        operands = step.operands
        made.steps.append(step.moved(tuple(map(kept, operands)), number) if min(operands, default=0) < 0 else step)
    made.returned = list(map(kept, program.returned))
    return made


PASSES = (fold, simple, merge, dead, share)
