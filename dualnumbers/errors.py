"""What an error says: what stands on the user's line, and what to write instead. Runs on the error path alone."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .frames import Fault, fault, is_ours, module_of, public_module, raised, running, scipy_function, stack
from .levels import Level
from .lines import LABELLED
from .refusals import note
from .rewriting import Written, rewritten

COUNTERPARTS: list[Callable[[str], list[str]]] = []
"""Each finds, for the name of a SciPy function, the names of functions that do the same for numbers."""

ADOPTED: list[Callable[[str], bool]] = []
"""Each tells, for the name of a module, whether its code is adopted now."""

PLAIN = "autodiff.value_of(x) is the plain value"
LONGEST = 160
"""Characters of a message, without the file and the line."""

READERS = (*LABELLED, "matplotlib", *sys.stdlib_module_names)
"""Packages that read plain values: what is on the user's line counts, not what is on theirs."""

_JOIN = "join numbers with np.stack or autodiff.array, or fill np.zeros(..., like=x)"
REMEDIES = {
    "float": f"call NumPy or dualnumbers.dmath; {_JOIN}",
    "int": "keep the number as it is",
    "complex": "keep the number as it is, or add 0j",
    "np.asarray": f"keep it, {_JOIN}",
    "np.array": f"call x.copy(), {_JOIN}",
}
"""A road on which a number would become plain → what to do instead, where the line is not known."""

NUMPY_REMEDIES = {
    "vectorize": "np.vectorize calls Python on plain elements: write np.stack([f(t) for t in x])",
    "AxisConcatenator": "np.r_ and np.c_ make plain arrays: write np.concatenate or np.column_stack",
    "as_strided": "as_strided reads memory: write np.lib.stride_tricks.sliding_window_view, or index with integers",
    "full_like": "np.full_like makes an array like its plain prototype: write np.full(shape, value, like=value)",
    "ndenumerate": "np.ndenumerate makes a plain array: read x[place] for place in np.ndindex(x.shape)",
    "numpy.ma": "masked arrays have an arithmetic of their own: write np.where, or give where= to the reduction",
    "numpy.polynomial": "numpy.polynomial makes plain arrays: give it list(c), or write "
    "np.polynomial.polynomial.polyval(x, p.convert().coef)",
}
"""A class, function or module of NumPy that converts to plain arrays → what to do instead."""


# ------------------------------------------------------------------------------------------------ what it says


def user_line() -> str:
    """`` (at file:line)`` of the innermost line that the user wrote; empty where the stack is full."""
    try:
        return str(fault(running(stack())))
    except RecursionError:
        return ""


def _numpy_remedy(within: Iterable[Any]) -> str:
    """What to do instead of the class or function of NumPy among the frames; empty if there is none."""
    for frame in within:
        module = module_of(frame).split(".")
        owners = [frame.f_code.co_qualname.partition(".")[0], ".".join(module[:2])] if module[0] == "numpy" else []
        for owner in owners:
            if owner in NUMPY_REMEDIES:
                return NUMPY_REMEDIES[owner]
    return ""


def _scipy_remedy(caller: str, written: Written) -> str:
    """What to do instead of a function of SciPy, in the code that was written."""
    if caller == "scipy.sparse":
        return f"{_short(written.old) or caller}: a sparse matrix takes plain numbers; write A.toarray() in its place"
    counterparts = [name for find in COUNTERPARTS for name in find(caller)]
    if not counterparts:
        known = "docs/how-to/solve-equations.md has a rule for solutions" if ".optimize" in caller else ""
        return f"{caller} reads plain numbers, so it has no derivative here{f'; {known}' if known else ''}"
    name, call = caller.rpartition(".")[2], re.fullmatch(r"([\w.]+)(\(.*\))", written.old, re.DOTALL)
    same = call and call[1].rpartition(".")[2] == name == counterparts[0].rpartition(".")[2]
    best = f"{counterparts[0]}{call[2]}" if call and same else counterparts[0]
    return _fitting(f"{caller} reads plain numbers: write {best}",
                    f"{caller} reads plain numbers: write {_short(best)}",
                    f"{caller} reads plain numbers: call {counterparts[0]}")  # fmt: skip


