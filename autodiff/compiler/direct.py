"""Calls that go straight to machine code.

Of numbers and arrays that is the builtin function itself; of structures, a function that takes them apart and puts the
results together, by statements written for that one structure.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .forms import form_of
from .native.blocks import Native, NativeBlock
from .program import Program
from .results import is_sparse, with_elements

Direct = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Of what is to be called where arguments are not as they were, the function of all arguments."""


def direct(program: Program, native: Native | None, args: tuple[Any, ...], keywords: dict[str, Any]) -> Direct | None:
    """Return what makes the function of all arguments; None where machine code is not all of the program."""
    block = native.whole if native else None
    if block is None:
        return None
    marks = tuple(object() for _ in block.results)
    rest = iter(marks)
    leaves = [program.value(x) if x < 0 else next(rest) for x in program.returned]
    if any(isinstance(x, np.ndarray) for x in leaves):
        return None  # each call gives another one
    made = program.rebuild(leaves)
    is_same = made is marks[0] if len(marks) == 1 else type(made) is tuple and _are(made, marks)
    if is_same and not keywords and all((form_of(x) or (False,))[0] for x in args):
        return block.called
    text = _Text([list(args), keywords], made, marks)
    return text.direct(block) if text.fits else None


def _are(made: tuple[Any, ...], marks: tuple[Any, ...]) -> bool:
    return len(made) == len(marks) and all(map(operator.is_, made, marks))


class _Text:
    """The function of arguments of a structure, as text; it ``fits`` where they are of Python's own containers."""

    def __init__(self, given: Any, made: Any, marks: tuple[Any, ...]) -> None:
        self.names: dict[str, Any] = {}
        self.lines: list[str] = []
        self.leaves: list[str] = []
        self.fits = True
        args, keywords = given
        self._leave_unless(f"len(args) == {len(args)} and len(keywords) == {len(keywords)}")
        self._parts("args", args)
        self._take("keywords", keywords)
        self.numbers = {id(mark): k for k, mark in enumerate(marks)}
        self.result = self._made(made)

    def direct(self, block: NativeBlock) -> Direct:
        """Return what makes the function, of a block, and of what is called in its place."""
        lines = [*self.lines, f"found = native({', '.join(self.leaves)})"]
        self._leave_unless("type(found) is not int", lines)
        body = "\n    ".join([*lines, f"return {self.result}"])
        code = compile(f"def call(*args, **keywords):\n    {body}\n", "<jit>", "exec")
        known = {**self.names, "native": block.function}

        def make(otherwise: Callable[..., Any]) -> Callable[..., Any]:
            names = {**known, "otherwise": otherwise}
            exec(code, names)
            function: Callable[..., Any] = names["call"]
            return function

        return make

    def _leave_unless(self, right: str, lines: list[str] | None = None) -> None:
        lines = self.lines if lines is None else lines
        lines += [f"if not ({right}):", "    return otherwise(*args, **keywords)"]

    def _object(self, x: Any) -> str:
        name = f"x{len(self.names)}"
        self.names[name] = x
        return name

    def _take(self, name: str, x: Any) -> None:
        """Take a part of the arguments apart, if it is as it was."""
        form = form_of(x)
        if type(x) in (list, tuple):
            self._leave_unless(f"type({name}) is {type(x).__name__} and len({name}) == {len(x)}")
            self._parts(name, x)
        elif type(x) is dict and all(type(key) is str for key in x):
            self._leave_unless(f"type({name}) is dict and [*{name}] == {self._object([*x])}")
            self._parts(f"{name}.values()", x.values())
        elif form is not None and form[0]:
            self.leaves.append(name)
        elif type(x) in (int, bool, str, type(None)):
            self._leave_unless(f"type({name}) is {self._object(type(x))} and {name} == {self._object(x)}")
        else:
            self.fits = False

    def _parts(self, name: str, parts: Any) -> None:
        names = [f"a{len(self.lines)}_{k}" for k in range(len(parts))]
        if names:
            self.lines.append(f"{', '.join(names)}, = {name}")
        for own, part in zip(names, parts, strict=True):
            self._take(own, part)

    def _made(self, x: Any) -> str:
        """Return the expression that puts a result together."""
        if id(x) in self.numbers:
            return "found" if len(self.numbers) == 1 else f"found[{self.numbers[id(x)]}]"
        if type(x) is dict:
            return f"{{{', '.join(f'{self._object(key)}: {self._made(part)}' for key, part in x.items())}}}"
        if type(x) in (list, tuple):
            inner = "".join(f"{self._made(part)}, " for part in x)
            return f"[{inner}]" if type(x) is list else f"({inner})"
        if is_sparse(x):
            self.names["with_elements"] = with_elements
            return f"with_elements({self._object(x)}, {self._made(x.data)})"
        self.fits &= type(x) in (float, complex, int, bool, str, type(None)) or isinstance(x, np.generic)
        return self._object(x)
