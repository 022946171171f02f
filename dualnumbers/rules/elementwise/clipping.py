"""Numbers kept within bounds, and what stands for those that are not finite."""

import numpy as np

from ...forms import is_unreal
from ...table import composition, elementwise, smooth
from ...table.batching import by_elements
from ...table.kinds import Smooth
from ..comparisons import isfinite
from ..complexes import imag, real
from ..domains import between
from ..shaping import arrays, in_common
from ..where import where
from .arithmetic import as_numpy
from .kinks import maximum, minimum, no_order, share

# the shares of minimum(maximum(x, a), b), so that it does not matter which of the two is written
_clip = elementwise(
    lambda x, a, b, z: share(x, a) * share(b, maximum(x, a)),
    lambda x, a, b, z: share(a, x) * share(b, maximum(x, a)),
    lambda x, a, b, z: share(maximum(x, a), b),
    name="clip",
    domain=between,
    singular=True,
    selects=True,
    unreal=no_order,
)(None, lambda x, a, b: np.clip(x, a, b))


@composition(np.clip, weak=True)
def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """The nearest number between the bounds; a bound that is None is absent. At a tie the two share equally."""
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip takes each bound once: as a_min or min=, as a_max or max=")
    a, low, high = in_common(arrays((as_numpy(a), a_min if min is None else min, a_max if max is None else max)))
    if low is None:
        return +a if high is None else minimum(a, high)
    return maximum(a, low) if high is None else _clip(a, low, high)


def _finite_arguments(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise TypeError("np.nan_to_num with copy=False would write its argument: leave copy= away")
    return x, nan, posinf, neginf


def _finite_push(dx, z, x, *replacements):
    """Keep the tangent of each part that is finite; its own transpose."""
    if is_unreal(x):
        return where(isfinite(real(x)), real(dx), 0.0) + 1j * where(isfinite(imag(x)), imag(dx), 0.0)
    return where(isfinite(x), dx, 0.0)


@smooth(Smooth(_finite_push, _finite_push), of=np.nan_to_num, call=_finite_arguments, selects=True, batched=by_elements)
def nan_to_num(x, nan, posinf, neginf):
    return np.nan_to_num(x, True, nan, posinf, neginf)
