"""Which arguments are differentiated: nested structures taken apart, seeded, and the answer put together again.

Values enter and leave a differentiation here, so here is where a number that outlived its own is found.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from dualnumbers.arraynumber import ArrayNumber
from dualnumbers.errors import user_line
from dualnumbers.forms import PYTHON, is_unreal, shape
from dualnumbers.levels import HELD, is_labelled, is_number, read
from dualnumbers.levels import plain as value_of_leaf
from dualnumbers.rules.shaping import array, astype
from dualnumbers.table.partials import as_given

CONTAINERS = (tuple, list, dict)
FLOATING = tuple(map(np.dtype, ("f4", "f8", "c8", "c16")))


def flatten(tree: Any) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """Return the leaves of nested tuples, lists and dicts in order, and the function that puts as many back."""
    if not isinstance(tree, CONTAINERS):
        return [tree], lambda leaves: next(iter(leaves))
    parts = [flatten(part) for part in (tree.values() if isinstance(tree, dict) else tree)]
    leaves = [leaf for part, _ in parts for leaf in part]

    def rebuild(new: Iterable[Any]) -> Any:
        stream = iter(new)
        built = [build([next(stream) for _ in part]) for part, build in parts]
        if isinstance(tree, dict):
            other = copy(tree)  # a defaultdict keeps its factory
            for key, part in zip(tree, built, strict=True):
                other[key] = part
            return other
        return type(tree)(*built) if hasattr(tree, "_fields") else type(tree)(built)

    return leaves, rebuild


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the structure with ``function`` applied to each leaf."""
    if not isinstance(tree, CONTAINERS):
        return function(tree)
    leaves, rebuild = flatten(tree)
    return rebuild(map(function, leaves))


def value_of(x: Any) -> Any:
    """Return the plain value of a number or of a structure of them; a read-only view where it is an array."""
    return map_leaves(_value_of_leaf, x)


def _value_of_leaf(x: Any) -> Any:
    value = read(filled(x))
    return value if value is x else read_only(value)


def read_only(value: Any) -> Any:
    """Return a view of an array that cannot be written to; any other value as it is."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def stop_gradient(x: Any) -> Any:
    """Return ``x`` as a constant: its value, whose derivative is zero at every level."""
    return value_of(x)


def differentiable(x: Any, name: str = "the argument") -> Any:
    """Return a leaf that can be differentiated: integers become floats; TypeError for what is no number."""
    kind = type(x)
    if kind is float:
        return x
    if is_number(kind):
        check_alive(x)
        if x.level is HELD:
            return differentiable(x.snapshot(), name)
        return x.snapshot() if isinstance(x, ArrayNumber) else x
    if kind is int:
        return float(x)
    if is_labelled(kind) and len(x.shape) < 2:
        return differentiable(np.array(x), name)
    if kind is np.ndarray and x.dtype == object:
        joined = array(x)
        if type(joined) is not np.ndarray:
            return differentiable(joined, name)
    if isinstance(x, complex) or (_is_array(kind) and x.dtype.kind in "fc"):
        return x
    if _is_array(kind) and x.dtype.kind in "iu":
        return x.astype(float)
    columns = "; give a dict of its columns, {c: x[c] for c in x}" if is_labelled(kind) else ""
    raise TypeError(f"cannot differentiate with respect to {name}, {_described(x)}: it is not a real or complex number "
                    f"or array of them{columns}{user_line()}")  # fmt: skip


def _is_array(kind: type) -> bool:
    """Return whether a type is of NumPy's arithmetic; np.matrix and masked arrays have their own."""
    if issubclass(kind, (np.generic, np.ndarray)):
        return not any(base.__name__ in ("matrix", "MaskedArray") for base in kind.__mro__)
    return hasattr(kind, "__array_ufunc__") and hasattr(kind, "dtype") and not is_labelled(kind)


def _described(x: Any) -> str:
    text = " ".join(repr(x).split())
    return f"{type(x).__name__} {text if len(text) < 60 else text[:57] + '...'}"


def check_alive(x: Any) -> None:
    """Raise RuntimeError where a number, or a part of it, belongs to a differentiation that has ended."""
    if is_number(type(x)):
        if x.level.ended:
            raise RuntimeError(
                "a number outlived its differentiation: stored in it, used after it; store autodiff.value_of(x), or "
                f"return the components of a number made by hand themselves{user_line()}"
            )
        for part in x.parts():
            check_alive(part)


