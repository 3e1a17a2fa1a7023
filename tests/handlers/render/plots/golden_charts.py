"""A drawing of each type as text, so that a change of look is seen in review.

`python -m tests.handlers.render.plots.golden_charts --write` renews them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from handlers.render.plots.charts.plot_types import TYPES
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.plot import Plot

FOLDER = Path(__file__).parent / "golden"
COMMAND = "PYTHONPATH=. .venv/bin/python -m tests.handlers.render.plots.golden_charts --write"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
SVG = "http://www.w3.org/2000/svg"
SERIES = "place,north,south\nOslo,12,8\nBergen,15,\nTromsø,-4,14\n"
MONTHS = "month,north,south\n2026-01,12,8\n2026-02,15,11\n2026-04,9,14\n2026-07,18,10\n"
DAYS = "day,runs\n" + "".join(f"2026-01-{day:02},{day * 7 % 11}\n" for day in range(1, 29))
POINTS = "place,east,up,people\nOslo,1,20,100\nBergen,2,40,400\nTromsø,4,10,900\n"
MEASURED = "".join(f"{'ash' if at % 3 else 'elm'},{at * at % 97}\n" for at in range(1, 31))
DATA = {
    **dict.fromkeys(("line", "step", "area", "sarea", "value", "spark"), MONTHS),
    **dict.fromkeys(("scatter", "bubble"), POINTS),
    "box": f"tree,height\n{MEASURED}",
    "hist": "height\n" + "".join(f"{at * at % 97}\n" for at in range(1, 31)),
    "calendar": DAYS,
    **dict.fromkeys(("errorbar", "band"), "year,value,low,high\n2020,12,8,15\n2021,14,11,18\n2022,9,,\n"),
    "gantt": "task,start,end,team,done\nPlan,2026-01-05,2026-01-30,A,1\nBuild,2026-02-02,2026-04-10,B,0.4\n"
    "Open,2026-04-13,,A,\n",
    "strip": f"tree,height\n{MEASURED}",
    **dict.fromkeys(("choropleth", "symbolmap"), "iso,share\nDK,57\nDE,29\nNLD,27\nLU,6\n"),
    "treemap": "kind,use,ha\nBuilt,Homes,24\nBuilt,Trade,8\nGreen,Woods,13\nGreen,Parks,5\n",
    "waterfall": "item,sum,kind\nSales,120,\nWages,-50,\nRent,-80,\nResult,,total\n",
}
WORDS = {
    "title": "A winter by the sea",
    "subtitle": "Birds that were counted",
    "caption": "Own counts",
}


def golden(type_: str) -> str:
    """The drawing of a type: an element a line, numbers of one decimal, without faces of letters."""
    drawn = draw(Plot(DATA.get(type_, SERIES), {"type": type_, **WORDS}, "winter"), Look(width=600))
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
    """Renew all drawings, and remove those of types that there are no more."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"to renew the drawings: {COMMAND}")
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.svg"):
        if path.stem not in TYPES:
            path.unlink()
    for type_ in TYPES:
        (FOLDER / f"{type_}.svg").write_text(golden(type_))


if __name__ == "__main__":
    main()
