"""Headers of multipart/form-data bodies (RFC 7578) and of their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from chains.files.names import LONGEST_PATH
from vfs.errors import Invalid

# The longest path as it is and, for clients that send it twice, once more in escapes.
LONGEST_HEAD = 4 * LONGEST_PATH + 1024
MOST_HEADERS = 16
LONGEST_BOUNDARY = 200
_SHOWN = 120

# Possessive throughout: a header is read once from start to end, however odd it is.
_PARAMETER = re.compile(
    r';\s*+([!#$%&\'*+.^_`|~0-9A-Za-z-]++)\s*+=\s*+("(?:[^"\\]|\\.)*+"|[^;"]*+)', re.DOTALL
)
_HEADER = re.compile(rf'[^;"]*+(?:{_PARAMETER.pattern}\s*+)*+;?\s*+', re.DOTALL)
_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]++):[ \t]*+(.*)", re.DOTALL)
# Mail programs fold long lines before a space (RFC 5322, 2.2.3).
_FOLD = re.compile(rb"\r\n(?=[ \t])")
_ENCODED = re.compile(r"([A-Za-z0-9_-]++)'[A-Za-z0-9-]*+'((?:[!#$&+.^_`|~/0-9A-Za-z-]|%[0-9A-Fa-f]{2})*+)")
_BROWSER_ESCAPES = {"%22": '"', "%0A": "\n", "%0D": "\r"}
_ESCAPED = re.compile("|".join(_BROWSER_ESCAPES))


def read_part_head(head: bytes, number: int) -> Mapping[str, str]:
    """Return the headers of a part by lowercase name. Raises Invalid with the number of the part."""
    lines = _FOLD.sub(b"", head).split(b"\r\n") if head else []
    if len(lines) > MOST_HEADERS:
        raise Invalid(
            f"part {number} has more than {MOST_HEADERS} headers: its Content-Disposition is enough"
        )
    found: dict[str, str] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            shown = line[:_SHOWN].decode("ascii", "backslashreplace")
            raise Invalid(
                f'"{shown}" is no header: part {number} begins with lines such as '
                'Content-Disposition: form-data; name="file"; filename="input.csv"  and an empty one'
            )
        name = match[1].decode().lower()
        if name in found:
            raise Invalid(f'part {number} has two "{name[:80]}" headers')
        found[name] = match[2].decode("latin-1").rstrip(" \t")
    return found


def boundary_of(kind: str) -> bytes:
    """Return the boundary in a Content-Type. Raises Invalid when it is missing or too long."""
    boundary = dict(parameters(kind)).get("boundary", "")
    if not boundary:
        raise Invalid("the Content-Type names no boundary: let the client make the multipart body (curl -F)")
    if len(boundary) > LONGEST_BOUNDARY:
        raise Invalid(
            f"the boundary that the Content-Type names is longer than {LONGEST_BOUNDARY} characters"
        )
    return boundary.encode("latin-1", "replace")


def parameters(header: str) -> list[tuple[str, str]]:
    """Return the parameters of a header such as Content-Type: lowercase names, unquoted values.

    A backslash escapes a quote or itself, as mail programs write them; any other one is literal, as browsers
    write all. Raises Invalid.
    """
    if not _HEADER.fullmatch(header):
        raise Invalid(f'this header is malformed: "{header[:_SHOWN]}"')
    found = []
    for name, value in _PARAMETER.findall(header):
        plain = value.strip()
        if plain.startswith('"'):
            plain = re.sub(r'\\(["\\])', r"\1", plain[1:-1])
        found.append((name.lower(), plain))
    return found


def disposition_of(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return the parameters of a part's Content-Disposition, with `name` and `filename` decoded.

    Browsers, and curl since 7.81, write a quote, LF and CR in them as %22, %0A and %0D, and escape nothing
    else (HTML, multipart/form-data encoding algorithm). Raises Invalid, also for a repeated parameter.
    """
    found: dict[str, str] = {}
    for name, value in parameters(headers.get("content-disposition", "")):
        if name in found:
            raise Invalid(f'a part\'s Content-Disposition repeats the parameter "{name[:80]}"')
        if name in ("name", "filename"):
            value = _ESCAPED.sub(lambda escaped: _BROWSER_ESCAPES[escaped[0]], value)
        found[name] = value
    return found


def file_name_of(disposition: Mapping[str, str]) -> bytes | None:
    """Return the bytes of the file name in a disposition; None if it has none.

    `filename*` takes precedence; it must be valid UTF-8 (RFC 8187). Raises Invalid.
    """
    if any(name.startswith("filename*") and name[9:].rstrip("*").isdigit() for name in disposition):
        raise Invalid(
            "a file's name is split (filename*0, RFC 2231), which is not supported: "
            'send filename="…" in UTF-8'
        )
    encoded = disposition.get("filename*")
    if encoded is None:
        name = disposition.get("filename")
        return None if name is None else name.encode("latin-1")
    found = _ENCODED.fullmatch(encoded)
    if found is None:
        raise Invalid(
            f"\"{encoded[:_SHOWN]}\" is no name for filename*, as in  filename*=UTF-8''na%C3%AFve.csv  : "
            'send filename="…" in UTF-8'
        )
    if found[1].lower() != "utf-8":
        raise Invalid(
            f"a file's name is in {found[1][:40]}, and filename* must be in UTF-8: "
            'send filename="…" in UTF-8'
        )
    return unquote_to_bytes(found[2])
