"""Number: Python's operators and NumPy's protocols, written once for every kind of number.

A kind of number says how a row extends to it (``lift``) and which differentiation it belongs to (``level``); it keeps
the value one level down in ``primal``. A scalar number has no length and no index, so that NumPy takes it for a
scalar; `ArrayNumber` adds what arrays have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from .elementary import BY_NUMPY, TABLE
from .errors import no_plain_value, no_rule, user_line
from .levels import Level, is_number, is_operand, plain
from .rules import shaping
from .rules.indexing import getitem, setitem
from .rules.inspection import CREATION

BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
          "mod": "mod", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
          "xor": "bitwise_xor"}  # fmt: skip
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
               "ne": "not_equal"}  # fmt: skip
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert", "floor": "floor", "ceil": "ceil",
         "trunc": "trunc"}  # fmt: skip


class Number:
    """A kind of number. Concrete kinds have ``lift``, ``level`` and ``primal``; their operators come from the table."""

    __slots__ = ()
    level: Level
    primal: Any

    def __init_subclass__(cls, operators: bool = False, **keywords: Any) -> None:
        """Give a kind its operators: each is the row, lifted; one that the class itself writes out stays."""
        super().__init_subclass__(**keywords)
        if not operators:
            return
        methods: dict[str, Callable[..., Any]] = {}
        for name, row in (BINARY | COMPARISONS).items():  # a comparison has no reflected twin; Python ignores it
            methods[f"__{name}__"], methods[f"__r{name}__"] = cls.operators(TABLE[row].row)  # type: ignore[attr-defined]
        for name, row in UNARY.items():
            methods[f"__{name}__"] = TABLE[row].row.lifts[cls]  # type: ignore[attr-defined]
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(cls, name, method)

    @classmethod
    def operators(cls, row: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The operator of a row and its reflected twin; ``NotImplemented`` for what is no operand."""
        lifted = row.lifts[cls]

        def operator(x: Any, y: Any) -> Any:
            y = as_operand(x, y)
            return y if y is NotImplemented else lifted(x, y)

        def reflected(x: Any, y: Any) -> Any:
            y = as_operand(x, y)
            return y if y is NotImplemented else lifted(y, x)

        return operator, reflected

    # ------------------------------------------------------------------------------------------ Python

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __round__(self, digits: int | None = None) -> Any:
        return round(plain(self)) if digits is None else round(plain(self), digits)

    def __hash__(self) -> int:
        if self.level.by_hand:
            return hash(self.primal)
        raise TypeError(
            "a number inside a differentiation has no hash: as a key of a dict, a set or an lru_cache it would find a "
            "stored plain answer and lose its derivative; use autodiff.value_of(x) as the key" + user_line()
        )

    def __float__(self) -> float:
        raise no_plain_value("float", self)

    def __int__(self) -> int:
        raise no_plain_value("int", self)

    def __complex__(self) -> complex:
        raise no_plain_value("complex", self)

    def __format__(self, spec: str) -> str:
        return format(plain(self), spec)

    # ------------------------------------------------------------------------------------------ NumPy

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(plain(self))

    @property
    def ndim(self) -> int:
        return np.ndim(plain(self))

    @property
    def size(self) -> int:
        return int(np.size(plain(self)))

    @property
    def dtype(self) -> Any:
        return np.result_type(plain(self))

    @property
    def real(self) -> Any:
        return TABLE["real"](self)

    @property
    def imag(self) -> Any:
        return TABLE["imag"](self)

    def conjugate(self) -> Any:
        return TABLE["conj"](self)

    conj = conjugate

    @property
    def __array__(self) -> Any:
        """Absent on scalars, so that ``np.array([x, y])`` makes an object array; on arrays it refuses."""
        if self.ndim == 0:
            raise AttributeError("__array__")

        def refuse(dtype: Any = None, copy: Any = None) -> Any:
            raise no_plain_value("np.asarray", self)

        return refuse

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """NumPy's ufuncs (NEP 13): the row of that ufunc, as NumPy computes it."""
        function = BY_NUMPY.get(ufunc) or BY_NUMPY.get(ufunc.__name__)
        if function is None or method != "__call__":
            raise no_rule(ufunc, "" if method == "__call__" else f".{method}")
        operands = []
        for x in inputs:
            if isinstance(x, (list, tuple, np.ndarray)):
                x = shaping.array(x)
            elif not is_operand(type(x)):
                return NotImplemented
            operands.append(x)
        return self._into(ufunc, function(*operands), **keywords) if keywords else function(*operands)

    def _into(self, ufunc: Any, result: Any, out: Any = (None,), where: Any = True, **keywords: Any) -> Any:
        """A ufunc's result stored as its keywords ask."""
        if where is not True or keywords:
            raise no_rule(ufunc, f" with {', '.join(keywords) or 'where'}=")
        (target,) = out
        if target is None:
            return result
        if not isinstance(target, ArrayNumber):
            raise no_plain_value(f"np.{ufunc.__name__} with out= a plain array", self)
        target[...] = result
        return target

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        """NumPy's other functions (NEP 18): the row or composition registered for it."""
        if function in CREATION:
            return self.constant(function(*arguments, **keywords))
        entry = BY_NUMPY.get(function)
        if entry is None:
            raise no_rule(function)
        return entry(*map(_joined, arguments), **keywords)

    def constant(self, value: Any) -> Any:
        """A plain array as a number of this kind and level that carries no derivative yet, to be filled."""
        raise NotImplementedError(f"{type(self).__name__}.constant")

    def parts(self) -> tuple[Any, ...]:
        """The values of a lower level that the number is made of."""
        return (self.primal,)

    def leads(self, other: Number) -> bool:
        """Whether this number rather than ``other``, of the same level, says how a row is applied."""
        return False


