"""Spans and boxes of mails, also with absent, too large or unknown content."""

from __future__ import annotations

from dataclasses import replace

from handlers.render.mails.mail_html import mail_html, read_mail
from handlers.words.mail_message import MailPage
from tests.handlers.render.mails.mail_samples import sample_look, sample_parts


def page(text: str, theme: str = "novem") -> MailPage:
    return mail_html(read_mail(text), sample_parts(), sample_look(theme=theme))


def test_pictures_in_a_line_are_shown_or_named() -> None:
    made = page("A ![our logo](logo.png) and ![nothing](absent.png) here.")
    assert 'alt="our logo"' in made.html and "[image: nothing; there is no such asset]" in made.html
    assert any('"absent.png" is not shown' in note for note in made.notes)


def test_missing_values_are_named() -> None:
    made = page("It is {/u/ann/m/news/v/absent}.")
    assert "#N/A" in made.html and any("absent is not shown" in note for note in made.notes)


def test_a_formula_that_is_not_understood_is_its_source() -> None:
    made = page("It is $\\frac{a$ so.")
    assert "\\frac{a" in made.html and any("formula not understood" in note for note in made.notes)


def test_breaks_and_strokes_are_kept() -> None:
    html = page("one  \ntwo ~~three~~ **four** [five](/u/ann/p/sales)").html
    assert "<br>" in html and "<strong>four</strong>" in html and "https://" in html


def test_a_box_has_its_spaces_borders_and_colours_in_both_modes() -> None:
    text = (
        "{{ paragraph color: blue-500, bg: gray-100, padding: a3, margin: t2, border: l3 blue-500 }}\nx\n"
        "{{ /paragraph }}\n\n{{ paragraph border: b1 }}\ny\n{{ /paragraph }}\n"
    )
    html = page(text).html
    for rule in ("padding-left:", "margin-top:", "border-left:", "border-bottom:", "background-color:"):
        assert rule in html
    dark = page(text, "novem-dark").html
    assert dark != replace(page(text, "novem-light")).html and "prefers-color-scheme" not in dark
