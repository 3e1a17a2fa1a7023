"""The address in a From header: one that every reader understands alike, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 1_000
LONGEST_LOCAL, LONGEST_DOMAIN = 64, 253
LONGEST_LIST = 20_000
# Neither ! nor % stand in a local part: some servers take them for ways to another host.
ADDRESS = re.compile(
    r"([A-Za-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*)"
    r"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)
# A name is atoms or one quoted text; no comment, list or group, which programs read each in their own way.
NAMED = re.compile(r'(?:"(?:[^"\\<>\r\n]|\\["\\])*+"|[^"\\<>()@,;:\[\]\r\n]*+)[ \t]*+<([^<>]*)>')
FOLD = re.compile(r"\r?\n(?=[ \t])")
EMPTY_LINE = re.compile(r"(?:^|\n)[ \t]*(?:\r?\n|$)")


def one_address(value: str) -> str:
    """The address of a From header, its domain in small letters; "" if it is not beyond doubt.

    Beyond doubt is no address with a word that is to be decoded, and no name of other letters in disguise.
    """
    line = FOLD.sub("", value).strip(" \t")
    if len(line) > LONGEST or not line.isascii() or any(ord(sign) < 32 and sign != "\t" for sign in line):
        return ""
    if EMPTY_LINE.search(value):
        return ""
    named = NAMED.fullmatch(line)
    found = ADDRESS.fullmatch(named[1] if named else line)
    if found is None or len(found[1]) > LONGEST_LOCAL or len(found[2]) > LONGEST_DOMAIN:
        return ""
    domain = found[2].lower()
    if "=?" in found[1] or any(label.startswith("xn--") for label in domain.split(".")):
        return ""
    return f"{found[1]}@{domain}"


def listed_addresses(value: str) -> tuple[str, ...]:
    """The addresses of a To or Cc header that are beyond doubt, each once."""
    if len(value) > LONGEST_LIST:
        return ()
    return tuple(dict.fromkeys(found for piece in _pieces(value) if (found := one_address(piece))))


def _pieces(value: str) -> Iterator[str]:
    """The texts between commas that no quotes surround."""
    start, quoted, escaped = 0, False, False
    for place, sign in enumerate(value):
        if sign == '"' and not escaped:
            quoted = not quoted
        elif sign == "," and not quoted:
            yield value[start:place].strip()
            start = place + 1
        escaped = sign == "\\" and not escaped
    yield value[start:].strip()
