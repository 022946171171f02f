"""Functions of elements at arrays of Dask: they are evaluated block by block, on arrays of NumPy, when it computes.

Dask itself does so with a ufunc of one result. What a row has besides, a function written in NumPy or a ufunc of
several results, gets its blocks here: it may ask a block for what an array that is not yet computed cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ..levels import is_lazy
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
    """The function on a block."""

    def __init__(self, name: str, evaluate: Callable[..., Any]) -> None:
        self.name, self.evaluate = name, evaluate
        self.__name__ = name

    def __call__(self, *operands: Any) -> Any:
        return self.evaluate(*operands)

    def __dask_tokenize__(self) -> Any:
        return type(self).__qualname__, self.name

    def __reduce__(self) -> Any:
        known, maker = TABLE.get(self.name), MAKERS.get(self.name)
        if known is None or known.row.numpy.plain is not self.evaluate or (maker and "<locals>" in maker[1]):
            return type(self), (self.name, self.evaluate)
        return _block_of, (self.name, maker)


OF_SCIPY = "dualnumbers.rules.of_scipy"
"""Where rows are that none of the families has."""


def _block_of(name: str, maker: tuple[str, str, tuple[Any, ...]] | None) -> Block:
    """Return the function of a row of the table by its name."""
    if maker is not None:
        module, family, which = maker
        function = getattr(import_module(module), family)(*which)
    else:
        import_module("dualnumbers.rules").families()
        import_module(OF_SCIPY)
        function = TABLE[name]
    return Block(name, function.row.numpy.plain)


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
