// Long tables: readers search and sort their rows. Without scripts they do not change.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const LEAST = 9;
  const NOTHING = ["", "–"];
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  // Tables are in the page and in the shadow trees of documents, which do not use the page's style sheets.
  const LOOK = new CSSStyleSheet();
  LOOK.replaceSync(`
    .seek { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1rem; margin: 0 0 0.7rem; max-width: none; font: 0.9rem/1.4 "Source Sans Pro", system-ui, sans-serif }
    .seek:has(+ .scroll) { margin-top: 2rem } .seek + .scroll { margin-top: 0 }
    .seek label { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; margin: 0; font: inherit }
    .seek input { box-sizing: border-box; width: 15rem; max-width: 100%; min-height: 2.1rem; margin: 0; padding: 0.2rem 0.6rem; font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 7px }
    .order { all: unset; cursor: pointer; display: inline-block; min-height: 1.6em; box-decoration-break: clone }
    .order::after { content: "\\2195" / ""; margin-inline-start: 0.25em; opacity: 0.55 }
    [aria-sort="ascending"] > .order::after { content: "\\2191" / ""; opacity: 1 }
    [aria-sort="descending"] > .order::after { content: "\\2193" / ""; opacity: 1 }
    :is(.order, .seek input):focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
    tr[hidden], picture[hidden] { display: none !important }
    @media print { .seek, .order::after { display: none } }
  `);

  function collator(language) {
    try {
      return new Intl.Collator(language || undefined, { numeric: true });
    } catch { // a document may name an unknown language
      return new Intl.Collator(undefined, { numeric: true });
    }
  }

  // The header cell of each single column, in the last row of the head.
  function headsOf(head) {
    const found = [], taken = Array.from(head.rows, () => new Set());
    for (const [top, row] of [...head.rows].entries()) {
      let at = 0;
      for (const cell of row.cells) {
        while (taken[top].has(at)) at++;
        if (top + cell.rowSpan >= taken.length && cell.colSpan === 1) found[at] = cell;
        for (const end = at + cell.colSpan; at < end; at++) {
          for (const below of taken.slice(top, top + cell.rowSpan)) below.add(at);
        }
      }
    }
    return found;
  }

  // The rows that a search filters; totals stay at the end. None if the table is short or has merged cells.
  function rowsOf(table) {
    const [body, ...others] = table.tBodies;
    if (!body || others.length || !table.tHead) return [];
    if (Array.from(body.querySelectorAll("th, td")).some((cell) => cell.rowSpan > 1 || cell.colSpan > 1)) return [];
    const rows = [...body.rows];
    while (rows.at(-1)?.matches("[data-total]")) rows.pop();
    return rows.length < LEAST ? [] : rows;
  }

  // Rows belong together if one of them is a total, or has the name of the row above.
  const isGrouped = (rows) => rows.some((row) => row.matches("[data-total]") || !row.cells[0]?.textContent.trim());

  // The sort key of a cell: numbers and dates before words, and empty cells last in both directions.
  function placeOf(row, column) {
    const cell = row.cells[column], text = cell?.textContent.trim() ?? "";
    if (cell?.dataset.value) return [0, Number(cell.dataset.value)];
    return NOTHING.includes(text) ? [2, 0] : [1, text];
  }

  function inOrder(rows, column, way, words) {
    const places = new Map(rows.map((row) => [row, placeOf(row, column)]));
    const turn = way === "descending" ? -1 : 1;
    return way === "none" ? rows : rows.toSorted((one, other) => {
      const [kind, value] = places.get(one), [otherKind, otherValue] = places.get(other);
      if (kind !== otherKind) return kind - otherKind;
      return turn * (kind === 1 ? words.compare(value, otherValue) : value - otherValue);
    });
  }

  function letOrder(table, rows, words) {
    const body = table.tBodies[0], heads = headsOf(table.tHead);
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "order";
      // A link in a head stays a link beside the button.
      if (head.querySelector("a")) button.setAttribute("aria-label", head.textContent.trim());
      else button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const way = NEXT[head.getAttribute("aria-sort") ?? "none"];
        for (const one of heads) one?.removeAttribute("aria-sort");
        if (way !== "none") head.setAttribute("aria-sort", way);
        const sums = [...body.rows].filter((row) => !rows.includes(row));
        body.append(...inOrder(rows, column, way, words), ...sums);
      });
    });
  }

  function letSearch(table, rows, language) {
    const plain = (text) => text.normalize("NFKC").toLowerCase();
    const texts = rows.map((row) => plain(Array.from(row.cells, (cell) => cell.textContent).join("\n")));
    const seek = document.createElement("div"), label = document.createElement("label");
    const box = document.createElement("input"), told = document.createElement("output");
    seek.className = "seek";
    box.type = "search";
    box.autocomplete = "off";
    label.append(table.dataset.search, box);
    seek.append(label, told);
    const search = () => {
      const wanted = plain(box.value).split(/\s+/).filter(Boolean);
      rows.forEach((row, at) => { row.hidden = !wanted.every((word) => texts[at].includes(word)); });
      const counts = [rows.filter((row) => !row.hidden).length, rows.length];
      told.value = wanted.length ? table.dataset.rows.replace(/\{\}/g, () => counts.shift().toLocaleString(language)) : "";
    };
    box.addEventListener("input", search);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !box.value) return;
      event.preventDefault();
      box.value = "";
      search();
    });
    (table.closest(".scroll, [tabindex]") ?? table).before(seek);
  }

  function read(root) {
    if (!root.adoptedStyleSheets.includes(LOOK)) root.adoptedStyleSheets.push(LOOK);
    for (const table of root.querySelectorAll("table[data-search]")) {
      const rows = table.querySelector(".order") || table.dataset.read ? [] : rowsOf(table);
      table.dataset.read = "yes";
      if (!rows.length) continue;
      const words = collator(table.closest("[lang]")?.lang);
      if (!isGrouped(rows)) letOrder(table, rows, words);
      letSearch(table, rows, words.resolvedOptions().locale);
    }
  }

  // Replace the picture of a table with the table itself, if that is long enough to be searched.
  async function unfold(image) {
    const figure = image.closest("figure"), address = image.currentSrc;
    if (figure.dataset.unfolds === address) return;
    figure.dataset.unfolds = address;
    const answer = await fetch(address.replace(/\/plot\.svg\?/, "/plot.html?"), { headers: { Accept: "text/html" } });
    // The page's policy allows no styles in HTML: they are set one by one.
    const text = answer.ok ? (await answer.text()).replace(/<style[\s>][^]*?<\/style>/, "") : "";
    const page = new DOMParser().parseFromString(text.replaceAll(' style="', ' data-style="'), "text/html");
    const made = page.querySelector("body > figure"), table = made?.querySelector("table[data-search]");
    if (!table || !rowsOf(table).length || image.currentSrc !== address || !image.isConnected) return;
    for (const one of [made, ...made.querySelectorAll("[data-style]")]) {
      one.style.cssText = one.dataset.style ?? "";
      delete one.dataset.style;
    }
    const unfolded = document.createElement("div");
    unfolded.className = "unfolded";
    unfolded.lang = page.documentElement.lang;
    unfolded.append(document.adoptNode(made));
    figure.querySelector(".unfolded")?.remove();
    image.parentElement.hidden = true;
    image.parentElement.after(unfolded);
    read(document);
  }

  if (!visual) {  // a page of a file, with nothing but the table
    read(document);
    return;
  }

  function begin() {
    const root = visual.querySelector(".leaf")?.shadowRoot;
    read(document);
    if (root && !visual.querySelector(".stage")) read(root);
    const image = visual.querySelector("figure[data-unfolds] img");
    if (image?.naturalWidth) unfold(image).catch(() => {});
  }

  // Another picture, such as for another width or scheme, has another table.
  visual.addEventListener("load", (event) => {
    if (event.target.matches("figure[data-unfolds] img")) unfold(event.target).catch(() => {});
  }, true);
  visual.addEventListener("renewed", begin);
  begin();
})();
