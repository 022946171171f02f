"""Functions of NumPy arrays as functions of JAX's: a call back, with a ``jax.custom_vjp`` whose pull-back is ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from .exported import Flat, Taken


def to_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy arrays as one of JAX's, which JAX differentiates in reverse mode, to any order.

    JAX's arrays, also in tuples, lists and dicts, become NumPy's, and what the function returns becomes JAX's; other
    arguments stay what they are. It may stand in what ``jax.jit``, ``jax.vmap`` and ``jax.jacrev`` are given. JAX has
    no forward mode through such functions: of ``jax.jvp`` and ``jax.hessian`` it raises TypeError; ``jax.jacrev`` twice
    is the Hessian. The function is run once more, at ones, to see what shapes it returns.

    >>> import jax  # doctest: +SKIP
    >>> jax.grad(to_jax(lambda x: np.sum(np.sin(x) * x)))(np.array([0.0, 1.0]))  # doctest: +SKIP
    Array([0.       , 1.3817732], dtype=float32)
    """
    if not callable(function):
        raise no_function("to_jax(f)", function)
    name = getattr(function, "__name__", "the function")

    def exported(*arguments: Any, **keywords: Any) -> Any:
        jax = import_module("jax")
        call = Taken(
            lambda *xs: function(*xs, **keywords), name, arguments, lambda x: isinstance(x, (jax.Array, np.ndarray))
        )
        arrays = [jax.numpy.asarray(x) for x in call.arrays]
        forms = _forms(call.flat, arrays)
        outs = _called(call.flat, forms, arrays)
        return call.rebuild(outs)

    return update_wrapper(exported, function) if hasattr(function, "__name__") else exported


def _forms(flat: Flat, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return the shapes and types of the results, by a run at ones."""
    jax = import_module("jax")
    try:
        outs = flat(*(np.ones(x.shape, x.dtype) for x in arrays))
    except Exception as error:
        error.add_note(f"to_jax ran {flat.name} at ones, to see what shapes it returns{user_line()}")
        raise
    return tuple(jax.ShapeDtypeStruct(out.shape, jax.dtypes.canonicalize_dtype(out.dtype)) for out in outs)


def _called(flat: Flat, forms: tuple[Any, ...], arrays: Sequence[Any]) -> Any:
    """Return the results of a function at JAX's arrays, as those of a ``jax.custom_vjp``."""
    jax = import_module("jax")

    def plainly(*xs: Any) -> tuple[Any, ...]:
        outs = flat(*map(np.asarray, xs))
        return tuple(np.asarray(out, form.dtype) for out, form in zip(outs, forms, strict=True))

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def primal(*xs: Any) -> Any:
        return jax.pure_callback(plainly, forms, *xs, vmap_method="sequential")

    def forward(*xs: Any) -> Any:
        return primal(*xs), xs

    def backward(xs: Any, cotangents: Any) -> Any:
        given = [g for g, form in zip(cotangents, forms, strict=True) if form.dtype.kind in "fc"]
        moving = flat.moving(xs)
        of_adjoints = tuple(jax.ShapeDtypeStruct(xs[k].shape, xs[k].dtype) for k in moving)
        found = dict(zip(moving, _called(flat.pulled(len(given)), of_adjoints, [*given, *xs]), strict=True))
        return tuple(found[k] if k in found else np.zeros(x.shape, jax.dtypes.float0) for k, x in enumerate(xs))

    primal.defvjp(forward, backward)
    return primal(*arrays)
