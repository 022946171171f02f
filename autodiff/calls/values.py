"""Values as they enter and leave a differentiation: what may be differentiated, and what a function may return.

A number that outlived its own differentiation is found here, since it has to come in or go out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.foreign import as_like, copy_of, is_foreign, is_unsized, new_like
from dualnumbers.forms import PYTHON, flags, is_unreal, shape
from dualnumbers.levels import HELD, is_noted, is_number, plain, read
from dualnumbers.messages.errors import user_line
from dualnumbers.number_types import alike, converted, number_type, wrapped
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.typed import unwrapped
from dualnumbers.operands import is_labelled
from dualnumbers.rules.shaping import array, astype
from dualnumbers.table.partials import as_given

from .given import described
from .structures import flatten, is_structure, kind_of, map_leaves

CANCELLED = 1024.0
"""How many eps of the largest element another one may be off, where the terms that it is a sum of cancel."""

FLOATING = tuple(map(np.dtype, ("f4", "f8", "c8", "c16")))


def value_of(x: Any) -> Any:
    """Return the plain value of a number or of a structure of them; a read-only view where it is an array.

    >>> from autodiff import Variable
    >>> value_of(Variable(2.0) * 3.0)
    6.0
    """
    return map_leaves(_value_of_leaf, x)


def _value_of_leaf(x: Any) -> Any:
    value = read(filled(x))
    return value if value is x else read_only(value)


def read_only(value: Any) -> Any:
    """Return a view of an array that cannot be written to, a copy of a foreign array; any other value as it is."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return copy_of(value) if is_foreign(type(value)) else value


def stop_gradient(x: Any) -> Any:
    """Return ``x`` as a constant: its value, whose derivative is zero at every level.

    In a recording it is a line, which ``tape.run`` computes anew at other inputs.

    >>> from autodiff import derivative
    >>> derivative(lambda x: x * stop_gradient(x), 0, [3.0])
    3.0
    """
    return map_leaves(_stopped_leaf, x)


def _stopped_leaf(x: Any) -> Any:
    from dualnumbers.rules.stopping import stopped

    x = filled(x)
    return stopped(x) if is_noted(x) else _value_of_leaf(x)


def differentiable(x: Any, name: str = "the argument") -> Any:
    """Return a leaf that can be differentiated: integers become floats; TypeError for what is no number."""
    kind = type(x)
    if kind is float or (kind is np.ndarray and x.dtype.kind in "fc"):
        return x
    if is_number(kind):
        check_alive(x)
        if x.level is HELD:
            return differentiable(x.snapshot(), name)
        return x.snapshot() if isinstance(x, ArrayNumber) else x
    if kind is int:
        return float(x)
    if number_type(kind) is not None:
        return wrapped(x)
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
    remedy = "; give a dict of its columns, {c: x[c] for c in x}" if is_labelled(kind) else ""
    if x is None and name.endswith("tangent"):
        raise TypeError(f"{name} of a number or an array is None: for what does not move give 0.0 or np.zeros_like(x)"
                        f"{user_line()}")  # fmt: skip
    if "[" in name and (isinstance(x, bool) or getattr(getattr(x, "dtype", None), "kind", "") == "b"):
        remedy = "; a flag is no number: give it as an argument of its own, or as a string"
    if hasattr(x, "__dict__") and not callable(x) and not isinstance(x, np.ndarray):
        remedy = remedy or "; register its class by autodiff.register_structure"
    raise TypeError(f"cannot differentiate with respect to {name}, {described(x)}: it is not a real or complex number "
                    f"or array of them{remedy}{user_line()}")  # fmt: skip


def _is_array(kind: type) -> bool:
    """Return whether a type computes as NumPy's arrays and scalars do; np.matrix and masked arrays do not."""
    if issubclass(kind, (np.generic, np.ndarray)):
        return not any(base.__name__ in ("matrix", "MaskedArray") for base in kind.__mro__)
    return is_foreign(kind)


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
    value = plain(out)
    if number_type(type(value)) is not None:
        return out
    kind = np.result_type(value).kind
    if kind in "biu":
        what = "a truth value" if kind == "b" else "an integer"
        raise TypeError(f"{name_of(f)} returned {described(value)}: {what} has no derivative; for a constant return a "
                        "float, such as 0.0")  # fmt: skip
    return out


