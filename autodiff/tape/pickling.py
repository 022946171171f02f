"""A tape as plain data: it can be sent to another process, or be stored, and is a tape again.

Its columns and values go as they are, but for the rows: what is pickled is their names in the table. So a tape with a
row that is not in the table, that of a derivative of the user's own, cannot be pickled; nor can one that holds a
function in its parameters, as that of an integral does, or numbers of an outer differentiation, which ends.

>>> import pickle
>>> from autodiff import record
>>> tape, out = record(lambda x, y: x * y, [2.0, 3.0])
>>> again = pickle.loads(pickle.dumps(tape))
>>> print(again)
line  variable  expression  value
----  --------  ----------  -----
   0  x         input       2
   1  y         input       3
   2  v2        x * y       6
>>> again.run([5.0, 7.0])
35.0
"""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

from dualnumbers.rules import families
from dualnumbers.table import TABLE, Row
from dualnumbers.table.registry import MAKERS

from .program import Program
from .wengert import Tape

LEFT_OUT = ("captured", "level", "rows")
"""What does not go as it is: a tape that was pickled holds no array of a caller's, and its differentiation is over."""

COLUMNS = tuple(name for name in (*Program.__slots__, *Tape.__slots__) if name not in LEFT_OUT)


def state_of(tape: Tape) -> dict[str, Any]:
    """Return a tape as a dict of plain data; TypeError where that cannot be."""
    tape.check_captured()
    try:
        pickle.dumps(tape.static)
    except Exception as error:  # whatever a parameter raises
        raise _unpicklable("a recording with a function among its parameters") from error
    state = {name: getattr(tape, name) for name in COLUMNS}
    return state | {"pulls": {}, "rows": list(map(_origin, tape.rows)), "values": list(tape.values)}


def restored(state: dict[str, Any]) -> Tape:
    """Return the tape of plain data."""
    tape = Tape()
    for name, column in state.items():
        setattr(tape, name, column)
    tape.rows = list(map(_row_of, state["rows"]))
    tape.level.ended = True
    return tape


def _origin(row: Row | None) -> Any:
    """Return the name of a row in the table, or how its family makes it."""
    if row is None:
        return None
    known, maker = TABLE.get(row.name), MAKERS.get(row.name)
    if known is None or known.row is not row or (maker and "<locals>" in maker[1]):
        raise _unpicklable(f"a recording of {row.shown}, which has a derivative of its own,")
    return maker or row.name


OF_SCIPY = "dualnumbers.rules.of_scipy", "autodiff.scipy.integrate"
"""Where rows are that none of the families has."""


def _row_of(origin: Any) -> Row | None:
    if origin is None:
        return None
    if isinstance(origin, str):
        if origin not in TABLE:
            families()
        for module in OF_SCIPY:
            if origin not in TABLE:
                import_module(module)
        function = TABLE[origin]
    else:
        module, name, which = origin
        function = getattr(import_module(module), name)(*which)
    row: Row = function.row
    return row


def _unpicklable(what: str) -> TypeError:
    return TypeError(f"{what} cannot be pickled: pickle the function and its arguments, and differentiate there")
