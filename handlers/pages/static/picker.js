// A dialog to choose one of the things that the reader may see, by its picture or by typed words.
//
//   pick({ kinds, query, anchor, home }) -> Promise<{ address, title, kind } | null>
//
// `kinds`   names of kinds, as ["plot", "doc"]: what is offered, newest first;
// `query`   words that the search begins with ("" or left out: none);
// `anchor`  the element that gets the focus back; left out: the one that has it now;
// `home`    the owner of the text that will name the thing: that owner's things get a short address, as /p/sales,
//           and all others a whole one, as /u/ann/p/sales. Left out: every address is whole.
//
// The promise gives null if the reader closes the dialog. An address that is typed whole is offered as it is.
// The page needs frame.css and picker.css; the dialog works with mouse, touch and keyboard (arrows, Enter, Escape).
"use strict";

const pick = (() => {
  const WAIT = 200, MOST = 24;
  const PICTURED = ["plot", "grid"];
  const ADDRESS = /^\/(u\/[a-z0-9][a-z0-9_-]*\/)?[a-z]\/[a-z0-9][a-z0-9_-]*$/;
  const made = (name, facts = {}, ...parts) => {
    const one = Object.assign(document.createElement(name), facts);
    one.append(...parts);
    return one;
  };

  async function found(kinds, words, signal) {
    const answers = await Promise.all(kinds.map(async (kind) => {
      const asked = new URLSearchParams({ kind, q: words, count: MOST });
      const answer = await fetch("/v1/search?" + asked, { headers: { Accept: "application/json" }, signal });
      if (!answer.ok) throw new Error((await answer.json()).detail);
      return (await answer.json()).found;
    }));
    return answers.flat().sort((one, other) => other.updated.localeCompare(one.updated)).slice(0, MOST);
  }

  function thumbnail(row) {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const mode = document.documentElement.dataset.look || system;
    const asked = new URLSearchParams({ mode, width: 320, height: 192, h: "f", c: "f", v: row.updated });
    return made("img", { src: `${row.path}/files/${row.kind}.svg?${asked}`, alt: "", loading: "lazy", width: 320, height: 192 });
  }

  // A row of the search as it is offered: its picture, its title, and where it lies.
  function offered(row, home) {
    const page = new URL(row.uri).pathname.split("/");
    const letter = page[1] === "u" ? page[3] : page[1];
    const address = (row.author === home ? "" : "/u/" + row.author) + `/${letter}/${row.id}`;
    const seen = PICTURED.includes(row.kind) ? thumbnail(row) : made("span", { className: "no-picture", textContent: row.kind });
    const part = made("li", {}, seen, made("strong", { textContent: row.name }), made("span", { className: "quiet small", textContent: address }));
    return { part, value: { address, title: row.name, kind: row.kind } };
  }

  return ({ kinds, query = "", anchor = document.activeElement, home = "" }) => new Promise((resolve) => {
    const box = made("input", { type: "search", value: query, autocomplete: "off", maxLength: 200, placeholder: "Title, name or owner" });
    const list = made("ul", { className: "picker-list", id: "picker-list" });
    const said = made("p", { className: "quiet small" });
    const head = made("h2", { id: "picker-head", textContent: "Choose one" });
    const shut = made("button", { type: "button", className: "compact", textContent: "Close" });
    const dialog = made("dialog", { className: "picker" }, made("div", {}, head, shut), made("label", {}, "Search", box), said, list);
    let offers = [], current = 0, wait = 0, asked = null, chosen = null;
    dialog.setAttribute("aria-labelledby", head.id);
    said.setAttribute("role", "status");
    for (const [name, value] of [["role", "combobox"], ["aria-controls", list.id], ["aria-expanded", "true"], ["aria-autocomplete", "list"]]) box.setAttribute(name, value);
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-labelledby", head.id);

    const take = (at) => {
      chosen = offers[at]?.value ?? null;
      if (chosen) dialog.close();
    };

    function mark(at) {
      current = Math.max(0, Math.min(at, offers.length - 1));
      offers.forEach(({ part }, number) => part.setAttribute("aria-selected", number === current));
      const part = offers[current]?.part;
      if (part) box.setAttribute("aria-activedescendant", part.id);
      else box.removeAttribute("aria-activedescendant");
      part?.scrollIntoView({ block: "nearest" });
    }

    async function look() {
      asked?.abort();
      asked = new AbortController();
      const words = box.value.trim();
      try {
        offers = (await found(kinds, words.replaceAll("/", " "), asked.signal)).map((row) => offered(row, home));
        said.textContent = offers.length ? "" : words ? `Nothing of yours or shared with you has “${words}” in its title, name or owner.` : "There is nothing to choose yet.";
      } catch (error) {
        if (error.name === "AbortError") return;
        offers = [];
        said.textContent = "The search does not answer just now: " + error.message;
      }
      if (ADDRESS.test(words) && !offers.some(({ value }) => value.address === words)) {
        offers.unshift({ part: made("li", {}, made("strong", { textContent: "Use this address" }), made("span", { className: "quiet small", textContent: words })), value: { address: words, title: words, kind: "" } });
        said.textContent = "";
      }
      offers.forEach(({ part }, number) => {
        part.id = "pick-" + number;
        part.setAttribute("role", "option");
        part.addEventListener("click", () => take(number));
      });
      list.replaceChildren(...offers.map(({ part }) => part));
      mark(0);
    }

    // As many cards as stand in one row of the list.
    const across = () => offers.filter(({ part }) => part.offsetTop === offers[0].part.offsetTop).length;
    box.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(look, WAIT);
    });
    box.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const atEnd = box.selectionStart === box.value.length;
      const step = { ArrowDown: across, ArrowUp: () => -across(), ArrowRight: () => (atEnd ? 1 : 0), ArrowLeft: () => (box.value ? 0 : -1) }[event.key]?.() ?? 0;
      if (event.key === "Enter") take(current);
      else if (step) mark(current + step);
      else return;
      event.preventDefault();
    });
    shut.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => {
      clearTimeout(wait);
      asked?.abort();
      dialog.remove();
      anchor?.focus?.();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
    box.focus();
    box.select();
    look();
  });
})();
