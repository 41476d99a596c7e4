// The outputs of the runs for an example, and the references.
function pairs(entries) {
  const parts = entries.flatMap(([name, text]) => [make("dt", {}, name), make("dd", { dir: "auto" }, text)]);
  return make("dl", { class: "facts" }, parts);
}

function scoresOf(run, place) {
  return Object.entries(run.scores)
    .filter(([, values]) => values[place] !== null && values[place] !== undefined)
    .map(([name, values]) => `${name} ${scoreText(values[place])}`);
}

const chips = (texts, ...more) =>
  make("p", { class: "chips" }, texts.map((text) => make("span", { class: "chip" }, text)), more);

// A long text scrolls in its own box, which must be reachable by keyboard.
function outputText(text) {
  return make("p", { class: "output", dir: "auto", tabindex: text.length > 500 ? "0" : null }, text);
}

function outputOf(run, place) {
  const output = run.prediction[place];
  if (output !== null) return { failed: false, text: output };
  const failure = run.failures[place];
  return { failed: true, text: failure ? `failed: ${failure}` : "not in this run" };
}

// Runs with the same output share a card.
function outputs(place) {
  const groups = new Map();
  index.runs.forEach((run, n) => {
    const output = outputOf(run, place);
    const key = JSON.stringify(output);
    if (!groups.has(key)) groups.set(key, { ...output, runs: [] });
    groups.get(key).runs.push(n);
  });
  return [...groups.values()];
}

function expenseOf({ tokens: [read, written], requests }) {
  return `${number(read)} tokens read, ${number(written)} written, ${counted(requests, "request")}`;
}

function notesOf({ notes }) {
  const entries = Object.entries(notes);
  return entries.length > 0 && make("details", {}, make("summary", {}, "Notes"), pairs(entries));
}

// Scores that all runs of a card share are on the card; each run shows only its own.
function runLine(detail, n, place, shared) {
  const [run, own] = [index.runs[n], detail.runs[n]];
  const scores = scoresOf(run, place).filter((text) => !shared.includes(text));
  const tokens = run.truncated_tokens[place];
  const cut = tokens > 0 && make("span", { class: "chip gone" }, `${number(tokens)} tokens cut`);
  return make("div", { class: "of-run" },
    index.runs.length > 1 && make("h4", {}, index.labels[n]),
    (scores.length > 0 || cut) && chips(scores, cut),
    own && index.has_passages && make("p", { class: "where" }, expenseOf(own)),
    own && notesOf(own));
}

function answerOf(detail, { failed, text, runs }, place) {
  const [first, ...others] = runs.map((n) => scoresOf(index.runs[n], place));
  const shared = first.filter((score) => others.every((scores) => scores.includes(score)));
  return make("li", {},
    index.runs.length === 1 && make("h4", {}, "Prediction"),
    failed ? make("p", { class: "error", dir: "auto" }, text) : outputText(text || "(empty)"),
    shared.length > 0 && chips(shared),
    runs.map((n) => runLine(detail, n, place, shared)));
}

function references(place) {
  const golds = index.references[place];
  const several = () => make("ol", { class: "golds" }, golds.map((text) => make("li", {}, outputText(text))));
  return make("li", { class: "gold" },
    make("h4", {}, golds.length > 1 ? `References (${golds.length})` : "Reference"),
    golds.length > 1 ? several() : golds.length ? outputText(golds[0]) : make("p", { class: "note" }, "none"));
}

function answers(detail, place) {
  return make("ul", { class: index.runs.length > 1 ? "answers several" : "answers" },
    references(place), outputs(place).map((one) => answerOf(detail, one, place)));
}

function optionsOf(detail, place) {
  if (!detail.options.length) return null;
  const golds = new Set(index.references[place]);
  const predicted = new Set(index.runs.map((run) => run.prediction[place]));
  const items = detail.options.map((option) => make("li", { dir: "auto" }, option,
    golds.has(option) && make("span", { class: "chip good" }, "reference"),
    predicted.has(option) && make("span", { class: "chip" }, "predicted")));
  return make("section", {}, make("h4", {}, "Options"), make("ol", { class: "options" }, items));
}
