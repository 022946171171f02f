"""How adjoints that are 0 but at few places go on through the lines that extrema were computed from.

Of the least distances of points from centres, `np.min(np.sum((points - centres) ** 2, 2), 1)`, each is that from one of
many centres. What passes to the others is 0, to their squares, and to the differences. So of the lines that are
elementwise, or a sum along other axes, the partials are computed at these places alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import shape
from dualnumbers.late import LateModule
from dualnumbers.rules.indexing import rows_at, scatter
from dualnumbers.rules.reductions import axes_of, places_in
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import broadcast_to, reshape
from dualnumbers.table.kinds import scaled
from dualnumbers.table.partials import evaluate_partial, python_of

from .accumulation import add, fit, stretched, summed
from .keeping import read_to_pull
from .pieces import Few

if TYPE_CHECKING:
    from dualnumbers.numbers import dual
else:
    dual = LateModule(globals(), "dual", "dualnumbers.numbers.dual")

SUM = total.row
ELEMENTS = (np.ndarray, float, np.float64, int)
"""The types of most operands, of which, and of dual arrays, rows are taken."""


def few_of(kind: Any, g: Any, z: Any, x: Any, static: tuple[Any, ...]) -> Few | None:
    """Return the adjoint of an operand that is 0 but at few places; None where there are many, or it is not known."""
    if is_foreign(type(g)):
        return None
    if type(x) is np.ndarray:
        found = kind.few(g, z, x, *static)
    elif type(x) is dual.DualArray and type(x.primal) is np.ndarray:
        found = kind.few(g, z.primal, x.primal, *static)
    else:
        return None
    if found is None:
        return None
    rows, part = found
    return Few(rows, part, x)


def add_few(found: list[Any], owned: set[int], line: int, few: Few) -> None:
    """Accumulate an adjoint that is 0 but at few places."""
    t = found[line]
    if t is None:
        found[line] = few
    elif type(t) is Few and t.rows is few.rows and t.rest == few.rest:
        found[line] = Few(t.rows, t.part + few.part, t.x)
    else:
        add(found, owned, line, few.joined(), few.x)


def passed_on(found: list[Any], owned: set[int], tape: Any, line: int, few: Few) -> bool:
    """Pass an adjoint at few places on to the operands of its line; return whether it goes through such a line."""
    row = tape.rows[line]
    if row.inline is not None:
        xs = [tape.value(operand) for operand in tape.operands(line)]
        if all(type(x) in ELEMENTS or type(x) is dual.DualArray for x in xs):
            _through_elements(found, owned, tape, line, few, xs)
            return True
    return row is SUM and _through_sum(found, owned, tape, line, few)


def _through_elements(found: list[Any], owned: set[int], tape: Any, line: int, few: Few, xs: list[Any]) -> None:
    row, operands, values = tape.rows[line], tape.operands(line), (*xs, tape.values[line])
    read = {id(values[k]) for k in read_to_pull(row, tuple([operand >= 0 for operand in operands]))}
    at = {name: _taken(python_of(x), few) for name, x in zip(map(id, values), values, strict=True) if name in read}
    here = [at.get(id(x), x) for x in values]
    for operand, x, p in zip(operands, xs, row.partials, strict=True):
        if operand < 0:
            continue
        c = scaled(p, few.part) if type(p) is float else evaluate_partial(p, *here) * few.part
        if shape(x) == shape(few.x):
            add_few(found, owned, operand, Few(few.rows, c, x))
        else:
            add(found, owned, operand, _brought_together(c, few, x), x)


def _rows_in(x: Any, few: Few) -> tuple[int, tuple[int, ...], Any]:
    """Return of an operand that may be broadcast how many rows it has, its last axes, and its rows where ``few`` is."""
    lengths, dims = shape(few.x)[: len(shape(few.x)) - len(few.rest)], shape(x)
    last = min(len(few.rest), len(dims))
    own, rest = dims[: len(dims) - last], dims[len(dims) - last :]
    own = (1,) * (len(lengths) - len(own)) + own
    return math.prod(own), rest, few.rows if own == lengths else places_in(own, few.rows, lengths)


def _taken(x: Any, few: Few) -> Any:
    """Return what an operand, which may be broadcast, has at few rows."""
    if not shape(x):
        return x
    count, rest, rows = _rows_in(x, few)
    if count == 1:
        return reshape(x, rest, "C")
    x = reshape(x, (count, *rest), "C")
    if type(x) is dual.DualArray and all(type(part) is np.ndarray and part.shape == shape(x) for part in x.parts()):
        return dual.make(rows_at(x.primal, rows), rows_at(x.tangent, rows), x.level)
    return rows_at(x, rows)


def _brought_together(c: Any, few: Few, x: Any) -> Any:
    """Return the adjoint of an operand that was broadcast, of what is passed to few rows."""
    count, rest, rows = _rows_in(x, few)
    if count == 1:
        return fit(c, x)
    wanted = (len(rows), *rest)
    if axes := stretched(shape(c), wanted):
        c = reshape(summed(c, axes), wanted, "C")
    return reshape(scatter(c, (count, *rest), rows), shape(x), "C")


def _through_sum(found: list[Any], owned: set[int], tape: Any, line: int, few: Few) -> bool:
    operand, (axis, _) = tape.first[line], tape.static[line]
    x = tape.value(operand)
    dims, axes = shape(x), axes_of(len(shape(x)), axis)
    before = len(shape(few.x)) - len(few.rest)
    if min(axes, default=0) < before:
        return False
    ones = tuple([1 if axis in axes else n for axis, n in enumerate(dims) if axis >= before])
    rows = len(few.rows)
    part = broadcast_to(reshape(few.part, (rows, *ones), "C"), (rows, *dims[before:]))
    add_few(found, owned, operand, Few(few.rows, part, x))
    return True
