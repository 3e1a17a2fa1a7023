"""Canvas: shapes and texts of a chart as SVG elements, in groups of one kind, and the axes of a box."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, Unpack
from xml.sax.saxutils import escape

from handlers.render.plots.charts.sheet import text_look
from handlers.render.plots.charts.value_axis import Box
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut, px

MIDDLE = 0.34
"""Distance of a text's baseline below the middle of its letters, in font sizes."""
WHOLE = 2 * math.pi - 0.01
ROUND = 1.5
"""Radius of round corners, in pixels."""
MOST_TIPS = 2_000
LONGEST_TIP = 200
DASH, TINY = "5 6", 0.01
GRID = "mark-rule role-axis-grid"
Place = tuple[float, float]


class MarkLook(TypedDict, total=False):
    """The look of a mark besides its colour: its tooltip, the colour and width of its edge, its opacity."""

    tip: str
    stroke: str
    width: float
    opacity: float


@dataclass
class Canvas:
    """Elements in drawing order; positions and sizes are pixels from the chart's top left.

    A shape's `tip` is its tooltip, if the drawing is part of a page. Shapes after the first 2,000 have none.
    """

    style: Style
    parts: list[str] = field(default_factory=list)
    kind: str = ""
    tips: int = 0

    def svg(self) -> str:
        """Return the elements, in the groups of their kinds."""
        return "".join(self.parts) + ("</g>" if self.kind else "")

    def rect(
        self, left: float, top: float, width: float, height: float, color: str, /, *,
        round_end: str = "", **look: Unpack[MarkLook],
    ) -> None:  # fmt: skip
        """Add a rectangle; one with a negative width or height extends to the left or up.

        `round_end` is the side with rounded corners: `left`, `right`, `top`, `bottom`, `all`.
        """
        if round_end and width and height:
            path = _round_path(left, top, left + width, top + height, round_end)
        else:
            path = f"M{px(left)},{px(top)}h{px(width)}v{px(height)}h{px(-width)}Z"
        self.path("rect", path, fill=color, **look)

    def ray(
        self, places: Sequence[Place], color: str, width: float, *, steps: bool = False,
        dashed: float = math.inf,
    ) -> None:  # fmt: skip
        """Add a line through places, `dashed` after that pixel.

        In `steps` each height holds until the next place.
        """
        first = next((at for at, (x, _) in enumerate(places) if x > dashed - TINY), len(places))
        for part, dash in ((places[:first], ""), (places[max(0, first - 1) :], DASH)):
            if len(part) > 1:
                (x, y), *others = part
                parts = [f"M{px(x)},{px(y)}"]
                parts += [f"H{px(x)}V{px(y)}" if steps else f"L{px(x)},{px(y)}" for x, y in others]
                self.path("line", "".join(parts), stroke=color, width=width, dash=dash)

    def shape(self, kind: str, places: Iterable[Place], color: str, **look: Unpack[MarkLook]) -> None:
        """Add a closed shape with straight sides between places."""
        path = f"M{'L'.join(f'{px(x)},{px(y)}' for x, y in places)}Z"
        self.path(kind, path, fill=color, **look)

    def arc(
        self, center: Place, radii: tuple[float, float], ends: tuple[float, float], color: str,
        **look: Unpack[MarkLook],
    ) -> None:  # fmt: skip
        """Add a sector between an inner and an outer radius, between angles clockwise from the top."""
        (inner, outer), (start, end) = radii, ends
        # An arc that ends where it begins is empty: a whole circle is drawn in halves.
        stops = [end, (start + end) / 2, start] if end - start > WHOLE else [end, start]
        far = int(WHOLE > end - start > math.pi)

        def at(angle: float, radius: float) -> str:
            return f"{px(math.sin(angle) * radius)},{px(-math.cos(angle) * radius)}"

        def along(radius: float, stops: Sequence[float], turn: int) -> str:
            size = f"A{px(radius)},{px(radius)},0,{far},{turn},"
            return at(stops[0], radius) + "".join(f"{size}{at(stop, radius)}" for stop in stops[1:])

        back = along(inner, stops[::-1], 1) if inner else "0,0"
        path = f"M{along(outer, stops, 0)}L{back}Z"
        self.path("arc", path, fill=color, at=center, **look)

    def line(
        self, start: Place, end: Place, color: str, width: float, *, dash: str = "", opacity: float = 1.0,
        group: str = "mark-rule role-mark",
    ) -> None:  # fmt: skip
        """Add a straight line."""
        self._begin(group)
        drawn = f' stroke-dasharray="{dash}"' if dash else ""
        drawn += f' stroke-opacity="{px(opacity)}"' if opacity < 1 else ""
        self.parts.append(
            f'<line transform="translate({px(start[0])},{px(start[1])})" x2="{px(end[0] - start[0])}" '
            f'y2="{px(end[1] - start[1])}" stroke="{color}" stroke-width="{px(width)}"{drawn}/>'
        )

    def circle(self, x: float, y: float, radius: float, color: str, **look: Unpack[MarkLook]) -> None:
        """Add a circle around a place."""
        r = px(radius)
        path = f"M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0Z"
        self.path("symbol", path, fill=color, at=(x, y), **look)

    def path(  # noqa: PLR0913
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
        dash: str = "",
    ) -> None:
        """Add a path to the marks of a kind: `rect`, `line`, `area`, `symbol`, `shape`."""
        self._begin(f"mark-{kind} role-mark")
        moved = f' transform="translate({px(at[0])},{px(at[1])})"' if at else ""
        edge = f' stroke="{stroke}" stroke-width="{px(width)}"' if stroke else ""
        joined = ' stroke-linejoin="round" stroke-linecap="round"' if kind == "line" else ""
        joined += f' stroke-dasharray="{dash}"' if dash else ""
        faint = f' fill-opacity="{px(opacity)}"' if opacity < 1 else ""
        said = self._tip(tip)
        end = f">{said}</path>" if said else "/>"
        self.parts.append(f'<path{moved} d="{drawn}" fill="{fill}"{faint}{edge}{joined}{end}')

    def text(  # noqa: PLR0913
        self,
        x: float,
        y: float,
        line: str,
        color: str = "",
        *,
        size: float = 0.0,
        weight: int = 400,
        anchor: str = "start",
        group: str = "mark-text role-mark",
        angle: float = 0.0,
        halo: tuple[str, float] | None = None,
    ) -> None:
        """Add a line of text centred at a height, turned by an angle, with a halo of a colour and width.

        The default colour is ink, the default size that of labels.
        """
        color, size = color or self.style.palette.ink, size or self.style.label
        self._begin(group)
        move = f"translate({px(x)},{px(y + size * MIDDLE)})"
        if angle:
            move = f"translate({px(x)},{px(y)}) rotate({px(angle)}) translate(0,{px(size * MIDDLE)})"
        look = text_look(size, color, weight, anchor)
        if halo:
            edge = f'stroke="{halo[0]}" stroke-width="{px(halo[1])}" stroke-linejoin="round"'
            self.parts.append(f'<text transform="{move}" {look} {edge}>{escape(line)}</text>')
        self.parts.append(f'<text transform="{move}" {look}>{escape(line)}</text>')

    def lines(self, x: float, y: float, lines: Sequence[str], *, anchor: str = "start") -> None:
        """Add labels of ink, one below the other, centred at a height."""
        for at, line in enumerate(lines):
            self.text(x, y + (at - (len(lines) - 1) / 2) * self.style.line, line, anchor=anchor)

    def grid(self, lines: Iterable[tuple[Place, Place]], color: str) -> None:
        """Add the grid lines of an axis."""
        self._begin(GRID, fresh=True)
        for start, end in lines:
            self.line(start, end, color, 1, group=GRID)

    def _begin(self, kind: str, *, fresh: bool = False) -> None:
        """Open the group of a kind, unless it is open and no `fresh` one is requested."""
        if fresh or kind != self.kind:
            self.parts.append(f'{"</g>" if self.kind else ""}<g class="{kind}">')
            self.kind = kind

    def _tip(self, tip: str) -> str:
        if not tip or self.tips >= MOST_TIPS:
            return ""
        self.tips += 1
        return f"<title>{escape(tip[:LONGEST_TIP])}</title>"


