"""The methods of NumPy's ufuncs on arrays of numbers: reduce, accumulate, outer, at, reduceat; the keywords of a call.

Where NumPy has a function for a method (``np.sum`` for ``np.add.reduce``), its row is used; else the ufunc is applied
to one slice after the other, as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from functools import reduce as fold
from typing import Any

import numpy as np

from ..foreign import as_array, as_like, in_index, new_like
from ..forms import PYTHON, dtype_of, shape, size, type_of
from ..levels import is_number, read
from ..messages.errors import no_plain_value, no_rule, user_line
from ..messages.names import public_name
from ..rules import ENTRIES
from ..rules.arrays.putting import added_at, added_between, subtracted_at
from ..rules.axes import moveaxis, rank
from ..rules.elementwise.arithmetic import as_numpy
from ..rules.indexing import fixed, getitem
from ..rules.shaping import arrays, astype, broadcast_to, cast, expand_dims, ravel, reshape, stack
from ..rules.statistics.logarithmic_sums import logaddexp2_reduce, logaddexp_reduce
from .arguments import RAISED_LATE

REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
              np.logical_and: np.all, np.logical_or: np.any}  # fmt: skip
LOGARITHMIC = {np.logaddexp: logaddexp_reduce, np.logaddexp2: logaddexp2_reduce}
ACCUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}


def call(ufunc: Any, function: Callable[..., Any], operands: list[Any], dtype: Any = None, where: Any = True,
         out: tuple[Any, ...] = (None,), **keywords: Any) -> Any:  # fmt: skip
    """Call a ufunc with keywords: computed in ``dtype``, where ``where`` holds, stored into ``out``."""
    along = {name: keywords.pop(name) for name in ("axes", "axis", "keepdims") if ufunc.signature and name in keywords}
    function = partial(function, **along) if along else function
    targets = [id(target) for target in out if target is not None]
    if len(set(targets)) < len(targets):
        raise TypeError(f"{public_name(ufunc)}: one array in out= for two results: give each its own{user_line()}")
    if any(value not in (None, True, "K", "same_kind") for value in keywords.values()):
        raise no_rule(ufunc, f" with {', '.join(keywords)}=", operands)
    if dtype is not None:
        if np.dtype(dtype).kind not in "fc":
            raise no_rule(ufunc, f" with dtype={np.dtype(dtype)}", operands)
        wanted = (*(None,) * ufunc.nin, *(np.dtype(dtype),) * ufunc.nout)
        given = [type_of(x) if type_of(x) in PYTHON else dtype_of(x) for x in operands]
        loop = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout), signature=wanted)
        operands = [astype(x, to) for x, to in zip(operands, loop, strict=False)]
    if where is not True:
        return _where(ufunc, function, operands, np.asarray(read(where), bool), out)
    if len(out) == 1 and out[0] is None:
        return function(*operands)
    return written(lambda: function(*operands), lambda results: _stored_all(ufunc, results, out))


def written(compute: Callable[[], Any], write: Callable[[Any], Any]) -> Any:
    """Compute, then write; an error of floating point is raised when the result is written, as by NumPy."""
    try:
        result = compute()
    except RAISED_LATE:
        with np.errstate(all="ignore"):
            write(compute())
        raise
    return write(result)


def _stored_all(ufunc: Any, results: Any, out: tuple[Any, ...]) -> Any:
    if len(out) == 1:
        return stored(ufunc, results, out[0], "same_kind")
    return tuple(
        z if target is None else stored(ufunc, z, target, "same_kind") for z, target in zip(results, out, strict=True)
    )


CASTING = {np.clip: "same_kind", np.concatenate: "same_kind", np.dot: "no", np.einsum: "safe"}
"""By which rule of NumPy's a function may cast to the type of ``out=``, where that is not any."""


