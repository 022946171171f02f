"""Random functions of nested blocks, compiled: loops in loops, while, branches, masks, views, slices that overlap."""

import pytest
from fuzz.compiled import KINDS, failures

from autodiff import jit


@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(0, 48, 8)], ids=lambda seeds: str(seeds.start))
@pytest.mark.parametrize("kind", ["ways", "programs"])
def test_drawn_functions(kind, seeds):
    for seed in seeds:
        for case in KINDS[kind](seed):
            wrong = [found for found in failures(case) if found.how != "bits"]
            assert not wrong, wrong[0]


def test_a_wrong_program_is_found(monkeypatch):
    """As one that takes every branch as it was recorded."""
    from autodiff.compiler import source

    monkeypatch.setattr(source.Source, "_check", lambda self, guard: None)
    monkeypatch.setattr("fuzz.compiled.jit", lambda f, exact=False: jit(f, exact=True))
    assert any(list(failures(case)) for seed in range(1, 60, 2) for case in KINDS["ways"](seed))
