"""The command line: ``python -m autodiff`` does the main job; derivative, tape and explore take an expression.

An installation also has the first of these as a command of its own: ``derivative "sin(x)*y" x=1 y=2``.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__, forward, reverse
from ..differences.quotients import difference_quotient
from ..drawing import WRITERS, animate, picture
from ..tape.listing import listing
from ..tape.variable import Variable
from .demonstration import PICTURE, demonstrate
from .expressions import CONSTANTS, FUNCTIONS, ExpressionError, assignments, expression, real_value, short

PROGRAM = "python -m autodiff"
"""What a user types to start this, as help and complaints have it."""

BAD_INPUT, INTERRUPTED = 2, 130
"""Exit statuses; 1 is any other failure."""

PAGE, PAGES = Path("explorer.html"), (".html", ".htm", ".gif")
"""What ``explore`` writes unless told otherwise, and the endings of what it can write."""

GRAMMAR = textwrap.fill(
    "An expression is Python arithmetic: numbers, variables, + - * / // % **, parentheses, comparisons, 'a if x > 0 "
    f"else b', the constants {', '.join(sorted(CONSTANTS))}, and the functions {', '.join(sorted(FUNCTIONS))}. "
    "Angles are in radians. A value may be an expression too: x=pi/4.",
    100,
)


class UsageError(ValueError):
    """What is wrong with a command, in one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; {self.prog} --help shows what there is")


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """Make the parser of the command line; a chosen command's function is its ``run``.

    Another program is one of the commands, started by its own name.
    """
    version = Parser(add_help=False)
    version.add_argument("--version", action="version", version=f"dualautodiff {__version__}",
                         help="print the version and exit")  # fmt: skip
    top = Parser(
        prog=program,
        parents=[version],
        description="Exact derivatives of ordinary Python and NumPy code. Without a command: the derivative "
        "of an example by each mode, then a line fitted to 500 points, with its picture "
        f"{PICTURE} in this folder.",
    )
    top.set_defaults(run=None)
    commands = top.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name, run, does in (
        ("derivative", show_derivative, "print the value of an expression and its derivative by each variable"),
        ("tape", show_tape, "print the Wengert list of an expression, with values and adjoints"),
        ("explore", explore, "write the run of an expression, step by step, as an interactive page"),
    ):
        command = commands.add_parser(name, prog=f"{program} {name}" if program == PROGRAM else program, help=does,
                                      parents=[version], description=f"{does[0].upper()}{does[1:]}.", epilog=GRAMMAR,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
        command.add_argument("expression", help='in quotes, such as "sin(x*y) + x/y"')
        command.add_argument("values", nargs="*", metavar="NAME=NUMBER", help="the value of a variable, such as x=1")
        command.set_defaults(run=run)
        if run is show_tape:
            command.add_argument("-o", dest="drawing", metavar="FILE",
                                 type=partial(_file, "a drawing", WRITERS),
                                 help="also draw it into this file: .svg, .dot (Graphviz), .mmd (Mermaid)")  # fmt: skip
        elif run is explore:
            command.add_argument("-o", dest="page", metavar="FILE", default=PAGE,
                                 type=partial(_file, "a page or its GIF", PAGES),
                                 help=f"the file, {PAGE} unless given; a .gif is a picture that moves")  # fmt: skip
    return top


def _file(what: str, endings: Collection[str], path: str) -> Path:
    """Check the path of a file to be written, whose ending says its kind, in capitals or not."""
    if Path(path).suffix.lower() not in endings:
        raise argparse.ArgumentTypeError(f"{short(path)}: {what} is a file {', '.join(endings)}")
    return Path(path)


def derivative() -> int:
    """Run the console command ``derivative``, which is ``python -m autodiff derivative``; return the exit status."""
    return main(["derivative", *sys.argv[1:]], "derivative")


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line; return the exit status: 0, 1 (failure), 2 (bad input), 130 (interrupted)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name such as θ where the terminal has no θ
    failed = partial(_failed, program.split()[-1])
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        chosen = parser(program).parse_args(_options_last([*given[:1], *map(_positional, given[1:])]))
        if chosen.run is None:
            demonstrate()
        else:
            chosen.run(chosen)
        sys.stdout.flush()
    except (ExpressionError, UsageError) as error:
        return failed(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return failed("interrupted", INTERRUPTED)
    except OSError as error:
        if error.filename is None:  # stdout failed: what is left in it must go somewhere when Python flushes it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
            return 1
        return failed(f"{error.filename or 'the output'} cannot be written here ({error.strerror})", 1)
    except ImportError as error:
        return failed(str(error), 1)
    return 0


def _positional(text: str) -> str:
    """Mark an argument such as ``-x**2``, which begins like an option, as argparse takes it for an expression."""
    return f" {text}" if text.startswith("-") and text not in ("-h", "-o") and not text.startswith("--") else text


def _options_last(arguments: list[str]) -> list[str]:
    """Put ``-o FILE`` at the end of the arguments: between them it would part the positional ones for argparse."""
    k = arguments.index("-o") if "-o" in arguments[1:] else len(arguments)
    return [*arguments[:k], *arguments[k + 2 :], *arguments[k : k + 2]]


def _failed(who: str, reason: str, status: int) -> int:
    print(f"{who}: {reason}", file=sys.stderr)
    return status


def _evaluated(text: str, given: Sequence[str]) -> tuple[Callable[..., Any], dict[str, float], float]:
    """Return an expression as a function, the values of its variables, and its own value."""
    values = assignments(given)
    f = expression(text, list(values))
    if not values:
        raise ExpressionError(f"{short(text)}: give a variable and its value, such as x=0.5, to differentiate by")
    return f, values, real_value(text, f, values.values())


def _point(values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value!r}" for name, value in values.items())


def show_derivative(chosen: argparse.Namespace) -> None:
    """Print an expression's value, and its derivative by each variable in both modes beside a difference quotient."""
    text = chosen.expression
    f, values, value = _evaluated(text, chosen.values)
    args = list(values.values())
    cells = [["derivative by", "forward mode", "reverse mode", "difference quotient"]]
    of_float = lambda *xs: 1.0 * f(*xs)  # floor(x) is an integer, which has no derivative
    for k, (name, backward) in enumerate(zip(values, reverse.gradient(of_float, args), strict=True)):
        cells.append([name, repr(forward.derivative(of_float, k, args)), repr(backward), _quotient(text, f, k, args)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(f"{short(text)} = {value!r}   at {_point(values)}\n")
    for row in cells:
        print("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _quotient(text: str, f: Callable[..., Any], k: int, args: list[float]) -> str:
    """Return the difference quotient with its error; none where no step gives one, as beside the domain's end."""
    quotient, error = difference_quotient(lambda *xs: real_value(text, f, xs), k, args)
    if math.isnan(quotient):
        return "none"
    if math.isinf(error) and math.isfinite(quotient):
        return "none that settles, as at a jump"
    return f"{quotient:.12g}, error about {error:.1g}"


def show_tape(chosen: argparse.Namespace) -> None:
    """Print an expression's Wengert list with the value and the adjoint of each line, and draw it if that is asked."""
    text = chosen.expression
    f, values, value = _evaluated(text, chosen.values)
    tape, out = reverse.record(f, list(values.values()))
    if chosen.drawing:
        picture(tape, names=list(values)).save(chosen.drawing)
    print(f"{short(text)} = {value!r}   at {_point(values)}\n")
    if not isinstance(out, Variable):
        print(listing(tape, [0.0] * len(tape), list(values)))
        print("\nThe result depends on no variable, so every adjoint is 0.")
        return
    found = tape.adjoints(out)
    print(listing(tape, found, list(values)))
    print("\nadjoint: the derivative of the result with respect to that line")


def explore(chosen: argparse.Namespace) -> None:
    """Write the interactive page of an expression's forward run and reverse sweep, or their GIF, and print where."""
    text = chosen.expression
    f, values, value = _evaluated(text, chosen.values)
    tape, _ = reverse.record(f, list(values.values()), sources=True)
    animation = replace(animate(tape, names=list(values), title=" ".join(text.split())), expression=text)
    replaced = ", in place of the file that was there" if chosen.page.exists() else ""
    if chosen.page.suffix.lower() == ".gif":
        animation.to_gif(chosen.page)
    else:
        animation.to_html(chosen.page)
    print(f"{short(text)} = {value!r}   at {_point(values)}\n\nStep by step in {chosen.page}{replaced}")


if __name__ == "__main__":
    sys.exit(main())
