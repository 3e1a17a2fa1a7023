"""Sections of documents: the blocks that their parameters and content make."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    Callout,
    DataTable,
    DocumentBlock,
    DocumentSheet,
    FaultBox,
    ImageBox,
    Listing,
    MarkupNote,
    Passage,
    VisBox,
)
from handlers.render.documents.markup.parameters import ALIGN, FLAGS, JUSTIFIED, Parameters
from handlers.render.documents.markup.section_grammar import FoundTag
from handlers.render.documents.markup.span_tree import read_line

NAMES = {
    "vis": "vis", "visualisation": "vis", "visualization": "vis", "img": "img", "image": "img",
    "paragraph": "paragraph", "para": "paragraph", "callout": "callout", "author": "author", "page": "page",
    "table": "table", "figures": "figures", "tables": "tables",
    "colbreak": "colbreak", "html": "html", "preview": "preview", "notes": "notes",
}  # fmt: skip
ENCLOSING = ("paragraph", "callout", "table", "preview", "notes")
VIS = re.compile(r"(?:https?://[^/\s]+)?/?(?:u/([^/\s?#]+)/)?([pg])/([^/\s?#]+)/?(?:\?\S*)?")
SHORTNAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ASSET = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9]+)?", re.IGNORECASE)
ASSET_OF = re.compile(r"/u/([^/\s]+)/([pgd])/([^/\s]+)/(?:a|assets)/([^/\s]+)")
USERNAME = re.compile(r"@?([A-Za-z0-9][A-Za-z0-9_-]{0,63})")
SIZES = {size: size for size in ("xs", "s", "m", "l", "xl", "xxl", "xxxl")}
STYLES = {"s": "strong", "strong": "strong", "b": "strong", "bold": "strong", "i": "italic",
          "italic": "italic", "r": "regular", "regular": "regular"}  # fmt: skip
TONES = {
    **dict.fromkeys(("info", "note"), "info"),
    **dict.fromkeys(("warning", "warn"), "warning"),
    **dict.fromkeys(("error", "err", "alert", "danger"), "error"),
    **dict.fromkeys(("success", "ok"), "success"),
}
ORIENT = {
    **dict.fromkeys(("portrait", "p", "port"), "portrait"),
    **dict.fromkeys(("landscape", "l", "land"), "landscape"),
}
COLUMNS = {"1": "1", "2": "2", "3": "3"}
FILL = {"balance": "balance", "auto": "auto"}
SHEETS = {name: name for name in ("fp", "index", "centered", "blank")}
EDGES = {"dashed": "dashed", "solid": "solid"}
ONE_TABLE = "a table section has one table: write its lines of | … | between {{ table }} and {{ /table }}"
UNUSED = ("footer", "pnum", "overflow")
"""Parameters of pages that clients send, and that have no effect."""


def make_section(name: str, given: Parameters, blocks: Blocks) -> DocumentBlock:
    """Return the block of a section other than a page; `blocks` is the content of a container."""
    block = MAKERS[name](given, blocks)
    given.finish()
    return block


def make_sheet(given: Parameters) -> tuple[DocumentSheet, list[DocumentBlock]]:
    """Return the page that a section begins, and the plot or grid that fills it, if any."""
    landscape = given.choice(ORIENT, "portrait", "orient", "orientation", "o") == "landscape"
    columns = int(given.choice(COLUMNS, "1", "cols", "columns"))
    filled = given.choice(FILL, "balance", "column-fill", "column fill") == "auto"
    kind = given.choice(SHEETS, "", "type")
    for name in UNUSED:
        if given.text(name):
            given.notes.append(MarkupNote(given.tag.line, given.tag.column, f"a page's {name} has no effect"))
    ref = _vis_ref(given.text("ref"))
    given.finish()
    shown: list[DocumentBlock] = [VisBox(given.tag.line, ref, "100%", "100%")] if ref else []
    return DocumentSheet(given.tag.line, landscape, columns, filled, kind), shown


def fault_of(tag: FoundTag, reason: str) -> FaultBox:
    """Return the note that replaces a section."""
    return FaultBox(tag.line, tag.column, reason, tag.source[:400])


def _vis(given: Parameters, blocks: Blocks) -> DocumentBlock:
    said, caption = given.word("ref"), given.text("caption")
    ref, words = _vis_ref(said), caption if caption.lower() not in FLAGS else ""
    heading, below = given.text("override title"), given.text("override caption") or words
    box = VisBox(
        given.tag.line,
        ref,
        given.length("width", "w"),
        given.length("height", "h"),
        given.choice(ALIGN, "", "align"),
        given.flag(True, "include title", "title", "include header") and not heading,
        given.flag(True, "include caption", *(() if words else ("caption",))) and not below,
        given.box(),
        heading,
        below,
        given.flag(False, "include link"),
        given.label(),
    )
    why = f'"{said[:80]}" is no plot or grid' if said else "ref is missing"
    return box if ref else fault_of(given.tag, f"{why}: write ref: /u/<user>/p/<plot> or /u/<user>/g/<grid>")


def _vis_ref(said: str) -> str:
    """Return the path of a plot or grid, `/p/<name>` for the document owner's; a shortname unchanged."""
    if found := VIS.fullmatch(said):
        owner, letter, name = found.groups()
        return f"/u/{owner}/{letter}/{name}" if owner else f"/{letter}/{name}"
    return said if SHORTNAME.fullmatch(said) else ""