def _short(code: str, most: int = 60) -> str:
    """Code of at most so many characters: what stands in its outermost brackets is left out first."""
    if len(code) <= most:
        return code
    code = re.sub(r"([\w\]])\(.*\)", r"\1(…)", code, flags=re.DOTALL)
    return code if len(code) <= most else f"{code[: most - 1]}…"


def _fitting(*sentences: str) -> str:
    """The first of the sentences that is short enough."""
    return next((sentence for sentence in sentences if len(sentence) <= LONGEST), sentences[-1][:LONGEST])


def _sentence(written: Written, kind: str, inside: str, plainly: str) -> str:
    """The sentence for code that is known, the longest that is short enough."""
    lost = f"would lose the derivative of a {kind}"
    if inside:
        module, _, function = inside.partition(":")
        adopted = any(tells(module) for tells in ADOPTED)
        advice = "no adoption keeps it" if adopted else f"call it within autodiff.adopt({module})"
        there = f"in {module}.{function} {lost}: {advice}"
        return _fitting(*(f"{_short(written.old, most)} {there}" for most in (60, 30, 12)))
    texts = []
    for most_of_old, most_of_new in ((LONGEST, LONGEST), (40, LONGEST), (60, 60), (30, 30)):
        old, new = _short(written.old, most_of_old), _short(written.new, most_of_new)
        sentence = f"{old} {lost}: write {new}"
        in_training = [f"{sentence}, or within no_grad()"] if plainly is not PLAIN else []
        other = in_training if "value_of" in new else [f"{sentence}; {plainly}", f"{sentence}; {PLAIN}"]
        texts += [*other, sentence]
    return _fitting(*texts)


def _place_in(here: Fault) -> str:
    """The function of a package whose code is at fault, ``module:name``; empty where it is the user's own."""
    if here.code is None or here.code is here.own:
        return ""
    frame = here.code.frame
    return f"{module_of(frame)}:{frame.f_code.co_qualname}".replace(".<locals>", "")


def _at_fault(here: Fault) -> Fault:
    """Where it is best said what to write: in the user's own code for a package that reads plain values."""
    of_package = here.by is not None and here.by is not here.own and not _reads(here)
    return here._replace(inside=here.inside or of_package)


def _reads(here: Fault) -> bool:
    return here.by is not None and module_of(here.by.frame).partition(".")[0] in READERS


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError, remedy: str = "") -> Exception:
    """The error for every road by which a number would become a plain value and lose its derivative."""
    here = _at_fault(fault(running(stack())))
    kind, written, plainly = _public_kind(number), Written(""), PLAIN
    level = getattr(number, "level", None)  # an array of the caller's may stand for what would be stored in it
    if level and level.is_of_leaves:
        plainly = "plain: autodiff.value_of(x), or within no_grad()"
    caller = scipy_function(here.within)
    if not remedy:
        written = rewritten(here.code, call, getattr(number, "ndim", 0))
    if caller:
        text = _scipy_remedy(caller, written)
    elif by_numpy := _numpy_remedy(here.within):
        text = _fitting(f"{by_numpy}; {plainly}", by_numpy)
    elif written.new or _place_in(here):
        text = _sentence(written if written.old else Written(call), kind, _place_in(here), plainly)
    else:
        lost = f"{call} of a {kind} would lose its derivative"
        remedy = remedy or _remedy(call, level)
        text = _fitting(f"{lost}: {remedy}. {plainly}", f"{lost}: {remedy}. {PLAIN}", f"{lost}: {remedy}")
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
    """The error for an operation of a number with a column or table that goes by its labels."""
    here = _at_fault(fault(running(stack())))
    written = rewritten(here.code, "")
    kind, instead = type(table).__name__, written.new or "x.to_numpy()"
    texts = [f"{_short(old) or 'this'} goes by the labels of the {kind}, which derivatives have not: write {new}"
             for old, new in ((written.old, instead), (_short(written.old, 30), _short(instead, 60)))]  # fmt: skip
    text = _fitting(*texts) + str(here)
    note(number, text)
    return TypeError(text)


def no_rule(function: Any, variant: str = "", *numbers: Any) -> TypeError:
    """The error for a NumPy or SciPy function that is not in the table, and for what numbers it was called."""
    text = (
        f"{public_name(function)}{variant} has no derivative here: write it with functions that have one, or apply it "
        f"to autodiff.value_of(x) if its derivative is not wanted{user_line()}"
    )
    note(numbers, text)
    return TypeError(text)


