/* The run of a tape step by step, in words: as autodiff/drawing/steps.py and telling.py tell it. A part is a line that
   is drawn, or with folded lines that are not; a picture has nodes, edges, and a name for each line. */
class Teller {
  constructor(tape, output, picture) {
    [this.tape, this.output, this.picture, this.names] = [tape, output, picture, picture.names];
    this.parts = picture.nodes.map((node) => ({ first: node.line, lines: node.lines, node }));
    this.seeds = picture.nodes.filter((node) => node.kind === "input").map((node) => node.line).slice(0, 8);
  }

  modes() {
    const run = this.forward([]);
    const reverse = this.output === null ? [] : this.reverse();
    const found = [{ name: "reverse adjoints", column: "adjoint", seed: null, steps: [...run, ...reverse] }];
    for (const seed of this.seeds) {
      const name = this.names[seed];
      found.push({ name: `forward tangents, seed ${name}`, column: "tangent", seed: name, steps: this.forward([seed]) });
    }
    return found;
  }

  /* What comes of one ε for all inputs: the slope along all of them at once. */
  together() {
    return { name: "forward tangents, all seeds at once", column: "tangent", seed: null, steps: this.forward(this.seeds) };
  }

  told(phase, part, text, changes) {
    const leading = phase === "seed" ? [] : this.picture.edges.filter((edge) => edge.end === part.first);
    const edges = leading.filter((edge) => edge.active || phase === "run").map((edge) => [edge.start, edge.end]);
    const texts = Object.fromEntries([...changes].map(([line, x]) => [line, [brief(x), concise(x)]]));
    return { phase, line: part.first, text, changes: texts, edges };
  }

  rule(line) {
    const { rule, row, shown } = this.tape.lines[line];
    return shown ?? rule?.shown ?? row;
  }

  /* ∂line/∂operand as the package writes it: in the variables of a recorded function, or with places for those of an
     expression; none where it is a number or long. */
  symbol(line, place) {
    const { rule, operands } = this.tape.lines[line];
    if (!rule?.symbols) return this.picture.edges.find((edge) => edge.end === line && edge.place === place)?.symbol ?? null;
    const exponent = operands[1]?.constant?.data[0], pattern = (place === 0 && rule.powers?.[exponent]) || rule.symbols[place];
    const text = pattern?.replace(/__(\d)__/g, (_, k) => this.inFormula([...operands, line][k]));
    return text && text.length <= 60 && /\p{L}/u.test(text) ? text : null;
  }

  inFormula(operand) {
    return operand.constant ? factor(operand.constant) : this.names[operand.line ?? operand];
  }

  // ------------------------------------------------------------------------------------ forward

  forward(seeds) {
    const ones = seeds.map((seed) => [seed, filled(this.tape.values[seed].shape, 1)]);
    const found = seeds.length ? this.tape.tangents(new Map(ones)) : null;
    const { strong } = this.tape;
    return this.parts.map((part) => {
      const { node, first } = part, value = concise(this.tape.values[first]);
      if (node.kind === "fold") return this.told("run", part, [`${count(part)}, ${node.name}: computed; the drawing leaves them out.`], []);
      const kinds = { input: ", an input", constant: ", a constant" };
      const said = `${node.kind in kinds ? node.name : node.text} = ${value}${kinds[node.kind] ?? ""}`;
      if (!found) return this.told("run", part, [said], []);
      const tangent = found[first] ?? scalar(0, "float");
      return this.told("run", part, [said, this.tangent(first, seeds, tangent, found, strong)], [[first, tangent]]);
    });
  }

  tangent(line, seeds, tangent, found, strong) {
    const name = this.names[line], { operands, rule, row, described } = this.tape.lines[line];
    if (seeds.includes(line)) {
      const ones = tangent.shape.length ? `: 1 for each element of ${name}` : "";
      return `tangent of ${name} = ${concise(tangent)}, the seed${ones}`;
    }
    const terms = operands.flatMap((k, place) => {
      if (!this.tape.passes(line, place) || !found[k]) return [];
      const value = this.tape.pushed(line, place, found[k], strong?.(line, place));
      return [{ operand: k, partial: this.tape.partial(line, place), given: found[k], value }];
    });
    if (!terms.length) {
      const why = rule?.constant || described === "locally constant" ? `${this.rule(line)} is locally constant` : `no tangent of ${seeds.map((seed) => this.names[seed]).join(" or ")} comes here`;
      return `tangent of ${name} = 0${row === null ? "" : `: ${why}`}`;
    }
    const symbols = [], numbers = [];
    for (const term of ends(terms, null)) {
      const operand = term && this.names[term.operand];
      if (!term) {
        symbols.push("…");
        numbers.push("…");
      } else if (term.partial) {
        symbols.push(`∂${name}/∂${operand} · tangent of ${operand}`);
        numbers.push(`${factor(term.partial, !numbers.length)} · ${factor(term.given)}`);
      } else {
        symbols.push(`push-forward of ${this.rule(line)} by the tangent of ${operand}`);
        numbers.push(factor(term.value, !numbers.length));
      }
    }
    const worked = numbers.length > 1 || terms[0].partial ? [numbers.join(" + ")] : [];
    return [`tangent of ${name}`, symbols.join(" + "), ...worked, concise(tangent)].join(" = ") + byTheStrongZero(terms);
  }

