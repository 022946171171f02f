"""What an error says: what stands on the user's line, and what to write instead. Read at the first error (`errors`)."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from typing import Any

from ..levels import Level, is_number
from .frames import Fault, Place, fault, is_ours, module_of, raised, running, scipy_function, stack
from .names import ADOPTED, COUNTERPARTS, public_name
from .refusals import note
from .remedies import NUMPY_REMEDIES, REMEDIES, SCIPY_REMEDIES
from .shortening import FACTORS, LABELLED, LONGEST, METHODS, Written, fitting, short

PLAIN = "autodiff.value_of(x) is the plain value"

KINDS = ("Constant", "DualNumber", "TaylorNumber", "Variable")
"""The kinds of number that a user knows, by their names."""

READERS = (*LABELLED, "matplotlib", *sys.stdlib_module_names)
"""Packages that read plain values: what is on the user's line counts, not what is on theirs."""


# ------------------------------------------------------------------------------------------------ what it says


def user_line() -> str:
    """Return `` (at file:line)`` of the innermost line that the user wrote; empty where the stack is full."""
    return str(_here() or "")


def _here() -> Fault | None:
    """Return where this happens; None where the stack is full."""
    try:
        return fault(running(stack()))
    except RecursionError:
        return None


def _numpy_remedy(within: Iterable[Any]) -> str:
    """Return what to do instead of the class or function of NumPy among the frames; empty if there is none."""
    for frame in within:
        module = module_of(frame).split(".")
        owners = [frame.f_code.co_qualname.partition(".")[0], ".".join(module[:2])] if module[0] == "numpy" else []
        for owner in owners:
            if owner in NUMPY_REMEDIES:
                return NUMPY_REMEDIES[owner]
    return ""


def rewritten(place: Place | None, call: str, rank: int = 0) -> Written:
    """Find what to write instead of what stands at a place, by modules that are read at the first error."""
    from . import rewriting

    return rewriting.rewritten(place, call, rank)


def _scipy_remedy(caller: str, written: Written) -> str:
    """Return what to do instead of a function of SciPy, in the code that was written."""
    if caller == FACTORS:
        solution = "autodiff.scipy.sparse.linalg.splu(A).solve(b)"
        return f"{short(written.old)}: the factors of a sparse matrix take plain numbers; write {solution}"
    if caller == "scipy.sparse" or caller.rpartition(".")[0] == "scipy.sparse":
        return _of_sparse(caller, written)
    if caller in SCIPY_REMEDIES:
        return f"{caller} reads plain numbers: write {SCIPY_REMEDIES[caller]}"
    counterparts = [name for find in COUNTERPARTS for name in find(caller)]
    if not counterparts:
        known = "autodiff.implicit differentiates what any solver finds" if ".optimize" in caller else ""
        return f"{caller} reads plain numbers, so it has no derivative here{f'; {known}' if known else ''}"
    name, call = caller.rpartition(".")[2], re.fullmatch(r"([\w.]+)(\(.*\))", written.old, re.DOTALL)
    same = call and call[1].rpartition(".")[2] == name == counterparts[0].rpartition(".")[2]
    best = f"{counterparts[0]}{call[2]}" if call and same else counterparts[0]
    return fitting(
        f"{caller} reads plain numbers: write {best}",
        f"{caller} reads plain numbers: write {short(best)}",
        f"{caller} reads plain numbers: call {counterparts[0]}",
    )


def _of_sparse(caller: str, written: Written) -> str:
    """Return what to do where a sparse matrix of SciPy's was to hold numbers."""
    made = re.match(r"(?:[\w.]*\.)?(\w+)\(", written.old)
    known = [name for find in COUNTERPARTS for name in find(f"scipy.sparse.{made[1]}")] if made else []
    whole = known and not re.search(r"\)\.\w+\(.*\)$", written.old)
    instead = known[0] if whole else "x * scipy.sparse.csr_array(A), or autodiff.scipy.sparse.coo_array"
    lost = f"a sparse matrix of SciPy holds plain numbers; write {instead}"
    return fitting(*(f"{short(written.old, most) or caller}: {lost}" for most in (60, 30, 12)))


def _sentence(written: Written, kind: str, inside: str, plainly: str) -> str:
    """Return the sentence for code that is known, the longest that is short enough."""
    lost = f"would lose the derivative of a {kind}"
    if inside:
        module, _, function = inside.partition(":")
        adopted = any(tells(module) for tells in ADOPTED)
        advice = "no adoption keeps it" if adopted else f"call it within autodiff.adopt({module})"
        there = f"in {module}.{function} {lost}: {advice}"
        return fitting(*(f"{short(written.old, most)} {there}" for most in (60, 30, 12)))
    texts = []
    for most_of_old, most_of_new in ((LONGEST, LONGEST), (40, LONGEST), (60, 60), (30, 30)):
        old, new = short(written.old, most_of_old), short(written.new, most_of_new)
        sentence = f"{old} {lost}: {written.how or f'write {new}'}"
        in_training = [f"{sentence}, or within no_grad()"] if plainly is not PLAIN else []
        other = in_training if "value_of" in new else [f"{sentence}; {plainly}", f"{sentence}; {PLAIN}"]
        texts += [*other, sentence]
    return fitting(*texts)


