"""Holds what the library says of a program against the plain run: values, types, exceptions, derivatives."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import autodiff

from .lines import Estimate, along
from .nestings import definitions, nesting, operators, order_of
from .program import NAMES, Program, moved
from .refusals import may_be_nan, may_be_refused

RELATIVE, SINGLE = 1e-6, 2e-3
"""How far a derivative may be from the oracle's beside its error, in double precision and where some is single."""


@dataclass(frozen=True)
class Failure:
    """A disagreement: the ``check`` that found it, the script's last lines, and what was found and expected."""

    check: str
    script: str
    found: Any
    expected: Any

    def __str__(self) -> str:
        return f"{self.check}\n{self.script}\n# found    {self.found}\n# expected {self.expected}\n"


@dataclass
class Verdict:
    """The failures of programs; of how many derivatives the oracle was sure, and not; how many were refused."""

    failures: list[Failure]
    sure: int = 0
    unsure: int = 0
    refused: int = 0

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(self.failures + other.failures, self.sure + other.sure, self.unsure + other.unsure,
                       self.refused + other.refused)  # fmt: skip


class WrongError(Exception):
    """Found and expected differ."""


class Judge:
    """All checks of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.f = program.function()
        self.plain = program.function(plain=True)(*program.fresh())
        self.rng = np.random.default_rng([program.seed, 7])
        self.single = "float32" in program.source()
        inner = any(word in "".join(program.statements) for word in ("grad(", ".grad"))
        unreal = any(map(np.iscomplexobj, program.fresh())) or re.search(r"complex|\dj", program.source())
        self.rounded = bool(self.single or inner or unreal)  # by NumPy as arrays lie in memory
        self.sweeps = ".backward" in program.source()
        self.smooth = _in_double(program)
        self.count = len(program.differentiated)
        self.directions = [[self.like(x) for x in self.arguments] for _ in range(3)]
        self.weights = [self.like(y) for y in self.plain]
        self.unreal = any(map(np.iscomplexobj, self.arguments))
        self.writes = self.written()
        self.verdict = Verdict([])

    def written(self) -> bool:
        """Whether f writes to one of its arguments."""
        args = self.program.fresh()
        self.program.function(plain=True)(*args)
        return not all(map(np.array_equal, args, self.program.fresh()))

    def like(self, x: Any) -> Any:
        """Random numbers of an argument's or output's shape and kind."""
        drawn = self.rng.uniform(0.3, 1.0, np.shape(x)) * self.rng.choice([-1, 1], np.shape(x))
        if np.iscomplexobj(x):
            drawn = drawn + 1j * self.rng.uniform(0.3, 1.0, np.shape(x))
        drawn = np.asarray(np.asarray(drawn).round(3), np.asarray(x).dtype)
        return drawn if isinstance(x, np.ndarray) else type(x)(drawn)

    @property
    def arguments(self) -> list[Any]:
        """New arguments, the differentiated ones."""
        return self.program.fresh(self.program.differentiated)

    @property
    def constants(self) -> list[Any]:
        """New arguments, the others."""
        return self.program.fresh()[self.count :]

    def bound(self, *xs: Any) -> Any:
        """f with its constants."""
        return self.f(*xs, *self.constants)

    # ------------------------------------------------------------------------------------ the oracle

    def line(self, *signs: int) -> list[Estimate]:
        """Derivatives of all outputs, flattened, along ±d1 ± d2 ± d3, on plain values; error ∞ where it fails."""
        try:
            return self.sampled(signs)
        except Exception:  # a mask selects another number of elements there
            return [Estimate(0.0, np.inf)] * 4

    def sampled(self, signs: tuple[int, ...]) -> list[Estimate]:
        """The same; raises what the plain run raises."""
        f = self.smooth.function(plain=True)

        def at(t: float) -> np.ndarray:
            args = self.smooth.fresh()
            for k in range(self.count):
                step = sum(sign * d[k] for sign, d in zip(signs, self.directions, strict=False))
                args[k] = moved(args[k], t * step)
            return _flat(f(*args))

        return along(at)

    @cached_property
    def sensible(self) -> bool:
        """Whether the run in double precision takes the way of the one in single precision."""
        if not self.single:
            return True
        try:
            smooth = self.smooth.function(plain=True)(*self.smooth.fresh())
        except (TypeError, AttributeError):  # of a Python complex number times a double, which is Python's again
            return False
        double, single = _flat(smooth), _flat(self.plain)
        return double.shape == single.shape and np.allclose(double, single, 1e-3, 1e-3)

    def expected(self, order: int) -> Estimate:
        """The mixed derivative of the weighted outputs along d1, …, by polarisation; error ∞ if not `sensible`."""
        if not self.sensible:
            return Estimate(0.0, np.inf)
        weights = np.conj(_flat(self.weights))
        signs = {1: [(1,)], 2: [(1, 1), (1, -1)], 3: [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)]}[order]
        total = Estimate(0.0, 0.0)
        for sign in signs:
            found = self.line(*sign)[order]
            weighted = Estimate(np.sum((weights * found.value).real), np.sum(np.abs(weights) * found.error))
            total += weighted.times(np.prod(sign) / {1: 1, 2: 4, 3: 24}[order])
        return total

    def agree(self, found: Any, expected: Estimate) -> None:
        """Raises `WrongError` where the oracle is sure and the derivative another."""
        if not self.sensible:
            self.verdict.unsure += 1
            return
        size = np.abs(expected.value)
        relative = SINGLE if self.single else RELATIVE
        sure = expected.error <= 1e-3 * (size + 1)
        self.verdict.sure += bool(np.all(sure))
        self.verdict.unsure += not np.all(sure)
        with np.errstate(invalid="ignore"):
            scale = size + np.max(size[np.isfinite(size)], initial=1.0) if self.single else size + 1e-3
            right = np.abs(found - expected.value) <= relative * scale + 4 * expected.error
        if not np.all(right | ~sure):
            raise WrongError(found, expected.value)

    # ------------------------------------------------------------------------------------ the checks

    def checks(self) -> Iterator[tuple[str, str, Callable[[], None]]]:
        """Name, script and function of each check."""
        d1 = self.directions[0]
        yield "jvp", "print(jvp(lambda *xs: f(*xs, *constants), fresh(), d1))", lambda: self.forward(d1)
        yield "vjp", "print(vjp(lambda *xs: f(*xs, *constants), *fresh())[1](weights))", lambda: self.reverse(d1)
        for order in self.orders():
            names = operators(
                self.rng, order, self.unreal, by_hand=not (self.writes or self.sweeps), twice=not self.writes
            )
            yield ", ".join(names), definitions(names) + f"print({nesting(names)})", lambda n=names: self.nested(n)

    def orders(self) -> list[int]:
        """The orders of the nestings that are tried."""
        third = self.rng.random() < 0.3 and "grad" not in self.program.source().split("autodiff import *")[1]
        return [1, 1, 2, 2, *[3] * third]

    def forward(self, direction: list[Any]) -> None:
        """Values and tangents of one push-forward."""
        xs = self.arguments
        values, tangents = autodiff.jvp(self.bound, xs, direction)
        self.same(values)
        _equal([_kind(np.real(t))[1:] for t in tangents], [_kind(np.real(y))[1:] for y in self.plain])
        self.untouched(xs)
        self.agree(_flat(tangents), self.line(1)[1])

    def reverse(self, direction: list[Any]) -> None:
        """Values and adjoints of one pull-back."""
        xs = self.arguments
        values, pull = autodiff.vjp(self.bound, *xs)
        self.same(values)
        adjoints = pull(tuple(self.weights))
        _equal([_kind(g)[1:] for g in adjoints], [_kind(x)[1:] for x in self.arguments])
        self.untouched(xs)
        found = sum(np.sum((np.conj(g) * d).real) for g, d in zip(adjoints, direction, strict=True))
        self.agree(found, self.expected(1))

    def nested(self, names: tuple[str, ...]) -> None:
        """A nesting of operators of the weighted outputs."""
        scope = {**NAMES, "autodiff": autodiff, **self.given()}
        exec(definitions(names), scope)
        self.agree(eval(nesting(names), scope), self.expected(order_of(names)))

    def given(self) -> dict[str, Any]:
        """What the scripts refer to."""
        d1, d2, d3 = self.directions
        return {"f": self.f, "fresh": lambda: self.arguments, "constants": _Each(lambda: self.constants),
                "weights": self.weights, "d1": d1, "d2": d2, "d3": d3}  # fmt: skip

    def same(self, values: Any) -> None:
        """Raises `WrongError` where a value is another than the plain run's, or of another type."""
        for name, found, expected in zip(self.program.outs, values, self.plain, strict=True):
            if _kind(found) != _kind(expected) or not self.same_values(found, expected):
                raise WrongError(f"{name} = {found!r}, {_kind(found)}", f"{expected!r}, {_kind(expected)}")

    def same_values(self, found: Any, expected: Any) -> bool:
        """Whether two values are the same to the last bit, or `rounded` ones to rounding."""
        if not self.rounded:
            return np.array_equal(found, expected, equal_nan=True)
        rounding = 64 * float(np.finfo(np.float32 if self.single else np.float64).eps)
        return np.allclose(found, expected, rounding, rounding * np.max(np.abs(expected), initial=0.0), equal_nan=True)

    def untouched(self, xs: list[Any]) -> None:
        """Raises `WrongError` where the caller's arguments were written to."""
        for found, expected in zip(xs, self.arguments, strict=True):
            if not np.array_equal(found, expected):
                raise WrongError(f"the argument became {found!r}", f"{expected!r}")

    def script(self, last: str) -> str:
        """All that a check does, as a script."""
        lists = {f"d{k}": d for k, d in enumerate(self.directions, 1) if f"d{k}" in last} | {"weights": self.weights}
        fresh = ", ".join(self.program.arguments[name] for name in self.program.differentiated)
        others = ", ".join(list(self.program.arguments.values())[self.count :])
        return "\n".join([self.program.source(), "import autodiff; from numpy import array, float32",
                          f"fresh = lambda: [{fresh}]", f"constants = [{others}]",
                          *(f"{name} = {value!r}" for name, value in lists.items()), last])  # fmt: skip


