"""What a user's function depends on: the numbers among its further arguments, and those that it closes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from dualnumbers.errors import user_line
from dualnumbers.levels import is_number
from dualnumbers.number import joined
from dualnumbers.rules.complexes import is_unreal
from dualnumbers.rules.shaping import array, concatenate, reshape, shape

from ..seeding import flatten

Function = Callable[..., Any]


def lifted(function: Function, args: tuple[Any, ...]) -> tuple[Any, Callable[[Any], Function]]:
    """The vector θ of all numbers that ``function(…, *args)`` depends on, and ``at(θ)``, the function of the rest.

    They are looked for in ``args``, in the variables that the function closes over, in functions among these, and in
    the global variables that it names.
    """
    leaves, rebuild = flatten(args)
    leaves = [joined(leaf) for leaf in leaves]
    found = {id(x): x for x in [*leaves, *_captured(function, set())] if is_number(type(x))}
    for x in found.values():
        if is_unreal(x):
            raise TypeError(f"the derivative of an integral by a complex parameter is not to be had here{user_line()}")
    theta = concatenate(*(reshape(x, -1, "C") for x in found.values()), 0) if found else np.zeros(0)

    def at(theta: Any) -> Function:
        new, start = {}, 0
        for key, x in found.items():
            stop = start + int(np.prod(shape(x)))
            new[key] = reshape(theta[start:stop], shape(x), "C") if shape(x) else theta[start]
            start = stop
        bound = _replaced(function, new, {}) if new else function
        further = rebuild(new.get(id(leaf), leaf) for leaf in leaves)
        return lambda *first: bound(*first, *further)

    return theta, at


def plain_result(call: str, z: Any) -> Any:
    """What a function returned at plain arguments; raises TypeError where it depends on a number all the same."""
    z = array(joined(z))
    if is_number(type(z)):
        raise TypeError(
            f"the function given to {call} uses a number that is neither in args nor a variable that "
            f"it closes over or names, so its derivative would be lost; give it in args{user_line()}"
        )
    return z


def _names(code: CodeType) -> Iterator[str]:
    """The global names that code may read, with the functions written in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet assigned
        return None


def _globals(function: FunctionType) -> dict[str, Any]:
    """The global variables that hold numbers and that a function names."""
    there = ((name, function.__globals__.get(name)) for name in _names(function.__code__))
    return {name: x for name, x in there if is_number(type(x))}


def _captured(function: Any, seen: set[int]) -> Iterator[Any]:
    if id(function) in seen:
        return
    seen.add(id(function))
    if isinstance(function, partial):
        values = [function.func, *function.args, *function.keywords.values()]
    elif isinstance(function, FunctionType):
        values = [_contents(cell) for cell in function.__closure__ or ()]
        values += [*(function.__defaults__ or ()), *_globals(function).values()]
    else:
        return
    for x in values:
        if is_number(type(x)):
            yield x
        else:
            yield from _captured(x, seen)


def _replaced(x: Any, new: dict[int, Any], made: dict[int, Any]) -> Any:
    """A number by its replacement, a function by one that has the replacements; anything else as it is."""
    if id(x) in new:
        return new[id(x)]
    if id(x) in made:
        return made[id(x)]
    if isinstance(x, partial):
        keywords = {name: _replaced(value, new, made) for name, value in x.keywords.items()}
        return partial(_replaced(x.func, new, made), *(_replaced(value, new, made) for value in x.args), **keywords)
    if not isinstance(x, FunctionType):
        return x
    held = [(cell, _contents(cell)) for cell in x.__closure__ or ()]
    cells = [CellType() if isinstance(value, (FunctionType, partial)) or id(value) in new else cell
             for cell, value in held]  # fmt: skip
    names = {**x.__globals__, **{name: new[id(value)] for name, value in _globals(x).items()}}
    defaults = x.__defaults__ and tuple(_replaced(value, new, made) for value in x.__defaults__)
    made[id(x)] = function = FunctionType(x.__code__, names, x.__name__, defaults, tuple(cells))
    function.__kwdefaults__ = x.__kwdefaults__
    for cell, (old, value) in zip(cells, held, strict=True):
        if cell is not old:
            cell.cell_contents = _replaced(value, new, made)
    return function
