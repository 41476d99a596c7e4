// A strip a run: where in the document lies what was shown and cut, and where evidence and answers stand.
function lengthOf(detail) {
  const ends = detail.runs.flatMap((run) => (run ? [...run.selected, ...run.seen] : [])).map(([, end]) => end);
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

// One stop of the Tab key a lane; arrows go along it.
function lane(name, stretches) {
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
  return make("div", { class: "lane", role: "group", "aria-label": `${name}: ${counted(stretches.length, "place")}` },
    make("span", { class: "lane-name", "aria-hidden": "true" }, name), strip);
}

// Of a passage cut in part, what was seen is filled.
function filled(span, seen) {
  return overlap(span, seen).map(([from, to]) => {
    const part = make("span", { class: "fill" });
    part.style.left = share((from - span[0]) / (span[1] - span[0]));
    part.style.width = share((to - from) / (span[1] - span[0]));
    return part;
  });
}

function runLane(detail, n, length, go) {
  const run = detail.runs[n];
  const stretches = passagesOf(run).map(({ span }, at) => {
    const found = fate(span, run.seen);
    const label = `Passage ${at + 1}, ${found}, ${whereabouts(span, detail.document)}`;
    const button = stretch(found === "seen" ? "seen" : "gone", span, length, label, () => go(n, span));
    if (found === "cut in part") button.append(...filled(span, run.seen));
    return button;
  });
  return lane(index.runs.length > 1 ? index.labels[n] : "passages", stretches);
}

function spanLane(detail, name, kind, spans, length, go) {
  return lane(name, spans.map((span, n) =>
    stretch(kind, span, length, `${name} ${n + 1}, ${whereabouts(span, detail.document)}`, () => go(null, span))));
}

function documentMap(detail, go) {
  const length = lengthOf(detail);
  const lanes = detail.runs.map((run, n) => (run ? runLane(detail, n, length, go) : null)).filter(Boolean);
  if (detail.evidence.length) lanes.push(spanLane(detail, "evidence", "evidence", detail.evidence, length, go));
  if (detail.answers.length) lanes.push(spanLane(detail, "answer", "answer", detail.answers, length, go));
  const size = detail.document ? `${number(length)} characters` : `at least ${number(length)} characters`;
  const map = make("section", { class: "map", "aria-label": "Map of the document" },
    make("h4", {}, "Where in the document"), lanes,
    make("p", { class: "scale" }, make("span", {}, "beginning"), make("span", {}, size), make("span", {}, "end")));
  const longest = Math.max(...lanes.map((one) => one.firstChild.textContent.length), 8);
  map.style.setProperty("--names", `${Math.min(longest, 28)}ch`);
  return map;
}
