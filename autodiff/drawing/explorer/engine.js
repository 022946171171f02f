/* A tape at a point: values forward, partials, tangents, adjoints. A value is {shape, data, kind}; an operand is the
   number of a line, {line} of one by which no derivative passes, or {constant}. A line has a rule of the table; or it
   is linear, with the matrix of each operand as (from, to, weight) and an offset; or linear in each of two operands; or
   a function of groups of elements. */
/* What a reader is told: why there is nothing at a point. */
class Complaint extends Error {}

function scalar(x, kind = typeof x === "boolean" ? "truth" : "float") {
  return { shape: [], data: [Number(x)], kind };
}

function size(shape) {
  return shape.reduce((product, n) => product * n, 1);
}

function filled(shape, x) {
  return { shape, data: Array(size(shape)).fill(x), kind: "float" };
}

function broadcastShape(...shapes) {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, k) => {
    const sides = shapes.map((shape) => shape[k - rank + shape.length] ?? 1).filter((n) => n !== 1);
    return sides[0] ?? 1;
  });
}

/* Where each element of a broadcast array comes from. */
function sources(shape, target) {
  const steps = shape.map((n, k) => (n === 1 ? 0 : size(shape.slice(k + 1))));
  const found = [0];
  let places = found;
  for (const [k, n] of target.entries()) {
    const step = steps[k - target.length + shape.length] ?? 0;
    places = places.flatMap((place) => Array.from({ length: n }, (_, i) => place + i * step));
  }
  return places;
}

/* A function of numbers, of arrays element by element. */
function mapped(f, ...xs) {
  const shape = broadcastShape(...xs.map((x) => x.shape));
  if (!shape.length) return { shape, data: [Number(f(...xs.map((x) => x.data[0])))], kind: "float" };
  const from = xs.map((x) => sources(x.shape, shape));
  const data = from[0].map((_, i) => Number(f(...xs.map((x, k) => x.data[from[k][i]])))), of = xs.find((x) => x.parts);
  return { shape, data, kind: "float", ...(of && { parts: of.parts }) };
}

/* Sums over what an operand was broadcast to. */
function fitted(value, shape) {
  if (String(value.shape) === String(shape)) return value;
  if (value.shape.length < shape.length || size(value.shape) < size(shape)) return mapped((x) => x, broadcastTo(value, shape));
  const found = filled(shape, 0), into = sources(shape, value.shape);
  for (const [i, x] of value.data.entries()) found.data[into[i]] += x;
  return found;
}

function broadcastTo(value, shape) {
  return { shape, data: sources(value.shape, shape).map((i) => value.data[i]), kind: value.kind };
}

const plus = (a, b) => mapped((x, y) => x + y, a, b);
const times = (a, b) => mapped((x, y) => x * y, a, b);
const hasNaN = (value) => value.data.some(Number.isNaN);

/* A matrix, as (from, to, weight), times a vector; transposed, of a value of that shape. */
function applied(map, data, shape, back = false) {
  const found = Array(size(shape)).fill(0);
  for (let k = 0; k < map.length; k += 3) {
    const from = map[back ? k + 1 : k], to = map[back ? k : k + 1];
    found[to] += map[k + 2] === 1 ? data[from] : map[k + 2] * data[from];
  }
  return { shape, data: found, kind: "float" };
}

/* The matrix by one operand of a line that is linear in two: at the other's value. */
function matrixOf({ pairs }, place, other) {
  const map = [];
  for (let k = 0; k < pairs.length; k += 4) map.push(pairs[k + place], pairs[k + 2], pairs[k + 3] * other.data[pairs[k + 1 - place]]);
  return map;
}

class Tape {
  constructor(lines, point, given = null) {
    [this.lines, this.values, this.random] = [lines, [], 1];
    for (const [k, line] of lines.entries()) this.values.push(given?.[k] ?? this.evaluated(line, point));
  }

  value(operand) {
    return operand.constant ?? this.values[operand.line ?? operand];
  }

  evaluated(line, point) {
    if (line.input !== undefined) return point[line.input];
    if (line.constant) return line.constant;
    const xs = line.operands.map((k) => this.value(k));
    if (line.rule) {
      const z = mapped(line.rule.value, ...xs), { kind } = line.rule;
      return kind ? { ...z, kind: kind === "whole" && !line.whole ? "float" : kind } : z;
    }
    if (line.groups) return grouped(line, xs).value;
    if (line.pairs) return applied(matrixOf(line, 0, xs[1]), xs[0].data, line.shape);
    const terms = line.maps.flatMap((map, k) => (map ? [applied(map, xs[k].data, line.shape)] : []));
    return terms.reduce(plus, { shape: line.shape, data: line.offset, kind: "float" });
  }

