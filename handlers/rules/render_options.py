"""Options of renders: how a query sets them for each format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chains.language.mapping import query_options

Options = Mapping[str, str | int | bool]


ALL = 0
"""The text has as many lines as the rows of the data need."""


@dataclass(frozen=True, slots=True)
class RenderOption:
    """An option with its default, the range of its numbers, and its line of the reference.

    `words` stand for numbers outside the range.
    """

    default: str | int | bool
    about: str
    range: tuple[int, int] | None = None
    words: Mapping[str, int] = field(default_factory=dict)


MODE = {"mode": RenderOption("light", "`m` or `mode`: `l`, `light`, `d` or `dark`")}
PICTURE = {
    **MODE,
    "width": RenderOption(900, "`width`: pixels, 120 to 3200", (120, 4000)),
    "height": RenderOption(0, "`height`: pixels, 60 to 4000; by the width unless it is said", (60, 4000)),
    "include_header": RenderOption(True, "`h` or `include_header`: `t` or `f`, whether titles are shown"),
    "include_caption": RenderOption(True, "`c` or `include_caption`: `t` or `f`"),
    "transparent_background": RenderOption(False, "`tbg` or `transparent_background`: `t` or `f`"),
}
TEXT = {
    "cols": RenderOption(80, "`cols`: columns, 20 to 320", (20, 320)),
    "rows": RenderOption(
        ALL,
        "`rows`: lines, 6 to 200, or `all`, the default: as many as the rows of the data need",
        (6, 200),
        {"all": ALL},
    ),
}
FormOptions = Mapping[str, Mapping[str, RenderOption]]
FORM_OPTIONS: FormOptions = {
    "svg": PICTURE,
    "png": {**PICTURE, "scale": RenderOption(1, "`scale`: 1, 2 or 3 pixels for each")},
    "pdf": PICTURE,
    "html": PICTURE,
    "txt": TEXT,
    "ansi": {**TEXT, **MODE},
}
PAGE_OPTIONS: FormOptions = {
    "pdf": MODE,
    "html": {"mode": RenderOption("both", f"{MODE['mode'].about}; else as the reader's screen is")},
}
"""Options of formats that are pages, which have their own size."""
MAIL_OPTIONS: FormOptions = {
    "txt": TEXT,
    "ansi": TEXT,
    "png": {
        "page": RenderOption(1, "`page`: which page of the PDF, from 1", (1, 999)),
        "width": RenderOption(1200, "`width`: pixels, 120 to 4000", (120, 4000)),
    },
}
"""Options of the formats of mails; the mode is set by their theme."""
NO_DEFAULTS: Options = {}
ALIASES = {"mode": "m", "include_header": "h", "include_caption": "c", "transparent_background": "tbg"}


def options_of(
    form: str, query: Mapping[str, str], defaults: Options = NO_DEFAULTS, known: FormOptions = FORM_OPTIONS
) -> Options:
    """Return every option of a format, from the query if its value is valid, else its default.

    `known` has the options of the formats of a kind, `defaults` the kind's own defaults.
    """
    named = query_options(query)
    options = known.get(form, {}).items()
    return {name: _value(name, option, query, named, defaults.get(name)) for name, option in options}


def query_help(form: str, known: FormOptions = FORM_OPTIONS) -> dict[str, str]:
    """Return the query parameters of a format with a line of help for each."""
    return {ALIASES.get(name, name): option.about for name, option in known.get(form, {}).items()}


def _value(
    name: str,
    option: RenderOption,
    query: Mapping[str, str],
    named: Options,
    kinds: str | int | bool | None,
) -> str | int | bool:
    default = option.default if kinds is None else kinds
    if option.range is None:
        return named.get(name, default)
    word, (least, most) = query.get(name, ""), option.range
    if word in option.words:
        return option.words[word]
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 6 else -1
    return number if least <= number <= most else default
