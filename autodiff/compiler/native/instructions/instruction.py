"""Native instructions: an elementwise form, applied in loops over a shape, whose results are stored or folded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...program import Guard, new
from ..machine import blas
from .areas import ONE, Address, Area, Chosen, Space

Operand = Area | float


class Parts(NamedTuple):
    """The operands that are the real parts and the imaginary parts of a complex value."""

    real: Operand
    imag: Operand


IDENTITIES = {"add": 0.0, "multiply": 1.0, "maximum": -np.inf, "minimum": np.inf, "or": 0.0, "and": 1.0}
"""How results are folded together → what the fold begins with."""

FACTORS = ("cholesky", "eliminated")
"""Forms of matrices, over loops of rows and columns: the lower factor, and a triangle of the same determinant."""

SYSTEMS = frozenset(("solve", "solve_lower", "solve_upper", *FACTORS))
"""Forms that LAPACK computes in place of their last operand: beside factors X of A X = B for a square A, or one of
whose elements only the lower or upper triangle counts, over loops of rows, of columns, of right sides."""

CALLS = SYSTEMS | {"matmul"}
"""Forms that a library computes for all elements together: each is a kernel of its own."""

CHEAP = frozenset(("same", "add", "subtract", "multiply", "negative", "fma", "square", "power_2", "where", "absolute",
                   "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "equal"))  # fmt: skip
"""Forms that take less time than it takes to store and load what they give."""

WRITTEN_OUT = 16
"""Of products of small matrices, up to how many rounds of the loop around the innermost one are written out."""

COLUMNS = 16
"""Up to how many elements the innermost loop has then."""


class Instruction(NamedTuple):
    """One form for all elements of a shape: of operands that are broadcast to it, into an area."""

    form: str
    operands: tuple[Address | float, ...]
    out: Address
    shape: tuple[int, ...]
    of: str
    """The kind of values that the operands are converted to."""
    fold: str = ""
    """How results at the same place are joined; empty: there is one for each place."""
    raises: bool = False
    """Whether it is a function of Python, which raises where its result is not finite though its operands are."""
    ordered: bool = False
    """Whether it goes element by element: one reads what was written for another."""
    step: int = -1
    """The number of the program's step that it is part of."""


class Scan(NamedTuple):
    """Instructions over one loop that go round by round: a round reads what the one before has written."""

    lines: tuple[Instruction, ...]


class Repeat(NamedTuple):
    """Instructions over arrays that go round by round, in some rounds; their addresses say how they go on."""

    lines: tuple[Instruction, ...]
    rounds: int


Group = Instruction | Scan | Repeat


def lines_of(group: Group) -> tuple[Instruction, ...]:
    """Return the instructions of a group."""
    return (group,) if isinstance(group, Instruction) else group.lines


def read_by(line: Instruction) -> list[Address]:
    """Return where an instruction reads."""
    found = [x for x in line.operands if isinstance(x, Address)]
    return [*found, line.out] if line.fold else found


