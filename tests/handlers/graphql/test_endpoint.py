"""The endpoint of GraphQL: who is answered, in which shape, and what is refused before it costs anything."""

from __future__ import annotations

import json
import time

import pytest
from graphql import build_schema

from handlers.graphql.bounds import DEEPEST, MOST_FIELDS, PAGE
from handlers.graphql.schema import schema_text
from tests.handlers.graphql.conftest import Graph
from vfs.access import Grant

ME = "{ me { username } }"


def test_a_caller_learns_who_it_is(graph: Graph) -> None:
    assert graph.data(ME) == {"me": {"username": "alice"}}
    assert graph.data(ME, None) == {"me": None}
    assert graph.data(ME, "clw_dead") == {"me": None}


def test_other_methods_are_refused(graph: Graph) -> None:
    refused = graph.send(b"", method="GET")
    assert (refused.status, refused.headers["allow"]) == (405, "POST, OPTIONS")
    assert "by POST only" in json.loads(refused.body)["detail"]
    assert graph.send(b"", method="OPTIONS").headers["allow"] == "POST, OPTIONS"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not JSON"),
        (b"[]", 400, "send JSON with a query"),
        (b'{"query": 1}', 400, "send JSON with a query"),
        (b'{"query": "{me{username}}", "mutation": 1}', 400, '"mutation" is no part'),
        (b'{"query": "{me{username}}", "variables": []}', 400, "variables are a JSON object"),
        (b'{"query": "{me{username}}", "operationName": 1}', 400, "operationName"),
        (b'{"query": "' + b" " * 300_000 + b'"}', 413, "larger than"),
    ],
)
def test_bodies_that_are_no_query_are_refused(graph: Graph, body: bytes, status: int, words: str) -> None:
    answer = graph.send(body)
    assert answer.status == status
    (error,) = json.loads(answer.body)["errors"]
    assert words in error["message"]
    assert error["extensions"]["status"] == status
    assert "/docs/errors#" in error["extensions"]["type"]


def test_other_media_and_credentials_are_refused_in_the_same_shape(graph: Graph) -> None:
    form = graph.send(b"query=x", Content_Type="application/x-www-form-urlencoded")
    assert form.status in (400, 415)
    assert json.loads(form.body)["errors"]
    foreign = graph.send({"query": ME}, None, Authorization="Basic YTpi")
    assert foreign.status == 401
    assert "make a token" in json.loads(foreign.body)["errors"][0]["message"]


def test_mistakes_are_reported_with_their_place(graph: Graph) -> None:
    error = graph.refused("{ me {\n  timezones } }")
    assert "Cannot query field 'timezones'" in error["message"]
    assert error["locations"] == [{"line": 2, "column": 3}]
    assert error["extensions"]["status"] == 400
    assert "Syntax Error" in graph.refused("{ me {")["message"]
    assert "Variable" in graph.refused("query($x: ID!) { plots(id: $x) { id } }")["message"]


def test_refusals_have_their_sentence_and_path(graph: Graph) -> None:
    error = graph.refused("{ first: plots(limit: -1) { id } }")
    assert error["message"] == "limit and offset count from 0 up"
    assert error["path"] == ["first"]


def test_an_internal_error_reveals_nothing(graph: Graph) -> None:
    item = graph.world.items.create("plot", "alice", "broken")
    with graph.world.atomic():
        graph.database.run("UPDATE item SET created_on = 'no date' WHERE id = :id", id=item.id)
    error = graph.refused("{ plots { id } }")
    assert "the server failed on this request" in error["message"]
    assert "no date" not in error["message"]
    assert error["extensions"]["status"] == 500


def deep(levels: int) -> str:
    """A query of this number of levels."""
    return "{ groups " + "{ groups " * (levels - 2) + "{ id }" + " }" * (levels - 1)


def test_queries_are_bounded(graph: Graph) -> None:
    assert "errors" not in graph.answer(deep(DEEPEST))
    assert f"at most {DEEPEST} fields deep" in graph.refused(deep(DEEPEST + 1))["message"]
    wide = " ".join(f"a{number}: me {{ username }}" for number in range(MOST_FIELDS))
    assert f"at most {MOST_FIELDS} fields" in graph.refused(f"{{ {wide} }}")["message"]
    assert (
        "at its top"
        in graph.refused("{ " + " ".join(f"a{number}: me {{ username }}" for number in range(101)) + " }")[
            "message"
        ]
    )
    assert "more than 8 times" in graph.refused("{ " + "me { username } " * 9 + "}")["message"]
    assert "tokens" in graph.refused("{ me { " + "a " * 10_001 + "} }")["message"]


