"""The structure tree of a PDF about to be written, completed for PDF/UA (ISO 14289-1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydyf


def complete_tags(document: Any, pdf: Any) -> None:
    """Complete what WeasyPrint leaves out of the structure tree; a `finisher` of `write_pdf`.

    Heads and feet of pages become artifacts: WeasyPrint tags them without adding them to the tree, where
    ISO 14289-1 (7.1) wants either. Header cells get a scope, footnotes become notes, and the tree gets the
    list of the names that cells refer to.
    """
    root = _object(pdf, pdf.catalog["StructTreeRoot"])
    top = root["K"][0]
    tree = set(_numbers(pdf, top))
    nums = _object(pdf, root["ParentTree"])["Nums"]
    for key, value in zip(nums[::2], nums[1::2], strict=True):
        if isinstance(value, list):
            page = _object(pdf, pdf.page_references[key])
            loose = {at for at, one in enumerate(value) if _number(one) not in tree}
            _make_artifacts(_object(pdf, page["Contents"]), loose)
            value[:] = [b"null" if at in loose else one for at, one in enumerate(value)]
    root["ParentTreeNextKey"] = nums[-2] + 1
    _set_scopes(pdf, tree)
    _tag_notes(pdf, top)
    _list_names(pdf, root, tree)


def _number(reference: bytes) -> int:
    return int(reference.split()[0])


def _object(pdf: Any, reference: bytes) -> Any:
    return pdf.objects[_number(reference)]


def _numbers(pdf: Any, reference: bytes) -> Iterator[int]:
    """Yield the number of an element and of all elements below it."""
    waiting = [_number(reference)]
    while waiting:
        number = waiting.pop()
        yield number
        kids = pdf.objects[number].get("K", ())
        waiting += [_number(kid) for kid in kids if isinstance(kid, bytes)]


def _make_artifacts(stream: Any, loose: set[int]) -> None:
    """Turn marked content into artifacts: it is written as a tag, its properties, and an operator."""
    items = stream.stream
    for at, item in enumerate(items):
        if isinstance(item, pydyf.Dictionary) and item.get("MCID") in loose and items[at + 1] == b"BDC":
            items[at - 1 : at + 2] = ("/Artifact", b"", b"BMC")


def _set_scopes(pdf: Any, tree: set[int]) -> None:
    """Say of each header cell whether it heads a column or a row (ISO 32000-1, table 349)."""
    for number in sorted(tree):
        cell = pdf.objects[number]
        if cell.get("S") == "/TH":
            rows = _object(pdf, _object(pdf, cell["P"])["P"])
            cell["A"]["Scope"] = "/Column" if rows["S"] == "/THead" else "/Row"


def _tag_notes(pdf: Any, top: bytes) -> None:
    """Tag footnotes as notes, each with a name of its own (ISO 14289-1, 7.9)."""
    areas = [one for kid in _object(pdf, top)["K"] if isinstance(kid, bytes) and (one := _object(pdf, kid))]
    kids = [kid for one in areas if one["S"] == "/NonStruct" for kid in one["K"] if isinstance(kid, bytes)]
    for count, kid in enumerate(kids):
        note = _object(pdf, kid)
        if note["S"] == "/Span":
            note["S"], note["ID"] = "/Note", pydyf.String(f"note-{count:06}")


def _list_names(pdf: Any, root: Any, tree: set[int]) -> None:
    """List the names of cells and notes in the root of the tree (ISO 32000-1, 14.7.2)."""
    elements = [one for number in sorted(tree) if (one := pdf.objects[number]).get("ID") is not None]
    if elements:
        leaf = pydyf.Array()
        for element in sorted(elements, key=lambda one: one["ID"].string):
            leaf.extend((element["ID"], element.reference))
        root["IDTree"] = pydyf.Dictionary({"Names": leaf})
