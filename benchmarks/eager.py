"""The eager paths against plain evaluation of the same function. ``python benchmarks/eager.py`` prints the table."""

from __future__ import annotations

import math
import random
import time

from contenders.ours import Ours
from timing import HEADER, Row, np, pin, printed_by, seconds  # NumPy from there: on one thread
from workloads import training

import dualnumbers.dmath as dmath
from autodiff import derivative, grad, value_and_grad
from autodiff.reverse import record
from autodiff.tape.recorder import Recorder
from autodiff.tape.variable import variable
from dualnumbers import DualNumber

RANDOM = random.Random(0)
POINTS = [(x, 2.0 * x + 1.0 + RANDOM.gauss(0.0, 0.1)) for x in (RANDOM.random() for _ in range(500))]


def loss(slope, intercept):
    """The squared error of a line over 500 points, a Python loop."""
    total = 0.0
    for x, y in POINTS:
        total += (y - (slope * x + intercept)) ** 2
    return total


def scalar_rows():
    """Python loops on floats: a dual pass, a reverse gradient, and one derivative call."""
    both = value_and_grad(loss, (0, 1))
    plain, dual, reverse, recorded = seconds(
        lambda: loss(1.5, 0.5),
        lambda: derivative(loss, 0, [1.5, 0.5]),
        lambda: both(1.5, 0.5),
        lambda: record(loss, [1.5, 0.5]),
    )
    yield Row("500-point loss: one dual pass / plain floats", dual / plain, 17, "×", f"plain {plain * 1e6:.0f} µs")
    remark = f"recording {recorded / plain:.0f} ×, sweep {(reverse - recorded) / plain:.0f} ×"
    yield Row("500-point loss: value and reverse gradient / plain floats", reverse / plain, 36, "×", remark)

    def power(x):
        return dmath.sin(x) ** dmath.sin(x)

    def by_math(x):
        return math.sin(x) ** math.sin(x)

    x, args = math.pi / 4, [math.pi / 4]
    plain, fastest, exact = seconds(lambda: power(x), lambda: by_math(x), lambda: derivative(power, 0, args))
    remark = f"{exact / fastest:.1f} × the same with math.sin"
    yield Row("derivative of sin(x)**sin(x) / the function of a float", exact / plain, 9, "×", remark)


def array_rows():
    """Dual numbers of arrays, and what a tape adds to NumPy's own calls."""
    for size, goal in ((1_000, 2.6), (100_000, None)):
        x = np.random.default_rng(0).random(size)
        dual = DualNumber(x, np.ones(size))
        plain, exact = seconds(lambda x=x: np.sin(x) * x, lambda dual=dual: np.sin(dual) * dual)
        yield Row(f"np.sin(X) * X on a dual of {size:,} elements / plain", exact / plain, goal or 4, "×")
    raised = _with_raised_thresholds()
    yield Row("the same at 100,000, allocator's thresholds raised", raised, 2.6, "×")

    x = np.random.default_rng(0).random(1_000)

    def many(call):
        v = variable(Recorder(), x)
        for _ in range(100):
            call(v)

    index, reduce, own = seconds(
        lambda: many(lambda v: v[5]), lambda: many(lambda v: v.sum()), lambda: [x.sum() for _ in range(100)]
    )
    yield Row("recording v[i]", index * 1e4, 0.5, "µs")
    yield Row("recording v.sum() beyond NumPy's own", (reduce - own) * 1e4, 1.0, "µs", f"NumPy {own * 1e4:.2f} µs")
    yield _small_calls()
    yield _captured_matrix()
    yield _recorded_gradient()


def _small_calls():
    """A chain of 300 NumPy calls on arrays of 10, of which the gradient is taken."""

    def chain(x):
        y = x
        for _ in range(100):
            y = np.sin(y) * x + x
        return np.sum(y)

    x, gradient = np.random.default_rng(0).random(10), grad(chain)
    own, swept = seconds(lambda: chain(x), lambda: gradient(x))
    remark = f"NumPy {own / 300 * 1e6:.2f} µs a call"
    return Row("a NumPy call on 10 elements, recorded and swept / NumPy's own", swept / own, 10, "×", remark)


