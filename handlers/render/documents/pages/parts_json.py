"""Parts of a document as JSON, in which they travel to whoever renders it."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

from handlers.render.documents.pages.part_models import (
    AssetPart,
    AuthorPart,
    DocumentParts,
    PartRequests,
    VariablePart,
    VisPart,
    VisRequest,
)
from handlers.render.plots.plot import Plot


def dump_parts(parts: DocumentParts) -> str:
    """The parts as JSON; bytes are in base 64."""
    fields = {
        "visuals": {key: asdict(part) for key, part in parts.visuals.items()},
        "assets": {name: _dump_asset(part) for name, part in parts.assets.items()},
        "authors": {
            name: {"name": part.name, "bio": part.bio, "picture": part.picture and _dump_asset(part.picture)}
            for name, part in parts.authors.items()
        },
        "variables": {path: asdict(part) for path, part in parts.variables.items()},
        "reasons": dict(parts.reasons),
    }
    return json.dumps(fields, sort_keys=True)


def dump_requests(requests: PartRequests) -> str:
    """The requests as JSON."""
    return json.dumps(asdict(requests))


def load_requests(text: str) -> PartRequests:
    """The requests that were dumped."""
    fields = json.loads(text)
    visuals = tuple(VisRequest(**request) for request in fields.pop("visuals"))
    return PartRequests(visuals, **{name: tuple(refs) for name, refs in fields.items()})


def load_parts(text: str) -> DocumentParts:
    """The parts that were dumped."""
    fields = json.loads(text)
    return DocumentParts(
        {key: _load_vis(part) for key, part in fields["visuals"].items()},
        {name: _load_asset(part) for name, part in fields["assets"].items()},
        {name: _load_author(part) for name, part in fields["authors"].items()},
        {path: VariablePart(**part) for path, part in fields["variables"].items()},
        fields["reasons"],
    )


def _dump_asset(part: AssetPart) -> dict[str, str]:
    return {"media": part.media, "body": base64.b64encode(part.body).decode()}


def _load_asset(fields: dict[str, str]) -> AssetPart:
    return AssetPart(base64.b64decode(fields["body"]), fields["media"])


def _load_author(fields: dict[str, Any]) -> AuthorPart:
    picture = _load_asset(fields["picture"]) if fields["picture"] else None
    return AuthorPart(fields["name"], fields["bio"], picture)


def _load_vis(fields: dict[str, Any]) -> VisPart:
    plot = Plot(**fields["plot"]) if fields["plot"] else None
    return VisPart(
        fields["pictures"], fields["description"], plot, fields.get("url", ""), fields.get("signs", "")
    )
