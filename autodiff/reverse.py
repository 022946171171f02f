"""Reverse mode: record f on a tape, then sweep it once backward for the gradient with respect to every argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.foreign import new_like
from dualnumbers.forms import dtype_of, is_unreal, shape, zeros_like
from dualnumbers.late import late
from dualnumbers.levels import NOTING, is_number
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.shaping import array, reshape, stack
from dualnumbers.table.partials import as_given

from .calls.call import Call
from .calls.places import Which, arguments, by_position, distinct, parameter_names
from .calls.running import run
from .calls.seeding import check_alive, check_holomorphic, matching, name_of, output, output_leaf, own, real_output
from .calls.structures import flatten, keeps_structure, map_leaves, paths_of_leaves
from .derived import derived, with_parameters_of
from .tape.recorder import Recorder
from .tape.sweep import adjoints
from .tape.variable import Variable, variable
from .tape.wengert import Tape

if TYPE_CHECKING:
    from .differences.quotients import check_gradient

__all__ = ["check_gradient", "grad", "gradient", "jacrev", "record", "value_and_grad", "vjp"]

__getattr__ = late(__name__, {"check_gradient": "differences"}, __package__)


FLOATS = (float, np.float64)


class Recording:
    """A function recorded on a tape at one point: its inputs, its output, and the pull-back of a cotangent."""

    __slots__ = ("call", "leaves", "out", "tape")

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], indices: Sequence[int], keep: bool = False,
                 tape: Recorder | None = None) -> None:  # fmt: skip
        """Record ``f(*args)`` with the arguments at ``indices`` as inputs; ``keep`` copies them for a later sweep.

        It is recorded on ``tape`` where an empty one is given.
        """
        self.tape = Recorder() if tape is None else tape
        self.call = Call(args, indices, keep)
        self.leaves = self.call.leaves
        handles: list[Any] = []
        for x in self.leaves:
            handles.append(variable(self.tape, x.snapshot() if is_number(type(x)) else x))
        try:
            self.out = run(f, self.call.arguments_with(handles), self.tape.level)
        except Exception as error:
            if self.tape.is_torn:
                raise self.tape.torn() from error  # whatever came of it
            raise
        self.tape.check_whole()
        self.call.check()

    def holds(self, out: Any) -> bool:
        """Return whether an output was computed from the inputs, and so is a line of the tape."""
        return isinstance(out, Variable) and out.tape is self.tape

    def value(self, out: Any) -> Any:
        """Return the value of an output, a level below the tape's."""
        value = out.primal if self.holds(out) else out
        check_alive(value)
        return own(value)

    def pull(self, seeds: list[tuple[Any, Any]]) -> list[Any]:
        """Return the adjoints of the input leaves for [(output, cotangent)]; zeros where no path leads."""
        lines: dict[int, Any] = {}
        handed_out: set[int] = set()
        for out, cotangent in seeds:
            handed_out.add(id(cotangent))
            if self.holds(out):
                lines[out.line] = lines[out.line] + cotangent if out.line in lines else cotangent
        found = adjoints(self.tape, lines) if lines else [None] * len(self.leaves)
        partials = []
        for g, x in zip(found, self.leaves, strict=True):
            g = zeros_like(x) if g is None else as_given(g, x)
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


def record(f: Callable[..., Any], args: Sequence[Any], sources: bool = False) -> tuple[Tape, Any]:
    """Return the tape of ``f(*args)``, its first lines the inputs, and what f returned; ``print(tape)`` shows it.

    The tape is for reading: its Variables belong to a differentiation that has ended, and also the values that no
    sweep needs, of arrays written to, are on it. With ``sources`` it notes the line of code that each of its lines
    comes from, in ``tape.sources``.
    """
    from .tape.replay import finish
    from .tape.sources import SourcedTape

    args = arguments(f, args)
    tape = SourcedTape() if sources else Recorder()
    tape.complete, tape.guards, tape.asked = True, {}, {}
    NOTING.append(None)
    try:
        recording = Recording(f, args, range(len(args)), keep=True, tape=tape)
    finally:
        NOTING.pop()
    named = zip(args, parameter_names(f, len(args)), strict=False)
    tape.names = [name for x, parameter in named for name in paths_of_leaves(x, parameter)]
    recording.out = map_leaves(lambda x: array(x) if is_number(type(x)) else x, recording.out)  # what a holder holds
    finish(tape, args, recording.out)
    return tape, recording.out


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """Return the list of partials of a scalar ``f``, one per argument, in the structure and type of the arguments.

    One recording and one sweep, however many arguments there are. Raises TypeError where f returns an array: use
    `jacrev`; and where it is complex.

    >>> gradient(lambda x, y: x * y + x, [2.0, 3.0])
    [4.0, 2.0]
    """
    args = list(args) if type(args) is list else arguments(f, args)
    return list(_value_and_gradients(f, args, range(len(args)))[1])


def _value_and_gradients(f: Callable[..., Any], args: Sequence[Any], indices: Sequence[int]) -> tuple[Any, list[Any]]:
    recording = Recording(f, args, indices)
    tape, out = recording.tape, recording.out
    if type(out) is Variable and out.tape is tape and type(tape.values[out.line]) in FLOATS:  # as most are
        value, one = tape.values[out.line], 1.0
    else:
        out = real_output(out, f)
        value = recording.value(out)
        one = zeros_like(value) + 1
    return value, recording.call.structured(recording.pull([(out, one)]))


