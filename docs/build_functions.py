"""Write functions.md: every function of NumPy and SciPy that can be differentiated.

It is printed from the table of rules and from what the tests call. Run it after adding a function. What NumPy has
and the table has not is listed with its reason (`unsupported.py`).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import scipy.special
from unsupported import REASONS

import autodiff.scipy
from autodiff.scipy._counterpart import COUNTERPARTS
from autodiff.symbols.formula import symbol
from autodiff.symbols.notation import PLAIN
from autodiff.symbols.rules import in_words, partial
from dualnumbers.messages.names import public_name
from dualnumbers.rules.arrays.inspecting import READING
from dualnumbers.several import parts
from dualnumbers.table import BY_NUMPY, Refused, Row

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "functions.md"
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "rules"), str(ROOT / "benchmarks")]

from samples import samples  # noqa: E402
from test_elementwise_rows import COMPLEX  # noqa: E402
from tried import tried  # noqa: E402

COMPLEX_ROWS = {function.row.name for function in COMPLEX}
MODULES: dict[str, Any] = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}

VERSIONS = " and ".join(f"{m.__name__} {'.'.join(m.__version__.split('.')[:2])}" for m in (np, scipy))
HEAD = f"""# Functions that can be differentiated

Plain code with `import numpy as np` and `import scipy.special` works as it stands, in forward and in reverse mode, to
any order and in any nesting of the two. For an elementwise function the column "derivative" has the formula of its
rule, for one argument after the other; z is the value. For any other function it has the kind of its rule, of which
[How it is built](how-it-is-built.md) has a table; a composition has no rule, since it is made of functions that have
one. "Zero between steps" is the derivative of a locally constant function; the result of a function that "reads the
plain value" carries no derivative. The last column is the order up to which the tests check the
derivative, in every nesting, against differences and, for elementwise functions, against 50 digits. The column before
it names the libraries at whose arrays the function works in both modes at every sample of the tests, and those at which
it was not tried; `benchmarks/LIBRARIES.md` says of the others what is in the way.
This page is printed from the table of rules, with {VERSIONS}.
A function that is not on it raises a `TypeError` that says so.

In the formulas H(x) is 1 for x > 0, ½ at 0 and 0 elsewhere, [x = y] is 1 where that holds and 0 elsewhere, ψ = Γ′/Γ,
φ is the density of the normal distribution, Q its upper tail, K₁(t) = φ(t)/Q(t) − t, σ(x) = 1/(1 + e^(−x)) and
σ₂(x) = 1/(1 + 2^(−x)). Other names that SciPy does not have, such as `gammainc_1`, are those of rows of the table.
"""
OF_SCIPY = """These functions of SciPy convert their arguments to plain arrays, so that the plain call cannot be
differentiated: it raises `TypeError` and names the spelling below. Names and signatures are SciPy's; plain arrays are
taken as well.
"""
COLUMNS = "| function | arguments | derivative | other libraries | order checked |\n|---|---|---|---|---|\n"
LIBRARIES = {shown: tried(shown.lower()) for shown in ("CuPy", "Dask")}
"""The functions that work at arrays of a library, and those that do not."""
LONGEST = 120
"""Characters of the derivatives of a row up to which they are printed."""


def row_of(function: Any) -> Row | None:
    """The row that a registered function is, or leads to; None for one that is written in others."""
    return getattr(getattr(function, "function", function), "row", None)


def takes_complex(row: Row | None, name: str) -> bool:
    """Whether the tests differentiate it at complex arguments."""
    if row is not None and row.is_elementwise:
        return row.name in COMPLEX_ROWS
    return any(sample.unreal for key in {name, row.name if row else name} for sample in samples(key))


def elsewhere(row: Row | None, name: str) -> str:
    """The libraries at whose arrays the function works at every sample, and those at which it was not tried."""
    keys, found = {name, name.removeprefix("autodiff."), row.name if row else name}, []
    for shown, (working, lacking) in LIBRARIES.items():
        if keys.isdisjoint(lacking):
            found.append(f"{shown} not tried" if keys.isdisjoint(working) else shown)
    return ", ".join(found)


def formulas(row: Row) -> str | None:
    """The partials of an elementwise row as its rule has them; None where they are long, or more than a formula."""
    names = next((list(inspect.signature(p).parameters)[:-1] for p in row.partials if callable(p)), ["x", "y", "w"])
    operands = [symbol(name) for name in names[: row.arity]]
    if row.several or any(isinstance(p, Refused) for p in row.partials):
        return None
    try:
        found = ["; ".join(in_words(partial(row, k, operands, symbol("z")), PLAIN)) for k in range(row.arity)]
    except (TypeError, ValueError, RecursionError):
        return None
    return None if sum(map(len, found)) > LONGEST else ", ".join(f"`{text}`" for text in found).replace("|", r"\|")


def line(name: str, function: Any) -> str:
    """A function's line of the page."""
    row = row_of(function)
    kind = row.described() if row else "composition"
    scalars = "numbers, arrays" if row and (row.is_elementwise or row.is_constant) else "arrays"
    argument = f"{scalars}; real{', complex' if takes_complex(row, name) else ''}"
    refused = [k + 1 for k, p in enumerate(row.partials) if isinstance(parts(p)[0], Refused)] if row else []
    note = f", but not by argument {', '.join(map(str, refused))}" if refused else ""
    how = "zero between steps" if row and row.is_constant else kind + note
    how = "reads the plain value" if function in READING else how
    if row and row.is_elementwise and not row.is_constant and not note:
        how = formulas(row) or how
    return f"| `{name}` | {argument} | {how} | {elsewhere(row, name)} | {3 if row and row.is_elementwise else 2} |\n"


