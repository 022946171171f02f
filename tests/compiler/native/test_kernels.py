"""Kernels give what their instructions give, interpreted by NumPy: as they are fused, and as machine code."""

import ctypes
import math
import warnings
from math import prod
from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")

from array_programs import Choosing, Drawn
from interpreted import FOLDS, left, memory_of, plain, run, run_kernels, text_of
from loops import ArrayLoops, Loops

from autodiff import grad, jit
from autodiff.compiler.forms import form_of
from autodiff.compiler.native import lowering
from autodiff.compiler.native.elementary.forms import FORMS, OF_TRUTHS, TRUTHS, kind_of
from autodiff.compiler.native.elementary.functions import ELEMENTARY
from autodiff.compiler.native.instructions.areas import DTYPES, Address
from autodiff.compiler.native.instructions.instruction import IDENTITIES, Block, Repeat
from autodiff.compiler.native.kernels import narrow_products, sinking, turns
from autodiff.compiler.native.kernels.arranging import Arrangement
from autodiff.compiler.native.kernels.fusing import collapsed, fuse, without_unread
from autodiff.compiler.native.kernels.in_place import in_place
from autodiff.compiler.native.kernels.joining import joined
from autodiff.compiler.native.kernels.sinking import sunk
from autodiff.compiler.native.kernels.unrolling import written_out
from autodiff.compiler.native.loops import following
from autodiff.compiler.native.loops.rolling import roll
from autodiff.compiler.native.machine.addresses import Addresses
from autodiff.compiler.native.machine.engine import Machine
from autodiff.compiler.native.rows import products
from autodiff.compiler.native.savings import neighbours, slicing
from autodiff.compiler.native.savings.factoring import factored
from autodiff.compiler.native.savings.grids import summed as in_boxes
from autodiff.compiler.native.savings.narrowing import narrowed
from autodiff.compiler.native.savings.overlaps import gathered
from autodiff.compiler.native.text.calling import printed
from autodiff.compiler.passes import PASSES
from autodiff.compiler.paths import recorded
from autodiff.compiler.source import Source

FILL = 0xA5
"""What is before and after each piece of memory, where nothing may be written."""

EXTENTS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1000)

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-3, 5e-324, -1e-310, 1e38, -1e300, np.inf, -np.inf, np.nan, 1e-40]


def program_of(f, arguments):
    """A function's program."""
    program = recorded(f, arguments, {}, tuple(map(form_of, arguments)))
    for one in PASSES:
        program = one(program)
    return program


def blocks_of(f, arguments):
    """The blocks of a function's program, with the loops still to be found, and the values that they take."""
    program = program_of(f, arguments)
    with mock.patch.object(lowering, "roll", lambda block, short: block.instructions):
        return [(block, program.value) for block in lowering.Lowering(program).blocks.values()]


def assert_near(found, expected, single=False):
    """They are the same to rounding, of what is single precision in between to its rounding."""
    assert found.dtype == expected.dtype
    if expected.dtype == bool:
        assert_array_equal(found, expected)
        return
    near = 1e-4 if single else 1e-12
    size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    assert_allclose(found, expected, rtol=near, atol=near * size)


class Native:
    """Kernels of some blocks as machine code, made at once, and run on memory whose surroundings are watched."""

    def __init__(self):
        self.texts, self.declared, self.addresses = [], set(), Addresses()

    def add(self, kernels, failed):
        text, declared = text_of(kernels, failed, f"block{len(self.texts)}", self.addresses)
        self.texts.append(text)
        self.declared |= declared
        return len(self.texts) - 1

    def make(self):
        text = "\n".join([*sorted(self.declared), self.addresses.definition, *self.texts])
        self.machine = Machine(text, addresses=self.addresses.values)

    def run(self, number, memory):
        around = [np.full(x.nbytes + 128, FILL, np.uint8) for x in memory]
        for watched, x in zip(around, memory, strict=True):
            watched[64:-64] = x.view(np.uint8)
        table = (ctypes.c_void_p * len(memory))(*(watched.ctypes.data + 64 for watched in around))
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.machine.address(f"block{number}"))(table)
        for watched, x in zip(around, memory, strict=True):
            assert np.all(watched[:64] == FILL)
            assert np.all(watched[-64:] == FILL)
            x[:] = watched[64:-64].view(x.dtype)


# ------------------------------------------------------------------------------------------------------ random programs


