// What scripts add to the editors of plots and grids: a picture of what is typed, keys in the table, a state line.
"use strict";

(() => {
  const WAIT = 400;
  const form = document.querySelector("form[data-editor]");
  if (!form) return;
  const state = form.querySelector(".state");
  const frame = form.querySelector("[data-preview]");
  const said = form.querySelector(".preview-said");
  const notes = form.querySelector(".preview-notes");
  const stored = { words: state.textContent, kind: state.className };
  let changed = state.classList.contains("changed");
  let wait = 0;
  let asked = null;
  form.classList.add("scripted");

  const says = (words, kind = "") => {
    state.className = "state " + kind;
    state.textContent = words;
  };

  // One picture at a time is asked for: of what stands there now.
  async function draw() {
    asked?.abort();
    asked = new AbortController();
    const mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const width = Math.min(1200, Math.max(320, Math.round(frame.clientWidth - 24)));
    frame.classList.add("stale");
    const answer = await fetch(frame.dataset.preview + "?mode=" + mode + "&width=" + width, {
      method: "POST", body: new FormData(form), signal: asked.signal, headers: { Accept: "application/json" },
    }).catch((error) => (error.name === "AbortError" ? undefined : null));
    if (answer === undefined) return;
    const told = answer?.ok && answer.headers.get("Content-Type") === "application/json" ? await answer.json() : null;
    if (!told) {
      said.textContent = "It cannot be drawn just now: what you typed is kept here.";
    } else if (told.trouble) {
      said.textContent = told.trouble;
    } else {
      const image = new Image();
      image.alt = "Preview of what you typed";
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(told.body);
      await image.decode().catch(() => {});
      frame.replaceChildren(image);
      frame.classList.remove("stale");
      said.textContent = changed ? "Drawn from what you typed; nothing is stored yet." : "As it is stored.";
    }
    notes.replaceChildren(...(told?.log ?? []).map((note) => {
      const line = document.createElement("li");
      line.textContent = note;
      return line;
    }));
    notes.hidden = !notes.children.length;
  }

  function later() {
    clearTimeout(wait);
    wait = setTimeout(draw, WAIT);
  }

  form.addEventListener("input", (event) => {
    if (event.target.name === "see") {
      if (event.target.value === "preview") later();
      return;
    }
    if (event.target.name === "type-word") form.querySelector("[name=type][value=other]").checked = true;
    changed = true;
    says("Not saved yet", "changed");
    later();
  });
  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit(form.querySelector("button.primary"));
    }
  });
  form.addEventListener("click", (event) => {
    const shows = event.target.closest("button[formtarget]");
    if (!shows) return;
    event.preventDefault();
    draw();
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formTarget) return;
    changed = false;
    if (event.submitter?.name !== "do") says("Saving…");
  });
  form.addEventListener("reset", () => {
    changed = stored.kind.includes("changed");
    says(stored.words, changed ? "changed" : "");
    setTimeout(later);
  });
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
  if (changed) later();

  // Cells: arrows and Enter move, rows that are pasted from a spreadsheet fill it and let it grow.
  const table = form.querySelector(".cells");
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