def _round_path(left: float, top: float, right: float, bottom: float, end: str) -> str:
    """Return the path of a rectangle with round corners at an end."""
    left, right, top, bottom = min(left, right), max(left, right), min(top, bottom), max(top, bottom)
    radius = min(ROUND, (right - left) / 2, (bottom - top) / 2)
    corners = (("top", "left"), ("top", "right"), ("bottom", "right"), ("bottom", "left"))
    a, b, c, d = (radius if end in (*sides, "all") else 0.0 for sides in corners)
    return (
        f"M{px(left + a)},{px(top)}H{px(right - b)}{_corner(b, right, top + b)}"
        f"V{px(bottom - c)}{_corner(c, right - c, bottom)}"
        f"H{px(left + d)}{_corner(d, left, bottom - d)}"
        f"V{px(top + a)}{_corner(a, left + a, top)}Z"
    )


def _corner(radius: float, x: float, y: float) -> str:
    """Return an arc to a place; "" for a sharp corner, as WeasyPrint misplaces arcs of radius 0."""
    size = px(radius)
    return f"A{size},{size},0,0,1,{px(x)},{px(y)}" if size != "0" else ""


LABELS = "mark-text role-axis-label"
ALONG = f"{LABELS} along"
UP = "↑ "
SIGN = 5
"""Length in pixels of a tick mark below the box."""