class ArrayNumber(Number):
    """A number whose primal is an array: it has a length, elements, and the methods of ``ndarray``."""

    __slots__ = ()
    _methods: ClassVar[dict[str, Any]] = {
        "sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min, "ravel": np.ravel,
        "dot": np.dot, "any": np.any, "all": np.all, "argmax": np.argmax, "argmin": np.argmin, "argsort": np.argsort,
        "nonzero": np.nonzero}  # fmt: skip

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return self.view(getitem, as_index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, (list, tuple, np.ndarray)):
            value = shaping.array(value)
        self.move(setitem(self, value, as_index(index)))

    def _in_place(name: str) -> Callable[..., Any]:  # type: ignore[misc] # noqa: N805
        def operator(self: ArrayNumber, other: Any) -> Any:
            self[...] = getattr(self, name)(other)
            return self

        return operator

    __iadd__, __isub__, __imul__ = _in_place("__add__"), _in_place("__sub__"), _in_place("__mul__")
    __itruediv__, __ipow__, __imod__ = _in_place("__truediv__"), _in_place("__pow__"), _in_place("__mod__")

    def view(self, function: Any, *static: Any) -> Any:
        """A row applied to this array; where NumPy gives a view, one that stays tied to this array."""
        z = function(self, *static)
        value = plain(z)
        if isinstance(value, np.ndarray) and function.row.put and np.may_share_memory(value, plain(self)):
            return z.tied(self, function, static)
        return z

    def move(self, value: Any) -> None:
        """Take the value of another number of this level: what item assignment does."""
        raise NotImplementedError(f"{type(self).__name__}.move")

    def snapshot(self) -> Any:
        """This array as it is now, whatever is assigned to its elements later."""
        raise NotImplementedError(f"{type(self).__name__}.snapshot")

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        """This array as a view ``function(base, *static)``."""
        raise NotImplementedError(f"{type(self).__name__}.tied")

    def reshape(self, *to: Any, order: str = "C") -> Any:
        return self.view(shaping.reshape, to[0] if len(to) == 1 else to, order)

    def transpose(self, *axes: Any) -> Any:
        return self.view(shaping.transpose, axes[0] if len(axes) == 1 else axes or None)

    def flatten(self, order: str = "C") -> Any:
        return shaping.reshape(self, -1, order)

    def copy(self, order: str = "C") -> Any:
        return +self

    def astype(self, dtype: Any) -> Any:
        return shaping.astype(self, dtype) if np.dtype(dtype).kind in "fc" else plain(self).astype(dtype)

    @property
    def T(self) -> Any:  # noqa: N802
        return self.transpose()

    @property
    def mT(self) -> Any:  # noqa: N802
        return shaping.matrix_transpose(self)


