"""The page of plots: the picture, its data as a table, and its downloads."""

from __future__ import annotations

from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.visuals.data_sample import NO_DATA, DataSample, sample_data
from handlers.pages.visuals.picture_page import PICTURE_LINES, PICTURES, WHOLE, PictureContent, PicturePage
from handlers.pages.visuals.pictures import Window
from handlers.pages.visuals.visual_page import READS, CurlLine, Offer, VisualPage
from handlers.rendering.interface import CUSTOM, TABLES, plot_types, reading_of
from handlers.trees.visuals.plots import KIND

WINDOWS = (Window(480, 390), Window(900, 800), Window(0, 1152))
"""Pictures as wide as the page in these windows, so that their text has its intended size."""
ROWS = r"printf 'month,north,south\nJan,12,8\nFeb,15,9\nMar,11,14\n'"


def plot_content(at: ItemPath, request: PageRequest, facts: dict[str, Any]) -> PictureContent:
    """Return the data of a plot, for its readers."""
    data = _sample(at, request) if facts["reads"] else NO_DATA
    type = facts["config"].get("type") or "bar"
    kind = plot_types().get(type)
    title = kind.title if kind is not None else type.capitalize()
    return PictureContent(
        noun=f"{kind.noun if kind is not None else type}, {_extent(data)}" if data.rows else "plot",
        type=title if facts["reads"] else "",
        sample=data,
        empty=facts["reads"] and not data.rows,
        framed=type == CUSTOM,
        unfolds=facts["reads"] and type in TABLES,
        alone=at.file("html", width=str(WINDOWS[-1].picture), **WHOLE),
    )


def _sample(at: ItemPath, request: PageRequest) -> DataSample:
    texts = request.texts(at.api / ("config", "reading"))
    config = {f"reading/{name}": text for name, text in texts.items()}
    return sample_data(request.peek(at.api / "data", ""), reading_of(config))


def _extent(data: DataSample) -> str:
    return f"{data.height:,} row{'s' * (data.height != 1)} of {data.width} column{'s' * (data.width != 1)}"


PLOT_PAGE = VisualPage(
    kind=KIND,
    words=("type", "title", "subtitle", "caption"),
    source="data",
    downloads=(
        *PICTURES,
        Offer("pptx", "Slide with a chart", {}),
        Offer("xlsx", "Workbook with a chart", {}, is_data=True),
        Offer("csv", "The data", {}, is_data=True),
    ),
    commands=(
        *PICTURE_LINES,
        CurlLine("The data", "{curl} -o {name}.csv {files}.csv", READS),
        CurlLine("Write other data", "{sent} --data-binary @{name}.csv {folder}/data"),
        CurlLine("Change the type", "{sent} -d line {folder}/config/type"),
    ),
    first=(CurlLine("Write data", rf"{ROWS} | {{sent}} --data-binary @- {{folder}}/data"),),
    show=PicturePage(
        windows=WINDOWS,
        content=plot_content,
        nothing="This plot has no data yet.",
        hint=(
            "Data are CSV with a header row: the first column has the names, the others are drawn. Type "
            "them, choose a file, or run the command below."
        ),
    ).show,
)
