"""How a row takes a batch: operands whose members lie along a first axis of their own.

A row of elements broadcasts. Any other row may say, in its field ``batched``, how it does all members at once:

    @linear(lambda g, x, axes: transpose(g, _inverse(axes)), of=np.transpose, batched=by_axis(0))

That is a function ``batched(apply, xs, members, *parameters)``. Of the operands ``xs`` those with ``members[k]`` have
the members' axis in front; ``apply`` is the row for operands of any kind. It returns the results of all members, along
a first axis; or None where it knows no way, and then the row is applied to one member after the other, as it is if it
says nothing. This module makes such functions for the rows that are alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..forms import shape
from .registry import TABLE

Batched = Callable[..., Any]
Apply = Callable[..., Any]
Operands = Sequence[Any]
Members = Sequence[bool]

WORK = 1 << 20
"""So many products of numbers take longer than to look whether vectors are unit vectors."""


def with_ones(x: Any, count: int) -> Any:
    """Insert so many axes of length 1 behind the axis of the members."""
    if count <= 0:
        return x
    first, *dims = shape(x)
    return TABLE["reshape"](x, (first, *(1,) * count, *dims), "C")


def flat(x: Any) -> Any:
    """Return the elements of each member in one axis."""
    return TABLE["reshape"](x, (shape(x)[0], math.prod(shape(x)[1:])), "C")


def count_of(xs: Operands, members: Members) -> int:
    """Return how many members there are."""
    return int(shape(xs[members.index(True)])[0])


def for_all(xs: Operands, members: Members) -> list[Any]:
    """Give every operand the axis of the members, along which those without one are equal."""
    count = count_of(xs, members)
    return [
        x if of_members else TABLE["broadcast_to"](x, (count, *shape(x)))
        for x, of_members in zip(xs, members, strict=True)
    ]


def aligned(xs: Operands, members: Members, cores: Sequence[int]) -> list[Any] | None:
    """Bring operands to one number of axes before the last ones, so many as ``cores`` says; None where one has fewer.

    So they broadcast as their members would.
    """
    ranks = [len(shape(x)) - of_members - core for x, of_members, core in zip(xs, members, cores, strict=True)]
    if min(ranks) < 0:
        return None
    most = max(ranks)
    return [
        with_ones(x, most - rank) if of_members else x for x, of_members, rank in zip(xs, members, ranks, strict=True)
    ]


def by_elements(apply: Apply, xs: Operands, members: Members, *parameters: Any) -> Any:
    """Broadcast: the row acts element by element."""
    return apply(*(aligned(xs, members, (0,) * len(xs)) or ()), *parameters)


def by_stacks(*cores: int) -> Batched:
    """Take the axes of a stack: the row acts on the last axes of each operand, so many as ``cores`` says."""

    def batched(apply: Apply, xs: Operands, members: Members, *parameters: Any) -> Any:
        found = aligned(xs, members, cores)
        return None if found is None else apply(*found, *parameters)

    return batched


def behind(axis: Any, rank: int) -> Any:
    """Return the number of an axis, or of several, where that of the members is in front; None names all of ``rank``.

    Counted from the end an axis stays what it is.
    """
    if axis is None:
        return tuple(range(1, rank + 1))
    if isinstance(axis, (int, np.integer)):
        return axis + 1 if axis >= 0 else axis
    return tuple(behind(one, rank) for one in axis)


def by_axis(*places: int, flattens: bool = False) -> Batched:
    """Name the axes as they lie behind that of the members: the parameters at ``places`` are axes.

    The axis None stands for all axes; where the row ``flattens``, for the only one of the flattened operand.
    """

    def batched(apply: Apply, xs: Operands, members: Members, *parameters: Any) -> Any:
        (x,), moved = xs, list(parameters)
        rank = len(shape(x)) - 1
        if not rank:
            return None
        for place in places:
            if moved[place] is None and flattens:
                x, moved[place] = flat(x), 1
            else:
                moved[place] = behind(moved[place], rank)
        return apply(x, *moved)

    return batched


def by_columns(apply: Apply, xs: Operands, members: Members, *parameters: Any) -> Any:
    """Take the members of a right side, the last operand, as columns beside one another: the row solves a system."""
    *others, b = xs
    if any(members[:-1]) or len(shape(b)) > 3 or any(len(shape(x)) > 2 for x in others) or not shape(b)[1]:
        return None
    reshape, transpose = TABLE["reshape"], TABLE["transpose"]
    count, n, *k = shape(b)
    side_by_side = reshape(transpose(b, (1, 0, *range(2, 2 + len(k)))), (n, math.prod((count, *k))), "C")
    z = apply(*others, side_by_side, *parameters)
    return transpose(reshape(z, (shape(z)[0], count, *k), "C"), (1, 0, *range(2, 2 + len(k))))


def by_places(apply: Apply, xs: Operands, members: Members, *parameters: Any) -> Any:
    """Ask the row, which only moves elements, where it moves them to, and do that with all members.

    Applied to the numbers 1, 2, … of the elements it gives the number of the element at each place, 0 for a zero.
    """
    dims = [shape(x)[1:] if of_members else shape(x) for x, of_members in zip(xs, members, strict=True)]
    starts = np.cumsum([1, *map(math.prod, dims)])
    numbers = [start + np.arange(math.prod(of)).reshape(of) for start, of in zip(starts, dims, strict=False)]
    places = apply(*numbers, *parameters) - 1
    elements = [flat(x) for x in for_all(xs, members)]
    if np.any(places < 0):
        elements.append(np.zeros((count_of(xs, members), 1)))
    every = TABLE["concatenate"](*elements, 1) if len(elements) > 1 else elements[0]
    return TABLE["getitem"](every, (slice(None), places))


def first_unit(x: Any, y: Any) -> int | None:
    """Return the place of the 1 in the first of the vectors ``y``, if these are the unit vectors from there on.

    They are as the seeds of a Jacobian, and their products with the matrix ``x`` are columns of it, in no time. None
    comes back for any other, and where the products take no longer than to find that out.
    """
    if type(x) is not np.ndarray or type(y) is not np.ndarray or x.size * len(y) < WORK or x.dtype != y.dtype:
        return None
    (count, n), first = y.shape, int(y[0].argmax())
    if first + count > n or y[-1, first + count - 1] != 1.0 or np.count_nonzero(y) != count:
        return None
    return first if (y.diagonal(first) == 1.0).all() else None


# ------------------------------------------------------------------------------------ of the rows that change shapes


def lengths(to: Any) -> tuple[int, ...]:
    """Return a shape as NumPy takes it, which may be a number or an array, as a tuple."""
    return to if type(to) is tuple else tuple(np.atleast_1d(to).tolist())


def of_reshape(apply: Apply, xs: Operands, members: Members, to: Any, order: str) -> Any:
    """Reshape every member."""
    count, *dims = shape(xs[0])
    to = lengths(to)
    if -1 in to:
        others = math.prod(n for n in to if n != -1)
        to = [math.prod(dims) // max(others, 1) if n == -1 else n for n in to]
    if order == "C":
        return apply(xs[0], (count, *to), "C")
    transpose = TABLE["transpose"]
    turned = transpose(xs[0], (0, *range(len(dims), 0, -1)))
    return transpose(apply(turned, (count, *to[::-1]), "C"), (0, *range(len(to), 0, -1)))


def of_transpose(apply: Apply, xs: Operands, members: Members, axes: Any) -> Any:
    """Exchange the axes behind that of the members."""
    rank = len(shape(xs[0])) - 1
    axes = range(rank)[::-1] if axes is None else (axis % rank for axis in axes)
    return apply(xs[0], (0, *(axis + 1 for axis in axes)))


def of_broadcast(apply: Apply, xs: Operands, members: Members, to: Any) -> Any:
    """Broadcast every member."""
    count, *dims = shape(xs[0])
    to = lengths(to)
    return apply(with_ones(xs[0], len(to) - len(dims)), (count, *to))


def of_join(apply: Apply, xs: Operands, members: Members, axis: int | None) -> Any:
    """Join the members of several operands, one by one."""
    xs = for_all(xs, members)
    return apply(*map(flat, xs), 1) if axis is None else apply(*xs, behind(axis, 0))
