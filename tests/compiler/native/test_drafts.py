"""Machine code is made twice: fast at first, and so that it runs fast once it has run for as long as that takes."""

import gc
import threading
from weakref import ref

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("llvmlite")

from autodiff import grad, jit
from autodiff.compiler.native import entry
from autodiff.compiler.native.machine import engine, python, store

X = np.linspace(-0.4, 1.3, 37)
CALLS = 4


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2) + np.log(np.sum(np.exp(np.sin(x))))


@pytest.fixture
def made(monkeypatch):
    """The levels of the machine code that is made; the better one in the fourth call."""
    levels, make = [], python.Machine
    monkeypatch.setattr(
        python, "Machine", lambda text, level, *rest: (levels.append(level), make(text, level, *rest))[1]
    )
    monkeypatch.setattr(python, "is_kept", lambda text, level: False)
    monkeypatch.setattr(entry, "counted", lambda addresses, _: python.counted(addresses, CALLS))
    return levels


def test_code_is_made_anew_once_and_gives_the_same_bits(made):
    compiled = jit(grad(valley))
    found = [compiled(X)]
    inner = compiled.__call__
    for k in range(2, 9):
        assert made == ([0] if k <= CALLS else [0, 2])
        found.append(inner(X))
    for one in found:
        assert_array_equal(one, found[0])


def test_no_draft_is_made_of_code_that_is_kept(made, monkeypatch, tmp_path):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "code"))
    monkeypatch.setattr(python, "is_kept", engine.is_kept)
    found = [jit(grad(valley))(X) for _ in range(CALLS)]
    assert made == [0] * CALLS
    compiled = jit(grad(valley))
    found += [compiled(X) for _ in range(CALLS)]
    assert made == [0] * (CALLS + 1) + [2]
    found.append(jit(grad(valley))(X))
    assert made == [0] * (CALLS + 1) + [2, 2]
    for one in found:
        assert_array_equal(one, found[0])


def test_a_refused_call_counts_and_goes_to_python(made):
    compiled = jit(valley)
    value = compiled(X)
    for k in range(2, 2 * CALLS):
        assert compiled(X[:5]) == pytest.approx(valley(X[:5])) if k == CALLS else compiled(X) == value


def test_code_whose_runs_are_long_is_made_once(made, monkeypatch):
    monkeypatch.setattr(entry, "CALL", 1e12)
    jit(valley)(X)
    jit(valley, profile=True)(X + 1.0)
    assert made == [2, 2]


def test_an_interrupt_leaves_the_draft(made, monkeypatch):
    compiled = jit(valley)
    value, *_ = [compiled(X) for _ in range(CALLS - 1)]

    def interrupted(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(python.Entry, "better", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compiled(X)
    assert [compiled(X) for _ in range(3)] == [value] * 3
    assert made == [0]


def test_what_cannot_be_made_better_goes_on(made, monkeypatch):
    compiled = jit(valley)
    value = compiled(X)

    def none(*_):
        raise MemoryError

    monkeypatch.setattr(python, "Machine", none)
    assert [compiled(X) for _ in range(2 * CALLS)] == [value] * 2 * CALLS


def test_threads_that_are_in_the_draft_finish_it(made):
    compiled, found = jit(grad(valley)), []
    expected = compiled(X)
    threads = [threading.Thread(target=lambda: found.extend(compiled(X) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [0, 2]
    for one in found:
        assert_array_equal(one, expected)


def test_what_is_let_go_is_not_made_better(made):
    """Machine code has its object by a weak reference: it lives no longer for it."""
    entries, make = [], python.Entry.__init__

    def noted(self, *rest, **options):
        make(self, *rest, **options)
        entries.append(ref(self))

    compiled = jit(valley)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(python.Entry, "__init__", noted)
        compiled(X)
    del compiled
    gc.collect()
    assert entries
    assert all(one() is None for one in entries)
