/* The values of the table's elementwise functions, of real numbers, by their rows' names; at what is no number as
   NumPy has it. Their derivatives are not here: rules.js, which Python prints from the table, has them. */
const bits = new DataView(new ArrayBuffer(8));

/* The float that is so many units in the last place away from 0 further. */
function beside(x, units) {
  bits.setFloat64(0, x);
  bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(units));
  return bits.getFloat64(0);
}

function rounded(x) {
  const low = Math.floor(x), rest = x - low;
  const even = low % 2 === 0 ? low : low + 1;
  return rest === 0.5 ? even : rest < 0.5 ? low : low + 1;
}

function modulo(x, y) {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest === 0 ? (y < 0 ? -0 : 0) : rest;
}

/* exp(−c x²), by the square of the nearest sixteenth, which is exact, and the rest. */
function gaussianOf(c, x) {
  const size = Math.min(Math.abs(x), 160), high = rounded(16 * size) / 16;
  return Math.exp(-c * high * high) * Math.exp(c * (high - size) * (size + high));
}

function sechOf(e) {
  return (2 * e) / (1 + e * e);
}

function logisticOf(x, e) {
  return (x < 0 ? e : 1) / (1 + e);
}

function turned(x) {
  const whole = rounded(x);
  return [x - whole, 1 - 2 * modulo(whole, 2)];
}

/* An angle in degrees: its distance from the nearest quarter turn, in radians, and the number of that. */
function ofDegrees(x) {
  const rest = x % 360, quarter = rounded(rest / 90);
  return [((rest - 90 * quarter) * Math.PI) / 180, modulo(quarter, 4)];
}

function larger(x, y) {
  return Number.isNaN(x) || Number.isNaN(y) ? NaN : x >= y ? x : y;
}

function smaller(x, y) {
  return Number.isNaN(x) || Number.isNaN(y) ? NaN : x <= y ? x : y;
}

/* tan or cot of degrees as SciPy has it: the latter by what is left of 90. */
function ratioOfDegrees(x, cotangent) {
  const a = Math.abs(x) % 180, beyond = a > 90;
  const angle = cotangent ? Math.abs(90 - a) : beyond ? 180 - a : a, sign = (x < 0 ? -1 : 1) * (beyond ? -1 : 1);
  return angle === 90 ? Infinity : angle === 45 ? sign : sign * Math.tan(angle * 0.017453292519943295);
}

const truth = (x) => Number(x) !== 0;

function floorDivide(x, y) {
  if (y === 0) return x / y;
  const rest = modulo(x, y), quotient = (x - rest) / y, low = Math.floor(quotient);
  return quotient === 0 ? (x / y < 0 ? -0 : 0) : quotient - low > 0.5 ? low + 1 : low;
}

/* x − n y, n the whole number nearest to x / y, the even one of two. */
function nearestRest(x, y) {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return NaN;
  if (!Number.isFinite(y)) return x;
  const size = Math.abs(x), step = Math.abs(y), rest = size % step, other = step - rest;
  const near = rest < other ? rest : rest > other ? -other : rest - 2 * ((0.5 * (size - rest)) % step);
  return Math.sign(x) * near;
}

function powerOf(x, y) {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : Math.pow(x, y);
}

/* x log y, 0 where x is 0. */
function timesLog(x, log, y) {
  return x === 0 && !Number.isNaN(y) ? 0 : x * log(y);
}

