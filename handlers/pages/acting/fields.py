"""Fields of forms: which one a refusal is about, and what may be shown again of what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from handlers.pages.forms import SentForm
from vfs.errors import Invalid, VfsError
from vfs.path import ANY_NAME

FIELD = "field"
TEXT, BASE = "text.", "base."
"""The beginnings of the names of fields of an editor: a text as it was typed, and as it had been shown."""
SECRET = re.compile(
    r"^(?!text\.|base\.|etag\.|remove |(was:)?(box|head)-).*(pass|secret|token|code|key)|^env |^new value$",
    re.IGNORECASE,
)
"""Names of fields whose content is never sent back; texts, ticks and boxes of an editor are none of them."""


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Let what is refused in this block stand at the field of that name."""
    try:
        yield
    except VfsError as error:
        error.members.setdefault(FIELD, name)
        raise


def typed_name(form: SentForm, field: str) -> str:
    """The name in a field, "" where none was typed. Raises Invalid at the field for what no path holds."""
    name = form[field].strip()
    if name and ANY_NAME.fullmatch(name) is None:
        with at_field(field):
            raise Invalid("a name has no slash and no control character, and 255 characters at most")
    return name


def shown_again(fields: Mapping[str, str]) -> dict[str, str]:
    """Leave out secrets: what a refused form shows again of what was typed."""
    return {name: value for name, value in fields.items() if not SECRET.search(name)}


def sentences_by_field(error: VfsError) -> dict[str, str]:
    """The sentence about the field that a refusal is about, by the field's name."""
    name = error.members.get(FIELD)
    return {name: error.detail} if isinstance(name, str) else {}


def refused_fields(error: VfsError | None) -> Mapping[str, str]:
    """The reasons of a refusal by the names of the fields that it is about; none of one that names none."""
    if error is None:
        return {}
    rejected = error.members.get("rejected")
    if not isinstance(rejected, list):
        return sentences_by_field(error)
    return {str(one["field"]): str(one["reason"]) for one in rejected if "field" in one}


def blame_field(error: VfsError, field: str, reason: str = "") -> VfsError:
    """The same refusal, told at a field, too; `reason` is what it says there where that is shorter."""
    error.members = {**error.members, "rejected": [{"field": field, "reason": reason or error.detail}]}
    return error
