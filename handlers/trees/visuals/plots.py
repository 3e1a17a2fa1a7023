"""Plots: data and the settings of its drawing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from chains.language import mapping
from handlers.rendering.interface import (
    LARGEST_BYTES,
    MOST_COLUMNS,
    SETTING_READERS,
    SETTING_WORDS,
    TAKES,
    BadSetting,
    plot_types,
    reads_setting,
    settings_read,
)
from handlers.rules.kinds import QuotedFile
from handlers.services.renderings import LeavesRecipe, render
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.declared_files import ABOUT as LANGUAGE
from handlers.trees.facets.declared_files import language_tag
from handlers.trees.facets.meta import meta
from handlers.trees.facets.pictures import assets
from handlers.trees.facets.renames import MAPPING
from handlers.trees.visuals.preview import PreviewWay, draft_file
from handlers.trees.visuals.visual import FOLDER, render_log, rendered_files, visual, visual_kind
from vfs.call import Reply
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, MIB, Check, Dir
from vfs.parts import flag, line, text
from vfs.ports.leaves import text_at
from vfs.rules import ANYONE, Rule

WORD = re.compile(r"[a-z]{1,32}")
ONE_OF = {path: ", ".join(words) for path, words in SETTING_WORDS.items()}
LINES = "lines of `x` (categories) or `y` (values) and"
AXIS: Mapping[str, str] = {
    "anchor": "",
    "domains": f"{LINES} its two ends, such as `y 0 100`; `_` leaves one to the data; no value is cut off",
    "labels": f"{LINES} a format such as `,.1f`, `.0%` or `%b %Y`, or `none`",
    "location": "",
    "margin": "",
    "multi": "",
    "names": "lines of `x` (categories) or `y` (values) and the name of the axis, such as `y Tonnes`",
    "offset": "",
    "overlap": "",
    "padding": "",
    "range": "",
    "scale": f"{LINES} `linear` or `log`",
    "sort": f"the order of rows, sets or tasks: {ONE_OF['axis/sort']}; rows called Other come last",
    "stack": f"one of {ONE_OF['axis/stack']}: parts of a stack by their values, or as shares of 100%",
    "ticks": f"{LINES} about how many, or their places, or `none`",
}
BACKGROUND: Mapping[str, str] = {
    "align": "",
    "color": "the background as #rrggbb; of several, each mode takes the first on which its text can be read",
    "colors": "",
    "index": "",
    "labels": "",
    "size": "",
    "stroke": "",
    "type": f"one of {ONE_OF['bg/type']}",
}
COLORS: Mapping[str, str] = {
    "colors": "colours of the series in their order: #rrggbb, names of the web's, or numbers in the pack; "
    "or lines of a name and its colour, such as `Oslo #d03040`, `* gray` for all others "
    "and `- red` for bars below zero; "
    "of tables lines of rows, columns, bg or fg, and colours such as red-500 or bad,good(_,0,_)",
    "scale": f"how the colours of maps, heat maps and calendars follow values: {TAKES}",
    "theme": f"a pack of colours: {ONE_OF['colors/theme']}",
    "type": f"one of {ONE_OF['colors/type']}: by colours, by numbers (in tables: cells), by the pack alone",
}
LEGEND: Mapping[str, str] = {
    "format": "a format of the numbers in it, such as ,.1f",
    "layout": f"one of {ONE_OF['legend/layout']}",
    "position": f"one of {ONE_OF['legend/position']}, none",
    "type": f"one of {ONE_OF['legend/type']}; direct: names beside their marks",
}
CELLS = "lines of rows, columns (slices such as 0, 1:, -1 or ::2) and"
CELL: Mapping[str, str] = {
    "align": f"{CELLS} one of < - > and one of ^ = v",
    "border": f"{CELLS} sides (of l r t b x y a), a size of 0 to 5, a colour and one for dark pictures",
    "chart": f"{CELLS} `hbar`, ends such as `(0,100)^lin` or `(_,0,_)`, `l` with numbers, `h` without middle;"
    " `spark` or `spark l` for a line through the numbers of a cell, `arrow` for the sign",
    "format": f"{CELLS} a format such as `,.1f`, `+.1%`, `$2m`, `.3s` or `%d %b %Y`; `st` is as sent",
    "merge": f"{CELLS} a name: neighbours that are one cell",
    "overflow": f"{CELLS} e (…), t (cut after a word), w (break into lines) or o (run over)",
    "padding": f"{CELLS} sides (of l r t b x y a) and a size of 0 to 5",
    "priority": f"{CELLS} 1 (stays longest) to 5 (left out first)",
    "text": f"{CELLS} letters of b i s u r n -, a size such as sm, lg or 20, and sans, serif or mono",
    "width": f"{CELLS} x (most), i (least) or f (fixed) and units",
}
TABLE: Mapping[str, str] = {
    "index": "number of first columns that name their rows: 1 by default, or no",
    "size": f"one of {ONE_OF['table/size']}: how wide, in units that are pixels of a picture",
}
COMBO: Mapping[str, str] = {
    "line": "names of series that are drawn as lines over standing bars, separated by commas or line breaks",
    "place": f"one of {ONE_OF['combo/place']}: in a panel above the bars, or on an axis at the right",
}
SPLIT: Mapping[str, str] = {
    "axes": f"one of {ONE_OF['split/axes']}: the axes of all panels, or those of each",
    "by": "the column whose words have a panel each, or series for a panel for each series",
    "columns": f"how many panels are side by side: auto, or 1 to {MOST_COLUMNS}",
}
MAP: Mapping[str, str] = {
    "area": "what a map shows: auto (by the places), world, or countries with their regions, such as `US`",
    "geojson": "outlines of your own: a GeoJSON FeatureCollection of Point, Polygon and MultiPolygon",
    "name": "the property of the GeoJSON that the places are named by; else the one that has most of them",
}
VALUE: Mapping[str, str] = {
    "against": "the row that a figure is compared with, such as 2026-01; by default the one before",
    "format": "how a figure, or amounts and the sum of shares, are written: `.1%`, `$,.0f`, `.3s` for 1.28m",
    "good": f"which change of a figure is good: {ONE_OF['value/good']}",
    "labels": f"one of {ONE_OF['value/labels']}: totals above stacks, last values beside the names of lines",
    "than": "words for what a figure is compared with, such as `last month`; by default the row's name",
}
READING: Mapping[str, str] = {
    "dates": f"which is first in dates such as 1/2/2026: {ONE_OF['reading/dates']}",
    "decimal": f"the decimal mark of numbers: {ONE_OF['reading/decimal']}",
    "header": f"the row with the names of the columns: {ONE_OF['reading/header']}",
}
CUSTOM: Mapping[str, str] = {
    "custom.css": "its style sheet",
    "custom.js": "its script, which draws `data` into `node`; `render` has the settings",
    "custom.deps": "kept; a custom plot has no network to load from",
}

OTHERS = ", ".join(word for word, kind in plot_types().items() if not kind.bars)
TYPES = f"bar, gbar, sbar or abar (before them h, i or ih), {OTHERS}, table, custom"


def check_of(read: Callable[[str], object]) -> Check:
    """Return a check that accepts a text unchanged if `read` can read it."""

    def check(sent: str) -> str:
        try:
            read(sent)
        except BadSetting as wrong:
            where = {"line": wrong.line, "column": wrong.column, "reason": wrong.reason}
            said = f"line {wrong.line}, column {wrong.column}: {wrong.reason}"
            raise Invalid(said, rejected=[where]) from None
        return sent

    return check


LARGEST: Mapping[str, int] = {"map/geojson": LARGEST_BYTES}
CHECKS: Mapping[str, Check] = {path: check_of(read) for path, read in SETTING_READERS.items()}
"""Settings that are parsed when they are written, so that mistakes are refused."""


def kind(sent: str) -> str:
    """Return the name of a plot type. Raises Invalid."""
    word = sent.strip()
    if not WORD.fullmatch(word):
        raise Invalid(f'"{word[:40]}" is no plot type: a type is a word of a-z, such as bar, line or table')
    return word


def rule_of(folder: str) -> Rule:
    """Return the rule that lists a folder of settings for the plot types that use it.

    Every setting can be read and written whatever the type is.
    """

    def test(context: Context[World]) -> bool:
        return reads_setting(text_at(context.world.leaves, context.here.id, "config/type", "bar"), folder)

    return Rule(f"{folder} heeded", test, f"a type that is drawn by config/{folder}")


def settings(folder: str, texts: Mapping[str, str], about: str) -> Dir:
    """Return a folder of settings, listed for the plot types that use it."""
    kept = "stored, but not used by this plot type"
    return Dir(
        {
            name: text(
                about=tells or kept,
                largest=LARGEST.get(f"{folder}/{name}", 256 * KIB),
                check=CHECKS.get(f"{folder}/{name}"),
                listed=rule_of(f"{folder}/{name}") if f"{folder}/{name}" in settings_read() else ANYONE,
            )
            for name, tells in texts.items()
        },
        listed=rule_of(folder),
        about=about,
    )


CONFIG = Dir(
    {
        "type": line("bar", check=kind, about=f"one of {TYPES}"),
        "title": line(about="another title in the picture, instead of the plot's name"),
        "subtitle": line(about="shown below the title; a unit at its end is also on the axis"),
        "caption": text(about="the text below the drawing"),
        "notes": text(
            check=CHECKS["notes"],
            about="notes on the drawing, a line each, of a place and words in quotes, such as "
            '`2026-05-01 "ringed"`, `y 100 "target"`, `2026-01..2026-03 "frost"` or '
            '`2026-06.. dashed "forecast"`',
            listed=rule_of("notes"),
        ),
        "trend": text(
            check=CHECKS["trend"],
            about="one of none, linear: a straight line through the values of each series",
            listed=rule_of("trend"),
        ),
        "lang": line(check=language_tag, about=LANGUAGE),
        "comments": flag(True, about="whether it takes comments"),
        "colors": settings("colors", COLORS, "colours of the series"),
        "legend": settings("legend", LEGEND, "the key of the series"),
        "axis": settings("axis", AXIS, "the axes"),
        "combo": settings("combo", COMBO, "lines over bars"),
        "split": settings("split", SPLIT, "panels"),
        "value": settings("value", VALUE, "figures"),
        "map": settings("map", MAP, "maps"),
        "reading": settings("reading", READING, "how to read ambiguous data"),
        "bg": settings("bg", BACKGROUND, "the background"),
        "table": Dir(
            {
                **{name: text(about=tells) for name, tells in TABLE.items()},
                "cell": Dir({name: text(about=tells) for name, tells in CELL.items()}, about="cells"),
            },
            listed=rule_of("table"),
            about="tables",
        ),
        "custom": settings("custom", CUSTOM, "own drawing, in a frame without network"),
    },
    about="how it is drawn",
)

KIND = replace(
    visual_kind("plot", "Plots", "bar"),
    says="a chart or table from rows",
    takes="data",
    fed="data",
    data=QuotedFile("data"),
    pictured=True,
    mended_in={MAPPING: mapping.with_name},
)
RECIPE = LeavesRecipe("plot", ("data", "name", "summary"))
FORMS = ("png", "svg", "pdf", "txt", "ansi", "html", "csv", "xlsx", "pptx")
CHECK = {
    "check": "how the data are read, as JSON: notation, types and units of columns, mistakes with their lines"
}


def check(context: Context[World]) -> Reply | None:
    """Return the report on how the data are read, if the query asks for it."""
    return Reply(render(viewer_of(context), RECIPE, "check", {})) if "check" in context.call.query else None


WAY = PreviewWay(
    recipe=RECIPE,
    leaves=(*RECIPE.files, RECIPE.folder),
    forms=("svg", "png", "html", "txt"),
    largest=8 * MIB,
)
NODES = {
    "data": text(view=check, query=CHECK, largest=32 * MIB, about="rows as CSV"),
    "config": CONFIG,
    "assets": assets(),
    FOLDER: rendered_files(KIND, RECIPE, FORMS),
}
PLOTS = visual(
    KIND,
    NODES,
    log=render_log(RECIPE, about="what the last drawing left out, one line for each"),
    copies=("data", "config", "assets"),
    about=("a plot", "plots"),
    preview=WAY,
)
DRAW = draft_file(
    WAY,
    KIND.name,
    {**meta(KIND), **NODES},
    "draws a plot of the data and settings that are sent; nothing is stored",
)
