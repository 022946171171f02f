"""Inside or outside a disk: the training of Autogradlib, an older system, repeated and set beside its figures.

    python examples/disk.py                 20 repeats of both schedules: the table, and the curves in curves.png
    python examples/disk.py --torch         then the same training in PyTorch, in turns, with the times of both

Its published script takes 500 steps of 0.1, each on all points: the row "full batch". In PyTorch as in this library
that ends at higher losses than those it printed. The row "half batches" differs in one thing: an epoch is two steps,
each on a random half of the points, and not one step on all.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import pairwise
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy comes: threads do not pay on matrices so small
import numpy as np
from matplotlib.figure import Figure

from autodiff import nn

POINTS, STEP = 1000, 0.1
BATCHES = {"full batch": None, "half batches": POINTS // 2}
MEASURES = {"loss": nn.mse, "accuracy": nn.accuracy}
ANCESTOR = f"{'0.0228 ± 0.0023':17}{'0.986':17}{'0.0254':17}0.983"
Data = tuple[Any, Any]

# ---------------------------------------------------------------------------------------------------------------- data


def disk(rng: np.random.Generator) -> Data:
    """Points of the unit square (n, 2), and for each a one in its class (n, 2): 1 in the disk of area 1/2, else 0."""
    x = rng.random((POINTS, 2))
    inside = np.sum((x - 0.5) ** 2, axis=1) <= 0.5 / np.pi
    return x, np.eye(2)[inside.astype(int)]


def start(seed: int) -> tuple[nn.Sequential, Data, Data]:
    """The network of one repeat, its training and its test data, whose inputs are standardised by the training's."""
    rng = np.random.default_rng(seed)
    (x, y), (x_test, y_test) = disk(rng), disk(rng)
    mean, deviation = np.mean(x), np.std(x)
    return network(rng), ((x - mean) / deviation, y), ((x_test - mean) / deviation, y_test)


# --------------------------------------------------------------------------------------------------------------- model


def network(rng: np.random.Generator) -> nn.Sequential:
    """2-25-25-25-2 with ReLU and a softmax; weights and biases begin normal, of variance 2 / (inputs + outputs)."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise((2, 25, 25, 25, 2)):
        linear = nn.Linear(inputs, outputs)
        for parameter in linear.parameters():
            parameter.data = rng.normal(0.0, np.sqrt(2.0 / (inputs + outputs)), parameter.shape)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1], nn.Softmax(axis=1))


# ------------------------------------------------------------------------------------------------------ loss, training


def train(seed: int, batch: int | None, epochs: int) -> tuple[dict[str, list[float]], list[float]]:
    """One repeat: its curves; and at the end the loss and the accuracy of the training, then of the test points.

    The loss is the squared error summed over the outputs and divided by twice the points. There are two outputs, so
    that is the mean of all squared errors: `nn.mse`.
    """
    net, (x, y), test = start(seed)
    curves = nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=STEP), x, y, epochs, batch_size=batch, rng=seed,
                    validation=test, metrics={"accuracy": nn.accuracy})  # fmt: skip
    return curves, [value for data in ((x, y), test) for value in nn.evaluate(net, MEASURES, *data).values()]


def timed(seed: int, epochs: int) -> tuple[float, float]:
    """The seconds of a full-batch training alone, nothing else being measured, and its final loss."""
    net, (x, y), _ = start(seed)
    begin = time.perf_counter()
    nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=STEP), x, y, epochs)
    return time.perf_counter() - begin, nn.evaluate(net, MEASURES, x, y)["loss"]


# ------------------------------------------------------------------------------------------------------ table, picture


def table(repeats: int, epochs: int, seed: int, output: str) -> dict[str, Any]:
    """Train by both schedules, print their table and save their curves; the four final figures of each repeat."""
    figure, found = Figure(figsize=(10, 7), layout="constrained"), {}
    print(f"{repeats} repeats of {epochs} epochs, step {STEP}: mean ± standard deviation\n")
    print(f"{'':15}{'train loss':17}{'accuracy':17}{'test loss':17}accuracy\n{'Autogradlib':15}{ANCESTOR}")
    for (name, batch), part in zip(BATCHES.items(), figure.subfigures(len(BATCHES), 1), strict=True):
        curves, finals = zip(*(train(seed + k, batch, epochs) for k in range(repeats)), strict=True)
        found[name] = np.array(finals)
        columns = zip(found[name].mean(0), found[name].std(0, ddof=1), strict=True)
        print(f"{name:15}" + "  ".join(f"{mean:.4f} ± {deviation:.4f}" for mean, deviation in columns))
        nn.plot_curves(curves, name, labels=("train", "test"), log=("loss",), figure=part)
    figure.savefig(output)
    print(f"\nThe learning curves, medians and quartiles: {output}")
    return found


def beside_torch(repeats: int, epochs: int, seed: int) -> Any:
    """Train by full batches here and in PyTorch, in turns; print the times; both final losses of each repeat."""
    import disk_in_torch

    runs = np.array(
        [(*timed(seed + k, epochs), *disk_in_torch.timed(*start(seed + k)[:2], STEP, epochs)) for k in range(repeats)]
    )
    ours, theirs = np.min(runs[:, 0]), np.min(runs[:, 2])
    print(f"\n{epochs} full-batch epochs, float64, one thread each, in turns: the fastest of {repeats}\n")
    print(f"dualautodiff   {ours:.3f} s   {ours / theirs:.2f} times {disk_in_torch.NAME}")
    print(f"{disk_in_torch.NAME:15}{theirs:.3f} s\nAutogradlib    1.961 s   2.44 times the PyTorch of its day, 0.804 s")
    print(f"largest difference of the final losses: {np.max(np.abs(runs[:, 1] - runs[:, 3])):.1e}")
    return runs[:, [1, 3]]


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first repeat")
    parser.add_argument("--torch", action="store_true", help="train in PyTorch as well, and print the times of both")
    parser.add_argument("-o", "--output", default="curves.png", help="where the learning curves go")
    options = parser.parse_args(arguments)
    table(options.repeats, options.epochs, options.seed, options.output)
    if options.torch:
        beside_torch(options.repeats, options.epochs, options.seed)


if __name__ == "__main__":
    main()
