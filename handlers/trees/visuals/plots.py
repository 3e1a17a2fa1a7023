"""Plots: data and how it is drawn."""

from __future__ import annotations

import re

from handlers.rules.kinds import QuotedFile
from handlers.services.renderings import LeavesRecipe
from handlers.trees.facets.assets import assets
from handlers.trees.visuals.rendered import FOLDER, render_log, rendered_files
from handlers.trees.visuals.visual import visual, visual_kind
from vfs.errors import Invalid
from vfs.nodes import MIB, Dir
from vfs.parts import flag, line, text

WORD = re.compile(r"[a-z]{1,32}")
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
    if not WORD.fullmatch(word):
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

KIND = visual_kind("plot", "Plots", "bar", data=QuotedFile("data"))
RECIPE = LeavesRecipe("plot", ("data", "name", "summary"))
FORMS = ("png", "svg", "pdf", "txt", "ansi", "html", "csv", "xlsx", "pptx")


PLOTS = visual(
    KIND,
    {
        "data": text(largest=32 * MIB, about="rows as CSV"),
        "config": CONFIG,
        "assets": assets(),
        FOLDER: rendered_files(KIND, RECIPE, FORMS),
    },
    log=render_log(RECIPE, about="what the last drawing left out, a line each"),
    copies=("data", "config", "assets"),
    about=("a plot", "plots"),
)
