"""The state machine of what is deleted, restored, shared, linked, kept and aged, by several people."""

from __future__ import annotations

import itertools
import random
from datetime import timedelta
from inspect import signature
from typing import ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.kit.client import Answer
from tests.proof.returning.checks import MARK, NAMES, RELS, Checks
from tests.proof.returning.model import OWNER, PUBLIC, Link, Model, Thing, etag
from tests.proof.returning.whole_service import FOLDERS, PEOPLE, WholeService

LETTERS = {"writer": ("rw", "rwd", "w", "rwdx"), "reader": ("r", "x", "rx", "rd"), PUBLIC: ("r", "x")}
FIELDS = ("expires", "uses", "password", "pinned")
SECONDS = (61, 427, 700, 4_000, 97_000, 810_000, 2_740_000, 8_290_000)
OF_BOTH = (
    "make",
    "write",
    "write",
    "write",
    "delete",
    "delete_and_make_again",
    "rename_or_copy",
    "share",
    "unshare",
)
OF_DOCS = (
    "clear",
    "make_link",
    "end_link",
    "limit_link",
    "limit_link",
    "make_snapshot",
    "end_snapshot",
    "forget",
)
ACTS = (*OF_BOTH, *OF_DOCS, "delete_file", "restore", "restore", "end", "age")
PASSWORD = "eleven birds"


