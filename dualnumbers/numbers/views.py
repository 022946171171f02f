"""Views of arrays of numbers: to write through one writes the array that it shows, as in NumPy.

A view of a plain array shares its memory. An array of numbers refers to values that an assignment replaces by others,
so there is no memory to share. Its view remembers the array that owns the elements, its root, and the rows by which it
was made of that, its path:

    root x --- reshape to (2, 2) --- element [0] --- the view v

To read ``v``, it goes the path from what ``x`` holds now, if that is another value than when it last did. To write
``v``, it goes the path backwards: the new values are put into row 0 of the matrix, and the matrix as a vector into the
place of ``x``. Both ways are rows of the table, so derivatives come along.

>>> from dualnumbers import DualNumber
>>> x = DualNumber(np.arange(4.0), np.ones(4))
>>> v = x.reshape(2, 2)[0]
>>> v *= 10.0
>>> x
DualNumber(array([ 0., 10.,  2.,  3.]), array([10., 10.,  1.,  1.]))
>>> x[1] = 7.0
>>> v
DualNumber(array([0., 7.]), array([10.,  0.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..forms import numbered, shape, size
from ..messages.errors import user_line
from ..rules import shaping
from ..rules.indexing import getitem, overlapping, setitem
from ..table.parameters import UNCHANGING, as_now
from .array import ArrayNumber


def _is_same(index: Any, other: Any) -> bool:
    """Return whether two indices that give views are the same."""
    one, two = (i if type(i) is tuple else (i,) for i in (index, other))
    return len(one) == len(two) and all(
        type(p) is type(q) and type(p) in UNCHANGING and p == q for p, q in zip(one, two, strict=True)
    )


class ArrayView(ArrayNumber):
    """A view, kept as the rows that derive it from its root. When it is read and stale, it derives itself anew.

    ``root`` is the array that owns the elements. ``path`` holds the rows that lead from it here, as nested triples
    ``(path before, function, static)``. ``seen`` is what they gave when the root held ``source``.
    """

    __slots__ = ()
    root: Any
    path: Any
    source: Any
    seen: Any

    def tie(self, seen: Any, base: Any, function: Any, static: tuple[Any, ...]) -> ArrayView:
        """Make this the view ``function(base, *static)``, which shows ``seen`` now."""
        inner = isinstance(base, ArrayView)
        self.root = base.root if inner else base
        self.path = (base.path if inner else None, function, as_now(static))
        self.seen, self.source = seen, self.root.primal
        return self

    @property
    def owner(self) -> Any:
        return self.root

    def shown(self, owned: Any) -> Any:
        for function, static in self._steps():
            owned = function(owned, *static)
        return owned

    @property
    def overlaps(self) -> bool:  # type: ignore[override]
        return any(function.row.put is overlapping for function, _ in self._steps())

    def elements(self) -> tuple[Any, Any]:
        if not self.overlaps:
            return super().elements()
        owner = self._owner_of_all()
        return owner, self.shown(numbered(owner))

    def _owner_of_all(self) -> Any:
        """Return the array that owns what this shows more than once."""
        in_parts = any(function.row.name in ("real", "imag") for function, _ in self._steps())
        if in_parts and self.owner.dtype.kind == "c":
            raise TypeError(f"real and imaginary parts that np.broadcast_arrays repeats: write to a copy{user_line()}")
        return self.owner

    def shows(self, base: ArrayNumber, index: Any) -> bool:
        before, function, static = self.path
        if function is not getitem or self.root is not base.owner:
            return False
        return before is (base.path if isinstance(base, ArrayView) else None) and _is_same(static[0], index)

    def assign(self, value: Any, index: Any) -> None:
        before, function, static = self.path
        if index is ... and before is None and function is getitem:
            self.root.check_writable()
            self.source = None  # in this order, as `current` reads them in the other
            self.seen = None  # nobody else may see the root's elements: then it is written in place
            self.root.assign(value, *static)
            return
        self.check_writable()
        if not self.overlaps:
            self.move(setitem(self, value, index))
            return
        owner = self._owner_of_all()
        numbers = numbered(owner)
        self.shown(numbers)[index] = owner.size + np.arange(size(value)).reshape(shape(value))
        owner[...] = getitem(shaping.concatenate(owner, value, None), numbers)

    def _steps(self) -> list[tuple[Any, tuple[Any, ...]]]:
        steps, path = [], self.path
        while path is not None:
            path, function, static = path
            steps.append((function, static))
        return steps[::-1]

    def current(self) -> Any:
        """Return what this view shows now: derived anew if the root was assigned to since it was last read."""
        seen, source = self.seen, self.source
        if self.root.primal is not source:
            source = self.root.primal
            seen = self.shown(self.root)
            self.seen, self.source = seen, source  # not before it is right: another thread may look
        return seen

    def move(self, value: Any) -> None:
        """Write the root: put each array, from this view back to the root, in its place in the one before it."""
        arrays, steps = [self.root], self._steps()
        for function, static in steps[:-1]:
            arrays.append(function(arrays[-1], *static))
        for base, (function, static) in zip(reversed(arrays), reversed(steps), strict=True):
            value = function.row.put(base, value, *static)
        self.root.move(value)
