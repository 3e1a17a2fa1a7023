"""The lines of config/spaces: which space a run sees under which name, and whether it may write there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vfs.errors import Invalid

_LINE = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9_-]{0,63})\s*=>\s*/?u/(?P<user>[^/\s]+)/s/(?P<space>[^/\s,]+)\s*(?:,\s*(?P<mode>ro|rw))?"
)


@dataclass(frozen=True, slots=True)
class SpaceMount:
    """A space that is shown at `/mnt/<name>`; read-only unless `writable`."""

    name: str
    owner: str
    space: str
    writable: bool


def parse(text: str) -> tuple[SpaceMount, ...]:
    """The mounts that the lines `name => /u/<user>/s/<space>[,ro|,rw]` say (interface, Job configuration).

    Blank lines and what follows `#` are passed over. Raises Invalid naming the line.
    """
    mounts: dict[str, SpaceMount] = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = line.split("#", 1)[0].strip()
        if not said:
            continue
        match = _LINE.fullmatch(said)
        if match is None:
            raise Invalid(
                f'line {number}: write "name => /u/<user>/s/<space>", then ",rw" when steps may write there'
            )
        if match["name"] in mounts:
            raise Invalid(f'line {number}: the name "{match["name"]}" is taken by an earlier line')
        mounts[match["name"]] = SpaceMount(
            match["name"], match["user"], match["space"], match["mode"] == "rw"
        )
    return tuple(mounts.values())


def mounts(sent: str) -> str:
    """The text of config/spaces, once it parses."""
    parse(sent)
    return sent
