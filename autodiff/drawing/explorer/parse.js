/* The grammar of the command line, Python's of arithmetic: a text becomes a tree of {type, start, end, …}. */
const TOKEN = new RegExp([
  "(?<number>(?:\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)(?:[eE][+-]?\\d+)?)",
  "(?<name>[\\p{L}_][\\p{L}\\p{N}\\p{M}_]*)",
  "(?<sign>\\*\\*|//|<=|>=|==|!=|[-+*/%()<>,[\\]^])",
].join("|"), "uy");
const COMPARISONS = { "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal",
  "!=": "not_equal" };
const SUMS = { "+": "add", "-": "subtract" };
const PRODUCTS = { "*": "multiply", "/": "divide", "//": "floor_divide", "%": "mod" };
const DEEPEST = 100, LONGEST = 1000;

function tokens(text) {
  const found = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at])) { at += 1; continue; }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) throw new Complaint(`${text[at]}: this sign means nothing here`);
    const type = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    found.push({ type, text: match[0].normalize("NFKC"), start: at, end: at + match[0].length });
    at += match[0].length;
  }
  return found;
}

class Parser {
  constructor(text) {
    if (text.length > LONGEST) throw new Complaint(`the expression has ${text.length} characters; at most ${LONGEST} are read`);
    [this.text, this.tokens, this.at, this.depth] = [text, tokens(text), 0, 0];
  }

  parsed() {
    if (!this.tokens.length) throw new Complaint("write an expression, such as sin(x*y) + x/y");
    const tree = this.choice();
    if (this.at < this.tokens.length) this.unexpected();
    return tree;
  }

  get next() {
    return this.tokens[this.at]?.text;
  }

  unexpected() {
    const token = this.tokens[this.at], before = this.tokens[this.at - 1];
    if (!token) throw new Complaint(`${this.text.trim()}: the end is missing`);
    if (token.text === "^") throw new Complaint("a power is written **");
    const product = before && before.type !== "sign" | before.text === ")" && (token.type !== "sign" || token.text === "(");
    throw new Complaint(`${token.text}: not expected here${product ? "; a product is written with *" : ""}`);
  }

  take(...texts) {
    if (this.at >= this.tokens.length || !texts.includes(this.next)) return null;
    return this.tokens[this.at++].text;
  }

  need(text) {
    if (!this.take(text)) this.unexpected();
  }

  node(type, start, fields) {
    return { type, start, end: this.tokens[this.at - 1].end, ...fields };
  }

  get start() {
    return this.tokens[this.at]?.start ?? this.text.length;
  }

  choice() {
    if (++this.depth > DEEPEST) throw new Complaint(`nested more than ${DEEPEST} deep; a long sum is fsum([a, b, ...])`);
    const start = this.start, then = this.logic("or");
    this.depth -= 1;
    if (!this.take("if")) return then;
    const condition = this.logic("or");
    this.need("else");
    return this.node("choice", start, { condition, then, otherwise: this.choice() });
  }

  logic(word) {
    const start = this.start, below = () => (word === "or" ? this.logic("and") : this.negation());
    const parts = [below()];
    while (this.take(word)) parts.push(below());
    return parts.length > 1 ? this.node("logic", start, { word, parts }) : parts[0];
  }

  negation() {
    const start = this.start;
    if (!this.take("not")) return this.comparison();
    return this.node("not", start, { of: this.negation() });
  }

  comparison() {
    const start = this.start, first = this.binary(SUMS, () => this.binary(PRODUCTS, () => this.unary()));
    const rest = [];
    for (let sign = this.take(...Object.keys(COMPARISONS)); sign; sign = this.take(...Object.keys(COMPARISONS))) {
      rest.push([COMPARISONS[sign], this.binary(SUMS, () => this.binary(PRODUCTS, () => this.unary()))]);
    }
    return rest.length ? this.node("comparison", start, { first, rest }) : first;
  }

  binary(signs, below) {
    const start = this.start;
    let left = below();
    for (let sign = this.take(...Object.keys(signs)); sign; sign = this.take(...Object.keys(signs))) {
      left = this.node("apply", start, { row: signs[sign], of: [left, below()] });
    }
    return left;
  }

  unary() {
    const start = this.start, sign = this.take("-", "+");
    if (!sign) return this.power();
    if (++this.depth > DEEPEST) throw new Complaint(`nested more than ${DEEPEST} deep`);
    const of = [this.unary()];
    this.depth -= 1;
    return this.node("apply", start, { row: sign === "-" ? "negative" : "positive", of });
  }

  power() {
    const start = this.start, base = this.atom();
    if (!this.take("**")) return base;
    return this.node("apply", start, { row: "power", of: [base, this.unary()] });
  }

  atom() {
    const start = this.start, token = this.tokens[this.at];
    if (this.take("(")) {
      const inside = this.choice();
      this.need(")");
      return { ...inside, start, end: this.tokens[this.at - 1].end };
    }
    if (token?.type === "number") {
      this.at += 1;
      return this.node("number", start, { value: Number(token.text.replaceAll("_", "")), whole: /^[\d_]+$/.test(token.text) });
    }
    if (token?.type !== "name" || ["if", "else", "and", "or", "not"].includes(token.text)) this.unexpected();
    this.at += 1;
    if (!this.take("(")) return this.node("name", start, { name: token.text });
    const of = this.items(")");
    const call = this.node("call", start, { name: token.text, of });
    if (!this.take("[")) return call;
    const place = this.take("0", "1");
    if (place === null) throw new Complaint("brackets select [0] or [1] of modf(x) or frexp(x) only");
    this.need("]");
    return this.node("part", start, { call, place: Number(place) });
  }

  /* The arguments of a call up to the closing bracket, each a tree or a list of such. */
  items(closing) {
    const found = [];
    while (!this.take(closing)) {
      if (found.length) this.need(",");
      if (this.take(closing)) break;
      const start = this.start;
      found.push(this.take("[") ? this.node("list", start, { of: this.items("]") }) : this.choice());
    }
    return found;
  }
}

/* The names in a tree that are neither functions nor constants, in order. */
function namesIn(tree, known = new Set()) {
  if (tree.type === "name") known.add(tree.name);
  for (const part of Object.values(tree)) {
    for (const inner of [part].flat(2)) if (inner?.type) namesIn(inner, known);
  }
  return known;
}
