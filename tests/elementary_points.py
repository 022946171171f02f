"""Elementary functions of the compiler in mpmath, and the points where they are tried."""

import mpmath
import numpy as np

TINY, HUGE = 5e-324, np.finfo(float).max
BELOW_NORMAL = np.array([3e-310, 1e-315, 2.2250738585072014e-308, TINY])

REAL = [(-1e-3, 1e-3), (-1.0, 1.0), (-20.0, 20.0)]
POSITIVE = [(0.5, 2.0), (0.99, 1.01), (0.0, 100.0), (0.0, HUGE)]
ANGLES = [(-1e-3, 1e-3), (-1.6, 1.6), (-100.0, 100.0), (-1e5, 1e5), (-1e9, 1e9), (-1e12, 1e12)]
INSIDE = [(-1e-3, 1e-3), (-1.0, 1.0), (0.45, 0.6), (0.999, 1.0), (-1.0, -0.999)]


def log_sum(x):
    return mpmath.log1p(mpmath.exp(x))


REFERENCES = {
    "exp": (mpmath.exp, [*REAL, (-746.0, 710.0), (-746.0, -700.0), (709.7, 709.8)]),
    "exp2": (lambda x: mpmath.mpf(2) ** x, [*REAL, (-1076.0, 1025.0), (-1076.0, -1000.0), (1023.9, 1024.1)]),
    "expm1": (mpmath.expm1, [*REAL, (-40.0, 40.0), (-746.0, 710.0), (699.0, 710.0)]),
    "gaussian": (lambda x: mpmath.exp(-x * x), [*REAL, (25.5, 27.5)]),
    "gaussian_growth": (lambda x: mpmath.exp(x * x), [*REAL, (-26.65, 26.65)]),
    "normal_density": (lambda x: mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi), [*REAL, (37.0, 39.0)]),
    "sech": (mpmath.sech, [*REAL, (-750.0, 750.0), (700.0, 746.0)]),
    "sech2": (lambda x: mpmath.sech(x * mpmath.log(2)), [*REAL, (-1080.0, 1080.0)]),
    "tanh": (mpmath.tanh, [*REAL, (0.4, 0.7), (-0.7, -0.4)]),
    "cosh": (mpmath.cosh, [*REAL, (-711.0, 711.0), (710.4, 710.5)]),
    "sinh": (mpmath.sinh, [*REAL, (-711.0, 711.0), (-710.5, -710.4), (0.9, 1.1)]),
    "logistic": (lambda x: 1 / (1 + mpmath.exp(-x)), [*REAL, (-750.0, 40.0), (-746.0, -700.0)]),
    "logistic2": (lambda x: 1 / (1 + mpmath.mpf(2) ** -x), [*REAL, (-1080.0, 60.0)]),
    "log": (mpmath.log, POSITIVE),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), POSITIVE),
    "log10": (lambda x: mpmath.log(x) / mpmath.log(10), POSITIVE),
    "log1p": (mpmath.log1p, [(-1e-3, 1e-3), (-1.0, 1.0), (-1.0, -0.999), (0.0, 1e17), (0.0, HUGE)]),
    "entr": (lambda x: -x * mpmath.log(x), POSITIVE[:3]),
    "asinh": (mpmath.asinh, [*REAL, (-1e3, 1e3), (-1e25, 1e25), (-HUGE / 2, HUGE / 2)]),
    "acosh": (mpmath.acosh, [(1.0, 1.001), (1.0, 2.0), (1.0, 1e3), (1.0, 1e25), (1.0, HUGE)]),
    "atanh": (mpmath.atanh, INSIDE),
    "softplus": (log_sum, [*REAL, (-750.0, 60.0)]),
    "log_expit": (lambda x: -log_sum(-x), [*REAL, (-60.0, 750.0)]),
    "erf": (mpmath.erf, [*REAL, (0.8, 1.2), (-6.0, 6.0)]),
    "erfc": (mpmath.erfc, [*REAL, (0.4, 3.0), (-6.0, 28.0), (26.0, 27.3)]),
    "ndtr": (mpmath.ncdf, [*REAL, (-3.0, 1.0), (-38.5, 9.0), (-38.5, -37.0)]),
    "sin": (mpmath.sin, ANGLES),
    "cos": (mpmath.cos, ANGLES),
    "tan": (mpmath.tan, ANGLES),
    "sin_pi": (mpmath.sinpi, ANGLES),
    "cos_pi": (mpmath.cospi, ANGLES),
    "atan": (mpmath.atan, [*REAL, (0.9, 1.1), (-1e3, 1e3), (-HUGE / 2, HUGE / 2)]),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [*REAL, (-HUGE / 2, HUGE / 2)]),
    "asin": (mpmath.asin, INSIDE),
    "acos": (mpmath.acos, INSIDE),
}
"""The name of a row → the function in mpmath, and intervals to draw from, besides random bits between their ends."""

