"""Reverse mode: record f on a tape, then sweep it once backward for the gradient with respect to every argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.forms import zeros_like
from dualnumbers.late import late
from dualnumbers.levels import NOTING, is_number
from dualnumbers.rules.shaping import array

from .calls.given import no_function, truth
from .calls.places import Which, arguments, by_position, distinct, parameter_names
from .calls.structures import map_leaves, paths_of_leaves
from .calls.values import name_of, real_output
from .calls.watching import watching
from .derived import derived, with_parameters_of
from .linearization import PullBack, Recording
from .tape.recorder import Recorder
from .tape.sweep import adjoints
from .tape.variable import Variable
from .tape.wengert import Tape

if TYPE_CHECKING:
    from .check.derivatives import check_gradient

__all__ = ["check_gradient", "grad", "gradient", "jacrev", "record", "value_and_grad", "vjp"]

__getattr__ = late(__name__, {"check_gradient": "upward"}, __package__)


ONES = {float: 1.0, np.float64: 1.0, np.float32: np.float32(1.0)}
"""The types of most results, and the adjoint of one in each."""


def record(f: Callable[..., Any], args: Sequence[Any], sources: bool = False) -> tuple[Tape, Any]:
    """Return the tape of ``f(*args)``, its first lines the inputs, and what f returned; ``print(tape)`` shows it.

    The tape is for reading: its Variables belong to a differentiation that has ended, and also the values that no
    sweep needs, of arrays written to, are on it. With ``sources`` it notes the line of code that each of its lines
    comes from, in ``tape.sources``.

    >>> tape, result = record(lambda x, y: x * y, [2.0, 3.0])
    >>> len(tape), tape.adjoints(result)
    (3, [3.0, 2.0, 1.0])
    """
    if not callable(f):
        raise no_function("record(f, [x])", f)
    from .tape.replay import finish
    from .tape.sources import SourcedTape

    args = arguments(f, args)
    tape = SourcedTape() if sources or watching() else Recorder()
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
    if not callable(f):
        raise no_function("gradient(f, [x])", f)
    args = list(args) if type(args) is list else arguments(f, args)
    return list(_value_and_gradients(f, args, range(len(args)))[1])


def _value_and_gradients(f: Callable[..., Any], args: Sequence[Any], indices: Sequence[int]) -> tuple[Any, list[Any]]:
    recording = Recording(f, args, indices)
    tape, out = recording.tape, recording.out
    if type(out) is Variable and out.tape is tape and type(tape.values[out.line]) in ONES:  # as most are
        value = tape.values[out.line]
        partials = recording.partials(adjoints(tape, {out.line: ONES[type(value)]}), set())
    else:
        out = real_output(out, f)
        value = recording.value(out)
        partials = recording.pull((out,), (zeros_like(value) + 1,))
    return value, recording.call.structured(partials)


@derived
def grad(f: Callable[..., Any], argnums: Which = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the gradient of a scalar ``f`` as a function of the same arguments.

    It has the structure of argument ``argnums``, an index or a parameter's name; a tuple of them gives a tuple of
    gradients. With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(gradient, auxiliary)``. Raises
    TypeError where f returns an array or a complex number, TypeError, IndexError or ValueError for wrong ``argnums``.

    >>> import numpy as np
    >>> grad(lambda v: np.sum(v**2))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    both = _value_and_gradient(f, argnums, has_aux)

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
    ``scipy.optimize.minimize(value_and_grad(f), x0, jac=True)`` takes it as it is. Raises what `grad` does.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    return with_parameters_of(f)(_value_and_gradient(f, argnums, has_aux))


def _value_and_gradient(f: Callable[..., Any], argnums: Which, has_aux: bool) -> Callable[..., Any]:
    """Return the function of `value_and_grad`."""
    several = isinstance(argnums, tuple)
    which: Any = argnums if several else (argnums,)
    plain = not has_aux and all(type(k) is int and k >= 0 for k in which) and len(set(which)) == len(which)
    last = max(which, default=0) if plain else 0

    def value_and_gradient(*args: Any, **keywords: Any) -> Any:
        if plain and not keywords and last < len(args):  # as it is mostly
            value, partials = _value_and_gradients(f, args, which)
            return value, tuple(partials) if several else partials[0]
        from .calls.auxiliary import beside

        function, given, found = by_position(f, argnums, args, keywords)
        scalar, with_rest = beside(function, has_aux, name_of(f))
        value, partials = _value_and_gradients(scalar, given, distinct(argnums, found))
        return with_rest(value), tuple(partials) if several else partials[0]

    return value_and_gradient


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return ``(f(*primals), pullback)``; ``pullback(cotangent)`` is a tuple, the adjoint of each primal.

    With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(value, pullback, auxiliary)``. The value has
    the type that f gives without a differentiation, an adjoint that of its primal. The adjoint is that of the real
    inner product Re Σ conj(a) · b. Raises ValueError where a cotangent has another shape or structure than the output,
    TypeError where f returns something else than numbers. The pull-back keeps what was recorded: it can be called
    again, and be pickled.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    if not callable(f):
        raise no_function("vjp(f, x)", f)
    if not truth("has_aux", has_aux):
        pullback = PullBack.of(f, primals)
        return pullback.value, pullback
    from .calls.auxiliary import Main

    main = Main(f)
    pullback = PullBack.of(main, primals)
    return pullback.value, pullback, main.rest()


@derived
def jacrev(
    f: Callable[..., Any], argnums: Which = 0, *, chunk_size: int | None = None, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the Jacobian as a function of f's arguments: one recording, one sweep for all output elements.

    Shape, structure, ``argnums``, ``has_aux`` and ``chunk_size``, of output elements, as `autodiff.forward.jacfwd`'s.
    Raises what that does.

    >>> import numpy as np
    >>> jacrev(lambda x: np.stack([np.sum(x), np.prod(x)]))(np.array([2.0, 3.0]))
    array([[1., 1.],
           [3., 2.]])
    """
    both = value_and_rows(f, argnums, chunk_size, has_aux)

    @with_parameters_of(f)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        value, partials = both(*args, **keywords)
        return (partials, value[1]) if has_aux else partials

    return jacobian


def value_and_rows(
    f: Callable[..., Any], argnums: Which, chunk_size: int | None, has_aux: bool
) -> Callable[..., tuple[Any, Any]]:
    """Return the function of the value and the Jacobian; with ``has_aux`` of ``(value, auxiliary)`` and that."""
    from .calls.auxiliary import beside
    from .calls.directions import checked
    from .recorded import rows

    checked(chunk_size)

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        value, partials = rows(Recording(main, given, distinct(argnums, found)), f, chunk_size)
        return with_rest(value), tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return both
