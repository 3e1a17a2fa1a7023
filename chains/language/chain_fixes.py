"""Fixes of chains: the edit of one line that makes right what a mistake is about, where one is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, product

from chains.language.ast import RepoRef, reference
from chains.language.chain import ChainFault, parse
from chains.language.mistake import Mistake

LONGEST_LINE = 4096
"""Longer lines are no chain that somebody wrote by hand."""
MOST_EDGES = 64

_NAME = r"[a-z0-9][a-z0-9_-]*"
_CALL = re.compile(rf"\b(?P<word>hold|fan[_-]?out)\s*\(\s*(?P<step>{_NAME})\s*\)", re.IGNORECASE)
_FORWARD = re.compile(r"(?<![=~—–-])[=~—–-]++>+|[→⟶⇒➔]|(?<![<>=~—–-])>+|\|")
_BACKWARD = re.compile(r"(?<!<)<++[=~—–-]+|[←⟵⇐]|:?=(?![>=])")
_BLANKS = r"(?:(?<!\s)\s++)?"
"""Blanks that are looked at from their first one only."""
_ARROWS = re.compile(rf"{_BLANKS}(?:->|<-)(?:\s*(?:->|<-))+\s*")
_EDGE_ARROW = re.compile(rf"^\s*(?:->|<-)\s*|{_BLANKS}(?:->|<-)\s*$")
_WORD = re.compile(r"\S*")


@dataclass(frozen=True, slots=True)
class ChainFix:
    """An edit: `length` characters of a line, from a column on, become `text`. Both count from 1."""

    line: int
    column: int
    length: int
    text: str

    def apply(self, text: str) -> str:
        """The text after the edit."""
        lines = text.split("\n")
        line, at = lines[self.line - 1], self.column - 1
        lines[self.line - 1] = line[:at] + self.text + line[at + self.length :]
        return "\n".join(lines)


def fix_for(text: str, mistake: Mistake) -> ChainFix | None:
    """The edit that makes a mistake of `parse` right; None where none is known.

    Each guess is tried: it is only told if the text has no mistake at that place afterwards.
    """
    if not mistake.line:
        return None
    line = text.split("\n")[mistake.line - 1]
    if len(line) > LONGEST_LINE:
        return None
    return next((fix for fix in _guesses(line, mistake) if _helps(text, mistake, fix)), None)


def wrong_length(text: str, mistake: Mistake) -> int:
    """The number of characters that a mistake is about: those of the word at its place, at least one."""
    if not mistake.line:
        return 0
    return max(1, len(_word_at(text.split("\n")[mistake.line - 1], mistake)[0]))


def _helps(text: str, mistake: Mistake, fix: ChainFix) -> bool:
    try:
        parse(fix.apply(text))
    except Mistake as left:
        return left.line > 0 and (left.line != mistake.line or left.column > mistake.column)
    return True


def _guesses(line: str, mistake: Mistake) -> Iterator[ChainFix]:
    """The edits that may be meant, the most telling first."""
    code = line.partition("#")[0].rstrip()
    word = _word_at(code, mistake)
    if not word[0].isprintable():
        yield _edit(mistake, word.span(), "".join(filter(str.isprintable, word[0])))
    for call in _CALL.finditer(code):
        mark = "!" if call["word"].lower() == "hold" else "."
        yield _edit(mistake, call.span(), mark + call["step"])
    for pattern, arrow in ((_FORWARD, "->"), (_BACKWARD, "<-")):
        for found in pattern.finditer(code):
            if found[0] != arrow:
                yield _edit(mistake, found.span(), _arrow_apart(code, found.span(), arrow))
    yield from _other_line(line, code, mistake)
    yield from _other_word(line, word, mistake)


def _other_line(line: str, code: str, mistake: Mistake) -> Iterator[ChainFix]:
    """The line without what joins nothing or says nothing new, or as several lines."""
    label, whole = mistake.label, (0, len(line))
    if label is ChainFault.MISSING_STEP:
        for found in _ARROWS.finditer(code):
            yield _edit(mistake, found.span(), f" {found[0].split()[0][:2]} ")
        for found in _EDGE_ARROW.finditer(code):
            yield _edit(mistake, found.span(), "")
    elif label is ChainFault.UNUSED_BINDING or (label is ChainFault.EDGE_TWICE and code.count("->") == 1):
        yield _edit(mistake, whole, "")
    elif label is ChainFault.RESERVED:
        yield _edit(mistake, whole, "\n".join(_edges(code)))


def _word_at(line: str, mistake: Mistake) -> re.Match[str]:
    """The word at the place of a mistake; an empty one where there is none."""
    found = _WORD.match(line, mistake.column - 1)
    assert found is not None
    return found


def _edit(mistake: Mistake, span: tuple[int, int], text: str) -> ChainFix:
    return ChainFix(mistake.line, span[0] + 1, span[1] - span[0], text)


def _arrow_apart(code: str, span: tuple[int, int], arrow: str) -> str:
    """An arrow with blanks where it would touch a name."""
    before = " " * (span[0] > 0 and not code[span[0] - 1].isspace())
    after = " " * (span[1] < len(code) and not code[span[1]].isspace())
    return f"{before}{arrow}{after}"


def _edges(code: str) -> Iterator[str]:
    """A line for each edge of one that names several steps at an end, as in `a, b -> c`."""
    ends = [[name.strip() for name in end.split(",")] for end in code.split("->")]
    for befores, afters in pairwise(ends):
        for before, after in islice(product(befores, afters), MOST_EDGES):
            yield f"{before} -> {after}"


def _other_word(line: str, word: re.Match[str], mistake: Mistake) -> Iterator[ChainFix]:
    """The word after an arrow, with its marks in their places, bound, or in small letters."""
    said, label = word[0], mistake.label
    if label is ChainFault.MISSING_ARROW:
        yield _edit(mistake, (word.start(), word.start()), "-> ")
    elif label is ChainFault.BAD_MARK:
        yield _edit(mistake, word.span(), _marks_in_place(said))
    elif label is ChainFault.UNKNOWN_LABEL:
        yield _edit(mistake, (0, len(line)), _binding_for(line, word))
    elif label in (ChainFault.BAD_LABEL, ChainFault.BAD_REFERENCE):
        yield _edit(mistake, word.span(), said.lower())
        yield _edit(mistake, word.span(), re.sub(r"[^a-z0-9_-]+|__+", "_", said.lower()).strip("_-"))


def _marks_in_place(word: str) -> str:
    """A step with its marks where they belong: `.!a` as `!.a`, `a.` as `.a`."""
    bare = word.strip("!.")
    at = word.index(bare)
    before, after = word[:at], word[at + len(bare) :]
    return f"{'!' * ('!' in before)}{'.' * ('.' in before + after)}{bare}{'!' * ('!' in after)}"


def _binding_for(line: str, word: re.Match[str]) -> str:
    """The line with a name for the reference in it, and a line before it that binds the name."""
    bare = word[0].strip("!.")
    meant = reference(bare)
    assert meant is not None
    name = meant.repo if isinstance(meant, RepoRef) else meant.job
    return f"{name} <- {bare}\n{line[: word.start()]}{word[0].replace(bare, name)}{line[word.end() :]}"
