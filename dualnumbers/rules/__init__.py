"""THE table: every elementary function once, with its derivative, one file a family."""

from importlib import import_module

__all__ = [
    "arithmetic",
    "complexes",
    "convolution",
    "cosines",
    "exponential",
    "fourier",
    "from_scipy",
    "hyperbolic",
    "indexing",
    "inspection",
    "interpolation",
    "kinks",
    "linalg",
    "polynomials",
    "powers",
    "products",
    "reductions",
    "selection",
    "shaping",
    "special",
    "steps",
    "strong",
    "trigonometric",
]

for _family in __all__:
    import_module(f"{__name__}.{_family}")
