"""A model of what people find while things are deleted, restored, shared and aged."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

TRASH_DAYS, VERSION_DAYS = timedelta(days=30), timedelta(days=90)
TEN_MINUTES = timedelta(minutes=10)
OWNER, PUBLIC = "owner", ""
"""The owner, and a reader without an account."""
CONTENT = "content/"
"""The folder of the files of a space."""


def etag(text: str) -> str:
    """The ETag of a text."""
    return sha256(text.encode()).hexdigest()[:32]


@dataclass
class Content:
    """What a file says, who wrote it, whether as an autosave, and since when."""

    text: str
    author: str
    autosave: bool
    since: datetime


@dataclass
class Version:
    """What a file said, from a time until another."""

    text: str
    since: datetime
    until: datetime


@dataclass
class Link:
    """A link by its key; `pinned` is the snapshot that it shows, "" after its end."""

    key: str
    expires: datetime | None = None
    password: str | None = None
    uses: int | None = None
    used: int = 0
    pinned: str | None = None


@dataclass
class Thing:
    """An item: its files and what they said, and all by which others reach it."""

    kind: str
    number: int
    shortname: str
    files: dict[str, Content] = field(default_factory=dict)
    past: dict[str, list[Version]] = field(default_factory=dict)
    shares: dict[str, str] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    snapshots: dict[str, str] = field(default_factory=dict)

    def says(self, rel: str) -> str | None:
        return self.files[rel].text if rel in self.files else None

    def letters(self, person: str) -> set[str]:
        """The letters of a person; the public's are everybody's."""
        if person == OWNER:
            return set("rwdx")
        return {*self.shares.get(person, ""), *self.shares.get(PUBLIC, "")}

    def write(self, rel: str, text: str, author: str, autosave: bool, now: datetime) -> None:
        before, since = self.files.get(rel), now
        if before is not None and before.text == text:
            since = before.since
        elif before is not None:
            if before.autosave and before.author == author and now - before.since < TEN_MINUTES:
                since = before.since
            else:
                self._keep(rel, before, now)
        self.files[rel] = Content(text, author, autosave, since)

    def clear(self, rel: str, now: datetime) -> None:
        if (before := self.files.pop(rel, None)) is not None:
            self._keep(rel, before, now)

    def _keep(self, rel: str, before: Content, now: datetime) -> None:
        if self.kind == "doc":
            self.past.setdefault(rel, []).append(Version(before.text, before.since, now))

    def tagged(self, rel: str, tag: str) -> str | None:
        """What the file says or said, by its ETag."""
        said = [self.says(rel), *(one.text for one in self.past.get(rel, []))]
        return next((text for text in said if text is not None and etag(text) == tag), None)

    def at(self, rel: str, moment: datetime) -> str | None:
        """What the file said at a moment."""
        present = self.files.get(rel)
        if present is not None and present.since <= moment:
            return present.text
        there = [one for one in self.past.get(rel, []) if one.since <= moment < one.until]
        return there[-1].text if there else None

    def age(self, now: datetime) -> None:
        for rel, versions in self.past.items():
            self.past[rel] = [one for one in versions if now - one.until <= VERSION_DAYS]

    def copied(self, number: int, shortname: str, now: datetime) -> Thing:
        files = {rel: Content(one.text, OWNER, False, now) for rel, one in self.files.items()}
        return Thing(self.kind, number, shortname, files)


@dataclass
class Entry:
    """What is in the trash: a thing, or a file of a space."""

    thing: Thing
    name: str
    deleted: datetime
    content: Content | None = None


@dataclass
class Model:
    """The present things by kind and name, the trash by its numbers, and everything that ever was."""

    now: datetime
    live: dict[tuple[str, str], Thing] = field(default_factory=dict)
    trash: dict[int, Entry] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    passwords: dict[str, str] = field(default_factory=dict)
    shortnames: list[str] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    moments: list[datetime] = field(default_factory=list)

    def add(self, name: str, thing: Thing) -> None:
        self.live[thing.kind, name] = thing
        self.shortnames.append(thing.shortname)

    def delete(self, kind: str, name: str, entry: int) -> None:
        """Move a thing to the trash."""
        self._put(entry, Entry(self.live.pop((kind, name)), name, self.now))

    def delete_file(self, name: str, rel: str, entry: int) -> None:
        """Move a file of a space to the trash."""
        space = self.live["space", name]
        self._put(entry, Entry(space, rel.removeprefix(CONTENT), self.now, space.files.pop(rel)))

    def _put(self, number: int, entry: Entry) -> None:
        assert number not in self.entries, "a number of the trash is given twice"
        self.entries.append(number)
        self.trash[number] = entry

    def place(self, thing: Thing) -> str | None:
        """The name of a thing, if it is there."""
        return next((name for (_, name), one in self.live.items() if one is thing), None)

    def can_restore(self, number: int, name: str) -> bool:
        entry = self.trash[number]
        if entry.content is None:
            return (entry.thing.kind, name) not in self.live
        return self.place(entry.thing) is not None and CONTENT + name not in entry.thing.files

    def restore(self, number: int, name: str, shares: bool) -> None:
        entry = self.trash.pop(number)
        if entry.content is not None:
            entry.thing.files[CONTENT + name] = entry.content
            return
        if not shares:
            entry.thing.shares, entry.thing.links = {}, {}
        self.live[entry.thing.kind, name] = entry.thing

    def end(self, number: int) -> None:
        """End an entry; with a space, what is in the trash of its files."""
        ended = self.trash.pop(number)
        if ended.content is None:
            self.trash = {id: one for id, one in self.trash.items() if one.thing is not ended.thing}

    def age(self) -> None:
        for number, entry in [*self.trash.items()]:
            if self.now - entry.deleted > TRASH_DAYS and number in self.trash:
                self.end(number)
        for thing in (*self.live.values(), *(entry.thing for entry in self.trash.values())):
            thing.age(self.now)

    def linked(self, key: str) -> tuple[Thing, Link] | None:
        """The thing and the link that a key opens, if it opens anything."""
        for thing in self.live.values():
            for link in thing.links.values():
                if link.key != key:
                    continue
                over = link.expires is not None and link.expires <= self.now
                used_up = link.uses is not None and link.used >= link.uses
                lost = link.pinned is not None and link.pinned not in thing.snapshots
                return None if over or used_up or lost else (thing, link)
        return None
