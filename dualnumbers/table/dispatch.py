"""Dispatch by type: a table function looks the types of its operands up in one dictionary.

``float`` leads to Python's function, ``ndarray`` and ``np.float64`` to NumPy's, and a kind of number to the row's lift
to that kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..foreign import is_foreign, lacks, of_one_library, one_of
from ..levels import is_lazy, is_number, plain
from ..messages.errors import user_line
from ..messages.names import public_name
from ..number_types import function_of
from .blocks import Block, fit, in_blocks, over_axes, own_or_whole
from .registry import BY_VALUES


class Lifts(dict[type, Callable[..., Any]]):
    """kind of number → the row extended to it, as a face evaluates it; made at first use."""

    def __init__(self, face: Any) -> None:
        self.face = face

    def __missing__(self, kind: type) -> Callable[..., Any]:
        lifted: Callable[..., Any] = kind.lift(self.face)  # type: ignore[attr-defined]
        self[kind] = lifted
        return lifted


def leading(operands: Any) -> Any:
    """Return the number of the highest level among the operands, at least one of which is a number."""
    leader, highest = None, -1
    for x in operands:
        if is_number(type(x)):
            order = x.level.order
            if order > highest or (order == highest and x.leads(leader)):
                leader, highest = x, order
    return leader


def lead(face: Any, *arguments: Any) -> Any:
    """Apply a row to arguments of which at least one operand is a number: by the lift to the leading one's kind."""
    statics = face.row.statics
    operands = arguments[: len(arguments) - statics] if statics else arguments
    return face.lifts[type(leading(operands))](*arguments)


class Dispatch(dict[Any, Callable[..., Any]]):
    """type (a tuple of types from two operands on) → what evaluates the row there."""

    def __init__(self, face: Any, scalar: Callable[..., Any], array: Callable[..., Any]) -> None:
        self.face, self.scalar, self.array = face, scalar, array

    def __missing__(self, kinds: Any) -> Callable[..., Any]:
        face = self.face
        types = kinds if isinstance(kinds, tuple) else (kinds,)
        numbers = {t for t in types if is_number(t)}
        if numbers:
            implementation = face.lifts[numbers.pop()] if len(numbers) == 1 else lambda *xs: lead(face, *xs)
        elif any(issubclass(t, (np.generic, np.ndarray)) or getattr(t, "__array_ufunc__", None) for t in types):
            implementation = self.array
            if any(map(is_foreign, types)):
                implementation = of_foreign(face, in_blocks(face.row.name, self.array, types))
        elif all(t in PLAIN for t in types):
            implementation = self.scalar
        else:  # ``math.sin`` would round an mpf to a float; other types may be registered later
            return next(filter(None, (function_of(t, self.face.row.name) for t in types)), self.scalar)
        self[kinds] = implementation
        return implementation


PLAIN = frozenset((float, int, complex, bool))


def by_type(face: Any, scalar: Callable[..., Any], array: Callable[..., Any]) -> Callable[..., Any]:
    """Make the table function of an elementwise row: a closure by arity over its dictionary."""
    dispatch, arity = Dispatch(face, scalar, array), face.row.arity
    if arity == 1:

        def function(x: Any) -> Any:
            return dispatch[type(x)](x)

    elif arity == 2:

        def function(x: Any, y: Any) -> Any:  # type: ignore[misc]
            return dispatch[type(x), type(y)](x, y)

    else:

        def function(*xs: Any) -> Any:  # type: ignore[misc]
            return dispatch[tuple(map(type, xs))](*xs)

    return function


def joined(operand: Any) -> Any:
    """Return an operand that the user gave as a list, or as an array of objects, as an array."""
    if is_number(type(operand)) or (type(operand) is np.ndarray and operand.dtype.char != "O"):
        return operand
    if not isinstance(operand, (list, tuple, np.ndarray)):
        return operand
    return _array(operand)


_array: Callable[[Any], Any]


def fill(array: Callable[[Any], Any]) -> None:
    """Take over what makes an array of a list of numbers: a rule, which stands above."""
    global _array
    _array = array


