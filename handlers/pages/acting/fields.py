"""Fields of forms: the field that an error is about, input that may be shown again, common choices."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.services.alerts.alert_rules import HOOK, MAIL, NOTICES
from vfs.errors import Invalid, VfsError
from vfs.normal_form import normalize
from vfs.path import ANY_NAME, NAME, Path

FIELD = "field"
LONGEST_NAME = 64
FAULTY = re.compile(r"[^a-z0-9_-]+")
TEXT, BASE = "text.", "base."
"""Prefixes of an editor's field names: a text as typed, and as it was shown."""
SECRET = re.compile(
    r"^(?!text\.|base\.|etag\.|remove |(was:)?(box|head)-|(?:token_name|key|code)$)"
    r".*(pass|secret|token|code|key)|^env |^new value$",
    re.IGNORECASE,
)
"""Names of fields whose content is never sent back.

These do not include texts and checkboxes of an editor, names of tokens, public keys, and codes of mails.
"""


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Report errors raised in this block at the field of that name."""
    try:
        yield
    except VfsError as error:
        error.members.setdefault(FIELD, name)
        raise


def write_changed(
    request: PageRequest,
    folder: Path,
    typed: Mapping[str, str],
    stored: Mapping[str, str],
    cleared: Collection[str] = (),
) -> None:
    """Write the files below a folder whose typed text is not the stored one, all or none.

    An empty text of one of the `cleared` files clears it. Errors are reported at the field of a file's name.
    """
    with request.world.atomic():
        for rel, text in typed.items():
            if text != stored[rel]:
                with at_field(rel):
                    request.write(folder / rel.split("/"), text, clears=rel in cleared)


def typed_name(form: SentForm, field: str) -> str:
    """Return the name in a field, "" if empty. Raises Invalid at the field for an invalid name."""
    name = form[field].strip()
    if name and ANY_NAME.fullmatch(name) is None:
        with at_field(field):
            raise Invalid("a name has no slash and no control character, and 255 characters at most")
    return name


def name_of(title: str) -> str:
    """Return the address for a title: its letters without diacritics, joined by `_`."""
    plain = normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return FAULTY.sub("_", plain).strip("_-")[:LONGEST_NAME].rstrip("_-")


def address_name(form: SentForm, field: str) -> str:
    """Return the name in a field; convert text that is not a name as `name_of` does."""
    typed = typed_name(form, field)
    return typed if NAME.fullmatch(typed) else name_of(typed) or typed


def shown_again(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that a refused form may show again: all but secrets."""
    return {name: value for name, value in fields.items() if not SECRET.search(name)}


def refused_fields(error: VfsError | None) -> dict[str, str]:
    """Return the reasons of an error by field name; empty if the error names no field."""
    if error is None:
        return {}
    rejected, name = error.members.get("rejected"), error.members.get(FIELD)
    several = rejected if isinstance(rejected, list) else ()
    found = {str(one["field"]): str(one["reason"]) for one in several if "field" in one}
    return {**found, name: error.detail} if isinstance(name, str) else found


def blame_field(error: VfsError, field: str, reason: str = "") -> VfsError:
    """Return the same error, with a reason at a field; `reason` replaces the detail there."""
    error.members = {**error.members, "rejected": [{"field": field, "reason": reason or error.detail}]}
    return error


HOOKS = Path.parse("/v1/admin/hooks")


def target_choices(request: PageRequest) -> list[tuple[str, str]]:
    """Return values of the file `to` of alerts with their labels: notices, mail, and the caller's hooks."""
    found = [(NOTICES, "By notice"), (f"{NOTICES}, {MAIL}", "By notice and mail")]
    for row in request.peek(HOOKS, ()):
        found.append((f"{NOTICES}, {HOOK} {row.name}", f"By notice and the hook {row.name}"))
        found.append((f"{HOOK} {row.name}", f"By the hook {row.name}"))
    return found
