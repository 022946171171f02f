/* A tree at a point becomes a tape, line by line as autodiff.record makes one: inputs first, constants folded, and of
   a choice the branch that is taken. An operand is a number from 0 up, a line; {line}, one by which no derivative
   passes; or {constant}. */
const CONSTANTS = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI, inf: Infinity, nan: NaN };
const OTHER_NAMES = { ln: "log", arcsin: "asin", arccos: "acos", arctan: "atan", arctan2: "atan2", power: "pow",
  arcsinh: "asinh", arccosh: "acosh", arctanh: "atanh", absolute: "abs" };
const ROWS = { abs: "absolute", max: "maximum", min: "minimum" };
const PAIRS = ["modf", "frexp"];
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
  const near = names.filter((known) => name.length > 1 && known.length > 2 && distance(known, name) < 2);
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
    if (PAIRS.includes(name)) this.fail(tree, `${name} gives two numbers; write ${name}(...)[0] or ${name}(...)[1]`);
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

  /* One of the two numbers of a call: a line for both, and one for each. */
  part(tree) {
    const { call: { name, of }, place } = tree;
    if (!PAIRS.includes(name)) this.fail(tree, "brackets select [0] or [1] of modf(x) or frexp(x) only");
    if (of.length !== 1) this.fail(tree, `${name} takes 1 argument, not ${of.length}`);
    const operand = this.of(of[0]), second = name === "frexp" ? "whole" : "float";
    const parts = ["float", second].map((kind, k) => ({ shape: [], kind, constant: k === 1 }));
    const line = { row: name, operands: [operand], groups: [[[0], [0, 1]]], shape: [2], parts, shown: name, described: "elementwise" };
    const { value } = grouped(line, [this.value(operand)]), items = [0, 1].map((k) => scalar(value.data[k], parts[k].kind));
    if (operand.constant) return { constant: items[place] };
    const { start, end } = tree.call, pair = this.append({ ...line, start, end }, value);
    const found = items.map((item, k) => {
      const passes = k === 0 && typeof operand === "number", maps = [[k, 0, 1]];
      const fields = { row: "item", operands: [passes ? pair : { line: pair }], index: k, maps, offset: [0], shape: [], shown: "item" };
      const at = this.append({ ...fields, start, end }, item);
      return passes ? at : { line: at };
    });
    return found[place];
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
