"""A random program: the text of its arguments and statements, and how it is run on plain values."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import autodiff
import autodiff.numpy

HEADERS = ("import numpy as np\nfrom autodiff import *\n", "from autodiff import *\nfrom autodiff import numpy as np\n")
NAMES = {"np": np, **{name: getattr(autodiff, name) for name in autodiff.__all__ if name != "drawing"}}


@dataclass(frozen=True)
class Program:
    """``def f(x, …)`` as text; ``arguments`` are the texts of its arguments, the differentiated ones first.

    ``constants`` counts those that are not differentiated, at the end; ``statements`` are texts, blocks of several
    lines among them; ``outs`` are the variables that are returned, as a tuple; ``error`` is the type of the exception
    that its last statement raises on plain values, if it does. ``drop_in``: it is written for `autodiff.numpy`.
    """

    seed: int
    arguments: dict[str, str]
    constants: int
    statements: tuple[str, ...]
    outs: tuple[str, ...]
    error: str = ""
    drop_in: bool = False

    @property
    def differentiated(self) -> list[str]:
        """The names of the arguments by which it is differentiated."""
        names = list(self.arguments)
        return names[: len(names) - self.constants]

    def body(self, last: str) -> str:
        """The function's text, with a last line of its own."""
        lines = [line for statement in self.statements for line in statement.splitlines()]
        return "\n    ".join([f"def f({', '.join(self.arguments)}):", *lines, last])

    def source(self) -> str:
        """A script that makes the arguments and defines f: to be copied and run."""
        arguments = "".join(f"{name} = {text}\n" for name, text in self.arguments.items())
        return f"{HEADERS[self.drop_in]}\n{self.body(self.returned())}\n\n{arguments}"

    def returned(self) -> str:
        """The last line."""
        return f"return ({', '.join(self.outs)},)"

    def function(self, last: str = "", plain: bool = False) -> Callable[..., Any]:
        """f itself, in the namespace that it is written for; ``plain``: in NumPy's own."""
        names = dict(NAMES)
        if self.drop_in and not plain:
            names["np"] = autodiff.numpy
        exec(self.body(last or self.returned()), names)
        return names["f"]

    def fresh(self, only: Sequence[str] = ()) -> list[Any]:
        """New arguments: a program may write to them."""
        return [eval(text, NAMES) for name, text in self.arguments.items() if not only or name in only]

    def locals(self) -> dict[str, Any]:
        """All variables at its end, on plain values; raises what it raises, a warning as well."""
        with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
            warnings.simplefilter("error")
            return self.function("return locals()", plain=True)(*self.fresh())

    def with_statements(self, *statements: str) -> "Program":
        """The program with these statements in place of its own."""
        return replace(self, statements=statements)


def moved(x: Any, step: Any) -> Any:
    """An argument that was moved: an array in its place, so that its layout stays."""
    if isinstance(x, np.ndarray):
        x[...] = x + step
        return x
    return type(x)(x + step)
