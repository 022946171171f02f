"""Rows at arrays of Dask: they are evaluated block by block, on arrays of NumPy, when it computes.

Dask itself does so with a ufunc of one result. What a row of elements has besides, a function written in NumPy or a
ufunc of several results, gets its blocks here: it may ask a block for what an array that is not yet computed cannot
tell. A row that says which ``core`` axes it needs whole, as those of a matrix, gets blocks of all other axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from ..foreign import as_like, one_of
from ..levels import is_lazy
from ..messages.errors import user_line
from .registry import MAKERS, TABLE


def in_blocks(name: str, evaluate: Callable[..., Any], types: Any) -> Callable[..., Any]:
    """Return what evaluates a function of elements at operands of these types, some of which are another library's."""
    own = isinstance(evaluate, np.ufunc) and evaluate.nout == 1
    return evaluate if own or not any(map(is_lazy, types)) else InBlocks(name, evaluate)


class InBlocks:
    """An elementwise function of arrays of Dask, whose value is such an array, or a tuple of them.

    To the workers of a cluster it travels by its name.
    """

    def __init__(self, name: str, evaluate: Callable[..., Any]) -> None:
        self.name, self.evaluate = name, evaluate

    def __call__(self, *operands: Any) -> Any:
        from dask.array import apply_gufunc  # it is there: an operand is of it

        aligned = _aligned(operands)
        with np.errstate(all="ignore"):
            found = self.evaluate(*(_one_like(x) for x in aligned))
        several = isinstance(found, tuple)
        dtypes = [np.result_type(part) for part in found] if several else np.result_type(found)
        of, to = (",".join(["()"] * count) for count in (len(aligned), len(found) if several else 1))
        return apply_gufunc(Block(self.name, self.evaluate), f"{of}->{to}", *aligned, output_dtypes=dtypes)


class Block:
    """The function on a block, with its fixed parameters."""

    def __init__(self, name: str, evaluate: Callable[..., Any], static: tuple[Any, ...] = ()) -> None:
        self.name, self.evaluate, self.static = name, evaluate, static
        self.__name__ = name

    def __call__(self, *operands: Any) -> Any:
        return self.evaluate(*operands, *self.static)

    def __dask_tokenize__(self) -> Any:
        from dask.tokenize import normalize_token

        return type(self).__qualname__, self.name, normalize_token(self.static)

    def __reduce__(self) -> Any:
        known, maker = TABLE.get(self.name), MAKERS.get(self.name)
        if known is None or known.row.numpy.plain is not self.evaluate or (maker and "<locals>" in maker[1]):
            return type(self), (self.name, self.evaluate, self.static)
        return _block_of, (self.name, maker, self.static)


OF_SCIPY = "dualnumbers.rules.of_scipy"
"""Where rows are that none of the families has."""


def _block_of(name: str, maker: tuple[str, str, tuple[Any, ...]] | None, static: tuple[Any, ...]) -> Block:
    """Return the function of a row of the table by its name."""
    if maker is not None:
        module, family, which = maker
        function = getattr(import_module(module), family)(*which)
    else:
        import_module("dualnumbers.rules").families()
        import_module(OF_SCIPY)
        function = TABLE[name]
    return Block(name, function.row.numpy.plain, static)


def _aligned(operands: Sequence[Any]) -> Sequence[Any]:
    """Return operands with their arrays in one shape and in the same chunks, where they are not."""
    from dask.array import broadcast_arrays

    chunks = [getattr(x, "chunks", None) for x in operands if np.ndim(x)]
    if all(each == chunks[0] for each in chunks[1:]):
        return operands
    if any(n != n for x in operands for n in np.shape(x)):  # of a mask's choice nobody knows yet how many there are
        return [np.reshape(x, ()) if is_lazy(type(x)) and x.size == 1 else x for x in operands]
    arrays = iter(broadcast_arrays(*(x for x in operands if np.ndim(x))))
    return [next(arrays) if np.ndim(x) else x for x in operands]


def _one_like(x: Any) -> Any:
    """Return an array of one element of the type of an operand."""
    return np.ones((1,) * np.ndim(x), x.dtype) if is_lazy(type(x)) else x


