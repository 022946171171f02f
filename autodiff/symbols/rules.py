"""What the rules of the table say, as formulas.

>>> from autodiff.symbols.formula import symbol
>>> from autodiff.symbols.notation import PLAIN
>>> from dualnumbers.table import TABLE
>>> print(*in_words(partial(TABLE["power"].row, 1, [symbol("x"), symbol("y")], symbol("z")), PLAIN), sep="\\n")
z·ln(x)
0 if z = 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dualnumbers.several import parts
from dualnumbers.table import Row

from .formula import Formula, Undecided, as_formula, assumed
from .notation import Notation
from .terms import Factor, Terms, whole


class Case(NamedTuple):
    """A formula, and the conditions under which it holds; the first of several cases holds in general."""

    formula: Formula
    conditions: tuple[Factor, ...] = ()


def value(row: Row, operands: Sequence[Formula]) -> Formula:
    """Return the value of an elementwise row, given its operands."""
    return Formula.lift(row.python)(*operands)


def partial(row: Row, place: int, operands: Sequence[Formula], z: Any) -> list[Case]:
    """Return the partial of an elementwise row by the operand at a place, given the operands and the result.

    Of several results ``z`` is the tuple, and of the partials that by the first is taken. Raises what the rule raises
    where it asks for more than the form of a formula, as one that searches does.
    """
    return cases(parts(row.partials[place])[0], operands, z)


def cases(rule: Any, operands: Sequence[Formula], z: Any) -> list[Case]:
    """Return the cases of a rule, a function of the operands and the result or a number."""
    if not callable(rule):
        return [Case(as_formula(rule))]
    return list(_cases(rule, [*operands, z], {}))


def _cases(rule: Callable[..., Any], numbers: list[Any], assumptions: dict[Factor, bool]) -> Iterator[Case]:
    """Find the formula that holds in general, then each special case with its condition."""
    assumed.clear()
    assumed.update(assumptions)
    try:
        yield Case(as_formula(rule(*numbers)))
    except Undecided as undecided:
        condition = undecided.condition
        yield from _cases(rule, numbers, assumptions | {condition: False})
        known = _known(condition)
        special = [known.get(x.terms, x) if isinstance(x, Formula) else x for x in numbers]
        for case in _cases(rule, special, assumptions | {condition: True}):
            yield Case(case.formula, (*case.conditions, condition))
    finally:
        assumed.clear()


def _known(condition: Factor) -> dict[Terms, float]:
    """Return what a condition says that something is: terms → the number."""
    if condition.head == "and":
        return {terms: x for part in condition.parts for terms, x in _known(part[0].over[0]).items()}
    if condition.head != "relation" or condition.parts[1] != "=":
        return {}
    number = whole(condition.parts[2])
    return {} if number is None else {condition.parts[0]: float(number)}


def in_words(found: Sequence[Case], notation: Notation, word: str = "if") -> list[str]:
    """Spell each of the cases, with ``word`` before its conditions."""
    texts = []
    for case in found:
        conditions = ", ".join(map(notation.condition, case.conditions))
        texts.append(
            f"{notation.spell(case.formula)} {word} {conditions}" if conditions else notation.spell(case.formula)
        )
    return texts
