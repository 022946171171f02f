"""The tape: a flat Wengert list (Wengert 1964).

Parallel lists hold, for each line, the row that was applied, the earlier lines it read and the value. An operand
number below zero counts the constants from the end of line 0 downwards: ``~k`` is ``constants[k]``. Every algorithm on
a tape is a ``for`` over line numbers; nothing refers back, so a tape is freed with its last handle.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import is_unreal
from dualnumbers.levels import Level, is_number
from dualnumbers.memory import detached, is_free
from dualnumbers.messages.errors import user_line
from dualnumbers.messages.frames import Reader, reader
from dualnumbers.table import Row
from dualnumbers.table.parameters import as_now
from dualnumbers.table.row import Face

from ..calls.captured import Captured

UNARY = -1
"""The operand number that stands where there is no second operand; ``constants[0]`` is kept free for it."""


class Tape:
    """A Wengert list. ``print(tape)`` shows it as a numbered table.

    ``mixed`` says that some value is no Python float, ``complex`` that some is complex. While `record` runs, ``guards``
    are the lines whose plain values were read, each with the user's line of code that read it, and ``asked`` those of
    which it was asked whether any element is NaN, with the answer; both are None where that is not noted.
    """

    __slots__ = ("asked", "captured", "complete", "complex", "constants", "first", "guards", "inputs", "is_torn",
                 "level", "links", "mixed", "more", "names", "outputs", "pinned", "program", "rows", "second", "static",
                 "unkept", "values")  # fmt: skip

    def __init__(self) -> None:
        self.level = Level()
        self.rows: list[Row | None] = []
        self.first: list[int] = []
        self.inputs: list[int] = []
        self.second: list[int] = []
        self.values: list[Any] = []
        self.constants: list[Any] = [None]
        self.more: dict[int, list[int]] = {}
        self.static: dict[int, tuple[Any, ...]] = {}
        self.links: dict[int, int] = {}
        self.guards: dict[int, Reader | None] | None = None
        self.asked: dict[int, bool] | None = None
        self.program: Any = None
        self.pinned: set[int] = set()
        self.unkept: set[int] = set()
        self.complete = False
        self.captured: Captured | None = None
        self.complex = self.mixed = False
        self.is_torn = False
        self.names: list[str] = []
        self.outputs: list[int] = []

    def __len__(self) -> int:
        return len(self.values)

    def apply(self, face: Face, operands: list[int], static: tuple[Any, ...]) -> int:
        """Append a line, a row applied to operand numbers; return its number."""
        z = face.evaluate(*map(self.value, operands), *static)
        return self.add(face.row, operands, static, z, len(self.values))

    def add(self, row: Row, operands: list[int], static: tuple[Any, ...], value: Any, place: int) -> int:
        """Append a line whose value is known; return its number, ``place``."""
        if static:
            self.static[place] = as_now(static)
        if len(operands) > 2:
            self.more[place] = operands
        return self.append(row, operands[0], operands[1] if len(operands) == 2 else UNARY, value, place)

    def append(self, row: Row | None, first: int, second: int, value: Any, place: int | None = None) -> int:
        """Append a line; return its number.

        That is ``place``, the length of the tape before its operands were added, unless another thread was adding a
        line of its own at the same time: then the lists do not fit together, and RuntimeError is raised.
        """
        values = self.values
        place = len(values) if place is None else place
        self.rows.append(row)
        self.first.append(first)
        self.second.append(second)
        values.append(value)
        if len(values) != place + 1:  # for a number, ``values[place] is not z`` asks the same in half the time
            raise self.torn()
        if type(value) is not float:
            self.note(value)
        return place

    def note(self, value: Any) -> None:
        """Note of what type a line's value is that is no Python float."""
        self.mixed, kind = True, type(value)
        if kind is np.float64 or kind is tuple:  # each of several results has a line of its own
            return
        if value.dtype.kind == "c" if kind is np.ndarray else is_unreal(value):
            self.complex = True

    def torn(self) -> RuntimeError:
        """Return the error for two threads that added a line at the same time."""
        self.is_torn = True
        return RuntimeError(
            "two threads computed with numbers of one differentiation at the same time: differentiate inside each "
            f"thread, as in pool.map(grad(g), xs), or map without threads{user_line()}"
        )

    def check_whole(self) -> None:
        """Raise RuntimeError where two threads added lines at the same time, in whatever thread that was seen."""
        if self.is_torn or not len(self.rows) == len(self.first) == len(self.second) == len(self.values):
            raise self.torn()

    def guard(self, line: int) -> None:
        """Note that the value of a line is read here: to decide by it, or for a constant."""
        if self.guards is not None and line not in self.guards:
            self.guards[line] = reader()

    def at(self, values: list[Any]) -> Tape:
        """Return the same program with other values on its lines."""
        other = copy(self)
        other.values = values
        return other

    def constant(self, x: Any) -> int:
        """Keep a constant; return its operand number."""
        return self.add_constant(self.kept(x))

    def add_constant(self, value: Any, line: int | None = None) -> int:
        """Keep a constant, or the value of the ``line`` that it stands for without derivative; return its number."""
        if line is not None:
            self.links[len(self.constants)] = line
        self.constants.append(value)
        return -len(self.constants)

    def kept(self, x: Any) -> Any:
        """Return a constant as the tape keeps it, safe from what its owner does to it later."""
        if is_number(type(x)):
            x = x.snapshot()
        if isinstance(x, np.ndarray) or is_foreign(type(x)):
            if self.captured is None:
                self.captured = Captured()
            return self.captured.keep(x)
        return x

    def check_captured(self) -> None:
        """Raise RuntimeError where a captured array no longer holds what was recorded."""
        if self.captured is not None:
            self.captured.check()

    def operands(self, line: int) -> list[int]:
        """Return the operand numbers of a line."""
        if line in self.more:
            return self.more[line]
        if self.rows[line] is None:
            return []
        return [self.first[line]] if self.second[line] == UNARY else [self.first[line], self.second[line]]

    def write(self, line: int, operand: int, index: Any, place: int) -> int | None:
        """Append a line that writes into the very array that ``line`` made; no value of ``line`` is kept then.

        So a loop that fills an array of n elements takes memory for n of them, not for n arrays::

            v1 = zeros(3)               has its own array
            v3 = v1 with [0] = v2       made a copy of it, and had the value [v2, 0, 0]
            v5 = v3 with [1] = v4       has that very array, now [v2, v4, 0]: v3 has no value any more

        A derivative needs no value of v3, if only elements of it were read. Returns the number of the line. None, and
        nothing is done, where ``line`` is no such assignment or another line or handle needs its value. ``place`` is
        how long the tape was before the operand was added.
        """
        row, array = self.rows[line], self.values[line]
        if row is None or row.name != "setitem" or type(array) is not np.ndarray:
            return None
        if is_number(type(self.value(operand))) or self.complete or line in self.pinned:
            return None
        if not self._is_only_indexed(line):
            return None
        if not is_free(array):
            array = detached(array)
        array[index] = self.value(operand)
        nothing = np.array(np.nan if array.dtype.kind in "fc" else 0, array.dtype)
        self.values[line] = np.broadcast_to(nothing, array.shape)
        self.unkept.add(line)
        self.static[place] = as_now((index,))
        return self.append(row, line, operand, array, place)

    def _is_only_indexed(self, line: int) -> bool:
        """Return whether later lines only read elements of a line's value, or write some."""
        if (
            any(line in operands for reader, operands in list(self.more.items()) if reader > line)
            or line in self.second[line + 1 :]
        ):
            return False
        reader = line
        for _ in range(self.first[line + 1 :].count(line)):
            reader = self.first.index(line, reader + 1)
            row = self.rows[reader]
            if row is None or row.name not in ("getitem", "setitem"):
                return False
        return True

    def value(self, operand: int) -> Any:
        """Return the value behind an operand number."""
        return self.values[operand] if operand >= 0 else self.constants[~operand]

    def reads(self, line: int) -> list[tuple[int, int, bool]]:
        """Return (place, line, whether a derivative passes) of operands that are lines; through a link none does."""
        found = []
        for place, operand in enumerate(self.operands(line)):
            if operand >= 0:
                found.append((place, operand, True))
            elif ~operand in self.links:
                found.append((place, self.links[~operand], False))
        return found

    def ancestors(self, line: int) -> list[int]:
        """Return the lines that a line was computed from, and itself."""
        wanted = {line}
        for k in range(line, -1, -1):
            if k in wanted:
                wanted.update(operand for _, operand, _ in self.reads(k))
        return sorted(wanted)

    def input_names(self) -> Sequence[str | None]:
        """Return what the inputs are called, where that is known, in their order."""
        return self.names

    def run(self, args: Sequence[Any]) -> Any:
        """Return what the recorded function returns for other arguments, computed line by line without calling it.

        The arguments have the structure, shapes and types of those that it was recorded with. Raises
        `replay.DivergedError`, a RuntimeError, where a decision of the function would be another one.
        """
        from .replay import run

        return run(self, args)

    def adjoints(self, out: Any, cotangent: Any = None) -> list[Any]:
        """Return the adjoint of every line, by one sweep from an output: of ``v`` it is ``tape.adjoints(out)[v.line]``.

        None where no path leads to the output. ``cotangent`` is that of the output, of its shape; a real number has 1.
        Raises ValueError where an array has none, or ``out`` is no Variable of this tape.

        >>> from autodiff import record
        >>> tape, out = record(lambda x, y: (x + 1) * y, [2.0, 5.0])
        >>> tape.adjoints(out)
        [5.0, 3.0, 5.0, 1.0]
        """
        from .sweep import every_adjoint

        return every_adjoint(self, out, cotangent)

    def __str__(self) -> str:
        from .listing import listing

        return listing(self)

    def to_svg(self, **options: Any) -> str:
        """Draw it as SVG. The options of the three are those of `autodiff.drawing.picture`."""
        from ..drawing import picture

        return picture(self, **options).to_svg()

    def to_dot(self, **options: Any) -> str:
        """Draw it in the language of Graphviz."""
        from ..drawing import picture

        return picture(self, **options).to_dot()

    def to_mermaid(self, **options: Any) -> str:
        """Draw it as a Mermaid flowchart."""
        from ..drawing import picture

        return picture(self, **options).to_mermaid()

    _repr_svg_ = to_svg