class Machine(RuleBasedStateMachine):
    """One owner's documents and spaces, and everybody who tries to reach them."""

    service: ClassVar[WholeService]
    last: ClassVar[Machine]

    @initialize(seed=st.integers(0, 1_000_000))
    def begin(self, seed: int) -> None:
        Machine.last = self
        self.service.begin()
        self.model = Model(self.service.now())
        self.checks = Checks(self.service, self.model, random.Random(seed))
        self.numbers = itertools.count(1)
        self.texts: list[str] = []
        self.make("doc", "one")
        self.make("doc", "two")
        self.make("space", "one")
        for rel in RELS["doc"]:
            self.write("doc", "one", OWNER, rel, False, 0)
        self.share("doc", "one", "writer", 0)
        self.share("doc", "one", "reader", 0)
        self.make_link("one", "a")

    @rule(seed=st.integers(0, 2**32))
    def act(self, seed: int) -> None:
        """Do one thing, mostly to something that is there.

        A seed chooses it, and not Hypothesis, which tries one of many rules and values much more often than
        the others: what is deleted would hardly be restored.
        """
        dice = random.Random(seed)
        act, kind, name = dice.choice(ACTS), dice.choice(("doc", "doc", "space")), dice.choice(NAMES)
        kind = "space" if act == "delete_file" else "doc" if act in OF_DOCS else kind
        live = [one for of, one in self.model.live if of == kind]
        if act != "make" and name not in live and live and dice.random() < 0.9:
            name = dice.choice(live)
        given = {
            "kind": kind,
            "name": name,
            "other": dice.choice(NAMES),
            "person": dice.choice((*PEOPLE, *PEOPLE, *[OWNER] * 8, PUBLIC)),
            "to": dice.choice(tuple(LETTERS)),
            "rel": dice.choice(RELS[kind]),
            "link": dice.choice("ab"),
            "snapshot": dice.choice(("first", "second")),
            "field": dice.choice(FIELDS),
            "flag": dice.random() < 0.5,
            "pick": dice.randrange(6),
            "seconds": dice.choice(SECONDS),
        }
        method = getattr(self, act)
        chosen = {word: given[word] for word in signature(method).parameters}
        note(f"{act} {chosen}")
        method(**chosen)

    def teardown(self) -> None:
        if hasattr(self, "model"):
            self.checks.all()

    def tick(self) -> None:
        """Let a second pass, so that each moment is before or after each step."""
        self.service.clock.forward(seconds=1)
        self.model.now = self.service.now()

    def done(self, answer: Answer, expected: bool) -> bool:
        """Whether it was done, which has to be as expected."""
        assert (answer.status < 300) == expected, (answer, expected)
        return expected

    def may(self, person: str, kind: str, name: str, letters: str) -> Thing | None:
        if person == PUBLIC:
            return None
        return self.checks.may(person, kind, name, letters)

    def place(self, kind: str, name: str) -> str:
        return self.service.place(kind, name)

    def short(self, kind: str, name: str) -> str:
        return self.service.ask(OWNER, "GET", f"{self.place(kind, name)}/shortname").body.decode().strip()

    def make(self, kind: str, name: str) -> None:
        self.tick()
        answer = self.service.ask(OWNER, "PUT", f"/v1/{FOLDERS[kind]}/{name}")
        is_free = (kind, name) not in self.model.live
        if is_free:
            assert answer.status == 201, answer
            self.model.add(name, Thing(kind, next(self.numbers), self.short(kind, name)))
        else:
            assert answer.status == 409, answer

    def write(self, kind: str, name: str, person: str, rel: str, flag: bool, pick: int) -> None:
        """Write a new text, or at times an earlier one again, or with an ETag from anywhere."""
        self.tick()
        autosave = flag and kind == "doc"
        text = f"{MARK}{len(self.texts)}."
        if pick == 5 and self.texts:
            text = self.texts[len(self.texts) // 2]
        else:
            self.texts.append(text)
        method = "PUT" if kind == "space" else "POST"
        heads = {"X_History": "autosave"} if autosave else {}
        thing = self.may(person, kind, name, "w")
        if pick == 4 and self.model.tags and thing is not None:
            tag = self.checks.dice.choice(self.model.tags)
            heads["If_Match"] = f'"{tag}"'
            said = thing.says(rel)
            if kind == "space" or said is None or etag(said) != tag:
                thing = None
        if method == "PUT" and thing is not None and rel in thing.files:
            method = "POST"
        answer = self.service.ask(person, method, f"{self.place(kind, name)}/{rel}", text, **heads)
        if self.done(answer, thing is not None) and thing is not None:
            thing.write(rel, text, person, autosave, self.model.now)
            if kind == "doc":
                self.model.tags.append(etag(text))

    def clear(self, name: str, person: str, rel: str) -> None:
        self.tick()
        thing = self.may(person, "doc", name, "w")
        path = f"{self.place('doc', name)}/{rel.removesuffix('/value')}"
        answer = self.service.ask(person, "DELETE", path)
        if thing is not None and thing.says(rel) is None:
            assert answer.status in (200, 404), answer
        elif self.done(answer, thing is not None) and thing is not None:
            thing.clear(rel, self.model.now)

    def delete_file(self, name: str, rel: str) -> None:
        self.tick()
        before = {*self.model.entries}
        space = self.model.live.get(("space", name))
        answer = self.service.ask(OWNER, "DELETE", f"{self.place('space', name)}/{rel}")
        if self.done(answer, space is not None and rel in space.files):
            self.model.delete_file(name, rel, self.newest(before))

    def delete(self, kind: str, name: str, person: str) -> None:
        self.tick()
        before = {*self.model.entries}
        answer = self.service.ask(person, "DELETE", self.place(kind, name))
        if self.done(answer, self.may(person, kind, name, "d") is not None):
            self.model.delete(kind, name, self.newest(before))

    def delete_and_make_again(self, kind: str, name: str) -> None:
        if (kind, name) in self.model.live:
            self.delete(kind, name, OWNER)
        self.make(kind, name)

    def newest(self, before: set[int]) -> int:
        """The number of what just came to the trash."""
        found = {int(row["name"]) for row in self.service.rows(OWNER, "/v1/trash")} - {*self.model.trash}
        assert len(found) == 1, found
        (number,) = found
        assert number not in before
        return number

    def restore(self, kind: str, name: str, pick: int, other: str, flag: bool) -> None:
        """Restore an entry under its name or another one, with shares and links or without."""
        if not self.model.trash:
            self.delete(kind, name, OWNER)
        if not self.model.trash:
            return
        self.tick()
        number = sorted(self.model.trash)[pick % len(self.model.trash)]
        entry = self.model.trash[number]
        name = None if other == "one" else other
        if entry.content is not None and name is not None:
            name = {"two": "a.txt", "three": "b.txt"}[name]
        wanted = name or entry.name
        body: dict[str, object] = {"shares": True} if flag else {}
        if name:
            body["name"] = name
        answer = self.service.ask(OWNER, "PATCH", f"/v1/trash/{number}", body or None)
        if self.done(answer, self.model.can_restore(number, wanted)):
            self.model.restore(number, wanted, flag)

    def end(self, pick: int, flag: bool) -> None:
        """End an entry, or all."""
        if not self.model.trash:
            return
        self.tick()
        number = sorted(self.model.trash)[pick % len(self.model.trash)]
        path = "/v1/trash" if flag else f"/v1/trash/{number}"
        self.done(self.service.ask(OWNER, "DELETE", path), True)
        for one in [*self.model.trash] if flag else [number]:
            if one in self.model.trash:
                self.model.end(one)

    def rename_or_copy(self, kind: str, name: str, other: str, flag: bool) -> None:
        """Rename a thing, or copy it; a space cannot be copied."""
        if name == other:
            return
        copied = flag and kind == "doc"
        self.tick()
        body = {"name": other, **({"copy": True} if copied else {})}
        answer = self.service.ask(OWNER, "PATCH", self.place(kind, name), body)
        live = self.model.live
        if not self.done(answer, (kind, name) in live and (kind, other) not in live):
            return
        if copied:
            thing = live[kind, name].copied(next(self.numbers), self.short(kind, other), self.model.now)
            self.model.add(other, thing)
        else:
            live[kind, other] = live.pop((kind, name))

    def share(self, kind: str, name: str, to: str, pick: int) -> None:
        self.tick()
        letters = LETTERS[to][pick % len(LETTERS[to])]
        if kind == "space":
            letters = letters if to != PUBLIC else "r"
        word = f"@{self.service.name(to)}" if to else "public"
        answer = self.service.ask(OWNER, "PUT", f"{self.place(kind, name)}/shared/{word}~{letters}")
        if self.done(answer, (kind, name) in self.model.live):
            self.model.live[kind, name].shares[to] = letters

    def unshare(self, kind: str, name: str, to: str) -> None:
        self.tick()
        thing = self.model.live.get((kind, name))
        word = f"@{self.service.name(to)}" if to else "public"
        answer = self.service.ask(OWNER, "DELETE", f"{self.place(kind, name)}/shared/{word}")
        if self.done(answer, thing is not None and to in thing.shares) and thing is not None:
            del thing.shares[to]

    def make_link(self, name: str, link: str) -> None:
        self.tick()
        thing = self.model.live.get(("doc", name))
        path = f"{self.place('doc', name)}/shared/link~{link}"
        answer = self.service.ask(OWNER, "PUT", path)
        if self.done(answer, thing is not None) and thing is not None and link not in thing.links:
            key = answer.body.decode().split("\n")[0].rpartition("/l/")[2]
            thing.links[link] = Link(key)
            self.model.keys.append(key)

    def end_link(self, name: str, link: str, person: str) -> None:
        self.tick()
        thing = self.model.live.get(("doc", name))
        answer = self.service.ask(person, "DELETE", f"{self.place('doc', name)}/shared/link~{link}")
        if self.done(answer, person == OWNER and thing is not None and link in thing.links):
            assert thing is not None
            del thing.links[link]

    def limit_link(self, name: str, link: str, field: str, pick: int) -> None:
        """Limit a link, which is made first if there is none, as is a snapshot."""
        if ("doc", name) in self.model.live:
            self.make_link(name, link)
            if field == "pinned":
                self.make_snapshot(name, ("first", "second")[pick % 2], OWNER)
        self.tick()
        thing = self.model.live.get(("doc", name))
        limited = thing.links.get(link) if thing is not None else None
        path = f"{self.place('doc', name)}/shared/link~{link}/{field}"
        if pick == 0:
            if self.service.ask(OWNER, "DELETE", path).status < 300 and limited is not None:
                setattr(limited, field, None)
            return
        word = {"expires": f"{pick} days", "uses": str(pick), "password": PASSWORD}.get(
            field, ("first", "second")[pick % 2]
        )
        can = limited is not None and (field != "pinned" or (thing is not None and word in thing.snapshots))
        if self.done(self.service.ask(OWNER, "POST", path, word), can) and limited is not None:
            if field == "password":
                self.model.passwords[limited.key] = word
            value = {"expires": self.model.now + timedelta(days=pick), "uses": pick}.get(field, word)
            setattr(limited, field, value)

    def make_snapshot(self, name: str, snapshot: str, person: str) -> None:
        self.tick()
        thing = self.may(person, "doc", name, "rw")
        answer = self.service.ask(person, "PUT", f"{self.place('doc', name)}/snapshots/{snapshot}")
        if self.done(answer, thing is not None and snapshot not in thing.snapshots) and thing is not None:
            thing.snapshots[snapshot] = thing.says("content") or ""

    def end_snapshot(self, name: str, snapshot: str, person: str) -> None:
        self.tick()
        thing = self.may(person, "doc", name, "d")
        answer = self.service.ask(person, "DELETE", f"{self.place('doc', name)}/snapshots/{snapshot}")
        if self.done(answer, thing is not None and snapshot in thing.snapshots) and thing is not None:
            del thing.snapshots[snapshot]
            for link in thing.links.values():
                link.pinned = "" if link.pinned == snapshot else link.pinned

    def age(self, seconds: int) -> None:
        self.service.clock.forward(seconds=seconds)
        self.tick()
        self.service.sweep()
        self.model.age()

    def forget(self, name: str, rel: str, person: str) -> None:
        self.tick()
        thing = self.model.live.get(("doc", name)) if person == OWNER else None
        answer = self.service.ask(person, "DELETE", f"{self.place('doc', name)}/{rel}?history")
        if thing is not None and thing.says(rel) is None and not thing.past.get(rel):
            assert answer.status in (200, 404), answer
        elif self.done(answer, thing is not None) and thing is not None:
            thing.past.pop(rel, None)

    @invariant()
    def everything_is_found_that_should_be_and_nothing_else(self) -> None:
        if hasattr(self, "model"):
            self.service.steps += 1
            self.service.clock.forward(seconds=1)
            self.model.now = self.service.now()
            self.model.moments.append(self.model.now)
            self.checks.some()
