"""The programs of a function, for arguments of each form, and on each path.

What a function decides by values, as by ``if x > 0``, is a guard of its program. Where one does not hold, the function
is recorded again, as it goes there, and kept beside: so each path is recorded once.
"""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from threading import RLock
from typing import Any

import numpy as np

from dualnumbers.levels import NOTING, is_noted, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array

from ..calls.running import run
from ..calls.structures import flatten, map_leaves
from ..calls.values import filled, name_of
from ..tape.lazy import LazyRecorder
from ..tape.lazy_when_large import LazyWhenLarge
from ..tape.outline import outline_key
from ..tape.program import Line as Place
from ..tape.recorder import Recorder
from ..tape.variable import Variable, variable
from .checking import check_same, check_value
from .direct import Direct, direct
from .forms import form_of, forms_of_arrays
from .into import places, straight, takes_out, written
from .lines import tape_with_lines
from .making import Making
from .nested import Derivatives, call_of_numbers
from .options import Options
from .program import NotCompilable, Program, of_tape
from .results import Sparse, as_structure, with_elements
from .source import Diverged, Source

MANY = 100_000
"""From how many elements of an argument on values are computed when the program runs, not when it is recorded."""

FORMS = 8
"""For how many forms of arguments programs are kept; the oldest are dropped."""


@dataclass
class Path:
    """One way through a function: its program, and by the guards that failed the other ways that branch off there."""

    program: Program
    """What runs, of long loops a part only."""
    making: Making
    call: Callable[..., Any]
    direct: Direct | None
    """What makes a function of all arguments, if machine code is all of the program; told what else to call."""
    seconds: dict[str, float]
    """What each phase of making it took."""
    is_promised: bool = False
    """Whether no value was computed when it was recorded, so that it may go another way even there."""
    others: dict[int, Path] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """How it runs."""
        return self.making.source


@dataclass
class Form:
    """What is known for arguments of one form; ``eager`` says why the function is called as it stands."""

    first: Path | None = None
    paths: list[Path] = field(default_factory=list)
    eager: str = ""


