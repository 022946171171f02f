"""``jit``: a function that runs as the program it was recorded as."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any
from weakref import ref

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..calls.structures import flatten
from ..tape.outline import outline_key
from ..tape.wengert import Tape
from .forms import form_of, forms_of_arrays
from .listing import listed
from .options import PATHS, STEPS, Options
from .paths import Path, Programs
from .program import taped


class Compiled:
    """A function that runs as a recorded program; `jit` makes it."""

    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]
    """What Python calls, the machine code of the last path itself where it can be."""

    def __init__(self, f: Callable[..., Any], options: Options) -> None:
        self.f, self._programs = f, Programs(f, options)
        self.__call__ = self._programs.call
        own = ref(self)

        def prefer(call: Callable[..., Any]) -> None:
            if (still := own()) is not None:
                still.__call__ = call

        self._programs.prefer = prefer
        self.__name__, self.__doc__ = self._programs.name, getattr(f, "__doc__", None)
        self.__wrapped__ = f

    def program(self, *args: Any, **keywords: Any) -> str:
        """Return the program for such arguments as it runs, as text, of the first path; it is recorded if need be.

        What is machine code is shown as the loops that it is, over arrays, and Python's that were found again; with
        ``exact=True``, or without llvmlite, the text is Python source of calls of NumPy.
        """
        found = self._first(args, keywords)
        return found if isinstance(found, str) else listed(found.source, found.making.whole.constants)

    def tape(self, *args: Any, **keywords: Any) -> Tape:
        """Return the program for such arguments, of the first path, as a tape: to be read, drawn, or run.

        It is what the passes have left of the recording, a derivative with its sweep. Raises ValueError where there is
        no program, as the function is called as it stands.

        >>> from autodiff import draw_graph, grad
        >>> len(draw_graph(jit(grad(lambda x: x * x * x)).tape(2.0)).nodes)
        4
        """
        found = self._first(args, keywords)
        if isinstance(found, str):
            raise ValueError(f"there is no program: {found.removeprefix('# ')}{user_line()}")
        leaves = flatten([list(args), keywords])[0]
        return taped(found.making.whole, [x for x in leaves if (form_of(x) or (False,))[0]])

    def _first(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Path | str:
        """Return the first path for such arguments, or why there is none."""
        self(*args, **keywords)
        kinds = None if keywords else forms_of_arrays(args)
        key = kinds or (outline_key([list(args), keywords]), tuple(map(form_of, flatten([list(args), keywords])[0])))
        form = self._programs.forms.get(key)
        if form is None or form.first is None or form.eager:
            return f"# {self.__name__} is called as it stands: {form.eager if form else 'its arguments have no form'}"
        return form.first

    def constants(self) -> list[Any]:
        """Return the numbers and arrays that the programs took from outside their arguments, as they were then."""
        found = [
            x for form in self._programs.forms.values() for path in form.paths for x in path.making.whole.constants
        ]
        return [x for k, x in enumerate(found) if not any(x is y for y in found[:k])]

    def stats(self) -> list[dict[str, Any]]:
        """Return for each form of arguments its paths: lines recorded, left, and native; guards; bytes; seconds.

        ``after`` has the lines left by each pass, ``phases`` the seconds that each took: to record, for the passes, to
        find loops and join them, for machine code, for the rest. ``rounds`` has for each long loop that was compiled as
        a short one how many rounds were recorded, and of how many machine code was made, which goes through all.
        ``bytes`` are those of constants and of memory for what is in between. With ``profile=True`` the ``lines of
        code`` have the seconds that their operations took in all calls so far: the time of a loop is divided among the
        operations that were joined in it.
        """

        def of(path: Path) -> dict[str, Any]:
            native, program, steps = path.source.native, path.making.whole, path.making.steps
            size = sum(getattr(x, "nbytes", 0) for x in program.constants)
            left = len(path.program) - path.source.native_steps
            return {"recorded": steps["record"], "lines": len(program), "native": len(program) - left,
                    "guards": len(path.source.guards), "bytes": size + (native.size if native else 0),
                    "seconds": sum(path.seconds.values()), "after": steps,
                    "phases": dict(path.seconds), "rounds": path.making.rounds,
                    **({"lines of code": path.source.by_line()} if path.source.profile else {})}  # fmt: skip

        return [{"eager": form.eager, "paths": list(map(of, form.paths))} for form in self._programs.forms.values()]

    def compiled_by(self, operator: Callable[..., Any], given: tuple[Any, ...], options: dict[str, Any]) -> Compiled:
        """Return what an operator makes of the function, compiled as this one is: ``grad(jit(f))`` is compiled."""
        return Compiled(operator(self.f, *given, **options), self._programs.options)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)

    def __reduce__(self) -> Any:
        return jit, (self.f, *self._programs.options)

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, memo: Any) -> Compiled:
        return self

    def __repr__(self) -> str:
        return f"jit({self.__name__})"


def jit(f: Callable[..., Any], max_paths: int = PATHS, check: bool = False, exact: bool = False,
        threads: int = 1, profile: bool = False, max_steps: int = STEPS) -> Compiled:  # fmt: skip
    """Return a function that does what ``f`` does, by a program that is recorded when it is first called.

    The program is that of f's arithmetic, its derivatives included: no tape is made any more, no rule looked up, and
    what gives nothing new is left out. Where llvmlite is installed, it is machine code as far as its operations have a
    native form; the rest is called as it is. It gives what f gives, to rounding: machine code adds up sums in another
    order; ``exact=True`` leaves all to NumPy and Python, for f's own bits, those of a derivative up to the last place.
    One is made for each form of the arguments, their structure, shapes, types, and the values of integers, strings and
    None among them; and for each way that f goes by its decisions, up to ``max_paths`` ways of ``max_steps`` lines,
    beyond which f is called as it stands, and a warning says so. So it is where it cannot be recorded, as where it asks
    for ``float(x)``; its ``stats()`` say why.

    Machine code is made fast at first, and a second time, in one of the calls, when it has run for as long as that
    takes: from then on it runs faster, with the same results to the bit.

    Large loops are shared among ``threads`` of the processor, with the same result for any number of them. A keyword
    ``out``, if f has none, takes arrays in the structure of the result, or None for new ones, and what is returned is
    written there.

    With ``profile=True`` the time of each line of code is measured, for ``stats()``.

    f is called when it is recorded, and not again: what it does besides returning is done then, and what it takes from
    outside its arguments stays as it was then, its ``constants()``. ``check=True`` records twice, compares with what
    f gives, and raises RuntimeError where they differ, as of a function that draws random numbers. ``grad(jit(f))`` is
    ``jit(grad(f))``, and so for every operator that returns a function. Where it is given numbers that carry
    derivatives, as by a solver, it is one line to them, its push-forward and pull-back are compiled; and part of the
    program where another compiled function calls it.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> slope = jit(grad(lambda x: np.sum(np.sin(x) * x)))
    >>> slope(np.array([0.0, 1.0])).round(3)
    array([0.   , 1.382])
    """
    if not callable(f):
        raise no_function("jit(f)", f)
    return Compiled(f, Options(max_paths, check, exact, threads, profile, max_steps).checked())
