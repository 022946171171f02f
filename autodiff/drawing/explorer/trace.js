/* A tree at a point becomes a tape, line by line as autodiff.record makes one: inputs first, constants folded, and of
   a choice the branch that is taken. An operand is a number from 0 up, a line; {line}, one by which no derivative
   passes; or {constant}. */
const CONSTANTS = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI, inf: Infinity, nan: NaN };
const OTHER_NAMES = { ln: "log", arcsin: "asin", arccos: "acos", arctan: "atan", arctan2: "atan2", power: "pow",
  arcsinh: "asinh", arccosh: "acosh", arctanh: "atanh", absolute: "abs" };
const ROWS = { abs: "absolute", max: "maximum", min: "minimum" };
const INTEGER = {
  factorial: (n) => INTEGER.perm(n, n),
  perm: (n, k = n) => (k > n ? 0n : product(n - k + 1n, n)),
  comb: (n, k) => (k > n ? 0n : product(n - k + 1n, n) / product(1n, k)),
  gcd: (...xs) => xs.reduce((a, b) => { for (; b; [a, b] = [b, a % b]); return a < 0n ? -a : a; }, 0n),
  lcm: (...xs) => xs.reduce((a, b) => (a && b ? (a / INTEGER.gcd(a, b)) * b : 0n), 1n),
  isqrt: (n) => { let r = BigInt(Math.floor(Math.sqrt(Number(n)))); for (; r * r > n; r--); for (; (r + 1n) * (r + 1n) <= n; r++); return r; },
};

function product(first, last) {
  let found = 1n;
  for (let k = first; k <= last; k++) found *= k;
  return found;
}

/* Names that differ in one sign from a wrong one. */
function advice(name, names) {
  const near = names.filter((known) => name.length > 2 && known.length > 2 && distance(known, name) < 2);
  const meant = OTHER_NAMES[name] ?? near.find((known) => name.startsWith(known)) ?? near[0];
  return meant ? `; did you mean ${meant}?` : "";
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, k) => k);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1])));
    }
    row = next;
  }
  return row[b.length];
}

class Tracer {
  constructor(text, tree, names, point) {
    [this.text, this.names, this.lines, this.values] = [text, names, [], []];
    for (const [k, name] of names.entries()) this.append({ row: null, operands: [], input: k, name }, scalar(point[k]));
    const out = this.of(tree);
    const value = this.value(out);
    if (value.kind === "truth") throw new Complaint(`${text.trim()}: its value is true or false; a derivative needs a real number`);
    this.output = out.constant ? null : out.line ?? out;
    this.result = value;
  }

  append(line, value) {
    this.lines.push(line);
    this.values.push(value);
    return this.lines.length - 1;
  }

  value(operand) {
    return operand.constant ?? this.values[operand.line ?? operand];
  }

  plain(operand) {
    return this.value(operand).data[0];
  }

  fail(tree, reason) {
    throw new Complaint(`${cut(this.text.slice(tree.start, tree.end), 60)}: ${reason}`);
  }

  of(tree) {
    return this[tree.type](tree);
  }

  number(tree) {
    return { constant: scalar(tree.value, tree.whole ? "whole" : "float") };
  }

  name(tree) {
    const place = this.names.indexOf(tree.name);
    if (place >= 0) return place;
    if (tree.name in CONSTANTS) return { constant: scalar(CONSTANTS[tree.name]) };
    return this.fail(tree, `this is a function; write ${tree.name}(...)`);
  }

  apply(tree) {
    return this.applied(tree, tree.row, tree.of.map((part) => this.of(part)));
  }

  /* The row of operands: a line, unless all are constants. Whatever gives true or false is decided by, and plain. */
  applied(tree, row, operands) {
    const rule = RULES[row];
    if (operands.length !== rule.arity) {
      this.fail(tree, `${rule.shown ?? rule.sign} takes ${rule.arity} argument${rule.arity > 1 ? "s" : ""}, not ${operands.length}`);
    }
    const xs = operands.map((k) => this.plain(k)), value = this.kind(row, rule, operands, rule.value(...xs));
    this.checkValue(tree, row, xs, value.data[0]);
    if (operands.every((k) => k.constant)) return { constant: value };
    const line = this.append({ row, operands, rule, start: tree.start, end: tree.end }, value);
    if (value.kind === "truth") return { constant: value };
    return !rule.constant && operands.some((k) => typeof k === "number") ? line : { line };
  }

  kind(row, rule, operands, z) {
    if (rule.kind || typeof z === "boolean") return scalar(z, rule.kind ?? "truth");
    const whole = ["add", "subtract", "multiply", "negative", "positive", "absolute", "floor_divide", "mod"].includes(row);
    const wholes = operands.every((k) => ["whole", "truth"].includes(this.value(k).kind));
    return scalar(z, wholes && (whole || (row === "power" && this.plain(operands[1]) >= 0)) ? "whole" : "float");
  }

  /* Python's functions raise where there is no value; + - * give what floats give. */
  checkValue(tree, row, xs, z) {
    if (["add", "subtract", "multiply"].includes(row) || xs.some(Number.isNaN)) return;
    if (Number.isNaN(z)) this.fail(tree, row === "power" ? "no real value at this point" : "no value at this point");
    if (Math.abs(z) === Infinity && xs.every(Number.isFinite)) this.fail(tree, "no value at this point (it is infinite)");
  }

  comparison({ first, rest, ...tree }) {
    let left = this.of(first), holds = true;
    for (const [row, part] of rest) {
      const right = this.of(part);
      holds = this.plain(this.applied(tree, row, [left, right])) !== 0;
      if (!holds) break;
      left = right;
    }
    return { constant: scalar(holds) };
  }

  holds(tree) {
    return this.plain(this.of(tree)) !== 0;
  }

