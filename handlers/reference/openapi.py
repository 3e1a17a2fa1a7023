"""The description of the API as OpenAPI 3.1, generated from the tree that serves the requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from handlers.http.listings import METHODS
from handlers.http.negotiation import EVENTS
from handlers.reference.openapi_responses import EITHER, GRAPHQL, SAID, WITH, common_responses, response
from handlers.reference.openapi_schemas import (
    HEADERS,
    PARAMETERS,
    RENAME,
    SCHEMAS,
    SECURITY,
    TEXT,
    body,
    close_schema,
    query,
    ref,
)
from vfs.access import Verb
from vfs.nodes import Derived, Each, File, Ghost, Items, Subtree
from vfs.path import ANY_NAME
from vfs.route import Route
from vfs.rules import ANYONE, FIRST_HAND, Rule
from vfs.shapes.folders import LinkRoute
from vfs.shapes.subtrees import SubtreeRoute
from vfs.tree import Tree

ABOUT = """\
Everything is a file over HTTP: GET reads, POST writes a file, PUT creates an entry, PATCH renames or copies,
DELETE clears or removes, and OPTIONS shows what the caller may do. Every path with GET also has HEAD.

Text is sent as text/plain. Without an Accept header, or with */*, the response is text if there is a text
form. Every refusal is application/problem+json, or one line if Accept names text/plain.
"""
REFUSED: Mapping[Verb | None, tuple[int, ...]] = {
    None: (400, 401, 403, 404, 503),
    Verb.READ: (400, 401, 403, 404, 412, 503),
    Verb.WRITE: (400, 401, 403, 404, 409, 412, 413, 415, 503, 507),
    Verb.CREATE: (400, 401, 403, 404, 409, 412, 413, 415, 503, 507),
    Verb.RENAME: (400, 401, 403, 404, 409, 412, 413, 415, 503, 507),
    Verb.REMOVE: (400, 401, 403, 404, 409, 412, 503, 507),
}
FORM = "multipart/form-data"
ANYTHING = "*/*"
NAME = re.compile(r":(\w+)")


def document(tree: Tree, version: str) -> dict[str, Any]:
    """Return the whole description; the server adds `servers`."""
    paths: dict[str, Any] = {path: _outside(path) for path in ("/healthz", "/readyz", "/openapi.json")}
    paths["/gql"] = {"post": GRAPHQL}
    parameters = dict(PARAMETERS)
    for template, route in _templates(tree):
        for path in _paths(template, route):
            paths[path] = _item(path, route, parameters)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Curlew", "version": version, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "responses": dict(common_responses()),
            "parameters": parameters,
            "headers": HEADERS,
            "requestBodies": {"rename": RENAME},
            "securitySchemes": SECURITY,
        },
        "security": [{"token": []}, {"session": []}],
    }


def _templates(tree: Tree) -> Iterator[tuple[str, Route]]:
    """Yield every path; those below the target of a link a second time, with the link."""
    found = {route.template: route for route in tree.routes() if not isinstance(route.node, Ghost)}
    links = {route.template: route for route in found.values() if isinstance(route, LinkRoute)}
    # Links inside of items come first, as links to the caller's own folders lead to them.
    for start, link in sorted(links.items(), key=lambda one: one[1].node.to.startswith("/")):
        del found[start]
        target = link.target.template
        below = [one for one in found if one == target or one.startswith(f"{target}/")]
        found |= {start + one.removeprefix(target): found[one] for one in below}
    yield from found.items()


def _paths(template: str, route: Route) -> Iterator[str]:
    path = NAME.sub(r"{\1}", template)
    yield path
    if isinstance(route.node, Subtree):
        yield f"{path}/{{{route.node.param.name}}}"


def _item(path: str, route: Route, parameters: dict[str, Any]) -> dict[str, Any]:
    rules: Mapping[Verb, Rule] = {**route.birth, **route.rules}
    if isinstance(route, SubtreeRoute) and not path.endswith("}"):
        rules = route.top
    operations = {
        METHODS[verb].lower(): _operation(path, route, verb, rules[verb]) for verb in Verb if verb in rules
    }
    operations["options"] = _operation(path, route, None, ANYONE)
    names = _names(path, route, parameters)
    return {
        "summary": route.node.about or route.name,
        "parameters": [
            *(ref("parameters", name) for name in (*names, "if-match", "if-none-match")),
            *(query(name, about) for name, about in route.query.items()),
        ],
        **operations,
    }


def _operation(path: str, route: Route, verb: Verb | None, rule: Rule) -> dict[str, Any]:
    method = METHODS[verb].lower() if verb is not None else "options"
    described: dict[str, Any] = {
        "operationId": method + re.sub(r"[^a-z0-9]+", "_", path.removeprefix("/v1")).rstrip("_"),
        "tags": [_tag(path)],
        "description": f"Needs {rule.needs}." if verb is not None else "Shows what the caller may do.",
        "responses": _responses(route, verb, rule),
    }
    if more := list(_headers(route, verb)):
        described["parameters"] = [ref("parameters", name) for name in more]
    if (sent := _body(route, verb)) is not None:
        described["requestBody"] = sent
    if (security := _security(route, verb, rule)) is not None:
        described["security"] = security
    return described


def _security(route: Route, verb: Verb | None, rule: Rule) -> list[dict[str, list[str]]] | None:
    """Return the credentials that an operation accepts; None for the usual ones."""
    if rule is ANYONE or rule.candid:
        return [{}]
    if rule is FIRST_HAND:
        return [{}, {"password": []}]
    return [{"token": []}, {"session": []}, {"password": []}] if _tries(route, verb) else None


