"""A block as a builtin function: it takes Python's floats and NumPy's arrays, runs the kernels, and gives new ones.

The function is of LLVM's making, too: it reads the numbers where CPython and NumPy keep them, without a conversion. The
places of what is kept in an object are looked up when this module is first used, on objects that are known.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from .areas import DTYPES, Area, Space
from .engine import Machine
from .fusing import collapsed, fuse, without_unread
from .instructions import Block
from .printing import Printer
from .rolling import roll

NOT_AS_RECORDED, RAISES = -1, -2
"""What a block gives in place of its results: an argument is of another form; a function of Python would raise."""

SMALL = 1 << 16
"""Up to how many bytes the memory for what is in between is on the stack."""

LONG, LONGEST = 6_000, 30_000
"""From how many operations on code is made by LLVM's level 0, and none at all."""

C_ORDER = 0x0001 | 0x0100
"""NumPy's flags of an array whose elements are in order, and where the processor expects them."""

FASTCALL = 0x0080


class TooLong(Exception):  # noqa: N818
    """A block is so long that making machine code of it takes minutes."""


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("text", ctypes.c_char_p))  # fmt: skip


@cache
def _of_numpy(place: int) -> int:
    """Return the address of a function of NumPy's table for C."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    take = ctypes.pythonapi.PyCapsule_GetPointer
    take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = take(_multiarray_umath._ARRAY_API, None)
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place] or 0)


@cache
def _of_python(name: str) -> int:
    """Return the address of a function of CPython."""
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


NEW_ARRAY, NEW_SCALAR = 93, 60
"""The places of `PyArray_New` and `PyArray_Scalar` in NumPy's table."""


@cache
def is_as_expected() -> bool:
    """Return whether floats and arrays are laid out as this module expects."""
    x, a = 1.25, np.array([[2.5, 3.5]])
    y = np.float64(2.75)
    if any(ctypes.c_double.from_address(id(z) + 16).value != z for z in (x, y)):
        return False
    if any(ctypes.c_void_p.from_address(id(z) + 8).value != id(type(z)) for z in (x, y, a)):
        return False
    fields = [ctypes.c_void_p.from_address(id(a) + place).value for place in (16, 32, 56)]
    rank, flags = (ctypes.c_int.from_address(id(a) + place).value for place in (24, 64))
    return (fields[0] == a.ctypes.data and fields[2] == id(a.dtype) and rank == 2 and flags & C_ORDER == C_ORDER
            and ctypes.c_int64.from_address(fields[1] or 0).value == 1)  # fmt: skip


class Entry:
    """What keeps a block's machine code, and its memory, as long as its function lives."""

    def __init__(self, text: str, level: int, memory: np.ndarray, kept: list[Any]) -> None:
        self._machine, self._memory, self._kept = Machine(text, level), memory, kept
        self._method = _Method(b"block", self._machine.address("entry"), FASTCALL, b"A compiled block.")

    def function(self) -> Any:
        """Return a new builtin function, which keeps this object."""
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        return make(ctypes.addressof(self._method), self, None)


