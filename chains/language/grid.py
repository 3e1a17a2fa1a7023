"""A grid for other programs: its boxes and their content as JSON, from its layout and mapping."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

from chains.language.layout import BoxKind, Instruction, LayoutBox, walk
from chains.language.mapping import Binding, PlotOptions

NOTHING_DRAWN = '{"structure": {"type": "wrapper", "width": 0, "height": 0, "children": []}}'
NOTHING_SHOWN = '{"refs": []}'

_TYPES = {BoxKind.CELL: "wrapper container", BoxKind.ROW: "wrapper row", BoxKind.COLUMN: "wrapper column"}
_PLAIN = PlotOptions()


def link_id(label: str) -> str:
    """Return the id that connects the cells of a label to its reference. It is the same in every grid."""
    return blake2b(label.encode(), digest_size=8).hexdigest()


def structure(box: LayoutBox | None, bindings: Mapping[str, Binding]) -> str:
    """Return the text of `data.json`. No recursion: drawings may nest deeper than Python's limit."""
    if box is None:
        return NOTHING_DRAWN
    root = box if box.children else LayoutBox(BoxKind.ROW, box.width, box.height, children=[box])
    pieces = ['{"structure": ']
    waiting: list[LayoutBox | str] = ["}", root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        pieces.append(_head("wrapper" if node is root else _TYPES[node.kind], node))
        waiting.append(_tail(node, bindings))
        for at, child in enumerate(reversed(node.children)):
            waiting += [", ", child] if at else [child]
    return "".join(pieces)


def references(box: LayoutBox | None, bindings: Mapping[str, Binding]) -> str:
    """Return the text of `meta_data.json`: the bindings of the drawn labels, in the order of the cells."""
    labels = {box.instruction.label: None for box in walk(box) if box.instruction} if box else {}
    return json.dumps(
        {"refs": [_reference(label, bindings[label].options) for label in labels if label in bindings]}
    )


def _head(kind: str, box: LayoutBox) -> str:
    floating = ', "floating": true' if box.floating else ""
    return f'{{"type": "{kind}", "width": {box.width}, "height": {box.height}{floating}, "children": ['


def _tail(box: LayoutBox, bindings: Mapping[str, Binding]) -> str:
    if box.children:
        return "]}"
    return f'], "inst": {json.dumps(_instruction(box.instruction, bindings))}}}'


def _instruction(said: Instruction | None, bindings: Mapping[str, Binding]) -> Mapping[str, object] | None:
    if said is None:
        return None
    options = bindings[said.label].options if said.label in bindings else _PLAIN
    return {
        "lid": link_id(said.label),
        "position": said.position,
        "include_header": options.include_header,
        "include_caption": options.include_caption,
    }


def _reference(label: str, options: PlotOptions) -> Mapping[str, object]:
    chosen = {name: value for name, value in options._asdict().items() if value is not None}
    return {"label": label, "lid": link_id(label), **chosen}
