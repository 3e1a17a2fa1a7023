"""Promises of inboxes, for every keeper of vfs.ports.notices.Notices."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, raises
from vfs.access import Grant, Role
from vfs.ports.clock import stamp
from vfs.ports.grants import Grants
from vfs.ports.groups import Group, GroupKind, Groups, Members, TieKind, Ties
from vfs.ports.items import ItemStore
from vfs.ports.leaves import Leaves
from vfs.ports.notices import EXCERPT, Notices, NoticeSubject
from vfs.ports.people import Account, Users
from vfs.ports.social import Threads

PATH = "/v1/users/alice/code/jobs/nightly"


class InboxWorld(EmptyWorld, Protocol):
    """An empty world with its inboxes."""

    @property
    def notices(self) -> Notices: ...

    @property
    def items(self) -> ItemStore: ...

    @property
    def grants(self) -> Grants: ...

    @property
    def leaves(self) -> Leaves: ...

    @property
    def threads(self) -> Threads: ...

    @property
    def users(self) -> Users: ...

    @property
    def groups(self) -> Groups: ...

    @property
    def members(self) -> Members: ...

    @property
    def ties(self) -> Ties: ...


def crew(empty_world: InboxWorld) -> Group:
    """A group of alice's."""
    return empty_world.groups.create(GroupKind.USER_GROUP, "alice", "crew", "alice")


