"""Lengths: roots of sums of squares on a tape. Where all the squares are 0 a length has a kink.

The policy gives it the slope 0 there, as ``abs``, ``hypot`` and ``norm`` have. The rule of the root alone cannot know:
it says ∞, which against the slope 0 of a square is NaN. So what is under the root is looked at.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, shape
from dualnumbers.levels import is_number, read
from dualnumbers.rules.where import where
from dualnumbers.several import each

from ..tape.wengert import Tape

PLACING = frozenset((
    "getitem", "scatter", "setitem", "reshape", "transpose", "broadcast_to", "astype", "concatenate", "stack", "where",
    "sum", "mean", "fsum", "gathered", "spread", "roll", "tile", "repeat", "resize", "delete", "insert", "take",
    "take_along_axis", "compress", "extract", "diagonal", "diag", "diagflat", "tril", "triu", "relabelled", "sum_where",
    "mean_where", "cumsum", "sliding_window_view", "add", "positive", "_numpy_scalar", "multiply", "fma", "matmul",
    "dot", "inner", "einsum", "convolution", "maximum", "copy"))  # fmt: skip
"""Rows by which what is nowhere below 0 stays so, and is 0 only where all that it is made of is 0, or has no share."""

ALIKE = frozenset(("copy", "positive", "conj", "real", "_numpy_scalar"))
"""Rows whose output has the elements of their operand, if that is real."""

DIAGONALS = frozenset(("diagonal", "diag", "trace"))
"""Rows that take the diagonal of a matrix, its offset their first parameter."""

Shape = tuple[int, ...]


class Squares:
    """The lines of a tape that are sums of squares of real numbers."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.first_of: dict[Any, int] = {}
        self.same: list[int] = []
        self.squares: list[bool] = []
        self.grams: list[bool] = []
        """Which lines are X Xᵀ, up to factors that are nowhere below 0: its diagonal has sums of squares."""
        for line, row in enumerate(tape.rows):
            self.same.append(self._as_computed_first(line))
            self.grams.append(row is not None and not tape.complex and self._is_gram(line, row.name))
            self.squares.append(row is not None and not tape.complex and self._is_sum(line, row.name))

    def _as_computed_first(self, line: int) -> int:
        """Return the first line that has the same elements, in C order, by the same computation."""
        row, operands = self.tape.rows[line], self.tape.operands(line)
        static = self.tape.static.get(line, ())
        if row is None or any(isinstance(x, np.ndarray) for x in _flat(static)):
            return line
        if operands[0] >= 0 and self._keeps_order(row.name, operands[0], static):
            return self.same[operands[0]]
        shapes = [self._shape(k) if k >= 0 else None for k in operands]
        if row.is_elementwise and set(shapes) <= {self._shape(line), None}:
            shapes = []  # nothing is broadcast: the elements in C order are all that counts
        value = self.tape.values[line]
        key = (row.face_of(value), each(dtype_of, value), *map(self._key, operands), *shapes, repr(static))
        return self.first_of.setdefault(key, line)

    def _keeps_order(self, name: str, operand: int, static: Any) -> bool:
        """Return whether a row gives all the elements of an operand in the same order."""
        if name == "getitem":
            return all(map(_adds_axes, _flat(static)))
        if name in ("reshape", "transpose"):
            of: Shape = self._shape(operand)
            return static == (static[0], "C") or math.prod(of) == max(of, default=1)
        return name in ALIKE

    def _key(self, operand: int) -> Any:
        """Return what is the same of operands that are: of constants the value, whatever its type."""
        if operand >= 0:
            return self.same[operand]
        x = self.tape.value(operand)
        given = np.asarray(x) if isinstance(x, (int, float, np.number, np.ndarray)) else None
        if given is not None and given.dtype.kind in "iuf":
            doubles = given.astype(float)
            if np.array_equal(doubles.astype(given.dtype), given):
                return "constant", doubles.shape, doubles.tobytes()
        return "unlike any other", operand

    def _shape(self, line: int) -> Any:
        return each(shape, self.tape.values[line])

    def _is_sum(self, line: int, name: str) -> bool:
        operands, static = self.tape.operands(line), self.tape.static.get(line, ())
        if name == "square":
            return True
        if name in DIAGONALS and operands[0] >= 0 and static[0] == 0 and self.grams[operands[0]]:
            return True
        if name == "power":
            exponent = self.tape.value(operands[1])
            whole = operands[1] < 0 and not is_number(type(exponent)) and np.all(np.mod(exponent, 2) == 0)
            return bool(whole and np.all(np.greater(exponent, 0)))
        if name == "convolution" and static[-1] in ("fft", "oa"):
            return False  # by it a sum of nothing is rounding
        if name == "divide":
            return self._is_kept(operands[0]) and self._is_constant(operands[1])
        if name in ("multiply", "matmul", "dot", "inner", "einsum") and self._is_square(operands, static, name):
            return True
        return name in PLACING and all(map(self._is_kept, operands))

    def _is_square(self, operands: list[int], static: Any, name: str) -> bool:
        """Return whether a product is of elements with themselves: both factors have the same ones in place."""
        if len(operands) != 2 or min(operands) < 0 or self.same[operands[0]] != self.same[operands[1]]:
            return False
        left, right = map(self._shape, operands)
        if name in ("matmul", "dot"):
            left, right = left if len(left) > 1 else (1, *left), right if len(right) > 1 else (*right, 1)
            beside = left[-2] == right[-1] == 1 and left[-1] == right[-2]
            return beside and left[:-2] == right[:-2] and (name == "matmul" or len(left) == 2)
        if name == "einsum":
            first, _, second = static[0].partition("->")[0].partition(",")
            return left == right and bool(first == second)
        return left == right and (name != "inner" or len(left) == 1)

    def _is_gram(self, line: int, name: str) -> bool:
        operands = self.tape.operands(line)
        if name in ("matmul", "dot", "inner"):
            if min(operands) < 0 or any(len(self._shape(k)) != 2 for k in (line, *operands)):
                return False
            (left, turned), (right, other) = map(self._untransposed, operands)
            return left == right and (turned == other) == (name == "inner")
        if name in ("multiply", "divide"):
            return self._is_scaled_gram(*operands) or (name == "multiply" and self._is_scaled_gram(*operands[::-1]))
        return name in ALIKE and operands[0] >= 0 and self.grams[operands[0]]

    def _is_scaled_gram(self, matrix: int, factor: int) -> bool:
        return (
            matrix >= 0 and self.grams[matrix] and self._is_constant(factor) and np.ndim(self.tape.value(factor)) <= 2
        )

    def _untransposed(self, line: int) -> tuple[int, bool]:
        """Return the line that a matrix is, or is the transpose of, and whether it is that."""
        turned, row = False, self.tape.rows[line]
        while row is not None and (row.name == "transpose" or row.name in ALIKE):
            axes = self.tape.static.get(line, (None,))[0] if row.name == "transpose" else (0, 1)
            turned = turned != (axes is None or axes[0] in (1, -1))
            line = self.tape.operands(line)[0]
            row = self.tape.rows[line] if line >= 0 else None
        return self.same[line] if line >= 0 else line, turned

    def _is_kept(self, operand: int) -> bool:
        """Return whether an operand is a sum of squares, or a constant that is nowhere below 0."""
        return self.squares[operand] if operand >= 0 else self._is_constant(operand)

    def _is_constant(self, operand: int) -> bool:
        x = self.tape.value(operand)
        return operand < 0 and not is_number(type(x)) and bool(np.all(np.greater_equal(x, 0)))