class Programs:
    """The programs of a function, as many as its calls have asked for."""

    def __init__(self, f: Callable[..., Any], options: Options) -> None:
        self.f, self.options, self.name = f, options, name_of(f)
        self.forms: dict[Any, Form] = {}
        self.derivatives = Derivatives(f, lambda g: Programs(g, options._replace(profile=False)).call)
        self.prefer: Callable[[Callable[..., Any]], None] = lambda call: None
        """Is told what is to be called from now on, for arguments as the last ones, in place of `call`."""
        self.takes_out = takes_out(f)
        """Whether ``out`` is an argument of its own, and not where the results go."""
        self._preferred: Path | None = None
        self._lock = RLock()

    def call(self, /, *args: Any, **keywords: Any) -> Any:
        """Call the program of the arguments' form, on the path that they take."""
        if "out" in keywords and not self.takes_out:
            return self._into(keywords.pop("out"), args, keywords)
        kinds = None if keywords else forms_of_arrays(args)
        if kinds is None:
            leaves: Any = flatten([list(args), keywords])[0]
            kinds = tuple(map(form_of, leaves))
            if None in kinds:
                return self._of_others(args, keywords, leaves, kinds)
            key: Any = (outline_key([list(args), keywords]), kinds)
        else:
            leaves, key = args, kinds
        form = self.forms.get(key) or self._new_form(key)
        if form.eager:
            return self.f(*args, **keywords)
        inputs, at = [x for x, kind in zip(leaves, kinds, strict=True) if kind[0]], None
        path, fails = form.first, False
        with np.errstate(all="ignore"):
            while path is not None and not fails:
                try:
                    return self._run(path, inputs)
                except Diverged as diverged:
                    at = path, diverged.args[0]
                    path = path.others.get(at[1])
                except Exception:
                    fails = True
        if fails:
            return self.f(*args, **keywords)  # which raises by itself
        path = self._record(form, args, keywords, kinds, at)
        try:
            if path is not None:
                with np.errstate(all="ignore"):
                    return self._run_first(path, form, args, keywords, kinds, inputs)
        except Exception as error:
            form.eager = f"its program does not run again: {error!r}"
        return self.f(*args, **keywords)

    def _run_first(self, path: Path, form: Form, args: Any, keywords: Any, kinds: Any, inputs: list[Any]) -> Any:
        """Run a path's program where it was recorded; of one that promised no NaN where there is, the way with it."""
        try:
            return self._run(path, inputs)
        except Diverged as diverged:
            if not path.is_promised:
                raise
            other = self._record(form, args, keywords, kinds, (path, diverged.args[0]))
            if other is None:
                raise
            return self._run(other, inputs)

    def _into(self, out: Any, args: Any, keywords: Any) -> Any:
        """Write what is returned to ``out``: straight away where machine code is all of the program."""
        leaves = flatten([list(args), keywords])[0]
        kinds = None if keywords else forms_of_arrays(args)
        key = kinds or (outline_key([list(args), keywords]), tuple(map(form_of, leaves)))
        form = self.forms.get(key)
        path = form.first if form and not form.eager else None
        if path is not None and path.direct is not None and path.source.native is not None:
            program, inputs = path.program, [x for x in leaves if (form_of(x) or (False,))[0]]
            like = program.rebuild(list(map(program.value, program.returned)))
            given = straight(places(out, like, self.name), inputs)
            found = None if given is None else path.source.native.into(inputs, given)
            if found is not None:
                rest = iter(found)
                return program.rebuild([program.value(x) if x < 0 else next(rest) for x in program.returned])
        return written(out, self.call(*args, **keywords), self.name)

    def _of_others(self, args: Any, keywords: Any, leaves: Any, kinds: Any) -> Any:
        """Call the function where some leaves have no form; where all these are numbers, it is a line to them.

        A recording that is to be run at other inputs, as that of a compiled function around this one, has its lines.
        """
        numbers = [x for x, kind in zip(leaves, kinds, strict=True) if kind is None]
        if not all(is_number(type(x)) for x in numbers) or any(map(is_noted, numbers)):
            return self.f(*args, **keywords)
        return call_of_numbers(self.name, self.call, self.derivatives, args, keywords)

    def _run(self, path: Path, inputs: list[Any]) -> Any:
        """Run a path's program; from then on it is the one that is called straight away."""
        found = path.program.rebuild(path.call(*inputs))
        if path.direct is not None and path is not self._preferred:
            self._preferred = path
            self.prefer(path.direct(self.call))
        return found

    def _new_form(self, key: Any) -> Form:
        with self._lock:
            while len(self.forms) >= FORMS and key not in self.forms:
                self.forms.pop(next(iter(self.forms)))
            return self.forms.setdefault(key, Form())

    def _record(self, form: Form, args: Any, keywords: Any, kinds: Any, at: tuple[Path, int] | None) -> Path | None:
        """Record the function where it goes a way that is not known; None where it is to be called as it stands."""
        with self._lock:
            asked = self.options
            if len(form.paths) >= asked.max_paths and not form.eager:
                self._give_up(form, f"it went {len(form.paths)} ways, the last from {self._place(at)}",
                              "write np.where for what differs by element")  # fmt: skip
            if form.eager:
                return None
            start = time.perf_counter()
            try:
                tape = self._new_tape(kinds, at)
                program = recorded(self.f, args, keywords, kinds, tape)
                again = recorded(self.f, args, keywords, kinds) if asked.check else program
            except Exception as error:  # where f itself raises, it will do so again
                form.eager = f"it cannot be recorded: {error}"
                return None
            if len(program) > asked.max_steps:
                count = f"{len(program):,} operations, more than max_steps={asked.max_steps:,}"
                self._give_up(form, f"it has {count}", "let jit compile one round of its loop, or allow more")
                return None
            if asked.check:
                check_same(program, again, self.name)
            seconds = {"record": time.perf_counter() - start}
            is_promised = isinstance(tape, LazyRecorder) and tape.has_begun
            del tape
            try:
                with undisturbed():
                    making = Making(program, asked)
            except NotCompilable as error:
                form.eager = f"it cannot be compiled: {error}"
                return None
            source = making.source
            straight = direct(source.program, source.native, args, keywords)
            path = Path(source.program, making, source.function(), straight, seconds | making.seconds, is_promised)
            if asked.check:
                check_value(path.call, self.f, args, keywords, kinds, self.name)
            form.paths.append(path)
            if at is None:
                form.first = form.first or path
            else:
                at[0].others[at[1]] = path
            return path

    def _give_up(self, form: Form, why: str, remedy: str) -> None:
        """Let the function be called as it stands from now on, and say so."""
        form.eager = why
        warnings.warn(f"jit of {self.name}: {why}, and is called as it stands from now on: {remedy}{user_line()}",
                      stacklevel=4)  # fmt: skip

    def _new_tape(self, kinds: Any, at: tuple[Path, int] | None) -> Recorder:
        """Return the tape to record a path on: of the first one no value of large arrays is computed."""
        if self.options.profile:
            return tape_with_lines()
        is_large = any(kind[0] and type(kind[1]) is tuple and prod(kind[1]) >= MANY for kind in kinds)
        if at is not None or self.options.check:
            return Recorder()
        return LazyRecorder() if is_large else LazyWhenLarge()

    def _place(self, at: tuple[Path, int] | None) -> str:
        if at is None or at[1] < 0:
            return "a value whose shape differs"
        guard = at[0].source.guards[at[1]]
        return str(guard.place or guard.question)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Python look for no garbage meanwhile: among a million objects, of which none is, that takes a while."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def recorded(f: Callable[..., Any], args: Any, keywords: Any, kinds: Any, tape: Recorder | None = None) -> Program:
    """Record a call, on an empty tape, and return its program; `NotCompilable` where there is none."""
    tape = Recorder() if tape is None else tape
    tape.complete, tape.is_program, tape.guards = True, True, {}
    leaves, rebuild = flatten([list(args), keywords])
    given = [variable(tape, tape.as_input(x)) if kind[0] else x for x, kind in zip(leaves, kinds, strict=True)]
    lines = {id(x): x.line for x in given if isinstance(x, Variable)}
    args, keywords = rebuild(given)
    NOTING.append(None)
    try:
        out = run(lambda *args: f(*args, **keywords), args, tape.level)
    finally:
        NOTING.pop()
    if any(isinstance(x, Variable) and x.line != lines[id(x)] for x in given):
        raise NotCompilable("it writes to an argument")

    def place_of(x: Any) -> Any:
        x = as_structure(filled(x))
        if type(x) is Sparse:
            return Sparse(with_elements(x.matrix, place_of(x.matrix.data)))
        if isinstance(x, np.ndarray) and x.dtype.char == "O":
            x = array(x)
            if isinstance(x, np.ndarray) and x.dtype.kind in "iu":  # of the floats that stood there none was chosen
                x = x.astype(float)
        if isinstance(x, Variable) and x.tape is tape:
            return Place(x.line)
        if is_number(type(x)) or not isinstance(x, (float, complex, int, str, np.ndarray, np.generic, type(None))):
            raise NotCompilable("it returns what is no number or array")
        return x

    return of_tape(tape, map_leaves(place_of, out))
