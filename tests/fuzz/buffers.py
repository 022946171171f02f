"""Compiled functions called with whatever a caller may have: each call gives what the function gives, and no more.

``python -m fuzz.buffers FIRST COUNT`` makes as many calls. Arrays lie between guard bytes, in every layout; they alias,
are empty, read-only, byte-swapped, of other types, objects, or no arrays at all; results go to such arrays as well.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten

GUARD, MARGIN = 0xA5, 64
"""What is before and after each array, and how many bytes of it."""


OTHERS = [0.5, -0.25, 2, True, np.float64(0.5), np.float32(0.5), 1.0 + 2.0j, None, "text", np.float16(1.0), np.int32(3),
          object(), float("nan"), {}]  # fmt: skip
"""Arguments that are no arrays."""


class Sub(np.ndarray):
    """An array of a class of its own."""


def _branch(x: Any, y: Any) -> Any:
    return np.sin(x) * y if np.sum(x) > 0.5 else x - y


FUNCTIONS: list[Callable[..., Any]] = [
    lambda x, y: x * 2.0 + np.sum(y),
    grad(lambda x, y: np.sum(np.sin(x) * y), (0, 1)),
    value_and_grad(lambda x, y: np.sum(np.exp(-x * x) * y)),
    _branch,
    lambda x, y: {"a": (x + y, [np.cos(x)]), "b": np.sum(x * y), "c": None},
    lambda x, y: (np.cumsum(x) * 0.5, np.sort(np.ravel(y))),
    lambda x, y: np.maximum(x, y)[..., ::-1] * x,
    lambda x, y: 1.0 / np.mean(x) + y,
]

SHAPES = [(), (3,), (7,), (0,), (2, 3), (3, 3)]
DTYPES = ["f8"] * 12 + ["f4", "f4", ">f8", "c16", "i8", "?", "O", "f2"]
LAYOUTS = ["C"] * 6 + ["F", "reversed", "strided", "unaligned", "read-only", "spread", "sub"]


class Caller:
    """The calls of one seed after the other."""

    def __init__(self) -> None:
        self.compiled = [[jit(f), jit(f, exact=True)] for f in FUNCTIONS]
        self.buffers: list[tuple[np.ndarray, int]] = []
        """What arrays of this call lie in, and how many bytes they take there."""

    def array(self, draw: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> Any:
        """Return an array between guard bytes."""
        of, shift = np.dtype(dtype), int(layout == "unaligned")
        special = [0.0, -0.0, 1e-310, np.nan, np.inf, 1e300] if of.itemsize > 2 else [0.0]
        values = np.array(
            [draw.choice(special) if draw.random() < 0.1 else draw.uniform(-1, 1) for _ in range(int(np.prod(shape)))]
        )
        if dtype == "O":
            return values.astype(object).reshape(shape)
        count = int(np.prod(shape)) * (2 if layout == "strided" else 1)
        buffer = np.full(2 * MARGIN + count * of.itemsize + shift, GUARD, np.uint8)
        self.buffers.append((buffer, MARGIN + shift))
        x = buffer[MARGIN + shift : MARGIN + shift + count * of.itemsize].view(of)
        if layout == "strided":
            x[1::2] = 1.0
            x = x[::2]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x[...] = np.nan_to_num(values) if of.kind in "i?" else values
        x = x[::-1] if layout == "reversed" else x
        x = x.reshape(shape, order="F" if layout == "F" else "C")
        if layout == "spread" and x.size:
            x = np.broadcast_to(x.reshape(-1)[0], shape)
        if layout == "read-only":
            x.flags.writeable = False
        return x.view(Sub) if layout == "sub" else x

    def value(self, draw: random.Random, shape: tuple[int, ...]) -> Any:
        """Return an argument; mostly an array of doubles, whose programs are there already."""
        if draw.random() < 0.98:
            return self.array(draw, shape, "f8", draw.choice(("C", "C", "read-only", "unaligned", "strided")))
        if draw.random() < 0.3:
            return draw.choice(OTHERS)
        return self.array(draw, shape, draw.choice(DTYPES), draw.choice(LAYOUTS))

    def call(self, seed: int) -> str:
        """Make one call; return what was wrong with it."""
        draw, self.buffers = random.Random(seed), []
        number = draw.randrange(len(FUNCTIONS))
        f, compiled = FUNCTIONS[number], draw.choice(self.compiled[number])
        shape = draw.choice(SHAPES) if draw.random() < 0.02 else [(3,), (), (2, 3)][number % 3]
        x = self.value(draw, shape)
        y = (
            self.value(draw, shape)
            if draw.random() < 0.9
            else x[..., ::-1]
            if isinstance(x, np.ndarray) and x.ndim
            else x
        )
        args = draw.choice([(x, y)] * 18 + [(x,), (x, y, y)])
        before, copies = [buffer.copy() for buffer, _ in self.buffers], _copied(args)
        expected, plain = outcome(f, copies), outcome(compiled, args)
        near = max([1e-5 if getattr(x, "dtype", np.dtype("d")).char in "feF" else 1e-12 for x in args])
        wrong = compared(plain, expected, near)
        if any(not np.array_equal(old, buffer) for old, (buffer, _) in zip(before, self.buffers, strict=True)):
            wrong = wrong or "an argument, or what is around it, was written to"
        if not wrong and not isinstance(plain, type) and draw.random() < 0.2:
            wrong = self.written(draw, compiled, args, plain)
        return f"seed {seed}: function {number} of {args!r}: {wrong}" if wrong else ""

    def written(self, draw: random.Random, compiled: Callable[..., Any], args: Any, plain: Any) -> str:
        """Call it with places for its results; return what was wrong with that."""
        self.buffers = []
        leaves, rebuild = flatten(plain)
        if not all(isinstance(x, (np.ndarray, np.number, float)) and np.result_type(x).char in "fd" for x in leaves):
            return ""
        places = [
            self.array(draw, np.shape(x), np.asarray(x).dtype.str, draw.choice(["C", "C", "F", "strided"]))
            for x in leaves
        ]
        if draw.random() < 0.1 and places:
            places[0] = args[0]
        found = outcome(lambda *args: compiled(*args, out=rebuild(places)), args)
        edges = [buffer[:k] for buffer, k in self.buffers] + [buffer[-MARGIN:] for buffer, _ in self.buffers]
        if any(np.any(edge != GUARD) for edge in edges):
            return "a result was written beside its place"
        if isinstance(found, type) and places and places[0] is args[0]:
            return ""  # it does not fit
        if isinstance(found, type) or any(x is not y for x, y in zip(flatten(found)[0], places, strict=True)):
            return f"out gave {found!r}"
        return compared(found, plain)


def _copied(args: Any) -> Any:
    return tuple(x.copy("K") if isinstance(x, np.ndarray) else x for x in args)


def outcome(f: Callable[..., Any], args: Any) -> Any:
    """Return what a call gives, or the type of its error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except Exception as error:
            return type(error)


