"""Sparse Jacobians and Hessians: the pattern is found once, and again where the function is another program."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, ClassVar, TypeAlias
from weakref import WeakKeyDictionary

from dualnumbers.messages.errors import user_line

from ..calls.auxiliary import Main, beside
from ..calls.places import Which, by_position, distinct
from ..calls.values import described, name_of
from ..derived import with_parameters_of
from ..linearization import Recording
from ..reverse import value_and_grad
from ..tape.sources import SourcedTape
from .evaluation import Recorded
from .pattern import Found, pattern_of
from .programs import Outline
from .sparsity import Sparsity

Function: TypeAlias = Callable[..., Any]

MOST = 16
"""The patterns of how many programs are kept for one function, those that were found last."""


class Programs:
    """The programs that a function was found to be, each with its sparsity; for all threads."""

    _of: ClassVar[WeakKeyDictionary[Any, Programs]] = WeakKeyDictionary()
    _lock = Lock()

    def __init__(self) -> None:
        self.known: list[tuple[Outline, Sparsity]] = []

    @classmethod
    def of(cls, f: Function) -> Programs:
        """Return those of a function object; those of no other where it cannot be a key of a dictionary."""
        with cls._lock:
            try:
                return cls._of.setdefault(f, cls())
            except TypeError:
                return cls()

    def sparsity(self, recorded: Recorded) -> Sparsity:
        """Return the sparsity of a recording, known from an earlier one of the same program or found now."""
        tape, lines = recorded.tape, recorded.lines
        for outline, sparsity in self.known:
            if outline.fits(tape, lines):
                return sparsity
        found = pattern_of(tape, lines, recorded.heights)
        sparsity = Sparsity(found.pattern)
        with self._lock:
            self.known = [(Outline(tape, lines, found.reasons), sparsity), *self.known[: MOST - 1]]
        return sparsity


def sparsity(f: Function, *args: Any, argnums: Which = 0, **keywords: Any) -> Sparsity:
    """Return which elements of the Jacobian of ``f(*args, **keywords)`` by ``argnums`` may be other than 0.

    It is found from what f computes, not from values, and may be too dense, where its ``dense`` says so, but not too
    sparse; of a Hessian it is ``sparsity(grad(f), x)``. It holds as long as f is the same program: at other values an
    ``if`` or an order may change it.
    """
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
        said.append(f"{row.name if row else 'input'} of {', '.join(map(str, shapes))}"
                    f"{f' at {source.where}: {source.text}' if source else ''}")  # fmt: skip
    return said


def check_sparse(sparse: Any) -> None:
    """Raise TypeError where ``sparse=`` is neither a truth value nor a `Sparsity`."""
    if not isinstance(sparse, (bool, Sparsity)):
        raise TypeError(f"sparse is True, False or what autodiff.sparsity(f, x) returns; got {described(sparse)}: of a "
                        f"pattern that you know write autodiff.Sparsity(pattern){user_line()}")  # fmt: skip


def value_and_sparse_jacobian(f: Function, argnums: Which, mode: str, sparse: bool | Sparsity,
                              has_aux: bool) -> Function:  # fmt: skip
    """Return the value and the Jacobian of ``f`` as a function of its arguments that gives CSR arrays."""
    programs = Programs.of(f)

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        recorded = Recorded(Recording(main, given, distinct(argnums, found)), f)
        known = programs.sparsity(recorded) if sparse is True else _fitting(sparse, recorded)
        partials = recorded.cut(recorded.matrix(known, known.compression(mode), sparse is not True))
        value = with_rest(recorded.rebuild(recorded.values))
        return value, tuple(partials) if isinstance(argnums, tuple) else partials[0]

    return both


def value_grad_and_sparse_hessian(f: Function, argnums: Which, sparse: bool | Sparsity, has_aux: bool) -> Function:
    """Return the value, gradient and Hessian of ``f`` as a function of its arguments that gives CSR arrays.

    The gradient is recorded; what is pushed through its tape has the colours of a star colouring.
    """
    programs = Programs.of(f)

    @with_parameters_of(f)
    def all_three(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        indices = tuple(distinct(argnums, found))
        gradient = Main(_swapped(value_and_grad(main, indices)), name_of(f))
        recorded = Recorded(Recording(gradient, given, indices), f)
        known = programs.sparsity(recorded) if sparse is True else _fitting(sparse, recorded)
        known = known.symmetrised
        partials = recorded.cut(recorded.matrix(known, known.by_star, sparse is not True))
        result, slopes = with_rest(gradient.rest()), recorded.rebuild(recorded.values)
        if not isinstance(argnums, tuple):
            return result, slopes[0], partials[0][0]
        return result, slopes, tuple(zip(*partials, strict=True))

    return all_three


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
