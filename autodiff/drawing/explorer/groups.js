/* Functions of groups of elements, given what is fixed of the row: of each result the value and the weights by which it
   follows the elements, none by which it never does. Equal elements share. */
const byRank = (x, y) => Number.isNaN(x) - Number.isNaN(y) || x - y;
const total = (xs) => xs.reduce((sum, x) => sum + x, 0);
const but = (xs, k) => xs.filter((_, i) => i !== k);
const productOf = (xs) => xs.reduce((product, x) => product * x, 1);

const share = (xs, x) => {
  const equal = xs.map((y) => y === x || (Number.isNaN(y) && Number.isNaN(x))), n = equal.filter(Boolean).length;
  return [x, equal.map((is) => is / n)];
};

/* Weighted means of the sorted elements; an extreme one of weight 0 is not looked at. */
function ofRanks(xs, ranks) {
  const sorted = [...xs].sort(byRank);
  return ranks.map((weights) => {
    const used = sorted.flatMap((x, k) => (weights[k] ? [[weights[k], ...share(xs, x)]] : []));
    return [Number.isNaN(sorted.at(-1)) ? NaN : total(used.map(([weight, x]) => weight * x)),
      xs.map((_, i) => total(used.map(([weight, , part]) => weight * part[i])))];
  });
}

/* The root of a mean square of deviations, which is 0 where these are. */
function deviation(from, free) {
  const part = free > 0 ? 1 / free : NaN, z = Math.sqrt(part * total(from.map((d) => d * d)));
  return [[z, from.map((d) => (z === 0 ? 0 : (part * d) / z))]];
}

/* Deviations from the mean; twice, as the mean is rounded. Equal elements have none. */
function centred(xs) {
  if (xs.every((x) => x === xs[0])) return xs.map((x) => x - x);
  const once = xs.map((x) => x - total(xs) / xs.length);
  return once.map((x) => x - total(once) / xs.length);
}

/* The powers of a base over their sum, and the logarithm of that to the base. */
function exponentials(xs, rate) {
  const highest = Math.max(...xs), peak = Number.isFinite(highest) ? highest : 0, first = xs.indexOf(highest);
  const powers = xs.map((x) => Math.exp(rate * (x - peak))), rest = total(but(powers, first));
  const sum = rest + (powers[first] ?? NaN);
  return { shares: powers.map((e) => e / sum), beside: rest, peak: highest };
}

const softmaxOf = (rate) => (xs) => {
  const { shares } = exponentials(xs, rate);
  return shares.map((z, i) => [z, shares.map((y, j) => rate * z * (i === j ? total(but(shares, i)) : -y))]);
};

const logarithmOf = (rate) => (xs) => {
  const { shares, beside: rest, peak } = exponentials(xs, rate);
  return [[peak === -Infinity ? peak : peak + Math.log1p(rest) / rate, shares.map((p) => (peak === -Infinity ? 0 : p))]];
};

/* The inverse and the determinant of a matrix, by elimination with pivots; null where it has none. */
function inverted(matrix) {
  const n = matrix.length, rows = matrix.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))]);
  let determinant = 1;
  for (let k = 0; k < n; k++) {
    const pivot = rows.slice(k).reduce((best, row, i) => (Math.abs(row[k]) > Math.abs(rows[best][k]) ? i + k : best), k);
    if (pivot !== k) [rows[k], rows[pivot], determinant] = [rows[pivot], rows[k], -determinant];
    const by = rows[k][k];
    determinant *= by;
    if (by === 0) return { inverse: null, determinant: 0 };
    rows[k] = rows[k].map((x) => x / by);
    for (const [i, row] of rows.entries()) if (i !== k && row[k]) rows[i] = row.map((x, j) => x - row[k] * rows[k][j]);
  }
  return { inverse: rows.map((row) => row.slice(n)), determinant };
}

function matrixFrom(xs, rows = Math.sqrt(xs.length)) {
  const n = xs.length / rows;
  return Array.from({ length: rows }, (_, i) => xs.slice(i * n, (i + 1) * n));
}

function regular(xs) {
  const found = inverted(matrixFrom(xs));
  if (!found.inverse) throw new Complaint("a matrix is singular at these inputs; the page stays at the last ones");
  return found;
}

const transposed = (matrix) => matrix.flatMap((row, i) => row.map((_, j) => matrix[j][i]));

function cofactors(matrix) {
  return matrix.flatMap((row, i) => row.map((_, j) => {
    return ((i + j) % 2 ? -1 : 1) * inverted(but(matrix, i).map((other) => but(other, j))).determinant;
  }));
}

/* The exponent of the least power of two above a number's modulus, as frexp has it. */
function powerAbove(x) {
  if (!x || !Number.isFinite(x)) return 0;
  let power = Math.floor(Math.log2(Math.abs(x)));
  while (Math.abs(x) >= F.ldexp(1, power)) power++;
  while (Math.abs(x) < F.ldexp(1, power - 1)) power--;
  return power;
}

