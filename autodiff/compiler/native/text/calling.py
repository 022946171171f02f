"""Kernels that a library computes, as calls in LLVM's language: products of matrices by BLAS, systems by LAPACK."""

from __future__ import annotations

import numpy as np

from ..elementary.code import NAMES, Value, literal
from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import FACTORS, SYSTEMS
from ..kernels.fusing import Kernel
from ..machine.addresses import Addresses
from ..machine.blas import LARGEST, LOOPS, address, as_columns
from .memory import SIZES
from .printing import Printer

ROWS, COLUMNS, SUMMED = range(3)
"""The places of the three kinds of loops in `LOOPS`."""


class Caller(Printer):
    """The text of a kernel that is a call for some of its loops, in loops over the others."""

    called: tuple[int, ...]
    """The loops that are the library's."""

    def __init__(self, kernel: Kernel, name: str, slots: dict[int, int], failed: int, addresses: Addresses) -> None:
        self.addresses = addresses
        self.shape, self.form, self.of = kernel.shape, kernel.nodes[-1].form, kernel.nodes[-1].kind
        loaded = [kernel.nodes[x].address for x in kernel.nodes[-1].operands if isinstance(x, int)]
        self.places: list[Address] = [*(x for x in loaded if x is not None), kernel.stores[0].address]
        """Where the operands are, and the result."""
        self._constants: dict[str, str] = {}
        self._choose()
        super().__init__(kernel, name, slots, failed)

    def _choose(self) -> None:
        """Choose the library's loops."""
        raise NotImplementedError

    def _write(self, starts: list[str]) -> None:
        """Write the call, from pointers to the beginnings of the operands and the result."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        return "\n".join([*(f"{name} = private constant {x}" for x, name in self._constants.items()), super().text])

    def _loop(self, depth: int) -> None:
        """Write the loops that are not the library's, from a depth on, and its call."""
        outer = [k for k in range(len(self.shape)) if k not in self.called]
        if depth < len(outer):
            self._begin(f".{depth}")
            self._loop(depth + 1)
            self._end(f".{depth}", 1, self.shape[outer[depth]])
            return
        given = [x.along_with(lambda a: a._replace(strides=(*(a.strides[k] for k in outer), 0))) for x in self.places]
        self._starts = {x.places: self._start(x.places) for x in given if x.places is not None}
        self._write(list(map(self._start, given)))

    def _call(self, name: str, *given: str | float) -> None:
        """Write the call of a function: of pointers, letters, and numbers by their addresses, as Fortran takes them."""
        taken = []
        for x in given:
            if isinstance(x, str) and len(x) > 1:
                taken.append(f"ptr {x}")
                continue
            of = f"i8 {ord(x)}" if isinstance(x, str) else f"i32 {x}"
            constant = f"{NAMES[self.of]} {literal(x, self.of)}" if isinstance(x, float) else of
            taken.append(f"ptr {self._constants.setdefault(constant, f'@{self.name}.{len(self._constants)}')}")
        function = self._line(self.addresses.load(address(name, self.of)))
        self.lines.append(f"call void {function}({', '.join(taken)})")


