"""One call of a function that is differentiated: its arguments are taken apart once, and put together around others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.operands import is_labelled

from .captured import Given
from .structures import flatten, is_structure, paths_of_leaves
from .values import differentiable, matching

PLAIN = (float, np.ndarray)
"""The types of most arguments, which are leaves."""


class Call:
    """The arguments of a call, of which those at ``indices`` are differentiated.

    What enters the function in their places, and what leaves as a derivative by them, has their structure:

    >>> call = Call([{"w": 2.0, "b": 1.0}, 5.0], [0])
    >>> call.leaves
    [2.0, 1.0]
    >>> call.arguments_with(["ẇ", "ḃ"])
    [{'w': 'ẇ', 'b': 'ḃ'}, 5.0]
    >>> call.structured([10.0, 20.0])
    [{'w': 10.0, 'b': 20.0}]
    """

    __slots__ = ("_builders", "_labelled", "args", "check", "indices", "leaves")

    def __init__(self, args: Sequence[Any], indices: Sequence[int], copied: bool = False) -> None:
        """Take the arguments apart, or raise TypeError; with ``copied``, the caller's large arrays are copied, too."""
        self.args, self.indices, given = list(args), indices, Given(copied)
        self.check = given.check
        """Raises RuntimeError where the function wrote to an array of the caller's."""
        self.leaves: list[Any] = []
        self._builders: list[Callable[[Iterable[Any]], Any] | None] = []
        """What puts each of the differentiated arguments together; None of what is a leaf itself."""
        self._labelled: list[Any] | None = None
        """The leaves as they were given, where some have labels."""
        originals: list[Any] = []
        for index in indices:
            x = self.args[index]
            build = None
            if type(x) in PLAIN:
                originals.append(x)
            else:
                leaves, build = flatten(x)
                originals += leaves
            self._builders.append(build)
        try:
            for x in originals:
                if type(x) is np.ndarray and x.dtype.char in "df":
                    x = given.keep(x)
                elif type(x) is not float:
                    if is_labelled(type(x)):
                        self._labelled = originals
                    x = given.keep(differentiable(x))
                self.leaves.append(x)
        except TypeError as error:
            raise self._named(error) from None

    def _named(self, error: TypeError) -> TypeError:
        """Give the error of a leaf that is no number its name."""
        for index in self.indices:
            x = self.args[index]
            leaves, _ = flatten(x)
            names = paths_of_leaves(x, f"args[{index}]") if is_structure(x) else [f"argument {index}"]
            for leaf, name in zip(leaves, names, strict=True):
                try:
                    differentiable(leaf, name)
                except TypeError as named:
                    if re.search(r"\.\w+$", name):  # a dataclass holds it
                        named.add_note(
                            'A field that is no parameter is declared static: field(metadata={"static": True}).'
                        )
                    return named
        return error

    def arguments_with(self, numbers: Iterable[Any]) -> list[Any]:
        """Return the arguments with numbers in the places of the leaves."""
        args, stream = self.args.copy(), iter(numbers)
        for index, build in zip(self.indices, self._builders, strict=True):
            args[index] = next(stream) if build is None else build(stream)
        return args

    def matched(self, tangents: Sequence[Any], what: str = "the tangent") -> list[Any]:
        """Return the leaves of tangents, one for each differentiated argument, as `values.matching` does."""
        found: list[Any] = []
        stream = iter(self.leaves)
        for tangent, build in zip(tangents, self._builders, strict=True):
            found += matching(tangent, next(stream) if build is None else build(stream), what)
        return found

    def structured(self, derivatives: Iterable[Any]) -> list[Any]:
        """Return the derivatives by all leaves as one for each argument, in its structure and with its labels."""
        stream = iter(derivatives)
        if self._labelled is not None:
            from .labels import with_labels

            stream = map(with_labels, stream, self._labelled)
        found: list[Any] = []
        for build in self._builders:
            found.append(next(stream) if build is None else build(stream))
        return found

    def jacobians(self, by_output: list[Any], rebuild_output: Callable[[Iterable[Any]], Any]) -> list[Any]:
        """Return for each argument the derivatives by it, in the output's structure; given are those of each output."""
        rows = [self.structured(derivatives) for derivatives in by_output]
        return [rebuild_output([row[k] for row in rows]) for k in range(len(self._builders))]
