/* Where everything of a picture stands: layers from the inputs down, as autodiff/drawing/layout.py. Slot k below the
   number of nodes is a node, the others are where an edge passes a layer. */
const HEADING = 13, SMALL = 11, PADDING = 10, BETWEEN = 22, MARGIN = 16, BAND = 24, PASSING = 10;

function mean(numbers, otherwise) {
  return numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : otherwise;
}

class Layers {
  /* widths: those that boxes have already, which only grow as numbers move. */
  constructor(nodes, edges, widths) {
    [this.nodes, this.edges] = [nodes, edges];
    this.index = new Map(nodes.map((node, k) => [node.key, k]));
    this.incoming = nodes.map((node) => edges.flatMap((edge, e) => (edge.end === node.key ? [e] : [])));
    this.layer = this.layers();
    this.widths = nodes.map((_, k) => Math.max(widths.get(nodes[k].key) ?? 0, this.width(k)));
    for (const [k, node] of nodes.entries()) widths.set(node.key, this.widths[k]);
    this.chains = this.chained();
    this.order = this.ordered();
    this.x = this.abscissae();
  }

  layers() {
    const found = [], first = new Map();
    for (const k of this.nodes.keys()) {
      const starts = this.incoming[k].map((e) => this.index.get(this.edges[e].start));
      found[k] = 1 + Math.max(-1, ...starts.map((s) => found[s]));
      for (const s of starts) first.set(s, Math.min(first.get(s) ?? Infinity, found[k]));
    }
    for (const [k, reader] of first) if (!this.incoming[k].length) found[k] = reader - 1;
    return found;
  }

  width(k) {
    const { text, rows } = this.nodes[k];
    const widest = Math.max(textWidth(text, HEADING), ...rows.map(([label, value]) => textWidth(`${label} ${value}`, SMALL)));
    return Math.max(widest + 2 * PADDING, this.ports(k).reduce((a, b) => a + b, 0));
  }

  ports(k) {
    return this.incoming[k].map((e) => Math.max(12, textWidth(this.edges[e].label ?? "", SMALL) + 8));
  }

  /* The slots of each edge by layers; edges from one node share theirs as far as they go. */
  chained() {
    const passing = new Map();
    return this.edges.map((edge) => {
      const start = this.index.get(edge.start), end = this.index.get(edge.end), chain = [start];
      for (let layer = this.layer[start] + 1; layer < this.layer[end]; layer++) {
        const key = `${start} ${layer}`;
        if (!passing.has(key)) {
          passing.set(key, this.layer.length);
          this.widths.push(PASSING);
          this.layer.push(layer);
        }
        chain.push(passing.get(key));
      }
      return [...chain, end];
    });
  }

  /* Few crossings: by the mean place of the neighbours. */
  ordered() {
    this.above = this.layer.map(() => new Set());
    this.below = this.layer.map(() => new Set());
    for (const chain of this.chains) {
      for (let k = 1; k < chain.length; k++) {
        this.below[chain[k - 1]].add(chain[k]);
        this.above[chain[k]].add(chain[k - 1]);
      }
    }
    const order = Array.from({ length: 1 + Math.max(...this.layer) }, () => []);
    for (const [slot, layer] of this.layer.entries()) order[layer].push(slot);
    let best = order.map((slots) => [...slots]), fewest = this.crossings(order);
    for (let sweep = 0; sweep < 12 && fewest; sweep++) {
      const downward = sweep % 2 === 0, neighbours = downward ? this.above : this.below;
      for (let step = 1; step < order.length; step++) {
        const layer = downward ? step : order.length - 1 - step, fixed = order[downward ? layer - 1 : layer + 1];
        const want = new Map(order[layer].map((slot, k) => {
          return [slot, mean([...neighbours[slot]].map((n) => fixed.indexOf(n)), k)];
        }));
        order[layer].sort((a, b) => want.get(a) - want.get(b));
      }
      const crossings = this.crossings(order);
      if (crossings < fewest) [best, fewest] = [order.map((slots) => [...slots]), crossings];
    }
    return best;
  }

  crossings(order) {
    let found = 0;
    for (let k = 1; k < order.length; k++) {
      const seen = [];
      for (const slot of order[k - 1]) {
        const places = [...this.below[slot]].map((n) => order[k].indexOf(n));
        for (const place of places) found += seen.filter((other) => other > place).length;
        seen.push(...places);
      }
    }
    return found;
  }

