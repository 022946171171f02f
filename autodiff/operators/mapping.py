"""Mapping: a function of one sample applied to all samples at once, each operation by one call of NumPy.

>>> import numpy as np
>>> from autodiff import grad, vmap
>>> def loss(w, x, y):
...     return (w @ x - y) ** 2
>>> w, x, y = np.array([1.0, -1.0]), np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0]]), np.zeros(3)
>>> vmap(grad(loss), in_axes=(None, 0, 0))(w, x, y)
array([[-2., -4.],
       [18.,  0.],
       [-0., -2.]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign, may_share_memory
from dualnumbers.forms import flags, is_array, shape
from dualnumbers.levels import NOTING, Level, is_number, level_of
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.mapped import mapped
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, copied, stack

from ..calls.directions import checked
from ..calls.given import described
from ..calls.running import run
from ..calls.structures import flatten, is_structure, kind_of, map_leaves, paths_of_leaves
from ..calls.values import filled, name_of
from ..derived import derived, with_parameters_of

Axes = Any
"""An axis, or None; or a structure of such, built as the arguments or results are, or as their outer parts."""


@derived
def vmap(
    f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, *, chunk_size: int | None = None
) -> Callable[..., Any]:
    """Return the function that maps ``f`` over an axis of its arguments: f takes a member, this takes all of them.

    ``in_axes`` is the axis of every argument along which the members lie, or None of what is the same for all; or a
    tuple with one for each positional argument, where that of a structure may be a structure. Arguments by name are
    mapped along axis 0. ``out_axes`` says where the axis of the members is put in the results, 0 by default: the result
    is what ``np.stack`` makes of those of the members. ``chunk_size`` members go at a time, by default all.

    f is called once, with numbers that stand for all members, and each operation is carried out for all of them; random
    numbers that it draws are the same for all. Where f decides by values that differ, as by ``if x > 0``, asks for one,
    or calls what has no rule, it is called for one member after the other instead: what it does besides returning, it
    does again then. It composes with every derivative, as in ``vmap(grad(f))`` or ``grad`` of what calls it.

    Raises ValueError where the lengths of the axes differ, an argument has not that axis, or nothing is mapped;
    TypeError for what is no array or number.

    >>> vmap(lambda row, t: np.sum(row) * t, in_axes=(0, None))(np.ones((2, 3)), 2.0)
    array([6., 6.])
    """
    step = checked(chunk_size, "members")

    @with_parameters_of(f)
    def all_members(*args: Any, **keywords: Any) -> Any:
        given = _Given(f, in_axes, args, keywords)
        size = step or max(given.count, 1)
        found = [given.results(slice(start, start + size)) for start in range(0, given.count, size)]
        found = found or [given.results(slice(0, 0))]
        _check_alike([one.paths for one in found], f)
        leaves, lengths = [one.leaves for one in found], [one.count for one in found]
        axes = _axes_of(out_axes, found[0].rebuild(found[0].leaves), "out_axes", name_of(f))
        return found[0].rebuild([_joined(list(of_chunks), lengths, axis, given, f)
                                 for of_chunks, axis in zip(zip(*leaves, strict=True), axes, strict=True)])  # fmt: skip

    return all_members


class _Results:
    """The leaves of what a function returned of ``count`` members: `_Of` all, or a value that is the same for all."""

    def __init__(self, leaves: list[Any], rebuild: Callable[[Any], Any], paths: list[str], count: int) -> None:
        self.leaves, self.rebuild, self.paths, self.count = leaves, rebuild, paths, count


class _Of:
    """The values of a result for the members, along its first axis."""

    def __init__(self, members: Any) -> None:
        self.members = members


class _Given:
    """The arguments of one call, taken apart: those with members have these in front."""

    def __init__(self, f: Callable[..., Any], in_axes: Axes, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        if isinstance(in_axes, list):
            in_axes = tuple(in_axes)
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError(
                f"in_axes has {len(in_axes)} entries for the {len(args)} positional arguments of "
                f"{name_of(f)}: give None for one that all members share{user_line()}"
            )
        self.f, self.positional = f, len(args)
        self.leaves, self.rebuild = flatten([list(args), keywords])
        names = [*paths_of_leaves(args, "args"), *paths_of_leaves(keywords, "keywords")]
        axes = [*_axes_of(in_axes, args, "in_axes", name_of(f)), *_axes_of(0, keywords, "in_axes", name_of(f))]
        self.is_mapped = [
            axis is not None and x is not None and not isinstance(x, str)
            for axis, x in zip(axes, self.leaves, strict=True)
        ]
        lengths = {}
        for k, (name, axis) in enumerate(zip(names, axes, strict=True)):
            if axis is not None and self.is_mapped[k]:
                self.leaves[k] = _in_front(self.leaves[k], axis, name)
                lengths[name] = shape(self.leaves[k])[0]
        if len(set(lengths.values())) > 1:
            different = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ValueError(f"the mapped axes have different lengths: {different}{user_line()}")
        if not lengths:
            raise ValueError(
                f"no argument of {name_of(f)} is mapped: in_axes says which axis the members lie along{user_line()}"
            )
        self.count: int = next(iter(lengths.values()))

    def results(self, chosen: slice) -> _Results:
        """Return the results of some members: of all at once if that can be, else of one after the other."""
        level, count = Level(), len(range(self.count)[chosen])
        given = [
            mapped(getitem(x, (chosen,)), level) if is_mapped else x
            for x, is_mapped in zip(self.leaves, self.is_mapped, strict=True)
        ]
        NOTING.append(None)  # who reads a value
        try:
            out = run(self._called, given, level)
            leaves, rebuild = flatten(out)
            found = [_result(x, level, self.f) for x in leaves]
            if not level.looked_at:
                return _Results(found, rebuild, paths_of_leaves(out, ""), count)
        except Exception as error:
            if not self.count:
                raise ValueError(
                    f"{name_of(self.f)} is mapped over no members, and what it gives is not to be known "
                    f"without one{user_line()}"
                ) from error
        finally:
            NOTING.pop()
        return self._one_by_one(chosen)

    def _called(self, *leaves: Any) -> Any:
        args, keywords = self.rebuild(leaves)
        return self.f(*args, **keywords)

    def _one_by_one(self, chosen: slice) -> _Results:
        """Call the function for one member after the other."""
        leaves = [
            copied(getitem(x, (chosen,)), "K") if is_mapped else x
            for x, is_mapped in zip(self.leaves, self.is_mapped, strict=True)
        ]
        found, rebuilds, paths = [], [], []
        for place in range(len(range(self.count)[chosen])):
            given = (getitem(x, place) if is_mapped else x for x, is_mapped in zip(leaves, self.is_mapped, strict=True))
            out = map_leaves(filled, self._called(*given))
            values, rebuild = flatten(out)
            found.append([_value(x, self.f) for x in values])
            rebuilds.append(rebuild)
            paths.append(paths_of_leaves(out, ""))
        _check_alike(paths, self.f)
        stacked = [_stacked(list(values), self.f) for values in zip(*found, strict=True)]
        return _Results(stacked, rebuilds[0], paths[0], len(found))


def _check_alike(paths: list[list[str]], f: Any) -> None:
    """Raise ValueError where the results of members, given by the paths of their leaves, have different structures."""
    if any(one != paths[0] for one in paths):
        raise ValueError(f"{name_of(f)} returned another structure for another member{user_line()}")


def _axes_of(axes: Axes, tree: Any, option: str, name: str) -> list[int | None]:
    """Return the axis of each leaf of a structure; TypeError or ValueError where they do not fit it."""
    if axes is None or (isinstance(axes, (int, np.integer)) and not isinstance(axes, bool)):
        return [None if axes is None else int(axes)] * len(flatten(tree)[0])
    if not is_structure(axes):
        raise TypeError(f"{option} has axes, whole numbers, and None; got {described(axes)}{user_line()}")
    kind = kind_of(tree)
    matched = kind.matched(axes, tree) if kind is not None and is_structure(tree) else None
    if kind is None or matched is None:
        raise ValueError(
            f"{option} has a {type(axes).__name__} for a {type(tree).__name__} of {name}: it is built as "
            f"what it is for{user_line()}"
        )
    found: list[int | None] = []
    for one, part in zip(matched, kind.parts(tree), strict=True):
        if kind_of(part) is None or is_structure(part):
            found += _axes_of(one, part, option, name)
    return found


def _is_numeric(x: Any) -> bool:
    return is_number(type(x)) or is_foreign(type(x)) or isinstance(x, (np.ndarray, np.generic, int, float, complex))


def _in_front(x: Any, axis: int, name: str) -> Any:
    """Return an argument with the axis of the members in front."""
    if not _is_numeric(x):
        raise TypeError(
            f"{name} is {described(x)}, which has no members: give an array, or None for it in in_axes{user_line()}"
        )
    x = array(x) if isinstance(x, np.ndarray) else x
    rank = len(shape(x))
    if not -rank <= axis < rank:
        raise ValueError(
            f"{name} has shape {shape(x)} and no axis {axis}: where all members share it, give None "
            f"for it in in_axes, which is of arguments by position{user_line()}"
        )
    x = np.moveaxis(x, axis, 0) if axis % rank else x
    return np.ascontiguousarray(x) if type(x) is np.ndarray else x


def _value(x: Any, f: Any) -> Any:
    """Return a leaf of a result as a number or array; TypeError where it is neither, nor None or a string."""
    if isinstance(x, np.ndarray) and x.dtype.char == "O":
        x = array(x)
    if x is None or isinstance(x, str) or _is_numeric(x):
        return x
    raise TypeError(f"{name_of(f)} returned {described(x)}: a mapped function returns numbers and arrays{user_line()}")


def _result(x: Any, level: Level, f: Any) -> Any:
    x = _value(x, f)
    return _Of(x.data) if level_of(x) is level else x


def _shared(values: list[Any], f: Any) -> bool:
    """Return whether values are None or one text; ValueError where only some are."""
    texts = [x for x in values if x is None or isinstance(x, str)]
    if texts and (len(texts) < len(values) or any(x != texts[0] for x in texts)):
        raise ValueError(
            f"{name_of(f)} returned None or a text for one member and something else for another{user_line()}"
        )
    return bool(texts)


def _stacked(values: list[Any], f: Any) -> Any:
    first = values[0]
    if _shared(values, f):
        return first
    if len({shape(x) for x in values}) > 1:
        raise ValueError(
            f"the results of the members have different shapes, {shape(first)} and "
            f"{next(shape(x) for x in values if shape(x) != shape(first))}{user_line()}"
        )
    return _Of(stack(*values, 0))


def _joined(of_chunks: list[Any], lengths: list[int], axis: int | None, given: _Given, f: Any) -> Any:
    """Put the results of the chunks together, the members along an axis."""
    first = of_chunks[0]
    if _shared(of_chunks, f):
        return first
    if axis is None:
        if any(isinstance(x, _Of) or not _same(x, first) for x in of_chunks):
            raise ValueError(
                f"out_axes is None for a result of {name_of(f)} that is another one for each member: give "
                f"the axis to put them along{user_line()}"
            )
        return first
    parts = [_members(x, length) for x, length in zip(of_chunks, lengths, strict=True)]
    if len({shape(part)[1:] for part in parts}) > 1:
        raise ValueError(f"the results of the members of {name_of(f)} have different shapes{user_line()}")
    joined = parts[0] if len(parts) == 1 else concatenate(*parts, 0)
    if axis and not -len(shape(joined)) <= axis < len(shape(joined)):
        raise ValueError(
            f"out_axes is {axis} for a result of {name_of(f)} that has shape {shape(joined)[1:]} for each "
            f"member{user_line()}"
        )
    joined = np.moveaxis(joined, 0, axis) if axis else joined
    shares = type(joined) is np.ndarray and any(
        type(x) is np.ndarray and may_share_memory(x, joined) for x in given.leaves
    )
    return joined.copy() if shares or (is_array(joined) and not flags(joined).writeable) else joined


def _members(x: Any, count: int) -> Any:
    """Return the result of some members along its first axis; one that is the same for all is repeated."""
    if isinstance(x, _Of):
        return x.members
    return broadcast_to(x if is_number(type(x)) else np.asarray(x), (count, *shape(x)))


def _same(x: Any, y: Any) -> bool:
    """Return whether results that are the same for all members of two chunks are the same."""
    return x is y or is_number(type(x)) or is_number(type(y)) or np.array_equal(x, y)