def _image(given: Parameters, blocks: Blocks) -> DocumentBlock:
    name = said = given.text("ref", "src")
    if found := ASSET_OF.fullmatch(said):
        name, said = found[4], f"/u/{found[1]}/{found[2]}/{found[3]}/a/{found[4]}"
    box = ImageBox(
        given.tag.line,
        said,
        given.text("alt") or name,
        given.length("width", "w"),
        given.choice(ALIGN, "", "align"),
        read_line(given.text("caption")),
        given.address("link"),
        given.box(),
        given.label(),
    )
    why = f'"{said[:80]}" is no asset' if said else "ref is missing"
    if found or ASSET.fullmatch(said):
        return box
    return fault_of(given.tag, f"{why}: write the name of an asset of this document, as ref: logo.png")


def _passage(given: Parameters, blocks: Blocks) -> DocumentBlock:
    return Passage(
        given.tag.line,
        blocks,
        given.choice(SIZES, "", "font size", "sz", "size"),
        given.words(STYLES, "font style", "st", "style"),
        given.choice(JUSTIFIED, "", "font align", "al") or given.text_side("align"),
        given.place("align"),
        given.length("width", "w"),
        given.length("height", "h"),
        given.box(),
    )


def _callout(given: Parameters, blocks: Blocks) -> DocumentBlock:
    tone = given.choice(TONES, TONES.get(given.tag.tag.word.lower(), "info"), "type", "kind")
    edge = given.choice(EDGES, "", "cborder")
    return Callout(given.tag.line, tone, given.text("title", "desc"), blocks, given.box(), edge)


def _author(given: Parameters, blocks: Blocks) -> DocumentBlock:
    name = USERNAME.fullmatch(given.word("username", "user"))
    bio = given.text("override bio")
    box = AuthorBox(
        given.tag.line,
        name[1] if name else "",
        given.flag(True, "include name"),
        given.flag(True, "include bio") or bool(bio),
        given.flag(True, "include picture"),
        bio,
        given.box(),
    )
    return box if name else fault_of(given.tag, "username is missing: write username: ann")


def _table(given: Parameters, blocks: Blocks) -> DocumentBlock:
    """Return the table in the section, with its caption and label."""
    caption, number = read_line(given.text("caption")), given.label()
    match blocks:
        case (DataTable() as table,):
            return replace(table, line=given.tag.line, caption=caption, number=number)
        case ():
            return fault_of(given.tag, ONE_TABLE)
    given.notes.append(MarkupNote(given.tag.line, given.tag.column, ONE_TABLE))
    return Passage(given.tag.line, blocks)


def _index(given: Parameters, blocks: Blocks) -> DocumentBlock:
    """Return the list of all figures or tables, which is filled when the whole text is parsed."""
    return Listing(given.tag.line, None, True, (), NAMES[given.tag.tag.name])


MAKERS: Mapping[str, Callable[[Parameters, Blocks], DocumentBlock]] = {
    "vis": _vis,
    "img": _image,
    "paragraph": _passage,
    "callout": _callout,
    "author": _author,
    "table": _table,
    "figures": _index,
    "tables": _index,
}
"""Functions that make the block of each section."""
