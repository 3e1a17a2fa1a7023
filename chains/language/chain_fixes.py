"""Fixes of chains: edits of one line that correct a mistake, where one is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, product

from chains.language.ast import RepoRef, reference
from chains.language.chain import ChainFault, parse
from chains.language.mistake import Mistake

LONGEST_LINE = 4096
"""Length of the longest line, in characters, for which a fix is searched."""
MOST_EDGES = 64
MOST_READ = 256 * 1024
"""Characters that are read at most to try fixes of a chain; a single fix is always tried."""

_NAME = r"[a-z0-9][a-z0-9_-]*"
_CALL = re.compile(rf"\b(?P<word>hold|fan[_-]?out)\s*\(\s*(?P<step>{_NAME})\s*\)", re.IGNORECASE)
_FORWARD = re.compile(r"(?<![=~—–-])[=~—–-]++>+|[→⟶⇒➔]|(?<![<>=~—–-])>+|\|")
_BACKWARD = re.compile(r"(?<!<)<++[=~—–-]+|[←⟵⇐]|:?=(?![>=])")
_BLANKS = r"(?:(?<!\s)\s++)?"
"""Optional white space, matched only from its first character, so that the search stays linear."""
_ARROWS = re.compile(rf"{_BLANKS}(?:->|<-)(?:\s*(?:->|<-))+\s*")
_EDGE_ARROW = re.compile(rf"^\s*(?:->|<-)\s*|{_BLANKS}(?:->|<-)\s*$")
_WORD = re.compile(r"\S*")


@dataclass(frozen=True, slots=True)
class ChainFix:
    """An edit: replace `length` characters of a line by `text`. `line` and `column` count from 1."""

    line: int
    column: int
    length: int
    text: str

    def apply(self, text: str) -> str:
        """Return the text after the edit."""
        lines = text.split("\n")
        line, at = lines[self.line - 1], self.column - 1
        lines[self.line - 1] = line[:at] + self.text + line[at + self.length :]
        return "\n".join(lines)


def fix_for(text: str, mistake: Mistake) -> ChainFix | None:
    """Return the edit that corrects a mistake of `parse`, or None if none is known.

    As many guesses are tried as MOST_READ allows. One is returned only if the text then has no mistake up to
    that position.
    """
    if not mistake.line:
        return None
    line = text.split("\n")[mistake.line - 1]
    if len(line) > LONGEST_LINE:
        return None
    guesses = islice(_guesses(line, mistake), max(1, MOST_READ // len(text)))
    return next((fix for fix in guesses if _helps(text, mistake, fix)), None)


def wrong_length(text: str, mistake: Mistake) -> int:
    """Return the length of the word at a mistake's position, at least 1; 0 if there is no position."""
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
    """Yield the possible edits, the most likely first."""
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
    """Yield edits of the whole line: without useless arrows, removed, or split into several lines."""
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
    """Match the word at the position of a mistake. The match is empty if there is no word."""
    found = _WORD.match(line, mistake.column - 1)
    assert found is not None
    return found


def _edit(mistake: Mistake, span: tuple[int, int], text: str) -> ChainFix:
    return ChainFix(mistake.line, span[0] + 1, span[1] - span[0], text)


def _arrow_apart(code: str, span: tuple[int, int], arrow: str) -> str:
    """Return the arrow, with a blank on each side where it would touch a name."""
    before = " " * (span[0] > 0 and not code[span[0] - 1].isspace())
    after = " " * (span[1] < len(code) and not code[span[1]].isspace())
    return f"{before}{arrow}{after}"


def _edges(code: str) -> Iterator[str]:
    """Yield one line per edge of a line with several steps at an end, such as `a, b -> c`."""
    ends = [[name.strip() for name in end.split(",")] for end in code.split("->")]
    for befores, afters in pairwise(ends):
        for before, after in islice(product(befores, afters), MOST_EDGES):
            yield f"{before} -> {after}"


def _other_word(line: str, word: re.Match[str], mistake: Mistake) -> Iterator[ChainFix]:
    """Yield edits of the word: an arrow before it, its marks in order, a binding for it, or a valid name."""
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
    """Return a step with its marks in order: `.!a` becomes `!.a`, `a.` becomes `.a`."""
    bare = word.strip("!.")
    at = word.index(bare)
    before, after = word[:at], word[at + len(bare) :]
    return f"{'!' * ('!' in before)}{'.' * ('.' in before + after)}{bare}{'!' * ('!' in after)}"


def _binding_for(line: str, word: re.Match[str]) -> str:
    """Return a line that binds a name to the reference, followed by the line with that name in its place."""
    bare = word[0].strip("!.")
    meant = reference(bare)
    assert meant is not None
    name = meant.repo if isinstance(meant, RepoRef) else meant.job
    return f"{name} <- {bare}\n{line[: word.start()]}{word[0].replace(bare, name)}{line[word.end() :]}"
