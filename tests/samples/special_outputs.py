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


@entry(*(f"scipy.special.{name}" for name in (*OF_ONE, *ORDERS)))
def _outputs(name: str) -> Iterator[Sample]:
    ufunc = getattr(scipy.special, name.rpartition(".")[2])
    orders = ORDERS.get(name.rpartition(".")[2], ())
    condition = DIGITS.get(name.rpartition(".")[2], 64.0)
    points = 20.0 * POINTS if "mathieu_" in name and "mod" not in name else POINTS
    yield Sample(lambda x: np.stack(ufunc(*orders, x)), (points,), "", unreal=False, condition=condition)
    yield Sample(
        lambda x: ufunc(*orders, x)[0] * x, (points[0, 0].reshape(()),), "a number", unreal=False, condition=condition
    )


@entry("scipy.special.ellipj")
def _ellipj(name: str) -> Iterator[Sample]:
    call = lambda u, m: np.stack(scipy.special.ellipj(u, m))
    yield Sample(call, (POINTS, np.array([0.3, 0.8])), "", unreal=False, condition=1e3)
    yield Sample(
        lambda u: np.stack(scipy.special.ellipj(u, 0.5)), (POINTS[0],), "a constant", unreal=False, condition=1e3
    )
