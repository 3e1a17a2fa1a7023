"""Pages on which every typed text is as long as it may be: texts that leave the screen.

Text of a page that is not in a template was typed by a user, or is derived from such a text. All of it is
replaced by one long word, so that each place of a page is checked with a long text.
"""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from playwright.sync_api import Page

TEMPLATES = Path(__file__).resolve().parents[4] / "handlers/pages/templates"
WORD = "W" * 60 + "long-" * 12 + "long_" * 12 + "مرحبا" * 12 + "曲" * 40
"""A word without a space that is as long as the name of a file may be, and wide in each of its scripts."""
BOUNDED = "svg, script, style, noscript, time, .number, .count, .pill, .compact, .sha, .unseen"
"""Elements with only numbers, times and texts of the program; drawings cut their texts."""
TEMPLATE_PARTS = re.compile(r"\{[%#].*?[%#]\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)
TEMPLATE_WORDS = re.compile(r'"([^"{}<>]*)"')
EMPTY = frozenset(("br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"))
STRETCH = """([word, said, bounded]) => {
  const spoken = new Set(said), typed = [], figure = /^[\\d.,% ]+( ?[a-zA-Z]{1,7})?$/;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, text = node.data.replace(/\\s+/g, " ").trim();
    const own = text && !figure.test(text) && !spoken.has(text);
    if (own && !node.parentElement.closest(bounded)) typed.push(node);
  }
  for (const node of typed) node.data = word;
}"""
LEAVING = """() => {
  const page = document.documentElement, wrong = new Set();
  const place = (one) => one && one !== document.body
    ? `${place(one.parentElement)} ${[one.localName, ...one.classList].join(".")}`.trim()
    : "";
  const cut = (one) => one && one !== document.body
    && (getComputedStyle(one).overflowX !== "visible" || cut(one.parentElement));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode, range = document.createRange();
    range.selectNode(node);
    const seen = (one) => one.width > 1 && one.height > 1;
    const edges = [...(node.localName ? node : range).getClientRects()].filter(seen);
    const leaves = edges.some((one) => one.left < -0.5 || one.right > page.clientWidth + 0.5);
    const around = node.localName ? node : node.parentElement;
    if (leaves && !around.closest("svg, .skip") && !cut(around)) wrong.add(place(around));
  }
  return [page.scrollWidth - page.clientWidth, [...wrong]];
}"""


BROKEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), wrong = new Set();
  const hidden = (one) => one && (getComputedStyle(one).clipPath !== "none" || hidden(one.parentElement));
  while (walker.nextNode()) {
    const node = walker.currentNode, around = node.parentElement;
    const all = document.createRange();
    all.selectNode(node);
    const { width, height } = all.getBoundingClientRect();
    // Where a line has room for such a word, it goes there whole.
    if (!height || width > 160 || around.closest("svg, code") || hidden(around)) continue;
    for (const word of node.data.matchAll(/(?<=^|\\s)[A-Za-z]{2,14}(?=[\\s.,:;?!]|$)/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1) wrong.add(word[0]);
    }
  }
  return [...wrong];
}"""


def stretch(page: Page) -> None:
    """Replace every typed text of a page by one long word."""
    page.evaluate(STRETCH, [WORD, sorted(template_words()), BOUNDED])


def leaving(page: Page) -> list[str]:
    """Return the parts of a page that leave the screen at its sides."""
    over, wrong = page.evaluate(LEAVING)
    return [f"{over} pixels too wide, by {wrong}"] if over > 0 or wrong else []


def broken(page: Page) -> list[str]:
    """Return the short words of a page that are broken in two."""
    wrong = page.evaluate(BROKEN)
    return [f"breaks {wrong}"] if wrong else []


@cache
def template_words() -> frozenset[str]:
    """The pieces of text that are in templates."""
    texts = [file.read_text() for file in TEMPLATES.glob("*.html")]
    pieces = [one for text in texts for one in TEMPLATE_PARTS.split(text) + TEMPLATE_WORDS.findall(text)]
    return frozenset(" ".join(piece.split()) for piece in pieces)


class Places(HTMLParser):
    """The places of text in a page: each as the elements around it, with their classes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()
        self._around: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Go into an element."""
        if tag not in EMPTY:
            self._around.append(f"{tag}.{dict(attrs).get('class')}")

    def handle_endtag(self, tag: str) -> None:
        """Leave an element, and the elements in it without an end tag."""
        while self._around and not self._around.pop().startswith(f"{tag}."):
            pass

    def handle_data(self, data: str) -> None:
        """Note the place of a text."""
        if data.strip():
            self.found.add(tuple(self._around))


def places(body: str) -> frozenset[tuple[str, ...]]:
    """Return the places of text in a page."""
    reader = Places()
    reader.feed(body)
    return frozenset(reader.found)
