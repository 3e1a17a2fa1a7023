"""The schema of the view, which is one file, with what resolves its fields."""

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
    """The schema as it is shipped and shown."""
    return files("handlers.graphql").joinpath("schema.graphql").read_text()


@cache
def shipped_schema() -> GraphQLSchema:
    """The schema with what resolves its top fields, made once in a process."""
    schema = build_schema(schema_text())
    top = schema.query_type
    assert top is not None
    for name, field in top.fields.items():
        field.resolve = RESOLVERS.get(name, items)
    return schema


def mistakes(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    """The mistakes in a document, of many the first."""
    return validate(schema, document, max_errors=MOST_ERRORS)


def carry_out(
    schema: GraphQLSchema,
    document: DocumentNode,
    ask: Ask,
    variables: Mapping[str, Any] | None,
    operation: str | None,
) -> ExecutionResult:
    """The result of a valid document."""
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
def _told_schema() -> tuple[Row, Sequence[Row]]:
    """The schema as introspection tells it, and its types: rows that lead to each other."""
    told: Row = {**introspection_from_schema(shipped_schema())["__schema"]}
    types: dict[str, Row] = {one["name"]: one for one in told["types"]}
    for one in (*types.values(), told):
        for name, value in one.items():
            one[name] = _with_links(value, types)
    return told, list(types.values())


def _with_links(value: Any, types: Mapping[str, Row]) -> Any:
    """A value of introspection, in which the row of a type takes the place of its name."""
    if isinstance(value, list):
        return [_with_links(one, types) for one in value]
    if not isinstance(value, dict):
        return value
    named = types.get(value.get("name") or "")
    if named is value or (named is not None and value.keys() <= {"kind", "name", "ofType"}):
        return named
    return {name: _with_links(one, types) for name, one in value.items()}


def schema_weight(document: DocumentNode) -> int:
    """The values that a document asks for of the schema itself, at most; 0 if it asks for none."""
    wanted, fragments = Selection(), fragments_of(document)
    for one in document.definitions:
        if isinstance(one, OperationDefinitionNode):
            gather(one.selection_set, fragments, wanted)
    told, types = _told_schema()
    found = [weight([told], below, {}) * len(below.names) for below in _below(wanted, "__schema")]
    for below in _below(wanted, "__type"):
        known: dict[tuple[int, int], int] = {}
        found.append(max(weight([one], below, known) for one in types) * len(below.names))
    return sum(found)


def _below(wanted: Selection, name: str) -> Sequence[Selection]:
    return [wanted[name]] if name in wanted else []
