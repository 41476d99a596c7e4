// The rows, by group or all in one table; which of them are shown, in which order.
let groups = []; // { section, table, rows } of each task, in the order of the page
let flat = null; // { section, table } of all tasks, made when it is asked for
const texts = new Map();
const MOST = 200; // rows of a table that are laid out at once

function readGroups() {
  groups = [...document.querySelectorAll("section.group")].map((section) => {
    const table = section.querySelector("table");
    return { section, table, rows: [...table.tBodies[0].rows] };
  });
}

const allRows = () => groups.flatMap(({ rows }) => rows);

function textOf(row) {
  if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
  return texts.get(row);
}

function wanted(row, words) {
  const { tasks, state: now, kind } = row.dataset;
  return (state.cells === "1" || !row.classList.contains("cell"))
    && (!state.task || tasks.split(" ").includes(state.task))
    && (!state.state || now === state.state)
    && (!state.kind || kind === state.kind)
    && words.every((word) => textOf(row).includes(word));
}

// The columns of scores give way to that of the first score, whatever it is.
function makeFlat() {
  const heads = [...groups[0].table.tHead.rows[0].cells].filter((head) => !head.classList.contains("score"));
  const row = heads.map((head) => make("th", { scope: "col", class: head.className || null }, head.dataset.name));
  const table = make("table", { class: "sortable flat" },
    make("caption", {}, "All tasks"), make("thead", {}, make("tr", {}, row)), make("tbody"));
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All tasks" }, table);
  const section = make("section", { id: "all", "aria-label": "All tasks" }, box);
  groups.at(-1).section.after(section);
  headings(table);
  return { section, table };
}

// Headings become buttons; one order holds for all tables that have the column.
function headings(table) {
  for (const head of table.tHead.rows[0].cells) {
    head.dataset.name = head.textContent;
    const button = make("button", { type: "button" }, head.textContent);
    button.addEventListener("click", () => {
      const again = state.sort === head.dataset.name && state.order === "descending";
      change({ sort: head.dataset.name, order: again ? "ascending" : "descending" });
      showRows();
    });
    head.replaceChildren(button);
  }
}

function ordered(table, rows) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  const column = heads.findIndex((head) => head.dataset.name === state.sort);
  if (column < 0) return rows;
  heads[column].setAttribute("aria-sort", state.order);
  const sign = state.order === "ascending" ? 1 : -1;
  const scores = table !== flat?.table;
  const cells = (row) => (scores ? row.cells : [...row.cells].filter((cell) => !cell.classList.contains("score")));
  const keyed = rows.map((row) => [keyOf(cells(row)[column]), row]);
  return keyed.sort(([one], [other]) => compared(one, other, sign)).map(([, row]) => row);
}

const keyOf = (cell) => cell.dataset.value ?? cell.textContent;
const latest = (rows) => [...rows].sort((one, other) => whenOf(other) - whenOf(one));
const whenOf = (row) => Number(row.querySelector(".when")?.dataset.value ?? 0);

// The wanted rows in their order; of very many the first ones and a button for the rest.
function fill({ section, table }, rows, shown) {
  const listed = ordered(table, rows).filter((row) => shown.has(row));
  const most = state.all === "1" ? Infinity : MOST;
  table.tBodies[0].replaceChildren(...listed.slice(0, most));
  section.querySelector(".rest")?.remove();
  if (listed.length <= most) return;
  const button = make("button", { type: "button", class: "rest" }, `Show all ${number(listed.length)}`);
  button.addEventListener("click", () => {
    change({ all: "1" });
    showRows();
  });
  section.append(button);
}

function showRows() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = allRows();
  const shown = new Set(rows.filter((row) => wanted(row, words)));
  shown.forEach((row) => { row.hidden = false; });
  const grouped = state.group === "1" || groups.length < 2;
  if (!grouped) flat ??= makeFlat();
  for (const group of groups) {
    group.section.hidden = !grouped || !group.rows.some((row) => shown.has(row));
    if (grouped) fill(group, group.rows, shown);
  }
  if (flat) flat.section.hidden = grouped || shown.size === 0;
  if (!grouped) fill(flat, latest(rows), shown);
  const whole = rows.filter((row) => state.cells === "1" || !row.classList.contains("cell")).length;
  byId("count").textContent = whole ? `${number(shown.size)} of ${number(whole)} shown` : "";
}
