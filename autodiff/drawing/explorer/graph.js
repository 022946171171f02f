/* The graph of a picture as SVG, in the classes and data-… of autodiff/drawing/svg.py; and panes that show it. */
function svgElement(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawnNode({ node, x, y, width, height }) {
  const middle = x + width / 2, kinds = `node ${node.kind}${node.is_output ? " output" : ""}`;
  const group = svgElement("g", { class: kinds, "data-key": node.key, "data-line": node.line, "data-name": node.name },
    svgElement("rect", { class: "box", x, y, width, height, rx: 5, ...(node.kind === "fold" && { "stroke-dasharray": "5 4" }) }),
    svgElement("text", { class: "text", x: middle, y: y + 18, "font-size": HEADING }, node.text));
  for (const [k, [label, text]] of node.rows.entries()) {
    const value = svgElement("tspan", { class: label || "hidden-lines" }, text);
    const named = label ? [svgElement("tspan", { class: "label" }, `${label} `)] : [];
    group.append(svgElement("text", { x: middle, y: y + 34 + 15 * k, "xml:space": "preserve" }, ...named, value));
  }
  return group;
}

function drawnEdge({ edge, path, x, top }) {
  const dash = edge.active ? {} : { "stroke-dasharray": "3 3" };
  const group = svgElement("g", { class: edge.active ? "edge" : "edge fixed", "data-from": edge.start, "data-to": edge.end },
    svgElement("path", { class: "path", d: path, fill: "none", ...dash }),
    svgElement("path", { class: "head", d: `M${x.toFixed(1)} ${top.toFixed(1)}l-3.5 -7h7z` }));
  if (edge.rule) group.append(svgElement("title", {}, edge.rule));
  if (edge.label === null) return group;
  const wide = textWidth(edge.label, SMALL);
  const text = svgElement("text", { class: "partial", x, y: top - 10 }, edge.label);
  if (edge.symbol) text.append(svgElement("title", {}, edge.symbol));
  group.append(svgElement("rect", { class: "ground", x: x - wide / 2, y: top - 20, width: wide, height: 13 }), text);
  return group;
}

/* The drawing of a picture whose boxes have at least the widths given. */
function drawnPicture(picture, widths) {
  const placed = new Layers(picture.nodes, picture.edges, widths).placed();
  const said = picture.nodes.map((node) => [node.text, ...node.rows.map((row) => row.join(" "))].join(", ")).join("; ");
  const box = `${placed.width.toFixed(0)} ${placed.height.toFixed(0)}`;
  return svgElement("svg", { class: "autodiff-picture", role: "img", "aria-label": picture.title, viewBox: `0 0 ${box}`,
    width: placed.width.toFixed(0), height: placed.height.toFixed(0), "font-size": SMALL },
  svgElement("desc", {}, `${picture.title}: ${said}.`),
  svgElement("rect", { class: "ground", width: "100%", height: "100%" }),
  svgElement("g", { class: "edges" }, ...placed.routes.map(drawnEdge)),
  svgElement("g", { class: "nodes" }, ...placed.boxes.map(drawnNode)));
}

/* One pane with a graph: what is marked in it, how large it is, what moves along its edges. */
class Pane {
  constructor(section) {
    [this.section, this.zoom] = [section, null];
    this.adopt();
  }

  get svg() {
    return this.section.querySelector("svg");
  }

  /* Takes over the drawing that is in the pane. */
  adopt() {
    this.natural = Number(this.svg.getAttribute("width"));
    this.nodes = new Map([...this.svg.querySelectorAll("[data-line]")].map((g) => [Number(g.dataset.line), g]));
    this.edges = [...this.svg.querySelectorAll("[data-from]")];
    for (const edge of this.edges) {  // an arrowhead where an edge starts, for what flows back along it
      if (edge.querySelector(".tail")) continue;
      const { x, y } = edge.querySelector(".path").getPointAtLength(0);
      edge.append(svgElement("path", { class: "tail", d: `M${x} ${y}l-3.5 7h7z` }));
    }
    this.resize(this.zoom);
  }

  draw(svg) {
    this.svg.replaceWith(svg);
    this.adopt();
  }

  /* How large the drawing is: null fits it, from three quarters of its size to half as much again if the page is that high. */
  resize(zoom) {
    this.zoom = zoom;
    const height = Number(this.svg.getAttribute("height")), larger = Math.min(1.5, Math.max(1, (0.55 * innerHeight) / height));
    const fit = `clamp(${0.75 * this.natural}px, 100%, ${larger * this.natural}px)`;
    this.svg.style.width = zoom === null ? fit : `${zoom * this.natural}px`;
  }

  scale() {
    return this.svg.getBoundingClientRect().width / this.natural;
  }

  zoomBy(by) {
    this.resize(Math.min(4, Math.max(0.2, this.scale() * by)));
  }

  fit() {
    this.resize(Math.min(1.5, (this.section.clientWidth - 26) / this.natural));
  }

  show(step, { computed, slopes }, column) {
    const sweeping = step !== null && step.phase !== "run";
    this.section.classList.toggle("sweeping", sweeping);
    for (const [line, node] of this.nodes) {
      mark(node, line, step, computed);
      const label = node.querySelector(".adjoint");
      if (label) label.previousElementSibling.textContent = `${column} `;
      fill(label, slopes.has(line), slopes.get(line)?.[1]);
    }
    const flows = new Set((step ? step.edges : []).map((edge) => edge.join(" ")));
    for (const edge of this.edges) {
      edge.classList.toggle("flow", flows.has(`${edge.dataset.from} ${edge.dataset.to}`));
      edge.classList.toggle("future", !computed.has(Number(edge.dataset.to)));
    }
    if (step) follow(this.nodes.get(step.line));
  }

  /* Numbers that travel along the edges of a step, forward the values, back the adjoints. */
  move(step) {
    for (const old of this.svg.querySelectorAll(".traveller")) old.remove();
    if (!step || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const back = step.phase === "sweep";
    for (const edge of this.edges.filter((one) => one.classList.contains("flow"))) {
      const from = this.nodes.get(Number(back ? edge.dataset.to : edge.dataset.from));
      const text = from?.querySelector(back ? ".adjoint" : ".value")?.textContent;
      if (text) this.travel(edge.querySelector(".path"), text, back);
    }
  }

  travel(path, text, back) {
    const wide = textWidth(text, SMALL) + 8, whole = path.getTotalLength();
    const traveller = svgElement("g", { class: "traveller", "aria-hidden": "true" },
      svgElement("rect", { x: -wide / 2, y: -9, width: wide, height: 18, rx: 9 }), svgElement("text", { y: 4 }, text));
    this.svg.append(traveller);
    const began = performance.now();
    const frame = (now) => {
      const t = Math.min(1, Math.max(0, (now - began) / 450)), eased = t * t * (3 - 2 * t);
      const { x, y } = path.getPointAtLength(whole * (back ? 1 - eased : eased));
      traveller.setAttribute("transform", `translate(${x} ${y})`);
      if (t < 1 && traveller.isConnected) requestAnimationFrame(frame);
      else traveller.remove();
    };
    frame(began);
  }
}
