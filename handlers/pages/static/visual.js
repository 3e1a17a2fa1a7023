// What the page of a plot or a grid adds where scripts run: it shows each new version as soon as there is one.
"use strict";

(() => {
  const visual = document.getElementById("visual");
  const PATIENCE = [2000, 5000, 10000, 20000, 40000];
  const REFUSED = 30000;
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

  async function show() {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("visual");
    if (!fresh) return;
    const picture = fresh.querySelector("figure picture");
    if (picture) picture.replaceWith(await loaded(picture));
    const open = new Set([...visual.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
    visual.dataset.version = fresh.dataset.version;
    visual.replaceChildren(...fresh.childNodes);
    for (const one of visual.querySelectorAll("details > summary")) {
      if (open.has(one.textContent)) one.parentElement.open = true;
    }
    document.title = page.title;
    watch();
  }

  async function refresh() {
    if (working || wanted === visual.dataset.version) return;
    working = true;
    const aim = wanted;
    await show().catch(() => {});
    working = false;
    // Something was written meanwhile; what cannot be had is not asked for again until there is news.
    if (wanted !== aim) refresh();
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

  // A picture that did not come is asked for again, ever less often; the words in its place say so.
  function watch() {
    const image = visual.querySelector("figure img");
    const said = visual.querySelector(".undrawn");
    if (!image) return;
    let tries = 0;
    const failed = () => {
      said.hidden = false;
      if (tries < PATIENCE.length) setTimeout(again, PATIENCE[tries++]);
    };
    const again = () => {
      if (!image.isConnected) return;
      for (const source of image.parentElement.querySelectorAll("source")) {
        source.srcset = source.srcset.replace(/(&again=\d+)?$/, "&again=" + tries);
      }
      image.src = image.src.replace(/(&again=\d+)?$/, "&again=" + tries);
    };
    image.addEventListener("error", failed);
    image.addEventListener("load", () => { said.hidden = true; });
    if (image.complete && !image.naturalWidth) failed();
  }

  watch();
  if (visual.dataset.follow) {
    follow();
    document.addEventListener("visibilitychange", () => (document.hidden ? unfollow() : follow()));
  }
})();
