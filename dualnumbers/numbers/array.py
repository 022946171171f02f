"""ArrayNumber: a number whose primal is an array. It has a length, elements, views, and the methods of ``ndarray``.

Rows of the table never write to an array: ``setitem`` gives a new one. But code for NumPy writes, ``x[1] = 5.0``, and
every name for ``x`` and every view of it must see that. So an assignment computes the new array by the row, and then
lets the object ``x`` refer to its value (`ArrayNumber.become`). The object, which the names refer to, stays the same.

>>> from dualnumbers import DualNumber
>>> x = DualNumber(np.arange(3.0), np.ones(3))
>>> same = x
>>> x[1] = 5.0  # a constant: it has no derivative
>>> same
DualNumber(array([0., 5., 2.]), array([1., 0., 1.]))

Each kind of array, such as of dual numbers or of lines of a tape, says what it refers to: in ``become``, ``snapshot``
and ``tied``. Views are in views.py.
"""

from __future__ import annotations

import numbers
from _thread import RLock
from _thread import _count as _other_threads  # beside the main one; to ask takes 14 ns, to take a lock 160
from abc import ABCMeta
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..foreign import may_share_memory
from ..forms import dtype_of, flags, is_array, numbered, shape
from ..levels import NOTING, is_number, plain, plain_members, read
from ..messages.errors import user_line
from ..rules import ENTRIES, FAMILY_OF, shaping
from ..rules.indexing import assign_before_failure, fixed, getitem, setitem
from ..table import TABLE, required
from .arguments import RAISED_LATE
from .ndarray_attributes import OF_SCALARS, OF_THE_VALUE, REFUSED_OF_SCALARS, NdarrayAttributes, of_scalar
from .number import Number
from .operators import BINARY

if TYPE_CHECKING:
    from .surface import ArraySurface
else:
    ArraySurface = object

_WRITING = RLock()


def _write(index: Any, target: Any, source: Any) -> None:
    target[index] = source


