"""CPython and NumPy as machine code meets them: where an object keeps what, the functions, and new builtin functions.

The places are probed when they are first needed, on objects whose contents are known.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any
from weakref import ref

import numpy as np

from .addresses import Addresses
from .engine import Machine, is_kept

C_ORDER = 0x0001 | 0x0100
"""NumPy's flags of an array whose elements are in order, and where the processor expects them."""

FASTCALL, KEYWORDS = 0x0080, 0x0002

BETTER = 1
"""In the place of the address of what makes better machine code, which each entry has of its own."""


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("text", ctypes.c_char_p))  # fmt: skip


@cache
def of_numpy(place: int) -> int:
    """Return the address of a function of NumPy's table for C."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    take = ctypes.pythonapi.PyCapsule_GetPointer
    take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = take(_multiarray_umath._ARRAY_API, None)
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place] or 0)


@cache
def of_python(name: str) -> int:
    """Return the address of a function of CPython."""
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


NEW_ARRAY, NEW_SCALAR = 93, 60
"""The places of `PyArray_New` and `PyArray_Scalar` in NumPy's table."""


@cache
def is_as_expected() -> bool:
    """Return whether floats, arrays and tuples are laid out as this module expects."""
    x, a = 1.25, np.array([[2.5, 3.5]])
    y = np.float64(2.75)
    if any(ctypes.c_double.from_address(id(z) + 16).value != z for z in (x, y)):
        return False
    if any(ctypes.c_void_p.from_address(id(z) + 8).value != id(type(z)) for z in (x, y, a)):
        return False
    pair = x, a
    if [ctypes.c_void_p.from_address(id(pair) + place).value for place in (24, 32)] != [id(x), id(a)]:
        return False
    fields = [ctypes.c_void_p.from_address(id(a) + place).value for place in (16, 32, 56)]
    rank, flags = (ctypes.c_int.from_address(id(a) + place).value for place in (24, 64))
    return (fields[0] == a.ctypes.data and fields[2] == id(a.dtype) and rank == 2 and flags & C_ORDER == C_ORDER
            and ctypes.c_int64.from_address(fields[1] or 0).value == 1)  # fmt: skip


class Entry:
    """What keeps a block's machine code, its memory, and what it uses, as long as a function of it lives."""

    def __init__(self, text: str, level: int, addresses: Sequence[int], memory: np.ndarray, kept: list[Any],
                 draft: str = "") -> None:  # fmt: skip
        """Make the machine code of a text; at first that of a draft, if there is one, which `counted` calls are of.

        None is made where the machine code of the text is kept on disk.
        """
        draft = "" if is_kept(text, level) else draft
        better = partial(_better, ref(self))
        self._text, self._level, self._memory, self._kept = text, level, memory, [*kept, better]
        self._addresses = [id(better) if address == BETTER else address for address in addresses]
        self._methods = [_Method(b"block", 0, flags, b"A compiled block.") for flags in (FASTCALL, FASTCALL | KEYWORDS)]
        self._machines = list[Machine]()
        self._make(draft or text, 0 if draft else level, "counted" if draft else "entry")

    def _make(self, text: str, level: int, entry: str) -> None:
        """Make machine code, which this object's functions run from now on; some may still be in what they ran."""
        machine = Machine(text, level, self._addresses)
        self._machines.append(machine)
        for method, name in zip(self._methods, (entry, "called"), strict=True):
            method.function = machine.address(name)

    def better(self) -> None:
        """Make the machine code that runs fastest; where that cannot be done, what there is goes on."""
        with suppress(RuntimeError, MemoryError):
            self._make(self._text, self._level, "entry")

    @property
    def size(self) -> int:
        """The bytes of its memory, but for what is on the stack."""
        return self._memory.nbytes

    @property
    def function(self) -> Any:
        """A new builtin function, which keeps this object."""
        return _builtin(self._methods[0], self)

    def clocks(self, count: int) -> list[int]:
        """Return the nanoseconds that were added up at so many places."""
        return list((ctypes.c_int64 * count).from_address(self._machines[-1].global_address("clocks")))

    def called(self, otherwise: Callable[..., Any]) -> Any:
        """Return a new builtin function, which calls another one where the block gives no results."""
        return _builtin(self._methods[1], (self, otherwise))


def _better(entry: ref[Entry]) -> None:
    """Make the machine code that runs fastest of an entry, which machine code has not as an object."""
    if found := entry():
        found.better()


def _builtin(method: _Method, kept: Any) -> Any:
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), kept, None)


