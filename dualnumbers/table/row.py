"""A row of the table, one function of mathematics; and its faces, the ways in which it is evaluated.

A row is pure data: a name, one of the five kinds for each operand, the names of fixed parameters. Python's own function
decides how ``dmath.log(0.0)`` fails, NumPy's how ``np.log(0.0)`` does: these are two faces of one row, and share its
derivative. Of a Python float the one gives a Python float, the other what NumPy gives, ``np.float64``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np

from ..forms import PYTHON, dtype_of, shape
from ..several import each, parts, plus
from .dispatch import Lifts
from .kinds import Active, Constant, Elementwise, ElementwiseOfSeveral, Kind, Linear, Multilinear, Smooth, Times
from .partials import as_numpy_float, in_precision, of_floats
from .registry import TABLE


class Face:
    """One way in which a row is evaluated."""

    __slots__ = ("evaluate", "lifts", "plain", "row", "scalar", "unreal")
    evaluate: Callable[..., Any]
    """The function of operands of any kind."""

    def __init__(self, row: Row, scalar: Any = None, plain: Any = None, unreal: Any = None) -> None:
        self.row = row
        self.scalar, self.plain = scalar, plain
        """An elementwise function of Python numbers; the function of plain arrays."""
        self.unreal = unreal
        """The function of complex arguments, where it is not holomorphic."""
        self.lifts = Lifts(self)


def _are_inexact(z: Any) -> Sequence[bool]:
    return [dtype_of(x).kind in "fc" for x in z]


class Row:
    """One row of the table: a function of operands, each of a kind, and of fixed parameters.

    A row of ``any_number`` of operands has one kind for all of them. One that ``selects`` has the derivative 0 only by
    what it did not choose, as `maximum` has, or the value 0 on whole intervals, as `floor` has: such a zero stays 0
    against an infinite slope.
    """

    __slots__ = ("add", "adjoints", "any_number", "arguments", "arity", "batched", "call", "carried", "core", "domain",
                 "inline", "inline_of_floats", "is_constant", "is_elementwise", "is_linear", "joint", "kinds", "name",
                 "numpy", "of_matrix", "parameters", "partials", "put", "python", "selects", "several", "shown",
                 "singular", "solves", "statics")  # fmt: skip

    name: str
    arguments: tuple[Kind, ...]
    parameters: tuple[str, ...]
    """The names of the fixed parameters behind the operands."""
    call: Callable[..., tuple[Any, ...]] | None
    """The function that takes what a user may pass, and returns operands and parameters."""
    any_number: bool
    several: bool
    """Whether its value may be of several results: a tuple, as are then its tangent and its adjoint."""
    carried: Callable[[Any], Sequence[bool]]
    """Which of several results carry a derivative, given their values; the others have the tangent None."""
    joint: Callable[..., Sequence[Any]] | None
    """``joint(z̄, z, *operands, *parameters)``: the adjoints of all operands at once, None for none; they share work."""
    domain: Any
    singular: bool
    """True where a partial may be infinite inside the domain."""
    selects: bool
    solves: bool
    """Whether its value z is the solution of an equation that is linear in z and in each operand, as A z = b is."""
    of_matrix: bool
    """Whether it is a function of a square matrix that is given by a power series, as expm is."""
    shown: str
    """What listings and messages call the function."""
    batched: Callable[..., Any] | None
    """How it does all members of a batch at once, as `table.batching` says; None: one after the other."""
    core: str | Callable[..., str]
    """Which axes of its operands and results it has whole, as NumPy writes it of a generalised ufunc, ``(i,j)->(i)``,
    or what says so of the operands: so it is evaluated at arrays of Dask where Dask cannot. Else ""."""
    put: Callable[..., Any] | None
    """The way back through a view: ``put(x, v, *static)`` is ``x`` with ``v`` in the place that the view showed."""
    python: Face
    numpy: Face
    statics: int
    """The number of fixed parameters."""
    arity: int
    """The number of operands; −1 where it is any."""
    kinds: tuple[type[Kind], ...]
    """The kinds of the operands through which a derivative passes, each once."""
    partials: tuple[Any, ...]
    """The partials of an elementwise row; those of several results by one operand are a tuple."""
    add: Callable[[Any, Any], Any]
    """The sum of two of its tangents."""
    is_constant: bool
    is_elementwise: bool
    is_linear: bool
    adjoints: tuple[Callable[..., Any], Callable[..., Any]] | None
    """Both adjoint maps of a product, a row that is multilinear in two operands; else None."""
    inline: tuple[Any, Any] | None
    """Both partials of a row that is elementwise in two operands, (partial, None) of one; else None, as of several
    results. The hot paths write such a row out."""
    inline_of_floats: Any
    """The same for operands that are Python's floats, as `partials.of_floats` makes them of a row of the table."""

    def __init__(self, name: str, arguments: tuple[Kind, ...], parameters: tuple[str, ...] = (),
                 call: Callable[..., tuple[Any, ...]] | None = None, any_number: bool = False, *,
                 several: bool = False, carried: Callable[[Any], Sequence[bool]] = _are_inexact,
                 joint: Callable[..., Sequence[Any]] | None = None, domain: Any = None, singular: bool = False,
                 selects: bool = False, solves: bool = False, of_matrix: bool = False, shown: str = "",
                 batched: Callable[..., Any] | None = None, core: str | Callable[..., str] = "",
                 put: Callable[..., Any] | None = None) -> None:  # fmt: skip
        if joint is not None:
            arguments = tuple(_pulled_by(joint, *numbered) for numbered in enumerate(arguments))
        self.name, self.arguments, self.parameters, self.call = name, arguments, parameters, call
        self.any_number, self.several, self.carried, self.joint = any_number, several, carried, joint
        self.domain, self.singular, self.selects = domain, singular, selects
        self.solves, self.of_matrix, self.shown, self.batched, self.put = solves, of_matrix, shown or name, batched, put
        self.core = core
        self.statics, self.add = len(parameters), plus if several else operator.add
        self.arity = -1 if any_number else len(arguments)
        types: dict[type[Kind], None] = dict.fromkeys(map(type, arguments))
        self.kinds = tuple([kind for kind in types if kind.passes])
        self.is_constant, self.is_linear = not self.kinds, self.kinds == (Linear,)
        self.is_elementwise = len(types) == 1 and (Elementwise in types or ElementwiseOfSeveral in types)
        self.partials = tuple([kind.partial for kind in arguments if isinstance(kind, Elementwise)])
        inline = self.is_elementwise and self.arity <= 2 and not several
        self.inline = (*self.partials, None)[:2] if inline else None
        factors = [kind.adjoint for kind in arguments if isinstance(kind, Multilinear)]
        self.adjoints = (factors[0], factors[1]) if len(factors) == self.arity == 2 and joint is None else None

    def __getattr__(self, name: str) -> Any:
        """Fill the one slot that waits until all functions that the partials are written in are there."""
        if name != "inline_of_floats":
            raise AttributeError(f"a Row has no attribute {name!r}")
        partials = self.inline
        if partials is not None and is_of_table(self):
            partials = of_floats(partials[0]), of_floats(partials[1])
        self.inline_of_floats = partials
        return partials

    @property
    def evaluate(self) -> Callable[..., Any]:
        """The function of operands of any kind."""
        return self.python.evaluate

    def face_of(self, z: Any) -> Face:
        """Return the face that gave a value: ufuncs give none of Python's numbers, ``np.where`` arrays only."""
        kind = type(parts(z)[0])
        of_arrays = self.python.scalar is None
        return self.python if kind in PYTHON or kind is bool or (of_arrays and kind is not np.ndarray) else self.numpy

    def argument(self, place: int) -> Any:
        """Return the kind of the operand at a place."""
        return self.arguments[0 if self.any_number else place]

    def passes(self, place: int) -> bool:
        """Return whether a derivative passes from the operand at a place."""
        return self.arguments[0 if self.any_number else place].passes

    def push(self, z: Any, xs: Any, active: Active, static: tuple[Any, ...] = (), times: Times = None) -> Any:
        """Return the tangent of ``z = row(*xs, *static)``, given those of some operands, [(place, tangent)]."""
        if not self.is_elementwise:
            active = [(k, as_numpy_float(t, xs[k])) for k, t in active]
        tangent = None
        for kind in self.kinds:
            of_kind = active if len(self.kinds) == 1 else [(k, t) for k, t in active if type(self.argument(k)) is kind]
            if of_kind:
                term = kind.push(self, z, xs, of_kind, static, times)
                tangent = term if tangent is None else self.add(tangent, term)
        if self.several and (tangent is None or type(tangent) is tuple):
            return each(_in_space, tangent, z)
        return tangent if shape(tangent) == shape(z) else _in_space(tangent, z)

    def pull(self, place: int, g: Any, z: Any, xs: Any, static: tuple[Any, ...] = (), times: Times = None) -> Any:
        """Return the adjoint of the operand at a place, given that of the output; None where it has no derivative."""
        return self.arguments[0 if self.any_number else place].pull(self, place, g, z, xs, static, times)

    def described(self) -> str:
        """Name its kinds, those through which a derivative passes: "smooth and linear" of solve."""
        return " and ".join(kind.name for kind in self.kinds) or Constant.name

    def __repr__(self) -> str:
        return f"<row {self.name}: {self.described()}>"