def _place_in(here: Fault) -> str:
    """Return the function of a package whose code is at fault, ``module:name``; empty where it is the user's own."""
    if here.code is None or here.code is here.own:
        return ""
    frame = here.code.frame
    return f"{module_of(frame)}:{frame.f_code.co_qualname}".replace(".<locals>", "")


def _at_fault(here: Fault) -> Fault:
    """Return the place to advise about: in the user's own code where a package reads plain values."""
    of_package = here.by is not None and here.by is not here.own and not _reads(here)
    return here._replace(inside=here.inside or of_package)


def _reads(here: Fault) -> bool:
    return here.by is not None and module_of(here.by.frame).partition(".")[0] in READERS


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError, remedy: str = "") -> Exception:
    """Return the error for a number that is to become a plain value and would lose its derivative."""
    here = _at_fault(fault(running(stack())))
    kind, written, plainly = _public_kind(number), Written(""), PLAIN
    level = getattr(number, "level", None)  # an array of the caller's may stand for what would be stored in it
    if level and level.is_of_leaves:
        plainly = "plain: autodiff.value_of(x), or within no_grad()"
    caller = scipy_function(here.within)
    if not remedy or call in METHODS:
        written = rewritten(here.code, call, getattr(number, "ndim", 0))
    if caller:
        text = _scipy_remedy(caller, written)
    elif by_numpy := _numpy_remedy(here.within):
        text = fitting(f"{by_numpy}; {plainly}", by_numpy)
    elif written.new or written.how or _place_in(here):
        text = _sentence(written if written.old else Written(call), kind, _place_in(here), plainly)
    else:
        lost = f"{call} of a {kind} would lose its derivative"
        remedy = remedy or _remedy(call, level)
        text = fitting(f"{lost}: {remedy}. {plainly}", f"{lost}: {remedy}. {PLAIN}", f"{lost}: {remedy}")
    if error is TypeError:
        note(number, f"{text}{here}")
    return error(f"{text}{here}")


def _remedy(call: str, level: Level | None) -> str:
    if "out=" in call or "into" in call:
        return "make it by np.zeros(..., like=x)"
    of_leaves = "backward() leaves the derivative in x.grad"
    found = of_leaves if level and level.is_of_leaves else "the derivative is what the call around f returns"
    return REMEDIES.get(call, found)


def has_labels(number: Any, table: Any) -> TypeError:
    """Return the error for an operation of a number with a column or table that goes by its labels."""
    here = _at_fault(fault(running(stack())))
    written = rewritten(here.code, "")
    kind, column = type(table).__name__, "to_numpy()" in written.new
    texts = [
        f"{short(written.old, most) or 'this'} goes by the labels of the {kind}, which derivatives have not: "
        + (f"write {short(written.new, most_of_new)}" if column else f"take .to_numpy() of the {kind}")
        for most, most_of_new in ((LONGEST, LONGEST), (30, LONGEST), (30, 60))
    ]
    text = fitting(*texts) + str(here)
    note(number, text)
    return TypeError(text)


def no_rule(function: Any, variant: str = "", *numbers: Any) -> TypeError:
    """Return the error for a NumPy or SciPy function that is not in the table, called for these numbers."""
    here = _here()
    text = (
        f"{public_name(function)}{variant} has no derivative here: write it with functions that have one, or apply "
        "it to autodiff.value_of(x) if its derivative is not wanted"
    )
    written = rewritten(_at_fault(here).code, "") if here and here.within else Written("")
    if "autodiff.array(" in written.new:  # NumPy's own code came to it, by objects
        text = fitting(f"{short(written.old)} needs an array of numbers: write {written.new}", text)
    caller = scipy_function(here.within) if here else ""
    if caller and ": write " in (by_scipy := _scipy_remedy(caller, written)):
        text = by_scipy
    text = f"{text}{here or ''}"
    note(numbers, text)
    return TypeError(text)


def no_hash(number: Any) -> TypeError:
    """Return the error for a number of a differentiation that is used as a key."""
    here = _here()
    caller = scipy_function(here.within) if here else ""
    text = _scipy_remedy(caller, rewritten(here.code, "")) if here and caller else (
        "a number in a differentiation has no hash: as a key of a dict, set or lru_cache it would find a stored plain "
        "answer; use autodiff.value_of(x) as the key")  # fmt: skip
    text = f"{text}{here or ''}"
    if not getattr(number, "ndim", 0):  # that of an array is refused in plain code as well
        note(number, text, warns=True)
    return TypeError(text)


