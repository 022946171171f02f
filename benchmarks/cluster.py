"""Sums over parts on Dask's workers: what workers gain, what an evaluation costs, a model of it for more of them.

``python benchmarks/cluster.py`` prints the tables, with the extra ``dask``; ``--rows 10_000_000`` is the large
regression, which needs 4 GB for its data and as much beside it; ``--only`` takes some of the measurements. Wall times:
the workers are other processes. All that is compared takes turns. What two workers gain is compared with what Dask
itself gains by the same gradients as tasks of its own, and with what two processes without Dask gain by them, as much
as the machine gives: the best turn of each.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from scipy.optimize import minimize
from timing import HEADER, Row, np  # NumPy from there: on one thread

import autodiff.distributed.cluster as clusters
from autodiff import value_and_grad
from autodiff.distributed import summed

PARTS = 16


def busy(w, part):
    """A loss of which a part takes some tenths of a second, and no memory to speak of: small products, in a loop."""
    matrix, rounds = part
    x = w
    for _ in range(rounds):
        x = np.tanh(matrix @ x)
    return np.sum(x * x)


def least(w, part):
    """Next to nothing."""
    return w[0] * part


def logistic(w, part):
    """Minus the log-likelihood of labels ±1."""
    x, y = part
    return np.sum(np.log1p(np.exp(-y * (x @ w))))


def logistic_by_hand(w, part):
    """The same and its gradient, as one writes them."""
    x, y = part
    z = np.exp(-y * (x @ w))
    return np.sum(np.log1p(z)), x.T @ (-y * (z / (1.0 + z)))


def drawn(rows, columns, seed):
    """A part of a regression."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, columns))
    return x, np.sign(x[:, 0] + random.logistic(size=rows))


def turns(count, *functions):
    """The seconds of each function in each of so many turns, after one that does not count."""
    found = []
    for _ in range(count + 1):
        taken = []
        for function in functions:
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
        found.append(taken)
    return np.array(found[1:])


def by_hand(client, w, parts):
    """Σ of values and of gradients, written for Dask."""
    found = client.gather(client.map(partial(logistic_by_hand, w), parts, pure=False))
    return sum(value for value, _ in found), sum(gradient for _, gradient in found)


def bare(client, w, parts):
    """As many tasks as an evaluation has, which do nothing."""
    return client.gather(client.map(least, [client.submit(np.array, w, pure=False)] * len(parts), parts, pure=False))


def as_tasks(client, w, parts):
    """The gradients of parts, each a task that Dask was given."""
    return client.gather([client.submit(gradients, w, [part], pure=False) for part in parts])


def without_dask(pool, w, parts, processes):
    """The gradients of parts, in so many processes of the standard library that have the same number of them each."""
    shares = [pool.submit(gradients, w, parts[k::processes]) for k in range(processes)]
    return [share.result() for share in shares]


def gradients(w, parts):
    """Value and gradient of each part, one after the other."""
    return [value_and_grad(busy)(w, part) for part in parts]