def filled(x: Any) -> Any:
    """Return what an array that takes numbers by assignment holds in the end; anything else as it is."""
    return x.snapshot() if getattr(type(x), "level", None) is HELD else x


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
    if number_type(kind) is not None:
        return wrapped(out)
    raise TypeError(f"{name_of(f)} returned {described(out)}; a function that is differentiated returns numbers or "
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
    _check_numbers(out, f)
    try:
        return _number(array(out), f)
    except ValueError as error:
        raise TypeError(f"{name_of(f)} returned a ragged list: {error}") from error


def without_leaves(result: Any) -> Any:
    """Return the value under the Variables made by hand, which to a difference quotient are constants."""
    while is_number(type(result)) and result.level.is_of_leaves:
        result = result.primal
    return result


def own(result: Any) -> Any:
    """Return a result as the user gets it: not their array, nor one that a tape keeps, nor their Variable."""
    if is_number(type(result)):
        result = unwrapped(writable(result.snapshot()))
    return result.copy("K") if type(result) is np.ndarray else copy_of(result) if is_foreign(type(result)) else result


def writable(result: Any) -> Any:
    """Return a number; of an array of numbers that cannot be written to, as one broadcast, a copy."""
    return result.copy("K") if isinstance(result, ArrayNumber) and not flags(result).writeable else result


def matching(tangent: Any, x: Any, what: str) -> list[Any]:
    """Return the leaves of a tangent or cotangent for ``x``, in the order of x's leaves and their precision.

    Raises ValueError where the structure or a shape is another, even one that broadcasts, or where a real value is
    given a complex tangent; TypeError where a leaf is no number.
    """
    if type(tangent) is type(x) is np.ndarray and tangent.shape == x.shape and tangent.dtype == x.dtype in FLOATING:
        return [tangent]  # the case of every step of a training, at a quarter of the time
    kind = kind_of(x)
    if kind is not None:
        given = kind.matched(tangent, x)
        if given is None:
            raise _unlike(what, x)
        return [leaf for t, part in zip(given, kind.parts(x), strict=True) for leaf in matching(t, part, what)]
    if number_type(type(plain(x))) is not None:
        return [_beside_typed(tangent, what, x)]
    if is_structure(tangent) and not (shape(x) and isinstance(tangent, (list, tuple))):
        raise _unlike(what, x)
    try:
        tangent = array(tangent)
    except ValueError as error:  # of a ragged list
        raise _unlike(what, x) from error
    tangent = as_like(differentiable(tangent, what), x)
    if shape(tangent) != shape(x) and not (is_unsized(x) and len(shape(tangent)) == len(shape(x))):
        raise _of_other_shape(what, tangent, x)
    if is_unreal(tangent) and not is_unreal(x):
        raise ValueError(f"{what} is complex, its value is real{user_line()}")
    if type(x) is np.ndarray and not x.ndim and not is_number(type(tangent)):
        return [np.asarray(tangent, np.result_type(tangent, x.dtype))]  # it may be written to, or indexed
    return [as_given(astype(tangent, x.dtype) if shape(x) and tangent.dtype != x.dtype else tangent, x)]


def _beside_typed(tangent: Any, what: str, x: Any) -> Any:
    """Return the tangent of a number of another type, as `matching` does."""
    tangent = differentiable(tangent, what)
    if shape(tangent):
        raise _of_other_shape(what, tangent, x)
    return alike(tangent, type(plain(x)))


def _of_other_shape(what: str, t: Any, x: Any) -> ValueError:
    return ValueError(f"{what} has shape {shape(t)}, its value has shape {shape(x)}: they must be equal{user_line()}")


def _unlike(what: str, x: Any) -> ValueError:
    """Return the error of a tangent that is not built like its value ``x``."""
    kind = kind_of(x)
    needed = kind.needed(x) if kind else f"an array of shape {shape(x)}" if shape(x) else "a number"
    return ValueError(f"{what} has another structure than its value: {needed} is needed{user_line()}")


def zero(out: Any, x: Any) -> Any:
    """Return the zero tangent of an output that ``x`` does not reach: of the output's shape, in the type of both."""
    out, x = plain(out), plain(x)
    typed = next((type(part) for part in (x, out) if number_type(type(part)) is not None), None)
    if typed is not None:
        return converted(0, typed)
    if isinstance(out, PYTHON) and isinstance(x, PYTHON):
        return type(type(x)(0) * 0.0 + type(out)(0) * 0.0)(0)
    return new_like(out, np.shape(out), np.result_type(out, x, 0.0))[()]


def _check_numbers(out: Any, f: Any) -> None:
    """Raise TypeError where nested lists hold something else than numbers and arrays, as `_number` does."""
    for part in out:
        if isinstance(part, (list, tuple)):
            _check_numbers(part, f)
        else:
            _number(part, f)


def scalar_output(out: Any, f: Any) -> Any:
    """Return what a function returned as one number; TypeError where it is an array."""
    number = plain_output(out, f)
    if shape(number):
        what = "a list" if isinstance(out, list) else "a tuple" if isinstance(out, tuple) else "an array"
        raise TypeError(f"{name_of(f)} returned {what} of shape {shape(number)}; a gradient "
                        "needs a number: sum it, or use jacobian")  # fmt: skip
    return number


def real_output(out: Any, f: Any) -> Any:
    """Return what a function returned as one real number; TypeError where it is an array or complex."""
    if getattr(type(out), "active", False) and type(plain(out)) in (float, np.float64):
        return out  # most are
    out = output_leaf(scalar_output(out, f), f)
    if is_unreal(out):
        raise TypeError(f"{name_of(f)} returned a complex number: a gradient needs a real output, such as abs(z); use "
                        "jacobian for a holomorphic function, or vjp")  # fmt: skip
    return out


def check_holomorphic(along_i: Any, along_one: Any) -> None:
    """Raise ValueError where the derivative along i is not i times that along 1 (Cauchy-Riemann).

    Half of the digits of each element are enough, and what is left of terms as large as the largest has a few less.
    """
    pairs = zip(flatten(along_i)[0], flatten(along_one)[0], strict=True)
    for turned, straight in ((read(a), read(b)) for a, b in pairs):
        size, eps = np.abs(straight) + np.abs(turned), np.finfo(np.result_type(straight, np.float16)).eps
        if np.any(np.abs(turned - 1j * straight) > np.sqrt(eps) * size + CANCELLED * eps * np.max(size, initial=0.0)):
            raise ValueError("the function is not holomorphic at this complex point, so it has no complex derivative: "
                             "use jvp or vjp, or grad of a real output")  # fmt: skip