class _Each:
    """Arguments that are made anew whenever they are passed."""

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        self.make = make

    def __iter__(self) -> Iterator[Any]:
        return iter(self.make())


def _in_double(program: Program) -> Program:
    """The program with single precision replaced by double."""
    double = {name: _doubled(text) for name, text in program.arguments.items()}
    return replace(program, arguments=double, statements=tuple(map(_doubled, program.statements)))


def _doubled(text: str) -> str:
    return text.replace("float32", "float64")


def _flat(values: Any) -> np.ndarray:
    return np.concatenate([np.zeros(0), *(np.ravel(y) for y in values)])


def _kind(x: Any) -> tuple[str, ...]:
    return (type(x).__name__, str(np.asarray(x).dtype), str(np.shape(x)))


def _equal(found: Any, expected: Any) -> None:
    if found != expected:
        raise WrongError(found, expected)


def _errors(program: Program) -> list[Failure]:
    """The failures of a program that raises: to raise another exception than on plain values, in either mode."""
    f, plain, failures = program.function(), program.function(plain=True), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _raised(lambda: plain(*program.fresh()))[0] != program.error:
            return []  # what it raised was a warning's
    for name, call in (("jvp", "jvp(f, args, args)"), ("vjp", "vjp(f, *args)")):
        found, error = _raised(lambda call=call: eval(call, {**NAMES, "f": f, "args": program.fresh()}))
        if found != program.error and not (error and may_be_refused(program, name, error)):
            script = f"{program.source()}\nargs = [{', '.join(program.arguments)}]\n{call}"
            failures.append(Failure(f"{name}: {found} of a program that raises", script, found, program.error))
    return failures


def _raised(call: Callable[[], Any]) -> tuple[str, Exception | None]:
    try:
        call()
    except Exception as error:
        return type(error).__name__, error
    return "no error", None


def judge(program: Program, only: str = "") -> Verdict:
    """The verdict on a program by all checks, or by the one of that name."""
    with np.errstate(all="ignore"):
        if program.error:
            return Verdict(_errors(program))
        if not program.outs:
            return Verdict([])  # all that is left are constants
        jury = Judge(program)
        for name, script, check in jury.checks():
            if only and not only.startswith(f"{name}: "):
                continue
            try:
                check()
            except WrongError as wrong:
                found, expected = wrong.args
                if may_be_nan(program, name) and np.all(np.isnan(found)):
                    jury.verdict.refused += 1
                    continue
                jury.verdict.failures.append(Failure(f"{name}: differs", jury.script(script), found, expected))
            except Exception as error:
                if may_be_refused(program, name, error):
                    jury.verdict.refused += 1
                    continue
                jury.verdict.failures.append(
                    Failure(f"{name}: {type(error).__name__}", jury.script(script), f"{error}"[:400], "no error")
                )
    return jury.verdict
