/* Repeated parts of a long tape, of which both ends are drawn; as autodiff/drawing/repeats.py finds them. */
const MOST = 60, FEWEST = 4;

/* The operands of a line that are lines, by place. */
function readsOf({ operands }) {
  return operands.flatMap((k, place) => (k.constant ? [] : [[place, k.line ?? k]]));
}

/* The lines in order, with {lines, times} in place of repeated parts, and of the middle if that is still too long. */
function folded(lines) {
  const every = [...lines.keys()];
  if (lines.length <= MOST) return every;
  const hidden = new Set(), folds = new Map();
  for (const [start, end, period] of repeats(lines)) {
    const covered = every.slice(start, end).find((line) => hidden.has(line)) ?? end;
    const times = Math.floor((covered - start) / period) - 2;
    if (times < FEWEST - 2 || times * period < FEWEST) continue;
    const inside = every.slice(start + period, start + period + times * period);
    for (const line of inside) hidden.add(line);
    folds.set(inside[0], { lines: inside, times });
  }
  const items = every.filter((line) => folds.has(line) || !hidden.has(line)).map((line) => folds.get(line) ?? line);
  if (items.length <= (folds.size ? 3 * MOST : MOST)) return items;
  const left = items.slice(MOST / 2, -MOST / 2).flatMap((item) => item.lines ?? [item]);
  return [...items.slice(0, MOST / 2), { lines: left, times: 0 }, ...items.slice(-MOST / 2)];
}

/* [start, end, period] of every stretch of equal functions whose operands move evenly, what is longest first. */
function repeats(lines) {
  const reads = lines.map(readsOf);
  const rows = lines.map(({ row }, k) => `${row} ${reads[k].slice(0, 3).map(([place]) => place)} ${reads[k].length}`);
  const operands = [0, 1].map((which) => reads.map((read) => read[which]?.[1] ?? -1)), found = [];
  for (let p = 1; 3 * p < lines.length; p++) {
    let begin = null;
    for (let k = 0; k <= lines.length - 2 * p; k++) {
      const even = k < lines.length - 2 * p && rows[k] === rows[k + p] && rows[k + p] === rows[k + 2 * p]
        && operands.every((o) => o[k] + o[k + 2 * p] === 2 * o[k + p]);
      if (even) begin ??= k;
      else if (begin !== null) {
        if (k - begin >= p) found.push([firstOf(rows, begin, p), k + 2 * p, p]);
        begin = null;
      }
    }
  }
  const saved = ([start, end, p]) => Math.floor((end - start) / p) * p - 2 * p;
  return found.sort((a, b) => saved(b) - saved(a) || a[2] - b[2]);
}

/* Where a stretch begins whose first part may read something else: of a loop what was there before it. */
function firstOf(rows, start, period) {
  let k = start;
  while (k > Math.max(start - period, 0) && rows[k - 1] === rows[k - 1 + period]) k--;
  return k;
}

function foldNode({ lines, times }, names, output) {
  const first = lines[0], count = lines.length, each = times > 1 && times < count ? `, ${Math.floor(count / times)} lines each` : "";
  const text = times ? `… ${times} × like this …` : `… ${count} lines left out …`;
  return { key: first, line: first, kind: "fold", name: `${names[first]} to ${names[lines.at(-1)]}${each}`, text,
    is_output: lines.includes(output), lines, slope: false };
}

function foldEdges({ lines }, tape, owner) {
  const starts = new Map(), inside = new Set(lines);
  for (const line of lines) {
    for (const [place, k] of readsOf(tape.lines[line])) {
      if (!inside.has(k)) starts.set(owner.get(k), (starts.get(owner.get(k)) ?? false) || tape.passes(line, place));
    }
  }
  return [...starts].map(([start, active], place) => ({ start, end: lines[0], place, active, count: 1 }));
}
