// Every page, with scripts: keys to search and to save, blocks that stay open, dialogs, and updated times.
"use strict";

(() => {
  const MINUTE = 60, HOUR = 3600, DAY = 86400;
  const zone = document.documentElement.dataset.zone || "UTC";

  for (const box of document.querySelectorAll("[data-browser-zone]")) {
    box.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  }

  // Submit a choice at once: the button beside it is for browsers without scripts.
  document.documentElement.dataset.scripts = "yes";
  addEventListener("change", (event) => {
    if (event.target.matches("form[data-at-once] select")) event.target.form.requestSubmit();
  });

  // "/" goes to the search box, unless somebody types.
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]")) return;
    const box = document.getElementById("q");
    if (!box || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    box.focus();
    box.select();
  });

  // Ctrl+S saves the text of the page wherever the focus is: after the page has loaded, no field has it.
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return;
    const saves = "form[data-editor], form[data-conflict], form[data-saves]";
    const form = document.activeElement?.closest(saves) ?? document.querySelector(saves);
    if (!form) return;
    event.preventDefault();
    if (event.repeat || document.querySelector("dialog[open]")) return;
    form.requestSubmit(form.querySelector(".savebar .primary") ?? form.querySelector(".primary:not([type=button])"));
  });

  // A block that the reader has opened is open on the next page, too.
  for (const block of document.querySelectorAll("details[data-remember]")) {
    const key = "open:" + block.dataset.remember;
    try {
      block.open = localStorage.getItem(key) === "yes" || block.open;
      block.addEventListener("toggle", () => localStorage.setItem(key, block.open ? "yes" : "no"));
    } catch { /* storage is denied: it stays closed */ }
  }

  // Scroll the current link of a row into view.
  for (const one of document.querySelectorAll(".kinds [aria-current], .tabs [aria-current]")) {
    const row = one.closest("ul");
    const over = one.offsetLeft + one.offsetWidth - row.offsetLeft - row.clientWidth;
    if (over > -60) row.scrollLeft = over + 80;
  }

  // Delete the draft of a saved text when the save is reported; a page of conflicts may come before that.
  try {
    const sent = sessionStorage.getItem("sent");
    if (sent && document.querySelector("main > .saved[role=status]")) localStorage.removeItem(sent);
    if (!document.querySelector("form[data-conflict]")) sessionStorage.removeItem("sent");
  } catch { /* storage is denied: nothing was kept */ }

  // Show the result of a form only once: remove it from the address.
  const address = new URL(location.href);
  if (address.searchParams.has("done")) {
    for (const name of ["done", "about", "mark"]) address.searchParams.delete(name);
    history.replaceState(history.state, "", address);
  }

  // Send a form only once: the pressed button is disabled until the next page is there.
  addEventListener("submit", (event) => {
    const pressed = event.submitter;
    if (event.defaultPrevented || !pressed || pressed.formTarget || event.target.method !== "post") return;
    setTimeout(() => { pressed.disabled = true; });
    addEventListener("pageshow", () => { pressed.disabled = false; }, { once: true });
    setTimeout(() => { pressed.disabled = false; }, 15000);
  });

  // The number of the day of a time in the reader's zone.
  const date = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  const dayOf = (moment) => Math.round(Date.parse(date.format(moment) + "T00:00:00Z") / 1000 / DAY);
  const says = (moment, wish) => new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...wish }).format(moment);

  function ago(moment, now) {
    const seconds = (now - moment) / 1000;
    const size = Math.abs(seconds);
    if (size < MINUTE) return "now";
    const days = dayOf(now) - dayOf(moment);
    if (size < 12 * HOUR || days === 0) {
      const [unit, word] = size >= HOUR ? [HOUR, "hour"] : [MINUTE, "minute"];
      const count = Math.floor(size / unit);
      const said = count + " " + word + (count === 1 ? "" : "s");
      return seconds > 0 ? said + " ago" : "in " + said;
    }
    if (Math.abs(days) === 1) return days > 0 ? "yesterday" : "tomorrow";
    if (days > 0 && days < 7) return says(moment, { weekday: "long" });
    if (days < 0 && days > -7) return "in " + -days + " days";
    const year = says(moment, { year: "numeric" });
    const said = says(moment, { day: "numeric" }) + " " + says(moment, { month: "short" }).slice(0, 3);
    return year === says(now, { year: "numeric" }) ? said : said + " " + year;
  }

  function renew() {
    const now = new Date();
    for (const one of document.querySelectorAll("time[data-ago]")) {
      const said = ago(new Date(one.dateTime), now);
      if (said !== one.textContent) one.textContent = said;
    }
  }
  setInterval(renew, MINUTE * 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });

  // Copy buttons beside secrets that are shown once, and beside addresses.
  function copies(root) {
    for (const text of navigator.clipboard ? root.querySelectorAll("[data-copy]") : []) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "compact";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy " + text.dataset.copy);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
      text.after(button);
    }
  }
  copies(document);

  // Make the address from the title until one is typed; choosing a file also chooses to start with a file.
  for (const title of document.querySelectorAll("[data-names]")) {
    const box = title.form.elements[title.dataset.names];
    let own = box.value !== "";
    box.addEventListener("input", () => { own = box.value !== ""; });
    title.addEventListener("input", () => {
      if (own) return;
      const plain = title.value.replace(/ß/g, "ss").normalize("NFKD").replace(/[^\x00-\x7f]/g, "").toLowerCase();
      box.value = plain.replace(/[^a-z0-9_-]+/g, "_").replace(/^[_-]+|[_-]+$/g, "").slice(0, 64);
    });
  }
  for (const box of document.querySelectorAll("[data-chooses]")) {
    box.addEventListener("change", () => {
      const choice = box.form.querySelector(`input[type=radio][value="${box.dataset.chooses}"]`);
      if (choice && box.files.length) choice.checked = true;
    });
  }

  // Put dropped files into the form's own field, as if they had been chosen.
  for (const place of document.querySelectorAll(".drop")) {
    const box = place.querySelector("input[type=file]");
    const over = (yes) => (event) => { event.preventDefault(); place.classList.toggle("over", yes); };
    place.addEventListener("dragover", over(true));
    place.addEventListener("dragleave", over(false));
    place.addEventListener("drop", (event) => {
      over(false)(event);
      box.files = event.dataTransfer.files;
      box.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }

  // Show the main part of a linked page in a dialog; its forms lead to the page itself.
  async function open(link) {
    const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw new Error("no such page");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const dialog = document.createElement("dialog");
    const shut = document.createElement("button");
    shut.type = "button";
    shut.className = "shut compact";
    shut.textContent = "Close";
    shut.addEventListener("click", () => dialog.close());
    dialog.append(shut, document.importNode(page.querySelector("[data-part=dialog]"), true));
    const head = dialog.querySelector("h1, h2");
    if (head) {
      head.id = "dialog-head";
      dialog.setAttribute("aria-labelledby", head.id);
    }
    copies(dialog);
    document.body.append(dialog);
    dialog.addEventListener("close", () => { dialog.remove(); link.focus(); });
    dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    open(link).catch(() => { location.href = link.href; });
  });
})();
