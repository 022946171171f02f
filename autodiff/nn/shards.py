"""The steps of a training whose data lie elsewhere: each worker has its points, the parameters come to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.values import name_of, value_of
from ..distributed.programs import Program, Results
from ..distributed.teams import team_of
from ..objects.no_grad import no_grad
from ..reverse import value_and_grad
from .functional import functional_call
from .module import Module
from .optimisers import Optimiser
from .steps import refuse_changing

SHARDS = 16
"""The data are divided into so many parts, however many workers there are: so these change no bit."""

TRIED = 64
"""Of so many points it is tried whether a measure of them is the mean of those of some and of the others."""

Measure = Callable[[Any, Any], Any]


class Shard(Program):
    """The measures of those points of a batch that a part has, weighted by how many they are, and the loss's gradient.

    Its operands are the numbers of the points of the batch and then the parameters of some paths.
    """

    def __init__(self, net: Module, measures: Sequence[Measure], paths: Sequence[str]) -> None:
        super().__init__((None,) * (1 + len(paths)), (None,) * (len(measures) + len(paths)))
        self.net, self.measures, self.paths = net, measures, paths

    def __call__(self, part: Any, *operands: Any) -> Results:
        (first, x, y), chosen, values = part, operands[0], operands[1:]
        own = chosen[(chosen >= first) & (chosen < first + len(x))] - first
        if not len(own):
            return (*(0.0 for _ in self.measures), *map(np.zeros_like, values))
        x, y, weight = x[own], y[own], len(own) / len(chosen)
        loss, *others = self.measures

        def cost(given: dict[str, Any]) -> tuple[Any, Any]:
            output = functional_call(self.net, given, x)
            return loss(output, y) * weight, output

        (value, output), slopes = value_and_grad(cost, has_aux=True)(dict(zip(self.paths, values, strict=True)))
        with no_grad():
            found = [value_of(measure(output, y)) * weight for measure in others]
        return (value, *found, *(slopes[path] for path in self.paths))


class ShardedStep:
    """The step of all shards on a batch, which is given by the numbers of its points."""

    def __init__(self, net: Module, measures: Sequence[Measure], optimiser: Optimiser, data: tuple[Any, Any],
                 client: Any, timeout: float) -> None:  # fmt: skip
        refuse_changing(net, "client=")
        self.net, self.measures, self.optimiser, (self.x, self.y) = net, list(measures), optimiser, data
        self.parameters = dict(net.named_parameters())
        if len(self.x) != len(self.y):
            raise ValueError(f"fit: {len(self.x)} points and {len(self.y)} targets{user_line()}")
        ends = np.linspace(0, len(self.x), min(SHARDS, len(self.x)) + 1).astype(int).tolist()
        pairs = list(pairwise(ends))
        parts = [(a, np.asarray(self.x[a:b]), np.asarray(self.y[a:b])) for a, b in pairs]
        names = [f"points {a} to {b - 1}" for a, b in pairs]
        self._team = team_of(client, timeout, parts, names, None, True, False)
        self._program = Shard(net, self.measures, list(self.parameters))
        self._tried = False

    def __call__(self, chosen: Any) -> Sequence[Any]:
        """Move the parameters; return the measures of the batch."""
        if not self._tried:
            self._try(chosen[:TRIED])
        found = self._team.evaluated(self._program, False, [chosen, *(p.primal for p in self.parameters.values())])
        count = len(self.measures)
        for parameter, slope in zip(self.parameters.values(), found[count:], strict=True):
            parameter.grad = slope
        self.optimiser.step()
        return found[:count]

    def _try(self, chosen: Any) -> None:
        """Raise ValueError where a measure is no mean over points: those of the shards would not be its parts."""
        groups = [group for group in (chosen[: len(chosen) // 3], chosen[len(chosen) // 3 :]) if len(group)]
        with no_grad():
            for measure in self.measures:
                whole, *parts = (
                    float(value_of(measure(self.net(self.x[points]), self.y[points]))) for points in (chosen, *groups)
                )
                by_parts = np.average(parts, weights=list(map(len, groups)))
                if not np.isclose(whole, by_parts, rtol=1e-3, equal_nan=True):
                    raise ValueError(
                        f"fit: with a client {name_of(measure)} must be a mean over points, as nn.mse is; "
                        f"of {len(chosen)} it is {whole:.6g}, by two parts of them {by_parts:.6g}"
                        f"{user_line()}"
                    )
        self._tried = True
