"""Hessians of scalar functions, forward over reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, is_unreal, shape, size, zeros_like
from dualnumbers.levels import Level, has_nan, level_of
from dualnumbers.memory import unsigned_zeros
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchArray, of_units
from dualnumbers.numbers.dual import make
from dualnumbers.numbers.pushforward import paired
from dualnumbers.numbers.weighted import DOUBLE
from dualnumbers.rules.indexing import getitem, scatter
from dualnumbers.rules.linalg.undetermined import Unadapted
from dualnumbers.rules.shaping import concatenate, reshape
from dualnumbers.table.partials import as_given

from ..calls.auxiliary import beside
from ..calls.directions import Columns, Directions, checked, go_at_once, holomorphic, largest, seeds_by_line
from ..calls.places import Which, by_position, distinct
from ..calls.structures import flatten
from ..calls.values import name_of, own, real_output
from ..calls.watching import in_doubt, watching
from ..derived import derived, with_parameters_of
from ..forward import jacfwd, jvp
from ..linearization import Recording
from ..reverse import grad
from ..sparse.jacobians import check_sparse, hessian_by_colours, value_grad_and_sparse_hessian
from ..sparse.sparsity import Sparsity
from ..tape.curvature import with_tangents
from ..tape.keeping import count_read
from ..tape.sweep import adjoints
from ..tape.tangents import tangents


@derived
def hessian(f: Callable[..., Any], argnums: Which = 0, sparse: bool | Sparsity = False, *,
            chunk_size: int | None = None, has_aux: bool = False) -> Callable[..., Any]:  # fmt: skip
    """Return the Hessian of a scalar ``f``, forward over reverse: argument + argument shape, in their structures.

    f is recorded once. Tangents of its arguments, of many directions at a time, are pushed through the tape; a sweep
    over the lines with their tangents gives those of the gradient. Where that is NaN, the gradient is recorded, so that
    zeros which meet infinite slopes are told apart; where a rule needs to know the direction, they go one by one.
    ``chunk_size`` and ``has_aux`` as `jacobian`'s.

    With ``sparse`` it is a ``csr_array`` of SciPy, as `jacobian`'s; its pattern is that of the gradient,
    ``sparsity(grad(f), x)``, and its transpose together.

    Raises TypeError where f returns an array or a complex number, and what `jacobian` does for wrong options.

    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    all_three = _all_three(f, argnums, sparse, chunk_size, has_aux, whole=False)

    @with_parameters_of(f)
    def hessian_of_f(*args: Any, **keywords: Any) -> Any:
        value, _, partials = all_three(*args, **keywords)
        return (partials, value[1]) if has_aux else partials

    return hessian_of_f


@derived
def value_grad_and_hessian(f: Callable[..., Any], argnums: Which = 0, sparse: bool | Sparsity = False, *,
                           chunk_size: int | None = None, has_aux: bool = False) -> Callable[..., Any]:  # fmt: skip
    """Return ``(value, gradient, Hessian)`` of a scalar ``f`` as a function of its arguments, by one recording.

    The arguments are those of `hessian`, and so is what is raised. With ``has_aux``, f returns ``(value, auxiliary)``
    and the result is ``((value, auxiliary), gradient, Hessian)``.

    >>> value, slope, curvature = value_grad_and_hessian(lambda x: x**3)(2.0)
    >>> value, slope, curvature
    (8.0, 12.0, 12.0)
    """
    return with_parameters_of(f)(_all_three(f, argnums, sparse, chunk_size, has_aux, whole=True))


