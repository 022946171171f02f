"""Arrays of CuPy on a GPU, beside PyTorch and JAX on the same one: ``python benchmarks/gpu.py`` prints a table.

The workloads are those of ``users.py``, written once; ours computes with CuPy's arrays in the place of NumPy's. A call
ends when the GPU has finished its work. All answers are compared with ours first; each figure is the median of rounds
in which all contenders take turns. It needs a GPU, CuPy, and peers that are built for that GPU.
"""

from __future__ import annotations

import gc
import importlib
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # so that all three libraries have memory

from contenders import Answer, flat
from contenders.of_jax import Jax, JaxJit, jax
from contenders.of_torch import Torch, TorchFunc, torch
from contenders.ours import Ours
from timing import np
from users import check, duration
from workloads import Workload, arrays, learning, training

cupy = importlib.import_module("cupy")
torch.set_default_device("cuda")
jax.config.update("jax_default_matmul_precision", "highest")  # as the others multiply; it takes 10 bits else


class OnCupy(Ours):
    """This library, at arrays of CuPy."""

    def array(self, value: Any) -> Any:
        """Return an array on the device."""
        return cupy.asarray(value)

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer as on the host: the modules hold arrays of the device."""
        return super().step(f, arguments, self.array(x), self.array(targets), rate)


CONTENDERS = {"dualautodiff": OnCupy, "torch": Torch, "torch.func": TorchFunc, "jax": Jax, "jax jit": JaxJit}

PEERS = tuple(name for name in CONTENDERS if name != "dualautodiff")

WORKLOADS: dict[str, Callable[[], Workload]] = {
    "Rosenbrock, n = 10,000: gradient": lambda: arrays.rosenbrock(10**4),
    "Rosenbrock, n = 1,000,000: gradient": lambda: arrays.rosenbrock(10**6),
    "Rosenbrock, n = 10,000,000: gradient": lambda: arrays.rosenbrock(10**7),
    "log-sum-exp, n = 10,000,000: gradient": lambda: arrays.log_sum_exp(10**7),
    "Black-Scholes, 1,000,000 options: value and 5 gradients": lambda: arrays.black_scholes(10**6),
    "Black-Scholes, 10,000,000 options: value and 5 gradients": lambda: arrays.black_scholes(10**7),
    "logistic regression 1,000,000 x 50: gradient": lambda: learning.logistic(10**6, 50),
    "MLP 784-256-128-10, float32, batch 128: gradient": lambda: training.gradient("784-256-128-10", 128, "float32"),
    "MLP 784-256-128-10, float32, batch 8,192: gradient": lambda: training.gradient("784-256-128-10", 8192, "float32"),
    "MLP 784-256-128-10, float64, batch 8,192: step of SGD": lambda: training.step(
        "784-256-128-10", 8192, "cross entropy"
    ),
}


def wait() -> None:
    """Wait until the GPU has done what CuPy and PyTorch gave it; answers of JAX have waited."""
    cupy.cuda.runtime.deviceSynchronize()


def fetched(answer: Any) -> Any:
    """Return an answer with its arrays on the host."""
    if isinstance(answer, list | tuple):
        return [fetched(part) for part in answer]
    if isinstance(answer, cupy.ndarray):
        return answer.get()
    return answer.detach().cpu() if isinstance(answer, torch.Tensor) else answer


def call_of(work: Workload, contender: Any) -> Answer:
    """Return what is timed: a call of a contender, at arguments on the device, that waits for its answer."""
    given = tuple(contender.array(x) for x in work.arguments) if isinstance(contender, OnCupy) else work.arguments
    call = getattr(contender, work.question)(work.of(contender), given, **work.options)

    def waited() -> Any:
        answer = call()
        wait()
        return answer

    return waited


def medians(calls: dict[str, Answer], rounds: int, budget: float) -> dict[str, float]:
    """Return the seconds of a call of each contender, the median of rounds that fit into a budget."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    gc.collect()
    end = time.perf_counter() + budget
    while len(taken[next(iter(taken))]) < rounds and time.perf_counter() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - start)
    return {name: float(np.median(times)) for name, times in taken.items()}


def row(name: str, work: Workload, rounds: int = 50, budget: float = 2.0) -> str:
    """Return the row of a workload: the time of each contender, and ours beside the best of the eager ones."""
    calls = {who: call_of(work, kind()) for who, kind in CONTENDERS.items()}
    wanted = flat(fetched(calls["dualautodiff"]()))
    for who in PEERS:
        try:
            answer = flat(fetched(calls[who]()))
        except Exception as error:  # whatever another library raises: its cell stays empty
            print(f"{name}, {who}: {type(error).__name__}: {error}".partition("\n")[0])
            del calls[who]
            continue
        check(answer, wanted, max(work.tolerance, 1e-7), f"{name}, {who}")
    if work.question == "step":  # it goes on from where the last call was
        calls = {who: call_of(work, CONTENDERS[who]()) for who in calls}
    times = medians(calls, rounds, budget)
    best = min((who for who in times if who not in ("dualautodiff", "jax jit")), key=times.__getitem__)
    cells = [duration(times.get(who)) for who in CONTENDERS]
    return f"| {name} | {' | '.join(cells)} | {best} | {times['dualautodiff'] / times[best]:.2f} |"


def main() -> None:
    """Print the table."""
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch", "jax"))
    print(f"{device}; cupy {cupy.__version__}, {versions}\n")
    print(f"| workload | {' | '.join(CONTENDERS)} | best eager peer | ours / best |")
    print(f"|---|{'--:|' * len(CONTENDERS)}---|--:|")
    for name, make in WORKLOADS.items():
        print(row(name, make()), flush=True)


if __name__ == "__main__":
    main()
