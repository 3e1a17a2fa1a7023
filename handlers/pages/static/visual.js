// What the page of a plot, grid or document adds where scripts run: it shows each new version as soon as there is one.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const PATIENCE = [2000, 5000, 10000, 20000, 40000];
  const REFUSED = 30000;
  const NONCE = document.currentScript.nonce;
  let working = false;
  let wanted = "";
  let source = null;

  // The picture that this window would choose, loaded before it is shown: nothing flickers, nothing jumps.
  async function loaded(picture) {
    const copy = document.importNode(picture, true);
    const image = copy.querySelector("img");
    image.loading = "eager";
    await image.decode().catch(() => {});
    return copy;
  }

  async function answered() {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw new Error("the page is not there");
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  // A document that was written since anybody read it is set first, by the file itself: only so many may wait there.
  async function setPage() {
    const page = await answered();
    const unset = page.getElementById("visual").dataset.unset;
    if (unset === undefined) return page;
    const made = await fetch(unset, { method: "HEAD" });
    const now = made.ok && await answered();
    if (!now || now.getElementById("visual").dataset.unset !== undefined) throw new Error("it is not set yet");
    return now;
  }

  // The shadow tree of a document, with its pictures, before it is shown; the policy knows this page's nonce alone.
  async function tree(template) {
    const content = document.importNode(template.content, true);
    for (const style of content.querySelectorAll("style")) style.nonce = NONCE;
    await Promise.all([...content.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
    return content;
  }

  // The place that is read stays where it is in the window, whatever is written above it.
  function placed() {
    const places = [...visual.querySelectorAll(".leaf > [id]")];
    const above = places.filter((one) => one.getBoundingClientRect().top < innerHeight / 3);
    const at = above.at(-1);
    return at && { id: at.id, top: at.getBoundingClientRect().top };
  }

  async function show() {
    const page = await setPage();
    const fresh = page.getElementById("visual");
    const picture = fresh.querySelector("figure picture");
    if (picture) picture.replaceWith(await loaded(picture));
    const template = fresh.querySelector("template[shadowrootmode]");
    const content = template && await tree(template);
    template?.remove();
    const open = new Set([...visual.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
    const mark = placed();
    const focused = document.activeElement?.matches(".stage");
    visual.dataset.version = fresh.dataset.version;
    delete visual.dataset.unset;
    visual.replaceChildren(...fresh.childNodes);
    if (content) visual.querySelector(".leaf").attachShadow({ mode: "open" }).append(content);
    for (const one of visual.querySelectorAll("details > summary")) {
      if (open.has(one.textContent)) one.parentElement.open = true;
    }
    document.title = page.title;
    visual.dispatchEvent(new Event("renewed"));
    const place = mark && document.getElementById(mark.id);
    if (place && scrollY > 0) scrollBy(0, place.getBoundingClientRect().top - mark.top);
    if (focused) visual.querySelector(".stage")?.focus({ preventScroll: true });
  }

  // What is not set yet is asked for again, ever less often.
  async function begin(tries = 0) {
    await show().catch(() => {
      const said = visual.querySelector(".undrawn-words");
      if (said) said.hidden = false;
      if (tries < PATIENCE.length) setTimeout(() => begin(tries + 1), PATIENCE[tries]);
    });
  }

  async function refresh(tries = 0) {
    if (working || wanted === visual.dataset.version) return;
    working = true;
    const aim = wanted;
    await show().catch(() => {});
    working = false;
    // Something was written meanwhile; else what cannot be had is not asked for again until there is news, but for
    // a document, of which the page shows the last version until then.
    if (wanted !== aim) refresh();
    else if (wanted !== visual.dataset.version && visual.querySelector(".leaf") && tries < PATIENCE.length) {
      setTimeout(() => refresh(tries + 1), PATIENCE[tries]);
    }
  }

  // Only while somebody looks: a browser has few connections to a host, and so has the host to all.
  function follow() {
    if (source || document.visibilityState !== "visible") return;
    source = new EventSource(visual.dataset.follow);
    source.onmessage = (event) => {
      wanted = JSON.parse(event.data).version;
      refresh();
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      source = null;
      refused().catch(() => setTimeout(follow, REFUSED));
    };
  }

  // As many look on as may, which passes; or the page is not this visitor's any more, which it then is told.
  async function refused() {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (answer.redirected || answer.status === 404) location.reload();
    else setTimeout(follow, REFUSED);
  }

  function unfollow() {
    source?.close();
    source = null;
  }

  if (visual.dataset.unset !== undefined) begin();
  if (visual.dataset.follow) {
    follow();
    document.addEventListener("visibilitychange", () => (document.hidden ? unfollow() : follow()));
  }
})();
