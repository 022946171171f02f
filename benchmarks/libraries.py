"""What of the whole table works at arrays of another library: every sample of every function, in both modes.

    python benchmarks/libraries.py dask --write

prints what does not work, and with ``--write`` keeps the answer in LIBRARIES.md. Dask's arrays have up to two chunks
along an axis; those of CuPy need a GPU. A function works where at every sample value and derivative are arrays of the
library and agree with NumPy's to 1e-9.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests"), str(HERE.parent / "tests" / "numbers")]

from test_foreign import CALLS, MODES, OF_FLOATS, expected, of_library  # noqa: E402

from autodiff.calls.structures import flatten  # noqa: E402

TEXT = """# The table at arrays of other libraries

Written by `python benchmarks/libraries.py dask --write`. Of every function all samples of the tests are differentiated
forward and in reverse at arrays of the library, and the numbers compared with those at NumPy's. Constants of a sample
may be arrays of the library, too; some samples use what only NumPy has, such as the order of elements in memory. What
[the page](../docs/how-to/arrays-of-other-libraries.md) says of a library holds beside this.
"""


class Dask:
    """Arrays of Dask in two chunks along each axis that has two elements."""

    def __init__(self) -> None:
        import dask
        import dask.array

        self.array, self.version = dask.array, dask.__version__
        dask.config.set(scheduler="synchronous")

    def made(self, x: Any) -> Any:
        x = np.asarray(x)
        return self.array.from_array(x, chunks=tuple(max(1, (n + 1) // 2) for n in x.shape))

    def host(self, x: Any) -> Any:
        return np.asarray(x.compute() if self.is_own(x) else x)

    def is_own(self, x: Any) -> bool:
        return isinstance(x, self.array.Array)


class Cupy:
    """Arrays of CuPy, on the first GPU."""

    def __init__(self) -> None:
        self.module = importlib.import_module("cupy")
        self.version = self.module.__version__

    def made(self, x: Any) -> Any:
        return self.module.asarray(x)

    def host(self, x: Any) -> Any:
        return self.module.asnumpy(x)

    def is_own(self, x: Any) -> bool:
        return isinstance(x, self.module.ndarray)


LIBRARIES: dict[str, Callable[[], Any]] = {"dask": Dask, "cupy": Cupy}


def difference(library: Any, found: list[Any], leaves: list[Any], name: str) -> str | None:
    """Return how the results of one call differ from NumPy's, None where they do not."""
    for z, leaf in zip(found, leaves, strict=True):
        if not library.is_own(z):
            if np.ndim(z) == 0 and (name in OF_FLOATS or np.ndim(leaf) == 0):
                continue
            return "gives an array of NumPy's"
        plain = library.host(z)
        size = np.max(np.abs(leaf), initial=1.0, where=np.isfinite(leaf))
        if plain.shape != np.shape(leaf) or not np.allclose(plain, leaf, 1e-9, 1e-9 * size, equal_nan=True):
            return "is another function than NumPy's, or gives other numbers"
    return None


def outcome(library: Any, mode: str, name: str) -> str | None:
    """Return why a function does not work in a mode at every sample, None where it does."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "The `numpy", FutureWarning)  # of Dask: it is about to compute an array
        for (f, arrays), leaves in zip(CALLS[name], expected(mode, name), strict=True):
            try:
                try:
                    found = MODES[mode](f, arrays, library.made, library.host)
                except Exception:  # it may refuse constants of NumPy's
                    found = MODES[mode](of_library(f, library.made), arrays, library.made, library.host)
                why = difference(library, flatten(found)[0], leaves, name)
            except Exception as error:  # whatever the library raises is an answer
                why = " ".join(str(error).split("; write it by")[0].split()) or type(error).__name__
                why = re.sub(r"^\S+ lacks what (\S+) needs of it", r"`\1`", why.partition(" (at ")[0])
            if why:
                return why
    return None


@cache
def opened(name: str) -> Any:
    """Return a library, opened once in each process."""
    return LIBRARIES[name]()


def outcomes(name: str, f: str) -> list[str | None]:
    """Return why a function does not work in each mode."""
    return [outcome(opened(name), mode, f) for mode in MODES]


def report(name: str, processes: int) -> str:
    """Return the section of a library: how many functions work, and why the others do not."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        answers = list(pool.map(partial(outcomes, name), CALLS, chunksize=8))
    forward, reverse = (sum(why is None for why in column) for column in zip(*answers, strict=True))
    lines = [f"## {name} {opened(name).version}\n", f"Of {len(CALLS)} functions {forward} work at every sample in "
             f"forward mode, {reverse} in reverse. The others, with the first that is in the way:\n",
             "| function | forward | reverse |", "|---|---|---|"]  # fmt: skip
    for f, whys in zip(CALLS, answers, strict=True):
        if any(whys):
            cells = [why.replace("|", "\\|")[:110] if why else "works" for why in whys]
            lines.append(f"| `{f}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Answer the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--processes", type=int, default=2, help="how many share the work")
    parser.add_argument("--write", action="store_true", help="keep the answer in LIBRARIES.md")
    chosen = parser.parse_args()
    text = report(chosen.library, chosen.processes)
    print(text)
    if chosen.write:
        kept = HERE / "LIBRARIES.md"
        _, *others = re.split(r"^(?=## )", kept.read_text(encoding="utf-8") if kept.exists() else TEXT, flags=re.M)
        others = [section.rstrip() + "\n" for section in others if not section.startswith(f"## {chosen.library} ")]
        kept.write_text("\n".join([TEXT, *sorted([*others, text])]), encoding="utf-8")


if __name__ == "__main__":
    main()
