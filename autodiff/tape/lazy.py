"""A tape that records without computing: values of large arrays are promised, and computed if somebody reads one.

A program that is to be compiled runs again anyhow; of the values of its recording only shapes and types are needed. So
of an elementwise row whose value is a large array one element is computed, for the type, and in the place of the value
stands an array of its shape which nobody has written to: it takes no memory. Which elements a view shows, or a
sum adds up, the rows themselves say of such arrays. What is made of a promised value is promised, too.

Who decides by a value reads it by one of its doors (`levels.read`, `levels.decided`). Then all that was promised is
computed, line by line, and from there on the tape is an ordinary one. The question of each sweep, whether any adjoint
is NaN, is answered by no, and noted: where it is yes, the program says so when it runs.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from dualnumbers.levels import has_nan
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.operators import lifted_operators
from dualnumbers.numbers.views import ArrayView
from dualnumbers.table import Row
from dualnumbers.table.kinds import Constant
from dualnumbers.table.row import Face

from ..calls.captured import TINY
from .keeping import LARGE, repeated
from .locally_constant import LocallyConstant, LocallyConstantArray, class_of
from .program import line_of
from .recorder import Recorder
from .variable import ArrayVariable, Variable, new, record_row

OF_FORMS = frozenset(
    ("matmul", "sum", "mean", "max", "min", "prod", "dot", "length", "any", "all", "cumsum", "setitem", "item", "where")
)
"""Rows besides linear ones whose value has a form that their operands' forms tell, and that take any values."""


PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
"""How pages are asked for: of private ones also those that are read take no memory; Windows knows no others."""


class LazyRecorder(Recorder):
    """A tape whose large values are promised, until one is read."""

    __slots__ = ("_held", "_is_cut", "is_lazy", "moving", "promised")

    has_begun = True
    """Whether a value may have been promised."""
    is_lazy: bool
    """Whether values are promised; no more when one was read."""
    promised: set[int]
    """The lines whose values are not computed, or of what was not computed."""
    moving: set[int]
    """The lines that depend on the inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.is_lazy, self._is_cut = True, False
        self.promised, self.moving = set(), set()
        self._held: dict[Any, np.ndarray] = {}
        """The copies of small constants, of which a loop uses the same ones in each round."""

    def handle_on(self, value: Any, line: int) -> Any:
        super().note(value)
        made: Any = new(self.classes[type(value), True])
        made.tape, made.line = self, line
        return made

    def as_input(self, x: Any) -> Any:
        return x  # as long as it is recorded nobody writes to it: that is no program

    def kept(self, x: Any) -> Any:
        """Return a constant as the tape keeps it; of small arrays one copy for all that are equal to the bit."""
        if type(x) is np.ndarray and x.nbytes <= TINY and x.dtype.kind in "biufc":
            key = x.shape, x.strides, x.dtype.str, x.tobytes()
            found = self._held.get(key)
            if found is None:
                found = self._held[key] = super().kept(x)
            return found
        one = repeated(x)
        return super().kept(x) if one is x else one

    def add_input(self, value: Any) -> int:
        line = super().add_input(value)
        self.moving.add(line)
        return line

    def form_of_input(self, line: int) -> Any:
        x = self.values[line]
        return _unwritten(np.empty_like(x)) if type(x) is np.ndarray and x.nbytes >= LARGE else x

    def append(self, row: Row | None, first: int, second: int, value: Any, place: int | None = None) -> int:
        place = super().append(row, first, second, value, place)
        if row is not None and self.is_lazy:
            lines = {line_of(x) for x in self.operands(place)}
            if self._is_cut or lines & self.promised:
                self.promised.add(place)
            if lines & self.moving:
                self.moving.add(place)
        self._is_cut = False
        return place

    def computed(self, face: Face, operands: Sequence[int | None], xs: list[Any], static: tuple[Any, ...]) -> Any:
        lines = {line_of(x) for x in operands if x is not None}
        if not self.is_lazy or not lines & self.moving:
            return face.evaluate(*xs, *static)
        row = face.row
        if row.is_elementwise or (row.is_constant and isinstance(face.plain, np.ufunc)):
            return self._by_one_element(face, xs, static) if makes_large(xs) else _quietly(face, xs, static)
        hidden = [k for k, x in enumerate(operands) if x is not None and line_of(x) in self.promised]
        if (hidden and not (row.is_linear or row.name in OF_FORMS)) or (
            any(isinstance(row.argument(k), Constant) for k in hidden) and row.name != "where"
        ):
            self.compute()
        if not self.is_lazy:
            now = [x if n is None else self.value(n) for n, x in zip(operands, xs, strict=True)]
            return face.evaluate(*now, *static)
        z = _quietly(face, xs, static)
        if type(z) is not np.ndarray or _root(z).nbytes < LARGE or _shows(z, xs):
            return z
        self._is_cut = True
        return _unwritten(np.empty_like(z))

    def _by_one_element(self, face: Face, xs: list[Any], static: tuple[Any, ...]) -> Any:
        """Return what has the form of an elementwise row's value."""
        cut = [x[(slice(0, 1),) * x.ndim] if isinstance(x, np.ndarray) else x for x in xs]
        found, shape = _quietly(face, cut, static), np.broadcast_shapes(*map(np.shape, xs))
        like = next((x for x in xs if isinstance(x, np.ndarray) and x.shape == shape), None)
        self._is_cut = True

        def spread(z: Any) -> Any:
            return _unwritten(np.empty(shape, z.dtype) if like is None else np.empty_like(like, z.dtype))

        return tuple(map(spread, found)) if type(found) is tuple else spread(found)

    def compute(self) -> None:
        """Compute what was promised, and promise nothing any more."""
        if self.is_lazy:
            self.is_lazy = False
            for line in sorted(self.promised):
                there, found = self.values[line], self.evaluated(line)
                if type(there) is not np.ndarray or not there.flags.writeable:
                    self.values[line] = found
                elif not np.may_share_memory(there, found):
                    there[...] = found  # views of it show that, too
            self.promised = set()

    def guard(self, line: int) -> None:
        self.compute()
        super().guard(line)

    def has_nan(self, line: int) -> bool:
        return not (self.is_lazy and line in self.promised) and has_nan(self.values[line])


