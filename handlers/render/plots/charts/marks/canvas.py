"""Canvas: shapes and texts of a chart as SVG elements, in the groups in which Vega writes its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

MOST_TIPS = 2_000
LONGEST_TIP = 200
Place = tuple[float, float]


@dataclass
class Canvas:
    """Elements in the order in which they are drawn; places and sizes are pixels from the chart's left top.

    A shape's `tip` is what a pointer that rests on it is told, where the drawing is a part of a page. Shapes
    beyond the first 2,000 have none.
    """

    parts: list[str] = field(default_factory=list)
    kind: str = ""
    tips: int = 0

    def svg(self) -> str:
        """The elements, in the groups of their kinds."""
        return "".join(self.parts) + ("</g>" if self.kind else "")

    def rect(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        color: str,
        *,
        tip: str = "",
        stroke: str = "",
        opacity: float = 1.0,
    ) -> None:
        """A rectangle; one whose width or height is negative reaches to the left or up."""
        path = f"M{_n(left)},{_n(top)}h{_n(width)}v{_n(height)}h{_n(-width)}Z"
        self.path("rect", path, fill=color, stroke=stroke, tip=tip, opacity=opacity)

    def line(self, start: Place, end: Place, color: str, width: float, *, dash: str = "") -> None:
        """A straight line."""
        self._begin("mark-rule role-mark")
        drawn = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line transform="translate({_n(start[0])},{_n(start[1])})" x2="{_n(end[0] - start[0])}" '
            f'y2="{_n(end[1] - start[1])}" stroke="{color}" stroke-width="{_n(width)}"{drawn}/>'
        )

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        color: str,
        *,
        tip: str = "",
        stroke: str = "",
        opacity: float = 1.0,
    ) -> None:
        """A circle around a place."""
        r = _n(radius)
        path = f"M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0Z"
        self.path("symbol", path, fill=color, stroke=stroke, tip=tip, at=(x, y), opacity=opacity)

    def path(
        self,
        kind: str,
        drawn: str,
        *,
        fill: str = "none",
        stroke: str = "",
        width: float = 1.0,
        tip: str = "",
        at: Place | None = None,
        opacity: float = 1.0,
    ) -> None:
        """A path among the marks of a kind: `rect`, `line`, `area`, `symbol`, `shape`."""
        self._begin(f"mark-{kind} role-mark")
        moved = f' transform="translate({_n(at[0])},{_n(at[1])})"' if at else ""
        edge = f' stroke="{stroke}" stroke-width="{_n(width)}"' if stroke else ""
        joined = ' stroke-linejoin="round" stroke-linecap="round"' if kind == "line" else ""
        faint = f' fill-opacity="{_n(opacity)}"' if opacity < 1 else ""
        said = self._tip(tip)
        end = f">{said}</path>" if said else "/>"
        self.parts.append(f'<path{moved} d="{drawn}" fill="{fill}"{faint}{edge}{joined}{end}')

    def text(
        self,
        x: float,
        y: float,
        line: str,
        size: float,
        color: str,
        *,
        weight: int = 400,
        anchor: str = "start",
        group: str = "mark-text role-mark",
    ) -> None:
        """A line of text whose middle is at a height."""
        self._begin(group)
        bold = f' font-weight="{weight}"' if weight != 400 else ""
        placed = f' text-anchor="{anchor}"' if anchor != "start" else ""
        move = f"translate({_n(x)},{_n(y + size * 0.34)})"
        look = f'font-size="{_n(size)}" fill="{color}"{bold}{placed}'
        self.parts.append(f'<text transform="{move}" {look}>{escape(line)}</text>')

    def lines(
        self, x: float, y: float, lines: Sequence[str], size: float, color: str, *, anchor: str = "start",
        weight: int = 400,
    ) -> None:  # fmt: skip
        """Some lines of text whose middle is at a height."""
        step = round(size * 1.25)
        for at, line in enumerate(lines):
            offset = (at - (len(lines) - 1) / 2) * step
            self.text(x, y + offset, line, size, color, anchor=anchor, weight=weight)

    def grid(self, lines: Iterable[tuple[Place, Place]], color: str) -> None:
        """The lines of an axis' grid."""
        self._begin("mark-rule role-axis-grid")
        for start, end in lines:
            self.parts.append(
                f'<line transform="translate({_n(start[0])},{_n(start[1])})" x2="{_n(end[0] - start[0])}" '
                f'y2="{_n(end[1] - start[1])}" stroke="{color}" stroke-width="1"/>'
            )

    def _begin(self, kind: str) -> None:
        """Open the group of a kind, unless it is open."""
        if kind != self.kind:
            self.parts.append(f'{"</g>" if self.kind else ""}<g class="{kind}">')
            self.kind = kind

    def _tip(self, tip: str) -> str:
        if not tip or self.tips >= MOST_TIPS:
            return ""
        self.tips += 1
        return f"<title>{escape(tip[:LONGEST_TIP])}</title>"


def _n(number: float) -> str:
    """A coordinate, to a hundredth, without needless zeros."""
    written = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if written in ("", "-0") else written
