"""Documents as JSON, as they are kept beside the text that they were read from."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from handlers.render.documents.markup import blocks, box_look, spans
from handlers.render.documents.markup.blocks import Document

KIND = "is"
KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for module in (blocks, box_look, spans)
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind)
}


def dump_document(document: Document) -> str:
    """The document as JSON; fields at their defaults are left out."""
    return json.dumps(_plain(document), ensure_ascii=False, separators=(",", ":"))


def load_document(text: str) -> Document:
    """The document that was dumped. Raises ValueError for any other text."""
    try:
        document = _model(json.loads(text))
    except (TypeError, KeyError) as error:
        raise ValueError("this is no document") from error
    if not isinstance(document, Document):
        raise ValueError("this is no document")
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if not is_dataclass(value):
        return value
    made: dict[str, Any] = {KIND: type(value).__name__}
    for field in fields(value):
        held = getattr(value, field.name)
        if field.default is MISSING or held != field.default:
            made[field.name] = _plain(held)
    return made


def _model(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_model(one) for one in value)
    if isinstance(value, dict):
        return KINDS[value[KIND]](**{key: _model(one) for key, one in value.items() if key != KIND})
    return value
