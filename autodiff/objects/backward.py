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
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import is_array, shape, zeros_like
from dualnumbers.table.partials import as_given

from ..tape.sweep import adjoints


def units(value: Any) -> Iterator[Any]:
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
    found = adjoints(y.tape, {y.line: cotangent}, keep=bool(between))
    of_leaves = [found[line] for line in y.tape.inputs] if between else found
    of_results = [found[h.line] for h in between]
    for leaf, adjoint in zip((*y.tape.leaves, *between), (*of_leaves, *of_results), strict=True):
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
