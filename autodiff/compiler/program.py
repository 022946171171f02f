"""A program to be compiled: the lines of a recorded function, of whatever derivatives it asks for, as one flat list.

Where a derivative is taken inside the function, its sweep is written in functions of the table, so it is recorded like
everything else. What a line was recorded with, whether a derivative passes, is of no interest here: only values are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.levels import is_number
from dualnumbers.messages.frames import Reader
from dualnumbers.table import Row

from ..calls.structures import flatten
from ..reverse import record
from ..tape.keeping import repeated
from ..tape.program import Line as Place
from ..tape.program import line_of
from ..tape.recorder import Recorder
from ..tape.sources import Source
from ..tape.wengert import Tape

new = tuple.__new__  # half of the time that to call a NamedTuple takes


class NotCompilable(Exception):  # noqa: N818
    """The function cannot be run as a program: it is called as it stands."""


class Guard(NamedTuple):
    """What the function decided by: the answer to a question about a value, at the user's line of code."""

    operand: int
    question: Callable[..., Any] | None
    """What was asked; None: the value itself was read."""
    static: tuple[Any, ...]
    answer: Any
    place: Reader | None


class Step(NamedTuple):
    """One line: a row applied to operands, lines from 0 up, or constants, ``~k`` of the k-th."""

    row: Row
    operands: tuple[int, ...]
    static: tuple[Any, ...]
    value: Any
    """What it gave when it was recorded, by which its shape and type are known."""
    guards: tuple[Guard, ...] = ()
    source: Source | None = None
    """The user's code that it comes from, where the tape has noted that."""

    def moved(self, operands: tuple[int, ...], number: int) -> Step:
        """Return the step with other operands and another number, its guards with it."""
        row, before, static, value, guards, source = self
        if guards:
            guards = tuple([guard._replace(operand=number) for guard in guards])
        elif operands == before:
            return self
        return new(Step, (row, operands, static, value, guards, source))


class Program:
    """Inputs and steps, numbered one after the other, and what is returned: operands in the place of leaves."""

    __slots__ = ("constants", "inputs", "of_inputs", "rebuild", "returned", "steps")

    def __init__(self, inputs: list[Any], of_inputs: tuple[Guard, ...], constants: list[Any],
                 rebuild: Callable[[Sequence[Any]], Any]) -> None:  # fmt: skip
        self.inputs, self.of_inputs, self.constants, self.rebuild = inputs, of_inputs, constants, rebuild
        self.steps: list[Step] = []
        self.returned: list[int] = []

    def emptied(self) -> Program:
        """Return a program of the same inputs and constants without steps."""
        return Program(self.inputs, self.of_inputs, list(self.constants), self.rebuild)

    def value(self, operand: int) -> Any:
        """Return what an operand was when it was recorded."""
        if operand < 0:
            return self.constants[~operand]
        count = len(self.inputs)
        return self.inputs[operand] if operand < count else self.steps[operand - count].value

    def numbered(self) -> Iterator[tuple[int, Step]]:
        """Yield the steps with their numbers."""
        return enumerate(self.steps, len(self.inputs))

    def places(self, numbers: Iterable[int]) -> list[int]:
        """Return for each operand what it is to be now, given that for inputs and steps; a constant stays.

        Those are at the end: Python counts negative places from there, as operands of the program do.
        """
        return [*numbers, *range(-len(self.constants), 0)]

    def guards(self) -> list[Guard]:
        """Return the guards, in their order."""
        return [*self.of_inputs, *(guard for step in self.steps for guard in step.guards)]


def own(x: Any) -> Any:
    """Return a constant as the program keeps it: of an array a copy; of a large one that repeats a number, that."""
    one = repeated(x)
    return np.array(x) if type(x) is np.ndarray and one is x else one


QUIET = frozenset(("add", "subtract", "multiply", "negative", "positive", "absolute", "fabs", "copysign", "maximum",
                   "minimum", "where", "square", "_python_number"))  # fmt: skip
"""Functions of Python's floats that raise nothing."""


def may_raise(step: Step) -> bool:
    """Return whether a step is a function of Python's floats that may raise, as ``math.log`` does."""
    return type(step.value) is float and step.row.is_elementwise and step.row.name not in QUIET


def of_tape(tape: Recorder, out: Any) -> Program:
    """Return the program that a function recorded, which returned ``out``; `NotCompilable` where it is none."""
    place = {line: k for k, line in enumerate(tape.inputs)}
    constants: list[Any] = []
    held: dict[int, int] = {}

    def constant(x: Any, name: int) -> int:
        if name not in held:
            if is_number(type(x)):
                raise NotCompilable("it uses a number of a differentiation around it")
            constants.append(own(x))
            held[name] = ~(len(constants) - 1)
        return held[name]

    def operand(number: int) -> int:
        line = line_of(number)
        if line is None:
            return constant(tape.constants[~number], number)
        return place[line] if line in place else constant(tape.values[line], line)  # an array to be filled

    def noted(line: int) -> tuple[Guard, ...]:
        found = [Guard(place[line], *answer) for answer in tape.answers.get(line, ())]
        if tape.guards and line in tape.guards:
            found.insert(0, Guard(place[line], None, (), tape.values[line], tape.guards[line]))
        return tuple(found)

    answered = tape.answers.keys() | (tape.guards or {}).keys()
    leaves, rebuild = flatten(out)
    inputs = list(map(tape.form_of_input, tape.inputs))
    made = Program(inputs, tuple(guard for line in tape.inputs for guard in noted(line)), constants, rebuild)
    for line, row in enumerate(tape.rows):
        if row is not None:
            operands = tuple([place[x] if x in place else operand(x) for x in tape.operands(line)])
            place[line] = len(inputs) + len(made.steps)
            guards = noted(line) if line in answered else ()
            source = tape.sources[line] if tape.sources else None
            static, value = tape.static.get(line, ()), tape.values[line]
            made.steps.append(new(Step, (row, operands, static, value, guards, source)))
    made.returned = [
        place[int(leaf)]
        if type(leaf) is Place and int(leaf) in place
        else constant(tape.values[leaf] if type(leaf) is Place else leaf, id(leaf))
        for leaf in leaves
    ]
    return made


def taped(program: Program, inputs: Sequence[Any]) -> Tape:
    """Return the tape of a program that runs at inputs, step by step."""

    def run(*inputs: Any) -> Any:
        values = [*inputs]

        def value(x: int) -> Any:
            return values[x] if x >= 0 else program.constants[~x]

        for step in program.steps:
            values.append(step.row.face_of(step.value).evaluate(*map(value, step.operands), *step.static))
        return program.rebuild(list(map(value, program.returned)))

    return record(run, inputs)[0]
