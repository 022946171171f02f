"""Einstein's summation: products of arrays, summed over the labels of axes that the output has not."""

import string

import numpy as np

from ...foreign import as_like
from ...forms import shape
from ...table import entry_of, multilinear
from ..arrays.rearranging import put_back, rearrangement
from ..complexes import conj
from ..shaping import view


def _explicit(subscripts, ranks):
    """Einstein subscripts with the ellipsis spelt out and the output given: a list of inputs, an output."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} names {len(terms)} operands, {len(ranks)} were given")
    free = [c for c in string.ascii_letters if c not in subscripts]
    widths = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    dots = "".join(free[: max(widths)])
    terms = [t.replace("...", dots[len(dots) - w :]) if "..." in t else t for t, w in zip(terms, widths, strict=True)]
    if arrow:
        return terms, output.replace("...", dots)
    labels = "".join(t for t in inputs.replace("...", "").replace(",", ""))
    return terms, dots + "".join(sorted(c for c in set(labels) if labels.count(c) == 1))


_SYMBOLS = string.ascii_uppercase + string.ascii_lowercase


def _term(labels):
    return "".join("..." if label is Ellipsis else _SYMBOLS[label] for label in labels)


def _by_labels(*operands):
    """Subscripts and operands, from operands each with a list of its labels and such a list for the output."""
    terms = [_term(labels) for labels in operands[1::2]]
    output = f"->{_term(operands[-1])}" if len(operands) % 2 else ""
    return ",".join(terms) + output, operands[: 2 * len(terms) : 2]


def _einsum_signature(subscripts, *operands, optimize=False):
    if not isinstance(subscripts, str):
        subscripts, operands = _by_labels(subscripts, *operands)
    terms, output = _explicit(subscripts, [len(shape(x)) for x in operands])
    return *operands, f"{','.join(terms)}->{output}", optimize


def _einsum_adjoint(g, place, operands, subscripts, optimize):
    """z̄ times the other operands, summed to this operand's labels.

    A label that only this operand has was summed: its adjoint is equal along it. A label that the operand has twice
    (a diagonal) gets the identity matrix between its two places.
    """
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    free = (c for c in string.ascii_letters if c not in subscripts)
    factors = [(output, g)] + [(t, conj(x)) for i, (t, x) in enumerate(zip(terms, operands, strict=True)) if i != place]
    known = set("".join(term for term, _ in factors))
    target = ""
    for label, length in zip(terms[place], shape(operands[place]), strict=True):
        if label in target:
            twin = next(free)
            factors.append((label + twin, as_like(np.eye(length), g)))
            label = twin
        elif label not in known:
            factors.append((label, as_like(np.ones(length), g)))
        target += label
    optimize = optimize if isinstance(optimize, (bool, str)) else True  # a path is of these operands only
    return einsum(*(x for _, x in factors), f"{','.join(t for t, _ in factors)}->{target}", optimize)


def _unused(subscripts):
    """Return a label for the axis of the members."""
    return next(c for c in string.ascii_letters if c not in subscripts)


def _einsum_of_all(apply, xs, members, subscripts, optimize):
    """Give the axis of the members a label of its own."""
    inputs, output = subscripts.split("->")
    label = _unused(subscripts)
    terms = (label + term if of_members else term for term, of_members in zip(inputs.split(","), members, strict=True))
    optimize = optimize if isinstance(optimize, (bool, str)) else True  # a path is of these operands only
    return apply(*xs, f"{','.join(terms)}->{label}{output}", optimize)


@multilinear(_einsum_adjoint, of=np.einsum, call=_einsum_signature, any_number=True, batched=_einsum_of_all)
def einsum(operands, subscripts, optimize=False):
    return np.einsum(subscripts, *operands, optimize=optimize)


def _relabelled(x, subscripts):
    return np.einsum(subscripts, x)


def _relabelled_of_all(apply, xs, members, subscripts):
    before, after = subscripts.split("->")
    label = _unused(subscripts)
    return apply(xs[0], f"{label}{before}->{label}{after}")


relabelled = rearrangement(put=put_back(_relabelled), batched=_relabelled_of_all)(_relabelled)
"""`einsum` of one operand that sums nothing: a view, of a transposed array or of a diagonal."""


@entry_of(einsum, np.einsum)
def _einsum_of_user(subscripts, *operands, optimize=False):
    *operands, subscripts, optimize = _einsum_signature(subscripts, *operands, optimize=optimize)
    before, after = subscripts.split("->")
    if len(operands) == 1 and set(before) == set(after):
        return view(relabelled, operands[0], subscripts)
    return einsum(*operands, subscripts, optimize)
