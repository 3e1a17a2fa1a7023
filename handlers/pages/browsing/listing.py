"""A folder on a page: the entries of one page of it, those alone whose names hold what is looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vfs.call import Entry

MOST = 100
"""Entries of a page. A form of theirs has a field for each chosen one."""
LONGEST_SEARCH = 200


def page_of_entries(rows: Sequence[Entry], query: Mapping[str, str]) -> dict[str, Any]:
    """The facts of a page of entries, folders first: those after `?after=` whose names hold `?q=`."""
    wanted = query.get("q", "").strip()[:LONGEST_SEARCH]
    found = [row for row in rows if wanted.lower() in row.name.lower()]
    found.sort(key=lambda row: (row.type != "dir", row.name))
    names = [row.name for row in found]
    after = query.get("after", "")
    begin = names.index(after) + 1 if after in names else 0
    return {
        "rows": found[begin : begin + MOST],
        "begin": begin,
        "older": len(found) > begin + MOST,
        "found": len(found),
        "count": len(rows),
        "size": sum((row.extra or {}).get("size", 0) for row in rows),
        "wanted": wanted,
    }
