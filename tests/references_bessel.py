"""The second half of scipy.special in mpmath: Bessel, elliptic, hypergeometric functions, polynomials, integrals."""

from collections.abc import Callable
from typing import Any

from mpmath import mp

from dualnumbers.rules.of_scipy.special.bessel_scaled import lowering, raising
from dualnumbers.rules.of_scipy.special.carlson import carlson, legendre
from dualnumbers.rules.of_scipy.special.integrals import exponential_moment
from dualnumbers.rules.of_scipy.special.kelvin import ber_derivative, kei_derivative

for _order in range(2):  # made at first use; from here on they are rows like any other
    lowering(_order), raising(_order), exponential_moment(_order + 1)
ber_derivative(1), kei_derivative(1)
carlson(0, 0.5, 0.5, 1.5), carlson(1, 1.5, 0.5, 0.5), legendre(0, 0.5), legendre(1, 1.5)


def _spherical(bessel: Callable[..., Any], factor: Any) -> Callable[..., Any]:
    return lambda n, x: mp.sqrt(factor(mp.pi) / x) * bessel(n + mp.mpf("0.5"), x)


def _half(x: Any) -> Any:
    return x / 2


def _zeta(x: Any) -> Any:
    return 2 * x * mp.sqrt(x) / 3


def _of_whole(f: Callable[..., Any], places: int = 1) -> Callable[..., Any]:
    """A function of mpmath that takes its first arguments as whole numbers."""
    return lambda *xs: f(*map(int, xs[:places]), *xs[places:])


def _integral(f: Any, struve: Any, lower: int, upper: int) -> Callable[..., Any]:
    """∫ f₀ from 0 to x; DLMF 10.22.2, 10.43.2."""
    return lambda x: x * f(0, x) + mp.pi * x / 2 * (upper * struve(0, x) * f(1, x) + lower * struve(1, x) * f(0, x))


def _fresnel(sign: int, part: Any, scaled: bool) -> Callable[..., Any]:
    def integral(x: Any) -> Any:
        turn = mp.expjpi(sign * mp.mpf("0.25"))
        z = mp.sqrt(mp.pi) / 2 * turn * mp.erfc(x / turn)
        return part(z / mp.sqrt(mp.pi) * mp.expj(-sign * (x * x + mp.pi / 4)) if scaled else z)

    return integral


def _wright(a: Any, b: Any, x: Any) -> Any:
    """The power series, up to terms that no longer count."""
    total, term, k = mp.rgamma(b), mp.one, 0
    while k < 10 or abs(term) > mp.eps * abs(total):
        k += 1
        term = mp.fdiv(x**k, mp.factorial(k)) * mp.rgamma(a * k + b)
        total += term
    return total


def _bessel_k(n: int, x: Any) -> Any:
    """Kₙ of whole n by its power series, which is faster than mpmath's; DLMF 10.31.1."""
    with mp.extraprec(int(4 * abs(x)) + 20):
        y = x / 2
        first = mp.fsum(mp.factorial(n - k - 1) / mp.factorial(k) * (-1) ** k * y ** (2 * k - n) for k in range(n)) / 2
        power, psi, total, k = y**n / mp.factorial(n), mp.psi(0, n + 1) - mp.euler, mp.zero, 0
        while k < abs(x) or abs(power * psi) > mp.eps * abs(total):
            total += power * (psi / 2 - mp.log(y))
            k += 1
            power *= y * y / (k * (n + k))
            psi += mp.one / k + mp.one / (n + k)
        return first + (-1) ** n * total


def _bessel_y(n: int, x: Any) -> Any:
    """DLMF 10.27.8."""
    return mp.im(_bessel_k(n, -1j * x) * mp.mpc(0, -1) ** (n + 1)) * 2 / mp.pi


def _kelvin_k(n: int, part: Any) -> Callable[..., Any]:
    """ker, kei (n = 0) and their derivatives (1): K₀(x e^(πi/4)); DLMF 10.61.2."""
    return lambda x: part(_bessel_k(n, mp.expjpi(mp.mpf("0.25")) * x) * (-mp.expjpi(mp.mpf("0.25"))) ** n)


def _legendre_p(m: int, v: int, x: Any) -> Any:
    """Of whole degree and order, by the derivatives of the polynomial; DLMF 14.6.1, 14.9.3, 18.5.7."""
    k = abs(m)
    half = [
        mp.binomial(v, j) * mp.binomial(mp.mpf(v + j - 1) / 2, v) * mp.ff(j, k) * x ** (j - k) for j in range(k, v + 1)
    ]
    sign = mp.factorial(v - k) / mp.factorial(v + k) if m < 0 else (-1) ** k
    return sign * 2**v * mp.sqrt(1 - x * x) ** k * mp.fsum(half)


