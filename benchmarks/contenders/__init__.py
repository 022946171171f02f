"""The contenders of the benchmarks: for each library, how its own users ask for a derivative.

A contender is an object with a `name`, a namespace `np` in which workloads are written, `scalars`, the same for code of
single numbers, and `array`, which makes its own arrays of NumPy's. It answers the questions for which it has a method:

- ``gradient(f, arguments)``: of a scalar function by all arguments; ``value_and_gradient``: its value with it;
- ``by_objects(f, arguments)``: the same, by objects that are made, computed with, and asked for their gradients;
- ``descent(f, arguments, rate, steps)``: where gradient descent of a function of one array leads;
- ``adam(f, arguments, rate, steps)``: where Adam leads;
- ``step(f, arguments, x, targets, rate)``: parameters after a step down; ``f`` is the network's loss, which libraries
  that have modules write with these, of the data and targets;
- ``derivative(f, arguments, order)``: of a scalar function of one number, ``order`` times;
- ``elementwise(f, arguments)``: the derivatives of an elementwise function at each element of one array;
- ``jacobian(f, arguments)``, ``hessian(f, arguments)``: as full matrices; ``tall_jacobian``: one of more rows;
- ``trained(f, arguments, count, rate)``: parameters, means and mean squares after a step of Adam; ``count`` arguments
  of each are given, and ``f`` is a function of the parameters;
- ``hvp(f, arguments, vector)``: the Hessian times a vector; ``gradient_and_hvp``: the gradient, too;
- ``product(f, arguments, vector)``: the same after a set-up, where a library has an operator for it;
- ``sparse_jacobian(f, arguments)``: its elements row by row, those that are 0 left out, after a set-up;
- ``series(f, arguments, order)``: all derivatives of a scalar function of one number up to that order, over k!;
- ``pushes(f, arguments, directions)``: the Jacobian times each of the directions;
- ``pulls(f, arguments, cotangents)``: each of the cotangents times the Jacobian.

Each returns a call without arguments, which is what is timed; `flat` makes one vector of whatever that returns. A
library that is not installed is no contender: `contenders` leaves it out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from timing import np  # NumPy from there: on one thread

NAMES = (
    "amax",
    "amin",
    "arange",
    "concatenate",
    "cos",
    "diag",
    "exp",
    "linalg",
    "log",
    "log1p",
    "matmul",
    "mean",
    "pad",
    "roll",
    "sin",
    "sqrt",
    "stack",
    "sum",
    "swapaxes",
    "tanh",
)
"""The names of NumPy that workloads are written in. Beside them stand `relu`, `erf`, `logsumexp`, `cross_entropy` and
`solve_triangular`, as each library has them."""

MODULES = {
    "torch": "of_torch:Torch",
    "torch.func": "of_torch:TorchFunc",
    "autograd": "of_autograd:Autograd",
    "mygrad": "of_mygrad:MyGrad",
    "jax": "of_jax:Jax",
    "num_dual": "of_scalars:NumDual",
    "micrograd": "of_scalars:Micrograd",
}
"""Module and class of every peer of ``users.py``, by its name."""

OF_DERIVATIVES = {
    "torch.func": MODULES["torch.func"],
    "autograd": MODULES["autograd"],
    "jax jit": "of_jax:JaxJit",
    "casadi": "of_casadi:CasADi",
    "differences": "differences:Differences",
}
"""Those of ``derivatives.py``."""

COMPILING = {
    "eager": "of_jit:OursEager",
    "jax jit": "of_jax:JaxJit",
    "jax scan": "of_jax:JaxScan",
    "torch.compile": "of_torch:TorchCompile",
    "casadi SX": "of_casadi:Traced",
    "autograd": "of_autograd:Autograd",
}
"""Those of ``compiled.py``; "eager" is ours without `jit`."""

Answer = Callable[[], Any]


def namespace(module: ModuleType, **own: Any) -> SimpleNamespace:
    """Return what there is of `NAMES` in a library's own NumPy, and the functions that are called otherwise there."""
    return SimpleNamespace(**{name: getattr(module, name) for name in NAMES if hasattr(module, name)} | own)


def cross_entropy_by(np: Any, logsumexp: Callable[[Any, int], Any]) -> Callable[[Any, Any], Any]:
    """Return the mean cross entropy of logits ``(n, k)`` and classes ``(n,)``, written out in a library's NumPy."""

    def cross_entropy(logits: Any, classes: Any) -> Any:
        return np.mean(logsumexp(logits, 1) - logits[np.arange(len(classes)), classes])

    return cross_entropy


def logsumexp_by(np: Any) -> Callable[[Any, int], Any]:
    """Return log Σ exp along an axis, written out in a library's NumPy."""

    def logsumexp(x: Any, axis: int) -> Any:
        highest = np.amax(x, axis=axis, keepdims=True)
        return np.log(np.sum(np.exp(x - highest), axis=axis)) + np.sum(highest, axis=axis)

    return logsumexp


def descended(gradient: Callable[[Any], Any], x: Any, rate: float, steps: int) -> Any:
    """Return where steps down lead, with arrays that are not written to."""
    for _ in range(steps):
        x = x - rate * gradient(x)
    return x


def moved_by_adam(np: Any, given: Any, slopes: Any, rate: float, step: Any = 10) -> list[Any]:
    """Return parameters, means and mean squares, which are ``given`` in this order, after a step of Adam, the tenth."""
    count, first, second = len(given) // 3, 0.9, 0.999
    means = [first * m + (1.0 - first) * g for m, g in zip(given[count : 2 * count], slopes, strict=True)]
    squares = [second * v + (1.0 - second) * g * g for v, g in zip(given[2 * count :], slopes, strict=True)]
    moved = [
        x - rate / (1.0 - first**step) * m / (np.sqrt(v / (1.0 - second**step)) + 1e-8)
        for x, m, v in zip(given[:count], means, squares, strict=True)
    ]
    return [*moved, *means, *squares]


def descended_by_adam(np: Any, gradient: Callable[[Any], Any], x: Any, rate: float, steps: int) -> Any:
    """Return where steps of Adam lead."""
    state = [x, 0.0 * x, 0.0 * x]
    for step in range(1, steps + 1):
        state = moved_by_adam(np, state, [gradient(state[0])], rate, step)
    return state[0]


def flat(answer: Any) -> np.ndarray:
    """Return one vector of the numbers of an answer: of an array, a number, or lists and tuples of these."""
    if isinstance(answer, list | tuple):
        return np.concatenate([flat(part) for part in answer])
    return np.ravel(np.asarray(answer.detach() if hasattr(answer, "detach") else answer))


def contenders(modules: dict[str, str] = MODULES) -> dict[str, Any]:
    """Return those of some peers that are installed, by name."""
    found = {}
    for name, place in modules.items():
        module, _, kind = place.partition(":")
        try:
            found[name] = getattr(importlib.import_module(f"contenders.{module}"), kind)()
        except ImportError:
            continue
    return found
