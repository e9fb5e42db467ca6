"use strict";

const tables = [...document.querySelectorAll("table.devices")];

/* ---- search: rows that contain all words ---- */

const search = document.getElementById("search");

search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/);

  for (const table of tables) {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const folded = table.closest("details");
    if (folded && search.value) folded.open = true;
  }
});
search.closest(".search").hidden = false;

/* ---- sort: by numbers where cells have them, else by text ---- */

const key = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  const number = parseFloat(text.replace("\u2212", "-"));
  const plain = /^[-+\u2212]?[\d.]+(\s*%)?$/.test(text);
  return plain ? number : text;
};

const compare = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
};

const sort = (table, heading) => {
  const down = heading.ariaSort === "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => [key(row, heading.cellIndex), row]);

  rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])));
  for (const other of heading.parentNode.cells) other.ariaSort = null;
  heading.ariaSort = down ? "descending" : "ascending";
  table.tBodies[0].append(...rows.map((pair) => pair[1]));
};

for (const table of tables)
  for (const heading of table.querySelectorAll("th.sort")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, heading));
    heading.append(button);
  }
