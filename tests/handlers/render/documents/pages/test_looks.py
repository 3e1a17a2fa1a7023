"""Colours by name, colours of code, and the allowed HTML of users."""

import pytest

from handlers.render.documents.looks.box_rules import css_color, hex_color
from handlers.render.documents.markup.parameters import HUES, SHADES
from handlers.render.documents.pages.code_colors import code_html
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.plots.look.palette import DARK, LIGHT, contrast


@pytest.mark.parametrize("hue", HUES)
def test_shades_go_from_light_to_dark_and_are_read_on_either_paper(hue: str) -> None:
    shades = [hex_color(f"{hue}-{shade}") for shade in SHADES]
    against = [contrast(shade, "#ffffff") for shade in shades]
    assert against == sorted(against)
    for shade in (700, 800, 900):
        assert contrast(hex_color(f"{hue}-{shade}"), LIGHT.paper) > 4.5
        assert contrast(hex_color(f"{hue}-{shade}", dark=True), DARK.paper) > 4.5


def test_colours_have_their_counterparts_in_the_dark() -> None:
    assert css_color("#123456") == "#123456"
    assert css_color("black") == "light-dark(#000000, #ffffff)"
    assert css_color("white") == "light-dark(#ffffff, #000000)"
    assert hex_color("black") == hex_color("white", dark=True) == "#000000"


@pytest.mark.parametrize("language", ["", "nothing", "html+evil", "python3.99"])
def test_code_of_an_unknown_language_is_plain(language: str) -> None:
    assert code_html("if <a>", language) == "if &lt;a&gt;"


def test_code_is_coloured_by_kinds_of_words() -> None:
    made = code_html("if True: # x\n    y = 'z' + 1", "python")
    for name in ("c-word", "c-number", "c-note", "c-text"):
        assert f'class="{name}"' in made
    assert "span" not in code_html("if True\n" * 10_000, "python")


def test_html_of_users_keeps_its_words_and_tables() -> None:
    kept = '<table><tbody><tr><td colspan="2" align="right">x</td></tr></tbody></table>'
    assert clean_island(kept) == kept
    assert clean_island('<td rowspan="0000000009999">') == ""
    assert (
        clean_island('<table><td colspan="999" width="9">x')
        == "<table><tbody><tr><td>x</td></tr></tbody></table>"
    )
    assert clean_island('<ol start="3"><li><b title="x">a</b></ol>') == '<ol start="3"><li><b>a</b></li></ol>'
