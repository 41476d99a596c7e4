// Passages with evidence and answers marked. Positions are code points, but JavaScript slices text by UTF-16 units.
const CONTEXT = 300;
const LONG = 6000; // characters; in longer passages, unmarked stretches are folded
const EDGE = 400; // characters that stay visible on both sides of a fold

function textOf(doc, start, end) {
  const found = doc?.excerpts.find(([from, text]) => from <= start && end <= from + lengthInPoints(text));
  if (!found) return null;
  const [from, text] = found;
  const points = codePoints(text);
  return points ? points.slice(start - from, end - from).join("") : text.slice(start - from, end - from);
}

const codePointsOf = new Map();

function codePoints(text) {
  if (!codePointsOf.has(text)) codePointsOf.set(text, /[\ud800-\udfff]/.test(text) ? Array.from(text) : null);
  return codePointsOf.get(text);
}

const lengthInPoints = (text) => codePoints(text)?.length ?? text.length;

function overlap([start, end], spans) {
  return spans.map(([from, to]) => [Math.max(from, start), Math.min(to, end)]).filter(([from, to]) => from < to);
}

const covered = (span, spans) => overlap(span, spans).reduce((sum, [from, to]) => sum + to - from, 0);
const within = (place, spans) => spans.some(([from, to]) => from <= place && place < to);

// The pieces of [start, end) between all borders of the layers, each with the names of its layers.
function pieces([start, end], layers) {
  const borders = new Set([start, end]);
  for (const spans of Object.values(layers)) overlap([start, end], spans).flat().forEach((place) => borders.add(place));
  const places = [...borders].sort((one, other) => one - other);
  return places.slice(0, -1).map((from, n) => {
    const names = Object.keys(layers).filter((name) => within(from, layers[name]));
    return { from, to: places[n + 1], names };
  });
}

const TAGS = { evidence: "evidence", answer: "answer" };

// The text; in a long passage, its middle is behind a button.
function folded(doc, from, to, long) {
  const text = (start, end) => textOf(doc, start, end) ?? "";
  if (!long || to - from <= 4 * EDGE) return [text(from, to)];
  const [left, right] = [from + EDGE, to - EDGE];
  const button = make("button", { type: "button", class: "fold" }, `Show ${number(right - left)} more characters`);
  button.addEventListener("click", () => {
    const middle = make("span", { tabindex: "-1" }, text(left, right));
    button.replaceWith(middle);
    middle.focus({ preventScroll: true });
  });
  return [text(from, left), button, text(right, to)];
}

function markedText(doc, span, layers) {
  const nodes = [];
  const long = span[1] - span[0] > LONG;
  let before = [];
  for (const { from, to, names } of pieces(span, layers)) {
    let inside = folded(doc, from, to, long);
    for (const name of ["answer", "evidence"].filter((one) => names.includes(one))) {
      const tag = before.includes(name) ? null : make("span", { class: "tag" }, TAGS[name]);
      inside = [make("mark", { class: name, "data-at": from }, tag, inside)];
    }
    const shade = ["context", "unseen"].find((name) => names.includes(name));
    nodes.push(...(shade ? [make("span", { class: shade }, inside)] : inside));
    before = names;
  }
  return make("p", { class: "text", dir: "auto" }, nodes);
}

// The parts of a span that were selected and then cut.
function cutOf(run, span) {
  const layers = { seen: run.shown_spans, selected: run.selected };
  return pieces(span, layers).filter(({ names }) => names.join() === "selected").map(({ from, to }) => [from, to]);
}

function layersOf(detail, run, [start, end], [wideStart, wideEnd]) {
  return {
    evidence: detail.evidence,
    answer: detail.answers,
    unseen: cutOf(run, [start, end]),
    context: [[wideStart, start], [end, wideEnd]],
  };
}

function passageText(detail, run, span) {
  const doc = detail.document;
  const around = [Math.max(span[0] - CONTEXT, 0), Math.min(span[1] + CONTEXT, doc?.length ?? span[1])];
  if (textOf(doc, ...around) === null) return make("p", { class: "note" }, "The text is not in this page.");
  const shown = markedText(doc, around, layersOf(detail, run, span, around));
  if (around[0] > 0) shown.prepend(make("span", { class: "context" }, "… "));
  if (around[1] < doc.length) shown.append(make("span", { class: "context" }, " …"));
  return shown;
}

// What a run was shown, in its order: the selected spans with their headings, then others that it saw.
function passagesOf(run) {
  const scored = run.selected.some(([, , score]) => score !== 0); // without scores there is no ranking
  const ranked = run.selected.map((span, n) => [span[2] ?? -Infinity, n]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  const rank = new Map(ranked.map(([, n], place) => [n, place + 1]));
  const selected = run.selected.map(([start, end, score], n) => 
    ({ span: [start, end], score: scored ? score : null, rank: scored ? rank.get(n) : null, heading: run.headings[n] }));
  return [...selected, ...run.others.map((span) => ({ span, score: null, rank: null }))];
}

function statusOf(span, seen) {
  const part = covered(span, seen) / Math.max(span[1] - span[0], 1);
  return part >= 1 ? "seen" : part > 0 ? "cut in part" : "cut";
}

function whereabouts(span, doc) {
  const place = `characters ${number(span[0])} to ${number(span[1])}`;
  return doc ? `${place}, ${Math.round((100 * span[0]) / Math.max(doc.length, 1))} % into the document` : place;
}

function headingText(doc, heading) {
  const text = heading ? textOf(doc, ...heading) : null;
  return text ? `under “${text.replace(/\s+/g, " ").slice(0, 200)}”` : null;
}

function passage(detail, run, { span, score, rank, heading }, n) {
  const status = statusOf(span, run.shown_spans);
  const contents = [];
  if (overlap(span, detail.evidence).length) contents.push("holds evidence");
  if (overlap(span, detail.answers).length) contents.push("holds the answer");
  const facts = [
    rank ? `rank ${rank}` : null,
    score === null ? null : `score ${Math.round(score * 1000) / 1000}`,
    whereabouts(span, detail.document),
    headingText(detail.document, heading),
  ];
  const attributes = { class: "passage", id: `passage-${n}`, tabindex: "-1", "aria-label": `Passage ${n + 1}, ${status}` };
  return make("section", attributes,
    make("h4", {}, `Passage ${n + 1} `, make("span", { class: `chip status ${status === "seen" ? "good" : "gone"}` }, status),
      contents.map((text) => make("span", { class: "chip good" }, text))),
    make("p", { class: "where" }, facts.filter(Boolean).join(" · ")),
    passageText(detail, run, span));
}

const gapsOf = (detail, run) => (run ? detail.evidence.filter((span) => covered(span, run.shown_spans) < span[1] - span[0]) : []);

// Evidence that no passage showed in full, with the text around it.
function missed(detail, run) {
  return gapsOf(detail, run).map((span, n) => {
    const status = covered(span, run.shown_spans) ? "seen in part" : "not seen";
    const attributes = { class: "passage missed", id: `missed-${n}`, tabindex: "-1", "aria-label": `Evidence, ${status}` };
    return make("section", attributes,
      make("h4", {}, "Evidence ", make("span", { class: "chip gone" }, status)),
      make("p", { class: "where" }, whereabouts(span, detail.document)),
      passageText(detail, run, span));
  });
}