  logic({ word, parts }) {
    const holds = (part) => this.holds(part);
    return { constant: scalar(word === "and" ? parts.every(holds) : parts.some(holds)) };
  }

  not({ of }) {
    return { constant: scalar(!this.holds(of)) };
  }

  choice({ condition, then, otherwise }) {
    return this.of(this.holds(condition) ? then : otherwise);
  }

  call(tree) {
    const { name, of } = tree;
    if (this.names.includes(name) || name in CONSTANTS) this.fail(tree, `${name} is a number; a product is written ${name}*(...)`);
    if (name in LISTS) {
      if (!of.every((part) => part.type === "list")) this.fail(tree, `${name} takes lists, such as [x, 2]`);
      return LISTS[name](this, tree, of.map((part) => part.of.map((inner) => this.of(inner))));
    }
    const operands = of.map((part) => this.of(part));
    if (name === "log" && operands.length === 2) {
      const [x, base] = operands.map((k) => this.applied(tree, "log", [k]));
      return this.applied(tree, "divide", [x, base]);
    }
    if (name in INTEGER) return this.whole(tree, name, operands);
    const row = name === "hypot" && operands.length > 2 ? `hypot_${operands.length}` : ROWS[name] ?? name;
    if (FUNCTIONS.includes(name) && row in RULES) return this.applied(tree, row, operands);
    return this.fail(tree, FUNCTIONS.includes(name) ? `the page has no rule for ${name}; python -m autodiff has`
      : `there is no function ${name}${advice(name, FUNCTIONS)}`);
  }

  whole(tree, name, operands) {
    const xs = operands.map((k) => this.plain(k));
    if (!operands.every((k) => k.constant) || !xs.every((x) => Number.isInteger(x) && x >= 0 && x <= 1000)) {
      this.fail(tree, `${name} takes whole numbers from 0 to 1000, and has no derivative`);
    }
    const z = Number(INTEGER[name](...xs.map(BigInt)));
    if (!Number.isFinite(z)) this.fail(tree, "no value at this point (the result is too large)");
    return { constant: scalar(z, "whole") };
  }

  list(tree) {
    return this.fail(tree, "a list stands only in the call of a function of lists, such as fsum([x, y])");
  }

  part(tree) {
    return this.fail(tree, `the page has no rule for ${tree.call.name}; python -m autodiff has`);
  }

  /* The sum of operands, a line that is linear in them. */
  sum(tree, operands) {
    const value = scalar(operands.reduce((total, k) => total + this.plain(k), 0));
    if (operands.every((k) => k.constant)) return { constant: value };
    const maps = operands.map((k) => (typeof k === "number" ? [0, 0, 1] : null));
    const offset = [operands.reduce((total, k) => total + (k.constant ? this.plain(k) : 0), 0)];
    return this.append({ row: "fsum", operands, maps, offset, shape: [], start: tree.start, end: tree.end }, value);
  }
}
const LISTS = {
  fsum: (tracer, tree, [xs]) => tracer.sum(tree, xs),
  prod: (tracer, tree, [xs]) => xs.reduce((product, x) => tracer.applied(tree, "multiply", [product, x]), { constant: scalar(1, "whole") }),
  sumprod: (tracer, tree, [xs, ys]) => tracer.sum(tree, xs.map((x, k) => tracer.applied(tree, "multiply", [x, ys[k]]))),
  dist: (tracer, tree, [xs, ys]) => {
    const sides = xs.map((x, k) => tracer.applied(tree, "subtract", [x, ys[k]]));
    return tracer.applied(tree, sides.length > 2 ? `hypot_${sides.length}` : "hypot", sides);
  },
};

/* A text that is traced at each point: its tape may go another way there. */
class OfExpression {
  constructor(text, names) {
    [this.text, this.tree] = [text, new Parser(text).parsed()];
    const found = [...namesIn(this.tree)].filter((name) => !(name in CONSTANTS) && !FUNCTIONS.includes(name));
    this.names = names ?? found;
    const unknown = found.find((name) => !this.names.includes(name));
    if (unknown) throw new Complaint(`${unknown}: this variable has no value`);
    if (!this.names.length) new Tracer(text, this.tree, [], []);  // which knows more of what is wrong
    if (!this.names.length) throw new Complaint(`${clean(text)}: use a variable, such as x, to differentiate by`);
  }

  at(point) {
    const { lines, values, output } = new Tracer(this.text, this.tree, this.names, point.map((x) => x.data[0]));
    const tape = new Tape(lines, point, values), names = variableNames(lines, this.names);
    const texts = lines.map((line) => (line.row === null ? "input" : expressionOf(line, names)));
    const nodes = lines.map(({ row, rule }, line) => {
      const kind = row === null ? "input" : "operation", name = names[line];
      const text = row === null ? name : cut(`${name} = ${texts[line]}`);
      return { key: line, line, kind, name, text, is_output: line === output, lines: [line], slope: !rule?.constant };
    });
    const edges = lines.flatMap((_, line) => this.edges(tape, line));
    const sources = lines.map(({ start, end }) => start === undefined ? null : { text: this.text, start, end, where: "" });
    return { tape, output, texts, sources, picture: { nodes, edges, names, title: `A tape of ${lines.length} lines` } };
  }

  edges(tape, line) {
    return tape.lines[line].operands.flatMap((k, place) => {
      return k.constant ? [] : [{ start: k.line ?? k, end: line, place, active: tape.passes(line, place), count: 1 }];
    });
  }

  value(point) {
    try {
      return new Tracer(this.text, this.tree, this.names, point.map((x) => x.data[0])).result.data[0];
    } catch (error) {
      if (error instanceof Complaint) return NaN;
      throw error;
    }
  }
}
