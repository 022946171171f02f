"""Partials at a point; derivatives in the type and precision of a value.

Partials are evaluated on Python's numbers wherever the value is one of double precision. So a formula is as fast beside
``np.float64`` as beside Python's floats, warns of nothing that the value does not, and fails in one way, by an
exception: then it is evaluated once more by NumPy's rules, and is inf or nan.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..foreign import as_like, is_foreign
from ..forms import PYTHON, type_of
from ..levels import GROUND, is_number, level_of, plain
from ..messages.errors import user_line
from ..number_types import alike, number_type
from ..operands import is_operand
from ..several import each
from .registry import TABLE

numpy_float = np.float64

VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS

FAILURES = (ArithmeticError, ValueError, TypeError)
"""What a partial may raise on Python numbers where NumPy's would be infinite, NaN or complex."""


class Refused:
    """The partial by an argument in which a derivative is not to be had, such as the order of a Bessel function."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __call__(self, *arguments: Any) -> Any:
        raise self.error()

    def error(self) -> TypeError:
        """Return the error that the user sees."""
        return TypeError(
            f"{self.reason}; give that argument as autodiff.value_of(...) if its derivative is not wanted{user_line()}"
        )


def python_of(x: Any) -> Any:
    """Return a NumPy scalar, or a number of such, as one of Python's; anything else, and what is longer, as it is."""
    kind = type(x)
    if kind is float:
        return x
    if kind is numpy_float:
        return float(x)
    if is_number(kind):
        value = plain(x)
        return TABLE["_python_number"](x) if isinstance(value, np.generic) and value.dtype.char not in "gG" else x
    return x.item() if isinstance(x, np.generic) or (kind is np.ndarray and not x.ndim) else x


def as_given(derivative: Any, x: Any) -> Any:
    """Return a derivative in its argument's type: a Python float for a Python number, np.float32 for such a one."""
    kind = type(derivative)
    if kind is type(x) and (kind is float or kind is np.ndarray):
        return derivative
    given, wanted = plain(derivative), plain(x)
    if number_type(type(wanted)) is not None:
        if level_of(derivative) is not GROUND:
            return derivative
        return plain(alike(given, type(wanted))) if type(given) is int else given
    if type(given) is np.ndarray and not given.ndim and not isinstance(wanted, np.ndarray):
        derivative, given = derivative[()], given[()]  # of a number that was reshaped
    if type(given) is type(wanted) or (isinstance(given, np.ndarray) and not is_foreign(type(wanted))):
        is_of_more = type(given) is np.ndarray and not given.ndim and given.dtype.kind == wanted.dtype.kind == "f"
        return TABLE["astype"](derivative, wanted.dtype) if is_of_more and given.dtype != wanted.dtype else derivative
    if type(wanted) in PYTHON:
        derivative = TABLE["_python_number"](derivative) if isinstance(given, np.generic) else derivative
        return complex(derivative) if type(wanted) is complex and type(derivative) is float else derivative
    if not isinstance(wanted, (np.inexact, np.ndarray)) or (np.iscomplexobj(given) and not np.iscomplexobj(wanted)):
        return as_like(derivative, wanted)
    return TABLE["astype"](derivative, wanted.dtype)


def as_numpy_float(t: Any, x: Any) -> Any:
    """Return a tangent or adjoint of a NumPy scalar as one, with the attributes that a function asks of ``x``."""
    kind = type(t)
    if kind is float:
        return numpy_float(t) if type(x) is numpy_float else t
    return np.complex128(t) if kind is complex and type(x) is np.complex128 else t


def is_double(z: Any) -> bool:
    """Return whether the plain value is NumPy's scalar of double precision."""
    return type(z) is numpy_float or (is_number(type(z)) and type_of(z) is numpy_float)


