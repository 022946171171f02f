/* What the page computes anew whenever an input moves: the run in steps, the picture, the lines, the derivatives. */
const clean = (text) => text.trim().replace(/\s+/g, " ");

function variableNames(lines, given) {
  const letter = [..."vwutsrqponm"].find((c) => !given.some((name) => new RegExp(`^${c}\\d+$`).test(name))) ?? "vv";
  return lines.map((line, k) => line.name ?? `${letter}${k}`);
}

/* What a line computes, in the notation of Python. */
function expressionOf({ row, rule, operands, index, shown }, names) {
  const parts = operands.map((k) => {
    const text = k.constant ? inline(k.constant) : names[k.line ?? k];
    return k.constant && rule?.sign && text.startsWith("-") ? `(${text})` : text;
  });
  if (index !== undefined) return `${parts[0]}[${index}]`;
  if (!rule?.sign) return `${rule?.shown ?? shown ?? row}(${ends(parts, "...").join(", ")})`;
  return parts.length > 1 ? `${parts[0]} ${rule.sign} ${parts[1]}` : rule.sign + parts[0];
}

/* A recorded function: its tape is replayed, as long as it goes the way that it went. */
class OfProgram {
  constructor({ lines, output, guards }, run) {
    const value = ({ shape, data, kind }) => ({ shape, data: data.map(Number), kind });  // JSON has no NaN
    this.lines = lines.map((line) => ({ ...line, rule: RULES[line.row], ...(line.constant && { constant: value(line.constant) }),
      operands: line.operands.map((k) => (k.constant ? { constant: value(k.constant) } : k)) }));
    [this.output, this.guards, this.run] = [output, guards, run];
    this.names = run.inputs.map((input) => input.name);
  }

  tape(point) {
    const tape = new Tape(this.lines, point);
    for (const [line, known, where] of this.guards) {
      if (String(tape.values[line].data) !== String(known.map(Number))) {
        throw new Complaint(`the function goes another way at these inputs: ${where}; the page stays at the last ones`);
      }
    }
    return tape;
  }

  at(point) {
    const { picture, lines } = this.run, byLine = new Map(lines.map((line) => [line.line, line]));
    const texts = this.lines.map((_, line) => byLine.get(line)?.expression ?? "");
    const sources = this.lines.map((_, line) => byLine.get(line)?.source ?? null);
    return { tape: this.tape(point), output: this.output, texts, sources, picture };
  }

  value(point) {
    try {
      return this.tape(point).values[this.output].data[0];
    } catch (error) {
      if (error instanceof Complaint) return NaN;
      throw error;
    }
  }
}

/* The modes, the picture and the details at a point; a Complaint where there is none. */
function computed(live, point) {
  const found = live.at(point), { tape, output, texts, sources, picture } = found;
  const teller = new Teller(tape, output, picture), modes = teller.modes();
  const slopes = output === null ? [] : tape.adjoints(output);
  const shown = new Map();
  for (const mode of modes) {
    for (const step of mode.steps) {
      for (const [line, [, text]] of Object.entries(step.changes)) shown.set(Number(line), [...shown.get(Number(line)) ?? [], text]);
    }
  }
  const wide = (texts_) => texts_.reduce((a, b) => (textWidth(b, 1) > textWidth(a, 1) ? b : a), "-0.41615");
  const nodes = picture.nodes.map((node) => {
    if (node.kind === "fold") return { ...node, rows: [["", node.name]] };
    const rows = [["value", concise(tape.values[node.line])]];
    if (node.slope) rows.push(["adjoint", wide(shown.get(node.line) ?? [])]);
    return { ...node, rows };
  });
  const folds = new Set(picture.nodes.filter((node) => node.kind === "fold").map((node) => node.line));
  const edges = picture.edges.map((edge) => {
    const partial = edge.count === 1 && edge.active && !folds.has(edge.end) ? tape.partial(edge.end, edge.place) : null;
    const symbol = partial && teller.symbol(edge.end, edge.place);
    const name = `∂${picture.names[edge.end]}/∂${picture.names[edge.start]}`;
    const label = edge.count > 1 ? `${edge.count} ×` : partial && concise(partial);
    return { ...edge, label, symbol: symbol && `${name} = ${symbol} = ${label}` };
  });
  const lines = picture.nodes.map((node) => lineTold(node, teller, texts, sources));
  const together = teller.seeds.length > 1 ? [teller.together()] : [];
  return { tape, output, modes, together, lines, slopes, names: picture.names, picture: { ...picture, nodes, edges } };
}

function lineTold({ line, kind, name, text }, teller, texts, sources) {
  if (kind === "fold") return { line, variable: name, expression: text, folded: true, partials: [] };
  const { rule, row, described = rule?.described ?? "linear" } = teller.tape.lines[line];
  return { line, variable: name, expression: texts[line], rule: row === null ? `none: ${kind}` : `${teller.rule(line)}, ${described}`,
    value: brief(teller.tape.values[line]), partials: teller.partials(line), source: sources[line] };
}

/* The derivatives by one element of an input: by both modes, and by difference quotients with their error. */
function derivatives(live, { tape, output, slopes }, point, { input, element }) {
  const line = tape.lines.findIndex((one) => one.input === input), seed = filled(tape.values[line].shape, 0);
  seed.data[element] = 1;
  const zero = scalar(0, "float"), tangent = output === null ? zero : tape.tangents(new Map([[line, seed]]))[output] ?? zero;
  return { reverse: slopes[line]?.data[element] ?? 0, forward: tangent.data[0] };
}

function quotientBy(live, known, point, { input, element }) {
  return slope((x) => live.value(moved(point, input, element, x)), point[input].data[element], rounding(known));
}

/* What a result may be off by: each line rounds its value, to 53 bits and to the grain of the smallest numbers, and its
   adjoint says by how much the result follows. */
function rounding({ tape, slopes }) {
  const off = (g, v) => Math.abs(g) * Math.max(1.2e-16 * Math.abs(v), 2.5e-324);
  const terms = slopes.flatMap((g, line) => (g && tape.lines[line].operands.length ? mapped(off, g, tape.values[line]).data : []));
  return terms.reduce((sum, term) => sum + (Number.isFinite(term) ? term : 0), 0);
}

function moved(point, input, element, x) {
  return point.map((value, k) => {
    return k === input ? { ...value, data: value.data.map((old, i) => (i === element ? x : old)) } : value;
  });
}
