"""A custom plot as HTML: its own script in a frame that has no network, no origin and no way out."""

from __future__ import annotations

import json
import re
from html import escape

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.forms.drawing import Look, describe
from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.look.type_metrics import STACK
from handlers.words.language import language
from handlers.words.marked_words import marked_html
from handlers.words.plot import Plot

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:"
)
MOST_ROWS, MOST_COLUMNS = 5_000, 100
LONGEST_TEXT = 4_096
END = re.compile(r"</(script|style)", re.IGNORECASE)
REPORT = "window.onerror=message=>{node.textContent='custom.js: '+message};"


def custom_frame(plot: Plot, frame: Frame, look: Look) -> str:
    """The figure of a custom plot: its words around a sandboxed frame in which its script runs."""
    palette = read_options(plot.config, look.mode).colors.palette(look.mode)
    style = style_of(look.width, look.mode, (), palette)
    height = look.height or style.height(0.56)
    ground = "transparent" if look.transparent else palette.paper
    words = {name: marked_html(plot.config.get(name, "")) for name in ("title", "caption")}
    words["subtitle"] = escape(plot.words("subtitle"))
    head = _line("strong", words["title"]) + _line("span", words["subtitle"]) if look.header else ""
    foot = _line("figcaption", words["caption"]) if look.caption else ""
    title = escape(describe(plot, frame))
    document = escape(_document(plot, frame, look, style, ground))
    return (
        f'<figure style="margin:0;background:{ground};color:{palette.ink};font:14px/1.4 {escape(STACK)}">'
        f'{head}<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" title="{title}" '
        f'style="border:0;width:100%;height:{height}px" srcdoc="{document}"></iframe>{foot}</figure>\n'
    )


def _document(plot: Plot, frame: Frame, look: Look, style: Style, ground: str) -> str:
    """The page in the frame; the script finds `node`, `data`, `columns`, `render`, `width` and `height`."""
    css, script = (END.sub(r"<\\/\1", plot.config.get(f"custom/custom.{end}", "")) for end in ("css", "js"))
    names = [column.name for column in frame.columns[:MOST_COLUMNS]]
    render = {"theme": plot.config.get("colors/theme", "").strip() or "curlew", "dark": look.mode == "dark",
              "colors": [style.category(index) for index in range(8)]}  # fmt: skip
    facts = (
        f"const node=document.getElementById('node'),columns={_json(names)},data={_json(_rows(frame))},"
        f"render={_json(render)},width=window.innerWidth,height=window.innerHeight;{REPORT}"
    )
    look_css = (
        f"html,body,#node{{margin:0;height:100%;overflow:hidden;background:{ground}}}"
        f"body{{color:{style.palette.ink};font:14px {STACK}}}"
    )
    return (
        f'<!doctype html><html lang="{language().tag}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<style>{look_css}</style><style>{css}</style><body><div id='node'></div>"
        f"<script>{facts}</script><script>{script}</script></body></html>"
    )


def _rows(frame: Frame) -> list[dict[str, object]]:
    """The first rows, each by the names of its columns: numbers, texts, and null for gaps."""
    columns = frame.columns[:MOST_COLUMNS]
    return [
        {column.name: _value(column, row) for column in columns}
        for row in range(min(frame.height, MOST_ROWS))
    ]


def _value(column: Column, row: int) -> object:
    if column.type is ColumnType.NUMBER:
        return column.numbers[row]
    return column.texts[row][:LONGEST_TEXT] or None


def _json(value: object) -> str:
    """A value as a script may hold it."""
    return json.dumps(value).replace("<", "\\u003c")


def _line(tag: str, text: str) -> str:
    return f'<{tag} style="display:block">{text}</{tag}>' if text else ""
