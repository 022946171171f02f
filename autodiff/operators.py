"""Operators built on both modes: Jacobians by the cheaper mode, Hessians, Hessian-vector products, linearisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.levels import plain
from dualnumbers.rules.shaping import zeros_like

from .forward import jacfwd, jvp
from .reverse import Recording, grad, jacrev, rows
from .seeding import argnums_of, as_given, flatten, highest, matching, output_leaf, own
from .sweep import tangents

MODES = ("auto", "forward", "reverse")


def jacobian(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, mode: str = "auto") -> Callable[..., Any]:
    """The Jacobian of ``f`` as a function of its arguments; shape output shape + argument shape.

    ``mode="auto"`` records f once and, with ``m`` outputs and ``n`` inputs, sweeps it m times if m ≤ n, else makes n
    push-forwards; ``"forward"`` and ``"reverse"`` choose. Structure and ``argnums`` as `autodiff.forward.jacfwd`'s.
    """
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(map(repr, MODES))}; got {mode!r}")
    if mode != "auto":
        return jacfwd(f, argnums) if mode == "forward" else jacrev(f, argnums)

    def jacobian_of_f(*args: Any, **keywords: Any) -> Any:
        indices = argnums_of(argnums, len(args))
        recording = Recording(lambda *xs: f(*xs, **keywords), args, indices)
        if _size(flatten(recording.out)[0]) > _size(recording.leaves):
            return jacfwd(f, argnums)(*args, **keywords)
        partials = rows(recording, f, [args[index] for index in indices])
        return tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return jacobian_of_f


def _size(leaves: list[Any]) -> int:
    return int(sum(np.size(plain(x)) for x in leaves))


def hessian(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """The Hessian of a scalar ``f``, forward over reverse: argument shape + argument shape, in their structures."""
    return jacfwd(grad(f, argnums), argnums)


def hvp(f: Callable[..., Any]) -> Callable[..., Any]:
    """``(x, v, *args, **keywords) -> H v``: the Hessian of a scalar ``f(x, *args, **keywords)`` in ``x``, times ``v``.

    Forward over reverse. ``v`` has the structure and shapes of ``x``; ValueError where it has not. It is SciPy's
    ``hessp``.
    """

    def product(x: Any, v: Any, *args: Any, **keywords: Any) -> Any:
        leaves, rebuild = flatten(jvp(lambda y: grad(f)(y, *args, **keywords), [x], [v])[1])
        return rebuild(map(as_given, leaves, flatten(x)[0]))

    return product


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """``(f(*primals), push)``: ``push(*tangents)`` is the tangent of the output, f recorded once and not run again."""
    recording = Recording(f, primals, range(len(primals)), keep=True)
    _, rebuild_primals = flatten(primals)
    outs, rebuild = flatten(recording.out)
    outs = [output_leaf(out, f) for out in outs]
    values = [recording.value(out) for out in outs]

    def push(*directions: Any) -> Any:
        if len(directions) != len(primals):
            raise ValueError(f"{len(directions)} tangents for {len(primals)} primals")
        leaves = matching(directions, rebuild_primals(recording.leaves), "the tangent")
        seeds = dict(zip(recording.tape.inputs, leaves, strict=True))
        found = []
        for out, value in zip(outs, values, strict=True):
            t = tangents(recording.tape, seeds, range(out.line + 1)).get(out.line) if recording.holds(out) else None
            level = max(highest(recording.leaves), highest(leaves))
            found.append(zeros_like(value) if t is None else own(t, level))
        return rebuild(found)

    return rebuild(values), push
