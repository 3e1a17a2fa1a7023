"""Boxes of a grid as its editor shows them: the letters of the layout, with the mapping's lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chains.language import layout, mapping
from chains.language.layout import walk
from chains.language.mistake import Mistake

WAS = "was:"
"""Prefix of the name of the field that holds what another field had shown."""
MOST_BOXES = 64
LABEL = re.compile(r"\{\s*([A-Za-z0-9]{1,64})")
LINE = re.compile(r"\s*([A-Za-z0-9]+)\s*=\s*>([^,]*+)(,.*)?")
HEADER = re.compile(r"\s*(h|include_header)\s*=")
HEADER_IN_QUERY = re.compile(r"[?&](h|include_header)=[^&]*")
SHOWN = "h=t"


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A letter of the layout, the plot that the mapping assigns to it, and whether its title is shown."""

    label: str
    ref: str = ""
    titled: bool = False


def labels_of(drawing: str) -> Sequence[str]:
    """Return the letters of a layout in reading order, also if the layout is not valid."""
    try:
        box = layout.parse(drawing)
    except Mistake:
        found = LABEL.findall(drawing)
    else:
        found = [one.instruction.label for one in walk(box) if one.instruction is not None] if box else []
    return list(dict.fromkeys(found))[:MOST_BOXES]


def box_rows(drawing: str, bound: str) -> list[BoxRow]:
    """Return the letters of a layout with the plots that a mapping assigns to them."""
    lines = {label: (ref, options) for label, ref, options in bound_lines(bound)}
    return [
        BoxRow(label, *(read_line(*lines[label]) if label in lines else ("", False)))
        for label in labels_of(drawing)
    ]


def with_boxes(bound: str, sent: Mapping[str, str]) -> str:
    """Return the mapping with the letters that were changed in a form."""
    for name in [name for name in sent if name.startswith(f"{WAS}box-")]:
        label = name.removeprefix(f"{WAS}box-")
        before = (sent[name], sent.get(f"{WAS}head-{label}", ""))
        chosen = (sent.get(f"box-{label}", ""), sent.get(f"head-{label}", ""))
        if chosen != before and label.isalnum():
            bound = with_box(bound, label, chosen[0].strip(), titled=bool(chosen[1]))
    return bound


def with_box(bound: str, label: str, ref: str, *, titled: bool) -> str:
    """Return the mapping with a letter assigned to a plot; to none if no plot is named."""
    old = {one: options for one, _, options in bound_lines(bound)}.get(label, "")
    kept = [one.strip() for one in old.split(",")[1:] if one.strip() and not HEADER.match(one)]
    plain = HEADER_IN_QUERY.sub("", ref).replace("\n", " ")
    # Options after commas are valid only without a query.
    shown = [SHOWN] if titled and "?" not in plain else []
    plain += f"&{SHOWN}" if titled and not shown else ""
    line = ", ".join([f"{label} => {plain}", *kept, *shown])
    lines = bound.split("\n")
    places = [at for at, one in enumerate(lines) if _label(one) == label]
    for at in reversed(places[:-1] if ref else places):
        del lines[at]
    if not ref:
        return "\n".join(lines)
    if places:
        lines[places[-1] - len(places) + 1] = line
        return "\n".join(lines)
    return f"{bound}{'' if bound.endswith(chr(10)) or not bound else chr(10)}{line}\n"


def with_plot(drawing: str, bound: str, ref: str) -> str:
    """Return the mapping with the first free letter assigned to a plot; unchanged if none is free."""
    free = next((row.label for row in box_rows(drawing, bound) if not row.ref), "")
    return with_box(bound, free, ref, titled=True) if free and ref else bound


def bound_lines(bound: str) -> Iterator[tuple[str, str, str]]:
    """Yield label, reference and options of each line that assigns a plot."""
    for line in bound.split("\n"):
        if found := LINE.fullmatch(line.rstrip("\r")):
            yield found[1], found[2].strip(), found[3] or ""


def _label(line: str) -> str:
    found = LINE.fullmatch(line.rstrip("\r"))
    return found[1] if found else ""


def read_line(ref: str, options: str) -> tuple[str, bool]:
    """Return the reference of a line, and whether it shows the title."""
    try:
        (binding,) = mapping.parse(f"A => {ref}{options}").values()
    except (Mistake, ValueError):
        return ref, False
    return ref, binding.options.include_header