  /* Whether a derivative passes from a line to what it computes. */
  passes(line, place) {
    const { rule, maps, operands, row } = this.lines[line];
    if (row === null || rule?.constant || typeof operands[place] !== "number") return false;
    return rule ? rule.partials[place] !== null : !maps || maps[place] !== null;
  }

  /* The partial of an elementwise line by one operand; null of any other. */
  partial(line, place) {
    const { rule } = this.lines[line];
    return !rule || rule.constant || rule.choice ? null : this.weight(line, place);
  }

  /* What a tangent is multiplied by, element by element. */
  weight(line, place, at = null) {
    const { rule, operands } = this.lines[line], partial = rule.partials[place];
    if (typeof partial === "number") return scalar(partial, "float");
    const [xs, z] = at ?? [operands.map((k) => this.value(k)), this.values[line]];
    const all = [...xs, z], read = rule.reads[place];
    const given = Array(all.length).fill(0);
    return mapped((...used) => {
      for (const [k, x] of used.entries()) given[read[k]] = x;
      return partial(...given);
    }, ...read.map((k) => all[k]));
  }

  matrix(line, place) {
    const { maps, pairs, operands, groups } = this.lines[line];
    if (groups) return groupedBy(this.lines[line], operands.map((k) => this.value(k)), place);
    return pairs ? matrixOf({ pairs }, place, this.value(operands[1 - place])) : maps[place];
  }

  /* What a line makes of the tangent of an operand. */
  pushed(line, place, given, strong = null) {
    if (this.lines[line].rule) return (strong ?? times)(this.weight(line, place), given);
    return this.withParts(applied(this.matrix(line, place), given.data, this.values[line].shape), line);
  }

  /* What a line passes of its adjoint to an operand. */
  pulled(line, place, given, strong = null) {
    const operand = this.lines[line].operands[place], { shape } = this.value(operand);
    if (this.lines[line].rule) return fitted((strong ?? times)(this.weight(line, place), given), shape);
    return this.withParts(applied(this.matrix(line, place), given.data, shape, true), operand);
  }

  /* A tangent or an adjoint of a line; of several results with what each is. */
  withParts(value, line) {
    const { parts } = this.lines[line];
    return parts ? { ...value, parts } : value;
  }

  /* The tangents of all lines, from those of some; null where none comes. */
  tangents(seeds) {
    const found = this.pushedAll(seeds, null);
    return found.some((t) => t && hasNaN(t)) ? this.pushedAll(seeds, new Zeros(this)) : found;
  }

  pushedAll(seeds, zeros) {
    const found = this.lines.map((_, k) => seeds.get(k) ?? null);
    const patterns = found.map((t) => t && mapped((x) => x !== 0, t));
    for (const [line, { operands }] of this.lines.entries()) {
      for (const [place, k] of operands.entries()) {
        if (!this.passes(line, place) || !found[k]) continue;
        const strong = zeros && zeros.product(line, place, patterns[k]);
        const term = this.shaped(this.pushed(line, place, found[k], strong), line);
        found[line] = found[line] ? plus(found[line], term) : term;
        if (!zeros) continue;
        const reached = this.shaped(zeros.pushed(line, place, patterns[k]), line);
        patterns[line] = patterns[line] ? mapped((a, b) => a || b, patterns[line], reached) : reached;
      }
    }
    this.strong = zeros && ((line, place) => zeros.product(line, place, patterns[this.lines[line].operands[place]]));
    return found;
  }

  shaped(value, line) {
    const { shape } = this.values[line];
    return String(value.shape) === String(shape) ? value : broadcastTo(value, shape);
  }

  /* The adjoints of all lines, of one output; null where none comes. */
  adjoints(output) {
    const found = this.pulledAll(output, null);
    return found.some((g) => g && hasNaN(g)) ? this.pulledAll(output, new Zeros(this)) : found;
  }

  pulledAll(output, zeros) {
    const found = this.lines.map(() => null), patterns = this.lines.map(() => null);
    found[output] = filled(this.values[output].shape, 1);
    patterns[output] = found[output];
    for (let line = output; line >= 0; line--) {
      if (zeros && found[line]) patterns[line] = mapped((a, b) => a && b, patterns[line], zeros.varying[line]);
      for (const [place, k] of this.lines[line].operands.entries()) {
        if (!found[line] || !this.passes(line, place)) continue;
        const strong = zeros && zeros.product(line, place, patterns[line]);
        const term = this.pulled(line, place, found[line], strong);
        found[k] = found[k] ? plus(found[k], term) : term;
        if (!zeros) continue;
        const reached = zeros.pulled(line, place, patterns[line]);
        patterns[k] = patterns[k] ? mapped((a, b) => a || b, patterns[k], reached) : reached;
      }
    }
    this.strong = zeros && ((line, place) => zeros.product(line, place, patterns[line]));
    return found;
  }
}
