"""How the benchmarks measure: ratios, interleaved in one run, on one core, the smallest of many rounds."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# the variable slows NumPy's matrix products, and only NumPy's
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled once, not at every import
THREADS = int(os.environ.get("BENCHMARK_THREADS", "1"))
"""How many threads each library may use; with several the clock is the wall's, else the processor's."""

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = str(THREADS)

if THREADS == 1:
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np  # noqa: E402, F401  # NumPy reads these when it starts: the benchmarks take it from here


@dataclass(frozen=True)
class Row:
    """One line of the results: what was measured against what, and the goal that was set; ``least``: from below."""

    name: str
    measured: float
    goal: float | None
    unit: str
    remark: str = ""
    least: bool = False

    def __str__(self) -> str:
        if self.goal is None:
            goal = verdict = ""
        else:
            goal = f"{'≥ ' if self.least else ''}{self.goal:g} {self.unit}"
            kept = self.measured >= self.goal if self.least else self.measured <= self.goal
            verdict = "reached" if kept else "not reached"
        return f"| {self.name} | {self.measured:.3g} {self.unit} | {goal} | {verdict} | {self.remark} |"


HEADER = "| what | measured | goal | verdict | remark |\n|---|--:|--:|---|---|"


clock = time.process_time if THREADS == 1 else time.perf_counter


def pin() -> None:
    """Keep the process on as many cores as there are threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-THREADS:])


def seconds(
    *functions: Callable[[], object],
    rounds: int = 30,
    at_least: float = 2e-3,
    budget: float = float("inf"),
    of: Callable[[list[float]], float] = min,
) -> list[float]:
    """The time of one call of each function: the smallest of ``rounds`` rounds in which all take turns.

    ``of`` is what is taken of the rounds in place of the smallest.

    A function takes part in a round as often as fills ``at_least`` seconds, and in no more rounds than fit into
    ``budget`` seconds, but once. Every other round goes the other way, so that none is always behind the same one and
    its use of the processor's caches.
    """
    repeats, taken_in, left = [], [], []
    for function in functions:
        start, count = clock(), 0
        while clock() - start < at_least:
            function()
            count += 1
        taken = clock() - start
        repeats.append(count)
        taken_in.append([taken / count])
        left.append(min(rounds, int(budget / taken)) if budget < float("inf") else rounds)
    gc.collect()
    turns = list(enumerate(functions))
    for turn in range(rounds):
        for k, function in turns[:: -1 if turn % 2 else 1]:
            if turn >= left[k]:
                continue
            start = clock()
            for _ in range(repeats[k]):
                function()
            taken_in[k].append((clock() - start) / repeats[k])
    return [of(rounds) for rounds in taken_in]


def printed_by(script: str, environment: dict[str, str] | None = None) -> str:
    """Return what a script prints that runs in a process of its own, in this folder."""
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parent,
        env={**os.environ, **(environment or {})},
    )
    return run.stdout
