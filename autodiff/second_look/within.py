"""Sweeps through eigenvectors of equal eigenvalues, for functions that depend on no basis of their spaces.

Of the unit matrix any orthonormal vectors are eigenvectors, so they have no derivative. But a function may be the same
whichever of them LAPACK gave, as the exponential of a matrix by its decomposition, and that has one:

>>> from autodiff import grad
>>> def trace_of_exp(a):
...     w, v = np.linalg.eigh(a)
...     return np.trace((v * np.exp(w)) @ v.T)
>>> grad(trace_of_exp)(np.eye(2)).round(3)
array([[2.718, 0.   ],
       [0.   , 2.718]])

A function of eigenvalues and vectors has a derivative in the matrix if its slope in all bases of the groups, of equal
eigenvalues each, is one matrix H. Hᵢᵢ is the adjoint of λᵢ, and Hᵢⱼ the limit of Nᵢⱼ, the skew part of (Vᴴ V̄)ᵢⱼ, over
λⱼ − λᵢ: the quotient of their tangents. The tape is computed anew in two random bases, as dual numbers along a random
direction of the values: where an analytic function has another slope in any basis, it almost surely has in these.

In a second derivative, of forward over reverse mode, the matrix is A + t B. Then the vectors turn from their groups
only, those of a group start as B parts them, and to first order N' = H α + H' t β for the gaps t β of the values along
B, those α along the random direction, and H' = N'' / 2 α.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.forms import zeros_like
from dualnumbers.levels import Level, has_nan, is_number, level_of, read
from dualnumbers.numbers.dual import DualNumber, make
from dualnumbers.rules.complexes import adjoint
from dualnumbers.rules.linalg.factors import inverse_gaps, product
from dualnumbers.rules.linalg.groups import same, skew, vectors
from dualnumbers.rules.linalg.undetermined import Unadapted, Undetermined
from dualnumbers.rules.shaping import expand_dims
from dualnumbers.several import plus

from ..tape.program import line_of
from ..tape.wengert import Tape

Array = np.ndarray[Any, Any]
Seeds = dict[int, Any]
Sweep = Callable[[Tape, Seeds, bool], tuple[list[Any], Any]]

ROUNDING = 1e3
"""The slopes in two bases may differ by so many units of rounding for every row of the matrix."""


def settled(tape: Tape, seeds: Seeds, error: Undetermined, sweep: Sweep) -> list[Any]:
    """Return the adjoints of all lines, of a sweep that ended in ``error``; raise that where there is no derivative."""
    groups = _Groups(tape, seeds, error, sweep)
    try:
        found, slope = groups.first()
        if groups.along is not None:
            found, slope = groups.second(found, slope)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as failed:
        raise (failed if isinstance(failed, (Undetermined, Unadapted)) else error) from failed
    behind, _ = sweep(tape, {groups.matrix: slope}, True)
    return list(map(plus, found, behind))


class _Pair(NamedTuple):
    """The eigenvalues and the vectors, or adjoints or tangents of them."""

    w: Any
    v: Any


class _Groups:
    """One decomposition on a tape, whose equal eigenvalues a sweep came through.

    ``near`` is the matrix of which eigenvalues are equal to which; ``several`` has only groups of two or more, and
    ``off`` no diagonal either. ``along`` is the decomposed matrix if it is a dual number, for a second derivative.
    """

    def __init__(self, tape: Tape, seeds: Seeds, error: Undetermined, sweep: Sweep) -> None:
        self.tape, self.seeds, self.error, self.sweep = tape, seeds, error, sweep
        lines = [line for line, static in tape.static.items() if any(x is error.basis for x in static)]
        if len(lines) != 2:
            raise error
        self.lines = sorted(lines, key=lambda line: tape.rows[line] is vectors.row)
        self.matrix, self.rng = tape.operands(lines[0])[0], np.random.default_rng(0)
        a = tape.values[self.matrix]
        self.w, self.v = error.basis.by_lapack(read(a), tape.static[lines[0]][0])
        self.near = same(self.w)
        self.several = self.near & (np.sum(self.near, -1) > 1)[..., None]
        near = self.near.astype(self.w.dtype)
        self.mean = (near @ self.w[..., None])[..., 0] / np.sum(near, -1)
        self.off = self.several & ~np.eye(self.w.shape[-1], dtype=bool)
        self.along = a if is_number(type(a)) else None
        if self.along is not None and not (isinstance(a, DualNumber) and _is_plain(a.primal) and _is_plain(a.tangent)):
            raise Unadapted() if has_nan(read(getattr(a, "tangent", None))) else error  # many directions at a time

    def first(self) -> tuple[list[Any], Any]:
        """Find the adjoints that come by other lines, and that of the matrix by its eigenvalues and vectors."""
        one, other = self._in_some_basis(), self._in_some_basis()
        self._check(one.slope - other.slope, one.bound)
        if self.along is not None:
            (x, size), (y, more) = self._bent(one.turn, one.rates), self._bent(other.turn, other.rates)
            left = _inner(one.turn @ x @ _adjoint(one.turn), other.direction)
            self._check(left - _inner(other.turn @ y @ _adjoint(other.turn), one.direction), one.unit * (size + more))
        self.rates = one.rates
        return self._slope(_Pair(self.w, self.v), self._within(_Pair(self.mean, self.v)))

    def second(self, found: list[Any], slope: Any) -> tuple[list[Any], Any]:
        """Find the same with their tangents along B, of vectors that start as B parts them."""
        assert self.along is not None
        point, turn = self._parted(self.along)
        bent = np.where(self.off, self._bent(turn, self.rates)[0] / _gaps(self.rates), 0.0).astype(self.v.dtype)
        turned, moved = self._slope(point, self._within(point) - bent * _differences(point.w))
        return [self._joined(x, y) for x, y in zip(found, turned, strict=True)], self._joined(slope, moved)

    def _within(self, at: _Pair) -> Any:
        """Find the part of H within groups, the quotient of the tangents along λ = rates."""
        level = Level()
        g = self._swept(_Pair(make(at.w, self.rates + 0 * self.w, level), at.v))
        return skew(at.v, _tangent(g.v, level)) * (self.off / _gaps(self.rates)).astype(self.w.dtype)

    def _joined(self, x: Any, y: Any) -> Any:
        """Give the first of two adjoints the tangent of the other along B."""
        if x is None or _is_plain(y):
            return None if x is None else read(x)
        if y.level is not level_of(self.along) or not (_is_plain(y.primal) and _is_plain(y.tangent)):
            raise self.error
        return make(read(x), y.tangent, y.level)

    def _parted(self, a: Any) -> tuple[_Pair, Array]:
        """Return the values and vectors of A + t B, those of groups as B parts them, and how these are turned."""
        t = _adjoint(self.v) @ a.tangent @ self.v
        order = np.argmax(self.near, -1) * (1.0 + 4.0 * np.sum(np.abs(t), axis=(-2, -1)))[..., None]
        turn = np.linalg.eigh(np.where(self.near, t, 0.0) + order[..., None] * np.eye(t.shape[-1]))[1]
        turn = turn.astype(self.v.dtype)
        v, t = self.v @ turn, _adjoint(turn) @ t @ turn
        rates = np.diagonal(t, axis1=-2, axis2=-1).real.astype(self.w.dtype)
        turned = v @ (t * inverse_gaps(self.w, self.near)).astype(v.dtype)
        return _Pair(make(self.mean, rates, a.level), make(v, turned, a.level)), turn

    def _slope(self, at: _Pair, inner: Any) -> tuple[list[Any], Any]:
        """Find the adjoints at a point, and that of the matrix, given H within groups."""
        found, _ = self.sweep(self.anew(at, alone=False), self.seeds, True)
        g = self._of_pair(found, at)
        inner = inner + skew(at.v, g.v) / (_differences(at.w) + self.near) * ~self.near
        inner = inner + expand_dims(g.w, -1) * np.eye(self.near.shape[-1], dtype=self.w.dtype)
        return found, product(at.v, inner, adjoint(at.v))

    def _in_some_basis(self) -> _Slope:
        """Find H within groups as it is in a random basis, and how far it may be rounded."""
        n, turn, kind = self.w.shape[-1], self._turn(), self.w.dtype
        v, one = self.v @ turn, np.eye(n)
        rates = (self.rng.permutation(np.linspace(-1.0, 1.0, n)) + self.rng.uniform(0.0, 0.5 / n, n)).astype(kind)
        g, by_w = self._along_line(_Pair(self.mean, v), _Pair(0 * self.w + rates, 0 * v))
        _, by_v = self._along_line(
            _Pair(self.mean, v), _Pair(0 * self.w, self.rng.normal(size=v.shape).astype(v.dtype))
        )
        unit, size = ROUNDING * n * float(np.finfo(kind).eps), _size(self.w, 1)
        turning = np.where(self.several, skew(v, g.v), 0.0)
        self._check(turning, unit * (_size(g.v) + _size(by_v.v) + size * _size(by_w.v)))
        h = np.where(self.several, skew(v, by_w.v) / _gaps(rates) * (1 - one) + one * g.w[..., None], 0.0)
        bound = unit * (_size(g.w, 1) + _size(by_v.w, 1) + n * _size(by_w.v) + size * _size(by_w.w, 1))
        back = _adjoint(turn)
        return _Slope(turn @ h @ back, bound, turn, rates, turn * rates[..., None, :] @ back, unit)

    def _bent(self, turn: Array, rates: Array) -> tuple[Array, Array]:
        """Find how H changes along a direction of the eigenvalues in a basis, and the size of what was subtracted."""
        v, low, high, one = self.v @ turn, Level(), Level(), np.eye(len(rates))
        g = self._swept(_Pair(make(make(self.mean, rates + 0 * self.w, low), rates + 0 * self.w, high), v))
        twice, diagonal = read(_tangent(_tangent(g.v, high), low)), read(_tangent(_primal(g.w, high), low))
        bent = np.where(self.several, skew(v, twice) / (2 * _gaps(rates)) * (1 - one), 0.0) + one * diagonal[..., None]
        rest = read(_tangent(_primal(g.v, high), low))
        size = len(rates) ** 2 * (_size(twice) + _size(diagonal, 1) + _size(rest))
        return bent, size

    def _check(self, x: Array, bound: Array) -> None:
        if not np.all(np.abs(x) <= bound):
            raise self.error

    def _turn(self) -> Array:
        """Draw a random unitary matrix within the groups, by Cayley's formula."""
        k = self.rng.normal(size=self.v.shape)
        k = k + 1j * self.rng.normal(size=k.shape) if np.iscomplexobj(self.v) else k
        k, one = np.where(self.near, k - _adjoint(k), 0.0), np.eye(k.shape[-1])
        turn: Array = np.linalg.solve(one + k, one - k).astype(self.v.dtype)
        return turn

    def _along_line(self, at: _Pair, along: _Pair) -> tuple[_Pair, _Pair]:
        """Sweep at other values and vectors: return the plain adjoints, and their tangents along a direction."""
        level = Level()
        g = self._swept(_Pair(*(make(x, t, level) for x, t in zip(at, along, strict=True))))
        return (_Pair(*(read(_primal(x, level)) for x in g)), _Pair(*(read(_tangent(x, level)) for x in g)))

    def _swept(self, at: _Pair) -> _Pair:
        """Sweep at other values and vectors; return the adjoints of these."""
        found, _ = self.sweep(self.anew(at, alone=True), self.seeds, True)
        return self._of_pair(found, at)

    def _of_pair(self, found: list[Any], at: _Pair) -> _Pair:
        """Pick the adjoints of the values and vectors out of those of all lines."""
        return _Pair(*(zeros_like(x) if found[line] is None else found[line] + zeros_like(x)
                       for line, x in zip(self.lines, at, strict=True)))  # fmt: skip

    def anew(self, at: _Pair, alone: bool) -> Tape:
        """Compute the tape anew with other values and vectors; ``alone``, without what does not come from them."""
        tape = self.tape.at(list(self.tape.values))
        tape.rows, after = list(tape.rows), set(self.lines)
        for line, x in zip(self.lines, at, strict=True):
            tape.values[line], tape.rows[line] = x, None
        for line in range(max(self.seeds) + 1):
            read = not after.isdisjoint(map(line_of, tape.operands(line)))
            if tape.rows[line] is not None and (read or line in tape.unkept):
                tape.values[line] = tape.evaluated(line)
            if read:
                after.add(line)
            elif alone:
                tape.rows[line] = None
        return tape