class Block:
    """Instructions that run one after the other, from some values to others."""

    def __init__(self, is_alone: bool = False) -> None:
        self.is_alone = is_alone
        """Whether its code calls no library for products and systems: these are loops."""
        self.instructions: list[Instruction] = []
        self.step = -1
        """The number of the step that instructions are added for."""
        self.spaces: list[Space] = []
        self.given: dict[int, Space] = {}
        """The values that it takes, by their numbers in the program."""
        self.offered: dict[int, Space] = {}
        """Those that it may take, whether it reads them or not."""
        self.known: dict[int, np.ndarray] = {}
        """The constants among them, and the tables, by their spaces' numbers."""
        self.groups: list[Group] = []
        """The instructions with loops found in them, when all are there."""
        self.tables: dict[Space, np.ndarray] = {}
        """Arrays of numbers that are part of the code."""
        self._pictures: dict[tuple[tuple[int, ...], np.dtype], np.ndarray] = {}
        """Arrays of whole spaces, the same one for all of a form."""
        self._places: dict[tuple[tuple[int, ...], bytes], Area] = {}
        self.areas: dict[int, Operand] = {}
        """Where each of its values is, but for complex ones."""
        self.numbers: dict[int, Address | float] = {}
        """The same of those that are single numbers and were asked for, as operands of instructions."""
        self.copies: dict[Any, Any] = {}
        """What steps became, for others that are alike."""
        self.became: dict[int, Any] = {}
        """The same by their numbers, for the next round of a loop."""
        self.parts: dict[int, Parts] = {}
        """Where the parts of complex values are."""
        self.results: dict[int, Area] = {}
        """The values that it gives, in memory of their own."""
        self.guards: list[tuple[Area, bool, Guard]] = []
        """Truth values, what they have to be, and the guards that ask for them."""

    def space(self, shape: tuple[int, ...], dtype: np.dtype) -> Area:
        """Return an area that is a new space."""
        key = shape, dtype
        if key not in self._pictures:
            self._pictures[key] = np.empty(shape, dtype)
        return self.space_of(self._pictures[key])

    def space_of(self, picture: np.ndarray) -> Area:
        """Return an area that is a new space, of an array that others are of, too."""
        made = Space(len(self.spaces), picture)
        self.spaces.append(made)
        return new(Area, (made, picture, 0))

    def table(self, x: np.ndarray) -> Area:
        """Return an array of numbers that is part of the code; of places the same for the same ones."""
        key = x.shape, x.tobytes()
        if x.dtype.kind == "i" and key in self._places:
            return self._places[key]
        area = self.space(x.shape, x.dtype)
        self.tables[area.space] = self.known[area.space.number] = x
        if x.dtype.kind == "i":
            self._places[key] = area
        return area

    def give(self, number: int, value: np.ndarray) -> Area:
        """Return the area of a value that the block takes."""
        if number not in self.offered:
            made = self.space(value.shape, value.dtype)
            self.given[number] = self.offered[number] = made.space
            if number < 0:
                self.known[made.space.number] = np.ascontiguousarray(value)
            self.areas[number] = made
        found = self.areas[number]
        assert isinstance(found, Area)
        return found

    def takes_systems(self, kind: str) -> bool:
        """Return whether systems of a kind of numbers can be solved."""
        return kind in blas.PREFIXES if self.is_alone else blas.is_there(kind)

    @property
    def has_effect(self) -> bool:
        """Return whether it gives something, decides something, or may raise."""
        raises = any(line.raises for group in self.groups for line in lines_of(group))
        return bool(self.results or self.guards or raises)

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same for blocks that do the same, with other values and for other steps."""

        def of(line: Instruction) -> tuple[object, ...]:
            form, operands, *others, _ = line  # the step is last
            return form, *(repr(x) if isinstance(x, float) else x for x in operands), *others  # a zero has a sign

        groups = [(type(group), getattr(group, "rounds", 1), *map(of, lines_of(group))) for group in self.groups]
        spaces = [(space.array.shape, space.kind) for space in self.spaces]
        tables = [(space.number, x.tobytes()) for space, x in self.tables.items()]
        given = [space.number for space in self.given.values()]
        kept = [*self.results.values(), *(area for area, _, _ in self.guards)]
        areas = [(area.space.number, area.offset, area.picture.shape, area.picture.strides) for area in kept]
        answers = [answer for _, answer, _ in self.guards]
        return (*groups, None, *spaces, None, *tables, None, *given, None, *areas, None, *answers)

    def forget_unread(self) -> None:
        """Take no values that nothing reads."""
        unread = {space.number for space in self.offered.values()}
        for group in self.groups or self.instructions:
            for line in lines_of(group):
                for x in line.operands:
                    if x.__class__ is Address and x.space in unread:
                        unread.remove(x.space)
            if not unread:
                break
        self.given = {number: space for number, space in self.offered.items() if space.number not in unread}

    def add(self, form: str, operands: tuple[Operand | Chosen, ...], out: Area, of: str, *, fold: str = "",
            shape: tuple[int, ...] | None = None, raises: bool = False, ordered: bool = False) -> Area:  # fmt: skip
        """Append an instruction, and return its area."""
        shape = out.shape if shape is None else shape
        if 0 not in shape:
            taken = tuple([x if isinstance(x, float) else x.along(shape) for x in operands])
            self.instructions.append(
                Instruction(form, taken, out.along(shape), shape, of, fold, raises, ordered, self.step)
            )
        return out

    def add_number(self, number: int, form: tuple[str, str, bool], operands: tuple[Address | float, ...]) -> None:
        """Append an instruction of single numbers that gives a value: a form, their kind, whether it raises."""
        name, kind, raises = form
        made = Space(len(self.spaces), ONE[kind])
        self.spaces.append(made)
        out = new(Address, (made.number, kind, 0, (), 0, None))
        self.instructions.append(new(Instruction, (name, operands, out, (), kind, "", raises, False, self.step)))
        self.numbers[number], self.areas[number] = out, new(Area, (made, ONE[kind], 0))

    def put(self, x: Operand | Chosen, out: Chosen, fold: str = "") -> None:
        """Write values to places, or join them with what is there."""
        taken = x if isinstance(x, float) else x.along(out.shape)
        self.instructions.append(
            Instruction("same", (taken,), out.along(out.shape), out.shape, out.space.kind, fold, step=self.step)
        )

    def fill(self, x: float, out: Area) -> Area:
        """Fill an area with a number."""
        return self.add("same", (x,), out, out.kind)

    def copy(self, x: Operand, out: Area) -> Area:
        """Copy values to an area, converted to its kind."""
        return self.add("same", (x,), out, out.kind)
