"""The front matter of a text: lines of `key: value` between two rules; anything else there is text.

It begins with the first line of the text, `---`. The line below is a key, with none but comments before it;
every other line is one as well, or goes on with the one before: moved in, an entry of a list, a comment, or
empty. It ends with a line of `---` or `...`. Where any of this is not so, the first line is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.section_grammar import BadTag, read_matter
from handlers.render.documents.markup.yaml_lines import Pairs, Value

MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
KEY = r"[\"']?[^\W\d_][\w-]*(?:[ \t]+[\w-]+)*[\"']?[ \t]*:(?!//)"
OPENS = re.compile(rf"(?:#[^\n]*\n)*{KEY}")
LINE = re.compile(rf"{KEY}|[ \t]|-[ \t]|#|\Z|[\]}}]")
LONGEST_VALUE = 2_000
MOST_KEYS = 100
SHOWN = frozenset(
    (
        "title", "kind", "label", "subtitle", "author", "date", "lang", "language", "toc", "header", "footer",
        "latex", "tags",
    )
)  # fmt: skip
"""Keys that say something of the document."""
MOST_NAMED = 8


class FrontMatter(NamedTuple):
    """The keys at the head of a text, what follows them, and the number of its first line."""

    keys: tuple[tuple[str, str], ...]
    rest: str
    line: int


def front_matter(text: str, notes: list[MarkupNote]) -> FrontMatter:
    """The keys at the head of a text, if there are any; `notes` grows by lines that are none."""
    found = MATTER.match(text)
    if found is None or not OPENS.match(found[1]):
        return FrontMatter((), text, 1)
    lines = found[1].split("\n")
    strange = next((number for number, line in enumerate(lines, 2) if not LINE.match(line)), 0)
    if strange:
        said = lines[strange - 2][:60]
        reason = f'a front matter has "key: value" in every line, not "{said}": it is shown as text'
        notes.append(MarkupNote(strange, 1, reason))
        return FrontMatter((), text, 1)
    pairs = _pairs(found[1], notes)
    notes += _unseen(pairs, lines)
    keys = {key[:80]: value.text[:LONGEST_VALUE] for key, value in pairs[:MOST_KEYS]}
    return FrontMatter(tuple(keys.items()), text[found.end() :], 1 + found[0].count("\n"))


def _unseen(pairs: Pairs, lines: Sequence[str]) -> Iterator[MarkupNote]:
    """Notes on what the front matter says and nothing shows: it may have been meant as text."""
    unseen = [(number, line) for number, line in enumerate(lines, 2) if _is_unseen(line)]
    if unseen:
        named = ", ".join(f'"{line[:60]}"' for _, line in unseen[:MOST_NAMED])
        more = f" and {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
        reason = f"nothing shows {named}{more} of the front matter: if it is text, leave out the --- above it"
        yield MarkupNote(unseen[0][0], 1, reason)
    for key, value in pairs:
        if len(value.text) > LONGEST_VALUE:
            reason = f'"{key[:40]}" has at most {LONGEST_VALUE:,} characters: the rest is left out'
            yield MarkupNote(1, 1, reason)


def _is_unseen(line: str) -> bool:
    """Whether a line is a comment, or begins with a key that says nothing of the document."""
    key = re.match(KEY, line)
    name = key[0].rstrip(" \t:").strip("\"'").lower() if key is not None else ""
    return line.startswith("#") or (key is not None and name not in SHOWN)


def _pairs(lines: str, notes: list[MarkupNote]) -> Pairs:
    """The keys and values of lines; of those that do not read together, the ones that do by themselves."""
    try:
        return read_matter(lines)
    except BadTag as bad:
        pairs = _lines_that_read(lines, notes)
        if not notes:
            line = 2 + lines.count("\n", 0, bad.offset)
            notes.append(MarkupNote(line, 1, f"front matter: {bad}"))
        return pairs


def _lines_that_read(lines: str, notes: list[MarkupNote]) -> Pairs:
    """The keys of a front matter of which some lines are none."""
    pairs: list[tuple[str, Value]] = []
    for number, line in enumerate(lines.split("\n")[:MOST_KEYS], 2):
        try:
            pairs += read_matter(line)
        except BadTag:
            notes.append(
                MarkupNote(number, 1, f'the front matter has "key: value" in a line, not "{line[:60]}"')
            )
    return tuple(pairs)
