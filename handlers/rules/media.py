"""Media types: detected by a file's first bytes for assets and pictures, and also by its name for code."""

from __future__ import annotations

import mimetypes
import re

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml", "image/webp")
FONTS = ("font/woff", "font/woff2", "font/ttf", "font/otf")
ASSETS = PICTURES + FONTS
HEAD = 4096
_TABLES = ("text/csv", "text/tab-separated-values", "application/json")
PLAIN, UNKNOWN = "text/plain", "application/octet-stream"

_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,127}"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~]){0,500}"'
# RFC 9110 section 8.3.1, limited to ASCII and in length.
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}(?:[ \t]*;[ \t]*{_TOKEN}=(?:{_TOKEN}|{_QUOTED})){{0,16}}")

# Types that a browser displays or downloads, but never runs.
_INERT = re.compile(
    r"image/(?!svg\b)[a-z0-9.-]+|(audio|video|font)/[a-z0-9.-]+"
    r"|application/(pdf|zip|gzip|x-tar|vnd\.(ms-|oasis\.|openxmlformats-)[a-z0-9.-]+)"
)

_SIGNS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"wOFF"), "font/woff"),
    (re.compile(rb"wOF2"), "font/woff2"),
    (re.compile(rb"(\x00\x01\x00\x00|true|ttcf)"), "font/ttf"),
    (re.compile(rb"OTTO"), "font/otf"),
    (
        re.compile(
            rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]", re.DOTALL
        ),
        "image/svg+xml",
    ),
)


def valid_media(said: str) -> str:
    """Return a declared media type if it is valid, else the type of unknown bytes."""
    return said if _MEDIA_TYPE.fullmatch(said) else UNKNOWN


def sniff(head: bytes) -> str | None:
    """Return the media type of a file that begins with `head` (4 KiB are enough); None if unknown."""
    return next((media for sign, media in _SIGNS if sign.match(head)), None)


def shown_media(name: str, head: bytes) -> str:
    """Return the media type under which a code file that begins with `head` is shown.

    Text is text/plain, unless the name says a table or JSON. Other files have the type of their name if
    browsers never run it, else the unknown type.
    """
    named, packed = mimetypes.guess_type(name)
    media = named if named is not None and packed is None else UNKNOWN
    if _textual(head):
        return media if media in _TABLES else PLAIN
    return media if _INERT.fullmatch(media) else UNKNOWN


def _textual(head: bytes) -> bool:
    """Return whether bytes are UTF-8 without NUL; the last character may be cut."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or error.reason != "unexpected end of data":
            return False
    return b"\0" not in head
