"""The schema of the view, which is one file, and the resolvers of its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_schema,
    execute_sync,
    introspection_from_schema,
    validate,
)
from graphql.error import GraphQLError
from graphql.language import OperationDefinitionNode

from handlers.graphql.asking import Ask
from handlers.graphql.queries import RESOLVERS, items
from handlers.graphql.selection import Row, Selection, fragments_of, gather, weight

MOST_ERRORS = 5


def schema_text() -> str:
    """Return the schema as it is shipped and shown."""
    return files("handlers.graphql").joinpath("schema.graphql").read_text()


@cache
def shipped_schema() -> GraphQLSchema:
    """Return the schema with the resolvers of its top fields. It is made once per process."""
    schema = build_schema(schema_text())
    top = schema.query_type
    assert top is not None
    for name, field in top.fields.items():
        field.resolve = RESOLVERS.get(name, items)
    return schema


def mistakes(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    """Return the first mistakes in a document, at most MOST_ERRORS."""
    return validate(schema, document, max_errors=MOST_ERRORS)


def carry_out(
    schema: GraphQLSchema,
    document: DocumentNode,
    ask: Ask,
    variables: Mapping[str, Any] | None,
    operation: str | None,
) -> ExecutionResult:
    """Return the result of a valid document."""
    return execute_sync(
        schema,
        document,
        context_value=ask,
        variable_values=dict(variables or {}),
        operation_name=operation,
        field_resolver=_resolve,
    )


def _resolve(row: Mapping[str, Any], info: GraphQLResolveInfo[Any], **_: Any) -> Any:
    return row.get(info.field_name)


@cache
def _shown_schema() -> tuple[Row, Sequence[Row]]:
    """Return the introspected schema and its types, as rows with references to each other."""
    facts: Row = {**introspection_from_schema(shipped_schema())["__schema"]}
    types: dict[str, Row] = {one["name"]: one for one in facts["types"]}
    for one in (*types.values(), facts):
        for name, value in one.items():
            one[name] = _with_links(value, types)
    return facts, list(types.values())


def _with_links(value: Any, types: Mapping[str, Row]) -> Any:
    """Return a value of introspection with the rows of types in place of their names."""
    if isinstance(value, list):
        return [_with_links(one, types) for one in value]
    if not isinstance(value, dict):
        return value
    named = types.get(value.get("name") or "")
    if named is value or (named is not None and value.keys() <= {"kind", "name", "ofType"}):
        return named
    return {name: _with_links(one, types) for name, one in value.items()}


def schema_weight(document: DocumentNode) -> int:
    """Return the maximum number of values of the schema itself that a document requests, or 0."""
    wanted, fragments = Selection(), fragments_of(document)
    for one in document.definitions:
        if isinstance(one, OperationDefinitionNode):
            gather(one.selection_set, fragments, wanted)
    facts, types = _shown_schema()
    found = [weight([facts], below, {}) * len(below.names) for below in _below(wanted, "__schema")]
    for below in _below(wanted, "__type"):
        known: dict[tuple[int, int], int] = {}
        found.append(max(weight([one], below, known) for one in types) * len(below.names))
    return sum(found)


def _below(wanted: Selection, name: str) -> Sequence[Selection]:
    return [wanted[name]] if name in wanted else []
