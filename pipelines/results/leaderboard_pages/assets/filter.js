// The form above the tables: a search for systems, and whether runs and files are shown.
const filterState = { q: "", kind: "" };

function fits(row) {
  const words = filterState.q.toLowerCase().split(/\s+/).filter(Boolean);
  const text = row.cells[0].textContent.toLowerCase();
  return words.every((word) => text.includes(word)) && (!filterState.kind || row.dataset.kind === filterState.kind);
}

function showFiltered() {
  let count = 0;
  document.querySelectorAll("section.benchmark").forEach((box) => {
    const rows = [...box.querySelectorAll("tbody tr")];
    rows.forEach((row) => { row.hidden = !fits(row); });
    const shown = rows.filter((row) => !row.hidden).length;
    box.hidden = shown === 0;
    count += shown;
  });
  byId("count").textContent = counted(count, "row");
}

function labelled(name, label, node) {
  node.id = `c-${name}`;
  node.name = name;
  return make("div", { class: "field" }, make("label", { for: node.id }, label), node);
}

function startFilter() {
  const form = byId("controls");
  const kinds = [...new Set([...document.querySelectorAll("tr[data-kind]")].map((row) => row.dataset.kind))].sort();
  const options = ["", ...kinds].map((value) => make("option", { value }, value || "all"));
  const search = make("input", { type: "search", autocomplete: "off", placeholder: "name of a system …" });
  form.append(labelled("q", "Search", search));
  if (kinds.length > 1) form.append(labelled("kind", "Kind", make("select", {}, options)));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    filterState[target.name] = target.value;
    showFiltered();
  });
  form.hidden = false;
  showFiltered();
}

startFilter();
