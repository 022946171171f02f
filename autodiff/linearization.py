"""A function at a point: recorded there, and as the linear map that it is there to first order.

What `autodiff.vjp` returns, a `PullBack`, and what `autodiff.linearize` does, are objects that keep a recording: they
are called many times, and the function is not run again. To another process, or into a file, they are pickled with the
lines of the tape and their values.

>>> from autodiff import vjp
>>> value, pullback = vjp(np.sin, np.array([0.0, 1.0]))
>>> pullback
<pull-back of sin>
>>> pullback(np.array([1.0, 0.0]))
(array([1., 0.]),)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np

from dualnumbers.forms import zeros_like
from dualnumbers.levels import is_number
from dualnumbers.table.partials import as_given

from .calls.call import Call
from .calls.running import run
from .calls.structures import flatten, map_leaves
from .calls.values import check_alive, matching, name_of, output_leaf, own
from .calls.watching import watching
from .tape.fast_paths import inputs
from .tape.handles import handle
from .tape.program import Line
from .tape.recorder import Recorder
from .tape.sweep import adjoints
from .tape.variable import Variable, variable
from .tape.wengert import Tape


class Recording:
    """A function recorded on a tape at one point: its inputs, its output, and the pull-back of a cotangent."""

    __slots__ = ("call", "leaves", "out", "tape")
    tape: Tape

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], indices: Sequence[int], keep: bool = False,
                 tape: Recorder | None = None) -> None:  # fmt: skip
        """Record ``f(*args)`` with the arguments at ``indices`` as inputs; ``keep`` copies them for a later sweep.

        It is recorded on ``tape`` where an empty one is given.
        """
        if tape is None:
            watch = watching()
            tape = watch.new_tape() if watch else Recorder()
        self.tape = recorder = tape
        recorder.is_lean = not keep
        self.call = Call(args, indices, keep)
        self.leaves = self.call.leaves
        handles = inputs(recorder, self.leaves, variable)
        try:
            self.out = run(f, self.call.arguments_with(handles), recorder.level)
        except Exception as error:
            if recorder.is_torn:
                raise recorder.torn() from error  # whatever came of it
            raise
        recorder.check_whole()
        self.call.check()

    @classmethod
    def again(cls, tape: Tape, args: Sequence[Any], indices: Sequence[int], out: Any) -> Recording:
        """Return a recording made of its parts, as it is unpickled; in ``out`` every number of a line is a `Line`."""
        recording = cls.__new__(cls)
        recording.tape, recording.call = tape, Call(args, indices, copied=True)
        recording.leaves = recording.call.leaves
        recording.out = map_leaves(lambda x: handle(tape, x) if type(x) is Line else x, out)
        return recording

    def __reduce__(self) -> Any:
        out = map_leaves(lambda x: Line(x.line) if self.holds(x) else x, self.out)
        args = list(self.call.args)
        for index, x in zip(self.call.indices, self.call.structured(self.leaves), strict=True):
            args[index] = x
        return Recording.again, (self.tape, args, self.call.indices, out)

    def holds(self, out: Any) -> bool:
        """Return whether an output was computed from the inputs, and so is a line of the tape."""
        return isinstance(out, Variable) and out.tape is self.tape

    def value(self, out: Any) -> Any:
        """Return the value of an output, a level below the tape's."""
        value = out.primal if self.holds(out) else out
        check_alive(value)
        return own(value)

    def seeds(self, outs: Iterable[Any], cotangents: Iterable[Any]) -> dict[int, Any]:
        """Return the adjoints with which a sweep begins, by line: an output that stands twice has the sum of both.

        The cotangent of an output may be None; one of an output that does not depend on the inputs is left out.
        """
        found: dict[int, Any] = {}
        for out, cotangent in zip(outs, cotangents, strict=True):
            if cotangent is not None and isinstance(out, Variable) and out.tape is self.tape:
                found[out.line] = found[out.line] + cotangent if out.line in found else cotangent
        return found

    def pull(self, outs: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Return the adjoints of the input leaves for cotangents of outputs; zeros where no path leads."""
        seeds = self.seeds(outs, cotangents)
        return self.partials(
            adjoints(self.tape, seeds) if seeds else [None] * len(self.leaves), set(map(id, cotangents))
        )

    def partials(self, found: list[Any], handed_out: set[int]) -> list[Any]:
        """Return adjoints of the leaves as a user gets them; those of the ids ``handed_out`` are somebody's already."""
        partials: list[Any] = []
        for g, x in zip(found, self.leaves, strict=True):
            if type(g) is float is type(x):
                partials.append(g)
                continue
            if type(g) is np.ndarray is type(x) and g.base is None and g.flags.writeable and id(g) not in handed_out:
                handed_out.add(id(g))  # as most are
                partials.append(g)
                continue
            if g is None:
                g = zeros_like(x)
            if type(g) is not type(x) or is_number(type(g)):
                g = as_given(g, x)
            if type(g) is float:
                partials.append(g)
                continue
            if is_number(type(g)):
                check_alive(g)
            if type(g) is not np.ndarray or not g.flags.writeable or g.base is not None or id(g) in handed_out:
                g = own(g)  # adjoints alias one another and the cotangent; each that a user gets is an array of its own
            handed_out.add(id(g))
            partials.append(g)
        return partials


class LinearMap:
    """The linear map that a function is to first order at a point, as an object: it pickles, and a copy is itself."""

    __slots__ = ("__name__", "_function", "outs", "recording", "value")
    word = "linear map"

    def __init__(self, name: str, recording: Recording) -> None:
        self._function, self.recording = name, recording
        self.__name__ = f"{self.word.replace('-', '')}_of_{name}"
        self.outs, rebuild = flatten(recording.out)
        self.value = rebuild(map(recording.value, self.outs))
        """What the function returned, as without a differentiation."""

    @classmethod
    def of(cls, f: Callable[..., Any], primals: Sequence[Any]) -> Self:
        """Record a function at a point, differentiated with respect to all arguments."""
        recording = Recording(f, primals, range(len(primals)), keep=True)
        recording.out = map_leaves(lambda leaf: output_leaf(leaf, f), recording.out)
        return cls(name_of(f), recording)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self._function, self.recording)

    def __repr__(self) -> str:
        return f"<{self.word} of {self._function}>"


class PullBack(LinearMap):
    """The pull-back of a function at a point: from a cotangent of its value to the adjoint of each argument."""

    __slots__ = ()
    word = "pull-back"

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        cotangents = matching(cotangent, self.value, "the cotangent")
        return tuple(self.recording.call.structured(self.recording.pull(self.outs, cotangents)))
