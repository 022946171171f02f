"""The functions of ``scipy.special`` in mpmath: gamma and error functions, distributions, logistic functions."""

from collections.abc import Callable
from typing import Any

from mpmath import mp


def _phi(x: Any) -> Any:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def _upper(x: Any) -> Any:
    return mp.erfc(x / mp.sqrt(2)) / 2


def _mills(n: int) -> Callable[[Any], Any]:
    """Kₙ by the recurrence from the hazard, in digits enough for what it loses."""

    def k(t: Any) -> Any:
        with mp.workdps(mp.dps + 20):
            found = _phi(t) / _upper(t) - t
            for m in range(1, n):
                found = m / found - t
            return found

    return k


def _root(f: Callable[[Any], Any], start: float) -> Any:
    return mp.findroot(f, start)


REFERENCES: dict[str, Callable[..., Any] | None] = {
    "normal_density": _phi,
    "hazard": lambda t: _phi(t) / _upper(t),
    **{f"mills_{n}": _mills(n) for n in (1, 2, 3)},
    "ndtr": lambda x: _upper(-x),
    "log_ndtr": lambda x: mp.log(_upper(-x)),
    "ndtri": lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
    "erfcinv": lambda x: mp.erfinv(1 - x),
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "loggamma": mp.loggamma,
    "psi": lambda x: mp.psi(0, x),
    "betaln": lambda a, b: mp.log(mp.beta(a, b)),
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "log_expit": lambda x: -mp.log(1 + mp.exp(-x)),
    "logit": lambda x: mp.log(x / (1 - x)),
    "softplus": lambda x: mp.log(1 + mp.exp(x)),
    "xlogy": lambda x, y: x * mp.log(y),
    "xlog1py": lambda x, y: x * mp.log(1 + y),
    "entr": lambda x: -x * mp.log(x),
    "rel_entr": lambda x, y: x * mp.log(x / y),
    "kl_div": lambda x, y: x * mp.log(x / y) - x + y,
    "gammainc": None,  # mpmath takes long for these: tests/test_incomplete.py has few points
    "gammaincc": None,
    "betainc": None,
    "gamma_density": lambda a, x: x ** (a - 1) * mp.exp(-x) / mp.gamma(a),
}
