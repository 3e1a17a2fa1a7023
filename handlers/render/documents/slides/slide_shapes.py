"""Shapes of a slide from a laid-out page: positions and sizes are CSS pixels, colours `rrggbb`."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.words.document_parts import AssetPart
from handlers.words.plot import Plot


@dataclass(frozen=True, slots=True)
class SlideBox:
    """An area on a slide."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The edge at the right."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class RunStyle:
    """The look of words: `size` in pixels, `shift` in percent of it, `address` of their link."""

    family: str
    size: float
    color: str
    bold: bool = False
    italic: bool = False
    underlined: bool = False
    struck: bool = False
    shift: int = 0
    spacing: float = 0
    ground: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class SlideRun:
    """Words in one look; a line feed ends a line, text after a tab is right-aligned."""

    text: str
    style: RunStyle


@dataclass(frozen=True, slots=True)
class ListMark:
    """The mark before an entry of a list: a sign, or a number (numbers begin with `start`)."""

    sign: str
    color: str
    number: int = 0
    start: int = 0
    hang: float = 0


@dataclass(frozen=True, slots=True)
class SlideParagraph:
    """A paragraph: its runs, the box of its lines, and the height of one line.

    `side` is l, r, ctr or just. `indent` moves the first line. A `divided` one is hyphenated on the page. A
    `balanced` one has the line breaks of the page.
    """

    runs: tuple[SlideRun, ...]
    box: SlideBox
    line: float
    lines: int
    side: str = "l"
    leftward: bool = False
    indent: float = 0
    mark: ListMark | None = None
    level: int = 0
    divided: bool = False
    balanced: bool = False

    @property
    def words(self) -> str:
        """The text without its looks."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class SlideShape:
    """A part of a slide, at a place."""

    box: SlideBox


@dataclass(frozen=True, slots=True)
class TextShape(SlideShape):
    """Paragraphs one below the other; `role` is title, body, number, footer or ""."""

    paragraphs: tuple[SlideParagraph, ...]
    role: str = ""


@dataclass(frozen=True, slots=True)
class ColorShape(SlideShape):
    """A coloured area, or the line around one if `edge` is set."""

    color: str
    edge: float = 0
    dashed: bool = False
    radius: float = 0


@dataclass(frozen=True, slots=True)
class CellEdge:
    """A line at a side of a cell (L R T B)."""

    side: str
    width: float
    color: str


@dataclass(frozen=True, slots=True)
class SlideCell:
    """A cell of a table: `padding` is left, top, right, bottom."""

    paragraphs: tuple[SlideParagraph, ...]
    padding: tuple[float, float, float, float]
    edges: tuple[CellEdge, ...]
    color: str
    anchor: str


@dataclass(frozen=True, slots=True)
class TableShape(SlideShape):
    """An editable table."""

    widths: tuple[float, ...]
    heights: tuple[float, ...]
    rows: tuple[tuple[SlideCell, ...], ...]


@dataclass(frozen=True, slots=True)
class ChartShape(SlideShape):
    """An editable chart, with its title above and its caption below if they are shown."""

    plot: Plot
    alt: str
    drawn: int
    title: bool
    caption: bool


@dataclass(frozen=True, slots=True)
class PictureShape(SlideShape):
    """A picture: an asset, or the piece of the page at its place."""

    alt: str
    asset: AssetPart | None = None
    address: str = ""
    worded: bool = False
    """Whether it shows words that slides cannot contain as text."""


@dataclass(frozen=True, slots=True)
class SlidePage:
    """A page as shapes; `words` is its text in reading order."""

    width: float
    height: float
    color: str
    shapes: tuple[SlideShape, ...]
    words: str
    title: str = ""
    fonts: tuple[str, str] = ("Arial", "Arial")
    """The font families of headings and text."""
    ink: str = "000000"
