// What scripts add to editors: a preview of what is typed, a draft in this browser, keys, and a line on its state.
"use strict";

(() => {
  const WAIT = 400;
  const form = document.querySelector("form[data-editor]");
  if (!form) return;
  const state = form.querySelector(".state");
  const shows = form.querySelector("button[formtarget]");
  const said = form.querySelector(".preview-said");
  const key = "draft:" + form.dataset.editor;
  const stored = { words: [...state.childNodes], kind: state.className };
  let changed = state.classList.contains("bad");
  let sending = false;
  let wait = 0;
  let number = 0;

  const says = (words, kind = "") => {
    state.className = "state " + kind;
    state.textContent = words;
  };

  // What was typed, by field; what it was made from stays out: the next page has its own.
  const typed = () => Object.fromEntries([...new FormData(form)].filter(([name, value]) => name.startsWith("text.") && typeof value === "string"));

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), texts: typed() }));
      says("Not saved yet; kept in this browser", "changed");
    } catch { /* storage is full or refused: the form has it all the same */ }
  }

  function drop() {
    try { localStorage.removeItem(key); } catch { /* nothing was kept */ }
  }

  // A fresh frame for each preview: one that is led on and on would fill the history of the page.
  function draw() {
    const old = form.querySelector("iframe[name^=preview]");
    if (!shows || !old || !old.getClientRects().length) return;
    const fresh = old.cloneNode();
    number += 1;
    fresh.name = "preview-" + number;
    fresh.hidden = true;
    old.after(fresh);
    for (const other of form.querySelectorAll("iframe[hidden]")) if (other !== fresh) other.remove();
    fresh.addEventListener("load", () => {
      if (!fresh.isConnected) return;
      fresh.hidden = false;
      for (const other of form.querySelectorAll("iframe[name^=preview]")) if (other !== fresh) other.remove();
      said.textContent = changed ? "What you typed; nothing is stored yet." : "As it is stored.";
    });
    shows.formTarget = fresh.name;
    form.requestSubmit(shows);
  }

  function later() {
    clearTimeout(wait);
    wait = setTimeout(() => {
      keep();
      draw();
    }, WAIT);
  }

  // A draft of another visit is offered, never put in by itself.
  function offer() {
    let draft = null;
    try { draft = JSON.parse(localStorage.getItem(key)); } catch { /* none, or none that can be read */ }
    if (!draft?.texts) return;
    const now = typed();
    if (Object.entries(draft.texts).every(([name, value]) => !(name in now) || now[name] === value)) {
      drop();
      return;
    }
    const minutes = Math.max(0, Math.round((Date.now() - draft.at) / 60000));
    const line = notice(`You had unsaved text of ${minutes < 1 ? "a moment" : minutes + (minutes === 1 ? " minute" : " minutes")} ago.`);
    line.append(button("Bring it back", () => {
      for (const [name, value] of Object.entries(draft.texts)) {
        const field = form.elements[name];
        if (field) field.value = value;
      }
      changed = true;
      line.remove();
      later();
    }), button("Drop it", () => {
      drop();
      line.remove();
    }));
  }

  function notice(words) {
    const line = document.createElement("div");
    line.className = "notice asked";
    line.setAttribute("role", "status");
    const text = document.createElement("p");
    text.textContent = words;
    line.append(text);
    form.prepend(line);
    return line;
  }

  function button(words, does) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "compact";
    made.textContent = words;
    made.addEventListener("click", does);
    return made;
  }

  // What others save is told, and never put over what is typed; saving shows both.
  function follow() {
    if (!form.dataset.follow) return;
    const source = new EventSource(form.dataset.follow);
    let first = null;
    source.onmessage = (event) => {
      const version = JSON.parse(event.data).version;
      first ??= version;
      if (version === first || sending || form.querySelector(".meanwhile")) return;
      const line = notice("Somebody changed this just now. Your text stays; saving shows both.");
      line.classList.add("meanwhile");
      const look = document.createElement("a");
      look.href = form.dataset.editor;
      look.target = "_blank";
      look.textContent = "Look";
      line.append(look);
    };
  }

  form.addEventListener("input", (event) => {
    if (event.target.name === "see") {
      if (event.target.value === "preview") setTimeout(draw);
      return;
    }
    if (!event.target.name?.startsWith("text.")) return;
    changed = true;
    says("Not saved yet", "changed");
    later();
  });
  form.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("button.primary"));
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formTarget) return;
    if (changed) keep();
    changed = false;
    sending = true;
    says("Saving…");
  });
  form.addEventListener("reset", () => {
    clearTimeout(wait);
    changed = false;
    drop();
    state.className = stored.kind;
    state.replaceChildren(...stored.words);
    setTimeout(draw);
  });
  addEventListener("beforeunload", (event) => {
    if (changed) event.preventDefault();
  });
  offer();
  follow();
  draw();
})();
