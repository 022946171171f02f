"""The sweep of second order: adjoints with their tangents, as a product with a Hessian needs them.

An adjoint z̄ and its tangent go back side by side. A partial p of an operand, with the tangent ṗ, passes p z̄ to its
adjoint, and p times the tangent of z̄ plus ṗ z̄ to that of this; a linear map is applied to both. It is what the sweep
gives of dual numbers in the places of values and adjoints. But no such number is made for what is linear, and what is
asked for the tangents alone is spared the last products of the adjoints: of logistic regression one of two with the
data.

>>> from autodiff import record
>>> tape, out = record(lambda x: x**3, [2.0])
>>> with_tangents(tape, {0: 1.0}, out.line, True)
[(12.0, 12.0)]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import shape, zeros_like
from dualnumbers.levels import Level, level_of
from dualnumbers.numbers.batch import BatchArray, batch, is_simple, of_all
from dualnumbers.numbers.dual import make
from dualnumbers.numbers.pushforward import paired
from dualnumbers.numbers.weighted import DOUBLE, MULTILINEAR
from dualnumbers.table.batching import with_ones
from dualnumbers.table.partials import FAILURES, as_numpy_float, evaluate_partial

from .accumulation import add, add_part, as_partials_take, fit, is_numpys, scaled
from .pieces import Pieces
from .program import FAR, INERT, UNARY
from .variable import GETITEM
from .wengert import Tape

KNOWN = frozenset((float, np.float64, np.ndarray, int, bool, np.bool))
"""The types of the values of tapes that are swept here."""

Sides = tuple[Any, Any]
"""An adjoint and its tangent; None for none."""


def with_tangents(tape: Tape, pushed: dict[int, Any], out: int, whole: bool) -> list[Sides] | None:
    """Return the adjoints of the inputs with their tangents, given the tangents of lines, of a real output line.

    Where they are not asked for as a ``whole``, the adjoints alone may lack. None comes back where a value is neither a
    float nor an array of doubles, and where a rule fails. The caller ignores what NumPy warns of.
    """
    if tape.complex or not KNOWN.issuperset(map(type, tape.values)):
        return None
    for z in tape.values:
        if type(z) is np.ndarray and z.dtype is not DOUBLE and z.dtype.kind in "fc":
            return None
    try:
        return _Sweep(tape, pushed, whole).back(out)
    except np.linalg.LinAlgError:
        return None


class _Sweep:
    """The sweep through one tape."""

    def __init__(self, tape: Tape, pushed: dict[int, Any], whole: bool) -> None:
        self.tape, self.pushed, self.whole = tape, pushed, whole
        self.values, self.constants = as_partials_take(tape) if tape.mixed else (tape.values, tape.constants)
        self.level = Level()
        self.level.quiet = True
        self.duals: dict[int, Any] = {}
        self.found: list[Any] = [None] * len(tape)
        self.along: list[Any] = [None] * len(tape)
        self.owned: set[int] = set()
        self.owned_along: set[int] = set()
        batches = [t for t in pushed.values() if type(t) is BatchArray and type(t.data) is np.ndarray]
        self.low: Level | None = batches[0].level if batches else None
        """The level of batches of plain arrays: on the way those are the arrays of their members, as in `tangents`."""

    def back(self, out: int) -> list[Sides]:
        """Sweep from the output, whose adjoint is 1."""
        tape, found, along = self.tape, self.found, self.along
        found[out] = zeros_like(tape.values[out]) + 1
        for line in range(out, -1, -1):
            row, g = tape.rows[line], found[line]
            if g is None or row is None:
                continue
            d, found[line], along[line] = along[line], None, None
            if type(d) is Pieces:
                d = self._members(fit(d.joined(), tape.values[line]))
            if row.inline is not None:
                self._pull_elements(line, row.inline, float(g) if type(g) is np.float64 else g, d)
            elif not row.is_constant:
                self._pull(line, g, d)
        for line in tape.inputs:
            d = along[line]
            along[line] = fit(d.joined(), tape.values[line]) if type(d) is Pieces else self._together(d)
        return [(found[line], along[line]) for line in tape.inputs]

    def _members(self, t: Any) -> Any:
        """Return a tangent as the array of its members, where it is a batch of plain arrays."""
        return t.data if type(t) is BatchArray and t.level is self.low and type(t.data) is np.ndarray else t

    def _together(self, t: Any) -> Any:
        """Return a tangent as a number."""
        return t if self.low is None or type(t) is not np.ndarray else batch(t, self.low)

    def _add(self, operand: int, c: Any, e: Any) -> None:
        """Add to an adjoint and to its tangent."""
        x = self.tape.values[operand]
        if c is not None:
            add(self.found, self.owned, operand, c, x)
        if e is None:
            return
        if self.low is None or type(x) is not np.ndarray:
            add(self.along, self.owned_along, operand, self._together(e), x)
            return
        e = self._members(e)
        if type(e) is not np.ndarray or e.shape[1:] != x.shape or e.dtype is not DOUBLE:
            e = self._members(fit(self._together(e), x))
        t = self.along[operand]
        if type(t) is Pieces:
            self.along[operand] = t + self._together(e)
        elif operand in self.owned_along and type(t) is type(e) is np.ndarray:
            t += e
        else:
            self.along[operand] = e if t is None else t + e
            if t is not None:
                self.owned_along.add(operand)

    def _is_asked(self, operand: int) -> bool:
        """Return whether the adjoint of a line itself is asked for."""
        return self.whole or self.tape.rows[operand] is not None

    def _pull_elements(self, line: int, partials: tuple[Any, Any], g: Any, d: Any) -> None:
        """Pull back through an elementwise row of one operand or two."""
        tape, low = self.tape, self.level
        a, b = tape.first[line], tape.second[line]
        point: Any = None
        for operand, p in ((a, partials[0]), (b, partials[1])):
            if operand < 0:
                continue
            asked, e = self._is_asked(operand), None
            if type(p) is float:
                x = tape.values[operand]
                c = None if not asked else g if p == 1.0 else scaled(p, g, x)
                if d is not None and p != 1.0:
                    e = scaled(p, d, x) if self.low is None else p * d
                self._add(operand, c, d if e is None else e)
                continue
            if point is None:
                point = tuple(map(self._dual, (a, line) if b == UNARY else (a, b, line)))
            try:
                slope = p(*point)
            except FAILURES:
                slope = evaluate_partial(p, *point)
            turn = None
            if level_of(slope) is low:
                slope, turn = slope.primal, slope.tangent
            if d is not None:
                e = self._members(slope * d)
            if turn is not None:
                turned = self._members(turn)
                if turned is not turn and 1 < turned.ndim <= g.ndim:
                    turned = with_ones(turned, g.ndim - turned.ndim + 1)
                turned = self._members(g * turned)
                e = turned if e is None else e + turned
            self._add(operand, slope * g if asked else None, e)

    def _pull(self, line: int, g: Any, d: Any) -> None:
        """Pull back through any other row."""
        tape = self.tape
        row, static, z = tape.rows[line], tape.static.get(line, ()), tape.values[line]
        assert row is not None
        g, d = as_numpy_float(g, z), None if d is None else as_numpy_float(self._together(d), z)
        if row.is_linear and row.arity == 1 and row is not GETITEM:
            operand, kind = tape.first[line], row.arguments[0]
            xs = [tape.values[operand]]
            c = kind.pull(row, 0, g, z, xs, static, None) if self._is_asked(operand) else None
            self._add(operand, c, None if d is None else kind.pull(row, 0, d, z, xs, static, None))
            return
        operands = tape.operands(line)
        xs = list(map(tape.value, operands))
        if row is GETITEM and type(xs[0]) is np.ndarray:
            self._put_back(operands[0], g, d, z, xs[0], static)
        elif row.is_linear or (row.kinds == MULTILINEAR and row.arity == 2):
            for k, operand in enumerate(operands):
                if operand >= 0 and row.passes(k):
                    c = row.pull(k, g, z, xs, static) if self._is_asked(operand) else None
                    self._add(operand, c, None if d is None else row.pull(k, d, z, xs, static))
                    other = operands[1 - k] if not row.is_linear else UNARY
                    if other in self.pushed:
                        turned = [self.pushed[other] if place != k else x for place, x in enumerate(xs)]
                        self._add(operand, None, row.pull(k, g, z, turned, static))
        else:
            self._pull_duals(line, g, d)

    def _put_back(self, operand: int, g: Any, d: Any, z: Any, x: Any, static: tuple[Any, ...]) -> None:
        """Pull back through a line that takes elements of an array: they go into one array for all such lines."""
        if self._is_asked(operand):
            add_part(self.found, self.owned, operand, g, z, x, static)
        if d is None:
            return
        t = self.along[operand]
        if is_numpys(d):
            add_part(self.along, self.owned_along, operand, d, z, x, static)
        elif self.low is not None and x.ndim and type(t) is not Pieces and is_simple(*static):
            members = d.data
            if operand not in self.owned_along:
                self.along[operand] = np.zeros((len(members), *x.shape)) if t is None else t.copy()
                self.owned_along.add(operand)
            self.along[operand][of_all(*static)] += members
        else:
            if type(t) is not Pieces:
                self.along[operand] = Pieces(shape(x), self._together(t))
            self.along[operand].add(d, *static)

    def _pull_duals(self, line: int, g: Any, d: Any) -> None:
        """Pull back through a row by dual numbers."""
        tape, level = self.tape, self.level
        row, operands, static = tape.rows[line], tape.operands(line), tape.static.get(line, ())
        assert row is not None
        z, *xs = (paired(make, tape.value(k), self.pushed.get(k), level) for k in (line, *operands))
        g = paired(make, g, d, level)
        together = row.joint(g, z, *xs, *static) if row.joint and sum(k >= 0 for k in operands) > 1 else None
        for k, operand in enumerate(operands):
            if operand >= 0:
                c: Any = row.pull(k, g, z, xs, static) if together is None else together[k]
                self._add(operand, *((c.primal, c.tangent) if level_of(c) is level else (c, None)))

    def _dual(self, operand: int) -> Any:
        """Return the value of an operand as a partial takes it, a dual number if it has a tangent."""
        found = self.duals.get(operand)
        if found is None:
            found = (self.values[operand] if operand >= 0 else
                     self.constants[~operand] if operand > FAR else self.values[operand - INERT])  # fmt: skip
            if operand in self.pushed:
                self.duals[operand] = found = make(found, self.pushed[operand], self.level)
        return found