def steps_of(block, values, rng, single, native):
    """Hold each pass on a block against its instructions; return what is to be asked of its machine code."""
    failed, areas = block.space((), DTYPES["b1"]).space.number, read_of(block)
    with mock.patch.object(following, "LARGE", 1):
        rolled, now = roll(block), read_of(block)
    summed = gathered(block, rolled, {area.space.number for area in now})
    start = memory_of(block, values, rng)
    memory = [x.copy() for x in start]
    run(block.instructions, memory)
    expected = [x.copy() for x in left(areas, memory)]

    def check(kernels, rng=None):
        memory = [x.copy() for x in start]
        run_kernels(kernels, memory, rng)
        assert_all_near(left(now, memory), expected, single)

    memory = [x.copy() for x in start]
    run(rolled, memory)
    assert_all_near(left(now, memory), expected, single)
    memory = [x.copy() for x in start]
    run(summed, memory)
    assert_all_near(left(now, memory), expected, single)
    summed = in_boxes(block, summed)
    memory = [x.copy() for x in start]
    run(summed, memory)
    assert_all_near(left(now, memory), expected, single)
    with mock.patch.object(neighbours, "LARGE", 1):
        summed = factored(neighbours.computed_again(block, summed, {area.space.number for area in now}))
    start += memory_of(block, values, rng)[len(start) :]
    memory = [x.copy() for x in start]
    run(summed, memory)
    assert_all_near(left(now, memory), expected, single)
    with mock.patch.multiple(slicing, CACHED=1, LEAST=1, SMALLER=int(rng.integers(1, 5))):
        summed = slicing.sliced(block, summed, {area.space.number for area in now})
    start += memory_of(block, values, rng)[len(start) :]
    memory = [x.copy() for x in start]
    run(summed, memory)
    assert_all_near(left(now, memory), expected, single)
    summed = narrowed(block, summed, {area.space.number for area in now})
    memory = [x.copy() for x in start]
    run(summed, memory)
    assert_all_near(left(now, memory), expected, single)
    kernels = fuse(summed)
    check(kernels)
    check(kernels, rng)
    kernels = without_unread(kernels, {area.space.number for area in now})
    check(kernels, rng)
    with mock.patch.object(sinking, "LARGE", 1):
        sunk(kernels, {area.space.number for area in now})
    kernels = without_unread(kernels, {area.space.number for area in now})
    check(kernels, rng)
    kept = {space.number for space in (*block.given.values(), *block.tables)} | {area.space.number for area in now}
    in_place(kernels, block.spaces, sorted({area.space.number for area in block.results.values()}), kept)
    check(kernels, rng)
    for kernel in kernels:
        collapsed(kernel)
    check(kernels, rng)
    kernels = written_out(kernels)
    check(kernels, rng)
    kernels = without_unread(joined(kernels), {area.space.number for area in now})
    check(kernels, rng)
    with mock.patch.multiple(narrow_products, SMALL=20, lanes=lambda: narrow_products.WITH_KERNELS):
        kernels = narrow_products.by_stretches(kernels)
    check(kernels, rng)
    with mock.patch.object(turns, "LEAST", 1):
        taking_turns = turns.Turns(kernels, block, kept)
    start += memory_of(block, values, rng)[len(start) :]
    for space, table in taking_turns.tables.items():
        start[space.number] = table
    for number, space in taking_turns.spaces.items():
        start[number] = start[number][: space.array.size]
    check(kernels, rng)
    return native.add(kernels, failed), start, now, expected, single


def read_of(block):
    """The areas that are read when a block has run."""
    return [*block.results.values(), *(area for area, _, _ in block.guards)]


def assert_all_near(found, expected, single):
    for x, y in zip(found, expected, strict=True):
        assert_near(x, y, single)


def assert_native(native, jobs):
    native.make()
    for number, memory, areas, expected, single in jobs:
        native.run(number, memory)
        assert_all_near(left(areas, memory), expected, single)


@pytest.mark.parametrize("drawn_by", [Drawn, Choosing])
@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(0, 90, 15)], ids=lambda seeds: str(seeds.start))
def test_every_pass_and_the_machine_code_keep_what_a_block_computes(seeds, drawn_by):
    """Rounds of a kernel may run in any order; memory that nothing has written yet holds NaN."""
    native, jobs = Native(), []
    for seed in seeds:
        drawn = drawn_by(seed)
        single = any(np.result_type(x) == np.float32 for x in drawn.values())
        try:
            blocks = blocks_of(drawn, drawn.arguments)
        except Exception:  # it writes to an argument, or a number that carries a derivative among truth values
            continue
        rng = np.random.default_rng(seed)
        jobs += [steps_of(block, values, rng, single, native) for block, values in blocks]
    assert len(jobs) > len(seeds) / 2
    assert_native(native, jobs)