def stored(function: Any, result: Any, target: Any, casting: str | None = None) -> Any:
    """Store a result into the array that ``out=`` names, which a ufunc broadcasts to.

    TypeError where it may not be cast to that: by ``casting``, or the rule of the function.
    """
    to, of = shape(target), shape(result)
    if to != of and not (isinstance(function, np.ufunc) and _broadcasts(of, to)):
        raise ValueError(f"{public_name(function)}: out= has shape {to}, the result has {of}")
    _check_cast(function, result, target, casting or CASTING.get(function, "unsafe"))
    if not is_number(type(target)):
        if of and not size(result):  # no derivative to lose
            return target
        raise no_plain_value(f"{public_name(function)} with out= a plain array", result)
    target[...] = result
    return target


def _check_cast(function: Any, result: Any, target: Any, casting: str) -> None:
    given, to = dtype_of(result), dtype_of(target)
    if not np.can_cast(given, to, casting):  # type: ignore[arg-type]
        raise TypeError(f"{public_name(function)}: cannot write {given} into out=, which has {to}{user_line()}")


def _broadcasts(of: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether an array of one shape broadcasts to another."""
    return len(of) <= len(to) and all(m in (1, n) for m, n in zip(reversed(of), reversed(to), strict=False))


def _where(ufunc: Any, function: Callable[..., Any], operands: list[Any], chosen: Any, targets: tuple[Any, ...]) -> Any:
    """Compute where ``chosen`` holds only: elsewhere the targets keep what they have."""
    if any(target is None for target in targets):
        raise TypeError(
            f"np.{ufunc.__name__} with where= leaves the other elements undefined: give it out=, made by "
            f"np.zeros(..., like=x), or use np.where{user_line()}"
        )
    common = shape(targets[0])
    chosen = np.broadcast_to(chosen, common)
    operands_there = [getitem(broadcast_to(x, common), chosen) if shape(x) else x for x in operands]

    def write(part: Any, target: Any) -> Any:
        _check_cast(ufunc, part, target, "same_kind")
        if not is_number(type(target)):
            if not target.size:
                return target
            raise no_plain_value(f"np.{ufunc.__name__} with out= a plain array", part)
        target[chosen] = part
        return target

    def write_all(found: Any) -> Any:
        if len(targets) == 1:
            return write(found, targets[0])
        return tuple(map(write, found, targets))

    return written(lambda: function(*operands_there), write_all)


# --------------------------------------------------------------------------------------------------- methods


def reduce(ufunc: Any, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
           initial: Any = np._NoValue, where: Any = True) -> Any:  # fmt: skip
    """Join all elements along the axes by the ufunc, from the first to the last."""
    given = {"dtype": dtype, "initial": None if initial is np._NoValue else initial}
    given = {name: value for name, value in given.items() if value is not None}
    given |= {} if where is True else {"where": where}
    if ufunc in REDUCTIONS:
        return ENTRIES[REDUCTIONS[ufunc]](x, axis=axis, keepdims=keepdims, **given)
    if given:
        raise no_rule(ufunc, f".reduce with {', '.join(given)}=", x)
    if ufunc in LOGARITHMIC:
        return LOGARITHMIC[ufunc](x, axis, keepdims)
    axes = tuple(range(rank(x))) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, rank(x))
    if len(axes) > 1 and ufunc.identity is None and ufunc not in (np.fmax, np.fmin):
        raise ValueError(f"np.{ufunc.__name__}.reduce takes one axis: the order of its operands matters")
    function, z = _binary(ufunc), moveaxis(x, axes, tuple(range(len(axes))))
    slices = [getitem(z, place) for place in np.ndindex(shape(z)[: len(axes)])]
    if not slices:
        raise ValueError(f"np.{ufunc.__name__}.reduce of no elements has no value")
    alone = initial is None or ufunc.identity is None
    z = fold(function, slices) if alone else fold(function, slices, ufunc.identity)
    return reshape(z, tuple(1 if i in axes else n for i, n in enumerate(shape(x))), "C") if keepdims else z


def accumulate(ufunc: Any, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """Join every element with all before it along an axis, by the ufunc."""
    if ufunc in ACCUMULATIONS:
        return ENTRIES[ACCUMULATIONS[ufunc]](x, axis, dtype)
    if dtype is not None:
        raise no_rule(ufunc, ".accumulate with dtype=", x)
    function, moved = _binary(ufunc), moveaxis(x, axis, 0)
    found: list[Any] = []
    for place in range(shape(moved)[0]):
        here = getitem(moved, place)
        found.append(function(found[-1], here) if found else here)
    return moveaxis(stack(*found, 0), 0, axis) if found else x


def outer(ufunc: Any, x: Any, y: Any, **keywords: Any) -> Any:
    """Apply the ufunc to every element of ``x`` with every one of ``y``; the axes of ``x`` come first."""
    x, y = map(as_numpy, arrays((x, y)))
    if rank(x) and rank(y):
        x = expand_dims(x, tuple(range(rank(x), rank(x) + rank(y))))
    return call(ufunc, _binary(ufunc), [x, y], **keywords)


def reduceat(ufunc: Any, x: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """Reduce the elements from every index to the next; where that is not greater, take the one element there."""
    moved, starts = moveaxis(x, axis, 0), list(map(int, as_array(fixed(indices))))
    ends = [*starts[1:], shape(moved)[0]]
    if ufunc is np.add:
        return moveaxis(added_between(cast(moved, dtype), starts), 0, axis)
    parts = [
        reduce(ufunc, getitem(moved, slice(start, max(end, start + 1))), 0, dtype, initial=None)
        for start, end in zip(starts, ends, strict=True)
    ]
    return moveaxis(stack(*parts, 0), 0, axis)


def at(ufunc: Any, x: Any, indices: Any, *operand: Any) -> None:
    """Apply the ufunc in place to the chosen elements; to one that is chosen often, often."""
    if not is_number(type(x)):
        raise no_plain_value(f"np.{ufunc.__name__}.at into a plain array", operand[0])
    x, numbers = x.elements()
    places = as_like(numbers, in_index(indices))[fixed(indices)]
    given = [ravel(broadcast_to(y, places.shape)) for y in operand]
    flat = places.ravel()
    if ufunc in (np.add, np.subtract):
        added = added_at if ufunc is np.add else subtracted_at
        written(lambda: added(x, *given, flat), lambda z: x.__setitem__(..., z))
        return
    order = np.argsort(flat, kind="stable")
    first = np.maximum.accumulate(np.where(np.diff(flat[order], prepend=-1) != 0, np.arange(flat.size), 0))
    turn = new_like(flat, flat.size, int)
    turn[order] = np.arange(flat.size) - first  # how often its place was chosen before

    def computed() -> Any:
        z = x.flatten()
        for k in range(int(turn.max(initial=-1)) + 1):
            now = np.flatnonzero(turn == k)
            here = flat[now]
            z[here] = ENTRIES[ufunc](z[here], *(getitem(y, now) for y in given))
        return z.reshape(shape(x))

    written(computed, lambda z: x.__setitem__(..., z))


METHODS: dict[str, Callable[..., Any]] = {
    "reduce": reduce, "accumulate": accumulate, "outer": outer, "reduceat": reduceat, "at": at}  # fmt: skip


def _binary(ufunc: Any) -> Callable[..., Any]:
    function: Callable[..., Any] | None = ENTRIES[ufunc]
    if function is None:
        raise no_rule(ufunc)
    return function


def method(ufunc: Any, name: str, operands: list[Any], out: tuple[Any, ...] = (None,), **keywords: Any) -> Any:
    """Apply a method of a ufunc to arrays of numbers."""
    if ufunc.signature is not None or (ufunc.nin != 2 and name != "at") or ufunc.nout != 1:
        raise no_rule(ufunc, f".{name}", operands)
    if out[0] is None:
        return METHODS[name](ufunc, *operands, **keywords)
    return written(lambda: METHODS[name](ufunc, *operands, **keywords), lambda z: stored(ufunc, z, out[0]))
