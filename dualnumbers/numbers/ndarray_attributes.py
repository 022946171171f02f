"""The attributes and methods of ``ndarray`` that are no functions of NumPy: those of the value, and those refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..foreign import has_no_strides
from ..forms import numbered, shape, size
from ..levels import HELD, is_number, plain, read
from ..messages.errors import no_plain_value, user_line
from ..rules.indexing import fixed, getitem
from ..rules.shaping import array, ravel
from ..table.dispatch import refuse

REFUSED = {
    "at": "it is JAX's; assign x[i] = v, or x[i] += v",
    "byteswap": "bytes have no derivative",
    "ctypes": "C code reads plain numbers",
    "data": "a buffer holds plain numbers",
    "dump": "a file holds plain numbers",
    "dumps": "bytes have no derivative",
    "getfield": "bytes have no derivative",
    "item": "x[0] or x.reshape(()) is one number, with its derivative",
    "setfield": "bytes have no derivative",
    "to_device": "np.asarray on a device holds plain numbers",
    "tobytes": "bytes have no derivative",
    "tofile": "a file holds plain numbers",
    "tolist": "list(x) has the numbers, with their derivatives",
    "view": "x.astype gives another type, x.reshape another shape",
    "__dlpack__": "other libraries read plain numbers",
}
"""Attribute → what to do instead, or why not."""

NAMESPACES: list[Callable[[], Any]] = []
"""Gives the module of NumPy's functions for numbers, where there is one."""

OF_THE_VALUE = ("device", "flags", "itemsize", "nbytes", "strides")

OF_SCALARS = ("base", "fromhex", "is_integer", "resize", "setflags")
"""Attributes of a float or a scalar of NumPy that tell a plain fact of its value, or do nothing to it."""
REFUSED_OF_SCALARS = ("as_integer_ratio", "byteswap", "dump", "dumps", "fill", "getfield", "hex", "put", "setfield",
                      "sort", "to_device", "tobytes", "tofile", "tostring", "view")  # fmt: skip
"""Methods of these by which the derivative would be lost."""


class FlatNumbers:
    """``x.flat``: the elements one after the other, read and written by their number in that order."""

    def __init__(self, base: Any) -> None:
        self.base = base if base.ndim else base.reshape(1)

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.base.flatten())

    def _place(self, index: Any) -> Any:
        return np.unravel_index(np.arange(len(self))[fixed(index)], self.base.shape)

    def __getitem__(self, index: Any) -> Any:
        return self.base[self._place(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write the values in turn, from the first again where they are too few."""
        refuse(has_no_strides, "x.flat[…] = …", "views, to write through; assign x[…] = …", [self.base])
        if self.base.take_in(lambda target, source: target.flat.__setitem__(index, source), value):
            return
        values = array(value) if isinstance(value, (list, tuple)) else value
        numbers, count = numbered(self.base), len(self)
        try:
            numbers.flat[fixed(index)] = count + np.arange(size(values)).reshape(shape(values))[()]
        finally:  # what stands before an index out of bounds is written
            chosen = numbers >= count
            if np.any(chosen):
                self.base[chosen] = getitem(ravel(values), numbers[chosen] - count)

    @property
    def __array__(self) -> Any:
        if self.base.level is HELD and not is_number(type(self.base.primal)):
            return ravel(self.base).__array__
        raise no_plain_value("np.asarray of .flat", self.base, AttributeError)


class NdarrayAttributes:
    """What an array of numbers has like ``ndarray``, without being a function of NumPy."""

    __slots__ = ()
    take_in: Callable[[Callable[[Any, Any], Any], Any], bool]

    @property
    def flat(self) -> FlatNumbers:
        return FlatNumbers(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        if not self.take_in(lambda target, source: setattr(target, "flat", source), value):
            self.flat[:] = value

    @property
    def base(self) -> None:
        """Nothing: the array of numbers that a view shows is kept elsewhere."""

    @property
    def __array_namespace__(self) -> Any:
        """The array API's question for a namespace, which SciPy asks where SCIPY_ARRAY_API is set."""
        if not NAMESPACES:
            raise AttributeError("__array_namespace__")
        return lambda api_version=None: NAMESPACES[0]()

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        raise AttributeError(
            f"the flags of an array of numbers are not to be set; copy what must not change{user_line()}"
        )

    @property
    def resize(self) -> Any:
        raise AttributeError(f"an array of numbers is not resized in place: use np.resize{user_line()}")


def _refusal(name: str, remedy: str) -> property:
    def refuse(self: Any) -> Any:
        raise no_plain_value(f".{name}", self, AttributeError, remedy)

    return property(refuse)


def _of_the_value(name: str) -> property:
    return property(lambda self: getattr(plain(self), name))


for _name, _remedy in REFUSED.items():
    setattr(NdarrayAttributes, _name, _refusal(_name, _remedy))
for _name in OF_THE_VALUE:
    if hasattr(np.ndarray, _name):
        setattr(NdarrayAttributes, _name, _of_the_value(_name))


def of_scalar(name: str) -> property:
    """Make an attribute that a float or a scalar of NumPy has; it is absent where the plain value has none."""

    def attribute(self: Any) -> Any:
        plainly = getattr((read if name in OF_SCALARS else plain)(self), name)

        def refuse(*arguments: Any, **keywords: Any) -> Any:
            raise no_plain_value(f".{name}", self)

        return plainly if name in OF_SCALARS else refuse

    return property(attribute)
