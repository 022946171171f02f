"""``jit``: a function that runs as the program it was recorded as, for arguments of each form, and on each path.

What a function decides by values, as by ``if x > 0``, is a guard of its program. Where one does not hold, the function
is recorded again, as it goes there, and kept beside: so each path is recorded once.
"""

from __future__ import annotations

import operator
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from types import MethodType
from typing import Any

import numpy as np

from dualnumbers.levels import NOTING, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array

from ..calls.directions import same_half
from ..calls.running import run
from ..calls.structures import flatten, map_leaves
from ..calls.values import filled, name_of
from ..tape.program import Line as Place
from ..tape.recorder import Recorder
from ..tape.replay import same
from ..tape.variable import Variable, variable
from .forms import form_of, forms_of_arrays, outline_of
from .loops import listed
from .passes import PASSES
from .program import NotCompilable, Program, of_tape
from .source import Diverged, Source

PATHS = 16
"""How many paths are recorded for arguments of one form, unless told otherwise."""

LONGEST = 100_000
"""Up to how many steps are compiled: Python's compiler takes some ten seconds for as many."""

FORMS = 8
"""For how many forms of arguments programs are kept; the oldest are dropped."""


@dataclass
class Path:
    """One way through a function: its program, and by the guards that failed the other ways that branch off there."""

    program: Program
    source: Source
    call: Callable[..., Any]
    recorded: int
    seconds: float
    others: dict[int, Path] = field(default_factory=dict)


@dataclass
class Form:
    """What is known for arguments of one form; ``eager`` says why the function is called as it stands."""

    first: Path | None = None
    paths: list[Path] = field(default_factory=list)
    eager: str = ""


