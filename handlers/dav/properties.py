"""Properties of members (RFC 4918, section 15; RFC 4331), and the answers that list them."""

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
from handlers.dav.members import DriveFile
from handlers.dav.places import address
from handlers.dav.request import DriveRequest
from handlers.dav.xml_bodies import DAV, AskedProperties, xml_of
from handlers.http.response import Answer
from vfs.errors import TooLarge
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

XML = "application/xml; charset=utf-8"
LARGEST_ANSWER = 64 << 20
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
SUPPORTED = "".join(
    f"<D:lockentry><D:lockscope><D:{scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"
    for scope in ("exclusive", "shared")
)
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Show = Callable[[DriveFile, "PropertySources"], str | None]


class PropertySources:
    """The sources of properties of several members, each looked up once."""

    def __init__(self, request: DriveRequest) -> None:
        self._request = request
        self.now = request.world.service.deadlines.now()
        self._locks: dict[int, Sequence[SpaceLock]] = {}
        self._room: tuple[int, int] | None = None

    def locks(self, member: DriveFile) -> Sequence[SpaceLock]:
        """Return the locks that cover a member."""
        if member.space is None:
            return ()
        if member.space not in self._locks:
            self._locks[member.space] = self._request.world.code.locks.of(member.space, stamp(self.now))
        return [lock for lock in self._locks[member.space] if lock.covers(member.rel)]

    def root(self, lock: SpaceLock) -> str:
        """Return the address of what a lock was set on."""
        place = self._request.place
        names = place.names[: len(place.names) - place.depth + 1]
        return escape(address(type(place.names)((*names, *filter(None, lock.path.split("/")))), folder=False))

    def room(self, member: DriveFile) -> tuple[int, int]:
        """Return the bytes that are left to the owner of a member, and those in use."""
        if self._room is None:
            found = self._request.world.items.at(member.space, None) if member.space is not None else None
            owner = found.item.owner if found is not None else self._request.me
            quota = self._request.world.service.quotas.one(owner, QuotaName.STORAGE)
            self._room = quota.room, quota.use
        return self._room


def _kind(member: DriveFile, facts: PropertySources) -> str:
    return "<D:collection/>" if member.folder else ""


def _size(member: DriveFile, facts: PropertySources) -> str | None:
    return None if member.size is None else str(member.size)


def lock_list(locks: Iterable[SpaceLock], facts: PropertySources) -> str:
    """Return the content of `lockdiscovery`."""
    return "".join(
        f"<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope>"
        f"<D:{'exclusive' if lock.exclusive else 'shared'}/></D:lockscope>"
        f"<D:depth>{'infinity' if lock.deep else '0'}</D:depth>{lock.about}"
        f"<D:timeout>Second-{_seconds_left(lock, facts)}</D:timeout>"
        f"<D:locktoken><D:href>{lock.token}</D:href></D:locktoken>"
        f"<D:lockroot><D:href>{facts.root(lock)}</D:href></D:lockroot></D:activelock>"
        for lock in locks
    )


def _seconds_left(lock: SpaceLock, facts: PropertySources) -> int:
    return max(0, round((datetime.fromisoformat(lock.expires_on) - facts.now).total_seconds()))


@lru_cache(1024)
def _http_date(moment: str) -> str:
    return format_datetime(datetime.fromisoformat(moment), usegmt=True)


LIVE: Mapping[str, Show] = {
    "creationdate": lambda member, facts: member.created_on,
    "displayname": lambda member, facts: _text(member.name),
    "getcontentlength": _size,
    "getcontenttype": lambda member, facts: member.media and _text(member.media),
    "getetag": lambda member, facts: member.etag and escape(member.etag),
    "getlastmodified": lambda member, facts: _http_date(member.last_modified),
    "resourcetype": _kind,
    "supportedlock": lambda member, facts: None if member.space is None else SUPPORTED,
    "lockdiscovery": lambda member, facts: (
        None if member.space is None else lock_list(facts.locks(member), facts)
    ),
}
ASKED: Mapping[str, Show] = {
    "quota-available-bytes": lambda member, facts: str(facts.room(member)[0]) if member.folder else None,
    "quota-used-bytes": lambda member, facts: str(facts.room(member)[1]) if member.folder else None,
}
"""Properties that are sent only if they are asked for by name."""


def _text(value: str) -> str:
    """Return a text for XML, which does not have all characters that names may have."""
    return escape(_ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", value))


def kept_properties(member: DriveFile) -> dict[str, str]:
    """Return the properties that clients set, as XML by name."""
    found: dict[str, str] = json.loads(member.properties) if member.properties else {}
    return found


def listing(members: Iterable[DriveFile], asked: AskedProperties, facts: PropertySources) -> Answer:
    """Return the answer to a PROPFIND."""
    return multistatus(_listed(member, asked, facts) for member in members)


def _listed(member: DriveFile, asked: AskedProperties, facts: PropertySources) -> str:
    kept = kept_properties(member)
    shown: list[str] = []
    missing: list[str] = []
    for name in asked.names if asked.names is not None else (*(f"{DAV}{word}" for word in LIVE), *kept):
        word = name.removeprefix(DAV)
        show = (LIVE.get(word) or ASKED.get(word)) if name.startswith(DAV) else None
        content = show(member, facts) if show is not None else None
        if content is not None:
            shown.append(f"<D:{word}/>" if asked.names_only else f"<D:{word}>{content}</D:{word}>")
        elif name in kept:
            shown.append(empty(name) if asked.names_only else kept[name])
        elif asked.names is not None:
            missing.append(empty(name))
    groups = [(HTTPStatus.OK, shown)] if shown or not missing else []
    groups += [(HTTPStatus.NOT_FOUND, missing)] if missing else []
    return response(member, groups)


def response(member: DriveFile, groups: Iterable[tuple[HTTPStatus, Iterable[str]]]) -> str:
    """Return what an answer says of one member: properties by status."""
    href = escape(address(member.names, folder=member.folder))
    stats = "".join(
        f"<D:propstat><D:prop>{''.join(found)}</D:prop>"
        f"<D:status>HTTP/1.1 {status.value} {status.phrase}</D:status></D:propstat>"
        for status, found in groups
    )
    return f"<D:response><D:href>{href}</D:href>{stats}</D:response>\n"


def multistatus(responses: Iterable[str]) -> Answer:
    """Return an answer with what is said of several members. Raises TooLarge."""
    found = [f'{HEAD}<D:multistatus xmlns:D="DAV:">\n'.encode()]
    size = len(found[0])
    for one in responses:
        found.append(one.encode())
        size += len(found[-1])
        if size > LARGEST_ANSWER:
            raise TooLarge("the list would be too long: ask for fewer properties, or list the folder by /v1")
    found.append(b"</D:multistatus>\n")
    size += len(found[-1])
    # The pieces are not joined: such an answer may be large, and many may be made at once.
    return Answer(HTTPStatus.MULTI_STATUS, [("Content-Type", XML)], pieces=found, length=size)


def xml_answer(status: HTTPStatus, content: str) -> Answer:
    """Return an answer of XML."""
    return Answer(status, [("Content-Type", XML)], f"{HEAD}{content}\n".encode())


@lru_cache(1024)
def empty(name: str) -> str:
    """Return the property of a name without its content."""
    return xml_of(Element(name))
