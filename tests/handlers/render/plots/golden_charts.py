"""A drawing of each type as text, so that a change of look is seen in review.

`python -m tests.handlers.render.plots.golden_charts --write` renews them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot

FOLDER = Path(__file__).parent / "golden"
COMMAND = "PYTHONPATH=. .venv/bin/python -m tests.handlers.render.plots.golden_charts --write"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
SVG = "http://www.w3.org/2000/svg"
WORDS = {
    "title": "A winter by the sea",
    "subtitle": "Birds that were counted",
    "caption": "Own counts",
}

OUTLINES = (
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"West"},"geometry":'
    '{"type":"Polygon","coordinates":[[[9,53],[10,53],[10,54],[9,54],[9,53]]]}},{"type":"Feature","properties":'
    '{"name":"East"},"geometry":{"type":"Polygon","coordinates":[[[10,53],[11.5,53],[10,54],[10,53]]]}}]}'
)
CHARTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    **{word: (kind.example, {"type": word}) for word, kind in TYPES.items()},
    "choropleth-states": ("state,v\nVermont,7\nTexas,5\nAlaska,2\n", {"type": "choropleth"}),
    "choropleth-nuts": ("nuts,v\nBE1,7\nBE2,5\nNL31,2\n", {"type": "choropleth"}),
    "choropleth-own": ("part,v\nWest,7\nEast,5\n", {"type": "choropleth", "map/geojson": OUTLINES}),
}
"""Data and settings of each drawing by its name: of each type its example, and more maps."""


def golden(name: str) -> str:
    """A drawing: an element a line, numbers of one decimal, without faces of letters."""
    data, config = CHARTS[name]
    drawn = draw(Plot(data, {**config, **WORDS}, "winter"), Look(width=600))
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn.svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{SVG}}}style":
                parent.remove(child)
    for element in root.iter():
        for name, value in element.attrib.items():
            element.set(name, NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value))
    ElementTree.indent(root)
    notes = "".join(f"<!-- {note} -->\n" for note in drawn.notes)
    return ElementTree.tostring(root, encoding="unicode") + "\n" + notes


def main() -> None:
    """Renew all drawings, and remove those of removed types."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"to renew the drawings: {COMMAND}")
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.svg"):
        if path.stem not in CHARTS:
            path.unlink()
    for type_ in CHARTS:
        (FOLDER / f"{type_}.svg").write_text(golden(type_))


if __name__ == "__main__":
    main()
