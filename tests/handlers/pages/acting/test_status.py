"""The status line: shown once, to the session of the action, with a form to undo it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.acting.status import LONGEST, NONE, StatusLine, address, status
from handlers.pages.result import Redirect
from storage.bytes.seal import AesSeal

SEAL = AesSeal(b"k" * 32)
SENTENCES = {"saved": "It is saved.", "removed": "{who} is removed."}


def asking(token: int | None, query: dict[str, str] | None = None) -> Any:
    """A request of a session, for a page with this query."""
    service = SimpleNamespace(seal=SEAL)
    return SimpleNamespace(
        world=SimpleNamespace(service=service), caller=SimpleNamespace(token=token), query=query or {}
    )


def line(to: Redirect, made_in: int | None = 1, read_in: int | None = 1) -> StatusLine:
    query = dict(parse_qsl(urlsplit(address(asking(made_in), to)).query))
    return status(asking(read_in, query), SENTENCES)


def test_a_sentence_without_values_needs_no_session() -> None:
    assert line(Redirect("/x", done="saved"), 1, 2) == StatusLine("It is saved.")
    assert line(Redirect("/x")) == NONE
    assert status(asking(1, {"done": "no such"}), SENTENCES) == NONE


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=8), st.text(max_size=40), max_size=4))
def test_the_status_line_names_an_action_and_can_undo_it(who: str, undo: dict[str, str]) -> None:
    found = line(Redirect("/u/a/p/b/share", done="removed", values={"who": who}, undo=undo))
    assert found == StatusLine(f"{who} is removed.", "/u/a/p/b/share" if undo else "", undo)


def test_no_link_of_another_site_puts_words_on_a_page() -> None:
    to = Redirect("/x", done="removed", values={"who": "@bob"}, undo={"do": "add"})
    assert line(to, made_in=1, read_in=2) == NONE
    query = dict(parse_qsl(urlsplit(address(asking(1), to)).query))
    for name, value in (
        ("about", '{"values":{"who":"x"},"undo":"/y","fields":{}}'),
        ("mark", "0"),
        ("done", "saved"),
    ):
        assert not status(asking(1, {**query, name: value}), SENTENCES).undo


def test_an_undo_that_is_too_long_for_an_address_is_left_out() -> None:
    found = line(Redirect("/x", done="removed", values={"who": "@bob"}, undo={"text": "x" * LONGEST}))
    assert found == StatusLine("@bob is removed.")


def test_a_query_and_a_place_in_the_page_are_kept() -> None:
    at = address(asking(1), Redirect("/x?after=3#c-2", done="saved"))
    assert at == "/x?after=3&done=saved#c-2"
