// What home adds where scripts run: it shows what is new while somebody looks at it.
"use strict";

(() => {
  const SHORTEST = 4000, LONGEST = 60000;
  const EVENTS = "/ws/?EIO=4&transport=websocket", ALL = '42["subscribe_events",{"subscription":"/*"}]';
  const shown = document.getElementById("home");
  const bell = () => document.querySelector('.tools a[href="/notices"]');
  let known = "", wait = SHORTEST, timer = 0, looked = 0, socket = null;

  // Nothing is taken away under the hands of whoever is at work on it, or marks words.
  function busy() {
    const marked = getSelection();
    return shown.contains(document.activeElement) || document.querySelector("dialog[open], :popover-open") ||
      (!marked.isCollapsed && shown.contains(marked.anchorNode));
  }

  // True where something was new or has to wait; null where there is no home any more, as nobody is signed in.
  async function look() {
    looked = Date.now();
    const answer = await fetch("/", { headers: { Accept: "text/html" } });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("home");
    if (answer.redirected || !fresh) return null;
    // How long ago a moment was is no news.
    const said = fresh.innerHTML.replace(/>[^<]*<\/time>/g, "></time>");
    if (said === known) return false;
    if (busy()) return true;
    const isNews = known !== "";
    known = said;
    shown.replaceChildren(...fresh.childNodes);
    const present = bell(), rung = page.querySelector('.tools a[href="/notices"]');
    if (present && rung) present.replaceChildren(...rung.childNodes);
    document.title = page.title;
    return isNews;
  }

  // Invitations are no events; where no events come, home asks more often while there is news.
  async function again() {
    clearTimeout(timer);
    if (document.visibilityState === "visible") {
      const news = await look().catch(() => false);
      if (news === null) return leave();
      wait = news ? SHORTEST : socket ? LONGEST : Math.min(wait * 1.5, LONGEST);
      listen();
    }
    clearTimeout(timer);
    timer = setTimeout(again, wait);
  }

  // However much happens, home is asked for once in a while only.
  function hear() {
    clearTimeout(timer);
    timer = setTimeout(again, Math.max(looked + SHORTEST - Date.now(), 0));
  }

  // Engine.IO: 0 opens, 2 is a ping and 3 its answer; Socket.IO: 40 joins, and 42 is an event.
  function listen() {
    if (socket || document.visibilityState !== "visible") return;
    const opened = socket = new WebSocket(location.origin.replace(/^http/, "ws") + EVENTS);
    opened.onmessage = ({ data }) => {
      if (data === "2") opened.send("3");
      else if (data.startsWith("0")) opened.send("40");
      else if (data.startsWith('42["connected"')) { opened.send(ALL); hear(); }
      else if (data.startsWith('42["event"')) hear();
    };
    opened.onclose = () => { if (socket === opened) socket = null; };
  }

  function leave() {
    socket?.close();
    socket = null;
  }

  timer = setTimeout(again, wait);
  listen();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return leave();
    wait = SHORTEST;
    listen();
    again();
  });
})();
