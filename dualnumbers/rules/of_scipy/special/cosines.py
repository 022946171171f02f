"""Discrete cosine and sine transforms of the types 1 to 4: two rows of one axis, evaluated by SciPy.

An orthogonalized transform is an orthogonal matrix times a scale; transposed, type 2 is type 3, and the others are
themselves. Without that, one end of the axis (both for cosines of type 1) counts √2 times as much in the output (types
1, 2), or 1/√2 times in the input (types 1, 3). Source: Strang, *The discrete cosine transform*, 1999.
"""

import math

import numpy as np

from ....foreign import as_like
from ....forms import shape
from ....table import linear
from ....table.batching import by_axis
from ...from_scipy import along_axis, scipy_function
from ...signals.fourier import along, resized

TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the transposed, and of the inverse, transform."""


def _ends(g, axis, ends, weight):
    """Return the array times a weight at these places of an axis."""
    weights = np.ones(shape(g)[axis])
    weights[ends] = weight
    return g * as_like(along(weights, len(shape(g)), axis), g)


def _row(name, ends):
    """Return the row of one axis; ``ends``: the type → the places at the ends of the axis that count otherwise."""
    plainly = scipy_function(f"fft.{name}")

    def adjoint(g, x, kind, n, axis, norm, orthogonalize):
        orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
        special = [] if orthogonal else ends.get(kind, [])
        if kind in (1, 2):
            g = _ends(g, axis, special, math.sqrt(2.0))
        g = transform(g, TRANSPOSED[kind], None, axis, norm, True)
        if kind in (1, 3):
            g = _ends(g, axis, special, math.sqrt(0.5))
        return resized(g, shape(x)[axis], axis)

    def evaluate(x, kind, n, axis, norm, orthogonalize):
        if np.iscomplexobj(x):  # SciPy (1.17) passes orthogonalize over there
            parts = (evaluate(part, kind, n, axis, norm, orthogonalize) for part in (x.real, x.imag))
            return next(parts) + 1j * next(parts)
        return along_axis(lambda x, axis: plainly(x, kind, n, axis, norm, orthogonalize=orthogonalize), x, axis)

    transform = linear(
        adjoint,
        call=lambda x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None: (
            x,
            type,
            n,
            axis,
            norm,
            orthogonalize,
        ),
        name=name,
        batched=by_axis(2),
    )(evaluate)
    return transform


dct = _row("dct", {1: [0, -1], 2: [0], 3: [0]})
dst = _row("dst", {2: [-1], 3: [-1]})
