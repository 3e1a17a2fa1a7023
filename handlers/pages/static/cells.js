// What scripts add to the table of cells in the editor of plots.
"use strict";

(() => {
  // Cells: arrows and Enter move, rows that are pasted from a spreadsheet fill it and let it grow.
  const table = document.querySelector("form[data-editor] .cells");
  if (!table) return;
  const at = (row, column) => table.rows[row]?.cells[column]?.querySelector("input");
  const name = (box, row, column) => {
    box.name = row ? "c" + row + "-" + column : "h" + column;
    box.setAttribute("aria-label", row ? "Row " + row + ", column " + column : "Name of column " + column);
  };

  function grow(height, width) {
    while (table.rows.length - 1 < Math.min(height, Number(table.dataset.mostRows))) {
      const row = table.rows[table.rows.length - 1].cloneNode(true);
      const number = table.rows.length;
      row.cells[0].textContent = number;
      row.querySelectorAll("input").forEach((box, column) => {
        box.value = "";
        box.removeAttribute("value");
        name(box, number, column + 1);
      });
      table.tBodies[0].append(row);
    }
    const columns = Math.min(width, Number(table.dataset.mostColumns));
    for (const [number, row] of [...table.rows].entries()) {
      while (row.cells.length - 1 < columns) {
        const cell = row.cells[row.cells.length - 1].cloneNode(true);
        const box = cell.querySelector("input");
        box.value = "";
        box.removeAttribute("value");
        name(box, number, row.cells.length);
        row.append(cell);
      }
    }
  }

  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("th, td");
    if (!cell || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const box = event.target;
    const aside = { ArrowLeft: box.selectionEnd === 0 ? -1 : 0, ArrowRight: box.selectionStart === box.value.length ? 1 : 0 };
    const down = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key] ?? 0;
    const right = aside[event.key] ?? 0;
    if (!down && !right) return;
    const next = at(cell.parentElement.rowIndex + down, cell.cellIndex + right);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.select();
  });
  table.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    const cell = event.target.closest("th, td");
    if (!cell || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const rows = text.split("\n").map((line) => line.split("\t"));
    const top = cell.parentElement.rowIndex;
    const left = cell.cellIndex;
    grow(top + rows.length - 1, left + Math.max(...rows.map((row) => row.length)) - 1);
    rows.forEach((row, down) => row.forEach((value, right) => {
      const box = at(top + down, left + right);
      if (box) box.value = value;
    }));
    table.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