def counted(addresses: Addresses, calls: int) -> str:
    """Return the text of a function that calls a block, and in the last of so many calls `Entry.better` before."""
    return f"""@left = global i64 {calls}
define ptr @counted(ptr %self, ptr %given, i64 %count) {{
  %left = load i64, ptr @left
  %less = sub i64 %left, 1
  store i64 %less, ptr @left
  %last = icmp eq i64 %less, 0
  br i1 %last, label %make, label %go
make:
  %better = {addresses.load(BETTER)}
  %call = {addresses.load(of_python("PyObject_CallNoArgs"))}
  %done = call ptr %call(ptr %better)
  %raised = icmp eq ptr %done, null
  br i1 %raised, label %leave, label %made
leave:
  ret ptr null
made:
  %let = {addresses.load(of_python("Py_DecRef"))}
  call void %let(ptr %done)
  br label %go
go:
  %found = call ptr @entry(ptr %self, ptr %given, i64 %count)
  ret ptr %found
}}"""


def called(addresses: Addresses, entry: str) -> str:
    """Return the text of a function that calls another one, the second of the pair that it keeps.

    It does so where a block, whose function is ``entry``, gives a whole number.
    """
    return f"""define ptr @called(ptr %self, ptr %given, i64 %count, ptr %names) {{
  %plain = icmp eq ptr %names, null
  br i1 %plain, label %try, label %otherwise
try:
  %found = call ptr @{entry}(ptr %self, ptr %given, i64 %count)
  %raised = icmp eq ptr %found, null
  br i1 %raised, label %done, label %look
look:
  %place = getelementptr i8, ptr %found, i64 8
  %type = load ptr, ptr %place
  %int = {addresses.load(id(int))}
  %left = icmp eq ptr %type, %int
  br i1 %left, label %leave, label %done
leave:
  %let = {addresses.load(of_python("Py_DecRef"))}
  call void %let(ptr %found)
  br label %otherwise
otherwise:
  %second = getelementptr i8, ptr %self, i64 32
  %other = load ptr, ptr %second
  %call = {addresses.load(of_python("PyObject_Vectorcall"))}
  %again = call ptr %call(ptr %other, ptr %given, i64 %count, ptr %names)
  ret ptr %again
done:
  ret ptr %found
}}"""


def clock(addresses: Addresses, count: int) -> str:
    """Return the text of a function that gives the nanoseconds of CPython's clock, and of places for so many sums."""
    if sys.version_info >= (3, 13):
        call = "%done = call i32 %f(ptr %place)\n  %time = load i64, ptr %place"
    else:
        call = "%time = call i64 %f()"
    name = "PyTime_PerfCounterRaw" if sys.version_info >= (3, 13) else "_PyTime_GetPerfCounter"
    return f"""@clocks = global [{count} x i64] zeroinitializer
define internal i64 @now() {{
  %place = alloca i64
  %f = {addresses.load(of_python(name))}
  {call}
  ret i64 %time
}}"""


def with_memory(addresses: Addresses, own: int, size: int) -> str:
    """Return the text of a function that calls another one with memory of a size: its own, or new while that is in use.

    The own memory begins with 64 bytes of which the first tells whether it is in use.
    """
    return f"""define ptr @entry(ptr %self, ptr %given, i64 %count) {{
  %own = {addresses.load(own)}
  %was = cmpxchg ptr %own, i8 0, i8 1 acquire monotonic
  %free = extractvalue {{ i8, i1 }} %was, 1
  br i1 %free, label %take, label %make
take:
  %inside = getelementptr i8, ptr %own, i64 64
  br label %run
make:
  %allocate = {addresses.load(of_python("PyMem_RawMalloc"))}
  %new = call ptr %allocate(i64 {size + 64})
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %align
fail:
  %raise = {addresses.load(of_python("PyErr_NoMemory"))}
  %raised = call ptr %raise()
  ret ptr null
align:
  %number = ptrtoint ptr %new to i64
  %beyond = add i64 %number, 63
  %even = and i64 %beyond, -64
  %begin = inttoptr i64 %even to ptr
  br label %run
run:
  %memory = phi ptr [ %inside, %take ], [ %begin, %align ]
  %block = phi ptr [ null, %take ], [ %new, %align ]
  %found = call ptr @inside(ptr %self, ptr %given, i64 %count, ptr %memory)
  br i1 %free, label %give, label %drop
give:
  store atomic i8 0, ptr %own release, align 1
  ret ptr %found
drop:
  %let = {addresses.load(of_python("PyMem_RawFree"))}
  call void %let(ptr %block)
  ret ptr %found
}}"""
