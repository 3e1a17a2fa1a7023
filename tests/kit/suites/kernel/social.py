"""Promises of tags and of comments."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Grant, Role
from vfs.errors import Conflict, NotFound
from vfs.ports.items import Found
from vfs.ports.leaves import Mark
from vfs.ports.social import TOP, Comment, Tags, Threads, tag_rel


class SocialGround(Ground, Protocol):
    """A ground where items are tagged and commented on."""

    @property
    def tags(self) -> Tags: ...
    @property
    def threads(self) -> Threads: ...


def tag(ground: Ground, item: int, name: str, user: str) -> None:
    """Put a tag on an item."""
    ground.leaves.put(item, tag_rel(name, user), "", user)


def names(found: list[Found] | object) -> list[str]:
    """The items as `kind owner/name`."""
    assert isinstance(found, list)
    return [f"{one.item.kind} {one.item.owner}/{one.item.name}" for one in found]


class TagsSuite:
    """Promises of vfs.ports.social.Tags."""

    def test_own_tags_are_found_on_items_of_every_kind(self, ground: SocialGround) -> None:
        for kind, name in (("plot", "waders"), ("doc", "birds"), ("doc", "gulls")):
            item = ground.items.create(kind, "alice", name)
            tag(ground, item.id, "+mine" if name != "gulls" else "+other", "alice")
        assert names(ground.tags.carriers("+mine", "alice")) == ["doc alice/birds", "plot alice/waders"]
        assert names(ground.tags.carriers("+mine", "bob")) == []

    def test_only_what_still_reaches_the_caller_is_found(self, ground: SocialGround) -> None:
        add_user(ground, "alice", public=True)
        group = "@alice~birders"
        for name in ("direct", "public", "grouped", "kept"):
            tag(ground, ground.items.create("doc", "alice", name).id, "fav", "bob")
        for name, target in (("direct", "@bob"), ("public", "public"), ("grouped", group)):
            found = ground.items.find("doc", "alice", name, "alice")
            assert found is not None
            ground.grants.give(found.item.id, Grant(target, "r", target))
        ground.join(group, "alice", Role.FOUNDERS)
        ground.join(group, "bob", Role.MEMBERS)
        found_by = ground.tags.carriers("fav", "bob")
        assert names(found_by) == ["doc alice/direct", "doc alice/grouped", "doc alice/public"]
        assert [one.reaches[0].role for one in found_by] == [None, Role.MEMBERS, None]
        ground.join(group, "bob", Role.MEMBERS, pending=True)
        ground.users.change("alice", public=False)
        assert names(ground.tags.carriers("fav", "bob")) == ["doc alice/direct"]

    def test_a_category_is_found_by_all_whom_its_items_reach(self, ground: SocialGround) -> None:
        item = ground.items.create("plot", "alice", "waders")
        tag(ground, item.id, "=wader", "alice")
        assert names(ground.tags.carriers("=wader", "bob")) == []
        ground.grants.give(item.id, Grant("@bob", "x", "@bob~x"))
        assert names(ground.tags.carriers("=wader", "bob")) == ["plot alice/waders"]

    def test_used_tags_are_listed_once_with_their_first_and_last_time(self, ground: SocialGround) -> None:
        first = ground.items.create("doc", "alice", "birds")
        other = ground.items.create("doc", "bob", "gulls")
        began = ground.clock.forward(1)
        tag(ground, first.id, "+mine", "alice")
        tag(ground, first.id, "=wader", "alice")
        tag(ground, first.id, "+theirs", "bob")
        ended = ground.clock.forward(1)
        tag(ground, other.id, "+mine", "alice")
        tag(ground, other.id, "=gull", "bob")
        assert ground.tags.of("alice") == [Mark("+mine", began, ended), Mark("=wader", began, began)]

    def test_a_forgotten_tag_is_off_every_item(self, ground: SocialGround) -> None:
        items = [ground.items.create("doc", owner, "birds") for owner in ("alice", "bob")]
        for item in items:
            tag(ground, item.id, "+mine", "alice")
            tag(ground, item.id, "+mine", "bob")
            tag(ground, item.id, "=wader", item.owner)
        assert ground.tags.forget("+mine", "alice")
        assert ground.tags.forget("=wader", "alice")
        assert not ground.tags.forget("+mine", "alice")
        assert ground.tags.of("alice") == []
        assert [mark.rel for mark in ground.tags.of("bob")] == ["+mine", "=wader"]


class ThreadsSuite:
    """Promises of vfs.ports.social.Threads."""

    def item(self, ground: SocialGround) -> int:
        """An item to write on."""
        return ground.items.create("doc", "alice", "report").id

    def test_a_thread_begins_and_is_answered(self, ground: SocialGround) -> None:
        item, now = self.item(ground), ground.clock.forward(1)
        topic = ground.threads.add(item, None, "alice", "start", "Hello")
        assert topic == Comment(topic.id, item, TOP, topic.id, 1, "alice", "start", "Hello", now, now)
        reply = ground.threads.add(item, topic, "bob", "r1", "")
        assert (reply.parent, reply.topic, reply.depth, reply.name) == (topic.id, topic.id, 2, "@bob~r1")
        deeper = ground.threads.add(item, reply, "alice", "r1", "")
        assert (deeper.parent, deeper.topic, deeper.depth) == (reply.id, topic.id, 3)
        found = ground.threads.find(item, TOP, "alice", "start")
        assert found is not None
        assert found.replies == 1
        assert ground.threads.find(item, topic.id, "alice", "r1") is None
        assert list(ground.threads.speakers(topic.id)) == ["alice", "bob"]

    def test_comments_are_listed_oldest_first(self, ground: SocialGround) -> None:
        item = self.item(ground)
        for slug in ("z", "a", "m"):
            ground.clock.forward(1)
            ground.threads.add(item, None, "alice", slug, "")
        assert [one.slug for one in ground.threads.on(item, TOP)] == ["z", "a", "m"]
        assert list(ground.threads.on(item + 1000, TOP)) == []

    def test_comments_of_many_items_are_looked_up_at_once(self, ground: SocialGround) -> None:
        one = ground.items.create("doc", "alice", "one").id
        two = ground.items.create("doc", "alice", "two").id
        start = ground.threads.add(one, None, "alice", "start", "Hello")
        other = ground.threads.add(two, None, "bob", "other", "Hi")
        answer = ground.threads.add(one, start, "bob", "r1", "Ho")
        ground.threads.add(one, answer, "alice", "r2", "Ha")
        again = ground.threads.add(one, None, "bob", "again", "")
        assert ground.threads.counts([one, two]) == {one: {start.id: 2, again.id: 0}, two: {other.id: 0}}
        assert ground.threads.counts([]) == {}
        found = ground.threads.whole([two, one], 100)
        assert [(each.slug, each.replies) for each in found] == [
            ("start", 1), ("other", 0), ("r1", 1), ("r2", 0), ("again", 0),
        ]  # fmt: skip
        assert [each for each in found if each.parent == TOP and each.item == one] == ground.threads.on(
            one, TOP
        )
        assert [each.slug for each in ground.threads.whole([one], 2)] == ["start", "r1"]
        assert ground.threads.whole([], 5) == []

    def test_a_slug_is_used_once_by_an_author_in_a_place(self, ground: SocialGround) -> None:
        item = self.item(ground)
        topic = ground.threads.add(item, None, "alice", "start", "")
        with raises(Conflict):
            ground.threads.add(item, None, "alice", "start", "")
        ground.threads.add(item, None, "bob", "start", "")
        ground.threads.add(item, topic, "alice", "start", "")
        assert len(ground.threads.on(item, TOP)) == 2

    def test_what_is_written_again_is_edited(self, ground: SocialGround) -> None:
        item = self.item(ground)
        ground.threads.add(item, None, "alice", "start", "")
        for text, edited in (("one", False), ("two", True)):
            comment = ground.threads.find(item, TOP, "alice", "start")
            assert comment is not None
            now = ground.clock.forward(1)
            ground.threads.write(comment, text)
            (comment,) = ground.threads.on(item, TOP)
            assert (comment.text, comment.edited, comment.last_modified) == (text, edited, now)

    def test_a_deleted_comment_stands_for_its_answers(self, ground: SocialGround) -> None:
        item = self.item(ground)
        topic = ground.threads.add(item, None, "alice", "start", "Hello")
        reply = ground.threads.add(item, topic, "bob", "r1", "Hi")
        last = ground.threads.add(item, reply, "carol", "r2", "Ho")
        ground.threads.remove(topic)
        ground.threads.remove(reply)
        (left,) = ground.threads.on(item, TOP)
        assert (left.text, left.deleted, left.replies) == ("", True, 1)
        assert list(ground.threads.speakers(topic.id)) == ["carol"]
        with raises(NotFound):
            ground.threads.write(topic, "again")
        with raises(NotFound):
            ground.threads.add(item, topic, "dave", "late", "")
        ground.threads.remove(last)
        assert list(ground.threads.on(item, TOP)) == []
        ground.threads.remove(last)
        with raises(NotFound):
            ground.threads.add(item, reply, "dave", "late", "")

    def test_comments_go_with_their_item(self, ground: SocialGround) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.threads.add(item.id, None, "alice", "start", "")
        ground.items.remove(item)
        assert list(ground.threads.on(item.id, TOP)) == []
        with raises(NotFound):
            ground.threads.add(item.id, None, "alice", "start", "")
