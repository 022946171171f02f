"""Holder: an array that behaves as NumPy's until a number with a derivative is stored into it.

Nothing says beforehand which differentiation an array will belong to: ``y = np.zeros(3)`` may take numbers of an outer
one, of an inner one, or none at all. So a holder belongs to none. It hands every operation on to what it holds, a plain
array at first; an assignment of a number replaces that by an array of the number's level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.arraynumber import ArrayNumber, ArrayView
from dualnumbers.elementary import Row
from dualnumbers.face import REFUSED
from dualnumbers.frames import stack
from dualnumbers.levels import HELD, LIVING, RUNNING, Level, is_number, level_of
from dualnumbers.rules.indexing import setitem
from dualnumbers.rules.inspection import LIKE

new = object.__new__

VIEWS = {getattr(np, name) for name in (
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "diagonal", "dsplit",
    "expand_dims", "flip", "fliplr", "flipud", "hsplit", "imag", "matrix_transpose", "moveaxis", "permute_dims",
    "ravel", "real", "reshape", "rollaxis", "rot90", "split", "squeeze", "swapaxes", "transpose", "unstack", "vsplit",
) if hasattr(np, name)}  # fmt: skip
"""Functions of NumPy that give views, through which a holder can be written to."""

WRITERS = {np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask}

DIFFERENTIATING = ("autodiff.forward", "autodiff.reverse")


def is_inside() -> bool:
    """Whether this thread runs a differentiation, or a Variable made by hand is alive: may an array get a number?"""
    return bool(LIVING) or (bool(RUNNING) and any(f.f_globals.get("__name__") in DIFFERENTIATING for f in stack()))


def held(x: Any) -> Any:
    """What a holder holds, a plain array or one with derivatives; anything else as it is."""
    return x.primal if type(x) in HOLDERS else x


def all_held(x: Any) -> Any:
    """The same for what nested lists, tuples and dicts hold."""
    kind = type(x)
    if kind is list or kind is tuple:
        return kind(map(all_held, x))
    return {name: all_held(value) for name, value in x.items()} if kind is dict else held(x)


def keeping(result: Any, *arguments: Any) -> Any:
    """A new floating array as a holder; what shares memory with an argument, and anything else, as it is."""
    if type(result) is tuple:
        return tuple(keeping(part, *arguments) for part in result)
    if type(result) is not np.ndarray or result.dtype.kind not in "fc" or not result.flags.writeable:
        return result
    if any(isinstance(held(x), np.ndarray) and np.may_share_memory(result, held(x)) for x in arguments):
        return result
    return holder(result)


def holder(array: Any) -> Any:
    """A holder of a plain array that nobody else writes to."""
    z = new(Holder)
    z.primal = array
    return z


class Holder(ArrayNumber, operators=True):
    """An array that takes numbers with derivatives by assignment, of any differentiation."""

    __slots__ = ("primal",)
    primal: Any
    level: Level = HELD
    __hash__ = None  # type: ignore[assignment]

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # ``isinstance(x, np.ndarray)``
        return np.ndarray

    @classmethod
    def lift(cls, row: Row) -> Callable[..., Any]:
        """The row of what is held."""
        evaluate = row.evaluate

        def handed_on(*arguments: Any) -> Any:
            return keeping(evaluate(*map(held, arguments)), *arguments)

        return handed_on

    def constant(self, value: Any) -> Any:
        return holder(value)

    def snapshot(self) -> Any:
        """What is held now: a plain array as a copy."""
        value = self.primal
        return value.snapshot() if is_number(type(value)) else value.copy(order="K")

    def viewed(self, function: Any, *static: Any) -> Any:
        value = self.primal
        if is_number(type(value)):
            z = value.viewed(function, *static)
            return self.tied(z, function, static) if isinstance(z, ArrayView) else z
        z = function(value, *static)
        if type(z) is not np.ndarray or not (function.row.put and np.may_share_memory(z, value)):
            return keeping(z, value)
        return self.tied(z, function, static)

    def tied(self, seen: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(HolderView), seen, self, function, static)

    def assign(self, value: Any, index: Any) -> None:
        """In place; a number of a higher level than what is held makes this an array of that level."""
        value, array = held(value), self.primal
        if level_of(value).number > level_of(array).number:
            self.move(setitem(array, value, index))
        else:
            array[index] = value

    def move(self, value: Any) -> None:
        self.primal = value

    # ------------------------------------------------------------------------------------------ NumPy

    @property
    def __array__(self) -> Any:
        value = self.primal
        if is_number(type(value)):
            return value.__array__
        return lambda dtype=None, copy=None: np.array(value, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        targets = keywords.get("out", inputs[:1] if method == "at" else ())
        given, options = list(map(held, inputs)), all_held(keywords)
        if not targets:
            return keeping(getattr(ufunc, method)(*given, **options), *inputs)
        if any(is_number(type(held(x))) for x in (*inputs, *targets, keywords.get("where"))):
            given = [targets[0], *given[1:]] if method == "at" else given
            return super().__array_ufunc__(ufunc, method, *given, **keywords)
        getattr(ufunc, method)(*given, **options)
        return targets[0] if len(targets) == 1 else targets

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        to_be_written = type(first) in HOLDERS and function in WRITERS
        if to_be_written or function in VIEWS or function in LIKE or keywords.get("out") is not None:
            return super().__array_function__(function, types, arguments, keywords)
        return keeping(function(*all_held(tuple(arguments)), **all_held(keywords)), *arguments)

    def copy(self, order: str = "C") -> Any:
        return _copied(self.primal, order)

    def astype(self, *arguments: Any, **keywords: Any) -> Any:
        value = self.primal
        z = value.astype(*arguments, **keywords)
        return self if z is value else keeping(z, value)

    def __copy__(self) -> Any:
        return _copied(self.primal, "K")

    def __deepcopy__(self, memo: Any) -> Any:
        return _copied(self.primal, "K")

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.primal.__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(self.primal)

    def __str__(self) -> str:
        return str(self.primal)

    def __format__(self, spec: str) -> str:
        return format(self.primal, spec)


def _copied(value: Any, order: Any) -> Any:
    return keeping(value.copy(order=order))


def _handed_on(name: str) -> property:
    return property(lambda self: getattr(self.primal, name))


OF_WHAT_IS_HELD = {"__array_interface__", "__complex__", "__float__", "__index__", "__int__", "__round__", "base",
                   "item", "partition", "resize", "setflags", "sort", "tolist", *REFUSED} - {"at"}  # fmt: skip
for _name in OF_WHAT_IS_HELD:
    if hasattr(np.ndarray, _name):
        setattr(Holder, _name, _handed_on(_name))


class HolderView(ArrayView, Holder):
    """A view of a holder: what is written to it is written to the holder, numbers with derivatives too."""

    __slots__ = ("path", "root", "seen", "source")
    primal = property(lambda self: self.current())
    assign, move = Holder.assign, ArrayView.move

    def current(self) -> Any:
        """The view of what the holder holds now; one of an array with derivatives follows it by itself."""
        value = self.root.primal
        if value is not self.source:
            self.seen = self.source = value
            for function, static in self._steps():
                self.seen = self.seen.viewed(function, *static)
        return self.seen


HOLDERS = {Holder, HolderView}
