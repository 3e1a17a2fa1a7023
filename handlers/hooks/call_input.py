"""The input of a run that a call of a hook starts: its body, and headers if the hook keeps some.

JSON and files are read as by a POST to the job's own address. Forms and other bodies, which services send and
people do not, become files as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import orjson

from chains.files.fsync import write_durably
from handlers.http.bodies.body import RequestBody
from handlers.http.bodies.form_fields import all_fields
from handlers.http.bodies.multipart import store
from handlers.services.runs.kept_inputs import ALONE, NO_INPUT, StoredInput, bring_input
from handlers.services.world import World
from vfs.access import EVERYBODY
from vfs.errors import Invalid
from vfs.ports.items import Item

FILES, FORM, JSON = "multipart/form-data", "application/x-www-form-urlencoded", "application/json"
REQUEST = "request.json"
NAMES = {"text/csv": "input.csv", "application/xml": "input.xml", "text/xml": "input.xml"}
MOST_FIELDS = 1000
LONGEST_CHALLENGE = 16 << 10

Environ = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallInput:
    """A call whose body has arrived: its media type, its bytes, and the headers that its run finds."""

    content_type: str
    content: bytes
    headers: Mapping[str, str] | None

    @property
    def body(self) -> RequestBody:
        """The body, to be read like that of any request."""
        stream, length = BytesIO(self.content), str(len(self.content))
        return RequestBody(
            {"CONTENT_TYPE": self.content_type, "CONTENT_LENGTH": length, "wsgi.input": stream}
        )

    @property
    def is_json(self) -> bool:
        """Whether the body is a JSON document, by its media type."""
        media = self.body.media or ""
        return media == JSON or media.endswith("+json")

    def challenge(self) -> str | None:
        """Return the word that Slack wants back before it sends anything; None for other calls."""
        if not self.is_json or len(self.content) > LONGEST_CHALLENGE or b"challenge" not in self.content:
            return None
        sent = orjson.loads(self.body.document(LONGEST_CHALLENGE))
        if not isinstance(sent, dict) or sent.get("type") != "url_verification":
            return None
        word = sent.get("challenge")
        return word if isinstance(word, str) and word.isascii() and word.isprintable() else None


def header_of(environ: Environ, name: str) -> str:
    """Return a header of a request, "" if it was not sent."""
    word = name.upper().replace("-", "_")
    return str(environ.get(word if word in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{word}", ""))


def bring_call(world: World, job: Item, hook: str, call: CallInput) -> StoredInput:
    """Return a new folder with the input that a call brings, kept for repetitions.

    Anybody who has the address may have sent it. Raises Invalid, TooLarge, WrongMedia, NoSpace, Unavailable.
    """
    behind = {EVERYBODY: f"anybody who has the address of the hook {hook} could send the input"}
    if not call.content and not call.is_json and call.body.media != FILES and call.headers is None:
        return NO_INPUT._replace(behind=behind)

    def write(folder: Path) -> None:
        _write_body(world, call, folder)
        if call.headers is not None:
            _write_document(folder / REQUEST, {"hook": hook, "headers": dict(call.headers)})

    return bring_input(world, job, write)._replace(behind=behind)


def _write_body(world: World, call: CallInput, folder: Path) -> None:
    body, limit, parts = call.body, len(call.content), world.service.settings.input_parts
    if call.is_json:
        write_durably(folder / ALONE, body.document(limit))
    elif body.media == FILES:
        fields = all_fields(call.body.chunks(limit), call.content_type, MOST_FIELDS)
        if not fields:
            body.files(folder, limit, parts)
            return
        store(call.body.chunks(limit), call.content_type, folder, parts, form=True)
        _write_document(folder / ALONE, _joined(fields))
    elif body.media == FORM:
        _write_document(folder / ALONE, _joined(_form_fields(call.content)))
    elif call.content:
        usual = "input.txt" if (body.media or "").startswith("text/") else "input.bin"
        write_durably(folder / NAMES.get(body.media or "", usual), call.content)


def _write_document(place: Path, said: object) -> None:
    if place.exists():
        raise Invalid(f'no file that is sent here may be named "{place.name}": rename it')
    write_durably(place, orjson.dumps(said))


def _form_fields(content: bytes) -> list[tuple[str, str]]:
    """Return the fields of a form. Raises Invalid, also for JSON that curl's -d sent as a form."""
    if content.lstrip()[:1] in (b"{", b"["):
        raise Invalid("this is JSON, sent as a form: send it with  -H 'Content-Type: application/json'")
    try:
        return parse_qsl(
            content.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Invalid(f"the form is malformed, not in UTF-8, or has over {MOST_FIELDS} fields") from None


def _joined(fields: list[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Return fields as an object; the values of a repeated field are a list."""
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
