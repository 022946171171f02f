"""A random program from a seed: statements are drawn, and kept where the program still runs on plain values."""

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .expressions import EXPRESSIONS
from .program import NAMES, Program
from .statements import STATEMENTS

Scope = dict[str, Any]

HOLE = re.compile(r"\{(\w+)\}")
FAILURES = (IndexError, ValueError, ZeroDivisionError)
RAISING = 0.01
"""The share of statements that fail on plain values and are kept, as the last one of a program."""

REPEATED = ("T", "m", "I", "i")
KINDS = ("number", "number", "scalar", "0-d", *["1-d"] * 6, *["2-d"] * 6, "one", "empty", "3-d")
CONSTANTS = ("0.5", "-2", "1.5", "np.array([0.5, -1.5])", "np.array([[0.5], [2.0]])", "np.float64(1.5)",
             "np.array(0.5)", "np.ones((2, 1))", "[0.5, -1.5]", "(1.0, 2.0)", "[[1.0], [0.5]]", "[2]")  # fmt: skip
DROP_IN = "drop-in"
WRITING = ("augmented", "assignment", "calls that write")
INTERNAL = ("inner", "by hand")
LARGEST, LEAST, MOST = 50.0, 1e-250, 40
"""Values beyond it, values nearer to 0 and arrays of more elements are not kept.

The derivatives of the former would be hard to tell by differences; tiny values are memory that NumPy left undefined.
"""


def table(families: dict[str, str]) -> dict[str, list[str]]:
    """The templates of each family."""
    return {
        family: [line.strip().replace("\\n", "\n") for line in text.splitlines() if line.strip()]
        for family, text in families.items()
    }


