"""The sum of a loss over parts, as a differentiable function of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..calls.structures import flatten
from ..calls.values import differentiable, matching, name_of
from ..tape.outline import outline_key
from .over_parts import LossOverParts, OverParts
from .programs import Composed, GaussNewton, Loss, Structured
from .teams import Team, team_of


class Sum:
    """A function θ ↦ Σ loss(θ, part), of which every derivative can be asked for; `summed` makes it."""

    def __init__(self, loss: Callable[[Any, Any], Any], compiled: bool, team: Team) -> None:
        self._loss, self._compiled, self._team = loss, compiled, team
        self._programs: dict[Any, Loss] = {}
        self.names = list(team.names)
        """What the parts are called, in order."""
        self.__name__ = f"sum_of_{name_of(loss)}"

    def __call__(self, theta: Any) -> Any:
        over, leaves = self._over(theta, None)
        return over(*leaves)[0]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<sum of {name_of(self._loss)} over {len(self)} parts>"

    def terms(self, theta: Any) -> Any:
        """Return the losses of the parts, an array; a differentiable function of θ, as the sum is."""
        over, leaves = self._over(theta, 0)
        return over(*leaves)[0]

    def scores(self, theta: Any) -> Any:
        """Return the gradients of the parts, θ with a first axis for them; a differentiable function of θ."""
        over, leaves = self._over(theta, 0)
        return flatten(theta)[1](over.gradient(leaves))

    def gnvp(self, theta: Any, v: Any) -> Any:
        """Return the Gauss-Newton product Σ Jᵀ H J v of the models of the parts, as `autodiff.gnvp` does of one.

        TypeError where `summed` was given no model.
        """
        over, leaves = self._over(theta, None)
        if not isinstance(self._loss, Composed):
            raise TypeError(
                "a Gauss-Newton product is of a loss of what a model returns: give summed(loss, parts, "
                f"model=…), of which a part's loss is loss(model(θ, part), part){user_line()}"
            )
        tangents = [differentiable(t) for t in matching(v, theta, "the vector")]
        product = OverParts(over.team, over.program.derived(GaussNewton), over.compiled)
        return flatten(theta)[1](product(*leaves, *tangents))

    def _over(self, theta: Any, axis: int | None) -> tuple[LossOverParts, list[Any]]:
        """Return the loss over the parts, stacked along an axis or added up, and the leaves of θ."""
        leaves, key = [differentiable(x, "θ") for x in flatten(theta)[0]], (outline_key(theta), axis)
        if key not in self._programs:
            self._programs[key] = Loss(self._loss, Structured(theta), len(leaves), axis)
        return LossOverParts(self._team, self._programs[key], self._compiled), leaves


def summed(loss: Callable[..., Any], parts: Iterable[Any], client: Any = None, *,
           model: Callable[[Any, Any], Any] | None = None, names: Sequence[str] | None = None,
           loader: Callable[[Any], Any] | None = None, keep: bool = True, timeout: float = 60.0,
           progress: bool = False) -> Sum:  # fmt: skip
    """Return θ ↦ Σ loss(θ, part), a differentiable function of θ whose parts are evaluated where they are.

    θ is a number, an array or a structure of them. `autodiff.grad`, `hvp`, `hessian`, `jvp` and what else there is take
    the sum as any function: each derivative is again a sum over the parts. A value with its gradient is one pass over
    them, a task for each or for short ones of a worker; results are added in a binary tree by the places of the parts:
    the same bits whoever evaluates them, and in whatever order. With a ``model``, the loss of a part is
    ``loss(model(θ, part), part)``, and there is `Sum.gnvp`. A loss that is given as ``jit(loss)`` is compiled with its
    derivatives, once in each process.

    ``client`` says who evaluates: None this process, a ``concurrent.futures.Executor`` its threads or processes, a
    ``dask.distributed.Client`` its cluster. A part is anything that can be pickled; a path to a file that `load` reads,
    or any path with a ``loader`` of one's own; a function of no arguments, which makes it; of Dask a future, a delayed,
    or structures of these; a Dask array or frame as a whole gives its chunks. What is read on a worker stays there
    while ``keep`` says so, else it is read at every evaluation. A dict of parts gives them its ``names``.

    Raises `PartError` where a part raises, with its error as the cause, and ConnectionError where a cluster is without
    scheduler or workers for ``timeout`` seconds. ``progress`` shows a bar where tqdm is installed.

    >>> from autodiff import value_and_grad
    >>> total = summed(lambda w, x: np.sum((x - w) ** 2), [np.array([1.0, 2.0]), np.array([6.0])])
    >>> value_and_grad(total)(2.0)
    (np.float64(17.0), -6.0)
    """
    from ..compiler import Compiled  # here: LLVM is 40 MB, and a worker does without where no loss is compiled

    function = loss.f if isinstance(loss, Compiled) else loss
    inner = model.f if isinstance(model, Compiled) else model
    if not callable(function) or not (inner is None or callable(inner)):
        raise no_function("summed(lambda θ, part: …, parts)", loss)
    if isinstance(parts, Mapping):
        names, parts = list(map(str, parts)), list(parts.values())
    elif hasattr(parts, "to_delayed"):
        chunks = parts.to_delayed()
        parts = chunks.ravel().tolist() if isinstance(chunks, np.ndarray) else chunks
    if isinstance(parts, (str, Path)) or not isinstance(parts, Iterable):
        raise TypeError(f"summed takes a list of parts, not {parts!r}; of one it is [{parts!r}]{user_line()}")
    parts = list(parts)
    names = [x if isinstance(x, str) else str(k) for k, x in enumerate(parts)] if names is None else list(names)
    if not parts or len(names) != len(parts):
        what = f"{len(names)} names, where each has one" if parts else "there must be one at least"
        raise ValueError(f"summed over {len(parts)} parts: {what}{user_line()}")
    compiled = isinstance(loss, Compiled) or isinstance(model, Compiled)
    given = parts, names, loader, keep, progress
    return Sum(function if inner is None else Composed(function, inner), compiled, team_of(client, timeout, *given))
