"""Notices belong to things: whatever is renamed, changed, removed or made again, they tell what is so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handlers.trees.town import Town
from vfs.access import Caller, Verb

NAMES = ("n1", "n2", "n3")
DOCS = "/v1/users/alice/vis/docs"
INBOX = "/v1/admin/notifications"
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(
            ("share", "share", "unshare", "comment", "comment", "edit", "retract", "rename", "remove")
        ),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(("r", "rw", "rx")),
    ),
    max_size=30,
)
SPOKEN = {"r": "r (read)", "rw": "rw (read, write)", "rx": "rx (read, use)"}


@dataclass
class Thing:
    """A document: whether it is shared with bob, and what he says there."""

    letters: str = ""
    comments: dict[str, str] = field(default_factory=dict)


class World:
    """alice's documents as they must be, beside those of a town."""

    def __init__(self, town: Town) -> None:
        self.town, self.things = town, dict[str, Thing]()
        for name in ("alice", "bob"):
            town.citizen(name, public=True)
        self.alice, self.bob = town.token("alice"), town.token("bob")

    def act(self, number: int, deed: str, name: str, other: str, letters: str) -> None:
        """Do one thing, where it can be done."""
        if name not in self.things:
            self.town.call(Verb.CREATE, f"{DOCS}/{name}", self.alice)
            self.things[name] = Thing()
        thing, path, slug = self.things[name], f"{DOCS}/{name}", f"s{number}"
        if deed == "share":
            self.town.call(Verb.CREATE, f"{path}/shared/@bob~{letters}", self.alice)
            thing.letters = letters
        elif deed == "unshare" and thing.letters:
            self.town.call(Verb.REMOVE, f"{path}/shared/@bob", self.alice)
            thing.letters = ""
        elif deed == "comment" and thing.letters:
            self.town.call(Verb.CREATE, f"{path}/threads/{slug}", self.bob, f"said {number}")
            thing.comments[slug] = f"said {number}"
        elif deed in ("edit", "retract") and thing.letters and thing.comments:
            slug = next(iter(thing.comments))
            if deed == "edit":
                self.town.write(f"{path}/threads/@bob~{slug}/msg", self.bob, "{letters} {page}")
                thing.comments[slug] = "{letters} {page}"
            else:
                self.town.call(Verb.REMOVE, f"{path}/threads/@bob~{slug}", self.bob)
                del thing.comments[slug]
        elif deed == "rename" and other not in self.things:
            self.town.call(Verb.RENAME, path, self.alice, {"name": other})
            self.things[other] = self.things.pop(name)
        elif deed == "remove":
            self.town.call(Verb.REMOVE, path, self.alice)
            del self.things[name]

    def check(self) -> None:
        """Both inboxes tell what is so, and nothing else."""
        shares = {
            (f"{DOCS}/{name}", f"@alice shared the doc {name} with you: {SPOKEN[thing.letters]}.")
            for name, thing in self.things.items()
            if thing.letters
        }
        comments = {
            (f"{DOCS}/{name}/threads/@bob~{slug}", f"@bob on the doc {name}: {text}")
            for name, thing in self.things.items()
            for slug, text in thing.comments.items()
        }
        assert self._told(self.bob) == shares
        assert self._told(self.alice) == comments

    def _told(self, caller: Caller) -> set[tuple[Any, Any]]:
        rows = self.town.read(INBOX, caller)
        told = {(row.extra["subject"], row.extra["text"]) for row in rows}
        assert len(told) == len(rows)
        return told


@given(deeds=DEEDS)
@settings(max_examples=40, deadline=None)
def test_an_inbox_tells_what_is_so(tmp_path_factory: Any, deeds: list[tuple[str, str, str, str]]) -> None:
    town = Town(tmp_path_factory.mktemp("told"))
    world = World(town)
    for number, deed in enumerate(deeds):
        world.act(number, *deed)
    world.check()
    town.database.close()
