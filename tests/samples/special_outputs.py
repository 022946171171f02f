"""SciPy's ufuncs of several results."""

from collections.abc import Iterator

import numpy as np
import scipy.special

from .sample import Sample, entry

POINTS = np.array([[0.4, 1.3], [2.1, 0.7]])
ORDERS = {"pbdv": (1.5,), "pbvv": (1.5,), "pbwa": (0.5,), "mathieu_cem": (2, 0.5), "mathieu_sem": (2, 0.5),
          "mathieu_modcem1": (2, 0.5), "mathieu_modsem1": (2, 0.5), "mathieu_modcem2": (2, 0.5),
          "mathieu_modsem2": (2, 0.5)}  # fmt: skip
"""What stands before the argument and is not differentiated."""
OF_ONE = ("airy", "airye", "itairy", "sici", "shichi", "fresnel", "modfresnelp", "modfresnelm", "itj0y0", "iti0k0",
          "it2j0y0", "it2i0k0", "kelvin")  # fmt: skip

DIGITS = {"itairy": 1e11}
"""How far SciPy's values are off, in last places: itairy's have five digits."""


@entry(*OF_ONE, *ORDERS)
def _outputs(name: str) -> Iterator[Sample]:
    ufunc, orders, condition = getattr(scipy.special, name), ORDERS.get(name, ()), DIGITS.get(name, 64.0)
    points = 20.0 * POINTS if "mathieu_" in name and "mod" not in name else POINTS
    yield Sample(lambda x: np.stack(ufunc(*orders, x)), (points,), "", unreal=False, condition=condition)
    yield Sample(
        lambda x: ufunc(*orders, x)[0] * x, (points[0, 0].reshape(()),), "a number", unreal=False, condition=condition
    )


@entry("airye_first")
def _airye_first(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.real(np.stack(scipy.special.airye(x + 0.5j * x)[:2])), (POINTS,), "of complex numbers",
                 unreal=False, condition=64.0)  # fmt: skip


@entry("ellipj")
def _ellipj(name: str) -> Iterator[Sample]:
    call = lambda u, m: np.stack(scipy.special.ellipj(u, m))
    yield Sample(call, (POINTS, np.array([0.3, 0.8])), "", unreal=False, condition=1e3)
    yield Sample(
        lambda u: np.stack(scipy.special.ellipj(u, 0.5)), (POINTS[0],), "a constant", unreal=False, condition=1e3
    )
