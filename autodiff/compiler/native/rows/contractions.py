"""How sums of products over labelled axes become instructions: einsum, traces, products of vectors."""

from __future__ import annotations

import string
from collections.abc import Callable

import numpy as np

from ..instructions.areas import Area
from ..instructions.instruction import Operand
from ..machine.blas import LOOPS
from . import products
from .products import in_memory, in_order, is_there, viewed
from .steps import Here, Rule


def _einsum(here: Here, *operands: Operand) -> Operand | None:
    """Sum products of two operands, or elements of one; of more, of the two that come first in NumPy's path, and on."""
    joined, output = here.step.static[0].split("->")
    terms = joined.split(",")
    if here.kind == "b1":
        return None
    areas = [in_memory(here, x, k) for k, x in enumerate(operands)]
    if len(areas) > 2:
        shapes = (np.broadcast_to(0.0, x.shape) for x in areas)
        path = np.einsum_path(here.step.static[0], *shapes, optimize="greedy")[0][1:]
        if any(len(places) > 2 for places in path):
            path = [(0, 1)] * (len(areas) - 1)
        for places in path[:-1]:
            taken = [(areas.pop(k), terms.pop(k)) for k in sorted(places, reverse=True)]
            kept = {*output, *"".join(terms)}
            label = "".join(dict.fromkeys(c for _, term in taken for c in term if c in kept))
            areas.append(_summed(here, [x for x, _ in taken], [term for _, term in taken], label))
            terms.append(label)
    return _summed(here, areas, terms, output)


def _vdot(here: Here, a: Operand, b: Operand) -> Operand | None:
    labels = string.ascii_letters[: np.ndim(here.values[0])]
    same = np.shape(here.values[0]) == np.shape(here.values[1])
    areas = [in_memory(here, x, k) for k, x in enumerate((a, b))]
    return _summed(here, areas, [labels, labels], "") if same and here.kind != "b1" else None


def _trace(here: Here, a: Operand) -> Operand | None:
    offset, first, second = here.step.static
    diagonal = viewed(in_memory(here, a, 0), lambda x: np.diagonal(x, offset, first, second))
    labels = string.ascii_letters[: len(diagonal.shape)]
    return _summed(here, [diagonal], [labels], labels[:-1]) if here.kind != "b1" else None


def _summed(here: Here, areas: list[Area], terms: list[str], output: str) -> Area:
    """Sum over loops, one for each label; by BLAS where there are many products of rows and columns."""
    areas = [_positive(here, x) for x in areas]
    found = [(label, n) for term, x in zip(terms, areas, strict=True) for label, n in zip(term, x.shape, strict=True)]
    extents = dict(sorted(found, key=lambda one: one[1] != 1))  # of a length of 1 there is one for all
    is_stretched = any(n != extents[label] for label, n in found)
    out = here.new(tuple(extents[label] for label in output))
    parts = [*zip(terms, areas, strict=True), (output, out)]
    labels = _in_turn(parts, extents)
    whole = tuple(extents[label] for label in labels)
    *taken, total = (viewed(x, _along(term, labels, whole)) for term, x in parts)
    kinds = {tuple(label in term for term, _ in parts) for label in labels if extents[label] > 1}
    form = "same" if len(taken) == 1 else "multiply"
    if (
        len(taken) == 2
        and not is_stretched
        and kinds >= set(LOOPS)
        and int(np.prod(whole)) > products.SMALL
        and is_there(here, whole)
    ):
        form = "matmul"
    here.block.fill(0.0, out)
    here.block.add(form, tuple(taken), total, here.kind, fold="add")
    return out


def _positive(here: Here, x: Area) -> Area:
    """Return an operand of the value's kind whose elements are at positive distances."""
    forward = all(stride > 0 or n == 1 for n, stride in zip(x.shape, x.picture.strides, strict=True))
    return x if forward and x.kind == here.kind else in_order(here, x)


def _in_turn(parts: list[tuple[str, Area]], extents: dict[str, int]) -> list[str]:
    """Return the labels in the order of loops: innermost one along which most elements are neighbours."""
    *others, output = (term for term, _ in parts)
    labels = list(dict.fromkeys([*output, *"".join(others)]))

    def neighbours(label: str) -> int:
        steps = [x.picture.strides[term.index(label)] // x.picture.itemsize for term, x in parts if label in term]
        return len(parts) - len(steps) + steps.count(1)

    last = max(labels, key=neighbours, default="")
    return [*(label for label in labels if label != last), *last]


def _along(term: str, labels: list[str], whole: tuple[int, ...]) -> Callable[[np.ndarray], np.ndarray]:
    """Return what gives a view along loops; of a label that stands twice the diagonal."""
    once = "".join(dict.fromkeys(term))
    order = [once.index(label) for label in labels if label in once]
    places = tuple(slice(None) if label in once else None for label in labels)

    def view(a: np.ndarray) -> np.ndarray:
        a = np.einsum(f"{term}->{once}", a) if once != term else a
        return np.broadcast_to(a.transpose(order)[(..., *places)], whole)  # of no axes a view, too

    return view


CONTRACTIONS: dict[str, Rule] = {"einsum": _einsum, "vdot": _vdot, "trace": _trace}
"""Sums of products over axes → how they become instructions."""