def _captured_matrix():
    """A layer that is applied fifty times, whose matrix of 320 kB the function reads from outside."""
    matrix, x = np.random.default_rng(0).random((200, 200)) / 100, np.random.default_rng(1).random(200)

    def layers(x):
        for _ in range(50):
            x = np.tanh(matrix @ x)
        return np.sum(x)

    def by_hand(x):
        results = []
        for _ in range(50):
            x = np.tanh(matrix @ x)
            results.append(x)
        adjoint = np.ones(x.size)
        for z in reversed(results):
            adjoint = ((1.0 - z * z) * adjoint) @ matrix
        return adjoint

    gradient = grad(layers)
    hand, swept = seconds(lambda: by_hand(x), lambda: gradient(x))
    return Row("gradient of 50 × tanh(W @ x), W captured / by hand", swept / hand, 2, "×", f"{hand * 1e3:.2f} ms")


def _recorded_gradient():
    """A chain of 200 steps on arrays of 5, of which the gradient is recorded."""

    def chain(x):
        y = x
        for _ in range(200):
            y = np.tanh(y) * x + 1.0
        return np.sum(y)

    x = np.full(5, 0.3)
    lines = len(record(grad(chain), [x])[0])
    (whole,) = seconds(lambda: record(grad(chain), [x]))
    return Row("recording a gradient, a line", whole / lines * 1e6, 4, "µs", f"{lines} lines")


def network_rows():
    """A step of gradient descent, by modules and by hand."""
    work = training.step("784-256-128-10", 128, "cross entropy")
    ours, by_hand = seconds(work.call(Ours()), work.hand)
    yield Row("one step of 784-256-128-10, 128 points / by hand", ours / by_hand, 1.5, "×", f"{by_hand * 1e3:.2f} ms")


RAISED = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}


def _with_raised_thresholds():
    script = (
        "from timing import pin, seconds; pin(); import numpy as np; from dualnumbers import DualNumber;"
        "x = np.random.default_rng(0).random(100_000); d = DualNumber(x, np.ones(x.size));"
        "plain, exact = seconds(lambda: np.sin(x) * x, lambda: np.sin(d) * d); print(exact / plain)"
    )
    return float(printed_by(script, RAISED))


def chain(x, operations):
    """sin, multiply and add in turn."""
    for _ in range(operations // 3):
        x = dmath.sin(x) * 1.0001 + 0.1
    return x


def scale_rows():
    """A long chain's memory and time, the strong zero, the import."""
    script = (
        "import resource; from eager import gradient_time;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; long = gradient_time(999_999);"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "print((after - before) / 1024, long, 10 * min(gradient_time(99_999) for _ in range(5)))"
    )
    memory, long, short = map(float, printed_by(script).split())
    yield Row("1,000,000 operations recorded and swept: memory", memory, 150, "MB", f"{long:.2f} s")
    yield Row("the same: time / ten times that of 100,000", long / short, 1.5, "×", "1 is linear")
    yield from strong_rows()
    script = (
        "import time; start = time.perf_counter(); import numpy; between = time.perf_counter(); import autodiff;"
        "print(between - start, time.perf_counter() - between)"
    )
    times = [[float(seconds) for seconds in printed_by(script).split()] for _ in range(15)]
    of_numpy, beyond = np.median(times, axis=0)
    remark = f"{beyond * 1e3:.0f} ms beyond NumPy's {of_numpy * 1e3:.0f}"
    yield Row("import autodiff / NumPy's own import", beyond / of_numpy, 0.3, "×", remark)


def gradient_time(operations):
    """Seconds of one reverse gradient of `chain`."""
    start = time.perf_counter()
    value_and_grad(lambda x: chain(x, operations))(0.5)
    return time.perf_counter() - start


def strong_rows():
    """The strong zero in reverse mode: the look for NaN among the adjoints of the inputs."""
    from autodiff import reverse
    from autodiff.tape import sweep

    x = np.random.default_rng(0).random(1_000) + 0.5

    def f(x):
        return np.sum(np.sqrt(x) * np.log(x) / (x + 1.0))

    def unguarded(tape, seeds, keep=False):
        with np.errstate(all="ignore"):
            found = sweep._sweep(tape, seeds, None, keep)
        return [found[line] for line in tape.inputs]

    guarded = sweep.adjoints
    gradient = value_and_grad(f)

    def without():
        reverse.adjoints = unguarded
        try:
            return gradient(x)
        finally:
            reverse.adjoints = guarded

    checked, unchecked = seconds(lambda: gradient(x), without, rounds=60)
    yield Row("the strong zero in reverse mode, 1,000 elements", 100 * (checked / unchecked - 1), 5, "%")


def main():
    """Print the table."""
    pin()
    print(HEADER)
    for rows in (scalar_rows, array_rows, network_rows, scale_rows):
        for row in rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
