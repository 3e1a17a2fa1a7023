"""Faults of an accessible PDF: the rules of ISO 14289-1 that a program can check."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

INLINE = {"/Span", "/Link", "/Quote", "/Note", "/Reference", "/Code", "/Figure", "/Formula", "/NonStruct"}
STANDARD = INLINE | {
    "/Document", "/Part", "/Art", "/Sect", "/Div", "/BlockQuote", "/Caption", "/P", "/L", "/LI", "/Lbl",
    "/LBody", "/Table", "/TR", "/TH", "/TD", "/THead", "/TBody", "/TFoot", "/H1", "/H2", "/H3", "/H4",
    "/H5", "/H6",
}  # fmt: skip
CHILDREN = {
    "/L": {"/LI", "/Caption"},
    "/LI": {"/Lbl", "/LBody"},
    "/Table": {"/TR", "/THead", "/TBody", "/TFoot", "/Caption"},
    "/THead": {"/TR"}, "/TBody": {"/TR"}, "/TFoot": {"/TR"},
    "/TR": {"/TH", "/TD"},
}  # fmt: skip
"""The only elements that are allowed directly below some others (ISO 32000-1, tables 336 and 337)."""
PARENTS = {
    kind: {outer for outer, inner in CHILDREN.items() if kind in inner}
    for kind in ("/LI", "/Lbl", "/LBody", "/THead", "/TBody", "/TFoot", "/TR", "/TH", "/TD")
}
PAINTING = {"Tj", "TJ", "'", '"', "f", "f*", "F", "S", "s", "B", "B*", "b", "b*", "sh", "Do", "EI"}


def pdf_faults(body: bytes) -> list[str]:
    """Return the faults of a PDF as sentences."""
    with pikepdf.open(io.BytesIO(body)) as pdf:
        return [
            *_metadata_faults(pdf),
            *_tree_faults(pdf),
            *_shape_faults(pdf),
            *_table_faults(pdf),
            *_page_faults(pdf),
            *_font_faults(pdf),
            *_outline_faults(pdf),
        ]


def elements(pdf: pikepdf.Pdf) -> Iterator[Any]:
    """Yield the elements of the tree of tags, outer before inner; raise if one names another parent."""
    waiting = [(pdf.Root.StructTreeRoot, kid) for kid in reversed(_list(pdf.Root.StructTreeRoot.K))]
    while waiting:
        parent, element = waiting.pop()
        yield parent, element
        kids = [one for one in _list(element.get("/K", Array())) if _is_element(one)]
        waiting += [(element, kid) for kid in reversed(kids)]


def _metadata_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    root = pdf.Root
    if not root.MarkInfo.Marked:
        yield "not marked"
    if not root.ViewerPreferences.DisplayDocTitle:
        yield "the title is not shown"
    if not str(root.get("/Lang", "")):
        yield "no language"
    xmp = root.Metadata.read_bytes()
    if b"pdfuaid" not in xmp or b"<dc:title>" not in xmp.replace(b"ns0:", b"dc:"):
        yield "metadata without title or pdfuaid"
    if not str(pdf.docinfo.get("/Title", "")):
        yield "no title"
    if len(pdf.trailer.get("/ID", Array())) != 2:
        yield "no identity"


def _tree_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    names, wanted = set(), set()
    for parent, element in elements(pdf):
        if element.P.objgen != parent.objgen:
            yield f"{element.S} names another parent"
        if Name.Figure == element.S and not str(element.get("/Alt", "")).strip():
            yield "a figure without words"
        if "/ID" in element:
            names.add(bytes(element.ID))
        wanted |= {bytes(one) for one in element.get("/A", Dictionary()).get("/Headers", Array())}
    if wanted - names:
        yield "cells name heads that there are not"
    tree = _leaves(pdf.Root.StructTreeRoot.get("/IDTree"), "/Names")
    if {bytes(one) for one in tree[::2]} != names or [bytes(one) for one in tree[::2]] != sorted(names):
        yield "names of cells are not listed"


def _shape_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Yield faults of elements at places that are not allowed, and of levels of headings left out."""
    level, ids = 0, set()
    for parent, element in elements(pdf):
        kind, around = str(element.S), str(parent.get("/S", "/StructTreeRoot"))
        kids = _list(element.get("/K", Array()))
        if kind not in STANDARD:
            yield f"{kind} is no standard type"
        if kind in PARENTS and around not in PARENTS[kind]:
            yield f"{kind} within {around}"
        if around in CHILDREN and kind not in CHILDREN[around]:
            yield f"{kind} within {around}, which holds others"
        if kind in CHILDREN and not all(_is_element(one) for one in kids):
            yield f"content right below {kind}"
        if kind == "/LI" and [str(one.S) for one in kids] not in (["/LBody"], ["/Lbl", "/LBody"]):
            yield "an item of a list is more than a label and a body"
        if kind == "/Link" and not any(isinstance(one, Dictionary) and "/Obj" in one for one in kids):
            yield "a link that leads nowhere"
        if kind == "/Note" and (str(element.get("/ID", "")) or "") in {*ids, ""}:
            yield "a note without a name of its own"
        ids.add(str(element.get("/ID", "")))
        if kind[2:].isdigit():
            if int(kind[2:]) > level + 1:
                yield f"{kind} follows a heading of level {level}"
            level = int(kind[2:])


