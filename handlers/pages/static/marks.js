// Values under the pointer: over the drawing lies the same one once more, unseen, and its marks have titles.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const DRAWN = "svg, g, defs, clipPath, path, rect, circle, ellipse, line, polyline, polygon, text, tspan, title, a";
  const SAFE = /^(https?|mailto):/, REFUSED = /^(on|xlink:|style$|tabindex$|role$)/i;
  // The policy of the page refuses these, and says so in the console: its typefaces are not needed here.
  const STYLES = /<style[\s>][^]*?<\/style>| style="[^"]*"/g;
  let asked = "";

  // Only what draws: the picture is shown by the browser as it is, this is for the pointer alone.
  function unseen(drawing) {
    // What the whole picture shows, and each plot of a grid, is told by the page.
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
    image.closest("figure").querySelector(".marks")?.remove();
    image.parentElement.after(document.importNode(unseen(drawing), true));
  }

  visual.addEventListener("pointerover", (event) => {
    if (event.target.matches("figure.drawn img")) lay(event.target).catch(() => { asked = ""; });
  });
  // Another picture, as that of another width: what lies over it is of the one before.
  visual.addEventListener("load", (event) => {
    if (!event.target.matches("figure.drawn img")) return;
    asked = "";
    event.target.closest("figure").querySelector(".marks")?.remove();
  }, true);
})();
