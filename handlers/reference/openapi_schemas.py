"""The shared parts of the API's description: the schemas of bodies, headers and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vfs.nodes import KIB


def close_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object schema that allows no keys other than those it declares."""
    return {"additionalProperties": False, **schema}


TEXT: Mapping[str, Any] = {"schema": {"type": "string"}}
TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
STAMP: Mapping[str, Any] = {"type": "string", "format": "date-time"}

SECURITY: Mapping[str, Any] = {
    "token": {"type": "http", "scheme": "bearer", "description": "made by POST /v1/token"},
    "password": {"type": "http", "scheme": "basic"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "curlew_session",
        "description": "over TLS `__Host-curlew_session`",
    },
}

_ENTRY = {
    "name": {"type": "string"},
    "uri": {"type": "string"},
    "type": {"enum": ["dir", "file", "link"]},
    "permissions": {"type": "array", "items": {"enum": ["r", "w", "d", "x"]}},
    "actions": {"type": "array", "items": {"enum": ["OPTIONS", "GET", "POST", "PUT", "PATCH", "DELETE"]}},
    "created_on": STAMP,
    "last_modified": STAMP,
}
_ABOUT = {
    "about": {"type": "string"},
    "accepts": TEXTS,
    "values": TEXTS,
    "default": {"type": "string"},
    "max_bytes": {"type": "integer"},
}
_PROBLEM = {
    **{name: {"type": "string"} for name in ("type", "title", "detail", "instance", "request_id")},
    "status": {"type": "integer", "minimum": 400, "maximum": 599},
    "message": {"type": "string", "description": "the same as detail"},
    "error": {"type": "string", "description": "the same as detail"},
}
_RENAME = {
    "name": {"type": "string"},
    "copy": {"type": "boolean", "description": "make a copy of your own with the name"},
    "mend": {
        "type": "boolean",
        "description": "update the references to the item in your own files; not with `copy`",
    },
}

SCHEMAS: Mapping[str, Any] = {
    "Entry": {"type": "object", "properties": _ENTRY, "required": list(_ENTRY)},
    "Listing": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}},
    "About": {
        "type": "object",
        "properties": {**_ENTRY, **_ABOUT},
        "required": [*_ENTRY, "about"],
    },
    "Problem": {"type": "object", "properties": _PROBLEM, "required": list(_PROBLEM)},
    "Rename": close_schema({"type": "object", "properties": _RENAME, "required": ["name"]}),
    "Health": {
        "type": "object",
        "properties": {
            "status": {"enum": ["pass", "warn", "fail"]},
            "version": {"type": "string"},
            "checks": {"type": "object"},
        },
        "required": ["status"],
    },
}

HEADERS: Mapping[str, Any] = {
    "etag": {"description": "strong validator of the content", "schema": {"type": "string"}},
    "type": {"required": True, "schema": {"enum": ["dir", "file"]}},
    "letters": {"description": "the caller's access: r, w, d, x", "schema": {"type": "string"}},
    "default": {"description": "the file has its default content", "schema": {"const": "true"}},
    "location": {"description": "its address", "schema": {"type": "string"}},
    "allow": {"required": True, "schema": {"type": "string"}},
    "retry": {"description": "seconds", "required": True, "schema": {"type": "string"}},
    "challenge": {"required": True, "schema": {"type": "string"}},
    "span": {"required": True, "schema": {"type": "string"}},
}
"""Headers of responses, by the short names that the description uses."""

PARAMETERS: Mapping[str, Any] = {
    "if-match": {
        "name": "If-Match",
        "in": "header",
        "description": "act only if one of these ETags is the current one",
        "schema": {"type": "string"},
    },
    "if-none-match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "read only if changed; with * write only if it does not exist",
        "schema": {"type": "string"},
    },
    "history": {
        "name": "X-History",
        "in": "header",
        "description": "`list` requests the earlier contents instead of the content; writes with `autosave` "
        "of one author within ten minutes become one version",
        "schema": {"enum": ["list", "autosave"]},
    },
    "range": {
        "name": "Range",
        "in": "header",
        "description": "a part of the content",
        "schema": {"type": "string", "pattern": "^bytes=[0-9]{0,9}-[0-9]{0,9}$"},
    },
    "since": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "the last known event of a stream",
        "schema": {"type": "string"},
    },
    "prefer": {
        "name": "Prefer",
        "in": "header",
        "description": "`respond-async` does not wait for the run, `wait=N` at most N seconds",
        "schema": {"type": "string", "pattern": "^(respond-async|wait=[0-9]{1,5})$"},
    },
}

RENAME: Mapping[str, Any] = {
    "required": True,
    "description": "the new name, or JSON with the name and whether to copy or to update references",
    "content": {
        "text/plain": {"schema": {"type": "string", "maxLength": KIB}},
        "application/json": {"schema": {"$ref": "#/components/schemas/Rename"}},
    },
}


def ref(kind: str, name: str) -> dict[str, str]:
    """Return a reference to a shared part."""
    return {"$ref": f"#/components/{kind}/{name}"}


def query(name: str, about: str) -> dict[str, Any]:
    """Return a query parameter."""
    return {"name": name, "in": "query", "description": about, "schema": {"type": "string"}}


def body(largest: int, values: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a body of plain text; `values` are the known words."""
    schema: dict[str, Any] = {"type": "string", "maxLength": largest}
    if values:
        schema = {"anyOf": [{"enum": list(values)}, schema]}
    return {"content": {"text/plain": {"schema": schema}}}
