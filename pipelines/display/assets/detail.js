// One example: its question, its outputs, its passages.
const FIRST = 40; // passages shown before the button for the rest

function legend(detail) {
  const entry = (node, text) => make("li", {}, node, ` ${text}`);
  const runs = detail.runs.filter(Boolean);
  const mark = (name) => make("mark", { class: name }, make("span", { class: "tag" }, TAGS[name]), "text");
  return make("ul", { class: "legend", "aria-label": "Legend" },
    detail.evidence.length > 0 && entry(mark("evidence"), "gold evidence"),
    detail.answers.length > 0 && entry(mark("answer"), "a reference’s words"),
    runs.some((run) => run.selected.some((span) => cutOf(run, span).length)) &&
      entry(make("span", { class: "unseen" }, "text"), "selected, then cut"),
    runs.some((run) => passagesOf(run).some(({ span }) => span[0] > 0 || span[1] < detail.document.length)) &&
      entry(make("span", { class: "context" }, "dimmed"), "around the passage, not part of it"));
}

let shownRun = 0;

function passageList(detail) {
  const run = detail.runs[shownRun];
  if (!run) return [make("p", { class: "note" }, "This run has no prediction for the example.")];
  const all = passagesOf(run);
  const nodes = all.slice(0, FIRST).map((one, n) => passage(detail, run, one, n));
  if (all.length > FIRST) nodes.push(moreButton(detail, run, all));
  if (!all.length) nodes.push(make("p", { class: "note" }, "No passage was selected."));
  return detail.document ? [...nodes, ...missed(detail, run)] : nodes;
}

function moreButton(detail, run, all) {
  const button = make("button", { type: "button" }, `Show ${number(all.length - FIRST)} more passages`);
  button.addEventListener("click", () => {
    button.replaceWith(...all.slice(FIRST).map((one, n) => passage(detail, run, one, n + FIRST)));
    byId(`passage-${FIRST}`).focus();
  });
  return button;
}

function shownTo(detail, redraw) {
  if (index.runs.length < 2) return null;
  const box = make("select", { id: "shown-to" }, index.labels.map((name, n) =>
    make("option", { value: String(n), selected: n === shownRun, disabled: !detail.runs[n] }, name)));
  box.addEventListener("change", () => {
    shownRun = Number(box.value);
    redraw();
  });
  return make("div", { class: "field" }, make("label", { for: "shown-to" }, "Shown to the run"), box);
}

function passagesSection(detail) {
  const list = make("div", { class: "passages" });
  const redraw = () => list.replaceChildren(...passageList(detail));
  const section = make("section", {}, make("h3", {}, "Passages"),
    detail.document ? legend(detail) : make("p", { class: "note" }, "The text is not in this page; see above the list."),
    documentMap(detail, (n, span) => goTo(detail, section, redraw, n, span)), shownTo(detail, redraw), list);
  redraw();
  return section;
}

const same = (one, other) => one[0] === other[0] && one[1] === other[1];
const passageWith = (run, span) => (run ? passagesOf(run).findIndex((one) => overlap(one.span, [span]).length > 0) : -1);

// Where a span is shown: its own passage in run `n`; evidence and answers in the displayed run, else in any that has them.
function placeOf(detail, n, span) {
  if (n !== null) return [n, passagesOf(detail.runs[n]).findIndex((one) => same(one.span, span))];
  const run = [shownRun, ...detail.runs.keys()].find((one) => passageWith(detail.runs[one], span) >= 0) ?? shownRun;
  return [run, passageWith(detail.runs[run], span)];
}

function goTo(detail, section, redraw, n, span) {
  const [run, at] = placeOf(detail, n, span);
  if (run !== shownRun) {
    shownRun = run;
    if (byId("shown-to")) byId("shown-to").value = String(run);
    redraw();
  }
  if (at >= FIRST && !byId(`passage-${at}`)) section.querySelector(".passages > button")?.click();
  const gap = gapsOf(detail, detail.runs[run]).findIndex((one) => same(one, span));
  const target = byId(at >= 0 ? `passage-${at}` : `missed-${gap}`);
  const marks = n === null && target ? [...target.querySelectorAll("mark")] : [];
  const mark = marks.find((one) => Number(one.dataset.at) >= span[0]);
  if (mark) mark.scrollIntoView({ block: "center" });
  else target?.scrollIntoView({ block: "start" });
  target?.focus({ preventScroll: true });
}

function neighbours(place) {
  const at = places.indexOf(place);
  const link = (to, text) => to !== undefined && make("a", { href: addressOf({ example: index.ids[to] }) }, text);
  return make("nav", { "aria-label": "Neighbouring examples", class: "neighbours" },
    at > 0 && link(places[at - 1], "← Previous"),
    make("a", { href: addressOf({ example: "" }), class: "back" }, "Back to the list"),
    at >= 0 && link(places[at + 1], "Next →"));
}

function leaveDetail(id) {
  const link = [...byId("list").querySelectorAll("a")].find((one) => one.hash === addressOf({ example: id }));
  byId("examples").classList.remove("open");
  (link ?? byId("examples")).focus();
}

// The name of an example's document; nothing where a log has none, and each example stands for its own.
function documentOf(id, title, place) {
  if (!index.has_passages && id === index.ids[place]) return "";
  return make("span", {}, " · document ", make("bdi", {}, title || id));
}

async function showDetail(moved) {
  const box = byId("detail");
  const place = index.ids.indexOf(state.example);
  box.hidden = state.example === "";
  byId("examples").classList.toggle("open", !box.hidden);
  if (box.hidden) return;
  if (place < 0) {
    box.replaceChildren(make("p", { class: "error" }, `There is no example ${state.example} in this report.`));
    return;
  }
  const detail = await detailOf(index, place);
  if (state.example !== index.ids[place]) return; // another example was opened meanwhile
  const [id, title] = index.documents[index.document[place]];
  shownRun = detail.runs[shownRun] && moved === "again" ? shownRun : Math.max(Number(state.run), 0);
  if (!detail.runs[shownRun]) shownRun = Math.max(detail.runs.findIndex(Boolean), 0);
  box.setAttribute("aria-label", `Example ${index.ids[place]}`);
  box.replaceChildren(neighbours(place),
    make("h3", { class: "question", dir: "auto", tabindex: "-1" }, titleAt(place)),
    make("p", { class: "where" }, "example ", make("bdi", {}, index.ids[place]), documentOf(id, title, place)),
    answers(detail, place), optionsOf(detail, place) ?? "", index.has_passages ? passagesSection(detail) : "");
  if (moved) {
    const wideEnough = matchMedia("(min-width: 60rem)").matches;
    (wideEnough ? byId("examples") : box).scrollIntoView({ block: "start" });
    box.querySelector("h3").focus({ preventScroll: true });
  }
}