def test_fragments_count_with_all_that_they_bring(graph: Graph) -> None:
    bomb = (
        "query { me { ...f0 } }"
        + "".join(
            f" fragment f{at} on User {{ a: founder {{ founders {{ ...f{at + 1} }} }} "
            f"b: founder {{ founders {{ ...f{at + 1} }} }} }}"
            for at in range(30)
        )
        + " fragment f30 on User { username }"
    )
    began = time.monotonic()
    assert "at most" in graph.refused(bomb)["message"]
    circle = "{ me { ...a } } fragment a on User { ...b } fragment b on User { ...a }"
    assert "itself" in graph.refused(circle)["message"]
    assert time.monotonic() - began < 2
    assert graph.data("{ me { ...a } } fragment a on User { ... on User { name: username } }") == {
        "me": {"name": "alice"}
    }


def test_queries_that_nest_without_end_are_refused(graph: Graph) -> None:
    assert "deep" in graph.refused("{ me " * 3_000)["message"]
    assert graph.refused("{ plots(id: " + "[" * 3_000 + "]" * 3_000 + ") { id } }")["message"]


def test_changes_are_refused(graph: Graph) -> None:
    assert "only reads" in graph.refused("mutation { remove }")["message"]
    assert "only reads" in graph.refused("subscription { me { username } }")["message"]


def test_an_answer_has_a_bound(graph: Graph) -> None:
    owned = [graph.world.items.create("plot", "bob", f"p{number}") for number in range(150)]
    for item in owned:
        graph.world.grants.give(item.id, Grant("@alice", "r", "@alice~r"))
    loop = "plots { author { plots { author { plots { id } } } } }"
    assert "more than" in graph.refused(f"{{ {loop} }}")["message"]
    assert len(graph.data("{ plots { author { plots { id } } } }")["plots"]) == 150
    many = "plots { author { " * 9 + "username" + " } }" * 9
    assert "more than" in graph.refused(f"{{ {many} }}")["message"]


@pytest.mark.parametrize("name", ["", "\0", "a/b", "..", "+", "@", "@a~b~c", "ø" * 5_000])
def test_invalid_names_find_nothing(graph: Graph, name: str) -> None:
    query = """query($n: ID, $s: String) {
        a: plots(id: $n) { id } b: plots(author: $s) { id } c: groups(id: $n) { id }
        d: groups(name: $s, type: org_group, parent_group: $s) { id } e: images(id: $n, author: $s) { id }
        f: groups(id: $n, name: $s, type: org) { id } }"""
    assert set(map(str, graph.data(query, n=name, s=name).values())) == {"[]"}


def test_a_page_has_a_bound(graph: Graph) -> None:
    with graph.world.atomic():
        for number in range(PAGE + 5):
            graph.world.items.create("plot", "alice", f"p{number:04}")
    first = graph.data("{ plots(limit: 10000) { id } }")["plots"]
    rest = graph.data(f"{{ plots(limit: 200, offset: {PAGE}) {{ id }} }}")["plots"]
    names = [one["id"] for one in first + rest]
    assert names == [f"p{number:04}" for number in range(PAGE + 5)]
    assert len(graph.data("{ me { plots { id } } }")["me"]["plots"]) == PAGE + 5


def test_the_schema_is_shown_to_signed_in_users(graph: Graph) -> None:
    query = "{ __schema { types { name } } }"
    assert {"name": "Plot"} in graph.data(query)["__schema"]["types"]
    assert graph.refused(query, None)["extensions"]["status"] == 401
    assert graph.refused('{ ...a } fragment a on Query { __type(name: "Plot") { name } }', None)
    assert graph.data("{ __typename }", None) == {"__typename": "Query"}


def test_a_foreign_page_asks_nothing_by_cookie(graph: Graph) -> None:
    headers = {
        "Cookie": "curlew_session=x",
        "Origin": "https://elsewhere.example",
        "Sec-Fetch-Site": "cross-site",
    }
    answer = graph.send({"query": ME}, None, **headers)
    assert json.loads(answer.body)["data"] == {"me": None}


def test_the_schema_has_what_the_native_client_asks(graph: Graph) -> None:
    schema = build_schema(schema_text())
    top = schema.query_type
    assert top is not None
    assert len(top.fields) == 13
