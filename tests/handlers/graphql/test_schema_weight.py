"""Questions about the schema itself count as any other: their weight is known before they are answered."""

from __future__ import annotations

import time
from typing import Any

from graphql import execute_sync, get_introspection_query
from hypothesis import given
from hypothesis import strategies as st

from handlers.graphql.bounds import MOST_VALUES, read_document
from handlers.graphql.schema import mistakes, schema_weight, shipped_schema
from handlers.graphql.selection import PIECE
from tests.handlers.graphql.conftest import Graph

LEAVES = st.sampled_from(["name", "kind", "description", "__typename"])
TYPE = st.recursive(
    st.lists(LEAVES, min_size=1, max_size=3).map(" ".join),
    lambda below: st.tuples(
        LEAVES, st.sampled_from(["ofType", "a: ofType", "possibleTypes", "interfaces"]), below
    ).map(lambda parts: "{} {} {{ {} }}".format(*parts)),
    max_leaves=3,
)
FIELDS = st.builds(
    "fields {{ name args {{ name type {{ {} }} }} type {{ {} }} }} {}".format, TYPE, TYPE, LEAVES
)
QUERIES = st.one_of(
    st.builds("{{ __schema {{ types {{ {} }} queryType {{ {} }} }} }}".format, FIELDS, TYPE),
    st.builds("{{ a: __schema {{ directives {{ name args {{ type {{ {} }} }} }} }} }}".format, TYPE),
    st.builds("fragment F on __Type {{ {} }} {{ __schema {{ types {{ ...F }} }} }}".format, FIELDS),
    st.builds('{{ __type(name: "Query") {{ {} }} }}'.format, FIELDS),
)


def values(answer: Any) -> int:
    """The values of an answer, as a person counts them."""
    if isinstance(answer, dict):
        return 1 + sum(map(values, answer.values()))
    if isinstance(answer, list):
        return 1 + sum(map(values, answer))
    return 1 + len(answer) // PIECE if isinstance(answer, str) else 1


@given(QUERIES)
def test_no_answer_has_more_values_than_its_weight(query: str) -> None:
    document, schema = read_document(query), shipped_schema()
    if not mistakes(schema, document):
        found = execute_sync(schema, document)
        assert not found.errors
        assert values(found.data) - 1 <= schema_weight(document)


def test_the_usual_question_is_answered_and_a_large_one_refused_at_once(graph: Graph) -> None:
    assert graph.data(get_introspection_query())["__schema"]["types"]
    aliases = " ".join(f"a{number}:name" for number in range(980))
    began = time.process_time()
    refused = graph.refused(f"{{__schema{{types{{fields{{{aliases}}}}}}}}}")
    assert f"more than {MOST_VALUES} values" in refused["message"]
    assert time.process_time() - began < 1


def test_long_texts_count_for_their_length(graph: Graph) -> None:
    item = graph.world.items.create("plot", "alice", "long")
    graph.world.leaves.put(item.id, "description", "x" * 200_000, "alice")
    aliases = " ".join(f"a{number}:description" for number in range(980))
    assert "values" in graph.refused(f"{{plots{{{aliases}}}}}")["message"]
    assert graph.data("{plots{description}}")["plots"] == [{"description": "x" * 200_000}]
