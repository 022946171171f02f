"""Module: a function with parameters. It finds them among its attributes, in lists, tuples, dicts and other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array, copy_of
from dualnumbers.forms import is_array
from dualnumbers.messages.errors import user_line

from ..calls.given import described
from ..objects.leaf import Constant, Leaf

Array = np.ndarray[Any, Any]


class Module:
    """A function whose parameters are Variables made by hand, and attributes of it.

    A subclass writes ``forward(self, x)``. What else is to be saved with the parameters is named in ``buffers``.
    Called without a ``forward`` of its own it raises NotImplementedError.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> class Scale(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = Variable(2.0)
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> net = Scale()
    >>> np.sum(net(np.array([1.0, 3.0]))).backward()
    >>> net.factor.grad
    4.0
    """

    training = True
    """Whether `Dropout` and `BatchNorm` act as in training."""

    buffers: tuple[str, ...] = ()
    """Names of attributes, plain arrays, that belong to the state."""

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """Compute the function itself."""
        raise NotImplementedError(f"{type(self).__name__} is a Module without a function: write its forward(self, x)")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.forward(*arguments, **keywords)

    def named_modules(self) -> Iterator[tuple[str, Module]]:
        """Yield this module and all in it, each once, with the path that leads to it: ``"layers.0"``."""
        for sort, trail, found in _found(self):
            if sort == "module":
                yield _path(trail), found

    def named_parameters(self) -> Iterator[tuple[str, Leaf]]:
        """Yield the parameters, each once, with the path that leads to them: ``"layers.0.weight"``."""
        for sort, trail, found in _found(self):
            if sort == "parameter":
                yield _path(trail), found

    def parameters(self) -> list[Leaf]:
        """Return the parameters, each once."""
        return [found for sort, _, found in _found(self) if sort == "parameter"]

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.zero_grad()

    def train(self, training: bool = True) -> Module:
        """Act as in training; return the module."""
        for _, module in self.named_modules():
            module.training = training
        return self

    def eval(self) -> Module:
        """Act as in use, not in training; return the module."""
        return self.train(False)

    def state_dict(self) -> dict[str, Any]:
        """Copy the values of all parameters and buffers, by their paths: ``np.savez(f, **net.state_dict())``."""
        return {
            path: copy_of(as_array(owner.data if name is None else getattr(owner, name)))
            for path, owner, name in self._state()
        }

    def to(self, made: Callable[[Any], Any]) -> Module:
        """Hold every parameter and buffer as the array that ``made`` makes of it; return the module.

        ``net.to(cupy.asarray)`` lays a network on a GPU, ``net.to(cupy.asnumpy)`` takes it back. An optimiser is made
        afterwards, for its moments are arrays like the parameters. Raises TypeError where ``made`` is no function or
        makes no array, ValueError where a shape becomes another; nothing has changed then.

        >>> import numpy as np
        >>> from autodiff import nn
        >>> nn.Linear(3, 2, rng=0).to(np.float32).weight.data.dtype
        dtype('float32')
        """
        if not callable(made):
            raise TypeError(f"to takes what makes the arrays, as in net.to(cupy.asarray), not {made!r}")
        found = []
        for path, owner, name in self._state():
            value = copy_of(as_array(owner.data if name is None else getattr(owner, name)))
            other = made(value)
            if not is_array(other):
                raise TypeError(f"to: of {path} was made {type(other).__name__}, which is no array")
            if other.shape != value.shape:
                raise ValueError(f"to: {path} has the shape {value.shape}; what is made of it, {other.shape}")
            found.append((owner, name, other[()]))
        for owner, name, other in found:
            if name is None:
                owner.update(other)
            else:
                setattr(owner, name, other)
        return self

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over the values of a `state_dict`.

        Raises KeyError where names are missing or unknown, ValueError where a shape differs or a value is no such
        number, complex for a real one; nothing has changed then.
        """
        places = {path: (owner, name) for path, owner, name in self._state()}
        missing, unknown = sorted(places.keys() - set(state)), sorted(set(state) - places.keys())
        if missing or unknown:
            raise KeyError(f"this state does not fit the module: missing {missing}, unknown {unknown}")
        values = {}
        for path, (owner, name) in places.items():
            there, given = as_array(owner.data if name is None else getattr(owner, name)), as_array(state[path])
            if given.shape != there.shape:
                raise ValueError(f"{path} has the shape {there.shape}, in the state {given.shape}")
            if not np.can_cast(given.dtype, there.dtype, "same_kind"):
                raise ValueError(f"{path} is of type {there.dtype}, in the state of {given.dtype}")
            values[path] = given.astype(there.dtype)
        for path, (owner, name) in places.items():
            if name is None:
                owner.data = values[path][()]
            else:
                setattr(owner, name, values[path])

    def _state(self) -> Iterator[tuple[str, Any, str | None]]:
        """Yield the path of every parameter and buffer, what it belongs to, and a buffer's name."""
        for path, parameter in self.named_parameters():
            yield path, parameter, None
        for path, module in self.named_modules():
            for name in module.buffers:
                yield f"{path}.{name}".lstrip("."), module, name

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in getattr(self, "shown", ()))
        return f"{type(self).__name__}({inside})"


