"""Native panels: the charts that office programs draw of a plot, a single one or one for each panel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from handlers.render.plots.look.options import KeyPosition
from handlers.render.plots.look.palette import LIGHT, mix
from handlers.render.plots.shown.description import chart_words
from handlers.render.plots.shown.native_chart import NativeChart, native_chart
from handlers.render.plots.shown.shown_chart import FAINT, ShownChart

MOST_PANELS = 12
"""Most panels on a slide, because each contains a workbook; with more, the slide has a picture."""
MOST_BESIDE = 4


@dataclass(frozen=True, slots=True)
class NativePanel:
    """A native chart; if there are several, each has a name and a description."""

    chart: NativeChart
    name: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class NativePanels:
    """Native charts, the number of them side by side, and sentences about data that are not drawn."""

    panels: tuple[NativePanel, ...]
    columns: int = 1
    notes: tuple[str, ...] = ()


def native_panels(shown: ShownChart, most: int) -> NativePanels | None:
    """Return the native charts; None for more than `most` values, or if only a picture shows the same."""
    if not shown.panels:
        chart = native_chart(shown, most)
        return NativePanels((NativePanel(chart),), notes=chart.notes) if chart is not None else None
    values = sum(one.frame.height * len(one.frame.series) for one in shown.panels)
    values *= len(shown.panels) if shown.is_marked else 1
    if len(shown.panels) > MOST_PANELS or values > most:
        return None
    columns = min(shown.settings.columns or MOST_BESIDE, len(shown.panels))
    if not shown.settings.columns:
        columns = math.ceil(len(shown.panels) / math.ceil(len(shown.panels) / columns))
    made = tuple(_panels(shown, most, columns))
    return NativePanels(made, columns, shown.below) if len(made) == len(shown.panels) else None


def _panels(shown: ShownChart, most: int, columns: int) -> Iterator[NativePanel]:
    """Yield the charts of the panels that have one, with fewer labels if many are side by side."""
    for panel in shown.panels:
        one = replace(panel, frame=shown.frame) if shown.is_marked else panel
        chart = native_chart(one, most)
        if chart is not None:
            step = chart.along.step
            chart = replace(chart, along=replace(chart.along, step=step * columns)) if step else chart
            words = chart_words(shown.kind, panel.frame, panel.frame, one.options.unit)
            yield NativePanel(_highlight(chart, panel) if shown.is_marked else chart, panel.name, words)


def _highlight(chart: NativeChart, panel: ShownChart) -> NativeChart:
    """Return the chart with the panel's line coloured, above those of the others."""
    faint = mix(LIGHT.rest, LIGHT.paper, FAINT)
    colors = {True: chart.series[0].colors, False: (faint,)}
    series = sorted(chart.series, key=lambda one: one.name == panel.name)
    return replace(
        chart,
        series=tuple(replace(one, colors=colors[one.name == panel.name]) for one in series),
        key=KeyPosition.NONE,
    )