def _pointer(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


Argument = tuple[Any, Space | None]
"""A value like an argument, and the space that it is for the block, if that reads it."""


class Text:
    """The text of a block's function: of some arguments, that gives some results."""

    def __init__(self, block: Block, arguments: list[Argument], results: list[tuple[Any, Area]],
                 constants: dict[Space, np.ndarray]) -> None:  # fmt: skip
        self.block, self.arguments, self.results = block, arguments, results
        self.lines: list[str] = []
        self.failed = block.space((), DTYPES["b1"]).space
        rolled = roll(block)
        self.constants = {space: np.ascontiguousarray(x) for space, x in {**constants, **block.tables}.items()}
        """Arrays that are part of the code, by their address."""
        self.kept: list[Any] = list(self.constants.values())
        kept = {area.space.number for area, _, _ in block.guards} | {area.space.number for _, area in results}
        self.kernels = without_unread(fuse(rolled), kept)
        self.length = sum(len(kernel.nodes) for kernel in self.kernels)
        if self.length > LONGEST:
            raise TooLong
        used = sorted(set().union(kept, {self.failed.number}, *(kernel.spaces() for kernel in self.kernels)))
        self.spaces = [block.spaces[number] for number in used]
        """The spaces that the kernels use, in their order in the table of pointers."""
        slots = {number: k for k, number in enumerate(used)}
        declared: set[str] = set()
        parts: list[str] = []
        for k, kernel in enumerate(self.kernels):
            collapsed(kernel)
            printer = Printer(kernel, f"kernel{k}", slots, self.failed.number)
            parts.append(printer.text)
            declared |= printer.declared
        self.places, self.size = self._places()
        self._write()
        body = "\n  ".join(self.lines)
        entry = f"define ptr @entry(ptr %self, ptr %given, i64 %count) {{\n  {body}\n}}"
        self.text = "\n".join([*sorted(declared), *parts, entry])

    def function(self) -> Any:
        """Return the builtin function."""
        memory = np.empty(self.size + 64 if self.size > SMALL else 0, np.uint8)
        start = -(-memory.ctypes.data // 64) * 64
        level = 2 if self.length < LONG else 0
        return Entry(self.text.replace("@MEMORY", str(start)), level, memory, self.kept).function()

    def _line(self, text: str) -> str:
        name = f"%x{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _call(self, of: str, address: int, *operands: str) -> str:
        return self._line(f"call {of} {_pointer(address)}({', '.join(operands)})")

    def _at(self, of: str, base: str, place: int) -> str:
        return self._line(f"load {of}, ptr {self._line(f'getelementptr i8, ptr {base}, i64 {place}')}")

    def _write(self) -> None:
        self.lines.append(f"%table = alloca [{len(self.spaces)} x ptr], align 64")
        memory = "inttoptr (i64 @MEMORY to ptr)" if self.size > SMALL else "%memory"
        if self.size <= SMALL:
            self.lines.append(f"%memory = alloca [{max(self.size, 8)} x i8], align 64")
        self._leave_unless(self._line(f"icmp eq i64 %count, {len(self.arguments)}"))
        pointers = {space: _pointer(x.ctypes.data) for space, x in self.constants.items()}
        for k, (like, space) in enumerate(self.arguments):
            pointer = self._argument(k, like)
            if space is not None:
                pointers[space] = pointer
        objects = self._new_objects(pointers)
        for slot, space in enumerate(self.spaces):
            if space not in pointers:
                pointers[space] = self._line(f"getelementptr i8, ptr {memory}, i64 {self.places[space]}")
            place = self._line(f"getelementptr ptr, ptr %table, i64 {slot}")
            self.lines.append(f"store ptr {pointers[space]}, ptr {place}")
        self.lines.append(f"store i8 0, ptr {pointers[self.failed]}")
        self.lines += [f"call void @kernel{k}(ptr %table)" for k in range(len(self.kernels))]
        self._check(pointers, objects[0])
        self._return(objects, pointers)

    def _argument(self, k: int, like: Any) -> str:
        """Write the pointer to the numbers of an argument, if it is of the form that the block was made for."""
        given = self._line(f"load ptr, ptr {self._line(f'getelementptr ptr, ptr %given, i64 {k}')}")
        self._leave_unless(self._line(f"icmp eq ptr {self._at('ptr', given, 8)}, {_pointer(id(type(like)))}"))
        if not isinstance(like, np.ndarray):
            return self._line(f"getelementptr i8, ptr {given}, i64 16")
        right = self._line(f"icmp eq ptr {self._at('ptr', given, 56)}, {_pointer(id(like.dtype))}")
        self.kept.append(like.dtype)
        flags = self._line(f"and i32 {self._at('i32', given, 64)}, {C_ORDER}")
        right = self._line(f"and i1 {right}, {self._line(f'icmp eq i32 {flags}, {C_ORDER}')}")
        rank = self._line(f"icmp eq i32 {self._at('i32', given, 24)}, {like.ndim}")
        self._leave_unless(self._line(f"and i1 {right}, {rank}"))
        if like.ndim:
            dims = self._at("ptr", given, 32)
            right = "true"
            for axis, extent in enumerate(like.shape):
                same = self._line(f"icmp eq i64 {self._at('i64', dims, 8 * axis)}, {extent}")
                right = same if axis == 0 else self._line(f"and i1 {right}, {same}")
            self._leave_unless(right)
        return self._at("ptr", given, 16)

    def _leave_unless(self, right: str, code: str = str(NOT_AS_RECORDED), whole: str = "") -> None:
        """Return a number in place of the results, which are let go, unless something holds."""
        go, leave = f"go{len(self.lines)}", f"leave{len(self.lines)}"
        self.lines += [f"br i1 {right}, label %{go}, label %{leave}", f"{leave}:"]
        number = self._call("ptr", _of_python("PyLong_FromLong"), f"i64 {code}")
        if whole:
            self.lines.append(f"call void {_pointer(_of_python('Py_DecRef'))}(ptr {whole})")
        self.lines += [f"ret ptr {number}", f"{go}:"]

    def _new_objects(self, pointers: dict[Space, str]) -> list[str]:
        """Write the tuple of results, and the arrays in it."""
        whole = self._new("", _of_python("PyTuple_New"), f"i64 {len(self.results)}")
        objects = [whole]
        for k, (like, area) in enumerate(self.results):
            objects.append("")
            if isinstance(like, np.ndarray):
                objects[-1] = array = self._new_array(like, whole)
                pointers[area.space] = self._at("ptr", array, 16)
                self._put(whole, k, array)
        return objects

    def _new(self, whole: str, function: int, *operands: str) -> str:
        """Write the call of what makes an object, or raises where there is no memory for it."""
        made = self._call("ptr", function, *operands)
        go, leave = f"go{len(self.lines)}", f"leave{len(self.lines)}"
        self.lines += [f"br i1 {self._line(f'icmp ne ptr {made}, null')}, label %{go}, label %{leave}", f"{leave}:"]
        if whole:
            self.lines.append(f"call void {_pointer(_of_python('Py_DecRef'))}(ptr {whole})")
        self.lines += ["ret ptr null", f"{go}:"]
        return made

    def _new_array(self, like: np.ndarray, whole: str) -> str:
        place = self._line(f"alloca [{max(like.ndim, 1)} x i64]")
        for axis, extent in enumerate(like.shape):
            at = self._line(f"getelementptr i64, ptr {place}, i64 {axis}")
            self.lines.append(f"store i64 {extent}, ptr {at}")
        return self._new(whole, _of_numpy(NEW_ARRAY), f"ptr {_pointer(id(np.ndarray))}", f"i32 {like.ndim}",
                         f"ptr {place}", f"i32 {like.dtype.num}", "ptr null", "ptr null", "i32 0", "i32 0",
                         "ptr null")  # fmt: skip

    def _put(self, whole: str, k: int, value: str) -> None:
        """Write an object into the tuple of results, which owns it then."""
        self.lines.append(f"store ptr {value}, ptr {self._line(f'getelementptr i8, ptr {whole}, i64 {24 + 8 * k}')}")

    def _check(self, pointers: dict[Space, str], whole: str) -> None:
        """Write what is given in place of results: the number of the first guard that does not hold."""
        failed = self._line(f"icmp eq i8 {self._line(f'load i8, ptr {pointers[self.failed]}')}, 0")
        code = self._line(f"select i1 {failed}, i64 {len(self.block.guards)}, i64 {RAISES}")
        for k, (area, answer, _) in reversed(list(enumerate(self.block.guards))):
            place = self._line(f"getelementptr i8, ptr {pointers[area.space]}, i64 {area.offset}")
            value = self._line(f"load i8, ptr {place}")
            holds = self._line(f"icmp {'ne' if answer else 'eq'} i8 {value}, 0")
            code = self._line(f"select i1 {holds}, i64 {code}, i64 {k}")
        self._leave_unless(self._line(f"icmp eq i64 {code}, {len(self.block.guards)}"), code, whole)

    def _return(self, objects: list[str], pointers: dict[Space, str]) -> None:
        whole, *arrays = objects
        for k, ((like, area), made) in enumerate(zip(self.results, arrays, strict=True)):
            if not made:
                self._put(whole, k, self._number(pointers[area.space], area.space, like, whole))
        self.lines.append(f"ret ptr {whole}")

    def _number(self, pointer: str, space: Space, like: Any, whole: str) -> str:
        """Write a new number of Python or NumPy."""
        if type(like) is float:
            number = self._line(f"load double, ptr {pointer}")
            return self._new(whole, _of_python("PyFloat_FromDouble"), f"double {number}")
        if type(like) is bool:
            truth = self._line(f"zext i8 {self._line(f'load i8, ptr {pointer}')} to i64")
            return self._new(whole, _of_python("PyBool_FromLong"), f"i64 {truth}")
        dtype = space.array.dtype
        self.kept.append(dtype)
        return self._new(whole, _of_numpy(NEW_SCALAR), f"ptr {pointer}", f"ptr {_pointer(id(dtype))}", "ptr null")

    def _places(self) -> tuple[dict[Space, int], int]:
        """Return where in the block's memory each space is, and the size of that memory."""
        arrays = (area.space for x, area in self.results if isinstance(x, np.ndarray))
        elsewhere = {*self.block.given.values(), *self.constants, *arrays}
        places, size = {}, 0
        for space in self.spaces:
            if space not in elsewhere:
                places[space] = size
                size += -(-max(space.array.nbytes, 8) // 64) * 64
        return places, size
