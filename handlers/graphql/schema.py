"""The schema of the view, which is one file, with what resolves its fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_schema,
    execute_sync,
    validate,
)
from graphql.error import GraphQLError
from graphql.language import Visitor, visit

from handlers.graphql.asking import Ask
from handlers.graphql.queries import RESOLVERS, items

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


class _Introspection(Visitor):
    """Looks for a question about the schema itself."""

    found = False

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        if node.name.value in ("__schema", "__type"):
            self.found = True


def asks_for_schema(document: DocumentNode) -> bool:
    """Whether a document asks for the schema."""
    looked = _Introspection()
    visit(document, looked)
    return looked.found
