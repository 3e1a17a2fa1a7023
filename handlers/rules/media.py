"""Which media a file really is, told by its first bytes, for the types that assets and pictures may have."""

from __future__ import annotations

import re

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml", "image/webp")
FONTS = ("font/woff", "font/woff2", "font/ttf", "font/otf")
ASSETS = PICTURES + FONTS
HEAD = 4096

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


def sniff(head: bytes) -> str | None:
    """The media type of a file that begins with `head` (4 KiB are enough); None when it is none of these."""
    return next((media for sign, media in _SIGNS if sign.match(head)), None)
