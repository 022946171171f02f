"""What `jit` makes of programs, beside other compilers: ``python benchmarks/compiled.py`` prints a table and a summary.

For every workload: what a call of ours takes, compiled by `jit`, and how many times as long each other takes: ours
eagerly, JAX's ``jit``, the same of a loop that was written again by hand as a scan, `torch.compile`, CasADi's graphs of
numbers, autograd, NumPy or Python written by hand, and the limit: C written by hand, or that NumPy where matrix
products take the time. The functions are the same NumPy source for ours eager and compiled. Before the clock runs, all
answers are compared with ours, and each is called for three seconds. All take turns in one process, on one thread of
one core; each figure is the median of several rounds. A first call is what it takes to build, trace, compile and run
once; its memory is by how much the process grew at most. "—": not installed, not asked, or without an answer.
``pip install '.[jit,peers]'`` installs the others; C takes the system's compiler. With ``BENCHMARK_THREADS=2`` in the
environment whoever can takes two threads, on two cores, and the clock is the wall's.
"""

from __future__ import annotations

import ctypes
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asking import asked, parser_of
from contenders import COMPILING, contenders, flat
from contenders.of_jit import OursJit
from timing import clock, np, pin, seconds
from users import check, duration, unanswered
from workloads import Entry, compiled

OURS, EAGER, BY_HAND, LIMIT = "jit", "eager", "by hand", "limit"

BUDGET = 0.6
"""The seconds that one contender has for all its rounds of a row, after the first."""

WARM = 3.0
"""For how many seconds each is called before: some compile anew what is called often, as ours does."""

AHEAD, NEAR = 2.0, 1.3
"""How many times as fast as the best peer ours is to be, or how near to the limit."""

SLOW = ("torch.compile",)
"""Who compiles for so long that ``--quick`` leaves them out."""


@dataclass
class First:
    """The seconds of a first call, and the MB by which the process grew at most, where that is known."""

    seconds: float
    memory: float | None


@dataclass
class Result:
    """A row: the seconds of a call of each contender, of their first calls, and why others have none."""

    name: str
    times: dict[str, float]
    first: dict[str, First]
    absent: dict[str, str] = field(default_factory=dict)

    def factor(self, whose: str) -> float | None:
        """Return how many times as long as ours another takes."""
        return self.times[whose] / self.times[OURS] if whose in self.times else None

    def best(self) -> str | None:
        """Return the fastest of the other libraries."""
        peers = [name for name in self.times if name not in (OURS, EAGER, BY_HAND, LIMIT)]
        return min(peers, key=self.times.__getitem__, default=None)

    def verdict(self) -> str:
        """Return whether the goal is reached, missed though ours is ahead, or ours is behind."""
        best, limit = self.best(), self.factor(LIMIT)
        lead = self.times[best] / self.times[OURS] if best else math.inf
        if lead >= AHEAD or (lead >= 1.0 and limit is not None and limit * NEAR >= 1.0):
            return "reached"
        return "ahead" if lead >= 1.0 else "behind"


def grown(call: Callable[[], Any]) -> tuple[Any, float | None]:
    """Return what a call returns, and by how many MB the process grew at most while it ran; None where unknown."""

    def megabytes(which: str) -> float:
        (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(which))
        return int(line.split()[1]) / 1024

    try:
        ctypes.CDLL(None).malloc_trim(0)  # what is free is given back, so that it counts if it is taken again
        Path("/proc/self/clear_refs").write_text("5")  # which sets the peak back
        before = megabytes("VmRSS:")
    except (OSError, AttributeError):
        return call(), None
    return call(), megabytes("VmHWM:") - before


def first_call(make: Callable[[], Callable[[], Any]]) -> tuple[Callable[[], Any], np.ndarray, First]:
    """Return what makes calls, the numbers that the first of them gives, and what that took."""

    def run() -> tuple[Callable[[], Any], np.ndarray]:
        call = make()
        return call, flat(call())

    start = clock()
    (call, answer), memory = grown(run)
    return call, answer, First(clock() - start, memory)


def warm(call: Callable[[], Any]) -> None:
    """Call for a while."""
    start = clock()
    while clock() - start < WARM:
        call()


