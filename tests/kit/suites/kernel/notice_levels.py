"""Promises of inboxes about the levels that people chose, and about how many notices they see."""

from __future__ import annotations

from tests.kit.suites.kernel.notices import InboxGround, crew
from vfs.access import Grant, Role
from vfs.ports.clock import stamp
from vfs.ports.notices import ChosenLevels, NoticeSubject
from vfs.ports.people import Account


class NoticeLevelsSuite:
    """Promises of levels and counts."""

    def test_levels_are_those_of_the_thing_and_of_the_account(self, ground: InboxGround) -> None:
        bob, _ = (
            ground.users.add(name, "", Account.REGULAR, None, public=False) for name in ("bob", "carol")
        )
        job = ground.items.create("job", "alice", "nightly")
        ground.leaves.put(job.id, "notifications/@bob", "ignore", "bob")
        ground.leaves.put(bob.item, "notices/failed", "important", "bob")
        told = ChosenLevels("ignore", "important")
        assert ground.notices.wishes("failed", ["bob", "carol", "gone"], job.id) == {
            "bob": told,
            "carol": ChosenLevels(None, None),
        }
        assert ground.notices.wishes("success", ["bob"], job.id) == {"bob": ChosenLevels("ignore", None)}
        assert ground.notices.listening("failed", job.id) == {"alice": ChosenLevels(None, None), "bob": told}
        ground.leaves.put(job.id, "notifications/@alice", "info", "alice")
        assert ground.notices.listening("failed", job.id) == {
            "alice": ChosenLevels("info", None),
            "bob": told,
        }

    def test_what_is_seen_is_counted(self, ground: InboxGround) -> None:
        notices, items, count = ground.notices, ground.items, ground.notices.count
        for name in ("alice", "bob"):
            ground.users.add(name, "", Account.REGULAR, None, public=False)
        job, crew_of_alice = items.create("job", "alice", "nightly"), crew(ground)
        notices.add("bob", "failed", "", "it failed", about=NoticeSubject(job.id))
        notices.add("bob", "entered", "", "somebody came", about=NoticeSubject(crew_of_alice.item.id))
        notices.add("alice", "failed", "", "it failed", about=NoticeSubject(job.id))
        assert (count("alice"), count("bob"), count("carol")) == (1, 0, 0)
        ground.members.put(crew_of_alice.ref, "bob", Role.MEMBERS, pending=True, by="alice")
        notices.add("bob", "invite", "", "come", about=NoticeSubject(crew_of_alice.item.id))
        assert count("bob") == 1
        ground.members.accept(crew_of_alice.ref, "bob")
        assert count("bob") == 1
        target = f"{crew_of_alice.ref}"
        ground.grants.give(job.id, Grant(target, "r", f"{target}~r", stamp(ground.clock.now())))
        assert count("bob") == 2
        notices.add("bob", "told", "", "of nothing")
        assert count("bob") == 3
