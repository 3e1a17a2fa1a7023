"""The description of the API as OpenAPI 3.1, written from the same tree that serves the requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from handlers.listings import METHODS
from vfs.access import Rule, Verb
from vfs.nodes import Deep, Each, File, Ghost, Items, Link
from vfs.tree import Spot, Tree

SUCCESS = {
    Verb.READ: (200, 204, 206, 304),
    Verb.WRITE: (200, 201, 202, 204),
    Verb.CREATE: (200, 201),
    Verb.RENAME: (200, 201),
    Verb.REMOVE: (200, 204),
    None: (200,),
}
SAID = {
    200: "done",
    201: "created",
    202: "accepted, and still going on",
    204: "done, and there is nothing to send",
    206: "a part of the bytes",
    304: "unchanged",
    400: "a malformed value, name or body; nothing was changed",
    401: "no credential, or a dead one",
    403: "seen, but not allowed",
    404: "absent or invisible",
    405: "a verb that is never taken here",
    409: "the state forbids it, or the name is taken",
    410: "past its retention",
    412: "a precondition does not hold",
    413: "too large",
    415: "a body of the wrong media type",
    416: "a range outside the bytes",
    422: "the run that was triggered failed",
    429: "asked too often",
    503: "full or away for now",
    507: "no space left",
}
ALWAYS = (400, 401, 403, 404, 405, 413, 429, 503)
REFUSALS: dict[Verb | None, tuple[int, ...]] = {
    Verb.READ: (*ALWAYS, 410, 412, 416),
    Verb.WRITE: (*ALWAYS, 409, 412, 415, 422, 507),
    Verb.CREATE: (*ALWAYS, 409, 412, 415, 507),
    Verb.RENAME: (*ALWAYS, 409, 412, 415, 507),
    Verb.REMOVE: (*ALWAYS, 409, 412, 507),
    None: ALWAYS,
}
PARAMETER = re.compile(r":(\w+)")


def document(tree: Tree, version: str) -> dict[str, Any]:
    """The whole document; `servers` is left to whoever serves it."""
    paths: dict[str, Any] = {}
    for path, spot in _paths(tree):
        operations = _operations(path, spot)
        if operations:
            paths[path] = {**operations, "parameters": _parameters(path, spot)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Curlew", "version": version, "summary": "Everything is a file over HTTP."},
        "paths": paths,
        "components": _components(),
        "security": [{"token": []}],
    }


def _paths(tree: Tree) -> Iterator[tuple[str, Spot]]:
    """Every path, those below a link to the caller's own corner once more as the link spells them."""
    by_template = {spot.template: spot for spot in tree.spots()}
    for spot in by_template.values():
        if not isinstance(spot.node, Link):
            yield _path(spot.template, spot), spot
        elif spot.node.to.startswith("/"):
            target = spot.node.to.replace("{me}", ":user")
            for template, below in by_template.items():
                if template == target or template.startswith(f"{target}/"):
                    yield _path(spot.template + template.removeprefix(target), below), below


def _path(template: str, spot: Spot) -> str:
    below = f"/{{{spot.node.param}}}" if isinstance(spot.node, Deep) else ""
    return PARAMETER.sub(r"{\1}", template) + below


def _operations(path: str, spot: Spot) -> dict[str, Any]:
    if isinstance(spot.node, Link | Ghost):
        return {}
    rules: dict[Verb, Rule] = {**spot.birth, **spot.rules}
    told = {METHODS[verb].lower(): _operation(path, spot, verb, rule) for verb, rule in rules.items()}
    return {**told, "options": _operation(path, spot, None, None)}


def _operation(path: str, spot: Spot, verb: Verb | None, rule: Rule | None) -> dict[str, Any]:
    method = METHODS[verb].lower() if verb is not None else "options"
    operation: dict[str, Any] = {
        "operationId": f"{method}{re.sub(r'[^a-z0-9]+', '_', path)}",
        "summary": spot.node.about or path.rsplit("/", 1)[-1],
        "description": f"Needs {rule.needs}." if rule is not None else "Which verbs the caller may use here.",
        "responses": _responses(spot, verb),
    }
    body = _body(spot, verb)
    if body is not None:
        operation["requestBody"] = body
    return operation


def _responses(spot: Spot, verb: Verb | None) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for status in SUCCESS[verb]:
        told[str(status)] = {"description": SAID[status]}
        if status in (200, 201, 202, 206):
            told[str(status)]["content"] = _content(spot, verb)
    told.update({str(status): {"$ref": f"#/components/responses/{status}"} for status in REFUSALS[verb]})
    return told


def _content(spot: Spot, verb: Verb | None) -> dict[str, Any]:
    if verb is None:
        return {"application/json": {"schema": {"$ref": "#/components/schemas/About"}}}
    if verb is Verb.READ and spot.folder and getattr(spot.node, "read", None) is None:
        return {"application/json": {"schema": {"$ref": "#/components/schemas/Listing"}}, "text/plain": {}}
    return {"text/plain": {}, "application/json": {}, "*/*": {}}


def _body(spot: Spot, verb: Verb | None) -> dict[str, Any] | None:
    node = spot.node
    if verb is Verb.RENAME:
        return {"required": True, "content": {"text/plain": _TEXT, "application/json": {"schema": _RENAME}}}
    if verb not in (Verb.WRITE, Verb.CREATE) or isinstance(node, Items | Each):
        return None
    if isinstance(node, Deep):
        return {"content": {"*/*": {}}}
    if not isinstance(node, File):
        return None
    if node.wants == "raw":
        return {"content": {"application/json": {}, "multipart/form-data": {"schema": {"type": "object"}}}}
    if node.wants == "blob":
        return {"content": {media: {} for media in node.media}}
    schema: dict[str, Any] = {"type": "string"}
    if node.values:
        schema["examples"] = list(node.values)
    return {"content": {"text/plain": {"schema": schema}}}


def _parameters(path: str, spot: Spot) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)\}", path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


_TEXT: Mapping[str, Any] = {"schema": {"type": "string"}}
_RENAME: Mapping[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "copy": {"type": "boolean"}},
    "required": ["name"],
}
_WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}


def _components() -> dict[str, Any]:
    refusals = {
        str(status): {
            "description": SAID[status],
            "content": {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}},
                "text/plain": {},
            },
        }
        for status in SAID
        if status >= 400
    }
    return {
        "responses": refusals,
        "schemas": {"Entry": _entry(), "Listing": _listing(), "About": _about(), "Problem": _problem()},
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "password": {"type": "http", "scheme": "basic"},
            "session": {"type": "apiKey", "in": "cookie", "name": "curlew_session"},
        },
    }


def _entry() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            "name": text,
            "uri": text,
            "type": {"enum": ["dir", "file", "link"]},
            "permissions": _WORDS,
            "actions": _WORDS,
            "created_on": text,
            "last_modified": text,
        },
        "required": ["name", "uri", "type", "permissions", "actions", "created_on", "last_modified"],
    }


def _listing() -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}}


def _about() -> dict[str, Any]:
    more = {
        "about": {"type": "string"},
        "accepts": _WORDS,
        "values": _WORDS,
        "max_bytes": {"type": "integer"},
    }
    return {"allOf": [{"$ref": "#/components/schemas/Entry"}, {"type": "object", "properties": more}]}


def _problem() -> dict[str, Any]:
    words = ("type", "title", "detail", "instance", "request_id", "message", "error")
    return {
        "type": "object",
        "properties": {**{name: {"type": "string"} for name in words}, "status": {"type": "integer"}},
        "required": [*words, "status"],
    }
