// A line chart. Each line has its own colour, dash pattern and marker.
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "1 4", "8 2 2 2 2 2"];
const MARKS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-4 -4h8v8h-8z", "M0 -5L5 4H-5z", "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
  "M0 5L5 -4H-5z", "M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z", "M-5 -3L0 0L-5 3zM5 -3L0 0L5 3z",
  "M-5 -2h10v4h-10z",
];
const STYLES = DASHES.length;
const MARGIN = { left: 48, right: 16, top: 30, bottom: 42 };

function ticks(low, high, wanted) {
  const rough = (high - low || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const length = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

function extent(values, pad) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * pad;
  return [low - room, high + room];
}

function grid(svg, size, xs, ys, at, x) {
  const [left, right, foot] = [MARGIN.left, size.width - MARGIN.right, size.height - MARGIN.bottom];
  const text = (words, places) => svg.append(svgElement("text", places, words));
  for (const y of ys) {
    svg.append(svgElement("line", { class: "grid", x1: left, x2: right, y1: at.y(y), y2: at.y(y) }));
    text(String(y), { x: left - 8, y: at.y(y) + 4, "text-anchor": "end" });
  }
  for (const place of xs) text(number(place), { x: at.x(place), y: foot + 18, "text-anchor": "middle" });
  text(x, { x: (left + right) / 2, y: size.height - 6, "text-anchor": "middle", class: "axis" });
}

// Lines are shifted a little, so that their intervals do not overlap.
function line(svg, points, n, aside, plain, kind) {
  const at = { x: (value) => plain.x(value) + aside, y: plain.y };
  const path = points.map((point, k) => `${k ? "L" : "M"}${at.x(point.x)} ${at.y(point.y)}`).join("");
  svg.append(svgElement("path", { class: `${kind} line`, d: path, "stroke-dasharray": DASHES[n] ?? "" }));
  for (const point of points) {
    if (point.interval && kind !== "series others") {
      const [y1, y2] = point.interval.map(at.y);
      svg.append(svgElement("line", { class: `${kind} whisker`, x1: at.x(point.x), x2: at.x(point.x), y1, y2 }));
    }
    const title = svgElement("title", {}, `${point.name}: ${point.y.toFixed(2)} at ${number(point.x)}`);
    const transform = `translate(${at.x(point.x)} ${at.y(point.y)})`;
    svg.append(svgElement("path", { class: `${kind} mark`, d: MARKS[n] ?? MARKS[0], transform }, title));
  }
}

function described(lines, score, x) {
  const values = (points) => points.map((point) => `${point.y.toFixed(2)} at ${number(point.x)}`).join(", ");
  const parts = lines.map(([name, points]) => `${name}: ${values(points)}`);
  return `${score} against ${x}. ${parts.join("; ")}.`;
}

// Values that grow by factors, such as 1, 2, 5, 10, 20, are on a logarithmic axis.
function scaleFor(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.length > 2 && low > 0 && high / low >= 8 ? Math.log : (value) => value;
}

function chart(lines, score, x, width) {
  const size = { width, height: Math.round(Math.min(Math.max(width * 0.5, 240), 360)) };
  const points = lines.flatMap(([, some]) => some);
  const values = [...new Set(points.map((point) => point.x))];
  const named = index.axes.includes(x) && values.length <= 8;
  const scaled = named ? scaleFor(values) : (value) => value;
  const [left, right] = extent(values.map(scaled), 0.05);
  const [bottom, top] = extent(points.flatMap((point) => [point.y, ...(point.interval ?? [])]), 0.08);
  const [across, up] = [width - MARGIN.left - MARGIN.right, size.height - MARGIN.top - MARGIN.bottom];
  const at = {
    x: (value) => MARGIN.left + ((scaled(value) - left) / (right - left)) * across,
    y: (value) => MARGIN.top + ((top - value) / (top - bottom)) * up,
  };
  const viewBox = `0 0 ${width} ${size.height}`;
  const svg = svgElement("svg", { viewBox, ...size, role: "img", "aria-label": described(lines, score, x) });
  const xs = named ? values : ticks(left, right, width / 110);
  svg.append(svgElement("text", { x: 0, y: 11, class: "axis" }, score));
  grid(svg, size, xs, ticks(Math.max(bottom, 0), top, 5), at, x);
  const middle = (Math.min(lines.length, STYLES) - 1) / 2;
  lines.forEach(([, some], n) => line(svg, some, n, Math.min(n - middle, middle) * 4, at, kindOf(n, lines)));
  return svg;
}
