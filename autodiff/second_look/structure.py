"""Which zeros of a derivative are structural: there whatever the values are, as long as the same branches are taken.

A mask, an index, a choice, a constant factor 0 put such a zero there, and 0 against an infinite slope is 0 then. A zero
that is the value of another factor, or that underflow left, may be a limit of any size: against an infinite slope it
tells nothing.

To tell them apart, a pattern goes through the tape as a derivative does: True where an element may be other than 0.
Lines go through their own rule, with random numbers for the elements that may be other than 0, and at random points as
well as at the point itself. What is 0 at all of them is structural, with probability 1. Where a rule cannot be asked,
all elements may be other than 0: so the answer may be NaN where a number could be had, never a number where NaN is due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.levels import read
from dualnumbers.several import each, parts
from dualnumbers.table import Row, is_of_table
from dualnumbers.table.kinds import Multilinear
from dualnumbers.table.partials import evaluate_partial

from ..tape.accumulation import fit
from ..tape.program import line_of
from ..tape.wengert import Tape
from .patterns import (
    Pattern,
    either,
    extended,
    filled,
    folded,
    is_anywhere,
    is_everywhere,
    is_other_than_zero,
    nowhere,
    of_seed,
    varies_outside,
)

Terms = dict[tuple[int, int], Pattern]
"""The pattern of what passes between a line and its operand, by the line and the operand's place."""

RANGES = ((1.0, 2.0), (0.55, 0.95))
"""Where random values are drawn: what underflows in one, such as x ** -1e6, does not in the other."""


NEARBY = 1e-3
"""How far, as a share of its size, a point is varied where a function is not defined everywhere."""


