// A strip per run: where in the document the shown and cut passages, the evidence and the answers are.
function lengthOf(detail) {
  const ends = detail.runs.flatMap((run) => (run ? [...run.selected, ...run.shown_spans] : [])).map(([, end]) => end);
  return detail.document?.length ?? Math.max(1, ...ends);
}

function share(value) {
  return `${Math.round(value * 1e4) / 100}%`;
}

function stretch(kind, span, length, label, go) {
  const attributes = { type: "button", class: `stretch ${kind}`, "aria-label": label, title: label, tabindex: "-1" };
  const button = make("button", attributes);
  button.style.left = share(span[0] / length);
  button.style.width = share((span[1] - span[0]) / length);
  button.addEventListener("click", go);
  return button;
}

// One Tab stop per row; the arrow keys move along it.
function mapRow(name, stretches) {
  const strip = make("div", { class: "strip" }, stretches);
  const inOrderOfPlace = [...stretches].sort((one, other) => parseFloat(one.style.left) - parseFloat(other.style.left));
  if (inOrderOfPlace.length) inOrderOfPlace[0].tabIndex = 0;
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = inOrderOfPlace[inOrderOfPlace.indexOf(document.activeElement) + step];
    if (!step || !next) return;
    event.preventDefault();
    document.activeElement.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  return make("div", { class: "map-row", role: "group", "aria-label": `${name}: ${counted(stretches.length, "place")}` },
    make("span", { class: "map-name", "aria-hidden": "true" }, name), strip);
}

// Of a passage cut in part, the part that was seen is filled.
function filled(span, seen) {
  return overlap(span, seen).map(([from, to]) => {
    const part = make("span", { class: "fill" });
    part.style.left = share((from - span[0]) / (span[1] - span[0]));
    part.style.width = share((to - from) / (span[1] - span[0]));
    return part;
  });
}

function runRow(detail, n, length, go) {
  const run = detail.runs[n];
  const stretches = passagesOf(run).map(({ span }, at) => {
    const status = statusOf(span, run.shown_spans);
    const label = `Passage ${at + 1}, ${status}, ${whereabouts(span, detail.document)}`;
    const button = stretch(status === "seen" ? "seen" : "gone", span, length, label, () => go(n, span));
    if (status === "cut in part") button.append(...filled(span, run.shown_spans));
    return button;
  });
  return mapRow(index.runs.length > 1 ? index.labels[n] : "passages", stretches);
}

function spanRow(detail, name, kind, spans, length, go) {
  return mapRow(name, spans.map((span, n) =>
    stretch(kind, span, length, `${name} ${n + 1}, ${whereabouts(span, detail.document)}`, () => go(null, span))));
}

function documentMap(detail, go) {
  const length = lengthOf(detail);
  const rows = detail.runs.flatMap((run, n) => (run ? [runRow(detail, n, length, go)] : []));
  if (detail.evidence.length) rows.push(spanRow(detail, "evidence", "evidence", detail.evidence, length, go));
  if (detail.answers.length) rows.push(spanRow(detail, "answer", "answer", detail.answers, length, go));
  const size = detail.document ? `${number(length)} characters` : `at least ${number(length)} characters`;
  const map = make("section", { class: "map", "aria-label": "Map of the document" },
    make("h4", {}, "Where in the document"), rows,
    make("p", { class: "scale" }, make("span", {}, "beginning"), make("span", {}, size), make("span", {}, "end")));
  const longest = Math.max(...[...map.querySelectorAll(".map-name")].map((one) => one.textContent.length), 8);
  map.style.setProperty("--names", `${Math.min(longest, 28)}ch`);
  return map;
}