  abscissae() {
    const x = this.layer.map(() => 0);
    for (const layer of this.order) this.spread(layer, layer.map(() => 0), x);
    for (let pass = 0; pass < 60; pass++) {
      const downward = pass % 2 === 0, free = pass < 30;
      for (const layer of downward ? this.order : [...this.order].reverse()) {
        const wanted = layer.map((slot) => {
          const above = [...this.above[slot]], below = [...this.below[slot]];
          const near = free ? (downward ? above : below) : [...above, ...below];
          const pulls = near.map((n) => this.pull(slot, n)), all = pulls.reduce((a, b) => a + b, 0);
          return near.length ? near.reduce((sum, n, k) => sum + pulls[k] * x[n], 0) / all : x[slot];
        });
        this.spread(layer, wanted, x);
      }
    }
    const left = Math.min(...x.map((place, k) => place - this.widths[k] / 2));
    this.wide = Math.max(...x.map((place, k) => place + this.widths[k] / 2)) - left + 2 * MARGIN;
    return x.map((place) => place - left + MARGIN);
  }

  pull(slot, neighbour) {
    return Math.min(slot, neighbour) >= this.nodes.length ? 8 : this.weight(neighbour);
  }

  weight(slot) {
    return !this.above[slot].size && this.below[slot].size === 1 ? 0.02 : 1;
  }

  /* The places nearest to those wanted, in order and apart: weighted least squares by pooling adjacent violators. */
  spread(layer, wanted, x) {
    const offsets = [0], blocks = [];
    for (let k = 1; k < layer.length; k++) {
      offsets.push(offsets[k - 1] + (this.widths[layer[k - 1]] + this.widths[layer[k]]) / 2 + BETWEEN);
    }
    for (const [k, slot] of layer.entries()) {
      let block = { weight: this.weight(slot), total: this.weight(slot) * (wanted[k] - offsets[k]), slots: [k] };
      while (blocks.length && blocks.at(-1).total / blocks.at(-1).weight > block.total / block.weight) {
        const before = blocks.pop();
        block = { weight: block.weight + before.weight, total: block.total + before.total, slots: [...before.slots, ...block.slots] };
      }
      blocks.push(block);
    }
    for (const { weight, total, slots } of blocks) for (const k of slots) x[layer[k]] = total / weight + offsets[k];
  }

  placed() {
    const heights = this.nodes.map((node) => 18 + 15 * node.rows.length + PADDING), tops = [], bottoms = [];
    let y = MARGIN;
    for (const [number, layer] of this.order.entries()) {
      const aside = layer.flatMap((slot) => [...this.above[slot]].map((n) => Math.abs(this.x[slot] - this.x[n])));
      if (number) y += BAND + 20 + Math.min(40, 0.08 * Math.max(0, ...aside));
      tops.push(y);
      y += Math.max(0, ...layer.map((slot) => heights[slot] ?? 0));
      bottoms.push(y);
    }
    const boxes = this.nodes.map((node, k) => {
      const width = this.widths[k];
      return { node, x: this.x[k] - width / 2, y: tops[this.layer[k]], width, height: heights[k] };
    });
    const ports = this.arrivals();
    const routes = this.edges.map((edge, e) => this.route(edge, this.chains[e], ports[e], boxes, tops, bottoms));
    return { boxes, routes, width: this.wide, height: y + MARGIN };
  }

  /* Where on the upper side of its box each edge ends: side by side, in the order in which they come. */
  arrivals() {
    const found = [];
    for (const k of this.nodes.keys()) {
      const edges = this.incoming[k], widths = this.ports(k), all = widths.reduce((a, b) => a + b, 0);
      const spare = (this.widths[k] - all) / Math.max(edges.length, 1), came = (i) => this.x[this.chains[edges[i]].at(-2)];
      let left = this.x[k] - this.widths[k] / 2;
      for (const i of [...edges.keys()].sort((a, b) => came(a) - came(b) || a - b)) {
        found[edges[i]] = left + (widths[i] + spare) / 2;
        left += widths[i] + spare;
      }
    }
    return found;
  }

  route(edge, chain, port, boxes, tops, bottoms) {
    const start = boxes[chain[0]];
    let x = this.x[chain[0]], y = start.y + start.height, path = `M${x.toFixed(1)} ${y.toFixed(1)}`;
    for (const slot of chain.slice(1)) {
      const layer = this.layer[slot], onto = slot === chain.at(-1) ? port : this.x[slot];
      if (bottoms[layer - 1] > y) path += `V${bottoms[layer - 1].toFixed(1)}`;
      y = bottoms[layer - 1];
      const down = tops[layer] - BAND, middle = ((y + down) / 2).toFixed(1);
      path += `C${x.toFixed(1)} ${middle} ${onto.toFixed(1)} ${middle} ${onto.toFixed(1)} ${down.toFixed(1)}`;
      [x, y] = [onto, down];
    }
    const top = tops[this.layer[chain.at(-1)]];
    return { edge, path: `${path}V${top.toFixed(1)}`, x, top };
  }
}
