"""Conditional writes everywhere: what a query or a header would show has no say in whether one is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.ground import AS_JSON, ITEMS, PLAIN, Ground, every_path, filled, open_ground
from vfs.access import Verb
from vfs.nodes import File

WRITES = ("POST", "PUT", "PATCH", "DELETE")
# Such a condition holds nowhere, so nothing is changed by what is asked with it.
FAILING = ("If-Match", '"of nothing at all"')
EXPLAINED = {401, 403, 404, 405, 409, 412}
FACES = (("Accept", "*/*"), ("Accept", AS_JSON), ("X-History", "list"))

pytestmark = pytest.mark.no_cover


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with open_ground(tmp_path_factory.mktemp("conditions")) as ground:
        ground.furnish()
        yield ground


@pytest.fixture(scope="module")
def spots() -> list[Any]:
    return list(tree_and_pages(ROOT)[0].spots())


@pytest.fixture(scope="module")
def queries(spots: list[Any]) -> str:
    """Every parameter that any node heeds, and some that none does."""
    names = {name for spot in spots for name in spot.node.query} | {"format", "view", "version", "v"}
    assert {"check", "since", "limit", "recursive", "follow"} <= names
    return "&".join(f"{name}=1" for name in sorted(names))


def test_a_condition_that_fails_is_told_everywhere_and_whatever_is_asked_to_be_shown(
    ground: Ground, queries: str
) -> None:
    statuses: Counter[int] = Counter()

    def status(method: str, path: str, *more: tuple[str, str]) -> int:
        return ground.ask_with(method, path, FAILING, ("Content-Type", PLAIN), *more, body=b"1").status

    for path in every_path(ground):
        for method in WRITES:
            plain = status(method, path)
            for face in FACES:
                assert status(method, f"{path}?{queries}", face) == plain, (method, path, face)
            statuses[plain] += 1
    assert statuses.keys() <= EXPLAINED | {400, 415, 413, 501}, statuses
    assert statuses[412] > 400


def _texts(ground: Ground, spots: list[Any]) -> Iterator[str]:
    """Files of text that are there, are read, and are written and cleared as they were sent."""
    for spot in spots:
        node = spot.node
        if not isinstance(node, File) or node.write is not None or node.wants != "text" or node.mine:
            continue
        if {Verb.READ, Verb.WRITE} <= spot.rules.keys():
            yield filled(spot.template, ground)


def test_a_write_is_done_by_the_tag_of_what_is_stored_whatever_its_query_shows(
    ground: Ground, spots: list[Any], queries: str
) -> None:
    done: Counter[str] = Counter()
    for path in dict.fromkeys(_texts(ground, spots)):
        read = ground.ask("GET", path)
        if read.status != 200:
            continue
        tag = read.headers["etag"]
        for query in ("", f"?{queries}"):
            for face in FACES:
                for condition in (("If-Match", tag), ("If-Match", "*"), ("If-None-Match", '"x"')):
                    sent = ground.ask_with(
                        "POST", path + query, condition, ("Content-Type", PLAIN), face, body=read.body
                    )
                    expected = 200 if read.body or sent.status == 200 else sent.status
                    assert (sent.status, sent.status // 100 in (2, 4)) == (expected, True), (path, sent)
                    done[condition[0]] += sent.status == 200
                for condition in (("If-None-Match", tag), ("If-None-Match", "*")):
                    sent = ground.ask_with("PUT", path + query, condition, ("Content-Type", PLAIN), face)
                    assert sent.status == 412, (path, sent)
    assert min(done.values()) > 500


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_rows_are_written_by_their_tag_though_a_report_of_them_is_asked_for(
    ground: Ground, method: str
) -> None:
    data = f"{ITEMS['plots']}/data"
    ground.ask("POST", data, b"a,b\n1,2\n", PLAIN)
    tag, report = (ground.ask("GET", f"{data}{query}").headers["etag"] for query in ("", "?check"))
    for refused in (
        ("If-Match", '"x"'),
        ("If-Match", report),
        ("If-None-Match", "*"),
        ("If-None-Match", tag),
    ):
        answer = ground.ask_with(method, f"{data}?check", refused, ("Content-Type", PLAIN), body=b"a\n2\n")
        assert (answer.status, ground.ask("GET", data).body) == (412, b"a,b\n1,2\n")
    answer = ground.ask_with(
        method, f"{data}?check", ("If-Match", tag), ("Content-Type", PLAIN), body=b"a\n2\n"
    )
    assert answer.status == 200
    assert ground.ask("GET", data).body == (b"" if method == "DELETE" else b"a\n2\n")
