// Scores against a numeric axis, against tokens, or against what they cost.
function scalesOf(points) {
  const numeric = index.axes.filter((axis) => points.some((point) => typeof point.settings[axis] === "number"));
  const found = Object.fromEntries(numeric.map((axis) => [axis, (point) => point.settings[axis]]));
  found["prompt tokens per example"] = (point) => point.tokens_shown;
  if (points.some((point) => point.words_shown !== null)) {
    found["words shown per example"] = (point) => point.words_shown;
  }
  if (points.some((point) => point.cost !== null)) found.cost = (point) => point.cost;
  else found["tokens read and written"] = (point) => point.tokens;
  return found;
}

const nameOf = (point) => (point.same_as === null ? point.name : `${point.name} = ${point.same_as}`);

const settingOf = (axis, value) => (typeof value === "string" ? value : `${axis}=${value ?? "–"}`);

// A line for each combination of the other axes' values; without axes, a point per run.
function seriesOf(points, x, score, scale) {
  const numeric = index.axes.filter((axis) => points.every((point) => typeof point.settings[axis] === "number"));
  const along = index.axes.includes(x) ? [x] : numeric;
  const others = index.axes.filter((axis) => !along.includes(axis));
  const lines = new Map();
  for (const point of points) {
    const place = scale(point);
    if (typeof place !== "number" || point.scores[score] === undefined) continue;
    const values = others.map((axis) => settingOf(axis, point.settings[axis])).join(", ");
    const name = index.axes.length ? values || "all runs" : point.name;
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push({ x: place, y: point.scores[score], interval: point.intervals[score], name: nameOf(point) });
  }
  for (const line of lines.values()) line.sort((one, other) => one.x - other.x);
  return bestFirst([...lines]);
}

// Of more lines than can be told apart, only the best are coloured.
function bestFirst(lines) {
  const best = ([, points]) => Math.max(...points.map((point) => point.y));
  return lines.length > STYLES ? lines.sort((one, other) => best(other) - best(one)) : lines;
}

const kindOf = (n, lines) => (lines.length <= STYLES || n < STYLES - 1 ? `series s${n}` : "series others");

function keyOf([name], n, kind) {
  const sample = svgElement("svg", { width: 36, height: 14, viewBox: "0 0 36 14", "aria-hidden": "true" },
    svgElement("path", { class: `${kind} line`, d: "M0 7H36", "stroke-dasharray": DASHES[n] }),
    svgElement("path", { class: `${kind} mark`, d: MARKS[n], transform: "translate(18 7)" }));
  return make("li", {}, sample, ` ${name}`);
}

function picker(id, label, names) {
  const box = make("select", { id }, names.map((name) => make("option", { value: name }, name)));
  return make("div", { class: "field" }, make("label", { for: id }, label), box);
}

function startPlot() {
  const figure = byId("plot");
  const scores = [...new Set(index.points.flatMap((point) => Object.keys(point.scores)))];
  if (!figure || index.points.length < 2 || !scores.length || !index.has_passages) return;
  scores.sort((one, other) => (other === index.primary_metric) - (one === index.primary_metric));
  const scales = scalesOf(index.points);
  const picture = make("div", { class: "picture" });
  const key = make("ul", { class: "legend", "aria-label": "Lines" });
  figure.append(make("figcaption", {}, "Score against what it takes"), make("div", { class: "controls" },
    picker("plot-y", "Score", scores), picker("plot-x", "Against", Object.keys(scales))), picture, key);
  figure.hidden = false;
  const draw = () => {
    const [score, x] = [byId("plot-y").value, byId("plot-x").value];
    const lines = seriesOf(index.points, x, score, scales[x]);
    const width = Math.min(Math.max(picture.clientWidth, 280), 860);
    picture.replaceChildren(lines.length ? chart(lines, score, x, width) : make("p", { class: "note" }, "no scores"));
    const entries = lines.slice(0, lines.length > STYLES ? STYLES - 1 : STYLES);
    key.replaceChildren(...entries.map((one, n) => keyOf(one, n, kindOf(n, lines))));
    if (lines.length > entries.length) {
      key.append(keyOf([`${lines.length - entries.length} others`], STYLES - 1, "series others"));
    }
  };
  figure.addEventListener("change", draw);
  let width = 0;
  new ResizeObserver(() => {
    if (width !== picture.clientWidth) draw();
    width = picture.clientWidth;
  }).observe(picture);
  draw();
}
