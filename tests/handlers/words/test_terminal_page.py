"""Terminal text as a page: colours and stress stay, control codes and markup do not."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.words.terminal_page import terminal_page

ESC = "\x1b"


class Page(HTMLParser):
    """The tags of a page and the text of its `pre`."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self._shown = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._shown |= tag == "pre"
        self.styles += [value or "" for name, value in attrs if name == "style"]

    def handle_endtag(self, tag: str) -> None:
        self._shown &= tag != "pre"

    def handle_data(self, data: str) -> None:
        self.text += data if self._shown else ""


@pytest.mark.parametrize(
    "code, css",
    [
        ("1", "font-weight:bold"),
        ("38;2;11;90;110", "color:#0b5a6e"),
        ("38;5;196", "color:#ff0000"),
        ("38;5;244", "color:#808080"),
        ("38;5;1", "color:#b4232c"),
        ("31", "color:#b4232c"),
        ("92", "color:#2da44e"),
        ("44", "background:#0969da"),
        ("1;4;37;103", "font-weight:bold;text-decoration:underline;color:#6e7781;background:#bf8700"),
        ("3;9;48;2;300;0;0", "font-style:italic;text-decoration:line-through;background:#ff0000"),
    ],
)
def test_a_code_styles_what_follows_until_it_is_reset(code: str, css: str) -> None:
    page = Page(terminal_page(f"a{ESC}[{code}mb{ESC}[0mc", "birds"))
    assert page.styles == [css]
    assert page.text == "abc"


@pytest.mark.parametrize(
    "code", ["0;39", "1;22", "2;22", "4;24", "31;39", "41;49", "9" * 5000, "38;9", "48", "77", ""]
)
def test_what_is_taken_back_or_unknown_styles_nothing(code: str) -> None:
    assert Page(terminal_page(f"{ESC}[{code}mtext", "birds")).styles == []


def test_other_control_codes_are_left_out() -> None:
    text = f"a{ESC}]8;;http://birds.example{ESC}\\b{ESC}]0;title\x07c{ESC}[2J{ESC}[5;5Hd\x00\x08{ESC}7e\n\tf{ESC}"
    assert Page(terminal_page(text, "birds")).text == "abcde\n\tf"


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["", "light", "dark"]))
def test_no_text_is_markup(text: str, mode: str) -> None:
    page = Page(terminal_page(f"<script>{text}</pre>", f"</title>{text}", mode))
    assert set(page.tags) <= {"html", "head", "meta", "title", "style", "body", "pre", "span"}
    assert page.tags.count("pre") == page.tags.count("title") == 1
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", page.text)


def test_a_mode_fixes_the_ground() -> None:
    assert "prefers-color-scheme" in terminal_page("", "birds")
    assert "background: #0d1117" in terminal_page("", "birds", "dark")
    assert "prefers-color-scheme" not in terminal_page("", "birds", "dark")
