"""A plot as a slide: a native chart that its reader can edit where there is one, else the picture."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.charts.points import spots_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.forms.drawing import Look, Plot, describe, draw
from handlers.render.plots.forms.raster import png
from handlers.render.plots.look.palette import LIGHT

WIDTH, HEIGHT = Emu(12_192_000), Emu(6_858_000)
MARGIN = Emu(609_600)
INNER = Emu(WIDTH - 2 * MARGIN)
MADE = datetime(2000, 1, 1)  # noqa: DTZ001
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
STAMPS = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MOST_POINTS = 5_000
NATIVE = {
    "bar": XL_CHART_TYPE.COLUMN_CLUSTERED, "gbar": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "sbar": XL_CHART_TYPE.COLUMN_STACKED, "hbar": XL_CHART_TYPE.BAR_CLUSTERED,
    "hgbar": XL_CHART_TYPE.BAR_CLUSTERED,
    "hsbar": XL_CHART_TYPE.BAR_STACKED, "line": XL_CHART_TYPE.LINE, "area": XL_CHART_TYPE.AREA,
    "sarea": XL_CHART_TYPE.AREA_STACKED, "pie": XL_CHART_TYPE.PIE, "donut": XL_CHART_TYPE.DOUGHNUT,
    "scatter": XL_CHART_TYPE.XY_SCATTER,
}  # fmt: skip


def pptx(plot: Plot, frame: Frame) -> bytes:
    """A presentation of one slide: title, chart, caption as notes; the same bytes for the same plot."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = WIDTH, HEIGHT
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = MARGIN, Emu(300_000), INNER, Emu(900_000)
    title.text_frame.text = _plain(plot.config.get("title", "").strip() or plot.name or "Plot")[:300]
    title.text_frame.paragraphs[0].font.size = Pt(28)
    place_chart(slide, plot, frame, (MARGIN, Emu(1_300_000), INNER, Emu(HEIGHT - 1_700_000)))
    words = [plot.config.get(key, "").strip() for key in ("subtitle", "caption")]
    slide.notes_slide.notes_text_frame.text = _plain(
        "\n".join(word for word in [describe(plot, frame), *words] if word)
    )
    deck.core_properties.created = deck.core_properties.modified = MADE
    deck.core_properties.title = _plain(plot.config.get("title", "") or plot.name)[:200]
    deck.core_properties.author = ""
    made = io.BytesIO()
    deck.save(made)
    return steady_zip(made.getvalue())


def place_chart(slide: Slide, plot: Plot, frame: Frame, box: tuple[Emu, Emu, Emu, Emu]) -> bool:
    """Set the plot into a box of a slide; True when it is a native chart."""
    native = NATIVE.get(plot.type)
    if native is not None and frame.series and 0 < frame.height * len(frame.series) <= MOST_POINTS:
        data = (
            _xy(frame) if plot.type == "scatter" else _categories(frame, single=plot.type in ("pie", "donut"))
        )
        if data is not None:
            shape = slide.shapes.add_chart(native, *box, data)
            _look(shape.chart, len(frame.series), rounded=plot.type in ("pie", "donut"))
            shape._element.nvGraphicFramePr.cNvPr.set("descr", _plain(describe(plot, frame)))
            return True
    drawn = draw(plot, Look(width=1200, header=False, caption=True))
    shape = slide.shapes.add_picture(io.BytesIO(png(drawn.svg, 2)), box[0], box[1], width=box[2])
    if shape.height > box[3]:
        shape.width, shape.height = Emu(int(shape.width * box[3] / shape.height)), box[3]
    shape.left = Emu(box[0] + (box[2] - shape.width) // 2)
    shape._element.nvPicPr.cNvPr.set("descr", _plain(drawn.description))
    return False


def steady_zip(archive: bytes) -> bytes:
    """The same archive with one time for all members, so that equal content makes equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            body = old.read(name)
            if name.endswith(".xlsx"):
                body = steady_zip(body)
            elif name == "docProps/core.xml":
                body = STAMPS.sub(b"2000-01-01T00:00:00Z", body)
            new.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _categories(frame: Frame, *, single: bool) -> CategoryChartData:
    data = CategoryChartData()
    data.categories = [_plain(name)[:200] for name in frame.categories]
    for column in frame.series[:1] if single else frame.series:
        data.add_series(_plain(column.name)[:200], column.numbers)
    return data


def _xy(frame: Frame) -> XyChartData | None:
    spots, columns = spots_of(frame, sized=False)
    if not spots:
        return None
    data = XyChartData()
    series = data.add_series(_plain(columns[1].name)[:200])
    for spot in spots:
        series.add_data_point(spot.x, spot.y)
    return data


def _look(chart: Any, series: int, *, rounded: bool) -> None:
    chart.has_legend = series > 1 or rounded
    if chart.has_legend:
        chart.legend.position = XL_LEGEND_POSITION.BOTTOM
        chart.legend.include_in_layout = False
    chart.font.size = Pt(14)
    if not rounded:
        for index, one in enumerate(chart.plots[0].series):
            color = RGBColor.from_string(LIGHT.category(index)[1:].upper())
            target = one.format.line if "Line" in type(one).__name__ else one.format.fill
            if hasattr(target, "solid"):
                target.solid()
                target.fore_color.rgb = color
            else:
                target.color.rgb = color


def _plain(text: str) -> str:
    return CONTROL.sub("", text)
