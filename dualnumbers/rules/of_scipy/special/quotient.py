"""(f(x) − f(0)) / x without a quotient near 0: sin x / x and its like, to any order."""

from ...comparisons import less
from ...elementwise.kinks import absolute
from ...gauss_legendre import gauss
from ...where import where


def quotient(f, slope, x, start=0.0, radius=4.0):
    """(f(x) − f(0)) / x of an analytic f with f(0) = ``start`` and derivative ``slope``.

    Within |x| < ``radius`` it is the mean of the derivative between 0 and x, by Gauss's rule of 16 nodes (DLMF §3.5):
    to rounding if f is entire, of size 1 there; or if it has no singularity within the radius.
    """
    near = less(absolute(x), radius)
    mean = sum(float(w) * slope(float(t) * x) for t, w in zip(*gauss(16), strict=True))
    return where(near, mean, (f(x) - start) / where(near, 1.0, x))
