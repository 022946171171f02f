"""Kernels that a library computes, as calls in LLVM's language: products of matrices by BLAS.

A product goes over loops, each of which steps through two of three: through the rows of the first matrix and of the
product, the columns of the second and of the product, or what is summed in both. One loop of each kind is BLAS's, any
others are loops around its call, which adds to what is there.
"""

from __future__ import annotations

from .areas import Address
from .blas import LARGEST, address, as_columns
from .code import NAMES, literal
from .fusing import Kernel
from .printing import Printer
from .python import at_address

KINDS = ((True, False, True), (False, True, True), (True, True, False))
"""Whether a loop steps through the first operand, the second, the product: one of rows, of columns, of what is summed.
"""

ROWS, COLUMNS, SUMMED = range(3)


def printed(kernel: Kernel, name: str, slots: dict[int, int], failed: int) -> Printer:
    """Return a kernel's text."""
    return (Product if kernel.is_call else Printer)(kernel, name, slots, failed)


class Product(Printer):
    """The text of a kernel that is a product."""

    def __init__(self, kernel: Kernel, name: str, slots: dict[int, int], failed: int) -> None:
        loaded = [kernel.nodes[x].address for x in kernel.nodes[-1].operands if isinstance(x, int)]
        self.three: list[Address] = [*(x for x in loaded if x is not None), kernel.stores[0].address]
        """The operands and the product."""
        self.shape = kernel.shape
        self.of_blas = [-1, -1, -1]
        """The loops of rows, of columns, of what is summed; -1 where there is none."""
        for k in reversed(range(len(kernel.shape))):
            self._give(k)
        self._constants: dict[str, str] = {}
        super().__init__(kernel, name, slots, failed)

    @property
    def text(self) -> str:
        return "\n".join([*(f"{name} = private constant {x}" for x, name in self._constants.items()), super().text])

    def _give(self, k: int) -> None:
        """Give BLAS a loop, if it takes the matrices then."""
        steps = tuple(bool(x.strides[k]) for x in self.three)
        if steps in KINDS and self.of_blas[KINDS.index(steps)] < 0 and self.shape[k] <= LARGEST:
            self.of_blas[KINDS.index(steps)] = k
            if self._call() is None:
                self.of_blas[KINDS.index(steps)] = -1

    def _matrix(self, place: int, down: int, along: int) -> tuple[str, int] | None:
        """Return how BLAS is to be told of one of the three, whose columns are along two loops."""
        loops = [self.of_blas[down], self.of_blas[along]]
        shape = [self.shape[k] if k >= 0 else 1 for k in loops]
        strides = [self.three[place].strides[k] if k >= 0 else 0 for k in loops]
        return as_columns((shape[0], shape[1]), (strides[0], strides[1]))

    def _step_of(self, place: int, loop: int) -> int | None:
        """Return the stride of a vector, 1 where it has one element; None where BLAS does not take it."""
        k = self.of_blas[loop]
        stride = self.three[place].strides[k] if k >= 0 else 1
        return stride if stride > 0 else None

    def _call(self) -> tuple[str, list[str | int | float]] | None:
        """Return the function of BLAS and what it takes, an operand or the product as ``0 1 2``; None where it cannot.

        BLAS has matrices by columns: it is given the transposed ones, the second before the first.
        """
        rows, columns, summed = (self.shape[k] if k >= 0 else 1 for k in self.of_blas)
        if rows > 1 and columns > 1:
            first, second = self._matrix(1, COLUMNS, SUMMED), self._matrix(0, SUMMED, ROWS)
            product = self._matrix(2, COLUMNS, ROWS)
            if first is None or second is None or product is None or product[0] == "T":
                return None
            return "gemm", [first[0], second[0], columns, rows, summed, 1.0, "1", first[1], "0", second[1], 1.0, "2",
                            product[1]]  # fmt: skip
        place, loop = (1, COLUMNS) if columns > 1 else (0, ROWS)
        matrix, x, y = self._matrix(place, loop, SUMMED), self._step_of(1 - place, SUMMED), self._step_of(2, loop)
        if matrix is None or x is None or y is None:
            return None
        shape = (columns * rows, summed) if matrix[0] == "N" else (summed, columns * rows)
        return "gemv", [matrix[0], *shape, 1.0, f"{place}", matrix[1], f"{1 - place}", x, 1.0, "2", y]

    # --------------------------------------------------------------------------------------------------------- text

    def _loop(self, depth: int) -> None:
        """Write the loops that are not BLAS's, from a depth on, and its call."""
        outer = [k for k in range(len(self.shape)) if k not in self.of_blas]
        if depth < len(outer):
            self._begin(f".{depth}")
            self._loop(depth + 1)
            self._end(f".{depth}", 1, self.shape[outer[depth]])
            return
        found = self._call()
        assert found is not None
        of = self.kernel.nodes[-1].kind
        starts = [self._start(x._replace(strides=(*(x.strides[k] for k in outer), 0))) for x in self.three]
        given = []
        for x in found[1]:
            if isinstance(x, str):
                given.append(f"ptr {starts[int(x)]}" if x.isdigit() else self._constant(f"i8 {ord(x)}"))
            else:
                given.append(self._constant(f"i32 {x}" if isinstance(x, int) else f"{NAMES[of]} {literal(x, of)}"))
        self.lines.append(f"call void {at_address(address(found[0], of))}({', '.join(given)})")

    def _constant(self, x: str) -> str:
        """Return a constant by its address, as Fortran takes it."""
        return f"ptr {self._constants.setdefault(x, f'@{self.name}.{len(self._constants)}')}"
