"""Ufuncs of ``scipy.special`` that NumPy has as well, or that are NumPy's in other units."""

import math

from ..constants import ln10
from ..domains import above_minus_one, nonzero
from ..exponential import exp
from ..from_scipy import elementwise_of_scipy
from ..trigonometric import sin

DEGREE = math.pi / 180.0


def _second(name):
    return f"special_{name}"


special_log1p = elementwise_of_scipy("log1p", lambda x, z: 1.0 / (1.0 + x), name=_second("log1p"),
                                     domain=above_minus_one, singular=True)  # fmt: skip
special_expm1 = elementwise_of_scipy("expm1", lambda x, z: exp(x), name=_second("expm1"), singular=True)
special_exp2 = elementwise_of_scipy("exp2", lambda x, z: math.log(2.0) * z, name=_second("exp2"), singular=True)
exp10 = elementwise_of_scipy("exp10", lambda x, z: ln10(x) * z, singular=True)
special_cbrt = elementwise_of_scipy("cbrt", lambda x, z: 1.0 / (3.0 * z * z), name=_second("cbrt"), domain=nonzero,
                                    singular=True)  # fmt: skip
cosm1 = elementwise_of_scipy("cosm1", lambda x, z: -sin(x))
sindg = elementwise_of_scipy("sindg", lambda x, z: DEGREE * cosdg(x))
cosdg = elementwise_of_scipy("cosdg", lambda x, z: -DEGREE * sindg(x))
tandg = elementwise_of_scipy("tandg", lambda x, z: DEGREE * (1.0 + z * z), singular=True)
cotdg = elementwise_of_scipy("cotdg", lambda x, z: -DEGREE / (sindg(x) * sindg(x)), domain=nonzero, singular=True)
radian = elementwise_of_scipy("radian", DEGREE, DEGREE / 60.0, DEGREE / 3600.0)
