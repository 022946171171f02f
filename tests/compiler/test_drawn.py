"""Random functions, compiled: of nested blocks, with loops in loops, branches, masks, views; of long loops."""

import pytest
from fuzz.compiled import KINDS, failures

from autodiff import jit
from autodiff.compiler import making


@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(0, 48, 8)], ids=lambda seeds: str(seeds.start))
@pytest.mark.parametrize("kind", ["ways", "programs"])
def test_drawn_functions(kind, seeds):
    for seed in seeds:
        for case in KINDS[kind](seed):
            wrong = [found for found in failures(case) if found.how != "bits"]
            assert not wrong, wrong[0]


@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(0, 24, 8)], ids=lambda seeds: str(seeds.start))
def test_drawn_long_loops(seeds, monkeypatch):
    """Of about a third rounds are left out."""
    pytest.importorskip("llvmlite")
    made, of_short = [], making.Making._of_short
    monkeypatch.setattr(making.Making, "_of_short", lambda self: (made.append(of_short(self)), made[-1])[1])
    for seed in seeds:
        for case in KINDS["rounds"](seed):
            wrong = [found for found in failures(case) if found.how != "bits"]
            assert not wrong, wrong[0]
    assert any(made)


def test_a_wrong_program_is_found(monkeypatch):
    """As one that takes every branch as it was recorded."""
    from autodiff.compiler import source

    monkeypatch.setattr(source.Source, "_check", lambda self, guard: None)
    monkeypatch.setattr("fuzz.compiled.jit", lambda f, exact=False: jit(f, exact=True))
    assert any(list(failures(case)) for seed in range(1, 60, 2) for case in KINDS["ways"](seed))
