"""Marks in titles and captions: looks and safe links in drawings and pages, plain words in other forms."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx import Presentation

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw, png
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.type_metrics import marked_lines, wrap
from handlers.words.plot import LONGEST, SAFE, Plot, marked_html, plain_words, read_words
from tests.handlers.render.plots.charts.picture_reader import PictureReader

SVG = "{http://www.w3.org/2000/svg}"
TITLE = "**Curlews** return, says `curl`"
CAPTION = "Counts of [the *station*](https://example.org/a?b=1&c=2), by [Ada](mailto:ada@example.org)"
SIGNS = st.text("*_`[]()<>\\&\"' abjscript:htp/.", max_size=80)


def plot_of(word: str = "bar", title: str = TITLE, caption: str = CAPTION) -> Plot:
    return Plot("a,b\nx,1\ny,2\n", {"type": word, "title": title, "caption": caption})


def test_a_drawing_has_the_looks_and_the_links() -> None:
    svg = draw(plot_of(), Look()).svg
    root = ElementTree.fromstring(svg)
    links = {"".join(one.itertext()): one.get("href") for one in root.iter(f"{SVG}a")}
    assert links == {"the ": "https://example.org/a?b=1&c=2", "station": "https://example.org/a?b=1&c=2",
                     "Ada": "mailto:ada@example.org"}  # fmt: skip
    spans = {one.text: dict(one.attrib) for one in root.iter(f"{SVG}tspan")}
    assert spans["Curlews"]["font-weight"] == "700"
    assert spans["station"]["font-style"] == "italic"
    assert "Code" in spans["curl"]["font-family"]
    assert png(svg).startswith(b"\x89PNG")


@pytest.mark.parametrize("word", ["bar", "table"])
def test_a_page_has_them_too(word: str) -> None:
    plot = plot_of(word)
    page = fragment(plot, plot_frame(plot), Look(), "p")
    assert 'href="https://example.org/a?b=1&amp;c=2"' in page
    assert "<em>station</em>" in page or 'font-style="italic"' in page


def test_other_forms_have_plain_words() -> None:
    plot = plot_of()
    caption = "Counts of the station, by Ada"
    text = terminal_chart(plot, colored=False)
    assert text.startswith("Curlews return, says curl\n") and caption in text
    assert describe(plot, plot_frame(plot)).startswith("Curlews return, says curl: ")
    (slide,) = Presentation(io.BytesIO(pptx(plot, plot_frame(plot)))).slides
    words = [one.text_frame.text for one in slide.shapes if one.has_text_frame]
    assert words[0] == "Curlews return, says curl" and caption in words


@settings(max_examples=60, deadline=None)
@given(SIGNS, SIGNS)
def test_a_drawing_of_any_text_has_only_words_and_safe_links(title: str, caption: str) -> None:
    root = ElementTree.fromstring(draw(plot_of("value", title, caption), Look(width=300)).svg)
    known = {"svg", "g", "text", "tspan", "a", "title", "rect", "path", "style"}
    for one in root.iter():
        assert one.tag.removeprefix(SVG) in known
        assert not any(name.startswith("on") for name in one.attrib)
        if one.tag == f"{SVG}a":
            assert SAFE.fullmatch(one.get("href", ""))


@given(SIGNS)
def test_html_of_words_has_known_tags_alone(text: str) -> None:
    made = marked_html(text)
    bare = re.sub(r'</?(?:em|strong|code|a)>|<a href="[^"<>]*" rel="noopener noreferrer">', "", made)
    assert "<" not in bare and ">" not in bare
    assert all(re.match(r"(?i)https?://|mailto:", href) for href in re.findall(r'href="([^"]*)"', made))


@given(SIGNS)
def test_words_without_marks_stay_as_they_are(text: str) -> None:
    bare = re.sub(r"[*_`\[\]\\<>]", "", text)
    assert plain_words(bare) == " ".join(bare.split())
    assert len(plain_words(text)) <= LONGEST


@given(SIGNS, st.integers(40, 300))
def test_lines_of_marked_words_have_their_letters(text: str, width: int) -> None:
    spans = read_words(text)
    lines = marked_lines(spans, 13, width, 400, 3)
    assert len(lines) <= 3
    if not any(span.strong or span.code for span in spans):
        joined = ["".join(span.text for span in line) for line in lines]
        assert joined == wrap(plain_words(text), 13, width, 400, 3)


def test_an_unsafe_link_stays_as_it_was_written() -> None:
    for href in ("javascript:alert(1)", "data:text/html,x", "/u/ada", "ftp://example.org", "vbscript:x"):
        picture = draw(plot_of(caption=f"[here]({href})"), Look())
        assert "<a " not in picture.svg
        assert f"[here]({href})" in PictureReader(picture.svg).words