BESSEL: dict[str, Callable[..., Any]] = {
    "jv": mp.besselj,
    "yv": mp.bessely,
    "iv": mp.besseli,
    "kv": mp.besselk,
    "yn": _bessel_y,
    "kn": _bessel_k,
    "y0": lambda x: _bessel_y(0, x),
    "y1": lambda x: _bessel_y(1, x),
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "k0": lambda x: _bessel_k(0, x),
    "k1": lambda x: _bessel_k(1, x),
    "jve": mp.besselj,
    "yve": mp.bessely,
    "ive": lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x),
    "kve": lambda v, x: mp.exp(x) * mp.besselk(v, x),
    "i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
    "i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
    "k0e": lambda x: mp.exp(x) * _bessel_k(0, x),
    "k1e": lambda x: mp.exp(x) * _bessel_k(1, x),
    "lowering_0": lambda v, x: mp.exp(x) * mp.besselk(v, x),
    "raising_0": lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x),
    "spherical_jn": _spherical(mp.besselj, _half),
    "spherical_yn": _spherical(mp.bessely, _half),
    "spherical_in": _spherical(mp.besseli, _half),
    "spherical_kn": _spherical(mp.besselk, _half),
    "airy_ai": mp.airyai,
    "airy_aip": lambda x: mp.airyai(x, derivative=1),
    "airy_bi": mp.airybi,
    "airy_bip": lambda x: mp.airybi(x, derivative=1),
    "airye_ai": lambda x: mp.exp(_zeta(x)) * mp.airyai(x),
    "airye_aip": lambda x: mp.exp(_zeta(x)) * mp.airyai(x, derivative=1),
    "airye_bi": lambda x: mp.exp(-_zeta(x)) * mp.airybi(x),
    "airye_bip": lambda x: mp.exp(-_zeta(x)) * mp.airybi(x, derivative=1),
    "itairy_ai": lambda x: mp.airyai(x, derivative=-1),
    "itairy_bi": lambda x: mp.airybi(x, derivative=-1),
    "itairy_ai_reflected": lambda x: -mp.airyai(-x, derivative=-1),
    "itairy_bi_reflected": lambda x: -mp.airybi(-x, derivative=-1),
    "airye_first_ai": lambda x: mp.exp(_zeta(x)) * mp.airyai(x),
    "airye_first_aip": lambda x: mp.exp(_zeta(x)) * mp.airyai(x, derivative=1),
    "ber": lambda x: mp.ber(0, x),
    "bei": lambda x: mp.bei(0, x),
    "ker": _kelvin_k(0, mp.re),
    "kei": _kelvin_k(0, mp.im),
    "ber_1": lambda x: (mp.ber(1, x) + mp.bei(1, x)) / mp.sqrt(2),
    "kei_1": _kelvin_k(1, mp.im),
    "berp": lambda x: (mp.ber(1, x) + mp.bei(1, x)) / mp.sqrt(2),
    "beip": lambda x: (mp.bei(1, x) - mp.ber(1, x)) / mp.sqrt(2),
    "kerp": _kelvin_k(1, mp.re),
    "keip": _kelvin_k(1, mp.im),
    "struve": mp.struveh,
    "modstruve": mp.struvel,
    "struve_first": lambda v: mp.rgamma(v + mp.mpf("1.5")) / mp.sqrt(mp.pi),
}

ELLIPTIC: dict[str, Callable[..., Any]] = {
    "ellipkm1": lambda p: mp.ellipk(1 - p),
    "squared_delta": lambda phi, m: 1 - m * mp.sin(phi) ** 2,
    "ellipkinc": mp.ellipf,
    "ellipeinc": mp.ellipe,
    "ellipj_sn": lambda u, m: mp.ellipfun("sn", u, m=m),
    "ellipj_cn": lambda u, m: mp.ellipfun("cn", u, m=m),
    "ellipj_dn": lambda u, m: mp.ellipfun("dn", u, m=m),
    "carlson_0_0.5_0.5_1.5": lambda x, y, z: 2 * mp.elliprd(x, y, z) / 3,
    "legendre_0_0.5": mp.ellipf,
}

