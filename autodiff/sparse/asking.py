"""Which elements of an operand each element of a row's value depends on, asked of the row itself.

Nobody writes a pattern beside a rule. A linear row is applied to random labels in the place of the elements. Where
every element of its value is a multiple of one label, the row moves elements: indexing, reshape, concatenate. Where
every element of its adjoint is one, it sums them. Where neither is so, it is applied to halves of the labels, to halves
of these, and so on, of which those that reach different elements are asked together; so a banded matrix of 10⁵ columns
tells its pattern by some fifty products. Random numbers add up to 0, or to a third one, with probability 0.

A row that is not linear is asked at random points: which elements of its value change where some of the operand do.
What is connected in any way is then taken to be so altogether, so that no choice, as that of a maximum or of an order,
counts: the pattern is one of stacks and axes. What cannot be asked is dense.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .colouring import columns

Map = Callable[[Any], Any]
"""A function from the elements of an operand to those of a value, both in one axis."""

TOLERANCE = 1e-12
"""By how much the quotient of two multiples of one label may differ from that of the labels, for rounding."""


class Effort(NamedTuple):
    """How much is done to find what a row connects, before it is taken for dense."""

    probes: int = 600
    """How many times it is asked at most."""
    wide: int = 4
    """Where three random elements of an operand of more than `FEW` all reach a larger part of the value than 1 /
    ``wide``, the row is taken for dense at once.
    """


FULL, LITTLE = Effort(), Effort(150, 64)

FEW = 64
"""An operand of so many elements or fewer is always asked by halves."""

FAR = 10.0, 20.0
"""Random numbers in this range, and their negatives, are larger and smaller than all between 1/2 and 1."""


SEED = 1
"""Of random numbers other than those that stand for operands: T⁻¹ b is sparse where b is the first column of T."""


class NotFoundError(Exception):
    """A row could not be asked which elements it connects."""


def linear(apply: Map, adjoint: Map, inputs: int, outputs: int, effort: Effort = FULL) -> Any:
    """Return the pattern of a linear map, CSR of shape ``(outputs, inputs)``; NotFoundError where it takes too long."""
    found = moved(apply, adjoint, inputs, outputs)
    if found is not None:
        return found
    labels = np.random.default_rng(SEED).uniform(1.0, 2.0, inputs)
    return by_halves(lambda chosen: ~(apply(np.where(chosen, labels, 0.0)) == 0), inputs, outputs, effort)


def moved(apply: Map, adjoint: Map, inputs: int, outputs: int) -> Any:
    """Return the pattern of a linear map that moves elements, or sums some of them; None of any other map."""
    random = np.random.default_rng(SEED)
    found = _multiples(apply, inputs, random)
    if found is not None:
        return found
    found = _multiples(adjoint, outputs, random)
    return None if found is None else found.T.tocsr()


def _multiples(apply: Map, count: int, random: Any) -> Any:
    """Return the pattern of a map of which every value is a multiple of one of its ``count`` arguments, or None."""
    from scipy.sparse import csr_array

    if not count:
        return None
    first, third = random.uniform(1.0, 2.0, (2, count))
    steps = np.arange(count) / count
    one, two, three = apply(first), apply(first * (1.0 + steps)), apply(third)
    reached = ~(one == 0)
    if np.any(two[~reached]) or np.any(three[~reached]):
        return None
    ratio = two[reached] / one[reached]
    if not np.all(np.isfinite(ratio)):
        return None
    place = np.rint((ratio.real - 1.0) * count).astype(np.intp)
    if np.any((place < 0) | (place >= count)):
        return None
    expected = (1.0 + steps[place]), (third / first)[place]
    if not all(
        np.all(np.abs(x - y) <= TOLERANCE)
        for x, y in zip((ratio, three[reached] / one[reached]), expected, strict=True)
    ):
        return None
    starts = np.concatenate([[0], np.cumsum(reached)])
    return csr_array((np.ones(len(place), bool), place, starts), shape=(len(one), count))


def groups(evaluate: Map, inputs: int, outputs: int, effort: Effort = FULL) -> Any:
    """Return the pattern of a function that is not linear: complete between elements connected in any way.

    NotFoundError where it takes too long, or fails at random points.
    """
    random = np.random.default_rng(SEED + 1)
    point, other = random.uniform(0.5, 1.0, (2, inputs))
    above = random.uniform(*FAR, inputs)
    base = evaluate(point)

    def changed(chosen: Any) -> Any:
        return np.logical_or.reduce([~(evaluate(np.where(chosen, by, point)) == base) for by in (other, above, -above)])

    if np.any(base != base) or np.all(changed(np.arange(inputs) == 0)):  # it connects whatever is connected
        raise NotFoundError
    if not np.any(changed(np.ones(inputs, bool))):  # what it gives is not computed of its operands, but kept in it
        raise NotFoundError
    return _completed(by_halves(changed, inputs, outputs, effort))


def _completed(pattern: Any) -> Any:
    """Return a pattern with all elements between rows and columns that are connected in any way."""
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.csgraph import connected_components

    rows, columns_ = pattern.shape
    _, group = connected_components(
        block_array([[None, pattern.astype(float)], [pattern.T.astype(float), None]]), directed=False
    )
    count = rows + columns_
    of_rows, of_columns = (
        csr_array((np.ones(len(part), bool), (np.arange(len(part)), part)), shape=(len(part), count))
        for part in (group[:rows], group[rows:])
    )
    return of_rows @ of_columns.T


def by_halves(reached: Map, inputs: int, outputs: int, effort: Effort = FULL) -> Any:
    """Return the pattern of a map of which ``reached(chosen)`` says what the chosen arguments reach, two masks.

    Raises NotFoundError where it takes more questions than the effort allows, or single ones reach too many values.
    """
    from scipy.sparse import csr_array

    if inputs > FEW:
        _check_narrow(reached, inputs, outputs, effort.wide)
    starts, stops = np.zeros(1, np.intp), np.full(1, inputs)
    row = np.flatnonzero(reached(np.ones(inputs, bool)))
    block, probes = np.zeros(len(row), np.intp), 0
    while np.any(stops - starts > 1):
        shape = (outputs, len(starts))
        colours = columns(csr_array((np.ones(len(row), bool), (row, block)), shape=shape), thorough=False)
        count = int(np.max(colours)) + 1
        probes += 2 * count
        if probes > effort.probes:
            raise NotFoundError
        middle, of_element = (starts + stops) // 2, np.repeat(np.arange(len(starts)), stops - starts)
        half, found = np.arange(inputs) >= middle[of_element], []
        for colour in range(count):
            for which in (False, True):
                hit = reached((colours[of_element] == colour) & (half == which))
                kept = (colours[block] == colour) & hit[row]
                found.append((row[kept], 2 * block[kept] + which))
        row, block = (np.concatenate(parts) for parts in zip(*found, strict=True))
        starts, stops = np.stack([starts, middle], 1).ravel(), np.stack([middle, stops], 1).ravel()
        number = np.cumsum(stops > starts) - 1
        block, starts, stops = number[block], starts[stops > starts], stops[stops > starts]
    return csr_array((np.ones(len(row), bool), (row, block)), shape=(outputs, inputs))


def _check_narrow(reached: Map, inputs: int, outputs: int, wide: int) -> None:
    """Raise NotFoundError where some single arguments reach too many of the values, and so halves would all overlap."""
    for place in np.random.default_rng(SEED + 2).integers(0, inputs, 3):
        chosen = np.zeros(inputs, bool)
        chosen[place] = True
        if np.count_nonzero(reached(chosen)) * wide <= outputs:
            return
    raise NotFoundError
