"""How adjoints are added up: each is fitted to the space of its argument, and goes into an array that its line owns.

And in what form partials take the values of a tape.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import is_alike, is_unreal, shape, type_of
from dualnumbers.late import LateModule
from dualnumbers.levels import is_number
from dualnumbers.memory import detached, is_free
from dualnumbers.number_types import alike, number_type
from dualnumbers.rules.complexes import real
from dualnumbers.rules.indexing import add_at
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import astype, broadcast_to, reshape
from dualnumbers.table.partials import BY_ITSELF, as_numpy_float, numpy_float

from .pieces import Few, Pieces
from .program import FAR
from .variable import GETITEM

if TYPE_CHECKING:
    from dualnumbers.numbers import dual
else:
    dual = LateModule(globals(), "dual", "dualnumbers.numbers.dual")  # a program of gradients alone does without

HANDY = 1 << 12
"""Up to so many bytes a new sum takes less time than to find out whether somebody else has the array."""

FLOATS = (float, numpy_float)


def fit(c: Any, x: Any) -> Any:
    """Bring an adjoint into its argument's space: summed over broadcast axes, real where that is, of its dtype."""
    kind = type(c)
    if kind is np.ndarray:  # the way of most, without questions
        if type(x) in FLOATS and c.dtype.char == "d":
            return np.add.reduce(c, tuple(range(c.ndim)))
        if type(x) is np.ndarray and c.dtype is x.dtype:
            if c.shape == x.shape:
                return c
            if axes := stretched(c.shape, x.shape):
                c = summed(c, axes)
                if c.size == x.size:
                    return c if c.shape == x.shape else c.reshape(x.shape)
    elif kind in FLOATS and type(x) in FLOATS:
        return float(c) if type(x) is float else c
    elif type(x) is float and isinstance(c, np.floating):
        return float(c)
    if (kind is type(x) or type(x) is np.ndarray) and is_number(kind) and kind is dual.DualArray:
        a, b = c.primal, x.primal if kind is type(x) else x
        if type(a) is type(b) is np.ndarray and a.shape == b.shape and a.dtype is b.dtype:
            return c
    if is_number(kind) and is_alike(c, x):
        return c
    if is_unreal(c) and not is_unreal(x):
        c = real(c)
    target, given = shape(x), shape(c)
    if given != target:
        if axes := stretched(given, target):
            c = summed(c, axes)
        given = shape(c)
        if given != target:
            several = math.prod(target)
            is_reshaped = math.prod(given) == several or any(n != n for n in (*given, several))  # NaN: of Dask, unknown
            c = reshape(c, target, "C") if is_reshaped else broadcast_to(c, target)
    typed = target or ((isinstance(x, (np.generic, np.ndarray)) or is_foreign(type(x))) and hasattr(c, "dtype"))
    if typed and c.dtype != x.dtype:
        c = astype(c, x.dtype)
    return c