class Compiled:
    """A function that runs as a recorded program; `jit` makes it."""

    def __init__(self, f: Callable[..., Any], max_paths: int = PATHS, check: bool = False, exact: bool = False) -> None:
        self.f, self._max_paths, self._check, self._exact = f, max_paths, check, exact
        self._forms: dict[Any, Form] = {}
        self._last: tuple[Callable[..., Any], Callable[[Any], Any] | None] | None = None
        """The native function that was made last, of inputs that are no structures, and what makes its results."""
        self._lock = RLock()
        self.__name__, self.__doc__ = name_of(f), getattr(f, "__doc__", None)
        self.__wrapped__ = f

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        if self._last is not None and not keywords:
            run, rebuild = self._last
            found = run(*args)
            if type(found) is tuple:
                return rebuild(found) if rebuild else found
        return self._called(args, keywords)

    def _called(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call the program of the arguments' form, on the path that they take."""
        kinds = None if keywords else forms_of_arrays(args)
        if kinds is None:
            leaves: Any = flatten([list(args), keywords])[0]
            kinds = tuple(map(form_of, leaves))
            if None in kinds:
                return self.f(*args, **keywords)
            key: Any = (outline_of([list(args), keywords]), kinds)
        else:
            leaves, key = args, kinds
        form = self._forms.get(key) or self._new_form(key)
        if form.eager:
            return self.f(*args, **keywords)
        inputs, at = [x for x, kind in zip(leaves, kinds, strict=True) if kind[0]], None
        path = form.first
        with np.errstate(all="ignore"):
            while path is not None:
                try:
                    return path.program.rebuild(path.call(*inputs))
                except Diverged as diverged:
                    at = path, diverged.args[0]
                    path = path.others.get(at[1])
                except Exception:
                    return self.f(*args, **keywords)  # which raises by itself
        path = self._record(form, args, keywords, kinds, at)
        try:
            if path is not None:
                with np.errstate(all="ignore"):
                    return path.program.rebuild(path.call(*inputs))
        except Exception as error:
            form.eager = f"its program does not run again: {error!r}"
        return self.f(*args, **keywords)

    def _new_form(self, key: Any) -> Form:
        with self._lock:
            while len(self._forms) >= FORMS and key not in self._forms:
                self._forms.pop(next(iter(self._forms)))
            return self._forms.setdefault(key, Form())

    def _record(self, form: Form, args: Any, keywords: Any, kinds: Any, at: tuple[Path, int] | None) -> Path | None:
        """Record the function where it goes a way that is not known; None where it is to be called as it stands."""
        with self._lock:
            if len(form.paths) >= self._max_paths and not form.eager:
                form.eager = f"it went {len(form.paths)} ways, the last from {self._place(at)}"
                warnings.warn(f"jit of {self.__name__}: {form.eager}, and is called as it stands from now on: "
                              f"write np.where for what differs by element{user_line()}", stacklevel=3)  # fmt: skip
            if form.eager:
                return None
            start = time.perf_counter()
            try:
                program = recorded(self.f, args, keywords, kinds)
                again = recorded(self.f, args, keywords, kinds) if self._check else program
            except Exception as error:  # where f itself raises, it will do so again
                form.eager = f"it cannot be recorded: {error}"
                return None
            if self._check:
                _check_same(program, again, self.__name__)
            count = len(program.steps)
            for one in PASSES:
                program = one(program)
            source = Source(program, not self._exact)
            path = Path(program, source, source.function(), count, time.perf_counter() - start)
            whole = source.native.whole if source.native else None
            if whole is not None and not keywords and all((form_of(x) or (False,))[0] for x in args):
                self._last = whole.function, _rebuilding(program)
            if self._check:
                _check_value(path, self.f, args, keywords, kinds, self.__name__)
            form.paths.append(path)
            if at is None:
                form.first = form.first or path
            else:
                at[0].others[at[1]] = path
            return path

    def _place(self, at: tuple[Path, int] | None) -> str:
        if at is None or at[1] < 0:
            return "a value whose shape differs"
        guard = at[0].source.guards[at[1]]
        return str(guard.place or guard.question)

    def program(self, *args: Any, **keywords: Any) -> str:
        """Return the program for such arguments as Python source, of the first path; it is recorded if need be."""
        found = self._first(args, keywords)
        return found if isinstance(found, str) else Source(found.program).text

    def loops(self, *args: Any, **keywords: Any) -> str:
        """Return the loops of its machine code as text; those over arrays, and Python's that were found again."""
        found = self._first(args, keywords)
        return found if isinstance(found, str) else listed(found.program)

    def _first(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Path | str:
        """Return the first path for such arguments, or why there is none."""
        self(*args, **keywords)
        kinds = None if keywords else forms_of_arrays(args)
        key = kinds or (outline_of([list(args), keywords]), tuple(map(form_of, flatten([list(args), keywords])[0])))
        form = self._forms.get(key)
        if form is None or form.first is None or form.eager:
            return f"# {self.__name__} is called as it stands: {form.eager if form else 'its arguments have no form'}"
        return form.first

    def constants(self) -> list[Any]:
        """Return the numbers and arrays that the programs took from outside their arguments, as they were then."""
        found = [x for form in self._forms.values() for path in form.paths for x in path.program.constants]
        return [x for k, x in enumerate(found) if not any(x is y for y in found[:k])]

    def stats(self) -> list[dict[str, Any]]:
        """Return for each form of arguments its paths: lines recorded, left, and native; guards; seconds to make it."""

        def of(path: Path) -> dict[str, Any]:
            return {"recorded": path.recorded, "lines": len(path.program.steps), "native": path.source.native_steps,
                    "guards": len(path.source.guards), "seconds": path.seconds}  # fmt: skip

        return [{"eager": form.eager, "paths": list(map(of, form.paths))} for form in self._forms.values()]

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __reduce__(self) -> Any:
        return jit, (self.f, self._max_paths, self._check, self._exact)

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, memo: Any) -> Compiled:
        return self

    def __repr__(self) -> str:
        return f"jit({self.__name__})"


def jit(f: Callable[..., Any], max_paths: int = PATHS, check: bool = False, exact: bool = False) -> Compiled:
    """Return a function that does what ``f`` does, by a program that is recorded when it is first called.

    The program is that of f's arithmetic, its derivatives included: no tape is made any more, no rule looked up, and
    what gives nothing new is left out. Where llvmlite is installed, it is machine code as far as its operations have a
    native form; the rest is called as it is. It gives what f gives, to rounding: machine code adds up sums in another
    order; ``exact=True`` leaves all to NumPy and Python, for f's own bits. One is made for each form of the arguments,
    their structure, shapes, types, and the values of integers, strings and None among them; and for each way that f
    goes by its decisions, up to ``max_paths`` ways, beyond which f is called as it stands, and a warning says so. So it
    is where it cannot be recorded, as where it asks for ``float(x)``; its ``stats()`` say why.

    f is called when it is recorded, and not again: what it does besides returning is done then, and what it takes from
    outside its arguments stays as it was then, its ``constants()``. ``check=True`` records twice, compares with what
    f gives, and raises RuntimeError where they differ, as of a function that draws random numbers. Where it is given
    numbers that carry derivatives, f is called as it stands: write ``jit(grad(f))``, not ``grad(jit(f))``.

    >>> from autodiff import grad
    >>> slope = jit(grad(lambda x: np.sum(np.sin(x) * x)))
    >>> slope(np.array([0.0, 1.0])).round(3)
    array([0.   , 1.382])
    """
    if not callable(f):
        raise TypeError(f"jit takes a function, not {f!r}{user_line()}")
    if isinstance(max_paths, bool) or not isinstance(max_paths, int) or max_paths < 1:
        raise ValueError(f"max_paths is a whole number of at least 1, how many ways are kept, not {max_paths!r}"
                         f"{user_line()}")  # fmt: skip
    return Compiled(f, max_paths, check, exact)


# ------------------------------------------------------------------------------------------------------------ recording


def recorded(f: Callable[..., Any], args: Any, keywords: Any, kinds: Any) -> Program:
    """Record a call and return its program; `NotCompilable` where there is none."""
    tape = Recorder()
    tape.complete, tape.guards = True, {}
    leaves, rebuild = flatten([list(args), keywords])
    given = [variable(tape, np.array(x) if type(x) is np.ndarray else x) if kind[0] else x
             for x, kind in zip(leaves, kinds, strict=True)]  # fmt: skip
    lines = {id(x): x.line for x in given if isinstance(x, Variable)}
    args, keywords = rebuild(given)
    NOTING.append(None)
    try:
        out = run(lambda *args: f(*args, **keywords), args, tape.level)
    finally:
        NOTING.pop()
    if any(isinstance(x, Variable) and x.line != lines[id(x)] for x in given):
        raise NotCompilable("it writes to an argument")
    if len(tape) > LONGEST:
        raise NotCompilable(f"it has more than {LONGEST:,} steps")

    def place_of(x: Any) -> Any:
        x = filled(x)
        if isinstance(x, np.ndarray) and x.dtype.char == "O":
            x = array(x)
        if isinstance(x, Variable) and x.tape is tape:
            return Place(x.line)
        if is_number(type(x)) or not isinstance(x, (float, complex, int, str, np.ndarray, np.generic, type(None))):
            raise NotCompilable("it returns what is no number or array")
        return x

    return of_tape(tape, map_leaves(place_of, out))


def _rebuilding(program: Program) -> Callable[[Any], Any] | None:
    """Return what makes a program's results of their tuple; None where that is what the function returns."""
    marks = tuple(object() for _ in program.returned)
    made = program.rebuild(marks)
    if type(made) is tuple and len(made) == len(marks) and all(map(operator.is_, made, marks)):
        return None
    return operator.itemgetter(0) if marks and made is marks[0] else program.rebuild


def _check_same(one: Program, other: Program, name: str) -> None:
    """Raise RuntimeError where two recordings of one call differ."""
    alike = len(one.steps) == len(other.steps) and len(one.constants) == len(other.constants) and all(
        a.row is b.row and a.operands == b.operands for a, b in zip(one.steps, other.steps, strict=True)
    ) and all(map(same, one.constants, other.constants))  # fmt: skip
    if not alike:
        raise RuntimeError(f"jit of {name}: two calls at the same arguments did different things; give it what it "
                           f"draws or counts as arguments{user_line()}")  # fmt: skip


def _check_value(path: Path, f: Callable[..., Any], args: Any, keywords: Any, kinds: Any, name: str) -> None:
    """Raise RuntimeError where the program does not give what the function gives, to half of the digits."""
    inputs = [x for x, kind in zip(flatten([list(args), keywords])[0], kinds, strict=True) if kind[0]]
    with np.errstate(all="ignore"):
        found, expected = path.call(*inputs), flatten(f(*args, **keywords))[0]
    if len(found) != len(expected) or not all(map(_is_near, found, expected)):
        raise RuntimeError(f"jit of {name}: its program gives something else than it gives itself; does it look at the "
                           f"types of its arguments, or outside of them?{user_line()}")  # fmt: skip


def _is_near(x: Any, y: Any) -> bool:
    if x is None or isinstance(x, str):
        return bool(x == y)
    return np.shape(x) == np.shape(y) and same_half(x, y)