OTHERS: dict[str, Callable[..., Any]] = {
    "tricomi": mp.hyperu,
    "wright_bessel": _wright,
    "log_wright_bessel": lambda a, b, x: mp.log(_wright(a, b, x)),
    "eval_legendre": _of_whole(mp.legendre),
    "eval_chebyt": _of_whole(mp.chebyt),
    "eval_chebyu": _of_whole(mp.chebyu),
    "eval_chebyc": _of_whole(lambda n, x: 2 * mp.chebyt(n, x / 2)),
    "eval_chebys": _of_whole(lambda n, x: mp.chebyu(n, x / 2)),
    "eval_sh_legendre": _of_whole(lambda n, x: mp.legendre(n, 2 * x - 1)),
    "eval_sh_chebyt": _of_whole(lambda n, x: mp.chebyt(n, 2 * x - 1)),
    "eval_sh_chebyu": _of_whole(lambda n, x: mp.chebyu(n, 2 * x - 1)),
    "eval_hermite": _of_whole(mp.hermite),
    "eval_hermitenorm": _of_whole(lambda n, x: mp.mpf(2) ** (-mp.mpf(n) / 2) * mp.hermite(n, x / mp.sqrt(2))),
    "eval_laguerre": _of_whole(lambda n, x: mp.laguerre(n, 0, x)),
    "eval_genlaguerre": _of_whole(mp.laguerre),
    "eval_gegenbauer": _of_whole(mp.gegenbauer),
    "eval_jacobi": _of_whole(mp.jacobi),
    "eval_sh_jacobi": _of_whole(
        lambda n, p, q, x: mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)),
    "lpmv": _of_whole(_legendre_p, 2),
    "exp1": mp.e1,
    "expi": mp.ei,
    "expn": _of_whole(mp.expint),
    "exponential_moment_1": lambda x: mp.expint(-1, x),
    "exponential_moment_2": lambda x: mp.expint(-2, x),
    "fresnel_s": mp.fresnels,
    "fresnel_c": mp.fresnelc,
    "spence": lambda x: mp.polylog(2, 1 - x),
    "pbdv_value": mp.pcfd,
    "pbvv_value": lambda v, x: mp.pcfv(-v - mp.mpf("0.5"), x),
    "pbwa_value": mp.pcfw,
    "itj0": _integral(mp.besselj, mp.struveh, -1, 1),
    "ity0": _integral(_bessel_y, mp.struveh, -1, 1),
    "it2j0": lambda x: x * x / 8 * mp.hyper([1, 1], [2, 2, 2], -x * x / 4),
    "it2i0": lambda x: x * x / 8 * mp.hyper([1, 1], [2, 2, 2], x * x / 4),
    "iti0": _integral(mp.besseli, mp.struvel, 1, -1),
    "itk0": _integral(_bessel_k, mp.struvel, 1, 1),
    **{f"modfresnel{name}_{'fk'[scaled]}_{part}": _fresnel(sign, getattr(mp, part[:2]), scaled)
       for name, sign in (("p", 1), ("m", -1)) for scaled in (False, True) for part in ("real", "imag")},
}  # fmt: skip

REFERENCES = BESSEL | ELLIPTIC | OTHERS
REFERENCES |= {f"kelvin_{letter}e{slope}_{part}": REFERENCES[f"{letter}e{of}{slope}"]
               for letter in "bk" for slope in ("", "p") for part, of in (("real", "r"), ("imag", "i"))}  # fmt: skip

VALUE_NOISE: dict[str, float] = {
    **dict.fromkeys(
        ["modfresnelp_k_real", "modfresnelp_k_imag", "modfresnelm_k_real", "modfresnelm_k_imag", "iti0"], 100.0
    ),
    **dict.fromkeys(
        ["ker", "kei", "kerp", "keip", "kelvin_ke_real", "kelvin_ke_imag", "kelvin_kep_real", "kelvin_kep_imag"], 1e4
    ),
    **dict.fromkeys(["it2j0", "itstruve0", "it2struve0"], 1e3),
    "it2k0": 1e5,
    **dict.fromkeys(["hyperu", "itj0", "itk0"], 1e6),
    "ity0": 1e8,
    **dict.fromkeys(["itairy_ai", "itairy_bi", "itairy_ai_reflected", "itairy_bi_reflected"], 1e12),
}
"""By how much SciPy's values of these are worse than rounding; their derivatives are not."""

NOISE: dict[str, float] = {
    **dict.fromkeys(["jv", "yv", "jve", "yve", "hyp1f1", "modstruve", "pbdv_value", "pbvv_value", "pbwa_value",
                     "wright_bessel", "log_wright_bessel"], 4.0),
    **dict.fromkeys(["kv", "airye_ai", "airye_aip", "airye_first_ai", "airye_first_aip"], 12.0),
    **dict.fromkeys(["airye_bi", "airye_bip"], 50.0),
    **dict.fromkeys(["kve", "raising_0", "raising_1"], 100.0),
    "mathieu_modcem1_slope": 10.0,
    "ive": 1000.0,
}  # fmt: skip
"""By how much SciPy's values of the functions in the partials of these are worse than rounding."""