def no_hash(number: Any) -> TypeError:
    """The error for a number of a differentiation as a key."""
    text = (
        "a number in a differentiation has no hash: as a key of a dict, set or lru_cache it would find a stored plain "
        f"answer; use autodiff.value_of(x) as the key{user_line()}"
    )
    if not getattr(number, "ndim", 0):  # that of an array is refused in plain code as well
        note(number, text, warns=True)
    return TypeError(text)


def unpicklable(number: Any) -> TypeError:
    """The error for pickling a number that belongs to a running differentiation."""
    return TypeError(
        f"a {_public_kind(number)} inside a differentiation cannot be pickled: it ends with the call; pickle "
        f"autodiff.value_of(x){user_line()}"
    )


def raise_if_unbound(function: Any, entry: Any, arguments: Any, keywords: dict[str, Any]) -> None:
    """Raises where a NumPy function was called in a way that the table has no derivative for."""
    bound = inspect.signature(entry)
    try:
        bound.bind(*arguments, **keywords)
    except TypeError as error:
        unknown = [name for name in keywords if name not in bound.parameters]
        variant = f" with {', '.join(unknown)}=" if unknown else f" so called ({error})"
        raise no_rule(function, variant, arguments, list(keywords.values())) from None


def public_name(function: Any) -> str:
    """What a user calls a function of NumPy or SciPy: ``np.linalg.inv``, ``scipy.special.erf``."""
    module, name = getattr(function, "__module__", None), function.__name__.lstrip("_")
    if name.endswith(" (vectorized)"):
        return f"np.frompyfunc of {name.removesuffix(' (vectorized)')}"
    if not module:  # a ufunc
        module = next((m for m in ("numpy", "scipy.special") if hasattr(sys.modules.get(m), name)), "")
    elif module.startswith("scipy."):
        module = public_module(module, name)
    return f"{module}.{name}".replace("numpy", "np", 1) if module else f"the ufunc {name}"


def _public_kind(number: Any) -> str:
    """The name by which a user knows the kind of a number."""
    names = [kind.__name__ for kind in type(number).__mro__]
    return next((name for name in names if name in ("Constant", "DualNumber", "Variable")), names[0])


# ------------------------------------------------------------------------------------------------ others' errors

_OF_NUMBERS = re.compile(r"\b(Dual(Number|Array|View)|(Array)?Variable(View)?|Leaf|LocallyConstant(Array)?)\b|"
                         r"dtype\('O'\)|not supported for the input types|be a string or a Rational|"
                         "NotImplementedType")  # fmt: skip
_PLAIN_AS_WELL = re.compile("has no attribute|is not (subscriptable|callable|iterable)|has no len|bad operand|"
                            "unsupported operand|interpreted as an integer|indices must be")  # fmt: skip
"""What Python says of a float as well."""


def explain(error: Exception, level: Level) -> None:
    """Raise a clear error for one of others' that numbers are the cause of, and note on others what to do if they are.

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
    ours = isinstance(error, TypeError) and not _PLAIN_AS_WELL.search(text)
    named = _OF_NUMBERS.search(text) if ours or "'NotImplementedType'" in text else None
    written = rewritten(_at_fault(here).code, "") if named or caller else Written("")
    caller = caller or (written.scipy if named else "")
    if caller and named:
        raise TypeError(f"{_scipy_remedy(caller, written)}{here}") from error
    if named and written.new and here.own is here.code:
        kind = "DualNumber" if named[0].startswith("Dual") else "Variable"
        raise TypeError(f"{_sentence(written, kind, '', PLAIN)}{here}") from error
    if caller and isinstance(error, (TypeError, ValueError, AttributeError, NotImplementedError)):
        error.add_note(f"If numbers of the differentiation came to it: {_scipy_remedy(caller, written)}.")
    elif "ufunc" in text or (where == "numpy" and isinstance(error, (TypeError, AttributeError))):
        error.add_note("If numbers of the differentiation came to it in a list or an array of objects: join them "
                       "first, by autodiff.array([...]).")  # fmt: skip
