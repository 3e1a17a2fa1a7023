"""Mails as HTML: tables and styles on each element, pictures as pixels, light and dark."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

from handlers.render.documents.markup.document_text import read_document
from handlers.render.mails.mail_html import mail_html, read_mail
from handlers.render.mails.mail_medium import MailLook, document_parts, mail_requests
from handlers.render.mails.mail_pictures import PictureStore
from handlers.words.document_parts import AssetPart, DocumentParts
from tests.handlers.render.documents.samples import picture
from tests.handlers.render.mails.mail_samples import sample_content, sample_look, sample_parts


def test_a_preview_is_hidden_and_no_part_of_the_body() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look())
    assert sample_content().preview == "Revenue rose 11 %, see the chart."
    assert page.html.count("Revenue rose 11 %, see the chart.") == 1
    assert "display:none;max-height:0" in page.html


def test_charts_are_pixels_at_twice_their_size_for_both_grounds() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look())
    charts = [one for one in page.pictures if one.width == 268]
    assert len(charts) == 2
    with Image.open(io.BytesIO(charts[0].body)) as image:
        assert (image.width, image.format) == (536, "PNG")
        assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
    assert page.html.count('alt="Bars of revenue"') == 2
    assert f'src="cid:{charts[0].name}"' in page.html


def test_a_light_mail_is_light_for_everybody() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look(theme="novem-light"))
    assert "prefers-color-scheme:dark" not in page.html
    assert '<meta name="color-scheme" content="light">' in page.html
    assert page.html.count('alt="Bars of revenue"') == 1


def test_a_dark_mail_is_dark_in_its_own_styles() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look(theme="novem-dark"))
    assert "background-color:#15181b" in page.html and "background-color:#ffffff" not in page.html


@pytest.mark.parametrize(
    ("said", "width"),
    [("xs", 400), ("Extra small", 400), ("small", 600), ("m", 900), ("large", 1200), ("?", 600)],
)
def test_sizes_have_many_names_and_unknown_ones_are_small(said: str, width: int) -> None:
    assert MailLook(size=said).width == width
    assert f"max-width:{width}px" in mail_html(read_mail("a"), DocumentParts(), MailLook(size=said)).html


def test_nothing_that_runs_or_misleads_is_in_a_mail() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look())
    assert not re.search(r"<script|onclick|href=\"javascript", page.html)
    assert 'href="https://curlew.example/u/ann/p/sales"' in page.html
    assert "<b>bold</b>" in page.html


def test_parts_that_are_not_shown_are_named() -> None:
    page = mail_html(sample_content(), DocumentParts(reasons=sample_parts().reasons), sample_look())
    said = "\n".join(page.notes)
    for words in ("/u/bob/p/secret is not shown: it is not shared with you", "absent.png", "author eve",
                  "formula not understood", "variable /u/ann/m/news/v/total",
                  'no section "nothing"'):  # fmt: skip
        assert words in said


def test_without_an_origin_no_link_leads_into_the_service() -> None:
    page = mail_html(read_mail("[a](/u/ann/p/x)"), DocumentParts(), MailLook())
    assert "<a " not in page.html and ">a<" in page.html


def test_a_mail_in_a_browser_holds_its_pictures() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look(), inlined=True)
    assert "cid:" not in page.html and "data:image/png;base64," in page.html


def test_a_mail_for_readers_from_right_to_left_has_its_side() -> None:
    page = mail_html(read_mail("---\nlang: ar\n---\n- مرحبا\n- b\n\nc"), DocumentParts(), MailLook())
    assert re.search(r'<td [^>]*dir="rtl"', page.html) and "padding-right:24px" in page.html
    assert re.search(r'<li [^>]*dir="ltr"[^>]*>b', page.html) and re.search(
        r'<p [^>]*dir="ltr"[^>]*>c', page.html
    )


def test_a_second_preview_is_noted_and_an_open_one_is_words() -> None:
    content = read_mail("{{ preview }}a{{ /preview }}\n{{ preview }}b{{ /preview }}\nc")
    assert content.preview == "a"
    assert [note.reason for note in content.document.notes] == [
        "a mail has one preview: this one is left out"
    ]
    assert [note.line for note in content.document.notes] == [2]


def test_a_mail_without_a_preview_shows_its_first_words() -> None:
    page = mail_html(read_mail("# Head\n\nFirst *words*."), DocumentParts(), MailLook())
    assert re.search(r'<div [^>]*aria-hidden="true"[^>]*>First words\.', page.html)


def test_long_previews_end_after_a_word() -> None:
    preview = read_mail("{{ preview }}\n" + "word " * 90 + "\n{{ /preview }}").preview
    assert preview.endswith("word…") and len(preview) <= 201


def test_a_mail_that_is_too_large_is_noted() -> None:
    assert read_mail("a" * 3_000_000).document.notes


def test_large_pictures_become_no_larger_than_they_are_shown() -> None:
    made = io.BytesIO()
    Image.new("RGBA", (3000, 1000), "#0b5a6e80").save(made, "WEBP")
    shown = PictureStore().asset(AssetPart(made.getvalue(), "image/webp"), 0, 536)
    assert shown is not None and (shown.width, shown.height, shown.media) == (536, 179, "image/png")
    made = io.BytesIO()
    Image.new("RGB", (3000, 1000), "#0b5a6e").save(made, "JPEG")
    shown = PictureStore().asset(AssetPart(made.getvalue(), "image/jpeg"), 100, 536)
    assert shown is not None and (shown.width, shown.media) == (100, "image/jpeg")


def test_pictures_beyond_the_room_of_a_mail_are_not_sent() -> None:
    store = PictureStore()
    store.pictures["x"] = store.asset(picture(), 0, 100)  # type: ignore[assignment]
    body = b"x" * (12 * 1024 * 1024)
    assert store._add(body, "image/png", 1, 1) is None


def test_parts_are_found_by_documents_too() -> None:
    content = sample_content()
    assert [one.width for one in mail_requests(content.document, 536).visuals] == [288, 444]
    known = document_parts(content.document, sample_parts(), 536, "doc")
    assert len(known.visuals) == 1


def test_a_heading_has_space_above() -> None:
    page = mail_html(read_mail("words\n\n## Water\n"), DocumentParts(), sample_look())
    assert re.search('<h2 [^>]*style="margin:0 0 8px;padding-top:8px;', page.html)


def test_figures_and_tables_of_a_mail_are_numbered() -> None:
    text = (
        "See {ref: tons} and {ref: logo}.\n\n{{ img ref: logo.png, label: logo, caption: Ours }}\n\n"
        "{{ table label: tons, caption: By weight }}\n| Goods | Tons |\n|---|--:|\n| Cod | 1 |\n"
        "{{ /table }}\n"
    )
    html = mail_html(read_mail(text), sample_parts(), sample_look()).html.replace("&nbsp;", " ")
    assert "See Table 1 and Figure 1." in html
    assert "<strong>Figure 1.</strong> Ours" in html and "<strong>Table 1.</strong> By weight" in html


@pytest.mark.parametrize(
    "words", ["Hello", " Hello", "\nHello", "# Hello", "- Hello", "{{ callout }}Hello{{ /callout }}"]
)
@pytest.mark.parametrize("before", ["", "Hi\n\n", "Hi\n", "> Hi\n\n"])
def test_text_after_a_preview_is_read_as_usual(before: str, words: str) -> None:
    content = read_mail(f"{before}{{{{ preview }}}}p *q*{{{{ /preview }}}}{words}")
    kinds = [type(block).__name__ for block in content.document.blocks()]
    assert content.preview == "p q"
    assert kinds == [type(block).__name__ for block in read_document(f"{before}\n{words.strip()}").blocks()]
    assert content.document.notes == ()