class NoticesSuite:
    """Promises of inboxes and of what of them is mailed."""

    def test_a_notice_is_found_as_it_was_added_newest_first(self, empty_world: InboxWorld) -> None:
        notices, now = empty_world.notices, stamp(empty_world.clock.now())
        first = notices.add("alice", "failed", PATH, "it failed")
        second = notices.add("alice", "success", PATH, "it went well", level="important", mail=True)
        other = notices.add("bob", "shared", PATH, "alice shared it")
        assert (first.user, first.kind, first.path, first.text) == ("alice", "failed", PATH, "it failed")
        assert (first.created_on, first.level, second.level) == (now, "info", "important")
        assert list(notices.of("alice")) == [second, first]
        assert list(notices.of("bob")) == [other]
        assert list(notices.of("carol")) == []

    def test_a_notice_is_its_users_alone(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        notice = notices.add("alice", "failed", PATH, "it failed")
        assert notices.find("alice", notice.id) == notice
        assert notices.find("bob", notice.id) is None
        assert not notices.remove("bob", notice.id)
        assert notices.remove("alice", notice.id)
        assert not notices.remove("alice", notice.id)
        assert notices.find("alice", notice.id) is None

    def test_several_are_dismissed_at_once_of_their_user_alone(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        with empty_world.atomic():
            mine = [notices.add("alice", "failed", PATH, f"number {number}") for number in range(120)]
            other = notices.add("bob", "failed", PATH, "another's")
        kept = mine.pop()
        doomed = [notice.id for notice in (*mine, other)]
        assert notices.dismiss("alice", doomed) == len(mine)
        assert notices.dismiss("alice", doomed) == 0
        assert notices.dismiss("alice", []) == 0
        assert list(notices.of("alice")) == [kept]
        assert list(notices.of("bob")) == [other]

    def test_what_is_settled_is_withdrawn_from_all_inboxes(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        first, second = "runs/1", "runs/2"
        for user in ("alice", "bob"):
            for path in (first, second):
                notices.add(user, "waiting", path, "it waits", about=NoticeSubject(7), source="holds of 7")
            notices.add(user, "failed", first, "another kind", about=NoticeSubject(7), source="holds of 7")
            notices.add(user, "waiting", first, "another item", about=NoticeSubject(8), source="holds of 8")
        notices.withdraw(7, "waiting", "runs/1")
        for user in ("alice", "bob"):
            left = [(one.kind, one.path) for one in notices.of(user)]
            assert left == [("waiting", first), ("failed", first), ("waiting", second)]
        notices.withdraw(7, "waiting")
        assert [one.kind for one in notices.of("bob")] == ["waiting", "failed"]

    def test_a_notice_is_deleted_with_its_item_and_no_other(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        doc, kept = (empty_world.items.create("doc", "alice", name) for name in ("n1", "n2"))
        notices.add("bob", "failed", "", "it failed", about=NoticeSubject(doc.id))
        stays = notices.add("bob", "failed", "", "it failed too", about=NoticeSubject(kept.id), mail=True)
        assert [one.item for one in notices.of("bob")] == [kept.id, doc.id]
        empty_world.items.rename(kept, "n3")
        empty_world.items.remove(doc)
        empty_world.items.create("doc", "alice", "n1")
        assert [one.id for one in notices.of("bob")] == [stays.id]
        assert [one.id for one in notices.unsent()] == [stays.id]

    def test_a_notice_tells_the_present_text_of_its_comment_until_that_goes(
        self, empty_world: InboxWorld
    ) -> None:
        notices, doc = empty_world.notices, empty_world.items.create("doc", "alice", "n1")
        first = empty_world.threads.add(doc.id, None, "carol", "one", "x" * 2 * EXCERPT)
        answer = empty_world.threads.add(doc.id, first, "dave", "two", "yes")
        for one in (first, answer):
            notices.add("bob", "commented", one.name, "{comment}", about=NoticeSubject(doc.id, one.id))
        assert [one.comment for one in notices.of("bob")] == ["yes", "x" * (EXCERPT + 1)]
        empty_world.threads.write(answer, "no")
        assert next(one.comment for one in notices.of("bob")) == "no"
        empty_world.threads.remove(first)
        assert [one.comment for one in notices.of("bob")] == ["no"]
        empty_world.threads.remove(answer)
        assert list(notices.of("bob")) == []

    def test_a_notice_of_a_share_goes_when_it_is_taken_back(self, empty_world: InboxWorld) -> None:
        notices, doc = empty_world.notices, empty_world.items.create("doc", "alice", "n1")
        for target in ("@bob", "public"):
            empty_world.grants.give(doc.id, Grant(target, "r", f"{target}~r"))
        for user, kind in (("bob", "shared"), ("carol", "shared"), ("bob", "failed")):
            notices.add(user, kind, "", "said", about=NoticeSubject(doc.id))
        empty_world.grants.take(doc.id, "public")
        assert [one.kind for one in notices.of("bob")] == ["failed", "shared"]
        empty_world.grants.take(doc.id, "@bob")
        assert [one.kind for one in notices.of("bob")] == ["failed"]
        assert [one.kind for one in notices.of("carol")] == ["shared"]

    def test_a_notice_of_an_invitation_tells_the_role_until_that_is_over(
        self, empty_world: InboxWorld
    ) -> None:
        notices, members, group = empty_world.notices, empty_world.members, crew(empty_world)

        def invite(role: Role = Role.MEMBERS) -> None:
            members.put(group.ref, "bob", role, pending=True, by="alice")
            notices.add("bob", "invite", "", "{role}", about=NoticeSubject(group.item.id))

        invite()
        other = notices.add("bob", "joined", "", "said", about=NoticeSubject(group.item.id))
        members.put(group.ref, "bob", Role.ADMINS, pending=True, by="alice")
        assert [(one.role, one.pending) for one in notices.of("bob")] == [(Role.ADMINS, True)] * 2
        members.drop(group.ref, "bob", Role.ADMINS, pending=True)
        assert [(one.id, one.role) for one in notices.of("bob")] == [(other.id, None)]
        invite()
        members.accept(group.ref, "bob")
        assert [(one.id, one.role) for one in notices.of("bob")] == [(other.id, Role.MEMBERS)]
        members.drop(group.ref, "bob", Role.MEMBERS, pending=False)
        invite()
        members.put(group.ref, "bob", Role.FOUNDERS, pending=False, by="bob")
        assert [(one.id, one.pending) for one in notices.of("bob")] == [(other.id, False)]
        members.drop(group.ref, "bob", Role.FOUNDERS, pending=False)
        invite()
        empty_world.groups.remove(group)
        assert list(notices.of("bob")) == []

    def test_a_notice_of_a_connection_goes_when_that_is_over(self, empty_world: InboxWorld) -> None:
        notices, ties = empty_world.notices, empty_world.ties
        alice, bob = (
            empty_world.users.add(name, "", Account.REGULAR, None, public=True) for name in ("alice", "bob")
        )

        def ask() -> None:
            ties.put(TieKind.CONNECTION, "alice", "bob", pending=True)
            notices.add("bob", "invite", "", "asks", about=NoticeSubject(alice.item))

        ask()
        ties.put(TieKind.FOLLOWING, "alice", "bob")
        ties.drop(TieKind.FOLLOWING, "alice", "bob")
        assert [one.kind for one in notices.of("bob")] == ["invite"]
        ties.drop(TieKind.CONNECTION, "alice", "bob", pending=True)
        assert list(notices.of("bob")) == []
        ask()
        ties.accept(TieKind.CONNECTION, "alice", "bob")
        assert list(notices.of("bob")) == []
        notices.add("bob", "connected", "", "are", about=NoticeSubject(alice.item))
        notices.add("alice", "connected", "", "are", about=NoticeSubject(bob.item))
        ties.drop(TieKind.CONNECTION, "alice", "bob")
        assert list(notices.of("bob")) == list(notices.of("alice")) == []

    def test_the_oldest_go_when_there_are_too_many(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        kept = notices.add("bob", "failed", PATH, "another's")
        with empty_world.atomic():
            added = [notices.add("alice", "failed", PATH, f"number {number}") for number in range(1_003)]
        assert list(notices.of("alice")) == added[:2:-1]
        assert list(notices.of("bob")) == [kept]

    def test_a_repetition_takes_the_place_of_the_one_before(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        kept = [
            notices.add("alice", "shared", PATH, "carol's", source="@carol"),
            notices.add("alice", "shared", f"{PATH}2", "another path", source="@bob"),
            notices.add("alice", "commented", PATH, "another kind", source="@bob"),
            notices.add("alice", "shared", PATH, "of no source"),
        ]
        with empty_world.atomic():
            loop = [notices.add("alice", "shared", PATH, f"r {n}", source="@bob") for n in range(3)]
        assert list(notices.of("alice")) == [loop[-1], *kept[::-1]]
        again = notices.add("alice", "shared", PATH, "of no source")
        assert notices.of("alice")[0] == again
        assert kept[-1] in notices.of("alice")

    def test_nobody_pushes_out_what_others_said(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        with empty_world.atomic():
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

    def test_all_people_together_keep_to_their_part(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        with empty_world.atomic():
            kept = notices.add("alice", "failed", PATH, "it failed", source=PATH)
            for number in range(510):
                notices.add("alice", "shared", f"{PATH}{number}", "!", source=f"@eve{number % 20}")
        assert list(notices.of("alice"))[-1] == kept
        assert len(notices.of("alice")) == 501

    def test_a_mail_is_taken_once_and_may_be_given_back(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
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

    def test_a_transaction_takes_its_notices_back(self, empty_world: InboxWorld) -> None:
        with raises(ZeroDivisionError), empty_world.atomic():
            empty_world.notices.add("alice", "failed", PATH, "it failed", mail=True)
            raise ZeroDivisionError
        assert list(empty_world.notices.of("alice")) == []
        assert list(empty_world.notices.unsent()) == []

    def test_what_is_to_be_mailed_wakes_who_waits(self, empty_world: InboxWorld) -> None:
        notices = empty_world.notices
        seen = notices.wake(0, None)
        notices.add("alice", "failed", PATH, "no mail")
        assert notices.wake(seen, 0) == seen
        notices.add("alice", "failed", PATH, "a mail", mail=True)
        woken = notices.wake(seen, None)
        assert woken != seen
        notices.signal()
        assert notices.wake(woken, None) != woken
