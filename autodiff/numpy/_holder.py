"""Holder: an array that behaves as NumPy's until a number with a derivative is stored into it.

Nothing says beforehand which differentiation an array will belong to: ``y = np.zeros(3)`` may take numbers of an outer
one, of an inner one, or none at all. So a holder belongs to none. It hands every operation on to what it holds, a plain
array at first; an assignment of a number replaces that by an array of the number's level.

>>> from dualnumbers import DualNumber
>>> y = holder(np.zeros(2))
>>> type(y.primal).__name__
'ndarray'
>>> y[0] = DualNumber(3.0, 1.0)
>>> y.primal
DualNumber(array([3., 0.]), array([1., 0.]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from dualnumbers.forms import PYTHON
from dualnumbers.levels import HELD, Level, is_number, level_of
from dualnumbers.numbers.arguments import WRITERS, with_out_named
from dualnumbers.numbers.array import ArrayNumber, Scalar
from dualnumbers.numbers.ndarray_attributes import REFUSED
from dualnumbers.numbers.views import ArrayView
from dualnumbers.rules import ENTRIES
from dualnumbers.rules.arrays.creating import LIKE
from dualnumbers.rules.shaping import view
from dualnumbers.table.row import Face

from ..calls.values import living
from ._held import HOLDERS, Window, all_held, apart, check_unseen, held, holds_number, leaves, nested, shows, untied

new = object.__new__

SCALARS = (*PYTHON, np.generic, Scalar)

VIEWING: set[Any] = set()
"""Functions of NumPy that gave a view of a holder, tied to it: those that are called once, not twice, with numbers."""


def keeping(result: Any, *arguments: Any) -> Any:
    """Make a holder of a new floating array; what shares memory with an argument, and anything else, stays as it is."""
    if isinstance(result, (tuple, list)):
        parts = [keeping(part, *arguments) for part in result]
        return result._make(parts) if hasattr(result, "_make") else type(result)(parts)
    if type(result) is not np.ndarray or result.dtype.kind not in "fc" or 0 in result.strides:
        return result  # also where what is written to one element is seen in others, and where there is none
    if not result.flags.writeable:
        return result
    return result if any(shows(result, held(x)) for x in leaves(arguments)) else holder(result)


def rooted(x: Any) -> Any:
    """Return the holder whose elements a view of a holder shows; anything else as it is."""
    return x.root if type(x) is HolderView else x


def opened(x: Any) -> Any:
    """Return what a holder holds, a plain array as one whose views are known of; anything else as it is."""
    value = held(x)
    if value is x or type(value) is not np.ndarray:
        return value
    window, root = Window(value), rooted(x)
    root.windows = [*(known for known in root.windows if known()), ref(window)]
    z = np.asarray(window)
    if not value.flags.writeable:
        z.flags.writeable = False
    return z


def _always() -> bool:
    """Stand in for a `Window` that is always alive: of an array of numbers it is not known whether it still is."""
    return True


def holder(array: Any) -> Any:
    """Make a holder of a plain array that nobody else writes to."""
    z = new(Holder)
    z.stored, z.windows = array, ()
    return z


class Holder(ArrayNumber, operators=True):
    """An array that takes numbers with derivatives by assignment, of any differentiation.

    ``windows`` are weak references to those through which plain arrays show what it holds.
    """

    __slots__ = ("stored", "windows")
    stored: Any
    windows: Any
    level: Level = HELD
    __hash__ = None  # type: ignore[assignment]

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # ``isinstance(x, np.ndarray)``
        return np.ndarray

    @property
    def primal(self) -> Any:
        """The array that is held; numbers of an ended differentiation are replaced by what they were made of."""
        value = self.stored
        if type(value) is np.ndarray or not value.level.ended:
            return value
        value = living(value)
        self.store(value.snapshot() if is_number(type(value)) else value.copy(order="K"))
        return self.stored

    def store(self, value: Any) -> None:
        """Hold another array; the differentiation of its numbers is told."""
        self.stored = value
        if is_number(type(value)):
            value.level.filled = True

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Evaluate the row of what is held; the result shows no elements of it, which is for `viewed` to give."""
        evaluate = face.evaluate

        def handed_on(*arguments: Any) -> Any:
            z = evaluate(*map(held, arguments))
            if face.scalar is not None:  # by elements
                return keeping(z)
            for x in arguments:
                if type(x) in HOLDERS and shows(z, x.primal):
                    return keeping(apart(z))
            return keeping(z, *arguments)

        return handed_on

    def constant(self, value: Any) -> Any:
        return holder(value)

    def snapshot(self) -> Any:
        """Return what is held now: a plain array as a copy."""
        value = self.primal
        return value.snapshot() if is_number(type(value)) else value.copy(order="K")

    def viewed(self, function: Any, *static: Any) -> Any:
        value = self.primal
        if is_number(type(value)):
            z = value.viewed(function, *static)
            return self.tied(z, function, static) if isinstance(z, ArrayView) else z
        z = function(value, *static)
        if type(z) is not np.ndarray:
            return z
        return self.tied(z, function, static) if shows(z, value) else keeping(z)

    def tied(self, seen: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(HolderView), seen, self, function, static)

    def assign(self, value: Any, index: Any) -> None:
        if not self.takes(value, index):
            super().assign(held(value), index)

    def takes(self, value: Any, index: Any) -> bool:
        """Assign in place and return True; False where the value's level is above that of what is held."""
        value, array = held(value), self.primal
        if level_of(array) < level_of(value):
            return False
        array[index] = value
        return True

    def move(self, value: Any) -> None:
        """Hold another array. TypeError where one of NumPy's that shows the elements would not see the new ones."""
        check_unseen(self.windows, value)
        self.windows = ()
        self.store(value)

    # ------------------------------------------------------------------------------------------ NumPy

    @property
    def __array__(self) -> Any:
        value = self.primal
        if is_number(type(value)):
            return value.__array__
        return lambda dtype=None, copy=None: np.array(value if copy else opened(self), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        targets = keywords.get("out", inputs[:1] if method == "at" else ())
        given, options = list(map(held, inputs)), all_held(keywords)
        if not targets:
            return keeping(getattr(ufunc, method)(*given, **options))
        if holds_number((inputs, targets, keywords.get("where"))):
            given = [targets[0], *given[1:]] if method == "at" else given
            return super().__array_ufunc__(ufunc, method, *given, **keywords)
        getattr(ufunc, method)(*given, **options)
        return targets[0] if len(targets) == 1 else targets

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        if function in LIKE:
            return super().__array_function__(function, types, arguments, keywords)
        arguments = tuple(arguments)
        if holds_number((arguments, keywords)):
            if any(type(x) in HOLDERS for x in arguments[2:]):
                arguments, named = with_out_named(function, arguments)
                keywords = keywords | named
            writes = function in WRITERS and type(arguments[0]) in HOLDERS
            if writes or keywords.get("out") is not None:
                return super().__array_function__(function, types, arguments, keywords)
            if function in VIEWING:
                return self._view(function, types, arguments, keywords)
        result = function(*all_held(arguments), **all_held(keywords))
        if isinstance(result, SCALARS):
            return result
        holders = [x for x in leaves((arguments, keywords)) if type(x) in HOLDERS]
        for x in holders:
            if result is x.primal:
                return x
        if untied(result, holders):
            return self._view(function, types, arguments, keywords)
        return keeping(result, arguments, keywords)

    def _view(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        """Return the result of a function that shows elements of holders: tied to them, or else known of."""
        holders = [x for x in leaves((arguments, keywords)) if type(x) in HOLDERS]
        if ENTRIES[function] is not None:
            z = super().__array_function__(function, types, arguments, dict(keywords))
            if not untied(z, holders):
                VIEWING.add(function)
                return keeping(z, arguments, keywords)
        for x in holders:
            if is_number(type(x.primal)):
                rooted(x).windows = [*rooted(x).windows, _always]
        return function(*nested(opened, arguments), **nested(opened, keywords))

    def view(self, *arguments: Any, **keywords: Any) -> Any:
        """Return a view: of the same type one that stays tied; of another one of NumPy's own."""
        if not keywords and (not arguments or arguments == (self.dtype,)):
            return self[...]
        return opened(self).view(*arguments, **keywords)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        np.empty(0).to_device(device, stream=stream)  # for its error
        return self

    def byteswap(self, inplace: bool = False) -> Any:
        z = self.primal.byteswap(inplace)
        return self if inplace else keeping(z)

    def copy(self, order: str = "C") -> Any:
        return _copied(self.primal, order)

    def astype(self, *arguments: Any, **keywords: Any) -> Any:
        value = self.primal
        z = value.astype(*arguments, **keywords)
        return self if z is value else keeping(z)

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


def _handed_on(name: str, to: Callable[[Any], Any] = held) -> property:
    return property(lambda self: getattr(to(self), name))


OF_WHAT_IS_HELD = {"__complex__", "__float__", "__index__", "__int__", "__round__", "partition", "resize", "setflags",
                   "sort"}  # fmt: skip
for _name in OF_WHAT_IS_HELD | {"dump", "dumps", "item", "setfield", "tobytes", "tofile", "tolist"}:
    setattr(Holder, _name, _handed_on(_name))
for _name in REFUSED.keys() - vars(Holder).keys() - {"at"}:
    if hasattr(np.ndarray, _name):
        setattr(Holder, _name, _handed_on(_name, opened))


class HolderView(ArrayView, Holder):
    """A view of a holder: what is written to it is written to the holder, numbers with derivatives too."""

    __slots__ = ("path", "root", "seen", "source")
    primal = property(lambda self: self.current())
    base = property(lambda self: self.root)
    move = ArrayView.move

    def assign(self, value: Any, index: Any) -> None:
        if not self.takes(value, index):
            ArrayView.assign(self, held(value), index)

    def current(self) -> Any:
        """Return the view of what the holder holds now; one of an array with derivatives follows it by itself."""
        seen, source = self.seen, self.source
        value = self.root.primal
        if value is not source:
            seen = self.shown(value)
            self.seen, self.source = seen, value  # not before it is right: another thread may look
        return seen

    def shown(self, owned: Any) -> Any:
        for function, static in self._steps():
            owned = view(function, owned, *static)
        return owned


HOLDERS.update((Holder, HolderView))
