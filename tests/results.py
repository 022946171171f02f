"""Each result of an elementwise function of several, as a function with a row of its own: so the loops test it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dualnumbers.table import Row
from dualnumbers.table.kinds import Elementwise
from dualnumbers.table.row import Face

NAMES: dict[str, tuple[str | None, ...]] = {
    "frexp": ("mantissa", None),
    "modf": ("fraction", None),
    "divmod": (None, "rest"),
    "airy": ("airy_ai", "airy_aip", "airy_bi", "airy_bip"),
    "airye": ("airye_ai", "airye_aip", "airye_bi", "airye_bip"),
    "airye_first": ("airye_first_ai", "airye_first_aip"),
    "itairy": ("itairy_ai", "itairy_bi", "itairy_ai_reflected", "itairy_bi_reflected"),
    "ellipj": ("ellipj_sn", "ellipj_cn", "ellipj_dn", "ellipj_ph"),
    "sici": ("si", "ci"),
    "shichi": ("shi", "chi"),
    "fresnel": ("fresnel_s", "fresnel_c"),
    "itj0y0": ("itj0", "ity0"),
    "iti0k0": ("iti0", "itk0"),
    "it2j0y0": ("it2j0", "it2y0"),
    "it2i0k0": ("it2i0", "it2k0"),
    **{name: (f"{name}_value", f"{name}_slope") for name in (
        "pbdv", "pbvv", "pbwa", "mathieu_cem", "mathieu_sem", "mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1",
        "mathieu_modsem2")},
    "modfresnelp": ("modfresnelp_f", "modfresnelp_k"),
    "modfresnelm": ("modfresnelm_f", "modfresnelm_k"),
    "kelvin": ("kelvin_be", "kelvin_ke", "kelvin_bep", "kelvin_kep"),
}  # fmt: skip
"""What the results are called here; None is one that is locally constant."""

COMPLEX = {"kelvin", "modfresnelm", "modfresnelp"}
"""Those whose results are complex at real arguments: of them the parts are functions."""


WHOLE: dict[Row, tuple[Row, Callable[[Any], Any]]] = {}
"""The row of a result: the row that gives it, and what takes it from the tuple."""


def _one(function: Callable[..., Any], which: int, name: str, part: Callable[[Any], Any]) -> Any:
    """One result, or a part of it."""
    row = function.row  # type: ignore[attr-defined]
    own = Row(name, tuple(Elementwise(by[which]) for by in row.partials), domain=row.domain, singular=row.singular)
    own.python = Face(own, scalar=lambda *xs: part(row.python.scalar(*xs)[which]))
    WHOLE[own] = row, lambda z: part(z[which])

    def result(*xs: Any) -> Any:
        return part(function(*xs)[which])

    result.row = own  # type: ignore[attr-defined]
    return result


def results(function: Any) -> Iterator[Any]:
    """Each result that carries a derivative, of a complex one both parts; the function itself, if it has one result."""
    row = function.row
    if not (row.is_elementwise and row.several):
        yield function
        return
    for which, name in enumerate(NAMES[row.name]):
        if name is not None and row.name in COMPLEX:
            yield _one(function, which, f"{name}_real", np.real)
            yield _one(function, which, f"{name}_imag", np.imag)
        elif name is not None:
            yield _one(function, which, name, lambda z: z)
