"""Forward mode: one push-forward of a seeded dual number gives one directional derivative. It keeps no tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dualnumbers.dualnumber import DualNumber, make
from dualnumbers.errors import explain
from dualnumbers.levels import Level, is_number
from dualnumbers.rules.complexes import is_unreal
from dualnumbers.rules.shaping import reshape, shape, stack, zeros_like

from .captured import Given
from .differences import check_derivative
from .seeding import (
    argnums_of,
    arguments,
    as_given,
    check_alive,
    check_holomorphic,
    differentiable,
    flatten,
    highest,
    map_leaves,
    matching,
    output,
    output_leaf,
    own,
    place,
    real_output,
    zero,
)

new = object.__new__

__all__ = ["check_derivative", "derivative", "differentiate", "gradient", "jacfwd", "jvp"]


def derivative(f: Callable[..., Any], wrt: int | tuple[int, ...], args: Sequence[Any]) -> Any:
    """The partial derivative ∂f/∂args[wrt] at ``args``.

    With respect to a number it has the shape of f's output; with respect to an array it is the full partial, output
    shape + argument shape; with respect to nested tuples, lists and dicts it has their structure. A tuple ``wrt``
    gives the mixed partial, one differentiation after the other. A Python float gives a Python float; what f does not
    depend on has the derivative zero. At a complex point f must be holomorphic.

    Raises TypeError or IndexError for a wrong ``wrt``, TypeError where ``args`` is no list of arguments or f returns
    something else than numbers, ValueError where f is not holomorphic at a complex point.

    >>> from math import pi
    >>> import dualnumbers.dmath as dmath
    >>> round(derivative(lambda x: dmath.sin(x) ** dmath.sin(x), 0, [pi / 4]), 10)
    0.3616192241
    """
    if type(wrt) is tuple:
        return _mixed_partial(f, wrt, args)
    args = list(args) if type(args) is list else arguments(f, args)
    index = wrt if type(wrt) is int and 0 <= wrt < len(args) else place(wrt, len(args))
    x = args[index]
    if type(x) is not float:
        return _partial(f, args, index, lambda out: output(out, f))
    level = Level()
    args[index] = seed = new(DualNumber)
    seed.primal, seed.tangent, seed.level = x, 1.0, level
    try:
        out = f(*args)
    except Exception as error:
        explain(error)
        raise
    finally:
        level.ended = True
    if type(out) is DualNumber and out.level is level and type(out.tangent) is float:
        return out.tangent
    return as_given(_split(output(out, f), level, x, 0)[1], x)


def _mixed_partial(f: Callable[..., Any], wrt: tuple[int, ...], args: Sequence[Any]) -> Any:
    """One differentiation after the other, the first index innermost."""
    if not wrt:
        raise TypeError("wrt is the index of an argument, or a tuple of indices; got an empty tuple")
    first, others = wrt[0], wrt[1:]
    if not others:
        return derivative(f, first, args)
    return derivative(lambda *xs: derivative(f, first, xs), others, args)


def differentiate(f: Callable[..., Any], wrt: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """The partial ∂f/∂args[wrt] as a function of the same arguments."""
    return lambda *args, **keywords: derivative(partial(f, **keywords) if keywords else f, wrt, args)


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The list of partials of a scalar ``f``, one per argument, by one push-forward per element.

    Raises TypeError where f returns an array: use `jacfwd`.
    """
    args = arguments(f, args)
    if not args:
        real_output(f(), f)
    return [_partial(f, args, k, lambda out: real_output(out, f), _ascent) for k in range(len(args))]


def _ascent(along_one: Any, along_i: Any) -> Any:
    """The gradient of a real function of a complex number, in the real inner product: ∂f/∂Re z + i ∂f/∂Im z."""
    return along_one + 1j * along_i


def _holomorphic(along_one: Any, along_i: Any) -> Any:
    check_holomorphic(along_i, along_one)
    return along_one


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """``(f(*primals), ḟ)``: the value and its tangent for the tangents of all arguments, of the same structures.

    Raises ValueError where a tangent has another shape than its primal, even one that broadcasts.
    """
    primals, tangents = arguments(f, primals), arguments(f, tangents)
    if len(primals) != len(tangents):
        raise ValueError(f"jvp: {len(primals)} primals but {len(tangents)} tangents")
    level, given = Level(), Given()
    try:
        seeded = [_seed(x, t, level, given) for x, t in zip(primals, tangents, strict=True)]
        out = f(*seeded)
    except Exception as error:
        explain(error)
        raise
    finally:
        level.ended = True
    given.check()
    leaves, rebuild = flatten(out)
    above = highest(flatten([primals, tangents])[0])
    pairs = [_split(output_leaf(leaf, f), level, 0.0, above) for leaf in leaves]
    return rebuild(primal for primal, _ in pairs), rebuild(tangent for _, tangent in pairs)


