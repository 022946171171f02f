"""What is done to a program before it is run: steps that give nothing new are left out. Each keeps the bits.

``PASSES`` are applied one after the other; each takes a `Program` and returns another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from hashlib import blake2b
from math import copysign
from typing import Any

import numpy as np

from dualnumbers.forms import is_alike, shape
from dualnumbers.memory import without_repeats

from ..tape.keeping import repeated
from .keys import key_of
from .program import Program, Varied, may_raise
from .rounds import evenly


def replaced(program: Program, others: np.ndarray) -> Program:
    """Return the program with other operands in the place of steps: one for each, its own number where it stays."""
    to = program.places(others)
    while not np.array_equal(further := to[to], to):  # what is taken in the place of a step may be replaced itself
        to = further
    kept = others == program.numbers
    return program.chosen(kept, program.places(len(program.inputs) + np.cumsum(kept) - 1)[to])


def fold(program: Program) -> Program:
    """Make a constant of every step of constants."""
    if not (program.operands.joined(np.maximum, program.operands.flat) < 0).any():
        return program
    now, constants = program.places(program.numbers).tolist(), list(program.constants)
    count, of_constants = len(program.inputs), len(constants)
    for k, (value, operands) in enumerate(zip(program.values, program.operands.lists, strict=True)):
        for x in operands:
            if now[x] >= 0:
                break
        else:
            if k not in program.guarded and type(value) is not tuple:
                constants.append(repeated(value))
                now[count + k] = -len(constants)
    others = np.array(now[count : count + len(program)], np.int64)
    kept = others >= 0
    now = program.places(np.where(kept, count + np.cumsum(kept) - 1, others))
    return program.chosen(kept, now, constants) if len(constants) > of_constants else program


SAME = {"multiply": (1.0, (0, 1)), "divide": (1.0, (1,)), "power": (1.0, (1,)), "subtract": (0.0, (1,))}
"""Row → the neutral number, and the places where it is: x · 1, x / 1, x¹, x − 0 are x to the bit, −0 and NaN too."""

SHAPES = ("astype", "broadcast_to", "reshape", "transpose", "real", "conj", "copy", "_numpy_scalar")
"""Rows that give the operand itself where it has the shape and type already, and is real."""


def simple(program: Program) -> Program:
    """Leave out what changes nothing: products with 1, a broadcast to the shape that is there, a fixed choice."""
    found, of_values = program.numbers, False
    for k in np.flatnonzero(_may_change_nothing(program)).tolist():
        if k not in program.guarded:
            found[k] = _itself(program, k)
            of_values |= found[k] != k + len(program.inputs) and program.rows[k].name not in SHAPES
    if not of_values:
        return replaced(program, found)  # no value decides, so rounds are alike

    def others(kept: Collection[int]) -> np.ndarray:
        taken, numbers = found.copy(), np.array(list(kept), np.int64)
        taken[numbers - len(program.inputs)] = numbers
        return taken

    return replaced(program, evenly(program, others))


def _may_change_nothing(program: Program) -> np.ndarray:
    """Return which steps are of rows that give an operand as it is, or have the neutral number among their operands."""
    operands = program.operands
    found = program.asked(lambda row, value: row.name in SHAPES or row.name == "where")
    for neutral in (0.0, 1.0):
        names = [name for name, (number, _) in SAME.items() if number == neutral]
        is_neutral = np.zeros(1 + len(program.constants), bool)
        is_neutral[1:] = [_is_neutral(program, ~k, neutral) for k in range(len(program.constants))]
        beside = operands.joined(np.logical_or, is_neutral[np.maximum(-operands.flat, 0)])
        found |= beside & program.asked(lambda row, value, names=names: row.name in names)  # type: ignore[misc]
    return found


def _itself(program: Program, k: int) -> int:
    """Return the operand that the step at a place gives as it is, or the step's number."""
    name, value, operands = program.rows[k].name, program.values[k], program.operands.lists[k]
    number = len(program.inputs) + k
    if name in SAME and len(operands) == 2:
        neutral, places = SAME[name]
        for place in places:
            other = operands[1 - place]
            if _is_neutral(program, operands[place], neutral) and is_alike(program.value(other), value):
                return other
    if name == "where" and operands[0] < 0 and type(program.value(operands[0])) in (bool, np.bool_):
        chosen = operands[1 if program.value(operands[0]) else 2]
        return chosen if type(program.value(chosen)) is type(value) in (float, np.float64) else number
    if name in SHAPES and is_alike(program.value(operands[0]), value) and np.result_type(value).kind == "f":
        is_moved = name == "transpose" and len(shape(value)) > 1
        return number if is_moved else operands[0]
    return number