@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(200, 230, 15)], ids=lambda seeds: str(seeds.start))
def test_every_pass_keeps_products_by_blas(seeds, monkeypatch):
    """All products are calls, of whatever extents and layouts."""
    pytest.importorskip("scipy")
    monkeypatch.setattr(products, "SMALL", 0)
    native, jobs, calls = Native(), [], 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 9])
        f, arguments = drawn_products(rng)
        for block, values in blocks_of(f, arguments):
            calls += sum(one.form == "matmul" for one in block.instructions)
            jobs.append(steps_of(block, values, rng, arguments[0].dtype == np.float32, native))
    assert calls > 3 * len(seeds)
    assert_native(native, jobs)


def drawn_products(rng):
    """A function of products of views of two stacks, and these."""
    m, k, n = rng.integers(1, 6, 3)
    dtype = rng.choice([np.float64, np.float32])
    x, y = rng.uniform(-1, 1, (2, 2, m, k)).astype(dtype), rng.uniform(-1, 1, (2, k, n)).astype(dtype)
    flip, row, column = rng.random(5) < 0.4, int(rng.integers(m)), int(rng.integers(n))

    def f(x, y):
        a, b = x[1, :, ::-1] if flip[0] else x[0], y[:, ::-1] if flip[1] else y
        z = [a[1] @ b[1], a @ b, x @ b, a[0, row] @ b, a @ b[0, :, column], a[0, row] @ b[1, :, column]]
        z += [a[1].T @ z[0] if flip[2] else b[0].T @ a[0].T, np.ones((3, int(k))) @ b[0]]
        z += [np.broadcast_to(a[0, row], (4, int(k))) @ b[0] if flip[3] else z[0].T @ z[0]]
        return [*z, z[4] * 2.0, np.sum(z[1], 0) if flip[4] else z[1][0]]

    return f, [x, y]


@pytest.mark.parametrize("seeds", [range(k, k + 3) for k in range(100, 109, 3)], ids=lambda seeds: str(seeds.start))
def test_every_pass_keeps_what_loops_compute(seeds):
    native, jobs = Native(), []
    for seed in seeds:
        drawn, rng = Loops(seed, 6 + seed % 5), np.random.default_rng(seed)
        arguments = [rng.normal(size=drawn.n + 1), float(rng.normal())]
        for block, values in blocks_of(grad(drawn.function()), arguments):
            jobs.append(steps_of(block, values, rng, False, native))
    assert_native(native, jobs)


@pytest.mark.parametrize("small", [products.SMALL, 0])
@pytest.mark.parametrize("seeds", [range(k, k + 3) for k in range(800, 806, 3)], ids=lambda seeds: str(seeds.start))
def test_every_pass_keeps_what_random_loops_over_arrays_compute(seeds, small, monkeypatch):
    monkeypatch.setattr(products, "SMALL", small)
    native, jobs = Native(), []
    for seed in seeds:
        drawn, rng = ArrayLoops(seed, 5 + seed % 3, 3), np.random.default_rng(seed)
        for block, values in blocks_of(grad(drawn.function(), (0, 1, 2)), drawn.arguments(seed)):
            jobs.append(steps_of(block, values, rng, False, native))
    assert_native(native, jobs)


def diffusion(u, rounds):
    """Writes into the inner part of a grid, of neighbours, and sums up what each round has."""
    u, total = u * 1.0, 0.0
    for _ in range(rounds):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        total = total + np.sum(u * u) * u[1, 2]
    return np.sum(u * u) + total


def heat(u, rounds):
    """Writes into the inner part of a copy, of neighbours."""
    for _ in range(rounds):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u * u)


def states(w, rounds):
    """Products of matrices, rows of a table, and a sum."""
    h, total, table = np.ones(4), 0.0, np.random.default_rng(0).normal(size=(rounds, 4))
    for t in range(rounds):
        h = np.tanh(w @ h + table[t]) + np.roll(h, 1) * w[0]
        total = total + np.max(h) * np.sum(h)
    return total


def network(w, rounds):
    """Two layers, steps down the slope of their error, rows of a table going in."""
    table, x = np.random.default_rng(1).normal(size=(rounds, 3, 4)), np.ones((3, 4)) * 0.1
    v = w.T * 0.5
    for t in range(rounds):
        h = np.tanh(x @ w + table[t] @ v)
        g = (h - 0.5) * (1.0 - h * h)
        v = v - 0.1 * (table[t].T @ g)
        x = np.maximum(h @ v.T, 0.05 * x)
    return np.sum(x * x) + np.sum(v)


