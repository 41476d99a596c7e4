// Which examples are listed, and in which order.
let index;
let haystacks = null;

const runOf = () => index.runs[Number(state.run)] ?? index.runs[0];
const scoreAt = (run, place) => run.scores[state.score]?.[place] ?? null;
const baseRun = () => index.runs[Math.max(index.names.indexOf(index.baseline), 0)];

function haystack(place) {
  haystacks ??= index.ids.map((id, n) =>
    [id, index.query[n], ...index.references[n], ...index.runs.map((run) => run.prediction[n] ?? ""),
      ...index.documents[index.document[n]]].join("\n").toLowerCase(),
  );
  return haystacks[place];
}

const scoresAt = (place) => index.runs.map((run) => scoreAt(run, place)).filter((value) => value !== null);
const spread = (place) => Math.max(0, ...scoresAt(place)) - Math.min(...scoresAt(place), Infinity);
const gain = (place) => (scoreAt(runOf(), place) ?? NaN) - (scoreAt(baseRun(), place) ?? NaN);
const failedAt = (place) => place in runOf().failures;

// Stages of the evidence, as bits of a run's `lost`; the last: all of it was shown.
const LOST = { document: 1, chunks: 2, budget: 4, ranked: 8, selected: 16, shown: 32, answered: 64 };
const lostAt = (n, stage) => (runOf().lost[n] & LOST[stage]) > 0;

const SHOWS = {
  all: ["all", () => true],
  right: ["right (100)", (n) => scoreAt(runOf(), n) === 100],
  partly: ["partly right", (n) => scoreAt(runOf(), n) > 0 && scoreAt(runOf(), n) < 100],
  wrong: ["wrong (0)", (n) => scoreAt(runOf(), n) === 0],
  failed: ["failed", failedAt],
  cut: ["prompt was cut", (n) => runOf().truncated_tokens[n] > 0],
  "lost-document": ["evidence not in the document", (n) => lostAt(n, "document")],
  "lost-chunks": ["evidence in no chunk", (n) => lostAt(n, "chunks")],
  "lost-budget": ["more evidence than the budget holds", (n) => lostAt(n, "budget")],
  "lost-ranked": ["evidence ranked too low", (n) => lostAt(n, "ranked")],
  "lost-selected": ["evidence cut by the budget", (n) => lostAt(n, "selected")],
  "lost-shown": ["evidence cut from the prompt", (n) => lostAt(n, "shown")],
  "lost-answered": ["all evidence shown, not right", (n) => lostAt(n, "answered") && !(scoreAt(runOf(), n) >= 100)],
  differ: ["scores differ between runs", (n) => new Set(scoresAt(n)).size > 1],
  changed: ["answers differ between runs", (n) => new Set(index.runs.map((run) => run.prediction[n])).size > 1],
  better: ["better than the first run", (n) => gain(n) > 0],
  worse: ["worse than the first run", (n) => gain(n) < 0],
};

const last = (value) => (value === null || Number.isNaN(value) ? Infinity : value);
const SORTS = {
  order: ["order of the data", (n) => n],
  low: ["score, lowest first", (n) => last(scoreAt(runOf(), n))],
  high: ["score, highest first", (n) => last(-(scoreAt(runOf(), n) ?? NaN))],
  long: ["prediction, longest first", (n) => -(runOf().prediction[n] ?? "").length],
  short: ["prediction, shortest first", (n) => (runOf().prediction[n] ?? "").length],
  cut: ["most tokens cut first", (n) => -runOf().truncated_tokens[n]],
  spread: ["largest difference between runs", (n) => -(Number.isFinite(spread(n)) ? spread(n) : 0)],
};

function chosen() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (SHOWS[state.show] ?? SHOWS.all)[1];
  const low = state.low === "" ? -Infinity : Number(state.low);
  const high = state.high === "" ? Infinity : Number(state.high);
  const ranged = state.low !== "" || state.high !== "";
  const places = [];
  for (let n = 0; n < index.ids.length; n += 1) {
    if (state.document !== "" && index.document[n] !== Number(state.document)) continue;
    const score = ranged ? scoreAt(runOf(), n) : 0;
    if (ranged && (score === null || score < low || score > high)) continue;
    if (!shown(n) || !words.every((word) => haystack(n).includes(word))) continue;
    places.push(n);
  }
  const key = (SORTS[state.sort] ?? SORTS.order)[1];
  const keys = new Map(places.map((n) => [n, key(n)]));
  return places.sort((one, other) => keys.get(one) - keys.get(other) || one - other);
}