class Structure:
    """A tape as patterns see it: which elements of its values vary with its inputs, or with outer differentiations."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.random = np.random.default_rng(0)
        self.reached: Terms = {}
        self._varying: list[Pattern] = []

    def varying(self, line: int) -> Pattern:
        """Return which elements of a line vary; this is found for it, and for all before it, when it is asked for."""
        while len(self._varying) <= line:
            self._varying.append(self._varies(len(self._varying)))
        return self._varying[line]

    def _varies(self, line: int) -> Pattern:
        row, value = self.tape.rows[line], each(read, self.tape.values[line])
        if row is None:
            return filled(True, value)
        if row.is_constant:  # a mask is a choice, and so is floor(x); sign(x), 0 at 0 alone, is none
            return each(
                lambda x: (np.result_type(x).kind in "fc") & (np.not_equal(x, 0) if row.selects else True), value
            )
        terms = self._pushed(line, row, list(map(self._of, self.tape.operands(line))))
        return either(terms.values(), value)

    def _of(self, operand: int) -> Pattern:
        line = line_of(operand)
        if line is not None:
            return self.varying(line)
        x = self.tape.value(operand)
        return each(lambda x: filled(varies_outside(x), x), x)

    def support(self, operand: int) -> Pattern:
        """Return which elements of an operand may be other than 0."""
        return self._of(operand) | each(is_other_than_zero, each(read, self.tape.value(operand)))

    def _noise(self, pattern: Pattern, like: Any) -> Any:
        """Draw random numbers for True and 0 for False, of the type of a value; None for a result without any True."""
        if type(pattern) is tuple:
            return tuple(self._noise(p, x) if np.any(p) else None for p, x in zip(pattern, like, strict=True))
        kind = np.result_type(like)
        drawn = self.random.uniform(1.0, 2.0, np.shape(pattern))
        if kind.kind == "c":
            drawn = drawn + 1j * self.random.uniform(1.0, 2.0, np.shape(pattern))
        return np.where(pattern, as_like(drawn, like), 0.0).astype(kind if kind.kind in "fc" else float)[()]

    def _points(self, line: int, row: Row, unread: bool) -> Iterator[tuple[Any, list[Any]]]:
        """Yield the value and the operands of a line, as they are and with random numbers for what varies.

        Of a choice it is the point alone, and where what is NaN there is ``unread``, random numbers for that.
        """
        operands = self.tape.operands(line)
        xs = [each(read, self.tape.value(k)) for k in operands]
        if row.kinds == (Multilinear,):  # a sum of products, in which nothing cancels: masks in place of factors
            masks = [self.support(k).astype(float) if row.passes(place) else x
                     for place, (k, x) in enumerate(zip(operands, xs, strict=True))]  # fmt: skip
            yield each(read, self.tape.values[line]), masks
            return
        yield each(read, self.tape.values[line]), xs
        varying, static = list(map(self._of, operands)), self.tape.static.get(line, ())
        if row.selects and unread:
            drawn = [self._drawn(x, v & np.isnan(x), *RANGES[0]) for x, v in zip(xs, varying, strict=True)]
            yield each(read, row.evaluate(*drawn, *static)), drawn
        if row.is_linear or row.selects:
            return
        for low, high in RANGES:
            drawn = [self._drawn(x, v, low, high) for x, v in zip(xs, varying, strict=True)]
            try:
                z = row.evaluate(*drawn, *static)
            except np.linalg.LinAlgError:  # not every matrix has a Cholesky factor: those beside one that has have too
                drawn = [self._beside(x, v) for x, v in zip(xs, varying, strict=True)]
                z = row.evaluate(*drawn, *static)
            yield each(read, z), drawn

    def _drawn(self, x: Any, varying: Pattern, low: float, high: float) -> Any:
        if not is_anywhere(varying):
            return x
        drawn = as_like(self.random.uniform(low, high, np.shape(x)), x)
        return np.where(varying, drawn, x).astype(np.result_type(x))[()]

    def _beside(self, x: Any, varying: Pattern) -> Any:
        reach = NEARBY * np.max(np.abs(x), initial=0.0)
        drawn = as_like(self.random.uniform(-reach, reach, np.shape(x)), x)
        return (x + np.where(varying, drawn, 0.0)).astype(np.result_type(x))

    def _asked(self, line: int, row: Row, like: Any, ask: Callable[..., Any], unread: bool = False) -> Pattern:
        """Find the pattern of ``ask(value, operands)``, which is of the shape of ``like``."""
        passed = nowhere(like)
        try:
            if not (row.is_linear or is_of_table(row)):
                raise NotImplementedError("a rule of the user's is not asked where they did not call it")
            for number, (z, xs) in enumerate(self._points(line, row, unread)):
                derivative = ask(z, xs)
                if number == 0 and (unread or _is_asked_again(row)):
                    derivative = each(_without_nan, derivative)  # as of rows of which something is missing
                if derivative is not None:
                    passed = each(extended, passed, derivative)
                if is_everywhere(passed):
                    break
        except Exception:  # whatever a rule raises at such a point
            return each(lambda x: filled(True, x), like)
        return passed

    def _reached(self, line: int, row: Row, place: int) -> Pattern:
        """Find where the partial of an elementwise line may be other than 0, which is asked once for all patterns."""
        if (line, place) not in self.reached:
            reaches = lambda z, xs: _reaches(row, place, z, xs)
            self.reached[line, place] = self._asked(line, row, self.tape.values[line], reaches)
        return self.reached[line, place]

    def _pushed(self, line: int, row: Row, given: list[Pattern]) -> dict[int, Pattern]:
        """Find the patterns of the terms of a line's tangent by the places of its operands, given theirs."""
        return {place: self.pushed(line, place, pattern) for place, pattern in enumerate(given) if row.passes(place)}

    def pushed(self, line: int, place: int, given: Pattern) -> Pattern:
        """Find the pattern of a term of a line's tangent, given that of the operand at a place."""
        row, static, like = self._row(line), self.tape.static.get(line, ()), self.tape.values[line]
        if not is_anywhere(given):
            return nowhere(like)
        if row.is_elementwise:
            return each(partial(np.logical_and, given), self._reached(line, row, place))

        def push(z: Any, xs: Any) -> Any:
            return row.push(z, xs, [(place, self._noise(given, xs[place]))], static)

        return self._asked(line, row, like, push)

    def pulled(self, line: int, place: int, given: Pattern) -> Pattern:
        """Find the pattern of the adjoint that a line passes to an operand, given that of its own.

        For an elementwise line it is that before the sum over the axes that the operand was broadcast to.
        """
        row, static, operand = self._row(line), self.tape.static.get(line, ()), self.tape.operands(line)[place]
        if not is_anywhere(given):
            return nowhere(parts(given)[0] if row.is_elementwise else self.tape.value(operand))
        if row.is_elementwise:
            return reduce(np.logical_or, parts(each(np.logical_and, self._reached(line, row, place), given)))

        def pull(z: Any, xs: Any) -> Any:
            return passed_to_operand(row, place, self._noise(given, z), z, xs, static)

        unread = row.selects and not row.several and not np.any(given & np.isnan(read(self.tape.values[line])))
        return self._asked(line, row, self.tape.value(operand), pull, unread)

    def _row(self, line: int) -> Row:
        row = self.tape.rows[line]
        assert row is not None
        return row

    # ------------------------------------------------------------------------------------------ what it is for

    def of_adjoints(self, seeds: dict[int, Any]) -> tuple[list[Pattern], Terms]:
        """Find the patterns of the adjoints of all lines from those of output lines; None where no path leads.

        Find those of what each line passes to the operand at each place, too.
        """
        terms: Terms = {}
        found: list[Pattern] = [None] * len(self.tape)
        for line, seed in seeds.items():
            found[line] = of_seed(seed, self.tape.values[line])
        for line in range(max(seeds), -1, -1):
            given, row = found[line], self.tape.rows[line]
            if given is not None:
                given = each(np.logical_and, given, self.varying(line))  # of what does not vary no adjoint is needed
                found[line] = given
            if given is None or row is None or row.is_constant:
                continue
            for place, operand in enumerate(self.tape.operands(line)):
                if operand >= 0 and row.passes(place):
                    terms[line, place] = self.pulled(line, place, given)
                    passed = each(folded, terms[line, place], self.tape.values[operand])
                    found[operand] = passed if found[operand] is None else each(np.logical_or, found[operand], passed)
        return found, terms

    def of_tangents(self, seeds: dict[int, Any], lines: Iterable[int]) -> tuple[dict[int, Pattern], Terms]:
        """Find the patterns of the tangents of lines, in order, and of their terms, from those of input lines."""
        found = {line: of_seed(seed, self.tape.values[line]) for line, seed in seeds.items()}
        terms: Terms = {}
        for line in lines:
            row = self.tape.rows[line]
            if row is not None and not row.is_constant:
                given = [found[k] if k in found else either((), self.tape.value(k)) for k in self.tape.operands(line)]
                of_line = self._pushed(line, row, given)
                found[line] = either(of_line.values(), self.tape.values[line])
                terms |= {(line, place): pattern for place, pattern in of_line.items()}
        return found, terms


def passed_to_operand(row: Row, place: int, g: Any, z: Any, xs: list[Any], static: tuple[Any, ...]) -> Any:
    """Return what a line passes to the operand at a place, given the line's adjoint."""
    passed = row.pull(place, g, z, xs, static)
    return None if passed is None else each(fit, passed, xs[place])


def _is_asked_again(row: Row) -> bool:
    """Return whether a row that is not elementwise is asked at random points, too."""
    return not (row.is_elementwise or row.is_linear or row.selects or row.kinds == (Multilinear,))


def _without_nan(derivative: Any) -> Any:
    return None if derivative is None else np.where(np.isnan(derivative), 0.0, derivative)


def _reaches(row: Row, place: int, z: Any, xs: list[Any]) -> Pattern:
    """Return where the partial of an elementwise row is not 0, for each of several results that has one."""
    return each(
        lambda p: np.not_equal(p if isinstance(p, float) else evaluate_partial(p, *xs, z), 0), row.partials[place]
    )
