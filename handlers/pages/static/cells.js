// Data of plots, with scripts: pasting and dropping rows, keys between cells, and the types that fit.
"use strict";

(() => {
  const form = document.querySelector("form[data-editor]");
  if (!form) return;
  const table = form.querySelector(".cells");
  const field = form.querySelector("textarea[data-rows]");
  const understood = form.querySelector(".understood");
  const changed = (at) => at.dispatchEvent(new Event("input", { bubbles: true }));

  // Return the rows of pasted content: of its table if it has one, else of its lines; none for plain words.
  function pasted(data) {
    const page = new DOMParser().parseFromString(data.getData("text/html"), "text/html");
    const found = page.querySelector("table");
    if (found) {
      for (const end of found.querySelectorAll("br")) end.replaceWith(" ");
      return [...found.rows].map((row) => [...row.cells].flatMap((cell) => (
        [cell.textContent.replace(/\s+/g, " ").trim(), ...Array(Math.min(cell.colSpan, 12) - 1).fill("")])));
    }
    const text = data.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    return /[\t\n]/.test(text) ? text.split("\n").map((line) => line.split("\t")) : null;
  }
  const quoted = (cell) => (/["\t\n]/.test(cell) ? '"' + cell.replaceAll('"', '""') + '"' : cell);
  const written = (rows) => rows.map((row) => row.map(quoted).join("\t")).join("\n") + "\n";

  // The text field: a pasted table is inserted as its rows, a dropped file is chosen.
  field?.addEventListener("paste", (event) => {
    if (!event.clipboardData.getData("text/html").includes("<t")) return;
    const rows = pasted(event.clipboardData);
    if (!rows) return;
    event.preventDefault();
    field.setRangeText(written(rows), field.selectionStart, field.selectionEnd, "end");
    changed(field);
  });
  const files = form.querySelector("input[name=file]");
  const dropped = table?.closest(".panel") ?? field?.closest("label");
  if (dropped && files) {
    dropped.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    dropped.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      files.files = event.dataTransfer.files;
      changed(files);
    });
  }

  // Each preview comes with how the data were read, and the types that fit.
  form.addEventListener("drawn", ({ detail }) => {
    if (detail.understood === undefined) return;
    understood.textContent = detail.understood || "No rows yet";
    const best = form.querySelector(".best");
    if (!best) return;
    best.textContent = detail.best ? ": " + detail.best : "";
    const [first, others] = form.querySelectorAll(".types");
    const label = (word) => form.querySelector(`.types [value="${word}"]`)?.parentElement;
    const chosen = first.querySelector(":checked")?.parentElement;
    const shown = [...new Set([...detail.types.map(label).filter(Boolean), ...first.children])].slice(0, 6);
    if (chosen && !shown.includes(chosen)) shown[5] = chosen;
    others.prepend(...[...first.children].filter((one) => !shown.includes(one)));
    first.append(...shown);
  });
  const settings = [...form.querySelectorAll("[data-types]")];
  form.addEventListener("change", ({ target }) => {
    if (target.name !== "type" || target.value === "other") return;
    for (const one of settings) one.hidden = !one.dataset.types.split(" ").includes(target.value);
  });

  if (!table) return;
  const first = table.cloneNode(true);
  const at = (row, column) => table.rows[row]?.cells[column]?.querySelector("input");
  const values = () => [...table.rows].map((row) => [...row.querySelectorAll("input")].map((box) => box.value));
  const most = { rows: Number(table.dataset.mostRows) + 1, columns: Number(table.dataset.mostColumns) };
  const name = (box, row, column) => {
    box.name = row ? "c" + row + "-" + column : "h" + column;
    box.setAttribute("aria-label", row ? "Row " + row + ", column " + column : "Name of column " + column);
  };

  function grow(height, width) {
    while (table.rows.length < height) {
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
    for (const [number, row] of [...table.rows].entries()) {
      while (row.cells.length - 1 < width) {
        const cell = row.cells[row.cells.length - 1].cloneNode(true);
        const box = cell.querySelector("input");
        box.value = "";
        box.removeAttribute("value");
        name(box, number, row.cells.length);
        row.append(cell);
      }
    }
  }

  function fill(rows, top, left) {
    grow(top + rows.length, left + Math.max(...rows.map((row) => row.length)) - 1);
    rows.forEach((row, down) => row.forEach((value, right) => { at(top + down, left + right).value = value; }));
  }

  function replaceAll(rows) {
    const width = Math.max(...rows.map((row) => row.length));
    while (table.rows.length > Math.max(rows.length, 2)) table.rows[table.rows.length - 1].remove();
    for (const row of table.rows) while (row.cells.length - 1 > width) row.cells[row.cells.length - 1].remove();
    for (const box of table.querySelectorAll("input")) box.value = "";
    fill(rows, 0, 1);
  }

  // Rows that do not fit into cells are shown as text. Return true, as the form is sent.
  function asText(rows) {
    const text = Object.assign(document.createElement("textarea"), { name: "text.data", hidden: true, value: written(rows) });
    form.elements.as.value = "text";
    for (const box of table.querySelectorAll("input")) box.disabled = true;
    form.prepend(text); // before the file: fields after it are not read
    changed(text);
    form.requestSubmit(form.querySelector("button[name=do][value=text]"));
    return true;
  }

  function told(words, ...buttons) {
    form.querySelector(".pasted")?.remove();
    const line = Object.assign(document.createElement("div"), { className: "notice asked pasted" });
    line.setAttribute("role", "status");
    line.append(Object.assign(document.createElement("p"), { textContent: words }), ...buttons.map(([label, does]) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "compact", textContent: label });
      button.addEventListener("click", () => {
        line.remove();
        if (!does()) changed(table);
      });
      return button;
    }));
    table.closest(".scroll").before(line);
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
  // A paste into the first cell of unchanged rows replaces them all; any other paste asks.
  table.addEventListener("paste", (event) => {
    const cell = event.target.closest("th, td");
    const rows = pasted(event.clipboardData);
    if (!cell || !rows?.length) return;
    event.preventDefault();
    const top = cell.parentElement.rowIndex;
    const left = cell.cellIndex;
    const before = values();
    const untouched = [...table.querySelectorAll("input")].every((box) => box.value === box.defaultValue);
    const empty = before.flat().every((value) => !value.trim());
    const width = Math.max(...rows.map((row) => row.length));
    const undo = ["Undo", () => replaceAll(before)];
    const all = () => (rows.length > most.rows || width > most.columns ? asText(rows) : replaceAll(rows));
    if (empty || (top === 0 && left === 1 && untouched)) {
      if (all()) return;
      if (!empty) told("The rows were replaced by those that you pasted.", undo);
    } else if (top + rows.length > most.rows || left + width - 1 > most.columns) {
      told("These rows do not fit here.", ["Replace all", all], ["Cancel", () => {}]);
    } else {
      fill(rows, top, left);
      told("Replace all rows with these, or only these cells?", ["Replace all", all], ["Only these cells", () => {}], undo);
    }
    changed(table);
  });
  form.addEventListener("input", ({ target }) => {
    if (!table.contains(target)) return;
    const rows = values();
    while (rows.length && rows.at(-1).every((value) => !value.trim())) rows.pop();
    const count = Math.max(rows.length - 1, 0);
    const width = table.rows[0].cells.length - 1;
    understood.textContent = `${count} row${count === 1 ? "" : "s"}, ${width} column${width === 1 ? "" : "s"}`;
  });
  form.addEventListener("reset", () => table.replaceChildren(...first.cloneNode(true).childNodes));
})();