@derived
def grad(f: Callable[..., Any], argnums: Which = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the gradient of a scalar ``f`` as a function of the same arguments.

    It has the structure of argument ``argnums``, an index or a parameter's name; a tuple of them gives a tuple of
    gradients. With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(gradient, auxiliary)``.
    """
    both = value_and_grad(f, argnums, has_aux)

    @with_parameters_of(f)
    def gradient_of_f(*args: Any, **keywords: Any) -> Any:
        value, partials = both(*args, **keywords)
        return (partials, value[1]) if has_aux else partials

    return gradient_of_f


@derived
def value_and_grad(f: Callable[..., Any], argnums: Which = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a scalar ``f``'s ``(value, gradient)`` as a function of its arguments, at the cost of the gradient.

    The value has the type that f gives without a differentiation, the gradient that of the argument.
    With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``((value, auxiliary), gradient)``.
    ``scipy.optimize.minimize(value_and_grad(f), x0, jac=True)`` takes it as it is.
    """

    @with_parameters_of(f)
    def value_and_gradient(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        indices = distinct(argnums, found)
        auxiliary: list[Any] = []

        def scalar(*xs: Any) -> Any:
            out = function(*xs)
            if not has_aux:
                return out
            if not isinstance(out, tuple) or len(out) != 2:
                raise TypeError(
                    f"with has_aux, {name_of(f)} returns (value, auxiliary); it returned {type(out).__name__}"
                )
            auxiliary.append(out[1])
            return out[0]

        scalar.__name__ = name_of(f)
        value, partials = _value_and_gradients(scalar, given, indices)
        result = tuple(partials) if isinstance(argnums, tuple) else partials[0]
        return ((value, _without_level(auxiliary[0])), result) if has_aux else (value, result)

    return value_and_gradient


def _without_level(aux: Any) -> Any:
    leaves, rebuild = flatten(aux)
    leaves = [array(x) if isinstance(x, np.ndarray) else x for x in leaves]
    return rebuild(x.primal if isinstance(x, Variable) and x.level.ended else x for x in leaves)


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return ``(f(*primals), pullback)``; ``pullback(cotangent)`` is a tuple, the adjoint of each primal.

    The value has the type that f gives without a differentiation, an adjoint that of its primal.
    The adjoint is that of the real inner product Re Σ conj(a) · b. Raises ValueError where a cotangent has another
    shape or structure than the output.
    """
    recording = Recording(f, primals, range(len(primals)), keep=True)
    outs, rebuild = flatten(recording.out)
    outs = [output_leaf(out, f) for out in outs]
    values = [recording.value(out) for out in outs]

    value = rebuild(values)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        seeds = list(zip(outs, matching(cotangent, value, "the cotangent"), strict=True))
        return tuple(recording.call.structured(recording.pull(seeds)))

    return value, pullback


@derived
def jacrev(f: Callable[..., Any], argnums: Which = 0) -> Callable[..., Any]:
    """Return the Jacobian as a function of f's arguments: one recording, one sweep per output element.

    Shape, structure and ``argnums`` as `autodiff.forward.jacfwd`'s.
    """

    @with_parameters_of(f)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        partials = rows(Recording(function, given, distinct(argnums, found)), f)
        return tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return jacobian


def rows(recording: Recording, f: Any) -> list[Any]:
    """Return the Jacobian of a recording with respect to each of the differentiated arguments."""
    out = recording.out
    leaves, rebuild = flatten(out if keeps_structure(out) else output(out, f))
    return recording.call.jacobians([_rows(recording, output_leaf(leaf, f)) for leaf in leaves], rebuild)


def _rows(recording: Recording, out: Any) -> list[Any]:
    """Return ∂out/∂leaf for each input leaf, of shape ``out.shape + leaf.shape``."""
    value = recording.value(out)
    dims = shape(value)
    sweeps = []
    for position in np.ndindex(dims):
        seed = zeros_like(value)
        if dims:
            seed[position] = 1.0
        else:
            seed = seed + 1
        adjoint = recording.pull([(out, seed)])
        turned = recording.pull([(out, seed * 1j)]) if is_unreal(value) else [None] * len(adjoint)
        sweeps.append(list(map(_row, adjoint, turned, recording.leaves)))
    if not dims:
        return sweeps[0]
    if not sweeps:
        return [new_like(x, dims + shape(x), dtype_of(x)) for x in recording.leaves]
    return [reshape(stack(*(row[k] for row in sweeps), 0), dims + shape(x), "C")
            for k, x in enumerate(recording.leaves)]  # fmt: skip


def _row(adjoint: Any, turned: Any, x: Any) -> Any:
    """Combine a row of the Jacobian from the adjoints of 1 and, of a complex output, of i: J̄ᵀ·1 and J̄ᵀ·i."""
    if not is_unreal(x):
        return adjoint if turned is None else adjoint + 1j * turned
    check_holomorphic(adjoint * 0 if turned is None else turned, adjoint)
    return conj(adjoint)
