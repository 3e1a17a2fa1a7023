"""Words for cells: the parts of the lines of `config/table/cell/*` after the slices, and their cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from handlers.render.plots.data.dates_written import read_date
from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.frame import Column, ColumnType
from handlers.render.plots.data.number_formats import (
    BadFormat,
    CellDateFormat,
    CellNumberFormat,
    is_date_format,
    parse_date_format,
    parse_number_format,
)
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.tables.cell_colors import CellColor, Domain, parse_domain, parse_scale
from handlers.render.plots.tables.instructions import BadInstruction

ALIGNMENTS = {
    "<": ("horizontal", "left"), "-": ("horizontal", "center"), ">": ("horizontal", "right"),
    "^": ("vertical", "top"), "=": ("vertical", "middle"), "v": ("vertical", "bottom"),
}  # fmt: skip
SIDES = {"t": "t", "r": "r", "b": "b", "l": "l", "x": "lr", "y": "tb", "a": "trbl"}
STYLES = frozenset("bisurn-")
SIZES = {"xs": 0.8, "sm": 0.9, "md": 1.0, "base": 1.0, "lg": 1.2, "xl": 1.4, "2xl": 1.7, "3xl": 2.1}
BASE_SIZE = 14.0
FAMILIES = ("sans", "serif", "mono")
OVERFLOWS = {"e": "ellipsis", "t": "truncate", "w": "wrap", "o": "overflow"}
WIDTHS = {"x": "most", "i": "least", "f": "fixed"}
WIDEST_UNITS = 4000
LARGEST = 5
CHARTS = ("hbar", "spark", "arrow")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SideLines:
    """Lines at some sides (of `trbl`) of a cell, 0 to 5 thick, in a colour or in the default one."""

    sides: str
    size: int
    color: CellColor | None = None


@dataclass(frozen=True, slots=True)
class TextLook:
    """The look of a cell's text: style letters, and its size and family if they are named."""

    emphasis: str
    scale: float | None = None
    family: str | None = None


@dataclass(frozen=True, slots=True)
class CellBar:
    """A bar instead of a number; without a domain it begins at 0, with a separate side for each sign.

    A `spark` is a line through the numbers in a cell, an `arrow` is shown before a number.
    """

    domain: Domain | None
    labelled: bool = False
    undivided: bool = False
    kind: str = "hbar"


CellFormat = CellNumberFormat | CellDateFormat | None
"""A format of cells; None shows the text as it was sent."""


def parse_alignment(text: str) -> dict[str, str]:
    """Parse one of `< - >`, one of `^ = v`, or one of each. Raises BadInstruction."""
    signs = "".join(text.split())
    found = dict(ALIGNMENTS[sign] for sign in signs if sign in ALIGNMENTS)
    if not signs or len(found) != len(signs):
        raise BadInstruction(f'"{text[:40]}" is no alignment: write one of < - >, one of ^ = v, or both')
    return found


def parse_lines(text: str) -> SideLines:
    """Parse `sides size [colour] [colour in dark]`. Raises BadInstruction."""
    words = text.split()
    if not 2 <= len(words) <= 4:
        raise BadInstruction("needs sides (of l r t b x y a), a size of 0 to 5, and may have a colour")
    colors = [parse_scale(word) for word in words[2:]]
    color = CellColor("line", *colors) if colors else None
    return SideLines(_sides(words[0]), _size(words[1]), color)


def parse_space(text: str) -> dict[str, int]:
    """Parse `sides size`; return the steps of padding at sides of `trbl`. Raises BadInstruction."""
    words = text.split()
    if len(words) != 2:
        raise BadInstruction("needs sides (of l r t b x y a) and a size of 0 to 5")
    return dict.fromkeys(_sides(words[0]), _size(words[1]))


def parse_text_look(text: str) -> TextLook:
    """Parse `style [size] [family]`. Raises BadInstruction."""
    letters, *rest = text.split() or [""]
    if not letters or not set(letters) <= STYLES:
        raise BadInstruction(f'"{letters[:20]}" is no style: write letters of b i s u r n and -')
    if len(rest) > 2 or (len(rest) == 2 and rest[1] not in FAMILIES):
        raise BadInstruction("needs a style, and may have a size and one of sans, serif and mono")
    family = rest.pop() if rest and rest[-1] in FAMILIES else None
    return TextLook(letters, _scale(rest[0]) if rest else None, family)


