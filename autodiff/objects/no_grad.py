"""Whether what is computed from Variables made by hand is recorded: as long as nobody says `no_grad`, it is.

So what a line of code does depends on where it was called from: that is the price of the way of PyTorch. The
differentiations of functions, such as `autodiff.grad`, have no such mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_recording: ContextVar[bool] = ContextVar("recording", default=True)

is_recording = _recording.get
"""Return whether what is computed here and now is recorded."""


@contextmanager
def no_grad() -> Iterator[None]:
    """Let everything computed from Variables made by hand, within it and in this thread, be plain values.

    >>> from autodiff import Variable
    >>> x = Variable(2.0)
    >>> with no_grad():
    ...     print(3.0 * x.data)
    6.0
    """
    with recording(False):
        yield


@contextmanager
def recording(whether: bool) -> Iterator[None]:
    """Let what is computed within it be recorded, or not."""
    token = _recording.set(whether)
    try:
        yield
    finally:
        _recording.reset(token)
