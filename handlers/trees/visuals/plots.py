"""Plots: data and how it is drawn."""

from __future__ import annotations

import re

from handlers.trees.facets.assets import assets
from handlers.trees.facets.meta import empty_log, meta, with_tags
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.access import VIEWABLE
from vfs.errors import Invalid
from vfs.nodes import MIB, Dir, Items
from vfs.parts import flag, line, text, value

KIND = re.compile(r"[a-z]{1,32}")
LEGEND = ("format", "layout", "position", "type")
CELL = ("align", "border", "chart", "format", "merge", "overflow", "padding", "priority", "text", "width")
AXIS = (
    "anchor",
    "domains",
    "labels",
    "location",
    "margin",
    "multi",
    "offset",
    "overlap",
    "padding",
    "range",
    "scale",
    "ticks",
)
BACKGROUND = ("align", "color", "colors", "index", "labels", "size", "stroke", "type")


def kind(sent: str) -> str:
    """The name of a plot type. Raises Invalid."""
    word = sent.strip()
    if not KIND.fullmatch(word):
        raise Invalid(f'"{word[:40]}" is no plot type: a type is a word of a-z, such as bar, line or table')
    return word


CONFIG = Dir(
    {
        "type": line("bar", check=kind, about="what it is drawn as"),
        "title": line(about="shown above"),
        "subtitle": line(about="shown below the title"),
        "caption": text(about="shown below"),
        "comments": flag(True, about="whether it takes comments"),
        "colors": Dir({name: text() for name in ("colors", "theme", "type")}, about="colours of the series"),
        "legend": Dir({name: text() for name in LEGEND}, about="the legend"),
        "axis": Dir({name: text() for name in AXIS}, about="the axes"),
        "bg": Dir({name: text() for name in BACKGROUND}, about="what lies behind"),
        "table": Dir(
            {
                "index": text(),
                "size": text(),
                "cell": Dir({name: text() for name in CELL}, about="cells"),
            },
            about="tables",
        ),
        "custom": Dir(
            {name: text() for name in ("custom.css", "custom.js", "custom.deps")}, about="own drawing"
        ),
    },
    about="how it is drawn",
)

PLOT = Dir(
    {
        **meta("p"),
        "threads": THREADS,
        "vars": VARIABLES,
        "data": text(largest=32 * MIB, about="rows as CSV"),
        "config": CONFIG,
        "assets": assets(),
        "log": value(empty_log, about="what the last drawing had to say"),
    },
    about="a plot",
)
PLOTS = Items(
    "plot",
    PLOT,
    home=True,
    confers=VIEWABLE,
    copies=("name", "summary", "description", "data", "config", "assets", "vars"),
    copied=with_tags,
    about="plots",
)
