"""Sparse Jacobians and Hessians: the pattern is found once, and again where the function is another program."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, ClassVar, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import has_nan, is_noted
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.indexing import scatter
from dualnumbers.rules.shaping import reshape

from ..calls.auxiliary import Main, beside
from ..calls.given import described, no_function
from ..calls.places import Which, by_position, distinct
from ..calls.values import name_of
from ..derived import with_parameters_of
from ..linearization import Recording
from ..reverse import value_and_grad
from ..tape.sources import SourcedTape
from .evaluation import Recorded
from .pattern import Found, NotSparseError, pattern_of
from .programs import Outline
from .sparsity import Sparsity

Function: TypeAlias = Callable[..., Any]

LARGE = 1 << 19
"""From so many elements on a dense Jacobian may be found by the colours of its pattern: of fewer that takes longer."""

THIN = 16
"""It is found so where at most a part 1 / `THIN` of its elements may not be 0, and that of its directions suffices."""

MOST_PROGRAMS = 16
"""The patterns of how many programs are kept for one function, those that were found last."""


class Programs:
    """The programs that a function was found to be, each with its sparsity; for all threads."""

    _of: ClassVar[WeakKeyDictionary[Any, Programs]] = WeakKeyDictionary()
    _lock = Lock()

    def __init__(self) -> None:
        self.known: list[tuple[Outline, Sparsity]] = []
        self.coarse: list[tuple[Outline, Sparsity]] = []
        """Those found with little effort, for a dense Jacobian: these may be too dense."""
        self.full: list[Outline] = []
        """The programs whose Jacobians are not `thin`."""

    @classmethod
    def of(cls, f: Function) -> Programs:
        """Return those of a function object; those of no other where it cannot be a key of a dictionary."""
        with cls._lock:
            try:
                return cls._of.setdefault(f, cls())
            except TypeError:
                return cls()

    def sparsity(self, recorded: Recorded, most: int | None = None) -> Sparsity:
        """Return the sparsity of a recording, known from an earlier one of the same program or found now.

        It is found with little effort where it may have ``most`` elements only; NotSparseError where it has more.
        """
        tape, lines = recorded.tape, recorded.lines
        for outline, sparsity in self.known if most is None else [*self.known, *self.coarse]:
            if outline.fits(tape, lines):
                return sparsity
        found = pattern_of(tape, lines, recorded.heights, *([] if most is None else [most]))
        sparsity = Sparsity(found.pattern)
        new = Outline(tape, lines, found.reasons), sparsity
        with self._lock:
            if most is None:
                self.known = [new, *self.known[: MOST_PROGRAMS - 1]]
            else:
                self.coarse = [new, *self.coarse[: MOST_PROGRAMS - 1]]
        return sparsity

    def thin(self, recorded: Recorded) -> Sparsity | None:
        """Return the sparsity of a recording whose dense Jacobian is found faster by colours; None of any other."""
        tape, lines = recorded.tape, recorded.lines
        elements = sum(recorded.heights) * sum(recorded.widths)
        if any(outline.fits(tape, lines) for outline in self.full):
            return None
        try:
            found = self.sparsity(recorded, elements // THIN)
        except NotSparseError as error:
            reasons = error.reasons
        else:
            if found.compression().directions * THIN <= min(found.shape):
                return found
            reasons = []
        with self._lock:
            self.full = [Outline(tape, lines, reasons), *self.full[: MOST_PROGRAMS - 1]]
        return None


def sparsity(f: Function, *args: Any, argnums: Which = 0, **keywords: Any) -> Sparsity:
    """Return which elements of the Jacobian of ``f(*args, **keywords)`` by ``argnums`` may be other than 0.

    It is found from what f computes, not from values, and may be too dense, where its ``dense`` says so, but not too
    sparse; of a Hessian it is ``sparsity(grad(f), x)``. It holds as long as f is the same program: at other values an
    ``if`` or an order may change it. Raises ValueError where the pattern has more than 67 million elements, TypeError
    at a complex point and inside another differentiation.

    >>> import numpy as np
    >>> sparsity(lambda x: x[1:] - x[:-1], np.zeros(4)).pattern.nnz
    6
    """
    if not callable(f):
        raise no_function("sparsity(f, x)", f)
    function, given, found = by_position(f, argnums, args, keywords)
    tape = SourcedTape()
    recorded = Recorded(Recording(function, given, distinct(argnums, found), tape=tape), f)
    pattern = pattern_of(tape, recorded.lines, recorded.heights)
    return Sparsity(pattern.pattern, _described(tape, pattern))


def _described(tape: SourcedTape, found: Found) -> list[str]:
    """Say which lines were taken for dense: their rows, shapes, and the user's code."""
    said = []
    for line in found.dense:
        row, source = tape.rows[line], tape.sources[line]
        shapes = [getattr(tape.value(k), "shape", ()) for k in tape.operands(line)]
        said.append(
            f"{row.shown if row else 'input'} of {', '.join(map(str, shapes))}"
            f"{f' at {source.where}: {source.text}' if source else ''}"
        )
    return said