def pairs(x, rounds):
    """Elements at places, in each round at others, some twice; and sums of what is at places."""
    rng = np.random.default_rng(2)
    total, first = 0.0 * x[:, 0], rng.integers(0, 7, 9)
    for _ in range(rounds):
        second = rng.integers(0, 7, 9)
        apart = x[first] - x[second] * 0.5
        np.add.at(total, second, np.sum(apart * apart, 1))
        x = x + 0.1 * np.take(np.tanh(x), rng.permutation(7), 0)
        x[first[:2]] *= 0.5
    return np.sum(np.sin(total)) + np.sum(x * x)


@pytest.mark.parametrize(
    ("f", "shape"), [(diffusion, (6, 7)), (heat, (9,)), (states, (4, 4)), (network, (4, 4)), (pairs, (7, 3))]
)
@pytest.mark.parametrize("rounds", [6, 12])
@pytest.mark.parametrize("small", [products.SMALL, 0])
def test_every_pass_keeps_what_loops_over_arrays_compute(f, shape, rounds, small, monkeypatch):
    monkeypatch.setattr(products, "SMALL", small)
    native, rng = Native(), np.random.default_rng(rounds)
    drawn = [rng.normal(size=shape) * 0.4]
    found = blocks_of(grad(lambda x: f(x, rounds)), drawn)
    assert_native(native, [steps_of(block, values, rng, False, native) for block, values in found])
    assert any(isinstance(one, Repeat) for block, _ in found for one in roll(block))


def arranged(f, *arguments):
    """The kernels of a function's gradient as machine code runs them."""
    ((block, _),) = blocks_of(grad(f, tuple(range(len(arguments)))), list(arguments))
    block.groups = roll(block)
    return Arrangement(block, list(block.results.values()), {}, may_share=True).kernels


def test_products_of_narrow_matrices_are_cut_into_stretches(monkeypatch):
    """As few as are small, as even as may be, and what is left; others are called as they are."""
    pytest.importorskip("scipy")
    monkeypatch.setattr(narrow_products, "lanes", lambda: narrow_products.WITH_KERNELS)
    for n, m, expected in (
        (5003, 20, [(2, 1668, 20, 20), (1667, 20, 20)]),
        (2000, 20, [(2000, 20, 20)]),
        (2000, 80, [(2000, 80, 80)]),
    ):
        x = np.random.default_rng(0).normal(size=(n, m))
        ((block, _),) = blocks_of(lambda x, a: x @ a, [x, x[:m]])
        block.groups = roll(block)
        kernels = Arrangement(block, list(block.results.values()), {}, may_share=True).kernels
        assert [kernel.shape for kernel in kernels if kernel.is_call] == expected
        assert_near(jit(lambda x, a: x @ a)(x, x[:m]), x @ x[:m])
        assert_near(jit(lambda x, y: x.T @ y)(x, x), x.T @ x)


def test_a_small_product_and_what_goes_on_with_it_are_one_loop():
    """It is in no memory in between, and no zeros are written for it to begin with."""
    x = np.random.default_rng(0).normal(size=(100, 5))
    kernels = arranged(lambda x, a: np.sum((x @ a) ** 2 * 3.0), x, x[:5])
    forward, backward = (kernel for kernel in kernels if any(node.form == "fma" for node in kernel.nodes))
    forms = [node.form for node in forward.nodes if node.form != "load"]
    assert forms == ["multiply", *["fma"] * 4, "add", "multiply", "multiply"]
    assert [store.address.strides for store in forward.stores] == [(5, 1)]
    assert [store.fold for store in backward.stores if store.address.strides == (5, 1)] == [""]
    others = [kernel for kernel in kernels if kernel not in (forward, backward) and prod(kernel.shape) >= 500]
    assert [store.fold for kernel in others for store in kernel.stores] == ["or"]  # whether a slope is NaN


def test_differences_of_elements_at_places_are_stored_for_who_reads_them_next():
    """It would take as long to find them again as to read them, and more."""
    (first, second), x = np.triu_indices(30, 1), np.random.default_rng(0).normal(size=(30, 3))
    kernels = arranged(lambda x: np.sum(np.sum((x[first] - x[second]) ** 2, 1) ** -3.0), x)
    adding = [kernel for kernel in kernels if any(store.address.places for store in kernel.stores)]
    assert [any(node.address and node.address.places for node in kernel.nodes) for kernel in adding] == [True, False]