def unpicklable(number: Any) -> TypeError:
    """Return the error for pickling a number that belongs to a running differentiation."""
    return TypeError(
        f"a {_public_kind(number)} inside a differentiation cannot be pickled: it ends with the call; pickle "
        f"autodiff.value_of(x){user_line()}"
    )


def raise_if_unbound(function: Any, entry: Any, arguments: Any, keywords: dict[str, Any]) -> None:
    """Raise where a NumPy function was called in a way that the table has no derivative for."""
    bound = inspect.signature(entry)
    try:
        bound.bind(*arguments, **keywords)
    except TypeError as error:
        unknown = [name for name in keywords if name not in bound.parameters]
        variant = f" with {', '.join(unknown)}=" if unknown else f" so called ({error})"
        raise no_rule(function, variant, arguments, list(keywords.values())) from None


def _public_kind(number: Any) -> str:
    """Return the name by which a user knows the kind of a number."""
    names = [kind.__name__ for kind in type(number).__mro__]
    return next((name for name in names if name in KINDS), names[0])


# ------------------------------------------------------------------------------------------------ others' errors

_OF_NUMBERS = (
    r"ε|\b(BatchNumber|FloatBatch|(Dual|Taylor)(Number|Array|View)|(Array)?Variable(View)?|Leaf|LocallyConstant(Array)?)\b|dtype\('O'\)|"
    r"not supported for the input types|be a string or a Rational|NotImplementedType|object arrays are not|"
    r"which has no callable \w+ method|\b(operators\w*|at_first_use)\.<locals>"
)
_PLAIN_AS_WELL = (
    "has no attribute|is not (subscriptable|callable|iterable)|has no len|bad operand|"
    "unsupported operand|interpreted as an integer|indices must be"
)
"""What Python says of a float as well."""


_COUNTED = "interpreted as an integer|indices must be integers|sequence of integers or a single integer|valid indices"
"""What Python and NumPy say of a number that stands for a count or a place."""

_STATIC = (
    "If it came with an argument: integers there become floats, to be differentiated. Keep a count outside, in "
    'a closure, or in a field(metadata={"static": True}).'
)


def _kind_at(place: Place | None, named: str) -> str:
    """Return the kind of the numbers that an error is about: of those named at a place, or the kind ``named``."""
    held = place.frame.f_locals.values() if place else ()
    found = (x for value in held for x in (value if isinstance(value, list) else [value]) if is_number(type(x)))
    kind = next((_public_kind(x) for x in found), "")
    return kind or next((name for name in KINDS if named.startswith(name[:4])), "Variable")


def explain(error: Exception, level: Level) -> None:
    """Raise a clear error instead of one that numbers caused in others' code; where they may have, add a note to it.

    ``error`` came out of the function that is differentiated.
    """
    places = raised(error.__traceback__)
    swallowed = level.refused is not None and not level.refused.warns
    if not isinstance(error, SystemError) and (is_ours(places[0].frame) or hasattr(error, "__notes__")):
        return  # its own text says it; C code that goes on with an error pending fails anywhere
    if swallowed:
        raise TypeError(level.refused.text) from error
    here = fault((*places, *running(stack())))
    caller, text, where = scipy_function(here.within), str(error), module_of(places[0].frame).partition(".")[0]
    ours = isinstance(error, (TypeError, ValueError)) and not re.search(_PLAIN_AS_WELL, text)
    by_scipy = bool(caller) and where == "scipy"  # a ValueError of the user's own may show a number
    ours = ours and (by_scipy or isinstance(error, TypeError))
    named = re.search(_OF_NUMBERS, text) if ours or "'NotImplementedType'" in text else None
    written = rewritten(_at_fault(here).code, "") if named or caller else Written("")
    caller = caller or (written.scipy if named else "")
    if caller and named:
        raise TypeError(f"{_scipy_remedy(caller, written)}{here}") from error
    if named and written.new and here.own is here.code:
        raise TypeError(f"{_sentence(written, _kind_at(here.code, named[0]), '', PLAIN)}{here}") from error
    if isinstance(error, (TypeError, IndexError)) and re.search(_COUNTED, text):
        error.add_note(_STATIC)
    elif caller and isinstance(error, (TypeError, ValueError, AttributeError, NotImplementedError)):
        error.add_note(f"If numbers of the differentiation came to it: {_scipy_remedy(caller, written)}{here}.")
    elif "ufunc" in text or (where == "numpy" and isinstance(error, (TypeError, AttributeError))):
        error.add_note(
            "If numbers of the differentiation came to it in a list or an array of objects: join them "
            f"first, by autodiff.array([...]){here}."
        )