def _table_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Yield faults of heads without a scope, and of rows with different numbers of columns."""
    for _, table in elements(pdf):
        if Name.Table != table.S:
            continue
        parts = [one for one in _list(table.K) if one.S in (Name.THead, Name.TBody, Name.TFoot)]
        if [str(one.S) for one in parts].count("/THead") > 1 or (
            parts and Name.TBody not in [one.S for one in parts]
        ):
            yield "a table of other parts than a head and a body"
        taken: dict[tuple[int, int], int] = {}
        rows = [row for one in (parts or [table]) for row in _list(one.K) if row.S == Name.TR]
        for top, row in enumerate(rows):
            at = 0
            for cell in _list(row.K):
                looks = cell.get("/A", Dictionary())
                if cell.S == Name.TH and str(looks.get("/Scope", "")) not in ("/Column", "/Row", "/Both"):
                    yield "a head without a scope"
                while (top, at) in taken:
                    at += 1
                down, right = int(looks.get("/RowSpan", 1)), int(looks.get("/ColSpan", 1))
                places = [(top + y, at + x) for y in range(down) for x in range(right)]
                if not taken.keys().isdisjoint(places):
                    yield "cells lie over each other"
                taken |= dict.fromkeys(places, 1)
        widths = Counter(y for y, _ in taken)
        if len(set(widths.values())) > 1 or len(widths) != len(rows):
            yield f"rows of {sorted(set(widths.values()))} columns"


def _page_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    reached = {element.objgen for _, element in elements(pdf)}
    flat = _leaves(pdf.Root.StructTreeRoot.ParentTree, "/Nums")
    parents = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
    if sorted(parents) != list(range(len(parents))):
        yield "keys of parents are not in order"
    for number, page in enumerate(pdf.pages, 1):
        if page.obj.get("/Tabs") != Name.S:
            yield f"page {number}: tabs in another order"
        ours = parents.get(int(page.obj.StructParents))
        for mark in _marks(page):
            if mark is None:
                yield f"page {number}: something is drawn without a tag"
            elif mark >= len(ours) or ours[mark] is None or ours[mark].objgen not in reached:
                yield f"page {number}: content {mark} is in no tree"
            elif mark not in [one for one in _list(ours[mark].K) if isinstance(one, int)]:
                yield f"page {number}: content {mark} is not of its parent"
        for link in page.obj.get("/Annots", Array()):
            parent = parents.get(int(link.StructParent))
            if parent.objgen not in reached or not str(link.Contents):
                yield f"page {number}: a link in no tree, or without words"
            if "/Dest" in link and bytes(link.Dest) not in _places(pdf):
                yield f"page {number}: a link to nowhere"


def _marks(page: pikepdf.Page) -> Iterator[int | None]:
    """The numbers of tagged content; None for what has neither tag nor is an artifact, or is both."""
    depth: list[bool] = []
    for operands, operator in pikepdf.parse_content_stream(page):
        match str(operator):
            case "BMC" | "BDC" if any(depth):
                yield None
                depth.append(True)
            case "BMC":
                depth.append(str(operands[0]) == "/Artifact")
            case "BDC":
                depth.append(True)
                yield int(operands[1].MCID)
            case "EMC":
                depth.pop()
            case paint if paint in PAINTING and not any(depth):
                yield None


def _font_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    for one in pdf.objects:
        kind = one.get("/Type") if isinstance(one, Dictionary) else None
        if kind == Name.FontDescriptor and not {"/FontFile2", "/FontFile3"} & set(one.keys()):
            yield f"{one.FontName} is not embedded"
        if kind == Name.Font and one.Subtype == Name.Type0 and "/ToUnicode" not in one:
            yield f"{one.BaseFont} cannot be read"


def _outline_faults(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Yield the entries of the outline whose page has no tag of a heading."""
    heads = {f"/H{level}" for level in range(1, 7)}
    pages = {element.Pg.objgen for _, element in elements(pdf) if str(element.S) in heads}
    with pdf.open_outline() as outline:
        waiting = list(outline.root)
        while waiting:
            item = waiting.pop()
            waiting += item.children
            if item.destination[0].objgen not in pages:
                yield f"{item.title} leads to a page without a heading"


def _places(pdf: pikepdf.Pdf) -> set[bytes]:
    names = pdf.Root.Names.Dests.Names
    return {bytes(one) for one in list(names)[::2]}


def _leaves(node: Any, key: str) -> list[Any]:
    """Return the entries of a tree of names or numbers, in order; its leaves are directly below its root."""
    if node is None:
        return []
    return [one for leaf in node.get("/Kids", [node]) for one in leaf[key]]


def _list(kids: Any) -> list[Any]:
    return list(kids) if isinstance(kids, Array) else [kids]


def _is_element(one: Any) -> bool:
    return isinstance(one, Dictionary) and "/S" in one
