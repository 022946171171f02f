"""A function while it is differentiated: what is noted as it begins, and what is looked at when it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dualnumbers.levels import LIVING, RUNNING, Level
from dualnumbers.messages.errors import explain

from .structures import map_leaves
from .values import filled
from .watching import watching

begin, end = RUNNING.append, RUNNING.pop

_rerun: ContextVar[bool] = ContextVar("rerun", default=False)

is_rerun = _rerun.get
"""Return whether a program runs that is run several times, with plain values and with numbers, and must agree."""


@contextmanager
def rerunning(whether: bool = True) -> Iterator[None]:
    """Let what is called within it, in this thread, be part of a program that is run again, or not."""
    token = _rerun.set(whether)
    try:
        yield
    finally:
        _rerun.reset(token)


def run(f: Callable[..., Any], args: Sequence[Any], level: Level) -> Any:
    """Call ``f(*args)``, at whose end the differentiation of that level has ended.

    Raises what f raises, with a note on it where numbers of the differentiation may be why; and the first refusal that
    was made for one of them, where f caught it.
    """
    begin(None)
    if watch := watching():
        f = watch.watched(f, level)
    try:
        out = f(*args)
        if level.filled:
            out = map_leaves(filled, out)
    except Exception as error:
        explain(error, level)
        raise
    finally:
        level.ended = True
        end()
    if level.refused:
        from dualnumbers.messages.refusals import check_refused

        check_refused(level)
    return out


def is_inside() -> bool:
    """Return whether an array may get a number: this thread differentiates, or a leaf made by hand is alive.

    A leaf is a `Variable` or a `Constant`.
    """
    if not RUNNING:
        return bool(LIVING)
    from dualnumbers.messages.frames import is_door, stack

    return bool(LIVING) or any(map(is_door, stack()))
