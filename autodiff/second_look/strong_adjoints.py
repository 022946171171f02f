"""The backward sweep with the zeros told apart: 0 · ∞ is 0 where the zero is structural, else NaN.

√x has an infinite slope at 0. Where a mask leaves it out its adjoint is 0 all the same, and the product 0 · ∞ in
floating point is NaN. That zero is structural: it is there whatever the values are (structure.py).

>>> from autodiff import grad
>>> grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))(np.array([0.0, 4.0]))
array([0.  , 0.25])

It costs much more than the plain sweep, and is asked only where that gave NaN. strong_tangents.py does it forward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dualnumbers.rules.complexes import conj
from dualnumbers.several import each
from dualnumbers.table.kinds import Times
from dualnumbers.table.partials import as_numpy_float

from ..tape.accumulation import add, add_part, add_result, fit, is_numpys
from ..tape.variable import GETITEM, ITEM
from ..tape.wengert import Tape
from .lengths import kinks, slope_of_length
from .patterns import Pattern, masked
from .products import NONE
from .structure import Structure
from .unbounded import Passage, told_apart

Seeds = dict[int, Any]


def strong_adjoints(tape: Tape, seeds: Seeds, keep: bool) -> tuple[list[Any], Callable[[int], Times]]:
    """Sweep as `tape.sweep.swept` does; adjoints that are structurally 0 stay 0 against partials that are infinite."""
    sweep = _Sweep(tape, seeds)
    for line in range(max(seeds), -1, -1):
        g = sweep.found[line]
        if g is None or tape.rows[line] is None:
            continue
        if not keep:
            sweep.found[line] = None
        sweep.pull(line, each(masked, g, sweep.patterns[line]))
    return sweep.found, sweep.times_at


class _Sweep:
    """One sweep: the adjoints that are found so far, and the patterns of all that passes."""

    def __init__(self, tape: Tape, seeds: Seeds) -> None:
        self.tape, self.structure, self.at_kinks = tape, Structure(tape), kinks(tape)
        self.patterns, self.terms = self.structure.of_adjoints(seeds)
        self.found: list[Any] = [None] * len(tape)
        self.owned: set[int] = set()
        for line, seed in seeds.items():
            self.found[line] = seed

    def times_at(self, line: int) -> Times:
        """Return what takes the place of the product of a partial and an adjoint, for a line."""
        return each(lambda reached: self._times(reached, line), self.patterns[line])

    def _times(self, reached: Pattern, line: int) -> Times:
        tape = self.tape

        def times(p: Any, g: Any) -> Any:
            p = conj(p) if tape.complex else p
            if line in self.at_kinks:
                p = slope_of_length(p, self.at_kinks[line], tape.value(tape.operands(line)[0]))
            return p * g if np.all(reached) else masked(p, reached) * masked(g, reached)

        return times

    def pull(self, line: int, g: Any) -> None:
        """Add to the adjoints of a line's operands what it passes to them, each where its pattern is True."""
        tape, row = self.tape, self.tape.rows[line]
        assert row is not None
        if row.is_constant:
            return
        operands, static, z = tape.operands(line), tape.static.get(line, ()), tape.values[line]
        xs, g, times = list(map(tape.value, operands)), as_numpy_float(g, z), self.times_at(line)
        together = row.joint(g, z, *xs, *static) if row.joint and sum(k >= 0 for k in operands) > 1 else None
        for k, operand in enumerate(operands):
            if operand < 0:
                continue
            if row is GETITEM and is_numpys(g) and type(xs[k]) is np.ndarray:
                add_part(self.found, self.owned, operand, g, z, xs[k], static)
            elif row is ITEM:
                of_result = masked(g, self.terms[line, k][static[0]])
                add_result(self.found, operand, static[0], of_result, xs[k])
            else:
                c = row.pull(k, g, z, xs, static, times) if together is None else together[k]
                if c is not None:
                    add(self.found, self.owned, operand, self._share(line, k, g, c, xs[k]), xs[k])

    def _share(self, line: int, place: int, g: Any, passed: Any, x: Any) -> Any:
        """Return what a line passes to the operand at a place where its pattern is True, from all of that."""
        row, reached = self.tape.rows[line], self.terms[line, place]
        assert row is not None
        if row.is_elementwise:  # before the sum over what the operand was broadcast to
            return masked(passed, reached)
        xs = list(map(self.tape.value, self.tape.operands(line)))
        static, z, times = self.tape.static.get(line, ()), self.tape.values[line], self.times_at(line)

        def pull(g: Any, factors: Mapping[int, Any] = NONE) -> Any:
            given = [factors.get(k, y) for k, y in enumerate(xs)]
            return fit(row.pull(place, g, z, given, static, times), x)

        whole = masked(fit(passed, x), reached)
        way = Passage(self.structure, line, place, pull, self.structure.pulled)
        return told_apart(way, whole, g, self.patterns[line])
