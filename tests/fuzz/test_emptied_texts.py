"""Texts that are written empty, wherever they are: the answer says so once, and the write is done."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.empty_world import AS_JSON, ITEMS, PLAIN, filled, open_world
from vfs.nodes import File

CURL = "curl reads -d @name as a file: use --data-raw\n"
CLEARED = f"is empty now: DELETE clears it too; {CURL}"
DEFAULT = f"is empty now: DELETE brings back what it says by default; {CURL}"
OTHER = f"is empty now: {CURL}"
TEXTS = ("one", "0 6 * * *", "a = b", "public", "2", "#aabbcc")

pytestmark = pytest.mark.no_cover


@pytest.mark.parametrize("accept", ["*/*", PLAIN, AS_JSON])
def test_an_empty_text_says_what_is_empty_now(tmp_path_factory: pytest.TempPathFactory, accept: str) -> None:
    said: Counter[str] = Counter()
    with open_world(tmp_path_factory.mktemp("emptied")) as empty_world:
        empty_world.populate()
        routes = [route for route in tree_and_pages(ROOT)[0].routes() if isinstance(route.node, File)]
        written = [route for route in routes if not route.node.fixed and route.node.wants == "text"]
        for route in written:
            path = filled(route.template, empty_world)
            if not any(empty_world.ask("POST", path, one.encode(), PLAIN).status == 200 for one in TEXTS):
                continue
            before = empty_world.ask("GET", path)
            answer = empty_world.ask_with("POST", path, ("Content-Type", PLAIN), ("Accept", accept))
            text = json.loads(answer.body) if accept == AS_JSON and answer.body else answer.body.decode()
            if before.status != 200 or not before.body or answer.status != 200:
                assert "is empty now" not in text
                continue
            after = empty_world.ask("GET", path).body
            ends = [end for end in (CLEARED, DEFAULT, OTHER) if text.endswith(f"{path} {end}")]
            assert (len(ends), after) == (1 if after != before.body else len(ends), after), (
                path,
                text,
                after,
            )
            said[ends[0] if ends else "kept"] += 1
            assert "is empty now" not in empty_world.ask("POST", path, b"", PLAIN).body.decode() or after, (
                path
            )
    assert said[CLEARED] > 100


def test_what_curl_made_of_a_name_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_world(tmp_path_factory.mktemp("emptied")) as empty_world:
        empty_world.populate()
        empty_world.service.world.people.users.change("fuzz", verified=True)
        for context, text in (
            ("jobs/config/schedule", b"0 6 * * *"),
            ("mails/recipients/to", b"@other"),
            ("mails/recipients/bcc", b"me"),
            ("plots/data", b"a,b\n1,2\n"),
        ):
            kind, _, rest = context.partition("/")
            path = f"{ITEMS[kind]}/{rest}"
            assert empty_world.ask("POST", path, text, PLAIN).status == 200
            answer = empty_world.ask("POST", path, b"", PLAIN)
            assert (answer.status, answer.body.decode()) == (200, f"{path} {CLEARED}")
