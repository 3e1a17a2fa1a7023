"""The open sections of a text; a closing mark without an opening one is noted."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    ColumnBreak,
    Details,
    DocumentBlock,
    DocumentSheet,
    FaultBox,
    HtmlIsland,
    ImageBox,
    MarkupNote,
    Paragraph,
    Summary,
    VisBox,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.parameters import Parameters
from handlers.render.documents.markup.section_grammar import FoundTag
from handlers.render.documents.markup.sections import ENCLOSING, NAMES, fault_of, make_section, make_sheet
from handlers.render.documents.markup.spans import PlainText

DEEPEST = 8
MOST_SHOWN = 100
NOTES = "notes"
PREVIEW = "a preview is shown only in mails"
UNSPOKEN = {VisBox: "plot or grid", ImageBox: "picture", AuthorBox: "author", HtmlIsland: "html"}
"""Blocks that speaker notes do not contain, and their names."""


class SectionStack:
    """The blocks of one container, and its open sections.

    Pages and speaker notes are only allowed where there are `sheets`: not in a list, a quotation or another
    section. `speaker_notes` are those of each page by its number; they never become part of a page.
    Everything between the marks of speaker notes is hidden, even if the marks are in different containers.
    `silent` is the opening mark of speaker notes that are not closed in this container.
    """

    def __init__(
        self, notes: list[MarkupNote], sheets: list[DocumentSheet], silent: FoundTag | None = None
    ) -> None:
        self.notes = notes
        self.sheets: list[tuple[DocumentSheet, list[DocumentBlock]]] = [(sheet, []) for sheet in sheets]
        self.outer: list[DocumentBlock] = self.sheets[0][1] if sheets else []
        self.opened: list[tuple[FoundTag, str, list[DocumentBlock]]] = []
        self.speaker_notes: dict[int, list[DocumentBlock]] = {}
        self.silent: FoundTag | None = None
        self.previews: list[Blocks] = []
        self.stay_silent(silent)

    def stay_silent(self, tag: FoundTag | None) -> None:
        """Hide the following blocks, too, if speaker notes of another container are still open."""
        if tag is not None:
            self.opened.append((tag, NOTES, []))

    def add(self, block: DocumentBlock) -> None:
        """Add a block to the innermost open section."""
        (self.opened[-1][2] if self.opened else self.outer).append(block)

    def enter(self, tag: FoundTag) -> None:
        """Process a section's mark."""
        if tag.reason:
            self._refuse(tag, tag.reason)
        elif not (name := tag.tag.name if tag.tag.name in FOLDS else NAMES.get(tag.tag.name, "")):
            near = difflib.get_close_matches(tag.tag.name, sorted(NAMES), 1)
            known = f"there are {', '.join(dict.fromkeys(NAMES.values()))}"
            hint = f'did you mean "{near[0]}"?' if near else known
            self._refuse(tag, f'there is no section "{tag.tag.name[:40]}": {hint}')
        elif tag.tag.closing:
            self._close(tag, name)
        elif name == "page":
            self._page(tag)
        elif name in FOLDS or (name in ENCLOSING and not tag.tag.closed):
            self._open(tag, name)
        else:
            self._single(tag, name)

    def finish(self) -> Blocks:
        """Return the blocks; sections that are still open are closed with a note."""
        while self.opened:
            tag, name, inner = self.opened.pop()
            if name == NOTES and not self.sheets:
                self._end_notes(tag, inner)
                self.silent = tag
            else:
                self._refuse_unclosed(tag, name, inner, f"write {_closing(name)} after it")
        return tuple(self.outer)

    def _open(self, tag: FoundTag, name: str) -> None:
        if name == NOTES:
            self._open_notes(tag)
        elif len(self.opened) >= DEEPEST:
            self._refuse(tag, f"sections are nested at most {DEEPEST} deep")
        else:
            self.opened.append((tag, name, []))

    def _open_notes(self, tag: FoundTag) -> None:
        """Open speaker notes anywhere: their text must never be shown to the audience."""
        if not self.sheets or self.opened:
            self._refuse(tag, "speaker notes are not allowed within a list, a quotation or another section")
        if tag.tag.values:
            self._note(tag, "speaker notes take no parameters")
        self.opened.append((tag, NOTES, []))

    def _refuse_unclosed(self, tag: FoundTag, name: str, inner: list[DocumentBlock], advice: str) -> None:
        """Refuse a section that is not closed, and keep its content."""
        plural = "these notes are" if name == NOTES else f"this {name} is"
        self._refuse(tag, f"{plural} not closed: {advice}")
        if name == NOTES:
            self._end_notes(tag, inner)
            return
        for block in inner:
            self.add(_shown(block))

    def _end_notes(self, tag: FoundTag, inner: list[DocumentBlock]) -> None:
        """Store speaker notes with their page; refused ones are dropped."""
        for block in walk_blocks(tuple(inner)):
            if kind := UNSPOKEN.get(type(block), ""):
                reason = f"speaker notes have only text: this {kind} is left out"
                self.notes.append(MarkupNote(block.line, 1, reason))
        if self.sheets and not self.opened:
            kept = (block for block in inner if type(block) not in UNSPOKEN)
            self.speaker_notes.setdefault(len(self.sheets) - 1, []).extend(kept)

    def _close(self, tag: FoundTag, name: str) -> None:
        if not self.opened or all(other != name for _, other, _ in self.opened):
            if name in ENCLOSING or name in FOLDS:
                self._refuse(tag, f"there is no {name} open here")
            return
        silent = None
        while True:
            opening, other, inner = self.opened.pop()
            if other == name:
                break
            if other == NOTES:
                silent = opening
                self._end_notes(opening, inner)
            else:
                advice = f"write {_closing(other)} before {_closing(name)}"
                self._refuse_unclosed(opening, other, inner, advice)
        self._end(name, opening, inner)
        self.stay_silent(silent)

    def _end(self, name: str, opening: FoundTag, inner: list[DocumentBlock]) -> None:
        """Make the block of a section that was closed."""
        if name in FOLDS:
            block = FOLDS[name](opening, tuple(inner))
            in_fold = bool(self.opened) and self.opened[-1][1] in FOLDS
            self.add(block if in_fold else _shown(block))
        elif name == NOTES:
            self._end_notes(opening, inner)
        elif name == "preview":
            self._note(opening, PREVIEW)
            if NOTES not in [other for _, other, _ in self.opened]:
                self.previews.append(tuple(inner))
        else:
            self.add(make_section(name, Parameters(opening, self.notes), tuple(inner)))

    def _page(self, tag: FoundTag) -> None:
        if self.sheets and [name for _, name, _ in self.opened] == [NOTES]:
            self._refuse_unclosed(*self.opened.pop(), f"write {_closing(NOTES)} before the next page")
        if not self.sheets or self.opened:
            self._refuse(tag, "a page cannot begin within a list, a quotation or another section")
            return
        self.sheets.append(make_sheet(Parameters(tag, self.notes)))
        self.outer = self.sheets[-1][1]

    def _single(self, tag: FoundTag, name: str) -> None:
        if name == "html":
            self.add(HtmlIsland(tag.line, tag.island))
        elif name == "colbreak":
            self.add(ColumnBreak(tag.line))
        elif name == "preview":
            self._note(tag, "a preview needs a text: write {{ preview }} … {{ /preview }}")
        elif name == NOTES:
            self._refuse(tag, "speaker notes need a text: write {{ notes }} … {{ /notes }}")
        else:
            block = make_section(name, Parameters(tag, self.notes), ())
            if isinstance(block, FaultBox):
                self._note(tag, block.reason)
            self.add(block)

    def _refuse(self, tag: FoundTag, reason: str) -> None:
        """Show a note in place of the section, unless there are many notes already."""
        self._note(tag, reason)
        if len(self.notes) <= MOST_SHOWN:
            self.add(fault_of(tag, reason))

    def _note(self, tag: FoundTag, reason: str) -> None:
        self.notes.append(MarkupNote(tag.line, tag.column, reason))


