"""Promises of inboxes about the levels that people chose, and about how many notices they see."""

from __future__ import annotations

from tests.kit.suites.kernel.notices import InboxWorld, crew
from vfs.access import Grant, Role
from vfs.ports.clock import stamp
from vfs.ports.notices import ChosenLevels, NoticeSubject
from vfs.ports.people import Account


class NoticeLevelsSuite:
    """Promises of levels and counts."""

    def test_levels_are_those_of_the_thing_and_of_the_account(self, empty_world: InboxWorld) -> None:
        bob, _ = (
            empty_world.users.add(name, "", Account.REGULAR, None, public=False) for name in ("bob", "carol")
        )
        job = empty_world.items.create("job", "alice", "nightly")
        empty_world.leaves.put(job.id, "notifications/@bob", "ignore", "bob")
        empty_world.leaves.put(bob.item, "notices/failed", "important", "bob")
        levels = ChosenLevels("ignore", "important")
        assert empty_world.notices.chosen_levels("failed", ["bob", "carol", "gone"], job.id) == {
            "bob": levels,
            "carol": ChosenLevels(None, None),
        }
        assert empty_world.notices.chosen_levels("success", ["bob"], job.id) == {
            "bob": ChosenLevels("ignore", None)
        }
        assert empty_world.notices.listening("failed", job.id) == {
            "alice": ChosenLevels(None, None),
            "bob": levels,
        }
        empty_world.leaves.put(job.id, "notifications/@alice", "info", "alice")
        assert empty_world.notices.listening("failed", job.id) == {
            "alice": ChosenLevels("info", None),
            "bob": levels,
        }

    def test_what_is_seen_is_counted(self, empty_world: InboxWorld) -> None:
        notices, items, count = empty_world.notices, empty_world.items, empty_world.notices.count
        for name in ("alice", "bob"):
            empty_world.users.add(name, "", Account.REGULAR, None, public=False)
        job, crew_of_alice = items.create("job", "alice", "nightly"), crew(empty_world)
        notices.add("bob", "failed", "", "it failed", about=NoticeSubject(job.id))
        notices.add("bob", "entered", "", "somebody came", about=NoticeSubject(crew_of_alice.item.id))
        notices.add("alice", "failed", "", "it failed", about=NoticeSubject(job.id))
        assert (count("alice"), count("bob"), count("carol")) == (1, 0, 0)
        empty_world.members.put(crew_of_alice.ref, "bob", Role.MEMBERS, pending=True, by="alice")
        notices.add("bob", "invite", "", "come", about=NoticeSubject(crew_of_alice.item.id))
        assert count("bob") == 1
        empty_world.members.accept(crew_of_alice.ref, "bob")
        assert count("bob") == 1
        target = f"{crew_of_alice.ref}"
        empty_world.grants.give(job.id, Grant(target, "r", f"{target}~r", stamp(empty_world.clock.now())))
        assert count("bob") == 2
        notices.add("bob", "told", "", "of nothing")
        assert count("bob") == 3
