"""Colours that settings ask for: those of the series, a pack of tones, and the ground."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from PIL import ImageColor

from handlers.render.plots.look.color_scale import EVEN, ValueColors, read_color_scale
from handlers.render.plots.look.named_colors import NO_NAMES, OTHERS, SIGNS, NamedColors, read_line
from handlers.render.plots.look.packs import SURVEY, palette_of
from handlers.render.plots.look.palette import Palette, contrast, mix
from handlers.render.plots.look.setting_lines import BadSetting
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
    """The colours of the series (none: those of the pack), the pack, and the ground (none: the usual one).

    `named` are colours by name, `scale` says how those of maps follow values.
    """

    series: tuple[str, ...] = ()
    pack: str = PACKS[0]
    ground: str = ""
    transparent: bool = False
    named: NamedColors = NO_NAMES
    scale: ValueColors = EVEN

    @property
    def of_answers(self) -> bool:
        """Whether the series are answers in an order."""
        return self.pack == SURVEY and not self.series

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
    lines = _lines(config) if kind != "pack" else []
    named, plain = _split_named(lines, palette, notes)
    series = tuple(_series(plain, palette, notes))
    kept = filter(None, (named.others, named.above, named.below))
    shown = (*series, *(color for _, color in named.marks), *kept)
    notes += [
        f"config/colors/colors: {color} has a contrast of {contrast(color, palette.paper):.1f} "
        f"on the {mode} ground: at least {CLEAR:g} is seen well"
        for color in dict.fromkeys(shown)
        if contrast(color, palette.paper) < CLEAR
    ]
    return replace(choice, series=series, named=named, scale=_scale(config, notes))


def _scale(config: Mapping[str, str], notes: list[str]) -> ValueColors:
    """The scale of colours; one that cannot be read is noted."""
    try:
        return read_color_scale(config.get("colors/scale", "")[:LONGEST])
    except BadSetting as wrong:
        notes.append(f"config/colors/scale: {wrong.reason}")
        return EVEN


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


def _lines(config: Mapping[str, str]) -> list[str]:
    """The lines of `colors/colors` that are about series, without remarks behind `--`."""
    written = config.get("colors/colors", "")[:LONGEST].splitlines()
    return [line.split("--", 1)[0] for line in written if not CELL_COLOR.match(line)]


def _split_named(lines: Sequence[str], palette: Palette, notes: list[str]) -> tuple[NamedColors, list[str]]:
    """The colours by name, and the other lines."""
    marks, others, plain, signs = dict[str, str](), "", list[str](), dict[bool, str]()
    for line in lines:
        found = read_line(line, lambda word: _in_pack(word, palette) or color_of(word))
        if found is None:
            plain.append(line)
        elif not found[1]:
            notes.append(
                f'config/colors/colors: "{line.strip()[:60]}" has no colour: write #rrggbb behind a name'
            )
        elif found[0] in SIGNS:
            signs[SIGNS[found[0]]] = found[1]
        elif found[0] == OTHERS:
            others = found[1]
        elif len(marks) < MOST:
            marks[found[0]] = found[1]
        else:
            notes.append(
                f'config/colors/colors: "{found[0][:40]}" is one too many: {MOST} names may have colours'
            )
    return NamedColors(tuple(marks.items()), others, signs.get(True, ""), signs.get(False, "")), plain


def _in_pack(word: str, palette: Palette) -> str:
    """The colour of the pack at a place, of a number; "" of any other word."""
    is_place = word.isascii() and word.isdigit() and 0 < int(word[:4]) <= len(palette.categories)
    return palette.categories[int(word) - 1] if is_place else ""


def _series(lines: Sequence[str], palette: Palette, notes: list[str]) -> Iterator[str]:
    """The colours of the series in their order; a number is the colour of the pack at that place."""
    words = [word for line in lines for word in re.split(r"[\s,;]+", line) if word]
    for word in words[:MOST]:
        if color := _in_pack(word, palette) or color_of(word):
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
