"""The steps of a training: as they are written, or as one compiled program."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.statistics.logarithmic_sums import log_softmax

from ..calls.values import matching, value_of
from ..compiler import jit
from ..objects.no_grad import no_grad
from ..reverse import value_and_grad
from .functional import functional_call
from .layers import Dropout
from .losses import cross_entropy
from .module import Module
from .optimisers import Optimiser

Step = Callable[[Any, Any], tuple[Any, Any]]
"""A step on a batch and its targets; it gives the loss, and what the network gave."""


def refuse_changing(net: Module, argument: str) -> None:
    """Raise ValueError where a module is another one after each step, which an argument of `fit` does not take."""
    for path, module in net.named_modules():
        if module.training and (module.buffers or (isinstance(module, Dropout) and module.probability)):
            raise ValueError(
                f"fit: {path or 'the network'}, {type(module).__name__}, is another one after each "
                f"step, and with {argument} it stays as it is: leave {argument} out{user_line()}"
            )


def eager_step(net: Module, loss: Callable[[Any, Any], Any], optimiser: Optimiser) -> Step:
    """Return the step as it is written."""

    def step(x: Any, target: Any) -> tuple[Any, Any]:
        optimiser.zero_grad()
        output = net(x)
        cost = loss(output, target)
        cost.backward()
        optimiser.step()
        return value_of(cost), value_of(output)

    return step


class CompiledStep:
    """The step as a program: of the parameters, the optimiser's state and settings, the data and the targets.

    It is recorded once for each shape of the data, twice over, so that random numbers are found; nothing of it is a
    constant but what the network and the loss hold besides parameters.
    """

    def __init__(self, net: Module, loss: Callable[[Any, Any], Any], optimiser: Optimiser) -> None:
        refuse_changing(net, "jit=True")
        self.net, self.loss, self.optimiser = net, loss, optimiser
        own = {id(parameter): path for path, parameter in net.named_parameters()}
        if any(id(parameter) not in own for parameter in optimiser.parameters):
            raise ValueError(f"fit: with jit=True the optimiser has parameters of the network alone{user_line()}")
        self.parameters = dict(net.named_parameters())
        self.trained = {own[id(parameter)]: k for k, parameter in enumerate(optimiser.parameters)}
        """The path of each parameter that moves, and which of the optimiser's it is."""
        self._whole: set[tuple[str, str]] = set()
        """The parts of states that are whole numbers, such as a count of steps; to the program they are floats."""
        self._classes: int | None = None
        self._program = jit(self._moved, check=True)

    def __call__(self, x: Any, target: Any) -> tuple[Any, Any]:
        x, target = self._data(x, "the data"), self._targets(x, target)
        values = {path: parameter.primal for path, parameter in self.parameters.items()}
        states = {path: self._given(path, self.optimiser.states[k]) for path, k in self.trained.items()}
        settings = {name: value for name, value in vars(self.optimiser).items() if name not in ("parameters", "states")}
        cost, output, moved, states = self._program(values, states, settings, x, target)
        for path, k in self.trained.items():
            parameter = self.parameters[path]
            (new,) = matching(moved[path], parameter.primal, "what an optimiser moves to")
            parameter.update(new)
            self.optimiser.states[k] = self._taken(path, states[path])
        return cost, output

    def _moved(self, values: Any, states: Any, settings: Any, x: Any, target: Any) -> Any:
        """Return the loss, the output, the parameters that move and their states after a step."""
        optimiser = copy(self.optimiser)
        vars(optimiser).update(settings)

        def cost(trained: dict[str, Any]) -> tuple[Any, Any]:
            output = functional_call(self.net, {**values, **trained}, x)
            return self._cost(output, target), output

        given = {path: values[path] for path in self.trained}
        (value, output), slopes = value_and_grad(cost, has_aux=True)(given)
        states = {path: dict(state) for path, state in states.items()}
        moved = {path: optimiser.moved(x, slopes[path], states[path]) for path, x in given.items()}
        return value, output, moved, states

    def _cost(self, output: Any, target: Any) -> Any:
        """Return the loss; of numbers of classes, which are floats to the program, by a mask."""
        if self._classes is None:
            return self.loss(output, target)
        chosen = target[..., None] == np.arange(float(self._classes))
        return -np.sum(np.where(chosen, log_softmax(output, -1), 0.0)) / int(np.prod(shape(target)))

    def _data(self, x: Any, what: str) -> Any:
        x = np.asarray(x)
        if x.dtype.kind not in "fc":
            raise ValueError(
                f"fit: with jit=True {what} are floats, not {x.dtype}; numbers of classes are taken as "
                f"targets of nn.cross_entropy{user_line()}"
            )
        return x

    def _targets(self, x: Any, target: Any) -> Any:
        """Return the targets as floats."""
        target = np.asarray(target)
        if target.dtype.kind not in "iu" or self.loss is not cross_entropy:
            return self._data(target, "the targets")
        if self._classes is None:
            with no_grad():
                output = self.net(x)
            cross_entropy(output, target)  # which raises where these are no classes of it
            self._classes = shape(output)[-1]
        if np.any((target < 0) | (target >= self._classes)):
            raise ValueError(f"cross_entropy: classes are numbered from 0 to {self._classes - 1}{user_line()}")
        return target.astype(float)

    def _given(self, path: str, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state as the program takes it."""
        self._whole |= {(path, name) for name, x in state.items() if type(x) is int}
        return {name: float(x) if type(x) is int else x for name, x in state.items()}

    def _taken(self, path: str, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state that the program gave as the optimiser has it."""
        return {name: int(x) if (path, name) in self._whole else x for name, x in state.items()}