def parse_overflow(text: str) -> str:
    """Parse one of e, t, w and o. Raises BadInstruction."""
    if text not in OVERFLOWS:
        raise BadInstruction(f'"{text[:20]}" is not one of {", ".join(OVERFLOWS)}')
    return OVERFLOWS[text]


def parse_priority(text: str) -> int:
    """Parse a number from 1 (stays longest) to 5 (is dropped first). Raises BadInstruction."""
    if text not in {"1", "2", "3", "4", "5"}:
        raise BadInstruction(f'"{text[:20]}" is no priority: write 1 (stays longest) to 5 (is dropped first)')
    return int(text)


def parse_width(text: str) -> dict[str, int]:
    """Parse `x|i|f units`, in either order; return the units by their bound. Raises BadInstruction."""
    words = sorted(text.split(), key=str.isdigit)
    if len(words) != 2 or words[0] not in WIDTHS or not words[1].isdecimal() or len(words[1]) > 9:
        raise BadInstruction(f'"{text[:40]}" is no width: write x (most), i (least) or f (fixed) and units')
    return {WIDTHS[words[0]]: min(WIDEST_UNITS, max(1, int(words[1])))}


def parse_cell_format(text: str) -> CellFormat:
    """Parse a format of numbers or dates, or `st` for the text as it is. Raises BadInstruction."""
    if text == "st":
        return None
    try:
        return parse_date_format(text) if is_date_format(text) else parse_number_format(text)
    except BadFormat as mistake:
        raise BadInstruction(str(mistake)) from None


def parse_bar(text: str) -> CellBar:
    """Parse `hbar [domain] [l] [h]`, `spark [l]` or `arrow`. Raises BadInstruction."""
    kind, *words = text.split() or [""]
    if kind not in CHARTS:
        raise BadInstruction(f'"{kind[:20]}" is no chart of cells: write one of {", ".join(CHARTS)}')
    if kind != "hbar":
        if words not in ([], ["l"][: kind == "spark"]):
            raise BadInstruction(f'"{words[0][:20]}" is no option of {kind}: spark has l, arrow none')
        return CellBar(None, bool(words), kind=kind)
    domain = parse_domain(words.pop(0)) if words and words[0].startswith("(") else None
    flags = "".join(words)
    if not set(flags) <= {"l", "h"}:
        raise BadInstruction(f'"{flags[:20]}" is no option of hbar: write l, h or both')
    return CellBar(domain, "l" in flags, "h" in flags)


def _sides(word: str) -> str:
    if not set(word) <= SIDES.keys():
        raise BadInstruction(f'"{word[:20]}" are no sides: write letters of l r t b x y a')
    chosen = "".join(SIDES[letter] for letter in word)
    return "".join(side for side in "trbl" if side in chosen)


def _size(word: str) -> int:
    if word not in {"0", "1", "2", "3", "4", "5"}:
        raise BadInstruction(f'"{word[:20]}" is no size: write 0 to {LARGEST}')
    return int(word)


def _scale(word: str) -> float:
    """Return a size, given by its name or in pixels, relative to the default size of 14."""
    if word in SIZES:
        return SIZES[word]
    bare = word.removesuffix("px")
    if not bare.isdecimal() or len(bare) > 3:
        raise BadInstruction(f'"{word[:20]}" is no size of text: write one of {", ".join(SIZES)}, or pixels')
    return min(2.5, max(0.5, int(bare) / BASE_SIZE))


LONGEST_SPARK = 2_000
"""Most characters of a cell in which numbers of a line are read."""


