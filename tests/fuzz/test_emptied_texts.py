"""Texts that are written empty, wherever they are: the answer says so once, and the write is done."""

from __future__ import annotations

from collections import Counter

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.ground import AS_JSON, ITEMS, PLAIN, filled, open_ground
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
    with open_ground(tmp_path_factory.mktemp("emptied")) as ground:
        ground.furnish()
        spots = [spot for spot in tree_and_pages(ROOT)[0].spots() if isinstance(spot.node, File)]
        written = [spot for spot in spots if not spot.node.fixed and spot.node.wants == "text"]
        for spot in written:
            path = filled(spot.template, ground)
            if not any(ground.ask("POST", path, one.encode(), PLAIN).status == 200 for one in TEXTS):
                continue
            before = ground.ask("GET", path)
            answer = ground.ask_with("POST", path, ("Content-Type", PLAIN), ("Accept", accept))
            told = answer.body.decode()
            if before.status != 200 or not before.body or answer.status != 200:
                assert "is empty now" not in told
                continue
            after = ground.ask("GET", path).body
            ends = [end for end in (CLEARED, DEFAULT, OTHER) if told.endswith(f"{path} {end}")]
            assert (len(ends), after) == (1 if after != before.body else len(ends), after), (
                path,
                told,
                after,
            )
            said[ends[0] if ends else "kept"] += 1
            assert "is empty now" not in ground.ask("POST", path, b"", PLAIN).body.decode() or after, path
    assert said[CLEARED] > 100


def test_what_curl_made_of_a_name_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_ground(tmp_path_factory.mktemp("emptied")) as ground:
        ground.furnish()
        ground.service.world.people.users.change("fuzz", verified=True)
        for place, text in (
            ("jobs/config/schedule", b"0 6 * * *"),
            ("mails/recipients/to", b"@other"),
            ("mails/recipients/bcc", b"me"),
            ("plots/data", b"a,b\n1,2\n"),
        ):
            kind, _, rest = place.partition("/")
            path = f"{ITEMS[kind]}/{rest}"
            assert ground.ask("POST", path, text, PLAIN).status == 200
            answer = ground.ask("POST", path, b"", PLAIN)
            assert (answer.status, answer.body.decode()) == (200, f"{path} {CLEARED}")
