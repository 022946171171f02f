"""Straight code in LLVM's language, of as many lanes as asked for: a value is a number, or a vector of some numbers.

What is written by it is the same for every count of lanes, so that the end of a loop gives the bits of its beginning.
Nothing is rounded otherwise than written: a product and a sum are one operation only where `Code.fma` says so.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

NAMES = {"f8": "double", "f4": "float", "b1": "i1", "i8": "i64"}
"""A kind of values → LLVM's name of the type of one."""

SUFFIXES = {"f8": "f64", "f4": "f32", "b1": "i1", "i8": "i64"}
"""A kind of values → how the names of LLVM's own functions end."""

COMPARISONS = {"less": "olt", "less_equal": "ole", "greater": "ogt", "greater_equal": "oge", "equal": "oeq",
               "not_equal": "une"}  # fmt: skip

CONVERSIONS = {"f8f4": "fptrunc", "f4f8": "fpext", "i8f8": "sitofp", "i8f4": "sitofp", "b1f8": "uitofp",
               "b1f4": "uitofp", "b1i8": "zext", "f8i8": "fptosi", "f4i8": "fptosi"}  # fmt: skip


class Value(NamedTuple):
    """A value of the code: its name or literal in LLVM's language, and its kind, ``f8 f4 b1 i8``."""

    text: str
    kind: str


def literal(x: float, kind: str) -> str:
    """Return a number in LLVM's language: a float by its bits."""
    if kind in ("b1", "i8"):
        return str(int(x if kind == "i8" else x != 0))
    with np.errstate(over="ignore"):
        x = float(np.float32(x)) if kind == "f4" else x
    return "0x" + struct.pack(">d", x).hex().upper()


