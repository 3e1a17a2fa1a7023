// What the pages of repos, spaces and jobs add where scripts run: renewal while something is built, files that are
// dropped, and the state of a text that is typed.
"use strict";

(() => {
  const renewed = document.getElementById("renewed");

  // A page of builds shows what is new while something is built.
  async function renew(wait) {
    if (renewed.dataset.live !== "yes") return;
    await new Promise((done) => { setTimeout(done, wait); });
    if (document.visibilityState === "visible" && !renewed.contains(document.activeElement?.closest("button"))) {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
      if (answer?.ok && !answer.redirected) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("renewed");
        const log = renewed.querySelector("ol.log");
        const atEnd = !log || log.scrollHeight - log.scrollTop - log.clientHeight < 40;
        const at = log?.scrollTop;
        if (fresh) {
          renewed.dataset.live = fresh.dataset.live;
          renewed.replaceChildren(...fresh.childNodes);
          const now = renewed.querySelector("ol.log");
          if (now) now.scrollTop = atEnd ? now.scrollHeight : at;
        }
      }
    }
    renew(Math.min(wait * 1.25, 5000));
  }

  // Files that are dropped are those of the form, which works without scripts, too. Folders are chosen, not dropped.
  function dropping(form) {
    const field = form.querySelector("input[name=file]");
    form.querySelector("[data-drop-words]").textContent = "Drop files here, or choose them";
    for (const word of ["dragover", "dragenter"]) {
      form.addEventListener(word, (event) => {
        event.preventDefault();
        form.classList.add("over");
      });
    }
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      form.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      field.files = event.dataTransfer.files;
      form.requestSubmit();
    });
    form.addEventListener("submit", () => { form.querySelector("button").textContent = "Uploading…"; });
  }

  // The lines of a chain are numbered as they are typed, and it is checked: one request at a time, the newest text last.
  function checking(form) {
    const text = form.querySelector(".code-edit textarea");
    const numbers = form.querySelector("[data-numbers]");
    let timer = 0;
    let asked = null;

    function number() {
      const lines = text.value.split("\n").length;
      while (numbers.childElementCount > lines) numbers.lastElementChild.remove();
      while (numbers.childElementCount < lines) {
        numbers.append(Object.assign(document.createElement("li"), { textContent: numbers.childElementCount + 1 }));
      }
      text.rows = Math.min(Math.max(lines + 1, 6), 40);
    }

    function show(page) {
      const now = document.getElementById("checked");
      const fresh = page.getElementById("checked");
      if (!fresh) return;
      // The last drawing stays while the text is wrong.
      const drawing = now.querySelector(".chain");
      if (drawing && !fresh.querySelector(".chain")) {
        fresh.querySelector(":scope > p.quiet")?.remove();
        fresh.append(drawing);
      }
      now.replaceChildren(...fresh.childNodes);
      const wrong = Number(now.querySelector("[data-wrong]")?.dataset.wrong || 0);
      [...numbers.children].forEach((one, at) => one.classList.toggle("bad", at + 1 === wrong));
      text.toggleAttribute("aria-invalid", wrong > 0);
      if (wrong) text.setAttribute("aria-invalid", "true");
      for (const id of ["when", "when-words"]) {
        document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
      }
    }

    async function check() {
      asked?.abort();
      asked = new AbortController();
      const sent = new FormData(form);
      sent.set("do", "check");
      const answer = await fetch(location.pathname, { method: "POST", body: sent, signal: asked.signal, headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
    }

    for (const one of form.querySelectorAll("[data-live]")) {
      one.addEventListener("input", () => {
        number();
        clearTimeout(timer);
        timer = setTimeout(() => check().catch(() => {}), 400);
      });
    }
    form.addEventListener("reset", () => setTimeout(() => { number(); check().catch(() => {}); }));
    text.addEventListener("scroll", () => { numbers.scrollTop = text.scrollTop; });
  }

  // What was typed and not saved is kept in this browser, never secrets, and offered on the next visit.
  function drafting(form, fields, isOther) {
    const key = "draft:" + location.pathname;
    const kept = fields.filter((one) => one.type !== "password" && one.type !== "file" && one.name);
    const values = () => kept.filter(isOther).map((one) => [one.name, one.value, one.checked]);
    const store = {
      read() { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
      write(draft) { try { localStorage.setItem(key, JSON.stringify(draft)); } catch { /* refused: nothing is kept */ } },
      drop() { try { localStorage.removeItem(key); } catch { /* nothing was kept */ } },
    };

    function bringBack(draft) {
      for (const [name, value, checked] of draft) {
        for (const one of kept.filter((field) => field.name === name)) {
          if (one.type === "checkbox") one.checked = checked;
          else if (one.type === "radio") one.checked = one.value === value && checked || one.checked && one.value !== value;
          else one.value = value;
        }
      }
      form.dispatchEvent(new Event("input", { bubbles: true }));
      kept.filter((one) => "live" in one.dataset).forEach((one) => one.dispatchEvent(new Event("input")));
    }

    function offer(draft) {
      const line = document.createElement("div");
      line.className = "notice saved";
      const said = document.createElement("p");
      said.textContent = "You had unsaved text here.";
      const acts = [["Bring it back", () => bringBack(draft)], ["Drop it", store.drop]].map(([words, act]) => {
        const button = Object.assign(document.createElement("button"), { type: "button", className: "compact", textContent: words });
        button.addEventListener("click", () => { act(); line.remove(); });
        return button;
      });
      line.append(said, ...acts);
      form.before(line);
    }

    const isNews = ([name, value, checked]) => kept.some((one) => one.name === name
      && (["checkbox", "radio"].includes(one.type) ? one.value === value && one.checked !== checked : one.value !== value));
    const draft = store.read();
    if (document.querySelector("main > .saved[role=status]")) store.drop();
    else if (Array.isArray(draft) && draft.some(isNews)) offer(draft);
    return { keep: () => (kept.some(isOther) ? store.write(values()) : store.drop()), drop: store.drop };
  }

  // Ctrl+S saves, and the state of the text stands beside the button.
  function typing(form) {
    const state = form.querySelector("[data-state]");
    const fields = [...form.querySelectorAll("textarea, input:not([type=hidden]), select")];
    const isOther = (one) => one.type === "checkbox" || one.type === "radio" ? one.checked !== one.defaultChecked
      : one.tagName === "SELECT" ? [...one.options].some((option) => option.selected !== option.defaultSelected && option.selected)
      : one.value !== one.defaultValue;
    const changed = () => fields.some(isOther);
    const draft = drafting(form, fields, isOther);
    let timer = 0;
    let sent = false;
    const tell = () => { state.textContent = changed() ? "Not saved yet" : "As stored"; };
    const keep = () => {
      clearTimeout(timer);
      timer = setTimeout(draft.keep, 500);
    };
    form.addEventListener("input", tell);
    form.addEventListener("input", keep);
    form.addEventListener("reset", () => setTimeout(() => { tell(); draft.drop(); }));
    form.addEventListener("submit", () => {
      sent = true;
      state.textContent = "Saving…";
    });
    addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    addEventListener("beforeunload", (event) => {
      if (changed() && !sent) event.preventDefault();
    });
  }

  if (renewed) renew(1500);
  document.querySelectorAll("form[data-drop]").forEach(dropping);
  document.querySelectorAll("form.typing").forEach(typing);
  document.querySelectorAll("form[data-checked]").forEach(checking);
})();
