"""The status line: the result of a form, shown on the next page, with a form that undoes it.

Both are part of that page's address. A sentence with quoted values, and an Undo, are signed for the session
in which they were made, so that a link from elsewhere cannot put words or a form on a page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from handlers.pages.framing.page_words import sentences
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect

LONGEST = 3_000
"""Maximum characters in the address; a longer Undo is left out."""


@dataclass(frozen=True, slots=True)
class StatusLine:
    """The sentence on the result of a form, and the path and fields of the form that undoes it, if any."""

    said: str = ""
    undo: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


NONE = StatusLine()


def address(request: PageRequest, to: Redirect) -> str:
    """Return the address of the next page, with the result in its query."""
    if not to.done:
        return to.path
    sent = {"done": to.done}
    about = _write(to, undo=True)
    if about and len(about) > LONGEST:
        about = _write(to, undo=False)
    if about:
        sent |= {"about": about, "mark": request.world.service.seal.mark(_mark_text(request, to.done, about))}
    path, _, fragment = to.path.partition("#")
    return f"{path}{'&' if '?' in path else '?'}{urlencode(sent)}{f'#{fragment}' if fragment else ''}"


def every_sentence(*, sends_mail: bool) -> Mapping[str, str]:
    """Return the sentences on the results of forms, by their keys; some differ without a mail relay."""
    return {**sentences()["done"], **({} if sends_mail else sentences()["done without a relay"])}


def status(request: PageRequest, sentences: Mapping[str, str]) -> StatusLine:
    """Return the sentence, with its Undo, from the query of a page's address."""
    query = request.query
    said, about = sentences.get(query.get("done", ""), ""), _read(request, query)
    try:
        return StatusLine(said.format_map(about["values"]), about["undo"], about["fields"])
    except (KeyError, IndexError, ValueError):
        return NONE


def _write(to: Redirect, *, undo: bool) -> str:
    if not to.values and not (undo and to.undo):
        return ""
    facts = {
        "values": dict(to.values),
        "undo": (to.undo_at or to.path) if undo and to.undo else "",
        "fields": dict(to.undo or {}),
    }
    return json.dumps(facts if undo else {**facts, "fields": {}}, separators=(",", ":"))


def _read(request: PageRequest, query: Mapping[str, str]) -> dict[str, Any]:
    about, mark = query.get("about", ""), query.get("mark", "")
    if about and request.world.service.seal.is_mark_of(mark, _mark_text(request, query["done"], about)):
        return dict(json.loads(about))
    return {"values": {}, "undo": "", "fields": {}}


def _mark_text(request: PageRequest, done: str, about: str) -> str:
    return f"done in session {request.caller.token}: {done} {about}"
