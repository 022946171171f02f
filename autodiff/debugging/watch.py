"""`debug_nans`: as long as it is on, a differentiation whose result is not finite says where that arose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import Token
from functools import wraps
from typing import Any

import numpy as np

from dualnumbers.levels import Level, is_number
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.dual import DualNumber
from dualnumbers.numbers.taylor.number import TaylorNumber

from ..calls.running import run
from ..calls.structures import flatten, map_leaves
from ..calls.values import filled, name_of
from ..calls.watching import WATCH, Watch
from ..second_look.strong_tangents import StrongTangents
from ..tape.keeping import restore
from ..tape.sources import SourcedTape
from ..tape.sweep import swept
from ..tape.variable import Variable, variable
from ..tape.wengert import Tape
from .finite import is_faulty
from .origins import of_adjoint, of_tangent, of_value


def debug_nans() -> _Debugging:
    """Let differentiations within it raise FloatingPointError where a value or a derivative is NaN or infinite.

    The error names the operation in which that arose, the numbers it was applied to, and the user's line of code: in
    the run of the function, in the sweep back, or among the tangents of forward mode. What is not finite on the way and
    does not reach a result, as a branch of ``np.where`` that is not chosen, is no error. It is a decorator as well,
    ``@debug_nans()``. Of Variables made by hand the error names the operation alone.

    It holds in its own thread alone, as ``np.errstate`` does: in a function that other threads run, write it there.
    Recording takes some ten times as long within it; outside it costs nothing.

    >>> import numpy as np
    >>> from autodiff import debug_nans, grad
    >>> with debug_nans(), np.errstate(invalid="ignore"):
    ...     grad(lambda x: np.log(x - 2.0) * x)(1.0)
    Traceback (most recent call last):
        ...
    FloatingPointError: `np.log(x - 2.0)` gives nan: log of -1 (...)
    """
    return _Debugging()


class _Debugging:
    """The context in which a watch looks on, and the decorator that calls a function within such a context."""

    __slots__ = ("tokens",)

    def __init__(self) -> None:
        self.tokens: list[Token[Watch | None]] = []

    def __enter__(self) -> None:
        self.tokens.append(WATCH.set(_Watch()))

    def __exit__(self, *raised: object) -> None:
        WATCH.reset(self.tokens.pop())

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(f)
        def watched(*args: Any, **keywords: Any) -> Any:
            with _Debugging():
                return f(*args, **keywords)

        return watched


class _Watch:
    """What looks on while differentiations run."""

    def new_tape(self) -> SourcedTape:
        """Return an empty tape that notes lines of code, and keeps every value."""
        tape = SourcedTape()
        tape.complete = True
        return tape

    def watched(self, f: Callable[..., Any], level: Level) -> Callable[..., Any]:
        """Return ``f``, with a look at what it returns."""

        @wraps(f)
        def looked_at(*args: Any) -> Any:
            kept = map_leaves(_copied, list(args))  # f may write to its arguments
            out = f(*args)
            for leaf in map(filled, flatten(out)[0]):
                if is_number(type(leaf)) and leaf.level is level:
                    if isinstance(leaf, Variable):
                        self._check_value(leaf.tape, leaf.line)
                    elif any(map(is_faulty, _looked_at_now(leaf))):
                        self._check_pushed(f, kept, level)
            return out

        return looked_at

    def check_adjoints(self, tape: Tape, seeds: dict[int, Any], found: list[Any]) -> None:
        """Raise FloatingPointError where the adjoint of an input is not finite."""
        if not any(map(is_faulty, found)):
            return
        for line in seeds:
            self._check_value(tape, line)
        every, _ = swept(tape, seeds, True)
        restore(tape)
        line = next(line for line, adjoint in zip(tape.inputs, found, strict=True) if is_faulty(adjoint))
        raise FloatingPointError(of_adjoint(tape, every, line))

    def check_tangents(self, tape: Tape, found: dict[int, Any], lines: Iterable[int]) -> None:
        """Raise FloatingPointError where the tangent of one of the lines is not finite."""
        for line in lines:
            if is_faulty(found.get(line)):
                restore(tape)
                raise FloatingPointError(of_tangent(tape, found, line))

    def doubts(self, derivative: Any) -> bool:
        """Return whether a derivative is not finite."""
        return is_faulty(derivative)

    def _check_value(self, tape: Tape, line: int) -> None:
        """Raise FloatingPointError where the value of a line is not finite."""
        if is_faulty(tape.values[line]):
            restore(tape)
            raise FloatingPointError(of_value(tape, line))

    def _check_pushed(self, f: Callable[..., Any], args: Sequence[Any], level: Level) -> None:
        """Record ``f`` at the numbers of a level, and raise FloatingPointError where values or their tangents fail."""
        leaves, rebuild = flatten(args)
        tape, seeds, given = self.new_tape(), {}, []
        for x in leaves:
            if is_number(type(x)) and x.level is level:
                given.append(variable(tape, x.primal))
                if isinstance(x, DualNumber):
                    seeds[given[-1].line] = x.tangent
            else:
                given.append(x)
        try:
            out = run(f, rebuild(given), tape.level)  # which finds what is wrong with the values
        except FloatingPointError:
            raise
        except Exception as error:
            raise FloatingPointError(
                f"a tangent of {name_of(f)} is nan or inf; where it arose is not known, for the "
                f"function cannot be recorded: {error}"
            ) from error
        with np.errstate(all="ignore"):
            found = StrongTangents(tape).tangents(seeds, range(len(tape)))
        self.check_tangents(tape, found, [leaf.line for leaf in flatten(out)[0] if isinstance(leaf, Variable)])


def _looked_at_now(x: Any) -> tuple[Any, ...]:
    """Return the parts of a number that are to be finite: of a power series the value.

    Where a coefficient behind that is `in_doubt`, it is found again by nested differentiations, of dual numbers.
    """
    return (x.primal,) if isinstance(x, TaylorNumber) else x.parts()


def _copied(x: Any) -> Any:
    return x.snapshot() if isinstance(x, ArrayNumber) else x.copy() if isinstance(x, np.ndarray) else x
