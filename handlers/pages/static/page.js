// Pages, with scripts: they are kept up to date, follow the log, and copy commands.
"use strict";

const KEPT = 2000;
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeZone: document.documentElement.dataset.zone, timeStyle: "medium" });
const standing = document.getElementById("standing");
const log = document.querySelector("ol.log");

function line(entry) {
  const row = document.createElement("li");
  row.className = "l-" + entry.severity;
  const time = document.createElement("time");
  time.dateTime = entry.log_time;
  time.textContent = CLOCK.format(new Date(entry.log_time));
  const said = document.createElement("span");
  said.textContent = entry.message;
  row.append(time, said);
  return row;
}

let source = null;
let begun = false;

// The stream of the log while the run is active; if it is refused, the page's own lines are shown instead.
function follow() {
  const live = ["processing", "canceling"].includes(standing.dataset.status);
  if (standing.dataset.status === "waiting" && source) {
    source.close();
    source = null;
  }
  if (!live || source || !log) return;
  begun = false;
  source = new EventSource(log.dataset.follow);
  source.onmessage = (event) => {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    // The first event replaces the log; a new connection continues where the last one ended.
    if (!begun) log.replaceChildren();
    begun = true;
    document.querySelector(".nothing")?.remove();
    log.append(line(JSON.parse(event.data)));
    while (log.childElementCount > KEPT) log.firstElementChild.remove();
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) source = null;
  };
  source.addEventListener("end", () => {
    source.close();
    refresh();
  });
}

// Whether the reader is using the page: it is then not replaced.
function busy() {
  const at = document.activeElement;
  const typed = [...standing.querySelectorAll("textarea, input:not([type=file])")]
    .some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked);
  const chosen = [...standing.querySelectorAll("input[type=file]")].some((one) => one.files.length);
  const asked = standing.querySelector("details.asks[open]") !== null;
  return typed || chosen || asked || (standing.contains(at) && at.matches("input, textarea, button"));
}

function show(fresh) {
  const open = new Set([...standing.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  standing.dataset.status = fresh.dataset.status;
  standing.replaceChildren(...fresh.childNodes);
  for (const one of standing.querySelectorAll("details > summary")) {
    if (open.has(one.textContent)) one.parentElement.open = true;
  }
}

async function refresh() {
  const streamed = source !== null;
  const answer = await fetch(location.pathname + (streamed ? "?log=no" : ""), { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("standing");
  if (!fresh || (busy() && fresh.dataset.status === standing.dataset.status)) return;
  show(fresh);
  document.title = page.title;
  const lines = page.querySelector("ol.log");
  if (!streamed && lines && log) log.replaceChildren(...lines.childNodes);
  follow();
}

function again(wait) {
  if (!["processing", "canceling", "waiting"].includes(standing.dataset.status)) return;
  const pause = standing.dataset.status === "waiting" ? Math.max(wait, 3000) : wait;
  setTimeout(async () => {
    if (document.visibilityState === "visible") await refresh().catch(() => {});
    again(Math.min(wait * 1.25, 5000));
  }, pause);
}

function copying(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy link";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy: " + block.querySelector("dt").textContent);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.querySelector("dd").append(button);
}

// A picture hides the words behind it. If it does not load, they say why, and retries become less frequent.
const PATIENCE = [2000, 5000, 10000, 20000, 40000];
const words = (image) => image.closest?.(".thumb")?.querySelector(".undrawn");

function drawn(image) {
  words(image).hidden = true;
}

async function undrawn(image) {
  const tries = Number(image.dataset.tries || 0), said = words(image);
  image.dataset.tries = tries + 1;
  const told = await fetch(image.currentSrc).then((answer) => (answer.ok ? {} : answer.json())).catch(() => ({}));
  said.textContent = "It cannot be drawn just now" + (told.detail ? ": " + told.detail : "; it is tried again.");
  said.hidden = false;
  if (tries < PATIENCE.length) setTimeout(() => askAgain(image, tries), PATIENCE[tries]);
}

function retried(address, tries) {
  return address.replace(/(&again=\d+)?$/, "&again=" + tries);
}

function askAgain(image, tries) {
  for (const one of image.parentElement?.querySelectorAll("source") || []) one.srcset = retried(one.srcset, tries);
  image.src = retried(image.src, tries);
}

function settle() {
  for (const image of document.querySelectorAll(".thumb img")) {
    if (image.complete) (image.naturalWidth ? drawn : undrawn)(image);
  }
}

settle();
document.addEventListener("load", (event) => { if (words(event.target)) drawn(event.target); }, true);
document.addEventListener("error", (event) => { if (words(event.target)) undrawn(event.target); }, true);
document.addEventListener("renewed", settle, true);

if (standing) {
  follow();
  again(1000);
}
if (navigator.clipboard) document.querySelectorAll(".commands > div").forEach(copying);
