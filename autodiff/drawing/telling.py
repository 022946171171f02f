"""What a run says: every step in words and short numbers, every line with its rule, partials and source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import has_nan, plain
from dualnumbers.rules.complexes import conj

from ..tape.listing import brief, ends, value_text
from ..tape.wengert import Tape
from .graph import CONSTANT, FOLD, INPUT, Node, Picture
from .steps import RUN, SEED, Part, Step, Term, forward_steps, partial, reverse_steps
from .text import concise

SEEDS = 8
"""Inputs of which the tangents are shown, from the first on."""


class Told(NamedTuple):
    """A step for the reader: ``line`` is the key of its node, ``changes`` holds texts by line, to 10 and 5 digits."""

    phase: str
    line: int
    text: list[str]
    changes: dict[int, tuple[str, str]]
    edges: list[tuple[int, int]]


BEFORE = Told("", -1, ["Before the run: nothing is computed yet."], {}, [])
"""What is shown before the first step."""


class Mode(NamedTuple):
    """A run: what it is called, what it finds for each line, the input that has the tangent 1, its steps."""

    name: str
    column: str
    seed: str | None
    steps: list[Told]


class Teller:
    """Puts the steps of the tape of a picture into words."""

    def __init__(self, tape: Tape, output: int | None, picture: Picture, variables: list[str]) -> None:
        self.tape, self.output, self.nodes, self.edges = tape, output, picture.nodes, picture.edges
        self.variables = variables
        self.parts = [Part(node.lines, node.kind == FOLD) for node in self.nodes]
        self.by_line = {node.line: node for node in self.nodes}
        self.refused: dict[int, str] = {}
        """Seed → why there are no tangents."""
        self.seeds = [node.line for node in self.nodes if node.kind == INPUT][:SEEDS]

    def modes(self) -> list[Mode]:
        """Tell the reverse run, then a forward one for each seed of which all tangents are to be had."""
        steps = forward_steps(self.tape, self.parts)
        if self.output is not None:
            steps += reverse_steps(self.tape, self.parts, self.output)
        modes = [Mode("reverse adjoints", "adjoint", None, list(map(self._told, steps)))]
        for seed in self.seeds:
            name = self.variables[seed]
            try:
                steps = forward_steps(self.tape, self.parts, seed)
            except Exception as error:  # of a line that the reverse sweep does not come to
                self.refused[seed] = str(error).partition(" (at ")[0]  # that is where it is drawn
                continue
            told = [self._told(step, seed) for step in steps]
            modes.append(Mode(f"forward tangents, seed {name}", "tangent", name, told))
        return modes

    # ---------------------------------------------------------------------------------------- steps

    def _told(self, step: Step, seed: int | None = None) -> Told:
        text = self._run(step, seed) if step.phase == RUN else self._sweep(step)
        changes = {line: (brief(x), concise(x)) for line, x in step.changes.items()}
        leading = [edge for edge in self.edges if edge.end == step.part.first and step.phase != SEED]
        edges = [(edge.start, edge.end) for edge in leading if edge.active or step.phase == RUN]
        return Told(step.phase, step.part.first, text, changes, edges)

    def _run(self, step: Step, seed: int | None) -> list[str]:
        node = self.by_line[step.part.first]
        if node.kind == FOLD:
            return [f"{_count(step.part)}, {node.name}: computed; the drawing leaves them out."]
        kinds = {INPUT: ", an input", CONSTANT: ", a constant"}
        said = node.name if node.kind in kinds else node.text
        said += f"; its value is {node.value}" if node.line in self.tape.unkept else f" = {node.value}"
        told = [said + kinds.get(node.kind, "")]
        return told if seed is None else [*told, self._tangent(step, seed)]

    def _tangent(self, step: Step, seed: int) -> str:
        line = step.part.first
        name, found = self.variables[line], concise(step.changes[line])
        if line == seed:
            ones = f": 1 for each element of {name}" if shape(self.tape.values[line]) else ""
            return f"tangent of {name} = {found}, the seed{ones}"
        if not step.terms:
            return f"tangent of {name} = 0{self._why_none(line, seed)}"
        symbols: list[str] = []
        numbers: list[str] = []
        for term in ends(step.terms, None):
            if term is None:
                symbols.append("…")
                numbers.append("…")
                continue
            operand = self.variables[term.operand]
            if term.partial is None:
                symbols.append(f"push-forward of {self._rule(line)} by the tangent of {operand}")
                numbers.append(_factor(term.value, first=not numbers))
            else:
                symbols.append(f"∂{name}/∂{operand} · tangent of {operand}")
                numbers.append(f"{_factor(term.partial, first=not numbers)} · {_factor(term.given)}")
        worked_out = [" + ".join(numbers)] if len(numbers) > 1 or step.terms[0].partial is not None else []
        equation = " = ".join([f"tangent of {name}", " + ".join(symbols), *worked_out, found])
        return equation + _by_the_strong_zero(step.terms)

    def _why_none(self, line: int, seed: int) -> str:
        row = self.tape.rows[line]
        if row is None:
            return ""
        constant = f"{row.shown} is locally constant"
        return f": {constant if row.is_constant else f'no tangent of {self.variables[seed]} comes here'}"

    def _sweep(self, step: Step) -> list[str]:
        node = self.by_line[step.part.first]
        if step.phase == SEED:
            ones = " for each element" if shape(self.tape.values[self.output or 0]) else ""
            return [
                f"adjoint of {self.variables[self.output or 0]} = 1{ones}, of all others 0: the reverse sweep begins"
            ]
        if node.kind == FOLD:
            reached = [f"adjoint of {self.variables[line]} = {concise(x)}" for line, x in step.changes.items()]
            return [f"{_count(step.part)}, {node.name}: each passes its adjoint on.", *reached]
        return ends([self._passed(term) for term in step.terms], f"… {len(step.terms) - 4} more …")

    def _passed(self, term: Term) -> str:
        """Tell what a line passes to an operand; and the sum so far, where there is one."""
        operand, line, found = self.variables[term.operand], self.variables[term.line], concise(term.value)
        if term.partial is None:
            said = f"adjoint of {operand} += pull-back of {self._rule(term.line)} by the adjoint of {line} = {found}"
        else:
            p, symbol = term.partial, f"∂{line}/∂{operand}"
            if is_unreal(p):
                p, symbol = conj(p), f"conj({symbol})"
            real = ", its real part" if (is_unreal(p) or is_unreal(term.given)) and not is_unreal(term.value) else ""
            summed = ", summed" if shape(term.value) != np.broadcast_shapes(shape(term.given), shape(p)) else ""
            numbers = f"{_factor(term.given, first=True)} · {_factor(p)}"
            said = f"adjoint of {operand} += adjoint of {line} · {symbol} = {numbers} = {found}{real}{summed}"
            said += _by_the_strong_zero([term])
        return said if term.total is None else f"{said}; in all {concise(term.total)}"

    def _rule(self, line: int) -> str:
        row = self.tape.rows[line]
        return "" if row is None else row.shown

    # ---------------------------------------------------------------------------------------- lines

    def lines(self) -> list[dict[str, Any]]:
        """Tell of every line that is drawn what there is to know of it."""
        return [self._line(node) for node in self.nodes]

    def _line(self, node: Node) -> dict[str, Any]:
        told: dict[str, Any] = {"line": node.line, "variable": node.name, "partials": [], "source": None}
        if node.kind == FOLD:
            return told | {"expression": node.text, "rule": "", "value": "", "folded": True}
        row = self.tape.rows[node.line]
        told["expression"] = node.kind if row is None else node.text.removeprefix(f"{node.name} = ")
        told["rule"] = f"{row.shown}, {row.described()}" if row is not None else f"none: {node.kind}"
        told["value"] = value_text(self.tape, node.line)
        told["partials"] = self._partials(node.line)
        sources: Sequence[Any] = self.tape.sources or ()
        if row is not None and sources and sources[node.line]:
            told["source"] = sources[node.line]._asdict()
        return told

    def _partials(self, line: int) -> list[tuple[str, str]]:
        row = self.tape.rows[line]
        if row is None or row.is_constant:
            return []
        reads = [(place, k) for place, k, active in self.tape.reads(line) if active and row.passes(place)]
        times = Counter(operand for _, operand in reads)
        found = []
        for read in ends(reads, None):
            if read is None:
                found.append(("…", f"{len(reads) - 4} more"))
                continue
            place, operand = read
            p = partial(self.tape, line, place)
            none = "refused by the rule" if row.is_elementwise and not row.several else "a linear map, by the rule"
            name = f"∂{self.variables[line]}/∂{self.variables[operand]}"
            if times[operand] > 1:
                name += f", operand {place + 1}"
            found.append((name, none if p is None else brief(p)))
        return found


def _count(part: Part) -> str:
    count = len(part.lines)
    return f"{count} line{'s' * (count > 1)}"


def _by_the_strong_zero(terms: Sequence[Term]) -> str:
    """Tell where a zero against a partial that is not finite gave 0."""
    for term in terms:
        if term.partial is not None and not has_nan(term.value):
            given, p = plain(term.given), plain(term.partial)
            if np.any(np.equal(given, 0) & ~np.isfinite(p)):
                return ", by the strong zero"
    return ""


def _factor(x: Any, first: bool = False) -> str:
    """Write a number in a product or a sum: in parentheses if it is complex, or negative and not the first."""
    text = concise(x)
    return f"({text})" if text.endswith("j") or (text.startswith("-") and not first) else text
