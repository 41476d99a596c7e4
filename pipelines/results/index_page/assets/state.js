// What is searched, chosen and sorted is in the address after #: a link opens the same view, and so does a reload.
const DEFAULTS = {
  q: "", task: "", state: "", kind: "", group: "1", cells: "0", sort: "", order: "descending", all: "0", live: "1",
};
let state = { ...DEFAULTS };

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = { ...DEFAULTS };
  for (const name of Object.keys(state)) if (given.has(name)) state[name] = given.get(name);
}

function change(changes) {
  state = { ...state, ...changes };
  const parts = Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]);
  history.replaceState(history.state, "", parts.length ? `#${new URLSearchParams(parts)}` : location.pathname);
}
