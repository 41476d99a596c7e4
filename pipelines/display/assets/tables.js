// Headings of sortable tables become buttons. Cells sort by data-value, else by their text; empty ones come last.
const inOrder = new Intl.Collator("en", { numeric: true });

function cellKey(row, column) {
  let at = 0;
  for (const cell of row.cells) {
    if (at + cell.colSpan > column) return cell.colSpan > 1 ? "" : (cell.dataset.value ?? cell.textContent);
    at += cell.colSpan;
  }
  return "";
}

function compared(one, other, sign) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const [a, b] = [Number(one), Number(other)];
  return sign * (Number.isNaN(a) || Number.isNaN(b) ? inOrder.compare(one, other) : a - b);
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const sort = heads[column].getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", sort);
  const sign = sort === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => [cellKey(row, column), row]);
  rows.sort(([one], [other]) => compared(one, other, sign));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function startTables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button" }, head.textContent);
      button.addEventListener("click", () => sortBy(table, column));
      head.replaceChildren(button);
    });
  }
}

function startSections() {
  const headings = document.querySelectorAll("main > section > h2");
  byId("sections").append(
    ...[...headings].map((heading) => make("a", { href: `#${heading.parentElement.id}` }, heading.textContent)),
  );
}
