"""Of steps that are alike one is lowered, of blocks that are alike one made machine code: as if each were alone."""

import numpy as np
import pytest
from fuzz.generator import program as drawn_of
from loops import ArrayLoops, Loops

from autodiff import grad, jit, value_and_grad
from autodiff.compiler.forms import form_of
from autodiff.compiler.native import blocks, lowering
from autodiff.compiler.native.lowering import Lowering
from autodiff.compiler.passes import PASSES
from autodiff.compiler.paths import recorded

pytest.importorskip("llvmlite")


def program_of(f, *args):
    program = recorded(f, args, {}, tuple(map(form_of, args)))
    for one in PASSES:
        program = one(program)
    return program


def drawn(seed):
    """A program, and the gradients of loops over numbers and over arrays."""
    program, rng = drawn_of(seed), np.random.default_rng(seed)
    function, count = program.function(), len(program.differentiated)
    yield (lambda *xs: function(*xs, *program.fresh()[count:])), program.fresh(program.differentiated)
    loop, arrays = Loops(seed, 9), ArrayLoops(seed, 6, 3)
    yield value_and_grad(loop.function(), (0, 1)), [rng.normal(size=loop.n + 1), float(rng.normal())]
    yield value_and_grad(arrays.function(), (0, 1, 2)), arrays.arguments(0)


@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in range(400, 480, 20)], ids=lambda seeds: str(seeds.start))
def test_what_is_copied_is_what_the_rule_gives(seeds, monkeypatch):
    copied = 0
    for f, args in (one for seed in seeds for one in drawn(seed)):
        try:
            with np.errstate(all="ignore"):
                program = program_of(f, *args)
        except Exception:
            continue
        found = Lowering(program).blocks
        with monkeypatch.context() as patch:
            patch.setattr(lowering, "by_copy", lambda rule, here, operands: rule(here, *operands))
            patch.setattr(Lowering, "_lower_number", lambda *given: False)
            patch.setattr(Lowering, "_lower_again", lambda *given: False)
            expected = Lowering(program).blocks
        assert found.keys() == expected.keys()
        for level, block in found.items():
            other = expected[level]
            assert repr(block.instructions) == repr(other.instructions)
            assert block.key == other.key
            copied += len(block.instructions) - sum(len(known.lines) for known in block.copies.values())
    assert copied > 1000


def stepped(x):
    """A loop with a step that machine code does not have."""
    for _ in range(12):
        x = np.sin(x) + np.linalg.eigvalsh(x + x.T)[0] * 0.1 + x @ x * 0.01
    return np.sum(x)


@pytest.mark.parametrize("f", [stepped, grad(stepped)])
def test_rounds_around_a_step_of_pythons_are_one_function(f, monkeypatch):
    made = []
    kept = blocks.Native._entry
    monkeypatch.setattr(blocks.Native, "_entry", lambda self, text: made.append(text) or kept(self, text))
    compiled, x = jit(f), np.diag([0.5, 0.25, 1.0]) + 0.1
    for at in (x, x + 0.05):
        np.testing.assert_allclose(compiled(at), f(at), rtol=1e-12)
    assert len(made) < 8


def test_zeros_of_either_sign_are_two_numbers():
    def f(x):
        total = 0.0
        for k in range(8):
            signs = np.copysign(1.0, np.abs(x) * (0.0 if k % 2 else -0.0))
            total = 0.5 * total + np.sum(signs) + np.linalg.eigvalsh(x + signs)[0]
            x = np.cos(x + total)
        return total

    x = np.diag([0.5, 0.25, 1.0]) + 0.1
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)
