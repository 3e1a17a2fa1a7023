"""Notices about items show the present state after renames, changes, removals and new items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb

NAMES = ("n1", "n2", "n3")
DOCS = "/v1/users/alice/vis/docs"
INBOX = "/v1/admin/notifications"
ACTIONS = st.lists(
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
    """alice's documents as they must be, beside those of other users."""

    def __init__(self, tree_world: TreeWorld) -> None:
        self.tree_world, self.things = tree_world, dict[str, Thing]()
        for name in ("alice", "bob"):
            tree_world.citizen(name, public=True)
        self.alice, self.bob = tree_world.token("alice"), tree_world.token("bob")

    def act(self, number: int, action: str, name: str, other: str, letters: str) -> None:
        """Do one thing, where it can be done."""
        if name not in self.things:
            self.tree_world.call(Verb.CREATE, f"{DOCS}/{name}", self.alice)
            self.things[name] = Thing()
        thing, path, slug = self.things[name], f"{DOCS}/{name}", f"s{number}"
        if action == "share":
            self.tree_world.call(Verb.CREATE, f"{path}/shared/@bob~{letters}", self.alice)
            thing.letters = letters
        elif action == "unshare" and thing.letters:
            self.tree_world.call(Verb.REMOVE, f"{path}/shared/@bob", self.alice)
            thing.letters = ""
        elif action == "comment" and thing.letters:
            self.tree_world.call(Verb.CREATE, f"{path}/threads/{slug}", self.bob, f"said {number}")
            thing.comments[slug] = f"said {number}"
        elif action in ("edit", "retract") and thing.letters and thing.comments:
            slug = next(iter(thing.comments))
            if action == "edit":
                self.tree_world.write(f"{path}/threads/@bob~{slug}/msg", self.bob, "{letters} {page}")
                thing.comments[slug] = "{letters} {page}"
            else:
                self.tree_world.call(Verb.REMOVE, f"{path}/threads/@bob~{slug}", self.bob)
                del thing.comments[slug]
        elif action == "rename" and other not in self.things:
            self.tree_world.call(Verb.RENAME, path, self.alice, {"name": other})
            self.things[other] = self.things.pop(name)
        elif action == "remove":
            self.tree_world.call(Verb.REMOVE, path, self.alice)
            del self.things[name]

    def check(self) -> None:
        """Compare both inboxes with the model."""
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
        assert self._notices_of(self.bob) == shares
        assert self._notices_of(self.alice) == comments

    def _notices_of(self, caller: Caller) -> set[tuple[Any, Any]]:
        rows = self.tree_world.read(INBOX, caller)
        notices = {(row.extra["subject"], row.extra["text"]) for row in rows}
        assert len(notices) == len(rows)
        return notices


@given(actions=ACTIONS)
@settings(max_examples=40, deadline=None)
def test_an_inbox_shows_the_present_state(
    tmp_path_factory: Any, actions: list[tuple[str, str, str, str]]
) -> None:
    tree_world = TreeWorld(tmp_path_factory.mktemp("notices"))
    world = World(tree_world)
    for number, action in enumerate(actions):
        world.act(number, *action)
    world.check()
    tree_world.database.close()
