// The state is in the address after #, so that a link opens the same example in the same list.
const DEFAULTS = {
  example: "", q: "", run: "0", score: "", sort: "order", show: "all", document: "", low: "", high: "", page: "1",
};
let state = { ...DEFAULTS };

// The scores that single examples have, over all runs, the primary metric first.
function scoreNames() {
  const names = [...new Set(index.runs.flatMap((run) => Object.keys(run.scores)))];
  return names.sort((one, other) => (other === index.primary_metric) - (one === index.primary_metric));
}

const defaultState = () => ({ ...DEFAULTS, score: scoreNames()[0] ?? "" });

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = defaultState();
  for (const name of Object.keys(state)) if (given.has(name)) state[name] = given.get(name);
  if (!scoreNames().includes(state.score)) state.score = defaultState().score;
  if (!index.runs[Number(state.run)]) state.run = "0";
}

function addressOf(changes = {}) {
  const defaults = defaultState();
  const wanted = Object.entries({ ...state, ...changes });
  const parts = wanted.filter(([name, value]) => name === "example" || value !== defaults[name]);
  return `#${new URLSearchParams(parts)}`;
}

function change(changes) {
  state = { ...state, ...changes };
  history.replaceState(null, "", addressOf());
}
