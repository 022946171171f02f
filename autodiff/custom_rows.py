"""Rows that are not in the table: those of functions with derivatives of the user's own (custom.py, blocks.py).

What his functions return is checked where it enters: a value of the row, a partial, a tangent or an adjoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.batch import BatchNumber, over_members
from dualnumbers.dispatch import by_level, by_type
from dualnumbers.elementary import ELEMENTWISE, PYTHON, Row
from dualnumbers.errors import user_line
from dualnumbers.levels import is_number
from dualnumbers.pushforward import in_precision
from dualnumbers.rules.shaping import array, shape

from .seeding import read_only

Function = Callable[..., Any]


# --------------------------------------------------------------------------------------------- what is given back


def _value(name: str, z: Any, operands: Any) -> Any:
    """What a user's function returned: a Python number for Python numbers; TypeError where it is no plain value."""
    if is_number(type(z)):
        raise TypeError(f"{name} uses a number that is being differentiated and is none of its arguments: make that "
                        f"an argument too{user_line()}")  # fmt: skip
    if not isinstance(z, (*PYTHON, np.generic, np.ndarray)):
        raise TypeError(f"{name} returned {z!r}: let it return a number or an array{user_line()}")
    if isinstance(z, np.ndarray):
        shown = any(isinstance(x, np.ndarray) and np.may_share_memory(z, x) for x in operands)
        return z.copy() if shown else z if z.ndim else z[()]  # a view would be written to with the argument
    return z.item() if isinstance(z, np.generic) and all(isinstance(x, PYTHON) for x in operands) else z


def fitting(what: str, derivative: Any, wanted: tuple[int, ...], z: Any, spread: bool = False) -> Any:
    """A derivative in the precision of ``z``, a Python number where that is one.

    ValueError where it has not the shape ``wanted``, nor with ``spread`` one that broadcasts to it.
    """
    if not is_number(type(derivative)) and not isinstance(derivative, (*PYTHON, np.generic, np.ndarray, list)):
        raise TypeError(f"{what} is {derivative!r}: let it be a number or an array{user_line()}")
    derivative = array(derivative) if isinstance(derivative, list) else derivative
    given = shape(derivative)
    if given != wanted and not (spread and _spreads(given, wanted)):
        raise ValueError(f"{what} has shape {given}; it must have {wanted}{user_line()}")
    if isinstance(derivative, np.generic) and type(z) in PYTHON:
        return derivative.item()
    return in_precision(derivative, z)


def _spreads(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether an array of one shape broadcasts to the other."""
    ends = zip(reversed(given), reversed(wanted), strict=False)
    return len(given) <= len(wanted) and all(n in (1, m) for n, m in ends)


# --------------------------------------------------------------------------------------------- rows


def elementwise_function(name: str, function: Function, partials: tuple[Any, ...], singular: bool = False,
                         owner: bool = False) -> Function:  # fmt: skip
    """The table function of an elementwise row that is not in the table.

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
                f" element by element it would be {wanted}. For any other function of arrays there are autodiff.smooth "
                f"and autodiff.Block{user_line()}"
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

    row = Row(name, ELEMENTWISE, len(partials), partials=tuple(map(checked, range(len(partials)), partials)),
              singular=singular)  # fmt: skip
    row.scalar = plainly
    row.evaluate = by_type(row, plainly, plainly)
    return row.evaluate


def function_of_arrays(row: Row, function: Function) -> Function:
    """The table function of any other row that is not in the table."""
    count = row.arity

    def plainly(*arguments: Any) -> Any:
        arguments = (*map(read_only, arguments[:count]), *arguments[count:])
        return _value(row.name, function(*arguments), arguments[:count])

    row.plain = plainly
    row.evaluate = by_level(row, plainly)
    return row.evaluate


def checked_push(name: str, k: int, push: Any) -> Any:
    if push is None:
        return None

    def checked(*t_z_xs: Any) -> Any:
        if isinstance(t_z_xs[0], BatchNumber):  # he may call what takes plain arrays only
            return over_members(t_z_xs[0], checked, t_z_xs)
        try:
            pushed, z = push(*map(read_only, t_z_xs)), t_z_xs[1]
        except RecursionError as error:
            raise RuntimeError(f"push-forward {k} of {name} calls {name} itself, and deriving the reverse mode would "
                               f"never end: write out what it needs of it{user_line()}") from error  # fmt: skip
        return fitting(f"push-forward {k} of {name}", pushed, shape(z), z)

    return checked


def checked_adjoint(name: str, k: int, adjoint: Any) -> Any:
    if adjoint is None:
        return None
    return lambda g, *xs: fitting(f"adjoint {k} of {name}", adjoint(*map(read_only, (g, *xs))), shape(xs[k]), xs[k])
