// What is asked for lives in the address after #: a link shows another the same example in the same list.
const STANDARD = {
  example: "", q: "", run: "0", figure: "", sort: "order", show: "all", document: "", low: "", high: "", page: "1",
};
let state = { ...STANDARD };

// Figures of single examples: of all runs, the leading one first.
function figureNames() {
  const names = [...new Set(index.runs.flatMap((run) => Object.keys(run.figures)))];
  return names.sort((one, other) => (other === index.metric) - (one === index.metric));
}

const usual = () => ({ ...STANDARD, figure: figureNames()[0] ?? "" });

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = usual();
  for (const name of Object.keys(state)) if (given.has(name)) state[name] = given.get(name);
  if (!figureNames().includes(state.figure)) state.figure = usual().figure;
  if (!index.runs[Number(state.run)]) state.run = "0";
}

function addressOf(changes = {}) {
  const standard = usual();
  const wanted = Object.entries({ ...state, ...changes });
  const parts = wanted.filter(([name, value]) => name === "example" || value !== standard[name]);
  return `#${new URLSearchParams(parts)}`;
}

function change(changes) {
  state = { ...state, ...changes };
  history.replaceState(null, "", addressOf());
}
