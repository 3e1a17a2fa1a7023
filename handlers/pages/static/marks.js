// Values of marks: an invisible copy of the drawing covers it, and its marks have titles. The browser shows them
// under a pointer; this script shows them after a tap and for the arrow keys.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const DRAWN = "svg, g, defs, clipPath, path, rect, circle, ellipse, line, polyline, polygon, text, tspan, title, a";
  const SAFE = /^(https?|mailto):/, REFUSED = /^(on|xlink:|style$|tabindex$|role$)/i;
  // The page's policy would refuse these with errors in the console; typefaces are not needed here.
  const STYLES = /<style[\s>][^]*?<\/style>| style="[^"]*"/g;
  const FINGER = 24;
  const STEPS = {
    ArrowRight: (at, count) => Math.min(at + 1, count - 1), ArrowLeft: (at) => Math.max(at - 1, 0),
    Home: () => 0, End: (at, count) => count - 1, Escape: () => -1,
  };
  let asked = "";

  // Only elements that draw: the browser shows the picture itself, this copy is for the pointer.
  function unseen(drawing) {
    // The page itself describes the whole picture, and each plot of a grid.
    for (const one of [drawing, ...drawing.querySelectorAll("svg")]) one.querySelector(":scope > title")?.remove();
    for (const one of [...drawing.querySelectorAll("*")].filter((one) => !one.matches(DRAWN))) one.remove();
    for (const one of [drawing, ...drawing.querySelectorAll("*")]) {
      for (const name of one.getAttributeNames()) if (REFUSED.test(name)) one.removeAttribute(name);
      const leads = one.closest("a") || one.querySelector("a");
      if (one.matches("text")) one.setAttribute("pointer-events", leads ? "all" : "none");
    }
    for (const link of drawing.querySelectorAll("a")) {
      if (!SAFE.test(link.getAttribute("href") || "")) link.removeAttribute("href");
      link.setAttribute("tabindex", "-1");
    }
    drawing.removeAttribute("width");
    drawing.removeAttribute("height");
    drawing.setAttribute("opacity", "0");
    drawing.setAttribute("aria-hidden", "true");
    drawing.setAttribute("class", "marks");
    return drawing;
  }

  async function lay(image) {
    const address = image.currentSrc;
    if (!image.naturalWidth || asked === address) return;
    asked = address;
    const answer = await fetch(address);
    const text = answer.ok ? await answer.text() : "";
    const drawing = new DOMParser().parseFromString(text.replace(STYLES, ""), "image/svg+xml").documentElement;
    if (drawing.localName !== "svg" || !image.isConnected || image.currentSrc !== address) return;
    clear(image.closest("figure"));
    image.parentElement.after(document.importNode(unseen(drawing), true));
  }

  function clear(figure) {
    for (const one of figure.querySelectorAll(".marks, .tip")) one.remove();
  }

  const imageOf = (figure) => figure.querySelector("picture:not([hidden]) img");
  const marksOf = (figure) => [...figure.querySelectorAll(".marks :has(> title)")];

  // The words of a mark above it, for readers without a pointer that can rest on it.
  function tell(figure, mark) {
    const told = figure.querySelector(".tip") ?? figure.appendChild(document.createElement("output"));
    told.className = "tip";
    told.hidden = !mark;
    if (!mark) return;
    told.value = mark.querySelector(":scope > title").textContent;
    const box = mark.getBoundingClientRect(), frame = figure.getBoundingClientRect();
    const middle = box.x + box.width / 2 - frame.x, half = told.offsetWidth / 2;
    told.style.left = Math.max(half, Math.min(frame.width - half, middle)) + "px";
    told.style.top = Math.max(told.offsetHeight, box.y - frame.y) + "px";
    told.style.setProperty("--at", middle - parseFloat(told.style.left) + "px");
  }

  // The mark at a place, or the nearest one within the reach of a finger.
  function markAt(figure, x, y) {
    const found = document.elementsFromPoint(x, y).map((one) => one.closest(".marks :has(> title)")).find(Boolean);
    if (found) return found;
    const away = (box) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
    const near = marksOf(figure).map((mark) => [away(mark.getBoundingClientRect()), mark]);
    const [distance, mark] = near.reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity]);
    return distance <= FINGER ? mark : undefined;
  }

  visual.addEventListener("click", async (event) => {
    const figure = event.target.closest("figure.drawn");
    for (const other of visual.querySelectorAll("figure.drawn")) if (other !== figure) tell(other);
    const image = figure && imageOf(figure);
    if (!image || !figure.contains(event.target)) return;
    await lay(image).catch(() => { asked = ""; });
    tell(figure, markAt(figure, event.clientX, event.clientY));
  });

  visual.addEventListener("keydown", async (event) => {
    const figure = event.target, step = STEPS[event.key];
    if (!figure.matches("figure.drawn") || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    await lay(imageOf(figure)).catch(() => { asked = ""; });
    const marks = marksOf(figure);
    const at = marks.findIndex((mark) => mark.matches("[data-told]"));
    marks[at]?.removeAttribute("data-told");
    const next = marks[step(at, marks.length)];
    next?.setAttribute("data-told", "");
    tell(figure, next);
  });

  function begin() {
    for (const figure of visual.querySelectorAll("figure.drawn:not([data-unfolds])")) {
      figure.tabIndex = 0;
      figure.setAttribute("aria-label", "Chart: the left and right arrow keys read its values");
    }
  }

  visual.addEventListener("pointerover", (event) => {
    if (event.target.matches("figure.drawn img")) lay(event.target).catch(() => { asked = ""; });
  });
  visual.addEventListener("focusout", (event) => {
    if (event.target.matches("figure.drawn")) tell(event.target);
  });
  // Another picture, such as for another width, needs a new overlay.
  visual.addEventListener("load", (event) => {
    if (!event.target.matches("figure.drawn img")) return;
    asked = "";
    clear(event.target.closest("figure"));
  }, true);
  visual.addEventListener("renewed", begin);
  begin();
})();