def lines(functions: dict[str, Any]) -> str:
    """The rows of a table."""
    return COLUMNS + "".join(line(name, functions[name]) for name in sorted(functions, key=str.lower))


def of_numpy(prefix: str) -> dict[str, Any]:
    """Public name → what is registered for it, of the functions of one of NumPy's modules."""
    module = MODULES[prefix]
    found = {name: getattr(module, name) for name in module.__all__}
    return {f"{prefix}.{name}": BY_NUMPY[f] for name, f in found.items() if callable(f) and f in BY_NUMPY}


def elsewhere_in_numpy() -> dict[str, Any]:
    """What is registered of NumPy's other modules: np.polynomial, np.emath, np.lib."""
    known = {id(f) for prefix in MODULES for f in vars(MODULES[prefix]).values() if callable(f)}
    found = {public_name(f): f for f in BY_NUMPY if callable(f) and id(f) not in known}
    return {name: BY_NUMPY[f] for name, f in found.items() if name.startswith("np.")}


def of_special() -> dict[str, Any]:
    """The ufuncs of scipy.special, found by their own names, and the functions that only call one (``_lambertw``)."""
    found = {name: getattr(scipy.special, name) for name in dir(scipy.special)}
    own = {name: f.__name__ if isinstance(f, np.ufunc) else f"_{name}" for name, f in found.items()}
    return {f"scipy.special.{name}": BY_NUMPY[ufunc] for name, ufunc in own.items() if ufunc in BY_NUMPY}


def of_scipy() -> dict[str, Any]:
    """The functions of autodiff.scipy."""
    for module in pkgutil.walk_packages(autodiff.scipy.__path__, f"{autodiff.scipy.__name__}."):
        importlib.import_module(module.name)
    return {f"autodiff.{name}": function for name, function in COUNTERPARTS.items()}


def sections() -> dict[str, dict[str, Any]]:
    """Heading → functions."""
    of_scipy()  # imports what registers compositions
    numpy = {"NumPy" if prefix == "np" else prefix: of_numpy(prefix) for prefix in MODULES}
    return {**numpy, "NumPy's other modules": elsewhere_in_numpy(), "scipy.special": of_special(),
            "autodiff.scipy": of_scipy()}  # fmt: skip


def missing() -> Iterator[tuple[str, list[str]]]:
    """Each reason, and the public names of NumPy that are not in the table for it.

    Raises ValueError for a name without a reason, and for a reason without need.
    """
    names = [f"{prefix}.{name}" for prefix, module in MODULES.items() for name in module.__all__
             if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)]  # fmt: skip
    absent = sorted(set(names) - {name for prefix in MODULES for name in of_numpy(prefix)})
    given = [name for members in REASONS.values() for name in members.split()]
    if set(absent) != set(given) or len(given) != len(set(given)):
        raise ValueError(
            f"docs/unsupported.py: without a reason {sorted(set(absent) - set(given))}, "
            f"with one, though they are there: remove {sorted(set(given) - set(absent))}"
        )
    for reason, members in REASONS.items():
        yield reason, sorted(members.split())


def page() -> str:
    """The page's text."""
    text = HEAD
    for heading, functions in sections().items():
        text += f"\n## {heading}\n\n{OF_SCIPY + chr(10) if heading == 'autodiff.scipy' else ''}{lines(functions)}"
    text += "\n## Functions of NumPy that are not in the table\n"
    for reason, names in missing():
        text += f"\n**{reason}.** {' '.join(f'`{name}`' for name in names)}\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
