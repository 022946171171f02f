"""What users run, beside the other libraries of Python: ``python benchmarks/users.py`` prints a table.

For every workload: what this library takes, what each of the others takes that is installed and has an answer, and what
plain NumPy or Python takes, written by hand, where that is short. Before the clock runs, all answers are compared with
ours. All contenders of a row take turns in one process, on one thread of one core; each figure is the smallest of
several rounds, fewer where a call takes long. "—" stands where a library is not installed, has no way to answer, or
would take minutes. ``pip install '.[peers]'`` installs the others.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from asking import asked, parser_of
from contenders import contenders, flat
from contenders.ours import Ours
from timing import np, pin, seconds  # NumPy from there: on one thread
from workloads import Entry, entries

OURS, BY_HAND, COMPILED = Ours.name, "by hand", "num_dual"

BUDGET = 0.6
"""The seconds that one contender has for all its rounds of a row, after the first."""

FAR = 1.3
"""The ratio up to which ours counts as near the best."""


@dataclass
class Result:
    """A row: the seconds of a call of each contender, "by hand" among them, and why others have none."""

    name: str
    remark: str
    times: dict[str, float]
    absent: dict[str, str]
    promises: dict[str, float] = field(default_factory=dict)

    def best(self, of: Collection[str] | None = None) -> str | None:
        """Return the fastest peer, or the fastest of those named, if one is there."""
        peers = [name for name in self.times if name not in (OURS, BY_HAND) and (of is None or name in of)]
        return min(peers, key=self.times.__getitem__, default=None)

    def ratio(self, peer: str) -> float:
        """Return ours beside a peer: above 1 is behind."""
        return self.times[OURS] / self.times[peer]


def check(found: np.ndarray, wanted: np.ndarray, tolerance: float, whose: str) -> None:
    """Raise ArithmeticError where an answer is not ours, up to the workload's tolerance."""
    if found.shape != wanted.shape:
        raise ArithmeticError(f"{whose}: {found.size} numbers, where ours are {wanted.size}")
    scale = np.max(np.abs(wanted), initial=0.0)
    difference = np.max(np.abs(found - wanted), initial=0.0)
    if not difference <= tolerance * scale:
        raise ArithmeticError(f"{whose}: {difference:.3g} from ours, of numbers up to {scale:.3g}")


def run(entry: Entry, peers: dict[str, Any], rounds: int) -> Result:
    """Compare the answers of a workload's contenders, then time them."""
    work = entry.make(**entry.sizes)
    calls, absent = {OURS: work.call(Ours())}, {}
    wanted = flat(calls[OURS]())
    if work.hand:
        calls[BY_HAND] = work.hand
        check(flat(work.hand()), wanted, work.tolerance, f"{entry.name}, {BY_HAND}")
    for name in (name for name in work.peers if name in peers):
        try:
            call = work.call(peers[name])
            answer = flat(call())
        except Exception as error:  # whatever another library raises: its cell stays empty, and the reason is told
            absent[name] = f"{type(error).__name__}: {error}".partition("\n")[0]
            continue
        check(answer, wanted, max(work.tolerance, getattr(peers[name], "tolerance", 0.0)), f"{entry.name}, {name}")
        calls[name] = call
    times = seconds(*calls.values(), rounds=rounds, budget=BUDGET)
    return Result(entry.name, work.remark, dict(zip(calls, times, strict=True)), absent, work.promises)


def duration(taken: float | None) -> str:
    """Return seconds with three digits and their unit, or a dash."""
    if taken is None:
        return "—"
    unit = next((u for u in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if taken >= u[1]), ("ns", 1e-9))
    return f"{taken / unit[1]:.3g} {unit[0]}"


def heading(peers: list[str]) -> str:
    """Return the table's first two lines."""
    names = ["workload", "ours", BY_HAND, *peers, "best peer", "ours / best", "verdict"]
    return f"| {' | '.join(names)} |\n|---|{'--:|' * (len(peers) + 2)}---|--:|---|"


