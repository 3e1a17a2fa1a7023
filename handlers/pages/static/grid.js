// Editing a grid in its picture, below the boxes of its layout. A click chooses a plot, borders are dragged, rows and
// columns are added. The server changes the texts, which are what is saved; see grid_edits.py.
"use strict";

(() => {
  const form = document.querySelector("form[data-editor]");
  const drawing = form.querySelector("[data-shape]");
  const said = form.querySelector(".preview-said");
  const texts = { layout: form.elements["text.layout"], mapping: form.elements["text.mapping"] };
  const titles = new Map([...form.querySelectorAll("#plots option")].map((one) => [one.value, one.textContent]));
  const board = document.createElement("div");
  const tools = document.createElement("div");
  const CELL = /<svg id="cell(\d+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g;
  const past = [];
  let shape = JSON.parse(drawing.dataset.shape);
  let rects = [];
  let waits = Promise.resolve();

  function made(name, facts = {}, ...parts) {
    const one = Object.assign(document.createElement(name), facts);
    one.append(...parts);
    return one;
  }
  const button = (words, does, facts = {}) => {
    const one = made("button", { type: "button", ...facts }, words);
    one.addEventListener("click", does);
    return one;
  };

  // Edit the texts one step after the other, each with the result of the one before.
  function act(does) {
    waits = waits.then(async () => {
      const sent = new FormData(form);
      for (const [name, value] of Object.entries(does)) sent.set(name, value);
      const answer = await fetch(drawing.dataset.preview, { method: "POST", body: sent, headers: { Accept: "application/json" } });
      const told = await answer.json();
      if (!told.texts) throw new Error(told.trouble ?? told.detail);
      past.push(now());
      write(told.texts, told.shape);
    }).catch((error) => {
      show(shape);
      said.textContent = "Not done: " + error.message;
    });
  }

  const now = () => ({ texts: { layout: texts.layout.value, mapping: texts.mapping.value }, shape });

  function write(after, fresh) {
    for (const [name, text] of Object.entries(after)) texts[name].value = text;
    texts.layout.rows = Math.min(30, Math.max(10, after.layout.split("\n").length + 1));
    show(fresh);
    texts.layout.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function undo() {
    const before = past.pop();
    if (before) write(before.texts, before.shape);
  }

  async function choose(number, anchor) {
    const one = shape.boxes[number];
    const found = await pick({ source: form.dataset.page + "/edit/insert", anchor });
    // The boxes, with the button that opened the dialog, may have been replaced meanwhile.
    board.querySelector(`[data-key="box${number}"]`)?.focus({ preventScroll: true });
    if (!found) return;
    titles.set(found.address, found.title);
    act({ do: "put", box: number, ref: found.address, titled: one.ref && !one.titled ? "" : "on" });
  }

  // The menu of further edits of a box, beside the button that opened it.
  const menu = made("div", { className: "box-menu", popover: "auto" });
  function open(number, anchor) {
    const one = shape.boxes[number];
    const item = (words, does) => button(words, () => {
      menu.hidePopover();
      act({ box: number, ...does });
    });
    const title = made("input", { type: "checkbox", checked: one.titled });
    title.addEventListener("change", () => act({ do: "put", box: number, ref: one.ref, titled: title.checked ? "on" : "" }));
    menu.replaceChildren(
      button("Choose a plot…", () => { menu.hidePopover(); choose(number, anchor); }),
      ...(one.ref ? [made("label", { className: "check" }, title, "Show its title"), item("Empty the box", { do: "put", ref: "", titled: "" })] : []),
      item("Divide: side by side", { do: "beside" }),
      item("Divide: one below the other", { do: "below" }),
      item("Remove the box", { do: "remove" }),
    );
    menu.showPopover();
    const place = anchor.getBoundingClientRect();
    menu.style.left = Math.max(8, Math.min(place.left, innerWidth - menu.offsetWidth - 8)) + "px";
    menu.style.top = Math.max(8, Math.min(place.bottom + 4, innerHeight - menu.offsetHeight - 8)) + "px";
  }

  const put = (part, { x, y, width, height }) => {
    for (const [side, share] of [["left", x], ["top", y], ["width", width], ["height", height]]) part.style[side] = share * 100 + "%";
  };

  function boxOf(one, number) {
    const title = titles.get(one.ref) ?? one.ref;
    const name = one.label ? "box " + one.label : "this box";
    const choice = button(one.ref ? "" : "+ Choose a plot", () => choose(number, choice), { className: "choose" });
    choice.setAttribute("aria-label", one.ref ? `${title}, in ${name}: choose another plot` : `Choose a plot for ${name}`);
    choice.title = one.ref ? title : "";
    choice.dataset.key = "box" + number;
    const more = button((one.label || "") + " ⋯", () => open(number, more), { className: "more" });
    more.setAttribute("aria-label", "More about " + name);
    more.dataset.key = "more" + number;
    const part = made("div", { className: one.ref ? "box" : "box free" }, choice, more);
    put(part, rects[number]);
    return part;
  }

  const around = (numbers) => {
    const some = numbers.map((number) => rects[number]);
    const x = Math.min(...some.map((one) => one.x));
    const y = Math.min(...some.map((one) => one.y));
    return { x, y, right: Math.max(...some.map((one) => one.x + one.width)), bottom: Math.max(...some.map((one) => one.y + one.height)) };
  };

  // A border between boxes: dragged, or moved with arrow keys, in steps of one character of the layout.
  function borderOf(border, number) {
    const [before, after] = border.sides.map(around);
    const step = (border.upright ? after.right - before.x : after.bottom - before.y) / border.size;
    const line = made("div", { className: border.upright ? "border upright" : "border level", tabIndex: 0 });
    const move = (by) => act({ do: "move", border: number, by });
    const facts = {
      role: "separator", "aria-orientation": border.upright ? "vertical" : "horizontal", "aria-valuenow": border.now,
      "aria-valuemin": border.now - border.room[0], "aria-valuemax": border.now + border.room[1],
      "aria-label": "Border between " + border.sides.map((side) => side.map((one) => shape.boxes[one].label || "an empty box").join(", ")).join(" and "),
    };
    for (const [name, value] of Object.entries(facts)) line.setAttribute(name, value);
    line.dataset.key = "border" + number;
    const at = (by) => put(line, border.upright
      ? { x: after.x + by * step, y: before.y, width: 0, height: before.bottom - before.y }
      : { x: before.x, y: after.y + by * step, width: before.right - before.x, height: 0 });
    at(0);
    line.addEventListener("keydown", (event) => {
      const by = (border.upright ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 })[event.key];
      if (!by) return;
      event.preventDefault();
      move(by);
    });
    line.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      line.focus();
      line.setPointerCapture(event.pointerId);
      const whole = board.getBoundingClientRect();
      const unit = step * (border.upright ? whole.width : whole.height);
      const from = border.upright ? event.clientX : event.clientY;
      let by = 0;
      const drag = (moved) => {
        const far = Math.round(((border.upright ? moved.clientX : moved.clientY) - from) / unit);
        by = Math.max(-border.room[0], Math.min(far, border.room[1]));
        at(by);
      };
      const drop = (end) => {
        line.removeEventListener("pointermove", drag);
        line.classList.remove("dragged");
        if (by && end.type === "pointerup") move(by);
        else at(0);
      };
      line.classList.add("dragged");
      line.addEventListener("pointermove", drag);
      line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", drag), { once: true });
      line.addEventListener("pointerup", drop, { once: true });
      line.addEventListener("pointercancel", drop, { once: true });
    });
    return line;
  }

  // Boxes are placed as in the layout, those of a floating stack as in the picture.
  function show(fresh, picture = "") {
    const focused = board.contains(document.activeElement) ? document.activeElement.dataset.key : "";
    const [, wide, high] = picture.match(/viewBox="0 0 ([\d.]+) ([\d.]+)"/) ?? [];
    const drawn = new Map([...picture.matchAll(CELL)].map(([, number, ...place]) => [Number(number), place]));
    shape = fresh;
    rects = (shape?.boxes ?? []).map((one, number) => {
      const [x, y, width, height] = drawn.get(number) ?? [];
      if (x) return { x: x / wide, y: y / high, width: width / wide, height: height / high };
      return { x: one.left / shape.width, y: one.top / shape.height, width: one.width / shape.width, height: one.height / shape.height };
    });
    board.replaceChildren(...(shape?.boxes ?? []).map(boxOf), ...(shape?.borders ?? []).map(borderOf));
    if (!texts.layout.value.trim()) board.replaceChildren(beginnings());
    tools.querySelector("[data-undo]").disabled = !past.length;
    const image = drawing.querySelector("img");
    if (shape && image) image.style.aspectRatio = 1 / shape.ratio;
    if (focused) board.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  const beginnings = () => made("div", { className: "beginnings" }, made("p", {}, "Begin with"),
    ...[...form.elements.pattern.options].map((one) => button(one.text, () => act({ do: "pattern", pattern: one.value }), { className: "compact" })));

  board.className = "board";
  tools.className = "row small";
  tools.append(
    button("+ Row", () => act({ do: "row" }), { className: "compact" }),
    button("+ Column", () => act({ do: "column" }), { className: "compact" }),
    button("Undo", undo, { className: "compact" }),
  );
  tools.lastChild.dataset.undo = "";
  drawing.append(board);
  drawing.before(tools);
  document.body.append(menu);
  form.querySelector("#see-preview").checked = true;
  form.addEventListener("drawn", ({ detail }) => {
    if (detail.shape === undefined || detail.layout !== texts.layout.value) return;
    show(detail.shape, detail.trouble ? "" : detail.body);
  });
  form.addEventListener("click", (event) => {
    if (event.target.closest("button")?.value !== "pattern") return;
    event.preventDefault();
    act({ do: "pattern" });
  });
  board.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "z") return;
    event.preventDefault();
    undo();
  });
  show(shape);
})();
