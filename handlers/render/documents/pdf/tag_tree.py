"""The tree of tags of a PDF that is about to be written: complete, and fit to be joined to others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydyf

DIGITS = 6


def arrange_tags(pdf: Any, start: int) -> None:
    """Make heads and feet of pages artifacts, and names of cells those of this part of a document alone.

    The library tags what stands in margins but leaves it out of the tree, where ISO 14289-1 (7.1) wants
    either. `start` counts the pages before.
    """
    root = _object(pdf, pdf.catalog["StructTreeRoot"])
    tree = set(_numbers(pdf, root["K"][0]))
    nums = _object(pdf, root["ParentTree"])["Nums"]
    for key, value in zip(nums[::2], nums[1::2], strict=True):
        if isinstance(value, list):
            page = _object(pdf, pdf.page_references[key])
            loose = {at for at, one in enumerate(value) if _number(one) not in tree}
            _make_artifacts(_object(pdf, page["Contents"]), loose)
            value[:] = [b"null" if at in loose else one for at, one in enumerate(value)]
    root["ParentTreeNextKey"] = nums[-2] + 1
    _scope_heads(pdf, tree)
    _tag_notes(pdf, root["K"][0])
    _name_cells(pdf, root, tree, start)


def _number(reference: bytes) -> int:
    return int(reference.split()[0])


def _object(pdf: Any, reference: bytes) -> Any:
    return pdf.objects[_number(reference)]


def _numbers(pdf: Any, reference: bytes) -> Iterator[int]:
    """The numbers of all elements below one, and its own."""
    waiting = [_number(reference)]
    while waiting:
        number = waiting.pop()
        yield number
        kids = pdf.objects[number].get("K", ())
        waiting += [_number(kid) for kid in kids if isinstance(kid, bytes)]


def _make_artifacts(stream: Any, loose: set[int]) -> None:
    """Let marked content be an artifact: it is written as a tag, its properties, and an operator."""
    items = stream.stream
    for at, item in enumerate(items):
        if isinstance(item, pydyf.Dictionary) and item.get("MCID") in loose and items[at + 1] == b"BDC":
            items[at - 1 : at + 2] = ("/Artifact", b"", b"BMC")


def _scope_heads(pdf: Any, tree: set[int]) -> None:
    """Say of each head of a table whether it is of its column or of its row (ISO 32000-1, table 349)."""
    for number in sorted(tree):
        cell = pdf.objects[number]
        if cell.get("S") == "/TH":
            rows = _object(pdf, _object(pdf, cell["P"])["P"])
            cell["A"]["Scope"] = "/Column" if rows["S"] == "/THead" else "/Row"


def _tag_notes(pdf: Any, part: bytes) -> None:
    """Let what stands at the foot of a page be notes, each with a name (ISO 14289-1, 7.9)."""
    areas = [one for kid in _object(pdf, part)["K"] if isinstance(kid, bytes) and (one := _object(pdf, kid))]
    kids = [kid for one in areas if one["S"] == "/NonStruct" for kid in one["K"] if isinstance(kid, bytes)]
    for count, kid in enumerate(kids):
        note = _object(pdf, kid)
        if note["S"] == "/Span":
            note["S"], note["ID"] = "/Note", pydyf.String(f"note-{count:0{DIGITS}}")


def _name_cells(pdf: Any, root: Any, tree: set[int], start: int) -> None:
    """Give heads and notes names that no other part has, and the tree its list (ISO 32000-1, 14.7.2).

    Cells hold the very same names, so these change with them.
    """
    named = []
    for number in sorted(tree):
        name = pdf.objects[number].get("ID")
        if name is not None:
            name.string = f"{start:0{DIGITS}}-{name.string}"
            named.append((name.string, name, pdf.objects[number].reference))
    if named:
        leaf = pydyf.Array()
        for _, name, reference in sorted(named, key=lambda one: one[0]):
            leaf.extend((name, reference))
        root["IDTree"] = pydyf.Dictionary({"Names": leaf})
