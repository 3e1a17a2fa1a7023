"""Reads of all sorts, by people and by keys, compared with the model."""

from __future__ import annotations

import json
import random
from datetime import datetime

from tests.kit.client import Answer
from tests.proof.returning.model import OWNER, PUBLIC, Model, Thing, etag
from tests.proof.returning.whole_service import FOLDERS, PEOPLE, WholeService
from vfs.ports.clock import stamp

RELS = {"doc": ("content", "vars/total/value"), "space": ("content/a.txt", "content/b.txt")}
NAMES = ("one", "two", "three")
EVERYBODY = (*PEOPLE, PUBLIC)
REFUSED = (401, 403, 404)
MARK = "words "
NEVER = "A" * 22


class Checks:
    """Compares answers with the model; `dice` chooses a few of all that could be asked."""

    def __init__(self, service: WholeService, model: Model, dice: random.Random) -> None:
        self.service, self.model, self.dice = service, model, dice

    def some(self) -> None:
        """A few reads of each sort."""
        dice, model = self.dice, self.model
        kind, name, rel = dice.choice(tuple(FOLDERS)), dice.choice(NAMES), dice.choice(RELS["doc"])
        for person in EVERYBODY:
            self.file(person, kind, name, dice.choice(RELS[kind]))
            self.history(person, name, rel)
            self.shortname(person, dice.choice(model.shortnames))
            self.tagged(person, name, rel, dice.choice(model.tags))
        for key in dice.sample(model.keys, min(2, len(model.keys))):
            self.link(key)
        for moment in dice.sample(model.moments, min(2, len(model.moments))):
            self.at(dice.choice((OWNER, "writer")), name, rel, moment)
        self.listing(dice.choice(PEOPLE), kind)
        self.snapshots(dice.choice(EVERYBODY), name)
        self.trash()
        if model.entries:
            self.entry(dice.choice(PEOPLE), dice.choice(model.entries))

    def all(self) -> None:
        """All reads that are not too many."""
        for kind in FOLDERS:
            for name in NAMES:
                for person in EVERYBODY:
                    for rel in RELS[kind]:
                        self.file(person, kind, name, rel)
            for person in PEOPLE:
                self.listing(person, kind)
        for name in NAMES:
            for rel in RELS["doc"]:
                for person in EVERYBODY:
                    self.history(person, name, rel)
                for tag in self.model.tags:
                    self.tagged(OWNER, name, rel, tag)
                for moment in self.model.moments:
                    self.at(OWNER, name, rel, moment)
            for person in EVERYBODY:
                self.snapshots(person, name)
        for number in self.model.entries:
            for person in PEOPLE:
                self.entry(person, number)
        for shortname in self.model.shortnames:
            for person in EVERYBODY:
                self.shortname(person, shortname)
        for key in self.model.keys:
            self.link(key)
        self.trash()

    def may(self, person: str, kind: str, name: str, letters: str) -> Thing | None:
        """The thing, if a person has these letters for it."""
        thing = self.model.live.get((kind, name))
        return thing if thing is not None and set(letters) <= thing.letters(person) else None

    def file(self, person: str, kind: str, name: str, rel: str) -> None:
        """A file is read, also with an ETag that somebody has from anywhere."""
        given = {"If-None-Match": f'"{self.dice.choice(self.model.tags)}"'} if self.model.tags else {}
        answer = self.service.ask(person, "GET", f"{self.service.place(kind, name)}/{rel}", **given)
        thing = self.may(person, kind, name, "r")
        said = thing.says(rel) if thing is not None else None
        if said is None:
            self.hides(answer, person, 200 if thing is not None and rel == "content" else 404)
        elif kind == "doc" and given and given["If-None-Match"] == f'"{etag(said)}"':
            assert answer.status == 304, answer
        else:
            assert (answer.status, answer.body.decode()) == (200, said), (person, kind, name, rel, answer)

    def hides(self, answer: Answer, person: str, *statuses: int) -> None:
        """An answer without any text that the person may not read."""
        assert answer.status in (*REFUSED, *statuses), (person, answer)
        assert MARK.encode() not in answer.body, (person, answer)

    def history(self, person: str, name: str, rel: str) -> None:
        """The former contents are listed for who may read and write."""
        path = f"{self.service.place('doc', name)}/{rel}"
        thing = self.may(person, "doc", name, "rw") if person != PUBLIC else None
        past = thing.past.get(rel, []) if thing is not None else []
        if thing is None or (not past and rel != "content" and thing.says(rel) is None):
            answer = self.service.ask(person, "GET", path, X_History="list")
            assert answer.status in REFUSED, (person, name, rel, answer)
            return
        found = [row["etag"].strip('"') for row in self.service.rows(person, path, X_History="list")]
        assert found == [etag(one.text) for one in reversed(past)], (person, name, rel)

    def tagged(self, person: str, name: str, rel: str, tag: str) -> None:
        """A content is read by an ETag from anywhere."""
        answer = self.service.ask(person, "GET", f"{self.service.place('doc', name)}/{rel}?at={tag}")
        thing = self.may(person, "doc", name, "rw") if person != PUBLIC else None
        self.former(answer, person, thing.tagged(rel, tag) if thing is not None else None)

    def at(self, person: str, name: str, rel: str, moment: datetime) -> None:
        """A content is read by a time."""
        answer = self.service.ask(
            person, "GET", f"{self.service.place('doc', name)}/{rel}?at={stamp(moment)}"
        )
        thing = self.may(person, "doc", name, "rw")
        self.former(answer, person, thing.at(rel, moment) if thing is not None else None)

    def former(self, answer: Answer, person: str, said: str | None) -> None:
        if said is None:
            self.hides(answer, person)
        else:
            assert (answer.status, answer.body.decode()) == (200, said), (person, answer)

    def listing(self, person: str, kind: str) -> None:
        """A folder lists what a person may see at all."""
        found = self.service.rows(person, self.service.place(kind, "").rstrip("/"))
        wanted = {
            name for (one, name), thing in self.model.live.items() if one == kind and thing.letters(person)
        }
        assert {row["name"] for row in found} == wanted, (person, kind, found)

    def snapshots(self, person: str, name: str) -> None:
        """The snapshots are listed and read by who reads the item."""
        place = f"{self.service.place('doc', name)}/snapshots"
        thing = self.may(person, "doc", name, "r")
        if thing is None:
            self.hides(self.service.ask(person, "GET", f"{place}/first/text"), person)
            self.hides(self.service.ask(person, "GET", place), person)
            return
        assert {row["name"] for row in self.service.rows(person, place)} == {*thing.snapshots}
        for snapshot in ("first", "second"):
            answer = self.service.ask(person, "GET", f"{place}/{snapshot}/text")
            self.former(answer, person, thing.snapshots.get(snapshot))

    def trash(self) -> None:
        """The owner's trash is listed, and nobody else has anything in theirs."""
        found = {int(row["name"]): row["former_name"] for row in self.service.rows(OWNER, "/v1/trash")}
        wanted = {number: entry.name for number, entry in self.model.trash.items()}
        assert found == wanted
        assert self.service.rows("writer", "/v1/trash") == []

    def entry(self, person: str, number: int) -> None:
        """A number of the trash is asked for; one that is not there, or of another, takes nothing."""
        path = f"/v1/trash/{number}"
        if person == OWNER and number in self.model.trash:
            assert self.service.ask(person, "GET", path).status == 200
            return
        for method in ("GET", "PATCH", "DELETE"):
            assert self.service.ask(person, method, path).status == 404, (person, number)

    def shortname(self, person: str, shortname: str) -> None:
        """A short name opens the one thing that got it, or nothing."""
        answer = self.service.ask(person, "GET", f"/v1/i/{shortname}", Accept="application/json")
        there = [one for one in self.model.live.values() if one.shortname == shortname]
        if not there or "r" not in there[0].letters(person):
            self.hides(answer, person, *([200] if there and there[0].letters(person) else []))
            return
        assert answer.status == 200, (person, shortname, answer)
        if there[0].kind == "doc":
            assert said_in(answer) == (there[0].says("content") or ""), (person, shortname, answer)
        else:
            assert MARK.encode() not in answer.body, (person, shortname, answer)

    def link(self, key: str) -> None:
        """A key opens what it was given for, with its password, and is counted."""
        password = self.model.passwords.get(key)
        found = self.model.linked(key)
        if found is None:
            answer = self.service.visit(key, password)
            unknown = self.service.visit(NEVER, None)
            assert (answer.status, len(answer.body)) == (unknown.status, len(unknown.body)), (key, answer)
            return
        thing, link = found
        if link.password is not None:
            self.hides(self.service.visit(key, None), PUBLIC)
        answer = self.service.visit(key, link.password)
        assert answer.status == 200, (key, answer)
        link.used += 1
        said = thing.snapshots[link.pinned] if link.pinned else thing.says("content") or ""
        assert said_in(answer) == said, (key, answer)


def said_in(answer: Answer) -> str:
    """The content in an answer as JSON."""
    return json.loads(answer.body)["data"] or ""