const GROUPED = {
  max: (xs) => [share(xs, [...xs].sort(byRank).pop())],
  min: (xs) => [share(xs, xs.find(Number.isNaN) ?? Math.min(...xs))],
  sort: (xs) => [...xs].sort(byRank).map((x) => share(xs, x)),
  median: ofRanks,
  quantile: ofRanks,
  prod: (xs) => [[productOf(xs), xs.map((_, k) => productOf(but(xs, k)))]],
  cumprod: (xs) => xs.map((_, k) => [productOf(xs.slice(0, k + 1)), xs.slice(0, k + 1).map((_, i) => productOf(but(xs.slice(0, k + 1), i)))]),
  length: (xs) => {
    const z = Math.hypot(...xs);
    return [[z, xs.map((x) => (z ? x / z : 0))]];
  },
  p_norm: (xs, p) => {
    const peak = Math.max(...xs.map(Math.abs)), z = peak && peak * total(xs.map((x) => (Math.abs(x) / peak) ** p)) ** (1 / p);
    return [[z, xs.map((x) => (z ? Math.sign(x) * (Math.abs(x) / z) ** (p - 1) : 0))]];
  },
  var: (xs, ddof) => {
    const d = centred(xs), part = xs.length > ddof ? 1 / (xs.length - ddof) : NaN;
    return [[part * total(d.map((x) => x * x)), d.map((x) => 2 * part * x)]];
  },
  std: (xs, ddof) => deviation(centred(xs), xs.length - ddof),
  root_mean_square: (xs, ddof) => deviation(xs, xs.length - ddof),
  softmax: softmaxOf(1),
  softmax2: softmaxOf(Math.LN2),
  log_sum_exp: logarithmOf(1),
  logaddexp_reduce: logarithmOf(1),
  logaddexp2_reduce: logarithmOf(Math.LN2),
  log_softmax: (xs) => {
    const { shares, beside: rest, peak } = exponentials(xs, 1);
    return xs.map((x, i) => [x - peak - Math.log1p(rest), shares.map((p, j) => (i === j ? total(but(shares, i)) : -p))]);
  },
  cross_entropy: (xs, classes) => {
    const points = matrixFrom(xs, classes.length).map((row) => ({ row, ...exponentials(row, 1) })), n = classes.length;
    const slopes = ({ shares }, k) => shares.map((p, j) => (j === classes[k] ? -total(but(shares, j)) : p) / n);
    return [[total(points.map(({ row, beside, peak }, k) => peak - row[classes[k]] + Math.log1p(beside))) / n, points.flatMap(slopes)]];
  },
  det: (xs) => [[inverted(matrixFrom(xs)).determinant, cofactors(matrixFrom(xs))]],
  slogdet: (xs) => {
    const { inverse, determinant } = regular(xs);
    return [[Math.sign(determinant), []], [Math.log(Math.abs(determinant)), transposed(inverse)]];
  },
  inv: (xs) => {
    const { inverse } = regular(xs);
    return inverse.flatMap((row, i) => row.map((z, j) => [z, row.flatMap((left) => inverse.map((right) => -left * right[j]))]));
  },
  solve: (xs, n) => {
    const { inverse } = regular(xs.slice(0, n * n)), right = matrixFrom(xs.slice(n * n), n), columns = right[0].length;
    const z = inverse.map((row) => right[0].map((_, j) => total(row.map((x, k) => x * right[k][j]))));
    return z.flatMap((row, i) => row.map((x, j) => {
      const weights = inverse[i].flatMap((left) => z.map((other) => -left * other[j]));
      for (const [k, left] of inverse[i].entries()) weights[n * n + k * columns + j] = left;
      return [x, weights];
    }));
  },
  affine: (xs, [m, k, n]) => Array.from({ length: m * n }, (_, place) => {
    const [i, j] = [Math.floor(place / n), place % n], weights = [], last = m * k + k * n + j;
    let z = 0;
    for (let p = 0; p < k; p++) {
      const [left, right] = [i * k + p, m * k + p * n + j];
      [weights[left], weights[right]] = [xs[right], xs[left]];
      z += xs[left] * xs[right];
    }
    weights[last] = 1;
    return [z + xs[last], weights];
  }),
  all: (xs) => [[Number(xs.every(Boolean)), []]],
  any: (xs) => [[Number(xs.some(Boolean)), []]],
  modf: ([x]) => [[Math.abs(x) === Infinity ? 0 : x - Math.trunc(x), [1]], [Math.trunc(x), []]],
  frexp: ([x]) => {
    const power = powerAbove(x);
    return [[F.ldexp(x, -power), [F.ldexp(1, -power)]], [power, []]];
  },
};
const SELECTS = ["max", "min", "sort", "median", "quantile"];

/* What a line of groups gives, and its matrix there; its operands stand one after the other. */
function grouped({ row, groups, parameter, shape, parts, kind = "float" }, xs) {
  const data = xs.flatMap((x) => x.data), found = Array(size(shape)).fill(0), map = [];
  for (const [from, to] of groups) {
    for (const [k, [x, weights]] of GROUPED[row](from.map((i) => data[i]), parameter).entries()) {
      found[to[k]] = x;
      weights.forEach((weight, i) => { if (weight || !SELECTS.includes(row)) map.push(from[i], to[k], weight); });
    }
  }
  const plain = parts?.map(({ shape: of, kind }) => ({ shape: of, kind }));
  return { map, value: { shape, data: found, kind, ...(plain && { parts: plain }) } };
}

/* The matrix by one operand. */
function groupedBy(line, xs, place) {
  const { map } = grouped(line, xs), first = xs.slice(0, place).reduce((n, x) => n + x.data.length, 0);
  const found = [];
  for (let k = 0; k < map.length; k += 3) {
    const from = map[k] - first;
    if (from >= 0 && from < xs[place].data.length) found.push(from, map[k + 1], map[k + 2]);
  }
  return found;
}