# ------------------------------------------------------------------------------------------------- whole axes


def own_or_whole(own: Callable[..., Any], core: str, block: Block, *operands: Any) -> Any:
    """Return what a function that Dask has gives, for which the operands may be in the wrong chunks, or `over_axes`."""
    with suppress(Exception):  # whatever it is that Dask raises of chunks, or of stacks, that it cannot do
        return own()
    return over_axes(core, block, *operands)


def over_axes(core: str, block: Block, *operands: Any) -> Any:
    """Return the value of a function of some last axes of its operands, of which some are arrays of Dask.

    ``core`` says which axes, as NumPy does of a generalised ufunc: ``(i,j)->(i)``. They are in one task, however many
    chunks they have; along the others there is a task for each block. Of a result, k is the lesser one of i and j.
    """
    from dask.array import apply_gufunc

    if any(0 in x.shape for x in operands):
        found, like = block(*(_halves(x.shape, x.dtype) for x in operands)), one_of(operands)
        return tuple(as_like(part, like) for part in found) if isinstance(found, tuple) else as_like(found, like)
    given, results = _operands_of(core), core.partition("->")[2]
    pairs = zip(operands, given, strict=True)
    operands = tuple(x.rechunk(dict.fromkeys(range(-len(axes), 0), -1)) for x, axes in pairs)
    sizes = {"k": min(operands[0].shape[-2:])} if "k" in results and not any("k" in axes for axes in given) else {}
    dtypes = _dtypes(block, operands)
    taken = ",".join(f"({','.join(_each_once(axes))})" for axes in given)
    signature = f"{taken}->{results}"
    return apply_gufunc(block, signature, *operands, output_dtypes=dtypes, output_sizes=sizes, allow_rechunk=True)


def _operands_of(core: str) -> list[list[str]]:
    """Return the letters of the axes of each operand."""
    return [axes.split(",") if axes else [] for axes in re.findall(r"\((.*?)\)", core.partition("->")[0])]


def _each_once(axes: Sequence[str]) -> Iterator[str]:
    """Yield letters, the second of two that are equal, of a square matrix, as a capital: Dask takes each but once."""
    for place, axis in enumerate(axes):
        yield axis.upper() if axis in axes[:place] else axis


def fit(what: str, core: str, operands: Sequence[Any]) -> None:
    """Raise ValueError where the shapes of operands do not go together as ``core`` says; LinAlgError as NumPy does."""
    sizes: dict[str, int] = {}
    for x, axes in zip(operands, _operands_of(core), strict=True):
        square = len(set(axes)) < len(axes)
        dims: tuple[int, ...] = x.shape[-len(axes) :] if axes else ()
        if len(dims) < len(axes) or (square and dims[0] != dims[1]):
            needed = "square matrix" if square else "matrix" if len(axes) == 2 else "vector"
            raise np.linalg.LinAlgError(
                f"{what}: a {needed} is needed, or a stack of them, not an array of shape {x.shape}{user_line()}"
            )
        for axis, n in zip(axes, dims, strict=True):
            if n == n and sizes.setdefault(axis, n) != n:  # NaN is a length that nobody knows yet
                shapes = " and ".join(str(x.shape) for x in operands)
                raise ValueError(
                    f"{what}: shapes {shapes} do not go together as {core} says, {axis} is {sizes[axis]} and {n}"
                    f"{user_line()}"
                )


def _dtypes(block: Block, operands: Sequence[Any]) -> Any:
    """Return the type of the elements of a result, or those of several."""
    try:
        with np.errstate(all="ignore"):
            found = block(*(_halves((1,) * x.ndim, x.dtype) for x in operands))
    except Exception:  # of a band matrix, whose operands have lengths that belong together
        return np.result_type(*operands, np.float32)
    return [part.dtype for part in found] if isinstance(found, tuple) else found.dtype


def _halves(dims: tuple[int, ...], dtype: Any) -> Any:
    """Return an array at which functions of matrices are regular."""
    found = np.full(dims, 0.5 if dtype.kind in "fc" else 1, dtype)
    return found * np.eye(*dims[-2:], dtype=dtype) if len(dims) > 1 else found
