/* The inputs: the expression, a number box and a slider for each, the derivatives by it; all recomputed as they move. */
const FEW_INPUTS = 12, IDLE = 150;
const widths = new Map();
let point = [], cells = [], known = null, idle = null;

/* A round number that is at least x: 1, 2 or 5 times a power of ten. */
function round(x) {
  const power = 10 ** Math.floor(Math.log10(x)), digits = x / power;
  return (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10) * power;
}

/* What can be moved: the elements of all inputs, the first few of them. */
function elements() {
  const found = point.flatMap((value, input) => value.data.map((_, element) => ({ input, element, shape: value.shape })));
  return found.slice(0, FEW_INPUTS);
}

function nameOf({ input, element, shape }) {
  const index = shape.map((n, k) => Math.floor(element / size(shape.slice(k + 1))) % n);
  return index.length ? `${live.names[input]}[${index.join(", ")}]` : live.names[input];
}

/* The rows of inputs, anew. */
function arrange(ranges = {}) {
  cells = elements().map((place) => {
    const name = nameOf(place), x = point[place.input].data[place.element], reach = Math.max(5, round(1.5 * Math.abs(x) || 1));
    const [low, high] = ranges[name] ?? [-reach, reach];
    const row = element("tr", ""), head = element("th", name, { scope: "row" });
    const box = element("input", "", { type: "number", step: "any", "aria-label": `${name}, number`, value: x });
    const slider = element("input", "", { type: "range", min: low, max: high, step: (high - low) / 1000, "aria-label": `${name}, slider` });
    slider.value = x;
    const slopes = ["reverse", "forward", "quotient"].map((which) => element("td", "", { class: which }));
    for (const [k, item] of [box, slider].entries()) {
      const cell = element("td", "", { class: ["box", "slide"][k] });
      cell.append(item);
      row.append(cell);
    }
    row.prepend(head);
    row.append(...slopes);
    const cell = { ...place, name, box, slider, slopes };
    slider.addEventListener("input", () => set(cell, Number(slider.value), box));
    box.addEventListener("input", () => { if (box.value !== "" && box.validity.valid) set(cell, Number(box.value), slider); });
    return { cell, row };
  });
  byId("inputs").replaceChildren(...cells.map(({ row }) => row));
  cells = cells.map(({ cell }) => cell);
  const left = point.reduce((n, value) => n + value.data.length, 0) - cells.length;
  byId("more").textContent = left > 0 ? `${left} more elements of the inputs stay as they are.` : "";
}

function set(cell, x, other) {
  if (other === cell.slider) {
    if (x < Number(other.min)) other.min = x;
    if (x > Number(other.max)) other.max = x;
  }
  other.value = x;
  const before = point;
  point = moved(point, cell.input, cell.element, x);
  if (!recompute() && live instanceof OfProgram) point = before;
  if (position === 0) move(steps.length);
}

/* The point and what has come out there. */
function tell(result) {
  byId("subtitle").textContent = `at ${cells.map(({ name, input, element: k }) => `${name} = ${general(point[input].data[k], 5)}`).join(", ")}`;
  byId("result").textContent = result;
}

/* Everything at the point; false, with the reason, where there is nothing. */
function recompute() {
  try {
    known = computed(live, point);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    if (!(live instanceof OfProgram)) tell("");  // a program goes back to where it was
    return complain(error.message);
  }
  complain("");
  const atEnd = position === steps.length && position > 0;
  panes[0].draw(drawnPicture(known.picture, widths));
  offer(known.modes, known.together);
  list(known.lines);
  position = atEnd ? steps.length : Math.min(position, steps.length);
  show();
  const { tape, output } = known;
  tell(output === null ? "The result depends on no input." : `${known.names[output]} = ${brief(tape.values[output])}`);
  for (const cell of cells) {
    const found = derivatives(live, known, point, cell);
    for (const [k, which] of ["reverse", "forward"].entries()) cell.slopes[k].textContent = general(found[which] + 0, 10);
  }
  if (known.tape.lines.length * cells.length < 60) compare();
  else {
    clearTimeout(idle);
    idle = setTimeout(compare, IDLE);
  }
  remember();
  return true;
}

/* The difference quotients beside the derivatives. */
function compare() {
  for (const cell of cells) {
    const { value, error } = known.output === null ? { value: 0, error: 0 } : quotientBy(live, known, point, cell);
    const text = Number.isNaN(value) ? "none" : general(value + 0, 10);
    cell.slopes[2].textContent = Number.isFinite(value) && Number.isFinite(error) && error > 0 ? `${text} ± ${general(error, 1)}` : text;
  }
}

function complain(text) {
  byId("complaint").textContent = text;
  document.body.classList.toggle("failed", text !== "");
  byId("expression")?.setAttribute("aria-invalid", text !== "");
  return false;
}

// ---------------------------------------------------------------------------------------- the expression

/* Another expression: its variables keep the values that they have, a new one begins at 1. */
function write(text, values = {}, ranges = {}, given = null) {
  let made;
  try {
    made = new OfExpression(text, given);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    return complain(error.message);
  }
  const old = new Map(live ? live.names.map((name, k) => [name, point[k].data[0]]) : []);
  live = made;
  point = live.names.map((name) => scalar(values[name] ?? old.get(name) ?? 1, "float"));
  widths.clear();
  document.title = document.querySelector("h1").textContent = clean(text);
  arrange(ranges);
  return recompute();
}

function preset({ text, values, ranges, note }) {
  byId("expression").value = text;
  byId("note").textContent = note;
  write(text, values, ranges);
  move(steps.length);
}

// ---------------------------------------------------------------------------------------- the link

function link() {
  const found = new URLSearchParams();
  if (run.expression !== null) found.set("f", live.text);
  for (const { name, input, element: k } of cells) found.set(name, point[input].data[k]);
  found.set("mode", byId("mode").selectedIndex);
  found.set("step", position);
  return `#${found}`;
}

let remembering = null;
function remember() {
  const address = link();
  byId("link").setAttribute("href", address);
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    try {
      history.replaceState(null, "", address);
    } catch {
      // a page in a frame of a notebook has no address
    }
  }, IDLE);
}

function restore() {
  const given = new URLSearchParams(location.hash.slice(1)), values = {};
  for (const [name, text] of given) if (text !== "" && Number.isFinite(Number(text))) values[name] = Number(text);
  const text = given.get("f");
  if (run.expression !== null && text !== null) {
    byId("expression").value = text;
    write(text, values);
  } else {
    for (const { name, input, element: k } of cells) if (name in values) point = moved(point, input, k, values[name]);
    arrange();
    if (!recompute()) return;
  }
  if (given.has("mode") && modes[values.mode]) {
    byId("mode").selectedIndex = values.mode;
    choose();
    adoptRows();
  }
  go(given.has("step") ? values.step ?? 0 : position);
}
