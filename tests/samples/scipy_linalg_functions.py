"""Functions of matrices of ``scipy.linalg``."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

ORDINARY = np.array([[2.0, 0.5, -0.3], [0.2, 1.5, 0.4], [-0.1, 0.3, 2.5]])
DEFECTIVE = np.array([[1.5, 1.0, 0.0], [0.0, 1.5, 1.0], [0.0, 0.0, 1.5]])
POINTS = {"ordinary": ORDINARY, "a multiple of 1": 2.0 * np.eye(2), "defective": DEFECTIVE, "1 by 1": ORDINARY[:1, :1]}


@entry("expm", "logm", "sqrtm", *(f"scipy.linalg.{name}" for name in
       ("expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")))  # fmt: skip
def _functions(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for text, a in POINTS.items():
        yield of_scipy("linalg", lambda s, a: getattr(s, short)(a), (0.4 * a,), text, condition=4096)
    if short == "expm":
        yield of_scipy("linalg", lambda s, a: s.expm(a), (values(2, 2, 2),), "a stack", condition=64)


@entry("signm")
def _signs(name: str) -> Iterator[Sample]:
    both = {"ordinary": ORDINARY * [[1.0], [1.0], [-1.0]], "defective": DEFECTIVE - 3.0 * np.diag([0, 0, 1.0])}
    for text, a in both.items():
        yield of_scipy("linalg", lambda s, a: s.signm(a), (a,), text, condition=512)


@entry("fractional_matrix_power", "scipy.linalg.fractional_matrix_power")
def _powers(name: str) -> Iterator[Sample]:
    for t in (0.5, -1.3, 2, 2.7):
        yield of_scipy("linalg", lambda s, a, t=t: s.fractional_matrix_power(a, t), (ORDINARY,), f"{t}", condition=512)
    yield of_scipy("linalg", lambda s, a: s.fractional_matrix_power(a, 0.3), (DEFECTIVE,), "defective", condition=4096)


@entry("expm_frechet", "logm_frechet", "fractional_matrix_power_frechet", "scipy.linalg.expm_frechet")
def _frechet(name: str) -> Iterator[Sample]:
    from dualnumbers.table import TABLE

    e = values(3, 3)
    if "expm" in name:
        yield of_scipy(
            "linalg", lambda s, a, e: s.expm_frechet(a, e, compute_expm=False), (ORDINARY, e), "", condition=64
        )
        yield of_scipy("linalg", lambda s, a, e: s.expm_frechet(a, e)[1], (DEFECTIVE, e), "defective", condition=64)
    else:
        more = (0.4,) if "power" in name else ()
        yield Sample(lambda a, e: TABLE[name](a, e, *more), (ORDINARY, e), "", condition=512)
        yield Sample(lambda a, e: TABLE[name](a, e, *more), (DEFECTIVE, e), "defective", condition=4096)


@entry("scipy.linalg.funm")
def _of_eigenvalues(name: str) -> Iterator[Sample]:
    for text, f in {"exp": np.exp, "rational": lambda w: 1.0 / (1.0 + w**2)}.items():
        yield of_scipy("linalg", lambda s, a, f=f: s.funm(a, f), (ORDINARY,), text, condition=4096)
    yield of_scipy("linalg", lambda s, a: s.funm(a, np.sqrt), (-ORDINARY,), "complex", condition=4096)
