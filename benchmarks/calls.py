"""The cost of one NumPy call in a gradient, recorded and swept, on arrays of 10 elements, beside the peers.

``python benchmarks/calls.py`` prints the table: one line for plain NumPy, one for this library, one for each peer that
is installed (torch, autograd, MyGrad, JAX run eagerly). All run the same chain of sin, multiply and add, in one
process, in turns.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from importlib.metadata import version

from timing import np, pin, seconds  # NumPy from there: on one thread

from autodiff import grad

ELEMENTS, ROUNDS = 10, 100
CALLS = 3 * ROUNDS
X = np.random.default_rng(0).random(ELEMENTS)


def chain(sin, x):
    """300 calls on arrays of 10 elements: sin, multiply and add in turn."""
    y = x
    for _ in range(ROUNDS):
        y = sin(y) * x + x
    return y.sum()


def of_torch() -> Callable[[], object]:
    """Its tensors, one backward pass."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    x = torch.tensor(X, requires_grad=True)
    return lambda: torch.autograd.grad(chain(torch.sin, x), x)


def of_autograd() -> Callable[[], object]:
    """HIPS autograd, with its own NumPy."""
    sin = importlib.import_module("autograd.numpy").sin
    gradient = importlib.import_module("autograd").grad(lambda x: chain(sin, x))
    return lambda: gradient(X)


def of_mygrad() -> Callable[[], object]:
    """MyGrad's tensors, one backward pass."""
    mygrad = importlib.import_module("mygrad")

    def gradient() -> object:
        x = mygrad.tensor(X)
        chain(mygrad.sin, x).backward()
        return x.grad

    return gradient


def of_jax() -> Callable[[], object]:
    """JAX without jit, in double precision."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    gradient = jax.grad(lambda x: chain(jax.numpy.sin, x))
    x = jax.numpy.asarray(X)
    return lambda: gradient(x).block_until_ready()


PEERS = {"torch": of_torch, "autograd": of_autograd, "mygrad": of_mygrad, "jax": of_jax}


def contenders() -> Iterator[tuple[str, Callable[[], object]]]:
    """Name and call of plain NumPy, of this library, and of every peer that is installed."""
    gradient = grad(lambda x: chain(np.sin, x))
    yield "NumPy, the value alone", lambda: chain(np.sin, X)
    yield "dualautodiff, value and gradient", lambda: gradient(X)
    for name, make in PEERS.items():
        try:
            call = make()
        except ImportError:
            continue
        expected, found = gradient(X), call()
        found = found[0] if isinstance(found, tuple) else found
        assert np.allclose(np.asarray(found), expected), name
        yield f"{name} {version(name)}", call


def main() -> None:
    """Print the table."""
    pin()
    names, calls = zip(*contenders(), strict=True)
    times = [t / CALLS * 1e6 for t in seconds(*calls, rounds=20)]
    print("| per NumPy call, 10 elements | µs | times NumPy's own |\n|---|--:|--:|")
    for name, time in zip(names, times, strict=True):
        print(f"| {name} | {time:.2f} | {time / times[0]:.1f} × |")


if __name__ == "__main__":
    main()
