// The page of a document, with scripts: it marks the current section, and shows slides one by one.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const MARGIN = 120;
  const SWIPE = 45;
  // Print all slides.
  const AWAY = new CSSStyleSheet();
  AWAY.replaceSync(`@media screen {
    [data-away] { display: none !important }
    .alone > .sheet { margin: 0 !important; counter-reset: slide var(--before) }
  }`);
  let outline = [];
  let drawing = false;
  let all = false;
  let current = 0;

  const part = (name) => visual.querySelector(name);
  const root = () => part(".leaf")?.shadowRoot;
  const sheets = () => [...(root()?.querySelectorAll("section.sheet") ?? [])];
  const entries = () => [...visual.querySelectorAll(".outline a, .slide-list a")];

  function mark(fragment) {
    for (const link of entries()) {
      if (link.hash === "#" + fragment) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
    const shown = part("nav.outline [aria-current]");
    const list = part("nav.outline");
    if (!shown || list.scrollHeight <= list.clientHeight) return;
    const off = shown.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (off < 0 || off > list.clientHeight - 40) list.scrollTop += off - list.clientHeight / 2;
  }

  // The current section is that of the last heading above the upper part of the window.
  function follow() {
    drawing = false;
    let found = outline[0];
    for (const one of outline) {
      if (one.getBoundingClientRect().top > MARGIN) break;
      found = one;
    }
    const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    if (end && outline.length && outline.at(-1).getBoundingClientRect().top < innerHeight) found = outline.at(-1);
    if (found) mark(found.id);
  }

  function scrolled() {
    if (drawing || !outline.length) return;
    drawing = true;
    requestAnimationFrame(follow);
  }

  // The slide that the address names: its number, or one with a heading.
  function named() {
    const fragment = decodeURIComponent(location.hash.slice(1));
    const place = fragment && root()?.querySelector(`slot[name="${CSS.escape(fragment)}"]`);
    const found = place ? sheets().indexOf(place.closest("section.sheet")) : Number(fragment) - 1;
    return sheets()[found] ? found : -1;
  }

  function show(index, { said = true } = {}) {
    const slides = sheets();
    current = Math.min(Math.max(index, 0), slides.length - 1);
    slides.forEach((slide, place) => slide.toggleAttribute("data-away", !all && place !== current));
    const body = root().querySelector(".body");
    body.classList.toggle("alone", !all);
    body.style.setProperty("--before", current);
    root().querySelector(".endnotes")?.toggleAttribute("data-away", !all);
    part("[data-number]").textContent = current + 1;
    part('[data-go="previous"]').disabled = current === 0;
    part('[data-go="next"]').disabled = current === slides.length - 1;
    mark(String(current + 1));
    if (said) history.replaceState(null, "", "#" + (current + 1));
    if (all) slides[current].scrollIntoView({ block: "nearest" });
  }

  function toggleAll() {
    all = !all;
    part('[data-go="all"]').setAttribute("aria-pressed", all);
    show(current);
  }

  function toggleWhole() {
    if (document.fullscreenElement) document.exitFullscreen();
    else part(".stage").requestFullscreen?.().then(() => part(".stage").focus());
  }

  const DEEDS = {
    previous: () => show(current - 1), next: () => show(current + 1), all: toggleAll, whole: toggleWhole,
    first: () => show(0), last: () => show(Infinity),
  };
  const KEYS = {
    ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next",
    ArrowLeft: "previous", ArrowUp: "previous", PageUp: "previous", Home: "first", End: "last", f: "whole", F: "whole",
  };

  // Keys move between slides while nothing else on the page has the focus.
  function pressed(event) {
    const stage = part(".stage");
    const at = document.activeElement;
    const own = at === document.body || at.id === "main" || (stage?.contains(at) && !at.matches("button"));
    if (!stage || !own || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.composedPath()[0].matches?.(".scroll") && event.key.startsWith("Arrow")) return;
    const deed = event.key === " " && event.shiftKey ? "previous" : KEYS[event.key];
    if (!deed) return;
    event.preventDefault();
    DEEDS[deed]();
  }

  function swiped(stage) {
    let start = null;
    stage.addEventListener("touchstart", (event) => { start = event.touches.length === 1 ? event.touches[0] : null; }, { passive: true });
    stage.addEventListener("touchend", (event) => {
      if (!start || all) return;
      const x = event.changedTouches[0].clientX - start.clientX;
      const y = event.changedTouches[0].clientY - start.clientY;
      if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) DEEDS[x < 0 ? "next" : "previous"]();
    });
  }

  function begin() {
    const stage = part(".stage");
    outline = stage ? [] : [...visual.querySelectorAll("nav.outline a")]
      .map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))).filter(Boolean);
    scrolled();
    if (!stage || !sheets().length) return;
    root().adoptedStyleSheets = [AWAY];
    part(".slide-bar").hidden = false;
    for (const button of part(".slide-bar").children) {
      if (button.dataset.go) button.addEventListener("click", () => DEEDS[button.dataset.go]());
    }
    part('[data-go="whole"]').hidden = !document.fullscreenEnabled;
    part('[data-go="all"]').setAttribute("aria-pressed", all);
    swiped(stage);
    show(named() < 0 ? current : named(), { said: false });
  }

  addEventListener("scroll", scrolled, { passive: true });
  addEventListener("resize", scrolled);
  addEventListener("hashchange", () => { if (part(".stage") && named() >= 0) show(named(), { said: false }); });
  document.addEventListener("keydown", pressed);
  visual.addEventListener("renewed", begin);
  begin();
})();
