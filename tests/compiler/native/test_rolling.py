"""Loops found again: what repeats itself, what waits for what, and random functions with loops."""

import numpy as np
import pytest
from loops import ArrayLoops, Loops
from numpy.testing import assert_allclose

from autodiff import derivative, grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.native.instructions.uses import Access
from autodiff.compiler.native.loops.dependence import components
from autodiff.compiler.native.loops.periods import Run, runs
from autodiff.compiler.native.rows import products

pytest.importorskip("llvmlite")


def body(kernels):
    """The shapes of kernels, and the number of their nodes."""
    return [(kernel.shape, len(kernel.nodes)) for kernel in kernels]


@pytest.fixture
def kernels(monkeypatch):
    """The kernels of the blocks that are compiled in a test."""
    from autodiff.compiler.native import entry

    found = []
    write = entry.Text._write
    monkeypatch.setattr(entry.Text, "_write", lambda self: (found.append(self.kernels), write(self))[1])
    return found


# ---------------------------------------------------------------------------------------------------------------- runs


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1, 2, 3] * 5, [Run(0, 3, 5)]),
        ([9, 8, *[1, 2] * 6, 7], [Run(2, 2, 6)]),
        ([5] * 9, [Run(0, 1, 9)]),
        ([*[1, 2, 2, 3] * 5, *[4, 5] * 7], [Run(0, 4, 5), Run(20, 2, 7)]),
        ([1, *[2, 3] * 12, 4] * 5, [Run(1 + 26 * k, 2, 12) for k in range(5)]),
        ([1, *[2, 3] * 5, 4] * 12, [Run(0, 12, 12)]),
        ([*[1, 2] * 10, *[3, 3, 2] * 10], [Run(0, 2, 9), Run(19, 3, 10)]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []),
        ([1, 2, 1, 2, 1, 2], []),
        ([], []),
    ],
)
def test_runs(numbers, expected):
    assert runs(np.array(numbers, int)) == expected


def test_runs_of_a_long_sequence():
    rng = np.random.default_rng(0)
    ahead, period, behind = (rng.integers(0, 9, n) for n in (50, 37, 20))
    (found,) = runs(np.concatenate([ahead, *[period] * 300, behind]))
    assert found.period == 37
    assert 298 <= found.rounds <= 300


# -------------------------------------------------------------------------------------------------------- dependences


def groups(accesses, count, rounds=10):
    return [(group.members, group.cyclic) for group in components(count, accesses, rounds)]


def test_a_line_that_reads_the_round_before_is_a_cycle():
    # s[t + 1] = s[t] + …
    assert groups([Access(0, 0, 1, 1, 1, True), Access(0, 0, 0, 0, 1, False)], 1) == [([0], True)]
    # s[t] = s[t] + …
    assert groups([Access(0, 0, 1, 1, 1, True), Access(0, 0, 1, 1, 1, False)], 1) == [([0], False)]
    # every round writes to one place
    assert groups([Access(0, 0, 3, 3, 0, True)], 1) == [([0], True)]


def test_what_is_read_comes_first():
    # line 0 reads in each round what line 1 wrote in the round before
    reads = [Access(0, 7, 0, 0, 1, False), Access(1, 7, 1, 1, 1, True), Access(0, 8, 0, 0, 1, True)]
    assert groups(reads, 2) == [([1], False), ([0], False)]
    # line 0 reads what line 1 writes over in the next round
    reads = [Access(0, 7, 1, 1, 1, False), Access(1, 7, 0, 0, 1, True)]
    assert groups(reads, 2) == [([0], False), ([1], False)]
    # in the opposite direction both, in one round or another
    assert groups([Access(0, 7, 9, 9, -1, False), Access(1, 7, 0, 0, 1, True)], 2) == [([0, 1], True)]
    # far apart
    assert groups([Access(0, 7, 0, 0, 1, False), Access(1, 7, 50, 50, 1, True)], 2) == [([0], False), ([1], False)]


# ------------------------------------------------------------------------------------------------------------ programs


def test_a_sum_over_a_loop_is_one_kernel(kernels):
    def loss(a):
        total = 0.0
        for x in np.linspace(0.0, 1.0, 100).tolist():
            total = total + (a * x - 1.0) ** 2
        return total

    compiled = jit(grad(loss))
    assert_allclose(compiled(2.0), grad(loss)(2.0), rtol=1e-13)
    assert sum(nodes for _, nodes in body(kernels[-1])) < 40
    assert len(kernels[-1]) < 12


