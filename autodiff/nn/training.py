"""Training: batches of data, and the loop over them with its learning curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import described
from ..objects.no_grad import no_grad
from .kept import Kept
from .module import Module
from .optimisers import Optimiser
from .settings import check_functions, check_whole, number_of
from .steps import CompiledStep, eager_step

Curves = dict[str, list[float]]


def batches(*arrays: Any, batch_size: int | None = None, rng: Any = None) -> Iterator[tuple[Any, ...]]:
    """Yield parts of arrays along their first axis, ``batch_size`` points each, in random order if ``rng`` is given.

    Raises ValueError where the arrays have different numbers of points, or none, or where ``batch_size`` is no whole
    number from 1 up.

    >>> [part.tolist() for (part,) in batches(np.arange(5), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """
    arrays = tuple(x if hasattr(x, "shape") else np.asarray(x) for x in arrays)
    count = len(arrays[0])
    if any(len(x) != count for x in arrays):
        raise ValueError(f"batches: arrays of different numbers of points, {[len(x) for x in arrays]}")
    if batch_size is not None:
        check_whole("batches: batch_size", batch_size)
    if not count:
        raise ValueError("batches: 0 points; there must be one at least")
    order = np.arange(count) if rng is None else np.random.default_rng(rng).permutation(count)
    for start in range(0, count, batch_size or count):
        chosen = order[start : start + (batch_size or count)]
        yield tuple(x[chosen] for x in arrays) if batch_size or rng is not None else arrays


def fit(net: Module, loss: Callable[[Any, Any], Any], optimiser: Optimiser, x: Any, y: Any, epochs: int,
        batch_size: int | None = None, rng: Any = None, validation: tuple[Any, Any] | None = None,
        metrics: dict[str, Callable[[Any, Any], float]] | None = None, patience: int | None = None,
        callback: Callable[[int, Curves], Any] | None = None, progress: bool = False,
        jit: bool = False, client: Any = None, timeout: float = 60.0, keep: Any = None) -> Curves:  # fmt: skip
    """Train a network; return the learning curves: a list of one number per epoch, by name.

    ``"loss"`` and the ``metrics`` are means over the batches of an epoch, as they were met; with ``validation`` data
    there are ``"validation loss"`` and its like, after the epoch. ``patience`` ends the training when the validation
    loss, or the loss, has not fallen for so many epochs, and so does a ``callback(epoch, curves)`` that returns true.
    ``progress`` shows a bar where tqdm is installed. A network that is not in training is put there, with all its
    modules; in one that is, each keeps its mode, such as that of a `BatchNorm` which stays as it is.

    With ``jit`` a step, from the batch to the moved parameters, is one program (`autodiff.jit`), recorded for each
    shape of a batch: the curves are the same to rounding. The parameters keep no gradients.

    With a ``client`` of Dask, or an executor, each of its workers has a part of the points and computes its part of the
    gradient of a batch; the optimiser moves the parameters here, at each step. The batches are the same and the curves
    as well, to rounding, with the same bits for any number of workers. The loss and the metrics must be means over
    points. ``timeout`` and the errors are those of `autodiff.distributed.summed`.

    With ``keep``, a path, the state is written there after each epoch: parameters, buffers, the optimiser's state, the
    generators of random numbers, the curves. A training that was killed is started again as it was and goes on after
    the epoch that the file has, with the numbers of an unbroken one; so does one that is given more epochs. The file
    is replaced as a whole, and pickled: open none of somebody whom you do not trust.

    Raises ValueError for metrics of the names of other curves, with ``jit`` or a client for what changes at each step,
    a `BatchNorm` or `Dropout`, with ``jit`` for data that are not floats, with a client for what is no mean over
    points, for ``epochs`` or ``patience`` that are no whole numbers, and where the file is of another training; OSError
    where the disk is full, which leaves the epoch before; TypeError where the network, the loss, the optimiser or an
    option is none.

    >>> from autodiff import nn
    >>> net, x = nn.Linear(1, 1, rng=0), np.linspace(-1.0, 1.0, 20)[:, None]
    >>> curves = fit(net, nn.mse, nn.Adam(net.parameters(), lr=0.1), x, 2.0 * x, epochs=100)
    >>> curves["loss"][-1] < 1e-3 * curves["loss"][0]
    True
    """
    _check_trained(net, loss, optimiser)
    check_whole("epochs", epochs, 0)
    if patience is not None:
        check_whole("patience", patience, 0)
    _check_measured(metrics, validation, callback)
    if jit and client is not None:
        raise ValueError(f"fit: with a client no step is compiled: leave jit=True out{user_line()}")
    generator = None if rng is None else np.random.default_rng(rng)
    measured: dict[str, Callable[[Any, Any], Any]] = {"loss": loss, **(metrics or {})}
    watched = "loss" if validation is None else "validation loss"
    curves: Curves = {name: [] for name in measured}
    if validation is not None:
        curves |= {f"validation {name}": [] for name in measured}
    step: Callable[..., Sequence[Any]] | None = None
    data = (x, y) if client is None else (np.arange(len(x)),)
    kept = None if keep is None else Kept(keep, net, optimiser, generator, curves)
    if kept is not None and kept.taken():
        return curves
    for epoch in _shown(range(len(curves["loss"]), epochs), progress):
        if not net.training:
            net.train()
        step = step or _step(net, measured, optimiser, (x, y), jit, client, timeout)
        sums, points = np.zeros(len(measured)), 0
        for batch in batches(*data, batch_size=batch_size, rng=generator):
            points += len(batch[0])
            found = zip(measured, step(*batch), strict=True)
            sums += np.array([number_of(name, value) for name, value in found]) * len(batch[0])
        for name, value in zip(measured, (sums / points).tolist(), strict=True):
            curves[name].append(value)
        if validation is not None:
            for name, value in evaluate(net, measured, *validation).items():
                curves[f"validation {name}"].append(value)
        ended = callback is not None and bool(callback(epoch, curves))
        if not ended and patience is not None:
            ended = epoch - int(np.argmin(np.nan_to_num(curves[watched], nan=np.inf))) >= patience
        if kept is not None:
            kept.keep(ended)
        if ended:
            break
    return curves


def _check_trained(net: Any, loss: Any, optimiser: Any) -> None:
    """Raise TypeError where what is trained, and by what, is not in its place."""
    if not isinstance(net, Module) or not isinstance(optimiser, Optimiser) or not callable(loss):
        given = ", ".join(getattr(x, "__name__", type(x).__name__) for x in (net, loss, optimiser))
        raise TypeError(
            "fit takes a network, a loss and then an optimiser, fit(net, nn.mse, "
            f"nn.Adam(net.parameters()), x, y, epochs), not {given}{user_line()}"
        )


def _check_measured(metrics: Any, validation: Any, callback: Any) -> None:
    """Raise TypeError for what is not of the kind of `fit`'s options, ValueError for a name of another curve."""
    if metrics is not None:
        check_functions("fit: metrics", metrics)
    taken = [name for name in metrics or () if name == "loss" or name.startswith("validation ")]
    if taken:
        raise ValueError(f"fit: a metric cannot have the name {taken[0]!r}, which is that of another curve")
    if validation is not None and not (isinstance(validation, (tuple, list)) and len(validation) == 2):
        raise TypeError(f"fit: validation is a pair of data, (x, y), not {described(validation)}{user_line()}")
    if callback is not None and not callable(callback):
        raise TypeError(f"fit: callback is a function of (epoch, curves), not {described(callback)}{user_line()}")


def _step(net: Module, measured: dict[str, Callable[[Any, Any], Any]], optimiser: Optimiser, data: tuple[Any, Any],
          jit: bool, client: Any, timeout: float) -> Callable[..., Sequence[Any]]:  # fmt: skip
    """Return a step that takes a batch, with a client the numbers of its points, and gives what is measured of it."""
    loss, *metrics = measured.values()
    if client is not None:
        from .shards import ShardedStep  # which reads what evaluates parts

        return ShardedStep(net, [loss, *metrics], optimiser, data, client, timeout)
    step = (CompiledStep if jit else eager_step)(net, loss, optimiser)

    def taken(x: Any, target: Any) -> Sequence[Any]:
        cost, output = step(x, target)
        return [cost, *(measure(output, target) for measure in metrics)]

    return taken


def evaluate(net: Module, measures: dict[str, Callable[[Any, Any], Any]], x: Any, y: Any) -> dict[str, float]:
    """Measure a network in use, not in training, without recording. Its modules then have their modes back.

    >>> from autodiff import nn
    >>> net = nn.ReLU()
    >>> evaluate(net, {"loss": nn.mse}, np.array([[-1.0]]), np.array([[2.0]]))
    {'loss': 4.0}

    Raises TypeError where ``net`` is no network, ``measures`` no dict of functions, or a measure no number.
    """
    if not isinstance(net, Module):
        raise TypeError(f"evaluate: net is a network, not {described(net)}{user_line()}")
    check_functions("evaluate: measures", measures)
    modes = [(module, module.training) for _, module in net.named_modules()]
    try:
        with no_grad():
            output = net.eval()(x)
            return {name: number_of(name, measure(output, y)) for name, measure in measures.items()}
    finally:
        for module, training in modes:
            module.training = training


def _shown(epochs: Iterable[int], progress: bool) -> Iterable[int]:
    """Return the epochs, with a progress bar where one is wanted and tqdm is there."""
    if not progress:
        return epochs
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return epochs
    return tqdm(epochs, unit="epoch")  # type: ignore[no-any-return]