def _unwritten(like: np.ndarray) -> np.ndarray:
    """Return an array that lies in memory as another does, in pages that nobody has written to: they take none.

    Those that NumPy would take may be others that were in use before.
    """
    return np.ndarray(like.shape, like.dtype, mmap.mmap(-1, max(like.nbytes, 1), **PRIVATE), 0, like.strides)


def is_large(z: Any) -> bool:
    """Return whether a value is an array that takes much memory."""
    return type(z) is np.ndarray and z.nbytes >= LARGE


def makes_large(xs: Sequence[Any]) -> bool:
    """Return whether what is computed of some values element by element is large."""
    arrays = [x for x in xs if isinstance(x, np.ndarray)]
    if len(arrays) < 2:
        return any(map(is_large, arrays))
    return prod(np.broadcast_shapes(*[x.shape for x in arrays])) * max([x.itemsize for x in arrays]) >= LARGE


def _quietly(face: Face, xs: Sequence[Any], static: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"):
        return face.evaluate(*xs, *static)


def _root(z: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory of one."""
    while isinstance(z.base, np.ndarray):
        z = z.base
    return z


def _shows(z: np.ndarray, xs: Sequence[Any]) -> bool:
    return any(isinstance(x, np.ndarray) and np.may_share_memory(z, x) for x in xs)


class Lazy(Variable):
    """What handles on such a tape have in common: every row is recorded by the general way."""

    __slots__ = ()
    is_lazy = True

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        return record_row(face)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return lifted_operators(face, cls)

    def asked(self, question: Callable[..., Any], static: tuple[Any, ...]) -> Any:
        """Answer a question about the value, which is computed for it."""
        self.tape.compute()  # type: ignore[attr-defined]
        answer = question(self.primal, *static)
        self.note_answer(question, static, answer)
        return answer


class LazyVariable(Lazy, Variable, operators=True):
    """A line of such a tape whose value is a number."""

    __slots__ = ()


class LazyArray(Lazy, ArrayVariable, operators=True):
    """A line of such a tape whose value is an array."""

    __slots__ = ()
    __getitem__ = ArrayNumber.__getitem__

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(LazyView), self, base, function, static)


class LazyView(ArrayView, LazyArray):
    """A view of one."""

    __slots__ = ("path", "root", "seen", "source")
    line = property(lambda self: self.current().line)
    tape = property(lambda self: self.root.tape)


class LazyConstant(Lazy, LocallyConstant, operators=True):
    """A number without a derivative on such a tape."""

    __slots__ = ()


class LazyConstantArray(Lazy, LocallyConstantArray, operators=True):
    """An array without a derivative on such a tape."""

    __slots__ = ()

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(LazyConstantView), self, base, function, static)


class LazyConstantView(ArrayView, LazyConstantArray):
    """A view of one."""

    __slots__ = ("path", "root", "seen", "source")
    active = property(lambda self: self.current().active)
    line = property(lambda self: self.current().line)
    tape = property(lambda self: self.root.tape)


LAZY: dict[type, type] = {Variable: LazyVariable, ArrayVariable: LazyArray, LocallyConstant: LazyConstant,
                          LocallyConstantArray: LazyConstantArray}  # fmt: skip
"""The class of a handle on an ordinary tape → that on such a one."""


class _Classes(dict[tuple[type, bool], type]):
    def __missing__(self, key: tuple[type, bool]) -> type:
        self[key] = answer = LAZY[class_of(*key)]
        return answer


LazyRecorder.classes = _Classes()