def line(result: Result, peers: list[str]) -> str:
    """Return a row of the table."""
    times = [duration(result.times.get(name)) for name in (OURS, BY_HAND, *peers)]
    times[0] += f" ({result.remark})" if result.remark else ""
    best = result.best()
    compared = (
        [best, f"{result.ratio(best):.2f}", "ahead" if result.ratio(best) < 1.0 else "behind"] if best else ["—"] * 3
    )
    return f"| {' | '.join([result.name, *times, *compared])} |"


def tally(results: list[Result], of: Collection[str], whom: str) -> Iterator[str]:
    """Yield in how many rows ours is ahead of the fastest of some peers, the mean and the worst."""
    ratios = {result.name: result.ratio(best) for result in results if (best := result.best(of))}
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        worst = max(ratios, key=ratios.__getitem__)
        ahead, far = sum(ratio < 1.0 for ratio in ratios.values()), sum(ratio > FAR for ratio in ratios.values())
        yield f"- Beside {whom}: ahead on {ahead} of {len(ratios)}, more than {FAR} times behind on {far},"
        yield f"  geometric mean {mean:.2f}, the worst {ratios[worst]:.2f} ({worst})."


def unanswered(results: list[Result]) -> Iterator[str]:
    """Yield who did not answer, and why."""
    for result in results:
        for name, reason in result.absent.items():
            yield f"- {name} has no answer to {result.name}: {reason}"


def summary(results: list[Result], peers: list[str]) -> Iterator[str]:
    """Yield what is to be said of all rows, and who did not answer."""
    yield from tally(results, peers, "the best of all")
    yield from tally(results, [name for name in peers if name != COMPILED], f"the best of all but {COMPILED}")
    yield from tally(results, [COMPILED], f"{COMPILED}, whose numbers are compiled")
    yield from unanswered(results)


def table(asked: list[Entry], peers: dict[str, Any], rounds: int) -> list[Result]:
    """Print who takes part, and a row for each workload as soon as it is known; return the rows."""
    pin()
    installed = sorted({getattr(peers[name], "by", name.replace(".", " ").split()[0]) for name in peers} | {"numpy"})
    print(f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in installed)}\n")
    print(heading(list(peers)), flush=True)
    results = []
    for entry in asked:
        results.append(run(entry, peers, rounds))
        print(line(results[-1], list(peers)), flush=True)
    return results


def draw(results: list[Result], path: Path) -> None:
    """Write a picture: ours beside the best peer, workload by workload, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [(result.ratio(best), result.name, best) for result in results if (best := result.best())]
    rows.sort(reverse=True)
    figure, axes = plt.subplots(figsize=(11.0, 1.2 + 0.22 * len(rows)), layout="constrained")
    ratios = [ratio for ratio, _, _ in rows]
    colours = ["#2a7f62" if ratio < 1.0 else "#c1553b" for ratio in ratios]
    axes.barh(range(len(rows)), [math.log2(ratio) for ratio in ratios], color=colours, height=0.72)
    axes.set_yticks(range(len(rows)), [name for _, name, _ in rows], fontsize=8)
    low, high = math.floor(math.log2(min(*ratios, 0.5))), math.ceil(math.log2(max(*ratios, 2.0)))
    marks = range(low, high + 1)
    axes.set_xticks(marks, [f"{2**m} ×" if m >= 0 else f"1/{2**-m}" for m in marks])
    axes.set_xlim(low - 0.2, high + 1.2)
    for k, (ratio, _, best) in enumerate(rows):
        where = max(math.log2(ratio), 0.0) + 0.05
        axes.text(where, k, f"{ratio:.2f}  {best}", va="center", fontsize=7, color="#444444")
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_title(f"{OURS} beside the fastest other library: ahead on {sum(r < 1.0 for r in ratios)} of {len(rows)}")
    axes.set_xlabel("time of ours / time of the best other library (left of 1 ×: ours is faster)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path)
    plt.close(figure)


def main() -> None:
    """Read the command line, and print the table."""
    parser = parser_of(__doc__, 20)
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the picture there, .svg or .png")
    chosen = parser.parse_args()
    picked = asked(parser, chosen, entries(), "Kalman, heat, MLP")
    peers = contenders()
    results = table(picked, peers, chosen.rounds)
    print("", *summary(results, list(peers)), sep="\n")
    if chosen.save:
        draw(results, chosen.save)


if __name__ == "__main__":
    main()
