"""The output of a document fits into its limit, with any number and place of its parts."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.pages.parts import part_requests
from handlers.render.output_room import MOST_TEXT, OutputTooLarge, output_room, put_out
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder, RenderTooLarge
from handlers.words.document_parts import (
    TOO_LARGE,
    AssetPart,
    AuthorPart,
    DocumentParts,
    VisPart,
    dump_parts,
)
from tests.handlers.render.documents.samples import picture

DATA = re.compile(r"data:[a-z/+]+;base64,([A-Za-z0-9+/=]*)")
SHOWN = (
    "{{ vis ref: /u/a/p/b }}",
    "{{ vis ref: /u/a/p/b, width: 50% }}",
    "{{ img ref: logo.png }}",
    "{{ author username: ann }}",
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document that shows parts many times, in boxes of any nesting, lists and tables."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 12))):
        opened = draw(st.lists(st.sampled_from(["callout note", "para sz: l"]), max_size=3))
        lines += [f"{{{{ {one} }}}}" for one in opened]
        lines += draw(st.lists(st.sampled_from([*SHOWN, "- ![x](logo.png)", "> words"]), max_size=6))
        lines += [f"{{{{ /{one.split()[0]} }}}}" for one in reversed(opened)]
        if draw(st.booleans()):
            lines += ["", "|a|b|", "|-|-|", *["|![x](logo.png)|y|"] * draw(st.integers(1, 5)), ""]
        if draw(st.booleans()):
            lines.append("{{ page cols: 2 /}}")
    return "\n\n".join(lines).replace("|\n\n|", "|\n|")


def parts_for(text: str, size: int) -> DocumentParts:
    """Return the parts that a text refers to, each of one size."""
    logo = picture()
    svg = f'<svg width="9" height="9">{"x" * size}</svg>'
    requests = part_requests(read_document(text), "web")
    charts = {one.key: VisPart({"light": svg, "dark": svg}) for one in requests.visuals}
    return DocumentParts(charts, {"logo.png": logo}, {"ann": AuthorPart("Ann", "bio", logo)})


@given(documents(), st.integers(0, 5_000), st.integers(0, 60_000), st.sampled_from(["both", "light", "dark"]))
@settings(max_examples=40, deadline=None)
def test_the_output_of_a_page_fits_into_its_limit(text: str, size: int, room: int, mode: str) -> None:
    parts = parts_for(text, size)
    page = page_html(read_document(text), parts, ScreenMedium(mode, room=room), DocumentLook("web"))
    whole = page_html(read_document(text), parts, ScreenMedium(mode), DocumentLook("web"))
    held = sum(map(len, DATA.findall(page.body)))
    assert held <= room
    assert (TOO_LARGE in page.body) <= (held < sum(map(len, DATA.findall(whole.body))))
    if sum(map(len, DATA.findall(whole.body))) <= room:
        assert page.body == whole.body


def test_a_document_that_shows_one_large_chart_often_is_as_large_as_a_page_may_be() -> None:
    text = "{{ vis ref: /u/a/p/b }}\n\n" * 200
    order = RenderOrder(
        "doc", "html", {"content": text, "parts": dump_parts(parts_for(text, 300_000)), "config/type": "web"}
    )
    made = render_order(order)
    assert 40 << 20 < len(made.body) < MOST_TEXT
    assert f"/u/a/p/b is not shown: {TOO_LARGE}" in "".join(made.notes)


def test_a_mail_holds_a_picture_as_often_as_it_shows_it() -> None:
    made = BytesIO()
    Image.effect_noise((700, 500), 90).save(made, "PNG")
    text = "![x](logo.png)\n\n" * 4000
    parts = DocumentParts(assets={"logo.png": AssetPart(made.getvalue(), "image/png")})
    mail = render_order(RenderOrder("mail", "html", {"content": text, "parts": dump_parts(parts)}))
    assert 40 << 20 < len(mail.body) < MOST_TEXT


def test_contents_on_every_page_are_refused_while_they_are_written() -> None:
    text = "".join(f"{{{{ page type: index /}}}}\n# {'heading ' * 6}{number}\n" for number in range(2_000))
    with pytest.raises(RenderTooLarge, match="it would be larger than 48 MiB: show fewer"):
        render_order(RenderOrder("doc", "html", {"content": text}))


def test_room_is_counted_within_it_alone() -> None:
    assert put_out("x" * 10) == "x" * 10
    with output_room(9):
        assert put_out("x" * 9)
        with output_room(1), pytest.raises(OutputTooLarge):
            put_out("xx")
        with pytest.raises(OutputTooLarge):
            put_out("x")
    assert put_out("x")
