"""Jacobians: of a recorded function by rows or by columns, whichever are fewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..calls.auxiliary import beside
from ..calls.directions import checked, is_small, total_size
from ..calls.places import Which, by_position, distinct
from ..calls.structures import flatten
from ..calls.values import name_of
from ..derived import derived, with_parameters_of
from ..forward import value_and_columns
from ..linearization import Recording
from ..recorded import columns, of_one_array, rows
from ..reverse import value_and_rows
from ..runs import partials
from ..seeding import joined
from ..sparse.jacobians import check_sparse, dense_by_colours, value_and_sparse_jacobian
from ..sparse.sparsity import Sparsity

FORWARD = 3
"""Of so many numbers at most the directions are pushed forward as f runs: to record it would take longer."""

BY_MODE = {"forward": value_and_columns, "reverse": value_and_rows}


@derived
def jacobian(f: Callable[..., Any], argnums: Which = 0, mode: str = "auto", sparse: bool | Sparsity = False, *,
             chunk_size: int | None = None, has_aux: bool = False) -> Callable[..., Any]:  # fmt: skip
    """Return the Jacobian of ``f`` as a function of its arguments; shape output shape + argument shape.

    ``mode="auto"`` records f once and, with ``m`` outputs and ``n`` inputs, sweeps m adjoints back together if m < n or
    m = 1, else pushes n tangents forward. Those of an array of up to three numbers go forward as f runs, and it is
    recorded, by a second run, only where one is NaN. Where m n is large and the pattern of the Jacobian thin, the same
    array is found by the colours of that, and checked along a random direction. ``"forward"`` and ``"reverse"`` choose.
    ``chunk_size`` of them go at a time, by default as many as fit into a small memory. Structure, ``argnums`` and
    ``has_aux`` as `autodiff.forward.jacfwd`'s.

    With ``sparse`` it is a ``csr_array`` of SciPy, all elements of an output by all of an argument, each in the order
    C, found by as few tangents, or adjoints, as its pattern needs (`autodiff.sparsity`), which go all together
    as far as memory allows, or ``chunk_size`` at a time.
    ``True`` finds the pattern at the first call, and again where f is another program; a `Sparsity` is taken as it is,
    and ValueError raised where a random directional derivative shows that it does not hold.

    Raises what `autodiff.forward.jacfwd` does, ValueError for another ``mode``, and with ``sparse`` what
    `autodiff.sparsity` does.

    >>> import numpy as np
    >>> jacobian(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    both = _both(f, argnums, mode, sparse, chunk_size, has_aux)

    @with_parameters_of(f)
    def jacobian_of_f(*args: Any, **keywords: Any) -> Any:
        value, partials = both(*args, **keywords)
        return (partials, value[1]) if has_aux else partials

    return jacobian_of_f


@derived
def value_and_jacobian(f: Callable[..., Any], argnums: Which = 0, mode: str = "auto",
                       sparse: bool | Sparsity = False, *, chunk_size: int | None = None,
                       has_aux: bool = False) -> Callable[..., Any]:  # fmt: skip
    """Return ``(value, Jacobian)`` of ``f`` as a function of its arguments: the value costs nothing more.

    The arguments are those of `jacobian`, and so is what is raised. With ``has_aux``, f returns ``(value, auxiliary)``
    and the result is ``((value, auxiliary), Jacobian)``.

    >>> import numpy as np
    >>> value, slopes = value_and_jacobian(lambda x: x**2)(np.array([1.0, 2.0]))
    >>> slopes
    array([[2., 0.],
           [0., 4.]])
    """
    both = _both(f, argnums, mode, sparse, chunk_size, has_aux)

    @with_parameters_of(f)
    def value_and_jacobian_of_f(*args: Any, **keywords: Any) -> Any:
        return both(*args, **keywords)

    return value_and_jacobian_of_f


def _both(
    f: Callable[..., Any], argnums: Which, mode: str, sparse: bool | Sparsity, chunk_size: int | None, has_aux: bool
) -> Callable[..., tuple[Any, Any]]:
    """Return the function of the value and the Jacobian; raise for a wrong option."""
    if mode not in ("auto", *BY_MODE):
        raise ValueError(f"mode is one of {', '.join(map(repr, ('auto', *BY_MODE)))}; got {mode!r}")
    checked(chunk_size)
    check_sparse(sparse)
    if sparse:
        return value_and_sparse_jacobian(f, argnums, mode, sparse, chunk_size, has_aux)
    return BY_MODE.get(mode, _by_fewer)(f, argnums, chunk_size, has_aux)


def _by_fewer(
    f: Callable[..., Any], argnums: Which, chunk_size: int | None, has_aux: bool
) -> Callable[..., tuple[Any, Any]]:
    """Return the function of the value and the Jacobian, by rows or by columns."""

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        indices = distinct(argnums, found)
        if chunk_size is None and is_small([given[k] for k in indices], FORWARD):
            value, by_each = partials(main, given, indices, lambda out: joined(out, f))
            return with_rest(value), tuple(by_each) if isinstance(argnums, tuple) else by_each[0]
        recording = Recording(main, given, indices)
        found_at_once = of_one_array(recording) if chunk_size is None else None
        if found_at_once is None and chunk_size is None:
            found_at_once = dense_by_colours(recording, f)
        if found_at_once is not None:
            value, by_each = found_at_once
        elif total_size(flatten(recording.out)[0]) >= max(total_size(recording.leaves), 2):
            value, by_each = columns(recording, f, joined(recording.out, f), chunk_size)
        else:
            value, by_each = rows(recording, f, chunk_size)
        return with_rest(value), tuple(by_each) if isinstance(argnums, tuple) else by_each[0]

    return both
