"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const byId = (name) => document.getElementById(name);
const rows = new Map([...document.querySelectorAll("tbody tr")].map((row) => [Number(row.dataset.line), row]));
const nodes = new Map([...document.querySelectorAll(".graph [data-line]")].map((g) => [Number(g.dataset.line), g]));
const edges = [...document.querySelectorAll(".graph [data-from]")];
const lines = new Map(run.lines.map((line) => [line.line, line]));
let steps = run.modes[0].steps;
let position = 0;
let timer = null;
let pointed = null;

/* An arrowhead where an edge starts, for what flows back along it. */
for (const edge of edges) {
  const start = edge.querySelector(".path").getPointAtLength(0);
  const tail = document.createElementNS("http://www.w3.org/2000/svg", "path");
  tail.setAttribute("d", `M${start.x} ${start.y}l-3.5 7h7z`);
  tail.setAttribute("class", "tail");
  edge.append(tail);
}

/* The state after so many steps: what is computed, and the tangents or adjoints. */
function state() {
  const computed = new Set(), slopes = new Map();
  for (const step of steps.slice(0, position)) {
    if (step.phase === "run") computed.add(step.line);
    for (const [line, texts] of Object.entries(step.changes)) slopes.set(Number(line), texts);
  }
  return { computed, slopes };
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/* A cell or a line of text, shown or not, with another text if one is given; nothing to show has no text either. */
function fill(item, shown, text) {
  if (!item) return;
  item.dataset.text ??= item.textContent;
  item.textContent = shown ? text ?? item.dataset.text : "";
  const label = item.closest("text");
  if (label) label.classList.toggle("empty", !shown);
}

function show() {
  const step = position ? steps[position - 1] : null;
  const sweeping = step !== null && step.phase !== "run";
  const { computed, slopes } = state();
  document.body.classList.toggle("sweeping", sweeping);
  byId("step").value = position;
  byId("count").textContent = `Step ${position} of ${steps.length}`;
  const texts = step ? step.text : run.before;
  byId("step").setAttribute("aria-valuetext", `${position} of ${steps.length}: ${texts[0]}`);
  byId("now").replaceChildren(...texts.map((text) => element("p", text)));
  const mark = (item, line) => {
    item.classList.toggle("current", step !== null && step.line === line);
    item.classList.toggle("reached", step !== null && step.phase !== "seed" && line in step.changes);
    item.classList.toggle("future", !computed.has(line));
    fill(item.querySelector(".value"), computed.has(line));
  };
  for (const [line, row] of rows) {
    mark(row, line);
    if (row.classList.contains("current")) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    fill(row.querySelector(".slope"), slopes.has(line), slopes.get(line)?.[0]);
  }
  for (const [line, node] of nodes) {
    mark(node, line);
    fill(node.querySelector(".adjoint"), slopes.has(line), slopes.get(line)?.[1]);
  }
  const flows = new Set((step ? step.edges : []).map(([from, to]) => `${from} ${to}`));
  for (const edge of edges) {
    edge.classList.toggle("flow", flows.has(`${edge.dataset.from} ${edge.dataset.to}`));
    edge.classList.toggle("future", !computed.has(Number(edge.dataset.to)));
  }
  for (const name of ["first", "back"]) byId(name).setAttribute("aria-disabled", position === 0);
  for (const name of ["next", "last"]) byId(name).setAttribute("aria-disabled", position === steps.length);
  if (step) for (const items of [nodes, rows]) follow(items.get(step.line));
  describe(slopes);
}

/* Scrolls the pane of an item, and nothing else, so that the item is in its middle; not aside if it is wider. */
function follow(item) {
  const pane = item?.closest(".graph, .scroll");
  if (!pane) return;
  const inside = item.getBoundingClientRect(), around = pane.getBoundingClientRect();
  const aside = inside.x + inside.width / 2 - around.x - around.width / 2;
  const down = inside.y + inside.height / 2 - around.y - around.height / 2;
  pane.scrollBy(inside.width < around.width ? aside : 0, down);
}

/* The details of the line that is pointed at, or else of the step's. */
function describe(slopes) {
  const step = position ? steps[position - 1] : null;
  const line = lines.get(pointed ?? (step ? step.line : run.lines[0].line));
  const list = byId("details");
  list.replaceChildren();
  if (!line) return;
  const add = (name, ...contents) => {
    const dd = document.createElement("dd");
    dd.append(...contents);
    list.append(element("dt", name), dd);
  };
  byId("details-title").textContent = `Line ${line.line}: ${line.variable}`;
  add("computes", line.expression);
  if (line.folded) return;
  add("rule", line.rule);
  add("value", line.value);
  for (const [name, text] of line.partials) add(name, text);
  add(run.modes[byId("mode").selectedIndex].column, slopes.get(line.line)?.[0] ?? "none yet");
  if (line.source) {
    const { start, end, where } = line.source, code = document.createElement("code");
    const cut = (...ends) => [...line.source.text].slice(...ends).join("");  // in characters, as Python counts
    code.append(cut(0, start), element("mark", cut(start, end)), cut(end));
    add("source", code, ...(where ? [document.createElement("br"), where] : []));
  }
}

function go(to) {
  position = Math.max(0, Math.min(steps.length, to));
  pointed = null;
  show();
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "Play";
  byId("now").setAttribute("aria-live", "polite");
}

function play() {
  if (position === steps.length) go(0);
  byId("play").textContent = "Pause";
  byId("now").setAttribute("aria-live", "off");
  timer = setInterval(() => {
    go(position + 1);
    if (position === steps.length) pause();
  }, Number(byId("speed").value));
}

function choose(mode) {
  steps = mode.steps;
  byId("step").max = steps.length;
  byId("column").textContent = mode.column;
  for (const adjoint of document.querySelectorAll(".graph .adjoint")) {
    adjoint.previousElementSibling.textContent = `${mode.column} `;
  }
}

function toggle() {
  if (timer === null) play();
  else pause();
}

function move(to) {
  pause();
  go(to);
}

const moves = { first: () => 0, back: () => position - 1, next: () => position + 1, last: () => steps.length };
for (const [name, to] of Object.entries(moves)) byId(name).addEventListener("click", () => move(to()));
const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last" };
byId("play").addEventListener("click", toggle);
byId("step").addEventListener("input", () => move(Number(byId("step").value)));
byId("speed").addEventListener("change", () => { if (timer !== null) { pause(); play(); } });
byId("mode").addEventListener("change", () => {
  pause();
  choose(run.modes[byId("mode").selectedIndex]);
  go(position);
});
document.addEventListener("keydown", (event) => {
  const name = event.target.tagName;
  if (event.target.classList.contains("graph")) return;  // they scroll it
  if (event.altKey || event.ctrlKey || event.metaKey || name === "SELECT") return;
  if (event.key === " " && name !== "BUTTON") toggle();
  else if (event.key in keys && name !== "INPUT") move(moves[keys[event.key]]());
  else return;
  event.preventDefault();
});
for (const group of [rows, nodes]) {
  for (const [line, item] of group) {
    const point = () => { pointed = line; describe(state().slopes); };
    for (const event of ["pointerenter", "focusin", "click"]) item.addEventListener(event, point);
  }
}
choose(run.modes[0]);
show();
