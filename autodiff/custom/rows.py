"""Rows that are not in the table: those of functions with derivatives of the user's own (decorators.py, blocks.py).

What a user's functions return is checked where it enters: a value of the row, a partial, a tangent or an adjoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import copy_of, is_foreign
from dualnumbers.forms import PYTHON, is_unreal, shape
from dualnumbers.levels import is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array
from dualnumbers.table import Row
from dualnumbers.table.dispatch import by_level, by_type
from dualnumbers.table.kinds import Constant, Elementwise, Kind, Smooth
from dualnumbers.table.language import as_kind
from dualnumbers.table.partials import in_precision
from dualnumbers.table.row import Face, own_row

from ..calls.structures import is_structure
from ..calls.values import read_only

Function = Callable[..., Any]


# --------------------------------------------------------------------------------------------- what is given back


class SeveralResultsError(TypeError):
    """A function returned a structure, where one value was expected."""


def value_of_function(name: str, z: Any, operands: Any) -> Any:
    """Return what a user's function returned, as it did; TypeError where it is no plain value."""
    if isinstance(z, np.ndarray):
        for x in operands:
            if isinstance(x, np.ndarray) and np.may_share_memory(z, x):
                return z.copy()  # a view would be written to with the argument
        return z if z.ndim else z[()]
    if is_number(type(z)):
        raise TypeError(
            f"{name} uses a number that is being differentiated and is none of its arguments: make that "
            f"an argument too{user_line()}"
        )
    if not isinstance(z, (*PYTHON, np.generic)):
        if is_foreign(type(z)):
            return copy_of(z)
        kind = SeveralResultsError if is_structure(z) else TypeError
        raise kind(f"{name} returned {z!r}: let it return a number or an array{user_line()}")
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


def check_real(what: str, derivative: Any, z: Any) -> None:
    """Raise TypeError where a derivative is complex, and the value is real: no adjoint would say the same of it."""
    if is_unreal(derivative) and not is_unreal(z):
        raise TypeError(f"{what} is complex, the value is real: let it give real numbers{user_line()}")


def _spreads(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Return whether an array of one shape broadcasts to the other."""
    ends = zip(reversed(given), reversed(wanted), strict=False)
    return len(given) <= len(wanted) and all(n in (1, m) for n, m in ends)


# --------------------------------------------------------------------------------------------- rows


def elementwise_function(
    name: str, function: Function, partials: tuple[Any, ...], singular: bool = False, owner: bool = False
) -> Function:
    """Make the table function of an elementwise row that is not in the table.

    With an ``owner``, the first operand is no number but the object that the function is a method of.
    """

    def plainly(*operands: Any) -> Any:
        operands = tuple(map(read_only, operands))
        xs = operands[1:] if owner else operands
        z = value_of_function(name, function(*operands), xs)
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
            raise TypeError(
                f"partial {k} of {name} is {partial!r}: let it be a function of (arguments, value) or a number"
            )

        def p(*xs_z: Any) -> Any:
            slope, z = partial(*map(read_only, xs_z)), xs_z[-1]
            if not any(map(is_unreal, xs_z)):
                check_real(f"partial {k} of {name}", slope, z)
            return fitting(f"partial {k} of {name}", slope, shape(z), z, spread=True)

        return p

    row = own_row(name, tuple(Elementwise(checked(*numbered)) for numbered in enumerate(partials)), singular=singular)
    row.python = row.numpy = face = Face(row, scalar=plainly, plain=plainly)
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
    """Make an `elementwise_function` that takes fixed parameters after its operands; its partials get none of them."""

    def behind(partial: Any) -> Any:
        return (lambda parameters, *xs_z: partial(*xs_z)) if callable(partial) else partial

    row = elementwise_function(name, lambda parameters, *xs: function(*xs, *parameters.values),
                               (0.0, *map(behind, partials)), singular, owner=True)  # fmt: skip
    count = len(partials)
    return lambda *arguments: row(_Parameters(arguments[count:]), *arguments[:count])


def function_of_arrays(row: Row, function: Function) -> Function:
    """Make the table function of any other row that is not in the table, of a function that checks what it gives."""
    row.python = row.numpy = face = Face(row, plain=function)
    face.evaluate = by_level(face, function)
    return face.evaluate


# --------------------------------------------------------------------------------------------- what is given


def functions_of(kind: Any) -> tuple[Any, ...]:
    """Return the user's functions in a kind."""
    return (kind.by_push, kind.by_pull) if isinstance(kind, Smooth) else (getattr(kind, "adjoint", None),)


def kinds_given(name: str, kind: type[Kind], derivatives: tuple[Any, ...]) -> list[Kind]:
    """Return a user's derivatives as kinds, of ``kind`` or another; TypeError where one is none, and no function."""
    return [_given(name, k, kind, derivative) for k, derivative in enumerate(derivatives)]


def joint_given(name: str, joint: Any) -> Any:
    """Return a user's pull-back to all arguments, None for none; TypeError where it is no function."""
    if joint is not None and (not callable(joint) or isinstance(joint, type)):
        raise TypeError(f"the pull-back of {name} is {joint!r}: let it be a function of (cotangent, value, *arguments)")
    return joint


def _given(name: str, k: int, kind: type[Kind], derivative: Any) -> Kind:
    given = as_kind(kind, derivative)
    functions = () if isinstance(given, Constant) else functions_of(given)
    if isinstance(given, Smooth):  # either is enough
        functions = tuple(part for part in functions if part is not None) or (None,)
    if not all(callable(part) and not isinstance(part, type) for part in functions):
        words = "(tangent, value, *arguments)" if kind is Smooth else "(cotangent, *arguments)"
        raise TypeError(
            f"derivative {k} of {name} is {derivative!r}: let it be a function of {words}, None, or one of "
            "Linear, Multilinear and Smooth of such functions"
        )
    return given
