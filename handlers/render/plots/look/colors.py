"""Colours that settings ask for: those of the series, a pack of tones, and the ground."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from PIL import ImageColor

from handlers.render.plots.look.packs import palette_of
from handlers.render.plots.look.palette import Palette, contrast, mix
from handlers.render.plots.vocabulary import CELL_COLOR, COLOR_TYPES, GROUND_TYPES, PACKS

LONGEST = 4096
MOST = 24
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
SHORT_COLOR = re.compile(r"#[0-9a-fA-F]{3}")
CLEAR = 3.0
"""Contrast below which a mark is hard to see on its ground (WCAG 2.2, 1.4.11)."""
LEGIBLE = 4.5


@dataclass(frozen=True, slots=True)
class ColorChoice:
    """The colours of the series (none: those of the pack), the pack, and the ground (none: the usual one)."""

    series: tuple[str, ...] = ()
    pack: str = PACKS[0]
    ground: str = ""
    transparent: bool = False

    def palette(self, mode: str) -> Palette:
        """The palette of a mode with the pack's colours, on the ground that was chosen."""
        usual = palette_of(mode, self.pack)
        if not self.ground:
            return usual
        return replace(
            usual,
            paper=self.ground,
            panel=mix(self.ground, usual.ink, 0.06),
            grid=mix(self.ground, usual.ink, 0.14),
        )


def choose_colors(config: Mapping[str, str], mode: str, notes: list[str]) -> ColorChoice:
    """The colours that `colors/*` and `bg/*` ask for; what is not understood is noted."""
    kind = known_word(config, "colors/type", COLOR_TYPES, notes)
    pack = known_word(config, "colors/theme", PACKS, notes) or PACKS[0]
    ground = _ground(config, mode, notes)
    none = known_word(config, "bg/type", GROUND_TYPES, notes) == "none"
    choice = ColorChoice((), pack, ground, none)
    palette = choice.palette(mode)
    series = () if kind == "pack" else tuple(_series(config, palette, notes))
    notes += [
        f"config/colors/colors: {color} has a contrast of {contrast(color, palette.paper):.1f} "
        f"on the {mode} ground: at least {CLEAR:g} is seen well"
        for color in dict.fromkeys(series)
        if contrast(color, palette.paper) < CLEAR
    ]
    return replace(choice, series=series)


def color_of(word: str) -> str:
    """The colour of `#rrggbb`, `#rgb` or a name of the web's, as `#rrggbb`; "" of any other word."""
    if COLOR.fullmatch(word):
        return word.lower()
    if SHORT_COLOR.fullmatch(word):
        return "#" + "".join(sign * 2 for sign in word[1:].lower())
    if word.lower() not in ImageColor.colormap:
        return ""
    # The table itself changes: a word that was asked for once stands there as numbers.
    red, green, blue, *_ = ImageColor.getrgb(word.lower())
    return f"#{red:02x}{green:02x}{blue:02x}"


def _series(config: Mapping[str, str], palette: Palette, notes: list[str]) -> Iterator[str]:
    """The colours of the series in their order; a number is the colour of the pack at that place."""
    written = config.get("colors/colors", "")[:LONGEST].splitlines()
    lines = [line for line in written if not CELL_COLOR.match(line)]
    words = [word for line in lines for word in re.split(r"[\s,;]+", line.split("--", 1)[0]) if word]
    for word in words[:MOST]:
        if word.isascii() and word.isdigit() and 0 < int(word[:4]) <= len(palette.categories):
            yield palette.categories[int(word) - 1]
        elif color := color_of(word):
            yield color
        else:
            notes.append(
                f'config/colors/colors: "{word[:40]}" is no colour: write #rrggbb, a name such as teal, '
                f"or a number of 1 to {len(palette.categories)}"
            )


def _ground(config: Mapping[str, str], mode: str, notes: list[str]) -> str:
    """The first colour of `bg/color` on which the mode's text is read."""
    words = [word for word in re.split(r"[\s,;]+", config.get("bg/color", "")[:200]) if word]
    colors = [color_of(word) for word in words]
    notes += [
        f'config/bg/color: "{word[:40]}" is no colour: write #rrggbb'
        for word, color in zip(words, colors, strict=True)
        if not color
    ]
    palette = palette_of(mode, PACKS[0])
    for color in filter(None, colors):
        if min(contrast(palette.ink, color), contrast(palette.quiet, color)) >= LEGIBLE:
            return color
    if any(colors):
        notes.append(f"config/bg/color: no colour there carries the text of the {mode} mode")
    return ""


def known_word(config: Mapping[str, str], path: str, words: tuple[str, ...], notes: list[str]) -> str:
    """The word of a setting, if it is one of those it takes; "" otherwise."""
    word = config.get(path, "").strip().lower()
    if word and word not in words:
        notes.append(f'config/{path}: "{word[:40]}" is not one of {", ".join(words)}')
        return ""
    return word
