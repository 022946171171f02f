"""Training networks, beside hand-written NumPy and the peers, in one run.

``python benchmarks/networks.py`` prints three tables: one step (value, gradient, gradient descent) of 2-25-25-25-2 with
ReLU, softmax and squared error on 1,000 points, and of 784-256-128-10 with ReLU and cross entropy on 128; and the
training of the first over 500 steps, 20 times, each time on other data: the points of a disk in a square. In double
precision, on one core, from the same weights, all contenders in turns; the weights that each has after three steps are
compared first. A peer that is not installed is left out. A fourth table holds ours against the bounds.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from timing import HEADER, Row, np, pin, seconds  # NumPy from there: on one thread

from autodiff import nn

LR, STEPS, REPEATS = 0.1, 500, 20


class Task:
    """Data and first weights of a network with ReLU: softmax and squared error of a disk, or entropy of noise."""

    def __init__(self, sizes: tuple[int, ...], points: int, squared: bool, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.name, self.squared = f"{'-'.join(map(str, sizes))}, {points:,} points", squared
        self.X = rng.uniform(-1.0, 1.0, (points, sizes[0]))
        disk = np.sum(self.X**2, axis=1) < 2 / np.pi  # half of the square
        self.classes = disk.astype(int) if squared else rng.integers(0, sizes[-1], points)
        self.X = (self.X - self.X.mean(0)) / self.X.std(0)
        self.Y = np.eye(sizes[-1])[self.classes]
        self.weights = [rng.normal(size=(m, n)) * np.sqrt(2 / m) for m, n in pairwise(sizes)]
        self.biases = [np.zeros(n) for n in sizes[1:]]


Contender = tuple[Callable[[], object], Callable[[], list[Any]]]
"""A step, and the weights as they are."""


def by_hand(task: Task) -> Contender:
    """The gradient written out: matrix products, masks and sums, in NumPy."""
    W, b = [w.copy() for w in task.weights], [v.copy() for v in task.biases]
    X, Y = task.X, task.Y

    def step() -> None:
        zs, activations = [], [X]
        for k, (w, v) in enumerate(zip(W, b, strict=True)):
            z = activations[-1] @ w
            z += v
            zs.append(z)
            if k + 1 < len(W):
                activations.append(np.maximum(z, 0.0))
        e = np.exp(z - z.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        if task.squared:
            g = (2.0 / Y.size) * (p - Y)
            g = p * (g - (g * p).sum(1, keepdims=True))
        else:
            g = (p - Y) / len(X)
        for k in range(len(W) - 1, -1, -1):
            w_bar, b_bar = activations[k].T @ g, g.sum(0)
            if k:
                g = g @ W[k].T
                g *= zs[k - 1] > 0
            W[k] -= LR * w_bar
            b[k] -= LR * b_bar

    return step, lambda: W


def of_nn(task: Task) -> Contender:
    """This library."""
    layers: list[Any] = []
    for w in task.weights:
        layers += [nn.Linear(*w.shape, rng=0), nn.ReLU()]
        layers[-2].weight.data = w
    layers[-1:] = [nn.Softmax(axis=1)] if task.squared else []
    net = nn.Sequential(*layers)
    sgd = nn.SGD(net.parameters(), lr=LR)
    X, target = task.X, task.Y if task.squared else task.classes
    loss_of = nn.mse if task.squared else nn.cross_entropy

    def step() -> None:
        loss = loss_of(net(X), target)
        net.zero_grad()
        loss.backward()
        sgd.step()

    return step, lambda: [layer.weight.data for layer in layers if isinstance(layer, nn.Linear)]


def of_torch(task: Task) -> Contender:
    """Its modules, losses and optimiser."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    layers: list[Any] = []
    for w in task.weights:
        layers += [torch.nn.Linear(*w.shape, dtype=torch.float64), torch.nn.ReLU()]
        layers[-2].weight.data = torch.tensor(np.ascontiguousarray(w.T))
        layers[-2].bias.data.zero_()
    layers[-1:] = [torch.nn.Softmax(dim=1)] if task.squared else []
    net = torch.nn.Sequential(*layers)
    sgd = torch.optim.SGD(net.parameters(), lr=LR)
    X, target = torch.tensor(task.X), torch.tensor(task.Y if task.squared else task.classes)
    loss_of = torch.nn.functional.mse_loss if task.squared else torch.nn.functional.cross_entropy

    def step() -> None:
        loss = loss_of(net(X), target)
        sgd.zero_grad()
        loss.backward()
        sgd.step()

    return step, lambda: [layer.weight.detach().numpy().T for layer in layers if isinstance(layer, torch.nn.Linear)]


