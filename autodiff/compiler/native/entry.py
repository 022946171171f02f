"""A block as a builtin function: it takes Python's floats and NumPy's arrays, runs the kernels, and gives new ones.

The function is of LLVM's making, too: it reads the numbers where CPython and NumPy keep them, without a conversion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .instructions.areas import Area, Space
from .instructions.instruction import Block
from .kernels.arranging import SMALL, Arrangement
from .kernels.fusing import Kernel
from .kernels.work import LONG as LONG_WORK
from .kernels.work import nanoseconds, shares
from .machine.addresses import Addresses
from .machine.asking import asking
from .machine.pool import pool
from .machine.python import (
    NEW_ARRAY,
    NEW_SCALAR,
    Entry,
    called,
    clock,
    counted,
    of_numpy,
    of_python,
    with_memory,
)
from .rows.deciding import side_by_side
from .text.calling import printed

NOT_AS_RECORDED, RAISES = -1, -2
"""What a block gives in place of its results: an argument is of another form; a function of Python would raise."""

MEMORY = 0
"""In the place of the address of a block's memory, which each entry has of its own."""

LONG, LONGEST = 6_000, 30_000
"""From how many operations on code is made by LLVM's level 0, and none at all."""

MAKING, CALL = 40_000.0, 250.0
"""About how many nanoseconds it takes to make code of a line of text by LLVM's level 2, and to call a block."""


class TooLong(Exception):  # noqa: N818
    """A block is so long that making machine code of it takes minutes."""


Argument = tuple[Any, Space | None]
"""A value like an argument, and the space that it is for the block, if that reads it."""


