"""The native part of a program, and the order in which its blocks and what is left to Python come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..cuts import Short
from ..program import Guard, Program
from .entry import Argument, Text, TooLong
from .lowering import Lowering
from .machine.engine import is_there
from .machine.python import Entry, is_as_expected
from .rows.steps import is_view


class NativeBlock(NamedTuple):
    """A block as a builtin function of some values, which gives another one, a tuple of them, or a guard's number."""

    entry: Entry
    given: tuple[int, ...]
    results: tuple[int, ...]
    guards: tuple[Guard, ...]

    @property
    def function(self) -> Any:
        """The builtin function."""
        return self.entry.function

    def called(self, otherwise: Callable[..., Any]) -> Any:
        """Return the builtin function that calls another one where it gives the number of a guard."""
        return self.entry.called(otherwise)

    @property
    def is_bare(self) -> bool:
        """Whether it gives a value in no tuple."""
        return len(self.results) == 1


class NotNative(Exception):  # noqa: N818
    """A block cannot go on: an argument is not as it was recorded, or a function of Python would raise."""


class Native:
    """The blocks of a program."""

    def __init__(self, program: Program, threads: int, profile: bool, short: Short | None = None) -> None:
        start = perf_counter()
        self._threads, self._profile = threads, profile
        self._clocked: list[tuple[Entry, list[dict[int, float]]]] = []
        self.seconds = {"loops": 0.0, "code": 0.0}
        """What it took to find loops, and to make machine code."""
        self.parts = Lowering(program, short=short)
        """The program taken apart."""
        self._guards = sum(map(len, (short.whole if short else program).guarded.values()))
        self.whole = self._whole()
        """The builtin function of all inputs that gives all that is returned; None where Python has a part in it."""
        self.blocks = {0: self.whole} if self.whole else self._blocks()
        self.seconds["loops"] = perf_counter() - start - self.seconds["code"]

    def spent(self) -> dict[int, float]:
        """Return the seconds that each step took; those of a loop of several steps are divided among these."""
        found: dict[int, float] = {}
        for entry, clocked in self._clocked:
            for time, parts in zip(entry.clocks(len(clocked)), clocked, strict=True):
                for step, part in parts.items():
                    found[step] = found.get(step, 0.0) + 1e-9 * time * part
        return found

    def looks_at(self, number: int, guard: int) -> bool:
        """Return whether native code looks at a guard of a step."""
        return self.whole is not None or (number, guard) in self.parts.guarded

    @property
    def size(self) -> int:
        """The bytes of memory for what is in between."""
        return sum(entry.size for entry in {id(block.entry): block.entry for block in self.blocks.values()}.values())

    def _entry(self, text: Text) -> Entry:
        """Return the machine code of a text."""
        start = perf_counter()
        try:
            made = text.entry()
            self._clocked.append((made, text.clocked))
            return made
        finally:
            self.seconds["code"] += perf_counter() - start

    def _blocks(self) -> dict[int, NativeBlock]:
        """Return the blocks by their levels; those that are the same but for constants are one function."""
        program, entries, found = self.parts.program, dict[Any, Entry](), dict[int, NativeBlock]()
        for level, block in sorted(self.parts.blocks.items()):
            if not block.has_effect:
                continue
            values = list(map(program.value, (*block.given, *block.results)))
            key = block.key, tuple(map(_form_of, values)), level if self._profile else -1
            if key not in entries:
                arguments: list[Argument] = list(zip(values, block.given.values(), strict=False))
                results = list(zip(values[len(arguments) :], block.results.values(), strict=True))
                entries[key] = self._entry(Text(block, arguments, results, {}, self._threads, self._profile))
            guards = tuple(guard for _, _, guard in block.guards)
            found[level] = NativeBlock(entries[key], tuple(block.given), tuple(block.results), guards)
        return found

    def _whole(self) -> NativeBlock | None:
        program, parts = self.parts.program, self.parts
        block = parts.blocks.get(0)
        returned = [x for x in program.returned if x >= 0]
        if block is None or not parts.is_whole or program.of_inputs or len(set(returned)) < len(returned):
            return None
        if len(block.guards) != self._guards or set(block.results) != set(returned):
            return None
        if any(x >= len(program.inputs) for x in block.given):
            return None
        arguments: list[Argument] = [(x, block.given.get(k)) for k, x in enumerate(program.inputs)]
        constants = {space: np.asarray(program.value(x)) for x, space in block.given.items() if x < 0}
        results = [(program.value(x), block.results[x]) for x in returned]
        self._text = partial(Text, block, arguments, results, constants, self._threads, self._profile)
        guards = tuple(guard for _, _, guard in block.guards)
        entry = self._entry(self._text())
        return NativeBlock(entry, tuple(range(len(program.inputs))), tuple(returned), guards)

    @cached_property
    def _into(self) -> Any:
        return self._entry(self._text(into=True)).function

    def into(self, inputs: Sequence[Any], places: Sequence[np.ndarray]) -> Sequence[Any] | None:
        """Return the results of the whole program, the arrays those to be written to; None where a guard fails."""
        assert self.whole is not None
        found = self._into(*inputs, *places)
        return None if type(found) is int else (found,) if self.whole.is_bare else found

    def order(self) -> list[int | NativeBlock]:
        """Return the blocks and the numbers of Python's steps in the order in which they run."""
        if self.whole:
            return [self.whole]
        of_level: dict[int, list[int]] = {}
        program, parts = self.parts.program, self.parts
        read = {*program.returned, *(x for block in self.blocks.values() for x in block.given)}
        for number, step in reversed(list(program.numbered())):
            if number in parts.native and number not in parts.seen:
                continue
            if number in read or step.guards or not is_view(step):  # a view is taken where it is read
                of_level.setdefault(parts.level[number], []).append(number)
                read.update(step.operands)
        found: list[int | NativeBlock] = []
        for level in sorted({-1, *self.blocks, *of_level}):
            if level in self.blocks:
                found.append(self.blocks[level])
            found += reversed(of_level.get(level, ()))
        return found


def _form_of(x: Any) -> tuple[object, ...]:
    return type(x), getattr(x, "shape", ()), getattr(x, "dtype", None)


def native(program: Program, threads: int, profile: bool, short: Short | None = None) -> Native | None:
    """Return the native part of a program for so many threads; None where there is none, as without llvmlite.

    Of one that was made ``short`` it is all there is to do, in all rounds of its loops; Unfit where it cannot be.
    """
    if not is_there() or not is_as_expected():
        return None
    try:
        found = Native(program, threads, profile, short)
    except TooLong:
        return None
    return found if found.blocks else None


def left(code: int, first: int, diverged: type[Exception]) -> None:
    """Raise what tells why a block gave no results: the number of a guard, or that it cannot go on."""
    raise diverged(first + code) if code >= 0 else NotNative


def is_in_order(x: np.ndarray) -> bool:
    """Return whether the elements of an array are in C's order, each where the processor expects it.

    And whether its dtype is NumPy's own object, by which machine code knows it: that of an unpickled array is another.
    """
    return bool(x.flags.c_contiguous and x.flags.aligned and x.dtype is np.dtype(x.dtype.char))


def in_order(x: np.ndarray) -> np.ndarray:
    """Return an array in C's order and of NumPy's own dtype, itself if it is."""
    if is_in_order(x):
        return x
    whole = x.flags.c_contiguous and x.flags.aligned and x.dtype.isnative
    own = x if whole else x.astype(x.dtype.newbyteorder("="), "C")
    return own.view(np.dtype(own.dtype.char))
