/* How the page begins: living, if every line has a rule in it; else with the steps that were told when it was made. */
function begin() {
  if (run.expression !== null) {
    byId("expression").value = run.expression;
    const values = Object.fromEntries(run.inputs.map(({ name, data }) => [name, data[0]]));
    byId("presets").append(...PRESETS.map(({ name }) => element("option", name)));
    byId("presets").addEventListener("change", () => {
      const chosen = PRESETS[byId("presets").selectedIndex - 1];
      if (chosen) preset(chosen);
    });
    byId("expression").addEventListener("input", () => {
      byId("presets").selectedIndex = 0;
      byId("note").textContent = "";
      write(byId("expression").value);
    });
    write(run.expression, values, {}, run.inputs.map(({ name }) => name));
    position = steps.length;
  } else if (run.program) {
    live = new OfProgram(run.program, run);
    point = run.inputs;
    arrange();
  }
  if (live) {
    restore();
    addEventListener("hashchange", restore);
    for (const name of ["mode", "step"]) byId(name).addEventListener("change", remember);
    for (const name of Object.keys(moves)) byId(name).addEventListener("click", remember);
    return;
  }
  offer(run.modes);
  lines = new Map(run.lines.map((line) => [line.line, { ...line, partials: line.partials.map(([name, text]) => [name, null, text]) }]));
  adoptRows();
  show();
}
begin();
