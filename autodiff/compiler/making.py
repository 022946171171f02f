"""How what was recorded becomes what runs: passes, then machine code, or statements of Python.

A program of long loops is made of a short one, without most of their rounds, where machine code can be all of it.
"""

from __future__ import annotations

import time

from .cuts import Short
from .native.loops.layout import Unfit
from .native.machine.engine import is_there
from .options import Options
from .passes import PASSES, fold, passed
from .program import Program
from .shortening import shortened
from .source import Source


class Making:
    """What runs in the place of a recording: its source; `NotCompilable` where there is none."""

    def __init__(self, recorded: Program, options: Options) -> None:
        start = time.perf_counter()
        self._options = options
        self.seconds = {"passes": 0.0}
        """What each phase took."""
        self._recorded, self._folded = len(recorded), fold(recorded)
        self.rounds: list[tuple[int, int]] = []
        """How many rounds loops have, and how many of these were compiled, where some were left out."""
        self._whole: tuple[Program, dict[str, int]] | None = None
        self.source = self._of_short() or self._of(self.whole)
        native = self.source.native
        self.seconds |= native.seconds if native else {}
        self.seconds["source"] = time.perf_counter() - start - sum(self.seconds.values())

    @property
    def whole(self) -> Program:
        """What the passes leave of the recording, with all rounds of its loops."""
        return self._passed()[0]

    @property
    def steps(self) -> dict[str, int]:
        """How many steps were recorded, and how many are left by each pass."""
        return {"record": self._recorded, "fold": len(self._folded), **self._passed()[1]}

    def _passed(self) -> tuple[Program, dict[str, int]]:
        if self._whole is None:
            self._whole = self._timed(self._folded)
        return self._whole

    def _timed(self, program: Program) -> tuple[Program, dict[str, int]]:
        start = time.perf_counter()
        found = passed(program, PASSES[1:])
        self.seconds["passes"] += time.perf_counter() - start
        return found

    def _of_short(self) -> Source | None:
        """Return the source by a program without most rounds of its loops, if machine code is all of that."""
        if self._options.exact or self._options.profile or not is_there():
            return None
        short = shortened(self._folded)
        if short is None:
            return None
        program, _ = self._timed(short.program)
        try:
            source = self._of(program, short._replace(program=program))
        except Unfit:
            return None
        if source.native is None or source.native.whole is None:
            return None
        self.rounds = short.rounds
        return source

    def _of(self, program: Program, short: Short | None = None) -> Source:
        return Source(program, not self._options.exact, self._options.threads, self._options.profile, short)
