"""Charts of slides and workbooks read back from their XML: values and places, and the axes."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import openpyxl
from openpyxl.utils import range_boundaries

Element = ElementTree.Element
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
Value = float | str | None


@dataclass(frozen=True)
class ReadSeries:
    """A series: its name, the names or places of its rows, its values and its sizes."""

    name: str
    along: tuple[Value, ...]
    values: tuple[float | None, ...]
    sizes: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class ReadAxis:
    """An axis by its elements."""

    kind: str
    low: float | None
    high: float | None
    base: float | None
    turned: bool
    labels: str
    code: str
    skip: str


@dataclass(frozen=True)
class ReadChart:
    """A chart: the word of its kind, its grouping, series and axes, and the words around it."""

    kind: str
    lying: bool
    stacked: bool
    series: tuple[ReadSeries, ...]
    axes: tuple[ReadAxis, ...]
    words: str

    @property
    def along(self) -> ReadAxis:
        """The axis of names, dates or places."""
        return self.axes[0]

    @property
    def upward(self) -> ReadAxis:
        """The axis of values."""
        return self.axes[1]


def chart_of_slide(body: bytes) -> ReadChart | None:
    """Return the chart of a presentation, checked against its workbook; None if it has a picture."""
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        names = [name for name in opened.namelist() if re.fullmatch(r"ppt/charts/chart\d+\.xml", name)]
        if not names:
            return None
        root = ElementTree.fromstring(opened.read(names[0]))
        inner = next(name for name in opened.namelist() if name.endswith(".xlsx"))
        _check_caches(root, opened.read(inner))
    return _read(root)


def chart_of_workbook(body: bytes) -> ReadChart | None:
    """Return the chart of a workbook, with its caches checked against its cells; None if it has a picture."""
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        if "xl/charts/chart1.xml" not in opened.namelist():
            return None
        root = ElementTree.fromstring(opened.read("xl/charts/chart1.xml"))
    _check_caches(root, body)
    below = openpyxl.load_workbook(io.BytesIO(body))["chart"].iter_rows(values_only=True)
    return _read(root, "".join(str(cell) for row in below for cell in row if cell))


def _check_caches(root: Element, workbook: bytes) -> None:
    """Check that each cached value is that of its cell."""
    book = openpyxl.load_workbook(io.BytesIO(workbook))
    for found in root.iter():
        if found.tag not in (f"{C}numRef", f"{C}strRef"):
            continue
        sheet, _, cells = (found.findtext(f"{C}f") or "").rpartition("!")
        left, top, right, bottom = range_boundaries(cells.replace("$", ""))
        rows = book[sheet.strip("'")].iter_rows(top, bottom, left, right)
        held = [cell.value for row in rows for cell in row]
        assert len(held) == int(next(found.iter(f"{C}ptCount")).get("val", ""))
        cached = _cache(found)
        for cell, value in zip(held, cached, strict=True):
            if isinstance(cell, (int, float)) and isinstance(value, float):
                assert math.isclose(cell, value, rel_tol=1e-12, abs_tol=1e-300)
            elif isinstance(value, str):
                assert str(cell) == value
            elif value is None:
                assert cell is None


def _read(root: Element, below: str = "") -> ReadChart:
    plot = next(one for one in root.iter(f"{C}plotArea"))
    drawn = next(one for one in plot if one.tag.endswith("Chart"))
    axes = {_of(one, "axId"): _axis(one) for one in plot if one.tag.endswith("Ax")}
    ids = [one.get("val", "") for one in drawn.findall(f"{C}axId")]
    title = "".join(one.text or "" for one in next(iter(root.iter(f"{C}title")), Element("none")).iter())
    return ReadChart(
        drawn.tag.removeprefix(C).removesuffix("Chart"),
        _of(drawn, "barDir") == "bar",
        _of(drawn, "grouping") == "stacked",
        tuple(map(_series, drawn.findall(f"{C}ser"))),
        tuple(axes[one] for one in ids),
        title + below,
    )


def _series(element: Element) -> ReadSeries:
    def cached(*tags: str) -> tuple[Value, ...]:
        found = next((one for tag in tags if (one := element.find(C + tag)) is not None), None)
        return tuple(_cache(found)) if found is not None else ()

    name = cached("tx")[0]
    return ReadSeries(
        str(name),
        cached("cat", "xVal"),
        tuple(_number(one) for one in cached("val", "yVal")),
        tuple(_number(one) for one in cached("bubbleSize")),
    )


def _number(value: Value) -> float | None:
    return None if value is None else float(value)


def _cache(element: Element) -> list[Value]:
    count = next(element.iter(f"{C}ptCount"), None)
    if count is None:
        return []
    numeric = next(element.iter(f"{C}numCache"), None) is not None
    values: list[Value] = [None] * int(count.get("val", "0"))
    for point in element.iter(f"{C}pt"):
        text = point.findtext(f"{C}v") or ""
        values[int(point.get("idx", ""))] = float(text) if numeric and text else text if not numeric else None
    return values


def _axis(element: Element) -> ReadAxis:
    scaling = element.find(f"{C}scaling")
    assert scaling is not None
    code = element.find(f"{C}numFmt")
    return ReadAxis(
        element.tag.removeprefix(C),
        *(_end(scaling, tag) for tag in ("min", "max", "logBase")),
        _of(scaling, "orientation") == "maxMin",
        _of(element, "tickLblPos"),
        code.get("formatCode", "") if code is not None else "",
        _of(element, "tickLblSkip"),
    )


def _end(scaling: Element, tag: str) -> float | None:
    text = _of(scaling, tag)
    return float(text) if text else None


def _of(element: Element, tag: str) -> str:
    found = element.find(C + tag)
    return found.get("val", "") if found is not None else ""


def charts(*bodies: ReadChart | None) -> Iterator[ReadChart]:
    """The charts among some."""
    return (one for one in bodies if one is not None)