@pytest.mark.parametrize("columns", [2, 3, 8])
def test_sums_of_short_rows_are_in_registers_while_these_are_gone_through(columns):
    kernels = arranged(lambda x, b: np.sum(np.sin(x + b)), np.ones((50, columns)), np.ones(columns))
    (kernel,) = (kernel for kernel in kernels if kernel.shape == (50, columns))
    (total,) = (store.address.space for store in kernel.stores if store.address.strides == (0, 1))
    slots = {space: k for k, space in enumerate(sorted(kernel.spaces()))}
    lines = printed(kernel, "rows", slots, total, Addresses()).text.split("\n")
    begin, end = (k for k, line in enumerate(lines) if line.strip() in ("loop.0:", "after.0:"))
    place = next(k for k, line in enumerate(lines) if line.endswith(f"ptr %table, i64 {slots[total]}"))
    base = lines[place + 1].split()[0]
    pointers = {line.split()[0] for line in lines if f"getelementptr double, ptr {base}," in line}
    touching = [k for k, line in enumerate(lines) if pointers & {part.strip(",") for part in line.split()[1:]}]
    assert [k for k in touching if begin < k < end] == []
    assert [k < begin for k in touching] == [True, False]


# -------------------------------------------------------------------------------------------------------------- extents


def of_extents(rng, kind):
    """Instructions over arrays of every extent, along rows, columns, both, backward and at every other element."""
    for n in EXTENTS:
        drawn = rng.random((3, n)) < 0.7 if kind == "b1" else rng.uniform(-1, 1, (3, n)).astype(DTYPES[kind])
        views = [lambda x: x, lambda x: x[1], lambda x: x.T, lambda x: x[:, ::-1], lambda x: x[::2, ::2]]
        for view in views if n < 100 else views[:2]:
            yield drawn, view


@pytest.mark.parametrize("kind", ["f8", "f4", "b1"])
def test_every_extent(kind):
    rng, native, jobs = np.random.default_rng(0), Native(), []
    folds = ["or", "and"] if kind == "b1" else ["add", "maximum", "minimum"]
    for values, view in of_extents(rng, kind):
        block = Block()
        x = block.give(0, values).viewed(view)
        form = "logical_not" if kind == "b1" else "subtract"
        block.add(form, (x,) if kind == "b1" else (0.25, x), block.space(x.shape, DTYPES[kind]), kind)
        results = {block.spaces[-1].number}
        for fold in folds:
            for axis in range(len(x.shape)):
                kept_shape = tuple(1 if k == axis else n for k, n in enumerate(x.shape))
                total = block.fill(IDENTITIES[fold], block.space(kept_shape, DTYPES[kind]))
                results.add(total.space.number)
                spread = total.viewed(np.broadcast_to, x.shape)
                block.add("same", (x,), spread, kind, fold=fold)
        failed = block.space((), DTYPES["b1"]).space.number
        memory = memory_of(block, lambda _, values=values: values, rng)
        expected = [part.copy() for part in memory]
        run(block.instructions, expected)
        kernels = without_unread(fuse(block.instructions), results)
        for kernel in kernels:
            collapsed(kernel)
        jobs.append((native.add(kernels, failed), memory, expected, results))
    native.make()
    for number, memory, expected, results in jobs:
        native.run(number, memory)
        for space in results:
            assert_near(memory[space], expected[space], kind == "f4")


# ---------------------------------------------------------------------------------------------------------------- forms


def near_by(form):
    """How near a form's value is to what NumPy gives, in units in the last place."""
    return 8 if form in ELEMENTARY or form == "fma" or form.startswith("power_") else 0


