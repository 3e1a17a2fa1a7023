"""The front matter of a text: lines of `key: value` between two rules.

It begins with `---`, the first line of the text, and ends with a line of `---` or `...`. The first line in it
that is not a comment has a key. Every other line has a key, too, or continues the one before: it is indented,
an entry of a list, a comment, or empty. If any of this is different, everything is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from handlers.render.documents.markup.blocks import Document, MarkupNote, place_of
from handlers.render.documents.markup.section_grammar import BadTag, Pairs, Value, read_matter

MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
KEY = r"[\"']?[^\W\d_][\w-]*(?:[ \t]+[\w-]+)*[\"']?[ \t]*:(?!//)"
OPENS = re.compile(rf"(?:#[^\n]*\n)*{KEY}")
LINE = re.compile(rf"{KEY}|[ \t]|-[ \t]|#|\Z|[\]}}]")
LONGEST_VALUE = 2_000
MOST_KEYS = 100
SHOWN = {"title", "kind", "label", "subtitle", "author", "date", "lang", "language", "toc", "header",
         "footer", "latex", "tags"}  # fmt: skip
"""Keys that describe the document."""
INSTEAD = {"label": "kind", "language": "lang"}
"""Keys that have no effect if the other key is present."""
BELOW_TITLE = {"kind", "label", "subtitle", "author", "date"}
FLAG = re.compile(r"true|false|yes|no|on|off|[01tfny]", re.IGNORECASE)
LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_]\w{1,8}){0,3}", re.IGNORECASE)
SWITCHES = {"toc": FLAG, "latex": FLAG, "lang": LANGUAGE, "language": LANGUAGE}
"""Patterns of the values of keys that are not shown themselves."""
WORD = re.compile(r"\w+")
MOST_NAMED = 8


class FrontMatter(NamedTuple):
    """The keys at the start of a text, the text after them, and the number of its first line."""

    keys: tuple[tuple[str, str], ...]
    rest: str
    line: int


def front_matter(text: str, notes: list[MarkupNote]) -> FrontMatter:
    """Return the keys at the start of a text, if any; notes on invalid lines are added to `notes`."""
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
    keys = {key[:80]: value.text for key, value in pairs[:MOST_KEYS]}
    noted = {note.line for note in notes}
    notes += _unseen(keys, [one for one in _unseen_lines(keys, lines) if one[0] not in noted])
    notes += (
        MarkupNote(1, 1, f'"{key[:40]}" has at most {LONGEST_VALUE:,} characters: the rest is left out')
        for key, value in keys.items()
        if len(value) > LONGEST_VALUE
    )
    kept = tuple((key, value[:LONGEST_VALUE]) for key, value in keys.items())
    return FrontMatter(kept, text[found.end() :], 1 + found[0].count("\n"))


def _unseen(keys: Mapping[str, str], lines: Sequence[tuple[int, str]]) -> Iterator[MarkupNote]:
    """Yield a note on values that are not shown: they may have been meant as text."""
    if lines:
        named = ", ".join(f'"{line[:60]}"' for _, line in lines[:MOST_NAMED])
        more = f" and {len(lines) - MOST_NAMED} more" if len(lines) > MOST_NAMED else ""
        quotes = ", and put quotation marks around a #" if any(" #" in line for _, line in lines) else ""
        title = ", and write a title" if not keys.get("title") and keys.keys() & BELOW_TITLE else ""
        advice = f"if it is text, leave out the --- above it{quotes}{title}"
        yield MarkupNote(lines[0][0], 1, f"nothing shows {named}{more} of the front matter: {advice}")


def _unseen_lines(keys: Mapping[str, str], lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with words that are not shown; the first line stands for its continuation lines."""
    seen = set(WORD.findall(" ".join(value for key, value in keys.items() if _is_shown(key, keys))))
    is_hidden = False
    for number, line in enumerate(lines, 2):
        if key := re.match(KEY, line):
            name = key[0].rstrip(" \t:").strip("\"'").lower()
            is_hidden = name not in SHOWN or not _is_seen(line[key.end() :], seen)
            unseen = is_hidden
        else:
            unseen = line.startswith("#") or not (is_hidden or _is_seen(line, seen))
        if unseen:
            yield number, line


def _is_shown(key: str, keys: Mapping[str, str]) -> bool:
    """Return whether the value of a key is shown, or has an effect."""
    if key not in SHOWN or INSTEAD.get(key) in keys or (key in BELOW_TITLE and not keys.get("title")):
        return False
    return key not in SWITCHES or SWITCHES[key].fullmatch(keys[key].strip()) is not None


def _is_seen(text: str, seen: set[str]) -> bool:
    """Return whether all words of a text are among those shown; words written as numbers count as shown."""
    return "\\" in text or seen.issuperset(WORD.findall(text))


def _pairs(lines: str, notes: list[MarkupNote]) -> Pairs:
    """Return the keys and values of lines; if they do not parse together, those that parse alone."""
    try:
        return read_matter(lines)
    except BadTag as bad:
        pairs = _lines_that_read(lines, notes)
        if not notes:
            line = 2 + lines.count("\n", 0, bad.offset)
            notes.append(MarkupNote(line, 1, f"front matter: {bad}"))
        return pairs


def _lines_that_read(lines: str, notes: list[MarkupNote]) -> Pairs:
    """Return the keys of a front matter with some invalid lines."""
    pairs: list[tuple[str, Value]] = []
    for number, line in enumerate(lines.split("\n")[:MOST_KEYS], 2):
        try:
            pairs += read_matter(line)
        except BadTag:
            notes.append(
                MarkupNote(number, 1, f'the front matter has "key: value" in a line, not "{line[:60]}"')
            )
    return tuple(pairs)


KEYS = ("header", "footer")
FIELDS = ("{page}", "{section}", "{title}")
FIELD = re.compile(r"(\{[^{}\n]{0,40}\})")
NOTHING = ("none", "false", "no", "off")
LONGEST = 200

Edge = tuple[str, ...]
"""Pieces of one end of a line: text, and fields such as `{page}`."""


def read_edge(text: str) -> tuple[Edge, ...]:
    """Return the pieces at the start of a line and, after a `|`, at its end; nothing for `none`."""
    if text.strip().lower() in NOTHING:
        return ((), ())
    return tuple(tuple(filter(None, FIELD.split(end.strip()))) for end in text[:LONGEST].split("|", 1))


def edge_words(document: Document, key: str) -> str:
    """Return a header or footer for a text without pages: an end with a page number is left out."""
    title = document.about("title")
    ends = (
        "".join(title if piece == "{title}" else piece for piece in end)
        for end in read_edge(document.about(key))
        if "{page}" not in end and "{section}" not in end
    )
    return " · ".join(filter(None, ends))


def edge_notes(keys: Mapping[str, str], lines: Sequence[str]) -> Iterator[MarkupNote]:
    """Yield notes on unknown fields in a header or a footer, with their lines in the text."""
    for key in KEYS:
        text = keys.get(key, "")
        for found in FIELD.finditer(text[:LONGEST]):
            if found[0] not in FIELDS:
                reason = f'a {key} has no "{found[0]}": there are {{page}}, {{section}} and {{title}}'
                yield _note(lines, found[0], reason)
        if text.count("|") > 1:
            yield _note(lines, f"{key}:", f"a {key} has two ends: write words, or start | end")
        if len(text) > LONGEST:
            yield _note(lines, f"{key}:", f"a {key} has at most {LONGEST} characters: the rest is left out")


def _note(lines: Sequence[str], sought: str, reason: str) -> MarkupNote:
    return MarkupNote(*place_of(lines, 1, sought), reason)
