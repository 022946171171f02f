"""How the benchmarks measure: ratios, interleaved in one run, on one core, the smallest of many rounds."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

# the variable slows NumPy's matrix products, and only NumPy's
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled once, not at every import
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"

import numpy as np  # noqa: E402, F401  # NumPy reads these when it starts: the benchmarks take it from here


@dataclass(frozen=True)
class Row:
    """One line of the results: what was measured against what, and the bound that was set."""

    name: str
    measured: float
    bound: float | None
    unit: str
    remark: str = ""

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"{self.bound:g} {self.unit}"
        verdict = "" if self.bound is None else "met" if self.measured <= self.bound else "missed"
        return f"| {self.name} | {self.measured:.3g} {self.unit} | {bound} | {verdict} | {self.remark} |"


HEADER = "| what | measured | bound | | remark |\n|---|--:|--:|---|---|"


def pin() -> None:
    """Keep the process on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds(
    *functions: Callable[[], object], rounds: int = 30, at_least: float = 2e-3, budget: float = float("inf")
) -> list[float]:
    """The processor time of one call of each function: the smallest of ``rounds`` rounds in which all take turns.

    A function takes part in a round as often as fills ``at_least`` seconds, and in no more rounds than fit into
    ``budget`` seconds, but once.
    """
    repeats, best, left = [], [], []
    for function in functions:
        start, count = time.process_time(), 0
        while time.process_time() - start < at_least:
            function()
            count += 1
        taken = time.process_time() - start
        repeats.append(count)
        best.append(taken / count)
        left.append(min(rounds, int(budget / taken)) if budget < float("inf") else rounds)
    gc.collect()
    for turn in range(rounds):
        for k, function in enumerate(functions):
            if turn >= left[k]:
                continue
            start = time.process_time()
            for _ in range(repeats[k]):
                function()
            best[k] = min(best[k], (time.process_time() - start) / repeats[k])
    return best
