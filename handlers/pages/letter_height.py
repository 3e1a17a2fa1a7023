"""The height of a mail in a frame, guessed from its HTML: a frame without scripts cannot tell its own.

Mails have a style on each element, so margins, sizes of type and of pictures can be added up. A guess
that is too small leaves the frame a bar to scroll by, one that is too large leaves ground below the mail.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from math import ceil
from unicodedata import east_asian_width

LARGEST = 1 << 18
"""Characters of a mail without its pictures, beyond which nothing is guessed."""
TALLEST = 20_000
SOURCES = re.compile(r' src="[^"]*"')
LENGTH = re.compile(r"-?\d+(?:\.\d+)?")
SIDES = ("top", "right", "bottom", "left")
FOUR = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of so many numbers is that of each side."""
UNSHOWN = frozenset(("head", "script", "style", "title"))
BLOCKS = frozenset(
    ("address", "article", "blockquote", "body", "center", "dd", "div", "dl", "dt", "figure", "footer")
    + ("h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "ol", "p", "pre", "section", "ul")
    + ("table", "tbody", "td", "tfoot", "th", "thead", "tr")
)
CELLS, ROW, BREAK, RULE, PICTURE = ("td", "th"), "tr", "br", "hr", "img"
VOID = frozenset((BREAK, RULE, PICTURE, "col", "input", "meta", "link", "wbr"))
SIGN, MONOSPACE = 0.49, 0.6
"""Widths of a letter in parts of its size, in a text and in code."""


def letter_height(html: str, width: int) -> int:
    """Pixels that a mail takes in a frame so wide; 0 where that is not guessed."""
    text = SOURCES.sub("", html)
    if len(text) > LARGEST:
        return 0
    ruler = _Ruler(width)
    ruler.feed(text)
    ruler.close()
    return min(ceil(ruler.height()), TALLEST)


@dataclass(slots=True)
class _Box:
    """An element that is being read: the room in it, and what stands in it so far.

    `run` is how wide the words are that no line was made of yet, `air` the margin below the last block, and
    `cells` are the widths and heights of a row's cells.
    """

    tag: str
    width: float
    size: float = 16
    line: float = 1.2
    sign: float = SIGN
    shown: bool = True
    margin: tuple[float, float] = (0, 0)
    padding: float = 0
    height: float = 0
    run: float = 0
    air: float = 0
    cells: list[tuple[float, float]] = field(default_factory=list)

    def end_line(self, *, least: int = 0) -> None:
        """Make lines of the words."""
        lines = max(ceil(self.run / max(self.width, 1)), least)
        if lines:
            self.height += self.air + lines * self.size * self.line
            self.air = 0
        self.run = 0

    def add(self, height: float, margin: tuple[float, float] = (0, 0)) -> None:
        """Put a block below what is there; of two margins that meet, the larger counts."""
        self.end_line()
        self.height += max(self.air, margin[0]) + height
        self.air = margin[1]


class _Ruler(HTMLParser):
    """Adds up the heights of a mail's elements, innermost first."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._open = [_Box("", width)]
        self._tags = Counter[str]()

    def height(self) -> float:
        """The height of all that was read."""
        while len(self._open) > 1:
            self._end()
        whole = self._open[0]
        whole.end_line()
        return whole.height + whole.air

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        around, said = self._open[-1], {name: value or "" for name, value in attrs}
        if tag == BREAK:
            around.end_line(least=1)
        elif tag == RULE:
            around.add(1, _box(around, tag, _styles(said)).margin)
        elif tag == PICTURE:
            self._picture(around, said)
        elif tag not in VOID:
            if tag in BLOCKS:
                around.end_line()
            self._open.append(_box(around, tag, _styles(said)))
            self._tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if self._tags[tag]:
            while self._open[-1].tag != tag:
                self._end()
            self._end()

    def handle_data(self, data: str) -> None:
        box = self._open[-1]
        if not box.shown:
            return
        lines = data.split("\n") if box.tag == "pre" else [" ".join(data.split())]
        for index, line in enumerate(lines):
            if index:
                box.end_line(least=1)
            wide = sum(east_asian_width(sign) in "WF" for sign in line)
            box.run += box.size * ((len(line) - wide + bool(line)) * box.sign + wide)

    def _end(self) -> None:
        """Leave an element, and let what it is in be as much higher."""
        box = self._open.pop()
        self._tags[box.tag] -= 1
        around = self._open[-1]
        if not box.shown:
            return
        if box.tag not in BLOCKS:
            around.height += box.height
            around.run += box.run
        elif box.tag in CELLS and around.tag == ROW:
            around.cells.append((box.run * around.size / box.size, box.height + box.air + box.padding))
            around.line, around.size = box.line, box.size
        else:
            if box.tag == ROW:
                box.height += _row(box)
            box.end_line()
            # The margin below the last block is outside of an element, unless padding keeps it in.
            inner = box.air if box.padding else 0
            below = max(box.margin[1], box.air - inner)
            around.add(box.height + box.padding + inner, (box.margin[0], below))

    def _picture(self, around: _Box, said: dict[str, str]) -> None:
        """A picture among the words where it is as low as these, else on its own."""
        width, height = (_length(said.get(name, "")) for name in ("width", "height"))
        if not around.shown or not width or not height:
            return
        if height <= 2 * around.size:
            around.run += width
        else:
            around.add(height * min(1, around.width / width))


def _row(row: _Box) -> float:
    """The height of a row: that of its highest cell, of which each has a part of the width."""
    each = max(row.width / max(len(row.cells), 1), 1)
    lines = ((max(ceil(run / each), 1 if not height else 0), height) for run, height in row.cells)
    return max((number * row.size * row.line + height for number, height in lines), default=0)


def _box(around: _Box, tag: str, styles: dict[str, str]) -> _Box:
    """An element in another one, by its styles."""
    padding, margin = _sides(styles, "padding"), _sides(styles, "margin")
    size = _length(styles.get("font-size", "")) or around.size
    line = styles.get("line-height", "")
    width = min(around.width, _length(styles.get("max-width", "")) or around.width)
    return _Box(
        tag,
        width - padding[1] - padding[3] - margin[1] - margin[3],
        size,
        (_length(line) / size if line.endswith("px") else _length(line)) or around.line,
        MONOSPACE if "mono" in styles.get("font-family", "") else around.sign,
        shown=around.shown and tag not in UNSHOWN and styles.get("display") != "none",
        margin=(margin[0], margin[2]),
        padding=padding[0] + padding[2],
    )


def _styles(said: dict[str, str]) -> dict[str, str]:
    """The declarations of an element's own style."""
    pairs = (one.partition(":") for one in said.get("style", "").split(";"))
    return {name.strip().lower(): value.strip().lower() for name, _, value in pairs}


def _sides(styles: dict[str, str], name: str) -> list[float]:
    """The lengths at the four sides, from the top on: of one to four numbers, and of single sides."""
    said = [_length(one) for one in styles.get(name, "0").split()]
    sides = [said[index] for index in FOUR.get(len(said), ())] or [0.0] * 4
    single = (styles.get(f"{name}-{side}") for side in SIDES)
    return [each if own is None else _length(own) for each, own in zip(sides, single, strict=True)]


def _length(said: str) -> float:
    """A number of pixels; 0 of what is none, such as a share."""
    found = LENGTH.match(said)
    return float(found[0]) if found and not said.endswith(("%", "em")) else 0.0
