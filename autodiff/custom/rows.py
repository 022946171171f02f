"""Rows that are not in the table: those of functions with derivatives of the user's own (decorators.py, blocks.py).

What a user's functions return is checked where it enters: a value of the row, a partial, a tangent or an adjoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like, copy_of, is_foreign
from dualnumbers.forms import PYTHON, dtype_of, shape, size, zeros_like
from dualnumbers.levels import is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchNumber, over_members
from dualnumbers.rules.shaping import array
from dualnumbers.table import Row
from dualnumbers.table.dispatch import by_level, by_type
from dualnumbers.table.kinds import Constant, Elementwise, Kind, Linear, Smooth
from dualnumbers.table.language import as_kind
from dualnumbers.table.partials import in_precision
from dualnumbers.table.row import Face

from ..calls.seeding import read_only

Function = Callable[..., Any]


# --------------------------------------------------------------------------------------------- what is given back


def _value(name: str, z: Any, operands: Any) -> Any:
    """Return what a user's function returned, as it did; TypeError where it is no plain value."""
    if is_number(type(z)):
        raise TypeError(f"{name} uses a number that is being differentiated and is none of its arguments: make that "
                        f"an argument too{user_line()}")  # fmt: skip
    if not isinstance(z, (*PYTHON, np.generic, np.ndarray)):
        if is_foreign(type(z)):
            return copy_of(z)
        raise TypeError(f"{name} returned {z!r}: let it return a number or an array{user_line()}")
    if isinstance(z, np.ndarray):
        shown = any(isinstance(x, np.ndarray) and np.may_share_memory(z, x) for x in operands)
        return z.copy() if shown else z if z.ndim else z[()]  # a view would be written to with the argument
    return z


def fitting(what: str, derivative: Any, wanted: tuple[int, ...], z: Any, spread: bool = False) -> Any:
    """Return a derivative in the precision of ``z``, a Python number where that is one.

    ValueError where it has not the shape ``wanted``, nor with ``spread`` one that broadcasts to it.
    """
    known = isinstance(derivative, (*PYTHON, np.generic, np.ndarray, list)) or is_number(type(derivative))
    if not known and not is_foreign(type(derivative)):
        raise TypeError(f"{what} is {derivative!r}: let it be a number or an array{user_line()}")
    derivative = array(derivative) if isinstance(derivative, list) else derivative
    given = shape(derivative)
    if given != wanted and not (spread and _spreads(given, wanted)):
        raise ValueError(f"{what} has shape {given}; it must have {wanted}{user_line()}")
    if isinstance(derivative, np.generic) and type(z) in PYTHON:
        return derivative.item()
    return in_precision(derivative, z)


