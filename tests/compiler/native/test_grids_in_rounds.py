"""Simulations on grids: what rounds need of others takes turns in memory, is computed again, or summed up at once."""

import numpy as np
import pytest
from interpreted import memory_of, run
from loops import ArrayLoops, GridLoops
from numpy.testing import assert_allclose

pytest.importorskip("llvmlite")

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.native.instructions.areas import DTYPES
from autodiff.compiler.native.instructions.instruction import Block, Repeat
from autodiff.compiler.native.kernels import turns
from autodiff.compiler.native.loops import following
from autodiff.compiler.native.savings import neighbours


@pytest.fixture
def small(monkeypatch):
    """Let what pays of large arrays pay of small ones; return how often each was done."""
    done = {"follows": 0, "again": 0, "turns": 0}

    def counted(what, function, is_done):
        def call(*given):
            found = function(*given)
            done[what] += is_done(found)
            return found

        return call

    monkeypatch.setattr(following, "LARGE", 1)
    monkeypatch.setattr(neighbours, "LARGE", 1)
    monkeypatch.setattr(turns, "LEAST", 1)
    monkeypatch.setattr(following, "_host", counted("follows", following._host, lambda host: host >= 0))
    monkeypatch.setattr(neighbours._Recomputation, "_pays", counted("again", neighbours._Recomputation._pays, bool))
    monkeypatch.setattr(turns, "_turns", counted("turns", turns._turns, lambda found: found is not None))
    return done


@pytest.mark.parametrize("seeds", [range(k, k + 6) for k in range(0, 36, 6)], ids=lambda seeds: str(seeds.start))
def test_random_loops_over_grids(seeds, small):
    for seed in seeds:
        drawn = GridLoops(seed, (4, 12, 40)[seed % 3], ((5, 6), (4, 3), (8, 20))[seed // 3 % 3])
        for f in (drawn.function(), value_and_grad(drawn.function(), (0, 1, 2))):
            compiled = jit(f)
            for point in range(2):
                with np.errstate(all="ignore"):
                    found, expected = (flatten(g(*drawn.arguments(point)))[0] for g in (compiled, f))
                for x, y in zip(found, expected, strict=True):
                    if np.isfinite(y).all():
                        size = max(1.0, np.max(np.abs(y)))
                        assert_allclose(x, y, rtol=1e-7, atol=1e-8 * size, err_msg=drawn.source)
    assert all(small.values())


DRAWN = [(90010, 2, 5), (90023, 9, 8), (90038, 6, 5), *((k, 6, 4) for k in range(6))]
"""Seeds, rounds and sizes; of the first three what a library reads would be computed again."""


@pytest.mark.parametrize(("seed", "n", "m"), DRAWN)
def test_random_loops_over_arrays_that_count_as_large(seed, n, m, small):
    drawn = ArrayLoops(seed, n, m)
    for f in (drawn.function(), value_and_grad(drawn.function(), (0, 1, 2))):
        with np.errstate(all="ignore"):
            found, expected = (flatten(g(*drawn.arguments(0)))[0] for g in (jit(f), f))
        for x, y in zip(found, expected, strict=True):
            assert_allclose(x, y, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(y))), err_msg=drawn.source)


def solved(u, b):
    for _ in range(12):
        v = u * 0.5 - 0.1
        b = np.linalg.solve(v, b)
        u = u + 0.01 * v
    return b


def multiplied(u, w):
    for _ in range(12):
        v = u * 0.5
        u = np.tanh(w @ v + v[:, ::-1])
    return u


@pytest.mark.parametrize("shape", [(64,), (64, 3)])
@pytest.mark.parametrize("f", [solved, multiplied])
def test_what_a_library_reads_is_where_it_was(f, shape):
    """It takes whole matrices, which are not computed again element by element."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(64, 64)) * 0.3 + np.eye(64) * 12
    arguments = (a, rng.normal(size=shape)) if f is solved else (a / 20, a / 12)
    compiled = jit(f)
    assert_allclose(compiled(*arguments), f(*arguments), rtol=1e-11)
    (path,) = compiled.stats()[0]["paths"]
    assert path["bytes"] <= 20 * a.nbytes


def diffused(u, by, rounds=40):
    """Heat on a grid with cold walls."""
    u = u * 1.0
    for _ in range(rounds):
        u[1:-1, 1:-1] += by * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u * u)


def test_a_sweep_through_steps_of_heat_needs_memory_for_the_states_alone():
    """And for a few grids more, whatever the rounds: adjoints take turns, differences are computed again."""
    u, rounds = np.random.default_rng(0).normal(size=(64, 64)), 40
    compiled, eager = jit(grad(diffused, (0, 1))), grad(diffused, (0, 1))
    for x, y in zip(compiled(u, 0.1), eager(u, 0.1), strict=True):
        assert_allclose(x, y, rtol=1e-12, atol=1e-12 * np.max(np.abs(y)))
    (path,) = compiled.stats()[0]["paths"]
    assert path["bytes"] <= (rounds + 10) * u.nbytes


def test_sums_of_adjoints_times_states_are_part_of_the_sweep():
    text = jit(grad(diffused, (0, 1))).program(np.ones((64, 64)), 0.1)
    assert "39 times for i, j in 62 × 62:" in text
    assert " × 62 × 62:" not in text


# ------------------------------------------------------------------------------------------------- what is there still


def rounds_of(block, count, *, overwrites):
    """Rounds that take twice an array, and read that of neighbours when the array is written over, or is not."""
    rows, columns = 3, 4
    x, twice, z = (block.space((count, rows, columns), DTYPES["f8"]) for _ in range(3))
    block.fill(1.5, x)

    def here(area, *index):
        found = area.viewed(lambda a: a[(0, *index)])
        inner = found.along(found.shape)
        return inner._replace(round=rows * columns), found.shape

    def line(form, operands, out):
        address, shape = out
        taken = tuple(y if isinstance(y, float) else y[0] for y in operands)
        block.instructions.append(block.instructions[0]._replace(form=form, operands=taken, out=address, shape=shape))

    line("multiply", (here(x, slice(None)), 2.0), here(twice, slice(None)))
    if overwrites:
        line("add", (here(x, slice(None)), 1.0), here(x, slice(None)))
    line("same", (here(twice, slice(1, None)),), here(z, slice(None, -1)))
    fill, *lines = block.instructions
    return [fill, Repeat(tuple(lines), count)], z


@pytest.mark.parametrize("overwrites", [False, True])
def test_what_is_written_over_is_not_read_again(overwrites, small):
    block = Block()
    groups, z = rounds_of(block, 5, overwrites=overwrites)
    memory = memory_of(block, None, np.random.default_rng(0))
    run(groups, memory)
    again = neighbours.computed_again(block, groups, {z.space.number})
    assert (len(again[1].lines) > len(groups[1].lines)) == (not overwrites)
    other = memory_of(block, None, np.random.default_rng(0))
    run(again, other)
    assert_allclose(other[z.space.number], memory[z.space.number])
    assert np.nanmax(memory[z.space.number]) == 3.0