def compared(found: Any, expected: Any, near: float = 0.0) -> str:
    """Return how two outcomes differ, if they do: in errors, structure, type, or digits."""
    if isinstance(found, type) or isinstance(expected, type):
        return "" if found is expected else f"{found!r} where {expected!r} was expected"
    one, other = flatten(found)[0], flatten(expected)[0]
    if len(one) != len(other):
        return f"{found!r} where {expected!r} was expected"
    for x, y in zip(one, other, strict=True):
        alike = np.shape(x) == np.shape(y) and getattr(x, "dtype", type(x)) == getattr(y, "dtype", type(y))
        if not alike or not _is_near(np.asarray(x), np.asarray(y), near):
            return f"{x!r} where {y!r} was expected"
    return ""


def _is_near(x: np.ndarray, y: np.ndarray, near: float) -> bool:
    if y.dtype.kind not in "fc":
        return bool(np.all((x == y) | ((x != x) & (y != y))))
    near = max(near, 10.0 * float(np.finfo(y.dtype).eps))
    with np.errstate(all="ignore"):
        return np.allclose(x, y, near, near, equal_nan=True)


def main(first: int, count: int) -> None:
    """Make calls and print what was wrong."""
    caller, wrong = Caller(), 0
    for made, seed in enumerate(range(first, first + count), 1):
        said = caller.call(seed)
        if said:
            wrong += 1
            print(said[:500], flush=True)
        if made % 10_000 == 0:
            print(f"{made} calls, {wrong} wrong", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
