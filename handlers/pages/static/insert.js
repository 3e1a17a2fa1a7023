// The text of a document or mail, with scripts: a toolbar, a list of what can be inserted, pasted pictures and tables.
"use strict";

(() => {
  const WAIT = 150;
  const MOST_CELLS = 12000;
  const root = document.querySelector("[data-insert]");
  const box = root?.querySelector("textarea");
  if (!box) return;
  const part = (name) => root.querySelector(name);
  const bar = part(".insert-bar");
  const picker = part(".insert-list");
  const search = part("[role=combobox]");
  const list = part("[role=listbox]");
  const found = picker.querySelector("[role=status]");
  const upload = part("[data-upload]");
  const told = part(".insert-told");
  let what = "chart";
  let trigger = null;
  let asked = null;
  let wait = 0;
  let plain = false;
  bar.hidden = false;
  // Insert at the end if the text cursor was not set yet.
  box.setSelectionRange(box.value.length, box.value.length);

  const says = (words, bad = false) => {
    told.textContent = words;
    told.classList.toggle("bad", bad);
  };

  // Insert as typed input, so that the browser can undo it.
  function put(text, from = box.selectionStart, to = box.selectionEnd) {
    box.focus();
    box.setSelectionRange(from, to);
    if (document.execCommand("insertText", false, text)) return;
    box.setRangeText(text, from, to, "end");
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }

  // Insert on separate lines, with an empty line above and below, and below the front matter.
  function putBlock(text, from = box.selectionStart, to = box.selectionEnd) {
    const front = box.value.startsWith("---\n") ? box.value.indexOf("\n---\n", 3) + 5 : 0;
    if (from < front) [from, to] = [front, front];
    const before = box.value.slice(0, from);
    const after = box.value.slice(to);
    const lead = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
    const tail = after.startsWith("\n\n") ? "" : !after || after.startsWith("\n") ? "\n" : "\n\n";
    put(lead + text + tail, from, to);
  }

  const lineStart = (at) => box.value.lastIndexOf("\n", at - 1) + 1;
  const inCode = () => box.value.slice(0, box.selectionStart).split("\n").filter((line) => /^ {0,3}(```|~~~)/.test(line)).length % 2 === 1;

  function wrap(mark, words) {
    const from = box.selectionStart;
    const inner = box.value.slice(from, box.selectionEnd) || words;
    put(mark + inner + mark);
    box.setSelectionRange(from + mark.length, from + mark.length + inner.length);
  }

  function begin(mark) {
    const from = lineStart(box.selectionStart);
    const lines = box.value.slice(from, box.selectionEnd).split("\n");
    const marked = lines.every((line) => line.startsWith(mark));
    put(lines.map((line) => (marked ? line.slice(mark.length) : mark + line)).join("\n"), from, box.selectionEnd);
  }

  function link() {
    const from = box.selectionStart;
    const words = box.value.slice(from, box.selectionEnd) || "words";
    put(`[${words}](https://)`);
    box.setSelectionRange(from + words.length + 3, from + words.length + 11);
  }

  const WRITE = {
    heading: () => begin("## "), list: () => begin("- "), bold: () => wrap("**", "bold"), italic: () => wrap("*", "italic"), link,
  };

  // The typed text that opens the list: `{{`, or `/p/` at the start of a word; within a section only the reference is inserted.
  function typedTrigger() {
    const at = box.selectionStart;
    const start = lineStart(at);
    const line = box.value.slice(start, at);
    const braces = line.lastIndexOf("{{");
    const open = braces >= 0 && !line.includes("}", braces);
    const slash = line.lastIndexOf("/p/");
    if (slash >= 0 && (slash === 0 || /[\s:]/.test(line[slash - 1])) && !/[\s/]/.test(line.slice(slash + 3))) {
      return { from: start + slash, words: line.slice(slash + 3), within: open };
    }
    return open ? { from: start + braces, words: line.slice(braces + 2), within: false } : null;
  }

  // The position of the text cursor, measured with a copy of the text up to it.
  function place() {
    const copy = document.createElement("div");
    const style = getComputedStyle(box);
    const end = document.createElement("span");
    for (const name of ["font", "padding", "border", "boxSizing", "letterSpacing", "tabSize", "width"]) copy.style[name] = style[name];
    copy.className = "insert-measure";
    copy.append(box.value.slice(0, box.selectionStart), end);
    end.textContent = "|";
    root.append(copy);
    const below = end.offsetTop + end.offsetHeight - box.scrollTop;
    copy.remove();
    const top = box.getBoundingClientRect().top - root.getBoundingClientRect().top;
    picker.style.top = top + Math.min(Math.max(trigger ? below + 4 : 0, 0), box.clientHeight) + "px";
  }

  function show(kind, by = null) {
    what = kind;
    trigger = by;
    picker.hidden = false;
    picker.setAttribute("aria-label", "Insert a " + kind);
    for (const one of picker.querySelectorAll("[data-pick]")) one.setAttribute("aria-pressed", one.dataset.pick === kind);
    upload.hidden = kind !== "picture";
    place();
    if (by) box.setAttribute("aria-controls", list.id);
    else {
      search.value = "";
      search.focus();
    }
    ask();
  }

  function close(back = false) {
    picker.hidden = true;
    asked?.abort();
    clearTimeout(wait);
    for (const one of [box, search]) one.removeAttribute("aria-activedescendant");
    box.removeAttribute("aria-controls");
    list.replaceChildren();
    trigger = null;
    if (back) box.focus();
  }

  async function ask() {
    asked?.abort();
    asked = new AbortController();
    const words = (trigger ? trigger.words : search.value).trim();
    const answer = await fetch(root.dataset.insert + "?" + new URLSearchParams({ what, q: words }), { signal: asked.signal })
      .catch((error) => (error.name === "AbortError" ? undefined : null));
    if (answer === undefined || picker.hidden) return;
    if (!answer?.ok) {
      found.textContent = "The list is not available now. Your text is kept.";
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    list.replaceChildren(...page.querySelectorAll("li"));
    // Typed words without a match belong to a section: close the list.
    if (trigger && words && !list.children.length) return close();
    found.textContent = list.children.length ? `${list.children.length} found: arrows and Enter choose` : "No matches.";
    picker.scrollIntoView({ block: "nearest" });
    pick(trigger && words ? -1 : 0);
  }

  const picked = () => [...list.children].findIndex((one) => one.getAttribute("aria-selected") === "true");

  function pick(index) {
    [...list.children].forEach((one, place) => one.setAttribute("aria-selected", place === index));
    const source = trigger ? box : search;
    const option = list.children[index];
    if (!option) return source.removeAttribute("aria-activedescendant");
    source.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  async function choose(option) {
    const by = trigger;
    const { text, ref, source, inline } = option.dataset;
    const [from, to] = by ? [by.from, box.selectionStart] : [box.selectionStart, box.selectionEnd];
    close(true);
    if (by?.within && ref) return put(ref, from, to);
    if (!source) return inline === undefined ? putBlock(text, from, to) : put(text, from, to);
    says("Reading the rows…");
    const answer = await fetch(source, { headers: { Accept: "text/markdown" } }).catch(() => null);
    if (!answer?.ok) return says("The rows are not available now.", true);
    putBlock(await answer.text(), from, to);
    says("");
  }

  // Keys while the list is open, in its search field or in the text.
  function keys(event) {
    if (picker.hidden || event.isComposing) return;
    const size = list.children.length;
    const now = picked();
    const moves = { ArrowDown: (now + 1) % size, ArrowUp: (Math.max(now, 0) + size - 1) % size };
    if (event.key in moves && size) pick(moves[event.key]);
    else if (event.key === "Enter" && now >= 0) choose(list.children[now]);
    else if (event.key === "Escape") close(true);
    else if (event.key !== "Enter" || trigger) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Cells of a table in the clipboard, or of lines with tabs; null if there is other content, too.
  function cellsOf(data) {
    const page = new DOMParser().parseFromString(data.getData("text/html"), "text/html");
    const tables = page.querySelectorAll("table");
    if (tables.length === 1) {
      for (const one of page.querySelectorAll("style, script")) one.remove();
      const rows = [...tables[0].rows].map((row) => [...row.cells].flatMap((cell) => [cell.textContent, ...Array(Math.min(cell.colSpan, 50) - 1).fill("")]));
      tables[0].remove();
      if (!page.body.textContent.trim()) return rows;
    }
    const text = data.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    const lines = text.split("\n");
    return lines.length > 1 && lines.every((line) => line.includes("\t")) ? lines.map((line) => line.split("\t")) : null;
  }

  const escaped = (cell) => cell.replace(/[\\|*_`~^[{$<]/g, "\\$&");
  const isNumber = (cell) => /^[-+−(]?[$€£]? ?\d[\d.,'’\u00a0\u202f ]*[%€$£)]?$/.test(cell);

  function tableOf(cells) {
    const rows = cells.map((row) => row.map((cell) => cell.replace(/\s+/g, " ").trim())).filter((row) => row.some(Boolean));
    const width = Math.max(0, ...rows.map((row) => row.findLastIndex(Boolean) + 1));
    if (rows.length < 2 || rows.length * width > MOST_CELLS) return "";
    const whole = rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ""));
    const marks = whole[0].map((_, at) => {
      const column = whole.slice(1).map((row) => row[at]).filter(Boolean);
      return column.length && column.every(isNumber) ? "--:" : "---";
    });
    const [head, ...body] = whole.map((row) => row.map(escaped));
    return [head, marks, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
  }

  async function add(files) {
    for (const file of files) {
      says(`Adding ${file.name}…`);
      const body = new FormData();
      for (const [name, value] of [["token", box.form.elements.token.value], ["asset", file]]) body.append(name, value);
      const answer = await fetch(root.dataset.pictures, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
      const reply = await answer?.json().catch(() => null);
      if (!answer?.ok || !reply) return says(`${file.name} was not added: ${reply?.detail ?? "the service cannot be reached"}.`, true);
      putBlock(reply.text);
      says(`${reply.name} is among the pictures of this text.`);
    }
  }

  const pictures = (data) => [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));

  function pasted(event) {
    const data = event.clipboardData;
    const asIs = plain;
    plain = false;
    if (asIs || inCode()) return;
    const cells = cellsOf(data);
    const table = cells ? tableOf(cells) : "";
    const images = data.getData("text/plain") ? [] : pictures(data);
    if (!table && !images.length) return;
    event.preventDefault();
    if (!table) return add(images);
    putBlock(table);
    says("Pasted as a table. Ctrl+Z undoes it; Ctrl+Shift+V pastes the cells as plain text.");
  }

  function dropped(event) {
    const images = pictures(event.dataTransfer);
    if (!images.length) return;
    event.preventDefault();
    const at = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    if (at?.offsetNode === box) box.setSelectionRange(at.offset, at.offset);
    add(images);
  }

  function chooseFile() {
    const input = Object.assign(document.createElement("input"), { type: "file", accept: "image/*", multiple: true });
    input.addEventListener("change", () => add(input.files));
    input.click();
    close();
  }

  function typed() {
    const by = inCode() ? null : typedTrigger();
    if (!by) {
      if (trigger) close();
    } else if (!trigger && !by.words) show("chart", by);
    else if (trigger) {
      trigger = by;
      clearTimeout(wait);
      wait = setTimeout(ask, WAIT);
    }
  }

  // One stop for Tab; arrows move within the bar.
  const buttons = [...bar.querySelectorAll("button")];
  buttons.slice(1).forEach((one) => { one.tabIndex = -1; });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
    buttons.forEach((one) => { one.tabIndex = one === next ? 0 : -1; });
    next.focus();
  });
  root.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    const button = event.target.closest("button");
    if (option) choose(option);
    else if (button?.dataset.pick) show(button.dataset.pick);
    else if (button?.dataset.write) WRITE[button.dataset.write]();
    else if (button === upload) chooseFile();
  });
  box.addEventListener("keydown", (event) => {
    const word = { b: "bold", i: "italic" }[event.key];
    plain = event.key.toLowerCase() === "v" && event.shiftKey && (event.ctrlKey || event.metaKey);
    if (!word || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return keys(event);
    event.preventDefault();
    WRITE[word]();
  });
  search.addEventListener("keydown", keys);
  search.addEventListener("input", (event) => {
    event.stopPropagation();
    clearTimeout(wait);
    wait = setTimeout(ask, WAIT);
  });
  // Keep the focus when the list is clicked.
  picker.addEventListener("mousedown", (event) => { if (event.target !== search) event.preventDefault(); });
  box.addEventListener("input", (event) => { if (event.inputType === "insertText" || trigger) typed(); });
  box.addEventListener("paste", pasted);
  box.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  box.addEventListener("drop", dropped);
  document.addEventListener("pointerdown", (event) => { if (!picker.hidden && !root.contains(event.target)) close(); });
  root.addEventListener("focusout", (event) => {
    if (!picker.hidden && event.relatedTarget && !root.contains(event.relatedTarget)) close();
  });
})();
