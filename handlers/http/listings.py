"""Folder rows and the description of a route as JSON and as text, with HTTP method names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from json.encoder import encode_basestring

import orjson

from handlers.rules.plain_lines import shown_line
from handlers.words.terminal_signs import safe_json
from vfs.access import Verb
from vfs.call import About, Entry

METHODS = {
    Verb.READ: "GET",
    Verb.WRITE: "POST",
    Verb.CREATE: "PUT",
    Verb.RENAME: "PATCH",
    Verb.REMOVE: "DELETE",
}

_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS


@lru_cache(maxsize=64)
def methods(verbs: tuple[Verb, ...]) -> tuple[str, ...]:
    """Return the methods for a route where a caller may use these verbs, in a fixed order."""
    return ("OPTIONS", *(method for verb, method in METHODS.items() if verb in verbs)) if verbs else ()


def allow(verbs: Iterable[Verb]) -> str:
    """Return the value of an Allow header; GET implies HEAD."""
    names = methods(tuple(verbs)) or ("OPTIONS",)
    return ", ".join(("GET, HEAD" if name == "GET" else name) for name in (*names[1:], names[0]))


def as_json(value: object) -> bytes:
    """Serialise a value to JSON: lists with one element a line, for terminals and grep; others indented.

    All control characters are escaped, also those that JSON need not escape.
    """
    if isinstance(value, list | tuple):
        if not value:
            return b"[]\n"
        is_listing = isinstance(value[0], Entry)
        lines = _rows(value) if is_listing else b",\n".join([_compact(one) for one in value])
        return safe_json(b"[\n%b\n]\n" % lines)
    body = orjson.dumps(value, _plain, _OPTIONS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return safe_json(body)


def as_lines(rows: Sequence[Entry]) -> str:
    """Format a listing for people: lines with kind, permission letters, change, name and text."""
    return "".join(
        f"{row.type[0]}{''.join(letter if letter in row.permissions else '-' for letter in 'rwdx')}"
        f"  {row.last_modified}  {row.name}{'/' if row.type == 'dir' else ''}{_text(row)}\n"
        for row in rows
    )


def _text(row: Entry) -> str:
    """Return the text of an entry that is a sentence, such as a notice, in one line after its name."""
    said = row.extra.get("text") if row.extra is not None else None
    return f"  {shown_line(said)}" if isinstance(said, str) else ""


def _compact(value: object) -> bytes:
    return orjson.dumps(value, _plain, _OPTIONS)


def _rows(rows: Iterable[Entry]) -> bytes:
    """Return rows with one line each; members that many adjacent rows share are serialised once."""
    quoted, lines = encode_basestring, list[str]()
    shared: object = None
    middle = ""
    for row in rows:
        name, uri, kind, permissions, verbs, created_on, last_modified, target, extra = row
        if target is not None or extra is not None:
            lines.append(orjson.dumps(_row(row)).decode())
            continue
        if shared != (alike := (kind, permissions, verbs)):
            shared, middle = alike, _middle(kind, permissions, verbs)
        lines.append(
            f'{{"name":{quoted(name)},"uri":{quoted(uri)},{middle}'
            f'"created_on":"{created_on}","last_modified":"{last_modified}"}}'
        )
    return ",\n".join(lines).encode()


@lru_cache(maxsize=512)
def _middle(kind: str, permissions: tuple[str, ...], verbs: tuple[Verb, ...]) -> str:
    """Return the members that most rows of a listing share, serialised once."""
    members = {"type": kind, "permissions": permissions, "actions": methods(verbs)}
    return orjson.dumps(members)[1:-1].decode() + ","


def _row(entry: Entry) -> dict[str, object]:
    row: dict[str, object] = {
        "name": entry.name,
        "uri": entry.uri,
        "type": entry.type,
        "permissions": entry.permissions,
        "actions": methods(entry.verbs),
        "created_on": entry.created_on,
        "last_modified": entry.last_modified,
    }
    if entry.target is not None:
        row["target"] = entry.target
    if entry.extra is not None:
        row.update(entry.extra)
    return row


def _about(about: About) -> dict[str, object]:
    described: dict[str, object] = {**_row(about.entry), "about": about.about}
    if about.accepts:
        described["accepts"] = about.accepts
    if about.values:
        described["values"] = about.values
    if about.default is not None:
        described["default"] = about.default
    if about.largest is not None:
        described["max_bytes"] = about.largest
    if about.query:
        described["query"] = about.query
    return described


def _plain(value: object) -> object:
    if isinstance(value, Entry):
        return _row(value)
    if isinstance(value, About):
        return _about(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
