"""A program as Python source: one statement a step, by NumPy and Python's arithmetic, which gives the bits of eager.

>>> from autodiff import grad, jit
>>> f = jit(grad(lambda x: np.sin(x) * x), exact=True)
>>> print(f.program(2.0))
def program(v0):
    v1 = sin(v0)
    ...
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from dualnumbers.levels import has_nan
from dualnumbers.table.kinds import Constant

from ..tape.replay import forms_of, same
from .cuts import Short
from .native.blocks import NativeBlock, in_order, is_in_order, left, native
from .program import Guard, NotCompilable, Program, Step

INFIX: dict[Any, str] = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
                         operator.pow: "**"}  # fmt: skip

OF_SCALARS = {np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
              np.negative: operator.neg}  # fmt: skip
"""Ufunc → Python's operator, which gives the same of NumPy's scalars in a fifth of the time."""

OPERATORS: dict[Any, Any] = {**OF_SCALARS, np.power: operator.pow}
"""Ufunc → Python's operator, which NumPy computes of complex numbers by another loop, to other bits."""

FLOATS = (float, np.float64)

ARRAYS = (np.ndarray, np.generic)

NEW = frozenset(("matmul", "sum", "mean", "max", "min", "prod", "dot", "length", "any", "all", "cumsum", "setitem"))
"""Rows, beside those of elements, whose value shares no memory with an operand."""

IN_PLACE = frozenset((np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.absolute, np.fabs,
                      np.sqrt, np.square, np.reciprocal, np.maximum, np.minimum, np.copysign))  # fmt: skip
"""Ufuncs that give the same bits of real numbers wherever their result goes; of others NumPy has several loops."""

UNKNOWN = "(no line of code)"

LONGEST = 100_000
"""How many statements there are at most: Python's compiler takes some ten seconds for as many."""

LARGE = 1 << 18
"""From so many bytes on an array is let go as soon as nothing reads it any more."""


class Diverged(Exception):  # noqa: N818
    """The function would go another way here than the program: at its guard of this number."""