def program(seed: int) -> Program:
    """The program of a seed, always the same one."""
    return _Writer(seed).write()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([seed, 20])
        self.seed = seed
        self.scope: Scope = {}
        self.fresh = 0
        self.dtype = self.pick(["float64"] * 7 + ["complex128"] * 2 + ["float32"])
        self.expressions, self.statements = table(EXPRESSIONS), table(STATEMENTS)
        if self.dtype != "complex128" and self.rng.random() < 0.7:
            self.expressions.pop("complex", None)
        self.deep = self.rng.random() < 0.25
        self.drop_in = self.rng.random() < 0.25
        if not self.drop_in:
            self.statements.pop(DROP_IN, None)
        if not self.deep:
            for family in INTERNAL:
                self.expressions.pop(family, None)
                self.statements.pop(family, None)

    def pick(self, choices: Any) -> Any:
        """One of them."""
        return choices[self.rng.integers(len(choices))]

    # -------------------------------------------------------------------------------------- arguments

    def write(self) -> Program:
        """Arguments, then 3 to 9 statements that run, up to 4 that write, which views see, then what is returned."""
        count = self.pick([1, 1, 2, 2, 3])
        arguments = {name: self.argument(self.dtype) for name in "xyz"[:count]}
        constants = int(self.rng.random() < 0.2)
        if constants:
            arguments["b"] = self.argument("float64")
        self.program = Program(self.seed, arguments, constants, (), tuple(arguments)[:count], drop_in=self.drop_in)
        self.scope = self.program.locals()
        wanted = self.rng.integers(3, 10)
        for _ in range(12 * wanted):
            self.extend(self.statement)
            if len(self.program.statements) >= wanted or self.program.error:
                break
        for _ in range(4 * (not self.program.error)):
            self.extend(self.writing)
        return replace(self.program, outs=self.returned())

    def numbers(self, *shape: int) -> Any:
        """Numbers of two decimals and both signs, no two of them alike."""
        size = int(np.prod(shape))
        return (self.rng.choice(np.arange(-150, 150), size, replace=False) / 100 + 0.003).round(3).reshape(shape)

    def argument(self, dtype: str) -> str:
        """The text of an argument: a number or an array, of some layout."""
        unreal = dtype == "complex128"
        number = f"{self.numbers(1)[0]}" if not unreal else str(complex(*self.numbers(2)))
        kind = self.pick(KINDS)
        if kind == "number":
            return number if dtype != "float32" else f"np.float32({number})"
        if kind in ("scalar", "0-d"):
            return f"np.{dtype}({number})" if kind == "scalar" else f"np.array({number}, dtype=np.{dtype})"
        n, m = self.rng.integers(1, 4), self.rng.integers(1, 4)
        shape = {"1-d": (n,), "2-d": (n, m), "one": self.pick([(1,), (1, 1)]), "empty": self.pick([(0,), (0, 2)]),
                 "3-d": (1, 2, 2)}[kind]  # fmt: skip
        return self.laid_out(shape, dtype)

    def laid_out(self, shape: tuple[int, ...], dtype: str) -> str:
        """The text of an array of a random layout."""
        layout = self.pick(["C"] * 5 + ["F", "T", "reversed", "strided"])
        stored = {"T": shape[::-1], "strided": (2 * shape[0], *shape[1:])}.get(layout, shape)
        values = self.numbers(*stored) if dtype != "complex128" else self.numbers(*stored) + 1j * self.numbers(*stored)
        text = f"np.array({values.tolist()}, dtype=np.{dtype}{', order=' + repr('F') if layout == 'F' else ''})"
        text = text if values.size else f"np.zeros({stored}, dtype=np.{dtype})"
        return text + {"T": ".T", "reversed": "[::-1]", "strided": "[::2]"}.get(layout, "")

    # -------------------------------------------------------------------------------------- statements

    def extend(self, draw: Callable[[], str]) -> None:
        """One more statement, if what is drawn runs."""
        try:
            statement = draw()
        except LookupError:  # no variable of the kind that a hole asks for
            return
        longer = self.program.with_statements(*self.program.statements, statement)
        try:
            scope = longer.locals()
        except FAILURES as error:
            if self.rng.random() < RAISING:
                self.program = replace(longer, error=type(error).__name__)
            return
        except Exception:
            return
        if all(map(_tame, scope.values())):
            self.program, self.scope = longer, scope

    def statement(self) -> str:
        """A statement's text: an expression that is given a name, or one of the table."""
        self.rename()
        if self.drop_in and self.rng.random() < 0.3:
            return self.filled(self.pick(self.statements[DROP_IN]))
        if self.rng.random() < 0.5:
            return f"{self.names['t']} = {self.expression()}"
        return self.filled(self.pick(self.statements[self.pick(list(self.statements))]))

    def writing(self) -> str:
        """The text of a statement that writes to an array."""
        self.rename()
        return self.filled(self.pick(self.statements[self.pick(WRITING)]))

    def rename(self) -> None:
        """New names for what the next statement names."""
        self.names = {"t": self.name(0), "t0": self.name(1), "t1": self.name(2), "c0": f"c{self.fresh}"}

    def name(self, k: int) -> str:
        """A new name, or now and then an old one, which is bound anew."""
        self.fresh += 1
        return f"v{self.fresh}" if k or self.rng.random() < 0.9 else self.pick(self.names_of(lambda x: True))

    def expression(self) -> str:
        """An expression's text."""
        return self.filled(self.pick(self.expressions[self.pick(list(self.expressions))]))

    def filled(self, template: str) -> str:
        """A template with its holes filled, those of one kind in ``REPEATED`` all alike."""
        known = dict(self.names)

        def filling(hole: re.Match[str]) -> str:
            kind = hole[1]
            if kind in known:
                return known[kind]
            text = getattr(self, f"of_{kind}")()
            if kind in REPEATED:
                known[kind] = text
            return text

        return HOLE.sub(filling, template)

    def names_of(self, fits: Any) -> list[str]:
        """The variables that hold floating-point numbers and fit, plain constants excepted; the later ones oftener."""
        names = [name for name, x in self.scope.items() if _differentiable(x) and name[0] != "c" and fits(x)]
        if not names:
            raise LookupError
        return names + names[-2:]

    def of_n(self) -> str:
        return self.pick(self.names_of(lambda x: True))

    def of_v(self) -> str:
        return self.of_n() if self.rng.random() < 0.8 else f"({self.expression()})"

    def of_difference(self) -> str:
        """A value less another: an exact 0 that is the value of a difference is none that the derivative can know."""
        left, right = self.of_v(), self.of_v()
        if np.array_equal(self.value_of(left), self.value_of(right)):
            raise LookupError
        return f"{left} - {right}"

    def value_of(self, expression: str) -> Any:
        """The value of an expression where the next statement stands; its text, if it does not run."""
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            try:
                return eval(expression, NAMES | self.scope)
            except Exception:
                return expression

    def of_u(self) -> str:
        return self.pick(self.names_of(lambda x: np.ndim(x) == 1))

    def of_a(self) -> str:
        return self.pick(self.names_of(lambda x: np.ndim(x) > 0))

    def of_m(self) -> str:
        return self.pick(self.names_of(lambda x: np.ndim(x) == 2))

    def of_q(self) -> str:
        return self.pick(self.names_of(lambda x: np.ndim(x) == 2 and len(set(x.shape)) == 1))

    def of_z(self) -> str:
        return self.pick(self.names_of(np.iscomplexobj))

    def of_s(self) -> str:
        numbers = [*self.names_of(lambda x: True)]
        name = self.pick(numbers)
        x = self.scope[name]
        if np.ndim(x) == 0:
            return name
        return f"{name}[{', '.join(['0'] * np.ndim(x))}]" if self.rng.random() < 0.6 else f"np.sum({name})"

    def of_T(self) -> str:  # noqa: N802  # the hole is named T
        return self.pick(self.names_of(lambda x: isinstance(x, np.ndarray) and _is_writeable(x)))

    def of_k(self) -> str:
        return self.pick(["0.5", "2.0", "-0.7", "1.5", "2", "0.25", "np.float64(0.6)", "0.1"])

    def of_c(self) -> str:
        return self.pick(CONSTANTS)

    def of_i(self) -> str:
        return self.pick(["0", "1", "-1", "0"])

    def of_I(self) -> str:  # noqa: N802  # the hole is named I
        return self.pick(["0", "-1", "1", "1:", ":1", "::-1", "::2", "...", "None", "..., 0", ":, 0", "0, ...", "[0]",
                          "[0, 0]", "[0, -1, 0]", "np.array([0, 0])", "[True, False]", "np.array([0]), 0", "0, 0", "()",
                          "..., None", "[[0, -1]]", ":, [0, 0]", "[0, -1], [0, -1]", "-1:", "np.int64(0)", "[]",
                          "1:0", "::-2", "(0,)", "slice(0, 1)", "True", "..., ::-1", "[-1], ..."])  # fmt: skip

    def of_ax(self) -> str:
        return self.pick(["0", "-1", "0", "None"])

    def of_kw(self) -> str:
        return self.pick(
            ["", "", ", axis=0", ", axis=-1", ", axis=0, keepdims=True", ", keepdims=True", ", axis=(0, 1)"]
        )

    def of_mask(self) -> str:
        return self.pick([f"{self.of_n()} > {self.of_k()}", f"np.abs({self.of_n()}) < {self.of_k()}", "True",
                          "np.array([True, False])"])  # fmt: skip

    def returned(self) -> tuple[str, ...]:
        """The variables that are returned: all that are numbers with derivatives, an unused one rarely."""
        return tuple(name for name, x in self.scope.items() if _differentiable(x) and name[0] not in "bc")


def _differentiable(x: Any) -> bool:
    return isinstance(x, (float, complex, np.ndarray, np.inexact)) and np.asarray(x).dtype.kind in "fc"


def _tame(x: Any) -> bool:
    if not _differentiable(x):
        return not isinstance(x, np.ndarray) or x.dtype != object
    return (
        np.size(x) <= MOST
        and np.ndim(x) <= 4
        and bool(np.all((np.abs(x) < LARGEST) & ((x == 0) | (np.abs(x) > LEAST))))
    )


def _is_writeable(x: np.ndarray) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # np.broadcast_arrays' are, until a later version of NumPy
        return x.flags.writeable