class Code:
    """Lines of straight code that is being written, and how many lanes its values have."""

    def __init__(self, lanes: int, lines: list[str] | None = None, declared: set[str] | None = None) -> None:
        self.lanes = lanes
        self.lines: list[str] = [] if lines is None else lines
        self.declared: set[str] = set() if declared is None else declared
        """The functions of LLVM and of the C library that the code calls, as they are declared."""
        self._known: dict[tuple[str, str], Any] = {}

    def once(self, what: str, x: Value, write: Callable[[], Any]) -> Any:
        """Return what several functions need of a value, which is written for the first of them."""
        if (what, x.text) not in self._known:
            self._known[what, x.text] = write()
        return self._known[what, x.text]

    def type(self, kind: str) -> str:
        """Return LLVM's name of the type of values of a kind."""
        return NAMES[kind] if self.lanes == 1 else f"<{self.lanes} x {NAMES[kind]}>"

    def name(self) -> str:
        """Return a new name: lines are many, names are their numbers."""
        return f"%v{len(self.lines)}"

    def write(self, kind: str, text: str) -> Value:
        """Write a line that gives a new value of a kind."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return Value(name, kind)

    def constant(self, x: float, kind: str = "f8") -> Value:
        """Return a number, the same in all lanes."""
        return Value(self.splat(literal(x, kind), kind), kind)

    def splat(self, one: str, kind: str) -> str:
        """Return a literal, the same in all lanes."""
        return one if self.lanes == 1 else f"<{', '.join([f'{NAMES[kind]} {one}'] * self.lanes)}>"

    def bits(self, x: int) -> Value:
        """Return an integer of 64 bits, the same in all lanes."""
        return self.constant(x - (1 << 64) if x >= 1 << 63 else x, "i8")

    def _two(self, operation: str, x: Value, y: Value) -> Value:
        return self.write(x.kind, f"{operation} {self.type(x.kind)} {x.text}, {y.text}")

    def add(self, x: Value, y: Value) -> Value:
        return self._two("fadd", x, y)

    def subtract(self, x: Value, y: Value) -> Value:
        return self._two("fsub", x, y)

    def multiply(self, x: Value, y: Value) -> Value:
        return self._two("fmul", x, y)

    def divide(self, x: Value, y: Value) -> Value:
        return self._two("fdiv", x, y)

    def negative(self, x: Value) -> Value:
        return self.write(x.kind, f"fneg {self.type(x.kind)} {x.text}")

    def fma(self, x: Value, y: Value, z: Value) -> Value:
        """Write x y + z, rounded once."""
        return self.own("fma", x, y, z)

    def polynomial(self, x: Value, coefficients: list[float]) -> Value:
        """Write a polynomial by Horner's rule, coefficients from the constant on."""
        found = self.constant(coefficients[-1], x.kind)
        for coefficient in reversed(coefficients[:-1]):
            found = self.fma(found, x, self.constant(coefficient, x.kind))
        return found

    def own(self, name: str, *operands: Value) -> Value:
        """Write a call of one of LLVM's own functions of floats: ``fma sqrt fabs copysign floor ceil rint trunc``."""
        kind, of = operands[0].kind, self.type(operands[0].kind)
        suffix = SUFFIXES[kind] if self.lanes == 1 else f"v{self.lanes}{SUFFIXES[kind]}"
        self.declared.add(f"declare {of} @llvm.{name}.{suffix}({', '.join([of] * len(operands))})")
        return self.write(kind, f"call {of} @llvm.{name}.{suffix}({', '.join(f'{of} {x.text}' for x in operands)})")

    def library(self, name: str, *operands: Value) -> Value:
        """Write a call of a function of the C library's mathematics, lane by lane, in double precision."""
        self.declared.add(f"declare double @{name}({', '.join(['double'] * len(operands))})")
        if self.lanes == 1:
            return self.write("f8", f"call double @{name}({', '.join(f'double {x.text}' for x in operands)})")
        of, found = self.type("f8"), "undef"
        for lane in range(self.lanes):
            parts = [self.write("f8", f"extractelement {of} {x.text}, i32 {lane}").text for x in operands]
            one = self.write("f8", f"call double @{name}({', '.join(f'double {part}' for part in parts)})").text
            found = self.write("f8", f"insertelement {of} {found}, double {one}, i32 {lane}").text
        return Value(found, "f8")

    def compare(self, how: str, x: Value, y: Value) -> Value:
        """Write a comparison of floats, as NumPy's function of that name: a truth value in each lane."""
        return self.write("b1", f"fcmp {COMPARISONS[how]} {self.type(x.kind)} {x.text}, {y.text}")

    def is_nan(self, x: Value) -> Value:
        return self.write("b1", f"fcmp uno {self.type(x.kind)} {x.text}, {x.text}")

    def is_no_zero(self, x: Value) -> Value:
        """Write whether a value is a number other than 0."""
        return self.write("b1", f"fcmp one {self.type(x.kind)} {x.text}, {self.constant(0.0, x.kind).text}")

    def is_finite(self, x: Value) -> Value:
        return self.compare("less", self.own("fabs", x), self.constant(float("inf"), x.kind))

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """Write x where the condition holds, else y."""
        of, truth = self.type(x.kind), self.type("b1")
        return self.write(x.kind, f"select {truth} {condition.text}, {of} {x.text}, {of} {y.text}")

    def integer(self, operation: str, x: Value, y: Value) -> Value:
        """Write an operation of integers or truth values: ``add sub mul and or xor shl lshr ashr``."""
        return self._two(operation, x, y)

    def compare_integers(self, how: str, x: Value, y: Value) -> Value:
        """Write a comparison of integers: ``eq ne slt sle sgt sge ult``."""
        return self.write("b1", f"icmp {how} {self.type(x.kind)} {x.text}, {y.text}")

    def as_bits(self, x: Value) -> Value:
        """Return the 64 bits of a double as an integer."""
        return self.write("i8", f"bitcast {self.type('f8')} {x.text} to {self.type('i8')}")

    def of_bits(self, x: Value) -> Value:
        """Return the double of 64 bits."""
        return self.write("f8", f"bitcast {self.type('i8')} {x.text} to {self.type('f8')}")

    def convert(self, x: Value, kind: str) -> Value:
        """Return a value as one of another kind: floats are rounded toward 0, truth values are 0 and 1."""
        if x.kind == kind:
            return x
        if kind == "b1":
            zero = self.constant(0, x.kind)
            return self.compare_integers("ne", x, zero) if x.kind == "i8" else self.compare("not_equal", x, zero)
        return self.write(kind, f"{CONVERSIONS[x.kind + kind]} {self.type(x.kind)} {x.text} to {self.type(kind)}")

    def any(self, x: Value) -> Value:
        """Return whether one of the lanes is true, a truth value of one lane."""
        if self.lanes == 1:
            return x
        of = self.type("b1")
        self.declared.add(f"declare i1 @llvm.vector.reduce.or.v{self.lanes}i1({of})")
        return self.write("b1", f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({of} {x.text})")

    def either(self, condition: Value, one: Callable[[], list[Value]], other: Callable[[], list[Value]]) -> list[Value]:
        """Write code of one lane that goes on by one or the other way; return the values that it has come to.

        What follows waits for the way that is taken, and that is known before the condition is, where it is mostly the
        same.
        """
        number, known, found = len(self.lines), dict(self._known), []
        self.lines += [f"br i1 {condition.text}, label %one{number}, label %other{number}"]
        for way, write in (("one", one), ("other", other)):
            self.lines.append(f"{way}{number}:")
            found.append(write())
            self.lines += [f"br label %{way}done{number}", f"{way}done{number}:", f"br label %both{number}"]
            self._known = dict(known)
        self.lines.append(f"both{number}:")
        ways = [f"%{way}done{number} ]" for way in ("one", "other")]
        return [
            self.write(x.kind, f"phi {self.type(x.kind)} [ {x.text}, {ways[0]}, [ {y.text}, {ways[1]}")
            for x, y in zip(*found, strict=True)
        ]

    def rarely(self, condition: Value, usual: Value, rare: str, *operands: Value) -> Value:
        """Write ``usual``, and in lanes where the condition holds the C library's function ``rare`` of the operands.

        The library is called only where one of the lanes needs it.
        """
        needed, of, number = self.any(condition), self.type(usual.kind), len(self.lines)
        start, call, end = f"start{number}", f"rare{number}", f"end{number}"
        self.lines += [f"br label %{start}", f"{start}:"]
        self.lines += [f"br i1 {needed.text}, label %{call}, label %{end}", f"{call}:"]
        other = self.select(condition, self.library(rare, *operands), usual)
        self.lines += [f"br label %{end}", f"{end}:"]
        return self.write(usual.kind, f"phi {of} [ {usual.text}, %{start} ], [ {other.text}, %{call} ]")
