"""Printed sheets joined to one PDF: pages, tags, outline, names of places, and what is said of the whole."""

from __future__ import annotations

import io
from codecs import BOM_UTF16_BE
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem

from handlers.render.documents.pdf.font_programs import embed_fonts
from handlers.render.documents.pdf.printed_sheet import PrintedSheet


def join_sheets(sheets: Sequence[PrintedSheet]) -> bytes:
    """One PDF of all sheets; the same bytes for the same sheets."""
    with ExitStack() as opened:
        whole = opened.enter_context(pikepdf.new())
        parts = [opened.enter_context(pikepdf.open(io.BytesIO(sheet.body))) for sheet in sheets]
        fonts = _join_tags(whole, parts)
        embed_fonts(whole, sheets, fonts)
        _name_places(whole, sheets)
        _write_outline(whole, sheets)
        _describe(whole, parts[0])
        made = io.BytesIO()
        whole.save(
            made,
            min_version="1.7",
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            deterministic_id=True,
        )
    return made.getvalue()


def _join_tags(whole: pikepdf.Pdf, parts: Sequence[pikepdf.Pdf]) -> list[pikepdf.Object]:
    """All pages, and below one root the trees of their tags, with keys that are the whole's own.

    Returns the table of fonts of each part.
    """
    root = whole.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    document = whole.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
    kids, leaves, names, fonts = [], [], [], []
    first = 0
    for part in parts:
        before = len(whole.pages)
        for page in part.pages:
            whole.pages.append(page)
        tree = whole.copy_foreign(part.Root.StructTreeRoot)
        kid = tree.K[0]
        kid.S, kid.P = Name.Part, document
        kids.append(kid)
        elements = list(tree.ParentTree.Nums)[1::2]
        fonts.append(whole.pages[before].obj.Resources.Font)
        for page in whole.pages[before:]:
            _move_keys(page, first)
        leaves.append(_leaf(whole, first, elements))
        first += len(elements)
        if "/IDTree" in tree:
            names.append(_names(whole, tree.IDTree.Names))
    document.K = Array(kids)
    root.K = Array([document])
    root.ParentTree = whole.make_indirect(Dictionary(Kids=Array(leaves)))
    root.ParentTreeNextKey = first
    if names:
        root.IDTree = Dictionary(Kids=Array(names))
    whole.Root.StructTreeRoot = root
    return fonts


def _move_keys(page: pikepdf.Page, first: int) -> None:
    """Count the keys of a page and of its links from `first` on."""
    page.obj.StructParents += first
    for link in page.obj.get("/Annots", ()):
        if "/StructParent" in link:
            link.StructParent += first


def _leaf(whole: pikepdf.Pdf, first: int, elements: Sequence[pikepdf.Object]) -> pikepdf.Object:
    nums = [one for at, element in enumerate(elements, first) for one in (at, element)]
    limits = Array([first, first + len(elements) - 1])
    return whole.make_indirect(Dictionary(Limits=limits, Nums=Array(nums)))


def _names(whole: pikepdf.Pdf, names: pikepdf.Object) -> pikepdf.Object:
    return whole.make_indirect(Dictionary(Limits=Array([names[0], names[-2]]), Names=names))


def _name_places(whole: pikepdf.Pdf, sheets: Sequence[PrintedSheet]) -> None:
    """The first place of each name, to which links lead."""
    pages = [one.obj for one in whole.pages]
    places: dict[bytes, Array] = {}
    for page, anchors in zip(pages, (one for sheet in sheets for one in sheet.anchors), strict=True):
        for name, left, top in anchors:
            places.setdefault(_bytes(name), Array([page, Name.XYZ, left, top, 0]))
    names = [one for name in sorted(places) for one in (pikepdf.String(name), places[name])]
    if names:
        whole.Root.Names = Dictionary(Dests=Dictionary(Names=Array(names)))


def _bytes(name: str) -> bytes:
    """A name in the very bytes in which links have it."""
    return name.encode() if name.isascii() else BOM_UTF16_BE + name.encode("utf-16-be")


def _write_outline(whole: pikepdf.Pdf, sheets: Sequence[PrintedSheet]) -> None:
    """The headings, each below the last one before it that has a lower level."""
    open_levels: list[tuple[int, OutlineItem]] = []
    with whole.open_outline(max_depth=99) as outline:
        for page, (level, label, left, top) in _bookmarks(sheets):
            item = OutlineItem(label, page, "XYZ", left=left, top=top, zoom=0)
            while open_levels and open_levels[-1][0] >= level:
                open_levels.pop()
            (open_levels[-1][1].children if open_levels else outline.root).append(item)
            open_levels.append((level, item))


def _bookmarks(sheets: Sequence[PrintedSheet]) -> Iterator[tuple[int, tuple[int, str, float, float]]]:
    pages = (one for sheet in sheets for one in sheet.bookmarks)
    return ((number, mark) for number, marks in enumerate(pages) for mark in marks)


def _describe(whole: pikepdf.Pdf, first: pikepdf.Pdf) -> None:
    """Title, language and everything else that the first part says of the whole."""
    whole.Root.Lang = pikepdf.String(str(first.Root.Lang))
    whole.Root.MarkInfo = Dictionary(Marked=True)
    whole.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    whole.Root.Metadata = whole.copy_foreign(first.Root.Metadata)
    for key, value in first.docinfo.items():
        whole.docinfo[key] = pikepdf.String(str(value))
