"""Functions of NumPy arrays as functions of PyTorch's tensors: a ``torch.autograd.Function`` whose backward is ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from typing import Any

from ..calls.given import no_function
from .exported import Flat, Taken
from .imported import Torch


def to_torch(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy arrays as one of PyTorch's tensors, which PyTorch differentiates, to any order.

    Tensors, also in tuples, lists and dicts, become arrays, and what the function returns becomes tensors; other
    arguments stay what they are. ``backward``, ``torch.autograd.grad``, ``torch.func`` and forward mode go through it;
    a derivative is found by running the function again, recorded. It computes on the processor.

    >>> import torch  # doctest: +SKIP
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)  # doctest: +SKIP
    >>> to_torch(lambda x: np.sum(np.sin(x) * x))(x).backward()  # doctest: +SKIP
    >>> x.grad  # doctest: +SKIP
    tensor([0.0000, 1.3818])
    """
    if not callable(function):
        raise no_function("to_torch(f)", function)
    name = getattr(function, "__name__", "the function")

    def exported(*arguments: Any, **keywords: Any) -> Any:
        call = Taken(lambda *xs: function(*xs, **keywords), name, arguments, Torch().is_array)
        outs = _function().apply(call.flat, *call.arrays)
        return call.rebuild(outs)

    return update_wrapper(exported, function) if hasattr(function, "__name__") else exported


@cache
def _function() -> Any:
    """Return the class, made when PyTorch is there."""
    torch, library = import_module("torch"), Torch()
    function: Any = torch.autograd.Function

    class Exported(function):  # type: ignore[misc]
        """A `Flat` of tensors."""

        @staticmethod
        def forward(flat: Flat, *tensors: Any) -> Any:
            outs = flat(*map(library.plain, tensors))
            device = tensors[0].device if tensors else None
            return tuple(library.array(out).to(device) for out in outs)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.flat, *tensors = inputs
            ctx.mark_non_differentiable(*(x for x in output if not _moves(x)))
            ctx.moving = [_moves(x) for x in output]
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            given = [g for g, moves in zip(cotangents, ctx.moving, strict=True) if moves]
            xs = ctx.saved_tensors
            found = iter(Exported.apply(ctx.flat.pulled(len(given)), *given, *xs))
            return None, *(next(found) if _moves(x) else None for x in xs)

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
            xs = ctx.saved_tensors
            given = [torch.zeros_like(x) if t is None else t for t, x in zip(tangents, xs, strict=True) if _moves(x)]
            found = iter(Exported.apply(ctx.flat.pushed(len(given)), *given, *xs))
            return tuple(next(found) if moves else None for moves in ctx.moving)

        @staticmethod
        def vmap(info: Any, in_dims: Any, flat: Flat, *tensors: Any) -> Any:
            runs = [
                Exported.apply(
                    flat, *(x if dim is None else x.select(dim, k) for x, dim in zip(tensors, in_dims[1:], strict=True))
                )
                for k in range(info.batch_size)
            ]
            outs = tuple(torch.stack(members) for members in zip(*runs, strict=True))
            return outs, (0,) * len(outs)

    return Exported


def _moves(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())