class Source:
    """The statements that make one program, and the objects that they name."""

    def __init__(self, program: Program, is_native: bool = False, threads: int = 1, profile: bool = False,
                 short: Short | None = None) -> None:  # fmt: skip
        self.program = program
        self.profile, self.spent = profile, dict[int, float]()
        """Whether the time of each step is added up; the seconds of those that are Python's."""
        self.names: dict[str, Any] = {"same": same, "forms_of": forms_of}
        self.known: dict[int, str] = {}
        self.native = native(program, threads, profile, short) if is_native else None
        order = self.native.order() if self.native else [number for number, _ in program.numbered()]
        if len(order) > LONGEST:
            raise NotCompilable(f"more than {LONGEST:,} of its steps are in no loop of machine code")
        self.last = self._last_reads(order)
        self.fresh = set[int]()
        self.lines: list[str] = []
        self.blocks: list[tuple[slice, int, NativeBlock]] = []
        """Which lines are a block of native code, and from which number on its guards are."""
        self.guards: list[Guard] = []
        for guard in program.of_inputs:
            self._check(guard)
        for at, one in enumerate(order):
            if isinstance(one, NativeBlock):
                self._run(at, one)
            else:
                self._add(at, one, self._step(one))
        results = ", ".join(map(self._result, program.returned))
        self.lines.append(f"return ({results},)" if results else "return ()")
        self.text = self.with_lines(self.lines)

    def with_lines(self, lines: list[str]) -> str:
        """Return the text of a function of the program's inputs."""
        arguments = ", ".join(f"v{k}" for k in range(len(self.program.inputs)))
        return f"def program({arguments}):\n" + "".join(f"    {line}\n" for line in lines)

    @property
    def native_steps(self) -> int:
        """How many steps are native code."""
        return len(self.native.parts.native) if self.native else 0

    def by_line(self) -> dict[str, float]:
        """Return the seconds that each line of the user's code took so far, those first that took most."""
        found: dict[str, float] = {}
        for number, seconds in [*self.spent.items(), *(self.native.spent().items() if self.native else ())]:
            source = self._step(number).source if number >= 0 else None
            name = f"{source.where}: {source.text}" if source else UNKNOWN
            found[name] = found.get(name, 0.0) + seconds
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def function(self) -> Callable[..., Any]:
        """Return the function: it takes the values of the inputs, returns the results, or raises `Diverged`."""
        names = {"left": left, "Diverged": Diverged, **self.names}
        exec(compile(self.text, "<jit>", "exec"), names)
        made: Callable[..., Any] = names["program"]
        return made

    def _last_reads(self, order: Sequence[int | NativeBlock]) -> dict[int, int]:
        """Return for each number the last place in the order that reads it, or what was made of it without a copy."""
        last: dict[int, int] = dict.fromkeys(self.program.returned, len(order))
        for at, one in reversed(list(enumerate(order))):
            for operand in one.given if isinstance(one, NativeBlock) else self._step(one).operands:
                own = at if isinstance(one, NativeBlock) or not _may_share(self._step(one)) else last.get(one, at)
                last[operand] = max(last.get(operand, -1), own, at)
        return last

    def _run(self, at: int, block: NativeBlock) -> None:
        """Write the call of a block of native code."""
        operands, start = [self._ordered(x) for x in block.given], len(self.lines)
        first, name = len(self.guards), self._object("native", block.function)
        self.lines.append(f"found = {name}({', '.join(operands)})")
        self.lines.append("if type(found) is int:")
        self.lines.append(f"    left(found, {first}, Diverged)")
        self.guards += block.guards
        if block.results:
            names = ", ".join(f"v{x}" for x in block.results)
            self.lines.append(f"{names} = found")
        self.blocks.append((slice(start, len(self.lines)), first, block))
        self.fresh.update(block.results)
        for x in block.results:
            self._check_guards(x)
        self._let_go(at, block.given)

    def _ordered(self, x: int) -> str:
        """Return an operand of native code, an array in C's order; inputs are given as the caller has them."""
        value = self.program.value(x)
        if x < 0 and isinstance(value, np.ndarray) and not is_in_order(value):
            return self._object("c", np.ascontiguousarray(value))
        name = self._operand(x)
        if isinstance(value, np.ndarray) and (0 <= x < len(self.program.inputs) or not is_in_order(value)):
            return f"{self._object('in_order', in_order)}({name})"
        return name

    def _add(self, at: int, number: int, step: Step) -> None:
        name = f"v{number}"
        if self.profile:
            self.lines.append(f"start = {self._object('perf_counter', perf_counter)}()")
        if not self._in_place(at, number, step):
            self.lines.append(f"{name} = {self._expression(at, step)}")
        if self.profile:
            self.spent[number] = 0.0
            self.lines.append(f"{self._object('spent', self.spent)}[{number}] += perf_counter() - start")
        if not _may_share(step):
            self.fresh.add(number)
        if _varies_in_form(step):
            self.lines.append(f"if forms_of({name}) != {self._object('forms', forms_of(step.value))}:")
            self.lines.append("    raise Diverged(-1)")
        self._check_guards(number)
        self._let_go(at, step.operands)

    def _check_guards(self, number: int) -> None:
        """Check what was decided by a step's value, unless native code does."""
        for k, guard in enumerate(self._step(number).guards):
            if self.native is None or not self.native.looks_at(number, k):
                self._check(guard)

    def _step(self, number: int) -> Step:
        return self.program.steps[number - len(self.program.inputs)]

    def _let_go(self, at: int, operands: Sequence[int]) -> None:
        """Write that large arrays go which nothing reads any more."""
        done = [f"v{operand}" for operand in dict.fromkeys(operands)
                if operand >= len(self.program.inputs) and self.last[operand] == at
                and getattr(self.program.value(operand), "nbytes", 0) >= LARGE]  # fmt: skip
        if done:
            self.lines.append(f"{' = '.join(done)} = None")

    def _check(self, guard: Guard) -> None:
        self.lines.append(f"if {self._fails(f'v{guard.operand}', guard)}:")
        self.lines.append(f"    raise Diverged({len(self.guards)})")
        self.guards.append(guard)

    def _dies(self, operand: int, at: int, like: Any) -> bool:
        """Return whether an operand is an array of the program's own that nothing reads after a step, of some form."""
        value = self.program.value(operand)
        return (operand in self.fresh and self.last[operand] == at and type(value) is np.ndarray is type(like)
                and value.shape == like.shape and value.dtype == like.dtype and value.flags.c_contiguous)  # fmt: skip

    def _in_place(self, at: int, number: int, step: Step) -> bool:
        """Write an assignment to elements into the array itself, where nothing else reads it."""
        if step.row.name != "setitem" or not self._dies(step.operands[0], at, step.value):
            return False
        if step.operands[1] == step.operands[0]:
            return False
        base, value = map(self._operand, step.operands)
        self.lines.append(f"{base}[{self._object('index', step.static[0])}] = {value}")
        self.lines.append(f"v{number} = {base}")
        return True

    def _expression(self, at: int, step: Step) -> str:
        operands = list(map(self._operand, step.operands))
        values = [self.program.value(operand) for operand in step.operands]
        if step.row.name == "item" or (step.row.name == "getitem" and isinstance(values[0], np.ndarray)):
            return f"{operands[0]}[{self._object('index', step.static[0])}]"
        function, ufunc = function_of(step, values), step.row.numpy.plain
        dying = [operand for operand in step.operands if self._dies(operand, at, step.value)]
        is_in_place = isinstance(ufunc, np.ufunc) and ufunc in IN_PLACE and np.result_type(step.value).kind == "f"
        if dying and step.row.is_elementwise and is_in_place and function in (*INFIX, ufunc):
            function = self._object(step.row.name, ufunc)
            return f"{function}({', '.join(operands)}, {self._operand(dying[0])})"
        if function in INFIX and len(operands) == 2:
            return f" {INFIX[function]} ".join(operands)
        given = [*operands, *(self._object("static", x) for x in step.static)]
        return f"{self._object(step.row.name, function)}({', '.join(given)})"

    def _operand(self, operand: int) -> str:
        if operand >= 0:
            return f"v{operand}"
        x = self.program.constants[~operand]
        if (type(x) is float and np.isfinite(x)) or type(x) is int:
            return repr(x) if x >= 0 and not (x == 0 and np.signbit(x)) else f"({x!r})"
        return self._object("c", x)

    def _object(self, name: str, x: Any) -> str:
        """Return the name of an object in the program."""
        if x is None or x is True or x is False or type(x) in (int, str):
            return repr(x)
        if id(x) not in self.known:
            name = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
            taken = name in self.names or keyword.iskeyword(name) or not name.isidentifier() or name in ("c", "static")
            name = f"{name}{len(self.names)}" if taken else name
            self.names[name], self.known[id(x)] = x, name
        return self.known[id(x)]

    def _result(self, operand: int) -> str:
        """Return a result, an array of the caller's own."""
        value, name = self.program.value(operand), self._operand(operand)
        if not isinstance(value, np.ndarray):
            return name
        once = self.program.returned.count(operand) == 1
        return name if operand in self.fresh and once else f"{self._object('array', np.array)}({name})"

    def _fails(self, name: str, guard: Guard) -> str:
        if guard.question is has_nan and type(self.program.value(guard.operand)) is float:
            return f"{name} {'==' if guard.answer else '!='} {name}"
        if guard.question is not None:
            static = "".join(f", {self._object('static', x)}" for x in guard.static)
            name = f"{self._object(getattr(guard.question, '__name__', 'asked'), guard.question)}({name}{static})"
        if type(guard.answer) in (bool, np.bool_):
            return f"not {name}" if guard.answer else name
        return f"not same({name}, {self._object('answer', guard.answer)})"