def _spreads(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Return whether an array of one shape broadcasts to the other."""
    ends = zip(reversed(given), reversed(wanted), strict=False)
    return len(given) <= len(wanted) and all(n in (1, m) for n, m in ends)


# --------------------------------------------------------------------------------------------- rows


def elementwise_function(name: str, function: Function, partials: tuple[Any, ...], singular: bool = False,
                         owner: bool = False) -> Function:  # fmt: skip
    """Make the table function of an elementwise row that is not in the table.

    With an ``owner``, the first operand is no number but the object that the function is a method of.
    """

    def plainly(*operands: Any) -> Any:
        operands = tuple(map(read_only, operands))
        xs = operands[1:] if owner else operands
        z = _value(name, function(*operands), xs)
        wanted = np.broadcast_shapes(*map(np.shape, xs))
        if np.shape(z) != wanted:
            raise ValueError(
                f"{name} returned shape {np.shape(z)} for arguments of shape {', '.join(str(np.shape(x)) for x in xs)}:"
                f" element by element it would be {wanted}; others are given to autodiff.smooth{user_line()}"
            )
        return z

    def checked(k: int, partial: Any) -> Any:
        if isinstance(partial, (int, float, np.floating, np.integer)):
            return float(partial)
        if isinstance(partial, (complex, np.complexfloating)):
            return checked(k, lambda *xs_z: partial)
        if not callable(partial):
            raise TypeError(f"partial {k} of {name} is {partial!r}: let it be a function of (arguments, value) or a "
                            "number")  # fmt: skip

        def p(*xs_z: Any) -> Any:
            slope, z = partial(*map(read_only, xs_z)), xs_z[-1]
            return fitting(f"partial {k} of {name}", slope, shape(z), z, spread=True)

        return p

    row = Row(name, tuple(Elementwise(checked(*numbered)) for numbered in enumerate(partials)), singular=singular)
    row.python = row.numpy = face = Face(row, scalar=plainly)
    face.evaluate = by_type(face, plainly, plainly)
    return face.evaluate


class _Parameters:
    """Fixed parameters of an elementwise function, as an operand of its row."""

    __slots__ = ("values",)
    shown = False
    """Not in the listing of a tape."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values


def elementwise_with_parameters(name: str, function: Function, partials: tuple[Any, ...], singular: bool) -> Function:
    """Make one that takes fixed parameters after its operands, which its partials do not need."""

    def behind(partial: Any) -> Any:
        return (lambda parameters, *xs_z: partial(*xs_z)) if callable(partial) else partial

    row = elementwise_function(name, lambda parameters, *xs: function(*xs, *parameters.values),
                               (0.0, *map(behind, partials)), singular, owner=True)  # fmt: skip
    count = len(partials)
    return lambda *arguments: row(_Parameters(arguments[count:]), *arguments[:count])


def function_of_arrays(row: Row, function: Function) -> Function:
    """Make the table function of any other row that is not in the table."""
    count = row.arity

    def plainly(*arguments: Any) -> Any:
        arguments = (*map(read_only, arguments[:count]), *arguments[count:])
        return _value(row.name, function(*arguments), arguments[:count])

    row.python = row.numpy = face = Face(row, plain=plainly)
    face.evaluate = by_level(face, plainly)
    return face.evaluate


def rule(name: str, kind: type[Kind], derivatives: tuple[Any, ...], fixed: tuple[str, ...], function: Function
         ) -> Function:  # fmt: skip
    """Make the table function of a user's function of arrays, its derivatives of ``kind`` or of another.

    What the function does to a tangent and its adjoint maps are two statements: at the first tangent they are held
    against each other, ⟨ḡ, f(ẋ)⟩ = ⟨f*(ḡ), ẋ⟩. Raises ValueError where they differ.
    """
    kinds = [_given(name, k, kind, derivative) for k, derivative in enumerate(derivatives)]
    together = [isinstance(given, Linear) for given in kinds]

    def of_tangent(k: int, t: Any, arguments: tuple[Any, ...]) -> Any:
        operands, static = arguments[: len(kinds)], arguments[len(kinds) :]
        xs = [zeros_like(x) if together[k] and linear else x for x, linear in zip(operands, together, strict=True)]
        return evaluate(*xs[:k], t, *xs[k + 1 :], *static)

    checked = (_checked(name, k, given, of_tangent) for k, given in enumerate(kinds))
    evaluate: Function = function_of_arrays(Row(name, tuple(checked), fixed), function)
    return evaluate


def _given(name: str, k: int, kind: type[Kind], derivative: Any) -> Kind:
    """Return a user's derivative as a kind; TypeError where it is none, and no function."""
    given = as_kind(kind, derivative)
    parts: list[Any] = [getattr(given, "adjoint", None)]
    if isinstance(given, Smooth):
        parts = [given.by_push] if given.by_pull is None else [given.by_push, given.by_pull]
    elif isinstance(given, Constant):
        parts = []
    if not all(callable(part) and not isinstance(part, type) for part in parts):
        words = "(tangent, value, *arguments)" if kind is Smooth else "(cotangent, *arguments)"
        raise TypeError(f"derivative {k} of {name} is {derivative!r}: let it be a function of {words}, None, or one of "
                        "Linear, Multilinear and Smooth of such functions")  # fmt: skip
    return given


def _checked(name: str, k: int, given: Any, of_tangent: Function) -> Kind:
    """Return a kind with the user's derivatives, results checked. A linear one is pushed by ``of_tangent``."""
    if isinstance(given, Constant):
        return given
    if isinstance(given, Smooth):
        pull = given.by_pull
        return Smooth(
            _checked_push(name, k, given.by_push), pull and _checked_pull(f"pull-back {k} of {name}", k + 1, pull)
        )
    adjoint = _checked_pull(f"adjoint {k} of {name}", k, given.adjoint)
    held = False

    def push(t: Any, z: Any, *arguments: Any) -> Any:
        nonlocal held
        result = of_tangent(k, t, arguments)
        if not held:
            along = read(t)
            _hold(name, k, adjoint, along, *map(read, (result, *arguments)))
            held = bool(np.any(along))
        return result

    return Smooth(_checked_push(name, k, push), lambda g, z, *arguments: adjoint(g, *arguments))


def _checked_push(name: str, k: int, push: Function) -> Function:
    """Check that tangents have the shape and precision of the value; a batch is pushed member by member."""

    def checked(*t_z_xs: Any) -> Any:
        if isinstance(t_z_xs[0], BatchNumber):  # it may call what takes plain arrays only
            return over_members(t_z_xs[0], checked, t_z_xs)
        try:
            pushed, z = push(*map(read_only, t_z_xs)), t_z_xs[1]
        except RecursionError as error:
            raise RuntimeError(f"push-forward {k} of {name} calls {name} itself, and deriving the reverse mode would "
                               f"never end: write out what it needs of it{user_line()}") from error  # fmt: skip
        return fitting(f"push-forward {k} of {name}", pushed, shape(z), z)

    return checked


def _checked_pull(what: str, place: int, pull: Function) -> Function:
    """Check that what a pull-back returns has the shape and precision of what is at ``place`` behind ``g``."""
    return lambda g, *xs: fitting(what, pull(*map(read_only, (g, *xs))), shape(xs[place]), xs[place])


def _hold(name: str, k: int, adjoint: Any, t: Any, pushed: Any, *arguments: Any) -> None:
    """Raise ValueError where an adjoint map is not that of the function which maps the tangent ``t`` to ``pushed``."""
    kind, angles = np.result_type(dtype_of(pushed), np.float16), 1.0 + np.arange(size(pushed)).reshape(shape(pushed))
    g = as_like((np.exp(1j * angles) if kind.kind == "c" else np.cos(angles)).astype(kind)[()], pushed)
    pulled = read(adjoint(g, *arguments))
    along, back = np.real(np.conj(g) * pushed), np.real(np.conj(pulled) * t)
    total = np.sum(np.abs(along)) + np.sum(np.abs(back))
    if abs(np.sum(along) - np.sum(back)) > np.sqrt(np.finfo(np.result_type(g, t)).eps) * total:
        raise ValueError(
            f"{name} is not linear in argument {k}, or adjoint map {k} is not its adjoint: a function that is not, or "
            f"has a constant term, is for autodiff.smooth or elementwise{user_line()}"
        )