class Text(Arrangement):
    """The text of a block's function: of some arguments, that gives some results."""

    def __init__(self, block: Block, arguments: list[Argument], results: list[tuple[Any, Area]],
                 constants: dict[Space, np.ndarray], threads: int = 1, profile: bool = False,
                 into: bool = False) -> None:  # fmt: skip
        super().__init__(block, [area for _, area in results], constants, may_share=True)
        self.threads, self.profile = threads, profile
        self.clocked: list[dict[int, float]] = []
        """For each clock the shares of the program's steps in the time that it measures."""
        if self.length > LONGEST:
            raise TooLong
        given: list[Argument] = [(x, None) for x, _ in results if into and isinstance(x, np.ndarray)]
        self.arguments, self.results = [*arguments, *given], results
        self.given = iter(range(len(arguments), len(self.arguments)))
        """The places of the arguments that are arrays for results; none where these are new ones."""
        self.lines: list[str] = []
        self.shapes: list[str] = []
        """The shapes of arguments, as constants of the code."""
        self.addresses = Addresses()
        self.kept: list[Any] = list(self.constants.values())
        slots = {space.number: k for k, space in enumerate(self.spaces)}
        declared: set[str] = set()
        parts: list[str] = []
        for k, kernel in enumerate(self.kernels):
            printer = printed(kernel, f"kernel{k}", slots, self.failed.number, self.addresses)
            parts.append(printer.text)
            declared |= printer.declared
        arrays = (area.space for x, area in results if isinstance(x, np.ndarray))
        self.at, self.size = self.places({*block.given.values(), *self.constants, *arrays})
        time = sum(map(nanoseconds, self.kernels))
        self.is_long = time > LONG_WORK
        """Whether other threads of Python may run while its kernels do."""
        self._write()
        parts += [*sorted(declared), *self.shapes, *self._functions()]
        parts += asking(self.addresses, bool(self.shapes), bool(block.guards))
        if profile:
            parts.append(clock(self.addresses, len(self.clocked)))
        calls = int(MAKING * sum(part.count("\n") for part in parts) / max(time, CALL))
        first = [counted(self.addresses, calls), called(self.addresses, "counted")]
        self.text = "\n".join([self.addresses.definition, *parts, called(self.addresses, "entry")])
        is_worth = calls > 1 and self.length < LONG and not profile
        self.draft = "\n".join([self.addresses.definition, *parts, *first]) if is_worth else ""
        """The same to be made by LLVM's level 0, in a third of the time; it is better made anew after so many calls
        as take about as long as that does."""

    def _functions(self) -> list[str]:
        """Return the text of the function, or of two: one that has memory for a call, and one that finds it."""
        body, given = "\n  ".join(self.lines), "ptr %self, ptr %given, i64 %count"
        if not self._may_be_taken:
            return [f"define ptr @entry({given}) {{\n  {body}\n}}"]
        return [
            f"define internal ptr @inside({given}, ptr %memory) {{\n  {body}\n}}",
            with_memory(self.addresses, MEMORY, self.size),
        ]

    @property
    def _may_be_taken(self) -> bool:
        """Whether a call may find another one in the memory for what is in between."""
        return self.is_long and self.size > SMALL

    def entry(self) -> Entry:
        """Return the machine code."""
        memory = np.zeros(self.size + 128 if self.size > SMALL else 0, np.uint8)
        start = -(-memory.ctypes.data // 64) * 64
        level = 2 if self.length < LONG else 0
        addresses = [start if address == MEMORY else address for address in self.addresses.values]
        return Entry(self.text, level, addresses, memory, self.kept, self.draft)

    def _line(self, text: str) -> str:
        name = f"%x{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _call(self, of: str, address: int, *operands: str) -> str:
        return self._line(f"call {of} {self._address(address)}({', '.join(operands)})")

    def _address(self, address: int) -> str:
        """Write the load of an address."""
        return self._line(self.addresses.load(address))

    def _at(self, of: str, base: str, place: int) -> str:
        return self._line(f"load {of}, ptr {self._line(f'getelementptr i8, ptr {base}, i64 {place}')}")

    def _write(self) -> None:
        self.lines.append(f"%table = alloca [{len(self.spaces)} x ptr], align 64")
        memory = self._address(MEMORY) if self.size > SMALL and not self._may_be_taken else "%memory"
        if self.size <= SMALL:
            self.lines.append(f"%memory = alloca [{max(self.size, 8)} x i8], align 64")
        self._leave_unless(self._line(f"icmp eq i64 %count, {len(self.arguments)}"))
        pointers = {space: self._address(x.ctypes.data) for space, x in self.constants.items()}
        for k, (like, space) in enumerate(self.arguments):
            pointer = self._argument(k, like)
            if space is not None:
                pointers[space] = pointer
        objects = self._new_objects(pointers)
        for slot, space in enumerate(self.spaces):
            if space not in pointers:
                pointers[space] = self._line(f"getelementptr i8, ptr {memory}, i64 {self.at[space]}")
            place = self._line(f"getelementptr ptr, ptr %table, i64 {slot}")
            self.lines.append(f"store ptr {pointers[space]}, ptr {place}")
        self.lines.append(f"store i8 0, ptr {pointers[self.failed]}")
        state = self._call("ptr", of_python("PyEval_SaveThread")) if self.is_long else ""
        for loop in self.loops():
            start = self._line("call i64 @now()") if self.profile else ""
            self._run(loop)
            if self.profile:
                self._add_time(start, shares([kernel for _, kernel in loop]))
        if state:
            self.lines.append(f"call void {self._address(of_python('PyEval_RestoreThread'))}(ptr {state})")
        self._check(pointers, objects[0])
        self._return(objects, pointers)
        self._leave("leave", str(NOT_AS_RECORDED))

    def _run(self, loop: list[tuple[int, Kernel]]) -> None:
        """Write the calls of kernels, which are run round by round where they have several."""
        rounds, name = loop[0][1].rounds, f"{loop[0][0]}"
        if rounds > 1:
            self.lines += [f"br label %before{name}", f"before{name}:", f"br label %loop{name}", f"loop{name}:"]
            self.lines.append(f"%round{name} = phi i64 [ 0, %before{name} ], [ %next{name}, %loop{name} ]")
        for k, kernel in loop:
            if kernel.is_shared:
                self._run_shared(k, kernel)
                continue
            self.lines.append(f"call void @kernel{k}(ptr %table, i64 {f'%round{name}' if rounds > 1 else 0})")
        if rounds > 1:
            self.lines.append(f"%next{name} = add i64 %round{name}, 1")
            self.lines.append(f"%more{name} = icmp ult i64 %next{name}, {rounds}")
            self.lines += [f"br i1 %more{name}, label %loop{name}, label %after{name}", f"after{name}:"]

    def _add_time(self, start: str, parts: dict[int, float]) -> None:
        """Write that the time since a start is added up, of which steps have parts."""
        place = f"getelementptr (i64, ptr @clocks, i64 {len(self.clocked)})"
        self.clocked.append(parts)
        spent = self._line(f"sub i64 {self._line('call i64 @now()')}, {start}")
        total = self._line(f"add i64 {self._line(f'load i64, ptr {place}')}, {spent}")
        self.lines.append(f"store i64 {total}, ptr {place}")

    def _run_shared(self, k: int, kernel: Kernel) -> None:
        """Write the call of a kernel in pieces, which other threads may take."""
        pieces = kernel.shape[0]
        if self.threads == 1:
            self.lines.append(f"call void @kernel{k}(ptr %table, i64 0, i64 0, i64 {pieces})")
            return
        pool().grow(self.threads - 1)
        given = f"ptr @kernel{k}, ptr %table, i64 {pieces}, i64 {self.threads - 1}"
        self.lines.append(f"call void {self._address(pool().share)}({given})")

    def _argument(self, k: int, like: Any) -> str:
        """Write the pointer to the numbers of an argument, if it is of the form that the block was made for."""
        given = self._line(f"load ptr, ptr {self._line(f'getelementptr ptr, ptr %given, i64 {k}')}")
        if not isinstance(like, np.ndarray):
            of = self._address(id(type(like)))
            self._leave_unless(self._line(f"icmp eq ptr {self._at('ptr', given, 8)}, {of}"))
            return self._line(f"getelementptr i8, ptr {given}, i64 16")
        of = np.dtype(like.dtype.char)
        self.kept.append(of)
        extents = ", ".join(f"i64 {extent}" for extent in like.shape)
        self.shapes.append(f"@shape{k} = internal constant [{like.ndim} x i64] [{extents}]")
        of_form = f"ptr {given}, ptr {self._address(id(of))}, i32 {like.ndim}, ptr @shape{k}"
        pointer = self._line(f"call ptr @elements({of_form})")
        self._leave_unless(self._line(f"icmp ne ptr {pointer}, null"))
        return pointer

    def _leave_unless(self, right: str, code: str = "", whole: str = "") -> None:
        """Return a number in place of the results, which are let go, unless something holds.

        Without one it is that of an argument that is not as recorded, which is written once.
        """
        go, leave = f"go{len(self.lines)}", f"leave{len(self.lines)}" if code else "leave"
        self.lines.append(f"br i1 {right}, label %{go}, label %{leave}")
        if code:
            self._leave(leave, code, whole)
        self.lines.append(f"{go}:")

    def _leave(self, label: str, code: str, whole: str = "") -> None:
        self.lines.append(f"{label}:")
        number = self._call("ptr", of_python("PyLong_FromLong"), f"i64 {code}")
        if whole:
            self.lines.append(f"call void {self._address(of_python('Py_DecRef'))}(ptr {whole})")
        self.lines.append(f"ret ptr {number}")

    def _new_objects(self, pointers: dict[Space, str]) -> list[str]:
        """Write the tuple of results, if they are several, and the arrays in it; the first is what keeps the others."""
        is_bare = len(self.results) == 1
        whole = "" if is_bare else self._new("", of_python("PyTuple_New"), f"i64 {len(self.results)}")
        objects = [whole]
        for k, (like, area) in enumerate(self.results):
            objects.append("")
            if isinstance(like, np.ndarray):
                given = next(self.given, None)
                objects[-1] = array = self._new_array(like, whole) if given is None else self._given(given)
                pointers[area.space] = self._at("ptr", array, 16)
                if is_bare:
                    objects[0] = array
                else:
                    self._put(whole, k, array)
        return objects

    def _new(self, whole: str, function: int, *operands: str) -> str:
        """Write the call of what makes an object, or raises where there is no memory for it."""
        made = self._call("ptr", function, *operands)
        go, leave = f"go{len(self.lines)}", f"leave{len(self.lines)}"
        self.lines += [f"br i1 {self._line(f'icmp ne ptr {made}, null')}, label %{go}, label %{leave}", f"{leave}:"]
        if whole:
            self.lines.append(f"call void {self._address(of_python('Py_DecRef'))}(ptr {whole})")
        self.lines += ["ret ptr null", f"{go}:"]
        return made

    def _new_array(self, like: np.ndarray, whole: str) -> str:
        place = self._line(f"alloca [{max(like.ndim, 1)} x i64]")
        for axis, extent in enumerate(like.shape):
            at = self._line(f"getelementptr i64, ptr {place}, i64 {axis}")
            self.lines.append(f"store i64 {extent}, ptr {at}")
        return self._new(whole, of_numpy(NEW_ARRAY), f"ptr {self._address(id(np.ndarray))}", f"i32 {like.ndim}",
                         f"ptr {place}", f"i32 {like.dtype.num}", "ptr null", "ptr null", "i32 0", "i32 0",
                         "ptr null")  # fmt: skip

    def _given(self, k: int) -> str:
        """Write the load of an argument, of which a reference is kept."""
        array = self._line(f"load ptr, ptr {self._line(f'getelementptr ptr, ptr %given, i64 {k}')}")
        self.lines.append(f"call void {self._address(of_python('Py_IncRef'))}(ptr {array})")
        return array

    def _put(self, whole: str, k: int, value: str) -> None:
        """Write an object into the tuple of results, which owns it then."""
        self._call("i32", of_python("PyTuple_SetItem"), f"ptr {whole}", f"i64 {k}", f"ptr {value}")

    def _check(self, pointers: dict[Space, str], whole: str) -> None:
        """Write what is given in place of results: the number of the first guard that does not hold."""
        failed = self._line(f"icmp eq i8 {self._line(f'load i8, ptr {pointers[self.failed]}')}, 0")
        code = self._line(f"select i1 {failed}, i64 {len(self.block.guards)}, i64 {RAISES}")
        for first, count, area, answer in reversed(list(side_by_side(self.block.guards))):
            place = self._line(f"getelementptr i8, ptr {pointers[area.space]}, i64 {area.offset}")
            holding = self._line(f"call i64 @holding(ptr {place}, i64 {count}, i1 {int(answer)})")
            number = self._line(f"add i64 {holding}, {first}")
            hold = self._line(f"icmp eq i64 {holding}, {count}")
            code = self._line(f"select i1 {hold}, i64 {code}, i64 {number}")
        self._leave_unless(self._line(f"icmp eq i64 {code}, {len(self.block.guards)}"), code, whole)

    def _return(self, objects: list[str], pointers: dict[Space, str]) -> None:
        whole, *arrays = objects
        for k, ((like, area), made) in enumerate(zip(self.results, arrays, strict=True)):
            if not made:
                number = self._number(pointers[area.space], like, whole)
                if len(self.results) == 1:
                    whole = number
                else:
                    self._put(whole, k, number)
        self.lines.append(f"ret ptr {whole}")

    def _number(self, pointer: str, like: Any, whole: str) -> str:
        """Write a new number of Python or NumPy."""
        if type(like) is float:
            number = self._line(f"load double, ptr {pointer}")
            return self._new(whole, of_python("PyFloat_FromDouble"), f"double {number}")
        if type(like) is bool:
            truth = self._line(f"zext i8 {self._line(f'load i8, ptr {pointer}')} to i64")
            return self._new(whole, of_python("PyBool_FromLong"), f"i64 {truth}")
        dtype = np.result_type(like)
        self.kept.append(dtype)
        return self._new(whole, of_numpy(NEW_SCALAR), f"ptr {pointer}", f"ptr {self._address(id(dtype))}", "ptr null")