def _is_neutral(program: Program, operand: int, number: float) -> bool:
    """Return whether an operand is a constant whose elements are all a number, which is 1, or 0 without a sign."""
    if operand >= 0 or operand in program.varied:
        return False
    x = program.constants[~operand]
    if type(x) is float:
        return x == number and (number != 0.0 or copysign(1.0, x) > 0.0)
    kind = np.result_type(x).kind if isinstance(x, (int, complex, np.generic, np.ndarray)) else "O"
    if kind not in ("biuf" if number == 0.0 else "biufc"):
        return False
    if isinstance(x, np.ndarray):
        x = without_repeats(x)
    return bool(np.all(x == number) and not (number == 0.0 and np.any(np.signbit(x))))


def merge(program: Program) -> Program:
    """Compute equal steps once."""
    known: dict[Any, int] = {}
    names = [~k if ~k in program.varied else known.setdefault(key_of(x), ~k) for k, x in enumerate(program.constants)]
    kinds = program.kinds.copy()
    if program.guarded:
        kinds[list(program.guarded)] = -1

    def firsts(kept: Collection[int]) -> np.ndarray:
        """Return the first of the steps that are equal to each; itself for those that are kept."""
        count, known = len(program.inputs), dict[Any, int]()
        now = [*range(count + len(program)), *reversed(names)]
        for number, (kind, operands) in enumerate(zip(kinds.tolist(), program.operands.lists, strict=True), count):
            if kind < 0:
                continue
            if len(operands) == 2:  # as mostly, in half the time
                key: tuple[int, ...] = kind, now[operands[0]], now[operands[1]]
            else:
                key = kind, *[now[x] for x in operands]
            if number in kept:
                known[key] = number
            else:
                now[number] = known.setdefault(key, number)
        return np.array(now[count : count + len(program)], np.int64)

    return replaced(program, evenly(program, firsts))


def dead(program: Program) -> Program:
    """Leave out what neither a result nor a guard needs, nor may raise."""
    count, needed = len(program.inputs), program.asked(may_raise)
    needed[list(program.guarded)] = True
    wanted = [False] * (count + len(program) + len(program.constants))
    wanted[count : count + len(program)] = needed.tolist()
    for number in program.returned:
        wanted[number] = True
    numbers = range(count + len(program) - 1, count - 1, -1)
    for number, operands in zip(numbers, reversed(program.operands.lists), strict=True):
        if wanted[number]:
            for x in operands:
                wanted[x] = True
    kept = np.array(wanted[count : count + len(program)], bool)
    return program.chosen(kept, program.places(count + np.cumsum(kept) - 1))


def share(program: Program) -> Program:
    """Keep equal constants once, and none that nothing needs: a round of a loop has its own copy of each."""
    alike = Counter(x.shape for x in program.constants if type(x) is np.ndarray)
    constants: list[Any] = []
    known: dict[Any, int] = {}

    def kept(x: Any) -> int:
        key = key_of(x)
        if type(x) is np.ndarray and key[-1] == id(x) and alike[x.shape] > 1 and x.dtype.char != "O":
            key = np.ndarray, x.shape, x.strides, x.dtype.str, blake2b(without_repeats(x).tobytes()).digest()
        if key not in known:
            constants.append(x)
            known[key] = -len(constants)
        return known[key]

    varied: dict[int, Varied] = {}
    read = np.append(program.operands.flat, np.array(program.returned, np.int64))
    numbers, firsts = np.unique(read[read < 0], return_index=True)
    now = program.places(program.numbers)
    for number in numbers[np.argsort(firsts)].tolist():
        if number in program.varied:
            constants.append(program.constants[~number])
            now[number] = -len(constants)
            varied[-len(constants)] = program.varied[number]
        else:
            now[number] = kept(program.constants[~number])
    made = program.chosen(np.ones(len(program), bool), now, constants)
    made.varied = varied
    return made


PASSES = (fold, simple, merge, dead, share)


def passed(program: Program, passes: Sequence[Callable[[Program], Program]] = PASSES) -> tuple[Program, dict[str, int]]:
    """Return what passes leave of a program, and how many steps there are after each."""
    steps: dict[str, int] = {}
    for one in passes:
        program = one(program)
        steps[one.__name__] = len(program)
    return program, steps
