/* A run that is stepped, scrubbed, played: what is shown of it after each step. */
const run = JSON.parse(document.getElementById("run").textContent);
const byId = (name) => document.getElementById(name);
const panes = [new Pane(byId("graph")), new Pane(byId("other"))];
let rows = new Map(), modes = [], lines = new Map(), steps = [], companion = null;
let position = 0, timer = null, pointed = null, live = null;

/* The state after so many steps: what is computed, and the tangents or adjoints. */
function state(of, count) {
  const computed = new Set(), slopes = new Map();
  for (const step of of.slice(0, count)) {
    if (step.phase === "run") computed.add(step.line);
    for (const [line, texts] of Object.entries(step.changes)) slopes.set(Number(line), texts);
  }
  return { computed, slopes };
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
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

function mark(item, line, step, computed) {
  item.classList.toggle("current", step !== null && step.line === line);
  item.classList.toggle("reached", step !== null && step.phase !== "seed" && line in step.changes);
  item.classList.toggle("future", !computed.has(line));
  fill(item.querySelector(".value"), computed.has(line));
}

/* The lines of the list. */
function list(told) {
  lines = new Map(told.map((line) => [line.line, line]));
  byId("lines").replaceChildren(...told.map((line) => {
    const row = element("tr", "", { "data-line": line.line }), head = element("th", "", { scope: "row" });
    const button = element("button", line.variable, { type: "button", "aria-controls": "details" });
    head.append(button);
    if (line.folded) {
      row.className = "folded";
      row.append(element("td", "…", { class: "line" }), head, element("td", line.expression, { colspan: 3 }));
      return row;
    }
    const kind = line.value.startsWith("[") ? " array" : "";
    row.append(element("td", line.line, { class: "line" }), head, element("td", line.expression),
      element("td", line.value, { class: `value${kind}` }), element("td", "", { class: `slope${kind}` }),
      element("td", "", { class: `second${kind}` }));
    return row;
  }));
  adoptRows();
}

/* Each line of the list and of the graphs, when it is pointed at or has the focus, shows its details. */
function adoptRows() {
  rows = new Map([...document.querySelectorAll("#lines tr")].map((row) => [Number(row.dataset.line), row]));
  for (const group of [rows, ...panes.map((pane) => pane.nodes)]) {
    for (const [line, item] of group) {
      const point = () => { pointed = line; describe(); };
      for (const event of ["pointerenter", "focusin", "click"]) item.addEventListener(event, point);
    }
  }
}

function show() {
  const step = position ? steps[position - 1] : null, sweeping = step !== null && step.phase !== "run";
  const now = state(steps, position), beside = companion && state(companion.steps, position);
  document.body.classList.toggle("sweeping", sweeping);
  byId("step").value = position;
  byId("count").textContent = `Step ${position} of ${steps.length}`;
  const other = companion && position ? companion.steps[Math.min(position, companion.steps.length) - 1] : null;
  const texts = step ? [...step.text, ...(other && !sweeping ? other.text.slice(1) : [])] : run.before;
  byId("step").setAttribute("aria-valuetext", `${position} of ${steps.length}: ${texts[0]}`);
  byId("now").replaceChildren(...texts.map((text) => element("p", text)));
  const symbols = (lines.get(step?.line)?.partials ?? []).filter(([, symbol, , pull]) => symbol || pull);
  byId("rule").textContent = symbols.map(([name, symbol, text, pull]) => pull ?? `${name} = ${symbol} = ${text}`).join("; ");
  for (const [line, row] of rows) {
    mark(row, line, step, now.computed);
    if (row.classList.contains("current")) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    fill(row.querySelector(".slope"), now.slopes.has(line), now.slopes.get(line)?.[0]);
    fill(row.querySelector(".second"), Boolean(beside?.slopes.has(line)), beside?.slopes.get(line)?.[0]);
  }
  panes[0].show(step, now, modes[byId("mode").selectedIndex].column);
  if (companion) panes[1].show(other, beside, companion.column);
  for (const name of ["first", "back"]) byId(name).setAttribute("aria-disabled", position === 0);
  for (const name of ["next", "last"]) byId(name).setAttribute("aria-disabled", position === steps.length);
  if (step) follow(rows.get(step.line));
  describe();
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
function describe() {
  const step = position ? steps[position - 1] : null, { slopes } = state(steps, position);
  const line = lines.get(pointed) ?? lines.get(step ? step.line : lines.keys().next().value);
  const list_ = byId("details");
  list_.replaceChildren();
  if (!line) return;
  const add = (name, ...contents) => {
    const dd = document.createElement("dd");
    dd.append(...contents);
    list_.append(element("dt", name), dd);
  };
  byId("details-title").textContent = `Line ${line.line}: ${line.variable}`;
  add("computes", line.expression);
  if (line.folded) return;
  add("rule", line.rule);
  add("value", line.value);
  for (const [name, symbol, text, pull] of line.partials) add(name, symbol ? `${symbol} = ${text}` : pull ?? text);
  add(modes[byId("mode").selectedIndex].column, slopes.get(line.line)?.[0] ?? "none yet");
  if (line.source) {
    const { start, end, where } = line.source, code = document.createElement("code");
    const cut_ = (...ends_) => [...line.source.text].slice(...ends_).join("");  // in characters, as Python counts
    code.append(cut_(0, start), element("mark", cut_(start, end)), cut_(end));
    add("source", code, ...(where ? [document.createElement("br"), where] : []));
  }
}

function go(to) {
  const before = position;
  position = Math.max(0, Math.min(steps.length, to));
  pointed = null;
  show();
  if (position !== before + 1) return;
  panes[0].move(steps[position - 1]);
  if (companion) panes[1].move(companion.steps[position - 1] ?? null);
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

/* The modes of a run: the reverse one, the forward ones, and both at once, each in a pane of its own. */
function offer(told, together = []) {
  const chosen = Math.max(0, byId("mode").selectedIndex);
  const beside = told.slice(1).map((mode) => {
    return { ...told[0], name: `both side by side, seed ${mode.seed}`, companion: mode };
  });
  modes = [...told, ...together, ...beside];
  byId("mode").replaceChildren(...modes.map((mode) => element("option", mode.name)));
  byId("mode").selectedIndex = chosen < modes.length ? chosen : 0;
  choose();
}

/* What the numbers of a column are, in words. */
function meaning({ column, seed }) {
  if (column === "adjoint") return "derivative of the result by the line";
  return `derivative of the line by ${seed ?? "all inputs at once"}`;
}

function choose() {
  const mode = modes[byId("mode").selectedIndex];
  [steps, companion] = [mode.steps, mode.companion ?? null];
  byId("step").max = steps.length;
  byId("column").textContent = mode.column;
  byId("means").textContent = meaning(mode);
  document.body.classList.toggle("both", companion !== null);
  if (!companion) return;
  byId("second").textContent = companion.column;
  byId("second-means").textContent = meaning(companion);
  panes[1].draw(panes[0].svg.cloneNode(true));
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
  choose();
  adoptRows();
  go(position);
});
for (const [name, act] of Object.entries({ larger: (pane) => pane.zoomBy(1.25), smaller: (pane) => pane.zoomBy(0.8),
  fit: (pane) => pane.fit() })) byId(name).addEventListener("click", () => panes.forEach(act));
for (const pane of panes) {
  pane.section.addEventListener("wheel", (event) => {  // as a pinch on a touchpad is told, too
    if (!event.ctrlKey) return;
    event.preventDefault();
    for (const each of panes) each.zoomBy(Math.exp(-event.deltaY / 200));
  }, { passive: false });
  const fingers = new Map();
  const apart = () => { const [a, b] = fingers.values(); return Math.hypot(a.x - b.x, a.y - b.y); };
  pane.section.addEventListener("pointerdown", ({ pointerId, x, y, pointerType }) => {
    if (pointerType === "touch") fingers.set(pointerId, { x, y });
  });
  pane.section.addEventListener("pointermove", ({ pointerId, x, y }) => {
    if (!fingers.has(pointerId)) return;
    const before = fingers.size === 2 ? apart() : 0;
    fingers.set(pointerId, { x, y });
    if (before) for (const each of panes) each.zoomBy(apart() / before);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    pane.section.addEventListener(name, ({ pointerId }) => fingers.delete(pointerId));
  }
}
document.addEventListener("keydown", (event) => {
  const name = event.target.tagName;
  if (event.target.classList.contains("graph")) return;  // they scroll it
  if (event.altKey || event.ctrlKey || event.metaKey || name === "SELECT") return;
  if (event.key === " " && name !== "BUTTON" && name !== "INPUT") toggle();
  else if (event.key in keys && name !== "INPUT") move(moves[keys[event.key]]());
  else return;
  event.preventDefault();
});
