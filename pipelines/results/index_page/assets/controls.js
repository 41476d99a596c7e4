// The form above the tables: only what there is can be chosen.
function field(node, label, kind = "field") {
  const name = make("label", { for: node.id }, label);
  return make("div", { class: kind }, ...(kind === "field" ? [name, node] : [node, name]));
}

function choice(name, label, values) {
  const options = [["", "all"], ...values.map((value) => [value, value])];
  const known = values.includes(state[name]) || !state[name] ? options : [...options, [state[name], state[name]]];
  const box = make("select", { name, id: `c-${name}` },
    known.map(([value, text]) => make("option", { value, selected: value === state[name] }, text)));
  return field(box, label);
}

function tick(name, label) {
  const box = make("input", { type: "checkbox", name, id: `c-${name}`, checked: state[name] === "1" });
  return field(box, label, "field tick");
}

const distinct = (values) => [...new Set(values)].sort(inOrder.compare);

function showControls() {
  const rows = allRows();
  const tasks = distinct(rows.flatMap((row) => row.dataset.tasks.split(" ").filter(Boolean)));
  const states = distinct(rows.map((row) => row.dataset.state));
  const kinds = distinct(rows.map((row) => row.dataset.kind));
  const search = make("input", { name: "q", id: "c-q", type: "search", value: state.q, autocomplete: "off",
    placeholder: "name, recipe, score …" });
  byId("controls").replaceChildren(...[
    field(search, "Search"),
    (tasks.length > 1 || state.task) && choice("task", "Task", tasks),
    (states.length > 1 || state.state) && choice("state", "State", states),
    (kinds.length > 1 || state.kind) && choice("kind", "Kind", kinds),
    groups.length > 1 && tick("group", "Group by task"),
    rows.some((row) => row.classList.contains("cell")) && tick("cells", "Cells of ablations"),
  ].filter(Boolean));
  byId("controls").hidden = rows.length === 0;
}

function startControls() {
  const form = byId("controls");
  showControls();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    change({ [target.name]: target.type === "checkbox" ? String(Number(target.checked)) : target.value });
    showRows();
  });
}
