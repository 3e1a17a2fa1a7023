"""Themes: tokens for colour and type, and the style sheet of each kind of document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.front_matter import read_edge
from handlers.render.plots.look.palette import DARK, LIGHT, mix
from handlers.words.language import translate

LENGTH = re.compile(r"(?<![\w.#-])(-?(?:\d++(?:\.\d++)?|\.\d++))pt\b")
PAGES = re.compile(r"^@page[^{}@]*\{(?:[^{}]|\{[^{}]*\})*+\}\n?", re.MULTILINE)
SCHEMES = {"light": "light", "dark": "dark", "both": "light dark"}
FALLBACK = '"Noto Sans Math", "Noto Sans Symbols2"'
SCRIPTS = {
    "serif": '"Noto Naskh Arabic", "Noto Serif Hebrew", "Noto Serif CJK SC", "Noto Serif", serif',
    "sans": '"Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans CJK SC", "Noto Sans", sans-serif',
}
TONES = {"info": ("#1f5fa8", "#8fc0ff"), "success": (LIGHT.good, DARK.good),
         "warning": ("#8a5200", "#f1c067"), "error": (LIGHT.bad, DARK.bad)}  # fmt: skip
SPACES = (0, 3.5, 7, 14, 21, 28)
"""Points of the named spaces."""


def style_sheet(kind: str, mode: str, theme: str, words: Mapping[str, str]) -> str:
    """Return the rules of a kind in a mode: `light`, `dark` or `both`.

    `words` are the texts at the edges of pages, as CSS values by name: `title`, `origin`, `continued`, and
    `head-start` to `foot-end`. The theme `custom` has only tokens.
    """
    said = ";".join(f"--novem-{name}:{value}" for name, value in words.items())
    head = f"@layer novem.tokens,novem.kind;:root{{color-scheme:{SCHEMES[mode]};{said}}}"
    rules = ("", "") if theme == "custom" else (kind_rules(kind), _scripts())
    return "\n".join((head, tokens(), code_rules(), *rules))


@cache
def color_pairs() -> Mapping[str, tuple[str, str]]:
    """Return the colours of pages by their use, light and dark: the palette of charts."""
    pairs = {
        "ground": ("#f1efe8", "#0e1113"), "paper": ("#ffffff", DARK.paper),
        "screen": (LIGHT.paper, DARK.paper),
        "panel": (LIGHT.panel, DARK.panel),
        "ink": (LIGHT.ink, DARK.ink), "quiet": (LIGHT.quiet, DARK.quiet), "rule": (LIGHT.grid, DARK.grid),
        "edge": (LIGHT.edge, DARK.edge), "accent": (LIGHT.categories[0], DARK.categories[0]),
        "stage": (LIGHT.categories[0], "#0f3d4a"), "on-stage": ("#ffffff", DARK.ink),
        "good": (LIGHT.good, DARK.good), "bad": (LIGHT.bad, DARK.bad),
        "code-word": (LIGHT.categories[0], DARK.categories[0]), "code-text": (LIGHT.good, DARK.good),
        "code-number": ("#8a3d00", "#f1b067"), "code-note": ("#666b73", "#9aa0a6"),
    }  # fmt: skip
    for number in range(1, len(LIGHT.categories)):
        pairs[f"series-{number + 1}"] = (LIGHT.categories[number], DARK.categories[number])
    for name, (light, dark) in TONES.items():
        pairs[name] = (light, dark)
        pairs[f"{name}-tint"] = (mix("#ffffff", light, 0.09), mix(DARK.paper, dark, 0.16))
    return pairs


def tokens() -> str:
    """Return custom properties: the palette of charts, light and dark, and the font families."""
    lines = [f"--novem-{name}:light-dark({light},{dark})" for name, (light, dark) in color_pairs().items()]
    lines += [f"--novem-space-{size}:{points}pt" for size, points in enumerate(SPACES)]
    lines += [
        f'--novem-serif:"Source Serif 4",{FALLBACK},{SCRIPTS["serif"]}',
        f'--novem-sans:"Source Sans Pro",{FALLBACK},{SCRIPTS["sans"]}',
        f'--novem-mono:"Source Code Pro",{FALLBACK},"Noto Sans Mono","Noto Sans Mono CJK SC",monospace',
        "--novem-measure:134mm",
    ]
    return f"@layer novem.tokens{{:root{{{';'.join(lines)}}}}}"


def quote(words: str) -> str:
    """Return text as a CSS string, escaped."""
    signs = (f"\\{ord(sign):x} " if sign in '"\\<>' or ord(sign) < 32 else sign for sign in words[:200])
    return f'"{"".join(signs)}"'


@cache
def kind_rules(kind: str) -> str:
    """Return the style sheet of a kind: `doc`, `pres`, `slides`, `web` or `mail`."""
    text = files(__package__).joinpath("sheets", f"{kind}.css").read_text("utf-8")
    return screen_sheet(kind_rules("pres"), text) if kind == "slides" else text


def code_rules() -> str:
    """Return the colours of program code."""
    names = ("word", "text", "number", "note")
    return "".join(f".c-{name}{{color:var(--novem-code-{name})}}" for name in names)


def _scripts() -> str:
    """Return fonts by language, because Han characters differ by country; no italics for other scripts."""
    han = {"ja": "JP", "ko": "KR", "zh": "SC", "zh-Hant": "TC", "zh-TW": "TC"}
    rules = [
        f':lang({lang}){{--novem-serif:"Source Serif 4",{FALLBACK},"Noto Serif CJK {place}",serif;'
        f'--novem-sans:"Source Sans Pro",{FALLBACK},"Noto Sans CJK {place}",sans-serif}}'
        for lang, place in han.items()
    ]
    upright = "ar,fa,ur,he,ja,ko,zh"
    rules.append(f":is(em,i):lang({upright}){{font-style:normal;font-weight:700}}")
    rules.append(f":is(h1,h2,h3):lang({upright}){{letter-spacing:0}}")
    rules.append(":is(p,ul,ol,dl):lang(ar,fa,ur){font-size:1.1em;line-height:1.85}")
    rules.append(":is(li,dd) :is(p,ul,ol):lang(ar,fa,ur){font-size:1em}")
    rules.append(":is(p,ul,ol,dl):lang(ja,ko,zh){line-height:1.7}")
    return f"@layer novem.kind{{{''.join(rules)}}}"


def sheet_values(document: Document, name: str, origin: str, language: str) -> dict[str, str]:
    """Return the texts at the edges of pages as CSS values: the document's, else the defaults."""
    title = document.about("title") or name
    values = {"title": quote(title), "origin": quote(origin)}
    values["continued"] = quote(translate("continued", language))
    fields = {"{page}": "counter(page)", "{section}": "string(section)", "{title}": quote(title)}
    for key, edge in (("header", "head"), ("footer", "foot")):
        if text := document.about(key):
            for end, pieces in zip(("start", "end"), read_edge(text), strict=False):
                values[f"{edge}-{end}"] = (
                    " ".join(fields.get(piece) or quote(piece) for piece in pieces) or '""'
                )
    return values


def screen_sheet(printed: str, more: str) -> str:
    """Return the rules of printed slides without those of paper, and `more`, in units of a slide.

    A point is a 960th of a slide's width; `--pt` is its size.
    """
    return LENGTH.sub(r"calc(\1 * var(--pt))", PAGES.sub("", printed) + more)