@pytest.mark.parametrize("kind", ["f8", "f4", "b1"])
def test_every_form_at_special_points(kind):
    native, jobs, rng = Native(), [], np.random.default_rng(0)
    with np.errstate(all="ignore"):
        points = np.array([True, False]) if kind == "b1" else np.array(NUMBERS).astype(DTYPES[kind])
    forms = ["same", *dict.fromkeys(OF_TRUTHS.values())] if kind == "b1" else FORMS
    for form in forms:
        count = 3 if form in ("where", "fma", "clip") else 1 if takes(form, kind, 1) else 2
        operands = [part.ravel() for part in np.meshgrid(*[points] * min(count, 2))]
        operands += [np.roll(operands[0], 5)] * (count - len(operands))
        block = Block()
        areas = tuple(block.give(k, x) for k, x in enumerate(operands))
        of = kind if not form.startswith("logical") else "b1"
        out = block.add(form, areas, block.space(operands[0].shape, DTYPES[kind_of(form, of)]), of)
        failed = block.space((), DTYPES["b1"]).space.number
        memory = memory_of(block, operands.__getitem__, rng)
        expected = [x.copy() for x in memory]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(block.instructions, expected)
        jobs.append((form, operands, native.add(fuse(block.instructions), failed), memory, out.space.number, expected))
    native.make()
    for form, operands, number, memory, space, expected in jobs:
        native.run(number, memory)
        found, right, near = memory[space], expected[space], near_by(form)
        for x, y, *at in zip(found, right, *operands, strict=True):
            said = f"{form} of {at}: {x!r}, and not {y!r}"
            if kind == "b1" or form in TRUTHS:
                assert x == y, said
                continue
            if np.isfinite(y) and near:
                info = np.finfo(y.dtype)
                size = max(map(abs, [y, *at])) if form.startswith("logaddexp") else abs(y)  # NumPy's is no better
                assert abs(float(x) - float(y)) <= near * max(float(size) * info.eps, info.smallest_subnormal), said
            else:
                assert_array_equal(x, y, said)
            if form not in ("maximum", "minimum", "fmax", "fmin", "clip") and not np.isnan(
                y
            ):  # of −0 and 0 NumPy gives either
                assert np.signbit(x) == np.signbit(y) or form.startswith("logaddexp"), said


def takes(form, kind, count):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain(form)(*(np.ones(2, DTYPES[kind]),) * count)
    except (TypeError, ValueError):
        return False
    return True


def test_numbers_in_the_code_are_those_of_their_kind():
    """A number is true where it is not 0, NaN as well; what single precision does not reach is infinite."""
    x = np.array([0.25, 0.0])
    assert_array_equal(jit(lambda x: np.logical_and(x, 0.5))(x), [True, False])
    assert_array_equal(jit(lambda x: np.logical_or(x, np.nan))(x), [True, True])
    assert_array_equal(jit(lambda x: np.where(0.5, x, 1.0))(x), x)
    with np.errstate(all="ignore"):
        assert_array_equal(jit(lambda x: x + 1e300)(np.float32([1.0, -np.inf])), np.float32([1.0, -np.inf]) + 1e300)

    def filled(x):
        y = x > 0.0
        y[1] = 0.5
        return y

    assert_array_equal(jit(filled)(x), [True, True])


# ----------------------------------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("size", [1000, 8192, 8193, 100_001, 1_000_000])
def test_sums_of_many_elements_are_near_to_the_truth(size):
    """As NumPy's pairwise sums are: the error of one sum after the other would be 10 times that."""
    rng, compiled, errors = np.random.default_rng(size), jit(np.sum), []
    for _ in range(4):
        x = rng.uniform(size=size)
        exact = math.fsum(x)
        errors.append(abs(compiled(x) - exact) / exact)
    assert np.mean(errors) < 2.5e-16
    assert set(FOLDS) == set(IDENTITIES)


@pytest.mark.parametrize("shape", [(3, 3000), (2, 20_011), (9000, 2)])
def test_long_rows_are_joined_in_parts(shape):
    x = np.random.default_rng(0).normal(size=shape)
    for axis in (0, 1, None):
        f = jit(lambda x, axis=axis: (np.sum(np.sin(x) * x, axis), np.max(x, axis), np.min(x, axis)))
        total, most, least = f(x)
        assert_allclose(total, np.sum(np.sin(x) * x, axis), rtol=1e-14)
        assert_array_equal(most, np.max(x, axis))
        assert_array_equal(least, np.min(x, axis))


def test_a_block_takes_what_it_reads_and_constants_are_put_in_order_once():
    matrix = np.asfortranarray(np.arange(1.0, 13.0).reshape(4, 3))
    for block, _ in blocks_of(grad(lambda x: np.sum(np.exp(-(matrix @ x)))), [np.ones(3)]):
        read = {x.space for one in block.instructions for x in one.operands if isinstance(x, Address)}
        assert {space.number for space in block.given.values()} <= read
    text = Source(program_of(lambda x: np.sum(np.exp(matrix[:3] * x)) + np.linalg.det(x), [np.eye(3)]), True).text
    assert "native" in text
    assert text.count("in_order") == text.count("in_order(v0)")
