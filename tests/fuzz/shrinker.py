"""The shortest program that still fails in the same way: statements, outputs and arguments are left out."""

from collections.abc import Iterator
from dataclasses import replace

from .judge import Failure, judge
from .program import Program


def shrunk(program: Program, failure: Failure) -> tuple[Program, Failure]:
    """A program from which nothing can be left out without losing the failure, and its failure."""
    again = True
    while again:
        again = False
        for candidate in _shorter(program):
            found = _still(candidate, failure)
            if found:
                program, failure, again = candidate, found, True
                break
    return program, failure


def _still(program: Program, failure: Failure) -> Failure | None:
    try:
        if not program.error:
            program.locals()
        return next((found for found in judge(program, failure.check).failures if found.check == failure.check), None)
    except Exception:
        return None


def _shorter(program: Program) -> Iterator[Program]:
    """The program without one output, one statement, one line of a block, or one argument."""
    outs, statements = program.outs, program.statements
    if len(outs) > 1:
        yield from (replace(program, outs=(name,)) for name in outs)
        yield from (replace(program, outs=outs[:k] + outs[k + 1 :]) for k in range(len(outs)))
    for k in reversed(range(len(statements))):
        yield replace(program, statements=statements[:k] + statements[k + 1 :])
    for name in list(program.arguments):
        rest = {other: text for other, text in program.arguments.items() if other != name}
        constants = min(program.constants, len(rest) - 1)
        if rest and name != "b":
            yield replace(program, arguments=rest, constants=constants)
        elif rest:
            yield replace(program, arguments=rest, constants=0)
