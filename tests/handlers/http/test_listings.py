"""Rows of folders and the description of a place, as JSON and as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.listings import as_json, as_lines
from tests.handlers.small_kernel import Kernel, get
from vfs.access import Verb
from vfs.call import About, Data, Entry, Reply

STAMP = "2026-11-21T07:44:16.123Z"


def entry(name: str, *verbs: Verb, **fields: Any) -> Entry:
    return Entry(name, f"/v1/{name}", fields.pop("type", "file"), ("r", "w"), verbs, STAMP, STAMP, **fields)


def test_a_listing_names_methods_and_keeps_a_row_a_line(kernel: Kernel) -> None:
    rows = [
        entry("content", Verb.READ, Verb.WRITE, Verb.REMOVE),
        entry('ø "x"\\', Verb.READ, type="dir"),
        entry("to", Verb.READ, target="/v1/elsewhere"),
        entry("ghost"),
    ]
    answer = get(kernel, Reply(Data(rows), folder=True))
    assert answer.headers["x-nvm-type"] == "dir"
    found = json.loads(answer.body)
    assert found[0] == {
        "name": "content",
        "uri": "/v1/content",
        "type": "file",
        "permissions": ["r", "w"],
        "actions": ["OPTIONS", "GET", "POST", "DELETE"],
        "created_on": STAMP,
        "last_modified": STAMP,
    }
    assert found[1]["name"] == 'ø "x"\\'
    assert found[2]["target"] == "/v1/elsewhere"
    assert found[3]["actions"] == []
    assert len(answer.body.splitlines()) == len(rows) + 2
    assert get(kernel, Reply(Data([]), folder=True)).body == b"[]\n"


def test_a_listing_is_lines_of_text_when_text_is_requested_by_name(kernel: Kernel) -> None:
    said = entry("c", Verb.READ, extra={"text": "A run\n\x1b failed."})
    rows = Reply(Data([entry("a", Verb.READ), entry("b", Verb.READ, type="dir"), said]), folder=True)
    assert get(kernel, rows, Accept="text/plain").body.decode() == (
        f"frw--  {STAMP}  a\ndrw--  {STAMP}  b/\nfrw--  {STAMP}  c  A run failed.\n"
    )


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_name_is_listed_as_json(name: str) -> None:
    assert json.loads(as_json([entry(name)]))[0]["name"] == name


def test_words_of_others_behind_a_name_turn_nothing_and_keep_their_joiners() -> None:
    family = "\N{WOMAN}\u200d\N{GIRL}"
    rows = [
        entry("n-1", Verb.READ, extra={"text": f"@bob: {family} ok\x1b"}),
        entry("n-2", Verb.READ, extra={"text": "@eve: a \u202e b\n c"}),
        entry("n-3", Verb.READ, extra={"text": "@dan: \u05e9\u05dc\u05d5\u05dd 1"}),
    ]
    lines = [line.split("  ", 3)[3] for line in as_lines(rows).splitlines()]
    assert lines == [f"@bob: {family} ok", "@eve: a b c", "\u2068@dan: \u05e9\u05dc\u05d5\u05dd 1\u2069"]


def test_other_lists_are_one_element_a_line() -> None:
    assert as_json([{"a": 1}, [2]]) == b'[\n{"a":1},\n[2]\n]\n'
    with pytest.raises(TypeError):
        as_json({"a": object()})


def test_options_tell_what_is_possible(kernel: Kernel) -> None:
    about = About(
        entry("type", Verb.READ, Verb.WRITE),
        ("text/plain",),
        ("doc", "pres"),
        "doc",
        1024,
        "the kind",
        absent=False,
    )
    answer = get(kernel, Reply(Data(about), allow=(Verb.READ, Verb.WRITE)), "OPTIONS")
    assert answer.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    found = json.loads(answer.body)
    assert found["actions"] == ["OPTIONS", "GET", "POST"]
    assert found["accepts"] == ["text/plain"]
    assert (found["values"], found["default"], found["max_bytes"]) == (["doc", "pres"], "doc", 1024)
    bare = get(kernel, Reply(Data(About(entry("x"), (), (), None, None, "", absent=False))), "OPTIONS")
    assert not {"accepts", "values", "default", "max_bytes"} & json.loads(bare.body).keys()


def test_rows_inside_other_values_look_alike() -> None:
    row = entry("x", Verb.READ)
    assert json.loads(as_json({"rows": [row]}))["rows"] == json.loads(as_json([row]))
