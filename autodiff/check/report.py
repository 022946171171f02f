"""What `autodiff.check.gradcheck` found: comparisons, the derivatives that are wrong, and both as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

SHOWN = 20
"""Findings that a printed report lists."""


@dataclass(frozen=True)
class Finding:
    """A derivative that is not what it should be: ``found`` by ``mode``, ``expected`` by ``against``.

    ``element`` names it, as ``∂²f/∂args[0][1, 2]∂args[1]``. The two may be ``allowed`` apart. ``step`` is that of the
    difference quotient, NaN between two modes. At order 0 it is the value of f.
    """

    order: int
    mode: str
    against: str
    element: str
    found: Any
    expected: Any
    allowed: float
    step: float

    def __str__(self) -> str:
        step = "" if np.isnan(self.step) else f" (step {self.step:.2g})"
        return (
            f"order {self.order}, {self.mode}: {self.element} is {self.found!r}; {self.against}: {self.expected!r} "
            f"± {self.allowed:.2g}{step}"
        )


@dataclass(frozen=True)
class Comparison:
    """A line of the report: how many derivatives were compared, and the worst, in units of what is allowed.

    ``unresolved`` counts those of which differences do not give three digits, as at a kink.
    """

    order: int
    mode: str
    against: str
    entries: int
    worst: float
    unresolved: int


@dataclass(frozen=True, repr=False)
class Report:
    """What `autodiff.gradcheck` found; true if nothing is wrong. It is shown, and printed, as a table."""

    comparisons: tuple[Comparison, ...]
    findings: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        wide = max(len(text) for c in self.comparisons for text in (c.mode, c.against)) + 2
        title = f"{len(self.findings)} comparisons failed" if self.findings else "passed"
        lines = [f"gradcheck: {title}", ""]
        lines.append(f"order  {'mode':<{wide}}{'against':<{wide}}entries  worst/allowed  unresolved")
        for c in self.comparisons:
            lines.append(
                f"{c.order:>5}  {c.mode:<{wide}}{c.against:<{wide}}{c.entries:>7}{c.worst:>15.2g}{c.unresolved:>12}"
            )
        lines += ["", *map(str, self.findings[:SHOWN])] if self.findings else []
        if len(self.findings) > SHOWN:
            lines.append(f"and {len(self.findings) - SHOWN} more, in report.findings")
        return "\n".join(lines)

    __repr__ = __str__


class GradcheckError(AssertionError):
    """A derivative is wrong. ``report`` has all that was compared; the message is its text."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
