"""Functions of another library as rules: their push-forward and their pull-back are those of that library.

They are functions of that library as well, and so are bridged in their turn: to any order.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import update_wrapper
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from dualnumbers.forms import dtype_of
from dualnumbers.levels import is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.table.kinds import Constant, Kind, Smooth

from ..calls.given import no_function
from ..calls.structures import flatten, map_leaves
from ..custom.arrays import Rule

Function = Callable[..., Any]


class Library:
    """What a bridge asks of another library."""

    name: ClassVar[str]

    def array(self, x: Any) -> Any:
        """Return an array of the library that holds what an array of NumPy's does."""
        raise NotImplementedError

    def plain(self, x: Any) -> Any:
        """Return an array of NumPy's that holds what one of the library does."""
        raise NotImplementedError

    def is_array(self, x: Any) -> bool:
        """Return whether a value is an array of the library."""
        raise NotImplementedError

    def pushed(self, function: Function, k: int) -> Function:
        """Return ``(tangent, *arguments)`` → the tangent of the value, that of argument ``k`` given."""
        raise NotImplementedError

    def pulled(self, function: Function, active: tuple[int, ...]) -> Function:
        """Return ``(cotangent, *arguments)`` → the tuple of the adjoints of the ``active`` arguments."""
        raise NotImplementedError

    def in_precision(self, leaves: list[Any]) -> Any:
        """Return a context in which the library computes in the precision of these arrays."""
        return nullcontext()


class Torch(Library):
    """PyTorch."""

    name = "torch"

    def array(self, x: Any) -> Any:
        return import_module("torch").from_dlpack(_native(x))

    def plain(self, x: Any) -> Any:
        return np.from_dlpack(x.detach().cpu().resolve_conj().resolve_neg()).copy()

    def is_array(self, x: Any) -> bool:
        return isinstance(x, import_module("torch").Tensor)

    def pushed(self, function: Function, k: int) -> Function:
        torch = import_module("torch")
        return lambda t, *xs: torch.func.jvp(_of_one(function, k, xs), (xs[k],), (t,))[1]

    def pulled(self, function: Function, active: tuple[int, ...]) -> Function:
        torch = import_module("torch")
        return lambda g, *xs: torch.func.vjp(_of_some(function, active, xs), *(xs[k] for k in active))[1](g)


class Jax(Library):
    """JAX."""

    name = "jax"

    def array(self, x: Any) -> Any:
        return import_module("jax.numpy").from_dlpack(_native(x), copy=True)

    def plain(self, x: Any) -> Any:
        return np.from_dlpack(x, device="cpu").copy()

    def is_array(self, x: Any) -> bool:
        return isinstance(x, import_module("jax").Array)

    def pushed(self, function: Function, k: int) -> Function:
        jax = import_module("jax")
        return lambda t, *xs: jax.jvp(_of_one(function, k, xs), (xs[k],), (t,))[1]

    def pulled(self, function: Function, active: tuple[int, ...]) -> Function:
        jax = import_module("jax")
        return lambda g, *xs: jax.vjp(_of_some(function, active, xs), *(xs[k] for k in active))[1](g)

    def in_precision(self, leaves: list[Any]) -> Any:
        double = any(np.asarray(x).dtype.char in "dD" for x in leaves)
        return import_module("jax").enable_x64(True) if double else nullcontext()


def _native(x: Any) -> Any:
    """Return a copy of an array, in this machine's order of bytes."""
    return np.array(x, np.asarray(x).dtype.newbyteorder("="))


def _of_one(function: Function, k: int, xs: tuple[Any, ...]) -> Function:
    return lambda x: function(*xs[:k], x, *xs[k + 1 :])


def _of_some(function: Function, active: tuple[int, ...], xs: tuple[Any, ...]) -> Function:
    def of_active(*given: Any) -> Any:
        values = dict(zip(active, given, strict=True))
        return function(*(values.get(k, x) for k, x in enumerate(xs)))

    return of_active