def _adds_axes(part: Any) -> bool:
    """Return whether a part of an index leaves all elements as they are."""
    return part is None or part is Ellipsis or (isinstance(part, slice) and part == slice(None))


def _flat(static: Any) -> list[Any]:
    return [x for part in static for x in (_flat(part) if isinstance(part, (tuple, list)) else [part])]


def kinks(tape: Tape) -> dict[int, Any]:
    """Return the places at which lines that are lengths are 0, of those that are so anywhere."""
    roots = {line: at for line, row in enumerate(tape.rows) if row is not None and row.name in ("sqrt", "power", "pow")
             for at in [_zeros_under(tape, line)] if np.any(at)}  # fmt: skip
    if not roots:
        return roots
    squares = Squares(tape).squares
    under = {line: tape.operands(line)[0] for line in roots}
    return {line: at for line, at in roots.items() if under[line] >= 0 and squares[under[line]]}


def slope_of_length(p: Any, at_kink: Any, squares: Any) -> Any:
    """Return the partial ``p`` of a root by the sum of squares under it; 0 at a kink.

    A high power of the sum is that 0: its derivatives are 0 as well, at every order that is asked for, if those of what
    is squared are finite, and NaN else.
    """
    return where(at_kink, where(at_kink, squares, 0.0) ** 20, p)


def _zeros_under(tape: Tape, line: int) -> Any:
    """Return where what is under a root is 0."""
    _, *others = tape.operands(line)
    if others:
        exponent = tape.value(others[0])
        if others[0] >= 0 or is_number(type(exponent)) or not np.all(np.equal(exponent, 0.5)):
            return False
    return np.equal(read(tape.value(tape.operands(line)[0])), 0)
