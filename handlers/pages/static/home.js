// What home adds where scripts run: it shows what is new while somebody looks at it.
"use strict";

(() => {
  const SHORTEST = 4000, LONGEST = 60000;
  const shown = document.getElementById("home");
  const bell = () => document.querySelector('.tools a[href="/notices"]');
  let known = "", wait = SHORTEST, timer = 0;

  // Nothing is taken away under the hands of whoever is at work on it, or marks words.
  function busy() {
    const marked = getSelection();
    return shown.contains(document.activeElement) || document.querySelector("dialog[open], :popover-open") ||
      (!marked.isCollapsed && shown.contains(marked.anchorNode));
  }

  // True where something was new; null where there is no home any more, as nobody is signed in.
  async function look() {
    const answer = await fetch("/", { headers: { Accept: "text/html" } });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("home");
    if (answer.redirected || !fresh) return null;
    // How long ago a moment was is no news.
    const said = fresh.innerHTML.replace(/>[^<]*<\/time>/g, "></time>");
    if (said === known || busy()) return false;
    const isNews = known !== "";
    known = said;
    shown.replaceChildren(...fresh.childNodes);
    const present = bell(), rung = page.querySelector('.tools a[href="/notices"]');
    if (present && rung) present.replaceChildren(...rung.childNodes);
    document.title = page.title;
    return isNews;
  }

  async function again() {
    clearTimeout(timer);
    if (document.visibilityState === "visible") {
      const news = await look().catch(() => false);
      if (news === null) return;
      wait = news ? SHORTEST : Math.min(wait * 1.5, LONGEST);
    }
    timer = setTimeout(again, wait);
  }

  timer = setTimeout(again, wait);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    wait = SHORTEST;
    again();
  });
})();
