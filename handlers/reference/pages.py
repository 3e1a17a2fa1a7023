"""The manual over HTTP, and the description of the API for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import NamedTuple

import orjson

from handlers.http.conditions import etag, is_not_modified
from handlers.http.headers import ALIKE, Policy, policy_of
from handlers.http.negotiation import accept_media
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.reference.frame import page, policy
from handlers.reference.manual import contents, manual
from handlers.reference.openapi import document
from vfs.path import Path
from vfs.tree import Tree

HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
Page = Callable[[RequestHead], Answer]


class Face(NamedTuple):
    """The bytes of a page in one form, their media type and their validator."""

    body: bytes
    media: str
    tag: str


@dataclass(frozen=True, slots=True)
class Text:
    """A page with a face for browsers, one for programs that read markdown, and one for terminals."""

    faces: Mapping[str, Face]

    def __call__(self, ask: RequestHead) -> Answer:
        """The face that was asked for; plain text when none was by name."""
        form = accept_media(ask.environ.get("HTTP_ACCEPT"), ("text/html", "text/markdown"), "text/plain")
        return _sent(ask, self.faces[form])


@dataclass(frozen=True, slots=True)
class Document:
    """A page that has one face."""

    face: Face

    def __call__(self, ask: RequestHead) -> Answer:
        """Its face, or that it is unchanged."""
        return _sent(ask, self.face)


def pages(tree: Tree, version: str) -> Mapping[Path, Page]:
    """Every page by its path. They are made here, once; what they tell changes with the program alone."""
    chapters = manual(tree)
    foot = f"Curlew {version}"
    links = {"/docs": "Manual", **{one.address: one.title for one in chapters.values()}}
    made = {
        Path(("docs", one.name)): _text(one.title, one.markdown, one.address, foot, one.terminal, links)
        for one in chapters.values()
    }
    return {
        Path(("docs",)): _text("The manual", contents(chapters), "/docs", foot, contents(chapters), links),
        **made,
        Path(("openapi.json",)): Document(_face(orjson.dumps(document(tree, version)), JSON)),
    }


def _text(title: str, markdown: str, here: str, foot: str, plain: str, links: Mapping[str, str]) -> Text:
    shown = page(title, markdown, links=links, here=here, foot=foot, wide=here == "/docs/api")
    return Text(
        {
            "text/html": _face(shown.encode(), HTML),
            "text/markdown": _face(markdown.encode(), MARKDOWN),
            "text/plain": _face(plain.encode(), PLAIN),
        }
    )


def _face(body: bytes, media: str) -> Face:
    return Face(body, media, etag(body))


@cache
def _policy() -> Policy:
    """What a page in the face for browsers may do."""
    return policy_of(policy(), "no-referrer")


def _sent(ask: RequestHead, face: Face) -> Answer:
    answer = Answer(HTTPStatus.OK, [("ETag", face.tag), ("Content-Type", face.media)], cache=ALIKE)
    if face.media == HTML:
        answer.policy = _policy()
    if is_not_modified(ask.environ, face.tag):
        answer.status = HTTPStatus.NOT_MODIFIED
    else:
        answer.body = face.body
    return answer