def jacfwd(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """The Jacobian as a function of f's arguments, column by column; shape output shape + argument shape.

    A tuple of ``argnums`` gives a tuple of Jacobians. Structured outputs and arguments give the structure of the
    output, holding that of the argument.
    """

    def jacobian(*args: Any, **keywords: Any) -> Any:
        indices = argnums_of(argnums, len(args))

        def partial(index: int) -> Any:
            return _partial(lambda *xs: f(*xs, **keywords), list(args), index, lambda out: _joined(out, f))

        return tuple(map(partial, indices)) if isinstance(argnums, tuple) else partial(indices[0])

    return jacobian


def _joined(out: Any, f: Any) -> Any:
    """An output with its lists joined to arrays; tuples and dicts stay."""
    if isinstance(out, (tuple, dict)):
        leaves, rebuild = flatten(out)
        return rebuild(output_leaf(leaf, f) for leaf in leaves)
    return output(out, f)


def _seed(x: Any, t: Any, level: Level, given: Given) -> Any:
    """An argument with its tangent, as numbers of a level."""
    xs, rebuild = flatten(x)
    xs = [given.keep(differentiable(leaf, "a primal")) for leaf in xs]
    return rebuild(map(make, xs, matching(t, rebuild(xs), "the tangent"), [level] * len(xs)))


def _split(out: Any, level: Level, x: Any, given: int) -> tuple[Any, Any]:
    """The primal and tangent of an output at a level; zero where it does not depend on what was seeded.

    ``given`` is the highest level of what the function was differentiated at.
    """
    check_alive_below(out, level)
    if is_number(type(out)) and out.level is level:
        return own(out.primal, given), own(out.tangent, given)
    return out, zero(out, x)


def check_alive_below(out: Any, level: Level) -> None:
    """`check_alive`, where the level that ends now is still good."""
    if is_number(type(out)) and out.level is level:
        for part in out.parts():
            check_alive(part)
    else:
        check_alive(out)


def _partial(
    f: Callable[..., Any], args: list[Any], index: int, finish: Callable[[Any], Any], complex_rule: Any = _holomorphic
) -> Any:
    """The partial of each output leaf with respect to each leaf of one argument, in both structures."""
    given = Given()
    leaves, rebuild = flatten(args[index])
    leaves = [given.keep(differentiable(leaf, f"argument {index}")) for leaf in leaves]

    above = highest(leaves)

    def directional(k: int, tangent: Any) -> Any:
        level = Level()
        try:
            seeded = [make(x, tangent, level) if i == k else x for i, x in enumerate(leaves)]
            out = f(*args[:index], rebuild(seeded), *args[index + 1 :])
        except Exception as error:
            explain(error)
            raise
        finally:
            level.ended = True
        return map_leaves(lambda leaf: _split(leaf, level, tangent, above)[1], finish(out))

    columns = [_columns(directional, k, x, complex_rule) for k, x in enumerate(leaves)]
    given.check()
    if not columns:
        return rebuild([])
    outs, rebuild_out = flatten(columns[0])
    by_leaf = [flatten(column)[0] for column in columns]
    return rebuild_out([rebuild([partials[i] for partials in by_leaf]) for i in range(len(outs))])


def _columns(directional: Callable[[int, Any], Any], k: int, x: Any, complex_rule: Any) -> Any:
    """The partials with respect to leaf ``k``: its elements' directional derivatives, joined along new last axes."""

    def column(tangent: Any) -> Any:
        along_one = directional(k, tangent)
        if not is_unreal(x):
            return along_one
        leaves, rebuild = flatten(along_one)
        return rebuild(map(complex_rule, leaves, flatten(directional(k, tangent * 1j))[0]))

    dims = shape(x)
    if not dims:
        return map_leaves(lambda t: as_given(t, x), column(zeros_like(x) + 1))
    columns = []
    for position in np.ndindex(dims):
        tangent = zeros_like(x)
        tangent[position] = 1.0
        columns.append(column(tangent))
    if not columns:
        empty = directional(k, zeros_like(x))
        return map_leaves(lambda t: np.zeros(shape(t) + dims, np.result_type(t)), empty)
    _, rebuild = flatten(columns[0])
    parts = zip(*(flatten(column)[0] for column in columns), strict=True)
    return rebuild([reshape(stack(*part, -1), shape(part[0]) + dims, "C") for part in parts])