def of_autograd(task: Task) -> Contender:
    """HIPS autograd, with its own NumPy."""
    np_ = importlib.import_module("autograd.numpy")
    W, b = [w.copy() for w in task.weights], [v.copy() for v in task.biases]

    def loss(parameters: Any) -> Any:
        z = task.X
        for k, (w, v) in enumerate(zip(*parameters, strict=True)):
            z = np_.dot(np_.maximum(z, 0.0) if k else z, w) + v
        z = z - np_.max(z, axis=1, keepdims=True)
        if task.squared:
            e = np_.exp(z)
            return np_.mean((e / np_.sum(e, axis=1, keepdims=True) - task.Y) ** 2)
        return np_.mean(np_.log(np_.sum(np_.exp(z), axis=1)) - z[np.arange(len(z)), task.classes])

    gradient = importlib.import_module("autograd").grad(loss)

    def step() -> None:
        for parameters, slopes in zip((W, b), gradient((W, b)), strict=True):
            for x, slope in zip(parameters, slopes, strict=True):
                x -= LR * slope

    return step, lambda: W


def of_mygrad(task: Task) -> Contender:
    """MyGrad's tensors and its losses."""
    mg = importlib.import_module("mygrad")
    W, b = [mg.tensor(w) for w in task.weights], [mg.tensor(v) for v in task.biases]
    nnet = importlib.import_module("mygrad.nnet")

    def step() -> None:
        z = mg.tensor(task.X, constant=True)
        for k, (w, v) in enumerate(zip(W, b, strict=True)):
            z = mg.matmul(nnet.relu(z) if k else z, w) + v
        if task.squared:
            loss = mg.mean((nnet.softmax(z, axis=1) - task.Y) ** 2)
        else:
            loss = nnet.losses.softmax_crossentropy(z, task.classes)
        loss.backward()
        for x in (*W, *b):
            x.data -= LR * x.grad
            x.null_grad()

    return step, lambda: [w.data for w in W]


PEERS = {"torch": of_torch, "autograd": of_autograd, "mygrad": of_mygrad}
HAND, OURS = "NumPy, written by hand", "dualautodiff"
SMALL, LARGE = (2, 25, 25, 25, 2), (784, 256, 128, 10)


def contenders(task: Task) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name and step of hand-written NumPy, of this library, and of every peer that is installed, three steps on."""
    wanted: list[Any] | None = None
    for name, make in {HAND: by_hand, OURS: of_nn, **PEERS}.items():
        try:
            step, weights = make(task)
        except ImportError:
            continue
        for _ in range(3):
            step()
        wanted = wanted or [w.copy() for w in weights()]
        for found, there in zip(weights(), wanted, strict=True):
            assert np.allclose(found, there, rtol=1e-9, atol=1e-12), (name, np.max(np.abs(found - there)))
        yield f"{name} {version(name)}" if name in PEERS else name, step


def training() -> dict[str, float]:
    """The seconds that each contender takes for all repeats of the training."""
    taken: dict[str, float] = {}
    for seed in range(REPEATS):
        for name, step in contenders(Task(SMALL, 1000, squared=True, seed=seed)):
            start = time.process_time()
            for _ in range(STEPS):
                step()
            taken[name] = taken.get(name, 0.0) + time.process_time() - start
    return taken


def table(what: str, unit: str, times: dict[str, float]) -> None:
    """Print the times, and as multiples of the first."""
    print(f"\n| {what} | {unit} | times by hand |\n|---|--:|--:|")
    first = next(iter(times.values()))
    for name, taken in times.items():
        print(f"| {name} | {taken:.4g} | {taken / first:.2f} × |")


def main() -> None:
    """Print the tables."""
    pin()
    rows = []
    for sizes, points in ((SMALL, 1000), (LARGE, 128)):
        task = Task(sizes, points, squared=sizes is SMALL)
        names, steps = zip(*contenders(task), strict=True)
        times = dict(zip(names, (1e6 * t for t in seconds(*steps, rounds=60)), strict=True))
        table(f"one step of {task.name}", "µs", times)
        rows.append((f"one step of {task.name}", times, sizes is SMALL))
    times = training()
    table(f"{STEPS} steps of the first, {REPEATS} times", "s", times)
    rows.append((f"{STEPS} steps of the first, {REPEATS} times", times, True))
    print(f"\n{HEADER}")
    for what, times, beside_torch in rows:
        peer = next((name for name in times if name.startswith("torch")), "") if beside_torch else HAND
        if peer:
            print(Row(f"{what}: ours / {peer}", times[OURS] / times[peer], 1.0 if beside_torch else 1.5, "×"))


if __name__ == "__main__":
    main()
