// Pages of repos, spaces and jobs, with scripts: updates while something is built, dropped files, and a chain
// that is checked while it is typed.
"use strict";

(() => {
  const renewed = document.getElementById("renewed");

  // Update a page of builds while a build is running.
  async function renew(wait) {
    if (renewed.dataset.live !== "yes") return;
    await new Promise((done) => { setTimeout(done, wait); });
    if (document.visibilityState === "visible" && !renewed.contains(document.activeElement?.closest("button"))) {
      const answer = await fetch(renewed.dataset.from || location.href, { headers: { Accept: "text/html" } }).catch(() => null);
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
          begin();
        }
      }
    }
    renew(Math.min(wait * 1.25, 5000));
  }

  // Put dropped files into the form, which also works without scripts. Folders can be chosen, but not dropped.
  // Listen on the document: the content of the page may be replaced.
  function dropping() {
    const form = (event) => event.target.closest?.("form[data-drop]");
    for (const word of ["dragover", "dragenter"]) {
      document.addEventListener(word, (event) => {
        if (!form(event)) return;
        event.preventDefault();
        form(event).classList.add("over");
      });
    }
    document.addEventListener("dragleave", (event) => form(event)?.classList.remove("over"));
    document.addEventListener("drop", (event) => {
      const to = form(event);
      if (!to) return;
      event.preventDefault();
      to.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      to.querySelector("input[name=file]").files = event.dataTransfer.files;
      to.requestSubmit();
    });
    document.addEventListener("submit", (event) => {
      if (form(event)) form(event).querySelector("button").textContent = "Uploading…";
    });
    for (const words of document.querySelectorAll("[data-drop-words]")) words.textContent = "Drop files here, or choose them";
  }

  // Number the lines of a chain and check it while it is typed: one request at a time, the newest text last.
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
      // Keep the line and the three fields of the schedule in step, but do not change the field that is being typed in.
      for (const name of ["text.config/schedule", "when.every", "when.at", "when.zone", "when.was"]) {
        const [box, now] = [form.elements[name], page.querySelector(`[name="${name}"]`)];
        if (box !== document.activeElement) box.value = now.value;
      }
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

  // Start the first run of a new job, once: only the page after its creation, in this session, has this form.
  function begin() {
    const form = renewed.querySelector("form[data-begins]");
    if (!form) return;
    form.removeAttribute("data-begins");
    form.requestSubmit();
  }

  if (renewed) {
    begin();
    renew(1500);
  }
  dropping();
  document.querySelectorAll("form.editor:has(.code-edit)").forEach(checking);
})();