  // ------------------------------------------------------------------------------------ reverse

  reverse() {
    const { tape, output, names, parts } = this, one = filled(tape.values[output].shape, 1);
    const adjoints = tape.adjoints(output), { strong } = tape, found = new Map([[output, one]]);
    const shown = new Set(parts.filter((part) => part.node.kind !== "fold").map((part) => part.first));
    const wanted = new Set(shown);
    for (const line of shown) for (const k of tape.lines[line].operands) if (typeof k === "number") wanted.add(k);
    const seeded = parts.find((part) => part.lines.includes(output));
    const first = [...shown].map((line) => [line, line === output ? one : scalar(0, "float")]);
    const each = one.shape.length ? " for each element" : "";
    const steps = [this.told("seed", seeded,
      [`adjoint of ${names[output]} = 1${each}, of all others 0: the reverse sweep begins`], first)];
    for (const part of [...parts].reverse()) {
      const terms = [], changes = new Map(), folded = part.node.kind === "fold";
      for (const line of [...part.lines].reverse()) {
        for (const term of this.pulled(line, adjoints[line], wanted, strong)) {
          const before = found.get(term.operand), total = before ? plus(before, term.value) : term.value;
          found.set(term.operand, total);
          if (!folded) terms.push({ ...term, total: before ? total : null });
          if (shown.has(term.operand)) changes.set(term.operand, total);
        }
      }
      if (!terms.length && !changes.size) continue;
      const reached = [...changes].map(([line, x]) => `adjoint of ${names[line]} = ${concise(x)}`);
      const text = folded ? [`${count(part)}, ${part.node.name}: each passes its adjoint on.`, ...reached]
        : ends(terms.map((term) => this.passed(term)), `… ${terms.length - 4} more …`);
      steps.push(this.told("sweep", part, text, changes));
    }
    return steps;
  }

  pulled(line, given, wanted, strong) {
    if (!given) return [];
    return this.tape.lines[line].operands.flatMap((operand, place) => {
      if (!this.tape.passes(line, place) || !wanted.has(operand)) return [];
      const value = this.tape.pulled(line, place, given, strong?.(line, place));
      return [{ operand, line, partial: this.tape.partial(line, place), given, value }];
    });
  }

  passed({ operand, line, partial, given, value, total }) {
    const name = this.names[operand], of = this.names[line];
    let said = `adjoint of ${name} += `;
    if (!partial) said += `pull-back of ${this.rule(line)} by the adjoint of ${of} = ${concise(value)}`;
    else {
      const shape = broadcastShape(given.shape, partial.shape);
      const summed = String(value.shape) !== String(shape) ? ", summed" : "";
      said += `adjoint of ${of} · ∂${of}/∂${name} = ${factor(given, true)} · ${factor(partial)} = ${concise(value)}${summed}`;
      said += byTheStrongZero([{ partial, given, value }]);
    }
    return total ? `${said}; in all ${concise(total)}` : said;
  }

  // ------------------------------------------------------------------------------------ lines

  /* The partials of a line, each with its name, its rule in symbols and its number; or with its pull-back in symbols. */
  partials(line) {
    const { operands, rule } = this.tape.lines[line];
    const reads = operands.flatMap((operand, place) => (this.tape.passes(line, place) ? [{ operand, place }] : []));
    return ends(reads, null).map((read) => {
      if (!read) return ["…", null, `${reads.length - 4} more`];
      const { operand, place } = read;
      const several = reads.filter((other) => other.operand === operand).length > 1;
      const name = `∂${this.names[line]}/∂${this.names[operand]}${several ? `, operand ${place + 1}` : ""}`;
      const partial = this.tape.partial(line, place);
      if (partial) return [name, this.symbol(line, place), brief(partial)];
      const pull = this.picture.edges.find((edge) => edge.end === line && edge.place === place)?.rule;
      return [name, null, "a linear map, by the rule", ...(pull ? [pull] : [])];
    });
  }
}

function count(part) {
  return `${part.lines.length} line${part.lines.length > 1 ? "s" : ""}`;
}

/* Whether a zero against a partial that is not finite gave 0. */
function byTheStrongZero(terms) {
  const strong = terms.some(({ partial, given, value }) => {
    return partial && !hasNaN(value) && mapped((t, p) => t === 0 && !Number.isFinite(p), given, partial).data.some(Boolean);
  });
  return strong ? ", by the strong zero" : "";
}
