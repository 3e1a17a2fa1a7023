"""Conditional writes everywhere: what a query or a header would show has no say in whether one is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.empty_world import AS_JSON, ITEMS, PLAIN, EmptyWorld, every_path, filled, open_world
from vfs.access import Verb
from vfs.nodes import File

WRITES = ("POST", "PUT", "PATCH", "DELETE")
# Such a condition holds nowhere, so nothing is changed by what is asked with it.
FAILING = ("If-Match", '"of nothing at all"')
EXPLAINED = {401, 403, 404, 405, 409, 412}
FACES = (("Accept", "*/*"), ("Accept", AS_JSON), ("X-History", "list"))

pytestmark = pytest.mark.no_cover


@pytest.fixture(scope="module")
def empty_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyWorld]:
    with open_world(tmp_path_factory.mktemp("conditions")) as empty_world:
        empty_world.populate()
        yield empty_world


@pytest.fixture(scope="module")
def routes() -> list[Any]:
    return list(tree_and_pages(ROOT)[0].routes())


@pytest.fixture(scope="module")
def queries(routes: list[Any]) -> str:
    """Every parameter that any node understands, and some unknown ones."""
    names = {name for route in routes for name in route.node.query} | {"format", "view", "version", "v"}
    assert {"check", "since", "limit", "recursive", "follow"} <= names
    return "&".join(f"{name}=1" for name in sorted(names))


def test_a_failed_condition_is_reported_everywhere_and_for_every_view(
    empty_world: EmptyWorld, queries: str
) -> None:
    statuses: Counter[int] = Counter()

    def status(method: str, path: str, *more: tuple[str, str]) -> int:
        return empty_world.ask_with(method, path, FAILING, ("Content-Type", PLAIN), *more, body=b"1").status

    for path in every_path(empty_world):
        for method in WRITES:
            plain = status(method, path)
            # A trial (?check) answers what is wrong with a text, so there the condition fails first.
            expected = {plain, 412} if plain == 400 else {plain}
            for face in FACES:
                assert status(method, f"{path}?{queries}", face) in expected, (method, path, face)
            statuses[plain] += 1
    assert statuses.keys() <= EXPLAINED | {400, 415, 413, 501}, statuses
    assert statuses[412] > 400


def _texts(empty_world: EmptyWorld, routes: list[Any]) -> Iterator[str]:
    """Files of text that are there, are read, and are written and cleared as they were sent."""
    for route in routes:
        node = route.node
        if not isinstance(node, File) or node.write is not None or node.wants != "text" or node.mine:
            continue
        if {Verb.READ, Verb.WRITE} <= route.rules.keys():
            yield filled(route.template, empty_world)


def test_a_write_uses_the_tag_of_the_stored_text_for_every_query(
    empty_world: EmptyWorld, routes: list[Any], queries: str
) -> None:
    done: Counter[str] = Counter()
    for path in dict.fromkeys(_texts(empty_world, routes)):
        read = empty_world.ask("GET", path)
        if read.status != 200:
            continue
        tag = read.headers["etag"]
        for query in ("", f"?{queries}"):
            for face in FACES:
                for condition in (("If-Match", tag), ("If-Match", "*"), ("If-None-Match", '"x"')):
                    sent = empty_world.ask_with(
                        "POST", path + query, condition, ("Content-Type", PLAIN), face, body=read.body
                    )
                    expected = 200 if read.body or sent.status == 200 else sent.status
                    assert (sent.status, sent.status // 100 in (2, 4)) == (expected, True), (path, sent)
                    done[condition[0]] += sent.status == 200
                for condition in (("If-None-Match", tag), ("If-None-Match", "*")):
                    sent = empty_world.ask_with("PUT", path + query, condition, ("Content-Type", PLAIN), face)
                    assert sent.status == 412, (path, sent)
    assert min(done.values()) > 500


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_rows_are_written_by_their_tag_even_if_a_report_is_requested(
    empty_world: EmptyWorld, method: str
) -> None:
    data = f"{ITEMS['plots']}/data"
    empty_world.ask("POST", data, b"a,b\n1,2\n", PLAIN)
    tag, report = (empty_world.ask("GET", f"{data}{query}").headers["etag"] for query in ("", "?check"))
    for refused in (
        ("If-Match", '"x"'),
        ("If-Match", report),
        ("If-None-Match", "*"),
        ("If-None-Match", tag),
    ):
        answer = empty_world.ask_with(
            method, f"{data}?check", refused, ("Content-Type", PLAIN), body=b"a\n2\n"
        )
        assert (answer.status, empty_world.ask("GET", data).body) == (412, b"a,b\n1,2\n")
    answer = empty_world.ask_with(
        method, f"{data}?check", ("If-Match", tag), ("Content-Type", PLAIN), body=b"a\n2\n"
    )
    assert answer.status == 200
    assert empty_world.ask("GET", data).body == (b"" if method == "DELETE" else b"a\n2\n")
