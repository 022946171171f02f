/* The error functions (Sun's fdlibm, s_erf.c), the gamma function and its logarithm (Lanczos' sum, as in CPython's
   mathmodule.c), the digamma and the trigamma function (their asymptotic series), the sine cardinal. */
function horner(coefficients, x) {
  return coefficients.reduceRight((sum, c) => sum * x + c, 0);
}

const ERF = {
  small: [[1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
    -5.77027029648944159157e-03, -2.37630166566501626084e-05],
  [1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
    1.32494738004321644526e-04, -3.96022827877536812320e-06]],
  middle: [[-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
    3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
    -2.16637559486879084300e-03],
  [1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
    1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02]],
  large: [[-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
    -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
    -8.12874355063065934246e+01, -9.81432934416914548592e+00],
  [1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
    6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
    6.57024977031928170135e+00, -6.04244152148580987438e-02]],
  largest: [[-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
    -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
    -4.83519191608651397019e+02],
  [1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
    3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
    -2.24409524465858183362e+01]],
};
const ERX = 8.45062911510467529297e-01;

function fraction([over, under], x) {
  return horner(over, x) / horner(under, x);
}

/* erfc(x) at x ≥ 1.25, by exp(−x²) with the square of a number of few digits. */
function tail(x) {
  if (x >= 28) return 0;
  const q = fraction(x < 1 / 0.35 ? ERF.large : ERF.largest, 1 / (x * x));
  bits.setFloat64(0, x);
  bits.setUint32(4, 0);
  const short = bits.getFloat64(0);
  return (Math.exp(-short * short - 0.5625) * Math.exp((short - x) * (short + x) + q)) / x;
}

F.erf = (x) => {
  const a = Math.abs(x);
  if (a < 0.84375) return x + x * fraction(ERF.small, x * x);
  if (a < 1.25) return Math.sign(x) * (ERX + fraction(ERF.middle, a - 1));
  return a >= 6 ? Math.sign(x) : Number.isNaN(x) ? NaN : Math.sign(x) * (1 - tail(a));
};
F.erfc = (x) => {
  const a = Math.abs(x);
  if (a < 0.84375) {
    const y = fraction(ERF.small, x * x);
    return x < 0.25 ? 1 - (x + x * y) : 0.5 - (x - 0.5 + x * y);
  }
  if (a < 1.25) return x > 0 ? 1 - ERX - fraction(ERF.middle, a - 1) : 1 + ERX + fraction(ERF.middle, a - 1);
  return Number.isNaN(x) ? NaN : x > 0 ? tail(x) : 2 - tail(a);
};
F.ndtr = (x) => {
  const t = x * Math.SQRT1_2;
  return Math.abs(t) < 1 ? 0.5 + 0.5 * F.erf(t) : t > 0 ? 1 - 0.5 * F.erfc(t) : 0.5 * F.erfc(-t);
};

const LANCZOS = 6.024680040776729583740234375;
const LANCZOS_SUM = [
  [23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408],
  [0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925, 66, 1]];

/* Lanczos' sum at x > 0; in 1/x where the powers would overflow. */
function lanczosSum(x) {
  if (x < 5) return fraction(LANCZOS_SUM, x);
  return fraction(LANCZOS_SUM.map((coefficients) => [...coefficients].reverse()), 1 / x);
}

function isPole(x) {
  return x <= 0 && Number.isInteger(x);
}

F.gamma = (x) => {
  if (!Number.isFinite(x)) return x === Infinity ? x : NaN;
  if (isPole(x)) return x === 0 ? 1 / x : NaN;
  if (Number.isInteger(x) && x < 24) return Array.from({ length: x - 1 }, (_, k) => k + 1).reduce((p, k) => p * k, 1);
  const a = Math.abs(x);
  if (a < 1e-20) return 1 / x;
  if (a > 200) return x > 0 ? Infinity : 0;
  const y = a + (LANCZOS - 0.5);
  let z = a > LANCZOS - 0.5 ? y - a - (LANCZOS - 0.5) : y - (LANCZOS - 0.5) - a;
  z = (z * LANCZOS) / y;
  const half = a < 140 ? [Math.pow(y, a - 0.5)] : Array(2).fill(Math.pow(y, a / 2 - 0.25));
  if (x > 0) {
    const r = lanczosSum(a) / Math.exp(y);
    return half.reduce((product, factor) => product * factor, r - z * r);
  }
  const r = ((-Math.PI / F.sin_pi(a) / a) * Math.exp(y)) / lanczosSum(a);
  return half.reduce((quotient, factor) => quotient / factor, r - z * r);
};
F.lgamma = (x) => {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? NaN : Infinity;
  if (isPole(x)) return Infinity;
  if (x === 1 || x === 2) return 0;
  const a = Math.abs(x);
  if (a < 1e-20) return -Math.log(a);
  const r = Math.log(lanczosSum(a)) - LANCZOS + (a - 0.5) * (Math.log(a + LANCZOS - 0.5) - 1);
  return x > 0 ? r : Math.log(Math.PI) - Math.log(Math.abs(F.sin_pi(a))) - Math.log(a) - r;
};
F.loggamma = (x) => (x < 0 ? NaN : F.lgamma(x));

const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510];

/* ψ(x): the recurrence up to 12, the asymptotic series from there on, the reflection on the left. */
F.polygamma_0 = (x) => {
  if (x <= 0) return Number.isInteger(x) ? NaN : F.polygamma_0(1 - x) - (Math.PI * F.cos_pi(x)) / F.sin_pi(x);
  let lower = 0;
  for (; x < 12; x += 1) lower += 1 / x;
  const series = BERNOULLI.reduceRight((sum, b, k) => (sum + b / (2 * k + 2)) / (x * x), 0);
  return Math.log(x) - 0.5 / x - series - lower;
};
F.psi = F.polygamma_0;
F.polygamma_1 = (x) => {
  if (x <= 0) return Number.isInteger(x) ? Infinity : Math.pow(Math.PI / F.sin_pi(x), 2) - F.polygamma_1(1 - x);
  let upper = 0;
  for (; x < 12; x += 1) upper += 1 / (x * x);
  const series = BERNOULLI.reduceRight((sum, b) => (sum + b) / (x * x), 0);
  return upper + 1 / x + 0.5 / (x * x) + series / x;
};

/* sin t / t and its derivative by t = πx: by the series where they would cancel. */
F.sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
F.sinc_1 = (x) => {
  const t = Math.PI * x;
  if (Math.abs(t) >= 3) return (Math.PI * (Math.cos(t) - Math.sin(t) / t)) / t;
  let term = -1 / 3, sum = 0;
  for (let k = 1; k < 18; k++) {
    sum += term;
    term *= (-t * t * (2 * k + 2)) / (2 * k * (2 * k + 2) * (2 * k + 3));
  }
  return Math.PI * t * sum;
};
