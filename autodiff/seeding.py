"""Into and out of a run of forward mode: arguments with tangents go in, the tangents of what f returns come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dualnumbers.forms import shape, zeros_like
from dualnumbers.levels import Level, has_nan, is_number
from dualnumbers.numbers.dual import DualArray, make

from .calls.call import Call
from .calls.structures import flatten, keeps_structure
from .calls.values import check_alive, output, output_leaf, own, zero


def with_tangents(call: Call, tangents: Sequence[Any], level: Level) -> list[Any]:
    """Return the arguments as f gets them; an array without a tangent gets zeros, as in the other runs."""
    numbers: list[Any] = []
    for x, tangent in zip(call.leaves, tangents, strict=True):
        if tangent is None and shape(x):
            tangent = zeros_like(x)
        numbers.append(x if tangent is None else make(x, tangent, level))
    return call.arguments_with(numbers)


def certain(f: Callable[..., Any], seeded: Callable[[], list[Any]], level: Level, out: Any) -> Any:
    """Return what f returned; where a tangent of it is NaN, with zeros against infinite slopes told apart.

    ``seeded`` makes its arguments anew, whatever f did to those that it got.
    """
    if not any(map(has_nan, _tangents_of(out, level))):
        return out
    from .second_look.strong_tangents import check_determined, pushed_again

    out = pushed_again(f, seeded(), level, out)
    check_determined(level, _tangents_of(out, level))
    return out


def _tangents_of(out: Any, level: Level) -> list[Any]:
    leaves = [out] if is_number(type(out)) else flatten(out)[0]
    return [x.tangent for x in leaves if is_number(type(x)) and x.level is level]


def joined(out: Any, f: Any) -> Any:
    """Join an output's lists to arrays; other structures stay."""
    if type(out) is DualArray:  # as most are
        return out
    if keeps_structure(out):
        leaves, rebuild = flatten(out)
        return rebuild(output_leaf(leaf, f) for leaf in leaves)
    return output(out, f)


def split(out: Any, level: Level, x: Any) -> tuple[Any, Any]:
    """Part an output into primal and tangent at a level; zero where it does not depend on what was seeded."""
    check_alive_below(out, level)
    if is_number(type(out)) and out.level is level:
        return own(out.primal), own(out.tangent)
    return own(out), zero(out, x)


def pushed_leaf(out: Any, level: Level) -> tuple[Any, Any]:
    """Return an output's primal and tangent at a level; None where it does not depend on what was seeded."""
    check_alive_below(out, level)
    if not (is_number(type(out)) and out.level is level):
        return own(out), None
    return own(out.primal), out.tangent


def check_alive_below(out: Any, level: Level) -> None:
    """Apply `check_alive`, where the level that ends now is still good."""
    if is_number(type(out)) and out.level is level:
        for part in out.parts():
            check_alive(part)
    else:
        check_alive(out)
