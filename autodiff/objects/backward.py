"""One sweep from a result of Variables made by hand: what it gives to them, and to results that keep theirs.

A leaf may be several input lines of the tape, one for each value that it had, and one for each tape that was joined; it
gets the sum. And what one sweep finds may be shared: the adjoints of ``a`` and ``b`` in ``a + b`` are one array. A user
who writes to one gradient must not change another, so each is an array of its own.

>>> from autodiff import Variable
>>> a, b = Variable(np.ones(2)), Variable(np.ones(2))
>>> (a + b).sum().backward()
>>> a.grad *= 5.0
>>> a.grad, b.grad
(array([5., 5.]), array([1., 1.]))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign, new_like
from dualnumbers.forms import is_array, shape, zeros_like
from dualnumbers.rules.shaping import reshape, stack
from dualnumbers.table.partials import as_given

from ..tape.sweep import adjoints


def _units(value: Any) -> Iterator[Any]:
    """Yield the cotangents that pick one element after the other."""
    for place in np.ndindex(shape(value)):
        unit = zeros_like(value)
        if place:
            unit[place] = 1
        yield unit if place else unit + 1


def adjoints_of(y: Any, cotangent: Any, retained: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
    """Return each leaf of a tape with its adjoint, an array of its own; and so each retained result behind ``y``."""
    totals: dict[int, tuple[Any, Any]] = {}
    between = [h for h in (handle() for handle in retained) if h is not None and h.tape is y.tape and h.line <= y.line]
    tape, line = (y.tape, y.line) if between else y.tape.alone(y.line)
    found = adjoints(tape, {line: cotangent}, keep=bool(between))
    of_leaves = [found[line] for line in tape.inputs] if between else found
    of_results = [found[h.line] for h in between]
    for leaf, adjoint in zip((*tape.leaves, *between), (*of_leaves, *of_results), strict=True):
        if adjoint is not None:
            before = totals.get(id(leaf))
            totals[id(leaf)] = leaf, adjoint if before is None else before[1] + adjoint
    taken, found = {id(cotangent)}, []
    for leaf, adjoint in totals.values():
        if is_array(adjoint):
            if id(adjoint) in taken or not _is_whole(adjoint):
                adjoint = adjoint.copy()
            taken.add(id(adjoint))
        found.append((leaf, as_given(adjoint, leaf.primal)))
    return found


def _is_whole(array: Any) -> bool:
    """Return whether an array may be written to without another one seeing it; of a foreign one it is not known."""
    if type(array) is np.ndarray:
        return array.base is None and array.flags.writeable
    return not is_foreign(type(array))


def jacobians(y: Any) -> list[Any]:
    """Return the Jacobian of the elements of ``y`` by those of each leaf, in the order in which these were made."""
    behind = set(y.tape.ancestors(y.line))
    sizes: dict[int, int] = {}
    for line, leaf in zip(y.tape.inputs, y.tape.leaves, strict=True):
        if line in behind:
            sizes.update(leaf.siblings or [(leaf.number, prod(shape(leaf.primal)))])
    rows: dict[int, list[Any]] = {number: [] for number in sorted(sizes)}
    for unit in _units(y.primal):
        found = {leaf.number: adjoint for leaf, adjoint in adjoints_of(y, unit)}
        for number, size in sizes.items():
            row = reshape(found[number], (-1,), "C") if number in found else new_like(y.primal, size, float)
            rows[number].append(row)
    none = new_like(y.primal, 0, float)
    return [stack(*found, 0) if found else reshape(none, (0, sizes[k]), "C") for k, found in rows.items()]
