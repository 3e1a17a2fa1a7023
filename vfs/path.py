"""Paths as tuples of decoded segments, and the patterns of names (decisions A2, B4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from vfs.errors import Invalid

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
NAME_RULE = "a lowercase letter or digit, then up to 63 more of a-z, 0-9, _ and -"
TOKEN_NAME = re.compile(r"[a-z][a-z0-9._-]{0,127}")
ANY_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,255}")

_PLAIN = re.compile(r"/[A-Za-z0-9_@~+=:,.;!$&'()*/-]*")
_UNQUOTED = re.compile(r"/[A-Za-z0-9_.~@+=:,!$&'()*/-]*")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\]")
ANY_SEGMENT = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]+")


class Path(tuple[str, ...]):
    """The decoded segments of an absolute path, none of them empty, `.` or `..`."""

    __slots__ = ()

    @classmethod
    def parse(cls, raw: str) -> Path:
        """Parse a path. Runs of `/` collapse, a final `/` is ignored, each segment is decoded once.

        Raises Invalid for a relative path, a bad escape, text that is not UTF-8, and segments that could be
        read as another path.
        """
        if not raw.startswith("/"):
            raise Invalid("the path must begin with a slash")
        if _PLAIN.fullmatch(raw):
            segments = [segment for segment in raw.split("/") if segment]
        else:
            segments = [_decode(segment) for segment in raw.split("/") if segment]
        if "." in segments or ".." in segments:
            raise Invalid('"." and ".." are not allowed in a path: write the path out in full')
        return cls(segments)

    def __truediv__(self, name: str | Iterable[str]) -> Path:
        more = (name,) if isinstance(name, str) else tuple(name)
        return Path((*self, *more))

    def __str__(self) -> str:
        plain = "/" + "/".join(self)
        if _UNQUOTED.fullmatch(plain):
            return plain
        return "/" + "/".join(quote(segment, safe="@~+=:,!$&'()*") for segment in self)


def is_segment(name: str) -> bool:
    """Return whether a name can be a segment of a path, so that it can be requested."""
    return ANY_SEGMENT.fullmatch(name) is not None and name not in (".", "..")


def _decode(segment: str) -> str:
    try:
        raw = segment.encode("latin-1")
        if len(_ESCAPE.findall(raw)) != raw.count(b"%"):
            shown = _printable(segment)
            raise Invalid(
                f'the path segment "{shown}" has a % that begins no escape: write a percent sign as %25'
            )
        text = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), raw).decode()
    except UnicodeError:
        raise Invalid(
            f'the path segment "{_printable(segment)}" is not UTF-8: encode it as UTF-8, then escape it'
        ) from None
    if _UNSAFE.search(text):
        raise Invalid(
            f'the path segment "{_printable(segment)}" holds a slash, a backslash or a control character'
        )
    return text


def _printable(segment: str) -> str:
    return segment.encode("ascii", "backslashreplace").decode()[:80]


def require_name(name: str, pattern: re.Pattern[str] = NAME, rule: str = NAME_RULE) -> str:
    """Return the name if it follows the pattern. Raises Invalid with the rule otherwise."""
    if not pattern.fullmatch(name):
        shown = name[:80] if name.isprintable() else _printable(name)
        raise Invalid(f'"{shown}" is not a name here: a name is {rule}')
    return name
