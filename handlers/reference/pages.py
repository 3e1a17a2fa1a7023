"""The manual as text over HTTP, and the description of the API for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

import orjson

from handlers.http.conditions import etag, is_not_modified
from handlers.http.headers import ALIKE
from handlers.http.negotiation import accept_media
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.reference.hook_schema import HOOK_SCHEMA
from handlers.reference.manual import SHOWN_ORIGIN, Chapter, at_origin, contents, contents_for_agents
from handlers.reference.openapi import document
from vfs.path import Path
from vfs.tree import Tree

MARKDOWN = "text/markdown; charset=utf-8"
Page = Callable[[RequestHead], Answer]


class Face(NamedTuple):
    """The bytes of a text in one form, their media type and their validator."""

    body: bytes
    media: str
    tag: str

    def at_origin(self, origin: str | None) -> Face:
        """Return the same with the server's own address in its examples."""
        if not origin or origin == SHOWN_ORIGIN or SHOWN_ORIGIN.encode() not in self.body:
            return self
        return _face(at_origin(self.body.decode(), origin).encode(), self.media)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the form for callers who request none by name, and as markdown if it has that form."""

    plain: Face
    markdown: Face | None = None

    def __call__(self, ask: RequestHead) -> Answer:
        """Return the requested form, or that it is unchanged."""
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
    """Return every text by its path. They are built once, as they change only with the program."""
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