class _Sorts(dict[type, str]):
    """A table: class → what its objects are where parameters are looked for; "" of what is none and holds none."""

    def __missing__(self, kind: type) -> str:
        sorts: dict[str, Any] = {
            "constant": Constant,
            "parameter": Leaf,
            "module": Module,
            "holder": (dict, list, tuple),
        }
        self[kind] = sort = next((name for name, bases in sorts.items() if issubclass(kind, bases)), "")
        return sort


_sort_of = _Sorts().__getitem__

Trail = tuple[Any, ...]
"""The names that lead to what was found, from the last to the first: ``("weight", (0, ("layers", ())))``."""


def _path(trail: Trail) -> str:
    """Return a trail as it is written: ``"layers.0.weight"``."""
    names = []
    while trail:
        name, trail = trail
        names.append(f"{name}")
    return ".".join(reversed(names))


Found = tuple[str, Trail, Any]
"""A Module or Variable in a module: its sort, its trail and itself."""


def _found(module: Module) -> Iterable[Found]:
    """Return every Module and Variable in a module, itself too, each once."""
    found: dict[int, Found] = {id(module): ("module", (), module)}
    _add_members(module, (), found)
    return found.values()


def _add_members(owner: Any, trail: Trail, found: dict[int, Found]) -> None:
    """Add what a module or a container holds to what was found, by the identity of each."""
    for name, member in _members(owner):
        sort = _sort_of(member.__class__)
        if sort:
            here = name, trail
            if sort != "holder":
                if id(member) in found:
                    continue
                found[id(member)] = sort, here, member
            if sort == "module" or sort == "holder":
                _add_members(member, here, found)


def _members(owner: Any) -> Iterable[tuple[Any, Any]]:
    """Return what a module or a container holds, by name, key or place."""
    if isinstance(owner, (list, tuple)):
        return enumerate(owner)
    return (vars(owner) if isinstance(owner, Module) else owner).items()


class Sequential(Module):
    """Modules, or any functions, one after the other. Raises TypeError for a layer that is neither.

    >>> import numpy as np
    >>> from autodiff.nn import Linear, Tanh
    >>> net = Sequential(Linear(3, 4, rng=0), Tanh(), Linear(4, 2, rng=0))
    >>> net(np.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(self, *layers: Any) -> None:
        for layer in layers:
            if not callable(layer):
                raise TypeError(
                    f"Sequential takes layers one by one, modules or functions, not {described(layer)}{user_line()}"
                )
        self.layers = list(layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.layers)

    def __getitem__(self, place: int) -> Any:
        return self.layers[place]

    def __repr__(self) -> str:
        return f"Sequential({', '.join(map(repr, self.layers))})"