class ArrayView(ArrayNumber):
    """A view, kept as the row that derives it from its base: a stale one re-derives itself when it is read."""

    __slots__ = ()
    base: Any
    function: Any
    static: tuple[Any, ...]
    source: Any
    seen: Any

    def tie(self, seen: Any, base: Any, function: Any, static: tuple[Any, ...]) -> ArrayView:
        self.base, self.function, self.static = base, function, static
        self.seen, self.source = seen, base.primal
        return self

    def current(self) -> Any:
        """The view of what the base holds now: item assignment gives the base a new primal."""
        if self.base.primal is not self.source:
            self.seen, self.source = self.function(self.base, *self.static), self.base.primal
        return self.seen

    def move(self, value: Any) -> None:
        self.base.move(self.function.row.put(self.base, value, *self.static))


def _joined(argument: Any) -> Any:
    """An argument of a NumPy function: object arrays of numbers joined, also as elements of a list of arrays."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(map(_joined, argument)) if not hasattr(argument, "_fields") else argument
    return shaping.array(argument) if isinstance(argument, np.ndarray) else argument


def as_operand(x: Any, y: Any) -> Any:
    """What stands beside the number ``x`` in an operation: lists and object arrays joined; NotImplemented for others."""
    kind = type(y)
    if kind is np.ndarray:
        return shaping.array(y) if y.dtype.char == "O" else y
    if is_operand(kind):
        return y
    return shaping.array(y) if isinstance(y, (list, tuple)) and isinstance(x, ArrayNumber) else NotImplemented


def as_index(index: Any) -> Any:
    """An index of plain values, its arrays copied: what the caller does to them later does not change the tape."""
    kind = type(index)
    if kind is int or kind is slice:
        return index
    if kind is tuple:
        return tuple(map(as_index, index))
    if is_number(kind):
        return plain(index)
    return np.array(index) if isinstance(index, (list, np.ndarray)) else index


def _method(numpy_function: Any) -> Callable[..., Any]:
    entry = BY_NUMPY[numpy_function]
    row = getattr(getattr(entry, "function", None), "row", None)
    defaults = row.signature(None)[1:] if row and row.arity == 1 else None

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments or keywords or defaults is None:
            return entry(self, *arguments, **keywords)
        return row.lifts[type(self)](self, *defaults)

    method.__name__ = numpy_function.__name__
    return method


def _refusal(name: str) -> property:
    def refuse(self: Number) -> Any:
        raise no_plain_value(f".{name}", self, AttributeError)

    return property(refuse)


# not by __getattr__, which would slow every other attribute down
for _name in ("data", "detach", "dual", "grad", "item", "numpy", "tangent", "tobytes", "tofile", "tolist", "value"):
    setattr(Number, _name, _refusal(_name))
for _name, _function in ArrayNumber._methods.items():
    setattr(ArrayNumber, _name, _method(_function))
for _function, _entry in list(BY_NUMPY.items()):
    if isinstance(_function, np.ufunc) and _function.nin == 1 and _function.__name__ not in ("conjugate",):
        setattr(Number, _function.__name__, _entry)  # np.sin of an object array calls x.sin()
