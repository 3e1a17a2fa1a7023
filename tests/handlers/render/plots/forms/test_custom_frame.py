"""A custom plot's script runs in a separate frame, and nothing in its texts leaves that frame."""

from __future__ import annotations

from html.parser import HTMLParser

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.drawing import Look
from handlers.render.plots.forms.fragment import POLICY, SCRIPT_ROWS, fragment
from handlers.words.plot import Plot

HOSTILE = "</script></style></iframe><b>'\"&<!--<script>"


class Tags(HTMLParser):
    """The tags of a page, and the page in its frame."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.frame: dict[str, str | None] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.frame = dict(attrs) if tag == "iframe" else self.frame


def custom(data: str, script: str = "node.textContent = data.length", css: str = "", **config: str) -> Tags:
    texts = {"type": "custom", "custom/custom.js": script, "custom/custom.css": css, **config}
    return Tags(fragment(Plot(data, texts, "own"), read_frame(data), Look(), "p"))


def test_a_script_runs_in_a_sandboxed_frame_without_network() -> None:
    page = custom("month,north\nJan,12\nFeb,\n", css="b { color: red }", title="Sales")
    assert page.tags == ["figure", "strong", "iframe"]
    assert page.frame["sandbox"] == "allow-scripts"
    assert page.frame["title"] == "Sales: table, 1 series, 2 rows"
    inner = page.frame["srcdoc"] or ""
    assert f'content="{POLICY}"' in inner
    assert "default-src 'none'" in POLICY
    assert 'data=[{"month": "Jan", "north": 12.0}, {"month": "Feb", "north": null}]' in inner
    assert "b { color: red }" in inner


def test_hostile_texts_stay_in_the_frame_and_in_their_places() -> None:
    data = f'"{HOSTILE.replace(chr(34), "")}",b\n"{HOSTILE.replace(chr(34), "")}",1\n'
    page = custom(data, f"// {HOSTILE}", f"/* {HOSTILE} */", title=HOSTILE, subtitle=HOSTILE, caption=HOSTILE)
    assert page.tags == ["figure", "strong", "span", "iframe", "figcaption"]
    assert Tags(page.frame["srcdoc"] or "").tags == [
        "html", "meta", "meta", "style", "style", "body", "div", "script", "script",
    ]  # fmt: skip


def test_a_frame_holds_no_more_rows_than_it_may() -> None:
    page = custom("a,b\n" + "x,1\n" * (SCRIPT_ROWS + 5))
    assert (page.frame["srcdoc"] or "").count('"a": "x"') == SCRIPT_ROWS


def test_without_a_script_there_is_the_picture() -> None:
    assert "svg" in custom("a,b\nx,1\n", script=" ").tags
