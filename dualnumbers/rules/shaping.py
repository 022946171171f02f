"""Shapes: reshape, transpose, broadcast, join. All are linear; the adjoint puts every element back."""

from collections import UserList, deque
from functools import lru_cache

import numpy as np

from ..foreign import as_array, has_no_strides, is_foreign, reshaped, with_numbers
from ..forms import PYTHON, asked, axes_in_memory, dtype_of, flags, lies_along, shape, size, type_of
from ..levels import HELD, is_lazy, is_number, read
from ..messages.errors import no_plain_value, user_line
from ..operands import is_labelled, is_operand
from ..table import batching, composition, dispatch, linear
from .indexing import getitem, overlapping, refuse_writing

SEQUENCES = (range, memoryview, deque, UserList)
"""What NumPy makes an array of, beside lists, tuples and the arrays of the module ``array``."""

NESTED = (list, tuple, *SEQUENCES)
"""What an array may be given as."""


class _Nested(dict[type, bool]):
    """A table: type → True if it is one of `NESTED`; Python asks a UserList's class for a microsecond."""

    def __missing__(self, kind):
        self[kind] = answer = issubclass(kind, NESTED) or _is_buffer(kind)
        return answer


def _is_buffer(kind):
    return any(base.__module__ == "array" and base.__name__ == "array" for base in kind.__mro__)


is_nested = _Nested().__getitem__


def view(function, x, *static):
    """Apply a row that shows its operand in another shape; of an array of numbers the result is tied to it."""
    return x.viewed(function, *static) if hasattr(x, "viewed") and is_number(type(x)) else function(x, *static)


def in_memory(x, order):
    """``x`` and the order C or F that mean ``order``: a tangent or adjoint may lie in memory otherwise than ``x``."""
    if order == "C":
        return x, order
    order = order.upper()
    if order in ("A", "K") and len(shape(x)) > 1:
        dispatch.refuse(has_no_strides, f"the order {order!r}", "places in memory; give order='C' or 'F'", [x])
    if order == "A":
        return x, "F" if flags(x).fnc else "C"
    return (view(transpose, x, axes_in_memory(x)), "C") if order == "K" else (x, order)


def reshaping(a, shape, order="C", *, copy=None):
    """Return the arguments of `reshape` from those of ``np.reshape``."""
    if copy is False:
        dispatch.refuse(has_no_strides, "np.reshape(…, copy=False)", "views; leave the keyword out", [a])
        asked(np.reshape, a, shape, order=order, copy=False)  # for its error
    x, order = in_memory(copied(a, order) if copy else a, order)
    return x, shape, order


@linear(
    lambda g, x, to, order: reshape(g, shape(x), order),
    batched=batching.of_reshape,
    of=np.reshape,
    call=reshaping,
    put=lambda x, v, to, order: reshape(v, shape(x), order),
)
def reshape(x, to, order):
    if type(x) is np.ndarray:
        return x.reshape(to, order=order)
    return reshaped(x, to, order) if is_foreign(type(x)) else np.reshape(x, to, order=order)


def flattened(x, order="C"):
    """Return all elements in one axis, a copy."""
    x, order = in_memory(x, order)
    z = reshape(x, -1, order)
    lying = flags(z)
    return z if lying.c_contiguous and lying.writeable else copied(z, "C")


