"""Pages for those who write against the API: the tour, its table, the meaning of errors, its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, metadata
from typing import NamedTuple

import orjson

from handlers.http.conditions import etag, unchanged
from handlers.http.headers import ALIKE, Policy, policy_of
from handlers.http.negotiation import preferred
from handlers.http.request_head import Asked
from handlers.http.response import JSON, PLAIN, Answer
from handlers.http.welcome import welcome
from handlers.reference import errors as explained
from handlers.reference import outline
from handlers.reference.frame import page, policy
from handlers.reference.openapi import document
from handlers.render.markdown import sections
from vfs.path import Path
from vfs.tree import Tree

HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
LINKS = {
    "/docs": "Tour",
    "/docs/api": "API",
    "/docs/errors": "Errors",
    "/docs/security": "Security",
    "/openapi.json": "OpenAPI",
}

Page = Callable[[Asked], Answer]


class Face(NamedTuple):
    """The bytes of a page in one form, their media type and their validator."""

    body: bytes
    media: str
    tag: str


@dataclass(frozen=True, slots=True)
class Text:
    """A page with a face for browsers, one for programs that read markdown, and one for terminals."""

    faces: Mapping[str, Face]

    def __call__(self, ask: Asked) -> Answer:
        """The face that was asked for; plain text when none was by name."""
        form = preferred(ask.environ.get("HTTP_ACCEPT"), ("text/html", "text/markdown"), "text/plain")
        return _sent(ask, self.faces[form])


@dataclass(frozen=True, slots=True)
class Document:
    """A page that has one face."""

    face: Face

    def __call__(self, ask: Asked) -> Answer:
        """Its face, or that it is unchanged."""
        return _sent(ask, self.face)


def pages(tree: Tree, version: str, readme: str) -> Mapping[Path, Page]:
    """Every page by its path. They are made here, once; what they tell changes with the program alone."""
    api = f"# The API\n\n{API}\n{outline.markdown(tree)}"
    foot = f"Curlew {version}"
    return {
        Path(("docs",)): _text("A tour", tour(readme), "/docs", foot),
        Path(("docs", "api")): _text("The API", api, "/docs/api", foot, plain=outline.lines(tree), wide=True),
        Path(("docs", "errors")): _text("Errors", explained.markdown(), "/docs/errors", foot),
        Path(("docs", "security")): _text("Security", chapter(readme, "Security"), "/docs/security", foot),
        Path(("openapi.json",)): Document(_face(orjson.dumps(document(tree, version)), JSON)),
    }


def readme() -> str:
    """The README of the installed distribution; empty when the program runs without being installed."""
    try:
        return str(metadata("curlew").json.get("description", ""))
    except PackageNotFoundError:
        return ""


def tour(readme: str) -> str:
    """What a README says to those who use the service: its beginning, and its tour."""
    shown = [text for name, text in sections(readme) if not name or name.startswith("A tour")]
    if len(shown) < 2:
        return f"# Curlew\n\n```\n{welcome('http://127.0.0.1:8000')}```\n"
    return "".join(shown).rstrip() + "\n"


def chapter(readme: str, name: str) -> str:
    """One chapter of a README as a page; a sentence where there is no README."""
    found = dict(sections(readme)).get(name, f"## {name}\n\nThis chapter is in the README of Curlew.\n")
    return found.removeprefix("#").rstrip() + "\n"


def _text(title: str, markdown: str, here: str, foot: str, *, plain: str = "", wide: bool = False) -> Text:
    shown = page(title, markdown, links=LINKS, here=here, foot=foot, wide=wide)
    return Text(
        {
            "text/html": _face(shown.encode(), HTML),
            "text/markdown": _face(markdown.encode(), MARKDOWN),
            "text/plain": _face((plain or markdown).encode(), PLAIN),
        }
    )


def _face(body: bytes, media: str) -> Face:
    return Face(body, media, etag(body))


@cache
def _policy() -> Policy:
    """What a page in the face for browsers may do."""
    return policy_of(policy(), "no-referrer")


def _sent(ask: Asked, face: Face) -> Answer:
    answer = Answer(HTTPStatus.OK, [("ETag", face.tag), ("Content-Type", face.media)], cache=ALIKE)
    if face.media == HTML:
        answer.policy = _policy()
    if unchanged(ask.environ, face.tag):
        answer.status = HTTPStatus.NOT_MODIFIED
    else:
        answer.body = face.body
    return answer


API = """\
Every path with the methods that it takes and who may use each. `OPTIONS` is taken everywhere, and `HEAD`
wherever `GET` is. Words after a colon stand for names. The letters are those of shares: `r` reads, `w`
writes, `x` uses, `d` removes; `info` is any of them.
"""
