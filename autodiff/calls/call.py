"""One call of a function that is differentiated: its arguments are taken apart once, and put together around others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from typing import Any

from .captured import Given
from .labels import with_labels
from .seeding import differentiable
from .structures import flatten, is_structure, paths_of_leaves


class Call:
    """The arguments of a call, of which those at ``indices`` are differentiated.

    What enters the function in their places, and what leaves as a derivative by them, has their structure:

    >>> call = Call([{"w": 2.0, "b": 1.0}, 5.0], [0])
    >>> call.leaves
    [2.0, 1.0]
    >>> call.entered(["ẇ", "ḃ"])
    [{'w': 'ẇ', 'b': 'ḃ'}, 5.0]
    >>> call.left([10.0, 20.0])
    [{'w': 10.0, 'b': 20.0}]
    """

    __slots__ = ("_given", "_indices", "_trees", "args", "leaves")

    def __init__(self, args: Sequence[Any], indices: Sequence[int], copied: bool = False) -> None:
        """Take the arguments apart, or raise TypeError; with ``copied``, the caller's large arrays are copied, too."""
        self.args, self._indices, self._given = list(args), indices, Given(copied)
        self._trees = [flatten(self.args[index]) for index in indices]
        keep = self._given.keep
        try:
            self.leaves = [keep(differentiable(leaf)) for leaves, _ in self._trees for leaf in leaves]
        except TypeError as error:
            raise self._named(error) from None

    def _named(self, error: TypeError) -> TypeError:
        """Give the error of a leaf that is no number its name."""
        for index, (leaves, _) in zip(self._indices, self._trees, strict=True):
            x = self.args[index]
            names = paths_of_leaves(x, f"args[{index}]") if is_structure(x) else [f"argument {index}"]
            for leaf, name in zip(leaves, names, strict=True):
                try:
                    differentiable(leaf, name)
                except TypeError as named:
                    if is_dataclass(x):
                        named.add_note(
                            'A field that is no parameter is declared static: field(metadata={"static": True}).'
                        )
                    return named
        return error

    def entered(self, numbers: Iterable[Any]) -> list[Any]:
        """Return the arguments with numbers in the places of the leaves."""
        args, stream = list(self.args), iter(numbers)
        for index, (_, rebuild) in zip(self._indices, self._trees, strict=True):
            args[index] = rebuild(stream)
        return args

    def left(self, derivatives: Iterable[Any]) -> list[Any]:
        """Return the derivatives by all leaves as one for each argument, in its structure and with its labels."""
        stream = iter(derivatives)
        return [rebuild([with_labels(next(stream), leaf) for leaf in leaves]) for leaves, rebuild in self._trees]

    def blocks(self, by_output: list[Any], rebuild_output: Callable[[Iterable[Any]], Any]) -> list[Any]:
        """Return the derivatives of several outputs, each by all leaves, as the output's structure of `left`."""
        left = [self.left(derivatives) for derivatives in by_output]
        return [rebuild_output([found[k] for found in left]) for k in range(len(self._trees))]

    def check(self) -> None:
        """Raise RuntimeError where the function wrote to an array of the caller's."""
        self._given.check()