def run(entry: Entry, peers: dict[str, Any], rounds: int) -> Result:
    """Compare the answers of a workload's contenders, then time them."""
    work = entry.make(**entry.sizes)
    call, wanted, taken = first_call(lambda: work.call(OursJit()))
    calls, first, absent = {OURS: call}, {OURS: taken}, {}
    check(flat(call()), wanted, 1e-12, f"{entry.name}, second call")
    for name, by_hand in ((BY_HAND, work.hand), (LIMIT, work.limit)):
        if by_hand:
            calls[name] = by_hand
            check(flat(by_hand()), wanted, work.tolerance, f"{entry.name}, {name}")
    for name in (name for name in work.peers if name in peers):
        try:
            call, answer, taken = first_call(lambda: work.call(peers[name]))  # noqa: B023  # called here
        except Exception as error:  # whatever another library raises: its cell stays empty, and the reason is told
            absent[name] = f"{type(error).__name__}: {error}".partition("\n")[0][:160]
            continue
        check(answer, wanted, work.tolerance, f"{entry.name}, {name}")
        calls[name], first[name] = call, taken
    for call in calls.values():
        warm(call)
    times = seconds(*calls.values(), rounds=rounds, budget=BUDGET, of=statistics.median)
    return Result(entry.name, dict(zip(calls, times, strict=True)), first, absent)


def heading(others: list[str]) -> str:
    """Return the table's first two lines."""
    names = ["workload", "ours", *others, "best peer", "verdict", "first call", "JAX's", "memory", "JAX's"]
    return f"| {' | '.join(names)} |\n|---|{'--:|' * (len(others) + 1)}---|---|{'--:|' * 4}"


def line(result: Result, others: list[str]) -> str:
    """Return a row of the table."""
    factors = [result.factor(name) for name in others]
    firsts = [result.first.get(name) for name in (OURS, "jax jit")]
    cells = [
        result.name,
        duration(result.times[OURS]),
        *("—" if factor is None else f"{factor:.3g}" for factor in factors),
        result.best() or "—",
        result.verdict(),
        *(duration(taken and taken.seconds) for taken in firsts),
        *("—" if taken is None or taken.memory is None else f"{taken.memory:.0f} MB" for taken in firsts),
    ]
    return f"| {' | '.join(cells)} |"


def mean(factors: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, factors)))


def summary(results: list[Result]) -> Iterator[str]:
    """Yield in how many rows the goal is reached, who is ahead in the others, the means, and who did not answer."""
    verdicts = [result.verdict() for result in results]
    yield (
        f"- Of {len(results)} workloads {verdicts.count('reached')} are at least {AHEAD:g} times as fast as the best "
        f"peer, or faster than it and within {NEAR} times of the limit; {verdicts.count('ahead')} more are faster than "
        f"it; {verdicts.count('behind')} are slower."
    )
    beside = {result.name: result.times[best] / result.times[OURS] for result in results if (best := result.best())}
    if beside:
        worst = min(beside, key=beside.__getitem__)
        yield f"- The best peer takes {mean(list(beside.values())):.2f} times as long in the geometric mean; at worst"
        yield f"  {beside[worst]:.2f} times ({worst})."
    for what, factors in (
        ("The limit", [factor for result in results if (factor := result.factor(LIMIT))]),
        ("Ours eager", [factor for result in results if (factor := result.factor(EAGER))]),
    ):
        if factors:
            yield f"- {what} takes {mean(factors):.2f} times as long, where it is known."
    for whose in ("jax jit", "jax scan"):
        both = [(result.first[whose], result.first[OURS]) for result in results if whose in result.first]
        firsts = [theirs.seconds / ours.seconds for theirs, ours in both]
        if firsts:
            yield f"- First calls of {whose} take {mean(firsts):.2f} times as long as ours, {min(firsts):.2f} at least."
    yield from unanswered(results)


def table(asked: list[Entry], peers: dict[str, Any], rounds: int) -> list[Result]:
    """Print a row for each workload as soon as it is known; return the rows."""
    pin()
    for contender in (OursJit(), *peers.values()):  # engines start up
        if contender.name not in SLOW:
            contender.gradient(lambda x: x * x, (1.0,))()
    others, results = [*peers, BY_HAND, LIMIT], []
    print(heading(others), flush=True)
    for entry in asked:
        results.append(run(entry, peers, rounds))
        print(line(results[-1], others), flush=True)
    return results


def main() -> None:
    """Read the command line, and print the table."""
    parser = parser_of(__doc__, 15)
    parser.add_argument("--quick", action="store_true", help="three rounds, and without torch.compile")
    chosen = parser.parse_args()
    picked = asked(parser, chosen, compiled(), "Kalman, heat, MLP")
    peers = contenders({name: place for name, place in COMPILING.items() if not chosen.quick or name not in SLOW})
    results = table(picked, peers, min(chosen.rounds, 3) if chosen.quick else chosen.rounds)
    print("", *summary(results), sep="\n")


if __name__ == "__main__":
    main()