def check_sparse(sparse: Any) -> None:
    """Raise TypeError where ``sparse=`` is neither a truth value nor a `Sparsity`."""
    if not isinstance(sparse, (bool, Sparsity)):
        raise TypeError(
            f"sparse is True, False or what autodiff.sparsity(f, x) returns; got {described(sparse)}: of a "
            f"pattern that you know write autodiff.Sparsity(pattern){user_line()}"
        )


def value_and_sparse_jacobian(
    f: Function, argnums: Which, mode: str, sparse: bool | Sparsity, chunk_size: int | None, has_aux: bool
) -> Function:
    """Return the value and the Jacobian of ``f`` as a function of its arguments that gives CSR arrays."""
    programs = Programs.of(f)

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        recorded = Recorded(Recording(main, given, distinct(argnums, found)), f)
        known = programs.sparsity(recorded) if sparse is True else _fitting(sparse, recorded)
        partials = recorded.cut(recorded.matrix(known, known.compression(mode), sparse is not True, chunk_size))
        value = with_rest(recorded.rebuild(recorded.values))
        return value, tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return both


def dense_by_colours(recording: Recording, f: Function) -> tuple[Any, list[Any]] | None:
    """Return the value and the Jacobian of a large array by one, as an array, found by the colours of its pattern.

    None comes back where the pattern is not thin, where derivatives are not finite, and where one along a random
    direction is another: then it is to be found otherwise.
    """
    if len(recording.leaves) != 1 or not recording.holds(recording.out):
        return None
    x, z = recording.leaves[0], recording.out.primal
    if type(x) is not np.ndarray:
        return None
    if type(z) is not np.ndarray or not x.dtype == z.dtype == np.float64 or x.size * z.size < LARGE:
        return None
    try:
        recorded = Recorded(recording, f)
        known = Programs.of(f).thin(recorded)
        found = None if known is None else recorded.matrix(known, known.compression(), True)
    except (ImportError, ValueError):  # SciPy is not installed; the check failed
        return None
    if found is None or not np.all(np.isfinite(found.data)):
        return None
    dense = found.toarray().reshape(z.shape + x.shape)
    return recorded.values[0], recording.call.structured([dense])


def value_grad_and_sparse_hessian(
    f: Function, argnums: Which, sparse: bool | Sparsity, chunk_size: int | None, has_aux: bool
) -> Function:
    """Return the value, gradient and Hessian of ``f`` as a function of its arguments that gives CSR arrays.

    The gradient is recorded; what is pushed through its tape has the colours of a star colouring.
    """
    programs = Programs.of(f)

    @with_parameters_of(f)
    def all_three(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        recorded, gradient = _gradient(f, main, given, tuple(distinct(argnums, found)))
        known = programs.sparsity(recorded) if sparse is True else _fitting(sparse, recorded)
        known = known.symmetrised
        partials = recorded.cut(recorded.matrix(known, known.by_star, sparse is not True, chunk_size))
        result, slopes = with_rest(gradient.rest()), recorded.rebuild(recorded.values)
        if not isinstance(argnums, tuple):
            return result, slopes[0], partials[0][0]
        return result, slopes, tuple(zip(*partials, strict=True))

    return all_three


def _gradient(f: Function, main: Function, given: Any, indices: tuple[int, ...]) -> tuple[Recorded, Main]:
    """Record the gradient of ``main``, which is f, beside whose gradients is its value."""
    gradient = Main(_swapped(value_and_grad(main, indices)), name_of(f))
    return Recorded(Recording(gradient, given, indices), f), gradient


def hessian_by_colours(f: Function, main: Function, given: Any, place: int) -> tuple[Any, list[Any], list[Any]] | None:
    """Return value, gradient and dense Hessian by one array, where they are recorded to be run at other inputs.

    It is found by the colours of its pattern. None comes back where that is not thin, and where the Hessian has NaN.
    """
    x = given[place]
    if not is_noted(x) or type(x.primal) is not np.ndarray or x.primal.dtype != np.float64 or x.primal.size < THIN:
        return None
    try:
        recorded, gradient = _gradient(f, main, given, (place,))
        known = Programs.of(f).thin(recorded)
    except (ImportError, TypeError):  # SciPy is not installed; it gives no real number
        return None
    if known is None or known.shape[0] != known.shape[1]:
        return None
    known = known.symmetrised
    found = recorded.matrix(known, known.by_star).data
    if has_nan(found):
        return None
    dense = reshape(scatter(found, known.shape, (known.rows, known.pattern.indices)), shape(x) * 2, "C")
    partials = recorded.recording.call.jacobians([[dense]], recorded.rebuild)
    return gradient.rest(), recorded.rebuild(recorded.values), partials


def _swapped(value_and_gradient: Function) -> Function:
    """Return the function of the gradient, and beside it of the value."""
    return lambda *args: value_and_gradient(*args)[::-1]


def _fitting(sparse: Any, recorded: Recorded) -> Sparsity:
    """Return the sparsity that was given; ValueError where its shape is another."""
    found: Sparsity = sparse
    needed = sum(recorded.heights), sum(recorded.widths)
    if found.shape != needed:
        raise ValueError(f"the pattern given has shape {found.shape}, the derivative {needed}{user_line()}")
    return found
