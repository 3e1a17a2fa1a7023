// Editors, with scripts: a preview of the input, a draft in this browser, and a status line.
"use strict";

(() => {
  const WAIT = 400;
  // Fields with the base versions of others, or with how these are shown: not the writer's input.
  const MADE_FROM = /^(base\.|etag\.|was:|type-was$|see$|as$|delimiter$)/;
  const form = document.querySelector("form[data-editor]");
  if (!form) return;
  const state = form.querySelector(".state");
  const shows = form.querySelector("button[formtarget]");
  const said = form.querySelector(".preview-said");
  const drawing = form.querySelector("[data-preview]");
  const key = "draft:" + form.dataset.writer + ":" + form.dataset.editor;
  const stored = { words: [...state.childNodes], kind: state.className };
  const refused = /\bbad\b/.test(stored.kind);
  const unsaved = refused || /\bchanged\b/.test(stored.kind);
  let changed = unsaved;
  let sending = false;
  let wait = 0;
  let number = 0;
  let asked = null;
  form.classList.add("scripted");

  const says = (words, kind = "") => {
    state.className = "state " + kind;
    state.textContent = words;
  };

  // The input of the form with its base versions, without secrets: enough to show it again.
  const isText = (one) => one.name && one.name !== "token" && !one.disabled
    && !["password", "file", "submit", "button", "fieldset"].includes(one.type)
    && (!["checkbox", "radio"].includes(one.type) || one.checked);
  const fields = () => [...form.elements].filter(isText).map((one) => [one.name, one.value]);
  const typed = (all) => JSON.stringify(all.filter(([name]) => !MADE_FROM.test(name)));
  const first = typed(fields());

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields: fields() }));
      says((refused ? "Not saved" : "Not saved yet") + "; kept in this browser", refused ? "bad" : "changed");
    } catch { /* storage is full or denied: the form still has the input */ }
  }

  function drop() {
    try { localStorage.removeItem(key); } catch { /* nothing was kept */ }
  }

  function rests() {
    changed = unsaved;
    state.className = stored.kind;
    state.replaceChildren(...stored.words);
    if (unsaved) keep();
    else drop();
  }

  // Request one picture at a time, of the present input.
  async function drawPicture() {
    asked?.abort();
    asked = new AbortController();
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const mode = document.documentElement.dataset.look || system;
    const width = Math.min(1200, Math.max(Number(drawing.dataset.least) || 320, Math.round(drawing.clientWidth - 24)));
    const notes = form.querySelector(".preview-notes");
    drawing.classList.add("stale");
    said.textContent = "Drawing…";
    const answer = await fetch(drawing.dataset.preview + "?mode=" + mode + "&width=" + width, {
      method: "POST", body: new FormData(form), signal: asked.signal, headers: { Accept: "application/json" },
    }).catch((error) => (error.name === "AbortError" ? undefined : null));
    if (answer === undefined) return;
    const told = answer?.ok && answer.headers.get("Content-Type") === "application/json" ? await answer.json() : null;
    if (!told) {
      said.textContent = "No preview is available now. Your input is kept here.";
    } else if (told.trouble) {
      said.textContent = told.trouble;
    } else {
      const image = new Image();
      image.alt = "Preview of what you typed";
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(told.body);
      await image.decode().catch(() => {});
      drawing.querySelector("picture, img, .blank").replaceWith(image);
      drawing.classList.remove("stale");
      said.textContent = changed ? "Drawn from what you typed; nothing is stored yet." : "The stored version.";
    }
    notes.replaceChildren(...(told?.log ?? []).map((note) => Object.assign(document.createElement("li"), { textContent: note })));
    notes.hidden = !notes.children.length;
    if (told) form.dispatchEvent(new CustomEvent("drawn", { detail: told }));
  }

  // Use a new frame for each preview: navigation within one frame would fill the history of the page.
  function drawFrame() {
    const old = form.querySelector("iframe[name^=preview]");
    if (!old?.getClientRects().length) return;
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
      said.textContent = changed ? "What you typed; nothing is stored yet." : "The stored version.";
    });
    shows.formTarget = fresh.name;
    form.requestSubmit(shows);
  }

  function draw() {
    if (drawing) drawPicture();
    else if (shows) drawFrame();
  }

  function later() {
    clearTimeout(wait);
    wait = setTimeout(() => {
      if (!unsaved && typed(fields()) === first) rests();
      else keep();
      draw();
    }, WAIT);
  }

  // Offer the draft of an earlier visit, but do not insert it automatically. It is restored with its base versions:
  // a save then detects what others wrote since.
  function offer() {
    let draft = null;
    try { draft = JSON.parse(localStorage.getItem(key)); } catch { /* none, or none that can be read */ }
    if (!Array.isArray(draft?.fields)) return;
    if (typed(draft.fields) === first) {
      drop();
      return;
    }
    const minutes = Math.max(0, Math.round((Date.now() - draft.at) / 60000));
    const line = notice(`You have an unsaved draft from ${minutes < 1 ? "a moment" : minutes + (minutes === 1 ? " minute" : " minutes")} ago.`);
    line.append(button("Restore draft", () => bringBack(draft.fields)), button("Discard draft", () => {
      drop();
      line.remove();
    }));
  }

  function bringBack(draft) {
    const sent = Object.assign(document.createElement("form"), { method: "post", enctype: "multipart/form-data", hidden: true });
    sent.setAttribute("action", form.getAttribute("action"));
    for (const [name, value] of [["token", form.elements.token.value], ...draft, ["do", "edit"]]) {
      const field = document.createElement("textarea");
      field.name = name;
      field.value = value;
      sent.append(field);
    }
    document.body.append(sent);
    changed = false;
    sent.submit();
  }

  function notice(words) {
    const line = document.createElement("div");
    line.className = "notice asked";
    line.setAttribute("role", "status");
    line.append(Object.assign(document.createElement("p"), { textContent: words }));
    form.prepend(line);
    return line;
  }

  function button(words, does) {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "compact", textContent: words });
    made.addEventListener("click", does);
    return made;
  }

  // Report what others save, but do not replace the input; saving shows both.
  function follow() {
    if (!form.dataset.follow) return;
    const source = new EventSource(form.dataset.follow);
    let known = null;
    source.onmessage = (event) => {
      const version = JSON.parse(event.data).version;
      known ??= version;
      if (version === known || sending || form.querySelector(".meanwhile")) return;
      const line = notice("Somebody changed this just now. Your text stays; saving shows both.");
      line.classList.add("meanwhile");
      line.append(Object.assign(document.createElement("a"), { href: form.dataset.page, target: "_blank", textContent: "Look" }));
    };
  }

  form.addEventListener("input", (event) => {
    if (event.target.name === "see") {
      if (event.target.value === "preview") setTimeout(draw);
      return;
    }
    if (event.target.name === "type-word") form.querySelector("[name=type][value=other]").checked = true;
    changed = true;
    says("Not saved yet", "changed");
    later();
  });
  form.addEventListener("click", (event) => {
    if (!drawing || event.target.closest("button") !== shows) return;
    event.preventDefault();
    draw();
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formTarget) return;
    if (changed) keep();
    // The page that reports the save deletes the draft: see frame.js.
    try { sessionStorage.setItem("sent", key); } catch { /* the draft is offered once more */ }
    changed = false;
    sending = true;
    if (event.submitter?.name !== "do") says("Saving…");
  });
  form.addEventListener("reset", () => {
    clearTimeout(wait);
    setTimeout(() => {
      rests();
      draw();
    });
  });
  addEventListener("beforeunload", (event) => {
    if (changed) event.preventDefault();
  });
  // Store the input of a page that the server shows again before more is typed.
  if (unsaved) keep();
  else offer();
  follow();
  // Request a preview if the picture did not load, such as while the renderer is busy.
  const image = drawing?.querySelector("img");
  if (drawing?.querySelector(".blank:not(.begun)")) return;
  if (unsaved || !image || (image.complete && !image.naturalWidth)) draw();
  else image.addEventListener("error", draw);
})();