HALF_TURNS = np.arange(1, 400) * (np.pi / 2)
CRITICAL = {
    "exp": [709.782712893384, 709.7827128933841, -708.3964185322641, -745.1332191019411, -745.1332191019412],
    "log": [np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)],
    "sin": [*HALF_TURNS, *np.nextafter(HALF_TURNS, 0.0), 2.0**30, np.nextafter(2.0**30, np.inf), 1e22],
}
"""The name of a row → points beside those drawn."""
CRITICAL |= {"cos": CRITICAL["sin"], "tan": CRITICAL["sin"]}

NANS = np.array([0x7FF8000000000FFF, 0xFFF8000000000123], np.uint64).view(np.float64)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, TINY, -TINY, HUGE, -HUGE, 0.5, -0.5, 2.0, -2.0,
                    1.5, -1.5, 3.0, -3.0, 1e16, -1e16, *NANS])  # fmt: skip


def ulps(got, true):
    """By how many units in the last place each value is wrong; those beyond the largest float are to be infinite."""
    found = []
    for z, t in zip(got.tolist(), true, strict=True):
        t = mpmath.mpf(t)
        if abs(t) >= HUGE * (1 + mpmath.mpf(2) ** -54):
            found.append(0.0 if z == mpmath.sign(t) * np.inf else np.inf)
            continue
        nearest = min(float(abs(t)), HUGE)
        wrong = abs(mpmath.mpf(z) - t) / mpmath.mpf(np.spacing(max(nearest, BELOW_NORMAL[2])))
        found.append(float(wrong) if np.isfinite(z) else np.inf)
    return np.array(found)


def points(name, intervals):
    """Points of the intervals, and random bits that lie between the outermost ends."""
    random = np.random.default_rng(sum(name.encode()))
    low, high = min(a for a, _ in intervals), max(b for _, b in intervals)
    bits = random.integers(0, 1 << 64, 2000, dtype=np.uint64).view(np.float64)
    bits = np.concatenate([bits, BELOW_NORMAL, -BELOW_NORMAL])
    bits = bits[(bits > low) & (bits < high)][-150:]
    return np.concatenate([*(random.uniform(a, b, 60) for a, b in intervals), bits, CRITICAL.get(name, [])])


def pairs(name):
    """Pairs of points for a function of two arguments."""
    random = np.random.default_rng(sum(name.encode()))
    size = np.exp(random.uniform(-745.0, 709.0, (2, 100)))
    if name == "power":
        parts = [
            ((0.0, 10.0), (-100.0, 100.0)),
            ((0.5, 2.0), (-1e3, 1e3)),
            ((0.999, 1.001), (-1e6, 1e6)),
            ((0, 1), (-1, 1)),
        ]
        size[1] = random.uniform(-1.2, 1.2, 100)
    elif name.startswith("xlog"):
        parts = [((-3.0, 3.0), (1e-3, 3.0)), ((-3.0, 3.0), (0.0, 1e-3))]
        size[0] = random.uniform(-1.0, 1.0, 100)
    else:
        parts = [((-1.0, 1.0), (-1.0, 1.0)), ((-1.0, 1.0), (-1e3, 1e3)), ((-40.0, 40.0), (-40.0, 40.0))]
    drawn = [[random.uniform(*one, 100) for one in part] for part in parts]
    return np.concatenate([*drawn, size], axis=1)


def logarithm_of_sum(base):
    return lambda x, y: mpmath.log(mpmath.mpf(base) ** x + mpmath.mpf(base) ** y) / mpmath.log(base)


TWO = {
    "power": lambda x, y: x**y,
    "hypot": mpmath.hypot,
    "cosine": lambda x, y: x / mpmath.hypot(x, y),
    "atan2": mpmath.atan2,
    "xlogy": lambda x, y: x * mpmath.log(y),
    "xlog1py": lambda x, y: x * mpmath.log1p(y),
    "logaddexp": logarithm_of_sum(mpmath.e),
    "logaddexp2": logarithm_of_sum(2),
}
"""The name of a row of two operands → the function in mpmath."""
