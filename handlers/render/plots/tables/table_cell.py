"""Cells of a table as they are drawn, and the looks that several lines of settings make together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from handlers.render.plots.data.dates_written import read_date
from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.frame import Column, ColumnType
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.tables.cell_words import CellBar, CellFormat, SideLines, SideSpace, TextLook
from handlers.render.plots.tables.date_formats import CellDateFormat
from handlers.render.plots.tables.domains import Domain

LONGEST_SPARK = 2_000
"""Signs of a cell in which numbers of a line are read."""


@dataclass(frozen=True, slots=True)
class SideLine:
    """A line at a side of a cell: its thickness, 0 to 5, and its colour, None for the usual one."""

    size: int
    color: str | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in a cell: where it begins and ends, as shares of the room, and the number to set beside it.

    `middle` is the place of the middle line, None without one. A line through some `points` has the shares of
    the room to the right and upward at which they are.
    """

    start: float
    end: float
    middle: float | None = None
    label: str = ""
    points: tuple[tuple[float, float], ...] = ()

    @property
    def negative(self) -> bool:
        """True for a bar that grows to the left."""
        return self.end < self.start


@dataclass(frozen=True, slots=True)
class CellLook:
    """All that is said of a cell but its colours, the same object for all that look alike.

    `emphasis` are letters of `bisu`; a `blank` one shows nothing.
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
    """A cell as it is drawn; colours are `#rrggbb`, None for the usual ones.

    What `hangs` stands a bracket's width from the right edge, as other numbers of its column end with one.
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


def emphasis_of(looks: Iterable[TextLook], usual: str) -> tuple[str, float, str]:
    """Letters of style, size and family that several lines make of the usual letters."""
    letters, scale, family = set(usual), 1.0, "sans"
    for look in looks:
        if "r" in look.emphasis:
            letters = set()
        letters |= set(look.emphasis) - {"r", "n"}
        scale = look.scale or scale
        family = look.family or family
    return "".join(sorted(letters)), scale, family


def side_lines(words: Iterable[SideLines], mode: str) -> dict[str, SideLine]:
    """The lines at the sides of a cell; a later word replaces an earlier one at its sides."""
    lines = {}
    for word in words:
        scale = word.dark if mode == "dark" and word.dark is not None else word.color
        color = None if scale is None else scale.first(mode)
        lines.update(dict.fromkeys(word.sides, SideLine(word.size, color)))
    return lines


def side_space(words: Sequence[SideSpace]) -> dict[str, int]:
    """The steps of air at the sides of a cell."""
    return {side: word.size for word in words for side in word.sides}


def bar_of(word: CellBar, domain: Domain, number: float, label: str) -> Bar:
    """The bar of a number on its resolved domain."""
    labelled = label if word.labelled else ""
    end = domain.share(number)
    if not domain.diverging:
        return Bar(0.0, end, None, labelled)
    return Bar(0.5, end, None if word.undivided else 0.5, labelled)


def with_arrow(number: float, text: str) -> str:
    """A number behind the arrow of its sign."""
    return f"{'▲' if number > 0 else '▼' if number < 0 else '='} {text}"


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, parted by blanks, `;` or `|`; none where it holds fewer than two, or others."""
    words = text[: LONGEST_SPARK + 1].replace(";", " ").replace("|", " ").split()
    numbers = [number for one in words if (number := read_number(one)) is not None]
    return numbers if 1 < len(numbers) == len(words) and len(text) <= LONGEST_SPARK else []


def spark_of(word: CellBar, numbers: Sequence[float]) -> Bar:
    """The line through some numbers."""
    low, high = min(numbers), max(numbers)
    points = tuple(
        (at / (len(numbers) - 1), (number - low) / (high - low) if high > low else 0.5)
        for at, number in enumerate(numbers)
    )
    return Bar(0.0, 0.0, None, alone(numbers[-1]) if word.labelled else "", points)


def formatted_text(format_: CellFormat, column: Column, row: int, sent: str) -> str:
    """A cell by a format; what is neither number nor date, as the format wants, stays as it was sent."""
    if isinstance(format_, CellDateFormat):
        moment = column.dates[row] if column.type is ColumnType.DATE else read_date(sent)
        return sent if moment is None else format_(moment)
    if format_ is None or column.type is ColumnType.DATE:
        return sent
    number = column.numbers[row] if column.type is ColumnType.NUMBER else read_number(sent)
    return sent if number is None else format_(number)
