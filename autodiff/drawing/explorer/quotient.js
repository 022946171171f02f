/* The slope of a function of a number by difference quotients, and the error of that: Ridders' method, as
   autodiff/differences/slope.py in short. Half the jump between the slopes of both sides is part of the error, and what
   f rounds: inside it may be of larger numbers than its value is. */
function slope(f, x, rounding = 0) {
  const centre = f(x);
  let best = { value: NaN, error: Infinity };
  if (!Number.isFinite(centre) || !Number.isFinite(x)) return best;
  const scales = Math.abs(x) < 0.25 && x !== 0 ? [Math.abs(x), 1] : [Math.max(Math.abs(x), 1)];
  for (const scale of scales) {
    const found = descended(f, x, [centre, rounding], 181 * Math.pow(2, Math.ceil(Math.log2(scale)) - 10));
    if (found.error < best.error) best = found;
  }
  return best;
}

function extrapolated(quotient, coarser, first, stride) {
  const row = [quotient];
  for (const [j, entry] of coarser.slice(0, 7).entries()) row.push(row[j] + (row[j] - entry) / (2 ** (first + stride * j) - 1));
  return row;
}

function descended(f, x, [centre, rounding], start) {
  let means = [], jumps = [], best = { value: NaN, error: Infinity }, growing = 0, before = null, last = 0;
  for (let level = 0, h = start; level < 40 && x + h !== x; level += 1, h /= 2) {
    const up = x + h - x, down = x - (x - h), above = f(x + h), below = f(x - h);
    const forward = (above - centre) / up, backward = (centre - below) / down;
    const oneSided = Number.isNaN(forward) || Number.isNaN(backward);
    const quotient = oneSided ? (Number.isNaN(forward) ? backward : forward) : (down * forward + up * backward) / (up + down);
    const largest = Math.max(Math.abs(centre), Math.abs(above) || 0, Math.abs(below) || 0);
    const noise = (Math.max(2.3e-16 * largest, rounding) + 5e-324) / h;
    const coarser = means;
    means = extrapolated(quotient, coarser, oneSided ? 1 : 2, oneSided ? 1 : 2);
    jumps = extrapolated(oneSided ? 0 : forward - backward, jumps, 1, 2);
    for (let j = 1; j < Math.min(means.length, coarser.length); j++) {
      const nearby = Math.max(...[means[j - 1], coarser[j - 1], coarser[j]].map((other) => Math.abs(means[j] - other)));
      const error = nearby + noise + Math.abs(jumps[j]) / 2;
      if (error < best.error) best = { value: means[j], error };
    }
    const ratio = before === null ? 0 : Math.abs(quotient / before);
    growing = ratio > 1.05 && ratio < 1.95 && (oneSided || forward > 0 === backward > 0) ? growing + 1 : 0;
    [before, last] = [quotient, level];
  }
  return growing > 20 && growing >= last ? { value: Math.sign(before) * Infinity, error: 0 } : best;
}
