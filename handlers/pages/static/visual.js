// The page of a plot, grid or document, with scripts: it shows each new version as soon as there is one.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const PATIENCE = [2000, 5000, 10000, 20000, 40000];
  const REFUSED = 30000;
  const NONCE = document.currentScript.nonce;
  let working = false;
  let wanted = "";
  let source = null;

  // The picture that this window would choose, loaded before it is shown, so that nothing flickers or moves.
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

  // Render a changed document with a request for the file itself, whose queue is limited.
  async function setPage() {
    const page = await answered();
    const unset = page.getElementById("visual").dataset.unset;
    if (unset === undefined) return page;
    const made = await fetch(unset, { method: "HEAD" });
    const now = made.ok && await answered();
    if (!now || now.getElementById("visual").dataset.unset !== undefined) throw new Error("it is not set yet");
    return now;
  }

  // Build the shadow tree of a document with its pictures before it is shown; only this page's nonce is allowed.
  async function tree(template) {
    const content = document.importNode(template.content, true);
    for (const style of content.querySelectorAll("style")) style.nonce = NONCE;
    await Promise.all([...content.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
    return content;
  }

  // Keep the text that is read at its position in the window, whatever changes above it.
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

  // Ask again until the document is rendered, less and less often.
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
    // Continue with a version that was written meanwhile. After a failure, retry only for a document: its page shows
    // the last version until then.
    if (wanted !== aim) refresh();
    else if (wanted !== visual.dataset.version && visual.querySelector(".leaf") && tries < PATIENCE.length) {
      setTimeout(() => refresh(tries + 1), PATIENCE[tries]);
    }
  }

  // Only while the page is visible: connections are limited, in the browser and on the server.
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

  // Retry later if there are too many connections; reload if the reader may no longer see the page.
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
