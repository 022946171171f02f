"""What of the whole table works at arrays of another library: every sample of every function, in both modes.

    python benchmarks/libraries.py dask --write

prints what does not work, and with ``--write`` keeps the answer in LIBRARIES.md. Dask's arrays have up to two chunks
along an axis; those of CuPy need a GPU. A function works where at every sample value and derivative are arrays of the
library and agree with NumPy's to 1e-9. While a sample of Dask's is differentiated nothing may be computed.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests"), str(HERE.parent / "tests" / "numbers")]

from array_samples import directions  # noqa: E402
from test_foreign import CALLS, MODES, OF_FLOATS, expected, of_library  # noqa: E402
from tried import KEPT, listed  # noqa: E402

from autodiff import jvp  # noqa: E402
from autodiff.calls.structures import flatten  # noqa: E402

TEXT = """# The table at arrays of other libraries

Written by `python benchmarks/libraries.py dask --write`. Of every function all samples of the tests are differentiated
forward and in reverse at arrays of the library, and the numbers compared with those at NumPy's. Constants of a sample
may be arrays of the library, too; some samples use what only NumPy has, such as the order of elements in memory. Where
an array of Dask is computed meanwhile, which nobody has asked for, it says who did it: a line here, or the sample. What
[the page](../docs/how-to/arrays-of-other-libraries.md) says of a library holds beside this.
"""


class ComputedError(Exception):
    """An array was to be computed while a function was differentiated."""


def computing_line() -> str:
    """Return the line that has an array computed: the innermost one here, "a sample" where that is one."""
    own = [frame for frame in traceback.extract_stack() if frame.filename.startswith(str(HERE.parent))]
    last = next(frame for frame in reversed(own) if frame.filename != __file__)
    place = Path(last.filename).relative_to(HERE.parent)
    return "a sample" if place.parts[0] == "tests" else f"{place}: {last.line}"


class Dask:
    """Arrays of Dask in two chunks along each axis that has two elements."""

    def __init__(self) -> None:
        import dask
        import dask.array

        self.array, self.version, self.config = dask.array, dask.__version__, dask.config

    def made(self, x: Any) -> Any:
        x = np.asarray(x)
        return self.array.from_array(x, chunks=tuple(max(1, (n + 1) // 2) for n in x.shape))

    def host(self, x: Any) -> Any:
        return np.asarray(x.compute(scheduler="synchronous") if self.is_own(x) else x)

    def is_own(self, x: Any) -> bool:
        return isinstance(x, self.array.Array)

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        """Refuse to compute anything, and collect who wanted it."""
        lines: list[str] = []

        def refused(*_: Any, **__: Any) -> Any:
            lines.append(computing_line())
            raise ComputedError(f"computed by {lines[-1]}")

        with self.config.set(scheduler=refused):
            yield lines


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

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        """Its own arrays refuse to become NumPy's."""
        yield []


OTHER = "gives other numbers than NumPy's"
"""What is said of a function whose numbers are not NumPy's, and not the library's own either."""
THEIRS = "is the library's own function, which gives other numbers than NumPy's; so does the derivative"

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
            return OTHER
    return None


def is_of_library(library: Any, mode: str, f: Any, arrays: Any, found: list[Any]) -> bool:
    """Return whether other numbers than NumPy's are those of the library's own function, to six digits.

    The value is the one where nothing is differentiated, and the derivative along a direction, forward or by the
    adjoints, that of differences of such values. Where the plain call raises, as that of ``np.linalg.qr(x).Q`` does
    with Dask, the values are those of forward mode.
    """
    along = directions(arrays)

    def value(step: float) -> list[Any]:
        moved = [library.made(x + step * t if x.dtype.kind in "fc" else x) for x, t in zip(arrays, along, strict=True)]
        try:
            return [library.host(leaf) for leaf in flatten(f(*moved))[0]]
        except Exception:  # whatever the library raises
            return [library.host(leaf) for leaf in flatten(jvp(f, moved, moved)[0])[0]]

    here, h = value(0.0), 1e-3
    near = [value(k * h) for k in (-2, -1, 1, 2)]
    slopes = [(a - 8.0 * b + 8.0 * c - d) / (12.0 * h) for a, b, c, d in zip(*near, strict=True)]
    values, derivatives = found[: len(here)], found[len(here) :]
    if mode == "reverse":
        given = directions(here, 11)
        slopes = [np.real(sum(np.vdot(g, slope) for g, slope in zip(given, slopes, strict=True)))]
        derivatives = [np.real(sum(np.vdot(a, t) for a, t in zip(derivatives, along, strict=True)))]
    pairs = [*zip(values, here, strict=True), *zip(derivatives, slopes, strict=True)]
    return all(np.allclose(a, b, 1e-6, 1e-6, equal_nan=True) for a, b in pairs)


def reason(error: Exception) -> str:
    """Return what an error says, shortened."""
    why = " ".join(str(error).split("; write it by")[0].split()) or type(error).__name__
    return re.sub(r"^\S+ lacks what (.+?) needs of it", r"`\1`", why.partition(" (at ")[0])


def results_of(library: Any, mode: str, f: Any, arrays: Any) -> tuple[list[Any], str | None]:
    """Return the results of one call, and what was computed meanwhile, or why there are none."""
    with library.watched() as lines:
        try:
            found, why = flatten(MODES[mode](f, arrays, library.made, library.host))[0], None
        except Exception as error:  # whatever the library raises is an answer
            found, why = [], reason(error)
    return found, f"computed by {lines[0]}" if lines else why


def of_sample(library: Any, mode: str, name: str, f: Any, arrays: Any, leaves: Any) -> str | None:
    """Return why a function does not work in a mode at one sample, None where it does."""
    found, why = results_of(library, mode, f, arrays)
    if why is not None:  # the library may refuse constants of NumPy's
        f = of_library(f, library.made)
        found, why = results_of(library, mode, f, arrays)
    try:
        why = why or difference(library, found, leaves, name)
        if why == OTHER and is_of_library(library, mode, f, arrays, list(map(library.host, found))):
            return THEIRS
    except Exception as error:  # it raises when it is computed
        return why or reason(error)
    return why


def outcome(library: Any, mode: str, name: str) -> str | None:
    """Return why a function does not work in a mode at every sample, None where it does: other numbers before all."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = zip(CALLS[name], expected(mode, name), strict=True)
        whys = [of_sample(library, mode, name, f, arrays, leaves) for (f, arrays), leaves in samples]
    return OTHER if OTHER in whys else next(filter(None, whys), None)


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
    return "\n".join(lines) + "\n\n" + listed(f for f, whys in zip(CALLS, answers, strict=True) if not any(whys))


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
        _, *others = re.split(r"^(?=## )", KEPT.read_text(encoding="utf-8") if KEPT.exists() else TEXT, flags=re.M)
        others = [section.rstrip() + "\n" for section in others if not section.startswith(f"## {chosen.library} ")]
        KEPT.write_text("\n".join([TEXT, *sorted([*others, text])]), encoding="utf-8")


if __name__ == "__main__":
    main()
