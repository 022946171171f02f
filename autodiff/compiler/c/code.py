"""Straight code in C, of one lane: the operations that native forms are written in."""

from __future__ import annotations

import math
import re

import numpy as np

from ..native.elementary.code import Code, Value

TYPES = {"f8": "double", "f4": "float", "b1": "int", "i8": "int64_t"}
"""A kind of values → the type of one in C."""

STORED = {**TYPES, "b1": "unsigned char"}
"""A kind of values → the type of one in memory."""

SIGNS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/", "and": "&", "or": "|", "xor": "^"}
COMPARED = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
COMPARED_INTEGERS = {"eq": "==", "ne": "!="}


def literal(x: float, kind: str) -> str:
    """Return a number in C, by as many digits as name it."""
    if kind in ("b1", "i8"):
        return str(int(x if kind == "i8" else x != 0))
    with np.errstate(over="ignore"):
        found = np.float32(x) if kind == "f4" else np.float64(x)
    if not math.isfinite(found):
        return "NAN" if math.isnan(found) else "INFINITY" if found > 0 else "-INFINITY"
    text = str(found)
    return (text if "." in text or "e" in text else f"{text}.0") + ("f" if kind == "f4" else "")


class CCode(Code):
    """Lines of straight code in C that is being written."""

    def __init__(self, lines: list[str], used: set[str]) -> None:
        super().__init__(1, lines, used)

    def type(self, kind: str) -> str:
        """Return C's name of the type of values of a kind."""
        return TYPES[kind]

    def name(self) -> str:
        """Return a new name."""
        return f"v{len(self.lines)}"

    def write(self, kind: str, text: str) -> Value:
        """Write a line that gives a new value of a kind."""
        name = self.name()
        self.lines.append(f"const {TYPES[kind]} {name} = {text};")
        return Value(name, kind)

    def constant(self, x: float, kind: str = "f8") -> Value:
        """Return a number."""
        return Value(literal(x, kind), kind)

    def _two(self, operation: str, x: Value, y: Value) -> Value:
        return self.write(x.kind, f"{x.text} {SIGNS[operation]} {y.text}")

    def negative(self, x: Value) -> Value:
        return self.write(x.kind, f"-({x.text})" if x.text.startswith("-") else f"-{x.text}")

    def own(self, name: str, *operands: Value) -> Value:
        """Write a call of a function that C has for numbers of single precision, too."""
        suffix = "f" if operands[0].kind == "f4" else ""
        return self.write(operands[0].kind, f"{name}{suffix}({', '.join(x.text for x in operands)})")

    def library(self, name: str, *operands: Value) -> Value:
        """Write a call of a function of the C library's mathematics, or of one that is written out, of doubles."""
        self.declared.add(name)
        return self.write("f8", f"{name}({', '.join(x.text for x in operands)})")

    def compare(self, how: str, x: Value, y: Value) -> Value:
        """Write a comparison of floats."""
        return self.write("b1", f"{x.text} {COMPARED[how]} {y.text}")

    def is_nan(self, x: Value) -> Value:
        return self.compare("not_equal", x, x)

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """Write x where the condition holds, else y."""
        return self.write(x.kind, f"{condition.text} ? {x.text} : {y.text}")

    def compare_integers(self, how: str, x: Value, y: Value) -> Value:
        """Write a comparison of integers or truth values: ``eq ne``."""
        return self.write("b1", f"{x.text} {COMPARED_INTEGERS[how]} {y.text}")

    def convert(self, x: Value, kind: str) -> Value:
        """Return a value as one of another kind: truth values are 0 and 1."""
        if x.kind == kind:
            return x
        return self.write(kind, f"{x.text} != 0" if kind == "b1" else f"({TYPES[kind]}){x.text}")


VALUE = re.compile(r"\bv\d+\b")
DEFINED = re.compile(r"const \w+ (v\d+) = ")


def without_unused(lines: list[str]) -> list[str]:
    """Leave out values that no later line uses."""
    used, found = set[str](), list[str]()
    for line in reversed(lines):
        defined = DEFINED.match(line.lstrip())
        if defined is None or defined[1] in used:
            used.update(VALUE.findall(line[line.index("=") :] if defined else line))
            found.append(line)
    return found[::-1]
