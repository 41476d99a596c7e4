// The path of a reading agent, under its run in the map: a row per step, on it what the step showed.
const STEPS = 24; // rows; the notes list all steps

const argumentOf = ({ argument }) => (argument ? `: ${argument}` : "");

function stepRow(detail, n, length, go, step, at) {
  const passages = passagesOf(detail.runs[n]).map(({ span }) => span);
  const passageOf = (span) => passages.find((outer) => overlap(span, [outer]).length) ?? span;
  const shown = step.spans.map((span) => {
    const label = `Step ${at + 1}, ${step.tool}${argumentOf(step)}, ${whereabouts(span, detail.document)}`;
    return stretch("step", span, length, label, () => go(n, passageOf(span)));
  });
  const row = mapRow(`${at + 1} ${step.tool}${argumentOf(step)}`, shown);
  row.classList.add("step-row");
  row.setAttribute("aria-label", `Step ${at + 1}, ${step.tool}${argumentOf(step)}: ${step.result}`);
  row.title = `${step.tool}${argumentOf(step)} → ${step.result}`;
  if (!shown.length) row.lastChild.append(make("span", { class: "no-span" }, step.result));
  return row;
}

function pathRows(detail, n, length, go) {
  const { path } = detail.runs[n];
  const rows = path.slice(0, STEPS).map((step, at) => stepRow(detail, n, length, go, step, at));
  if (path.length > STEPS) rows.push(make("p", { class: "note" }, `${path.length - STEPS} more steps are in the notes.`));
  return rows;
}
