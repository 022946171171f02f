/* The second look: which zeros of a derivative stay zeros against an infinite slope. It is taken where one is NaN. */

/* Whether a line is nowhere below 0, and 0 only where all that is squared in it is 0, as autodiff/second_look/lengths.py
   has it of numbers and of what is linear. */
function sumsOfSquares(lines) {
  const known = new Map(), same = [], squares = [];
  const text = ({ shape, data }) => `constant ${shape}: ${data.map((x) => (Object.is(x, -0) ? "-0" : x))}`;
  const keyOf = (k, line) => (!k.constant ? same[k.line ?? k] : k.constant.kind === "truth" ? line : text(k.constant));
  const kept = (k) => (k.constant ? k.constant.data.every((x) => x >= 0) : squares[k] === true);
  for (const [line, { row, rule, operands, maps, pairs, offset }] of lines.entries()) {
    const parts = operands.map((k) => keyOf(k, line));
    const key = row === null || !rule ? line : `${row} ${parts.join(" ")}`;
    if (!known.has(key)) known.set(key, line);
    same.push(known.get(key));
    const twice = operands.length === 2 && parts[0] === parts[1] && typeof operands[0] === "number";
    if (pairs) squares.push(twice && pairs.every((x, k) => (k % 4 === 0 ? x === pairs[k + 1] : k % 4 < 3 || x > 0)));
    else if (maps) {
      const isPositive = offset.every((x) => x === 0) && maps.every((map) => !map || map.every((x, k) => k % 3 < 2 || x > 0));
      squares.push(isPositive && operands.every((k) => k.constant || kept(k)));
    } else if (row === "power" || row === "pow") {
      squares.push(operands[1].constant?.data.every((x) => x > 0 && x % 2 === 0) ?? false);
    } else if (row === "divide") squares.push(kept(operands[0]) && operands[1].constant !== undefined && kept(operands[1]));
    else if (row === "square" || (row === "multiply" && twice)) squares.push(true);
    else squares.push(["add", "positive", "multiply", "fma", "maximum"].includes(row) && operands.every(kept));
  }
  return squares;
}

/* Which zeros of a derivative are structural, as autodiff/second_look/structure.py has it: 0 wherever what varies is
   drawn. Against an infinite partial such a zero stays 0; one that is the value of a factor gives NaN. */
class Zeros {
  constructor(tape) {
    [this.tape, this.state, this.reached, this.squares] = [tape, 1, new Map(), sumsOfSquares(tape.lines)];
    this.varying = [];
    for (const [line, { row, rule, operands }] of tape.lines.entries()) this.varying.push(this.varies(line, row, rule, operands));
  }

  drawn(low, high) {
    this.state = (this.state * 48271) % 2147483647;
    return low + ((high - low) * this.state) / 2147483647;
  }

  of(operand) {
    return operand.constant ? filled(operand.constant.shape, 0) : this.varying[operand.line ?? operand];
  }

  varies(line, row, rule, operands) {
    const z = this.tape.values[line];
    if (row === null) return filled(z.shape, 1);
    if (rule?.constant) return mapped((x) => z.kind === "float" && (x !== 0 || !rule.selects), z);
    const terms = operands.flatMap((k, place) => {
      return rule ? [mapped((a, b) => a && b, this.reaches(line, place), this.of(k))] : typeof k === "number" ? [this.pushed(line, place, this.of(k))] : [];
    });
    return this.tape.shaped(terms.reduce((a, b) => mapped((x, y) => x || y, a, b), filled([], 0)), line);
  }

  /* Where a partial may be other than 0. */
  reaches(line, place) {
    const key = `${line} ${place}`;
    if (!this.reached.has(key)) this.reached.set(key, this.asked(line, place));
    return this.reached.get(key);
  }

  asked(line, place) {
    const { rule, operands } = this.tape.lines[line], tape = this.tape;
    const found = [tape.weight(line, place)];
    for (const [low, high] of rule.selects ? [] : [[1, 2], [0.55, 0.95]]) {
      const xs = operands.map((k) => mapped((x, v) => (v ? this.drawn(low, high) : x), tape.value(k), this.of(k)));
      found.push(tape.weight(line, place, [xs, mapped(rule.value, ...xs)]));
    }
    return found.map((p) => mapped((x) => x !== 0, p)).reduce((a, b) => mapped((x, y) => x || y, a, b));
  }

  pushed(line, place, pattern) {
    if (this.tape.lines[line].rule) return mapped((a, b) => a && b, this.reaches(line, place), pattern);
    return mapped((x) => x !== 0, applied(this.positive(line, place), pattern.data, this.tape.values[line].shape));
  }

  pulled(line, place, pattern) {
    const { shape } = this.tape.value(this.tape.lines[line].operands[place]);
    if (this.tape.lines[line].rule) return mapped((x) => x !== 0, fitted(mapped((a, b) => a && b, this.reaches(line, place), pattern), shape));
    return mapped((x) => x !== 0, applied(this.positive(line, place), pattern.data, shape, true));
  }

  /* The matrix of a linear line with 1 wherever it is not structurally 0. */
  positive(line, place) {
    const { maps, pairs, operands, groups } = this.tape.lines[line];
    if (groups) return this.tape.matrix(line, place).map((x, k) => (k % 3 === 2 ? 1 : x));
    return pairs ? matrixOf({ pairs }, place, this.of(operands[1 - place])) : maps[place].map((x, k) => (k % 3 === 2 ? x !== 0 : x));
  }

  product(line, place, pattern) {
    if (!this.tape.lines[line].rule) return null;
    const reached = this.reaches(line, place), kink = this.kink(line);
    return (p, t) => mapped((x, y, a, b, k) => (a && b && !k ? x * y : 0), p, t, reached, pattern, kink);
  }

  /* Where a line is a length, the root of a sum of squares, that is 0: there its slope is 0, as that of abs. */
  kink(line) {
    const { row, operands: [under, exponent] } = this.tape.lines[line];
    const isRoot = row === "sqrt" || (["power", "pow"].includes(row) && exponent.constant?.data.every((x) => x === 0.5));
    return isRoot && this.squares[under] ? mapped((x) => x === 0, this.tape.value(under)) : scalar(false);
  }
}
