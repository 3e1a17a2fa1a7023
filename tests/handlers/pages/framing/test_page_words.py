"""Refusals on pages: labels in place of files, words in place of verbs of HTTP and of letters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.acting.status import every_sentence
from handlers.pages.framing.page_words import label_of, page_words
from handlers.pages.templates import refusal_html

REFUSALS = Path(__file__).parents[3] / "shape" / "refusals.txt"
FOR_PROGRAMS = re.compile(r"JSON|send an object|\{refusal\}|config/\{folder\}")
"""Refusals of bodies that no page sends, and sentences composed of others."""
FILES = re.compile(r"\b(?:PUT|POST|DELETE|GET) |(?:config|recipients)/|\([rwxd]\)|\bwith [rwxd]{1,4}\b|/v1/")


def refusals_of_items() -> list[str]:
    sentences, module = [], ""
    for line in REFUSALS.read_text().splitlines():
        if line.startswith("["):
            module = line
        elif (
            line
            and line[0] != "#"
            and module.startswith(("[handlers/trees/", "[handlers/services/", "[vfs/"))
        ):
            sentences.append(line[16:].strip())
    return [one for one in sentences if not FOR_PROGRAMS.search(one)]


def test_refusals_of_items_have_no_words_of_files_on_pages() -> None:
    sentences = refusals_of_items()
    assert len(sentences) > 200 and any(map(FILES.search, sentences))
    assert [one for one in map(page_words, sentences) if FILES.search(one)] == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("recipients/to: no address; nothing was written", "To: no address; nothing was saved"),
        ("config/schedule: line 1, column 8: no", "Schedule: line 1, column 8: no"),
        ("config/x_axis: no", "X axis: no"),
        ("content: line 3", "Text: line 3"),
        ("this needs write access (w)", "this needs write access"),
        ("its owner has to share it with rx", "its owner has to let you read and use it"),
        ("unknown: it stays", "unknown: it stays"),
        ('"config/x" is what was typed', '"config/x" is what was typed'),
    ],
)  # fmt: skip
def test_words_for_pages(said: str, shown: str) -> None:
    assert page_words(said) == shown


def test_a_refusal_links_to_the_page_that_helps() -> None:
    shown = refusal_html("verify it at /settings/profile#emails before <b>")
    assert shown == 'verify it at <a href="/settings/profile#emails">Settings</a> before &lt;b&gt;'
    assert "<a" not in str(refusal_html("see https://evil.example/settings/profile and /settings/../x"))


@given(st.text() | st.from_regex(r"(config/[a-z_]{1,9}|share it with [rwxd]{1,4}|/settings/[a-z]{1,5}|<a>)+"))
def test_text_of_users_stays_text(text: str) -> None:
    shown = str(refusal_html(text))
    assert set(re.findall(r"<(?!/?bdi|a href=\"/(?:settings|new|docs)/[a-z#]+\">|/a>)", shown)) == set()


def test_labels_are_those_of_fields_or_the_words_of_a_name() -> None:
    assert (label_of("recipients/cc"), label_of("config/line_width")) == ("Copy", "Line width")


def test_no_sentence_says_that_a_mail_leaves_a_server_without_a_relay() -> None:
    sent, unsent = every_sentence(sends_mail=True), every_sentence(sends_mail=False)
    assert sent.keys() == unsent.keys()
    keys = [key for key, sentence in sent.items() if re.search(r"\bis on its way\b", sentence)]
    assert keys and all("on its way" not in unsent[key] for key in keys)