def function_of(step: Step, values: Sequence[Any]) -> Any:
    """Return the function that gave the value of a step, of the plain values of its operands."""
    row, face = step.row, step.row.face_of(step.value)
    if row.python is row.numpy:
        return face.plain or face.evaluate
    if face is row.python and face.scalar:
        if face.evaluate is face.scalar or not any(isinstance(x, ARRAYS) for x in values):
            return face.scalar
    elif face.plain in OF_SCALARS and type(step.value) is np.float64:
        kinds = set(map(type, values))
        if np.float64 in kinds <= {float, np.float64}:
            return OF_SCALARS[face.plain]
    elif face.plain in OPERATORS and np.result_type(step.value).kind == "c":
        with np.errstate(all="ignore"):
            if _has_bits(OPERATORS[face.plain](*values), step.value):
                return OPERATORS[face.plain]
    return face.plain or face.evaluate


def _has_bits(x: Any, y: Any) -> bool:
    return type(x) is type(y) and np.shape(x) == np.shape(y) and np.asarray(x).tobytes() == np.asarray(y).tobytes()


def _may_share(step: Step) -> bool:
    """Return whether the value of a step may share memory with an operand."""
    return not (step.row.is_elementwise or step.row.name in NEW or type(step.value) in FLOATS)


def _varies_in_form(step: Step) -> bool:
    """Return whether the shape of a value may depend on values, and not on the shapes of the operands alone."""
    row = step.row
    if row.is_elementwise or row.name in NEW or row.name == "item" or (row.is_constant and row.python.scalar):
        return False
    return any(isinstance(row.argument(k), Constant) for k in range(len(step.operands))) or not row.is_linear
