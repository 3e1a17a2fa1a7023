"""Plain Vega-Lite: the rows of a sample as its defaults draw them, to be compared with."""

from __future__ import annotations

from typing import Any

import vl_convert

from handlers.render.plots.charts.sheet import VEGA_LITE
from handlers.render.plots.data.frame import ColumnType
from handlers.render.plots.data.table_text import read_frame
from tests.look.samples import Sample

DARK = {"background": "#15181b", "view": {"stroke": "#555"}, "title": {"color": "#fff"},
        "axis": {"labelColor": "#fff", "titleColor": "#fff", "domainColor": "#fff", "tickColor": "#fff",
                 "gridColor": "#444"}, "legend": {"labelColor": "#fff", "titleColor": "#fff"}}  # fmt: skip


def plain_png(sample: Sample, width: int, mode: str) -> bytes:
    """The picture of Vega-Lite's own defaults in a width of so many pixels."""
    spec: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width - 120,
        "height": {"step": 20} if _has_names_upward(sample) else round(width * 0.4),
        "title": sample.title,
        "data": {"values": _rows(sample)},
        "config": DARK if mode == "dark" else {},
        **(sample.beside or {}),
    }
    return vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, allowed_base_urls=[])


def _has_names_upward(sample: Sample) -> bool:
    channel = (sample.beside or {}).get("encoding", {}).get("y", {})
    return channel.get("type") == "nominal"


def _rows(sample: Sample) -> list[dict[str, Any]]:
    frame = read_frame(sample.data)
    return [
        {
            column.name: column.numbers[row] if column.type is ColumnType.NUMBER else column.texts[row]
            for column in frame.columns
        }
        for row in range(frame.height)
    ]
