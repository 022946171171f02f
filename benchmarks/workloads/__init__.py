"""What the benchmarks run: a function for each workload, by theme, that returns it in given sizes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from timing import np

ARRAYS = ("torch", "torch.func", "autograd", "mygrad", "jax")
WITHOUT_JAX = ARRAYS[:-1]
"""For programs of many operations: JAX without ``jit`` takes a fifth of a millisecond for each."""
TRANSFORMS = ("torch", "torch.func", "autograd", "jax")
"""Those of all orders, with SciPy's functions."""
LOOPS = ("torch", "autograd", "mygrad", "num_dual", "micrograd")
"""For Python loops over single numbers."""


@dataclass
class Workload:
    """A question about a function, written once for all contenders: ``function(np, *arguments, *constants)``.

    ``np`` is a contender's own namespace, that for single numbers where ``scalars``; its arrays are made of the
    constants before the clock runs. ``question`` is a method of the contenders, with ``options``. Where a contender's
    users write the function in another way, it stands in ``phrased`` by the contender's name. ``remark`` says how ours
    is asked, where not by `value_and_grad`. ``hand`` is the answer in plain NumPy or Python, where that is short;
    ``limit`` is it in C, or the former where nothing is faster. ``peers`` are those that are asked: the others have not
    what it takes, or would take minutes. ``promises`` says of peers how many times as fast ours is to be at least, and
    under ``ms`` how long it may take at most.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    constants: tuple[Any, ...] = ()
    question: str = "gradient"
    options: dict[str, Any] = field(default_factory=dict)
    peers: tuple[str, ...] = ARRAYS
    scalars: bool = False
    phrased: dict[str, Callable[..., Any]] = field(default_factory=dict)
    remark: str = ""
    hand: Callable[[], Any] | None = None
    limit: Callable[[], Any] | None = None
    tolerance: float = 1e-7
    promises: dict[str, float] = field(default_factory=dict)

    def of(self, contender: Any) -> Callable[..., Any]:
        """Return the function of the arguments alone, in a contender's namespace and arrays."""
        function = self.phrased.get(contender.name, self.function)
        np_ = contender.scalars if self.scalars else contender.np
        constants = tuple(contender.array(c) if isinstance(c, np.ndarray) else c for c in self.constants)
        return lambda *arguments: function(np_, *arguments, *constants)

    def call(self, contender: Any) -> Callable[[], Any]:
        """Return what is timed of a contender."""
        return getattr(contender, self.question)(self.of(contender), self.arguments, **self.options)


@dataclass(frozen=True)
class Entry:
    """A workload by its name: ``make(**sizes)`` returns it, ``tiny`` are sizes at which it takes no time."""

    name: str
    make: Callable[..., Workload]
    sizes: dict[str, Any]
    tiny: dict[str, Any]


THEMES = ("scalars", "arrays", "linalg", "simulations", "learning", "training", "derivatives")

ENTRIES: list[Entry] = []
"""All workloads, in the order of their themes, once the modules of this package are imported."""


PROMISED: list[Entry] = []
"""Those of `workloads.promises` likewise."""

COMPILED: list[Entry] = []
"""Those of `workloads.loops`, `workloads.programs` and `workloads.iterations` likewise."""


def workload(
    name: str, *cases: dict[str, Any], tiny: dict[str, Any], among: list[Entry] = ENTRIES
) -> Callable[..., Any]:
    """Enter a maker of workloads, once for each case of sizes, which the name may show in braces."""

    def enter(make: Callable[..., Workload]) -> Callable[..., Workload]:
        among.extend(Entry(name.format(**sizes), make, sizes, tiny) for sizes in cases or ({},))
        return make

    return enter


def random(seed: int = 0) -> np.random.Generator:
    """Return the source of a workload's data."""
    return np.random.default_rng(seed)


def entries() -> Iterator[Entry]:
    """Import the themes, and yield all workloads."""
    for theme in THEMES:
        importlib.import_module(f"workloads.{theme}")

    yield from ENTRIES


def promised() -> list[Entry]:
    """Return the workloads of the promises."""
    importlib.import_module("workloads.promises")
    return PROMISED


def compiled() -> list[Entry]:
    """Return the workloads of compiled programs."""
    importlib.import_module("workloads.loops")
    importlib.import_module("workloads.programs")
    importlib.import_module("workloads.iterations")
    return COMPILED