class Imported:
    """A function of another library as one of NumPy arrays: a rule for each number of arguments."""

    def __init__(self, library: Library, function: Function, name: str) -> None:
        self.library, self.function, self.name = library, function, name
        self.rules: dict[tuple[int, tuple[int, ...]], Rule] = {}
        self.derivatives: dict[Any, Imported] = {}

    def __call__(self, *arguments: Any) -> Any:
        active = tuple(k for k, x in enumerate(arguments) if any(map(_moves, flatten(x)[0])))
        rule = self.rules.get((len(arguments), active))
        if rule is None:
            rule = self.rules[len(arguments), active] = self._rule(len(arguments), active)
        return rule(list(map(_boxed, arguments)), ())

    def _rule(self, count: int, active: tuple[int, ...]) -> Rule:
        kinds: list[Kind] = [Smooth(self._push(k), self._pull(k)) if k in active else Constant() for k in range(count)]

        def pull(g: Any, z: Any, *arguments: Any) -> list[Any]:
            found = dict(zip(active, self._pulled(active, g, arguments), strict=True))
            return [_boxed(found[k]) if k in found else None for k in range(count)]

        return Rule(self.name, self._value, kinds, (), pull)

    def _push(self, k: int) -> Function:
        def push(t: Any, z: Any, *arguments: Any) -> Any:
            pushed = self._derivative(("push-forward", k), lambda: self.library.pushed(self.function, k))
            return pushed(_unboxed(t), *map(_unboxed, arguments))

        return push

    def _pull(self, k: int) -> Function:
        return lambda g, z, *arguments: _boxed(self._pulled((k,), g, arguments)[0])

    def _pulled(self, active: tuple[int, ...], g: Any, arguments: tuple[Any, ...]) -> Any:
        """Return the adjoints of some arguments."""
        pulled = self._derivative(("pull-back", active), lambda: self.library.pulled(self.function, active))
        return pulled(g, *map(_unboxed, arguments))

    def _derivative(self, which: Any, make: Callable[[], Function]) -> Imported:
        """Return a derivative of the function, made when it is first asked for."""
        if which not in self.derivatives:
            self.derivatives[which] = Imported(self.library, make(), f"the {which[0]} of {self.name}")
        return self.derivatives[which]

    def _value(self, *arguments: Any) -> Any:
        """Return what the function returns at plain arguments, in NumPy's arrays."""
        with self.library.in_precision([leaf for x in arguments for leaf in flatten(x)[0]]):
            out = self.function(*(map_leaves(self._given, _unboxed(x)) for x in arguments))
            return map_leaves(self._taken, out)

    def _given(self, x: Any) -> Any:
        return self.library.array(x) if isinstance(x, (float, complex, np.generic, np.ndarray)) else x

    def _taken(self, x: Any) -> Any:
        if not self.library.is_array(x):
            return x
        try:
            return self.library.plain(x)[()]
        except (BufferError, TypeError, RuntimeError) as error:
            raise TypeError(
                f"{self.name} returned {x.dtype}, which NumPy has not: let it return float32 or float64{user_line()}"
            ) from error


def _boxed(x: Any) -> Any:
    """Return a list or tuple in a dict: a rule takes one that is an argument for an array."""
    return {"": x} if isinstance(x, (list, tuple)) else x


def _unboxed(x: Any) -> Any:
    return x[""] if isinstance(x, dict) and x.keys() == {""} else x


def _moves(x: Any) -> bool:
    """Return whether a leaf can carry a derivative."""
    number = is_number(type(x)) or isinstance(x, (float, complex, np.generic, np.ndarray))
    return number and dtype_of(x).kind in "fc"


def _imported(library: Library, function: Function) -> Function:
    name = getattr(function, "__name__", None) or type(function).__name__
    if not callable(function):
        raise no_function(f"from_{library.name}(f)", function)
    bridge = Imported(library, function, name)

    def imported(*arguments: Any) -> Any:
        return bridge(*arguments)

    return update_wrapper(imported, function) if hasattr(function, "__name__") else imported


def from_torch(function: Function) -> Function:
    """Return a function of PyTorch's tensors as one of NumPy arrays and numbers, differentiated here, in both modes.

    It takes what ``function`` takes, by place, with arrays and floats in place of tensors, in tuples, lists and dicts
    as well; what it returns has arrays in place of tensors. ``function`` may be a module: its own parameters are
    constants then. To differentiate by them give them as an argument, by ``torch.func.functional_call``. Derivatives
    are those of ``torch.func``, so ``function`` is written as that asks for: without writing to what it is given.

    Raises TypeError where the function returns a type that NumPy has not, such as bfloat16.

    >>> import torch  # doctest: +SKIP
    >>> grad(from_torch(lambda x: torch.sum(torch.sin(x) * x)))(np.array([0.0, 1.0]))  # doctest: +SKIP
    array([0.        , 1.38177329])
    """
    return _imported(Torch(), function)


def from_jax(function: Function) -> Function:
    """Return a function of JAX's arrays as one of NumPy arrays and numbers, differentiated here, in both modes.

    It takes what ``function`` takes, by place, with NumPy's arrays and floats in place of JAX's, in tuples, lists and
    dicts as well; what it returns has NumPy's arrays. Of float64 it is computed in float64, whatever JAX is configured
    to. ``function`` may be compiled, by ``jax.jit``.

    Raises TypeError where the function returns a type that NumPy has not, such as bfloat16.

    >>> import jax.numpy as jnp  # doctest: +SKIP
    >>> grad(from_jax(lambda x: jnp.sum(jnp.sin(x) * x)))(np.array([0.0, 1.0]))  # doctest: +SKIP
    array([0.        , 1.38177329])
    """
    return _imported(Jax(), function)