def _all_three(
    f: Callable[..., Any], argnums: Which, sparse: bool | Sparsity, chunk_size: int | None, has_aux: bool, whole: bool
) -> Callable[..., Any]:
    """Return the function of the value, the gradient and the Hessian; the gradient may lack where not ``whole``."""
    checked(chunk_size)
    check_sparse(sparse)
    if sparse:
        return value_grad_and_sparse_hessian(f, argnums, sparse, chunk_size, has_aux)

    def all_three(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        indices = tuple(distinct(argnums, found))
        coloured = hessian_by_colours(f, main, given, indices[0]) if chunk_size is None and len(indices) == 1 else None
        if coloured is not None:
            value, slopes, (partials,) = coloured
            both = (slopes, (partials,)) if isinstance(argnums, tuple) else (slopes[0], partials[0])
            return with_rest(value), *both
        recording = Recording(main, given, indices)
        out = real_output(recording.out, f)
        value = recording.value(out)
        result = with_rest(value)
        try:
            gradient, partials = _hessian(recording, out, chunk_size, whole)
        except Unadapted:
            partials = None
        if partials is None or _are_in_doubt(partials):
            gradient = recording.pull((out,), (zeros_like(value) + 1,)) if whole else recording.leaves
            partials = jacfwd(grad(main, indices), indices, chunk_size=chunk_size)(*given)
        of_arguments = recording.call.structured(gradient)
        if isinstance(argnums, tuple):
            return result, tuple(of_arguments), tuple(map(tuple, partials))
        return result, of_arguments[0], partials[0][0]

    return all_three


def _are_in_doubt(partials: list[Any]) -> bool:
    """Return whether any of the partials is to be found again."""
    if len(partials) == 1 and type(partials[0][0]) is np.ndarray:  # as most are
        return in_doubt(partials[0][0])
    return any(map(in_doubt, flatten(partials)[0]))


def _hessian(recording: Recording, out: Any, chunk_size: int | None, whole: bool) -> tuple[list[Any], list[Any]]:
    """Return the gradients by all leaves, and the partials by each argument of the list of those.

    Where not ``whole`` the gradients themselves may lack.
    """
    elements = largest(recording.tape.values)
    if chunk_size is None and go_at_once(recording.leaves, elements):
        found_at_once = _of_one_array(recording, out, whole)
        if found_at_once is not None:
            return found_at_once
    directions = Directions(recording.leaves, chunk_size, elements)
    found = [Columns(directions, x) for x in recording.leaves]
    gradient: list[Any] = []
    for chosen in directions.chunks():
        pushed = pushed_gradient(recording, out, directions.seeds(chosen), whole)
        gradient = gradient or recording.partials([g for g, _ in pushed], set())
        for filled, (_, tangent) in zip(found, pushed, strict=True):
            filled.fill(chosen, tangent)
    by_leaf = [filled.partials(holomorphic) for filled in found]
    return gradient, recording.call.jacobians(by_leaf, recording.call.structured)


def _of_one_array(recording: Recording, out: Any, whole: bool) -> tuple[list[Any], list[Any]] | None:
    """Do what `_hessian` does for one small array, without chunks; None where the tangents are no plain arrays."""
    (x,), low = recording.leaves, Level()
    ((gradient, tangent),) = pushed_gradient(recording, out, [of_units(x.size, x.shape, low)], whole)
    if type(tangent) is BatchArray and tangent.level is low:
        columns = tangent.data
    elif x.size == 1 and type(tangent) is np.ndarray:
        columns = tangent[None]
    else:
        plain = tangent is None or type(tangent) is np.ndarray
        columns = np.broadcast_to(0.0 if tangent is None else tangent, (x.size, *x.shape)) if plain else None
    if type(columns) is not np.ndarray or columns.dtype is not DOUBLE:
        return None
    found = unsigned_zeros(columns.transpose(*range(1, columns.ndim), 0)).reshape(x.shape * 2)
    return recording.partials([gradient], set()), recording.call.jacobians([[found]], recording.call.structured)


def pushed_gradient(recording: Recording, out: Any, seeds: list[Any], whole: bool = True) -> list[tuple[Any, Any]]:
    """Return the gradients by all leaves with their tangents, given those of the leaves; None for none.

    Tangents are pushed through the tape, and adjoints swept back through its lines with their tangents. Where they are
    not asked for as a ``whole``, the gradients themselves may lack.
    """
    tape, level = recording.tape, Level()
    level.quiet = True
    if not recording.holds(out):
        return [(None, None)] * len(seeds)
    with np.errstate(all="ignore"):
        pushed = tangents(tape, seeds_by_line(tape.inputs, seeds), range(count_read(tape, out.line)))
        found = None if watching() else with_tangents(tape, pushed, out.line, whole)
    if found is not None and not any(has_nan(part) for sides in found for part in sides):
        return found
    values = [paired(make, x, pushed[line], level) if line in pushed else x for line, x in enumerate(tape.values)]
    gradients = adjoints(tape.at(values), {out.line: zeros_like(tape.values[out.line]) + 1})
    return [(g.primal, g.tangent) if level_of(g) is level else (g, None) for g in gradients]


@derived
def hessian_diagonal(
    f: Callable[..., Any], argnum: Which = 0, *, chunk_size: int | None = None, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the diagonal ∂²f/∂xᵢ² of the Hessian of a scalar ``f``, in the structure and shapes of the argument.

    The Hessian itself is never there as a whole: f is recorded once, and ``chunk_size`` directions go at a time, by
    default as many as fit into a small memory. With ``has_aux``, f returns ``(value, auxiliary)`` and the result is
    ``(diagonal, auxiliary)``. Raises TypeError for a complex argument, and where f returns an array or a complex
    number.

    >>> hessian_diagonal(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([ 6., 12.])
    """
    checked(chunk_size)

    @with_parameters_of(f)
    def diagonal_of_f(*args: Any, **keywords: Any) -> Any:
        function, given, found = by_position(f, argnum, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        recording = Recording(main, given, distinct(argnum, found))
        if any(map(is_unreal, recording.leaves)):
            raise TypeError(f"hessian_diagonal is by real numbers; the argument is complex{user_line()}")
        out = real_output(recording.out, f)
        try:
            whole = _diagonal(recording, out, chunk_size)
        except Unadapted:
            whole = None
        if whole is None or in_doubt(whole):
            whole = _one_by_one(main, given, found[0], recording)
        starts = np.cumsum([0, *map(size, recording.leaves)]).tolist()
        parts = [
            as_given(reshape(getitem(whole, slice(start, start + size(x))), shape(x), "C"), x)
            for x, start in zip(recording.leaves, starts, strict=False)
        ]
        diagonals = recording.call.structured(map(own, parts))
        return with_rest(tuple(diagonals) if isinstance(argnum, tuple) else diagonals[0])

    return diagonal_of_f


def _diagonal(recording: Recording, out: Any, chunk_size: int | None) -> Any:
    """Return the diagonal as one vector."""
    directions = Directions(recording.leaves, chunk_size, largest(recording.tape.values))
    pieces: list[Any] = []
    for chosen in directions.chunks():
        pushed = pushed_gradient(recording, out, directions.seeds(chosen))
        for k, (x, (_, tangent)) in enumerate(zip(recording.leaves, pushed, strict=True)):
            ours, start = directions.overlap(k, chosen), directions.starts[k]
            if not ours:
                continue
            if tangent is None:
                pieces.append(np.zeros(len(ours), dtype_of(x)))
                continue
            rows = reshape(directions.along(chosen, tangent, shape(x)), (len(chosen), size(x)), "C")
            places = np.arange(ours.start, ours.stop)
            pieces.append(getitem(rows, (places - chosen.start, places - start)))
    return concatenate(*pieces, 0) if pieces else np.zeros(0)


def _one_by_one(f: Callable[..., Any], given: list[Any], index: int, recording: Recording) -> Any:
    """Return the diagonal by one direction after the other."""
    gradient, pieces = grad(f, index), [np.zeros(0)]
    for k, x in enumerate(recording.leaves):
        for place in np.ndindex(shape(x)):
            units = [zeros_like(leaf) for leaf in recording.leaves]
            units[k] = units[k] + scatter(1.0, shape(x), place)
            (along,) = recording.call.structured(units)
            pushed = jvp(lambda y: gradient(*given[:index], y, *given[index + 1 :]), [given[index]], [along])[1]
            pieces.append(reshape(getitem(flatten(pushed)[0][k], place), -1, "C"))
    return concatenate(*pieces, 0)
