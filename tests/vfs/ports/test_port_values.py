"""What the values of the ports say of themselves."""

from __future__ import annotations

import pytest

from vfs.access import Caller, EffectiveGrant, LinkGrant, Role
from vfs.cause import CAUSE, caused_by
from vfs.ports.alerts import AlertState, KeptAlert
from vfs.ports.applications import MOST_APPLICATIONS, too_many_applications
from vfs.ports.groups import Group, GroupKind, GroupRelation, reference
from vfs.ports.hooks import MOST_HOOKS, too_many_hooks
from vfs.ports.inbound import InboundState
from vfs.ports.items import Item
from vfs.ports.keys import PublicKey, key_name_taken, key_taken, no_key
from vfs.ports.leaves import digest_of
from vfs.ports.links import ItemLink
from vfs.ports.mails import DeliveryAnswer, MailSending
from vfs.ports.quotas import Quota, QuotaName
from vfs.ports.social import Comment, tag_rel
from vfs.ports.trash import FILE, TrashEntry

ITEM = Item(1, "org_group", "acme", "team", "short", "t0", "t0")


def group(kind: GroupKind, *, public: bool = False) -> Group:
    return Group(reference(kind, "acme", "team"), kind, "acme", "team", public, None, "t0", ITEM)


@pytest.mark.parametrize(
    ("kind", "ref", "parent"),
    [
        (GroupKind.USER_GROUP, "@acme~team", None),
        (GroupKind.ORG, "+team", None),
        (GroupKind.ORG_GROUP, "+acme~team", "+acme"),
    ],
)
def test_a_group_is_referred_to_by_its_kind(kind: GroupKind, ref: str, parent: str | None) -> None:
    assert (group(kind).ref, group(kind).parent) == (ref, parent)


@pytest.mark.parametrize(
    ("relation", "oversees", "seen"),
    [
        (GroupRelation(group(GroupKind.ORG_GROUP)), False, False),
        (GroupRelation(group(GroupKind.ORG_GROUP, public=True)), False, True),
        (GroupRelation(group(GroupKind.ORG_GROUP), role=Role.MEMBERS), False, True),
        (GroupRelation(group(GroupKind.ORG_GROUP), invited=Role.MEMBERS), False, True),
        (GroupRelation(group(GroupKind.ORG_GROUP), over=Role.MEMBERS), False, False),
        (GroupRelation(group(GroupKind.ORG_GROUP), over=Role.ADMINS), True, True),
        (GroupRelation(group(GroupKind.ORG_GROUP), inside=True), False, True),
    ],
)
def test_who_stands_above_a_group_sees_it(relation: GroupRelation, oversees: bool, seen: bool) -> None:
    assert (relation.oversees, relation.seen) == (oversees, seen)


@pytest.mark.parametrize(
    ("state", "test", "word"),
    [
        ("open", True, "testing"),
        ("open", False, "sending"),
        ("sent", True, "sent"),
        ("failed", False, "failed"),
    ],
)
def test_a_mail_has_a_word_for_its_last_sending(state: str, test: bool, word: str) -> None:
    assert MailSending(1, 1, test, state, "", "t0", None, 0, 0).status == word


def test_an_attempt_counts_by_default() -> None:
    assert DeliveryAnswer("due", "t1").counted
    assert InboundState("kept") is InboundState.KEPT


@pytest.mark.parametrize(("use", "room"), [(0, 5), (5, 0), (9, 0)])
def test_a_quota_has_no_less_than_no_room(use: int, room: int) -> None:
    assert Quota(QuotaName.ITEMS, 5, use, own=False).room == room


def test_a_category_is_a_tag_of_everybody() -> None:
    assert (tag_rel("=wader", "bob"), tag_rel("fav", "bob")) == ("tags/=/=wader", "tags/@bob/fav")


def test_a_comment_is_named_after_its_author() -> None:
    assert Comment(1, 1, 0, 1, 1, "bob", "first", "hello", "t0", "t0").name == "@bob~first"


@pytest.mark.parametrize(("comment", "line"), [("", "ssh-ed25519 AAAA"), ("a@b", "ssh-ed25519 AAAA a@b")])
def test_a_key_is_written_as_openssh_writes_it(comment: str, line: str) -> None:
    assert PublicKey("ssh-ed25519", "AAAA", comment, "SHA256:x").line == line


def test_refusals_name_what_they_are_about() -> None:
    assert str(MOST_APPLICATIONS) in too_many_applications().detail
    assert "entry of yours" in key_taken().detail
    assert "laptop" in key_name_taken("laptop").detail
    assert "7" in no_key(7)


def test_a_digest_is_that_of_the_bytes() -> None:
    assert digest_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest_of("ü") != digest_of("u")


def test_hooks_of_an_account_are_limited() -> None:
    assert f"you have {MOST_HOOKS} hooks" in too_many_hooks().detail


def test_an_alert_is_judged_by_no_clock_unless_it_says_when() -> None:
    alert = KeptAlert(1, "vars/sales", "below 10", AlertState.ON, "t0")
    assert (alert.former, alert.due, str(alert.state)) == (None, None, "on")


def test_a_link_ends_at_its_time_or_after_its_uses() -> None:
    link = ItemLink("digest", "link~press", "t0", expires_on="t5", uses=2, used=1)
    assert [link.is_over("t4"), link.is_over("t5"), link.is_used_up()] == [False, True, False]
    endless = ItemLink("digest", "link~press", "t0", used=9)
    assert [endless.is_over("t9"), endless.is_used_up()] == [False, False]


def test_a_link_gives_its_grant_on_its_item_only() -> None:
    grant, stored = EffectiveGrant("link", "r"), (EffectiveGrant("@bob", "w"),)
    caller = Caller(None, opened=LinkGrant(7, grant))
    assert (caller.grants_on(7, stored), caller.grants_on(8, stored)) == ((*stored, grant), stored)


@pytest.mark.parametrize(("kind", "is_item"), [("doc", True), (FILE, False)])
def test_an_entry_of_the_trash_is_an_item_or_a_part_of_a_space(kind: str, is_item: bool) -> None:
    assert TrashEntry(1, "ann", kind, 2, "report", "", "t0", 3).is_item is is_item


def test_a_cause_is_named_in_its_block_alone() -> None:
    before = CAUSE.get()
    with caused_by("request a"):
        assert CAUSE.get() == "request a"
    assert CAUSE.get() == before
