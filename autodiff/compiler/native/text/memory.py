"""Rows of elements in memory, in LLVM's language: where they begin, and how as many are loaded or stored as fit."""

from __future__ import annotations

from ..elementary.code import Code, Value
from ..instructions.areas import Address
from ..kernels.fusing import Kernel
from .values import step_of

STORED = {"f8": "double", "f4": "float", "b1": "i8", "i8": "i64"}
"""A kind of values → LLVM's name of the type of one in memory."""

SIZES = {"double": 8, "float": 4, "i8": 1, "i64": 8}
"""The bytes of one in memory."""


class Memory:
    """Writes lines of text that load and store what the addresses of a kernel lead to."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._starts: dict[Address, str] = {}
        """The pointers to the first elements of rows."""
        self._fixed: dict[tuple[Address, int], Value] = {}
        """What is the same in all rounds of the innermost loop, by the number of lanes."""
        self._bases: dict[int, str] = {}
        """The pointers to spaces."""

    def _line(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _base(self, slot: int) -> str:
        return self._line(f"load ptr, ptr {self._line(f'getelementptr ptr, ptr %table, i64 {slot}')}")

    def _code(self, lanes: int) -> Code:
        return Code(lanes, self.lines, self.declared)

    def _start(self, address: Address) -> str:
        """Write the pointer to the first element of a row."""
        place = str(address.offset)
        if address.round:
            place = self._line(f"add i64 {place}, {self._line(f'mul i64 %round, {address.round}')}")
        for depth, stride in enumerate(address.strides[:-1]):
            if stride:
                step = f"%i.{depth}" if stride == 1 else self._line(f"mul i64 %i.{depth}, {stride}")
                place = self._line(f"add i64 {place}, {step}")
        if address.places and address.places.is_fixed:
            place = self._line(f"add i64 {place}, {self._number(address.places, '0')}")
        return self._line(f"getelementptr {STORED[address.kind]}, ptr {self._bases[address.space]}, i64 {place}")

    def _number(self, places: Address, place: str, lane: int = 0) -> str:
        """Write the load of a place."""
        return self._line(f"load i64, ptr {self._pointer(places, place, lane)}, align 8")

    def _pointer(self, address: Address, place: str, lane: int = 0) -> str:
        """Write the pointer to an element of a row."""
        start, stride, of = self._starts[address], step_of(address), STORED[address.kind]
        if address.places and not address.places.is_fixed:
            start = self._line(f"getelementptr {of}, ptr {start}, i64 {self._number(address.places, place, lane)}")
        if place.isdigit():
            shift = str((int(place) + lane) * stride)
        else:
            shift = place if not lane else self._line(f"add i64 {place}, {lane}")
            shift = shift if stride == 1 else self._line(f"mul i64 {shift}, {stride}")
        return start if shift == "0" else self._line(f"getelementptr {of}, ptr {start}, i64 {shift}")

    def _load(self, c: Code, address: Address, place: str) -> Value:
        """Write the load of as many elements as there are lanes; one that is the same in all rounds is loaded once."""
        of = STORED[address.kind]
        size, is_row = SIZES[of], step_of(address) == 1 and address.has_steps
        if c.lanes == 1 or address.is_fixed:
            if (address, c.lanes) in self._fixed:
                return self._fixed[address, c.lanes]
            one = self._line(f"load {of}, ptr {self._pointer(address, place)}, align {size}")
            if c.lanes > 1:
                vector = f"<{c.lanes} x {of}>"
                first = self._line(f"insertelement {vector} undef, {of} {one}, i32 0")
                mask = f"<{c.lanes} x i32> zeroinitializer"
                one = self._line(f"shufflevector {vector} {first}, {vector} undef, {mask}")
        elif is_row:
            one = self._line(f"load <{c.lanes} x {of}>, ptr {self._pointer(address, place)}, align {size}")
        else:
            one = "undef"
            for lane in range(c.lanes):
                part = self._line(f"load {of}, ptr {self._pointer(address, place, lane)}, align {size}")
                one = self._line(f"insertelement <{c.lanes} x {of}> {one}, {of} {part}, i32 {lane}")
        memory = of if c.lanes == 1 else f"<{c.lanes} x {of}>"
        return Value(self._line(f"trunc {memory} {one} to {c.type('b1')}") if of == "i8" else one, address.kind)

    def _is_stored(self, address: Address) -> bool:
        return any(store.address.space == address.space for store in self.kernel.stores)

    def _store(self, c: Code, value: Value, address: Address, place: str) -> None:
        """Write the store of all lanes."""
        step, of = step_of(address), STORED[address.kind]
        memory = of if c.lanes == 1 else f"<{c.lanes} x {of}>"
        text = self._line(f"zext {c.type('b1')} {value.text} to {memory}") if of == "i8" else value.text
        size = SIZES[of]
        if c.lanes == 1 or (step == 1 and address.has_steps):
            self.lines.append(f"store {memory} {text}, ptr {self._pointer(address, place)}, align {size}")
            return
        for lane in range(c.lanes):
            part = self._line(f"extractelement {memory} {text}, i32 {lane}")
            self.lines.append(f"store {of} {part}, ptr {self._pointer(address, place, lane)}, align {size}")
