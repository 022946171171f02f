"""Ufuncs of ``scipy.special`` that NumPy has as well, or that are NumPy's in other units."""

from ...constants import DEGREE, ln10
from ...domains import nonzero
from ...elementwise.exponential import exp2, expm1, log1p
from ...elementwise.powers import cbrt
from ...elementwise.trigonometric import sin
from ...from_scipy import elementwise_of_scipy


def _second(function):
    """SciPy's row of a function that NumPy has: with NumPy's partials."""
    row = function.row
    return elementwise_of_scipy(
        row.name, *row.partials, name=f"special_{row.name}", domain=row.domain, singular=row.singular
    )


special_log1p, special_expm1, special_exp2, special_cbrt = map(_second, (log1p, expm1, exp2, cbrt))
exp10 = elementwise_of_scipy("exp10", lambda x, z: ln10(x) * z, singular=True)
cosm1 = elementwise_of_scipy("cosm1", lambda x, z: -sin(x))
sindg = elementwise_of_scipy("sindg", lambda x, z: DEGREE * cosdg(x))
cosdg = elementwise_of_scipy("cosdg", lambda x, z: -DEGREE * sindg(x))
tandg = elementwise_of_scipy("tandg", lambda x, z: DEGREE * (1.0 + z * z), singular=True)
cotdg = elementwise_of_scipy("cotdg", lambda x, z: -DEGREE / (sindg(x) * sindg(x)), domain=nonzero, singular=True)
radian = elementwise_of_scipy("radian", DEGREE, DEGREE / 60.0, DEGREE / 3600.0)
