"""A program as text, as it runs: the statements that are left to NumPy, and the loops of machine code.

Of a loop it says what is computed, element by element, and where it is put: one line is one store. ``v0[i]`` and its
like are elements of arguments and results, ``c1[i]`` of constants, and ``table0[i]`` of numbers that were another
constant in each round, ``m3[i]`` of memory in between. A value that is read twice has a name, ``t5``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..tape.replay import same
from .native.instructions.areas import Address
from .native.instructions.instruction import Block
from .native.kernels.fusing import Kernel
from .native.kernels.sinking import kernels_of
from .native.rows.deciding import side_by_side
from .source import Source

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def listed(source: Source, constants: Sequence[Any]) -> str:
    """Return the text of a program, in which the loops of machine code stand in the place of its calls.

    Its constants are named by their places among those of all rounds of its loops.
    """
    lines = list(source.lines)
    if source.native:
        levels = {id(block): level for level, block in source.native.blocks.items()}
        for of, first, called in reversed(source.blocks):
            block = source.native.parts.blocks[levels[id(called)]]
            given = {space.number: _name(number, source, constants) for number, space in block.given.items()}
            lines[of] = _Loops(block, given, first).lines
    return source.with_lines(lines)


def _name(number: int, source: Source, constants: Sequence[Any]) -> str:
    """Return what a value is called that a block takes."""
    if number >= 0:
        return f"v{number}"
    value = source.program.value(number)
    return f"c{next(k for k, x in enumerate(constants) if x is value or same(x, value))}"


class _Loops:
    """The kernels of one block, and what it is left by, guards that have numbers from ``first`` on."""

    def __init__(self, block: Block, given: dict[int, str], first: int) -> None:
        self.names = given | {area.space.number: f"v{number}" for number, area in block.results.items()}
        self.names |= {space.number: f"table{k}" for k, space in enumerate(block.tables)}
        kept = {area.space.number for area in block.results.values()} | {area.space.number for area, *_ in block.guards}
        self.lines = [line for kernel in kernels_of(block.groups, kept) for line in self._kernel(kernel)]
        """The lines of text."""
        self.lines += self._guards(block, first)

    def _guards(self, block: Block, first: int) -> Iterator[str]:
        """Yield the lines of its guards; those of the rounds of a loop, whose truths stand side by side, are a loop."""

        for start, count, area, answer in side_by_side(block.guards):
            place = self._place(Address(area.space.number, "b1", area.offset, (1,) if count > 1 else ()))
            number = first + start
            which = f"i + {number}" if count > 1 and number else "i" if count > 1 else str(number)
            lines = [f"if {'not ' if answer else ''}{place}:", f"    raise Diverged({which})"]
            yield from [f"for i in {count}:", *(f"    {line}" for line in lines)] if count > 1 else lines

    def _kernel(self, kernel: Kernel) -> list[str]:
        rounds = " × ".join(map(str, kernel.shape))
        around = f"{kernel.rounds} times " if kernel.rounds > 1 else ""
        order = ", one after the other" if kernel.sequential else ""
        head = (
            f"{around}for {', '.join('ijklpqrs'[: len(kernel.shape)])} in {rounds}{order}:"
            if rounds
            else f"{around}once:"
        )
        read = Counter(x for node in kernel.nodes for x in node.operands if isinstance(x, int))
        read.update(store.node for store in kernel.stores)
        lines, texts = [], list[str]()
        for k, node in enumerate(kernel.nodes):
            if node.address is not None:
                texts.append(self._place(node.address))
                continue
            operands = [texts[x] if isinstance(x, int) else f"{x:g}" for x in node.operands]
            text = _expression(node.form, operands)
            if read[k] > 1:
                lines.append(f"    t{k} = {_bare(text)}")
                text = f"t{k}"
            texts.append(text)
        for store in kernel.stores:
            sign = {"": "=", "add": "+=", "multiply": "*="}.get(store.fold, f"{store.fold}=")
            lines.append(f"    {self._place(store.address)} {sign} {_bare(texts[store.node])}")
        return [head, *lines]

    def _place(self, address: Address) -> str:
        """Return an element: the name of the memory, and the place in it."""
        terms = [
            f"{'' if stride == 1 else '-' if stride == -1 else f'{stride} '}{name}"
            for name, stride in zip("ijklpqrs", address.strides, strict=False)
            if stride
        ]
        if address.places:
            terms.append(self._place(address.places))
        if address.offset or not terms:
            terms.append(str(address.offset))
        return f"{self.names.get(address.space, f'm{address.space}')}[{' + '.join(terms).replace('+ -', '- ')}]"


def _expression(form: str, operands: list[str]) -> str:
    """Return an expression, in parentheses if it has an operator."""
    if form == "same":
        return operands[0]
    if form == "negative":
        return f"(-{operands[0]})"
    sign = SIGNS.get(form)
    return f"({f' {sign} '.join(operands)})" if sign else f"{form}({', '.join(operands)})"


def _bare(text: str) -> str:
    """Leave the parentheses of an expression away."""
    return text[1:-1] if text.startswith("(") else text
