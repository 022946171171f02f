"""A block as a function in C: its parameters, the memory in between, the calls of its kernels; and the header."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import numpy as np

from ..native.instructions.areas import KINDS, Area, Space
from ..native.instructions.instruction import Block
from ..native.kernels.arranging import SMALL, Arrangement
from .code import STORED, literal
from .forms import written
from .printing import WIDTH, Printer, wrapped
from .systems import systems

NOT_AS_PYTHON, NO_MEMORY = -1, -2
"""What the function returns where Python would raise, or where there is no memory."""


HEADER = """#ifndef {guard}
#define {guard}

/*
{comment}
 */

#ifdef __cplusplus
extern "C" {{
#endif

{declaration};

#ifdef __cplusplus
}}
#endif

#endif
"""


class Parameter(NamedTuple):
    """What the function takes: an argument, or where a result is to be written."""

    name: str
    path: str
    """How Python would reach it."""
    value: Any
    space: Space | None
    """The piece of memory that it is for the block; None where nothing reads it."""
    area: Area | None
    """Where a result is; None of an argument."""

    @property
    def kind(self) -> str:
        return KINDS[np.result_type(self.value).char]

    @property
    def is_number(self) -> bool:
        """Return whether it is an argument that is taken by its value."""
        return self.area is None and np.ndim(self.value) == 0

    @property
    def declaration(self) -> str:
        of, size = STORED[self.kind], np.size(self.value)
        if self.is_number:
            return f"{of} {self.name}"
        if np.ndim(self.value) == 0:
            return f"{of} *{self.name}"
        return f"{'const ' if self.area is None else ''}{of} {self.name}[{size}]"

    @property
    def described(self) -> str:
        """What a header says of it."""
        shape = np.shape(self.value)
        rows = ", row by row" if len(shape) > 1 else ""
        said = f"an array of shape {shape}{rows}" if shape else "a number"
        return f"{self.name}: {self.path}, {said}" if self.path != self.name else f"{self.name}: {said}"


class Function(Arrangement):
    """The texts of a function and its header."""

    def __init__(
        self, block: Block, name: str, parameters: list[Parameter], constants: dict[Space, np.ndarray], fixed: list[str]
    ) -> None:
        super().__init__(block, [p.area for p in parameters if p.area is not None], constants)
        self.name, self.parameters, self._fixed = name, parameters, fixed
        self.include = f"{name}.h"
        """The name of the header's file."""
        self._names = {space.number: f"m{k}" for k, space in enumerate(self.spaces)}
        self._names |= {space.number: f"c{k}" for k, space in enumerate(self.constants)}
        self._names |= {p.space.number: p.name for p in parameters if p.space is not None}
        self._names[self.failed.number] = "failed"
        static = {space.number for space in self.constants}
        self._printers = [
            Printer(kernel, k, self._names, static, self.failed.number) for k, kernel in enumerate(self.kernels)
        ]
        given = {p.space for p in parameters if p.space is not None}
        self._at, self._size = self.places({*given, *self.constants, self.failed})

    @property
    def source(self) -> str:
        """The text of the file."""
        used = set().union(*(printer.used for printer in self._printers))
        read = set().union(*(kernel.spaces() for kernel in self.kernels))
        tables = [self._table(space, x) for space, x in self.constants.items() if space.number in read]
        includes = ["<math.h>", "<stddef.h>", "<stdint.h>", *["<stdlib.h>"] * (self._size > SMALL), f'"{self.include}"']
        return "\n\n".join([
            "\n".join(f"#include {one}" for one in includes), *tables, *written(used), *systems(used),
            *(printer.text for printer in self._printers), self._body(),
        ]) + "\n"  # fmt: skip

    @property
    def _declaration(self) -> str:
        return wrapped(f"int {self.name}", [p.declaration for p in self.parameters])

    @property
    def header(self) -> str:
        """The text of the header."""
        codes = [
            f"{k}: `{guard.place}` would go another way" if guard.place else f"{k}: a derivative is NaN"
            for k, (_, _, guard) in enumerate(self.block.guards, 1)
        ]
        said = [
            f"{self.name}, from Python by dualautodiff.",
            *(f"  {p.described}" for p in self.parameters),
            *(f"  fixed: {one}" for one in self._fixed),
            "No array may overlap another. It returns 0, or else the results mean nothing:",
            *(f"  {code}" for code in codes),
            f"  {NOT_AS_PYTHON}: Python would raise, or a matrix may be singular",
            f"  {NO_MEMORY}: there is no memory",
        ]
        comment = "\n".join(" * " + line.replace("*/", "* /").replace("/*", "/ *") for line in said)
        guard = f"{self.name.upper()}_H"
        return HEADER.format(guard=guard, comment=comment, declaration=self._declaration)

    def _table(self, space: Space, x: np.ndarray) -> str:
        """Return the definition of an array of numbers."""
        lines, line = list[str](), ""
        for number in x.ravel().tolist():
            one = literal(number, space.kind)
            if len(line) + len(one) > WIDTH:
                lines.append(line)
                line = ""
            line += f" {one},"
        rows = "\n   ".join([*lines, line.rstrip(",")])
        return f"static const {STORED[space.kind]} {self._names[space.number]}[{x.size}] = {{\n   {rows}\n}};"

    def _body(self) -> str:
        """Return the function."""
        lines = "\n".join([*self._memory(), *self._calls(), *self._checks()])
        body = textwrap.indent(lines, "    ")
        return f"{self._declaration}\n{{\n{body}\n}}"

    def _memory(self) -> list[str]:
        """Write where what is in between is, and numbers that are read as arrays of one element."""
        read = set().union(*(kernel.spaces() for kernel in self.kernels))
        lines = [f"(void){p.name};" for p in self.parameters if p.space is None or p.space.number not in read]
        lines.append("unsigned char failed = 0;")
        if self._size > SMALL:
            lines += [f"char *const memory = malloc({self._size});", "if (!memory)", f"    return {NO_MEMORY};"]
        for space, place in self._at.items():
            of, name = STORED[space.kind], self._names[space.number]
            if self._size > SMALL:
                lines.append(f"{of} *const {name} = ({of} *)(void *)(memory + {place});")
            else:
                lines.append(f"{of} {name}[{max(space.array.size, 1)}];")
        return lines

    def _calls(self) -> list[str]:
        """Write the calls of the kernels."""
        lines, numbers = list[str](), {"failed", *(p.name for p in self.parameters if p.is_number)}
        for loop in self.loops():
            rounds = loop[0][1].rounds
            calls = [self._printers[k].call(numbers) for k, _ in loop]
            if rounds > 1:
                lines.append(f"for (ptrdiff_t round = 0; round < {rounds}; ++round) {{")
                lines += [textwrap.indent(call, "    ") for call in calls] + ["}"]
            else:
                lines += calls
        return lines

    def _checks(self) -> list[str]:
        """Write what is returned."""
        code = f"failed ? {NOT_AS_PYTHON} : 0"
        for k, (area, answer, _) in reversed(list(enumerate(self.block.guards, 1))):
            element = f"{self._names[area.space.number]}[{area.offset}]"
            code = f"{'!' if answer else ''}{element} ? {k} : {code}"
        if self._size <= SMALL:
            return [f"return {code};"]
        return [f"const int code = {code};", "free(memory);", "return code;"]
