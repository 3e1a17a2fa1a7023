"""Texts of a terminal as drawings: characters in cells, colours and emphasis, missing glyphs, bounds."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from handlers.render.terminal_picture import HEIGHT, MARGIN, MOST_COLUMNS, MOST_LINES, WIDTH, terminal_svg
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder

ESC = "\x1b"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str, tag: str = "text", mode: str = "light") -> list[ElementTree.Element]:
    """The elements of that name in the drawing of a text."""
    return list(ElementTree.fromstring(terminal_svg(text, mode)).iter(f"{SVG}{tag}"))


def test_each_character_is_in_its_cell() -> None:
    at = [(one.text, float(one.attrib["x"]), float(one.attrib["y"])) for one in drawn("a b\n\tc日d")]
    left, pitch = float(MARGIN), float(HEIGHT)
    base = at[0][2]
    assert at == [
        ("a", left, base),
        ("b", left + 2 * WIDTH, base),
        ("c", left + 8 * WIDTH, base + pitch),
        ("日", left + 9 * WIDTH, base + pitch),
        ("d", left + 11 * WIDTH, base + pitch),
    ]


def test_colours_and_stress_are_those_of_the_codes() -> None:
    plain, strong, faint = drawn(f"a{ESC}[1;3;4;9;31mb{ESC}[0;2mc")
    assert plain.attrib["fill"] == "#1f2328"
    assert strong.attrib["fill"] == "#b4232c"
    assert (strong.attrib["font-weight"], strong.attrib["font-style"]) == ("bold", "italic")
    assert strong.attrib["text-decoration"] == "underline line-through"
    assert "opacity" in faint.attrib


def test_grounds_are_drawn_below_spaces_too() -> None:
    _, first, second = drawn(f"{ESC}[44ma ", "rect")
    assert first.attrib["fill"] == second.attrib["fill"] == "#0969da"


@pytest.mark.parametrize("sign, dots", [("\u2800", 0), ("\u2801", 1), ("\u28ff", 8)])
def test_braille_is_drawn_dot_by_dot(sign: str, dots: int) -> None:
    assert len(drawn(sign, "circle")) == dots


def test_a_block_fills_its_cell() -> None:
    _, block = drawn("█", "rect")
    assert (block.attrib["width"], block.attrib["height"]) == (str(WIDTH), str(HEIGHT))


def test_a_picture_has_a_bound() -> None:
    svg = ElementTree.fromstring(terminal_svg(("x" * 1000 + "\n") * 1000))
    assert int(svg.attrib["width"]) == MOST_COLUMNS * WIDTH + 2 * MARGIN
    assert int(svg.attrib["height"]) == MOST_LINES * HEIGHT + 2 * MARGIN


@pytest.mark.parametrize(
    "mode, ground", [("dark", (13, 17, 23)), ("light", (255, 255, 255)), ("", (255, 255, 255))]
)
def test_the_picture_has_the_ground_of_its_mode(mode: str, ground: tuple[int, int, int]) -> None:
    made = render_order(RenderOrder("terminal", "png", {"text": f"{ESC}[31mred"}, {"mode": mode}))
    with Image.open(io.BytesIO(made.body)) as image:
        assert image.size == (3 * WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN)
        assert image.convert("RGB").getpixel((1, 1)) == ground
        assert len(image.convert("RGB").getcolors(1 << 16) or ()) > 1


@given(st.text(max_size=60))
def test_a_drawing_of_any_text_is_whole(text: str) -> None:
    made = render_order(RenderOrder("terminal", "png", {"text": text}))
    assert made.body.startswith(b"\x89PNG")