def draw_grid(canvas: Canvas, box: Box) -> None:
    """Draw the grid of the values from the chart's left edge, with their labels on its lines.

    If two labels would touch, the lower one is left out; the highest is always drawn.
    """
    style = canvas.style
    axis, free, shown = box.axis, -math.inf, set[float]()
    places = [box.y(tick) for tick in axis.ticks]
    if axis.grid:
        canvas.grid([((0.0, y), (box.right, y)) for y in places], style.palette.grid)
    for y in sorted(places):
        if y - free >= style.label:
            shown.add(y)
            free = y
    for y, label in zip(places, axis.labels, strict=True):
        if label and y in shown:
            middle = y - 3 - style.label * 0.55
            canvas.text(0, middle, label, style.palette.quiet, group=LABELS)


def draw_zero(canvas: Canvas, box: Box) -> None:
    """Draw the line at zero from the chart's left edge, if the axis has zero."""
    if box.axis.has_zero:
        y = box.y(0.0)
        canvas.line((0.0, y), (box.right, y), canvas.style.palette.zero, 1.2)


def draw_along(
    canvas: Canvas,
    box: Box,
    ticks: Iterable[tuple[float, Sequence[str]]],
    *,
    signs: bool,
    gap: float = 4,
    reach: float = math.inf,
) -> None:
    """Draw labels of one or more lines below the box at their pixels, with tick marks if `signs`.

    No label extends more than `reach` pixels beside the box.
    """
    style = canvas.style
    quiet, below, ticks = style.palette.quiet, box.bottom + gap + SIGN * signs, list(ticks)
    for x, _ in ticks if signs else ():
        canvas.line((x, box.bottom), (x, box.bottom + SIGN), style.palette.edge, 1)
    for x, lines in ticks:
        for at, line in enumerate(lines):
            if line:
                half, y = style.text(line) / 2, below + style.label * 0.45 + at * style.line
                within = max(box.left - reach + half, min(box.right + reach - half, x))
                canvas.text(within, y, line, quiet, anchor="middle", group=ALONG)


def name_upward(canvas: Canvas, name: str, y: float, *, arrow: bool = True) -> None:
    """Write the name of the vertical axis at a height, from the chart's left edge."""
    style = canvas.style
    canvas.text(0, y, cut(f"{UP * arrow}{name}", style.label, style.inner), style.palette.quiet)


def name_along(canvas: Canvas, name: str, x: float, y: float) -> None:
    """Write the name of the horizontal axis at a height, up to its right end."""
    text = cut(f"{name} →", canvas.style.label, x)
    canvas.text(x, y, text, canvas.style.palette.quiet, anchor="end")
