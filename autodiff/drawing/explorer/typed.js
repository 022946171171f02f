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
    const items = folded(lines), owner = new Map(items.flatMap((item) => (item.lines ?? [item]).map((line) => [line, item.lines?.[0] ?? item])));
    const nodes = items.map((item) => (item.lines ? foldNode(item, names, output) : this.node(lines[item], item, names, texts, output)));
    const edges = items.flatMap((item) => (item.lines ? foldEdges(item, tape, owner) : this.edges(tape, item, owner)));
    const sources = lines.map(({ start, end }) => start === undefined ? null : { text: this.text, start, end, where: "" });
    return { tape, output, texts, sources, picture: { nodes, edges, names, title: `A tape of ${lines.length} lines` } };
  }

  node({ row, rule }, line, names, texts, output) {
    const kind = row === null ? "input" : "operation", name = names[line];
    const text = row === null ? name : cut(`${name} = ${texts[line]}`);
    return { key: line, line, kind, name, text, is_output: line === output, lines: [line], slope: !rule?.constant };
  }

  /* An edge for each operand; of more than a few one for all from one box. */
  edges(tape, line, owner) {
    const all = readsOf(tape.lines[line]).map(([place, k]) => {
      return { start: owner.get(k), end: line, place, active: tape.passes(line, place), count: 1 };
    });
    if (all.length <= 6) return all;
    const merged = new Map();
    for (const edge of all) {
      const key = `${edge.start} ${edge.active}`, first = merged.get(key);
      if (first) first.count += 1;
      else merged.set(key, edge);
    }
    return [...merged.values()];
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
