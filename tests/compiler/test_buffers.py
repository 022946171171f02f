"""Compiled functions called with whatever a caller may have: see `fuzz.buffers`, which makes any number of calls."""

import numpy as np
import pytest
from fuzz import buffers


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_calls(first):
    caller = buffers.Caller()
    assert not [said for seed in range(first, first + 300) if (said := caller.call(seed))]


def test_what_is_written_beside_an_array_is_seen(monkeypatch):
    """And a wrong result, of a function in the place of the compiled one."""

    def compiled(f, **_):
        def call(x, y, out=None):
            if isinstance(x, np.ndarray) and x.size and x.flags.writeable and x.dtype.char == "d":
                x[...] = 0.0
            return f(x, y)

        return call

    monkeypatch.setattr(buffers, "jit", compiled)
    caller = buffers.Caller()
    said = [caller.call(seed) for seed in range(60)]
    assert any("written to" in text for text in said)
    assert any("was expected" in text for text in said)
