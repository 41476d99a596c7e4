// The list of examples with its controls and pages.
const PAGE = 50;

function titleAt(place) {
  const [id, title] = index.documents[index.document[place]];
  return index.query[place] || title || index.ids[place] || id;
}

function badge(place) {
  if (failedAt(place)) return make("span", { class: "badge failed" }, "failed");
  const value = scoreAt(runOf(), place);
  if (value === null) return null;
  const kind = value >= 100 ? "full" : value > 0 ? "part" : "none";
  const moved = index.runs.length > 1 && runOf() !== baseRun() ? gain(place) : 0;
  const small = moved ? make("small", {}, signed(moved)) : null;
  return make("span", { class: `badge ${kind}` }, scoreText(value), small);
}

function item(place) {
  const output = runOf().prediction[place];
  const link = make("a", { href: addressOf({ example: index.ids[place] }) },
    make("span", { class: "title", dir: "auto" }, titleAt(place)),
    make("span", { class: "output", dir: "auto" }, output === null ? "no prediction" : output.slice(0, 300) || "(empty)"),
    badge(place));
  if (index.ids[place] === state.example) link.setAttribute("aria-current", "true");
  return make("li", {}, link);
}

let places = [];

function showList() {
  places = chosen();
  const pages = Math.max(Math.ceil(places.length / PAGE), 1);
  const page = Math.min(Math.max(Number(state.page) || 1, 1), pages);
  const from = (page - 1) * PAGE;
  byId("list").start = from + 1;
  byId("list").replaceChildren(...places.slice(from, from + PAGE).map(item));
  byId("count").textContent = `${number(places.length)} of ${counted(index.ids.length, "example")}`;
  showPages(page, pages);
}

function showPages(page, pages) {
  const turn = (to, text) => {
    const button = make("button", { type: "button", disabled: to < 1 || to > pages }, text);
    button.addEventListener("click", () => {
      change({ page: String(to) });
      showList();
      (byId("list").querySelector("a") ?? button).focus();
    });
    return button;
  };
  byId("pages").hidden = pages < 2;
  const where = make("span", {}, `Page ${number(page)} of ${number(pages)}`);
  byId("pages").replaceChildren(turn(page - 1, "Previous"), where, turn(page + 1, "Next"));
}

function select(name, label, options) {
  const box = make("select", { name, id: `c-${name}` },
    options.map(([value, text]) => make("option", { value, selected: value === state[name] }, text)));
  return make("div", { class: "field" }, make("label", { for: box.id }, label), box);
}

function input(name, label, attributes) {
  const box = make("input", { name, id: `c-${name}`, value: state[name], ...attributes });
  return make("div", { class: "field" }, make("label", { for: box.id }, label), box);
}

const SEVERAL = new Set(["differ", "changed", "better", "worse", "spread"]);

const losesAny = (bit) => index.runs.some((run) => run.lost.some((mask) => mask & bit));

// Only what can be chosen here: several runs, and stages that lose evidence.
function offered(key) {
  const bit = key.startsWith("lost-") ? LOST[key.slice(5)] : 0;
  return (index.runs.length > 1 || !SEVERAL.has(key)) && (!bit || losesAny(bit));
}

function options(table) {
  const keys = Object.keys(table).filter(offered);
  return keys.map((key) => [key, table[key][0]]);
}

function named([key, text]) {
  return [key, text.replace("the first run", index.labels[index.runs.indexOf(baseRun())])];
}

function showControls() {
  const scores = scoreNames();
  const documents = index.documents.map(([id, title], n) => [String(n), title || id]);
  const documentsDiffer = index.has_passages || documents.length < index.ids.length;
  const range = { type: "number", min: 0, max: 100, step: "any", inputmode: "decimal" };
  byId("controls").replaceChildren(...[
    input("q", "Search", { type: "search", autocomplete: "off", placeholder: "question, answer, id …" }),
    index.runs.length > 1 && select("run", "Run", index.labels.map((name, n) => [String(n), name])),
    scores.length && select("score", "Score", scores.map((name) => [name, name])),
    select("sort", "Sort by", options(SORTS)),
    select("show", "Show", options(SHOWS).map(named)),
    scores.length && make("div", { class: "range" }, input("low", "Score from", range), input("high", "to", range)),
    documents.length > 1 && documents.length <= 500 && documentsDiffer && select("document", "Document", [["", "all"], ...documents]),
  ].filter(Boolean));
  byId("controls").hidden = false;
}

function startList() {
  const form = byId("controls");
  showControls();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    change({ [event.target.name]: event.target.value, page: "1" });
    showList();
  });
  showList();
}