@dataclass(frozen=True, slots=True)
class SideLine:
    """A line at a side of a cell: its thickness, 0 to 5, and its colour, None for the default one."""

    size: int
    color: str | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in a cell: its start and end as shares of the width, and the number beside it.

    `middle` is the position of the middle line, None without one. `points` are the positions of a line, as
    shares of the width and, upward, of the height.
    """

    start: float
    end: float
    middle: float | None = None
    label: str = ""
    points: tuple[tuple[float, float], ...] = ()

    @property
    def negative(self) -> bool:
        """Whether the bar grows to the left."""
        return self.end < self.start


@dataclass(frozen=True, slots=True)
class CellLook:
    """The settings of a cell except its colours; cells with the same settings share one object.

    `emphasis` has letters of `bisu`; a `blank` cell shows nothing.
    """

    head: bool = False
    horizontal: str = "left"
    vertical: str = "top"
    emphasis: str = ""
    blank: bool = False
    scale: float = 1.0
    family: str = "sans"
    overflow: str = "ellipsis"
    lines: Mapping[str, SideLine] = field(default_factory=dict)
    space: Mapping[str, int] = field(default_factory=dict)


PLAIN = CellLook()


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell to draw; colours are `#rrggbb`, None for the default ones.

    Text that `hangs` is a bracket's width away from the right edge, because other numbers of its column end
    with a bracket.
    """

    text: str
    number: float | None = None
    look: CellLook = PLAIN
    ink: str | None = None
    ground: str | None = None
    bar: Bar | None = None
    hangs: bool = False

    @property
    def head(self) -> bool:
        """Whether it is above the data."""
        return self.look.head


def merge(words: Iterable[Mapping[str, T]]) -> dict[str, T]:
    """Return what several lines set for a cell, by name; later lines replace earlier ones."""
    return {name: value for word in words for name, value in word.items()}


def emphasis_of(looks: Iterable[TextLook], usual: str) -> tuple[str, float, str]:
    """Return the style letters, the size and the family that several lines result in."""
    letters, scale, family = set(usual), 1.0, "sans"
    for look in looks:
        if "r" in look.emphasis:
            letters = set()
        letters |= set(look.emphasis) - {"r", "n"}
        scale = look.scale or scale
        family = look.family or family
    return "".join(sorted(letters)), scale, family


def side_lines(words: Iterable[SideLines], mode: str) -> dict[str, SideLine]:
    """Return the lines at the sides of a cell; later words replace earlier ones for their sides."""
    lines = {}
    for word in words:
        color = word.color.scale(mode).first(mode) if word.color is not None else None
        lines.update(dict.fromkeys(word.sides, SideLine(word.size, color)))
    return lines


def bar_of(word: CellBar, domain: Domain, number: float, label: str) -> Bar:
    """Return the bar of a number on its resolved domain."""
    middle = 0.5 if domain.diverging and not word.undivided else None
    start = 0.5 if domain.diverging else 0.0
    return Bar(start, domain.share(number), middle, label if word.labelled else "")


def with_arrow(number: float, text: str) -> str:
    """Return a number after the arrow of its sign."""
    return f"{'▲' if number > 0 else '▼' if number < 0 else '='} {text}"


def numbers_in(text: str) -> list[float]:
    """Return the numbers in a text, separated by blanks, `;` or `|`; () for fewer than two or other text."""
    words = text[: LONGEST_SPARK + 1].replace(";", " ").replace("|", " ").split()
    numbers = [number for one in words if (number := read_number(one)) is not None]
    return numbers if 1 < len(numbers) == len(words) and len(text) <= LONGEST_SPARK else []


def spark_of(word: CellBar, numbers: Sequence[float]) -> Bar:
    """Return the line through some numbers."""
    low, high = min(numbers), max(numbers)
    points = tuple(
        (at / (len(numbers) - 1), (number - low) / (high - low) if high > low else 0.5)
        for at, number in enumerate(numbers)
    )
    return Bar(0.0, 0.0, None, alone(numbers[-1]) if word.labelled else "", points)


def formatted_text(format_: CellFormat, column: Column, row: int, sent: str) -> str:
    """Return a formatted cell, or the text as sent if it is not a number or date, as the format needs."""
    if isinstance(format_, CellDateFormat):
        moment = column.dates[row] if column.type is ColumnType.DATE else read_date(sent)
        return sent if moment is None else format_(moment)
    if format_ is None or column.type is ColumnType.DATE:
        return sent
    number = column.numbers[row] if column.type is ColumnType.NUMBER else read_number(sent)
    return sent if number is None else format_(number)