class _Slope(NamedTuple):
    """H within groups, how far it may be rounded, and the basis and direction that it was found in."""

    slope: Array
    bound: Array
    turn: Array
    rates: Array
    direction: Array
    unit: float


def _is_plain(x: Any) -> bool:
    return not is_number(type(x))


def _primal(x: Any, level: Level) -> Any:
    return x.primal if level_of(x) is level else x


def _tangent(x: Any, level: Level) -> Any:
    return x.tangent if level_of(x) is level else zeros_like(x)


def _differences(w: Any) -> Any:
    """Return λⱼ − λᵢ."""
    return expand_dims(w, -2) - expand_dims(w, -1)


def _gaps(rates: Array) -> Array:
    return rates - rates[:, None] + np.eye(len(rates), dtype=rates.dtype)


def _adjoint(x: Array) -> Array:
    return x.conj().swapaxes(-1, -2)


def _inner(x: Array, y: Array) -> Array:
    product: Array = np.sum(x.conj() * y, axis=(-2, -1), keepdims=True).real
    return product


def _size(x: Array, axes: int = 2) -> Array:
    """Return the largest modulus of the elements of each vector or matrix, for comparison with matrices."""
    largest: Array = np.max(np.abs(x), axis=tuple(range(-axes, 0)), initial=0.0)
    return largest[..., None, None]
