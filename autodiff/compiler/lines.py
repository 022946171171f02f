"""The lines of code that a profile names: what a sweep computes is for the line that it goes back over."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ..tape.sources import EVALUATORS, SourcedTape
from ..tape.sweep import _sweep
from ..tape.variable import Variable


def _of_value(frame: FrameType) -> Any:
    """Return the code that gave the value whose adjoint is pulled back, where a program is recorded."""
    found = frame.f_locals
    value = found["tape"].values[found["line"]] if "line" in found else None
    if isinstance(value, Variable) and value.tape.is_program and value.tape.sources:
        return value.tape.sources[value.line]
    return NotImplemented


def tape_with_lines() -> SourcedTape:
    """Return a tape that notes lines of code, those of sweeps as well."""
    EVALUATORS[_sweep.__code__] = _of_value
    return SourcedTape()
