"""Rules of the user's for functions of arrays: with structures for arguments and results, and values closed over.

The operands of such a row are the leaves of the arguments, and after them the numbers that the function or its
derivatives close over; its value has the leaves of what the function returns. How these are put together is a parameter
of the row, a `trees.Assembly`, another one for each call. The derivative by a number closed over is that of the
function's own code, in forward mode: nobody wrote another.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, zeros_like
from dualnumbers.levels import has_nan, plain, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchNumber, over_members
from dualnumbers.several import parts
from dualnumbers.table.dispatch import leading
from dualnumbers.table.kinds import Active, Constant, Kind, Linear, Smooth, Times
from dualnumbers.table.row import own_row

from ..calls.closures import Watched, replaced
from ..calls.structures import flatten, is_structure, kind_of
from ..calls.values import read_only
from ..forward import jvp
from ..tape.sweep import transpose
from .pairings import differ, direction_of, is_known, some_direction
from .rows import Function, check_real, function_of_arrays, functions_of, value_of_function
from .trees import Assembly, as_argument, fitted, leaves_as, rebuilding


class Rule:
    """A user's function with a derivative for each argument, and a pull-back ``joint`` to all where one is given.

    What the function does to a tangent and its adjoint maps are two statements: at the first tangent they are
    compared, ⟨ḡ, f(ẋ)⟩ = ⟨f*(ḡ), ẋ⟩. So are a push-forward or pull-back of a smooth function and its transpose, which
    is one only of what is linear. Raises ValueError where they differ.
    """

    def __init__(self, name: str, function: Function, kinds: Sequence[Kind], fixed: tuple[str, ...],
                 joint: Function | None = None) -> None:  # fmt: skip
        self.name, self.kinds, self.fixed = name, kinds, fixed
        self.code = function, joint, tuple(map(functions_of, kinds))
        self.watched = Watched(self.code)
        self.checked = [False] * len(kinds)
        self.known: dict[tuple[int, ...] | None, _RuleRow] = {}

    def __call__(self, arguments: Iterable[Any], parameters: Sequence[Any]) -> Any:
        """Return what the function returns, with its derivative."""
        if self.watched.functions is not self.code:  # of a copy that has other numbers
            self.watched, self.known = Watched(self.code), {}
        leaves, closed, counts, assembly = [*map(as_argument, arguments)], self.watched.numbers(), None, Assembly()
        for x in leaves:
            if type(x) is not np.ndarray and kind_of(x) is not None and is_structure(x):
                flat = [flatten(x)[0] for x in leaves]
                assembly.rebuilds = list(map(rebuilding, leaves))
                leaves, counts = list(itertools.chain(*flat)), tuple(map(len, flat))
                break
        rule_row = None if closed else self.known.get(counts)
        if rule_row is None:
            rule_row = _RuleRow(self, counts or (1,) * len(leaves), closed)
            if not closed:
                self.known[counts] = rule_row
        z = rule_row.apply(*leaves, *closed, *parameters, assembly)
        return assembly.rebuild(z) if type(z) is tuple else z


class _OfLeaf(Smooth):
    """The kind of one leaf of an argument; the leaves of one are pushed together."""

    __slots__ = ("argument", "leaf", "rule_row")

    def __init__(self, rule_row: _RuleRow, argument: int, leaf: int) -> None:
        self.rule_row, self.argument, self.leaf = rule_row, argument, leaf
        super().__init__(
            lambda t, z, *flat: rule_row.push(argument, {leaf: t}, z, flat),
            lambda g, z, *flat: rule_row.pull(argument, g, z, flat)[leaf],
        )

    @property
    def stated(self) -> Kind:
        kinds = self.rule_row.rule.kinds
        return kinds[self.argument] if self.argument < len(kinds) else self

    @staticmethod
    def push(row: Any, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...], times: Times) -> Any:
        if len(active) == 1:
            ((place, t),) = active
            return row.argument(place).by_push(t, z, *xs, *static)
        tangents: dict[int, dict[int, Any]] = {}
        for place, t in active:
            kind = row.argument(place)
            tangents.setdefault(kind.argument, {})[kind.leaf] = t
        return reduce(row.add, (kind.rule_row.push(k, given, z, (*xs, *static)) for k, given in tangents.items()))


class _RuleRow:
    """The row of a rule for arguments of so many leaves, and for certain numbers that its functions close over.

    ``flat`` are the operands and the parameters of the row.
    """

    def __init__(self, rule: Rule, counts: Sequence[int], closed: Sequence[Any]) -> None:
        self.rule, self.closed = rule, [id(x) for x in closed]
        self.code = replaced(rule.code, {id(x): x for x in closed}, {}) if closed else rule.code  # as it is now
        counts = (*counts, *(1 for _ in closed))
        ends = list(itertools.accumulate(counts, initial=0))
        self.places, self.count = [slice(*pair) for pair in itertools.pairwise(ends)], ends[-1]
        self.pushes = [f"push-forward {k} of {rule.name}" for k in range(len(counts))]
        constant = all(isinstance(kind, Constant) for kind in rule.kinds)
        kinds: list[Kind] = []
        for k, count in enumerate(counts):
            passes = not (constant if k >= len(rule.kinds) else isinstance(rule.kinds[k], Constant))
            kinds += [_OfLeaf(self, k, i) if passes else Constant() for i in range(count)]
        together = rule.code[1] is not None or len(kinds) > len(counts)
        row = own_row(
            rule.name, tuple(kinds), (*rule.fixed, "assembly"), several=True, joint=self.pull_all if together else None
        )
        self.apply = function_of_arrays(row, self.value)

    def arguments(self, flat: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments and fixed parameters as the user's functions take them."""
        count, assembly = len(self.rule.kinds), flat[-1]
        if assembly.rebuilds is None:
            return *map(read_only, flat[:count]), *flat[self.count : -1]
        return *(assembly.argument(k, flat[self.places[k]]) for k in range(count)), *flat[self.count : -1]

    def bound(self, flat: Sequence[Any]) -> Any:
        """Return the user's functions, with the operands in place of the numbers that they close over."""
        if not self.closed:
            return self.code
        return replaced(self.code, dict(zip(self.closed, flat[self.count - len(self.closed) :], strict=False)), {})

    def value(self, *flat: Any) -> Any:
        """Return the leaves of what the function returns, a tuple where that is a structure."""
        out, name, operands = self.bound(flat)[0](*self.arguments(flat)), self.rule.name, flat[: self.count]
        if type(out) is np.ndarray or not is_structure(out):
            return value_of_function(name, out, operands)
        leaves, _ = flatten(out)
        if not leaves:
            raise TypeError(f"{name} returned {out!r}: let it return numbers or arrays{user_line()}")
        flat[-1].rebuild = rebuilding(out)
        return tuple(value_of_function(name, leaf, operands) for leaf in leaves)

    # ----------------------------------------------------------------------------------------- derivatives

    def push(self, k: int, tangents: dict[int, Any], z: Any, flat: Sequence[Any]) -> Any:
        """Return the tangent of the value, given those of leaves of argument ``k`` by their places in it.

        The numbers closed over count as further arguments, each of one leaf. A batch goes member by member: the user's
        function may call what takes plain arrays only. Where there are numbers of a level above it, it does not, for
        they may have such batches as components.
        """
        leader = leading((*tangents.values(), *flat))
        if isinstance(leader, BatchNumber):
            places, given = list(tangents), len(tangents)
            again = lambda *xs: self.push(k, dict(zip(places, xs[:given], strict=True)), z, xs[given:])
            return over_members(leader, again, (*tangents.values(), *flat))
        leaves = flat[self.places[k]]
        whole = [tangents[i] if i in tangents else zeros_like(x) for i, x in enumerate(leaves)]
        found = fitted(self.pushes[k], self._pushed(k, whole, z, flat), parts(z))
        for t, x in zip(found, parts(z), strict=True):
            check_real(self.pushes[k], t, x)
        return tuple(found) if type(z) is tuple else found[0]

    def _pushed(self, k: int, tangents: list[Any], z: Any, flat: Sequence[Any]) -> Sequence[Any]:
        if k >= len(self.rule.kinds):
            return self._pushed_through(k, tangents[0], z, flat)
        if not isinstance(self.rule.kinds[k], Smooth):
            return self._of_tangents(k, tangents, flat)
        like, what, name, push = flat[-1].result(z), self.pushes[k], self.rule.name, self.bound(flat)[2][k][0]
        if push is None:
            self._check_linear(k, z, flat)
            return self._pushed_by_pull(k, tangents, z, flat)
        try:
            pushed = push(flat[-1].argument(k, tangents), like, *self.arguments(flat))
        except RecursionError as error:
            raise RuntimeError(
                f"{what} calls {name} itself, and deriving the reverse mode would never end: write out "
                f"what it needs of it{user_line()}"
            ) from error
        return leaves_as(what, pushed, like)

    def _pushed_by_pull(self, k: int, tangents: list[Any], z: Any, flat: Sequence[Any]) -> Sequence[Any]:
        """Push tangents of an argument forward by the transpose of its pull-back, which is linear in the cotangent."""
        moving = [dtype_of(x).kind in "fc" for x in parts(z)]

        def pulled(*cotangents: Any) -> tuple[Any, ...]:
            stream = iter(cotangents)
            g = tuple(next(stream) if moves else zeros_like(x) for x, moves in zip(parts(z), moving, strict=True))
            adjoints = self.pull(k, g if type(z) is tuple else g[0], z, flat)
            return tuple(zeros_like(x) if a is None else a for a, x in zip(adjoints, flat[self.places[k]], strict=True))

        values = [x for x, moves in zip(parts(z), moving, strict=True) if moves]
        found = iter(zip(transpose(pulled, values, tuple(tangents)), values, strict=True))
        pushed = (next(found) if moves else (None, None) for moves in moving)
        return [zeros_like(x) if t is None and x is not None else t for t, x in pushed]

    def _pushed_through(self, k: int, t: Any, z: Any, flat: Sequence[Any]) -> Sequence[Any]:
        """Push the tangent of a number closed over through the function's code."""
        place, moving = self.places[k].start, [dtype_of(x).kind in "fc" for x in parts(z)]

        def body(x: Any) -> Any:
            other = (*flat[:place], x, *flat[place + 1 :])
            leaves = flatten(self.bound(other)[0](*self.arguments(other)))[0]
            return tuple(leaf for leaf, moves in zip(leaves, moving, strict=True) if moves)

        found = iter(jvp(body, [flat[place]], [t])[1])
        return [next(found) if moves else None for moves in moving]

    def _of_tangents(self, k: int, tangents: list[Any], flat: Sequence[Any]) -> Sequence[Any]:
        """Apply the function to tangents of an argument in which it is linear; check its adjoint map against that."""
        rule, given = self.rule, list(flat)
        if isinstance(rule.kinds[k], Linear):
            for kind, place in zip(rule.kinds, self.places, strict=False):
                if isinstance(kind, Linear):
                    given[place] = map(zeros_like, flat[place])
        given[self.places[k]] = tangents
        pushed = parts(self.apply(*given))
        if not rule.checked[k]:
            along = list(map(read, tangents))
            self._check_adjoint(k, along, tuple(map(read, pushed)), tuple(map(read, flat)))
            rule.checked[k] = any(map(np.any, along)) and not any(map(has_nan, along))
        return pushed

    def _check_adjoint(self, k: int, tangents: list[Any], pushed: tuple[Any, ...], flat: Sequence[Any]) -> None:
        """Raise ValueError where an adjoint map is not that of the function which maps ``tangents`` to ``pushed``."""
        several = hasattr(flat[-1], "rebuild")
        g = tuple(some_direction(*numbered) for numbered in enumerate(pushed))
        pulled = self.pull(k, g if several else g[0], pushed if several else pushed[0], flat)
        if differ(g, pushed, tangents, pulled, np.sqrt(np.finfo(np.result_type(*g, *tangents)).eps)):
            raise ValueError(
                f"{self.rule.name} is not linear in argument {k}, or adjoint map {k} is not its adjoint: a function "
                f"that is not, or has a constant term, is for autodiff.smooth or elementwise{user_line()}"
            )

    def _check_linear(self, k: int, z: Any, flat: Sequence[Any]) -> None:
        """Raise ValueError where the one derivative given for an argument is not linear, the first time it is needed.

        What a solver finds in it may be off by a thousandth.
        """
        checked, several = self.rule.checked, type(z) is tuple
        if checked[k] or not all(map(is_known, (*parts(z), *flat))):
            return
        flat, values = tuple(map(plain, flat)), tuple(map(plain, parts(z)))
        leaves = flat[self.places[k]]
        g, tangents = (tuple(map(direction_of, itertools.count(i), xs)) for i, xs in enumerate((values, leaves)))
        checked[k] = True  # what is called here is not to check itself
        try:
            pushed = parts(self.push(k, dict(enumerate(tangents)), values if several else values[0], flat))
            pulled = self.pull(k, g if several else g[0], values if several else values[0], flat)
        finally:
            checked[k] = False
        if differ(g, pushed, tangents, pulled, 1e-3):
            names = ("push-forward", "tangent", "pull-back"), ("pull-back", "cotangent", "push-forward")
            given, by, other = names[self.bound(flat)[2][k][0] is None]
            raise ValueError(
                f"the {given} of {self.rule.name} is not linear in the {by} of argument {k}, so no "
                f"{other} can be derived from it: give that as well{user_line()}"
            )
        checked[k] = not any(map(has_nan, (*pushed, *pulled)))

    def pull(self, k: int, g: Any, z: Any, flat: Sequence[Any]) -> Sequence[Any]:
        """Return the adjoints of the leaves of argument ``k``, given that of the value."""
        leaves, assembly = flat[self.places[k]], flat[-1]
        own = self.bound(flat)[2][k] if k < len(self.rule.kinds) else (None, None)
        if own[-1] is None and k < len(self.rule.kinds) and own[0] is None:
            return self.pull_all(g, z, *flat)[self.places[k]]  # no other derivative by it was given
        if own[-1] is None:
            if k < len(self.rule.kinds):
                self._check_linear(k, z, flat)
            return transpose(lambda *ts: self.push(k, dict(enumerate(ts)), z, flat), leaves, g)
        smooth = isinstance(self.rule.kinds[k], Smooth)
        what = f"{'pull-back' if smooth else 'adjoint'} {k} of {self.rule.name}"
        taken = (assembly.result(_filled(g, z)), *((assembly.result(z),) if smooth else ()))
        return self._as_leaves(what, k, own[-1](*taken, *self.arguments(flat)), flat)

    def _as_leaves(self, what: str, k: int, adjoint: Any, flat: Sequence[Any]) -> list[Any]:
        leaves = flat[self.places[k]]
        return fitted(what, leaves_as(what, adjoint, flat[-1].argument(k, leaves)), leaves)

    def pull_all(self, g: Any, z: Any, *flat: Any) -> list[Any]:
        """Return the adjoints of all operands: by the user's joint pull-back, or argument by argument."""
        joint, assembly, kinds = self.bound(flat)[1], flat[-1], self.rule.kinds
        found: list[Any] = []
        if joint is not None:
            what = f"the pull-back of {self.rule.name}"
            adjoints = joint(assembly.result(_filled(g, z)), assembly.result(z), *self.arguments(flat))
            if len(kinds) == 1 and not isinstance(adjoints, (list, tuple)):
                adjoints = (adjoints,)
            if not isinstance(adjoints, (list, tuple)) or len(adjoints) != len(kinds):
                raise ValueError(
                    f"{what} must give {len(kinds)} adjoints, one for each argument, None for none{user_line()}"
                )
            for k, adjoint in enumerate(adjoints):
                none = adjoint is None or isinstance(kinds[k], Constant)
                found += [None] * len(flat[self.places[k]]) if none else self._as_leaves(what, k, adjoint, flat)
        for k in range(0 if joint is None else len(kinds), len(self.places)):
            none = k < len(kinds) and isinstance(kinds[k], Constant)
            found += [None] * len(flat[self.places[k]]) if none else self.pull(k, g, z, flat)
        return found


def _filled(g: Any, z: Any) -> Any:
    """Return the adjoint of a value with zeros for a result that has none."""
    return tuple(zeros_like(x) if h is None else h for h, x in zip(g, z, strict=True)) if type(z) is tuple else g