def _pulled_by(joint: Callable[..., Sequence[Any]], place: int, kind: Any) -> Kind:
    """Return a kind whose pull-back is that of all operands, if it has none of its own."""
    if not isinstance(kind, Smooth) or kind.by_pull is not None:
        return cast(Kind, kind)
    return Smooth(kind.by_push, lambda *arguments: joint(*arguments)[place])


def _in_space(tangent: Any, z: Any) -> Any:
    """Return the tangent of ``z``, which may be broadcast; None where an item has none."""
    if tangent is None or shape(tangent) == shape(z):
        return tangent
    return in_precision(TABLE["broadcast_to"](tangent, shape(z)), z)


class TableFunction(Protocol):
    """A function of values of any kind, with its row."""

    row: Row
    face: Face

    def __call__(self, *arguments: Any) -> Any: ...


def is_of_table(row: Row) -> bool:
    """Return whether a row is of the table: not one of a user's, nor of an integral or a solver."""
    known = TABLE.get(row.name)
    return known is not None and known.row is row


def own_row(name: str, arguments: tuple[Kind, ...], *given: Any, **fields: Any) -> Row:
    """Make a row that is not of the table, as of a user's function, which may have a name of the table's.

    A row of the table is known by its name: the compiler leaves out a division by 1, listings write an infix. So this
    one has a name that is none of these, and is shown by the function's.
    """
    unlike = name
    while unlike in TABLE:
        unlike += "_"
    return Row(unlike, arguments, *given, shown=name, **fields)
