"""The structure tree of a PDF, completed for PDF/UA (ISO 14289-1) before the PDF is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pydyf

GROUPS = ("/THead", "/TBody", "/TFoot")
OUTER = {"/LI": "/L", "/Lbl": "/LI", "/LBody": "/LI"}
"""The parents of list elements; users' HTML may contain these elements elsewhere."""


def complete_tags(document: Any, pdf: Any) -> None:
    """Add parts of the structure tree that WeasyPrint leaves out; a `finisher` of `write_pdf`.

    Heads and feet of pages become artifacts: WeasyPrint tags them without adding them to the tree, where ISO
    14289-1 (7.1) requires one of both. Levels of headings follow each other, items of lists have a body,
    header cells have a scope, and footnotes become notes.
    """
    root = _object(pdf, pdf.catalog["StructTreeRoot"])
    top = root["K"][0]
    _tag_notes(pdf, root, top)
    tree = {}
    levels = list[int]()
    for element in _walk(pdf, top):
        tree[element.number] = element
        kind = element["S"]
        if kind in OUTER and _object(pdf, element["P"])["S"] != OUTER[kind]:
            element["S"] = "/Div"
        elif kind == "/L":
            _fill_items(pdf, element)
        elif kind == "/Table":
            _keep_rows(pdf, element)
        elif kind in ("/TH", "/TD"):
            _tag_cell(pdf, element)
        elif kind == "/Link" and not any("Obj" in one for one in _inner(pdf, element)):
            element["S"] = "/Span"
        elif kind[:2] == "/H" and kind[2:].isdigit():
            _close_up(element, levels)
    _mark_artifacts(pdf, root, tree)


def _object(pdf: Any, reference: bytes) -> Any:
    return pdf.objects[int(reference.split()[0])]


def _inner(pdf: Any, element: Any) -> list[Any]:
    """Return the child elements of an element, and its references to links."""
    return [_object(pdf, kid) for kid in element["K"] if isinstance(kid, bytes)]


def _kids(pdf: Any, element: Any) -> list[Any]:
    """Return the child elements of an element."""
    return [one for one in _inner(pdf, element) if "S" in one]


def _walk(pdf: Any, top: bytes) -> Iterator[Any]:
    """Yield all elements in reading order, parents first."""
    waiting = [_object(pdf, top)]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += reversed(_kids(pdf, element))


def _mark_artifacts(pdf: Any, root: Any, tree: Mapping[int, Any]) -> None:
    """Turn marked content outside of the tree into artifacts."""
    nums = _object(pdf, root["ParentTree"])["Nums"]
    for key, value in zip(nums[::2], nums[1::2], strict=True):
        if isinstance(value, list):
            loose = {at for at, one in enumerate(value) if int(one.split()[0]) not in tree}
            items = _object(pdf, _object(pdf, pdf.page_references[key])["Contents"]).stream
            for at, item in enumerate(items):
                if (
                    isinstance(item, pydyf.Dictionary)
                    and item.get("MCID") in loose
                    and items[at + 1] == b"BDC"
                ):
                    items[at - 1 : at + 2] = ("/Artifact", b"", b"BMC")
            value[:] = [b"null" if at in loose else one for at, one in enumerate(value)]
    root["ParentTreeNextKey"] = nums[-2] + 1


def _close_up(heading: Any, levels: list[int]) -> None:
    """Make a heading's level follow that of the heading around it (ISO 14289-1, 7.4.2)."""
    level = int(heading["S"][2:])
    while levels and levels[-1] >= level:
        levels.pop()
    levels.append(level)
    heading["S"] = f"/H{len(levels)}"


def _fill_items(pdf: Any, listing: Any) -> None:
    """Put everything in an item except its label into one body, as well as content between items.

    ISO 32000-1, table 336. Only items and a caption remain directly below the list.
    """
    items = list[tuple[Any, list[Any]]]()
    for kid in _kids(pdf, listing):
        if kid["S"] == "/LI":
            items.append((kid, _kids(pdf, kid)))
        elif kid["S"] != "/Caption":
            if not items:
                items.append((_add_element(pdf, "/LI", listing), []))
            items[-1][1].append(kid)
    captions = [kid for kid in _kids(pdf, listing) if kid["S"] == "/Caption"]
    _set_kids(listing, [*captions, *(item for item, _ in items)])
    for item, parts in items:
        label = parts[:1] if parts and parts[0]["S"] == "/Lbl" else []
        body = parts[len(label) :]
        if [one["S"] for one in body] != ["/LBody"]:
            inner, body = body, [_add_element(pdf, "/LBody", item)]
            _set_kids(body[0], inner)
        _set_kids(item, [*label, *body])


def _add_element(pdf: Any, kind: str, parent: Any) -> Any:
    """Return a new element on the page of its parent."""
    made = pydyf.Dictionary({"Type": "/StructElem", "S": kind, "Pg": parent["Pg"]})
    pdf.add_object(made)
    _set_kids(made, [])
    made["P"] = parent.reference
    return made


def _set_kids(element: Any, kids: Sequence[Any]) -> None:
    element["K"] = pydyf.Array([one.reference for one in kids])
    for one in kids:
        one["P"] = element.reference


def _keep_rows(pdf: Any, table: Any) -> None:
    """Remove rows and bodies without cells; the rows of a head without a body become the table's."""
    kept = list[Any]()
    for part in _kids(pdf, table):
        rows = [row for row in _kids(pdf, part) if row["S"] == "/TR" and row["K"]]
        if part["S"] in GROUPS:
            _set_kids(part, rows)
            _end_spans(pdf, rows)
        kept += [part] if rows or part["S"] not in GROUPS else []
    if "/TBody" not in [one["S"] for one in kept]:
        kept = [row for one in kept for row in (_kids(pdf, one) if one["S"] in GROUPS else [one])]
    _set_kids(table, kept)


def _end_spans(pdf: Any, rows: Sequence[Any]) -> None:
    """Limit cells to the rows of their group, as they are drawn."""
    for left, row in enumerate(reversed(rows), 1):
        for cell in _kids(pdf, row):
            if cell["A"].get("RowSpan", 1) > left:
                cell["A"]["RowSpan"] = left


def _tag_cell(pdf: Any, cell: Any) -> None:
    """Mark whether a header cell heads a column or a row (ISO 32000-1, table 349).

    This decides the headers of a cell; WeasyPrint's lists of names are wrong if cells span.
    """
    cell.pop("ID", None)
    cell["A"].pop("Headers", None)
    if cell["S"] == "/TH":
        rows = _object(pdf, _object(pdf, cell["P"])["P"])
        cell["A"]["Scope"] = "/Row" if rows["S"] in ("/TBody", "/TFoot") else "/Column"


def _tag_notes(pdf: Any, root: Any, top: bytes) -> None:
    """Tag footnotes as notes, each with a unique name (ISO 14289-1, 7.9) that the root lists."""
    areas = [one for one in _kids(pdf, _object(pdf, top)) if one["S"] == "/NonStruct"]
    notes = [kid for one in areas for kid in _kids(pdf, one) if kid["S"] in ("/Span", "/Div")]
    names = pydyf.Array()
    for count, note in enumerate(notes):
        note["S"], note["ID"] = "/Note", pydyf.String(f"note-{count:06}")
        names.extend((note["ID"], note.reference))
    if notes:
        root["IDTree"] = pydyf.Dictionary({"Names": names})