def at_point(z: Any, operands: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Return the output of a row and its operands as partials take them."""
    if type(z) is tuple:
        return (tuple(map(python_of, z)), list(map(python_of, operands))) if is_double(z[0]) else (z, operands)
    return (python_of(z), list(map(python_of, operands))) if is_double(z) else (z, operands)


def beside(row: Any, z: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """Return operands as partials take them beside a value: of a number of another type, those `BY_ITSELF` as such."""
    place = BY_ITSELF.get(row.name)
    if place is None or number_type(type_of(z)) is None:
        return operands
    return [alike(x, type_of(z)) if k == place else x for k, x in enumerate(operands)]


BY_ITSELF = {"divide": 1, "power": 0, "pow": 0}
"""The name of a row → the place of the operand that a function in a partial is of, and of that alone.

1 / y by the int of x / 3, and log x by that of 2ʸ, would be floats.
"""


def evaluate_partial(partial: Any, *arguments: Any) -> Any:
    """Evaluate a partial at the arguments and the output: inf or nan where it is singular, never an exception."""
    try:
        return partial(*arguments)
    except FAILURES:
        return partial_by_numpy(partial, *arguments)


def of_floats(partial: Any) -> Any:
    """Return a partial for arguments that are Python's floats: ``math.cos`` where a rule of the table says ``cos``.

    The functions that it is written in would only look up the type of what they are given. Another one than a plain
    function is returned as it is.
    """
    if not isinstance(partial, FunctionType):
        return partial
    names, bound = partial.__globals__, {}
    for name in _names_in(partial.__code__):
        function = names.get(name)
        face = getattr(function, "face", None)
        if face is not None and face.scalar is not None and face is face.row.python:
            bound[name] = face.scalar
        elif name in names:
            bound[name] = function
    bound["__builtins__"] = names["__builtins__"]
    return FunctionType(partial.__code__, bound, partial.__name__, partial.__defaults__, partial.__closure__)


def _names_in(code: CodeType) -> set[str]:
    """Return the names that are written in some code, and in the functions within it."""
    within = [_names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*within)


def partial_by_numpy(partial: Callable[..., Any], *arguments: Any) -> Any:
    """Evaluate a partial that failed on Python numbers once more on NumPy's: inf or nan, never an exception."""
    if isinstance(partial, Refused):
        raise partial.error() from None
    if any(type(x) is complex for x in arguments):
        arguments = tuple(x + 0j if type(x) in (int, float) else x for x in arguments)
    with np.errstate(all="ignore"):
        return python_of(partial(*(each(_numpy_of, x) for x in arguments)))


def _numpy_of(x: Any) -> Any:
    return TABLE["_numpy_scalar"](x) if is_operand(type(x)) else x


def in_precision(tangent: Any, z: Any) -> Any:
    """Cast a tangent to the output's precision: the partial of a kink or of SciPy is float64 beside float32."""
    if type(z) is np.ndarray and type(tangent) is np.ndarray and z.dtype is tangent.dtype:
        return tangent
    given, wanted = plain(tangent), plain(z)
    if type(wanted) is float or not hasattr(given, "dtype") or not hasattr(wanted, "dtype"):
        return tangent
    if number_type(type(wanted)) is not None:
        return tangent
    target = wanted.dtype if given.dtype.kind == wanted.dtype.kind else wanted.real.dtype
    return tangent if given.dtype == target or given.dtype.kind != target.kind else TABLE["astype"](tangent, target)


def arguments_read(function: Any, places: tuple[int | None, ...], every: frozenset[int]) -> frozenset[int]:
    """Return those of ``places``, which the first arguments of a function stand for, whose arguments it is written in.

    All of them where it is no plain function.
    """
    if isinstance(function, float):
        return frozenset()
    code = function.__code__ if isinstance(function, FunctionType) else None
    if code is None or code.co_argcount < len(places) or code.co_flags & VARIADIC:
        return every
    used = {
        name
        for step in dis.get_instructions(code)
        for name in (step.argval if isinstance(step.argval, tuple) else (step.argval,))
    }
    named = zip(places, code.co_varnames, strict=False)
    return frozenset(place for place, name in named if place is not None and name in used)
