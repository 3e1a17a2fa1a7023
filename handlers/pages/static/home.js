// The home page, with scripts: it shows news while it is visible.
"use strict";

(() => {
  const SHORTEST = 4000, LONGEST = 60000;
  const EVENTS = "/ws/?EIO=4&transport=websocket", ALL = '42["subscribe_events",{"subscription":"/*"}]';
  const shown = document.getElementById("home");
  const bell = () => document.querySelector('.tools a[href="/notices"]');
  let known = "", wait = SHORTEST, timer = 0, looked = 0, socket = null;

  // Replace nothing while the reader uses it or selects text.
  function busy() {
    const marked = getSelection();
    return shown.contains(document.activeElement) || document.querySelector("dialog[open], :popover-open") ||
      (!marked.isCollapsed && shown.contains(marked.anchorNode));
  }

  // Return true if there was news or it has to wait; null if the reader is no longer signed in.
  async function look() {
    looked = Date.now();
    const answer = await fetch("/", { headers: { Accept: "text/html" } });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("home");
    if (answer.redirected || !fresh) return null;
    // A changed relative time is not news.
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

  // Invitations are not events; without events, ask more often while there is news.
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

  // Limit the rate of requests, however many events arrive.
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