class ArrayNumber(NdarrayAttributes, Number, ArraySurface):
    """A number whose primal is an array. No row writes to it; ``x[index] = value`` gives this object another value."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        if not NOTING:
            return self.viewed(getitem, fixed(index))
        from ..rules.arrays.computed_places import elements

        return elements(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        index = fixed(index)
        if isinstance(value, ArrayNumber) and value.shows(self, index):  # as after ``x[index] += y``
            return self.check_writable()
        is_mask = type(index) is np.ndarray and index.dtype.kind == "b" and index.ndim == self.ndim
        if is_mask and self.take_in(partial(_write, index), value):  # NumPy writes one element after the other
            return
        try:
            value = shaping.as_assigned(value, self.dtype)
            if not _other_threads():
                return self.assign(value, index)
            with _WRITING:  # or of two elements that two threads write at the same time one is lost
                self.assign(value, index)
        except Exception:
            assign_before_failure(self, value, index)
            raise

    def assign(self, value: Any, index: Any) -> None:
        """Replace the elements at ``index``, which is all that ``x[index] = value`` does to the array itself."""
        self.check_writable()
        self.move(setitem(self, value, index))

    def check_writable(self) -> None:
        """Raise ValueError, as NumPy does, where the plain array may not be written to."""
        if not flags(self).writeable:
            raise ValueError("assignment destination is read-only")

    def viewed(self, function: Any, *static: Any) -> Any:
        """Apply a row to this array; where NumPy gives a view, return one that stays tied to this array."""
        z = function(self, *static)
        value = plain(z)
        if value is z or not is_array(value) or not function.row.put:  # the first: of constants
            return z
        is_view = may_share_memory(plain_members(z), plain_members(self))
        return z.tied(self, function, static) if is_view else z

    def move(self, value: Any) -> None:
        """Take the value of another array, which item assignment made; TypeError where it is of another level."""
        if not is_number(type(value)):
            raise TypeError("item assignment where no derivative is recorded, as within no_grad(): write to x.data "
                            f"of a Variable, or to a copy of the value{user_line()}")  # fmt: skip
        if value.level.order != self.level.order:
            raise TypeError("item assignment of a number of an inner differentiation into an array of an outer one, "
                            f"which would outlive it: build a new array with np.stack{user_line()}")  # fmt: skip
        self.become(value)

    @property
    def owner(self) -> Any:
        """The array whose elements this one shows: itself, if it is no view."""
        return self

    def shown(self, owned: Any) -> Any:
        """Return what this view would show if ``owned`` stood in its owner's place; an owner shows that itself."""
        return owned

    def take_in(self, write: Callable[[Any, Any], Any], source: Any) -> bool:
        """Do what NumPy's ``write(this, source)`` does, where both show elements of one array; return False elsewhere.

        In ``x.flat[1:] = x[:-1]`` NumPy reads elements after it wrote them. Which ones, it tells itself: ``write`` is
        applied to an array of the elements' numbers, 0, 1, …, and where these went the elements go.
        """
        owner = self.owner
        if not isinstance(source, ArrayNumber) or source.owner is not owner:
            return False
        numbers, elements = numbered(owner, parts=True), shaping.reshape(owner, -1, "C")
        if numbers.dtype.kind == "c":
            elements = shaping.concatenate(np.zeros(1, elements.real.dtype), elements.real, elements.imag, 0)
        try:
            write(self.shown(numbers), source.shown(numbers))
        finally:
            if numbers.dtype.kind == "c":
                owner.real = getitem(elements, numbers.real.astype(int))
                owner.imag = getitem(elements, numbers.imag.astype(int))
            else:
                owner[...] = getitem(elements, numbers)
        return True

    def shows(self, base: ArrayNumber, index: Any) -> bool:
        """Return whether this is the view ``base[index]``: to assign it there changes nothing."""
        return False

    overlaps = False
    """True of a view that shows elements of another array more than once, as one that was broadcast."""

    def elements(self) -> tuple[Any, Any]:
        """Return an array to be written in place of this one, and the number that each element here has there."""
        return self, np.arange(self.size).reshape(self.shape)

    def become(self, value: Any) -> None:
        """Refer to what another array of this level refers to, without a check."""
        raise NotImplementedError(f"{type(self).__name__}.become")

    def snapshot(self) -> Any:
        """Return this array as it is now, whatever is assigned to its elements later."""
        raise NotImplementedError(f"{type(self).__name__}.snapshot")

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        """Return this array as a view, made by ``function(base, *static)``, that reads and writes its base."""
        raise NotImplementedError(f"{type(self).__name__}.tied")

    def reshape(self, *to: Any, order: str = "C", copy: bool | None = None) -> Any:
        x, *static = shaping.reshaping(self, to[0] if len(to) == 1 else to, order, copy=copy)
        return x.viewed(shaping.reshape, *static)

    def transpose(self, *axes: Any) -> Any:
        return self.viewed(shaping.transpose, axes[0] if len(axes) == 1 else axes or None)

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        return ENTRIES[np.compress](condition, self, axis)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        self[...] = ENTRIES[np.sort](self, axis)

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        self[...] = ENTRIES[np.partition](self, kth, axis, kind)

    def fill(self, value: Any) -> None:
        self[...] = value

    def flatten(self, order: str = "C") -> Any:
        return shaping.flattened(self, order)

    def copy(self, order: str = "C") -> Any:
        return shaping.copied(self, order) if isinstance(self, ArrayNumber) else self

    def conjugate(self) -> Any:
        return TABLE["conj"](self) if self.dtype.kind == "c" else self

    conj = conjugate

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        if not copy and self.dtype == dtype and shaping.lies_in(self, order):
            return self
        return shaping.in_order(shaping.cast(self, dtype, casting), order)

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(read(self) == read(value)))

    @property
    def real(self) -> Any:
        return self.viewed(TABLE["real"])

    @real.setter
    def real(self, values: Any) -> None:
        self.real[...] = values

    @property
    def imag(self) -> Any:
        return self.viewed(TABLE["imag"])

    @imag.setter
    def imag(self, values: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError(f"a real array has no imaginary part to assign: make it with dtype=complex{user_line()}")
        self.imag[...] = values

    @property
    def T(self) -> Any:  # noqa: N802
        return self.transpose()

    @property
    def mT(self) -> Any:  # noqa: N802
        return ENTRIES[np.matrix_transpose](self)


class Classes(dict[type, type]):
    """type of the primal → a kind's class of scalars or of arrays."""

    def __init__(self, scalar: type, array: type) -> None:
        self.scalar, self.array = scalar, array

    def __missing__(self, kind: type) -> type:
        is_scalar = issubclass(kind, (int, float, complex, np.generic, Number)) and not issubclass(kind, ArrayNumber)
        self[kind] = answer = self.scalar if is_scalar else self.array
        return answer


class Scalar(metaclass=ABCMeta):  # noqa: B024
    """A kind of number that is no array: to ``np.isscalar`` a scalar, as the float is that it stands for."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, Number) and not issubclass(kind, ArrayNumber)


numbers.Number.register(Scalar)


def _in_place(name: str) -> Callable[..., Any]:
    """Make the operator of an augmented assignment: it writes the array, so its views and other names see it."""

    def operator(self: ArrayNumber, other: Any) -> Any:
        try:
            result = getattr(self, name)(other)
        except RAISED_LATE:
            with np.errstate(all="ignore"):
                operator(self, other)
            raise
        if result is NotImplemented:
            return result
        given, own, of = dtype_of(result), dtype_of(self), shape(result)
        if given != own and not np.can_cast(given, own, "same_kind"):
            raise TypeError(f"{name[2:-2]}: cannot write {given} into an array of {own}{user_line()}")
        if of != self.shape:
            raise ValueError(f"{name[2:-2]}: cannot write shape {of} into an array of shape {self.shape}{user_line()}")
        self[...] = result
        return self

    return operator


for _name in BINARY:
    setattr(ArrayNumber, f"__i{_name}__", _in_place(f"__{_name}__"))


def _method(numpy_function: Any) -> Callable[..., Any]:
    function = getattr(ENTRIES.get(numpy_function), "function", None)
    if function is None or function.row.arity != 1 or function.row.put or required(function.row.call) > 1:
        return lambda self, *arguments, **keywords: self.__array_function__(
            numpy_function, (), (self, *arguments), keywords
        )
    lifts, defaults = function.face.lifts, function.row.call(None)[1:]

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments or keywords:
            return self.__array_function__(numpy_function, (), (self, *arguments), keywords)
        return lifts[type(self)](self, *defaults)

    return method


for _name in dir(np.ndarray):
    _function = vars(np).get(_name)
    if (_function in ENTRIES or _function in FAMILY_OF) and not hasattr(ArrayNumber, _name):
        setattr(ArrayNumber, _name, _method(_function))

WRITING = ("fill", "imag", "partition", "put", "real", "resize", "sort")
_shared = dict(vars(ArrayNumber)) | {
    _name: vars(NdarrayAttributes)[_name] for _name in ("flat", *OF_THE_VALUE) if hasattr(NdarrayAttributes, _name)
}
for _name in dir(np.generic):
    if _name in _shared and not _name.startswith("_") and _name not in WRITING:
        setattr(Number, _name, _shared[_name])  # a scalar of NumPy has them too
for _name in (*OF_SCALARS, *REFUSED_OF_SCALARS):
    setattr(Number, _name, of_scalar(_name))
