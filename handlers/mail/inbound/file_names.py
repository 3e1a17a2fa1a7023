"""Names of files that a stranger chose, made names of a folder."""

from __future__ import annotations

import re
import unicodedata

from chains.files.names import refusal

LONGEST_BYTES = 160
UNSAFE = re.compile(r"[!-'*/:-<>?\[-^`{-\x7f\ud800-\udfff]")
# Joiners are letters' own: they are no part of it.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]+")


def one_line(words: str) -> str:
    """Words on one line, without signs that change how others are shown."""
    return " ".join(CONTROL.sub(" ", words.encode("utf-8", "replace").decode()).split())


def free_name(said: str, number: int, others: set[str]) -> str:
    """A name for a file, which is added to `others`: like none of them, in letters of any case.

    It is the last part of what was said, without signs that a folder or a program would obey, or a number
    where that is none by the rule of names.
    """
    last = unicodedata.normalize("NFC", re.split(r"[/\\]", said)[-1])
    name = _cut(UNSAFE.sub("_", one_line(last))).lstrip(".- ").rstrip(". ")
    if refusal(name):
        name = f"part-{number}"
    free = name
    while free.casefold() in others:
        free = f"{number}-{name}"
        number += 1
    others.add(free.casefold())
    return free


def _cut(name: str) -> str:
    """The end of a name, which tells its type, as far as a folder takes it."""
    return name.encode()[-LONGEST_BYTES:].decode(errors="ignore")
