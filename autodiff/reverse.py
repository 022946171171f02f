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

from .calls.places import Which, arguments, by_position, distinct, parameter_names
from .calls.structures import flatten, keeps_structure, map_leaves, paths_of_leaves
from .calls.values import check_holomorphic, name_of, output, output_leaf, real_output
from .derived import derived, with_parameters_of
from .linearization import PullBack, Recording
from .tape.recorder import Recorder
from .tape.variable import Variable
from .tape.wengert import Tape

if TYPE_CHECKING:
    from .check.derivatives import check_gradient

__all__ = ["check_gradient", "grad", "gradient", "jacrev", "record", "value_and_grad", "vjp"]

__getattr__ = late(__name__, {"check_gradient": "check"}, __package__)


FLOATS = (float, np.float64)


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
    tape.complete, tape.guards = True, {}
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


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, PullBack]:
    """Return ``(f(*primals), pullback)``; ``pullback(cotangent)`` is a tuple, the adjoint of each primal.

    The value has the type that f gives without a differentiation, an adjoint that of its primal.
    The adjoint is that of the real inner product Re Σ conj(a) · b. Raises ValueError where a cotangent has another
    shape or structure than the output. The pull-back keeps what was recorded: it can be called again, and be pickled.
    """
    pullback = PullBack.of(f, primals)
    return pullback.value, pullback


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
