"""Properties of members (RFC 4918, section 15; RFC 4331), and the responses that list them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache
from http import HTTPStatus
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from chains.spaces.locks import SpaceLock
from handlers.dav.guard import locks_in
from handlers.dav.members import DriveFile
from handlers.dav.request import DriveRequest, address
from handlers.dav.xml_bodies import DAV, AskedProperties, xml_of
from handlers.http.response import Answer
from vfs.errors import TooLarge
from vfs.path import Path
from vfs.ports.quotas import QuotaName

XML = "application/xml; charset=utf-8"
LARGEST_ANSWER = 64 << 20
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
SUPPORTED = "".join(
    f"<D:lockentry><D:lockscope><D:{scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"
    for scope in ("exclusive", "shared")
)
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Show = Callable[[DriveFile], str | None]


def lock_list(request: DriveRequest, locks: Iterable[SpaceLock]) -> str:
    """Return the content of `lockdiscovery`."""
    now, place = request.world.service.deadlines.now(), request.place
    space = place.names[: len(place.names) - place.depth + 1]
    return "".join(
        f"<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope>"
        f"<D:{'exclusive' if lock.exclusive else 'shared'}/></D:lockscope>"
        f"<D:depth>{'infinity' if lock.deep else '0'}</D:depth>{lock.about}"
        f"<D:timeout>Second-{_seconds_left(lock, now)}</D:timeout>"
        f"<D:locktoken><D:href>{lock.token}</D:href></D:locktoken>"
        f"<D:lockroot><D:href>{_root(space, lock)}</D:href></D:lockroot></D:activelock>"
        for lock in locks
    )


def _seconds_left(lock: SpaceLock, now: datetime) -> int:
    return max(0, round((datetime.fromisoformat(lock.expires_on) - now).total_seconds()))


def _root(space: tuple[str, ...], lock: SpaceLock) -> str:
    return escape(address(Path((*space, *filter(None, lock.path.split("/")))), folder=False))


@lru_cache(1024)
def _http_date(moment: str) -> str:
    return format_datetime(datetime.fromisoformat(moment), usegmt=True)


LIVE: Mapping[str, Show] = {
    f"{DAV}creationdate": lambda member: member.created_on,
    f"{DAV}displayname": lambda member: _text(member.name),
    f"{DAV}getcontentlength": lambda member: None if member.size is None else str(member.size),
    f"{DAV}getcontenttype": lambda member: member.media and _text(member.media),
    f"{DAV}getetag": lambda member: member.etag and escape(member.etag),
    f"{DAV}getlastmodified": lambda member: _http_date(member.last_modified),
    f"{DAV}resourcetype": lambda member: "<D:collection/>" if member.folder else "",
    f"{DAV}supportedlock": lambda member: None if member.space is None else SUPPORTED,
}
LEFT, USED = f"{DAV}quota-available-bytes", f"{DAV}quota-used-bytes"
"""Properties that are sent only if they are requested by name."""


def _text(value: str) -> str:
    """Return a text for XML, without the characters of names that XML cannot contain."""
    return escape(_ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", value))


def kept_properties(member: DriveFile) -> dict[str, str]:
    """Return the properties that clients set, as XML by name."""
    found: dict[str, str] = json.loads(member.properties) if member.properties else {}
    return found


def listing(request: DriveRequest, members: Sequence[DriveFile], asked: AskedProperties) -> Answer:
    """Return the response to a PROPFIND about members that are all in one space, or in no space."""
    space, live = members[0].space, dict(LIVE)
    if space is not None:
        locks = locks_in(request, space)
        live[f"{DAV}lockdiscovery"] = lambda member: lock_list(
            request, (lock for lock in locks if lock.covers(member.rel))
        )
    if not {LEFT, USED}.isdisjoint(asked.names or ()):
        live |= _quotas(request, space)
    return multistatus(_listed(member, asked, live) for member in members)


def _quotas(request: DriveRequest, space: int | None) -> Mapping[str, Show]:
    """Return the quota properties of folders, from the quota of the space's owner."""
    found = request.world.items.at(space, None) if space is not None else None
    owner = found.item.owner if found is not None else request.me
    quota = request.world.service.quotas.one(owner, QuotaName.STORAGE)
    return {
        LEFT: lambda member: str(quota.room) if member.folder else None,
        USED: lambda member: str(quota.use) if member.folder else None,
    }


def _listed(member: DriveFile, asked: AskedProperties, live: Mapping[str, Show]) -> str:
    kept = kept_properties(member)
    groups: dict[HTTPStatus, list[str]] = {}
    for name in asked.names if asked.names is not None else (*live, *kept):
        content = live[name](member) if name in live else None
        tag = name.removeprefix(DAV)
        shown = kept.get(name) if content is None else f"<D:{tag}>{content}</D:{tag}>"
        if shown is not None:
            groups.setdefault(HTTPStatus.OK, []).append(empty(name) if asked.names_only else shown)
        elif asked.names is not None:
            groups.setdefault(HTTPStatus.NOT_FOUND, []).append(empty(name))
    return response(member, groups or {HTTPStatus.OK: []})


def response(member: DriveFile, groups: Mapping[HTTPStatus, Iterable[str]]) -> str:
    """Return the part of a response about one member: its properties by status."""
    href = escape(address(member.names, folder=member.folder))
    stats = "".join(
        f"<D:propstat><D:prop>{''.join(found)}</D:prop>"
        f"<D:status>HTTP/1.1 {status.value} {status.phrase}</D:status></D:propstat>"
        for status, found in groups.items()
    )
    return f"<D:response><D:href>{href}</D:href>{stats}</D:response>\n"


def multistatus(responses: Iterable[str]) -> Answer:
    """Return a response with the parts about several members. Raises TooLarge."""
    found = [f'{HEAD}<D:multistatus xmlns:D="DAV:">\n'.encode()]
    size = len(found[0])
    for one in responses:
        found.append(one.encode())
        size += len(found[-1])
        if size > LARGEST_ANSWER:
            raise TooLarge("the list would be too long: ask for fewer properties, or list the folder by /v1")
    found.append(b"</D:multistatus>\n")
    size += len(found[-1])
    # The pieces are not joined, because such responses may be large, and several may be made at once.
    return Answer(HTTPStatus.MULTI_STATUS, [("Content-Type", XML)], pieces=found, length=size)


def xml_answer(status: HTTPStatus, content: str) -> Answer:
    """Return a response with XML."""
    return Answer(status, [("Content-Type", XML)], f"{HEAD}{content}\n".encode())


@lru_cache(1024)
def empty(name: str) -> str:
    """Return the element of a property without content."""
    return xml_of(Element(name))