const F = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2,
  sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, asinh: Math.asinh, acosh: Math.acosh, atanh: Math.atanh,
  exp: Math.exp, expm1: Math.expm1, special_expm1: Math.expm1, log: Math.log, log2: Math.log2, log10: Math.log10,
  log1p: Math.log1p, special_log1p: Math.log1p, sqrt: Math.sqrt, cbrt: Math.cbrt, special_cbrt: Math.cbrt,
  hypot: Math.hypot, hypot_3: Math.hypot, hypot_4: Math.hypot,
  floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, rint: rounded,
  fabs: Math.abs, absolute: Math.abs, sign: Math.sign, maximum: larger, minimum: smaller,
  power: powerOf, pow: powerOf, mod: modulo, floor_divide: floorDivide, remainder: nearestRest,
  isfinite: Number.isFinite, isnan: Number.isNaN,
  exp2: (x) => Math.pow(2, x),
  special_exp2: (x) => Math.pow(2, x),
  exp10: (x) => Math.pow(10, x),
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
  positive: (x) => x,
  real: (x) => x,
  _python_number: (x) => x,
  _numpy_scalar: (x) => x,
  fmod: (x, y) => x % y,
  fma: (x, y, w) => x * y + w,
  ldexp: (x, i) => x * Math.pow(2, Math.trunc(i / 2)) * Math.pow(2, i - Math.trunc(i / 2)),
  nextafter: (x, y) => (x === y ? y : Number.isNaN(x) || Number.isNaN(y) ? NaN : x === 0 ? Math.sign(y) * 5e-324
    : beside(x, y > x === x > 0 ? 1 : -1)),
  ulp: (x) => (Number.isFinite(x) ? beside(Math.abs(x), 1) - Math.abs(x) : Math.abs(x)),
  degrees: (x) => x * (180 / Math.PI),
  radians: (x) => x * (Math.PI / 180),
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  signbit: (x) => x < 0 || Object.is(x, -0),
  isinf: (x) => Math.abs(x) === Infinity,
  isposinf: (x) => x === Infinity,
  isneginf: (x) => x === -Infinity,
  fmax: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : larger(x, y)),
  fmin: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : smaller(x, y)),
  clip: (x, a, b) => smaller(larger(x, a), b),
  heaviside: (x, y) => (Number.isNaN(x) ? NaN : x < 0 ? 0 : x > 0 ? 1 : y),
  share: (x, y) => (x > y ? 1 : x < y ? 0 : x === y ? 0.5 : NaN),
  one_minus_square: (x) => (1 - x) * (1 + x),
  cosine: (x, y) => (x === 0 && y === 0 ? 0 : x / Math.hypot(x, y)),
  sech: (x) => sechOf(Math.exp(-Math.abs(x))),
  sech2: (x) => sechOf(Math.pow(2, -Math.abs(x))),
  log_sech: (x) => Math.LN2 - Math.abs(x) - Math.log1p(Math.exp(-2 * Math.abs(x))),
  logistic: (x) => logisticOf(x, Math.exp(-Math.abs(x))),
  logistic2: (x) => logisticOf(x, Math.pow(2, -Math.abs(x))),
  expit: (x) => logisticOf(x, Math.exp(-Math.abs(x))),
  logit: (p) => (p > 0.3 && p < 0.65 ? 2 * Math.atanh(2 * (p - 0.5)) : Math.log(p / (1 - p))),
  log_expit: (x) => smaller(x, 0) - Math.log1p(Math.exp(-Math.abs(x))),
  softplus: (x) => larger(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
  logaddexp: (x, y) => (x === y ? x + Math.LN2 : larger(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)))),
  logaddexp2: (x, y) => (x === y ? x + 1 : larger(x, y) + Math.log1p(Math.pow(2, -Math.abs(x - y))) * Math.LOG2E),
  gaussian: (x) => gaussianOf(1, x),
  gaussian_growth: (x) => gaussianOf(-1, x),
  normal_density: (x) => gaussianOf(0.5, x) / Math.sqrt(2 * Math.PI),
  sin_pi: (x) => { const [rest, sign] = turned(x); return sign * Math.sin(Math.PI * rest); },
  cos_pi: (x) => {
    const [rest, sign] = turned(x), size = Math.abs(rest);
    return sign * (size > 0.25 ? Math.sin(Math.PI * (0.5 - size)) : Math.cos(Math.PI * rest));
  },
  sindg: (x) => { const [t, k] = ofDegrees(x); return [Math.sin(t), Math.cos(t), -Math.sin(t), -Math.cos(t)][k] ?? NaN; },
  cosdg: (x) => { const [t, k] = ofDegrees(x); return [Math.cos(t), -Math.sin(t), -Math.cos(t), Math.sin(t)][k] ?? NaN; },
  tandg: (x) => ratioOfDegrees(x, false),
  cotdg: (x) => ratioOfDegrees(x, true),
  cosm1: (x) => { const s = Math.sin(0.5 * x); return -2 * s * s; },
  radian: (d, m, s) => ((d + m / 60 + s / 3600) * Math.PI) / 180,
  xlogy: (x, y) => timesLog(x, Math.log, y),
  xlog1py: (x, y) => timesLog(x, Math.log1p, y),
  entr: (x) => (x > 0 ? -x * Math.log(x) : x === 0 ? 0 : Number.isNaN(x) ? NaN : -Infinity),
  log_ratio: (x, y) => Math.abs(x - y) < 0.5 * y ? Math.log1p((x - y) / y) : Math.log(x) - Math.log(y),
  shortfall: (x, y) => (y - x) / y,
  kl_div: (x, y) => (x > 0 && y > 0 ? x * F.log_ratio(x, y) - x + y : x === 0 && y >= 0 ? y : Infinity),
  rel_entr: (x, y) => (x > 0 && y > 0 ? x * F.log_ratio(x, y) : x === 0 && y >= 0 ? 0 : Infinity),
  huber: (d, r) => (d < 0 ? Infinity : Math.abs(r) <= d ? 0.5 * r * r : d * (Math.abs(r) - 0.5 * d)),
  logical_and: (x, y) => truth(x) && truth(y),
  logical_or: (x, y) => truth(x) || truth(y),
  logical_xor: (x, y) => truth(x) !== truth(y),
  logical_not: (x) => !truth(x),
};
