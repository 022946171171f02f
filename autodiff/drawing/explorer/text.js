/* Numbers and arrays as short texts, as autodiff/tape/listing.py and autodiff/drawing/text.py write them. */
function general(x, digits) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e"), exponent = Number(power);
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return short(x.toFixed(digits - 1 - exponent));
  return `${short(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function numberText(x, kind, digits) {
  if (kind === "truth") return x ? "True" : "False";
  if (kind === "whole" && Number.isSafeInteger(x)) return String(x + 0);
  return general(digits === 5 ? x + 0 : x, digits);
}

/* A value's elements as nested lists. */
function nested({ shape, data, kind }, digits) {
  if (!shape.length) return numberText(data[0], kind, digits);
  const size = data.length / shape[0];
  const parts = Array.from({ length: shape[0] }, (_, k) => {
    return nested({ shape: shape.slice(1), data: data.slice(k * size, (k + 1) * size), kind }, digits);
  });
  return `[${parts.join(", ")}]`;
}

function shapeText(shape) {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

function cut(text, widest = 44) {
  const characters = [...text];
  return characters.length <= widest ? text : `${characters.slice(0, widest - 1).join("")}…`;
}

/* The texts of several results; of one that has no derivative, in a tangent or an adjoint, 0. */
function eachPart({ parts, data }, text) {
  let at = 0;
  return parts.map(({ shape, kind, constant }) => {
    const own = data.slice(at, (at += size(shape)));
    return constant ? "0" : text({ shape, data: own, kind: kind ?? "float" });
  });
}

/* At most some 40 characters: numbers to 5 digits, of an array the ends and the shape. */
function concise(value) {
  const { shape, data, kind } = value;
  if (value.parts) return cut(`(${eachPart(value, concise).join(", ")})`);
  if (!shape.length) return numberText(data[0], kind, 5);
  const whole = data.length <= 6 ? nested(value, 5) : "";
  if (!data.length) return `[] ${shapeText(shape)}`;
  if (data.length === 1 || (whole && whole.length <= 22)) return cut(whole);
  return `[${numberText(data[0], kind, 5)} … ${numberText(data.at(-1), kind, 5)}] ${shapeText(shape)}`;
}

/* A number to 10 digits, a small array whole, else its ends and the shape. */
function brief(value) {
  const { shape, data, kind } = value;
  if (value.parts) {
    const texts = [brief, inline].map((text) => `(${eachPart(value, text).join(", ")})`);
    return texts.find((text) => text.length <= 60) ?? `${value.parts.length} results`;
  }
  if (!shape.length) return numberText(data[0], kind, 10);
  const whole = data.length <= 6 ? nested(value, 10) : "";
  if ((whole && whole.length <= 60) || !data.length) return whole || "[]";
  const [first, second, last] = [0, Math.min(1, data.length - 1), data.length - 1].map((k) => {
    return numberText(data[k], kind, 10);
  });
  const inside = [`${first}, ${second}, ..., ${last}`, `${first}, ..., ${last}`, `${first}, ...`];
  const texts = inside.map((text) => `[${text}] ${shapeText(shape)}`);
  return texts.find((text) => text.length <= 60) ?? texts.at(-1);
}

/* A constant inside an expression: an array of more than three elements by its shape alone. */
function inline(value) {
  const { shape, data } = value;
  return shape.length && data.length > 3 ? `array${shapeText(shape)}` : nested(value, 10);
}

/* The items if they are few, else the first three and the last, with a gap in place of the others. */
function ends(items, gap) {
  return items.length <= 6 ? items : [...items.slice(0, 3), gap, items.at(-1)];
}

/* A number in a product or a sum: in parentheses if it is negative and not the first. */
function factor(value, first = false) {
  const text = concise(value);
  return text.startsWith("-") && !first ? `(${text})` : text;
}

/* The width of a text in a monospaced font: at least that of the fonts in use. */
function textWidth(text, size) {
  let cells = 0;
  for (const c of text) {
    if (/\p{M}/u.test(c)) continue;
    cells += c <= "\u04ff" || "…×∂".includes(c) ? 1 : /[\u1100-\u115f\u2e80-\uffdc]/u.test(c) || c > "\uffff" ? 2.2 : 1.7;
  }
  return 0.602 * size * cells;
}