class Product(Caller):
    """The text of a kernel that is a product.

    It goes over loops, each of which steps through two of three: through the rows of the first matrix and of the
    product, the columns of the second and of the product, or what is summed in both. One loop of each kind is BLAS's,
    any others are loops around its call, which adds to what is there.
    """

    def _choose(self) -> None:
        self.of_blas = [-1, -1, -1]
        """The loops of rows, of columns, of what is summed; -1 where there is none."""
        for k in reversed(range(len(self.shape))):
            self._give(k)
        self.called = tuple(self.of_blas)

    def _give(self, k: int) -> None:
        """Give BLAS a loop, if it takes the matrices then."""
        steps = tuple(bool(x.strides[k]) for x in self.places)
        if steps in LOOPS and self.of_blas[LOOPS.index(steps)] < 0 and self.shape[k] <= LARGEST:
            self.of_blas[LOOPS.index(steps)] = k
            if self._taken(["", "", ""]) is None:
                self.of_blas[LOOPS.index(steps)] = -1

    def _matrix(self, place: int, down: int, along: int) -> tuple[str, int] | None:
        """Return how BLAS is to be told of one of the three, whose columns are along two loops."""
        loops = [self.of_blas[down], self.of_blas[along]]
        shape = [self.shape[k] if k >= 0 else 1 for k in loops]
        strides = [self.places[place].strides[k] if k >= 0 else 0 for k in loops]
        return as_columns((shape[0], shape[1]), (strides[0], strides[1]))

    def _step_of(self, place: int, loop: int) -> int | None:
        """Return the stride of a vector, 1 where it has one element; None where BLAS does not take it."""
        k = self.of_blas[loop]
        stride = self.places[place].strides[k] if k >= 0 else 1
        return stride if stride > 0 else None

    def _taken(self, starts: list[str]) -> list[str | float] | None:
        """Return the function of BLAS and what it takes; None where it cannot.

        BLAS has matrices by columns: it is given the transposed ones, the second before the first.
        """
        rows, columns, summed = (self.shape[k] if k >= 0 else 1 for k in self.of_blas)
        a, b, z = starts
        if rows > 1 and columns > 1:
            first, second = self._matrix(1, COLUMNS, SUMMED), self._matrix(0, SUMMED, ROWS)
            product = self._matrix(2, COLUMNS, ROWS)
            if first is None or second is None or product is None or product[0] == "T":
                return None
            return ["gemm", first[0], second[0], columns, rows, summed, 1.0, b, first[1], a, second[1], 1.0, z,
                    product[1]]  # fmt: skip
        place, loop = (1, COLUMNS) if columns > 1 else (0, ROWS)
        matrix, x, y = self._matrix(place, loop, SUMMED), self._step_of(1 - place, SUMMED), self._step_of(2, loop)
        if matrix is None or x is None or y is None:
            return None
        shape = (columns * rows, summed) if matrix[0] == "N" else (summed, columns * rows)
        return ["gemv", matrix[0], *shape, 1.0, starts[place], matrix[1], starts[1 - place], x, 1.0, z, y]

    def _write(self, starts: list[str]) -> None:
        found = self._taken(starts)
        assert found is not None
        name, *given = found
        self._call(str(name), *given)


