"""A module as a function of its parameters, so that every derivative by them can be asked for.

>>> import numpy as np
>>> from autodiff import grad, nn, vmap
>>> net = nn.Sequential(nn.Linear(2, 3, rng=np.random.default_rng(0)), nn.Tanh(), nn.Linear(3, 1))
>>> parameters = nn.parameters_of(net)
>>> def loss(parameters, x, y):
...     return nn.mse(nn.functional_call(net, parameters, x), y)
>>> of_samples = vmap(grad(loss), in_axes=(None, 0, 0))(parameters, np.ones((5, 2)), np.zeros((5, 1)))
>>> of_samples["layers.0.weight"].shape
(5, 2, 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from dualnumbers.foreign import as_array, copy_of
from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line

from ..objects.leaf import Constant, Leaf
from .module import Module


def parameters_of(module: Module) -> dict[str, Any]:
    """Return copies of the values of all parameters of a module, by their paths: ``"layers.0.weight"``.

    >>> from autodiff import nn
    >>> {name: value.shape for name, value in parameters_of(nn.Linear(3, 2, rng=0)).items()}
    {'weight': (3, 2), 'bias': (2,)}
    """
    return {path: copy_of(as_array(parameter.data))[()] for path, parameter in module.named_parameters()}


def functional_call(module: Module, parameters: Mapping[str, Any], *arguments: Any, **keywords: Any) -> Any:
    """Return ``module(*arguments, **keywords)`` with given values in the place of its parameters.

    ``parameters`` has values by their paths, as `parameters_of` gives them, plain or numbers of any differentiation;
    a parameter without one is a constant of its own value. The module itself is not changed, and neither are buffers
    that training changes, such as the running mean of `BatchNorm`. Raises KeyError where a name is that of no
    parameter, ValueError where a shape is another one.

    >>> import numpy as np
    >>> from autodiff import grad, nn
    >>> net, x = nn.Linear(3, 1, rng=0), np.ones((1, 3))
    >>> grad(lambda given: np.sum(functional_call(net, given, x)))(parameters_of(net))["bias"]
    array([1.])
    """
    own = dict(module.named_parameters())
    unknown = sorted(set(parameters) - own.keys())
    if unknown:
        raise KeyError(f"the module has no parameter {', '.join(unknown)}: they are {', '.join(own)}{user_line()}")
    values: dict[int, Any] = {}
    for path, parameter in own.items():
        value, wanted = parameters.get(path, parameter.data), shape(parameter.data)
        if shape(value) != wanted:
            raise ValueError(f"{path} has the shape {wanted}; given is one of {shape(value)}{user_line()}")
        values[id(parameter)] = value
    return _with_values(module, values, {})(*arguments, **keywords)


def _with_values(owner: Any, values: dict[int, Any], made: dict[int, Any]) -> Any:
    """Return a copy of a module, or of what holds some, with values in the place of its parameters."""
    if isinstance(owner, Leaf):
        return owner if isinstance(owner, Constant) else values[id(owner)]
    if not isinstance(owner, (Module, dict, list, tuple)):
        return owner
    if id(owner) not in made:
        made[id(owner)] = _copy_of(owner, values, made)
    return made[id(owner)]


def _copy_of(owner: Any, values: dict[int, Any], made: dict[int, Any]) -> Any:
    if isinstance(owner, tuple):
        parts = [_with_values(member, values, made) for member in owner]
        return type(owner)(*parts) if hasattr(owner, "_fields") else tuple(parts)
    other = made[id(owner)] = copy(owner)  # first, for what holds itself
    members = vars(other) if isinstance(owner, Module) else other
    for place, member in list(enumerate(members) if isinstance(members, list) else members.items()):
        members[place] = _with_values(member, values, made)
    return other
