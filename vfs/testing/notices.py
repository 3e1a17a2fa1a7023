"""Promises of inboxes, for every keeper of vfs.ports.notices.Notices."""

from __future__ import annotations

from typing import Protocol

from vfs.ports.notices import About, Notices
from vfs.ports.world import stamp
from vfs.testing import Ground, raises

PATH = "/v1/users/alice/code/jobs/nightly"


class InboxGround(Ground, Protocol):
    """An empty world with its inboxes."""

    @property
    def notices(self) -> Notices: ...


class NoticesSuite:
    """Promises of inboxes and of what of them is mailed."""

    def test_a_notice_is_found_as_it_was_added_newest_first(self, ground: InboxGround) -> None:
        notices, now = ground.notices, stamp(ground.clock.now())
        first = notices.add("alice", "failed", PATH, "it failed")
        second = notices.add("alice", "success", PATH, "it went well", level="important", mail=True)
        other = notices.add("bob", "shared", PATH, "alice shared it")
        assert (first.user, first.kind, first.path, first.text) == ("alice", "failed", PATH, "it failed")
        assert (first.created_on, first.level, second.level) == (now, "info", "important")
        assert list(notices.of("alice")) == [second, first]
        assert list(notices.of("bob")) == [other]
        assert list(notices.of("carol")) == []

    def test_a_notice_is_its_users_alone(self, ground: InboxGround) -> None:
        notices = ground.notices
        notice = notices.add("alice", "failed", PATH, "it failed")
        assert notices.find("alice", notice.id) == notice
        assert notices.find("bob", notice.id) is None
        assert not notices.remove("bob", notice.id)
        assert notices.remove("alice", notice.id)
        assert not notices.remove("alice", notice.id)
        assert notices.find("alice", notice.id) is None

    def test_several_are_dismissed_at_once_of_their_user_alone(self, ground: InboxGround) -> None:
        notices = ground.notices
        with ground.atomic():
            mine = [notices.add("alice", "failed", PATH, f"number {number}") for number in range(120)]
            other = notices.add("bob", "failed", PATH, "another's")
        kept = mine.pop()
        doomed = [notice.id for notice in (*mine, other)]
        assert notices.dismiss("alice", doomed) == len(mine)
        assert notices.dismiss("alice", doomed) == 0
        assert notices.dismiss("alice", []) == 0
        assert list(notices.of("alice")) == [kept]
        assert list(notices.of("bob")) == [other]

    def test_what_is_settled_is_withdrawn_from_all_inboxes(self, ground: InboxGround) -> None:
        notices = ground.notices
        first, second = "runs/1", "runs/2"
        for user in ("alice", "bob"):
            for path in (first, second):
                notices.add(user, "waiting", path, "it waits", about=About(7), source="holds of 7")
            notices.add(user, "failed", first, "another kind", about=About(7), source="holds of 7")
            notices.add(user, "waiting", first, "another item", about=About(8), source="holds of 8")
        notices.withdraw(7, "waiting", "runs/1")
        for user in ("alice", "bob"):
            left = [(one.kind, one.path) for one in notices.of(user)]
            assert left == [("waiting", first), ("failed", first), ("waiting", second)]
        notices.withdraw(7, "waiting")
        assert [one.kind for one in notices.of("bob")] == ["waiting", "failed"]

    def test_the_oldest_go_when_there_are_too_many(self, ground: InboxGround) -> None:
        notices = ground.notices
        kept = notices.add("bob", "failed", PATH, "another's")
        with ground.atomic():
            added = [notices.add("alice", "failed", PATH, f"number {number}") for number in range(1_003)]
        assert list(notices.of("alice")) == added[:2:-1]
        assert list(notices.of("bob")) == [kept]

    def test_a_repetition_takes_the_place_of_the_one_before(self, ground: InboxGround) -> None:
        notices = ground.notices
        kept = [
            notices.add("alice", "shared", PATH, "carol's", source="@carol"),
            notices.add("alice", "shared", f"{PATH}2", "another path", source="@bob"),
            notices.add("alice", "commented", PATH, "another kind", source="@bob"),
            notices.add("alice", "shared", PATH, "of no source"),
        ]
        with ground.atomic():
            loop = [notices.add("alice", "shared", PATH, f"r {n}", source="@bob") for n in range(3)]
        assert list(notices.of("alice")) == [loop[-1], *kept[::-1]]
        again = notices.add("alice", "shared", PATH, "of no source")
        assert notices.of("alice")[0] == again
        assert kept[-1] in notices.of("alice")

    def test_nobody_pushes_out_what_others_said(self, ground: InboxGround) -> None:
        notices = ground.notices
        with ground.atomic():
            kept = [
                notices.add("alice", "entered", PATH, "bob entered by role", source="+org by @bob"),
                notices.add("alice", "failed", PATH, "it failed", source=PATH),
                notices.add("alice", "shared", PATH, "carol's", source="@carol"),
            ]
            mine = [notices.add("alice", "shared", f"{PATH}{n}", "!", source="@eve") for n in range(53)]
            for number in range(60):
                notices.add("alice", "failed", f"{PATH}/runs/{number}", "!", source="/u/eve/j/looped")
        looped = [notice for notice in notices.of("alice") if "/runs/" in notice.path]
        assert len(looped) == 50
        assert [notice for notice in notices.of("alice") if notice not in looped] == mine[:2:-1] + kept[::-1]

    def test_all_people_together_keep_to_their_part(self, ground: InboxGround) -> None:
        notices = ground.notices
        with ground.atomic():
            kept = notices.add("alice", "failed", PATH, "it failed", source=PATH)
            for number in range(510):
                notices.add("alice", "shared", f"{PATH}{number}", "!", source=f"@eve{number % 20}")
        assert list(notices.of("alice"))[-1] == kept
        assert len(notices.of("alice")) == 501

    def test_a_mail_is_taken_once_and_may_be_given_back(self, ground: InboxGround) -> None:
        notices = ground.notices
        notices.add("alice", "failed", PATH, "no mail")
        mailed = notices.add("alice", "failed", PATH, "a mail", mail=True)
        last = notices.add("bob", "failed", PATH, "another", mail=True)
        assert list(notices.unsent()) == [mailed, last]
        assert notices.take(mailed.id)
        assert not notices.take(mailed.id)
        assert list(notices.unsent()) == [last]
        notices.give_back(mailed.id)
        assert list(notices.unsent()) == [mailed, last]
        notices.remove("alice", mailed.id)
        assert list(notices.unsent()) == [last]

    def test_a_transaction_takes_its_notices_back(self, ground: InboxGround) -> None:
        with raises(ZeroDivisionError), ground.atomic():
            ground.notices.add("alice", "failed", PATH, "it failed", mail=True)
            raise ZeroDivisionError
        assert list(ground.notices.of("alice")) == []
        assert list(ground.notices.unsent()) == []

    def test_what_is_to_be_mailed_wakes_who_waits(self, ground: InboxGround) -> None:
        notices = ground.notices
        seen = notices.wake(0, None)
        notices.add("alice", "failed", PATH, "no mail")
        assert notices.wake(seen, 0) == seen
        notices.add("alice", "failed", PATH, "a mail", mail=True)
        woken = notices.wake(seen, None)
        assert woken != seen
        notices.ring()
        assert notices.wake(woken, None) != woken
