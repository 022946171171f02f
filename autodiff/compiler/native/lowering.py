"""A program taken apart: blocks of native instructions, and steps that are left to NumPy and Python.

The blocks come at levels: what a block reads of Python is there before it, and what Python reads of it comes after.
So a level is a block, and then the steps of Python's that need it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.table import Row
from dualnumbers.table.row import is_of_table

from ..cuts import Short
from ..program import Program, Step
from ..rounds import before, kinds_of, loops_of, varied
from .instructions.areas import KINDS, Area
from .instructions.instruction import Block, Operand, Parts
from .loops.layout import Unfit
from .loops.rolling import roll
from .readers import Readers
from .rows.complexes import COMPLEX, copied, given, is_complex, rule_of_parts
from .rows.copying import again, by_copy
from .rows.deciding import takes_guard
from .rows.rules import ASKING_FORMS, JOINING, form_of_numbers, is_native, rule_of, uniform_of
from .rows.steps import VIEWS, Here, by_value, is_view
from .rows.systems import SEVERAL
from .rows.writing import OVERWRITING, writes_few
from .savings.factoring import factored
from .savings.grids import summed
from .savings.narrowing import narrowed
from .savings.neighbours import computed_again
from .savings.overlaps import gathered
from .savings.slicing import sliced


class Lowering:
    """Which steps of a program are native, in which blocks, and what these need and give."""

    def __init__(self, program: Program, is_alone: bool = False, short: Short | None = None) -> None:
        self.program, self._is_alone = program, is_alone
        self.blocks: dict[int, Block] = {}
        self.level = [-1] * len(program.inputs)
        """The block in which a value is made, or after which Python makes it."""
        self._after = [0] * len(program.inputs)
        """The first block that may read a value."""
        self.native: set[int] = set()
        """The steps that are in a block."""
        self.views: set[int] = set()
        """Those of them that are views for Python, too."""
        self.seen: set[int] = set()
        """Those of the views that Python takes itself, of what a block gives."""
        self.guarded: set[tuple[int, int]] = set()
        """The guards that blocks look at, by their step and their place there."""
        loops = loops_of(program)
        self._varied = varied(program, loops) | program.varied.keys()
        """The constants that stay arrays though their elements are equal."""
        self._kinds, self._before = kinds_of(program), before(program, loops)
        """For each operand a number that tells the form of its value, and for each step in a loop its round before."""
        self._forms: dict[tuple[Row, type], tuple[str, str, bool] | None] = {}
        """The forms of steps of single floats, by their rows and the types of their values."""
        self._shown = set(program.returned)
        """What Python reads besides its own steps."""
        self._readers = Readers(program, self.native, self.level, self._shown)
        for number, step in program.numbered():
            self._add(number, step)
        if short and not self.is_whole:
            raise Unfit
        given: set[int] = set()
        while True:  # what is given may be read in another block, which gives it then
            for block in self.blocks.values():
                block.forget_unread()
            wanted = self._read_by_python() - given
            if not wanted:
                break
            for number in sorted(wanted):
                self._give(self.blocks[self.level[number]], number)
            given |= wanted
        for block in self.blocks.values():
            kept = {area.space.number for area in (*block.results.values(), *(area for area, *_ in block.guards))}
            groups = summed(block, gathered(block, roll(block, short), kept))
            groups = factored(computed_again(block, groups, kept))
            block.groups = narrowed(block, sliced(block, groups, kept), kept)
            block.forget_unread()

    @property
    def is_whole(self) -> bool:
        """Whether one block does all that there is to do, but for views."""
        others = (number for number, _ in self.program.numbered() if number not in self.native)
        return self.blocks.keys() == {0} and all(map(self._is_seen, others))

    def _add(self, number: int, step: Step) -> None:
        level, after = 0, self._after
        for x in step.operands:
            if x >= 0 and after[x] > level:
                level = after[x]
        is_native = (
            self._lower_number(level, number, step)
            or self._lower_again(level, number, step)
            or self._lower(level, number, step)
        )
        if is_native:
            self.level.append(level)
            after.append(level)
            self.native.add(number)
            for k, guard in enumerate(step.guards):
                if takes_guard(self.blocks[level], number, step.value, guard):
                    self.guarded.add((number, k))
                else:
                    self._shown.add(number)
        else:
            self.level.append(max([-1, *(self.level[x] for x in step.operands if x >= 0)]))
            after.append(self.level[number] + 1)

    def _lower_number(self, level: int, number: int, step: Step) -> bool:
        """Append a step of single floats to the block of a level, if its form is known without its operands' values.

        Loops of Python's are made of these: so they do without a look at anything else.
        """
        key = step.row, type(step.value)
        if key not in self._forms:
            self._forms[key] = form_of_numbers(step)
        form = self._forms[key]
        if form is None or step.static:
            return False
        block = self._block(level, number)
        known = block.numbers
        for x in step.operands:
            if x not in known:
                found = self._operand(block, x)
                if found is None or (isinstance(found, Area) and found.shape):
                    return False
                known[x] = found.along(()) if isinstance(found, Area) else found
        block.add_number(number, form, tuple([known[x] for x in step.operands]))
        return True

    def _lower_again(self, level: int, number: int, step: Step) -> bool:
        """Append a step as its round before was, if that is of a loop, and their operands lie in memory alike."""
        last = self._before[number]
        if level not in self.blocks or last not in self.blocks[level].became:
            return False
        other, operands = self._step(last), step.operands
        if (step.static or other.static) and repr(step.static) != repr(other.static):
            return False
        if any(self._kinds[x] != self._kinds[y] for x, y in zip(operands, other.operands, strict=True)):
            return False
        if is_view(step) and operands[0] not in self.native:
            return False
        block = self._block(level, number)
        found = [self._operand(block, x) for x in operands]
        result = None if None in found else again(block, block.became[last], found)  # type: ignore[arg-type]
        if result is None:
            return False
        block.areas[number] = result
        if is_view(step):
            self.views.add(number)
        return True

    def _lower(self, level: int, number: int, step: Step) -> bool:
        """Append a step to the block of a level; return whether it has a native form there."""
        name = step.row.name
        if name in SEVERAL and is_of_table(step.row):
            return self._lower_several(level, number, step)
        if name == "item" and level in self.blocks and number in self.blocks[level].areas:
            return True  # one of several results, which are there
        values = map(self.program.value, step.operands)
        is_of_parts = is_complex(step.value) or any(is_complex(x) or type(x) is complex for x in values)
        rule: Callable[..., Any] | None = rule_of_parts(step, self._is_alone) if is_of_parts else rule_of(step)
        if rule is None or not is_of_table(step.row):
            return False
        if is_view(step) and step.operands[0] not in self.native:
            return False  # a view of what Python has costs nothing there, and is part of each block that reads it
        block = self._block(level, number)
        take: Callable[..., Any] = self._parts if is_of_parts else self._operand
        operands = [found for x in step.operands if (found := take(block, x, name in JOINING)) is not None]
        if len(operands) < len(step.operands):
            return False
        here = self._here(block, step)
        if name in OVERWRITING:
            here = here._replace(dies=self._readers.may_write_over(number, level, writes_few(here)))
        if not is_of_parts and self._readers.copies(number):
            rule = by_value
        found = by_copy(rule, here, operands) if name in ASKING_FORMS and not is_of_parts else rule(here, *operands)
        if found is None:
            return False
        if isinstance(found, Parts):
            block.parts[number] = found
        else:
            block.areas[number] = found
        if is_view(step) and name != "getitem":
            self.views.add(number)
        return True

    def _lower_several(self, level: int, number: int, step: Step) -> bool:
        """Append a step of several results, of which nothing but these is read, each by itself."""
        readers = self._readers.of(number)
        if number in self._shown or step.guards or any(self._step(reader).row.name != "item" for reader in readers):
            return False
        block = self._block(level, number)
        operands = [x if x is None else self._operand(block, x) for x in step.operands]
        results = None if None in operands else SEVERAL[step.row.name](self._here(block, step), *operands)
        if results is None:
            return False
        block.areas.update((reader, results[self._step(reader).static[0]]) for reader in readers)
        return True

    def _block(self, level: int, number: int) -> Block:
        """Return the block of a level, for a step to be appended."""
        if level not in self.blocks:
            self.blocks[level] = Block(self._is_alone)
        self.blocks[level].step = number
        return self.blocks[level]

    def _here(self, block: Block, step: Step) -> Here:
        return Here(block, step, [self.program.value(x) for x in step.operands], False)

    def _step(self, number: int) -> Step:
        return self.program.steps[number - len(self.program.inputs)]

    def _is_seen(self, x: int) -> bool:
        """Return whether a value is a view that Python takes, of a value that a block may take."""
        if x < len(self.program.inputs) or x in self.native:
            return False
        return is_view(self._step(x)) and is_of_table(self._step(x).row)

    def _operand(self, block: Block, x: int, may_be_empty: bool = False) -> Operand | None:
        """Return an operand as one of a block: a number, or an area; None of what it cannot take."""
        if x in block.areas:
            return block.areas[x]
        value = self.program.value(x)
        if may_be_empty and isinstance(value, np.ndarray) and value.size == 0 and value.dtype.char in KINDS:
            return block.space(value.shape, value.dtype)
        if x < 0:
            uniform = None if x in self._varied else uniform_of(value)
            if uniform is not None:
                block.areas[x] = uniform
                return uniform
            if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
                block.areas[x] = found = block.table(value.astype(float))
                return found
        elif self._is_seen(x) and is_native(value):
            step = self._step(x)
            base = self._operand(block, step.operands[0])
            view = None if base is None else VIEWS[step.row.name](self._here(block, step), base)
            if view is not None:
                block.areas[x] = view
                return view
        return block.give(x, np.asarray(value)) if is_native(value) and type(value) is not bool else None

    def _parts(self, block: Block, x: int, may_be_empty: bool = False) -> Parts | None:
        """Return an operand as the parts of a complex one; of a real one the imaginary part is 0."""
        value = self.program.value(x)
        if x in block.parts:
            return block.parts[x]
        if x < 0 and type(value) is complex:
            return Parts(value.real, value.imag)
        if is_complex(value) or type(value) is complex:
            step = self._step(x) if self._is_seen(x) else None
            base = self._parts(block, step.operands[0]) if step else None
            view = COMPLEX[step.row.name](self._here(block, step), base) if step and base else None
            block.parts[x] = found = view if isinstance(view, Parts) else given(block, x, np.asarray(value))
            return found
        real = self._operand(block, x, may_be_empty)
        return None if real is None else Parts(real, 0.0)

    def _read_by_python(self) -> set[int]:
        """Return the native values that Python, or another block, reads; views are taken by Python itself."""
        found: set[int] = set()
        self.seen = set()

        def read(x: int) -> None:
            if x in self.views:
                if x not in self.seen:
                    self.seen.add(x)
                    read(self._step(x).operands[0])
            elif x in self.native:
                found.add(x)

        found |= self._shown & self.native
        for block in self.blocks.values():
            found |= block.given.keys() & self.native
        for number, step in self.program.numbered():
            if number not in self.native:
                for x in step.operands:
                    read(x)
        return found

    def _give(self, block: Block, number: int) -> None:
        """Let a block give a value: in a space of its own, whole and in order."""
        value, block.step = np.asarray(self.program.value(number)), number
        if number in block.parts:
            block.results[number] = copied(block, block.parts[number], value.shape)
            return
        area, kind = block.areas[number], KINDS[value.dtype.char]
        taken = {other.space for other in block.results.values()} | {*block.offered.values(), *block.tables}
        whole = isinstance(area, Area) and area.picture is area.space.array and area.kind == kind
        if whole and isinstance(area, Area) and area.shape and area.space not in taken:
            block.results[number] = area
        else:
            block.results[number] = block.copy(area, block.space(value.shape, value.dtype))
