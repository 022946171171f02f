"""Products of long and narrow matrices, by stretches: BLAS has kernels for small ones that copy nothing beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..machine.blas import LOOPS
from ..machine.engine import lanes
from .fusing import Kernel
from .pieces import stretches

SMALL = 10**6
"""Up to how many products of two numbers OpenBLAS takes its kernels for small matrices, where it has these."""

NARROW = 64 * 64
"""How many of these there are at most in a round of the longest loop: more are faster otherwise."""

WITH_KERNELS = 8
"""It has them for processors whose vectors have so many doubles."""


def by_stretches(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels with products of narrow matrices as products of small ones, which are added up if they are to."""
    if lanes() < WITH_KERNELS:
        return list(kernels)
    return [one for kernel in kernels for one in (_cut(kernel) if _is_product(kernel) else [kernel])]


def _is_product(kernel: Kernel) -> bool:
    """Return whether a kernel is one call of BLAS for a product of two matrices."""
    if not kernel.is_call or kernel.nodes[-1].form != "matmul":
        return False
    loaded = [kernel.nodes[x].address for x in kernel.nodes[-1].operands if isinstance(x, int)]
    places = [*(x for x in loaded if x is not None), kernel.stores[0].address]
    return sorted(tuple(bool(x.strides[k]) for x in places) for k in range(len(kernel.shape))) == sorted(LOOPS)


def _cut(kernel: Kernel) -> list[Kernel]:
    count, longest = math.prod(kernel.shape), max(kernel.shape)
    if count <= SMALL or count > longest * NARROW:
        return [kernel]
    size = -(-longest // -(-count // SMALL))
    return [part for part in stretches(kernel, kernel.shape.index(longest), size) if math.prod(part.shape)]
