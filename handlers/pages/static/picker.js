// A dialog to choose one of the plots that the reader may see, by its picture or by typed words.
//
//   pick({ source, anchor }) -> Promise<{ address, title } | null>
//
// `source`  the address of the list of what can be inserted into a text (insertions.py), which has the cards;
// `anchor`  the element that gets the focus back; by default the one that has it now.
//
// The promise resolves to null if the reader closes the dialog. A complete address that is typed is offered, too.
// The page needs frame.css and picker.css; the dialog works with mouse, touch and keyboard (arrows, Enter, Escape).
"use strict";

const pick = (() => {
  const WAIT = 200;
  const ADDRESS = /^\/(u\/[a-z0-9][a-z0-9_-]*\/)?[a-z]\/[a-z0-9][a-z0-9_-]*$/;
  const made = (name, facts = {}, ...parts) => {
    const one = Object.assign(document.createElement(name), facts);
    one.append(...parts);
    return one;
  };

  async function found(source, words, signal) {
    const answer = await fetch(`${source}?${new URLSearchParams({ what: "plot", q: words })}`, { signal });
    if (!answer.ok) throw new Error(`it answers with ${answer.status}.`);
    return [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("li")];
  }

  // The address that was typed, as a card.
  function typed(words) {
    const card = made("li", {}, made("span", {}, made("strong", { textContent: words }), made("span", { className: "quiet small", textContent: " Use this address" })));
    card.dataset.ref = words;
    return card;
  }

  return ({ source, anchor = document.activeElement }) => new Promise((resolve) => {
    const box = made("input", { type: "search", autocomplete: "off", maxLength: 200, placeholder: "Title, name or owner" });
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
      const card = offers[at];
      if (!card) return;
      chosen = { address: card.dataset.ref, title: card.querySelector("strong").textContent };
      dialog.close();
    };

    function mark(at) {
      current = Math.max(0, Math.min(at, offers.length - 1));
      offers.forEach((card, number) => card.setAttribute("aria-selected", number === current));
      const card = offers[current];
      if (card) box.setAttribute("aria-activedescendant", card.id);
      else box.removeAttribute("aria-activedescendant");
      card?.scrollIntoView({ block: "nearest" });
    }

    async function look() {
      asked?.abort();
      asked = new AbortController();
      const words = box.value.trim();
      try {
        offers = await found(source, words.replaceAll("/", " "), asked.signal);
        said.textContent = offers.length ? "" : words ? `No matches for “${words}” in titles, names and owners.` : "There is nothing to choose yet.";
      } catch (error) {
        if (error.name === "AbortError") return;
        offers = [];
        said.textContent = "The search is not available now: " + error.message;
      }
      if (ADDRESS.test(words) && !offers.some((card) => card.dataset.ref === words)) {
        offers.unshift(typed(words));
        said.textContent = "";
      }
      offers.forEach((card, number) => {
        card.id = "pick-" + number;
        card.setAttribute("role", "option");
        card.addEventListener("click", () => take(number));
      });
      list.replaceChildren(...offers);
      mark(0);
    }

    // The number of cards in a row of the list.
    const across = () => offers.filter((card) => card.offsetTop === offers[0].offsetTop).length;
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