class System(Caller):
    """The text of a kernel that solves a system, or factors a matrix, in place.

    Where a matrix may be singular, or what was found is not finite, that is noted as what raises is: then Python
    decides.
    """

    def _choose(self) -> None:
        rank = len(self.shape)
        self.called = tuple(range(rank - (2 if self.form in FACTORS else 3), rank))

    def _loop(self, depth: int) -> None:
        if depth == 0:
            self.lines += ["%info = alloca i32", f"%pivots = alloca [{self.shape[-2]} x i32], align 16"]
        super()._loop(depth)

    def _write(self, starts: list[str]) -> None:
        n, m = self.shape[-2], self.shape[-1]
        first, last = self.called[:2], self.called[-2:]
        matrix = as_columns((n, n), (self.places[0].strides[first[0]], self.places[0].strides[first[1]]))
        found = as_columns((n, self.shape[-1]), (self.places[-1].strides[last[0]], self.places[-1].strides[last[1]]))
        assert matrix is not None
        assert found is not None
        how, leading = matrix
        eps = float(np.finfo(DTYPES[self.of]).eps) * 100.0
        if self.form == "solve":
            self._call("gesv", n, m, starts[0], leading, "%pivots", starts[1], found[1], "%info")
        elif self.form == "cholesky":
            self._call("potrf", "L", n, starts[0], leading, "%info")
        elif self.form == "eliminated":
            self._call("getrf", n, n, starts[0], leading, "%pivots", "%info")
            self._turn(starts[0])
        else:
            triangle = "L" if (self.form == "solve_lower") == (how == "N") else "U"
            self._call("trsm", "L", triangle, how, "N", n, m, 1.0, starts[0], leading, starts[1], found[1])
        if self.form == "solve" or self.form in FACTORS:
            self._fail(self._line(f"icmp ne i32 {self._line('load i32, ptr %info, align 4')}, 0"))
        self._fail_unless_regular(
            starts[0], leading, {"solve": eps, "eliminated": eps, "cholesky": eps**0.5}.get(self.form, 0.0)
        )
        self._fail_unless_finite(starts[-1], found[1], self.shape[last[1]])

    def _turn(self, start: str) -> None:
        """Change the sign of the first element where an odd number of rows were exchanged."""
        one, of = self._code(1), NAMES[self.of]
        self._begin(".pivot")
        self.lines.append("%odd = phi i1 [ false, %before.pivot ], [ %turned, %latch.pivot ]")
        pivot = self._line(f"load i32, ptr {self._line('getelementptr i32, ptr %pivots, i64 %i.pivot')}, align 4")
        own = self._line(f"add i32 {self._line('trunc i64 %i.pivot to i32')}, 1")
        turned = one.integer("xor", Value("%odd", "b1"), Value(self._line(f"icmp ne i32 {pivot}, {own}"), "b1"))
        self._end_join(one, "%turned", turned)
        self._end(".pivot", 1, self.shape[-2])
        first = Value(self._line(f"load {of}, ptr {start}, align {SIZES[of]}"), self.of)
        first = one.select(Value("%turned", "b1"), one.negative(first), first)
        self.lines.append(f"store {of} {first.text}, ptr {start}, align {SIZES[of]}")

    def _loaded(self, start: str, place: str) -> Value:
        """Write the load of the size of an element."""
        of = NAMES[self.of]
        pointer = self._line(f"getelementptr {of}, ptr {start}, i64 {place}")
        return self._code(1).own("fabs", Value(self._line(f"load {of}, ptr {pointer}, align {SIZES[of]}"), self.of))

    def _fail(self, fails: str) -> None:
        """Write down that something fails, if it does."""
        base = self._bases[self.failed]
        old = self._line(f"load i8, ptr {base}")
        new = self._line(f"or i8 {old}, {self._line(f'zext i1 {fails} to i8')}")
        self.lines.append(f"store i8 {new}, ptr {base}")

    def _fail_unless_regular(self, start: str, leading: int, least: float) -> None:
        """Note where the smallest element of a diagonal is not beyond so much of the largest one."""
        one, of = self._code(1), NAMES[self.of]
        low, high = Value("%low", self.of), Value("%high", self.of)
        self._begin(".diagonal")
        for x, number, after in ((low, float("inf"), "%lower"), (high, 0.0, "%higher")):
            begin = f"[ {literal(number, self.of)}, %before.diagonal ]"
            self.lines.append(f"{x.text} = phi {of} {begin}, [ {after}, %latch.diagonal ]")
        size = self._loaded(start, self._line(f"mul i64 %i.diagonal, {leading + 1}"))
        self._end_join(one, "%lower", one.select(one.compare("less", size, low), size, low))
        self._end_join(one, "%higher", one.select(one.compare("greater", size, high), size, high))
        self._end(".diagonal", 1, self.shape[-2])
        limit = one.multiply(Value("%higher", self.of), one.constant(least, self.of))
        right = one.compare("greater", Value("%lower", self.of), limit)
        self._fail(one.integer("xor", right, one.constant(1, "b1")).text)

    def _fail_unless_finite(self, start: str, leading: int, columns: int) -> None:
        one = self._code(1)
        self._begin(".column")
        begin = self._line(f"mul i64 %i.column, {leading}")
        self._begin(".row")
        self.lines.append("%wrong = phi i1 [ false, %before.row ], [ %worse, %latch.row ]")
        is_finite = one.is_finite(self._loaded(start, self._line(f"add i64 {begin}, %i.row")))
        wrong = one.integer("xor", is_finite, one.constant(1, "b1"))
        self._end_join(one, "%worse", one.integer("or", Value("%wrong", "b1"), wrong))
        self._end(".row", 1, self.shape[-2])
        self._fail("%worse")
        self._end(".column", 1, columns)


def printed(kernel: Kernel, name: str, slots: dict[int, int], failed: int, addresses: Addresses) -> Printer:
    """Return a kernel's text."""
    if not kernel.is_call:
        return Printer(kernel, name, slots, failed)
    return (System if kernel.nodes[-1].form in SYSTEMS else Product)(kernel, name, slots, failed, addresses)