def test_the_lines_of_a_program_do_not_grow_with_its_loops(kernels):
    def rosenbrock(x):
        total = 0.0
        for k in range(len(x) - 1):
            total = total + 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
        return total

    sizes = []
    for n in (20, 60):
        compiled, x = jit(value_and_grad(rosenbrock)), np.linspace(-1.0, 2.0, n)
        for point in (x, x + 0.5):
            for found, expected in zip(compiled(point), value_and_grad(rosenbrock)(point), strict=True):
                assert_allclose(found, expected, rtol=1e-13)
        sizes.append(sum(nodes for _, nodes in body(kernels[-1])))
    assert sizes[0] == sizes[1] < 150


def test_a_recurrence_goes_round_by_round(kernels):
    def logistic_map(r):
        x = 0.3
        for _ in range(50):
            x = r * x * (1 - x)
        return x

    compiled = jit(grad(logistic_map))
    assert_allclose(compiled(2.9), grad(logistic_map)(2.9), rtol=1e-11)
    assert any(kernel.sequential for kernel in kernels[-1])


def test_values_and_tangents_that_wait_for_their_last_round_go_on_together(kernels):
    def chain(x):
        for _ in range(50):
            x = np.sin(x) * 1.5 + 0.1
        return x

    compiled = jit(lambda x: derivative(chain, 0, (x,)))
    assert_allclose(compiled(0.5), derivative(chain, 0, (0.5,)), rtol=1e-11)
    assert sum(kernel.sequential for kernel in kernels[-1]) == 1


@pytest.mark.parametrize("seeds", [range(k, k + 10) for k in range(0, 30, 10)], ids=lambda seeds: str(seeds.start))
def test_random_loops(seeds):
    for seed in seeds:
        drawn = Loops(seed, 10 + seed % 7)
        f = value_and_grad(drawn.function(), (0, 1))
        compiled, rng = jit(f), np.random.default_rng(seed)
        for _ in range(3):
            x, a = rng.normal(size=drawn.n + 1), float(rng.normal())
            for found, expected in zip(flatten(compiled(x, a))[0], flatten(f(x, a))[0], strict=True):
                size = np.max(np.abs(expected), initial=1.0)
                assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * size, err_msg=drawn.source)


@pytest.mark.parametrize("change", [
    "s = s + x[i] * x[i + 1]", "s = s * x[i]", "s = np.maximum(s, x[i])", "x[i] = x[i + 1] * 0.5",
    "x[i + 1] = x[i] * 0.5 + x[i + 1]", "x[i] = s; s = x[-1 - i]", "s = x[i] if i % 2 else s", "s = s - x[3] * x[i]",
    "s, t = t, s + 0.1 * x[i]", "x[2] = x[2] + x[i]", "s = s + x[i * i % 7]",
])  # fmt: skip
def test_kinds_of_loops(change):
    lines = ("def f(x):", "    x, s, t = x * 1.0, 0.5, 0.25", "    for i in range(30):", f"        {change}",
             "    return s + np.sum(x)")  # fmt: skip
    names = {"np": np}
    exec("\n".join(lines), names)
    f = value_and_grad(names["f"])
    compiled, rng = jit(f), np.random.default_rng(0)
    for _ in range(3):
        x = rng.normal(size=31)
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("term", ["np.sin(y[7 - i] * y[7 - i])", "np.maximum(y[7 - i], y[7 - i])"])
def test_a_round_that_reads_the_one_before_twice_and_began_otherwise(term):
    """An adjoint is added to itself, and in the first round to one that came from elsewhere."""
    lines = ("def f(x, s):", "    y, u = [], 0.0", "    for i in range(8):", "        s = 0.7 * s + x[7 - i]",
             "        y.append(s)", "    for i in range(8):", f"        u = u + {term}",
             "    return u + y[-1] * y[2]")  # fmt: skip
    names = {"np": np}
    exec("\n".join(lines), names)
    f, rng = grad(names["f"], (0, 1)), np.random.default_rng(0)
    compiled = jit(f)
    for _ in range(3):
        x, s = rng.normal(size=8), float(rng.normal())
        for found, expected in zip(compiled(x, s), f(x, s), strict=True):
            assert_allclose(found, expected, rtol=1e-11)