def living(x: Any) -> Any:
    """Return a number without the levels of ended differentiations: their derivatives are nobody's."""
    while is_number(type(x)) and x.level.ended:
        x = x.primal
    return x


def output_leaf(out: Any, f: Any) -> Any:
    """Return a result's leaf as a number or array; TypeError where it is neither, or of whole numbers.

    Integers and truth values have no derivative: 0 would hide that something was counted or compared.
    """
    out = _number(out, f)
    if type(out) is float or (is_number(type(out)) and getattr(type(out), "active", True)):
        return out
    value = value_of_leaf(out)
    kind = np.result_type(value).kind
    if kind in "biu":
        what = "a truth value" if kind == "b" else "an integer"
        raise TypeError(f"{name_of(f)} returned {_described(value)}: {what} has no derivative; for a constant return a "
                        "float, such as 0.0")  # fmt: skip
    return out


def filled(x: Any) -> Any:
    """Return what an array that takes numbers by assignment holds in the end; anything else as it is."""
    return x.snapshot() if is_number(type(x)) and x.level is HELD else x


def _number(out: Any, f: Any) -> Any:
    kind = type(out)
    if kind is float:
        return out
    if is_number(kind):
        return filled(out)
    if is_labelled(kind):
        out, kind = np.asarray(out), np.ndarray
    if kind is np.ndarray and out.dtype == object:
        return plain_output(out.tolist(), f)
    if isinstance(out, (int, float, complex)) or (_is_array(kind) and out.dtype.kind in "fciub"):
        return out
    raise TypeError(f"{name_of(f)} returned {_described(out)}; a function that is differentiated returns numbers or "
                    "arrays")  # fmt: skip


def name_of(f: Any) -> str:
    """Return what to call a function in an error."""
    return getattr(f, "__name__", "the function")


def output(out: Any, f: Any) -> Any:
    """Return what a function returned as one number or array: a nested list of numbers becomes an array."""
    return output_leaf(plain_output(out, f), f)


def plain_output(out: Any, f: Any) -> Any:
    """Return `output` that may be of integers, as a difference quotient takes it."""
    if not isinstance(out, (list, tuple)):
        return _number(out, f)
    for leaf in flatten(out)[0]:
        _number(leaf, f)
    try:
        return _number(array(out), f)
    except ValueError as error:
        raise TypeError(f"{name_of(f)} returned a ragged list: {error}") from error


def arguments(f: Any, args: Any) -> list[Any]:
    """Return a call's arguments as a new list; TypeError where ``args`` is not a sequence of arguments."""
    if type(args) is list or type(args) is tuple:
        return list(args)
    if (isinstance(args, Sequence) and not isinstance(args, str)) or (isinstance(args, np.ndarray) and args.ndim):
        if isinstance(args, np.ndarray) and len(args) != 1 and _takes_one(f):
            raise TypeError(f"args is the list of all arguments of {name_of(f)}, which takes one: give [x], not the "
                            f"array x{user_line()}")  # fmt: skip
        return list(args)
    raise TypeError(f"args is the list of all arguments of {name_of(f)}, such as [x]; got "
                    f"{_described(args)}")  # fmt: skip


def _takes_one(f: Any) -> bool:
    """Return whether a function takes one argument and no more."""
    try:
        kinds = [parameter.kind for parameter in inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):  # as of many a builtin
        return False
    return len(kinds) == 1 and kinds[0] in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def place(index: Any, count: int, name: str = "wrt") -> int:
    """Return a valid argument index; TypeError or IndexError that says which there are."""
    if type(index) is int and 0 <= index < count:
        return index
    if isinstance(index, bool) or not hasattr(type(index), "__index__"):
        raise TypeError(f"{name} is the index of an argument, or a tuple of indices; got {_described(index)}")
    if not -count <= index < count:
        there = f": 0 to {count - 1}" if count else ""
        raise IndexError(f"{name}={index}, but the function was given {count} argument(s) by position{there}")
    return int(index.__index__()) % count


def settled(result: Any) -> Any:
    """Return a result in which the Variables made by hand behind it are constants, as to a difference."""
    while is_number(type(result)) and result.level.is_of_leaves:
        result = result.primal
    return result


def own(result: Any) -> Any:
    """Return a result as the user gets it: not their array, nor one that a tape keeps, nor their Variable."""
    if is_number(type(result)):
        result = writable(result.snapshot())
    return result.copy("K") if type(result) is np.ndarray else result


