"""Text with terminal colours as an HTML page; it uses only codes of ECMA-48 for colours and emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape

CODES = re.compile(
    r"\x1b\[(?P<style>[0-9;]*)m"  # colours and emphasis
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # any other control sequence
    r"|\x1b[PX\]^_].*?(?:\x1b\\|\x07|$)"  # strings: titles, links, pictures
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]",
    re.DOTALL,
)
# fmt: off
NAMED = (
    "#30363d", "#b4232c", "#1a7f37", "#8a6100", "#0969da", "#8250df", "#1b7c83", "#6e7781",
    "#57606a", "#cf222e", "#2da44e", "#bf8700", "#218bff", "#a475f9", "#3192aa", "#8c959f",
)
# fmt: on
STRESS = {1: "bold", 2: "dim", 3: "italic", 4: "underlined", 9: "struck"}
CSS = {
    "bold": "font-weight:bold",
    "dim": "opacity:.7",
    "italic": "font-style:italic",
    "underlined": "text-decoration:underline",
    "struck": "text-decoration:line-through",
}
GROUNDS = {"light": ("#ffffff", "#1f2328"), "dark": ("#0d1117", "#e6edf3")}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ margin: 1rem; {ground} }}
{dark}pre {{ margin: 0; font: 14px/1.15 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
</style></head><body><pre>{body}</pre></body></html>
"""


@dataclass(frozen=True)
class TextStyle:
    """Colours and emphasis of a run of characters; None is the page's own colour."""

    color: str | None = None
    ground: str | None = None
    stress: frozenset[str] = frozenset()

    @property
    def css(self) -> str:
        """Declarations of CSS, "" for plain text."""
        said = [CSS[one] for one in sorted(self.stress)]
        said += [f"color:{self.color}"] if self.color else []
        said += [f"background:{self.ground}"] if self.ground else []
        return ";".join(said)


PLAIN = TextStyle()


def terminal_page(text: str, title: str, mode: str = "") -> str:
    """Return a page with the text in a mode, `light` or `dark`, by default that of the reader."""
    known = GROUNDS.get(mode)
    dark = (
        "" if known else f"@media (prefers-color-scheme: dark) {{ body {{ {_ground(GROUNDS['dark'])} }} }}\n"
    )
    return PAGE.format(
        title=escape(title),
        ground=_ground(known or GROUNDS["light"]),
        dark=dark,
        body="".join(_span(run, style) for run, style in styled_runs(text)),
    )


def _ground(colors: tuple[str, str]) -> str:
    return f"background: {colors[0]}; color: {colors[1]}"


def styled_runs(text: str) -> Iterator[tuple[str, TextStyle]]:
    """Yield the runs of characters of a text, each with its style, without terminal codes."""
    style, at = PLAIN, 0
    for code in CODES.finditer(text):
        yield text[at : code.start()], style
        at = code.end()
        if code["style"] is not None:
            style = _style_after(style, [int(number[:9] or 0) for number in code["style"].split(";")])
    yield text[at:], style


def _span(text: str, style: TextStyle) -> str:
    """Return a run escaped, in a span unless it is plain."""
    said = escape(text)
    return f'<span style="{style.css}">{said}</span>' if text and style.css else said


def _style_after(style: TextStyle, numbers: list[int]) -> TextStyle:
    """Return the style after a code (ECMA-48 8.3.117); unknown numbers are ignored."""
    waiting = iter(numbers)
    for number in waiting:
        if number == 0:
            style = PLAIN
        elif number in STRESS:
            style = replace(style, stress=style.stress | {STRESS[number]})
        elif 22 <= number <= 29:
            gone = {"bold", "dim"} if number == 22 else {STRESS.get(number - 20, "")}
            style = replace(style, stress=style.stress - gone)
        elif number in (38, 48):
            color = _color(waiting)
            style = replace(style, color=color) if number == 38 else replace(style, ground=color)
        elif number == 39 or 30 <= number <= 37 or 90 <= number <= 97:
            style = replace(style, color=_name(number))
        elif number == 49 or 40 <= number <= 47 or 100 <= number <= 107:
            style = replace(style, ground=_name(number - 10))
    return style


def _name(number: int) -> str | None:
    """Return the colour of 30 to 37 and 90 to 97; None for 39."""
    if number == 39:
        return None
    return NAMED[number - 30 if number < 90 else number - 82]


def _color(numbers: Iterator[int]) -> str | None:
    """Return the colour after 38 or 48: `2;r;g;b`, or `5;n` of 256."""
    form = next(numbers, 0)
    if form == 2:
        parts = [next(numbers, 0) for _ in range(3)]
        return f"#{''.join(f'{min(part, 255):02x}' for part in parts)}"
    index = min(next(numbers, 0), 255) if form == 5 else -1
    if index < 0:
        return None
    if index < 16:
        return NAMED[index]
    if index > 231:
        return "#" + f"{8 + 10 * (index - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    index -= 16
    return f"#{steps[index // 36]:02x}{steps[index // 6 % 6]:02x}{steps[index % 6]:02x}"
