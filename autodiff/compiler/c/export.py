"""``export_c``: a function's program, its derivatives included, as a file in C99 that needs nothing of Python's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ...calls.given import no_function
from ...calls.structures import flatten, paths_of_leaves
from ...calls.values import name_of
from ...tape.sources import SourcedTape
from ..forms import form_of
from ..native.instructions.areas import KINDS
from ..native.instructions.instruction import Block
from ..native.lowering import Lowering
from ..native.rows.steps import is_view
from ..options import STEPS
from ..passes import PASSES
from ..paths import recorded
from ..program import NotCompilable, Program, Step
from .function import Function, Parameter
from .names import OWN, RESERVED, names_of, parameter_names


def export_c(
    f: Callable[..., Any], args: Sequence[Any], path: str | PathLike[str] | None = None, name: str | None = None
) -> tuple[str, str]:
    """Write a function's program for such arguments as C99, and return the text of the file, and that of its header.

    f is recorded at the arguments ``args``, as by `jit`: it may be ``value_and_grad(loss)``, ``hessian(loss)`` or
    whatever takes floats and arrays of floats. Its loops stay loops. With ``path``, as of ``"loss.c"``, the file is
    written, and ``loss.h`` beside it. Its function has that name too, or ``name``. It takes a pointer to the elements
    of each array, in C's order, and each float as a number, and then a pointer for each result; the header says of what
    shapes. Whole numbers and strings among the arguments, and what f takes from elsewhere, are part of the program.

    The function returns 0; or k, where the k-th decision of Python's, such as ``if x > 0``, would be another one than
    it was; -1 where Python would raise, or a matrix may be singular; -2 where there is no memory. The results mean
    nothing then. It calls nothing but C's library, keeps nothing between calls, and may be called by many threads.

    Raises ValueError where f has no program, or a line of it has no form in C, with that line; or for such a name.

    >>> from autodiff import value_and_grad
    >>> source, header = export_c(value_and_grad(lambda x: np.sum(np.sin(x) * x)), [np.ones(5)], name="wave")
    >>> print(header[header.index("int wave") :].splitlines()[0])
    int wave(const double x[5], double *out_0, double out_1[5]);
    """
    if not callable(f):
        raise no_function("export_c(f, [x])", f)
    target = None if path is None else Path(path)
    if target is not None and target.suffix != ".c":
        raise ValueError(
            f"export_c writes a file of C, as 'loss.c', with its header beside it; not {str(path)!r}{user_line()}"
        )
    name = name or (target.stem if target else re.sub(r"\W", "_", name_of(f), flags=re.ASCII).strip("_") or "f")
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in RESERVED or OWN.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a function in C: give another one as name{user_line()}")
    function = _function(f, list(args), name)
    if target is not None:
        function.include = target.with_suffix(".h").name
        target.write_text(function.source, encoding="utf-8")
        target.with_suffix(".h").write_text(function.header, encoding="utf-8")
    return function.source, function.header


def _function(f: Callable[..., Any], args: list[Any], name: str) -> Function:
    """Return the function of a name."""
    leaves = flatten([args, {}])[0]
    kinds = tuple(map(form_of, leaves))
    named = zip(args, parameter_names(f, len(args)), strict=True)
    paths = [path for x, own in named for path in paths_of_leaves(x, own)]
    for kind, path, x in zip(kinds, paths, leaves, strict=True):
        if kind is None or (kind[0] and np.result_type(x).char not in KINDS):
            raise ValueError(
                f"export_c takes floats and arrays of floats, whole numbers and strings; {path} is "
                f"{type(x).__name__}{_of_dtype(x)}{user_line()}"
            )
    try:
        program = recorded(f, args, {}, kinds, SourcedTape(textless=True))
        if len(program) > STEPS:
            raise NotCompilable(f"it has more than {STEPS:,} steps")
    except NotCompilable as error:
        raise ValueError(f"export_c has no program of {name}: {error}{user_line()}") from None
    for one in PASSES:
        program = one(program)
    inputs = [path for path, kind in zip(paths, kinds, strict=True) if kind is not None and kind[0]]
    fixed = [f"{path} is {x!r}" for path, x, kind in zip(paths, leaves, kinds, strict=True) if kind and not kind[0]]
    results = paths_of_leaves(program.rebuild(range(len(program.returned))), "out")
    if not program.returned:
        raise ValueError(f"export_c writes numbers and arrays, and {name} returns none{user_line()}")
    return _of_program(program, name, inputs, results, fixed)


def _of_program(program: Program, name: str, inputs: list[str], results: list[str], fixed: list[str]) -> Function:
    """Return the function that a program becomes."""
    program = _with_own_results(program, results)
    parts = Lowering(program, is_alone=True)
    _check(program, parts)
    block = parts.blocks.get(0) or Block()
    names = names_of([*inputs, *results])
    given = [
        Parameter(names[k], path, value, block.given.get(k), None)
        for k, (path, value) in enumerate(zip(inputs, program.inputs, strict=True))
    ]
    given += [
        Parameter(names[len(inputs) + k], path, program.value(x), block.results[x].space, block.results[x])
        for k, (path, x) in enumerate(zip(results, program.returned, strict=True))
    ]
    constants = {space: np.asarray(program.value(x)) for x, space in block.given.items() if x < 0}
    return Function(block, name, given, constants, fixed)


def _with_own_results(program: Program, results: list[str]) -> Program:
    """Return the program with a copy of each result that is an input, a constant, a view, or is returned twice."""
    from dualnumbers.table.registry import TABLE

    copies: list[Step] = []
    constants: list[Any] = []
    for path, x in zip(results, program.returned, strict=True):
        value = program.value(x)
        if value is None or isinstance(value, str):
            raise ValueError(f"export_c writes numbers and arrays; {path} is {value!r}{user_line()}")
        if np.result_type(value).kind in "iu" and x < 0:
            value = np.asarray(value, float)
            constants.append(value)
            x = -len(program.constants) - len(constants)
        if np.result_type(value).char not in KINDS or not np.size(value):
            raise ValueError(
                f"export_c writes floats and truth values; {path} is {type(value).__name__}"
                f"{_of_dtype(value)} of shape {np.shape(value)}{user_line()}"
            )
        copies.append(Step(TABLE["copy"].row, (x,), ("C",), np.array(value)))
    first = len(program.inputs) + len(program)
    return program.followed(copies, constants, list(range(first, first + len(copies))))


def _of_dtype(x: Any) -> str:
    return f" of {x.dtype}" if isinstance(x, np.ndarray) else ""


def _check(program: Program, parts: Lowering) -> None:
    """Raise ValueError for what has no form in C."""
    for number, step in program.numbered():
        if number not in parts.native and (not is_view(step) or len(parts.blocks) > 1):
            raise ValueError(f"export_c has no form in C of {step.row.shown}, in {_where(step)}{user_line()}")
        for k, guard in enumerate(step.guards):
            if (number, k) not in parts.guarded:
                raise ValueError(
                    f"export_c cannot check in C what is decided by a value of {step.row.shown}, in "
                    f"{guard.place or _where(step)}{user_line()}"
                )
    if program.of_inputs:
        guard = program.of_inputs[0]
        raise ValueError(
            f"export_c cannot check in C what is decided by an argument itself, in "
            f"{guard.place or 'a derivative'}{user_line()}"
        )


def _where(step: Step) -> str:
    """Return the line that a step comes from; what no code of the user's has called comes from a derivative."""
    if step.source is None:
        return "a derivative"
    return f"`{step.source.text}` ({step.source.where})" if step.source.text else step.source.where
