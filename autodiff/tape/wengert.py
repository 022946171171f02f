"""A tape: a program, and the values of one run of it. It can be swept, run again, printed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from dualnumbers.levels import Level

from .. import upward
from .program import FAR, INERT, Program

if TYPE_CHECKING:
    from .profile import Profile
    from .replay import Recorded


class Tape(Program):
    """A Wengert list: a program with the value of each line. ``print(tape)`` shows it as a numbered table.

    >>> from autodiff import record
    >>> tape, result = record(lambda x: x * x + 1.0, [3.0])
    >>> len(tape), tape.run([4.0])
    (3, 17.0)
    """

    __slots__ = ("complex", "is_lean", "let_go", "level", "mixed", "pulls", "recorded", "unkept", "values")

    values: list[Any]
    """The value of each line."""
    unkept: set[int]
    """The lines whose values were overwritten: of arrays that were written to in place (`Recorder.write`)."""
    is_lean: bool
    """Whether it lets go the values that no sweep reads (`keeping`)."""
    let_go: set[int]
    """The lines whose values no sweep reads, and which were let go (`keeping`)."""
    mixed: bool
    """Whether any value is no Python float."""
    complex: bool
    """Whether any value is complex."""
    level: Level
    """The differentiation that it belongs to."""
    recorded: Recorded | None
    """What `Tape.run` must know of the function that was recorded; None where that is not by `autodiff.record`."""
    pulls: dict[int, Callable[[Any], Any] | None]
    """The pull-backs that came with values, each for one sweep (``with_pull`` of `kinds.Smooth`): of a lean tape."""

    def __init__(self) -> None:
        self.rows, self.values = [], []
        self.first, self.second, self.more = [], [], {}
        self.static, self.constants = {}, [None]
        self.inputs, self.outputs, self.names = [], [], []
        self.level, self.unkept, self.let_go = Level(), set(), set()
        self.complex = self.is_lean = self.mixed = False
        self.captured = self.recorded = self.sources = None
        self.pulls = {}

    def __len__(self) -> int:
        return len(self.values)

    def value(self, operand: int) -> Any:
        """Return the value of an operand."""
        if operand >= 0:
            return self.values[operand]
        return self.constants[~operand] if operand > FAR else self.values[operand - INERT]

    def evaluated(self, line: int) -> Any:
        """Return what a line's row gives of the values that its operands have now, by the face that gave its value."""
        row = self.rows[line]
        assert row is not None
        return row.face_of(self.values[line]).evaluate(
            *map(self.value, self.operands(line)), *self.static.get(line, ())
        )

    def at(self, values: list[Any]) -> Tape:
        """Return another run of the same program, with other values on its lines."""
        run = Tape.__new__(Tape)
        for name, x in zip(PARTS, parts_of(self), strict=True):
            setattr(run, name, x)
        run.values, run.pulls = values, {}
        return run

    def run(self, args: Sequence[Any]) -> Any:
        """Return what the recorded function returns for other arguments, computed line by line without calling it.

        The arguments have the structure, shapes and types of those that it was recorded with; TypeError where they have
        not, or where the tape is none of `autodiff.record`. Raises RuntimeError, a
        ``autodiff.tape.replay.DivergedError``, where a decision of the function would be another one.
        """
        return upward.run(self, args)

    def adjoints(self, out: Any, cotangent: Any = None) -> list[Any]:
        """Return the adjoint of every line, by one sweep from an output: of ``v`` it is ``tape.adjoints(out)[v.line]``.

        None where no path leads to the output. ``cotangent`` is that of the output, of its shape; a real number has 1.
        Raises ValueError where an array has none, or ``out`` is no Variable of this tape.

        >>> from autodiff import record
        >>> tape, out = record(lambda x, y: (x + 1) * y, [2.0, 5.0])
        >>> tape.adjoints(out)
        [5.0, 3.0, 5.0, 1.0]
        """
        return upward.every_adjoint(self, out, cotangent)

    def profile(self) -> Profile:
        """Return what each line of the user's code costs, in the run and in the sweep; ``print`` shows it as a table.

        The tape is one of ``record(f, args, sources=True)``; ValueError where it is not. Its operations are carried out
        again, one by one: the times are theirs alone, without what calling and recording them costs. The lines of code
        that take most time come first; below them are the sums.

        >>> from autodiff import record
        >>> tape, out = record(lambda x, y: (x + 1) * y, [2.0, 5.0], sources=True)
        >>> tape.profile().total().operations
        2
        """
        return upward.profile(self)

    def rules(self, names: Sequence[str] | None = None) -> str:
        """Return the list of its lines with the rule of each: its partials, or of an array what its pull-back adds.

        What is no formula, or a long one, is left out. ``names`` are those of the inputs.

        >>> import numpy as np
        >>> from autodiff import record
        >>> print(record(lambda x, y: np.sin(x * y), [1.0, 2.0])[0].rules())
        v2 = x * y
            ∂v2/∂x = y
            ∂v2/∂y = x
        v3 = sin(v2)
            ∂v3/∂v2 = cos(v2)
        """
        return upward.rules(self, names)

    def __reduce__(self) -> Any:
        return upward.restored, (upward.state_of(self),)

    def __str__(self) -> str:
        return upward.listing(self)

    def to_svg(self, **options: Any) -> str:
        """Draw it as SVG. The options of the three are those of `autodiff.drawing.picture`."""
        return upward.picture(self, **options).to_svg()

    def to_dot(self, **options: Any) -> str:
        """Draw it in the language of Graphviz."""
        return upward.picture(self, **options).to_dot()

    def to_mermaid(self, **options: Any) -> str:
        """Draw it as a Mermaid flowchart."""
        return upward.picture(self, **options).to_mermaid()

    def _repr_html_(self) -> str:
        from html import escape

        return f'<pre style="line-height:1.3">{escape(str(self))}</pre>\n{self.to_svg()}'


PARTS = (*Program.__slots__, *Tape.__slots__)
parts_of = attrgetter(*PARTS)