@composition(np.ravel)
def ravel(a, order="C"):
    """All elements in one axis; a view where they lie together in memory."""
    x, order = in_memory(a, order)
    if flags(x)["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]:
        return view(reshape, x, -1, order)
    return flattened(x, order)


def _inverse(axes):
    return None if axes is None else tuple(np.argsort([axis % len(axes) for axis in axes]).tolist())


@linear(
    lambda g, x, axes: transpose(g, _inverse(axes)),
    batched=batching.of_transpose,
    of=np.transpose,
    put=lambda x, v, axes: transpose(v, _inverse(axes)),
)
def transpose(a, axes=None):
    return a.transpose(axes) if type(a) is np.ndarray else np.transpose(a, axes)


@linear(lambda g, x, order: g, of=np.copy, call=lambda a, order="K", subok=False: (a, order), name="copy",
        batched=batching.by_elements, needs=None)  # fmt: skip
def copied(x, order):
    """Another array of the same numbers, which does not change with this one."""
    return x.copy(order) if type(x) is np.ndarray else x.copy() if is_lazy(type(x)) else np.copy(x, order)


@linear(lambda g, x, to: g, of=np.broadcast_to, call=lambda array, shape, subok=False: (array, shape),
        put=refuse_writing, batched=batching.of_broadcast)  # fmt: skip
def broadcast_to(array, shape):
    return np.broadcast_to(array, shape)


@linear(lambda g, x, to: g, name="broadcast_arrays", put=overlapping, batched=batching.of_broadcast)
def broadcast_whole(x, to):
    """A broadcast array that may be written to, as those of ``np.broadcast_arrays``."""
    x = as_array(x)
    z = np.broadcast_to(x, to)
    if not is_foreign(type(x)):
        z.flags.writeable = x.flags.writeable
    return z


@composition(np.expand_dims)
def expand_dims(a, axis):
    """Insert axes of length 1 at the places ``axis`` of the result."""
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if type(a) is np.ndarray:
        return a[_with_axes(a.ndim, axes)]
    return view(getitem, a, _with_axes(len(shape(a)), axes))


@lru_cache
def _with_axes(rank, axes):
    """Return the index that inserts axes."""
    rank += len(axes)
    places = {np.lib.array_utils.normalize_axis_index(i, rank) for i in axes}
    return tuple(None if i in places else slice(None) for i in range(rank))


def over_matrices(x):
    """Return numbers, one for each matrix of a stack, so that they multiply these."""
    return expand_dims(x, (-2, -1)) if shape(x) else x


@composition(np.linalg.matrix_transpose)
@composition(np.matrix_transpose)
def matrix_transpose(x):
    """Exchange the last two axes."""
    rank = len(shape(x))
    return view(transpose, x, (*range(rank - 2), rank - 1, rank - 2))


@linear(lambda g, x, dtype: g, batched=batching.by_elements)
def astype(x, dtype):
    return x.astype(dtype) if hasattr(x, "dtype") else np.asarray(x).astype(dtype)[()]


def in_common(operands):
    """Operands with numbers of Python as NumPy's, in the type that they have beside the others: np.float32 in float32.

    An operand that is None is absent.
    """
    for x in operands:
        if is_number(type(x)) and type_of(x) in PYTHON:
            break
    else:
        return operands
    common = asked(np.result_type, *(x for x in operands if x is not None))
    if common.kind not in "fc":
        return operands
    of_real = np.finfo(common).dtype

    def typed(x):
        if not is_number(type(x)) or type_of(x) not in PYTHON:
            return x
        return astype(x, common if type_of(x) is complex else of_real)

    return [typed(x) for x in operands]


def cast(x, dtype, casting="same_kind"):
    """``x`` in another type, plain where that is not floating-point or complex; ``x`` itself if the type is None.

    Raises TypeError where NumPy's rule ``casting`` forbids it.
    """
    if dtype is None:
        return x
    if not np.can_cast(dtype_of(x), dtype, casting):
        raise TypeError(f"cannot cast from {dtype_of(x)} to {np.dtype(dtype)} according to the rule {casting!r}")
    if is_number(type(x)) and np.dtype(dtype).kind not in "biufc":
        remedy = "np.array(list(x), dtype=object) keeps it" if np.dtype(dtype).kind == "O" else "text has none"
        raise no_plain_value(f".astype({np.dtype(dtype)})", x, remedy=remedy)
    return astype(x, dtype) if is_number(type(x)) and np.dtype(dtype).kind in "fc" else as_array(read(x)).astype(dtype)


def lies_in(x, order):
    """Return whether an array lies in memory in an order, C, F or A; in the order K it does."""
    order = order.upper()
    return order == "K" or flags(x)[{"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "A": "FORC"}[order]]


def in_order(z, order):
    """``z``, copied where it does not lie in an order."""
    return z if lies_in(z, order) else copied(z, order)


def lying_as(z, x):
    """``z`` as NumPy makes an array like ``x``: in the order of its axes, without gaps."""
    axes = axes_in_memory(x)
    if lies_along(z, axes):
        return z
    return transpose(copied(transpose(z, axes), "C"), _inverse(axes))


@composition(np.astype)
def of_type(x, dtype, /, *, copy=True, device=None):
    """The numbers in another floating-point or complex type."""
    return x if not copy and dtype_of(x) == dtype else cast(x, dtype, "unsafe")


def _piece(g, place, operands, axis):
    """Return the part of the joined array that came from operand ``place``."""
    if axis is None:
        start = sum(size(x) for x in operands[:place])
        part = getitem(g, slice(start, start + size(operands[place])))
        return reshape(part, shape(operands[place]), "C")
    lengths = [shape(x)[axis] for x in operands]
    start = sum(lengths[:place])
    before = (slice(None),) * (axis % len(shape(g)))
    return getitem(g, (*before, slice(start, start + lengths[place])))


def _pieces(g, z, *arguments):
    """Return the parts of the joined array that came from each operand."""
    *operands, axis = arguments
    if axis is None:
        return [_piece(g, place, operands, axis) for place in range(len(operands))]
    before, end, found = (slice(None),) * (axis % len(shape(g))), 0, []
    for x in operands:
        start, end = end, end + shape(x)[axis]
        found.append(getitem(g, (*before, slice(start, end))))
    return found


def _joining(arrays, axis=0, *, dtype=None, casting="same_kind"):
    return *(arrays if dtype is None else [cast(x, dtype, casting) for x in arrays]), axis


@linear(_piece, of=np.concatenate, call=_joining, any_number=True, joint=_pieces, batched=batching.of_join)
def concatenate(arrays, axis=0):
    return np.concatenate(arrays, axis)


def _layer(g, place, arrays, axis):
    return getitem(g, (slice(None),) * (axis % len(shape(g))) + (place,))


@linear(_layer, of=np.stack, call=_joining, any_number=True, batched=batching.of_join)
def stack(arrays, axis=0):
    return np.stack(with_numbers(arrays), axis)


def array(nested):
    """Join nested lists and tuples that hold numbers of any kind to one array; a plain array where none does.

    An object array counts as a list, and so do the sequences and buffers of Python's that NumPy makes arrays of, and a
    column of a table as its elements. Raises ValueError where the nesting is ragged, as ``np.stack`` does.

    >>> from autodiff import jacobian
    >>> import numpy as np
    >>> jacobian(lambda t: array([[t, 1.0], [t**2, 0.0]]))(3.0)
    array([[1., 0.],
           [6., 0.]])
    """
    kind = type(nested)
    if kind is np.ndarray and nested.dtype.char != "O":
        return nested
    if is_number(kind):
        return nested.primal if nested.level is HELD else nested
    if is_nested(kind) and not isinstance(nested, (list, tuple)):
        nested = np.asarray(nested) if isinstance(nested, memoryview) else list(nested)
    if type(nested) is not np.ndarray and is_operand(type(nested)) and isinstance(nested, np.ndarray):
        nested = np.asarray(nested)
    if isinstance(nested, np.ndarray):
        return nested if nested.dtype != object else array(nested.tolist())
    if not isinstance(nested, (list, tuple)):
        return array(np.asarray(nested)) if is_labelled(type(nested)) else nested
    parts = [array(part) for part in nested]
    return in_order(stack(*parts, 0), "C") if any(is_number(type(part)) for part in parts) else np.array(parts)


def as_assigned(value, dtype):
    """Return what is assigned to elements of an array of this type; a list as an array.

    Raises TypeError where a derivative would be lost, and what NumPy does for a list with what is no number.
    """
    given = value if is_number(type(value)) else array(value)
    if is_number(type(given)):
        if dtype.kind not in "fc" and dtype_of(given).kind == "f":
            raise TypeError(f"a number stored into an array of {dtype} would lose its derivative: make the array with "
                            f"dtype=float{user_line()}")  # fmt: skip
    elif isinstance(value, (list, tuple)) and given.dtype.kind not in "biuf":
        return np.array(value, dtype)
    return given


dispatch.fill(array)


def arrays(xs):
    """Return the members of a sequence, nested lists joined."""
    return [array(x) if is_nested(type(x)) else x for x in xs]
