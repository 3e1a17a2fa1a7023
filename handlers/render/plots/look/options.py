"""Options of a chart: its axes, key, colours and background, read once from the texts of its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from handlers.render.plots.data.dates_written import milliseconds, read_date
from handlers.render.plots.data.figures_written import CURRENCIES, read_number
from handlers.render.plots.data.frame import Column
from handlers.render.plots.data.numbers import GAP, PER_CENT, alone, exact, writer_of
from handlers.render.plots.data.series import Trend
from handlers.render.plots.look.annotations import Annotation, known_annotations, read_axis_names
from handlers.render.plots.look.colors import ColorChoice, choose_colors
from handlers.render.plots.look.data_settings import (
    FigureSettings,
    cell_format,
    chosen,
    is_number_format,
    read_figure_settings,
    read_or_note,
)
from handlers.words.variables import format_value

LONGEST, TOO_LONG = 4096, 1e15
OPEN = frozenset({"_", "auto"})
UNITS = ("%", "€", "$", "£", "¥", "°C", "°F")
SIZED = re.compile(
    r"(?i)\b(?:hundred|thousand|million|billion|trillion|k|m|mn|mln|mio|tsd|bn|mrd|tn)s?\.?(?: of)?$"
)
"""Words that end with a size, which belongs to the unit after it: 12.4 million € is not €12.40."""
UNUSED = ("anchor", "location", "margin", "multi", "offset", "overlap", "padding", "range")
"""Settings of axes that are stored but do not affect a drawing."""
HALVES = (0.0, 0.5, 1.0)
Writer = Callable[[float | None], str]


class KeyPosition(StrEnum):
    """Position of series names: beside their marks if they fit, in a key, or nowhere.

    FEW is for charts without room for a key: the first names are beside their marks, as many as fit.
    """

    AUTO = "auto"
    TOP = "top"
    BOTTOM = "bottom"
    FEW = "few"
    NONE = "none"

    @property
    def beside(self) -> bool:
        """Whether names may be beside their marks."""
        return self in (KeyPosition.AUTO, KeyPosition.FEW)

    @property
    def in_key(self) -> bool:
        """Whether a chart with a key shows it."""
        return self not in (KeyPosition.FEW, KeyPosition.NONE)


@dataclass(frozen=True, slots=True)
class AxisOptions:
    """Settings of one axis: its ends (None: from the data), its scale, its ticks and their labels.

    `count` is the approximate number of ticks, `at` their positions; `format` is for their labels. `reach`
    are further values that it includes. `name` is written at its end.
    """

    low: float | None = None
    high: float | None = None
    log: bool = False
    count: int | None = None
    at: tuple[float, ...] = ()
    ticks: bool = True
    labels: bool = True
    format: str = ""
    reach: tuple[float, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """All settings of a chart, with notes on those that were not understood.

    `along` is the category axis, `values` the value axis, in either direction. `all_beside` asks for all
    series names beside their marks, `shares` is whether values are shares of a whole. `lines` are drawn over
    bars, with `lines_on_axis` on a right axis, else in a panel. `trends` are straight lines through the
    values of series.
    """

    along: AxisOptions = AxisOptions()
    values: AxisOptions = AxisOptions()
    key: KeyPosition = KeyPosition.AUTO
    key_column: bool = False
    key_format: str = ""
    colors: ColorChoice = field(default_factory=ColorChoice)
    unit: str = ""
    notes: tuple[str, ...] = ()
    all_beside: bool = False
    shares: bool = False
    annotations: tuple[Annotation, ...] = ()
    lines: tuple[Column, ...] = ()
    lines_on_axis: bool = False
    trends: tuple[Trend, ...] = ()
    figure: FigureSettings = field(default_factory=FigureSettings)

    def of_shares(self) -> ChartOptions:
        """Return the options for shares of a whole, on an axis to 100% unless configured otherwise."""
        values = self.values
        if not (values.at or values.count):
            values = replace(values, at=HALVES)
        low, high = (None if end is None or not 0 <= end <= 1 else end for end in (values.low, values.high))
        values = replace(values, low=low, high=high, log=False)
        return replace(self, values=values, unit=PER_CENT, shares=True)

    def writer(self, numbers: Iterable[float | None]) -> Writer:
        """Return a function that formats all numbers of a set in the same way."""
        if self.values.format:
            return self.write_formatted
        return writer_of(numbers, self.unit)

    def write_formatted(self, number: float | None) -> str:
        """Return a number in the configured format; a gap is a dash."""
        return write_number(number, self.values.format) if number is not None else GAP

    def write(self, number: float | None) -> str:
        """Return the text of a single number."""
        return self.write_formatted(number) if self.values.format else alone(number, self.unit)

    def exact(self, number: float | None) -> str:
        """Return a number with all digits that it was sent with, for tooltips."""
        format = self.values.format
        sign = next((sign for sign in CURRENCIES if sign in format), "")
        return exact(number, self.unit or (PER_CENT if format.endswith("%") else sign))

    @property
    def in_per_cent(self) -> bool:
        """Whether values are written in per cent."""
        return self.values.format.endswith("%") or (not self.values.format and self.unit in (PER_CENT, "%"))

    def write_key(self, number: float) -> str:
        """Return the text of a number in the key."""
        if self.key_format:
            return write_number(number, self.key_format)
        return self.write(float(f"{number:.3g}"))


def write_number(number: float, format: str) -> str:
    """Return a number in a format of d3; numbers with too many digits have powers of ten.

    `.3s` has three significant digits and the words for sizes that numbers without a format have.
    """
    found = cell_format(format)
    if found is not None and found.type == "s":
        return alone(number, found.symbol or found.suffix, found.precision or 3)
    if abs(number) >= TOO_LONG:
        return alone(number, PER_CENT if format.endswith("%") else "")
    return format_value(repr(number), "number", format) if found is None else found(number)


def read_options(config: Mapping[str, str], mode: str) -> ChartOptions:
    """Return the options of settings, by their path below `config`, in light or dark mode."""
    notes: list[str] = []
    axes = {"x": AxisOptions(), "y": AxisOptions()}
    for name, change in (("domains", _domain), ("scale", _scale), ("ticks", _ticks), ("labels", _labels)):
        for axis, words in _axis_lines(config.get(f"axis/{name}", ""), whole=name == "labels"):
            changed = change(axes[axis], words)
            if changed is None:
                notes.append(f'config/axis/{name}: "{" ".join(words)[:60]}" was not understood')
            else:
                axes[axis] = changed
    names = read_or_note(config, "axis/names", read_axis_names, dict[str, str](), notes)
    axes = {axis: replace(one, name=names.get(axis, "")) for axis, one in axes.items()}
    key = _key_place(config, notes)
    layout = chosen(config, "legend/layout", notes)
    key_format = config.get("legend/format", "").strip()
    if not is_number_format(key_format):
        notes.append(f'config/legend/format: "{key_format[:40]}" is no format such as ,.1f or .0%')
        key_format = ""
    colors = choose_colors(config, mode, notes)
    annotations, wrong = known_annotations(config.get("notes", ""))
    notes += wrong
    notes += [
        f"config/axis/{name} is kept, but has no effect"
        for name in UNUSED
        if config.get(f"axis/{name}", "").strip()
    ]
    all_beside = config.get("legend/type", "").strip() == "direct" or bool(colors.named.marks)
    on_axis = chosen(config, "combo/place", notes) == "axis"
    figure = read_figure_settings(config, notes)
    return ChartOptions(
        axes["x"], axes["y"], key, layout == "column", key_format, colors, unit_of(config), tuple(notes),
        all_beside, annotations=annotations, lines_on_axis=on_axis,
        figure=figure,
    )  # fmt: skip


def unit_of(config: Mapping[str, str]) -> str:
    """Return the unit of the values, if the subtitle ends with one without a size before it."""
    before, _, last = config.get("subtitle", "").strip().rstrip(".,;:").rpartition(" ")
    return last if last in UNITS and not SIZED.search(before.rstrip()) else ""


def _axis_lines(text: str, *, whole: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of an axis setting: `x` or `y` (the value axis if there is neither), and words.

    With `whole` commas and brackets belong to the words.
    """
    for line in text[:LONGEST].splitlines():
        bare = line.split("--", 1)[0]
        words = bare.split() if whole else re.split(r"[\s,;()]+", bare.strip(" \t,;()"))
        if words in ([""], []):
            continue
        axis, rest = (words[0], words[1:]) if words[0] in ("x", "y") else ("y", words)
        yield axis, rest


