"""Whether two ways to one derivative agree along a direction drawn at random: element by element, up to rounding.

What an element may be off by belongs to that element: beside one of 10¹² an error in one of 1 is seen. Half of its
digits are enough. Where terms cancel, what is left may be rounding altogether. So where digits lack, it is found what
size the terms have that the element is the sum of: the product is recorded as a function of the vector, and pushed once
more with every line a little disturbed. There it is also seen which of the lines has the fewest digits.

>>> import numpy as np
>>> x = np.array([0.5, 2.0])
>>> size_of_terms(lambda v: 1e12 * (x * v) - 1e12 * v * x + v, np.ones(2))[0] > 1e11
array([ True,  True])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, shape
from dualnumbers.levels import read
from dualnumbers.several import each, parts

from ..calls.structures import flatten
from ..linearization import Recording
from ..tape.tangents import tangents

SHARE = 2.0**-10
"""By about such a part of it a tangent is disturbed."""


def differ(x: Any, y: Any, scale: Any, size: Callable[[], Any]) -> Any:
    """Return where two values differ by more than rounding, a mask; NaN is like NaN.

    ``scale`` is the size of what each element is the sum of, as far as it is known. Where the values differ by half of
    its digits ``size()`` is asked for, which is to say it better.
    """
    kinds = [np.finfo(np.result_type(np.asarray(z).dtype, np.float16)) for z in (x, y)]
    kind = max(kinds, key=lambda kind: kind.eps)
    half, least = np.sqrt(kind.eps), kind.smallest_normal
    with np.errstate(all="ignore"):
        off = np.abs(x - y)
        wrong = ~(off < half * scale + least)
        if np.any(wrong):  # seldom: ∞ − ∞ is not below anything
            wrong = wrong & (x != y) & ((x == x) | (y == y))
        return wrong & ~(off < half * size()) if np.any(wrong) else wrong


def size_of_terms(product: Callable[[Any], Any], v: Any) -> list[Any]:
    """Return for each leaf of a linear map's product with ``v`` the size of the terms that each element is a sum of.

    Where a line has fewer digits than the leaf it is in proportion larger.
    """
    recording = Recording(product, [v], [0], keep=True)
    tape, outs = recording.tape, flatten(recording.out)[0]
    seeds, random = dict(zip(tape.inputs, recording.leaves, strict=True)), np.random.default_rng(0)

    coarsest = max(map(_rounding, tape.values))
    share = max(SHARE, 16.0 * coarsest)

    def disturbed(t: Any) -> Any:
        return t * (1.0 + share * random.normal(size=shape(t))).astype(np.result_type(dtype_of(t).char.lower()))

    def pushed(change: Callable[[Any], Any]) -> list[Any]:
        found = {line: change(t) for line, t in seeds.items()}
        for line in range(len(tape)):
            known = {operand: found[operand] for operand in tape.operands(line) if operand in found}
            found |= {line: each(change, t) for line, t in tangents(tape, known, [line]).items() if line not in found}
        return [read(found.get(out.line, 0.0)) if recording.holds(out) else 0.0 for out in outs]

    with np.errstate(all="ignore"):
        straight, *others = pushed(lambda t: t), pushed(disturbed), pushed(disturbed)
        return [
            np.max([np.abs(y - x) for y in ys], 0) / share * np.sqrt(coarsest / _rounding(x))
            for x, ys in zip(straight, zip(*others, strict=True), strict=True)
        ]


def _rounding(x: Any) -> float:
    """Return the eps of the type of a value, of several results the largest; 0 of whole numbers."""
    kinds = [dtype_of(part) for part in parts(x)]
    return max(float(np.finfo(kind).eps) if kind.kind in "fc" else 0.0 for kind in kinds)