def writable(result: Any) -> Any:
    """Return a number; of an array of numbers that cannot be written to, as one broadcast, a copy."""
    return result.copy("K") if isinstance(result, ArrayNumber) and not value_of_leaf(result).flags.writeable else result


def matching(tangent: Any, x: Any, what: str) -> list[Any]:
    """Return the leaves of a tangent or cotangent for ``x``, in the order of x's leaves and their precision.

    Raises ValueError where the structure or a shape is another, even one that broadcasts, or where a real value is
    given a complex tangent; TypeError where a leaf is no number.
    """
    if type(tangent) is type(x) is np.ndarray and tangent.shape == x.shape and tangent.dtype == x.dtype in FLOATING:
        return [tangent]  # the case of every step of a training, at a quarter of the time
    if isinstance(x, dict):
        if not isinstance(tangent, dict) or tangent.keys() != x.keys():
            raise ValueError(f"{what} has another structure than its value: a dict with the keys {list(x)} is needed")
        return [leaf for key, part in x.items() for leaf in matching(tangent[key], part, what)]
    if isinstance(x, CONTAINERS):
        if not isinstance(tangent, (list, tuple)) or len(tangent) != len(x):
            raise ValueError(f"{what} has another structure than its value: a {type(x).__name__} of {len(x)} is needed")
        return [leaf for t, part in zip(tangent, x, strict=True) for leaf in matching(t, part, what)]
    if isinstance(tangent, CONTAINERS) and not shape(x):
        raise ValueError(f"{what} has another structure than its value: a number is needed")
    tangent = differentiable(array(tangent), what)
    if shape(tangent) != shape(x):
        raise ValueError(f"{what} has shape {shape(tangent)}, its value has shape {shape(x)}: they must be equal")
    if is_unreal(tangent) and not is_unreal(x):
        raise ValueError(f"{what} is complex, its value is real")
    if type(x) is np.ndarray and not x.ndim and not is_number(type(tangent)):
        return [np.asarray(tangent, np.result_type(tangent, x.dtype))]  # it may be written to, or indexed
    return [as_given(astype(tangent, x.dtype) if shape(x) and tangent.dtype != x.dtype else tangent, x)]


def zero(out: Any, x: Any) -> Any:
    """Return the zero tangent of an output that ``x`` does not reach: of the output's shape, in the type of both."""
    out, x = value_of_leaf(out), value_of_leaf(x)
    if isinstance(out, PYTHON) and isinstance(x, PYTHON):
        return type(type(x)(0) * 0.0 + type(out)(0) * 0.0)(0)
    return np.zeros(np.shape(out), np.result_type(out, x, 0.0))[()]


def scalar_output(out: Any, f: Any) -> Any:
    """Return what a function returned as one number; TypeError where it is an array."""
    out = plain_output(out, f)
    if shape(out):
        raise TypeError(f"{name_of(f)} returned an array of shape {shape(out)}; a gradient "
                        "needs a number: sum it, or use jacobian")  # fmt: skip
    return out


def real_output(out: Any, f: Any) -> Any:
    """Return what a function returned as one real number; TypeError where it is an array or complex."""
    out = output_leaf(scalar_output(out, f), f)
    if is_unreal(out):
        raise TypeError(f"{name_of(f)} returned a complex number: a gradient needs a real output, such as abs(z); use "
                        "jacobian for a holomorphic function, or vjp")  # fmt: skip
    return out


def argnums_of(argnums: Any, count: int) -> list[int]:
    """Return the argument indices that ``argnums`` names; ValueError where one is named twice."""
    places = [place(k, count, "argnums") for k in (argnums if isinstance(argnums, tuple) else (argnums,))]
    if len(set(places)) < len(places):
        raise ValueError(f"argnums={argnums} names an argument twice: name it once, and use its derivative twice")
    return places


def check_holomorphic(along_i: Any, along_one: Any) -> None:
    """Raise ValueError where the derivative along i is not i times that along 1 (Cauchy-Riemann)."""
    pairs = zip(flatten(along_i)[0], flatten(along_one)[0], strict=True)
    for turned, straight in ((read(a), read(b)) for a, b in pairs):
        size = np.max(np.abs(straight), initial=0.0) + np.max(np.abs(turned), initial=0.0)
        rounding = np.sqrt(np.finfo(np.result_type(straight, np.float16)).eps)
        if np.any(np.abs(turned - 1j * straight) > rounding * size):
            raise ValueError("the function is not holomorphic at this complex point, so it has no complex derivative: "
                             "use jvp or vjp, or grad of a real output")  # fmt: skip
