"""``backward`` of a Variable made by hand: one sweep, what it gives to leaves, and to results that keep theirs.

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
from threading import Lock
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign, new_like
from dualnumbers.forms import is_array, is_unreal, shape, zeros_like
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import reshape, stack
from dualnumbers.table.partials import as_given

from ..calls.values import matching
from ..tape.sweep import adjoints

_accumulating = Lock()


class Sweeps:
    """What every Variable made by hand has by sweeps back from it."""

    __slots__ = ()
    gradient: Any

    def recorded(self) -> Any:
        """Return this as a line of a tape."""
        raise NotImplementedError(f"{type(self).__name__}.recorded")

    def backward(self, gradient: Any = None) -> None:
        """Add its adjoint to the ``grad`` of every leaf that this was computed from, by one sweep.

        Every result between that was told to keep its adjoint (``y.retain_grad()``) gets that too. ``gradient`` is the
        cotangent, of this value's shape; a real number has 1. What was computed stays: it may be swept again. Raises
        ValueError where an array has no cotangent, or one of another shape.
        """
        y = self.recorded()
        value = y.primal
        if gradient is None and (shape(value) or is_unreal(value)):
            kind = f"an array of shape {shape(value)}" if shape(value) else "a complex number"
            raise ValueError(
                f"backward of {kind} needs its cotangent of that shape, y.backward(gradient); or sum it "
                f"first{user_line()}"
            )
        seed = zeros_like(value) + 1 if gradient is None else matching(gradient, value, "the cotangent")[0]
        found = adjoints_of(y, seed, y.tape.retained)
        y.tape.is_swept = True
        with _accumulating:  # leaves may be shared by threads
            for variable, adjoint in found:
                variable.grad = adjoint if variable.grad is None else variable.grad + adjoint

    def compute_gradients(self) -> None:
        """Set ``gradient`` to the Jacobian (p, n) of the p elements of this by the n of a leaf; for several, to a list.

        The list has one for each leaf that this was computed from, and for each that was made together with such a one,
        in the order in which they were made. It costs one sweep per element. Raises TypeError for complex numbers.
        """
        y = self.recorded()
        if y.tape.complex:
            raise TypeError(
                f"compute_gradients is of real numbers; autodiff.jacobian(f) is that of a holomorphic f{user_line()}"
            )
        found = jacobians(y)
        self.gradient = found[0] if len(found) == 1 else found


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
