/* Formulas of the table in a reader's notation: a number, [place] of an operand, or [name, …] of a function. */
const INFIX_SIGNS = { add: ["+", 4], subtract: ["-", 4], multiply: ["*", 5], divide: ["/", 5], power: ["**", 7], less: ["<", 3],
  less_equal: ["<=", 3], greater: [">", 3], greater_equal: [">=", 3], equal: ["==", 3], not_equal: ["!=", 3],
  bitwise_and: ["and", 2] };
const SHOWN = { polygamma_0: "digamma", polygamma_1: "trigamma", absolute: "abs", sinc_1: "sinc'" };
const FOLDED = { add: (x, y) => x + y, subtract: (x, y) => x - y, multiply: (x, y) => x * y, divide: (x, y) => x / y,
  power: (x, y) => x ** y };

const isNegative = (tree) => tree.length > 1 && tree[0] === "negative";

/* A formula with constants folded, and without factors 1, terms 0, powers 1. */
function simplified(tree, leaves) {
  if (!Array.isArray(tree)) return Number(tree === "Infinity" ? Infinity : tree === "-Infinity" ? -Infinity : tree);
  if (tree.length === 1) return leaves[tree[0]];
  const [name, ...of] = tree, xs = of.map((part) => simplified(part, leaves)), [x, y] = xs;
  if (name in FOLDED && typeof x === "number" && typeof y === "number") return FOLDED[name](x, y);
  if (name === "negative") return typeof x === "number" ? -x : isNegative(x) ? x[1] : ["negative", x];
  if (name === "multiply") {
    if (x === 0 || y === 0) return 0;
    if (x === 1 || y === 1) return x === 1 ? y : x;
    if (x === -1) return ["negative", y];
    if (isNegative(x)) return ["negative", ["multiply", x[1], y]];
    if (typeof y === "number") return ["multiply", y, x];
  }
  if (name === "divide" && isNegative(x)) return ["negative", ["divide", x[1], y]];
  if (name === "divide" && y === 1) return x;
  if (name === "power" && y === 1) return x;
  if (name === "power" && y === 0) return 1;
  if ((name === "add" || name === "subtract") && y === 0) return x;
  if (name === "add" && x === 0) return y;
  if (name === "square") return ["power", x, 2];
  return [name, ...xs];
}

function written(tree, above = 0) {
  if (typeof tree === "number") {
    const text = general(tree, 6);
    return text.startsWith("-") && above > 4 ? `(${text})` : text;
  }
  if (tree.length === 1) return tree[0];
  const [name, ...of] = tree;
  if (name in INFIX_SIGNS) {
    const [sign, strength] = INFIX_SIGNS[name], power = name === "power";
    const text = `${written(of[0], power ? strength + 1 : strength)} ${sign} ${written(of[1], power ? strength : strength + 1)}`;
    return strength < above ? `(${text})` : text;
  }
  if (name === "negative") return above > 4 ? `(-${written(of[0], 5)})` : `-${written(of[0], 5)}`;
  if (name === "where") {
    const text = `${written(of[1], 1)} if ${written(of[0], 1)} else ${written(of[2], 1)}`;
    return above ? `(${text})` : text;
  }
  return `${SHOWN[name] ?? RULES[name]?.shown ?? name}(${of.map((part) => written(part)).join(", ")})`;
}

/* The formula of a partial in the variables of a tape; null where that is a number, or longer than a line. */
function formulaText(tree, operands, tape, names) {
  const leaves = operands.map((operand) => {
    if (operand.constant) return operand.constant.shape.length ? [inline(operand.constant)] : operand.constant.data[0];
    return [names[operand.line ?? operand]];
  });
  const simple = simplified(tree, leaves);
  if (typeof simple === "number") return null;
  const text = written(simple);
  return text.length <= 60 ? text : null;
}
