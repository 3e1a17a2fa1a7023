"""The description of the GraphQL view, which is a path beside the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.reference.openapi_responses import SAID

ERRORS = {"type": "object", "required": ["errors"], "properties": {"errors": {"type": "array"}}}
GRAPHQL: Mapping[str, Any] = {
    "operationId": "post_gql",
    "tags": ["service"],
    "summary": "the second, read-only view of the tree, in GraphQL (/docs/graphql)",
    "security": [{}, {"token": []}, {"session": []}],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["query"],
                    "properties": {
                        "query": {"type": "string"},
                        "variables": {"type": ["object", "null"]},
                        "operationName": {"type": ["string", "null"]},
                        "extensions": {},
                    },
                    "additionalProperties": False,
                }
            }
        },
    },
    "responses": {
        "200": {
            "description": "what the query found, and what is wrong with it",
            "content": {"application/json": {"schema": {"type": "object"}}},
        },
        **{
            status: {"description": SAID[int(status)], "content": {"application/json": {"schema": ERRORS}}}
            for status in ("400", "401", "403", "413", "415", "503")
        },
    },
}
