"""Jacobians, Hessians and their products beside other libraries: ``python benchmarks/derivatives.py``, two tables.

The first is as that of ``users.py``: what each library takes, in one process, after the answers were compared. The
second has a row for every promise, reached or not: how many times as fast ours is as a library, how long it takes, or
how much memory. No Jacobian or Hessian may be slower than difference quotients of the plain function.
``pip install '.[peers]'`` installs the others. ``--long`` adds what takes minutes.
"""

from __future__ import annotations

import resource
import time
import tracemalloc
from collections.abc import Iterator

from asking import asked, parser_of
from contenders import OF_DERIVATIVES, contenders
from timing import HEADER, Row, np, printed_by
from users import OURS, Result, duration, table, unanswered
from workloads import promised
from workloads.promises import reaction

from autodiff import checkpointed_loop, grad, jacobian


def kept(results: list[Result]) -> Iterator[Row]:
    """Yield a row for each promise about a workload of which there are figures."""
    for result in results:
        ours = result.times[OURS]
        for whom, goal in result.promises.items():
            if whom == "ms":
                yield Row(result.name, ours * 1e3, goal, "ms", result.remark)
            elif whom in result.times:
                name, ratio = f"{result.name}: {whom} / ours", result.times[whom] / ours
                yield Row(name, ratio, goal, "×", duration(ours), least=True)


def memory() -> Iterator[Row]:
    """Yield the peak of the memory of a Jacobian on arrays beside its own size; the tape takes a hundredth of that."""
    x, f = np.random.default_rng(0).normal(size=1000), jacobian(lambda x: np.sin(x) * np.exp(-x * x) + x)
    found = f(x)
    tracemalloc.start()
    f(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Row("Jacobian R^1,000 to R^1,000: peak of memory / its size", peak / found.nbytes, 1.5, "×")


def of_loop(steps: int, states: int, checkpointed: bool) -> tuple[float, float]:
    """Return the MB and the seconds that the gradient of a long loop takes."""
    step, first = reaction(steps, states)

    def last(u):
        if checkpointed:
            return np.sum(checkpointed_loop(step, u, steps) ** 2)
        for k in range(steps):
            u = step(k, u)
        return np.sum(u**2)

    grad(lambda u: np.sum(step(0, u)))(first)  # modules are imported
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    grad(last)(first)
    taken = time.process_time() - start
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, taken


def long_loop(steps: int = 100_000, states: int = 1000, taped: int = 1000) -> Iterator[Row]:
    """Yield the memory and time of a checkpointed loop beside those of a tape, in proportion to fewer steps."""
    call = "from derivatives import of_loop; print(*of_loop({}, {}, {}))"
    (memory, taken), (of_tape, by_tape) = (
        map(float, printed_by(call.format(*case)).split()) for case in ((steps, states, True), (taped, states, False))
    )
    name = f"gradient of {steps:,} steps of {states:,} states, checkpointed / by a tape"
    share = steps / taped
    yield Row(f"{name}: memory", 100.0 * memory / (of_tape * share), 0.2, "%", f"{memory:.3g} MB")
    yield Row(f"{name}: time", taken / (by_tape * share), 2.0, "×", f"{taken:.3g} s")


def main() -> None:
    """Read the command line, and print the tables."""
    parser = parser_of(__doc__, 20)
    parser.add_argument("--long", action="store_true", help="with the loop of 100,000 steps, some minutes")
    chosen = parser.parse_args()
    picked = asked(parser, chosen, promised(), "MLP, HVP, sparse")
    results = table(picked, contenders(OF_DERIVATIVES), chosen.rounds)
    print("", *unanswered(results), "", HEADER, *kept(results), sep="\n", flush=True)
    for rows in (memory, *([long_loop] if chosen.long else [])) if not chosen.only else ():
        print(*rows(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
