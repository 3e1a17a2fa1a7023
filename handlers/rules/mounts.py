"""The lines of config/spaces: the spaces that a run can access, their names there, and write access."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vfs.errors import Invalid

_LINE = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9_-]{0,63})\s*=>\s*/?u/(?P<user>[^/\s]+)/s/(?P<space>[^/\s,]+)\s*(?:,\s*(?P<mode>ro|rw))?"
)


@dataclass(frozen=True, slots=True)
class SpaceMount:
    """A space mounted at `/mnt/<name>`; read-only unless `writable`."""

    name: str
    owner: str
    space: str
    writable: bool


def parse(text: str) -> tuple[SpaceMount, ...]:
    """Return the mounts of lines `name => /u/<user>/s/<space>[,ro|,rw]` (interface, Job configuration).

    Ignores blank lines and text after `#`. Raises Invalid with the line number.
    """
    mounts: dict[str, SpaceMount] = {}
    for number, _, match in _lines(text):
        if match["name"] in mounts:
            raise Invalid(f'line {number}: the name "{match["name"]}" is taken by an earlier line')
        mounts[match["name"]] = SpaceMount(
            match["name"], match["user"], match["space"], match["mode"] == "rw"
        )
    return tuple(mounts.values())


def with_name(text: str, owner: str, was: str, name: str) -> str:
    """Return the text with a new name for an owner's space, otherwise unchanged.

    Raises Invalid as `parse` does.
    """
    for _, start, match in reversed(list(_lines(text))):
        if match.group("user", "space") == (owner, was):
            text = text[: start + match.start("space")] + name + text[start + match.end("space") :]
    return text


def _lines(text: str) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Yield the number, offset and match of each line that is not blank."""
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        comment_free = line.split("#", 1)[0]
        said = comment_free.strip()
        match = _LINE.fullmatch(said)
        if match is not None:
            yield number, start + len(comment_free) - len(comment_free.lstrip()), match
        elif said:
            raise Invalid(
                f'line {number}: write "name => /u/<user>/s/<space>", then ",rw" when steps may write there'
            )
        start += len(line)