@lru_cache
def stretched(given: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of a shape that another one was broadcast over."""
    lead = len(given) - len(target)
    return tuple(i for i, n in enumerate(given) if i < lead or (n != 1 and target[i - lead] == 1))


def summed(c: Any, axes: tuple[int, ...]) -> Any:
    """Sum over axes; those before others by a product with ones, a seventh of the time at 25 times 1,000 rows of 10."""
    kind = type(c)
    if kind is not np.ndarray:
        if kind is dual.DualArray and all(type(part) is np.ndarray and part.shape == shape(c) for part in c.parts()):
            return dual.make(summed(c.primal, axes), summed(c.tangent, axes), c.level)
        return total(c, axes, False)
    first, behind = axes[0], axes[-1] + 1
    if behind - first == len(axes) and behind < c.ndim and c.dtype.char in "fd":
        if c.ndim == 2:
            return _ones(len(c), c.dtype.char) @ c
        if c.flags.c_contiguous:
            before, count, rest = c.shape[:first], math.prod(c.shape[first:behind]), c.shape[behind:]
            rows = c.reshape(*(math.prod(part) for part in (before, (count,), rest)[first == 0 :]))
            return (_ones(count, c.dtype.char) @ rows).reshape(before + rest)
    return np.add.reduce(c, axes)


def _ones(count: int, char: str) -> Any:
    """Return a vector of ones."""
    return _few_ones(count, char) if count <= HANDY else np.ones(count, char)


@lru_cache
def _few_ones(count: int, char: str) -> Any:
    ones = np.ones(count, char)
    ones.flags.writeable = False
    return ones


def scaled(p: float, g: Any, x: Any) -> Any:
    """Multiply an array by a constant partial, after it was summed over what its operand was broadcast over."""
    plain = type(x) is np.ndarray and type(g) is np.ndarray
    if x.shape != g.shape if plain else type(x) in FLOATS or shape(x) != shape(g):
        g = fit(g, x)
    return -g if p == -1.0 else p * g


def add(found: list[Any], owned: set[int], line: int, c: Any, x: Any) -> None:
    """Accumulate an adjoint of ``x``; in place from the second sum on, and where nobody else has a large array."""
    if type(c) is not np.ndarray or type(x) is not np.ndarray or c.shape != x.shape or c.dtype is not x.dtype:
        c = fit(c, x)
    t = found[line]
    if t is None:
        found[line] = float(c) if type(c) is numpy_float else c
    elif type(t) is np.ndarray and type(c) is np.ndarray:
        if line in owned or (t.nbytes > HANDY and is_free(t)):
            t += c
        else:
            found[line] = t + c
        owned.add(line)
    else:
        found[line] = t + c


def add_factors(found: list[Any], owned: set[int], tape: Any, line: int, g: Any) -> None:
    """Accumulate the adjoints of both factors of a product, such as that of two matrices, given that of its line."""
    a, b, values = tape.first[line], tape.second[line], tape.values
    x, y = values[a] if a >= 0 else tape.value(a), values[b] if b >= 0 else tape.value(b)
    if type(g) is not np.ndarray:
        g = as_numpy_float(g, values[line])
    left, right = tape.rows[line].adjoints
    static = tape.static.get(line, ())
    if a >= 0:
        add(found, owned, a, left(g, x, y, *static), x)
    if b >= 0:
        add(found, owned, b, right(g, x, y, *static), y)


def add_result(found: list[Any], line: int, which: int, c: Any, z: tuple[Any, ...]) -> None:
    """Accumulate the adjoint of one of the results ``z`` of a line."""
    given, c = found[line] or (None,) * len(z), fit(c, z[which])
    total = c if given[which] is None else given[which] + c
    found[line] = (*given[:which], total, *given[which + 1 :])


def is_numpys(c: Any) -> bool:
    """Return whether an adjoint can be added into an array of NumPy's: one of another library would be computed."""
    return not is_number(type(c)) and not is_foreign(type(c))


def add_part(found: list[Any], owned: set[int], line: int, g: Any, z: Any, x: Any, static: Any) -> None:
    """Add the adjoint of a getitem where it belongs, in an array that this line owns: a loop stays linear."""
    if line not in owned or type(found[line]) is not np.ndarray:
        if type(found[line]) is Pieces:
            found[line].add(g, *static)
            return
        if not is_numpys(found[line]):
            found[line] = found[line] + GETITEM.pull(0, g, None, [x], static)
            return
        before = found[line]
        if type(before) is Few:
            found[line] = before = before.joined()
        if before is None:
            found[line] = np.zeros(x.shape, x.dtype) if x.flags.c_contiguous else np.zeros_like(x)
        elif not is_alike(before, x):
            found[line] = np.array(np.broadcast_to(before, x.shape), x.dtype)
        elif not is_free(before):
            found[line] = before.copy()
        owned.add(line)
    (index,) = static
    if type(g) is not np.ndarray or type(z) is not np.ndarray or g.shape != z.shape or g.dtype is not z.dtype:
        g = fit(g, z)
    if type(index) is slice or type(index) is int:
        found[line][index] += g
    else:
        add_at(found[line], g, index)


def add_around(found: list[Any], owned: set[int], line: int, operand: int, g: Any, x: Any, index: Any) -> None:
    """Add what a setitem passes to the array ``x`` that it wrote to: its adjoint ``g``, 0 in the place written.

    In ``g`` itself where that is the line's own: so the sweep of a loop that fills an array stays linear.
    """
    if line not in owned or found[line] is not None:
        g = detached(g)
    g[index] = 0.0
    if found[operand] is None:
        found[operand] = g
        owned.add(operand)
    else:
        add(found, owned, operand, g, x)


NUMPY_FLOATS = frozenset((np.float64, np.float32, np.float16))

COMMON = NUMPY_FLOATS | {float, np.ndarray, bool, np.bool, int, tuple}
"""Types of most values."""


def as_partials_take(tape: Any) -> tuple[list[Any], list[Any]]:
    """Return the values and the constants of a tape as partials take them (`table.partials.at_point`).

    Python's floats compute at a fifth of the time of NumPy's. Of a quotient of numbers of another type see
    `table.partials.beside`.
    """
    values, constants = tape.values, tape.constants
    held = set(map(type, values))
    if not NUMPY_FLOATS.isdisjoint(held):
        values = _as_python(values)
    if len(constants) > 1 and not NUMPY_FLOATS.isdisjoint(map(type, constants)):
        constants = _as_python(constants)
    if held - COMMON:
        kinds = (type_of(values[line]) for line in tape.inputs)
        kind = next((kind for kind in kinds if number_type(kind) is not None), None)
        if kind is not None:
            constants = constants.copy()
            for row, *operands in zip(tape.rows, tape.first, tape.second, strict=True):
                place = None if row is None else BY_ITSELF.get(row.name)
                if place is not None and FAR < operands[place] < 0:
                    constants[~operands[place]] = alike(constants[~operands[place]], kind)
    return values, constants


def _as_python(xs: list[Any]) -> list[Any]:
    """Return values with Python floats in the place of NumPy's.

    Those of single precision would give products with a Python float, an adjoint of double precision, in their own.
    """
    return [float(x) if type(x) in NUMPY_FLOATS else x for x in xs]