def is_of_notes(tag: FoundTag) -> bool:
    """Return whether a mark opens or closes speaker notes."""
    return not tag.tag.closed and NAMES.get(tag.tag.name) == NOTES


def _closing(name: str) -> str:
    """Return the mark that closes a section."""
    return f"</{name[1:]}" if name.startswith("<") else f"{{{{ /{name} }}}}"


def _summary(tag: FoundTag, blocks: Blocks) -> DocumentBlock:
    """Return the summary of a fold; texts of several blocks are joined."""
    lines = [line for block in walk_blocks(blocks) for line in spans_in(block)]
    spans = tuple(span for line in lines for span in (PlainText(" "), *line))[1:]
    return Summary(tag.line, spans)


def _shown(block: DocumentBlock) -> DocumentBlock:
    """Return a block as it is shown: a summary outside of a fold becomes a paragraph."""
    return Paragraph(block.line, block.spans) if isinstance(block, Summary) else block


def _details(tag: FoundTag, blocks: Blocks) -> DocumentBlock:
    """Return a fold; its first summary is used, further ones become paragraphs."""
    first = next((block for block in blocks if isinstance(block, Summary)), None)
    rest = tuple(_shown(block) for block in blocks if block is not first)
    return Details(tag.line, first.spans if first else (), rest, tag.tag.word == "open")


FOLDS: Mapping[str, Callable[[FoundTag, Blocks], DocumentBlock]] = {
    "<details>": _details,
    "<summary>": _summary,
}
"""Functions that make the blocks of HTML containers, by their marks."""