# -------------------------------------------------------------------------------------------------- loops over arrays

NOISE = np.random.default_rng(3).normal(size=(20, 6))


def cell(w, rounds):
    """A recurrent cell: joined, sliced and summed arrays, and a table of inputs."""
    h, c, total = np.zeros(6), np.zeros(6), 0.0
    for t in range(rounds):
        z = np.concatenate([h, NOISE[t]]) * w[0] + w[1]
        gate = 1 / (1 + np.exp(-z[:6]))
        c = gate * c + np.tanh(z[6:])
        h = np.tanh(c) * gate
        total = total + np.sum(h * h)
    return total


def lorenz(y, rounds):
    """Runge and Kutta's method, by arrays that are made of elements."""
    slope = lambda y: np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])
    for _ in range(rounds):
        a = slope(y)
        b = slope(y + 0.005 * a)
        y = y + 0.01 * (a + 2 * b) / 3
    return np.sum(y)


def heat(u, rounds):
    """Writes into the inner part of a copy, of neighbours."""
    for _ in range(rounds):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u**2)


def kalman(f, rounds):
    """Products of small matrices."""
    x, p, total = np.zeros(3), np.eye(3), 0.0
    for t in range(rounds):
        x, p = f @ x, f @ p @ f.T + 0.1 * np.eye(3)
        gain = p[:, :1] / (p[0, 0] + 1.0)
        e = NOISE[t, 0] - x[0]
        x, p = x + gain[:, 0] * e, p - gain @ p[:1]
        total = total + e * e / (p[0, 0] + 1.0)
    return total


def power_iteration(a, rounds):
    """A norm and a product a round."""
    v = np.ones(4)
    for _ in range(rounds):
        v = a @ v
        v = v / np.sqrt(np.sum(v * v))
    return v @ a @ v


def momentum(x, rounds):
    """Descent along a gradient that is recorded, too."""
    slope, velocity = grad(lambda x: np.sum(np.cos(x) * x)), np.zeros_like(NOISE[0])
    for _ in range(rounds):
        velocity = 0.9 * velocity - 0.1 * slope(x)
        x = x + velocity
    return np.sum(x)


@pytest.mark.parametrize("rounds", [5, 17])
@pytest.mark.parametrize(
    ("f", "shape"),
    [(cell, (2, 12)), (lorenz, (3,)), (heat, (40,)), (kalman, (3, 3)), (power_iteration, (4, 4)), (momentum, (6,))],
)
def test_loops_over_arrays(f, shape, rounds, kernels):
    rng, both = np.random.default_rng(rounds), value_and_grad(lambda x: f(x, rounds))
    compiled = jit(both)
    for _ in range(3):
        x = rng.normal(size=shape) * 0.4 + 1.0
        for found, expected in zip(compiled(x), both(x), strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * np.max(np.abs(expected)))
    if rounds > 10:
        assert any(kernel.rounds > 1 for kernel in kernels[-1])
        assert len(kernels[-1]) < 150


@pytest.mark.parametrize("small", [products.SMALL, 0])
@pytest.mark.parametrize("seeds", [range(k, k + 5) for k in range(900, 920, 5)], ids=lambda seeds: str(seeds.start))
def test_random_loops_over_arrays(seeds, small, monkeypatch):
    """Products, by BLAS or not, elements at places, writes: their values and gradients, at points that differ."""
    monkeypatch.setattr(products, "SMALL", small)
    rolled = 0
    for seed in seeds:
        drawn = ArrayLoops(seed, 5 + seed % 4, 3 + seed % 3)
        f = value_and_grad(drawn.function(), (0, 1, 2))
        compiled = jit(f)
        for point in range(3):
            found, expected = (flatten(g(*drawn.arguments(point)))[0] for g in (compiled, f))
            for x, y in zip(found, expected, strict=True):
                assert_allclose(x, y, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(y))), err_msg=drawn.source)
        (form,) = compiled._programs.forms.values()
        blocks = (block for path in form.paths for block in path.source.native.parts.blocks.values())
        rolled += any(len(block.groups) < 0.7 * len(block.instructions) for block in blocks)
    assert rolled
