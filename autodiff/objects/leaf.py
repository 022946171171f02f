"""Variables made by hand: leaves, which hold a value and its gradient; and constants.

A leaf is what is differentiated by, so it is never computed from anything, nor are its elements: ``w[0] = y`` is an
error. To give it another value, assign its ``data`` or write to that, between uses:

>>> from autodiff import Variable
>>> w = Variable(np.array([1.0, 2.0]), name="w")
>>> y = w * w
>>> w.data[0] = 5.0
>>> y.sum().backward()  # of what w was when y was computed
>>> w.grad
array([2., 4.])

That ``y`` still knows the 1.0 costs a copy only where it must. As long as nobody but the leaf and tapes refers to the
array (``_alone``), nobody writes to it, and the tapes have it without a copy. ``data`` hands it out; if a tape has it,
``data`` first makes a copy, which is the leaf's value from then on. An array that was handed out may be written to, so
a tape keeps it as any captured array (calls/captured.py), until it is seen that nobody has it any more.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import count
from math import prod
from typing import Any

import numpy as np

from dualnumbers.foreign import copy_of
from dualnumbers.forms import is_array, shape
from dualnumbers.levels import LIVING, Level, is_number, level_of, plain
from dualnumbers.memory import is_free
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.typed import unwrapped
from dualnumbers.rules.shaping import array

from ..calls.values import differentiable, living, matching, value_of
from .fast_paths import fill_leaves
from .no_grad import is_recording
from .result import ByHand, Result, result
from .shared_tape import OF_PLAIN, SharedTape

new = object.__new__
_numbers = count()


class Leaf(ByHand):
    """A number or array made by hand, ``Variable(3.0, name="w")``, that `backward` gives a gradient.

    ``data`` is its value: it may be assigned a new one of the same shape, or be written to, between uses. ``grad`` is
    None until `backward` adds to it. Within a differentiation both may carry its derivatives; when it has ended they
    are plain. Integers become floats; TypeError for what is no number.
    """

    __slots__ = ("_alone", "_data", "_grad", "gradient", "last", "name", "number", "siblings")
    _alone: bool
    _data: Any
    _grad: Any
    last: Any
    """A weak reference to the tape on which it was last an operand."""
    name: str | None
    number: int
    siblings: tuple[tuple[int, int], ...]
    """The number and the size of each leaf that was made together with this one (`Variable.multi_variables`)."""

    def __new__(cls, data: Any, name: str | None = None) -> Any:
        data = differentiable(array(data), "a Variable")
        scalar, of_array = (Constant, ArrayConstant) if issubclass(cls, Constant) else (Leaf, ArrayLeaf)
        is_of_array = is_array(data)
        leaf: Any = new(of_array if is_of_array else scalar)
        leaf._data, leaf._alone = copy_of(data) if is_of_array and not is_number(type(data)) else data, True
        leaf.name, leaf.number, leaf.siblings = name, next(_numbers), ()
        leaf.grad = leaf.gradient = leaf.last = None
        LIVING.add(leaf.number)
        return leaf

    def __del__(self) -> None:
        LIVING.discard(self.number)

    @property
    def data(self) -> Any:
        """The value. Writing to it changes nothing that was computed from it before."""
        data = self.primal
        if self._alone and is_array(data) and not is_free(data):
            self._data = data = data.copy() if is_number(type(data)) else copy_of(data)  # a tape has the other
        self._alone = False
        return unwrapped(data)

    @data.setter
    def data(self, value: Any) -> None:
        new_level = level_of(value)
        if new_level.is_of_leaves and new_level is not level_of(self.primal):
            raise TypeError(
                "the new value was computed from Variables made by hand, so that this one would depend on "
                f"them: compute it within no_grad(), or give its .data{user_line()}"
            )
        self.update(matching(value, self.primal, "the new value")[0])
        self._alone = False

    def update(self, value: Any) -> None:
        """Take a value of the same shape that nobody else will write to."""
        self._data, self._alone = value, True

    @property
    def primal(self) -> Any:
        if is_number(type(self._data)):
            self._data = living(self._data)
        return self._data

    @property
    def grad(self) -> Any:
        """The gradient."""
        if is_number(type(self._grad)):
            self._grad = living(self._grad)
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        self._grad = value

    tape = property(lambda self: None)

    def going_on(self) -> SharedTape | None:
        """Return the tape on which it was an operand last, for the next operation; None where that begins another."""
        tape: SharedTape | None = None if self.last is None else self.last()
        while tape is not None and tape.absorbed is not None:
            tape, _ = tape.absorbed
        if tape is None or tape.is_swept or tape.has_arrays or tape.level is not self.level:
            return None
        return tape

    def spot(self) -> tuple[SharedTape, int] | None:
        """Return the place on the tape on which it goes on, where it has one and its value is the one there."""
        tape = None if self.last is None else self.last()
        if tape is None or not tape.is_open() or tape.is_swept or tape.has_arrays:
            return None
        line = self.line_on(tape)
        return None if line is None else (tape, line)

    def line_on(self, tape: SharedTape) -> int | None:
        """Return its line on a tape; None where it has none, or another value than it had there."""
        line = tape.lines.get(id(self))
        return line if line is not None and tape.values[line] is self._data else None

    @property
    def level(self) -> Level:  # type: ignore[override]
        return level_of(self.primal).of_leaves if is_number(type(self._data)) else OF_PLAIN

    def on(self, tape: SharedTape) -> int:
        data = self.primal
        self._alone = self._alone or is_free(data)
        return tape.input(self, data if self._alone else tape.kept(data))

    def recorded(self) -> Result:
        tape = SharedTape(self.level)
        line: Result = result(tape, self.on(tape))
        return line

    def snapshot(self) -> Any:
        return self.recorded() if is_recording() else self.primal

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self.grad = None

    def retain_grad(self) -> None:
        """Let `backward` keep its gradient, as it does of every leaf without being told."""

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"{'Constant' if isinstance(self, Constant) else 'Variable'}({plain(self)!r}{named})"

    def __copy__(self) -> Any:
        return type(self)(self.primal, self.name)

    def __deepcopy__(self, memo: Any) -> Any:
        memo[id(self)] = other = type(self)(self.primal, self.name)
        other.grad = deepcopy(self.grad, memo)
        return other

    def __reduce__(self) -> Any:
        return type(self), (self.primal, self.name)


class ArrayLeaf(Leaf, ArrayNumber):
    """An array made by hand."""

    __slots__ = ()
    snapshot = Leaf.snapshot

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return self

    def check_writable(self) -> None:
        raise _unwritable()

    def become(self, value: Any) -> None:
        raise _unwritable()


fill_leaves(Leaf, ArrayLeaf)


def _unwritable() -> TypeError:
    return TypeError(
        "a Variable made by hand is what is differentiated with respect to: write to x.data, as in x.data "
        f"-= step, or to a copy, x.copy(){user_line()}"
    )


def _in_place(self: Leaf, other: Any) -> Any:
    """Refuse an augmented assignment that would write an array, or within no_grad replace the Variable by a number."""
    if isinstance(self, ArrayNumber) or not is_recording():
        raise _unwritable()
    return NotImplemented


for _name in ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod", "matmul"):
    setattr(Leaf, f"__i{_name}__", _in_place)


class Constant(Leaf):
    """A number or array made by hand that nothing is differentiated with respect to: a value, without derivative.

    >>> from autodiff import Variable
    >>> x, c = Variable(2.0), Constant(5.0)
    >>> (c * x).backward()
    >>> x.grad
    5.0
    """

    __slots__ = ()

    def __new__(cls, data: Any, name: str | None = None) -> Any:
        return Leaf.__new__(cls, value_of(data), name)

    def on(self, tape: SharedTape) -> int:
        return tape.constant(self._data)

    def recorded(self) -> Result:
        raise TypeError(f"a Constant was computed from no Variable: nothing to differentiate by{user_line()}")

    def __float__(self) -> float:
        return float(self._data)

    def __int__(self) -> int:
        return int(self._data)

    def __complex__(self) -> complex:
        return complex(self._data)

    def snapshot(self) -> Any:
        return self._data


class ArrayConstant(Constant, ArrayLeaf):
    """An array of constants."""

    __slots__ = ()
    snapshot = Constant.snapshot

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._data, dtype)


def together(leaves: list[Any]) -> list[Any]:
    """Let leaves belong together: each knows the numbers of all."""
    siblings = tuple((leaf.number, prod(shape(leaf.primal))) for leaf in leaves)
    for leaf in leaves:
        leaf.siblings = siblings
    return leaves