def gain(one, two, repeats, rounds):
    """Rows: what two workers gain, beside what two processes do without Dask."""
    matrix = np.random.default_rng(0).normal(size=(60, 60)) / 8.0
    parts, w = [(matrix, rounds)] * PARTS, np.linspace(0.1, 1.0, 60)
    ours = [partial(value_and_grad(summed(busy, parts, client)), w) for client in (one, two)]
    dask = [partial(as_tasks, client, w, parts) for client in (one, two)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        bare = [partial(without_dask, pool, w, parts, processes) for processes in (1, 2)]
        taken = turns(repeats, *ours, *dask, *bare).min(axis=0).reshape(3, 2)
    names = "two workers beside one, compute-bound", "the same gradients as tasks of Dask", "two processes without Dask"
    for name, goal, (of_one, of_two) in zip(names, (1.8, None, None), taken, strict=True):
        remark = f"{PARTS} parts of {of_one / PARTS * 1e3:.0f} ms, of {2 * of_two / PARTS * 1e3:.0f} ms by two"
        yield Row(name, of_one / of_two, goal, "×", remark, least=True)
    for k, count in enumerate(("one worker", "two workers")):
        yield Row(f"{count}, beside the same gradients as tasks of Dask", taken[0, k] / taken[1, k], None, "×", "time")
    yield Row("idle Dask", idle(two), None, "cores", "client, scheduler and two workers without anything to do")


def idle(client, wait=3.0):
    """How many cores a cluster takes that does nothing."""
    before = time.process_time() + sum(client.run(time.process_time).values())
    time.sleep(wait)
    return (time.process_time() + sum(client.run(time.process_time).values()) - before) / wait


def overhead(two, repeats):
    """A row: an evaluation that computes next to nothing."""
    both, w = value_and_grad(summed(least, [1.0] * PARTS, two)), np.ones(50)
    numbers, given = two.scatter([1.0] * PARTS), np.ones(50)
    single = lambda: two.submit(least, given, 1.0, pure=False).result()
    taken = turns(20 * repeats, lambda: both(w), lambda: bare(two, w, numbers), single)
    ours, dask, task = np.min(taken, axis=0) * 1e3
    median = np.median(taken[:, 0]) * 1e3
    remark = f"median {median:.0f} ms; one empty task of Dask {task:.1f} ms, {PARTS} of them {dask:.1f} ms"
    yield Row(f"one evaluation over {PARTS} parts, fastest", ours, 10.0, "ms", remark)


def regression(two, rows, repeats):
    """A row: an evaluation of a logistic regression beside one by hand, on the same data on the same workers."""
    loaders = [partial(drawn, rows // PARTS, 50, k) for k in range(PARTS)]
    futures = two.map(lambda make: make(), loaders, pure=False)
    total, w = value_and_grad(summed(logistic, futures, two)), np.zeros(50)
    assert np.allclose(total(w)[1], by_hand(two, w, futures)[1])
    taken = turns(2 * repeats, lambda: total(w), lambda: by_hand(two, w, futures))
    ratio = np.median(taken[:, 0] / taken[:, 1])
    found = minimize(total, w, jac=True, method="L-BFGS-B", options={"maxiter": 20})
    ours, hand = np.median(taken, axis=0)
    remark = (f"{rows:,} × 50, {ours:.2f} s an evaluation, by hand {hand:.2f} s; L-BFGS: {found.nfev} evaluations, the "
              f"largest component of the gradient {np.max(np.abs(found.jac)) / rows:.0e} a row")  # fmt: skip
    yield Row("logistic regression beside NumPy by hand on Dask", ratio, 1.3, "×", remark)


def costs(client, repeats):
    """Seconds of an evaluation that does nothing: at once, for a task, for a part more in a task, for a byte of θ."""
    w, many = np.ones(50), np.ones(500_000)
    few, more = (value_and_grad(summed(least, [1.0] * count, client)) for count in (2, 66))
    together, gradient = (value_and_grad(summed(f, [1.0] * count, client)) for f, count in ((least, 66), (scaled, 2)))
    short, clusters.SHORT = clusters.SHORT, 0.0  # a task for each part
    alone = turns(10 * repeats, lambda: few(w), lambda: more(w)).min(axis=0)
    clusters.SHORT = short
    taken = turns(10 * repeats, lambda: few(w), lambda: together(w), lambda: gradient(many)).min(axis=0)
    task, part = max(alone[1] - alone[0], 0.0) / 64, max(taken[1] - taken[0], 0.0) / 64
    byte = max(taken[2] - taken[0], 0.0) / (2.0 * many.nbytes * 2)  # two workers, there and back
    return taken[0] - 2 * task, task, part, byte


def scaled(w, part):
    """A loss whose gradient is as large as θ."""
    return np.sum(w) * part


def predicted(costs, compute, parameters, workers):
    """Seconds of an evaluation of a part for each worker: broadcast, compute, tasks of the scheduler, reduction.

    θ goes from worker to worker, and results come in blocks of 16 from worker to worker: as many hops as the logarithms
    to the bases 2 and 16 say. The scheduler does its tasks one after the other, those of the blocks as well.
    """
    once, task, _, byte = costs
    size = 8 * parameters
    broadcast, reduce = np.log2(workers + 1) * size * byte, 16 * np.log(workers + 1) / np.log(16) * size * byte
    tasks = once + task * workers * (1 + 1 / 15)
    return broadcast, compute, tasks, reduce


def main():
    """Print the tables."""
    from distributed import Client, LocalCluster

    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--rows", type=int, default=400_000)
    given.add_argument("--repeats", type=int, default=5)
    given.add_argument("--rounds", type=int, default=3000)
    given.add_argument("--only", nargs="+", choices=("gain", "overhead", "regression", "costs"))
    given = given.parse_args()
    wanted = given.only or ("gain", "overhead", "regression", "costs")
    quiet = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=1, **quiet) as few, LocalCluster(n_workers=2, **quiet) as more:  # noqa: SIM117
        with Client(few) as one, Client(more) as two:
            rows = {
                "gain": lambda: gain(one, two, given.repeats, given.rounds),
                "overhead": lambda: overhead(two, given.repeats),
                "regression": lambda: regression(two, given.rows, given.repeats),
            }
            print(HEADER)
            for name in wanted:
                for row in rows.get(name, list)():
                    print(row, flush=True)
            measured = costs(two, given.repeats) if "costs" in wanted else None
    if measured:
        print_model(measured)


def print_model(measured):
    """Print what an evaluation takes by the measured costs, for more workers."""
    once, task, part, byte = measured
    once, task, part = once * 1e3, task * 1e3, part * 1e3
    print(f"\nAt once {once:.1f} ms, a task {task:.2f} ms, a short part more in a task {part:.2f} ms, "
          f"a megabyte of θ {byte * 1e9:.1f} ms.\n")  # fmt: skip
    print("| workers | parameters | a part | broadcast | compute | tasks | reduce | evaluation | of it compute |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for parameters in (50, 1_000_000):
        for compute in (1.0, 30.0):
            for workers in (10, 100, 1000):
                parts = predicted(measured, compute, parameters, workers)
                shown = " | ".join(f"{part:.2f} s" for part in (*parts, sum(parts)))
                print(f"| {workers:,} | {parameters:,} | {compute:g} s | {shown} | {compute / sum(parts):.0%} |")


if __name__ == "__main__":
    main()
