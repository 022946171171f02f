"""A program to be compiled: the lines of a recorded function, of whatever derivatives it asks for, as one flat list.

Where a derivative is taken inside the function, its sweep is written in functions of the table, so it is recorded like
everything else. What a line was recorded with, whether a derivative passes, is of no interest here: only values are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, repeat
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.levels import is_number
from dualnumbers.messages.frames import Reader
from dualnumbers.table import Row, is_of_table

from ..calls.structures import flatten
from ..reverse import record
from ..tape.keeping import repeated
from ..tape.program import FAR, INERT, UNARY
from ..tape.program import Line as Place
from ..tape.recorder import Recorder
from ..tape.sources import Source
from ..tape.wengert import Tape
from .keys import key_of
from .operands import Operands

NOWHERE = -1
"""In the place of a line's number in the program: it has none."""

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


class Varied(NamedTuple):
    """Of which loop a constant is an operand, of which column of its operands, and of which of all rounds.

    It is there for that operand of that round alone: nothing may be concluded from what it is.
    """

    cut: int
    column: int
    round: int


class Program:
    """Inputs and steps, numbered one after the other, and what is returned: operands in the place of leaves.

    The steps are columns, with one entry for each: the passes choose among them and give them other operands, as arrays
    of numbers. What looks at a step by itself finds it in `steps`.
    """

    __slots__ = ("_forms", "_kinds", "_steps", "constants", "guarded", "inputs", "of_inputs", "operands", "origins",
                 "rebuild", "returned", "rows", "sources", "statics", "values", "varied")  # fmt: skip

    def __init__(self, inputs: list[Any], of_inputs: tuple[Guard, ...], constants: list[Any],
                 rebuild: Callable[[Sequence[Any]], Any]) -> None:  # fmt: skip
        self.inputs, self.of_inputs, self.constants, self.rebuild = inputs, of_inputs, constants, rebuild
        self.rows: list[Row] = []
        self.operands = Operands(np.empty(0, np.int64), np.empty(0, np.int64))
        self.statics: list[tuple[Any, ...]] = []
        self.values: list[Any] = []
        self.sources: list[Source | None] | None = None
        self.guarded: dict[int, tuple[Guard, ...]] = {}
        """By the places of steps, from 0 up, the guards that ask for their values."""
        self.returned: list[int] = []
        self.varied: dict[int, Varied] = {}
        """The constants in whose place in other rounds of a loop other ones are, though these are left out (`cuts`)."""
        self.origins: np.ndarray | None = None
        """The places that steps had before any pass, where that is noted."""
        self._forms: np.ndarray | None = None
        self._kinds: np.ndarray | None = None
        self._steps: list[Step] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def steps(self) -> list[Step]:
        """The steps, one by one."""
        if self._steps is None:
            guards: list[tuple[Guard, ...]] = [()] * len(self)
            for k, found in self.guarded.items():
                guards[k] = tuple([guard._replace(operand=len(self.inputs) + k) for guard in found])
            sources = self.sources or repeat(None)
            columns = zip(self.rows, self.operands.lists, self.statics, self.values, guards, sources, strict=False)
            self._steps = [new(Step, parts) for parts in columns]
        return self._steps

    @property
    def forms(self) -> np.ndarray:
        """Numbers that are equal for steps of the same row whose values have the same type, shape and dtype."""
        if self._forms is None:
            known: dict[tuple[object, ...], int] = {}

            def form(row: Row, value: Any) -> int:
                key = row, type(value), getattr(value, "shape", ()), getattr(value, "dtype", None)
                return known.setdefault(key, len(known))

            self._forms = np.fromiter(map(form, self.rows, self.values), np.int64, len(self))
        return self._forms

    @property
    def kinds(self) -> np.ndarray:
        """Numbers that are equal for steps which give the same of the same operands."""
        if self._kinds is None:
            known: dict[Any, int] = {}

            def kind(row: Row, value: Any, static: tuple[Any, ...]) -> int:
                of = row.face_of(value) if type(value) is tuple else type(value)
                return known.setdefault((row, of, *map(key_of, static)) if static else (row, of), len(known))

            self._kinds = np.fromiter(map(kind, self.rows, self.values, self.statics), np.int64, len(self))
        return self._kinds

    def asked(self, question: Callable[[Row, Any], bool]) -> np.ndarray:
        """Return for each step the answer to a question about its row and value; those of one form have the same."""
        _, firsts, of = np.unique(self.forms, return_index=True, return_inverse=True)
        return np.array([question(self.rows[k], self.values[k]) for k in firsts.tolist()], bool)[of]

    def value(self, operand: int) -> Any:
        """Return what an operand was when it was recorded."""
        if operand < 0:
            return self.constants[~operand]
        count = len(self.inputs)
        return self.inputs[operand] if operand < count else self.values[operand - count]

    def numbered(self) -> Iterator[tuple[int, Step]]:
        """Yield the steps with their numbers."""
        return enumerate(self.steps, len(self.inputs))

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the steps."""
        return np.arange(len(self.inputs), len(self.inputs) + len(self))

    def places(self, of_steps: np.ndarray) -> np.ndarray:
        """Return for each operand what it is to be now, given that for steps; an input and a constant stay.

        Constants are at the end: negative places are counted from there, as operands of the program are.
        """
        return np.concatenate((np.arange(len(self.inputs)), of_steps, np.arange(-len(self.constants), 0)))

    def chosen(self, kept: np.ndarray, now: np.ndarray, constants: list[Any] | None = None) -> Program:
        """Return the program of the steps that are kept, in which each operand is what it is ``now``."""
        made = Program(self.inputs, self.of_inputs, self.constants if constants is None else constants, self.rebuild)
        are_kept = kept.tolist()
        made.rows, made.statics, made.values = (
            list(compress(column, are_kept)) for column in (self.rows, self.statics, self.values)
        )
        made.sources = self.sources and list(compress(self.sources, are_kept))
        made.operands = self.operands.chosen(kept, now)
        made.guarded = {int(now[len(self.inputs) + k]) - len(self.inputs): x for k, x in self.guarded.items()}
        made.returned = now[np.array(self.returned, np.int64)].tolist()
        made.varied = self.varied if constants is None else {}
        made.origins = None if self.origins is None else self.origins[kept]
        made._forms = self.forms[kept]
        made._kinds = None if self._kinds is None else self._kinds[kept]
        return made

    def followed(self, steps: Sequence[Step], constants: Sequence[Any], returned: list[int]) -> Program:
        """Return the program with further steps and constants behind its own, that returns other operands."""
        made = Program(self.inputs, self.of_inputs, [*self.constants, *constants], self.rebuild)
        made.rows = [*self.rows, *(step.row for step in steps)]
        made.statics = [*self.statics, *(step.static for step in steps)]
        made.values = [*self.values, *(step.value for step in steps)]
        made.sources = self.sources and [*self.sources, *(step.source for step in steps)]
        made.operands = Operands(np.append(self.operands.flat, [x for step in steps for x in step.operands]),
                                 np.append(self.operands.counts, [len(step.operands) for step in steps]))  # fmt: skip
        made.guarded, made.returned = self.guarded, returned
        return made

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


def may_raise(row: Row, value: Any) -> bool:
    """Return whether a step of a row may raise: of Python's floats, as ``math.log`` does, or of a user's function."""
    return not is_of_table(row) or (type(value) is float and row.is_elementwise and row.name not in QUIET)


def of_tape(tape: Recorder, out: Any) -> Program:
    """Return the program that a function recorded, which returned ``out``; `NotCompilable` where it is none."""
    leaves, rebuild = flatten(out)
    is_step, count = np.array([row is not None for row in tape.rows], bool), len(tape.inputs)
    place = np.full(len(tape), NOWHERE)
    place[tape.inputs] = np.arange(count)
    place[is_step] = np.arange(count, count + is_step.sum())
    constants: list[Any] = []
    known: dict[Any, int] = {}

    def constant(x: Any) -> int:
        """Keep a constant, once; return its operand."""
        if is_number(type(x)):
            raise NotCompilable("it uses a number of a differentiation around it")
        found = known.setdefault(key_of(x), -1 - len(constants))
        if found < -len(constants):
            constants.append(own(x))
        return found

    operands, values = _operands(tape, is_step), tape.values
    _renumber(operands.flat, tape, place, constant)

    def noted(line: int) -> tuple[Guard, ...]:
        found = [Guard(int(place[line]), *answer) for answer in tape.answers.get(line, ())]
        if tape.guards and line in tape.guards:
            found.insert(0, Guard(int(place[line]), None, (), values[line], tape.guards[line]))
        return tuple(found)

    inputs = list(map(tape.form_of_input, tape.inputs))
    made = Program(inputs, tuple(guard for line in tape.inputs for guard in noted(line)), constants, rebuild)
    steps = np.flatnonzero(is_step).tolist()
    made.operands, made.rows = operands, [row for row in tape.rows if row is not None]
    made.statics, made.values = [tape.static.get(line, ()) for line in steps], list(map(values.__getitem__, steps))
    made.sources = tape.sources and list(map(tape.sources.__getitem__, steps))
    answered = tape.answers.keys() | (tape.guards or {}).keys()
    made.guarded = {int(place[line]) - count: noted(line) for line in sorted(answered) if place[line] >= count}
    held: dict[int, int] = {}
    for leaf in leaves:
        is_line = type(leaf) is Place
        if is_line and place[leaf] >= 0:
            made.returned.append(int(place[leaf]))
            continue
        if id(leaf) not in held:
            held[id(leaf)] = constant(values[leaf] if is_line else leaf)
        made.returned.append(held[id(leaf)])
    return made


def _renumber(flat: np.ndarray, tape: Recorder, place: np.ndarray, constant: Callable[[Any], int]) -> None:
    """Make operands of a program of those of a tape, whose lines have places there; keep its constants."""
    count = len(tape.constants)
    flat[flat < FAR] -= INERT
    lines = flat[flat >= 0]  # among them arrays to be filled, which are constants here
    flat[flat >= 0] = np.where(place[lines] >= 0, place[lines], ~(count + lines))
    names, firsts = np.unique(~flat[flat < 0], return_index=True)
    now = np.zeros(count + len(tape), np.int64)
    known: dict[int, int] = {}
    for name in names[np.argsort(firsts)].tolist():
        x = tape.constants[name] if name < count else tape.values[name - count]
        if id(x) not in known:
            known[id(x)] = constant(x)
        now[name] = known[id(x)]
    flat[flat < 0] = now[~flat[flat < 0]]


def _operands(tape: Recorder, is_step: np.ndarray) -> Operands:
    """Return the operands of the lines of a tape that are steps, as the tape has them."""
    first, second = (np.array(column, np.int64)[is_step] for column in (tape.first, tape.second))
    counts, places = np.where(second == UNARY, 1, 2), np.cumsum(is_step) - 1
    for line, several in tape.more.items():
        counts[places[line]] = len(several)
    found = Operands(np.empty(counts.sum(), np.int64), counts)
    starts = found.starts[:-1]
    found.flat[starts] = first
    found.flat[starts[second != UNARY] + 1] = second[second != UNARY]
    for line, several in tape.more.items():
        start = starts[places[line]]
        found.flat[start : start + len(several)] = several
    return found


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
