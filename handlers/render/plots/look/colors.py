"""Configured colours: of series, of names and of values, the palette, and the background."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from PIL import ImageColor

from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.look.data_settings import LONGEST_SHOWN, BadSetting, chosen, read_or_note
from handlers.render.plots.look.palette import SURVEY, Palette, contrast, mix, palette_of
from handlers.render.plots.plot_type import CELL_COLOR

LEAST_CLASSES, MOST_CLASSES = 3, 7
"""Least and greatest number of classes of a map or a heat map."""
DIGITS = 3
"""Digits of computed bounds, so that a key can show them in full."""
TAKES = "linear, log, quantile 5, equal 5 (3 to 7 classes), or bounds such as 10 20 50"


@dataclass(frozen=True, slots=True)
class ValueColors:
    """Colours of values: logarithmic with `log`, in `classes` of equal number or width, or at `bounds`.

    `said` is the text of the setting, "" for an even scale.
    """

    said: str = ""
    log: bool = False
    classes: int = 0
    equal: bool = False
    bounds: tuple[float, ...] = ()

    def bounds_of(self, values: Iterable[float]) -> tuple[float, ...]:
        """Return the bounds between classes of values; none for continuous colours."""
        known = sorted(values)
        if not self.classes or not known:
            return self.bounds
        shares = [at / self.classes for at in range(1, self.classes)]
        low, high = known[0], known[-1]
        if low == high:
            return ()
        digits = DIGITS - 1 - math.floor(math.log10(high - low))
        found = (low + (high - low) * share if self.equal else quantile(known, share) for share in shares)
        bounds = sorted({bound for one in found if low < (bound := round(one, digits)) <= high})
        # If most values equal the lowest one, the highest still has its own class.
        return tuple(bounds) or (high,)


EVEN = ValueColors()


def read_color_scale(text: str) -> ValueColors:
    """Return the scale of `colors/scale`. Raises BadSetting."""
    words = text.replace(",", " ").lower().split()
    said = " ".join(words)
    if words in ([], ["linear"]):
        return EVEN
    if words == ["log"]:
        return ValueColors(said, log=True)
    if words[0] in ("quantile", "equal") and len(words) == 2:
        count = int(words[1]) if words[1].isascii() and words[1].isdigit() and len(words[1]) < 3 else 0
        if LEAST_CLASSES <= count <= MOST_CLASSES:
            return ValueColors(said, classes=count, equal=words[0] == "equal")
    bounds = [number for word in words if (number := read_number(word)) is not None]
    rising = len(bounds) == len(words) and bounds == sorted(set(bounds))
    if rising and LEAST_CLASSES <= len(bounds) + 1 <= MOST_CLASSES:
        return ValueColors(said, bounds=tuple(bounds))
    raise BadSetting(1, 1, f'"{said[:LONGEST_SHOWN]}" is no scale of colours: write {TAKES}')


OTHERS, SIGNS = "*", {"+": True, "-": False, "\u2212": False}
ENDING = re.compile(r"[\s,;]*+(?P<color>[^\s:=,;]++)(?=[\s:=,;])\s*+[:=,;]?\s*+")
"""The end of a line, matched from its last character: the colour, and the separator before it."""


@dataclass(frozen=True, slots=True)
class NamedColors:
    """Colours of series, bars and parts by lower-case name, and one for all others ("": their usual ones).

    `above` and `below` are the colours of the bars of a single series, by the sign of their values.
    """

    marks: tuple[tuple[str, str], ...] = ()
    others: str = ""
    above: str = ""
    below: str = ""

    def __bool__(self) -> bool:
        return bool(self.marks or self.others)

    def has(self, name: str) -> bool:
        """Return whether a name has a colour."""
        return any(known == plain_name(name) for known, _ in self.marks)

    @property
    def by_sign(self) -> bool:
        """Whether values above and below zero have colours."""
        return bool(self.above or self.below)

    def of(
        self, names: Iterable[str], usual: Sequence[str], values: Iterable[float | None] = ()
    ) -> tuple[str, ...]:
        """Return the colour of each name: its own, else that of its value's sign, else the usual one."""
        known, rows = dict(self.marks), zip(names, usual, strict=True)
        return tuple(
            known.get(plain_name(name))
            or ((self.above if value > 0 else self.below) if value else "")
            or self.others
            or color
            for (name, color), value in zip(rows, chain(values, repeat(0.0)), strict=False)
        )

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return the coloured names that are not in `names`."""
        there = {plain_name(name) for name in names}
        return [known for known, _ in self.marks if known not in there]


NO_NAMES = NamedColors()


def plain_name(name: str) -> str:
    """Return a name for comparison: lower case, without surrounding blanks."""
    return " ".join(name.split()).casefold()


def read_line(line: str, color_of: Callable[[str], str]) -> tuple[str, str] | None:
    """Return the name and the colour of a line; None if it has no name or no colour.

    A name that is itself a colour is quoted: `"Red" #d03040`.
    """
    backwards = line[::-1]
    found = ENDING.match(backwards)
    name = backwards[found.end() :][::-1].lstrip() if found else ""
    if found is None or not name:
        return None
    color = color_of(found["color"][::-1])
    if len(name) > 1 and name[0] == name[-1] == '"' and name.count('"') == 2:
        return plain_name(name[1:-1]), color
    first = re.split(r"[\s,;]+", name, maxsplit=1)[0]
    return (plain_name(name), color) if color and not color_of(first) else None


LONGEST = 4096
MOST = 24
COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
USUAL_PACK = "curlew"
CLEAR = 3.0
"""Contrast below which a mark is hard to see on its background (WCAG 2.2, 1.4.11)."""
LEGIBLE = 4.5


@dataclass(frozen=True, slots=True)
class ColorChoice:
    """The colours of the series (none: the palette's), the palette, and the background (none: the default).

    `named` are colours by name, `scale` is how the colours of maps and heat maps follow values.
    """

    series: tuple[str, ...] = ()
    pack: str = USUAL_PACK
    ground: str = ""
    transparent: bool = False
    named: NamedColors = NO_NAMES
    scale: ValueColors = EVEN

    @property
    def of_answers(self) -> bool:
        """Whether the series are ordered answers."""
        return self.pack == SURVEY and not self.series

    def palette(self, mode: str) -> Palette:
        """Return the palette of a mode, adapted to the chosen background."""
        usual = palette_of(mode, self.pack)
        if not self.ground:
            return usual
        return replace(
            usual,
            paper=self.ground,
            panel=mix(self.ground, usual.ink, 0.06),
            grid=mix(self.ground, usual.ink, 0.14),
        )


USUAL_COLORS = ColorChoice()


def choose_colors(config: Mapping[str, str], mode: str, notes: list[str]) -> ColorChoice:
    """Return the colours of `colors/*` and `bg/*`; invalid values are noted."""
    kind = chosen(config, "colors/type", notes)
    pack = chosen(config, "colors/theme", notes) or USUAL_PACK
    ground = _ground(config, mode, notes)
    none = chosen(config, "bg/type", notes) == "none"
    choice = ColorChoice((), pack, ground, none)
    palette = choice.palette(mode)
    lines = _lines(config) if kind != "pack" else []
    named, plain = _split_named(lines, palette, notes)
    series = tuple(_series(plain, palette, notes))
    kept = filter(None, (named.others, named.above, named.below))
    shown = (*series, *(color for _, color in named.marks), *kept)
    notes += [
        f"config/colors/colors: {color} has a contrast of {contrast(color, palette.paper):.1f} "
        f"on the {mode} background: use at least {CLEAR:g}"
        for color in dict.fromkeys(shown)
        if contrast(color, palette.paper) < CLEAR
    ]
    scale = read_or_note(config, "colors/scale", read_color_scale, EVEN, notes)
    return replace(choice, series=series, named=named, scale=scale)


def color_of(word: str) -> str:
    """Return the colour of `#rrggbb`, `#rgb` or a CSS colour name as `#rrggbb`; "" for other words."""
    if not COLOR.fullmatch(word) and word.lower() not in ImageColor.colormap:
        return ""
    # Not read from colormap: Pillow caches there, so a name that was used before has numbers instead of text.
    red, green, blue, *_ = ImageColor.getrgb(word.lower())
    return f"#{red:02x}{green:02x}{blue:02x}"


def _lines(config: Mapping[str, str]) -> list[str]:
    """Return the lines of `colors/colors` about series, without comments after `--`."""
    written = config.get("colors/colors", "")[:LONGEST].splitlines()
    return [line.split("--", 1)[0] for line in written if not CELL_COLOR.match(line)]


def _split_named(lines: Sequence[str], palette: Palette, notes: list[str]) -> tuple[NamedColors, list[str]]:
    """Return the colours by name, and the other lines."""
    marks, others, plain, signs = dict[str, str](), "", list[str](), dict[bool, str]()
    for line in lines:
        found = read_line(line, lambda word: _in_pack(word, palette) or color_of(word))
        if found is None:
            plain.append(line)
        elif not found[1]:
            notes.append(
                f'config/colors/colors: "{line.strip()[:60]}" has no colour: write #rrggbb after the name'
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
    """Return the colour that has this number in the palette; "" for any other word."""
    is_place = word.isascii() and word.isdigit() and 0 < int(word[:4]) <= len(palette.categories)
    return palette.categories[int(word) - 1] if is_place else ""


def _series(lines: Sequence[str], palette: Palette, notes: list[str]) -> Iterator[str]:
    """Yield the colours of the series in order; a number is an index in the palette."""
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
    """Return the first colour of `bg/color` on which the mode's text is readable."""
    words = [word for word in re.split(r"[\s,;]+", config.get("bg/color", "")[:200]) if word]
    colors = [color_of(word) for word in words]
    notes += [
        f'config/bg/color: "{word[:40]}" is no colour: write #rrggbb'
        for word, color in zip(words, colors, strict=True)
        if not color
    ]
    palette = palette_of(mode, USUAL_PACK)
    for color in filter(None, colors):
        if min(contrast(palette.ink, color), contrast(palette.quiet, color)) >= LEGIBLE:
            return color
    if any(colors):
        notes.append(f"config/bg/color: text of the {mode} mode is not readable on any of these colours")
    return ""