def by_level(face: Any, plain: Callable[..., Any], needed: Any = None) -> Callable[..., Any]:
    """Make the table function of any other row: the lift of the leading number, or without numbers the plain one.

    ``needed`` is the function of NumPy's without which a library cannot do it, if there is one.
    """
    lifts, statics, of_others = face.lifts, face.row.statics, of_foreign(face, plain, needed)

    def function_of_one(x: Any, *static: Any) -> Any:
        if is_number(type(x)):
            return lifts[type(x)](x, *static)
        return of_others(x, *static) if is_foreign(type(x)) else plain(x, *static)

    def function_of_two(x: Any, y: Any, *static: Any) -> Any:
        if not is_number(type(y)):
            if is_number(type(x)):
                return lifts[type(x)](x, joined(y), *static)
            return (of_others if is_foreign(type(x)) or is_foreign(type(y)) else plain)(x, y, *static)
        kind = type(x)
        if kind is type(y) or not is_number(kind):
            return lifts[type(y)](x if kind is type(y) else joined(x), y, *static)
        return lead(face, x, y, *static)

    def function(*arguments: Any) -> Any:
        count = len(arguments) - statics
        kinds = set(map(type, arguments[:count]))
        if len(kinds) == 1 and is_number(type(arguments[0])):
            return lifts[kinds.pop()](*arguments)
        if any(map(is_number, kinds)):
            return lead(face, *map(joined, arguments[:count]), *arguments[count:])
        return (of_others if any(is_foreign(type(x)) for x in arguments[:count]) else plain)(*arguments)

    return {1: function_of_one, 2: function_of_two}.get(face.row.arity, function)


class LackingError(TypeError):
    """A library has no function for its arrays, or one that takes less than NumPy's."""


def _library(operands: Any) -> str:
    kind = type(one_of(operands))
    return f"{kind.__module__}.{kind.__qualname__}"


def lacking(what: str, operands: Any, why: str) -> LackingError:
    """Return the error for what cannot be done with foreign arrays."""
    return LackingError(
        f"{_library(operands)} lacks what {what} needs of it: {why}; "
        "write it by functions that the library has, or give plain arrays"
        f"{user_line()}"
    )


TO_DECIDE_BY = "values to decide by, which it has not computed"
"""What an array of Dask lacks of which a value is asked for."""


def of_complex(name: str, core: str) -> Callable[..., str]:
    """Return what says ``core`` of complex arrays, and refuses real ones: by their values a result is real or not."""
    BY_VALUES[name] = ("real arrays",)

    def chosen(*operands: Any) -> str:
        if not any(x.dtype.kind == "c" for x in operands):
            raise lacking(name, operands, f"{TO_DECIDE_BY}, whether the result is real: give x + 0j, whose is complex")
        return core

    return chosen


def refuse(is_refused: Callable[[type], bool], what: str, why: str, values: Any) -> None:
    """Raise LackingError where a plain value, or one in a list, is of a type that a function cannot take."""
    for x in values.values() if isinstance(values, dict) else values:
        if isinstance(x, (list, tuple, dict)):
            refuse(is_refused, what, why, x)
        elif is_refused(type(plain(x))):
            raise lacking(what, (plain(x),), why)


def of_foreign(face: Any, evaluate: Callable[..., Any], needed: Any = None) -> Callable[..., Any]:
    """Make what evaluates a row at foreign arrays: what their library cannot, it says."""
    name, shown = face.row.name, face.row.shown

    def evaluated(*arguments: Any) -> Any:
        kind: Any = type(one_of(arguments))
        if needed is not None and not face.row.core and lacks(kind, needed):
            raise lacking(shown, arguments, f"it has no {public_name(needed)}")
        core = ""
        if face.row.core and is_lazy(kind):
            count = len(arguments) - face.row.statics
            operands = of_one_library(*arguments[:count])
            core = face.row.core if isinstance(face.row.core, str) else face.row.core(*operands)
            fit(shown, core, operands)
            arguments = *operands, *arguments[count:]
        try:
            z = in_wholes(core, *arguments) if core else evaluate(*arguments)
        except LackingError:
            raise
        except (TypeError, AttributeError, NotImplementedError) as error:
            raise lacking(shown, arguments, f"{error}") from error
        except Exception as error:
            if not hasattr(error, "__notes__"):  # from a row that this one asked
                error.add_note(f"{_library(arguments)} raised this in what {shown} needs of it{user_line()}")
            raise
        if any(type(part) is np.ndarray and part.ndim for part in (z if type(z) is tuple else (z,))):
            raise lacking(shown, arguments, "it gave an array of NumPy's")
        return z

    def in_wholes(core: str, *arguments: Any) -> Any:
        count = len(arguments) - face.row.statics
        operands, static = arguments[:count], arguments[count:]
        if any(np.ndim(x) for x in static if isinstance(x, np.ndarray)):
            raise TypeError("a parameter that is an array goes with a block of the stack, and it has no blocks")
        block = Block(name, face.plain, static)
        kind: Any = type(operands[0])
        if needed is None or lacks(kind, needed):
            return over_axes(core, block, *operands)
        return own_or_whole(lambda: evaluate(*arguments), core, block, *operands)

    return evaluated


def python_value(ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """Make a NumPy function give Python numbers for Python numbers, as formulas written in the table need."""

    def evaluate(*xs: Any) -> Any:
        z = ufunc(*xs)
        return tuple(part.item() for part in z) if type(z) is tuple else z.item()

    return evaluate
