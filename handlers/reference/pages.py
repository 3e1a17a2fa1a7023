"""The manual as text over HTTP, and the description of the API for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import NamedTuple

import orjson

from handlers.http.conditions import etag, is_not_modified
from handlers.http.headers import ALIKE
from handlers.http.negotiation import accept_media
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.reference.manual import SHOWN_ORIGIN, Chapter, at_origin, contents, contents_for_agents
from handlers.reference.openapi import document
from vfs.path import Path
from vfs.ports.clock import Clock, stamp
from vfs.tree import Tree

_TEXT: Mapping[str, str] = {"type": "string"}
_TIME: Mapping[str, str] = {"type": "string", "format": "date-time"}
_EVENT: Mapping[str, str] = {
    "event_class": "content, resource, share, comment or run",
    "event_type": "the kind of the event, as `type`",
    "target_fqnp": "the address of the changed resource, below that of the server",
    "actor": "the user who did it; empty if you do not see that account",
    "level": "info",
}
HOOK_SCHEMA: Mapping[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A message of a hook",
    "type": "object",
    "required": ["type", "timestamp", "data"],
    "additionalProperties": False,
    "properties": {
        "type": {
            "type": "string",
            "pattern": "^[a-z0-9]+([_.][a-z0-9]+)*$",
            "description": "the kind of the event, such as run_failed; test for a test",
        },
        "timestamp": {**_TIME, "description": "when it happened"},
        "data": {
            "type": "object",
            "description": "the event; a message that is not an event has other fields",
            "properties": {
                "text": {**_TEXT, "description": "a sentence about it, which chats show"},
                "url": {**_TEXT, "description": "the page of the changed resource"},
                **{name: {**_TEXT, "description": about} for name, about in _EVENT.items()},
                "ts": {**_TIME, "description": "when it happened"},
            },
            "dependentRequired": {"event_type": ["text", "url", "ts", *_EVENT]},
        },
    },
}


MARKDOWN = "text/markdown; charset=utf-8"
Page = Callable[[RequestHead], Answer]


class Face(NamedTuple):
    """The content of a text in one form, its media type and its validator."""

    body: bytes
    media: str
    tag: str

    def at_origin(self, origin: str | None) -> Face:
        """Return the form with the server's own address in the examples."""
        if not origin or origin == SHOWN_ORIGIN or SHOWN_ORIGIN.encode() not in self.body:
            return self
        return _face(at_origin(self.body.decode(), origin).encode(), self.media)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in its default form, and in markdown if that is another form."""

    plain: Face
    markdown: Face | None = None

    def __call__(self, ask: RequestHead) -> Answer:
        """Return the requested form, or 304 if it is unchanged."""
        wanted = accept_media(ask.environ.get("HTTP_ACCEPT"), ("text/markdown",), "text/plain")
        face = self.markdown if self.markdown and wanted == "text/markdown" else self.plain
        face = face.at_origin(ask.origin)
        answer = Answer(HTTPStatus.OK, [("ETag", face.tag), ("Content-Type", face.media)], cache=ALIKE)
        if is_not_modified(ask.environ, face.tag):
            answer.status = HTTPStatus.NOT_MODIFIED
        else:
            answer.body = face.body
        return answer


def pages(tree: Tree, chapters: Mapping[str, Chapter], version: str) -> Mapping[Path, Page]:
    """Return every text by its path. They are built once, because only a new version changes them."""
    whole = contents(chapters)
    return {
        Path(("docs",)): _text(whole, whole),
        **{Path(("docs", one.name)): _text(one.markdown, one.terminal) for one in chapters.values()},
        **{Path(("docs", f"{one.name}.md")): _markdown(one.markdown) for one in chapters.values()},
        Path(("llms.txt",)): Text(_face(contents_for_agents(chapters).encode(), PLAIN)),
        Path(("docs", "hooks.json")): Text(_face(orjson.dumps(HOOK_SCHEMA), JSON)),
        Path(("openapi.json",)): Text(_face(orjson.dumps(document(tree, version)), JSON)),
    }


def _text(markdown: str, terminal: str) -> Text:
    return Text(_face(terminal.encode(), PLAIN), _face(markdown.encode(), MARKDOWN))


def _markdown(text: str) -> Text:
    return Text(_face(text.encode(), MARKDOWN))


def _face(body: bytes, media: str) -> Face:
    return Face(body, media, etag(body))


PLACE = Path((".well-known", "security.txt"))
GOOD_FOR = timedelta(days=180)
SCHEMES = ("mailto:", "https://", "tel:")


def contact_page(contact: str, clock: Clock) -> Mapping[Path, Page]:
    """Return the page with `contact`, an address or URI of the operator; none without one."""
    if not contact:
        return {}
    address = contact if contact.startswith(SCHEMES) else f"mailto:{contact}"

    def page(ask: RequestHead) -> Answer:
        # Only the date, so that the text is the same for a day and can be cached.
        until = (clock.now() + GOOD_FOR).replace(hour=0, minute=0, second=0, microsecond=0)
        lines = [f"Contact: {address}", f"Expires: {stamp(until)}"]
        if ask.origin:
            lines.append(f"Policy: {ask.origin}/docs/security")
        answer = Answer(HTTPStatus.OK, [("Content-Type", PLAIN)], cache=ALIKE)
        answer.body = "".join(f"{line}\n" for line in lines).encode()
        return answer

    return {PLACE: page}
