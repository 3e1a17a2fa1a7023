"""Parts of a document, as requests, as values, and as JSON: charts, assets, authors and variables."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from handlers.words.plot import Plot

UNSEEN = "it does not exist, or not all authors of this text may see it"
"""The reason for a chart that is missing or hidden from the writer or the reader."""

TOO_LARGE = "its charts and pictures are too large to be shown together"
"""The reason for a part that is omitted because the document is too large."""


@dataclass(frozen=True, slots=True)
class VisRequest:
    """A chart to be drawn; with `height` 0 the chart chooses its height.

    A `narrow` chart is for phones: its letters are larger, and a grid's cells are below each other. A
    `headed` chart is below a heading, which replaces its title.
    """

    ref: str
    width: int
    height: int = 0
    title: bool = True
    caption: bool = True
    narrow: bool = False
    headed: bool = False

    @property
    def key(self) -> str:
        """The key of the drawing."""
        marks = zip("tcnh", (self.title, self.caption, self.narrow, self.headed), strict=True)
        said = "".join(mark for mark, is_set in marks if is_set)
        return f"{self.ref}@{self.width}x{self.height}{said}"


@dataclass(frozen=True, slots=True)
class VisPart:
    """A drawn chart: SVG by mode (`light`, `dark`), description, data and page; `signs` is a grid as text."""

    pictures: Mapping[str, str]
    description: str = ""
    plot: Plot | None = None
    url: str = ""
    signs: str = ""


@dataclass(frozen=True, slots=True)
class AssetPart:
    """The bytes of an asset and their media type."""

    body: bytes
    media: str


@dataclass(frozen=True, slots=True)
class AuthorPart:
    """The profile of a user who agreed to be shown as an author."""

    name: str
    bio: str = ""
    picture: AssetPart | None = None


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A variable: its value and its format."""

    value: str
    kind: str = "number"
    format: str = ""
    threshold: str = ""


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """Everything that a document refers to and may show; `reasons` are for the other references."""

    visuals: Mapping[str, VisPart] = field(default_factory=dict)
    assets: Mapping[str, AssetPart] = field(default_factory=dict)
    authors: Mapping[str, AuthorPart] = field(default_factory=dict)
    variables: Mapping[str, VariablePart] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartRequests:
    """All references of a document, each once, in its order, and the language that it names."""

    visuals: tuple[VisRequest, ...]
    assets: tuple[str, ...]
    authors: tuple[str, ...]
    variables: tuple[str, ...]
    language: str = ""


def dump_parts(parts: DocumentParts) -> str:
    """Return the parts as JSON; bytes are in base 64."""
    return json.dumps(asdict(parts), sort_keys=True, default=in_base64)


def in_base64(body: bytes) -> str:
    """Return bytes as text, for JSON."""
    return base64.b64encode(body).decode()


def dump_requests(requests: PartRequests) -> str:
    """Return the requests as JSON."""
    return json.dumps(asdict(requests))


def load_requests(text: str) -> PartRequests:
    """Return the requests from JSON."""
    fields = json.loads(text)
    visuals = tuple(VisRequest(**request) for request in fields.pop("visuals"))
    language = fields.pop("language", "")
    return PartRequests(visuals, **{name: tuple(refs) for name, refs in fields.items()}, language=language)


def load_parts(text: str) -> DocumentParts:
    """Return the parts from JSON."""
    fields = json.loads(text)
    return DocumentParts(
        {
            key: VisPart(**{**part, "plot": Plot(**part["plot"]) if part["plot"] else None})
            for key, part in fields["visuals"].items()
        },
        {name: _load_asset(part) for name, part in fields["assets"].items()},
        {name: _load_author(part) for name, part in fields["authors"].items()},
        {path: VariablePart(**part) for path, part in fields["variables"].items()},
        fields["reasons"],
    )


def _load_asset(fields: dict[str, str]) -> AssetPart:
    return AssetPart(base64.b64decode(fields["body"]), fields["media"])


def _load_author(fields: dict[str, Any]) -> AuthorPart:
    picture = _load_asset(fields["picture"]) if fields["picture"] else None
    return AuthorPart(fields["name"], fields["bio"], picture)
