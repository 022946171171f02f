"""The sparsity pattern of a tape: which elements of the inputs each element of a line depends on.

Along the tape each line has a pattern, a CSR array of truth values, one row for each of its elements and one column for
each element of the inputs. What a line's row does to patterns is asked of the row itself (`asking`); an elementwise row
unites them. Which pattern comes out does not depend on the values of the inputs, as long as the program is the same:
both branches of `numpy.where` count, and of a product with something that varies, all of its elements.

So the pattern is never too sparse. It may be too dense, where a row could not be asked: such rows are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import is_unreal, shape, size
from dualnumbers.levels import is_number, plain
from dualnumbers.rules.where import where
from dualnumbers.several import each, parts
from dualnumbers.table import Row, is_of_table
from dualnumbers.table.kinds import Constant, Linear, Smooth

from ..calls.directions import total_size
from ..second_look.structure import passed_to_operand
from ..tape.keeping import restore
from ..tape.program import line_of
from ..tape.variable import ITEM
from ..tape.wengert import Tape
from . import asking

MOST_ELEMENTS = 1 << 26
"""How many elements a pattern may have, some 300 MB."""

LONG = 16
"""A product of patterns takes long where it adds up so many times more elements than a thin pattern has."""

Pattern = Any
"""A CSR array of truth values, or None where there is no dependence; of a line of several results a tuple of them."""


class NotSparseError(ValueError):
    """A pattern has more elements than it may have; ``reasons`` are what it rests on so far."""

    def __init__(self, said: str, reasons: list[Reason]) -> None:
        super().__init__(said)
        self.reasons = reasons


class Reason(NamedTuple):
    """A constant operand, by line and place, that a pattern rests on: on all of it, or on which of it is 0."""

    line: int
    place: int
    is_whole: bool


class Found(NamedTuple):
    """The pattern of some lines of a tape, the elements of one after those of the other; how it was found."""

    pattern: Any
    dense: list[int]
    """The lines that were taken for dense, since their rows could not be asked."""
    reasons: list[Reason]


def pattern_of(tape: Tape, outputs: Sequence[int | None], sizes: Sequence[int], most: int = MOST_ELEMENTS) -> Found:
    """Find the pattern of output lines of given sizes by the inputs of a tape; None is an output that is no line.

    Raises NotSparseError, a ValueError, where that of a line has more than ``most`` elements.
    """
    from scipy.sparse import csr_array, vstack

    restore(tape)
    patterns = _Patterns(tape, most)
    found = patterns.along([line for line in outputs if line is not None])
    blocks = [
        csr_array((count, patterns.width), dtype=bool) if line is None or found[line] is None else found[line]
        for line, count in zip(outputs, sizes, strict=True)
    ]
    whole = vstack(blocks, format="csr") if blocks else csr_array((0, patterns.width), dtype=bool)
    whole.sum_duplicates()
    return Found(whole, patterns.dense, patterns.reasons)


class _Patterns:
    """The patterns of a tape, found line by line."""

    def __init__(self, tape: Tape, most: int) -> None:
        self.tape, self.most = tape, most
        self.effort = asking.FULL if most >= MOST_ELEMENTS else asking.LITTLE
        self.starts = np.concatenate([[0], np.cumsum([size(tape.values[line]) for line in tape.inputs])]).astype(int)
        self.width = int(self.starts[-1])
        self.varying: set[int] = set()
        """The lines that depend on the inputs in whatever way, also those without a derivative."""
        self.found: dict[int, Pattern] = {}
        self.dense: list[int] = []
        self.reasons: list[Reason] = []
        self.random = np.random.default_rng(0)

    def along(self, outputs: Sequence[int]) -> dict[int, Pattern]:
        """Return the patterns of some lines; those on the way go with their last reader."""
        tape, behind = self.tape, max(outputs, default=-1) + 1
        wanted, last = set(outputs), dict.fromkeys(outputs, behind)
        for line in range(behind - 1, -1, -1):
            if line in wanted:
                for read in self._passing(line).values():
                    wanted.add(read)
                    last.setdefault(read, line)
        self.varying.update(tape.inputs)
        for line in range(behind):
            if any(read in self.varying for _, read, _ in tape.reads(line)):
                self.varying.add(line)
        for line in sorted(wanted):
            self.found[line] = self._of_line(line)
            for read in set(self._passing(line).values()):
                if last[read] == line:
                    del self.found[read]
        return self.found

    def _passing(self, line: int) -> dict[int, int]:
        """Return the operands of a line through which a derivative passes, by their places."""
        row = self.tape.rows[line]
        return (
            {}
            if row is None or row.is_constant
            else {place: k for place, k in enumerate(self.tape.operands(line)) if k >= 0 and row.passes(place)}
        )

    def _of_line(self, line: int) -> Pattern:
        row = self.tape.rows[line]
        if line in self.tape.inputs:
            return self._of_input(self.tape.inputs.index(line))
        given = {place: self.found[k] for place, k in self._passing(line).items() if self.found[k] is not None}
        if row is None or not given:
            return None
        if row is ITEM:
            return given[0][self.tape.static[line][0]]
        if row.is_elementwise or row is where.row:
            return self._united(line, row, given)
        return self._asked(line, row, given)

    def _of_input(self, number: int) -> Pattern:
        from scipy.sparse import csr_array

        start, stop = self.starts[number : number + 2]
        return csr_array(
            (np.ones(stop - start, bool), np.arange(start, stop), np.arange(stop - start + 1)),
            shape=(stop - start, self.width),
        )

    def _united(self, line: int, row: Row, given: dict[int, Pattern]) -> Pattern:
        """Unite the patterns of operands, which are broadcast."""
        z = self.tape.values[line]
        carried = row.carried(z) if row.several else [True]
        xs = {place: shape(self.tape.value(self.tape.operands(line)[place])) for place in given}

        def of(result: Any) -> Pattern:
            whole, seen = None, set()
            for place, pattern in given.items():
                if (id(pattern), xs[place]) not in seen:
                    seen.add((id(pattern), xs[place]))
                    term = self._broadcast(pattern, xs[place], shape(result), line)
                    whole = term if whole is None else self._limited(whole + term, line)
            return whole

        found = [of(x) if is_carried else None for x, is_carried in zip(parts(z), carried, strict=True)]
        return tuple(found) if row.several else found[0]

    def _broadcast(self, pattern: Pattern, of: tuple[int, ...], to: tuple[int, ...], line: int) -> Pattern:
        """Return the pattern of an array that is broadcast; its elements are counted before there are too many."""
        if of == to or np.prod(of) == np.prod(to):
            return pattern
        places = np.broadcast_to(np.arange(int(np.prod(of))).reshape(of), to).ravel()
        self._check(int(np.diff(pattern.indptr)[places].sum()), line)
        return pattern[places]

    def _asked(self, line: int, row: Row, given: dict[int, Pattern]) -> Pattern:
        """Carry the patterns of operands through what the row says that it connects."""
        from scipy.sparse import vstack

        if len(given) > 1 and row.is_linear:
            connected = self._answer(self._moved, line, row, list(given))
            if connected is not None:
                return self._product(connected, vstack(list(given.values()), format="csr"), line)
        whole = None
        for place, pattern in given.items():
            connected = self._answer(self._connected, line, row, place)
            term = (
                each(lambda z, p=pattern: self._filled(p, size(z), line), self.tape.values[line])
                if connected is None
                else self._product(connected, pattern, line)
            )
            if connected is None and line not in self.dense and total_size(list(parts(self.tape.values[line]))) > 1:
                self.dense.append(line)
            whole = term if whole is None else each(lambda a, b: a + b, whole, term)
        return whole

    def _filled(self, pattern: Pattern, rows: int, line: int) -> Pattern:
        """Return the pattern of elements that all depend on all that an operand does."""
        from scipy.sparse import csr_array

        columns = np.flatnonzero(np.bincount(pattern.indices, minlength=self.width))
        self._check(rows * len(columns), line)
        return csr_array(
            (np.ones(rows * len(columns), bool), np.tile(columns, rows), np.arange(rows + 1) * len(columns)),
            shape=(rows, self.width),
        )

    def _product(self, connected: Any, pattern: Pattern, line: int) -> Pattern:
        """Return what elements depend on by way of others; one that takes long has too many elements, most likely."""
        if self.effort is asking.LITTLE:
            self._check(int(np.diff(pattern.indptr)[connected.indices].sum()) // LONG, line)
        return self._limited(connected @ pattern, line)

    def _limited(self, pattern: Pattern, line: int) -> Pattern:
        self._check(pattern.nnz, line)
        return pattern

    def _check(self, count: int, line: int) -> None:
        if count > self.most:
            row = self.tape.rows[line]
            raise NotSparseError(
                f"the sparsity pattern has {count:,} elements at line {line}, "
                f"{row.shown if row else 'an input'}: it is not sparse; write jacobian(f), hessian(f) without sparse=, "
                "or products with it: linearize, vjp, hvp",
                self.reasons,
            )

    # ------------------------------------------------------------------------------------- what a row connects

    def _answer(self, ask: Callable[..., Any], line: int, row: Row, asked: Any) -> Any:
        """Return what a row says, and None where it cannot be asked."""
        try:
            return ask(line, row, asked)
        except Exception:  # whatever a rule raises at random points
            return None

    def _connected(self, line: int, row: Row, place: int) -> Any:
        """Return which elements of an operand each element of a line's value depends on, CSR; None of what is dense."""
        if row.name in RULES and is_of_table(row):
            return RULES[row.name](self, line, place)
        smooth = isinstance(row.argument(place).stated, Smooth)
        if type(self.tape.values[line]) is tuple or (smooth and not is_of_table(row)):
            return None  # a rule of the user's is not called at points where they did not call it
        apply, adjoint, inputs, outputs = self._maps(line, row, [place])
        if smooth:
            return asking.groups(apply, inputs, outputs, self.effort)
        return asking.linear(apply, adjoint, inputs, outputs, self.effort)

    def _moved(self, line: int, row: Row, places: list[int]) -> Any:
        """Return `_connected` of several operands, their elements one after the other; None where that is no answer.

        They are asked about at once: each of a thousand numbers that are stacked would be asked about beside all.
        """
        if row.name in RULES or type(self.tape.values[line]) is tuple:
            return None
        return asking.moved(*self._maps(line, row, places))

    def _maps(self, line: int, row: Row, places: list[int]) -> tuple[asking.Map, asking.Map, int, int]:
        """Return a row as a map of the elements of some operands, and its adjoint; how many elements go in and out."""
        static = self.tape.static.get(line, ())
        xs = [self._operand(line, row, places[0], k) for k in range(len(self.tape.operands(line)))]
        stops, z = np.cumsum([size(xs[place]) for place in places]), plain(self.tape.values[line])

        def apply(x: Any) -> Any:
            given = xs.copy()
            for place, part in zip(places, np.split(x, stops[:-1]), strict=True):
                given[place] = self._turned(part, xs[place]).reshape(shape(xs[place]))[()]
            return np.ravel(plain(row.evaluate(*given, *static)))

        def adjoint(g: Any) -> Any:
            g = self._turned(g, z).reshape(shape(z))[()]
            return np.concatenate(
                [np.ravel(plain(passed_to_operand(row, place, g, z, xs, static))) for place in places]
            )

        return _quiet(apply), _quiet(adjoint), int(stops[-1]), size(z)

    def _operand(self, line: int, row: Row, asked: int, place: int) -> Any:
        """Return what stands for an operand while a row is asked about another: what varies is random.

        What is constant is noted as a reason of the answer.
        """
        operand = self.tape.operands(line)[place]
        x, kind, kind_asked = plain(self.tape.value(operand)), row.argument(place).stated, row.argument(asked).stated
        if place == asked or (isinstance(kind, Linear) and isinstance(kind_asked, Linear)):
            return np.zeros(np.shape(x), np.result_type(x))[()]
        if line_of(operand) in self.varying and not isinstance(kind, Constant):
            return self._turned(self.random.uniform(0.5, 1.0, np.shape(x)), x)
        if line_of(operand) in self.tape.unkept or is_number(type(self.tape.value(operand))):
            raise asking.NotFoundError  # at other values, of a recording around it, the pattern may be another one
        is_whole = isinstance(kind, Constant) or isinstance(kind_asked, Smooth)
        self.reasons.append(Reason(line, place, is_whole))
        return x

    def _turned(self, x: Any, like: Any) -> Any:
        """Return random real numbers as complex ones where they stand for such."""
        return x * (1.0 + 0.5j) if is_unreal(like) else x


def _quiet(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a function be called without warnings."""

    def called(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(x)

    return called


RULES: dict[str, Callable[[_Patterns, int, int], Any]] = {}
"""Of rows that are not asked, by name, what each element of their value is made of: products with sparse matrices."""