def _place(word: str) -> float | None:
    """Return a number, or a moment in milliseconds since 1970."""
    number = read_number(word)
    if number is not None:
        return number
    moment = read_date(word)
    return None if moment is None else float(milliseconds(moment))


def _domain(axis: AxisOptions, words: list[str]) -> AxisOptions | None:
    if len(words) != 2:
        return None
    low, high = (None if word in OPEN else _place(word) for word in words)
    if any(end is None and word not in OPEN for end, word in zip((low, high), words, strict=True)):
        return None
    if low is not None and high is not None and low >= high:
        return None
    return replace(axis, low=low, high=high)


def _scale(axis: AxisOptions, words: list[str]) -> AxisOptions | None:
    if len(words) != 1 or words[0] not in ("linear", "log"):
        return None
    return replace(axis, log=words[0] == "log")


def _ticks(axis: AxisOptions, words: list[str]) -> AxisOptions | None:
    if words == ["none"]:
        return replace(axis, ticks=False)
    numbers = [_place(word) for word in words[:40]]
    places = sorted({number for number in numbers if number is not None})
    if not words or None in numbers:
        return None
    if len(numbers) == 1:
        whole = 1 <= places[0] <= 40
        return replace(axis, count=int(places[0])) if whole else None
    return replace(axis, at=tuple(places))


def _labels(axis: AxisOptions, words: list[str]) -> AxisOptions | None:
    if words == ["none"]:
        return replace(axis, labels=False)
    format = " ".join(words)
    fits = is_number_format(format) or ("%" in format and len(format) <= 40)
    return replace(axis, format=format) if fits else None


def _key_place(config: Mapping[str, str], notes: list[str]) -> KeyPosition:
    kind = chosen(config, "legend/type", notes)
    place = chosen(config, "legend/position", notes, "none")
    if "none" in (kind, place):
        return KeyPosition.NONE
    if kind in ("direct", "auto") or not (kind or place):
        return KeyPosition.AUTO
    return KeyPosition.BOTTOM if place == "bottom" else KeyPosition.TOP
