"""Operators built on both modes: Jacobians by the cheaper mode, Hessians, Hessian-vector products, linearisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import size, zeros_like
from dualnumbers.levels import Level, has_nan, level_of
from dualnumbers.numbers.dual import make
from dualnumbers.numbers.pushforward import paired
from dualnumbers.rules.linalg.undetermined import Unadapted
from dualnumbers.several import parts
from dualnumbers.table.partials import as_given

from .calls.call import Call
from .calls.directions import Directions, taken
from .calls.places import Which, by_position, distinct
from .calls.structures import flatten
from .calls.values import output_leaf, own, real_output
from .derived import derived, with_parameters_of
from .forward import holomorphic, jacfwd, joined, jvp
from .linearization import LinearMap, Recording
from .reverse import grad, jacrev, rows
from .second_look.certain import certain_tangents
from .tape.sweep import adjoints, tangents
from .tape.wengert import Tape

MODES = ("auto", "forward", "reverse")


@derived
def jacobian(f: Callable[..., Any], argnums: Which = 0, mode: str = "auto") -> Callable[..., Any]:
    """Return the Jacobian of ``f`` as a function of its arguments; shape output shape + argument shape.

    ``mode="auto"`` records f once and, with ``m`` outputs and ``n`` inputs, sweeps it m times if m < n or m = 1, else
    pushes n tangents forward together; ``"forward"`` and ``"reverse"`` choose. Structure and ``argnums`` as
    `autodiff.forward.jacfwd`'s.
    """
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(map(repr, MODES))}; got {mode!r}")
    if mode != "auto":
        return jacfwd(f, argnums) if mode == "forward" else jacrev(f, argnums)

    @with_parameters_of(f)
    def jacobian_of_f(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        recording = Recording(function, given, distinct(argnums, found))
        if _size(flatten(recording.out)[0]) >= max(_size(recording.leaves), 2):
            partials = columns(recording, f, joined(recording.out, f))
        else:
            partials = rows(recording, f)
        return tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return jacobian_of_f


def _size(leaves: list[Any]) -> int:
    return int(sum(size(x) for leaf in leaves for x in parts(leaf)))


@derived
def hessian(f: Callable[..., Any], argnums: Which = 0) -> Callable[..., Any]:
    """Return the Hessian of a scalar ``f``, forward over reverse: argument + argument shape, in their structures.

    f is recorded once. Tangents of its arguments, of many directions at a time, are pushed through the tape; a sweep
    over the lines with their tangents gives those of the gradient. Where that is NaN, the gradient is recorded, so that
    zeros which meet infinite slopes are told apart; where a rule needs to know the direction, they go one by one.
    """

    @with_parameters_of(f)
    def hessian_of_f(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        indices = tuple(distinct(argnums, found))
        recording = Recording(function, given, indices)
        try:
            partials = _hessian(recording, real_output(recording.out, f))
        except Unadapted:
            partials = None
        if partials is None or any(map(has_nan, flatten(partials)[0])):
            partials = jacfwd(grad(function, indices), indices)(*given)
        return tuple(map(tuple, partials)) if isinstance(argnums, tuple) else partials[0][0]

    return hessian_of_f


def _hessian(recording: Recording, out: Any) -> list[Any]:
    """Return the partials by each argument of the list of the gradients by all."""
    tape, leaves = recording.tape, recording.leaves
    directions, found = Directions(leaves, _size(tape.values)), []
    for chosen in directions.chunks():
        low, level = Level(), Level()
        with np.errstate(all="ignore"):
            pushed = tangents(tape, _seeds(tape, directions.seeds(chosen, low)), range(len(tape)))
        values = [paired(make, x, pushed[line], level) if line in pushed else x
                  for line, x in enumerate(tape.values)]  # fmt: skip
        one = zeros_like(recording.value(out)) + 1
        gradients = adjoints(tape.at(values), {out.line: one}) if recording.holds(out) else leaves
        found.append([taken(g.tangent) if level_of(g) is level else None for g in gradients])
    return recording.call.jacobians(directions.by_output(leaves, found, holomorphic), recording.call.structured)


def _seeds(tape: Tape, given: list[Any]) -> dict[int, Any]:
    """Return the tangents of the inputs by their lines, of those that have one."""
    return {line: t for line, t in zip(tape.inputs, given, strict=True) if t is not None}


def columns(recording: Recording, f: Any, out: Any) -> list[Any]:
    """Push a recording forward to the Jacobian of its output by each of the differentiated arguments."""
    tape, (outs, rebuild) = recording.tape, flatten(out)
    outs = [output_leaf(leaf, f) for leaf in outs]
    lines = [leaf.line if recording.holds(leaf) else -1 for leaf in outs]
    directions, found = Directions(recording.leaves, _size(tape.values)), []
    for chosen in directions.chunks():
        seeds, behind = _seeds(tape, directions.seeds(chosen, Level())), max(lines, default=-1) + 1
        pushed = certain_tangents(tape, seeds, range(behind), lines)
        found.append([taken(pushed[line]) if line in pushed else None for line in lines])
    values = [recording.value(leaf) for leaf in outs]
    return recording.call.jacobians(directions.by_output(values, found, holomorphic), rebuild)


@derived
def hvp(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``(x, v, *args, **keywords) -> H v``: a scalar ``f(x, *args, **keywords)``'s Hessian in ``x`` times ``v``.

    Forward over reverse. ``v`` has the structure and shapes of ``x``; ValueError where it has not. It is SciPy's
    ``hessp``.
    """

    def product(x: Any, v: Any, *args: Any, **keywords: Any) -> Any:
        leaves, rebuild = flatten(jvp(lambda y: grad(f)(y, *args, **keywords), [x], [v])[1])
        return rebuild(map(as_given, leaves, Call([x], [0]).leaves))

    return product


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, PushForward]:
    """Return ``(f(*primals), push)``: ``push(*tangents)`` is the output's tangent; f is recorded, not run again.

    The push-forward keeps what was recorded: it can be called again, and be pickled.
    """
    push = PushForward.of(f, primals)
    return push.value, push


class PushForward(LinearMap):
    """The push-forward of a function at a point: from a tangent of each argument to that of its value."""

    __slots__ = ()
    word = "push-forward"

    def __call__(self, *tangents: Any) -> Any:
        recording, call = self.recording, self.recording.call
        if len(tangents) != len(call.args):
            raise ValueError(f"{len(tangents)} tangents for {len(call.args)} primals")
        seeds = dict(zip(recording.tape.inputs, call.matched(tangents), strict=True))
        values, rebuild = flatten(self.value)
        return rebuild([self._pushed(out, value, seeds) for out, value in zip(self.outs, values, strict=True)])

    def _pushed(self, out: Any, value: Any, seeds: dict[int, Any]) -> Any:
        """Return the tangent of one result."""
        tangent = None
        if self.recording.holds(out):
            found = certain_tangents(self.recording.tape, seeds, range(out.line + 1), [out.line])
            tangent = found.get(out.line)
        return zeros_like(value) if tangent is None else as_given(own(tangent), value)