def _tries(route: Route, verb: Verb | None) -> bool:
    """Return whether the operation takes a password, so that attempts are limited."""
    schema = route.node.schema if verb is Verb.WRITE and isinstance(route.node, File) else None
    return "password" in (schema or {}).get("properties", {})


def _tag(path: str) -> str:
    """Return the tag of a path: the folder before its first name that is not a user's."""
    words = path.removeprefix("/v1/users/{user}").removeprefix("/v1").strip("/").split("/")
    named = next((index for index, word in enumerate(words) if word.startswith("{")), min(len(words), 2))
    return words[max(named - 1, 0)] or "root"


def _responses(route: Route, verb: Verb | None, rule: Rule) -> dict[str, Any]:
    responses = {str(status): ref("responses", str(status)) for status in _statuses(route, verb, rule)}
    responses["200"] = _success(route, verb)
    return dict(sorted(responses.items()))


def _statuses(route: Route, verb: Verb | None, rule: Rule) -> Iterator[int]:
    node, file = route.node, route.node if isinstance(route.node, File) else None
    made = isinstance(node, Subtree) or (file is not None and (file.read is not None or file.wants == "blob"))
    yield 200
    yield from REFUSED[verb]
    if verb is Verb.READ:
        yield from (204, 206, 304, 410, 416) if made else (304,)
        # A GET repeats the response to a trigger, whose run may have failed or been canceled.
        yield from (409, 422) if file is not None and made and ANYTHING in file.media else ()
    elif verb is Verb.WRITE:
        yield from (201, 405) if isinstance(node, Subtree) else (201,)
        yield from (202, 204) if file is None or file.write is not None else ()
        yield from (422,) if file is not None and FORM in file.media else ()
        yield from (429,) if _tries(route, verb) else ()
    elif verb in (Verb.CREATE, Verb.RENAME):
        yield 201


def _success(route: Route, verb: Verb | None) -> dict[str, Any]:
    """Return the response for success: a shared one, except for files with declared media types."""
    node = route.node
    if verb is None:
        return ref("responses", "about")
    if verb is not Verb.READ:
        return ref("responses", "result" if isinstance(node, File) and node.wants == "raw" else "said")
    if isinstance(node, Subtree):
        return ref("responses", "result")
    if route.folder:
        return ref("responses", "folder" if getattr(node, "read", None) is None else "either")
    media = node.media if isinstance(node, File) else (node.media,) if isinstance(node, Derived) else ()
    if {*media} <= {*EITHER}:
        return ref("responses", "either")
    return response(200, dict.fromkeys((*EITHER, *media)), WITH[200])


def _headers(route: Route, verb: Verb | None) -> Iterator[str]:
    """Return the headers that only some operations use."""
    file = route.node if isinstance(route.node, File) else None
    if verb is Verb.READ:
        yield "history"
        if file is not None and EVENTS in file.media:
            yield "since"
        elif isinstance(route.node, Subtree) or (file is not None and file.media != ("text/plain",)):
            yield "range"
    elif verb is Verb.WRITE and file is not None and FORM in file.media:
        yield "prefer"


def _body(route: Route, verb: Verb | None) -> Mapping[str, Any] | None:
    node = route.node
    if verb is Verb.RENAME:
        return ref("requestBodies", "rename")
    if verb not in (Verb.WRITE, Verb.CREATE):
        return None
    if isinstance(node, Subtree):
        return {"content": {"*/*": {}}}
    if not isinstance(node, File) or (verb is Verb.CREATE and node.fixed):
        return None
    if node.wants == "text":
        return body(node.largest, node.values)
    schema = close_schema(node.schema) if node.schema else {}
    return {
        "content": {media: {"schema": schema} if media == "application/json" else {} for media in node.media}
    }


def _names(path: str, route: Route, parameters: dict[str, Any]) -> Iterator[str]:
    """Return the parameters of a path, each described once with the pattern of its names."""
    patterns = {}
    at: Route | None = route
    while at is not None:
        if at.holder is not None and isinstance(at.holder.node, Items | Each):
            patterns[at.name[1:]] = (at.holder.node.name.pattern, at.node.about)
        at = at.parent
    for name in re.findall(r"\{(\w+)\}", path):
        pattern, about = patterns.get(name, (ANY_NAME.pattern, "a path below this folder"))
        schema = {"type": "string", "pattern": f"^(?:{pattern})$"}
        parameter = {"name": name, "in": "path", "required": True, "description": about, "schema": schema}
        known = next(
            (key for key, one in parameters.items() if one["schema"] == schema and one["name"] == name), None
        )
        key = known or next(key for key in _keys(name) if key not in parameters)
        parameters.setdefault(key, parameter)
        yield key


def _keys(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _outside(path: str) -> dict[str, Any]:
    """Return the description of a path outside of the API."""
    health = path != "/openapi.json"
    schema = {"schema": ref("schemas", "Health")} if health else {}
    answers: dict[str, Any] = {
        "200": {
            "description": SAID[200],
            "content": {"application/json": schema, **({"text/plain": TEXT} if health else {})},
        }
    }
    if path == "/readyz":
        answers["503"] = {**answers["200"], "description": SAID[503]}
    if not health:
        answers |= {str(status): ref("responses", str(status)) for status in (304, 412)}
    about = {"/healthz": "whether the process answers", "/readyz": "whether it can serve"}
    operation = {
        "operationId": "get_" + path.strip("/").replace(".", "_"),
        "tags": ["service"],
        "summary": about.get(path, "this description"),
        "security": [{}],
        "responses": answers,
    }
    return {"get": operation}
