"""Time zones: the names that people may write, fewer than this machine has rules for."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

# The meaning of these depends on the machine, or they have none.
_NO_PLACES = frozenset({"localtime", "posixrules", "Factory"})
_RULE = re.compile(r"[^A-Za-z/_-]")
_SHOWN = 60


@cache
def zone_names() -> frozenset[str]:
    """Return the names of the IANA database (`Europe/Oslo`, `UTC`) without `right/` and `posix/`."""
    return frozenset(available_timezones() - _NO_PLACES)


def refuse_zone(name: str) -> str:
    """Return why a name is not a time zone, with a suggestion if there is a similar name."""
    reason = f"there is no time zone {name[:_SHOWN]!r}"
    plain = name.strip("\"'").casefold()
    meant = _alike().get(plain) if plain else None
    if meant is not None:
        return f"{reason}: write TZ={meant}"
    if plain in map(str.casefold, _NO_PLACES) or plain.startswith(("right/", "posix/")):
        return f"{reason} to be named, as it is this machine's own word: write a place, as in TZ=Europe/Oslo"
    if _RULE.search(plain):
        return f"{reason}, and no rule or offset is taken: write a place, as in TZ=Europe/Oslo"
    return f"{reason}: write one as in TZ=Europe/Oslo"


@cache
def _alike() -> dict[str, str]:
    """Return the names by their lower-case forms, and by the cities alone."""
    names = sorted(zone_names())
    cities = {name.rpartition("/")[2].casefold(): name for name in reversed(names) if name[:4] != "Etc/"}
    return cities | {name.casefold(): name for name in names}
